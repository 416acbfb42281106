"""Every ingot is a process with an equation; whoever is hot makes room for the next."""

from __future__ import annotations

import answers

import eventide as ev


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(answers.FURNACE_START)
    share: float
    heat: ev.Summed = ev.summed()

    def equations(self):
        self.rate.temperature = 0.2 * (2600.0 - self.temperature) - self.share * self.heat


class Ingot(ev.Process, ev.Continuous):
    pit: Trial
    furnace: Furnace
    temperature: ev.State = ev.state(answers.COLD)
    coefficient: float

    def contributions(self):
        self.furnace.heat += self.coefficient * (self.furnace.temperature - self.temperature)

    def equations(self):
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)

    def run(self):
        self.start()
        yield ev.until(lambda: self.temperature >= answers.HOT)
        self.stop()
        self.pit.draw(self)


class Trial:
    def __init__(self, *, alive, draws, seed):
        self.draws = draws
        self.times = []
        self.sim = ev.Simulation(rel_error=answers.INGOT_TOLERANCE, abs_error=answers.INGOT_TOLERANCE)
        self.furnace = Furnace(self.sim, share=0.5 / alive).start()
        for temperature, coefficient in answers.first_ingots(alive):
            self.load(temperature, coefficient)
        self.sim.run(until=self.sim.process(self.loaded()))  # they wait for their ends before the clock runs
        self.end = self.sim.process(self.wait())

    def load(self, temperature, coefficient):
        ingot = Ingot(self.sim, pit=self, furnace=self.furnace, temperature=temperature, coefficient=coefficient)
        ingot.activate()

    def draw(self, ingot):
        self.times.append(self.sim.time)
        if len(self.times) == self.draws:
            self.end.activate()
        self.load(answers.COLD, ingot.coefficient)

    def loaded(self):
        return
        yield

    def wait(self):
        yield ev.passivate()

    def run(self):
        self.sim.run(until=self.end)

    def result(self):
        return {"draws": len(self.times), "end": self.times[-1], "furnace": self.furnace.temperature}
