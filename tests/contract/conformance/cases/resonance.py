"""A quotient with a sharp peak, which stands out of its level by a millionth."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

WIDTH, LEVEL = 1e-2, 1.0 - 1e-6


class Sweep(ev.Continuous):
    """The frequency of a sweep."""

    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: 1.0 / (1.0 + ((self.x - 5.0) / WIDTH) ** 2) >= LEVEL)
    def peak(self) -> None:
        self.log.append(("peak", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Sweep(sim, log=log).start()


CASE = Case(
    title="the peak of a quotient",
    reported=("diffrax#507", "DiffEqBase.jl#634"),
    asked="when 1 / (1 + (100 (x - 5))**2) is above 1 - 1e-6, where x = t: for 2e-5 of 10",
    exact=(("peak", 5.0 - WIDTH * sqrt(1.0 / LEVEL - 1.0)),),
    until=10.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem(
        (0.0,),
        lambda t, y, m: [1.0],
        (Watched("peak", lambda t, y, m: 1.0 / (1.0 + ((y[0] - 5.0) / WIDTH) ** 2) - LEVEL, 1),),
    ),
)
