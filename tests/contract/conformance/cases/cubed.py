"""The cube of a condition is zero where the condition is, and flat there."""

from math import asin, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: (self.x - 0.5) ** 3 >= 0.0)
    def cubed(self) -> None:
        self.log.append(("cubed", self.sim.time))

    @ev.when(lambda self: self.x - 0.5 >= 0.0)
    def plain(self) -> None:
        self.log.append(("plain", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


RISES = (asin(0.5), asin(0.5) + 2.0 * pi)
CASE = Case(
    title="u**3 instead of u",
    reported=("DiffEqBase.jl#671",),
    asked="when sin(t) - 1/2 becomes positive, and when its cube does, in the order of their declaration",
    exact=tuple((name, time) for time in RISES for name in ("cubed", "plain")),
    until=10.0,
    build=build,
    is_long=True,
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], -y[0]],
        (
            Watched("cubed", lambda t, y, m: (y[0] - 0.5) ** 3, 1),
            Watched("plain", lambda t, y, m: y[0] - 0.5, 1),
        ),
    ),
)
