from random import Random

import simpy


def job(env, machine, left, cuts):
    while left > 0.0:
        with machine.request(priority=1) as place:
            yield place
            began = env.now
            try:
                yield env.timeout(left)
                left = 0.0
            except simpy.Interrupt:
                left -= env.now - began
                cuts.append(env.now)


def urgent(env, rng, machine, arrivals):
    for _ in range(arrivals):
        yield env.timeout(rng.expovariate(1.0))
        with machine.request(priority=0) as place:
            yield place
            yield env.timeout(rng.expovariate(2.0))


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    cuts = []
    env = simpy.Environment()
    machine = simpy.PreemptiveResource(env, capacity=1)
    work = env.process(job(env, machine, 2.0 * arrivals, cuts))
    env.process(urgent(env, rng, machine, arrivals))
    env.run(until=work)
    return {"preemptions": len(cuts), "end": env.now, "next_draw": rng.random()}
