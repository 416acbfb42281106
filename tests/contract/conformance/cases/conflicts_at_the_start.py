"""Two events at time 0 that contradict each other: priority decides, the same in every run."""

from conformance.case import Case, Log

import eventide as ev


class Assignments(ev.Continuous):
    x: ev.State = ev.state(0.0)
    k: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.k

    @ev.when(lambda self: self.sim.time >= 0.0, at_start=True)
    def one(self) -> None:
        self.log.append(("one", self.sim.time))
        self.k = 1.0

    @ev.when(lambda self: self.sim.time >= 0.0, at_start=True)
    def two(self) -> None:
        self.log.append(("two", self.sim.time))
        self.k = 2.0

    @ev.when(lambda self: self.sim.time >= 0.0, at_start=True, priority=1.0)
    def three(self) -> None:
        self.log.append(("three", self.sim.time))
        self.k = 3.0

    @ev.when(lambda self: self.x >= 1.0)
    def arrive(self) -> None:
        self.log.append(("arrive", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Assignments(sim, log=log).start()


CASE = Case(
    title="conflicting events at t0",
    reported=("roadrunner#1074", "arbor#385"),
    asked="which of three assignments at time 0 is the last: the priority of one is high, the others stand as declared",
    exact=(("three", 0.0), ("one", 0.0), ("two", 0.0), ("arrive", 0.5)),
    until=1.0,
    build=build,
    tolerance=1e-12,
)
