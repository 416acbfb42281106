"""A condition that swings far faster than the state it is made of."""

from math import asin, pi, sin

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

LEVEL, PACE, BEGIN = 0.99, 20.0, 50.0


class Shaft(ev.Continuous):
    """It turns evenly; a mark on it is seen when it is on top."""

    angle: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.angle = 1.0

    @ev.when(lambda self: self.angle >= BEGIN and sin(PACE * (self.angle - BEGIN)) >= LEVEL)
    def mark(self) -> None:
        self.log.append(("mark", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Shaft(sim, log=log).start()


def marked(t, y, m):
    before = BEGIN - y[0]
    return m.sin(PACE * before) * -1.0 - LEVEL - (before + abs(before))


CASE = Case(
    title="a condition faster than its state",
    reported=("bdsim#2", "scipy#18039"),
    asked="when sin(20 (x - 50)) reaches 0.99, where x = t, from 50 on: 32 times until 60",
    exact=tuple(("mark", BEGIN + (asin(LEVEL) + 2.0 * pi * k) / PACE) for k in range(32)),
    until=60.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem((0.0,), lambda t, y, m: [1.0], (Watched("mark", marked, 1),)),
)
