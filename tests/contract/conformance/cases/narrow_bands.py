"""A condition that holds in five bands of width 1e-9, all within one step."""

from conformance.case import Case, Log

import eventide as ev

WIDTH = 1e-9
BANDS = (0.13, 0.17, 0.19, 0.23, 0.29)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(
        lambda self: (
            0.13 <= self.x <= 0.13 + WIDTH
            or 0.17 <= self.x <= 0.17 + WIDTH
            or 0.19 <= self.x <= 0.19 + WIDTH
            or 0.23 <= self.x <= 0.23 + WIDTH
            or 0.29 <= self.x <= 0.29 + WIDTH
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
    until=10.0,
    build=build,
    tolerance=1e-12,
    options={},
)
