from random import Random

import simpy


def holder(env, rng, holds, ended):
    for _ in range(holds):
        yield env.timeout(rng.expovariate(1.0))
    ended.append(env.now)


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    ended = []
    env = simpy.Environment()
    for _ in range(processes):
        env.process(holder(env, rng, holds, ended))
    env.run()
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random()}
