"""A fixed step, and events where steps end: none is met twice."""

from conformance.case import Case, Log

import eventide as ev


class Saw(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 0.5)
    def fall(self) -> None:
        self.log.append(("fall", self.sim.time))
        self.x -= 0.5


def build(sim: ev.Simulation, log: Log) -> object:
    sim.method = ev.methods.RK4
    return Saw(sim, log=log).start()


CASE = Case(
    title="fixed steps",
    reported=("DifferentialEquations.jl#590", "DifferentialEquations.jl#674"),
    asked="ten falls of a saw tooth with steps of 0.1",
    exact=tuple(("fall", 0.5 * k) for k in range(1, 11)),
    until=5.25,
    build=build,
    tolerance=1e-12,
    options={"dt_max": 0.1},
)
