from random import Random

import eventide as ev


def job(machine, left):
    cuts = 0
    while left:
        with machine.request(priority=0) as place:
            yield place
            try:
                yield ev.hold(left)
                left = 0.0
            except ev.Interrupt as interrupt:
                left = interrupt.left
                cuts += 1
    return cuts


def urgent(rng, machine, arrivals):
    for _ in range(arrivals):
        yield ev.hold(rng.expovariate(1.0))
        with machine.request(priority=1) as place:
            yield place
            yield ev.hold(rng.expovariate(2.0))


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = ev.Simulation()
    machine = ev.PreemptiveResource(sim, capacity=1)
    work = sim.process(job(machine, 2.0 * arrivals))
    sim.process(urgent(rng, machine, arrivals))
    sim.run()
    return {"events": sim.events, "preemptions": work.result, "end": sim.time, "next_draw": rng.random()}
