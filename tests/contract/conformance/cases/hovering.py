"""A state that hovers ever closer above zero crosses no level that it does not cross."""

from math import log as ln

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -self.x

    @ev.when(ev.crosses(lambda self: self.x, 1e-10))
    def small(self) -> None:
        self.log.append(("small", self.sim.time))

    @ev.when(lambda self: self.x <= 0.0)
    def zero(self) -> None:
        self.log.append(("zero", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Decay(sim, log=log).start()


CASE = Case(
    title="an indicator that hovers",
    reported=("FMPy#399", "roadrunner#439"),
    asked="when exp(-t) is 1e-10, once; it is never 0",
    exact=(("small", 10.0 * ln(10.0)),),
    until=40.0,
    tolerance=1e-5,
    build=build,
    is_long=True,
    options={"rel_error": 1e-7, "abs_error": 1e-60},
    problem=Problem(
        (1.0,),
        lambda t, y, m: [-y[0]],
        (Watched("small", lambda t, y, m: y[0] - 1e-10), Watched("zero", lambda t, y, m: y[0], -1)),
    ),
)
