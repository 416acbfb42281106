"""
Cells that grow and divide
==========================

A cell grows by the food around it; at twice its size it divides into two that are not quite equal. A cell is an
object that begins and ends while the model runs; the food is shared by all.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Medium(ev.Continuous):
    food: ev.State = ev.state(60.0)
    eaten: ev.Summed = ev.summed()

    def equations(self):
        self.rate.food = -self.eaten


class Cell(ev.Continuous):
    medium: Medium
    size: ev.State = ev.state(1.0)
    births: list = ev.field(default_factory=list)

    def growth(self):
        return self.size * self.medium.food / (10.0 + self.medium.food)

    def contributions(self):
        self.medium.eaten += self.growth()

    def equations(self):
        self.rate.size = self.growth()

    @ev.when(lambda self: self.size >= 2.0)
    def divides(self):
        share = self.sim.stream("share").uniform(0.4, 0.6)
        daughter = Cell(self.sim, medium=self.medium, size=self.size * (1.0 - share), births=self.births)
        self.size *= share
        daughter.start()
        self.births.append(self.sim.time)


sim = ev.Simulation(rng=6, time_unit="h")
medium = Medium(sim, name="medium").start()
births = []
Cell(sim, medium=medium, births=births, name="first").start()
sizes = sim.record(Cell, every=0.05)
food = sim.record(medium, every=0.05)
sim.run(until=8.0)
print(f"{len(births) + 1} cells; food left: {medium.food:.4f}")

# %%
# Sizes of all cells, and the food.

_, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
sizes.plot(ax=above)
food.plot(ax=below, columns=["medium.food"])
