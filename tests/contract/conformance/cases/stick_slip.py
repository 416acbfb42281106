"""Friction: a block on a belt sticks, slips, and sticks again."""

from math import pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

PERIOD = 2.0 + 1.5 * pi


class Block(ev.Continuous):
    """Mass, spring and belt speed 1, dry friction 2 at rest and 1 in motion."""

    x: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(1.0)
    slips: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.speed
        self.rate.speed = self.slips * (1.0 - self.x)

    @ev.when(lambda self: self.x >= 2.0 and self.slips == 0.0)
    def slip(self) -> None:
        self.log.append(("slip", self.sim.time))
        self.slips = 1.0

    @ev.when(lambda self: self.speed >= 1.0 and self.slips == 1.0 and self.x < 1.0)
    def stick(self) -> None:
        self.log.append(("stick", self.sim.time))
        self.slips, self.speed = 0.0, 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Block(sim, log=log).start()


CASE = Case(
    title="friction: stick and slip",
    reported=("OpenModelica#8461", "DiffEqBase.jl#634"),
    asked="when a block on a moving belt slips and sticks; its speed is that of the belt at both events",
    exact=tuple(happening for k in range(3) for happening in (("slip", 2.0 + k * PERIOD), ("stick", (k + 1) * PERIOD))),
    until=21.0,
    build=build,
    problem=Problem(
        (0.0, 1.0, 0.0),
        lambda t, y, m: [y[1], y[2] * (1.0 - y[0]), 0.0],
        (
            Watched("slip", lambda t, y, m: (1.0 - y[2]) * (y[0] - 2.0) - y[2], 1, lambda y: [y[0], y[1], 1.0]),
            Watched("stick", lambda t, y, m: y[2] * (y[1] - 1.0) - (1.0 - y[2]), 1, lambda y: [y[0], 1.0, 0.0]),
        ),
    ),
)
