"""A parachute opens at 50 m, and the jump ends on the ground, not above it."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

GRAVITY, TERMINAL = 9.81, 5.0
OPENS = (2.0 * 50.0 / GRAVITY) ** 0.5


class Jumper(ev.Continuous):
    height: ev.State = ev.state(100.0)
    speed: ev.State = ev.state(0.0)
    open: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = -self.speed
        self.rate.speed = GRAVITY * (1.0 - self.open)

    @ev.when(lambda self: self.height <= 50.0 and self.open == 0.0)
    def pull(self) -> None:
        self.log.append(("open", self.sim.time))
        self.open, self.speed = 1.0, TERMINAL

    @ev.when(lambda self: self.height <= 0.0)
    def land(self) -> None:
        self.log.append(("land" if -1e-9 < self.height <= 0.0 else "off the ground", self.sim.time))
        self.stop()


def build(sim: ev.Simulation, log: Log) -> object:
    return Jumper(sim, log=log).start()


CASE = Case(
    title="a parachute",
    reported=("scipy#10319", "diffrax#492"),
    asked="when it opens and when it lands, and that the height is 0 there",
    exact=(("open", OPENS), ("land", OPENS + 10.0)),
    until=20.0,
    build=build,
    problem=Problem(
        (100.0, 0.0, GRAVITY),
        lambda t, y, m: [-y[1], y[2], 0.0],
        (
            Watched(
                "open", lambda t, y, m: (y[0] - 50.0) * y[2] + (GRAVITY - y[2]), -1, lambda y: [y[0], TERMINAL, 0.0]
            ),
            Watched("land", lambda t, y, m: y[0], -1),
        ),
    ),
)
