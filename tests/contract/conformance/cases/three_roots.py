"""A cubic crosses its level three times while the integrator makes a step or two."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Cubic(ev.Continuous):
    """y = (t - 1) (t - 2) (t - 3)."""

    y: ev.State = ev.state(-6.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        t = self.sim.time
        self.rate.y = 3.0 * t * t - 12.0 * t + 11.0

    @ev.when(ev.crosses(lambda self: self.y))
    def root(self) -> None:
        self.log.append(("root", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Cubic(sim, log=log).start()


CASE = Case(
    title="three roots in a step",
    reported=("scipy#9228",),
    asked="all roots of a cubic in [0, 10]",
    exact=(("root", 1.0), ("root", 2.0), ("root", 3.0)),
    until=10.0,
    build=build,
    options={},
    problem=Problem((-6.0,), lambda t, y, m: [3.0 * t * t - 12.0 * t + 11.0], (Watched("root", lambda t, y, m: y[0]),)),
)
