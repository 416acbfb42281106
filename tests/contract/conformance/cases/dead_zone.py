"""Effects that leave the condition at its root: the next one is missed if a zone after it is dead."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Bead(ev.Continuous):
    """A bead between two walls; what turns it leaves it where it is."""

    x: ev.State = ev.state(0.5)
    speed: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.speed

    @ev.when(lambda self: self.x >= 1.0 and self.speed > 0.0)
    def right(self) -> None:
        self.log.append(("right", self.sim.time))
        self.speed = -1.0

    @ev.when(lambda self: self.x <= 0.0 and self.speed < 0.0)
    def left(self) -> None:
        self.log.append(("left", self.sim.time))
        self.speed = 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Bead(sim, log=log).start()


def turned(y):
    return [y[0], -y[1]]


CASE = Case(
    title="the dead zone after a root",
    reported=("DifferentialEquations.jl#353",),
    asked="every contact of a bead that goes to and fro between two walls",
    exact=tuple(("right" if k % 2 == 0 else "left", k + 0.5) for k in range(30)),
    until=30.0,
    build=build,
    tolerance=1e-12,
    problem=Problem(
        (0.5, 1.0),
        lambda t, y, m: [y[1], 0.0],
        (
            Watched("right", lambda t, y, m: y[0] - 1.0, 1, turned),
            Watched("left", lambda t, y, m: y[0], -1, turned),
        ),
    ),
)
