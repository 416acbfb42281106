"""It has no exception for this: whoever loses the machine is activated, and looks whether it was bumped."""

from random import Random

import salabim


class Job(salabim.Component):
    def setup(self, machine, left, cuts):
        self.machine = machine
        self.left = left
        self.cuts = cuts

    def process(self):
        while self.left > 0.0:
            yield self.request((self.machine, 1, 1))
            began = self.env.now()
            yield self.hold(self.left)
            if self.isbumped(self.machine):
                self.left -= self.env.now() - began
                self.cuts.append(self.env.now())
            else:
                self.left = 0.0
                self.release(self.machine)


class Urgent(salabim.Component):
    def setup(self, rng, machine, arrivals):
        self.rng = rng
        self.machine = machine
        self.arrivals = arrivals

    def process(self):
        for _ in range(self.arrivals):
            yield self.hold(self.rng.expovariate(1.0))
            yield self.request((self.machine, 1, 0))
            yield self.hold(self.rng.expovariate(2.0))
            self.release(self.machine)


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    cuts = []
    env = salabim.Environment(yieldless=False)
    machine = salabim.Resource("machine", capacity=1, preemptive=True)
    Job(machine=machine, left=2.0 * arrivals, cuts=cuts)
    Urgent(rng=rng, machine=machine, arrivals=arrivals)
    env.run()
    return {"preemptions": len(cuts), "end": env.now(), "next_draw": rng.random()}
