"""A tank that empties through a hole: the root of its level has no derivative, and no value, below zero."""

from math import sqrt

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

DREGS = 1e-8


class Tank(ev.Continuous):
    """Torricelli's law; level = (1 - t / 2)**2."""

    level: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = -sqrt(self.level)

    @ev.when(lambda self: self.level <= DREGS)
    def empty(self) -> None:
        self.log.append(("empty", self.sim.time))
        self.stop()


def build(sim: ev.Simulation, log: Log) -> object:
    return Tank(sim, log=log).start()


CASE = Case(
    title="laws that end where the event is",
    reported=("OpenModelica#12621", "roadrunner#439"),
    asked="when a tank that runs out through a hole has 1e-8 of its level left",
    exact=(("empty", 2.0 - 2.0 * sqrt(DREGS)),),
    until=3.0,
    build=build,
    tolerance=1e-5,
    problem=Problem(
        (1.0,),
        lambda t, y, m: [-m.sqrt(y[0])],
        (Watched("empty", lambda t, y, m: y[0] - DREGS, -1, lambda y: [1.0]),),
        until=2.1,
    ),
)
