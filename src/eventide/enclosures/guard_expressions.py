"""Guard expressions: how numbers move within a step, as expressions that the stepper can enclose over any part of it.

An expression is built along with the instructions of a number; `certificate.py` turns those of comparisons into words.
None means that nothing is known, and makes everything computed from it None too. A computed value or rate is followed
into the equations that set it, and compared at each step's end with the stored one: another law may have set it as
well, or later, and then nothing is proved in that step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.engine.codes import (
    ARCTANGENT,
    CHOICE_OF,
    CONSTANT,
    COSINE,
    DIFFERENCE,
    EXPONENTIAL,
    GREATEST_OF,
    INVERSE,
    LEAST_OF,
    LOGARITHM,
    LOWERED_BY,
    NEGATIVE,
    PRODUCT,
    RAISED_BY,
    ROOT,
    SCALED_BY,
    SHRUNK_BY,
    SINE,
    SIZE,
    STATE,
    SUM,
    TAKEN_FROM,
    TO_THE_POWER,
    WHOLE_BELOW,
    WHOLE_NEAR,
)
from eventide.native.ir import real

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True, eq=False)
class GuardExpression:
    """How a number moves within a step: an expression that the stepper can enclose, as `tables.py` names its codes.

    parts       the expressions it is made of
    numbers     of a state: the object's place in the index row, and the slot's behind its first
    still       the operand in it that stands still, a double
    """

    code: int
    parts: tuple[GuardExpression, ...] = ()
    numbers: tuple[int, ...] = ()
    still: str = ""


Maybe: TypeAlias = GuardExpression | None
LARGEST_EXPONENT: Final = 64
"""Whole powers up to this one are products."""


def still(text: str) -> GuardExpression:
    """What does not move."""
    return GuardExpression(CONSTANT, still=text)


def literal(value: float) -> GuardExpression:
    """A number that is known."""
    return still(real(value))


def of_one(code: int, one: Maybe) -> Maybe:
    """A function of one number."""
    return one and GuardExpression(code, (one,))


def of_two(code: int, one: Maybe, other: Maybe) -> Maybe:
    """A function of two."""
    return GuardExpression(code, (one, other)) if one and other else None


def with_still(code: int, one: GuardExpression, other: GuardExpression) -> GuardExpression:
    """A function of a number and of one that does not move."""
    return GuardExpression(code, (one,), still=other.still)


def _with_constants(one: Maybe, other: Maybe, code: int, by_other: int, by_one: int) -> Maybe:
    """A function of two, by the codes for both, for a constant second operand and for a constant first one."""
    if one is None or other is None:
        return None
    if other.code == CONSTANT:
        return with_still(by_other, one, other)
    return with_still(by_one, other, one) if one.code == CONSTANT else GuardExpression(code, (one, other))


def total(one: Maybe, other: Maybe) -> Maybe:
    """A sum."""
    return _with_constants(one, other, SUM, RAISED_BY, RAISED_BY)


def difference(one: Maybe, other: Maybe) -> Maybe:
    """A difference."""
    return _with_constants(one, other, DIFFERENCE, LOWERED_BY, TAKEN_FROM)


def product(one: Maybe, other: Maybe) -> Maybe:
    """A product."""
    return _with_constants(one, other, PRODUCT, SCALED_BY, SCALED_BY)


def quotient(one: Maybe, other: Maybe) -> Maybe:
    """A quotient."""
    if one is not None and other is not None and other.code == CONSTANT:
        return with_still(SHRUNK_BY, one, other)
    return product(one, of_one(INVERSE, other))


def whole_power(one: Maybe, exponent: int) -> Maybe:
    """A whole power, by repeated squaring."""
    if exponent < 0:
        return of_one(INVERSE, whole_power(one, -exponent))
    result, square = literal(1.0) if exponent == 0 else None, one
    while exponent:
        if exponent & 1:
            result = product(result, square) if result else square
        square = product(square, square)
        exponent >>= 1
    return result


def power(one: Maybe, other: Maybe, known: float | None, log_of_one: Callable[[], str]) -> Maybe:
    """A power.

    known           the exponent, if it is
    log_of_one      writes the logarithm of a base that does not move
    """
    if one is None or other is None:
        return None
    if known == 0.5:
        return of_one(ROOT, one)
    if known is not None and known == int(known) and abs(known) <= LARGEST_EXPONENT:
        return whole_power(one, int(known))
    if other.code == CONSTANT:
        return with_still(TO_THE_POWER, one, other)
    logarithm = still(log_of_one()) if one.code == CONSTANT else of_one(LOGARITHM, one)
    return of_one(EXPONENTIAL, product(other, logarithm))


def whole_below(one: Maybe, other: Maybe = None) -> Maybe:
    """The greatest whole number not above a number, or a quotient."""
    return of_two(WHOLE_BELOW, one, other or literal(1.0))


def remainder(one: Maybe, other: Maybe) -> Maybe:
    """What a division by whole numbers leaves, with the sign of the divisor."""
    return difference(one, product(other, whole_below(one, other))) if other else None


def _truncated(one: Maybe) -> Maybe:
    zero = literal(0.0)
    up, down = extreme("gt", one, zero), extreme("gt", negative(one), zero)
    return difference(whole_below(up), whole_below(down))


WHOLE: Final[dict[str, Callable[[Maybe], Maybe]]] = {
    "floor": whole_below,
    "ceil": lambda x: negative(whole_below(negative(x))),
    "trunc": _truncated,
    "rint": lambda x: of_one(WHOLE_NEAR, x),
}
"""Whole numbers made of a number, by the machine's names."""


def direction(one: Maybe) -> Maybe:
    """The sign: 1, 0, -1."""
    return choice(one, literal(1.0), choice(negative(one), literal(-1.0), literal(0.0)))


def choice(test: Maybe, one: Maybe, other: Maybe) -> Maybe:
    """One of two, by the sign of a third."""
    return GuardExpression(CHOICE_OF, (test, one, other)) if test and one and other else None


def may_rest(form: GuardExpression, states: dict[tuple[int, int], None] | None = None) -> bool:
    """Whether what is so made of states may stand still while one of them moves; their places are gathered."""
    if form.code in (LEAST_OF, GREATEST_OF, CHOICE_OF, WHOLE_BELOW, WHOLE_NEAR):
        return True
    if form.code == STATE and states is not None:
        states[form.numbers[0], form.numbers[1]] = None
    return any(may_rest(part, states) for part in form.parts)


# --- functions of the mathematical library ---------------------------------------------------------------------------


def hypotenuse(one: Maybe, other: Maybe) -> Maybe:
    """The root of a sum of squares."""
    return of_one(ROOT, total(product(one, one), product(other, other)))


def _exponential(x: Maybe) -> Maybe:
    return of_one(EXPONENTIAL, x)


def _logarithm(x: Maybe) -> Maybe:
    return of_one(LOGARITHM, x)


def _with_one(x: Maybe) -> Maybe:
    return total(x, literal(1.0))


def _halves(x: Maybe, sign: Callable[[Maybe, Maybe], Maybe]) -> Maybe:
    """The hyperbolic cosine or sine."""
    up = _exponential(x)
    return product(sign(up, of_one(INVERSE, up)), literal(0.5))


def _arcsine(x: Maybe) -> Maybe:
    return of_one(ARCTANGENT, quotient(x, of_one(ROOT, difference(literal(1.0), product(x, x)))))


def _area(x: Maybe, one: float) -> Maybe:
    """The inverse of the hyperbolic sine (1) or cosine (-1)."""
    return _logarithm(total(x, of_one(ROOT, total(product(x, x), literal(one)))))


FUNCTIONS: Final[dict[str, Callable[[Maybe], Maybe]]] = {
    "exp": _exponential,
    "exp2": lambda x: _exponential(product(x, literal(log(2.0)))),
    "expm1": lambda x: difference(_exponential(x), literal(1.0)),
    "sqrt": lambda x: of_one(ROOT, x),
    "log": _logarithm,
    "log1p": lambda x: _logarithm(_with_one(x)),
    "log2": lambda x: product(_logarithm(x), literal(1.0 / log(2.0))),
    "log10": lambda x: product(_logarithm(x), literal(1.0 / log(10.0))),
    "sin": lambda x: of_one(SINE, x),
    "cos": lambda x: of_one(COSINE, x),
    "tan": lambda x: quotient(of_one(SINE, x), of_one(COSINE, x)),
    "atan": lambda x: of_one(ARCTANGENT, x),
    "asin": _arcsine,
    "acos": lambda x: difference(literal(pi / 2), _arcsine(x)),
    "sinh": lambda x: _halves(x, difference),
    "cosh": lambda x: _halves(x, total),
    "tanh": lambda x: difference(
        literal(1.0), quotient(literal(2.0), _with_one(_exponential(product(x, literal(2.0)))))
    ),
    "asinh": lambda x: _area(x, 1.0),
    "acosh": lambda x: _area(x, -1.0),
    "atanh": lambda x: product(_logarithm(quotient(_with_one(x), difference(literal(1.0), x))), literal(0.5)),
}
"""What can be told of functions of one number, by their names."""


OF_NUMPY: Final[dict[str, Callable[..., Maybe]]] = {
    **FUNCTIONS,
    **WHOLE,
    "sign": direction,
    "minimum": lambda x, y: extreme("lt", x, y),
    "maximum": lambda x, y: extreme("gt", x, y),
    "remainder": remainder,
    "floor_divide": whole_below,
}
"""What can be told of numpy's."""


def size(one: Maybe) -> Maybe:
    """The absolute value."""
    return of_one(SIZE, one)


def negative(one: Maybe) -> Maybe:
    """The negative."""
    return of_one(NEGATIVE, one)


def extreme(comparison: str, one: Maybe, other: Maybe) -> Maybe:
    """The lesser ("lt") or the greater ("gt") of two."""
    return of_two(LEAST_OF if comparison == "lt" else GREATEST_OF, one, other)
