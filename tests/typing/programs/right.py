"""A program without a mistake: nothing is reported."""

from __future__ import annotations

import eventide as ev


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1650.0, unit="degF")
    load: ev.Sum = ev.sum_(unit="kW")
    excess: ev.Computed = ev.computed(unit="kW")

    def equations(self) -> None:
        self.rate.temperature = 0.2 * (2600.0 - self.temperature)
        self.excess = self.load - 10.0


class Ingot(ev.Process, ev.Continuous):
    furnace: Furnace
    pit: ev.Resource
    temperature: ev.State = ev.state(400.0)
    coefficient: float = 0.15

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)

    def contributions(self) -> None:
        self.furnace.load += 1.0

    @ev.when(lambda self: self.temperature > 1000.0)
    def glow(self) -> None:
        self.coefficient = 0.2

    def run(self) -> ev.Life:
        with self.pit.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(48.0))
            if got.name == "gave_up":
                return
            self.start()
            yield ev.until(lambda: self.temperature >= 2200.0)
            yield 1.5
            self.stop()


sim = ev.Simulation(rel_error=1e-8, rng=1)
furnace = Furnace(sim, temperature=1700.0, name="furnace").start()
ingot = Ingot(sim, furnace=furnace, pit=ev.Resource(sim, 10), coefficient=0.1).activate(delay=2.0)
trace = sim.record(furnace, every=0.5, hottest=lambda: furnace.temperature)
sim.run(until=10.0)
last: float = furnace.temperature + furnace["temperature"].rate + furnace.last.temperature
