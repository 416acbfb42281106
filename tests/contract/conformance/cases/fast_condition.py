"""A condition that swings far faster than the state it is made of."""

from math import asin, pi, sin

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

LEVEL, PACE = 0.99, 20.0


class Shaft(ev.Continuous):
    """It turns evenly; a mark on it is seen when it is on top."""

    angle: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.angle = 1.0

    @ev.when(lambda self: sin(PACE * self.angle) >= LEVEL)
    def mark(self) -> None:
        self.log.append(("mark", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Shaft(sim, log=log).start()


CASE = Case(
    title="a condition faster than its state",
    reported=("bdsim#2", "scipy#18039"),
    asked="when sin(20 x) reaches 0.99, where x = t: 32 times until 10",
    exact=tuple(("mark", (asin(LEVEL) + 2.0 * pi * k) / PACE) for k in range(32)),
    until=10.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem((0.0,), lambda t, y, m: [1.0], (Watched("mark", lambda t, y, m: m.sin(PACE * y[0]) - LEVEL, 1),)),
)
