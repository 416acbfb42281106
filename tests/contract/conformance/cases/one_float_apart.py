"""Two levels one unit in the last place apart: two events in their order, or one instant in its order."""

from math import nextafter

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

NEXT = nextafter(1.0, 2.0)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 1.0)
    def low(self) -> None:
        self.log.append(("low", self.sim.time))

    @ev.when(lambda self: self.x >= NEXT)
    def high(self) -> None:
        self.log.append(("high" if self.x >= NEXT else "early", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="staggered: one float apart",
    reported=("drake#15021", "DiffEqBase.jl#1245"),
    asked="levels 1 and the next float: both, in order, each once",
    exact=(("low", 1.0), ("high", NEXT)),
    until=2.0,
    build=build,
    tolerance=4e-16,
    problem=Problem(
        (0.0,),
        lambda t, y, m: [1.0],
        (Watched("low", lambda t, y, m: y[0] - 1.0, 1), Watched("high", lambda t, y, m: y[0] - NEXT, 1)),
    ),
)
