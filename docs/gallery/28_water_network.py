"""
Water network
=============

Three tanks in a row are joined by pipes; people draw by the hour, a pump fills the first. The pump is switched by
the level of the *last* tank, which reacts late. A pipe carries water one way or the other.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev

demand = ev.inputs.LinearTable([0, 6, 8, 12, 18, 21, 24], [2, 2, 9, 5, 8, 4, 2])  # m3/h over a day


class Tank(ev.Continuous):
    level: ev.State = ev.state(2.0, unit="m")
    area: float = ev.field(default=8.0, unit="m2")
    flow: ev.Summed = ev.summed(unit="m**3/h")

    def equations(self):
        self.rate.level = self.flow / self.area


class Pipe(ev.Continuous):
    """Flow by the difference of levels, as the root of it."""

    start_of: Tank
    end_of: Tank
    width: float = 12.0

    def contributions(self):
        difference = self.start_of.level - self.end_of.level
        flow = self.width * np.sign(difference) * np.sqrt(abs(difference))
        self.start_of.flow -= flow
        self.end_of.flow += flow


class Pump(ev.Continuous):
    tank: Tank
    power: float = ev.field(default=0.0, unit="m**3/h")

    def contributions(self):
        self.tank.flow += self.power


class Town(ev.Continuous):
    tank: Tank

    def contributions(self):
        self.tank.flow -= demand(self.sim.time % 24.0)


def operator(pump, last):
    while True:
        yield ev.until(lambda: last.level <= 1.5)
        pump.power = 12.0
        yield ev.until(lambda: last.level >= 2.5)
        pump.power = 0.0


sim = ev.Simulation(time_unit="h")
tanks = [Tank(sim, name=f"tank {number}").start() for number in range(3)]
for one, two in pairwise(tanks):
    Pipe(sim, start_of=one, end_of=two).start()
pump = Pump(sim, tank=tanks[0]).start()
Town(sim, tank=tanks[2]).start()
sim.process(operator(pump, tanks[2]))
curve = sim.record(*tanks, every=0.05)
work = sim.integral(lambda: pump.power, name="pumped", unit="m**3")
sim.run(until=72.0)
print(f"{work.value:.3f} m3 were pumped in three days")

# %%

_, axes = plt.subplots(figsize=(8, 4))
curve.plot(ax=axes, columns=[f"tank {number}.level" for number in range(3)])
