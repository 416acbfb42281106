"""Roots at the float where a step ends: each is found once."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Ramp(ev.Continuous):
    y: ev.State = ev.state(0.0)
    level: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.y = 1.0

    @ev.when(lambda self: self.y >= self.level)
    def reach(self) -> None:
        self.log.append(("level", self.sim.time))
        self.level += 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="a root at a bracket's end",
    reported=("scipy#17066", "scipy#19418"),
    asked="when y = t reaches 1, 2, 3 with steps of 1/4, to the last bit",
    exact=(("level", 1.0), ("level", 2.0), ("level", 3.0)),
    until=3.5,
    build=build,
    tolerance=0.0,
    options={"dt_max": 0.25},
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [1.0, 0.0],
        (Watched("level", lambda t, y, m: y[0] - y[1], 1, lambda y: [y[0], y[1] + 1.0]),),
    ),
)
