"""Runge-Kutta-England, the manual's method and the default.

The weights are those of the whole step, while the manual's belong to its half: so order conditions are checked in
fractions as for every method, and the interpolant is a matrix. The rows of `K` are: K[0..8] the rates at the stages c1
... c7, r, c8 of the manual, K[9] the rate at the end. The error estimate needs the first eight stages, so a refused
attempt costs seven evaluations and an accepted step nine. The estimate is added to the result (order 5); the order
that is controlled is 4, hence the exponent 1/5. The middle of the quintic interpolant is corrected by half the
estimate, which gives a local error of order 6 instead of 5.

Errors beside SciPy's, the largest during 13 problems at tolerances of 1e-4 to 1e-7
(`tests/methods/test_reference_problems.py`): England's are 0.1 to 0.7 times those of RK45 in the mean, but up to 5.3
times on single problems; Dormand and Prince's are 0.4 to 0.7 times SciPy's in the mean and at most 2.4 times, Bogacki
and Shampine's and those of order 8 at most 1.3 times. The pair is the cause, not the control: SciPy's own step control
with the tableaux of England and Fehlberg makes errors 1.3 to 3.2 times as large as ours in the mean, with 13 % fewer
evaluations.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from eventide.methods.interpolants import quintic
from eventide.methods.method import Method
from eventide.methods.surd import Row, combine
from eventide.methods.tableau import Tableau


def _row(scale: Fraction, *entries: int) -> Row:
    return tuple(scale * e for e in entries)


def _england(*, local_extrapolation: bool) -> Method:
    """Two Runge-Kutta steps of order 4 over half the step, and one further stage for the error.

    The stages are c1 .. c7, r, c8 of the manual; its increments are H*f with H half the step, ours f, so every weight
    of the manual is halved here.
    """
    half, one = Fraction(1, 2), Fraction(1)
    first_half = _row(half / 6, 1, 0, 4, 1)
    error = _row(half / 90, -1, 0, 4, 17, -23, 0, 4, -1)
    second_half = _row(half / 6, 0, 0, 0, 0, 1, 0, 4, 0, 1)
    matrix = (
        (),
        _row(half / 2, 1),
        _row(half / 4, 1, 1),
        _row(half, 0, -1, 2),
        first_half,
        combine((1, first_half), (half / 2, _row(one, 0, 0, 0, 0, 1))),
        combine((1, first_half), (half / 4, _row(one, 0, 0, 0, 0, 1, 1))),
        _row(half / 6, -1, -96, 92, -121, 144, 6, -12),
        combine((1, first_half), (half, _row(one, 0, 0, 0, 0, 0, -1, 2))),
    )
    plain = combine((1, first_half), (1, second_half))
    extrapolated = combine((1, plain), (1, error))
    weights, embedded = (extrapolated, plain) if local_extrapolation else (plain, extrapolated)
    # The middle value is improved by half the error estimate, which makes the interpolant one order better.
    middle = combine((1, first_half), (half, error)) if local_extrapolation else first_half
    tableau = Tableau(
        name="Runge-Kutta-England" if local_extrapolation else "Runge-Kutta-England, not extrapolated",
        order=5 if local_extrapolation else 4,
        nodes=tuple(Fraction(n, 4) for n in (0, 1, 1, 2, 2, 3, 3, 4, 4)),
        matrix=matrix,
        weights=weights,
        embedded=embedded,
        embedded_order=4 if local_extrapolation else 5,
        dense=quintic(9, middle, 4, weights),
        dense_order=5 if local_extrapolation else 4,
        source="England, R.: Error estimates for Runge-Kutta type solutions to systems of ordinary differential "
        "equations, Computer Journal 12 (1969); interpolant: Helsgaun, COMBINEDSIMULATION manual, 2.2.2",
    )
    return Method(tableau, scale_stage=4, sample=Fraction(9, 10))


ENGLAND: Final = _england(local_extrapolation=True)
"""Runge-Kutta-England with local extrapolation: the default method. Order 5, 4 controlled; 9 evaluations a step."""

ENGLAND_PLAIN: Final = _england(local_extrapolation=False)
"""Runge-Kutta-England without local extrapolation, order 4."""
