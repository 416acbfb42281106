"""Comparisons in laws that change very often: what advances is no chatter, and what hovers about its level is told."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import eventide as ev

METHODS = ["ENGLAND", "DOP853", "RADAU"]
BOTH = pytest.mark.parametrize("compiles", ["auto", pytest.param(False, marks=pytest.mark.slow)])


class Battery(ev.Continuous):
    """Full after a hundredth, and empty again each twentieth."""

    loss: float = 0.0
    charge: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.charge = 100.0 if self.charge < 1.0 else -self.loss

    @ev.every(0.05)
    def is_used(self) -> None:
        self.charge = 0.0


@BOTH
@pytest.mark.parametrize("method", METHODS)
def test_what_comes_to_rest_again_and_again_at_its_level_is_no_chatter(method: str, compiles: Any) -> None:
    sim = ev.Simulation(method=method, compile=compiles)
    battery = Battery(sim).start()
    sim.run(until=101.02)
    assert sim.report().switches == 2021
    assert battery.charge == pytest.approx(1.0, abs=1e-9)


def test_nor_is_what_hardly_moves_on_one_side_of_its_level() -> None:
    sim = ev.Simulation()
    Battery(sim, loss=1e-15).start()
    sim.run(until=101.02)
    assert sim.report().switches == 2021


class Carried(ev.Continuous):
    """Pulses whose width is a state; what they drive is at rest."""

    duty: ev.State = ev.state(0.25)
    gain: float = 0.0
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.duty = 0.0
        self.rate.x = self.gain * (1.0 if math.sin(1000.0 * self.sim.time) < self.duty else -1.0)


class Timed(Carried):
    def equations(self) -> None:
        self.rate.duty = 0.0
        self.rate.x = self.gain * (1.0 if math.sin(1000.0 * self.sim.time) < 0.25 else -1.0)


class Computed(Carried):
    width: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.width = self.duty + 0.125
        self.rate.duty = 0.0
        self.rate.x = self.gain * (1.0 if math.sin(1000.0 * self.sim.time) < self.width else -1.0)


class Wrapped(Carried):
    def equations(self) -> None:
        self.rate.duty = 0.0
        self.rate.x = self.gain * (1.0 if (1000.0 * self.sim.time) % (2.0 * math.pi) < self.duty else -1.0)


@BOTH
@pytest.mark.parametrize("cls", [Carried, Timed, Computed, Wrapped])
def test_pulses_that_drive_nothing_are_no_chatter(cls: Any, compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    cls(sim).start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(until=7.0)
    assert sim.report().switches > 2200


class Far(ev.Continuous):
    """Floats of the state are far apart, seen from the time: what rounding changes there takes a while."""

    x: ev.State = ev.state(1e6 + 0.25)

    def equations(self) -> None:
        self.rate.x = -1.0 if self.x > 1e6 else 1.0


class Scaled(Far):
    def equations(self) -> None:
        self.rate.x = -1.0 if 1e6 * self.x > 1e12 else 1.0


class Squared(Far):
    def equations(self) -> None:
        self.rate.x = -1.0 if self.x * self.x > 1e12 else 1.0


class Moving(Far):
    def equations(self) -> None:
        self.rate.x = -1.0 if 1e6 * self.x > 1e12 + 0.01 * self.sim.time else 1.0


class Item(Far):
    items: ev.StateVector = ev.state_vector(1e6 + 0.25, size=2)

    def equations(self) -> None:
        self.rate.x = self.rate.items[0] = 0.0
        self.rate.items[1] = -1.0 if self.items[1] > 1e6 else 1.0


class Added(Far):
    total: ev.Summed = ev.summed()

    def contributions(self) -> None:
        self.total += 2.0 * self.x

    def equations(self) -> None:
        self.rate.x = -1.0 if self.total > 2e6 else 1.0


@pytest.mark.slow
@pytest.mark.parametrize("cls", [Far, Scaled, Squared, Moving, Item, Added])
def test_a_comparison_that_rounding_changes_is_chatter_however_it_is_written(cls: Any) -> None:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12)
    cls(sim).start()
    with pytest.raises(ev.ModelError, match="the law chatters: "):
        sim.run(until=0.25001)


def flow(difference: float) -> float:
    return 0.3 * np.sign(difference) * math.sqrt(abs(difference))


class Tanks(ev.Continuous):
    """Three in a row: the levels meet in finite time, and what flows has a slope without bounds there."""

    first: ev.State = ev.state(2.0)
    second: ev.State = ev.state(1.0)
    third: ev.State = ev.state(0.5)

    def equations(self) -> None:
        one, other = flow(self.first - self.second), flow(self.second - self.third)
        self.rate.first, self.rate.second, self.rate.third = -one, one - other, other


@pytest.mark.slow
@pytest.mark.parametrize(("method", "end"), [("DOP853", 5.803), ("RADAU", 5.8148)])
def test_a_comparison_that_hovers_about_its_level_is_told_with_its_remedy(method: str, end: float) -> None:
    sim = ev.Simulation(method=method)
    tanks = Tanks(sim).start()
    with pytest.warns(
        ev.SwitchWarning, match=r"np\.sign\(difference\).* in Tanks 1.equations .*locate_branches = False"
    ) as told:
        sim.run(until=end)
    assert len(told) == 1
    assert tanks.first == pytest.approx(3.5 / 3.0, abs=1e-6)


def test_its_remedy_helps() -> None:
    class Smooth(Tanks):
        locate_branches = False

    sim = ev.Simulation(method="DOP853")
    tanks = Smooth(sim).start()
    sim.run(until=60.0)
    assert sim.monitor.steps < 20_000
    assert [tanks.first, tanks.second, tanks.third] == pytest.approx([3.5 / 3.0] * 3, abs=1e-5)
