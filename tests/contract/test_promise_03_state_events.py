"""Promise 3: state events are located, and take place on the true side of their condition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import asin, inf, nextafter, pi, ulp
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]
FINE = {"rel_error": 1e-11, "abs_error": 1e-12}


class Swing(ev.Continuous):
    """x = sin t."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x


@pytest.mark.row("R-024", "R-131", "R-141", "R-142", "R-144")
@pytest.mark.parametrize("dt_min", [1e-2, 1e-6, 0.0])
def test_true_when_it_takes_place_and_at_most_dt_min_after(simulate: Simulate, dt_min: float) -> None:
    sim = simulate(**FINE, dt_min=dt_min, dt_max=0.5)
    swing = Swing(sim).start()
    log: list[Any] = []

    def watcher() -> ev.ProcessGenerator:
        for level in (0.1, 0.5, 0.9):
            answer = yield ev.until(lambda level=level: swing.x >= level)
            log.append((level, answer, sim.time, swing.x))

    sim.process(watcher())
    sim.run(until=2.0)
    assert [(level, answer) for level, answer, *_ in log] == [(0.1, True), (0.5, True), (0.9, True)]
    for level, _, time, x in log:
        assert x >= level
        assert -1e-9 <= time - asin(level) <= dt_min + 1e-9


@pytest.mark.row("R-143")
def test_with_dt_min_zero_the_float_before_is_on_the_false_side() -> None:
    sim = ev.Simulation(rng=1, compile=False, **FINE)
    swing = Swing(sim).start()
    tested: list[tuple[float, bool]] = []

    def condition() -> bool:
        tested.append((sim.time, swing.x >= 0.5))
        return tested[-1][1]

    def watcher() -> ev.ProcessGenerator:
        yield ev.until(condition)

    sim.run(until=sim.process(watcher()))
    assert dict(tested)[sim.time] is True
    assert dict(tested)[nextafter(sim.time, -inf)] is False


def test_until_is_due_when_it_is_true_and_when_fires_when_it_becomes_true(simulate: Simulate) -> None:
    sim = simulate(**FINE)

    class Both(Swing):
        @ev.when(lambda self: self.x >= 0.5)
        def plain(self) -> None:
            self.log.append(("when", round(self.sim.time, 7)))

        @ev.when(lambda self: self.x <= 0.5, at_start=True)
        def at_start(self) -> None:
            self.log.append(("when at start", round(self.sim.time, 7)))

    swing = Both(sim).start()

    def watcher() -> ev.ProcessGenerator:
        yield ev.until(lambda: swing.x <= 0.5)
        swing.log.append(("until", sim.time))
        yield ev.hold(1.0)
        yield ev.until(lambda: swing.x >= 0.5)
        swing.log.append(("until", sim.time))

    sim.process(watcher())
    sim.run(until=4.0)
    up, down = round(asin(0.5), 7), round(pi - asin(0.5), 7)
    assert swing.log == [
        ("when at start", 0.0),
        ("until", 0.0),
        ("when", up),
        ("until", 1.0),
        ("when at start", down),
    ]


def test_a_handler_that_leaves_its_condition_true_waits_until_it_was_false(simulate: Simulate) -> None:
    sim = simulate(**FINE)

    class Counted(Swing):
        @ev.when(lambda self: self.x >= 0.5)
        def high(self) -> None:
            self.log.append(round(self.sim.time, 7))

    swing = Counted(sim).start()
    sim.run(until=3 * pi)
    assert swing.log == [round(asin(0.5), 7), round(asin(0.5) + 2 * pi, 7)]


def test_what_touches_its_level_exactly_happens_once(simulate: Simulate) -> None:
    """A parabola that touches 1 at t = 1, on a float that steps reach exactly."""
    sim = simulate(dt_max=0.25)
    sim.method = ev.methods.RK4
    log: list[Any] = []

    class Thrown(ev.Continuous):
        x: ev.State = ev.state(0.0)
        v: ev.State = ev.state(2.0)

        def equations(self) -> None:
            self.rate.x = self.v
            self.rate.v = -2.0

        @ev.when(lambda self: self.x >= 1.0)
        def touch(self) -> None:
            log.append((self.sim.time, self.x, self.v))

    Thrown(sim).start()
    sim.run(until=2.0)
    # So near to its top it is 1 to the last bit: (t - 1)**2 is less than half a float.
    assert log == [(pytest.approx(1.0, abs=2e-8), 1.0, pytest.approx(0.0, abs=4e-8))]


def test_conditions_on_rates_sums_and_computed_values(simulate: Simulate) -> None:
    sim = simulate(**FINE)
    log: list[Any] = []

    class Measured(Swing):
        power: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = self.y
            self.rate.y = -self.x
            self.power = self.x * self.y

        @ev.when(lambda self: self.rate.x <= 0.5)
        def slow(self) -> None:
            log.append(("rate", round(self.sim.time, 7)))

        @ev.when(lambda self: self.power >= 0.25)
        def strong(self) -> None:
            log.append(("power", round(self.sim.time, 7)))

    Measured(sim).start()
    sim.run(until=2.0)
    assert log == [("power", round(pi / 12, 7)), ("rate", round(pi / 3, 7))]


@pytest.mark.row("R-145")
def test_an_event_in_the_last_step_before_a_time_event_is_found(simulate: Simulate) -> None:
    sim = simulate(**FINE)
    swing = Swing(sim).start()
    log: list[Any] = []

    def watcher() -> ev.ProcessGenerator:
        yield ev.until(lambda: swing.x >= 0.5)
        log.append(("state", round(sim.time, 7)))

    def clock() -> ev.ProcessGenerator:
        yield ev.hold(nextafter(asin(0.5), 1.0) + 1e-7)
        log.append(("time", round(sim.time, 6)))

    sim.process(watcher())
    sim.process(clock())
    sim.run(until=1.0)
    assert log == [("state", round(asin(0.5), 7)), ("time", round(asin(0.5), 6))]


COMPARISONS: dict[str, tuple[Callable[[Any], bool], bool]] = {
    "<": (lambda swing: swing.x < 0.5, False),
    "<=": (lambda swing: swing.x <= 0.5, True),
    ">": (lambda swing: swing.x > 0.5, False),
    ">=": (lambda swing: swing.x >= 0.5, True),
    "==": (lambda swing: swing.x == 0.5, True),
    "!=": (lambda swing: swing.x != 0.5, False),
    "between": (lambda swing: 0.5 <= swing.x < 0.6, True),
    "not": (lambda swing: not swing.x > 0.5, True),
}


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_on_the_level_itself_each_comparison_is_what_python_says(simulate: Simulate, comparison: str) -> None:
    sim = simulate()
    swing = Swing(sim)
    test, holds = COMPARISONS[comparison]
    log: list[float] = []

    def watcher() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        swing.x = 0.5
        yield ev.until(lambda: test(swing))
        log.append(sim.time)

    sim.process(watcher())
    sim.run(until=2.0)
    assert log == ([1.0] if holds else [])


class Turning(ev.Continuous):
    """A wheel that is counted; its states are those of the point at which an event was found, not of its float."""

    x: ev.State = ev.state(0.0)
    speed: float = 0.0
    turns: int = 0
    worst: float = 0.0
    since: float = 0.0

    def equations(self) -> None:
        self.rate.x = self.speed

    @ev.when(lambda self: self.x >= 1.0)
    def turn(self) -> None:
        self.x -= 1.0
        self.turns += 1
        exact = Fraction(self.speed) * (Fraction(self.sim.time) - Fraction(self.since))
        self.worst = max(self.worst, abs(float(Fraction(self.x) + self.turns - exact)))


@pytest.mark.parametrize("start", [1e3, 1e6])
def test_what_the_clock_rounds_at_events_does_not_sum_up(start: float, simulate: Simulate) -> None:
    """Each of many events in a short time lost up to half a spacing of the clock: seven in 100 events at 1e6."""
    sim = simulate()
    wheel = Turning(sim, since=start).start()

    def begin() -> ev.ProcessGenerator:
        yield ev.hold(start)
        wheel.speed = 1e5

    sim.process(begin())
    sim.run(until=start + 100.5 / 1e5)
    assert wheel.turns == 100
    assert wheel.worst <= 1e5 * ulp(start)
