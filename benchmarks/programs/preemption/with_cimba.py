"""The bodies of processes are compiled by numba; a preemption is a number that `hold` returns, not an exception."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Shop(cb.Model):
    arrivals: cb.Param[int]
    gap: cb.Input[float] = inputs.dist.exponential(mean=1.0)
    service: cb.Input[float] = inputs.dist.exponential(mean=0.5)
    machine: cb.Resource = cb.Resource(capacity=1)
    preemptions: cb.Output[int]
    end: cb.Output[float]

    @cb.process
    def job(self):
        left = 2.0 * self.arrivals
        while left > 0.0:
            self.machine.acquire()
            began = cb.now()
            if cb.hold(left) != 0:
                left -= cb.now() - began
                self.preemptions += 1
            else:
                left = 0.0
                self.machine.release()
        self.end = cb.now()

    @cb.process(priority=1)
    def urgent(self):
        for _ in range(self.arrivals):
            cb.hold(self.gap.next())
            self.machine.preempt()
            cb.hold(self.service.next())
            self.machine.release()


def run(*, arrivals: int, seed: int) -> dict[str, float]:
    model = Shop()
    model.arrivals = arrivals
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {"preemptions": int(results.preemptions[0, 0]), "end": float(results.end[0, 0])}
