"""Errors of arithmetic in conditions: native code meets them where Python does, and Python's own error goes up."""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Callable
from operator import truediv
from typing import Any

import pytest
from wording import wording, wording_of

import eventide as ev

STEPPINGS = ["apart", "together"]


class Clock(ev.Continuous):
    """A state that is the time, and numbers that make trouble."""

    x: ev.State = ev.state(0.0)
    zero: float = 0.0
    row: tuple[float, ...] = (1.0, 2.0, 3.0)

    def equations(self) -> None:
        self.rate.x = 1.0


KINDS: dict[str, tuple[Callable[[Clock], bool], type[Exception]]] = {
    "quotient": (lambda self: self.x / self.zero > 1.0, ZeroDivisionError),
    "whole quotient": (lambda self: self.x // self.zero > 1.0, ZeroDivisionError),
    "remainder": (lambda self: self.x % self.zero > 1.0, ZeroDivisionError),
    "root": (lambda self: math.sqrt(1.0 - self.x) > 2.0, ValueError),
    "logarithm": (lambda self: math.log(self.zero) > 1.0, ValueError),
    "logarithm of what moves": (lambda self: math.log(1.0 - self.x) > 5.0, ValueError),
    "exponential": (lambda self: math.exp(1e3 * self.x) < 0.0, OverflowError),
    "whole number": (lambda self: int(1e300 * self.x * 1e10) < 0, OverflowError),
    "square": (lambda self: (1e200 * self.x) ** 2 < 0.0, OverflowError),
    "inverse square": (lambda self: (self.x * self.zero) ** -2 < 0.0, ZeroDivisionError),
    "root as a power": (lambda self: (1.0 - self.x) ** 0.5 > 2.0, TypeError),
    "item": (lambda self: self.row[int(self.x)] > 5.0, IndexError),
    "greatest of nothing": (lambda self: max(value for value in self.row if value > self.x) > 5.0, ValueError),
    "in what is asked last": (lambda self: self.x > 1.0 and self.x / self.zero > 1.0, ZeroDivisionError),
    "in one way of two": (lambda self: (self.x / self.zero if self.x > 1.0 else 0.0) > 1.0, ZeroDivisionError),
}


def by_until(sim: Any, clock: Clock, test: Any) -> None:
    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: test(clock))

    sim.process(life(), name="who waits")


def by_first_of(sim: Any, clock: Clock, test: Any) -> None:
    def life() -> ev.ProcessGenerator:
        yield ev.first_of(met=ev.until(lambda: test(clock)), late=ev.hold(9.0))

    sim.process(life(), name="who waits")


def by_crosses(sim: Any, clock: Clock, test: Any) -> None:
    def life() -> ev.ProcessGenerator:
        yield ev.until(ev.crosses(lambda: 1.0 if test(clock) else 0.0, 0.5, direction="up"))

    sim.process(life(), name="who waits")


def by_when(sim: Any, clock: Clock, test: Any) -> None:
    class Watcher(ev.Continuous):
        clock: Clock

        @ev.when(lambda self: test(self.clock))
        def handle(self) -> None:
            raise AssertionError

    Watcher(sim, name="who waits", clock=clock).start()


WAYS = [by_until, by_first_of, by_crosses, by_when]


def met(compiled: Any, stepping: Any, way: Any, test: Any) -> tuple[Any, ...]:
    """What a run raises: its type, its text, its notes, the user's line, and when."""
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    clock = Clock(sim, name="clock")
    clock.start()
    way(sim, clock, test)
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is compared by the caller
        sim.run(until=4.0)
    error = caught.value
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
    return type(error), str(error), tuple(error.__notes__), lines[-1], sim.time


@pytest.mark.slow
@pytest.mark.parametrize("stepping", STEPPINGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_python_would_raise_in_a_condition_goes_up(kind: str, way: Any, stepping: str) -> None:
    test, error = KINDS[kind]
    native = met(True, stepping, way, test)
    assert native == met(False, stepping, way, test)
    assert native[0] is error
    (note,) = native[2]
    assert re.fullmatch(r"in the condition of .*who waits.* at time \S+", note)
    assert "lambda self" in native[3]


@pytest.mark.parametrize("compiled", [True, False])
def test_the_first_of_several_errors_is_told(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled, dt_min=0.25, dt_max=0.25)
    clock = Clock(sim)
    clock.start()

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: math.sqrt(1.0 - clock.x) > 2.0)

    sim.process(life(), name="who waits")
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # its words are Python's, asked in the next line
        sim.run(until=4.0)
    assert wording(caught.value) == wording_of(math.sqrt, -0.25)
    # The end of the step is tested first; at samples inside it the same is met.
    assert caught.value.__notes__ == ["in the condition of who waits at time 1.25"]


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiled", [True, False])
def test_an_event_before_a_condition_has_no_value_is_found(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    clock = Clock(sim)
    clock.start()
    log: list[float] = []

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: math.sqrt(1.0 - clock.x) < 0.1)
        log.append(sim.time)
        yield ev.until(lambda: math.sqrt(1.0 - clock.x) > 1.0)

    sim.process(life(), name="who waits")
    with pytest.raises(ValueError) as caught:  # noqa: PT011  # its words are Python's, asked in the next line
        sim.run(until=4.0)
    assert wording(caught.value) == wording_of(math.sqrt, -0.25)
    assert log == [pytest.approx(0.99, abs=1e-12)]
    (note,) = caught.value.__notes__
    assert 1.0 < float(note.rpartition(" ")[2]) < 1.0 + 1e-8


@pytest.mark.parametrize("compiled", [True, False])
def test_what_a_law_would_raise_is_no_error_of_a_condition_that_reads_what_it_sets(compiled: bool) -> None:
    class Guarded(ev.Continuous):
        x: ev.State = ev.state(0.0)
        share: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.share = self.x if self.x < 1.0 else 1.0 / (self.x - 1.0)
            self.rate.x = 1.0

    sim = ev.Simulation(compile=compiled)
    guarded = Guarded(sim)

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: guarded.share > 0.75)
        fired.append(sim.time)

    fired: list[float] = []
    guarded.start()
    sim.process(life())
    sim.run(until=0.9)
    assert fired == [pytest.approx(0.75)]
    # Neither the wait, which is over, nor the comparison in the law asks Python.
    assert [c.plan.pattern.fallback for c in sim._continuum.integrator.guards.at.values()] == [0, 0]


@pytest.mark.parametrize("stepping", STEPPINGS)
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(
    "test",
    [
        lambda self: self.x > 1.0 and (self.zero == 0.0 or self.x / self.zero > 1.0),
        lambda self: self.x > 1.0 and not (self.zero != 0.0 and math.log(self.zero) > 1.0),
        lambda self: (self.x / self.zero if self.zero != 0.0 else self.x) > 1.0,
        lambda self: self.x > 1.0 and not 2.0 < self.zero < 1.0 / self.zero,
        lambda self: self.x > 1.0 and any(self.zero == 0.0 or value / self.zero > 1.0 for value in self.row),
        lambda self: self.x**0.5 > 1.0,
    ],
    ids=["or", "and", "one way of two", "a chain", "in a reduction", "in a slope only"],
)
def test_what_python_does_not_evaluate_raises_nothing(test: Any, compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    clock = Clock(sim)
    clock.start()
    asked = 0

    def is_true(*arguments: Any) -> bool:
        nonlocal asked
        asked += 1
        return host_is_true(*arguments)

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: test(clock))
        fired.append(sim.time)

    host = sim._continuum.integrator.host
    host_is_true, host.is_true = host.is_true, is_true
    fired: list[float] = []
    sim.process(life())
    sim.run(until=2.0)
    assert fired == [pytest.approx(1.0)]
    assert (asked == 0) is compiled  # native code has not even asked Python


def test_what_is_infinite_without_an_error_of_pythons_is_compared() -> None:
    fired: list[float] = []
    for compiled in (True, False):
        sim = ev.Simulation(compile=compiled)
        clock = Clock(sim)
        clock.start()

        def life(sim: Any = sim, clock: Clock = clock) -> ev.ProcessGenerator:
            yield ev.until(lambda: clock.x * 1e308 * 10.0 > 1.7e308)
            fired.append(sim.time)

        sim.process(life())
        sim.run(until=2.0)
    assert fired == [pytest.approx(0.17), fired[0]]


@pytest.mark.parametrize("compiled", [True, False])
def test_who_looks_at_such_a_condition_meets_nothing(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    clock = Clock(sim, name="clock", zero=1.0)
    clock.start()

    def life() -> ev.ProcessGenerator:
        yield ev.until(lambda: clock.x / clock.zero > 5.0)

    waiting = sim.process(life())
    sim.run(until=1.0)
    assert "short of it" in waiting.why_waiting()
    clock.zero = 0.0
    assert re.search("short of it|it holds now|at its limit", waiting.why_waiting()) is None
    assert "nan" not in waiting.why_waiting() + str(sim.report()) + str(sim.explain())
    with pytest.raises(ZeroDivisionError) as caught:
        sim.run(until=2.0)
    assert wording(caught.value) == wording_of(truediv, 1.0, 0.0)


def test_a_kernel_that_cannot_raise_asks_nobody() -> None:
    sim = ev.Simulation(compile=True)
    clock = Clock(sim)
    clock.start()

    def life(test: Any) -> ev.ProcessGenerator:
        yield ev.until(test)

    for test in (lambda: clock.x > 1.5, lambda: clock.x * clock.x + abs(clock.zero) > 9.0, lambda: clock.x / 2 > 4):
        sim.process(life(test))
    sim.process(life(lambda: clock.x / (clock.zero + 1.0) > 4.0))
    sim.run(until=1.0)
    assert [c.plan.pattern.fallback != 0 for c in sim._conditions] == [False, False, False, True]
