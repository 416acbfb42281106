"""A process that waits for three passages and then for no more."""

from math import pi

from conformance.case import Case, Log

import eventide as ev


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x


def counting(sim: ev.Simulation, swing: Swing, log: Log) -> ev.ProcessGenerator:
    for number in (1, 2, 3):
        yield ev.until(ev.crosses(lambda: swing.x))
        log.append((f"zero {number}", sim.time))
    yield ev.until(lambda: swing.x >= 0.5)
    log.append(("half", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    swing = Swing(sim).start()
    sim.process(counting(sim, swing, log))
    return swing


CASE = Case(
    title="the third time, and what follows it",
    reported=("scipy#14176", "scipy#11569", "diffrax#423"),
    asked="three zeros of sin(t), then when it is 1/2, by one process that tells it as a story",
    exact=(*((f"zero {k}", k * pi) for k in (1, 2, 3)), ("half", 4.0 * pi + pi / 6.0)),
    until=30.0,
    build=build,
    is_long=True,
)
