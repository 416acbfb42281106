"""A peak just below a level, one on it, one just above: none, one, one."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Throw(ev.Continuous):
    """x = 2 t - t**2, at most 1."""

    x: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(2.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.speed
        self.rate.speed = -2.0

    @ev.when(lambda self: self.x >= 1.0 + 1e-12)
    def beyond(self) -> None:
        self.log.append(("beyond", self.sim.time))

    @ev.when(lambda self: self.x >= 1.0 - 1e-12)
    def graze(self) -> None:
        self.log.append(("graze", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Throw(sim, log=log).start()


CASE = Case(
    title="grazing",
    reported=("DifferentialEquations.jl#696", "scipy#9228"),
    asked="a peak at 1: never beyond 1 + 1e-12, once beyond 1 - 1e-12",
    exact=(("graze", 1.0 - 1e-6),),
    until=3.0,
    build=build,
    tolerance=1e-8,
    options={},
    problem=Problem(
        (0.0, 2.0),
        lambda t, y, m: [y[1], -2.0],
        (
            Watched("beyond", lambda t, y, m: y[0] - (1.0 + 1e-12), 1),
            Watched("graze", lambda t, y, m: y[0] - (1.0 - 1e-12), 1),
        ),
    ),
)
