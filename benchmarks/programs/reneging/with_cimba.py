"""The bodies of processes are compiled by numba; a timer ends the wait, and `acquire` returns the timer's number."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Customer(cb.Model):
    station: cb.Ref["Station"]
    patience: cb.Input[float]
    service: cb.Input[float]

    @cb.process
    def visit(self):
        me = cb.this_process()
        me.timer_set(self.patience.next(), 1)
        if self.station.server.acquire() != 0:
            self.station.lost += 1
            self.station.last_lost = cb.now()
        else:
            me.timers_clear()
            cb.hold(self.service.next())
            self.station.server.release()
            self.station.served += 1
            self.station.end = cb.now()


class Station(cb.Model):
    count: cb.Param[int]
    gap: cb.Input[float]
    patience: cb.Input[float] = inputs.dist.exponential(mean=2.0)
    service: cb.Input[float] = inputs.dist.exponential(mean=1.0)
    server: cb.Resource = cb.Resource(capacity=1)
    served: cb.Output[int]
    lost: cb.Output[int]
    end: cb.Output[float]
    last_lost: cb.Output[float]

    @cb.process
    def arrivals(self):
        for _ in range(self.count):
            cb.hold(self.gap.next())
            cb.spawn(Customer, station=self, patience=self.patience, service=self.service)


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    model = Station()
    model.count = customers
    model.gap = inputs.dist.exponential(mean=1.0 / load)
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {
        "served": int(results.served[0, 0]),
        "lost": int(results.lost[0, 0]),
        "end": float(results.end[0, 0]),
        "last_lost": float(results.last_lost[0, 0]),
    }
