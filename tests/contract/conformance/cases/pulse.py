"""A source that is on for 0.01 of 10 time units: no step jumps over it."""

from conformance.case import Case, Log

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = self.inflow

    @ev.when(lambda self: self.level >= 0.005)
    def half(self) -> None:
        self.log.append(("half", self.sim.time))


def valve(tank: Tank) -> ev.ProcessGenerator:
    yield ev.hold(5.0)
    tank.inflow = 1.0
    yield ev.hold(0.01)
    tank.inflow = 0.0
    tank.log.append(("full" if abs(tank.level - 0.01) < 1e-14 else "short", tank.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    tank = Tank(sim, log=log).start()
    sim.process(valve(tank))
    return tank


CASE = Case(
    title="a short pulse of a source",
    reported=("scipy#18039", "bdsim#2"),
    asked="how much flows in 0.01, and when half of it has",
    exact=(("half", 5.005), ("full", 5.01)),
    until=10.0,
    build=build,
    tolerance=1e-12,
)
