from random import Random
from statistics import fmean

import simpy


def arrivals(env, rng, stations, customers, load, waits):
    for _ in range(customers):
        yield env.timeout(rng.expovariate(load))
        env.process(customer(env, rng, stations, waits))


def customer(env, rng, stations, waits):
    for station in stations:
        arrived = env.now
        with station.request() as unit:
            yield unit
            waits.append(env.now - arrived)
            yield env.timeout(rng.expovariate(1.0))


def run(*, stations: int, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    env = simpy.Environment()
    line = [simpy.Resource(env, capacity=1) for _ in range(stations)]
    env.process(arrivals(env, rng, line, customers, load, waits))
    env.run()
    return {"visits": len(waits), "mean_wait": fmean(waits), "end": env.now, "next_draw": rng.random()}
