"""A state that rests exactly on its level before it leaves it."""

from conformance.case import Case, Log

import eventide as ev


class Lift(ev.Continuous):
    x: ev.State = ev.state(-1.0)
    speed: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.speed

    @ev.when(lambda self: self.x >= 0.0)
    def reach(self) -> None:
        self.log.append(("reach", self.sim.time))
        self.x = self.speed = 0.0

    @ev.when(lambda self: self.x > 0.0)
    def leave(self) -> None:
        self.log.append(("leave", self.sim.time))


def driver(lift: Lift) -> ev.ProcessGenerator:
    yield ev.hold(2.0)
    lift.speed = 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    lift = Lift(sim, log=log).start()
    sim.process(driver(lift))
    return lift


CASE = Case(
    title="an indicator that is exactly 0.0 for a while",
    reported=("FMPy#730", "Reference-FMUs#233"),
    asked="x >= 0 where it arrives on its level, x > 0 only where it leaves it a second later",
    exact=(("reach", 1.0), ("leave", 2.0)),
    until=3.0,
    build=build,
    tolerance=1e-12,
)
