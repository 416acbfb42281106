"""One condition in three scales: where it is zero does not depend on how large it is elsewhere."""

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

    @ev.when(lambda self: 1e-18 * (self.x - 0.5) >= 0.0)
    def small(self) -> None:
        self.log.append(("small", self.sim.time))

    @ev.when(lambda self: 1e18 * (self.x - 0.5) >= 0.0)
    def large(self) -> None:
        self.log.append(("large", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


RISES = (asin(0.5), asin(0.5) + 2.0 * pi)
CASE = Case(
    title="a badly scaled condition",
    reported=("OrdinaryDiffEq.jl#1986",),
    asked="when sin(t) rises through 1/2, by conditions of the sizes 1e-18 and 1e18",
    exact=tuple((name, time) for time in RISES for name in ("small", "large")),
    until=10.0,
    build=build,
    is_long=True,
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], -y[0]],
        (
            Watched("small", lambda t, y, m: 1e-18 * (y[0] - 0.5), 1),
            Watched("large", lambda t, y, m: 1e18 * (y[0] - 0.5), 1),
        ),
    ),
)
