"""Solution methods over an interval: fixed steps, steps to a tolerance, sampling periods in inner steps."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import cos, exp, nan, sin

import numpy as np
import pytest

import eventide as ev
from eventide.methods import (
    BOGACKI_SHAMPINE,
    DORMAND_PRINCE,
    EULER,
    GAUSS_2,
    IMPLICIT_EULER,
    RK4,
    RK43,
    Adaptive,
    Explicit,
    Implicit,
    Multiscale,
    OneStep,
    SolutionMethod,
    solution_method,
    solve,
)


def wave(t: float, y: np.ndarray) -> np.ndarray:
    return y * cos(t)


def test_fixed_steps_are_those_of_solve() -> None:
    times, states = Explicit(RK4, 0.3).solve(wave, 0.5, 1.0, 1.45)
    expected = solve(RK4, wave, 0.5, 1.0, 1.45, 0.3)
    assert (times.tolist(), states.tolist()) == (expected[0].tolist(), expected[1].tolist())
    implicit = Implicit(GAUSS_2, 0.3, {"solver": "newton"}).solve(wave, 0.5, 1.0, 1.45)
    assert implicit.end[0] == pytest.approx(exp(sin(1.45) - sin(0.5)), abs=1e-4)


# --- to a tolerance --------------------------------------------------------------------------------------------------


@pytest.mark.row("R-261")
@pytest.mark.parametrize("pair", [RK43, DORMAND_PRINCE, BOGACKI_SHAMPINE], ids=str)
def test_the_next_step_is_that_of_the_formula(pair: ev.methods.Method) -> None:
    # For y' = -y a step is a number: both solutions and the error are known without the driver.
    h, tolerance = 0.5, 0.02
    weights = [float(b) for b in pair.tableau.error]
    rates = []
    for row in pair.matrix:
        rates.append(-1.0 - h * sum(float(a) * k for a, k in zip(row, rates, strict=False)))
    end = 1.0 + h * sum(float(b) * k for b, k in zip(pair.weights, rates, strict=True))
    error = abs(h * sum(e * k for e, k in zip(weights, [*rates, -end], strict=False)))
    assert error < tolerance
    times, states = Adaptive(pair, tolerance, first=h).solve(lambda t, y: -y, 0.0, 1.0, 5.0)
    expected = h * min(max(0.9 * (tolerance / error) ** (1.0 / (pair.error_order + 1)), 0.2), 5.0)
    assert states[1, 0] == pytest.approx(end, rel=1e-15)
    assert times[2] - times[1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.row("R-262")
def test_a_failed_step_is_repeated_and_the_end_is_met_to_the_bit() -> None:
    asked: list[float] = []

    def law(t: float, y: np.ndarray) -> np.ndarray:
        asked.append(t)
        return -50.0 * (y - cos(t))

    times, states = Adaptive(DORMAND_PRINCE, 1e-8).solve(law, 0.0, 0.0, 1.1)
    assert times[0] == 0.0
    assert times[-1] == 1.1
    assert all(before < after for before, after in pairwise(times))
    # Seven evaluations an attempt; the first is the whole interval and fails.
    assert len(asked) % 7 == 0
    assert len(asked) // 7 > len(times) - 1
    assert asked[0] == 0.0
    assert max(asked) == 1.1
    exact = 2500.0 / 2501.0 * (cos(1.1) + sin(1.1) / 50.0) - 2500.0 / 2501.0 * exp(-55.0)
    assert states[-1, 0] == pytest.approx(exact, abs=1e-7)


@pytest.mark.row("R-262")
def test_the_end_is_met_to_the_bit() -> None:
    start, end = -1.35, 2.87
    assert start + (end - start) != end
    assert Adaptive(RK43, 1.0).solve(lambda t, y: np.ones(1), start, 0.0, end).times.tolist() == [start, end]


@pytest.mark.row("R-262")
def test_a_step_that_leaves_where_the_law_is_defined_is_repeated() -> None:
    def law(t: float, y: np.ndarray) -> np.ndarray:
        return -y if y[0] > 0.3 else np.array([nan])

    assert Adaptive(DORMAND_PRINCE, 1e-9).solve(law, 0.0, 1.0, 1.0).end[0] == pytest.approx(exp(-1.0), abs=1e-7)


@pytest.mark.row("R-262")
def test_the_solution_of_higher_order_goes_on() -> None:
    def error(tolerance: float) -> float:
        return abs(Adaptive(RK43, tolerance, first=0.1).solve(wave, 0.0, 1.0, 2.0).end[0] - exp(sin(2.0)))

    lower, steps = [], Adaptive(RK43, 1e-6, first=0.1).solve(wave, 0.0, 1.0, 2.0).times
    y = 1.0
    for here, there in pairwise(steps):
        h = there - here
        k = [y * cos(here)]
        for c in (0.5, 0.5, 1.0):
            k.append((y + c * h * k[-1]) * cos(here + c * h))
        y += h * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]) / 6.0
        lower.append(y)
    assert abs(lower[-1] - exp(sin(2.0))) == pytest.approx(error(1e-6), rel=1e-6)


@pytest.mark.row("R-262")
def test_no_error_is_no_division_and_no_number_is_refused() -> None:
    times, _ = Adaptive(DORMAND_PRINCE, 1e-6, first=0.01).solve(lambda t, y: np.ones(1), 0.0, 0.0, 1.0)
    lengths = np.diff(times)
    assert lengths[1:3] == pytest.approx([0.05, 0.25])
    with pytest.raises(ev.ModelError, match=r"needs a step of .* at time 0.0 .*the least that is allowed is 0.0"):
        Adaptive(DORMAND_PRINCE, 1e-6).solve(lambda t, y: np.array([nan]), 0.0, 0.0, 1.0)
    with pytest.raises(ev.ModelError, match=r"needs a step of 0\.000\d+ .*least that is allowed is 0\.001"):
        Adaptive(DORMAND_PRINCE, 1e-6, least=1e-3).solve(lambda t, y: y * y, 0.0, 1.0, 2.0)


def test_what_is_no_method_is_refused() -> None:
    with pytest.raises(
        ev.ModelError, match=r"a method is one of ev.methods, as ev.methods.DORMAND_PRINCE, and got 1e-10"
    ):
        Adaptive(1e-10)  # type: ignore[arg-type]


def test_what_is_no_pair_or_no_number_is_refused() -> None:
    with pytest.raises(ev.ModelError, match="no embedded solution"):
        Adaptive(RK4, 1e-6)
    with pytest.raises(ev.ModelError, match=r"a tolerance of 0.0"):
        Adaptive(DORMAND_PRINCE, 0.0)
    with pytest.raises(ev.ModelError, match=r"a safety factor of 1.5"):
        Adaptive(DORMAND_PRINCE, 1e-6, safety=1.5)
    with pytest.raises(ev.ModelError, match=r"steps of 0\.0"):
        Explicit(RK4, 0.0)
    with pytest.raises(ev.ModelError, match="no explicit tableau"):
        Explicit(IMPLICIT_EULER, 0.1)
    with pytest.raises(ev.ModelError, match="the end is finite and not before"):
        Adaptive(DORMAND_PRINCE, 1e-6).solve(wave, 1.0, 1.0, 0.0)


# --- one entry, and the classes --------------------------------------------------------------------------------------


@pytest.mark.row("R-263", "R-266")
def test_one_entry_serves_explicit_implicit_and_adaptive_methods() -> None:
    kinds = {
        Explicit: solution_method(RK4, step=0.01),
        Implicit: solution_method(GAUSS_2, step=0.01, solver="newton"),
        Adaptive: solution_method(DORMAND_PRINCE, tolerance=1e-10, safety=0.8),
    }
    for kind, method in kinds.items():
        assert type(method) is kind
        assert isinstance(method, OneStep)
        assert isinstance(method, SolutionMethod)
        assert method.solve(wave, 0.0, 1.0, 2.0).end[0] == pytest.approx(exp(sin(2.0)), abs=1e-8)
        assert method.step(wave, 0.0, 1.0, 0.01)[0] == pytest.approx(exp(sin(0.01)), abs=1e-10)
    assert not issubclass(Multiscale, OneStep)
    assert issubclass(Multiscale, SolutionMethod)
    with pytest.raises(ev.ModelError, match=r"takes step= or tolerance=, one of them"):
        solution_method(DORMAND_PRINCE)


# --- sampling periods ------------------------------------------------------------------------------------------------


@pytest.mark.row("R-264")
@pytest.mark.parametrize("period", [0.1, 0.3, Fraction(1, 3), 0.7])
@pytest.mark.parametrize("parts", [1, 3, 7])
def test_the_coarse_grid_lies_in_the_fine_one(period: float | Fraction, parts: int) -> None:
    grid = Multiscale(RK4, period, parts)
    fine, coarse = grid.grid(0.5, 40), Multiscale(RK4, period, 1).grid(0.5, 40)
    assert len(fine) == 40 * parts + 1
    assert fine[::parts] == coarse
    assert grid.length == pytest.approx(float(period) / parts, rel=1e-15)


@pytest.mark.row("R-264")
def test_so_many_intervals_are_so_many_and_end_on_time() -> None:
    asked: list[float] = []

    def law(t: float, y: np.ndarray) -> np.ndarray:
        asked.append(t)
        return wave(t, y)

    times, states = Multiscale(RK4, 0.1, 5).over(law, 0.0, 1.0, 20)
    assert len(times) == 20 * 5 + 1
    assert len(asked) == 20 * 5 * 4
    assert times[-1] == 2.0
    assert states[-1, 0] == pytest.approx(exp(sin(2.0)), abs=1e-8)
    # The same where the end is told, as 2.0 / 0.1 is 20 but for rounding.
    assert Multiscale(RK4, 0.1, 5).solve(wave, 0.0, 1.0, 2.0).times.tolist() == times.tolist()


@pytest.mark.row("R-264")
def test_an_interval_in_part_is_kept() -> None:
    times = Multiscale(RK4, 0.1, 5).solve(wave, 0.0, 1.0, 0.25).times
    assert len(times) == 5 * 2 + 2 + 2
    assert times[-3:].tolist() == pytest.approx([0.22, 0.24, 0.25])
    assert times[-1] == 0.25
    assert Multiscale(RK4, 0.1).solve(wave, 1.0, 1.0, 1.0).times.tolist() == [1.0]


@pytest.mark.row("R-264")
def test_the_method_changes_from_interval_to_interval() -> None:
    chosen: list[tuple[int, float]] = []

    def choose(interval: int, time: float, state: np.ndarray) -> object:
        chosen.append((interval, time))
        return (EULER, RK4, Adaptive(DORMAND_PRINCE, 1e-9))[interval % 3]

    times, states = Multiscale(choose, 0.5, 2).solve(wave, 0.0, 1.0, 1.5)
    assert chosen == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert {0.0, 0.25, 0.5, 0.75, 1.0, 1.5} <= set(times.tolist())
    y = solve(EULER, wave, 0.0, 1.0, 0.5, 0.25)[1][-1]
    y = solve(RK4, wave, 0.5, y, 1.0, 0.25)[1][-1]
    y = Adaptive(DORMAND_PRINCE, 1e-9).solve(wave, 1.0, y, 1.5).end
    assert states[-1].tolist() == y.tolist()


def test_what_divides_no_period_is_refused() -> None:
    with pytest.raises(ev.ModelError, match="a period is a positive number"):
        Multiscale(RK4, 0.0)
    with pytest.raises(ev.ModelError, match="a period in 0 parts"):
        Multiscale(RK4, 0.1, 0)
