from random import Random

import simpy


def arrivals(env, rng, server, customers, load, served, lost):
    for _ in range(customers):
        yield env.timeout(rng.expovariate(load))
        env.process(customer(env, rng, server, served, lost))


def customer(env, rng, server, served, lost):
    with server.request() as unit:
        outcome = yield unit | env.timeout(rng.expovariate(0.5))
        if unit in outcome:
            yield env.timeout(rng.expovariate(1.0))
            served.append(env.now)
        else:
            lost.append(env.now)


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    served, lost = [], []
    env = simpy.Environment()
    server = simpy.Resource(env, capacity=1)
    env.process(arrivals(env, rng, server, customers, load, served, lost))
    env.run()
    return {
        "served": len(served),
        "lost": len(lost),
        "end": served[-1],
        "last_lost": lost[-1],
        "next_draw": rng.random(),
    }
