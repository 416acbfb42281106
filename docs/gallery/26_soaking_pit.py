"""
Soaking pit
===========

The standard example of combined simulation: ingots queue for a furnace and heat by differential equations; a cold
ingot cools the furnace. When the hottest has 2200 degF, all above 2000 degF are drawn.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1650.0, unit="degF")
    load: list = ev.field(default_factory=list)

    def equations(self):
        self.rate.temperature = 0.2 * (2600.0 - self.temperature)


class Ingot(ev.Process, ev.Continuous):
    furnace: Furnace
    pits: ev.Resource
    heating: ev.Tally
    temperature: ev.State = ev.state(unit="degF")
    coefficient: float = ev.field(default=0.15, unit="1/h")

    def equations(self):
        self.rate.temperature = self.coefficient * (self.furnace.temperature - self.temperature)

    def run(self):
        furnace = self.furnace
        with self.pits.request() as place:
            yield place
            furnace.load.append(self)
            furnace.temperature -= (furnace.temperature - self.temperature) / len(furnace.load)
            begin = self.sim.time
            self.start()
            yield ev.passivate()
            self.stop()
            self.heating.add(self.sim.time - begin)


def foreman(furnace):
    while True:
        yield ev.until(lambda: any(ingot.temperature >= 2200.0 for ingot in furnace.load))
        hot = [ingot for ingot in furnace.load if ingot.temperature >= 2000.0]
        furnace.load = [ingot for ingot in furnace.load if ingot not in hot]
        for ingot in hot:
            ingot.activate()


def deliveries(sim, furnace, pits, heating):
    while True:
        Ingot(
            sim, furnace=furnace, pits=pits, heating=heating,
            temperature=sim.stream("temperatures").uniform(400.0, 500.0),
            coefficient=0.1 + sim.stream("coefficients").normal(0.05, 0.01),
        ).activate()  # fmt: skip
        yield ev.hold(sim.stream("gaps").exponential(2.25))


sim = ev.Simulation(rng=1, time_unit="h")
furnace = Furnace(sim, name="furnace").start()
pits, heating = ev.Resource(sim, 10, name="pits"), ev.Tally(name="heating", unit="h")
sim.process(foreman(furnace))
sim.process(deliveries(sim, furnace, pits, heating))
ingots, oven = sim.record(Ingot, every=0.1), sim.record(furnace, every=0.1)
sim.run(until=100.0)
print(heating)
print(pits.waits)

# %%

_, axes = plt.subplots(figsize=(8, 4))
ingots.plot(ax=axes)
oven.plot(ax=axes, columns=["furnace.temperature"])
