"""The bodies of processes are compiled by numba; an interrupt is a number that `hold` returns, not an exception."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Pair(cb.Model):
    crowd: cb.Ref["Crowd"]
    gap: cb.Input[float]
    victim: int = 0

    @cb.process
    def suffer(self):
        self.victim = cb.this_process().pointer
        for _ in range(self.crowd.cuts):
            if cb.hold(2.0) != 0:
                self.crowd.interrupts += 1
        self.crowd.end = cb.now()

    @cb.process
    def disturb(self):
        for _ in range(self.crowd.cuts):
            cb.hold(self.gap.next())
            cb.Process(self.victim).interrupt(1)


class Crowd(cb.Model):
    pairs: cb.Param[int]
    cuts: cb.Param[int]
    gap: cb.Input[float] = inputs.dist.uniform(low=0.5, high=1.5)
    interrupts: cb.Output[int]
    end: cb.Output[float]

    @cb.process
    def begin(self):
        for _ in range(self.pairs):
            cb.spawn(Pair, crowd=self, gap=self.gap)


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    model = Crowd()
    model.pairs = pairs
    model.cuts = interrupts
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {"interrupts": int(results.interrupts[0, 0]), "end": float(results.end[0, 0])}
