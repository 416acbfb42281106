"""Two laws that push towards each other: chatter without end, which is to be refused with the names of both."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Pursuit(ev.Continuous):
    """x is pushed down where it is above y, and up where it is below; y towards x."""

    x: ev.State = ev.state(1.5)
    y: ev.State = ev.state(1.0)
    side: float = 1.0
    switches: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -2.0 * self.side
        self.rate.y = -0.75 + 2.25 * self.side

    @ev.when(lambda self: self.x < self.y)
    def sink(self) -> None:
        self.change(-1.0)

    @ev.when(lambda self: self.x > self.y)
    def rise(self) -> None:
        self.change(1.0)

    @ev.when(lambda self: (self.x - self.y) ** 2 > 1e-4)
    def stray(self) -> None:
        self.log.append(("stray", self.sim.time))

    def change(self, side: float) -> None:
        self.side = side
        self.switches += 1
        if self.switches == 1:
            self.log.append(("meet", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Pursuit(sim, log=log).start()


CASE = Case(
    title="relay: chatter on a sliding surface",
    reported=("OpenModelica#12190", "OpenModelica#12621", "OpenModelica#9711"),
    asked="to be told which conditions fire in turn without end, and where; not to hang, nor to leave the surface",
    exact=(("meet", 1.0 / 7.0),),
    until=1.0,
    build=build,
    is_long=True,
    tolerance=1e-9,
    refused=r"chatter across a surface: Pursuit 1\.(sink|rise) .* and Pursuit 1\.(sink|rise) .*fire in turn",
    problem=Problem(
        (1.5, 1.0, 1.0),
        lambda t, y, m: [-2.0 * y[2], -0.75 + 2.25 * y[2], 0.0],
        (
            Watched("meet", lambda t, y, m: y[0] - y[1], 0, lambda y: [y[0], y[1], -y[2]]),
            Watched("stray", lambda t, y, m: (y[0] - y[1]) ** 2 - 1e-4, 1),
        ),
    ),
)
