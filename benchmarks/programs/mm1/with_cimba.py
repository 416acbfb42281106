"""The bodies of processes are compiled by numba and draw from cimba's own streams."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Customer(cb.Model):
    station: cb.Ref["Station"]
    service: cb.Input[float]

    @cb.process
    def visit(self):
        arrived = cb.now()
        self.station.server.acquire()
        self.station.waits.record(cb.now() - arrived)
        cb.hold(self.service.next())
        self.station.server.release()
        self.station.end = cb.now()


class Station(cb.Model):
    count: cb.Param[int]
    gap: cb.Input[float]
    service: cb.Input[float] = inputs.dist.exponential(mean=1.0)
    server: cb.Resource = cb.Resource(capacity=1)
    waits: cb.Dataset
    customers: cb.Output[int]
    mean_wait: cb.Output[float]
    end: cb.Output[float]

    @cb.process
    def arrivals(self):
        for _ in range(self.count):
            cb.hold(self.gap.next())
            cb.spawn(Customer, station=self, service=self.service)

    @cb.on_end
    def measure(self):
        self.customers = self.waits.sample_count()
        self.mean_wait = self.waits.sample_mean()


def run(*, customers: int, load: float, seed: int) -> dict[str, float]:
    model = Station()
    model.count = customers
    model.gap = inputs.dist.exponential(mean=1.0 / load)
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {
        "customers": int(results.customers[0, 0]),
        "mean_wait": float(results.mean_wait[0, 0]),
        "end": float(results.end[0, 0]),
    }
