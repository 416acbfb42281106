from random import Random
from statistics import fmean

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(10.0)
    inflow: float = 0.0

    def equations(self):
        self.rate.level = self.inflow - 0.1 * self.level


def ship(sim, rng, berths, tank, stays):
    arrived = sim.time
    with berths.request() as berth:
        yield berth
        yield ev.until(lambda: tank.level <= 12.0)
        tank.inflow += 1.0
        yield ev.hold(rng.uniform(4.0, 8.0))
        tank.inflow -= 1.0
    stays.append(sim.time - arrived)


def arrivals(sim, rng, berths, tank, stays):
    while True:
        yield ev.hold(rng.expovariate(0.2))
        sim.process(ship(sim, rng, berths, tank, stays))


def run(*, hours: float, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    stays = []
    sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance)
    tank = Tank(sim).start()
    berths = ev.Resource(sim, capacity=2)
    sim.process(arrivals(sim, rng, berths, tank, stays))
    sim.run(until=hours)
    return {
        "events": sim.events,
        "ships": len(stays),
        "mean_stay": fmean(stays),
        "level": tank.level,
        "next_draw": rng.random(),
    }
