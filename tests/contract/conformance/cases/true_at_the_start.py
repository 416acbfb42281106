"""What is true from the start: `until` is due at once, `when` only if it is asked to, or when it becomes true again."""

from math import pi

from conformance.case import Case, Log

import eventide as ev


class Swing(ev.Continuous):
    """x = cos(t)."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -self.y
        self.rate.y = self.x

    @ev.when(lambda self: self.x >= 0.0)
    def becomes(self) -> None:
        self.log.append(("becomes", self.sim.time))

    @ev.when(lambda self: self.x > 0.0, at_start=True)
    def begins(self) -> None:
        self.log.append(("begins", self.sim.time))


def waits(sim: ev.Simulation, swing: Swing, log: Log) -> ev.ProcessGenerator:
    yield ev.until(lambda: swing.x >= 0.0)
    log.append(("waits", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    swing = Swing(sim, log=log).start()
    sim.process(waits(sim, swing, log))
    return swing


CASE = Case(
    title="true at the start",
    reported=("roadrunner#983", "PyBaMM#1393", "PyBaMM#5260"),
    asked="who acts at time 0, and who when cos(t) is positive again",
    exact=(("begins", 0.0), ("waits", 0.0), ("becomes", 1.5 * pi), ("begins", 1.5 * pi)),
    until=7.0,
    build=build,
    is_long=True,
    in_order=False,
)
