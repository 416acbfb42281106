"""A condition that is exactly zero where the run begins."""

from math import pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(ev.crosses(lambda self: self.x))
    def zero(self) -> None:
        self.log.append(("zero", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Swing(sim, log=log).start()


CASE = Case(
    title="zero at the start",
    reported=("DiffEqBase.jl#266", "SOEP-QSS#1", "pathsim#167", "torchdiffeq#285"),
    asked="the zeros of sin(t) after the one where it begins, each once",
    exact=(("zero", pi), ("zero", 2.0 * pi), ("zero", 3.0 * pi)),
    until=10.0,
    build=build,
    is_long=True,
    problem=Problem((0.0, 1.0), lambda t, y, m: [y[1], -y[0]], (Watched("zero", lambda t, y, m: y[0]),)),
)
