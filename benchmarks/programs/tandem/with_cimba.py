"""The bodies of processes are compiled by numba and draw from cimba's own streams."""

import cimba as cb
from cimba import inputs

OWN_DRAWS = True


class Station(cb.Model):
    server: cb.Resource = cb.Resource(capacity=1)


class Customer(cb.Model):
    line: cb.Ref["Line"]
    service: cb.Input[float]

    @cb.process
    def visit(self):
        for number in range(len(self.line.stations)):
            station = self.line.stations[number]
            arrived = cb.now()
            station.server.acquire()
            self.line.waits.record(cb.now() - arrived)
            cb.hold(self.service.next())
            station.server.release()
        self.line.end = cb.now()


class Line(cb.Model):
    count: cb.Param[int]
    stations: list[Station]
    gap: cb.Input[float]
    service: cb.Input[float] = inputs.dist.exponential(mean=1.0)
    waits: cb.Dataset
    visits: cb.Output[int]
    mean_wait: cb.Output[float]
    end: cb.Output[float]

    @cb.process
    def arrivals(self):
        for _ in range(self.count):
            cb.hold(self.gap.next())
            cb.spawn(Customer, line=self, service=self.service)

    @cb.on_end
    def measure(self):
        self.visits = self.waits.sample_count()
        self.mean_wait = self.waits.sample_mean()


def run(*, stations: int, customers: int, load: float, seed: int) -> dict[str, float]:
    model = Line()
    model.count = customers
    model.gap = inputs.dist.exponential(mean=1.0 / load)
    model.stations = [Station() for _ in range(stations)]
    results = cb.Experiment(model, seed=seed).run(workers=1)[model]
    return {
        "visits": int(results.visits[0, 0]),
        "mean_wait": float(results.mean_wait[0, 0]),
        "end": float(results.end[0, 0]),
    }
