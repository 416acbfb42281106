"""Time events that touch no state leave its motion and its events as they are."""

from math import pi

from conformance.case import Case, Log

import eventide as ev


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(ev.crosses(lambda self: self.x))
    def zero(self) -> None:
        self.log.append(("zero", self.sim.time))


def clerk() -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.03125)


def build(sim: ev.Simulation, log: Log) -> object:
    sim.process(clerk())
    return Swing(sim, log=log).start()


CASE = Case(
    title="time events without end",
    reported=("FMPy#882", "OMSimulator#1341", "r-simmer/simmer#136"),
    asked="the zeros of sin(t) while a clock ticks 320 times",
    exact=(("zero", pi), ("zero", 2.0 * pi), ("zero", 3.0 * pi)),
    until=10.0,
    build=build,
    is_long=True,
)
