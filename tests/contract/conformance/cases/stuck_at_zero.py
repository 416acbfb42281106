"""A condition that stays exactly zero after its event must not hide the others, nor repeat itself."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Surface(ev.Continuous):
    free: ev.State = ev.state(0.0)
    bound: ev.State = ev.state(0.0)
    drive: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.free = 0.5
        self.rate.bound = self.drive

    @ev.when(lambda self: self.free >= 5.0)
    def arrive(self) -> None:
        self.log.append(("arrive", self.sim.time))

    @ev.when(lambda self: self.bound >= 1.0)
    def stick(self) -> None:
        self.log.append(("stick", self.sim.time))
        self.drive, self.bound = 0.0, 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Surface(sim, log=log).start()


CASE = Case(
    title="a condition that stays at zero",
    reported=("OrdinaryDiffEq.jl#3627", "DifferentialEquations.jl#590"),
    asked="one event where a state sticks to a surface at 1, and the one of another state at 10",
    exact=(("stick", 1.0), ("arrive", 10.0)),
    until=20.0,
    build=build,
    tolerance=1e-9,
    problem=Problem(
        (0.0, 0.0, 1.0),
        lambda t, y, m: [0.5, y[2], 0.0],
        (
            Watched("arrive", lambda t, y, m: y[0] - 5.0),
            Watched("stick", lambda t, y, m: y[1] - 1.0, 0, lambda y: [y[0], 1.0, 0.0]),
        ),
    ),
)
