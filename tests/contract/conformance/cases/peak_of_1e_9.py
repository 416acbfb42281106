"""Peaks that poke 1e-9 through a level: only what bounds the whole step is sure to see them."""

from math import acos, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

LEVEL = 1.0 - 1e-9


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(ev.crosses(lambda self: self.x, LEVEL, direction="up"))
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))

    @ev.when(ev.crosses(lambda self: self.x, LEVEL, direction="down"))
    def fall(self) -> None:
        self.log.append(("down", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


HALF = acos(LEVEL)
CASE = Case(
    title="peaks 1e-9 above a level",
    reported=("diffrax#507", "scipy#9228"),
    asked="when sin(t) is above 1 - 1e-9, for 9e-5 of each 6.28",
    exact=tuple(
        happening
        for k in range(2)
        for happening in (("up", (2 * k + 0.5) * pi - HALF), ("down", (2 * k + 0.5) * pi + HALF))
    ),
    until=10.0,
    build=build,
    is_long=True,
    tolerance=1e-5,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], -y[0]],
        (Watched("up", lambda t, y, m: y[0] - LEVEL, 1), Watched("down", lambda t, y, m: y[0] - LEVEL, -1)),
    ),
)
