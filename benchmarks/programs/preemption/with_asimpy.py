from random import Random

import asimpy


class Job(asimpy.Process):
    def init(self, machine, left, cuts, ends):
        self.machine = machine
        self.left = left
        self.cuts = cuts
        self.ends = ends

    async def run(self):
        while self.left > 0.0:
            await self.machine.acquire(priority=1)
            began = self.now
            try:
                await self.timeout(self.left)
            except asimpy.Interrupt:
                self.left -= self.now - began
                self.cuts.append(self.now)
            else:
                self.left = 0.0
                self.machine.release()
        self.ends.append(self.now)


class Urgent(asimpy.Process):
    def init(self, rng, machine, arrivals):
        self.rng = rng
        self.machine = machine
        self.arrivals = arrivals

    async def run(self):
        for _ in range(self.arrivals):
            await self.timeout(self.rng.expovariate(1.0))
            await self.machine.acquire(priority=0)
            await self.timeout(self.rng.expovariate(2.0))
            self.machine.release()


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    cuts, ends = [], []
    env = asimpy.Environment()
    machine = asimpy.PreemptiveResource(env, capacity=1)
    Job(env, machine, 2.0 * arrivals, cuts, ends)
    Urgent(env, rng, machine, arrivals)
    env.run()
    return {"preemptions": len(cuts), "end": ends[-1], "next_draw": rng.random()}
