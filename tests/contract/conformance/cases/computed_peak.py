"""A peak of a value that equations compute, 1e-9 above its level."""

from math import acos, pi

from conformance.case import Case, Log

import eventide as ev

LEVEL = 1.0 - 1e-9


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    shown: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.shown = 2.0 * self.x - 1.0
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: self.shown >= 2.0 * LEVEL - 1.0)
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


CASE = Case(
    title="a computed value 1e-9 above a level",
    reported=("diffrax#507", "DiffEqBase.jl#634"),
    asked="when 2 sin(t) - 1, computed by the equations, is above a level for 9e-5 of each 6.28",
    exact=tuple(("up", (2 * k + 0.5) * pi - acos(LEVEL)) for k in range(2)),
    until=10.0,
    build=build,
    tolerance=1e-5,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
)
