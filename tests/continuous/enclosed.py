"""Expressions over polynomials as the stepper encloses them, and what they are."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from arrays import blank
from hypothesis import strategies as st

from eventide.enclosures import guard_expressions
from eventide.enclosures.certificate import certificate_of
from eventide.enclosures.guard_expressions import GuardExpression
from eventide.enclosures.trees import BooleanTree
from eventide.engine import taylor_models
from eventide.engine.codes import MODEL, ROWS, STATE, TIME, Y0, P
from eventide.engine.interface import PLAIN
from eventide.methods import ENGLAND
from eventide.methods.bernstein import bernstein_matrix

DEGREE = 5
BEGIN = 3.0
"""When the step begins; it is one unit long."""


def prepared(tree: BooleanTree, paths: Sequence[Sequence[float]]) -> Any:
    """Arrays of one condition, over states that are polynomials of the fraction of a step: coefficients from 1 on."""
    certificate = certificate_of(tree)
    assert certificate.words
    rows = np.zeros((ROWS, len(paths)))
    for slot, path in enumerate(paths):
        rows[Y0, slot] = path[0]
        rows[P : P + DEGREE, slot] = path[1:]
    method = ENGLAND.coefficients._replace(sizes=np.array([0, 0, 0, DEGREE]), bernstein=bernstein_matrix(DEGREE))
    arrays = blank(rows, method=method)._replace(lists=np.array(certificate.words))
    for k, still in enumerate(certificate.stills):
        arrays.guard.still[0, k] = struct.unpack(">d", bytes.fromhex(still[2:]))[0]
    arrays.flow.start[0], arrays.flow.step[0], arrays.flow.end[0] = BEGIN, 1.0, BEGIN + 1.0
    arrays.flow.segments_hi[0] = 1
    return PLAIN.pack(arrays)[0]


def enclosed(form: GuardExpression, paths: Sequence[Sequence[float]], low: float, high: float) -> list[float]:
    """The enclosure of an expression over a part of the step."""
    from eventide.enclosures.trees import Comparison

    arrays = prepared(Comparison(form), paths)
    taylor_models.enclose(arrays, 0, 0, low, high)
    at = (arrays.lists[0] - 1) * MODEL
    return [arrays.models[at + k] for k in range(MODEL)]


def state(number: int = 0) -> GuardExpression:
    """A state, by its slot."""
    return GuardExpression(STATE, numbers=(0, number))


def through(samples: Sequence[int]) -> list[float]:
    """The coefficients of the polynomial through samples at 0, 1/DEGREE, ..., 1, by Newton's differences."""
    differences = [Fraction(sample) for sample in samples]
    for k in range(1, len(samples)):
        for i in range(len(samples) - 1, k - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / Fraction(k, DEGREE)
    coefficients = [Fraction(0)] * len(samples)
    for k in range(len(samples) - 1, -1, -1):
        shifted = [Fraction(0), *coefficients[:-1]]
        coefficients = [s - Fraction(k, DEGREE) * c for s, c in zip(shifted, coefficients, strict=True)]
        coefficients[0] += differences[k]
    return [float(c) for c in coefficients]


class Expression(NamedTuple):
    """An expression as the stepper has it, as Python has it (of the states and the time), and as text."""

    form: GuardExpression
    value: Callable[[Sequence[float], float], float]
    text: str


FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{name: getattr(math, name) for name in guard_expressions.FUNCTIONS},
    "abs": abs,
    "negative": lambda x: -x,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "rint": round,
    "sign": lambda x: float((x > 0.0) - (x < 0.0)),
}
PAIRS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[float, float], float]]] = {
    "+": (guard_expressions.total, lambda x, y: x + y),
    "-": (guard_expressions.difference, lambda x, y: x - y),
    "*": (guard_expressions.product, lambda x, y: x * y),
    "/": (guard_expressions.quotient, lambda x, y: x / y),
    "min": (lambda x, y: guard_expressions.extreme("lt", x, y), min),
    "max": (lambda x, y: guard_expressions.extreme("gt", x, y), max),
    "hypot": (guard_expressions.hypotenuse, math.hypot),
    "//": (guard_expressions.whole_below, lambda x, y: x // y),
    "%": (guard_expressions.remainder, lambda x, y: x % y),
}


def _of_one(name: str, one: Expression) -> Expression:
    own: Any = {**guard_expressions.OF_NUMPY, "abs": guard_expressions.size, "negative": guard_expressions.negative}[
        name
    ]
    form, function = own(one.form), FUNCTIONS[name]
    assert form
    return Expression(form, lambda x, t: function(one.value(x, t)), f"{name}({one.text})")


def _of_two(name: str, one: Expression, other: Expression) -> Expression:
    make, function = PAIRS[name]
    return Expression(
        make(one.form, other.form),
        lambda x, t: function(one.value(x, t), other.value(x, t)),
        f"({one.text} {name} {other.text})",
    )


def _power(one: Expression, exponent: float) -> Expression:
    form = guard_expressions.power(one.form, guard_expressions.literal(exponent), exponent, str)
    assert form

    def value(x: Sequence[float], t: float) -> float:
        answer = one.value(x, t) ** exponent
        return math.nan if isinstance(answer, complex) else answer

    return Expression(form, value, f"{one.text} ** {exponent}")


def _choice(test: Expression, one: Expression, other: Expression) -> Expression:
    form = guard_expressions.choice(test.form, one.form, other.form)
    assert form
    return Expression(
        form,
        lambda x, t: one.value(x, t) if test.value(x, t) > 0.0 else other.value(x, t),
        f"({one.text} if {test.text} > 0 else {other.text})",
    )


def _number(value: float) -> Expression:
    return Expression(guard_expressions.literal(value), lambda _x, _t: value, str(value))


LEAVES = [
    Expression(state(0), lambda x, _: x[0], "x"),
    Expression(state(1), lambda x, _: x[1], "y"),
    Expression(GuardExpression(TIME), lambda _, t: BEGIN + t, "time"),
]


def _wider(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(_of_one, st.sampled_from(list(FUNCTIONS)), inner),
        st.builds(_of_two, st.sampled_from(list(PAIRS)), inner, inner),
        st.builds(_power, inner, st.sampled_from([2.0, 3.0, -1.0, -2.0, 0.5, 1.5, -0.5, 2.3])),
        st.builds(_choice, inner, inner, inner),
    )


expressions = st.recursive(
    st.one_of(st.sampled_from(LEAVES), st.builds(_number, st.sampled_from([-1.5, 0.5, 1.0, 2.0, 20.0]))),
    _wider,
    max_leaves=5,
)
paths = st.lists(
    st.tuples(
        st.sampled_from([-1.0, 0.0, 0.3, 2.0, 10.0]),
        *[st.floats(-2.0, 2.0, allow_subnormal=False).map(lambda c, k=k: c / k) for k in range(1, DEGREE + 1)],
    ),
    min_size=2,
    max_size=2,
)


def states(given: Sequence[Sequence[float]], share: float) -> list[float]:
    """The states at a fraction of the step."""
    return [math.fsum(c * share**k for k, c in enumerate(path)) for path in given]
