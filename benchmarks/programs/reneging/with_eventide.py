from random import Random

import eventide as ev


def arrivals(sim, rng, server, customers, load, served, lost):
    for _ in range(customers):
        yield ev.hold(rng.expovariate(load))
        sim.process(customer(sim, rng, server, served, lost))


def customer(sim, rng, server, served, lost):
    with server.request() as unit:
        outcome = yield ev.first_of(served=unit, gave_up=ev.hold(rng.expovariate(0.5)))
        if outcome.name == "served":
            yield ev.hold(rng.expovariate(1.0))
            served.append(sim.time)
        else:
            lost.append(sim.time)


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    served, lost = [], []
    sim = ev.Simulation()
    server = ev.Resource(sim, capacity=1)
    sim.process(arrivals(sim, rng, server, customers, load, served, lost))
    sim.run()
    return {
        "events": sim.events,
        "served": len(served),
        "lost": len(lost),
        "end": served[-1],
        "last_lost": lost[-1],
        "next_draw": rng.random(),
    }
