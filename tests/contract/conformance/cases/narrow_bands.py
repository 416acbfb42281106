"""A condition that holds in five bands of width 1e-9, all within one step."""

from conformance.case import Case, Log

import eventide as ev

WIDTH = 1e-9
BANDS = (50.13, 50.17, 50.19, 50.23, 50.29)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(
        lambda self: (
            50.13 <= self.x <= 50.13 + WIDTH
            or 50.17 <= self.x <= 50.17 + WIDTH
            or 50.19 <= self.x <= 50.19 + WIDTH
            or 50.23 <= self.x <= 50.23 + WIDTH
            or 50.29 <= self.x <= 50.29 + WIDTH
        )
    )
    def enter(self) -> None:
        self.log.append(("band", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Ramp(sim, log=log).start()


CASE = Case(
    title="five bands 1e-9 wide",
    reported=("diffrax#507", "FMPy#399"),
    asked="when x = t enters each of five narrow bands, joined by `or`",
    exact=tuple(("band", band) for band in BANDS),
    until=60.0,
    build=build,
    tolerance=1e-11,
    options={},
)
