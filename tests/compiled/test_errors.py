"""Errors of arithmetic in laws: native code meets them where Python does, and Python's own error goes up."""

from __future__ import annotations

import math
import sys
import traceback
from operator import truediv
from typing import Any

import numpy as np
import pytest
from wording import wording, wording_of

import eventide as ev
from eventide.lowering import lower_law

MODES = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]
FORMULAS = {
    "quotient": (lambda t: 1.0 / (t - 0.5), ZeroDivisionError),
    "whole quotient": (lambda t: 1.0 // (t - 0.5), ZeroDivisionError),
    "remainder": (lambda t: 1.0 % (t - 0.5), ZeroDivisionError),
    "negative power": (lambda t: (t - 0.5) ** -2, ZeroDivisionError),
}
RANGES = {
    "root": (lambda t: math.sqrt(0.5 - t), ValueError),
    "logarithm": (lambda t: math.log(0.5 - t), ValueError),
    "arc": (lambda t: math.acos(0.5 + t), ValueError),
    "greatest of nothing": (lambda t: max(value for value in TABLE if value < 3.0 - 4.0 * t), ValueError),
    "overflow": (lambda t: math.exp(2000.0 * t - 290.3), OverflowError),
    "square in a divisor": (lambda t: 1.0 / (1e154 * (LARGEST + t - 0.5)) ** 2, OverflowError),
    "cube that is compared": (lambda t: 2.0 if (1e102 * (5.6438 + t - 0.5)) ** 3 > 1.0 else 3.0, OverflowError),
    "sum of squares in a function": (lambda t: math.atan((1e154 * (LARGEST + t - 0.5)) ** 2 + 1.0), OverflowError),
    "whole number": (lambda t: int(1e300 * (1e10 ** (t - 0.5) > 1.0) * 1e300), OverflowError),
    "item": (lambda t: (0.0, 1.0, 2.0)[int(6.0 * t)], IndexError),
}
TABLE = [1.0, 2.0, 3.0]
LARGEST = math.sqrt(sys.float_info.max) / 1e154
"""The largest number that can be squared, in that unit."""


class Watched(ev.Continuous):
    """A state that goes on, and a computed value that nobody uses."""

    locate_branches = False  # a comparison whose outcome is held is not evaluated at every stage

    formula: Any
    x: ev.State = ev.state(0.0)
    q: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.x = 1.0
        self.q = self.formula(self.sim.time)


def stopped(compiled: Any, formula: Any, *, at: float | None = None) -> tuple[BaseException, float]:
    """What a run raises, and when."""
    sim = ev.Simulation(compile=compiled, dt_max=0.0625)
    Watched(sim, name="watched", formula=formula).start()
    if at is not None:
        sim.process(timer(at))
    with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is compared by the caller
        sim.run(until=1.0)
    return caught.value, sim.time


def timer(at: float) -> ev.ProcessGenerator:
    yield ev.hold(at)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("name", FORMULAS)
def test_a_pole_at_the_end_of_a_step_is_met_in_a_computed_value_that_nobody_uses(compiled: bool, name: str) -> None:
    formula, kind = FORMULAS[name]
    error, time = stopped(compiled, formula)
    assert type(error) is kind
    assert time == pytest.approx(0.5, abs=1e-9)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("name", [name for name in RANGES if name != "item"])
def test_the_end_of_a_functions_range_is_met(compiled: bool, name: str) -> None:
    formula, kind = RANGES[name]
    error, time = stopped(compiled, formula)
    assert type(error) is kind
    assert time == pytest.approx(0.5, abs=1e-3)


class Falling(ev.Continuous):
    """Its rates alone are set, and fall with the square of what grows."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = 1.0 / (1e154 * (LARGEST + self.y - 0.5)) ** 2
        self.rate.y = 1.0


class FallingShare(Falling):
    """The same, as a share of an item of an array: numpy divides without an error, and so without a test."""

    weights: ev.ComputedVector = ev.computed_vector(size=1)

    def equations(self) -> None:
        self.rate.x = self.weights[0] / (1e154 * (LARGEST + self.y - 0.5)) ** 2
        self.rate.y = 1.0


class Polynomial(ev.Continuous):
    x: ev.State = ev.state(2.0)
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = (1.0 - self.x**2) * self.y / 4.0 - self.x**3


class Squared(ev.Continuous):
    y: ev.State = ev.state(0.0)
    square: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.y = 1.0
        self.square = (1e154 * (LARGEST + self.y - 0.5)) ** 2


class Cautious(ev.Continuous):
    """Squares only what can be squared."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        size = 1e154 * (LARGEST + self.sim.time - 0.5)
        is_small = size < 1e154 * LARGEST * 0.75 and size**2 > 1e306
        self.rate.x = 1.0 / size**2 if is_small else 1.0 / size


@pytest.mark.parametrize("kind", [Falling, FallingShare])
@pytest.mark.parametrize("compiled", MODES)
def test_a_power_that_is_too_large_is_met_where_the_rate_would_hide_it(compiled: bool, kind: type[Falling]) -> None:
    sim = ev.Simulation(compile=compiled, dt_max=0.0625)
    kind(sim, y=0.0).start()
    with pytest.raises(OverflowError) as caught:
        sim.run(until=1.0)
    assert sim.time == pytest.approx(0.5, abs=1e-3)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert any(line is not None and "(LARGEST + self.y - 0.5)) ** 2" in line for line in lines)


@pytest.mark.parametrize("compiled", MODES)
def test_a_power_that_python_does_not_reach_is_no_error(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled, dt_max=0.0625)
    cautious = Cautious(sim).start()
    sim.run(until=1.0)
    assert (sim.report().steps, sim.report().refused, sim.report().switches) == (17, 0, 1)
    assert cautious.x == pytest.approx(0.0, abs=1e-150)


@pytest.mark.parametrize("compiled", MODES)
def test_a_power_that_is_too_large_is_met_where_another_law_would_hide_it(compiled: bool) -> None:
    class Inverse(ev.Continuous):
        squared: Squared
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0 / self.squared.square

    sim = ev.Simulation(compile=compiled, dt_max=0.0625)
    Inverse(sim, squared=Squared(sim).start()).start()
    with pytest.raises(OverflowError):
        sim.run(until=1.0)
    assert sim.time == pytest.approx(0.5, abs=1e-3)


def test_sums_and_products_are_not_watched_for_powers_that_are_too_large() -> None:
    # They would not be finite themselves, which is seen in any case.
    sim = ev.Simulation()
    watched, free = lower_law(Falling(sim), Falling.equations), lower_law(Polynomial(sim), Polynomial.equations)
    assert (watched.raises, free.raises) == (True, False)
    Polynomial(sim, x=1e200).start()
    with pytest.raises(OverflowError):
        sim.run(until=1.0)


def test_the_error_is_pythons_own_at_the_users_line() -> None:
    error, _ = stopped(True, FORMULAS["quotient"][0])
    assert wording(error) == wording_of(truediv, 1.0, 0.0)
    lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
    assert any(line is not None and "1.0 / (t - 0.5)" in line for line in lines)
    assert any("in the equations of watched" in note for note in error.__notes__)


@pytest.mark.parametrize("compiled", MODES)
def test_an_item_beyond_a_table_is_met(compiled: bool) -> None:
    class Look(ev.Continuous):
        x: ev.State = ev.state(0.0)
        q: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = 1.0
            self.q = TABLE[int(4.0 * self.x)]

    sim = ev.Simulation(compile=compiled, dt_max=0.125)
    Look(sim).start()
    with pytest.raises(IndexError):
        sim.run(until=2.0)
    assert sim.time == pytest.approx(0.75, rel=1e-15)  # where the whole number becomes one beyond the table


@pytest.mark.parametrize("compiled", MODES)
def test_what_is_not_finite_on_purpose_is_no_error(compiled: bool) -> None:
    class Still(ev.Continuous):
        x: ev.State = ev.state(1.0)
        q: ev.Computed = ev.computed()
        r: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = -self.x
            self.q = math.inf if self.x > 0.5 else math.nan
            self.r = 1.0 / self.x if self.x > 10.0 else self.q - self.q + math.exp(self.q) + math.sqrt(self.q)

    sim = ev.Simulation(compile=compiled)
    still = Still(sim).start()
    sim.run(until=2.0)
    assert still.x == pytest.approx(math.exp(-2.0), rel=1e-5)
    assert math.isnan(still.q)


@pytest.mark.parametrize("compiled", MODES)
def test_a_law_without_states_spoils_a_rate_that_it_writes(compiled: bool) -> None:
    class Body(ev.Continuous):
        x: ev.State = ev.state(0.0)

    class Push(ev.Continuous):
        body: Body
        q: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.q = 1.0 / (self.sim.time - 0.5)
            self.body.rate.x = 1.0

    sim = ev.Simulation(compile=compiled, dt_max=0.0625)
    Push(sim, body=Body(sim).start()).start()
    with pytest.raises(ZeroDivisionError):
        sim.run(until=1.0)
    assert sim.time == pytest.approx(0.5, abs=1e-9)


NOTHING = np.float64(0.0)


@pytest.mark.parametrize("compiled", MODES)
def test_numpys_numbers_divide_by_zero_and_python_goes_on(compiled: bool) -> None:
    class Plain:
        def __init__(self) -> None:
            self.none = np.float64(0.0)

    class Odd(ev.Continuous):
        plain: Any
        x: ev.State = ev.state(1.0)
        u: ev.StateVector = ev.state_vector([0.0, 1.0], size=2)
        q: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = -self.x
            self.q = 1.0 / self.plain.none + 1.0 / NOTHING + 1.0 / self.u[0] + 1.0 // self.u[0]

    sim = ev.Simulation(compile=compiled)
    odd = Odd(sim, plain=Plain()).start()
    sim.run(until=1.0)
    assert odd.x == pytest.approx(math.exp(-1.0), rel=1e-5)
    assert odd.q == math.inf


ONE = np.float64(1.0)
BY_ZERO = {
    "divide": lambda x, k: np.divide(x + 1.0, k),
    "whole": lambda x, k: np.divide(1, k) + np.true_divide(x, 2),
    "folded": lambda x, k: ONE * 2.0 / k + x,
    "overflow": lambda x, k: np.multiply(1e300 * (x + 1.0), 1e300) + k,
    "negative": lambda x, k: 1.0 / np.negative(k) - x,
}


@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("name", BY_ZERO)
def test_functions_and_numbers_of_numpy_divide_by_zero(compiled: bool, name: str) -> None:
    formula = BY_ZERO[name]

    class Divided(ev.Continuous):
        x: ev.State = ev.state(1.0)
        k: float = 0.0
        q: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.q = formula(self.x, self.k)
            self.rate.x = -self.x

    sim = ev.Simulation(rng=1, compile=compiled)
    divided = Divided(sim).start()
    sim.run(until=0.5)
    assert divided.q == (-math.inf if name == "negative" else math.inf)
