"""Integration methods as data: a tableau with its order and source, fed to the one stepper."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from eventide.continuous.tables import Coefficients
from eventide.errors import ModelError

Row: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True)
class Method:
    """An explicit Runge-Kutta pair.

    name            how it is called in reports
    order           of the solution that is propagated
    error_order     of the solution whose error is controlled
    nodes           stage times, in units of the step
    matrix          row i: weights of the earlier stages in the argument of stage i
    weights         of the stages in the step's result
    error           of the stages in the error estimate
    error_stage     how many stages the estimate needs: a step is refused before the others are evaluated
    scale_stage     the stage at whose argument relative tolerances are measured
    dense           row m: weights, stages and then the rate at the end, of theta**(m+1) in the interpolant
    source          where it was published
    """

    name: str
    order: int
    error_order: int
    nodes: Row
    matrix: tuple[Row, ...]
    weights: Row
    error: Row
    error_stage: int
    scale_stage: int
    dense: tuple[Row, ...]
    source: str

    @property
    def is_fixed(self) -> bool:
        """Whether it has no error estimate and steps dt_max."""
        return not any(self.error)

    @cached_property
    def coefficients(self) -> Coefficients:
        """The tableau in floating point."""
        stages = len(self.nodes)
        rows = (*self.matrix, self.weights, self.error, *self.dense)
        table = np.zeros((len(rows), stages + 1))
        for place, row in enumerate(rows):
            table[place, : len(row)] = [float(w) for w in row]
        sizes = (stages, self.error_stage, self.scale_stage, len(self.dense), self.error_order)
        nodes = np.array([float(c) for c in self.nodes])
        return Coefficients(np.array(sizes), nodes, table, np.zeros(0, np.int64))


def _add(*rows: tuple[Fraction | int, Row]) -> Row:
    """The sum of multiples of rows, shorter ones filled up with zeros."""
    width = max(len(row) for _, row in rows)
    total = [Fraction(0)] * width
    for factor, row in rows:
        for j, entry in enumerate(row):
            total[j] += factor * entry
    return tuple(total)


def _row(scale: Fraction, *entries: int) -> Row:
    return tuple(scale * e for e in entries)


def _england(*, local_extrapolation: bool) -> Method:
    """Two Runge-Kutta steps of order 4 over half the step, and one further stage for the error.

    The stages are c1 .. c7, r, c8 of the manual; its increments are H*f with H half the step, ours f, so every weight
    of the manual is halved here.
    """
    half = Fraction(1, 2)
    first_half = _row(half / 6, 1, 0, 4, 1)
    error = _row(half / 90, -1, 0, 4, 17, -23, 0, 4, -1)
    second_half = _row(half / 6, 0, 0, 0, 0, 1, 0, 4, 0, 1)
    matrix = (
        (),
        _row(half / 2, 1),
        _row(half / 4, 1, 1),
        _row(half, 0, -1, 2),
        first_half,
        _add((1, first_half), (half / 2, _row(Fraction(1), 0, 0, 0, 0, 1))),
        _add((1, first_half), (half / 4, _row(Fraction(1), 0, 0, 0, 0, 1, 1))),
        _row(half / 6, -1, -96, 92, -121, 144, 6, -12),
        _add((1, first_half), (half, _row(Fraction(1), 0, 0, 0, 0, 0, -1, 2))),
    )
    plain = _add((1, first_half), (1, second_half))
    weights = _add((1, plain), (1, error)) if local_extrapolation else plain
    # The middle value is improved by half the error estimate, which makes the interpolant one order better.
    middle = _add((1, first_half), (half, error)) if local_extrapolation else first_half
    return Method(
        name="Runge-Kutta-England" if local_extrapolation else "Runge-Kutta-England, not extrapolated",
        order=5 if local_extrapolation else 4,
        error_order=4,
        nodes=tuple(Fraction(n, 4) for n in (0, 1, 1, 2, 2, 3, 3, 4, 4)),
        matrix=matrix,
        weights=weights,
        error=_add((1, error), (0, weights)),
        error_stage=8,
        scale_stage=4,
        dense=_quintic(middle, weights),
        source="England, R.: Error estimates for Runge-Kutta type solutions to systems of ordinary differential "
        "equations, Computer Journal 12 (1969); interpolant: Helsgaun, COMBINEDSIMULATION manual, 2.2.2",
    )


def _quintic(middle: Row, end: Row) -> tuple[Row, ...]:
    """Hermite's polynomial through the values and rates at start, middle and end of a nine-stage step.

    With increments m, d of middle and end and rates p, q, r there, in units of the step:
    p(theta) = p theta + ... + c5 theta**5.
    """
    start_rate = _row(Fraction(1), 1)
    middle_rate = _row(Fraction(1), 0, 0, 0, 0, 1)
    end_rate = _row(Fraction(1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)

    def mix(m: int, d: int, p: int, q: int, r: int) -> Row:
        return _add((m, middle), (d, end), (p, start_rate), (q, middle_rate), (r, end_rate))

    return (
        mix(0, 0, 1, 0, 0),
        mix(16, 7, -6, -8, -1),
        mix(-32, -34, 13, 32, 5),
        mix(16, 52, -12, -40, -8),
        mix(0, -24, 4, 16, 4),
    )


def _cubic(stages: int, end: Row) -> tuple[Row, ...]:
    """Hermite's polynomial through the values and rates at start and end of a step, in units of the step."""
    start_rate = _row(Fraction(1), 1)
    end_rate = (Fraction(0),) * stages + (Fraction(1),)
    return (
        start_rate,
        _add((3, end), (-2, start_rate), (-1, end_rate)),
        _add((-2, end), (1, start_rate), (1, end_rate)),
    )


def fixed(name: str, order: int, matrix: tuple[Row, ...], weights: Row, source: str) -> Method:
    """An explicit Runge-Kutta method of fixed step: it steps dt_max unless an event cuts the step, whatever tolerances.

    matrix      row i: weights of the earlier stages in the argument of stage i
    Raises      ModelError if a row has weights of later stages, or there is not one row for each weight
    Source      of the interpolant: Helsgaun, COMBINEDSIMULATION manual, 2.2.2
    """
    stages = len(weights)
    if len(matrix) != stages or any(len(row) > i for i, row in enumerate(matrix)):
        raise ModelError(
            f"{name} is no explicit tableau: {stages} weights, and rows of {[len(r) for r in matrix]} entries"
        )
    return Method(
        name=name,
        order=order,
        error_order=order,
        nodes=tuple(sum(row, Fraction(0)) for row in matrix),
        matrix=matrix,
        weights=weights,
        error=(Fraction(0),) * stages,
        error_stage=stages,
        scale_stage=0,
        dense=_cubic(stages, weights),
        source=source,
    )


EULER: Final = fixed("Euler", 1, ((),), _row(Fraction(1), 1), "Helsgaun, COMBINEDSIMULATION manual, 2.2.1.1")
"""Euler's method: order 1, one evaluation a step."""

TRAPEZOID: Final = fixed(
    "Trapezoid",
    2,
    ((), _row(Fraction(1), 1)),
    _row(Fraction(1, 2), 1, 1),
    "Helsgaun, COMBINEDSIMULATION manual, 2.2.1.3, over the whole step",
)
"""The explicit trapezoidal rule (Heun's in the lecture notes): order 2, two evaluations a step."""

KUTTA_SIMPSON: Final = fixed(
    "Kutta-Simpson",
    3,
    ((), _row(Fraction(1, 2), 1), _row(Fraction(1), -1, 2)),
    _row(Fraction(1, 6), 1, 4, 1),
    "Kutta, Z. Math. Phys. 46 (1901): with Simpson's weights the one choice of order 3; named SIMPSON in the manual",
)
"""Simpson's rule with Kutta's third stage: order 3, three evaluations a step."""

RK4: Final = fixed(
    "Classical Runge-Kutta",
    4,
    ((), _row(Fraction(1, 2), 1), _row(Fraction(1, 2), 0, 1), _row(Fraction(1), 0, 0, 1)),
    _row(Fraction(1, 6), 1, 2, 2, 1),
    "Kutta, Z. Math. Phys. 46 (1901)",
)
"""The classical Runge-Kutta method: order 4, four evaluations a step."""

ENGLAND: Final = _england(local_extrapolation=True)
"""Runge-Kutta-England with local extrapolation: the default method."""

ENGLAND_PLAIN: Final = _england(local_extrapolation=False)
"""Runge-Kutta-England without local extrapolation, order 4."""
