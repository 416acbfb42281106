"""Conditions on the time itself: exact, whatever is printed and however the steps fall."""

from conformance.case import Case, Log

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


def waiting(sim: ev.Simulation, log: Log) -> ev.ProcessGenerator:
    yield ev.until(lambda: sim.time >= 0.3)
    log.append(("at least 0.3", sim.time))
    yield ev.until(lambda: sim.time == 10.0)
    log.append(("equal to 10", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    sim.process(waiting(sim, log))
    return Ramp(sim).start()


CASE = Case(
    title="time == 10",
    reported=("roadrunner#281",),
    asked="time >= 0.3 and time == 10, to the last bit",
    exact=(("at least 0.3", 0.3), ("equal to 10", 10.0)),
    until=12.0,
    build=build,
    tolerance=0.0,
)
