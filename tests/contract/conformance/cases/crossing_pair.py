"""Up through a level and down again between two steps."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Hill(ev.Continuous):
    """y = 1 - (t - 5)**2."""

    y: ev.State = ev.state(-24.0)
    level: float = 1.0 - 1e-4
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.y = 10.0 - 2.0 * self.sim.time

    @ev.when(ev.crosses(lambda self: self.y, lambda self: self.level, direction="up"))
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))

    @ev.when(ev.crosses(lambda self: self.y, lambda self: self.level, direction="down"))
    def fall(self) -> None:
        self.log.append(("down", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Hill(sim, log=log).start()


CASE = Case(
    title="a crossing pair between steps",
    reported=("diffrax#507", "casadi#4393"),
    asked="when a parabola is above a level, for 0.02 of 10 time units",
    exact=(("up", 4.99), ("down", 5.01)),
    until=10.0,
    build=build,
    tolerance=1e-9,
    options={},
    problem=Problem(
        (-24.0,),
        lambda t, y, m: [10.0 - 2.0 * t],
        (
            Watched("up", lambda t, y, m: y[0] - (1.0 - 1e-4), 1),
            Watched("down", lambda t, y, m: y[0] - (1.0 - 1e-4), -1),
        ),
    ),
)
