"""Equal balls in one model: all bounce at one instant, none is left out, in the order in which they were started."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

FALL = (2.0 / 9.81) ** 0.5
BALLS = 5


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.log.append((self.name, self.sim.time))
        self.velocity *= -1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return [Ball(sim, name=f"ball {k}", log=log).start() for k in range(BALLS)]


def height(k):
    return lambda t, y, m: y[2 * k]


def bounced(k):
    return lambda y: [-y[i] if i == 2 * k + 1 else y[i] for i in range(2 * BALLS)]


CASE = Case(
    title="all events of an instant",
    reported=("DifferentialEquations.jl#516", "DiffEqBase.jl#519", "DiffEqBase.jl#889", "OrdinaryDiffEq.jl#3673"),
    asked="three bounces of five equal balls, all of them, in order",
    exact=tuple((f"ball {k}", (2 * n + 1) * FALL) for n in range(3) for k in range(BALLS)),
    until=3.0,
    build=build,
    problem=Problem(
        (1.0, 0.0) * BALLS,
        lambda t, y, m: [y[i + 1] if i % 2 == 0 else -9.81 + 0.0 * y[i] for i in range(2 * BALLS)],
        tuple(Watched(f"ball {k}", height(k), -1, bounced(k)) for k in range(BALLS)),
    ),
)
