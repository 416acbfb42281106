"""An effect runs where its condition holds, not just before."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

GRAVITY, SHARE = 9.81, 0.8
FALL = (2.0 / GRAVITY) ** 0.5


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -GRAVITY

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.log.append(("at or below" if self.height <= 0.0 else "above", self.sim.time))
        self.velocity *= -SHARE


def build(sim: ev.Simulation, log: Log) -> object:
    return Ball(sim, log=log).start()


CASE = Case(
    title="an effect before its crossing",
    reported=("DifferentialEquations.jl#551",),
    asked="on which side of the floor a ball is when its bounce is handled",
    exact=tuple(("at or below", FALL * (1.0 + 2.0 * sum(SHARE**k for k in range(1, n)))) for n in range(1, 7)),
    until=3.0,
    build=build,
    problem=Problem(
        (1.0, 0.0),
        lambda t, y, m: [y[1], -GRAVITY],
        (Watched("at or below", lambda t, y, m: y[0], -1, lambda y: [y[0], -SHARE * y[1]]),),
    ),
)
