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
                (self.x - 1.0)
                * (self.x - 2.0)
                * (self.x - 3.0)
                * (self.x - 4.0)
                * (self.x - 5.0)
                * (self.x - 6.0)
                * (self.x - 7.0)
                * (self.x - 8.0)
                * (self.x - 9.0)
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
        value = value * (y[0] - root)
    return value


CASE = Case(
    title="nine roots of one condition in a step",
    reported=("scipy#9228", "diffrax#637"),
    asked="the roots of (x - 1) (x - 2) ... (x - 9), where x = t",
    exact=tuple(("root", float(root)) for root in range(1, 10)),
    until=20.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem((0.0,), lambda t, y, m: [1.0], (Watched("root", product),)),
)
