"""A condition of degree nine in a state that moves in a straight line."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(
        ev.crosses(
            lambda self: (
                (self.x - 50.1)
                * (self.x - 50.2)
                * (self.x - 50.3)
                * (self.x - 50.4)
                * (self.x - 50.5)
                * (self.x - 50.6)
                * (self.x - 50.7)
                * (self.x - 50.8)
                * (self.x - 50.9)
            )
        )
    )
    def root(self) -> None:
        self.log.append(("root", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


def product(t, y, m):
    value = 1.0
    for root in range(1, 10):
        value = value * (y[0] - 50.0 - root / 10)
    return value


CASE = Case(
    title="nine roots of one condition in a step",
    reported=("scipy#9228", "diffrax#637"),
    asked="the roots of (x - 50.1) (x - 50.2) ... (x - 50.9), where x = t",
    exact=tuple(("root", 50.0 + root / 10) for root in range(1, 10)),
    until=60.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem((0.0,), lambda t, y, m: [1.0], (Watched("root", product),)),
)
