"""Two conditions change their sign in one step; the one declared first does so last."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 0.7)
    def late(self) -> None:
        self.log.append(("late", self.sim.time))

    @ev.when(lambda self: self.x >= 0.3)
    def early(self) -> None:
        self.log.append(("early", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="two sign changes in one step",
    reported=("diffrax#639",),
    asked="which of two levels is reached first",
    exact=(("early", 0.3), ("late", 0.7)),
    until=5.0,
    build=build,
    tolerance=1e-12,
    problem=Problem(
        (0.0,),
        lambda t, y, m: [1.0],
        (Watched("late", lambda t, y, m: y[0] - 0.7, 1), Watched("early", lambda t, y, m: y[0] - 0.3, 1)),
    ),
)
