from random import Random

import eventide as ev


def arrivals(sim, rng, server, customers, load):
    for _ in range(customers):
        yield ev.hold(rng.expovariate(load))
        sim.process(customer(rng, server))


def customer(rng, server):
    with server.request() as unit:
        yield unit
        yield ev.hold(rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = ev.Simulation()
    server = ev.Resource(sim, capacity=1)
    sim.process(arrivals(sim, rng, server, customers, load))
    sim.run()
    waits = server.waits
    return {
        "events": sim.events,
        "customers": waits.count,
        "mean_wait": waits.mean,
        "end": sim.time,
        "next_draw": rng.random(),
    }
