"""Its monitors measure the waits."""

from random import Random

import salabim


class Arrivals(salabim.Component):
    def setup(self, rng, server, customers, load):
        self.rng = rng
        self.server = server
        self.customers = customers
        self.load = load

    def process(self):
        for _ in range(self.customers):
            yield self.hold(self.rng.expovariate(self.load))
            Customer(rng=self.rng, server=self.server)


class Customer(salabim.Component):
    def setup(self, rng, server):
        self.rng = rng
        self.server = server

    def process(self):
        yield self.request(self.server)
        yield self.hold(self.rng.expovariate(1.0))
        self.release()


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    env = salabim.Environment(yieldless=False)
    server = salabim.Resource("server", capacity=1)
    Arrivals(rng=rng, server=server, customers=customers, load=load)
    env.run()
    waits = server.requesters().length_of_stay
    return {
        "customers": waits.number_of_entries(),
        "mean_wait": waits.mean(),
        "end": env.now(),
        "next_draw": rng.random(),
    }
