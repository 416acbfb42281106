"""
Billiard
========

A ball on a table that is a stadium: straight sides, half circles at the ends. Each reflection is a state event;
between two of them the ball goes straight on. Two balls that begin a millionth apart part after some twenty
reflections.
"""

import matplotlib.pyplot as plt
import numpy as np

import eventide as ev


class Ball(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    vx: float = 1.0
    vy: float = 0.6
    hits: list = ev.field(default_factory=list)

    def equations(self):
        self.rate.x = self.vx
        self.rate.y = self.vy

    def excess(self):
        """How far outside of the table the ball is: below 0 inside."""
        beyond = max(abs(self.x) - 1.0, 0.0)
        return beyond**2 + self.y**2 - 1.0

    @ev.when(lambda self: self.excess() >= 0.0)
    def reflects(self):
        nx = np.sign(self.x) * max(abs(self.x) - 1.0, 0.0)
        ny = self.y
        length = np.hypot(nx, ny)
        nx, ny = nx / length, ny / length
        speed = self.vx * nx + self.vy * ny
        if speed > 0.0:
            self.vx -= 2.0 * speed * nx
            self.vy -= 2.0 * speed * ny
        self.hits.append((self.x, self.y))


sim = ev.Simulation(rel_error=1e-12, abs_error=1e-12)
one = Ball(sim, name="one").start()
two = Ball(sim, y=1e-6, name="two").start()
distance = sim.record(every=0.1, distance=lambda: np.hypot(one.x - two.x, one.y - two.y))
sim.run(until=60.0)
print(f"{len(one.hits)} reflections; the speed is {np.hypot(one.vx, one.vy):.12f}")

# %%
# The path of the first ball, and how far the second is from it.

_, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
left.plot(*zip((0.0, 0.0), *one.hits, strict=True), linewidth=0.6)
left.set_aspect("equal")
right.semilogy(distance.times, distance["distance"])
right.set(xlabel="time", ylabel="distance")
plt.tight_layout()
