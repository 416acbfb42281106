"""A condition that holds in two bands of width 1e-9, the second in the step after the first."""

from conformance.case import Case, Log

import eventide as ev

WIDTH = 1e-9


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: 50.13 <= self.x <= 50.13 + WIDTH or 50.17 <= self.x <= 50.17 + WIDTH)
    def enter(self) -> None:
        self.log.append(("band", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="two bands 1e-9 wide",
    reported=("diffrax#507", "FMPy#399"),
    asked="when x = t enters each of two narrow bands: it leaves the first within the step in which it enters the next",
    exact=(("band", 50.13), ("band", 50.17)),
    until=60.0,
    build=build,
    tolerance=1e-11,
    options={},
)
