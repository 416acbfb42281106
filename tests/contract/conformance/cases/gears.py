"""A gear box: thresholds that depend on the gear, up by one, down by another."""

from conformance.case import Case, Log

import eventide as ev


class GearBox(ev.Continuous):
    """The speed rises to 3 and falls again."""

    speed: ev.State = ev.state(0.0)
    slope: float = 1.0
    gear: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.speed = self.slope

    @ev.when(lambda self: self.speed >= self.gear and self.gear < 3.0)
    def shift_up(self) -> None:
        self.gear += 1.0
        self.log.append((f"up to {self.gear:.0f}", self.sim.time))

    @ev.when(lambda self: self.speed <= self.gear - 1.5 and self.gear > 1.0)
    def shift_down(self) -> None:
        self.gear -= 1.0
        self.log.append((f"down to {self.gear:.0f}", self.sim.time))

    @ev.when(lambda self: self.speed >= 3.0)
    def brake(self) -> None:
        self.log.append(("brake", self.sim.time))
        self.slope = -1.0


def build(sim: ev.Simulation, log: Log) -> object:
    return GearBox(sim, log=log).start()


CASE = Case(
    title="gears: thresholds that events change",
    reported=("ModelingToolkit.jl#4870",),
    asked="shifts up at 1 and 2, down at 1.5 and 0.5",
    exact=(("up to 2", 1.0), ("up to 3", 2.0), ("brake", 3.0), ("down to 2", 4.5), ("down to 1", 5.5)),
    until=6.0,
    build=build,
    tolerance=1e-12,
)
