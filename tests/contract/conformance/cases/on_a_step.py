"""Two levels, reached where steps end; the one declared first is reached last."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 0.002)
    def second(self) -> None:
        self.log.append(("second", self.sim.time))

    @ev.when(lambda self: self.x >= 0.001)
    def first(self) -> None:
        self.log.append(("first", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="an event exactly on a step",
    reported=("DifferentialEquations.jl#258",),
    asked="when x = t reaches 0.001 and 0.002 with steps of 1e-4",
    exact=(("first", 0.001), ("second", 0.002)),
    until=0.005,
    build=build,
    tolerance=1e-15,
    options={"dt_max": 1e-4},
    problem=Problem(
        (0.0,),
        lambda t, y, m: [1.0],
        (Watched("second", lambda t, y, m: y[0] - 0.002, 1), Watched("first", lambda t, y, m: y[0] - 0.001, 1)),
    ),
)
