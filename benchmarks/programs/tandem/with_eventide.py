from random import Random
from statistics import fmean

import eventide as ev


def arrivals(sim, rng, stations, customers, load):
    for _ in range(customers):
        yield ev.hold(rng.expovariate(load))
        sim.process(customer(rng, stations))


def customer(rng, stations):
    for station in stations:
        with station.request() as unit:
            yield unit
            yield ev.hold(rng.expovariate(1.0))


def run(*, stations: int, customers: int, load: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = ev.Simulation()
    line = [ev.Resource(sim, capacity=1) for _ in range(stations)]
    sim.process(arrivals(sim, rng, line, customers, load))
    sim.run()
    return {
        "events": sim.events,
        "visits": sum(station.waits.count for station in line),
        "mean_wait": fmean(station.waits.mean for station in line),
        "end": sim.time,
        "next_draw": rng.random(),
    }
