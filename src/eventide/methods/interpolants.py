"""Interpolants of a step as rows of weights: the coefficients of theta, theta**2, ... in (y(theta) - y0) / h."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from eventide.methods.surd import Row, combine

Dense: TypeAlias = tuple[Row, ...]


def rate_of(stage: int) -> Row:
    """The row that picks the rate of one stage."""
    return (*(Fraction(0),) * stage, Fraction(1))


def cubic(stages: int, end: Row) -> Dense:
    """Hermite's polynomial through the values and rates at start and end of a step.

    end         weights of the value at the end
    Source      Helsgaun, COMBINEDSIMULATION manual, 2.2.2
    """
    start_rate, end_rate = rate_of(0), rate_of(stages)
    return (
        start_rate,
        combine((3, end), (-2, start_rate), (-1, end_rate)),
        combine((-2, end), (1, start_rate), (1, end_rate)),
    )


def quintic(stages: int, middle: Row, middle_stage: int, end: Row) -> Dense:
    """Hermite's polynomial through the values and rates at start, middle and end of a step.

    middle, end     weights of the values there
    middle_stage    the stage whose rate is that at the middle
    Source          Helsgaun, COMBINEDSIMULATION manual, 2.2.2
    """

    def mix(m: int, d: int, p: int, q: int, r: int) -> Row:
        rates = ((p, rate_of(0)), (q, rate_of(middle_stage)), (r, rate_of(stages)))
        return combine((m, middle), (d, end), *rates)

    return (
        mix(0, 0, 1, 0, 0),
        mix(16, 7, -6, -8, -1),
        mix(-32, -34, 13, 32, 5),
        mix(16, 52, -12, -40, -8),
        mix(0, -24, 4, 16, 4),
    )


def nested(stages: int, end: Row, *further: Row) -> Dense:
    """The cubic above and further terms that vanish at both ends, in the form of Hairer's programs.

    They are theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + theta (...))))): F0, F1 and F2 make the cubic, F3
    and those after it are `further`.
    Source      Hairer, Norsett & Wanner, Solving ODEs I, II.6, programs DOPRI5 and DOP853
    """
    start_rate, end_rate = rate_of(0), rate_of(stages)
    terms = (
        end,
        combine((1, start_rate), (-1, end)),
        combine((2, end), (-1, start_rate), (-1, end_rate)),
        *further,
    )
    inner: list[Row] = [terms[-1]]
    for k in range(len(terms) - 1, 0, -1):
        factor: tuple[int, int] = (1, -1) if k % 2 else (0, 1)
        inner = _times(factor, inner)
        inner[0] = combine((1, inner[0]), (1, terms[k - 1]))
    return tuple(inner)


def _times(factor: tuple[int, int], polynomial: list[Row]) -> list[Row]:
    """The product of factor[0] + factor[1] theta and a polynomial whose coefficients are rows."""
    nothing: Row = (Fraction(0),)
    lower, upper = [*polynomial, nothing], [nothing, *polynomial]
    return [combine((factor[0], a), (factor[1], b)) for a, b in zip(lower, upper, strict=True)]
