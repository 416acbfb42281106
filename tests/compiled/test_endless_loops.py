"""Loops that might never end: native code leaves them to Python once they have gone on for long."""

from __future__ import annotations

import signal
from typing import Any

import pytest

import eventide as ev
from eventide.lowering.translation import statements


def root(x: float, width: float) -> float:
    """The root of a number by bisection; without end where the width is less than floats are apart."""
    low, high = 0.0, 2.0
    while high - low > width:
        middle = 0.5 * (low + high)
        if middle * middle < x:
            low = middle
        else:
            high = middle
    return low


def powers(x: float) -> float:
    """How often a number is halved until it is less than a thousandth: a loop that is left by `return` alone."""
    count = 0.0
    while True:
        count += 1.0
        x *= 0.5
        if x < 1e-3:
            return count


def halvings(x: float, width: float) -> tuple[float, int]:
    """How often, and a whole number."""
    count = 0.0
    while True:
        x *= 0.5
        if x < width:
            return count, 1
        count += 1.0


def half_powers(x: float) -> float:
    """The same by `break`."""
    count = 0.0
    while True:
        count += 1.0
        x *= 0.5
        if x < 1e-3:
            break
    return count


class Tank(ev.Continuous):
    """It empties through a hole; its law has a loop, and one within another."""

    level: ev.State = ev.state(2.0)
    turns: ev.Computed = ev.computed()
    width: float = 1e-9
    rows: int = 3
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        row, count = 0, 0
        while row < self.rows:
            row += 1
            while count < 5 * row:
                count += 1
        self.turns = count + powers(self.level) + half_powers(self.level)
        self.rate.level = -root(self.level, self.width)

    @ev.when(lambda self: root(self.level, self.width) < 1.0)
    def is_low(self) -> None:
        self.log.append((self.sim.time, self.level, self.turns))


def run(compiles: Any) -> tuple[list[tuple[float, float, float]], float, str]:
    sim = ev.Simulation(compile=compiles)
    tank = Tank(sim).start()
    sim.run(until=1.0)
    if compiles:
        assert [law.is_compiled for law in sim.explain().laws] == [True]
    return tank.log, tank.level, str(sim.report())


@pytest.mark.parametrize("most", [4, 12, 20, 40, 2**22])
def test_what_python_does_in_place_of_a_long_loop_is_the_same(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST_TURNS", most)
    log, level, report = run(True)
    assert len(log) == 1
    assert (log, level, report) == run(False)


class Empties(ev.Continuous):
    """Its condition has such a loop, and its law has none."""

    level: ev.State = ev.state(2.0)
    width: float = 1e-9

    def equations(self) -> None:
        self.rate.level = -1.0

    @ev.when(lambda self: root(self.level, self.width) < 1.0)
    def is_low(self) -> None: ...


class Returns(ev.Continuous):
    """It has loops that are left by `return` alone, in the law itself and in what that calls."""

    level: ev.State = ev.state(2.0)
    turns: ev.Computed = ev.computed()
    width: float = 1e-9

    def equations(self) -> None:
        self.rate.level = -1.0
        count, more = halvings(self.level, self.width)
        self.turns = count + more
        while True:
            count += 1.0
            if count > 10.0 and self.width > 0.0:
                return


class ReturnsIf(Empties):
    @ev.when(lambda self: halvings(self.level, self.width)[0] < 30.0)
    def is_low(self) -> None: ...


@pytest.mark.parametrize("most", [4, 2**22])
def test_loops_that_are_left_by_return_are_native(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "MOST_TURNS", most)
    found = []
    for compiles in ("auto", False):
        sim = ev.Simulation(compile=compiles)
        model = Returns(sim).start()
        sim.run(until=1.0)
        found.append((model.level, model.turns, str(sim.report())))
        assert [law.is_compiled for law in sim.explain().laws] == [bool(compiles)]
    assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Tank, Empties, Returns, ReturnsIf])
def test_a_loop_without_end_is_interrupted(kind: type[Any]) -> None:
    def interrupt(*_: Any) -> None:
        raise TimeoutError

    sim = ev.Simulation()
    model = kind(sim).start()
    sim.run(until=0.1)
    model.width = 0.0

    def run() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        sim.run(until=1.0)

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(TimeoutError):
            run()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
