"""The mirror image of a short peak: a condition that is true but for a moment, and true again."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

DEPTH = 1e-9


class Valley(ev.Continuous):
    """y = (t - 5)**2."""

    y: ev.State = ev.state(25.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.y = 2.0 * (self.sim.time - 5.0)

    @ev.when(lambda self: self.y >= DEPTH)
    def again(self) -> None:
        self.log.append(("again", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Valley(sim, log=log).start()


CASE = Case(
    title="a dip 1e-9 deep",
    reported=("diffrax#507", "FMPy#399"),
    asked="when (t - 5)**2 is 1e-9 or more again, having been less for 6e-5 of 10",
    exact=(("again", 5.0 + sqrt(DEPTH)),),
    until=10.0,
    build=build,
    tolerance=1e-8,
    options={},
    problem=Problem(
        (25.0,),
        lambda t, y, m: [2.0 * (t - 5.0)],
        (Watched("again", lambda t, y, m: y[0] - DEPTH, 1),),
    ),
)
