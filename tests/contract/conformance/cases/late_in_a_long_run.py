"""Events far from time 0, where a float of the time is coarse: each once."""

from math import asin, pi

from conformance.case import Case, Log

import eventide as ev

BEGIN = 1e6 / 3.0


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(ev.crosses(lambda self: self.x, 0.5, direction="up"))
    def rise(self) -> None:
        self.log.append(("rise", self.sim.time))


def begin(swing: Swing) -> ev.ProcessGenerator:
    yield ev.hold(BEGIN)
    swing.start()


def build(sim: ev.Simulation, log: Log) -> object:
    swing = Swing(sim, log=log)
    sim.process(begin(swing))
    return swing


CASE = Case(
    title="late in a long run",
    reported=("DiffEqBase.jl#1245",),
    asked="when a swing that starts at 333,333.3 rises through 1/2: twice, each once",
    exact=(("rise", BEGIN + asin(0.5)), ("rise", BEGIN + asin(0.5) + 2.0 * pi)),
    until=BEGIN + 10.0,
    build=build,
)
