"""A condition that becomes true again and again within one step."""

from math import cos, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Chebyshev(ev.Continuous):
    """The fifth polynomial of Chebyshev of t - 1."""

    y: ev.State = ev.state(-1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        x = self.sim.time - 1.0
        self.rate.y = 80.0 * x * x * x * x - 60.0 * x * x + 5.0

    @ev.when(ev.crosses(lambda self: self.y))
    def root(self) -> None:
        self.log.append(("root", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Chebyshev(sim, log=log).start()


CASE = Case(
    title="repeated: five roots in a step",
    reported=("scipy#9228", "diffrax#507"),
    asked="the roots of T5(t - 1), which eventide's method integrates exactly with any step",
    exact=tuple(("root", 1.0 - cos((2 * k + 1) * pi / 10)) for k in range(5)),
    until=2.0,
    build=build,
    options={},
    problem=Problem(
        (-1.0,),
        lambda t, y, m: [80.0 * (t - 1.0) ** 4 - 60.0 * (t - 1.0) ** 2 + 5.0],
        (Watched("root", lambda t, y, m: y[0]),),
    ),
)
