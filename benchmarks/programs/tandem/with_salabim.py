"""Its monitors measure the waits. Who leaves a station draws after whoever follows there: in an order of its own."""

from random import Random
from statistics import fmean

import salabim

OWN_DRAWS = True


class Arrivals(salabim.Component):
    def setup(self, rng, stations, customers, load):
        self.rng = rng
        self.stations = stations
        self.customers = customers
        self.load = load

    def process(self):
        for _ in range(self.customers):
            yield self.hold(self.rng.expovariate(self.load))
            Customer(rng=self.rng, stations=self.stations)


class Customer(salabim.Component):
    def setup(self, rng, stations):
        self.rng = rng
        self.stations = stations

    def process(self):
        for station in self.stations:
            yield self.request(station)
            yield self.hold(self.rng.expovariate(1.0))
            self.release()


def run(*, stations: int, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    env = salabim.Environment(yieldless=False)
    line = [salabim.Resource("station.", capacity=1) for _ in range(stations)]
    Arrivals(rng=rng, stations=line, customers=customers, load=load)
    env.run()
    waits = [station.requesters().length_of_stay for station in line]
    return {
        "visits": sum(wait.number_of_entries() for wait in waits),
        "mean_wait": fmean(wait.mean() for wait in waits),
        "end": env.now(),
        "next_draw": rng.random(),
    }
