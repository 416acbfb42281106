from random import Random

import eventide as ev


def holder(sim, rng, holds, ended):
    for _ in range(holds):
        yield ev.hold(rng.expovariate(1.0))
    ended.append(sim.time)


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    ended = []
    sim = ev.Simulation()
    for _ in range(processes):
        sim.process(holder(sim, rng, holds, ended))
    sim.run()
    return {"events": sim.events, "ended": len(ended), "end": ended[-1], "next_draw": rng.random()}
