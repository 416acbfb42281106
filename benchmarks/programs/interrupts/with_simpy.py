from random import Random

import simpy


def victim(env, interrupts, caught):
    met = 0
    for _ in range(interrupts):
        try:
            yield env.timeout(2.0)
        except simpy.Interrupt:
            met += 1
    caught.append((env.now, met))


def interrupter(env, rng, other, interrupts):
    for _ in range(interrupts):
        yield env.timeout(rng.uniform(0.5, 1.5))
        other.interrupt()


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    caught = []
    env = simpy.Environment()
    for _ in range(pairs):
        other = env.process(victim(env, interrupts, caught))
        env.process(interrupter(env, rng, other, interrupts))
    env.run()
    return {"interrupts": sum(met for _, met in caught), "end": caught[-1][0], "next_draw": rng.random()}
