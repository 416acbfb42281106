from random import Random
from statistics import fmean

import simpy


def arrivals(env, rng, server, customers, load, waits):
    for _ in range(customers):
        yield env.timeout(rng.expovariate(load))
        env.process(customer(env, rng, server, waits))


def customer(env, rng, server, waits):
    arrived = env.now
    with server.request() as unit:
        yield unit
        waits.append(env.now - arrived)
        yield env.timeout(rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    env = simpy.Environment()
    server = simpy.Resource(env, capacity=1)
    env.process(arrivals(env, rng, server, customers, load, waits))
    env.run()
    return {"customers": len(waits), "mean_wait": fmean(waits), "end": env.now, "next_draw": rng.random()}
