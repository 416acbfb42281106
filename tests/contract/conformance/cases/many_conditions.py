"""Sixty conditions on one state."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

LEVELS = [(7 * k % 61) / 61 for k in range(1, 61)]
"""Each once, in an order of no meaning."""


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


def watcher(sim: ev.Simulation, ramp: Ramp, level: float, log: Log) -> ev.ProcessGenerator:
    yield ev.until(lambda: ramp.x >= level)
    log.append((f"{level:.4f}", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    ramp = Ramp(sim).start()
    for level in LEVELS:
        sim.process(watcher(sim, ramp, level, log))
    return ramp


def height(level):
    return lambda t, y, m: y[0] - level


CASE = Case(
    title="sixty conditions in one step",
    reported=("diffrax#637", "diffrax#639"),
    asked="sixty levels in the order in which they are reached",
    exact=tuple((f"{level:.4f}", level) for level in sorted(LEVELS)),
    until=2.0,
    build=build,
    is_long=True,
    tolerance=1e-12,
    problem=Problem(
        (0.0,), lambda t, y, m: [1.0], tuple(Watched(f"{level:.4f}", height(level), 1) for level in LEVELS)
    ),
)
