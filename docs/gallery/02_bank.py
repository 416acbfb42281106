"""
Bank with impatient customers
=============================

A customer who has waited too long leaves. The outcome of ``first_of`` tells which of the two happened first: the
turn or the end of patience.
"""

import matplotlib.pyplot as plt

import eventide as ev

PATIENCE = 3.0


class Customer(ev.Process):
    counter: ev.Resource
    served: ev.Tally
    left: list

    def run(self):
        arrived = self.sim.time
        outcome = yield ev.first_of(turn=self.counter.request(), patience=ev.hold(PATIENCE))
        if outcome.name == "patience":
            self.left.append(self.sim.time)
            return
        with outcome.value:
            self.served.add(self.sim.time - arrived)
            yield ev.hold(self.sim.stream("service").exponential(2.0))


def door(sim, counter, served, left):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(1.2))
        Customer(sim, counter=counter, served=served, left=left).activate()


sim = ev.Simulation(rng=3, time_unit="min")
counter = ev.Resource(sim, 2, name="counter")
served, left = ev.Tally(name="wait of those who were served", unit="min"), []
sim.process(door(sim, counter, served, left))
sim.run(until=2000.0)
print(served)
print(f"{len(left)} of {len(left) + served.count} left without being served")

# %%
# Nobody who was served has waited longer than the patience.

_, axes = plt.subplots(figsize=(8, 3))
ev.view.plot_histogram(served, ax=axes)
