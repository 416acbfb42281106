from random import Random
from statistics import fmean

import asimpy


class Arrivals(asimpy.Process):
    def init(self, rng, server, customers, load, waits):
        self.rng = rng
        self.server = server
        self.customers = customers
        self.load = load
        self.waits = waits

    async def run(self):
        for _ in range(self.customers):
            await self.timeout(self.rng.expovariate(self.load))
            Customer(self._env, self.rng, self.server, self.waits)


class Customer(asimpy.Process):
    def init(self, rng, server, waits):
        self.rng = rng
        self.server = server
        self.waits = waits

    async def run(self):
        arrived = self.now
        async with self.server:
            self.waits.append(self.now - arrived)
            await self.timeout(self.rng.expovariate(1.0))


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    waits = []
    env = asimpy.Environment()
    server = asimpy.Resource(env, capacity=1)
    Arrivals(env, rng, server, customers, load, waits)
    env.run()
    return {"customers": len(waits), "mean_wait": fmean(waits), "end": env.now, "next_draw": rng.random()}
