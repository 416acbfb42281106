"""Conditions that vanish within the step in which they would have come true, and come back later."""

from conformance.case import Case, Log

import eventide as ev


class Fuse(ev.Continuous):
    x: ev.State = ev.state(0.0)
    level: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= self.level)
    def blow(self) -> None:
        self.log.append((self.name, self.sim.time))


def keeper(sim: ev.Simulation, first: Fuse, second: Fuse, log: Log) -> ev.ProcessGenerator:
    yield ev.until(lambda: first.x >= 0.3)
    second.stop()
    log.append(("stopped", sim.time))
    yield ev.hold(2.0)
    second.start()
    yield ev.until(lambda: second.x >= second.level)
    log.append(("seen", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    first = Fuse(sim, name="first", log=log).start()
    second = Fuse(sim, name="second", level=0.4, log=log).start()
    sim.process(keeper(sim, first, second, log))
    return first, second


CASE = Case(
    title="conditions that go and come back",
    reported=("DifferentialEquations.jl#1052", "diffrax#423"),
    asked="an object is stopped 0.1 before its event and started 2 later: its event is 2 later, once",
    exact=(("stopped", 0.3), ("first", 1.0), ("second", 2.4), ("seen", 2.4)),
    until=5.0,
    build=build,
    tolerance=1e-12,
)
