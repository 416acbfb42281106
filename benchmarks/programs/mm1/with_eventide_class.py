"""As with_eventide, but customers are objects of a class with declared fields."""

from random import Random

import eventide as ev


class Arrivals(ev.Process):
    rng: Random
    server: ev.Resource
    customers: int
    load: float

    def run(self):
        for _ in range(self.customers):
            yield ev.hold(self.rng.expovariate(self.load))
            Customer(self.sim, rng=self.rng, server=self.server).activate()


class Customer(ev.Process):
    rng: Random
    server: ev.Resource

    def run(self):
        with self.server.request() as unit:
            yield unit
            yield ev.hold(self.rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = ev.Simulation()
    server = ev.Resource(sim, capacity=1)
    Arrivals(sim, rng=rng, server=server, customers=customers, load=load).activate()
    sim.run()
    waits = server.waits
    return {
        "events": sim.events,
        "customers": waits.count,
        "mean_wait": waits.mean,
        "end": sim.time,
        "next_draw": rng.random(),
    }
