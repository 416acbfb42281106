"""
Port with tides
===============

Deep ships enter at high tide only. The tide is a function of time; a ship waits for a berth, then for the water,
then for one of two tugs.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev

tide = ev.inputs.Sine(amplitude=2.0, frequency=1 / 12.4)


class Ship(ev.Process):
    berths: ev.Resource
    tugs: ev.Resource
    draught: float
    waiting: ev.Tally

    def run(self):
        arrived = self.sim.time
        with self.berths.request() as berth:
            yield berth
            yield ev.until(lambda: 10.0 + tide(self.sim.time) >= self.draught)
            with self.tugs.request() as tug:
                yield tug
                yield ev.hold(1.0)
            self.waiting.add(self.sim.time - arrived)
            yield ev.hold(self.sim.stream("unloading").uniform(8.0, 20.0))


def arrivals(sim, berths, tugs, waiting):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(6.0))
        Ship(
            sim, berths=berths, tugs=tugs, draught=sim.stream("draught").uniform(8.5, 11.5), waiting=waiting
        ).activate()


sim = ev.Simulation(rng=11, time_unit="h")
berths, tugs = ev.Resource(sim, 3, name="berths"), ev.Resource(sim, 2, name="tugs")
waiting = ev.Tally(name="from arrival to berth", unit="h")
sim.process(arrivals(sim, berths, tugs, waiting))
places = sim.record(berths, every="event")
sim.run(until=24.0 * 14)
print(waiting)

# %%
# The first four days, with the water below them.

_, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True)
places.plot(ax=above)
hours = np.linspace(0.0, 96.0, 400)
below.plot(hours, 10.0 + np.array([tide(t) for t in hours]))
below.set(xlim=(0.0, 96.0), xlabel="time [h]", ylabel="water [m]")
