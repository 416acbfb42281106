"""Whole numbers that are held are found wherever they are, also where their condition runs in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import eventide as ev


class FarFromNull(ev.Continuous):
    """A whole number far from null, by a condition that Python alone tests."""

    x: ev.State = ev.state(0.0)
    offset: float
    names: list[str] = ev.field(default_factory=lambda: ["one"])

    def equations(self) -> None:
        hour = 0.0
        if self.names.index("one") == 0:
            hour = math.floor(self.sim.time + self.offset)
        self.rate.x = hour - self.offset


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("offset", [123456.0, -(2.0**31), 2.0**46])
def test_a_whole_number_is_found_however_far_it_is(offset: float, compiles: Any) -> None:
    tests = 0

    class Counted(list[str]):
        def index(self, *arguments: Any) -> int:
            nonlocal tests
            tests += 1
            return super().index(*arguments)

    sim = ev.Simulation(compile=compiles, abs_error=1e-9, rel_error=1e-9)
    one = FarFromNull(sim, offset=offset, names=Counted(["one"])).start()
    sim.run(until=4.5)
    assert sim.report().switches == 4
    assert one.x == pytest.approx(1.0 + 2.0 + 3.0 + 0.5 * 4.0, abs=1e-8 + 4.0 * math.ulp(offset))
    assert tests < 1500


class FromInfinity(ev.Continuous):
    """None is held at first: there is no whole number below minus infinity."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 2.0 ** np.floor(np.log2(self.sim.time))


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_number_that_was_infinite_is_held_when_it_is_not(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles, abs_error=1e-9, rel_error=1e-9)
    one = FromInfinity(sim).start()
    with np.errstate(divide="ignore"):
        sim.run(until=4.5)
    assert sim.report().switches >= 5
    assert one.x == pytest.approx(4.0**2 / 3.0 + 0.5 * 4.0, abs=1e-8)
