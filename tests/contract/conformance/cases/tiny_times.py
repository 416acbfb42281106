"""A model whose whole life lasts 1e-19 s: no tolerance of a time may be absolute."""

from math import asin, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

OMEGA = 1e20


class Light(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    omega: float = OMEGA
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.omega * self.y
        self.rate.y = -self.omega * self.x

    @ev.when(ev.crosses(lambda self: self.x, 0.5, direction="up"))
    def rise(self) -> None:
        self.log.append(("rise", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Light(sim, log=log).start()


CASE = Case(
    title="tiny t",
    reported=("scipy#15262",),
    asked="when sin(1e20 t) rises through 1/2, with t below 1e-19",
    exact=(("rise", asin(0.5) / OMEGA), ("rise", (asin(0.5) + 2.0 * pi) / OMEGA)),
    until=10.0 / OMEGA,
    build=build,
    tolerance=1e-7 / OMEGA,
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [OMEGA * y[1], -OMEGA * y[0]],
        (Watched("rise", lambda t, y, m: y[0] - 0.5, 1),),
    ),
)
