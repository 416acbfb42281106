"""A sliding mass comes to rest, and is torn loose by a growing force."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev


class Mass(ev.Continuous):
    """Mass 1, dry friction 2 in motion and 2.5 at rest, force t from outside once it rests."""

    speed: ev.State = ev.state(1.0)
    slides: float = 1.0
    force: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.speed = self.slides * (self.force * self.sim.time - 2.0)

    @ev.when(lambda self: self.speed < 0.0 and self.slides == 1.0)
    def rest(self) -> None:
        self.log.append(("rest", self.sim.time))
        self.speed, self.slides, self.force = 0.0, 0.0, 1.0

    @ev.when(lambda self: self.force * self.sim.time >= 2.5 and self.slides == 0.0)
    def tear(self) -> None:
        self.log.append(("tear", self.sim.time))
        self.slides = 1.0

    @ev.when(lambda self: self.speed >= 1.0)
    def fast(self) -> None:
        self.log.append(("fast", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Mass(sim, log=log).start()


CASE = Case(
    title="friction: rest and loose again",
    reported=("DiffEqBase.jl#634", "OrdinaryDiffEq.jl#3222"),
    asked="when a mass stops, tears loose, and has speed 1 again",
    exact=(("rest", 0.5), ("tear", 2.5), ("fast", 3.5)),
    until=5.0,
    build=build,
    tolerance=1e-9,
    problem=Problem(
        (1.0, 1.0, 0.0),
        lambda t, y, m: [y[1] * (y[2] * t - 2.0), 0.0, 0.0],
        (
            Watched("rest", lambda t, y, m: y[0] + (1.0 - y[1]), -1, lambda y: [0.0, 0.0, 1.0]),
            Watched("tear", lambda t, y, m: y[2] * t - 2.5 - 1e9 * y[1], 1, lambda y: [y[0], 1.0, y[2]]),
            Watched("fast", lambda t, y, m: y[0] - 1.0, 1),
        ),
    ),
)
