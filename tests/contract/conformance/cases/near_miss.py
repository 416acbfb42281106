"""Two that pass each other: their distance is a root that is nearly zero for a moment."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

GAP, REACH = 1e-6, 2e-6


class Passing(ev.Continuous):
    x: ev.State = ev.state(-5.0)
    y: ev.State = ev.state(GAP)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.rate.y = 0.0

    @ev.when(lambda self: sqrt(self.x * self.x + self.y * self.y) <= REACH)
    def near(self) -> None:
        self.log.append(("near", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Passing(sim, log=log).start()


CASE = Case(
    title="a distance that is nearly zero",
    reported=("DifferentialEquations.jl#696", "scipy#15262"),
    asked="when the root of x**2 + 1e-12 is below 2e-6, where x = t - 5: for 3e-6 of 10",
    exact=(("near", 5.0 - sqrt(REACH**2 - GAP**2)),),
    until=10.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem(
        (-5.0, GAP),
        lambda t, y, m: [1.0, 0.0 * t],
        (Watched("near", lambda t, y, m: REACH - (y[0] * y[0] + y[1] * y[1]) ** 0.5, 1),),
    ),
)
