from random import Random

import eventide as ev


class Spring(ev.Continuous):
    position: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.5)

    def equations(self):
        self.rate.position = self.velocity
        self.rate.velocity = -self.position


def holder(rng, holds):
    for _ in range(holds):
        yield ev.hold(rng.expovariate(100.0))


def run(*, holds: int, tolerance: float, seed: int) -> dict[str, float]:
    rng = Random(seed)
    sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance)
    spring = Spring(sim).start()
    sim.run(until=sim.process(holder(rng, holds)))
    return {"events": sim.events, "end": sim.time, "position": spring.position, "next_draw": rng.random()}
