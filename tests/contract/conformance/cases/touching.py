"""A level that is touched in one point, where a step ends, and not crossed."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Throw(ev.Continuous):
    """x = 2 t - t**2, which is 1 at t = 1 only."""

    x: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(2.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.speed
        self.rate.speed = -2.0

    @ev.when(lambda self: self.x >= 1.0)
    def touch(self) -> None:
        self.log.append(("touch", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    sim.method = ev.methods.TRAPEZOID  # exact here, in floats too
    return Throw(sim, log=log).start()


CASE = Case(
    title="touching",
    reported=("DifferentialEquations.jl#696", "FMPy#399"),
    asked="x >= 1 where the peak of x is 1",
    exact=(("touch", 1.0),),
    until=3.0,
    build=build,
    options={"dt_max": 0.25},
    problem=Problem((0.0, 2.0), lambda t, y, m: [y[1], -2.0], (Watched("touch", lambda t, y, m: y[0] - 1.0),)),
)
