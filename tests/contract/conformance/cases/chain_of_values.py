"""A peak that is seen through three computed values, of two objects, one of them by cases."""

from math import asin, pi

from conformance.case import Case, Log

import eventide as ev

LEVEL = 0.5 - 1e-8


class Plant(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    flow: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.flow = self.x * self.y
        self.rate.x = self.y
        self.rate.y = -self.x


class Sensor(ev.Continuous):
    plant: Plant
    signal: ev.Computed = ev.computed()
    shown: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.signal = 3.0 * self.plant.flow - 1.0
        if self.signal > 0.0:
            self.shown = 2.0 * self.signal
        else:
            self.shown = 0.0

    @ev.when(lambda self: self.shown >= 2.0 * (3.0 * LEVEL - 1.0))
    def rise(self) -> None:
        self.log.append(("up", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    plant = Plant(sim).start()
    return plant, Sensor(sim, plant=plant, log=log).start()


CASE = Case(
    title="a peak seen through three computed values",
    reported=("ModelingToolkit.jl#1394", "diffrax#507"),
    asked="when twice 3 sin(t) cos(t) - 1, zero where that is negative, is above its level for 3e-4 of each 3.14",
    exact=tuple(("up", asin(2.0 * LEVEL) / 2.0 + k * pi) for k in range(3)),
    until=10.0,
    build=build,
    tolerance=1e-5,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
    is_long=True,
)
