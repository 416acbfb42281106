"""
Dominoes
========

A row of tiles, each a falling rod. One tile touches the next at an angle that the gap decides, gives it a push, and
goes on falling. How fast does the wave run?
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev

GAP, HEIGHT = 0.02, 0.05


class Tile(ev.Continuous):
    angle: ev.State = ev.state(0.0, unit="rad")
    speed: ev.State = ev.state(0.0, unit="rad/s")
    following: "Tile | None" = None
    touched: list = ev.field(default_factory=list)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = 1.5 * 9.81 / HEIGHT * np.sin(self.angle)

    @ev.when(lambda self: HEIGHT * np.sin(self.angle) >= GAP)
    def touches(self):
        self.touched.append(self.sim.time)
        if self.following is not None:
            self.following.start()
            self.following.speed = 0.8 * self.speed
            self.speed *= 0.6

    @ev.when(lambda self: self.angle >= np.pi / 2)
    def lies(self):
        self.stop()


sim = ev.Simulation(time_unit="s")
touched = []
tiles = [Tile(sim, touched=touched, name=f"tile {number}") for number in range(30)]
for tile, following in pairwise(tiles):
    tile.following = following
tiles[0].start()
tiles[0].speed = 1.0
curve = sim.record(*tiles[:12], every=0.002)
sim.run(until=3.0)
print(f"{len(touched)} tiles have fallen; at the end the wave runs at {GAP / np.diff(touched)[-2]:.3f} m/s")

# %%

_, axes = plt.subplots(figsize=(8, 4))
curve.plot(ax=axes, columns=[f"{tile.name}.angle" for tile in tiles[:12]])
axes.set_xlim(0.0, 0.8)
