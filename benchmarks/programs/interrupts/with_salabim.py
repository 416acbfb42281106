"""It has no exception for this: `activate` cuts the hold, and the victim looks whether it woke too early."""

from random import Random

import salabim


class Victim(salabim.Component):
    def setup(self, interrupts, caught):
        self.interrupts = interrupts
        self.caught = caught

    def process(self):
        met = 0
        for _ in range(self.interrupts):
            due = self.env.now() + 2.0
            yield self.hold(till=due)
            if self.env.now() < due:
                met += 1
        self.caught.append((self.env.now(), met))


class Interrupter(salabim.Component):
    def setup(self, rng, other, interrupts):
        self.rng = rng
        self.other = other
        self.interrupts = interrupts

    def process(self):
        for _ in range(self.interrupts):
            yield self.hold(self.rng.uniform(0.5, 1.5))
            self.other.activate()


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    caught = []
    env = salabim.Environment(yieldless=False)
    for _ in range(pairs):
        other = Victim(interrupts=interrupts, caught=caught)
        Interrupter(rng=rng, other=other, interrupts=interrupts)
    env.run()
    return {"interrupts": sum(met for _, met in caught), "end": caught[-1][0], "next_draw": rng.random()}
