"""Two-step methods: their order for every ratio of steps, in exact numbers and measured."""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle, product
from math import cos, exp, log2, sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.methods import (
    ADAMS,
    ADAMS_SIMPSON,
    ENGLAND,
    EULER,
    HEUN,
    HEUN_AS_PRINTED,
    KUTTA_SIMPSON,
    TRAPEZOID,
    Multistep,
    one_step,
    row,
    rows,
    size,
)
from eventide.methods.interpolants import cubic
from eventide.methods.multistep import PAST
from eventide.methods.surd import padded

ALL = [ADAMS, HEUN, HEUN_AS_PRINTED, ADAMS_SIMPSON]
ratios = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=1000)


def name_of(method: Multistep) -> str:
    return method.name


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL, ids=name_of)
@given(ratio=ratios)
def test_the_order_holds_exactly_for_every_ratio_and_no_more(method: Multistep, ratio: Fraction) -> None:
    defects = method.order_defects(ratio)
    assert len(defects) == {2: 2, 3: 4, 4: 8}[method.order]
    assert not any(defects.values())
    beyond = {tree for tree, defect in method.order_defects(ratio, method.order + 1).items() if defect}
    assert {size(tree) for tree in beyond} == {method.order + 1}


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL, ids=name_of)
@given(ratio=ratios)
def test_nodes_are_the_sums_of_rows(method: Multistep, ratio: Fraction) -> None:
    matrix, weights = method.at(ratio)
    sums = [sum(entries, Fraction(0)) for entries in matrix]
    nodes = method.nodes[: method.later_stages]
    assert [c for i, c in enumerate(sums) if i != PAST] == [c for i, c in enumerate(nodes) if i != PAST]
    assert sum(weights, Fraction(0)) == 1


def test_at_equal_steps_they_are_the_classical_formulas() -> None:
    assert ADAMS.at(1).weights == row("3/2 -1/2")
    assert HEUN.at(1).weights == row("8/12 -1/12 5/12")
    assert HEUN.at(1).matrix == HEUN_AS_PRINTED.at(1).matrix == rows("", "", "3/2 -1/2")
    # In the manual's increments: A1/2 + (A1 - A0)/8 = 0.625 A1 - 0.125 A0, and -1.5 A1 + 0.5 A0 + 2 A2.
    assert ADAMS_SIMPSON.at(1).matrix == rows("", "", "0.625 -0.125", "-1.5 0.5 2")
    assert ADAMS_SIMPSON.at(1).weights == row("1/6 0 4/6 1/6")


def test_fixed_coefficients_lose_the_order_when_steps_change() -> None:
    # What a method would miss that used the numbers for equal steps at a ratio of 2.
    from eventide.methods import order_defects

    for method in (ADAMS, HEUN, ADAMS_SIMPSON):
        matrix, weights = method.at(1)
        wrong = order_defects(matrix, weights, method.order, {PAST: Fraction(-1, 2)})
        assert min(size(tree) for tree, defect in wrong.items() if defect) == (4 if method is ADAMS_SIMPSON else 2)


def test_alternatives_to_the_method_without_a_name_are_of_lower_order() -> None:
    from eventide.methods import order_defects

    def order(third: str, second: str = "0.625 -0.125") -> int:
        matrix = rows("", "", second, third)
        defects = order_defects(matrix, row("1/6 0 4/6 1/6"), 4, {PAST: Fraction(-1)})
        return min((size(tree) for tree, defect in defects.items() if defect), default=5) - 1

    assert order("-1.5 0.5 2") == 4
    assert order("1.5 -0.5 0") == 3  # Adams' increment in the third stage as well
    assert order("0.5 0 0.5") == 2
    assert order("-1 0 2") == 2
    assert order("-1 0 2", "0.5 0") == 3  # Kutta and Simpson


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL, ids=name_of)
@given(ratio=ratios)
def test_entries_are_quadratics_over_the_divisor(method: Multistep, ratio: Fraction) -> None:
    q, r = method.layers, float(ratio)
    table = (q[0] + r * q[1] + r * r * q[2]) / (1.0 + method.divisor * r)
    matrix, weights = method.at(ratio)
    nothing = [()] * (method.stages - len(matrix))
    exact = [*matrix, *nothing, weights, (), *cubic(method.stages, weights)]
    assert table.shape == (len(exact), method.stages + 1)
    for line, entries in zip(table, exact, strict=True):
        numbers = [float(entry) for entry in entries]
        assert line[: len(entries)] == pytest.approx(numbers, rel=1e-13, abs=1e-13 * (1.0 + r))
        assert not line[len(entries) :].any()


@pytest.mark.parametrize("method", ALL, ids=name_of)
def test_a_step_without_a_past_is_that_of_the_starter(method: Multistep) -> None:
    matrix, weights = method.start
    assert matrix[PAST] == ()
    assert not any(entries[PAST] for entries in (*matrix[PAST + 1 :], weights) if len(entries) > PAST)
    without = [tuple(entry for j, entry in enumerate(entries) if j != PAST) for entries in (*matrix, weights)]
    tableau = method.starter.tableau
    assert [without[0], *without[2:-1]] == list(tableau.matrix)
    assert without[-1] == tableau.weights
    assert method.layers[3][method.stages].tolist() == [*(float(b) for b in weights), 0.0]


def test_a_past_infinitely_long_ago_is_none() -> None:
    # At r = 0 the formulas of Heun and of Adams and Simpson are their starters, and Adams' is Euler's.
    for method in (HEUN, HEUN_AS_PRINTED, ADAMS_SIMPSON):
        (matrix, weights), (start, first) = method.at(0), method.start
        assert [padded(entries, method.stages) for entries in matrix] == [
            padded(entries, method.stages) for entries in start
        ]
        assert weights == first
    assert ADAMS.at(0).weights == row("1 0")


def wave(t: float, y: float) -> float:
    return y * cos(t)


def integrate(method: Multistep, steps: list[float], restarts: tuple[int, ...] = (), **options) -> float:
    """Y at the end, by the formulas alone; the past ends before each step whose number is in `restarts`."""
    t, y, past = 0.0, 1.0, None
    for number, step in enumerate(steps):
        rate = wave(t, y)
        if past is None or number in restarts:
            y = float(one_step(options.get("starter", method.starter), wave, t, y, step)[0])
        else:
            matrix, weights = method.at(1 if options.get("equal") else Fraction(step) / Fraction(past[1]))
            rates = [rate, past[0]]
            for i in range(2, method.later_stages):
                argument = y + step * sum(float(a) * k for a, k in zip(matrix[i], rates, strict=True))
                rates.append(wave(t + float(method.nodes[i]) * step, argument))
            y += step * sum(float(b) * k for b, k in zip(weights, rates, strict=True))
        past = (rate, step)
        t += step
    return y


def slope(method: Multistep, shape: str, **options) -> float:
    def error(count: int) -> float:
        if shape == "equal":
            lengths = [1.0] * count
        else:
            lengths = [length for length, _ in zip(cycle((2.0, 1.0)), range(count), strict=False)]
        scale = 2.0 / sum(lengths)
        restarts = tuple(range(7, count, count // 8)) if shape == "restarts" else ()
        return abs(integrate(method, [scale * x for x in lengths], restarts, **options) - exp(sin(2.0)))

    return log2(error(128) / error(256))


@pytest.mark.parametrize("shape", ["equal", "alternating", "restarts"])
@pytest.mark.parametrize("method", ALL, ids=name_of)
def test_errors_fall_with_the_order(method: Multistep, shape: str) -> None:
    assert slope(method, shape) == pytest.approx(method.order, abs=0.3)


def test_what_would_lose_the_order() -> None:
    assert slope(ADAMS, "alternating", equal=True) == pytest.approx(1.0, abs=0.2)
    assert slope(ADAMS_SIMPSON, "equal", starter=TRAPEZOID) == pytest.approx(3.0, abs=0.3)


def test_costs_and_starters() -> None:
    assert [(m.evaluations, m.starter, m.is_fixed) for m in ALL] == [
        (1, TRAPEZOID, True),
        (2, TRAPEZOID, True),
        (2, TRAPEZOID, True),
        (3, KUTTA_SIMPSON, True),
    ]
    assert repr(ADAMS) == "<Multistep 'Adams', order 2>"


@pytest.mark.parametrize(
    ("method", "real", "imaginary"),
    [(ADAMS, 1.0, 0.0), (HEUN, 2.40, 1.20), (ADAMS_SIMPSON, 2.0, 2.0)],
    ids=["Adams", "Heun", "Adams-Simpson"],
)
def test_how_far_they_are_stable(method: Multistep, real: float, imaginary: float) -> None:
    # On y' = z y with equal steps: y2 = P(z) y1 + Q(z) y0, stable where both roots are in the unit circle.
    matrix, weights = method.at(1)

    def is_stable(z: complex) -> bool:
        rates = [np.array([z, 0.0]), np.array([0.0, z])]
        for i in range(2, method.later_stages):
            argument = np.array([1.0 + 0j, 0.0])
            for a, k in zip(matrix[i], rates, strict=True):
                argument = argument + float(a) * k
            rates.append(z * argument)
        p, q = np.array([1.0, 0.0]) + sum(float(b) * k for b, k in zip(weights, rates, strict=True))
        return bool(np.all(np.abs(np.roots([1.0, -p, -q])) <= 1.0 + 1e-7))

    grid = np.linspace(0.0, 4.0, 801)[1:]
    first = {d: next(x for x in grid if not is_stable(d * x)) for d in (-1.0, 1j)}
    assert first[-1.0] == pytest.approx(real, abs=0.02)
    assert first[1j] == pytest.approx(imaginary, abs=0.06)


@pytest.mark.row("R-161")
def test_flags_choose_methods() -> None:
    chosen = {
        flags: ev.methods.method_from_flags(**dict(zip(("euler", "adams", "trapez", "simpson"), flags, strict=True)))
        for flags in product((False, True), repeat=4)
    }
    table = {
        "0000": ENGLAND,
        "1000": EULER,
        "0100": ADAMS,
        "1100": ADAMS,
        "0010": TRAPEZOID,
        "1010": TRAPEZOID,
        "0110": HEUN,
        "1110": HEUN,
        "0001": KUTTA_SIMPSON,
        "1001": KUTTA_SIMPSON,
        "0101": ADAMS_SIMPSON,
        "1101": ADAMS_SIMPSON,
        "0011": KUTTA_SIMPSON,
        "1011": KUTTA_SIMPSON,
        "0111": ADAMS_SIMPSON,
        "1111": ADAMS_SIMPSON,
    }
    assert len(chosen) == 16
    assert {"".join(str(int(flag)) for flag in flags): method for flags, method in chosen.items()} == table
    assert ev.methods.method_from_flags() is ENGLAND
