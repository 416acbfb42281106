"""Stability functions against their closed forms, and how far methods are stable."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, isclose, sqrt

import numpy as np
import pytest
from methods.tableaux import TABLEAUX

from eventide.methods import StabilityFunction, one_step, row, stability_function

FUNCTIONS = {name: stability_function(tableau) for name, tableau in TABLEAUX.items()}
EXPLICIT = [name for name, tableau in TABLEAUX.items() if tableau.is_explicit]


@pytest.mark.parametrize("name", EXPLICIT)
def test_of_explicit_methods_it_is_a_polynomial_that_begins_as_the_exponential(name: str) -> None:
    function, tableau = FUNCTIONS[name], TABLEAUX[name]
    assert function.denominator == (1,)
    begin = [Fraction(1, factorial(k)) for k in range(tableau.order + 1)]
    assert [float(c) for c in function.numerator[: tableau.order + 1]] == [pytest.approx(float(c)) for c in begin]
    if tableau.digits is None:
        assert list(function.numerator[: tableau.order + 1]) == begin


@pytest.mark.parametrize(
    ("name", "numerator", "denominator"),
    [
        ("RK4", "1 1 1/2 1/6 1/24", "1"),
        ("IMPLICIT_EULER", "1", "1 -1"),
        ("LOBATTO_IIIA_2", "1 1/2", "1 -1/2"),
        ("GAUSS_2", "1 1/2 1/12", "1 -1/2 1/12"),
        ("GAUSS_3", "1 1/2 1/10 1/120", "1 -1/2 1/10 -1/120"),
        ("RADAU_IIA_2", "1 1/3", "1 -2/3 1/6"),
        ("RADAU_IA_3", "1 2/5 1/20", "1 -3/5 3/20 -1/60"),
        ("RADAU_IIA_3", "1 2/5 1/20", "1 -3/5 3/20 -1/60"),
        ("LOBATTO_IIIC_2", "1", "1 -1 1/2"),
        ("LOBATTO_IIIB_3", "1 1/2 1/12", "1 -1/2 1/12"),
    ],
)
def test_pade_approximations(name: str, numerator: str, denominator: str) -> None:
    # Hairer & Wanner II, Table 3.1 of IV.3, and IV.5.
    assert FUNCTIONS[name] == StabilityFunction(row(numerator), row(denominator))


@pytest.mark.parametrize("name", TABLEAUX)
def test_a_step_of_the_test_equation_is_the_stability_function(name: str) -> None:
    stepped = one_step(TABLEAUX[name], lambda t, y: -3.0 * y, 0.0, 1.0, 0.25, solver="newton")
    assert stepped[0] == pytest.approx(complex(FUNCTIONS[name](-0.75)).real, rel=1e-12)


def test_how_far_methods_are_stable() -> None:
    # The manual's methods, and the classical bounds of Hairer & Wanner II, IV.2.
    real = {name: FUNCTIONS[name].stable_to(-1.0) for name in EXPLICIT}
    assert real["EULER"] == pytest.approx(2.0, abs=1e-9)
    assert real["TRAPEZOID"] == pytest.approx(2.0, abs=1e-9)
    assert real["KUTTA_SIMPSON"] == pytest.approx(2.5127453266183286, abs=1e-9)
    assert real["RK4"] == pytest.approx(2.7852935634052818, abs=1e-9)
    assert real["ENGLAND"] == pytest.approx(4.05, abs=0.01)
    imaginary = {name: FUNCTIONS[name].stable_to(1j) for name in EXPLICIT}
    assert imaginary["RK4"] == pytest.approx(2.0 * sqrt(2.0), abs=1e-9)
    assert imaginary["KUTTA_SIMPSON"] == pytest.approx(sqrt(3.0), abs=1e-9)
    assert imaginary["EULER"] < 1e-5
    assert FUNCTIONS["GAUSS_2"].stable_to(-1.0, limit=50.0) == 50.0
    assert FUNCTIONS["EULER"].stable_to(1.0) < 1e-11


def test_which_methods_are_stable_in_the_left_half_plane() -> None:
    a_stable = {name for name, function in FUNCTIONS.items() if function.is_a_stable}
    l_stable = {name for name, function in FUNCTIONS.items() if function.is_l_stable}
    assert a_stable == set(TABLEAUX) - set(EXPLICIT)
    assert l_stable == {
        *("IMPLICIT_EULER", "RADAU_IA_2", "RADAU_IA_3", "RADAU_IIA_2", "RADAU_IIA_3"),
        *("LOBATTO_IIIC_2", "LOBATTO_IIIC_3", "LOBATTO_IIIC_4", "SDIRK_2_L", "SDIRK_3_L"),
    }
    assert FUNCTIONS["SDIRK_2"].at_infinity == pytest.approx(sqrt(3.0) - 1.0)
    assert FUNCTIONS["RK4"].at_infinity == float("inf")
    # Poles in the right half plane, and yet |R| > 1: at infinity, somewhere, everywhere on the imaginary axis.
    assert not StabilityFunction(row("1 4/5 3/25"), row("1 -1/5 1/100")).is_a_stable
    assert not StabilityFunction(row("1 1"), row("1 -1 1")).is_a_stable
    assert not StabilityFunction(row("1 2 1"), row("1 -1 1")).is_a_stable
    assert StabilityFunction(row("1 1 1"), row("1 -2 1")).is_a_stable
    assert not StabilityFunction(row("1"), row("1 1")).is_a_stable


def test_the_region_on_a_grid() -> None:
    region = FUNCTIONS["EULER"].region(np.array([-3.0, -1.0, 0.0]), np.array([-1.0, 0.0]))
    assert region.shape == (2, 3)
    assert region.tolist() == [[pytest.approx(sqrt(5.0)), 1.0, pytest.approx(sqrt(2.0))], [2.0, 0.0, 1.0]]


@pytest.mark.parametrize("name", TABLEAUX)
def test_the_half_plane_is_what_samples_of_it_say(name: str) -> None:
    grid = FUNCTIONS[name].region(-np.logspace(-3, 3, 60), np.linspace(-50.0, 50.0, 101))
    assert bool(np.all(grid <= 1.0 + 1e-10)) is FUNCTIONS[name].is_a_stable
    assert isclose(FUNCTIONS[name].region([0.0], [0.0])[0, 0], 1.0)
