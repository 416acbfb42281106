"""What one state event costs, in calls: of Python functions of this library, and of the native stepper."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import BuiltinFunctionType, FrameType
from typing import Any

import pytest
import random_bodies

import eventide as ev
from eventide.compilation.code_facts import CodeFacts
from eventide.continuous.guards import native_handlers
from eventide.continuous.integrator import Integrator
from eventide.migration import assumptions, row_migration
from eventide.monitor import monitor

LIBRARY = str(Path(ev.__file__).parent)
EVENTS = 40


class Tank(ev.Continuous):
    """A level that rises or falls; a process or its own handlers turn it round."""

    level: ev.State = ev.state(0.0)
    rate_of_change: float = 1.0
    turns: int = 0

    def equations(self) -> None:
        self.rate.level = self.rate_of_change


class Turning(Tank):
    """Its handlers look at what native code does not know."""

    @ev.when(lambda self: self.level >= 1.0)
    def full(self) -> None:
        self.rate_of_change = -1.0
        self.turns += self.sim.current is not None

    @ev.when(lambda self: self.level <= 0.5)
    def low(self) -> None:
        self.rate_of_change = 1.0
        self.turns += self.sim.current is not None


class Swinging(Tank):
    """Its handlers are native code."""

    @ev.when(lambda self: self.level >= 1.0)
    def full(self) -> None:
        self.rate_of_change = -1.0
        self.turns += 1

    @ev.when(lambda self: self.level <= 0.5)
    def low(self) -> None:
        self.rate_of_change = 1.0
        self.turns += 1


def control(tank: Tank) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.rate_of_change = -1.0
        tank.turns += 1
        yield ev.until(lambda: tank.level <= 0.5)
        tank.rate_of_change = 1.0
        tank.turns += 1


class Gauge(Tank):
    """Waits by methods, and within other waits."""

    def is_full(self) -> bool:
        return self.level >= 1.0

    def is_low(self) -> bool:
        return self.level <= 0.5


def control_by_methods(gauge: Gauge) -> ev.ProcessGenerator:
    while True:
        yield ev.until(gauge.is_full)
        gauge.rate_of_change = -1.0
        gauge.turns += 1
        yield ev.until(gauge.is_low)
        gauge.rate_of_change = 1.0
        gauge.turns += 1


def control_by_crossings(gauge: Gauge) -> ev.ProcessGenerator:
    while True:
        yield ev.until(ev.crosses(lambda: gauge.level, 1.0, direction="up"))
        gauge.rate_of_change = -1.0
        gauge.turns += 1
        yield ev.until(ev.crosses(lambda: gauge.level, 0.5, direction="down"))
        gauge.rate_of_change = 1.0
        gauge.turns += 1


def control_in_time(gauge: Gauge) -> ev.ProcessGenerator:
    while True:
        outcome = yield ev.first_of(full=ev.until(lambda: gauge.level >= 1.0), late=ev.hold(100.0))
        assert outcome.name == "full"
        gauge.rate_of_change = -1.0
        gauge.turns += 1
        both = yield ev.all_of(low=ev.until(lambda: gauge.level <= 0.5), soon=ev.hold(0.25))
        assert both["low"] is True
        gauge.rate_of_change = 1.0
        gauge.turns += 1


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found out at its first event whether a handler is native code."""
    monkeypatch.setattr(native_handlers, "ENOUGH", 1)
    monkeypatch.setattr(monitor, "is_traced", lambda: False)  # calls are counted by a profiler


def calls_of(sim: ev.Simulation, tank: Tank) -> tuple[Counter[str], Counter[str]]:
    """Calls of functions of the library, and of the stepper's, while EVENTS events take place; warm."""
    sim.run(until=5.1)
    before = tank.turns
    python: Counter[str] = Counter()
    native: Counter[str] = Counter()

    def note(frame: FrameType, event: str, what: Any) -> None:
        code = frame.f_code
        if event == "call" and (code.co_filename.startswith(LIBRARY) or code.co_filename == "<string>"):
            python[code.co_qualname] += 1
        elif event == "c_call" and "_Definition" in what.__qualname__:
            native[what.__name__] += 1

    sys.setprofile(note)
    try:
        sim.run(until=5.1 + EVENTS / 2)
    finally:
        sys.setprofile(None)
    assert tank.turns - before == EVENTS
    return python, native


def test_a_state_event_of_a_process_costs_one_native_call_and_so_many_of_python() -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.process(control(tank))
    python, native = calls_of(sim, tank)
    assert native == {"proceed": EVENTS + 1}
    assert python["Until._execute"] == EVENTS
    assert sum(count // EVENTS for count in python.values()) <= 12


def test_a_state_event_of_a_process_that_is_a_row_costs_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)
    for room in (assumptions, row_migration):
        monkeypatch.setattr(room, "is_watched", lambda: False)
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.process(control(tank))
    python, native = calls_of(sim, tank)
    assert max(native.values()) == 1
    assert max(python.values()) < EVENTS
    assert random_bodies.taken(sim) > EVENTS


def test_a_state_event_of_a_handler_costs_one_native_call_and_so_many_of_python() -> None:
    sim = ev.Simulation()
    tank = Turning(sim).start()
    python, native = calls_of(sim, tank)
    assert native == {"proceed": EVENTS + 1}
    assert python["Trigger._resume"] == EVENTS
    assert sum(count // EVENTS for count in python.values()) <= 9


def test_a_state_event_of_a_handler_that_is_native_code_costs_no_call() -> None:
    sim = ev.Simulation()
    tank = Swinging(sim).start()
    python, native = calls_of(sim, tank)
    assert native == {"proceed": 1}
    assert sum(count // EVENTS for count in python.values()) == 0
    assert sim.monitor.integrator.native_handlers.handled == tank.turns - 2


def test_the_stepper_is_called_as_a_builtin_function() -> None:
    sim = ev.Simulation()
    assert isinstance(sim._continuum.integrator.engine.proceed, BuiltinFunctionType)
    assert not isinstance(ev.Simulation(compile=False)._continuum.integrator.engine.proceed, BuiltinFunctionType)


@pytest.mark.parametrize("story", [control, control_by_methods, control_by_crossings, control_in_time])
def test_who_waits_for_the_same_thing_again_takes_up_its_row(story: Any) -> None:
    sim = ev.Simulation()
    gauge = Gauge(sim).start()
    sim.process(story(gauge))
    sim.run(until=20.6)
    assert (gauge.turns, sim.report().certified, len(sim.monitor.integrator.guards.at)) == (40, 2, 2)


def test_a_row_that_is_in_use_is_not_taken_up() -> None:
    sim = ev.Simulation()
    one, other = Gauge(sim).start(), Gauge(sim, level=0.25).start()
    log = []

    def waiting() -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.all_of(other=ev.until(other.is_full), one=ev.until(one.is_full))
            log.append((sim.time, one.level, other.level))
            one.level = other.level = 0.0
            other.level = 0.5

    sim.process(waiting())
    sim.run(until=10.0)
    wanted = [(1.0, 1.0, 1.25), (2.0, 1.0, 1.5), (3.0, 1.0, 1.5)]
    assert [pytest.approx(row, abs=1e-9) for row in wanted] == log
    assert len(sim.monitor.integrator.guards.at) <= 2


def test_a_crossing_that_is_waited_for_again_is_armed_anew() -> None:
    sim = ev.Simulation()
    gauge = Gauge(sim).start()
    log = []

    def waiting() -> ev.ProcessGenerator:
        for level in (2.0, 0.0, 0.5):
            outcome = yield ev.first_of(up=ev.until(ev.crosses(lambda: gauge.level, 1.0)), late=ev.hold(0.75))
            log.append((outcome.name, sim.time))
            gauge.level = level

    sim.process(waiting())
    sim.run(until=10.0)
    assert log == [("late", 0.75), ("late", 1.5), ("late", 2.25)]
    assert sim.report().certified == 2


def test_crossings_of_two_numbers_by_one_process_are_told_apart() -> None:
    sim = ev.Simulation()
    one, other = Gauge(sim).start(), Gauge(sim, level=0.25).start()
    log = []

    def waiting() -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.until(ev.crosses(lambda: one.level, 1.0, direction="up"))
            one.level = 0.0
            log.append(sim.time)
            yield ev.until(ev.crosses(lambda: other.level, 1.5, direction="up"))
            other.level = 0.5
            log.append(sim.time)

    sim.process(waiting())
    sim.run(until=10.0)
    assert log == pytest.approx([1.0, 1.25, 2.0, 2.25, 3.0, 3.25], abs=1e-9)
    assert sim.report().certified == 2


class Tied(ev.Continuous):
    """Sets a state of a gauge, by assignment."""

    gauge: Any = None

    def equations(self) -> None:
        self.gauge.depth = 0.5 * self.gauge.level


class DeepGauge(Gauge):
    depth: ev.State = ev.state(0.0, assigned=True)


def test_a_row_that_rested_while_laws_began_to_assign_states_is_not_proved() -> None:
    sim = ev.Simulation()
    gauge = DeepGauge(sim).start()
    log = []

    def waiting() -> ev.ProcessGenerator:
        for number in range(3):
            yield ev.until(gauge.is_full)
            log.append((sim.time, gauge.depth))
            gauge.level = 0.0
            if number == 0:
                Tied(sim, gauge=gauge).start()
            yield ev.hold(0.5)

    sim.process(waiting())
    sim.run(until=10.0)
    assert log == [pytest.approx(row, abs=1e-9) for row in [(1.0, 0.0), (2.0, 0.5), (3.0, 0.5)]]
    assert (sim.report().certified, sim.report().unproved, len(sim.monitor.integrator.guards.at)) == (1, 0, 1)


class Ball(ev.Process, ev.Continuous):
    """Bounces, higher or lower than others."""

    height: ev.State
    velocity: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -10.0

    def run(self) -> ev.ProcessGenerator:
        self.start()
        while True:
            yield ev.until(lambda: self.height <= 0.0 and self.velocity < 0.0)
            self.velocity *= -0.9


@pytest.mark.slow
def test_an_event_costs_the_same_however_many_objects_there_are() -> None:
    lines_of(CodeFacts._write_out, 1)  # which the next simulation need not write again
    assert lines_of(CodeFacts._write_out, 200) == lines_of(CodeFacts._write_out, 100)
    forget: Any = Integrator.forget_what_was_seen
    assert lines_of(forget, 200) <= 2.2 * lines_of(forget, 100)


def lines_of(function: Any, count: int) -> int:
    """How many lines of a function are run until balls that are dropped have bounced some times."""
    lines = 0

    def count_lines(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if frame.f_code is not function.__code__:
            return None
        lines += event == "line"
        return count_lines

    sim = ev.Simulation()
    for number in range(count):
        Ball(sim, height=10.0 + number / count).activate()
    sys.settrace(count_lines)
    try:
        sim.run(until=8.0)
    finally:
        sys.settrace(None)
    return lines
