"""
Batch reactor
=============

A recipe: fill, heat, let react until enough is converted, cool, empty. An exothermic reaction follows Arrhenius'
law; a handler opens the cooling valve when it becomes too hot. The recipe is a process; the chemistry is a
component.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Reactor(ev.Continuous):
    educt: ev.State = ev.state(0.0, unit="mol")
    product: ev.State = ev.state(0.0, unit="mol")
    temperature: ev.State = ev.state(293.0, unit="K")
    heating: float = ev.field(default=0.0, unit="K/min")
    cooling: float = ev.field(default=0.0, unit="1/min", description="by the valve, when it is too hot")
    jacket: float = ev.field(default=0.0, unit="1/min", description="at the end of a batch")
    feed: float = ev.field(default=0.0, unit="mol/min")

    def equations(self):
        reaction = 2.0e7 * np.exp(-6500.0 / self.temperature) * self.educt
        self.rate.educt = self.feed - reaction
        self.rate.product = reaction
        self.rate.temperature = (
            self.heating + 0.8 * reaction - (0.005 + self.cooling + self.jacket) * (self.temperature - 288.0)
        )

    @ev.when(lambda self: self.temperature >= 365.0)
    def too_hot(self):
        self.cooling = 0.25

    @ev.when(lambda self: self.temperature <= 355.0)
    def cool_enough(self):
        self.cooling = 0.0


def recipe(sim, reactor, log):
    for batch in range(1, 4):
        begin = sim.time
        reactor.feed = 20.0
        yield ev.hold(5.0)
        reactor.feed, reactor.heating = 0.0, 6.0
        yield ev.until(lambda: reactor.temperature >= 340.0)
        reactor.heating = 0.0
        yield ev.until(lambda: reactor.educt <= 2.0)
        log.append((batch, begin, sim.time, reactor.product))
        reactor.jacket = 0.25
        yield ev.until(lambda: reactor.temperature <= 310.0)
        reactor.jacket = reactor.educt = reactor.product = 0.0


sim = ev.Simulation(time_unit="min", method="radau")
reactor = Reactor(sim, name="reactor").start()
log = []
sim.process(recipe(sim, reactor, log))
curve = sim.record(reactor, every=0.1)
sim.run(until=250.0)
for batch, begin, end, product in log:
    print(f"batch {batch}: {begin:6.2f} to {end:6.2f} min, {product:.2f} mol")

# %%
# Temperature above, amounts below.

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
curve.plot(ax=above, columns=["reactor.temperature"])
curve.plot(ax=below, columns=["reactor.educt", "reactor.product"])
