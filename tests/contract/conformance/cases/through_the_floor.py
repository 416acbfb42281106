"""A ball that bounces ever lower must not fall through the floor, and comes to rest where its bounces end."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

GRAVITY, SHARE, SHOWN = 9.81, 0.8, 20
FALL = (2.0 * 10.0 / GRAVITY) ** 0.5


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -GRAVITY

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -SHARE
        self.bounces += 1
        if self.bounces <= SHOWN:
            self.log.append(("bounce", self.sim.time))

    @bounce.accumulates
    def settle(self, time: float) -> None:
        self.log.append(("rest", time))
        self.velocity = 0.0
        self.stop()

    @ev.when(lambda self: self.height < -1e-9)
    def sink(self) -> None:
        self.log.append(("below", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ball(sim, log=log).start()


CASE = Case(
    title="a ball through the floor; Zeno: a bouncing ball",
    reported=("DifferentialEquations.jl#138", "DifferentialEquations.jl#696"),
    asked="the first 20 bounces of a ball with restitution 0.8, no height below -1e-9, and when it comes to rest",
    exact=(
        *(("bounce", FALL * (1.0 + 2.0 * sum(SHARE**k for k in range(1, n)))) for n in range(1, SHOWN + 1)),
        ("rest", FALL * (1.0 + SHARE) / (1.0 - SHARE)),
    ),
    until=20.0,
    build=build,
    tolerance=1e-6,
    problem=Problem(
        (10.0, 0.0),
        lambda t, y, m: [y[1], -GRAVITY],
        (Watched("bounce", lambda t, y, m: y[0], -1, lambda y: [y[0], -SHARE * y[1]]),),
        until=FALL * (1.0 + 2.0 * sum(SHARE**k for k in range(1, SHOWN))) + 0.01,
    ),
)
