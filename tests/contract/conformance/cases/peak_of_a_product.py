"""A condition of degree two in the states, true for a moment only."""

from math import asin, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

LEVEL = 0.5 - 1e-8


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: self.x * self.y >= LEVEL)
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


CASE = Case(
    title="a product of states, 1e-8 above its level",
    reported=("DiffEqBase.jl#634", "diffrax#507"),
    asked="when sin(t) cos(t) reaches 1/2 - 1e-8",
    exact=tuple(("up", asin(2.0 * LEVEL) / 2.0 + k * pi) for k in range(7)),
    until=20.0,
    build=build,
    is_long=True,
    tolerance=1e-5,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], -y[0]],
        (Watched("up", lambda t, y, m: y[0] * y[1] - LEVEL, 1),),
    ),
)
