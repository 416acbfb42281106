"""The bodies of processes are compiled by numba and draw from cimba's own streams."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Holder(cb.Model):
    crowd: cb.Ref["Crowd"]
    delay: cb.Input[float]

    @cb.process
    def hold_often(self):
        for _ in range(self.crowd.holds):
            cb.hold(self.delay.next())
        self.crowd.ended += 1
        self.crowd.end = cb.now()


class Crowd(cb.Model):
    processes: cb.Param[int]
    holds: cb.Param[int]
    delay: cb.Input[float] = inputs.dist.exponential(mean=1.0)
    ended: cb.Output[int]
    end: cb.Output[float]

    @cb.process
    def begin(self):
        for _ in range(self.processes):
            cb.spawn(Holder, crowd=self, delay=self.delay)


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    model = Crowd()
    model.processes = processes
    model.holds = holds
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {"ended": int(results.ended[0, 0]), "end": float(results.end[0, 0])}
