"""It has no states: the holds alone, and what is known of the spring where they end."""

from math import cos, sin
from random import Random

import simpy


def holder(env, rng, holds):
    for _ in range(holds):
        yield env.timeout(rng.expovariate(100.0))


def run(*, holds: int, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    env = simpy.Environment()
    env.run(until=env.process(holder(env, rng, holds)))
    return {"end": env.now, "position": cos(env.now) + 0.5 * sin(env.now), "next_draw": rng.random()}
