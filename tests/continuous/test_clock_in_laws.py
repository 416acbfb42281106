"""A law that compares the time where that is not located is warned of: a step may pass over a short pulse."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import eventide as ev


def inflow(t):
    return 1000.0 if 3.0 <= t < 3.001 else 0.0


def inflow_in_a_loop(t):
    for begin in (3.0, 6.0):
        if begin <= t < begin + 0.001:
            return 1000.0
    return 0.0


def twice(hour, factor=2.0):
    return factor * inflow(t=hour)


def twice_by_all(*hours):
    return 2.0 * inflow(hours[0])


def smooth(t):
    return 2.0 * t


class Pulsed(ev.Continuous):
    y: ev.State = ev.state(0.0)
    table: Any = None

    def push(self):
        return 1000.0 if 3.0 <= self.sim.time < 3.001 else 0.0


class ByFunction(Pulsed):
    def equations(self):
        self.rate.y = inflow(self.sim.time)


class ByTwo(Pulsed):
    def equations(self):
        now = self.sim.time
        self.rate.y = twice(now)


class ByMethod(Pulsed):
    def equations(self):
        self.rate.y = self.push()


class ByFunctionInALoop(Pulsed):
    def equations(self):
        self.rate.y = 0.0
        for _ in range(1):
            self.rate.y = inflow(self.sim.time)


class ByMethodInALoop(Pulsed):
    def equations(self):
        for _ in range(1):
            self.rate.y = self.push()


class ByLoop(Pulsed):
    def equations(self):
        self.rate.y = inflow_in_a_loop(self.sim.time)


class ByAll(Pulsed):
    def equations(self):
        now = self.sim.time
        self.rate.y = twice_by_all(now)


class InALoop(Pulsed):
    def equations(self):
        self.rate.y = 0.0
        for begin in (3.0, 6.0):
            if begin <= self.sim.time < begin + 0.001:
                self.rate.y = 1000.0


IN_A_LOOP = "it is in a loop"


@pytest.mark.parametrize(
    ("kind", "text", "why", "line", "where"),
    [
        (ByFunctionInALoop, "inflow(self.sim.time)", IN_A_LOOP, 3, None),
        (ByMethodInALoop, "self.push()", IN_A_LOOP, 2, None),
        (ByAll, "twice_by_all(now)", "arguments are followed one by one, without * and **", 2, None),
        (ByLoop, "begin <= t < begin + 0.001", IN_A_LOOP, 2, inflow_in_a_loop),
        (InALoop, "begin <= self.sim.time < begin + 0.001", IN_A_LOOP, 3, None),
    ],
)
def test_it_is_told_once_at_its_line_with_what_to_write(kind, text, why, line, where):
    first = (where or kind.equations).__code__.co_firstlineno
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kind(ev.Simulation()).start()
        kind(ev.Simulation()).start()
    told = (
        f"`{text}` in {kind.__name__}.equations compares the time where that is not located ({why}): a step may pass "
        "over what it switches on and off. Compare sim.time in the equations themselves, take an input, as ev.inputs."
        "Pulse, or let an @ev.every handler or a process set a field; if nothing jumps there, write smooth_laws = True "
        "in the class"
    )
    assert [(one.category, str(one.message), one.filename, one.lineno) for one in caught] == [
        (ev.SwitchWarning, told, __file__, first + line)
    ]


@pytest.mark.slow
def test_what_is_located_smooth_or_said_to_be_so_is_not_told():
    class Located(Pulsed):
        def equations(self):
            now = self.sim.time
            self.rate.y = 1000.0 if 3.0 <= now < 3.001 else 0.0

    class Smooth(Pulsed):
        def equations(self):
            self.rate.y = smooth(self.sim.time)

    class Said(Pulsed):
        smooth_laws = True

        def equations(self):
            self.rate.y = inflow_in_a_loop(self.sim.time)

    class OfAState(Pulsed):
        def equations(self):
            self.rate.y = inflow_in_a_loop(self.y)

    for kind in (Located, Smooth, Said, OfAState, ByFunction, ByTwo, ByMethod):
        sim = ev.Simulation()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            one = kind(sim).start()
        sim.run(until=5.0)
        assert one.y == pytest.approx({Smooth: 25.0, Said: 0.0, OfAState: 0.0, ByTwo: 2.0}.get(kind, 1.0))
