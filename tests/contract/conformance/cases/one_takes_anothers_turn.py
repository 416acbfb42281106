"""Two events are due at one instant, and what the first does makes the second untrue."""

from conformance.case import Case, Log

import eventide as ev


class Valve(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = self.inflow

    @ev.when(lambda self: self.level >= 1.0 and self.inflow > 0.0)
    def alarm(self) -> None:
        self.log.append(("alarm", self.sim.time))

    @ev.when(lambda self: self.level >= 1.0 and self.inflow > 0.0, priority=1.0)
    def close(self) -> None:
        self.log.append(("close", self.sim.time))
        self.inflow = -0.5

    @ev.when(lambda self: self.level <= 0.5 and self.inflow < 0.0)
    def open(self) -> None:
        self.log.append(("open", self.sim.time))
        self.inflow = 1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return Valve(sim, log=log).start()


CASE = Case(
    title="two due at once, and the first undoes the second",
    reported=("modelica-ibpsa#641", "ModelicaStandardLibrary#4002", "ModelingToolkit.jl#3819"),
    asked="that the valve, which has the higher priority, closes before the alarm, and no alarm is given",
    exact=(("close", 1.0), ("open", 2.0), ("close", 2.5), ("open", 3.5), ("close", 4.0)),
    until=4.5,
    build=build,
    tolerance=1e-12,
)
