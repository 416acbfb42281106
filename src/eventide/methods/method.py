"""An explicit method as the stepper runs it: a tableau, and the stage at which tolerances are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from eventide.engine.codes import (
    DEGREE,
    END_FIRST,
    ERROR_ORDER,
    ERROR_STAGE,
    EXTRA,
    FIRST_STAGE,
    METHOD_SIZES,
    SAMPLED,
    SCALE_STAGE,
    STAGES,
    TABLE_ROWS,
    WITH_PAST,
    Coefficients,
)
from eventide.errors import ModelError
from eventide.methods.bernstein import bernstein_matrix
from eventide.methods.interpolants import cubic
from eventide.methods.surd import Row, padded
from eventide.methods.tableau import Tableau, Tabulated

ROUNDING: Final = 1e-12
"""Sums of weights that are smaller are zero."""


@dataclass(frozen=True, repr=False)
class Method(Tabulated):
    """An explicit Runge-Kutta method as the stepper runs it.

    tableau         its numbers
    scale_stage     the stage at whose argument relative tolerances are measured; None: the last one before the error is
                    known
    sample          the fraction of a step at which rates of laws that may jump unlocated are compared with slopes of
                    the interpolant; 0 if that tells hardly more than the estimate
    Raises          ModelError if the tableau is not explicit or has no interpolant
    """

    scale_stage: int | None = None
    sample: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not self.tableau.is_explicit:
            raise ModelError(
                f"{self.name} is no explicit tableau: a stage needs itself or a later one, and the stepper evaluates "
                "each stage once, in order"
            )
        if not self.tableau.dense:
            raise ModelError(
                f"{self.name} has no interpolant, by which states are found inside a step: give `dense` rows, or make "
                "it by `explicit()`, which takes Hermite's cubic"
            )

    @property
    def error_order(self) -> int:
        """The order of the solution whose error is controlled."""
        return self.tableau.error_order

    @property
    def nodes(self) -> Row:
        """Stage times, in units of the step."""
        return self.tableau.nodes

    @property
    def matrix(self) -> tuple[Row, ...]:
        """Row i: weights of the earlier stages in the argument of stage i."""
        return self.tableau.matrix

    @property
    def weights(self) -> Row:
        """Weights of the stages in the step's result."""
        return self.tableau.weights

    @property
    def error(self) -> Row:
        """Weights of the stages in the error estimate."""
        return self.tableau.error

    @property
    def dense(self) -> tuple[Row, ...]:
        """Row m: weights, stages and then the rate at the end, of theta**(m+1) in the interpolant."""
        return self.tableau.dense

    @property
    def is_fixed(self) -> bool:
        """Whether it has no error estimate and steps dt_max."""
        return not any(self.error)

    @cached_property
    def sees_jumps(self) -> bool:
        """Whether the error estimate is not zero for a rate that jumps inside the step, wherever it does.

        A rate that is r before theta and r + 1 after it gives the sum of the estimate's weights at nodes after theta.
        """
        nodes = [float(c) for c in (*self.tableau.nodes, Fraction(1))]
        parts = [(float(w), c) for w, c in zip(self.error, nodes, strict=False)]
        sums = [sum(w for w, c in parts if c >= node) for node in {c: None for c in sorted(nodes) if c > 0.0}]
        return self.is_fixed or all(abs(total) > ROUNDING for total in sums)

    @property
    def evaluations(self) -> int:
        """How often a step that is accepted runs the laws."""
        return self.tableau.stages

    @property
    def evaluations_refused(self) -> int:
        """How often a step that is refused runs the laws; the rate at its start is known."""
        return self._error_stage - 1 + self.tableau.needs_end

    @property
    def _error_stage(self) -> int:
        """How many stages the estimate needs: a step is refused before the others are evaluated."""
        tableau = self.tableau
        if tableau.needs_end:
            return tableau.stages
        return max((j + 1 for j, entry in enumerate(tableau.error) if entry), default=tableau.stages)

    @cached_property
    def coefficients(self) -> Coefficients:
        """The tableau in floating point."""
        tableau, stages, width = self.tableau, self.tableau.stages, len(self.tableau.with_end)
        rows = (*tableau.matrix, tableau.weights, tableau.error, *tableau.dense, *tableau.extra)
        table = np.array([[float(w) for w in padded(entries, width)] for entries in rows])
        last = stages if tableau.needs_end else self._error_stage - 1
        scale = 0 if self.is_fixed else last if self.scale_stage is None else self.scale_stage
        sizes = np.zeros(METHOD_SIZES, np.int64)
        sizes[STAGES], sizes[ERROR_STAGE], sizes[SCALE_STAGE] = stages, self._error_stage, scale
        sizes[DEGREE], sizes[ERROR_ORDER] = len(tableau.dense), self.error_order
        sizes[END_FIRST], sizes[EXTRA] = tableau.needs_end, len(tableau.extra)
        sizes[FIRST_STAGE], sizes[WITH_PAST], sizes[TABLE_ROWS] = 1, stages, len(rows)
        sampled = (self.sample,) if self.sample else ()
        nodes = np.array([float(c) for c in (*tableau.nodes, Fraction(1), *tableau.extra_nodes, *sampled)])
        sizes[SAMPLED] = len(nodes) - 1 if self.sample else 0
        nothing = np.zeros((1, 1))
        certain = bernstein_matrix(len(tableau.dense))
        return Coefficients(sizes, nodes, table, nothing, nothing, certain, nothing, np.zeros(0, np.int64))


def explicit(tableau: Tableau, scale_stage: int | None = None, *, sample: Fraction = Fraction(0)) -> Method:
    """A method of the stepper; a tableau that has no interpolant is given Hermite's cubic."""
    if not tableau.dense:
        dense = cubic(tableau.stages, tableau.weights)
        tableau = replace(tableau, dense=dense, dense_order=min(3, tableau.order))
    return Method(tableau, scale_stage, sample=sample)


def fixed(name: str, order: int, matrix: tuple[Row, ...], weights: Row, source: str) -> Method:
    """An explicit Runge-Kutta method of fixed step: it steps dt_max unless an event cuts the step, whatever tolerances.

    matrix      row i: weights of the earlier stages in the argument of stage i; its sum is the stage's node
    Raises      ModelError if a row has weights of later stages, or there is not one row for each weight
    """
    nodes = tuple(sum(entries, Fraction(0)) for entries in matrix)
    return explicit(Tableau(name, order, nodes, matrix, weights, source=source))
