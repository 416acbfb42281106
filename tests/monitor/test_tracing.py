"""Handlers and processes run where a debugger, a coverage tool or a profiler sees them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev


class Sawtooth(ev.Continuous):
    x: ev.State = ev.state(0.0)
    n: int = 0

    def equations(self) -> None:
        self.rate.x = 1.0


class Handled(Sawtooth):
    @ev.when(lambda self: self.x >= 1.0)
    def step_down(self) -> None:
        self.x -= 1.0
        self.n += 1


def story(tooth: Sawtooth) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: tooth.x >= 1.0)
        tooth.x -= 1.0
        tooth.n += 1


def native_run(sim: ev.Simulation, tooth: Sawtooth) -> None:
    """Forty teeth, after which the handler or process is native code."""
    sim.run(until=40.5)
    tooth.x, tooth.n = 0.5, 0


@pytest.mark.parametrize("follow", [sys.settrace, sys.setprofile])
@pytest.mark.parametrize("is_process", [False, True])
def test_who_follows_the_code_sees_each_event(follow: Callable[[Any], None], is_process: bool) -> None:
    code = story.__code__ if is_process else Handled.step_down.__code__
    calls = 0

    def count(frame: Any, what: str, _: Any) -> None:
        nonlocal calls
        seen = frame.f_code  # of a process that was a row it is that of its twin
        calls += what == "call" and (seen.co_filename, seen.co_name) == (code.co_filename, code.co_name)

    sim = ev.Simulation()
    tooth = Sawtooth(sim) if is_process else Handled(sim)
    tooth.start()
    if is_process:
        sim.process(story(tooth))
    native_run(sim, tooth)
    before = sys.gettrace() if follow is sys.settrace else sys.getprofile()
    follow(count)
    try:
        sim.run(until=50.25)
    finally:
        follow(before)
    assert (tooth.n, calls) == (10, 10)
    sim.run(until=60.25)
    assert (tooth.n, calls) == (20, 10)


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="sys.monitoring came with Python 3.12")
def test_a_tool_of_sys_monitoring_sees_each_event() -> None:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined]  # not there in 3.11
    tool, seen = monitoring.PROFILER_ID, []
    sim = ev.Simulation()
    tooth = Handled(sim).start()
    native_run(sim, tooth)
    monitoring.use_tool_id(tool, "test")
    try:
        monitoring.register_callback(tool, monitoring.events.PY_START, lambda code, _: seen.append(code))
        monitoring.set_events(tool, monitoring.events.PY_START)
        sim.run(until=50.25)
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, monitoring.events.PY_START, None)
        monitoring.free_tool_id(tool)
    assert seen.count(Handled.step_down.__code__) == 10


def test_a_model_that_is_traced_from_before_its_first_component_moves() -> None:
    sim, told = ev.Simulation(), []
    sim.trace = told.append
    tooth = Handled(sim, name="tooth").start()
    sim.run(until=2.5)
    assert (round(tooth.x, 12), tooth.n) == (0.5, 2)
    assert [(round(one.time, 12), one.why) for one in told] == [(1.0, "condition true"), (2.0, "condition true")]
