"""It has no states: the law is solved by hand, from one push to the next."""

from math import cos, sin
from random import Random

import simpy


class Spring:
    def __init__(self):
        self.position = 1.0
        self.velocity = 0.5

    def swing(self, duration):
        c, s = cos(duration), sin(duration)
        self.position, self.velocity = c * self.position + s * self.velocity, c * self.velocity - s * self.position


def pusher(env, rng, spring, pushes):
    for _ in range(pushes):
        begin = env.now
        yield env.timeout(rng.expovariate(100.0))
        spring.swing(env.now - begin)
        spring.velocity += 0.01


def run(*, pushes: int, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    env = simpy.Environment()
    spring = Spring()
    env.run(until=env.process(pusher(env, rng, spring, pushes)))
    return {"end": env.now, "position": spring.position, "next_draw": rng.random()}
