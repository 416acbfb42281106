"""Enclosures of expressions: whatever they are, they lie within; and they are close, or nothing would be proved."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from continuous.enclosed import DEGREE, Expression, enclosed, expressions, paths, prepared, state, states
from hypothesis import given, settings
from hypothesis import strategies as st

from eventide.enclosures import guard_expressions
from eventide.enclosures.guard_expressions import GuardExpression
from eventide.enclosures.trees import Comparison
from eventide.engine.codes import BESIDE, CHOICE_OF, FASTEST, LEAST, MOST, NOISE, ROUGH, SLOWEST, UNSURE
from eventide.engine.guard_signs import NEVER, PERHAPS, rises_once, sign_of

parts = st.tuples(st.integers(0, 15), st.integers(1, 16)).filter(lambda ends: ends[0] < ends[1])
POINTS = 24


@pytest.mark.slow
def test_an_expression_lies_within_its_enclosure() -> None:
    """Its values, how far they are from its polynomial, and how fast they change, at points all over the part."""
    counts = []

    @settings(max_examples=300)
    @given(expressions, paths, parts)
    def look(expression: Expression, moved: Sequence[Sequence[float]], part: tuple[int, int]) -> None:
        counts.append(points_within(expression, moved, part))

    look()
    assert sum(counts) >= 2000


def points_within(expression: Expression, moved: Sequence[Sequence[float]], part: tuple[int, int]) -> int:
    """How many points of an expression lie within its enclosure: AssertionError if one does not."""
    low, high = part[0] / 16, part[1] / 16
    if expression.form.code == 0:
        return 0
    found = enclosed(expression.form, moved, low, high)
    before: tuple[float, float] | None = None
    count = 0
    for k in range(POINTS + 1):
        s = 2.0 * k / POINTS - 1.0
        share = low + (high - low) * (s + 1.0) / 2.0
        try:
            value = expression.value(states(moved, share), share)
        except (ArithmeticError, ValueError):
            value = math.nan
        if math.isnan(value):
            assert found[UNSURE], f"{expression.text} has no value at {share}"
            return count
        if found[UNSURE] or not abs(value) < 1e100:
            continue
        # Twice what rounding may have done to the model: the value that it is compared with is rounded as well.
        noise = 2.0 * found[NOISE] + 1e-15 * abs(value)
        assert found[LEAST] - noise <= value <= found[MOST] + noise, expression.text
        count += 1
        if found[BESIDE] < 1e100:
            polynomial = math.fsum(found[i] * s**i for i in range(DEGREE + 1))
            assert abs(value - polynomial) <= found[BESIDE] * (1.0 + 1e-12) + noise, expression.text
        if before is not None and "if" not in expression.text:
            rise, slack = (value - before[1]) / (s - before[0]), POINTS * noise
            slack += 1e-12 * abs(rise)
            assert found[SLOWEST] - slack <= rise <= found[FASTEST] + slack, expression.text
        before = s, value
    return count


RAMP = [(0.3, 1.0, 0.4, 0.0, 0.0, 0.0), (2.0, -0.5, 0.0, 0.3, 0.0, 0.0)]
SMOOTH = {
    "square": guard_expressions.product(state(0), state(0)),
    "product": guard_expressions.product(state(0), state(1)),
    "quotient": guard_expressions.quotient(state(1), state(0)),
    "sine": guard_expressions.FUNCTIONS["sin"](state(0)),
    "cosine": guard_expressions.FUNCTIONS["cos"](state(0)),
    "exponential": guard_expressions.FUNCTIONS["exp"](state(1)),
    "logarithm": guard_expressions.FUNCTIONS["log"](state(0)),
    "root": guard_expressions.FUNCTIONS["sqrt"](state(0)),
    "power": guard_expressions.power(state(0), guard_expressions.literal(2.3), 2.3, str),
    "arc tangent": guard_expressions.FUNCTIONS["atan"](state(1)),
    "hyperbolic tangent": guard_expressions.FUNCTIONS["tanh"](state(0)),
    "root of squares": guard_expressions.hypotenuse(state(0), state(1)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_what_is_beside_the_polynomial_shrinks_with_the_sixth_power_of_the_part(name: str) -> None:
    form = SMOOTH[name]
    assert form
    wide, narrow = (enclosed(form, RAMP, 0.25, 0.25 + width)[BESIDE] for width in (0.25, 0.125))
    assert narrow <= wide / 2**DEGREE
    assert wide < 1e-2


def test_a_polynomial_of_the_degree_of_the_interpolant_has_nothing_beside_it() -> None:
    line = [(1.0, 2.0, 0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)]
    cubic = guard_expressions.product(guard_expressions.product(state(0), state(0)), state(0))
    assert cubic
    found = enclosed(
        guard_expressions.difference(cubic, guard_expressions.product(state(1), state(0))) or cubic, line, 0.0, 0.5
    )
    assert found[BESIDE] == 0.0
    assert found[NOISE] < 1e-12


def test_a_square_is_not_negative_and_an_extreme_knows_what_it_is_of() -> None:
    through_zero = [(-1.0, 2.0, 0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0, 0.0, 0.0)]
    assert enclosed(guard_expressions.product(state(0), state(0)) or state(), through_zero, 0.0, 1.0)[LEAST] == 0.0
    least = enclosed(guard_expressions.extreme("lt", state(0), state(1)) or state(), through_zero, 0.0, 0.75)
    assert least[: DEGREE + 1] == enclosed(state(0), through_zero, 0.0, 0.75)[: DEGREE + 1]
    # |x| is at most 1 beside its chord: x - |x| <= 0 is known although the sign of x is not.
    below = guard_expressions.difference(state(0), guard_expressions.size(state(0)))
    assert below
    assert enclosed(below, through_zero, 0.25, 0.75)[MOST] <= 0.5


def test_what_may_have_no_value_says_so() -> None:
    through_zero = [(-1.0, 2.0, 0.0, 0.0, 0.0, 0.0)]
    for form in (
        guard_expressions.FUNCTIONS["sqrt"](state()),
        guard_expressions.FUNCTIONS["log"](state()),
        guard_expressions.quotient(state(), state()),
    ):
        assert form
        assert enclosed(form, through_zero, 0.0, 1.0)[UNSURE]
        assert not enclosed(form, through_zero, 0.75, 1.0)[UNSURE]
    root = guard_expressions.FUNCTIONS["sqrt"](state())
    chosen = guard_expressions.choice(state(), root, guard_expressions.literal(0.0))
    assert isinstance(chosen, GuardExpression)
    assert chosen.code == CHOICE_OF
    assert not enclosed(chosen, through_zero, 0.0, 0.25)[UNSURE]


def test_of_what_may_have_no_value_nothing_is_proved() -> None:
    arrays = prepared(Comparison(state()), [(0.0,) * (DEGREE + 1)])
    arrays.models[LEAST], arrays.models[MOST] = -2.0, -1.0
    assert sign_of(arrays, 0, is_weak=False) == NEVER
    arrays.models[UNSURE] = 1.0
    assert sign_of(arrays, 0, is_weak=False) == PERHAPS


def test_what_may_be_far_from_a_polynomial_that_rises_once_need_not_rise_once() -> None:
    arrays = prepared(Comparison(state()), [(0.0,) * (DEGREE + 1)])
    for k, coefficient in enumerate((-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)):
        arrays.models[ROUGH + k] = coefficient
    assert rises_once(arrays, 0)
    arrays.models[BESIDE] = 0.125
    assert not rises_once(arrays, 0)
