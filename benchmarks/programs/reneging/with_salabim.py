from random import Random

import salabim


class Arrivals(salabim.Component):
    def setup(self, rng, server, customers, load, served, lost):
        self.rng = rng
        self.server = server
        self.customers = customers
        self.load = load
        self.served = served
        self.lost = lost

    def process(self):
        for _ in range(self.customers):
            yield self.hold(self.rng.expovariate(self.load))
            Customer(rng=self.rng, server=self.server, served=self.served, lost=self.lost)


class Customer(salabim.Component):
    def setup(self, rng, server, served, lost):
        self.rng = rng
        self.server = server
        self.served = served
        self.lost = lost

    def process(self):
        yield self.request(self.server, fail_delay=self.rng.expovariate(0.5))
        if self.failed():
            self.lost.append(self.env.now())
        else:
            yield self.hold(self.rng.expovariate(1.0))
            self.release()
            self.served.append(self.env.now())


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    served, lost = [], []
    env = salabim.Environment(yieldless=False)
    server = salabim.Resource("server", capacity=1)
    Arrivals(rng=rng, server=server, customers=customers, load=load, served=served, lost=lost)
    env.run()
    return {
        "served": len(served),
        "lost": len(lost),
        "end": served[-1],
        "last_lost": lost[-1],
        "next_draw": rng.random(),
    }
