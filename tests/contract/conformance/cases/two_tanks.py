"""Zeno: two tanks that leak and one tap that fills the one that is empty."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

SHOWN = 12


class Tanks(ev.Continuous):
    """Source: Johansson, Egerstedt, Lygeros & Sastry (1999)."""

    first: ev.State = ev.state(0.0)
    second: ev.State = ev.state(1.0)
    tap: float = 1.0
    switches: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.first = 0.75 * self.tap - 0.5
        self.rate.second = 0.75 * (1.0 - self.tap) - 0.5

    @ev.when(lambda self: self.second <= 0.0 and self.tap == 1.0)
    def fill_second(self) -> None:
        self.turn("second", 0.0)

    @ev.when(lambda self: self.first <= 0.0 and self.tap == 0.0)
    def fill_first(self) -> None:
        self.turn("first", 1.0)

    def turn(self, name: str, tap: float) -> None:
        self.tap = tap
        self.switches += 1
        if self.switches <= SHOWN:
            self.log.append((name, self.sim.time))

    @fill_second.accumulates
    def run_dry(self, time: float) -> None:
        self.log.append(("dry", time))
        self.stop()


def build(sim: ev.Simulation, log: Log) -> object:
    return Tanks(sim, log=log).start()


CASE = Case(
    title="Zeno: two tanks",
    reported=("OpenModelica#14545", "jaxonomy zeno_tolerance"),
    asked="the first twelve turns of the tap, and when both tanks are dry",
    exact=(*(("second" if n % 2 == 0 else "first", 4.0 - 2.0 ** (1 - n)) for n in range(SHOWN)), ("dry", 4.0)),
    until=5.0,
    build=build,
    tolerance=1e-6,
    problem=Problem(
        (0.0, 1.0, 1.0),
        lambda t, y, m: [0.75 * y[2] - 0.5, 0.75 * (1.0 - y[2]) - 0.5, 0.0],
        (
            Watched("second", lambda t, y, m: y[1] + (1.0 - y[2]), -1, lambda y: [y[0], y[1], 0.0]),
            Watched("first", lambda t, y, m: y[0] + y[2], -1, lambda y: [y[0], y[1], 1.0]),
        ),
        until=4.0 - 2.0 ** (1 - SHOWN) * 1.5,
    ),
)
