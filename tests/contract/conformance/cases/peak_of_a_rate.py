"""A condition on a rate, true for a moment only."""

from math import acos, pi

from conformance.case import Case, Log

import eventide as ev

LEVEL = 1.0 - 1e-9


class Swing(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: self.rate.x >= LEVEL)
    def fastest(self) -> None:
        self.log.append(("fastest", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


CASE = Case(
    title="a rate 1e-9 above a level",
    reported=("ModelingToolkit.jl#1394", "diffrax#507"),
    asked="when the rate of cos(t) is above 1 - 1e-9, for 9e-5 of each 6.28",
    exact=tuple(("fastest", (2 * k + 1.5) * pi - acos(LEVEL)) for k in range(2)),
    until=12.0,
    build=build,
    tolerance=1e-5,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
)
