"""Things that land, stay, and are lifted again: each contact counts, each once."""

from conformance.case import Case, Log

import eventide as ev

GRAVITY, LIFTED = 9.81, 3.0
HEIGHTS = [0.5 + 0.37 * k for k in range(20)]


class Thing(ev.Continuous):
    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    gravity: float = GRAVITY
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -self.gravity

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def land(self) -> None:
        self.log.append((self.name, self.sim.time))
        self.velocity = self.gravity = 0.0


def lift(things: list[Thing]) -> ev.ProcessGenerator:
    yield ev.hold(LIFTED)
    for thing in things:
        thing.gravity, thing.velocity = GRAVITY, GRAVITY / 2.0


def build(sim: ev.Simulation, log: Log) -> object:
    things = [Thing(sim, name=f"thing {k}", height=height, log=log).start() for k, height in enumerate(HEIGHTS)]
    sim.process(lift(things))
    return things


CASE = Case(
    title="contact that holds",
    reported=("DifferentialEquations.jl#696",),
    asked="when twenty things land, rest on the floor, and land again after a lift",
    exact=(
        *((f"thing {k}", (2.0 * height / GRAVITY) ** 0.5) for k, height in enumerate(HEIGHTS)),
        *((f"thing {k}", LIFTED + 1.0) for k in range(len(HEIGHTS))),
    ),
    until=5.0,
    build=build,
    is_long=True,
    in_order=False,
)
