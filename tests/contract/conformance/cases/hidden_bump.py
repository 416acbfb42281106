"""A falling curve with a bump: it falls at every sample, and its peak pokes 1e-9 through the level between two."""

from math import acos, cos, pi, sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

WIDTH, MIDDLE, HEIGHT = 0.1, 5.0, 1e-9
PEAK = 2.0 * WIDTH**3 / (3.0 * sqrt(3.0))
"""Of s (WIDTH**2 - s**2)."""
LEVEL = PEAK - HEIGHT
ROOTS = sorted(
    MIDDLE + 2.0 * WIDTH / sqrt(3.0) * cos((acos(HEIGHT / PEAK - 1.0) + 2.0 * pi * k) / 3.0) for k in range(3)
)
"""By the threefold angle: s = 2 WIDTH / sqrt(3) cos(a) gives s**3 - WIDTH**2 s = PEAK cos(3 a)."""


class Bump(ev.Continuous):
    """y = s (WIDTH**2 - s**2) with s = t - MIDDLE."""

    y: ev.State = ev.state(-MIDDLE * (WIDTH**2 - MIDDLE**2))
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        s = self.sim.time - MIDDLE
        self.rate.y = WIDTH * WIDTH - 3.0 * s * s

    @ev.when(ev.crosses(lambda self: self.y, LEVEL, direction="up"))
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))

    @ev.when(ev.crosses(lambda self: self.y, LEVEL, direction="down"))
    def fall(self) -> None:
        self.log.append(("down", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Bump(sim, log=log).start()


CASE = Case(
    title="a bump 1e-9 high on a falling curve",
    reported=("scipy#9228", "diffrax#507"),
    asked="all crossings of a cubic whose slope has one sign at nearly all points",
    exact=(("down", ROOTS[0]), ("up", ROOTS[1]), ("down", ROOTS[2])),
    until=10.0,
    build=build,
    tolerance=1e-7,
    options={},
    problem=Problem(
        (-MIDDLE * (WIDTH**2 - MIDDLE**2),),
        lambda t, y, m: [WIDTH * WIDTH - 3.0 * (t - MIDDLE) * (t - MIDDLE)],
        (Watched("up", lambda t, y, m: y[0] - LEVEL, 1), Watched("down", lambda t, y, m: y[0] - LEVEL, -1)),
    ),
)
