"""What the stepper runs: an explicit tableau, and where in a step tolerances are measured."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from eventide.continuous.methods.bernstein import bernstein_matrix
from eventide.continuous.methods.interpolants import cubic
from eventide.continuous.methods.surd import Row, padded
from eventide.continuous.methods.tableau import Tableau
from eventide.continuous.tables import Coefficients
from eventide.errors import ModelError


@dataclass(frozen=True)
class Method:
    """An explicit Runge-Kutta method as the stepper runs it.

    tableau         its numbers
    scale_stage     the stage at whose argument relative tolerances are measured; None: the last one before the error is
                    known
    Raises          ModelError if the tableau is not explicit or has no interpolant
    """

    tableau: Tableau
    scale_stage: int | None = None

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
    def name(self) -> str:
        """How it is called in reports."""
        return self.tableau.name

    @property
    def source(self) -> str:
        """Where it was published."""
        return self.tableau.source

    @property
    def order(self) -> int:
        """The order of the solution that is propagated."""
        return self.tableau.order

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

    @property
    def evaluations(self) -> int:
        """How often a step that is accepted runs the laws."""
        return self._run.stages

    @property
    def evaluations_refused(self) -> int:
        """How often a step that is refused runs the laws; the rate at its start is known."""
        return self._error_stage - 1

    @cached_property
    def _run(self) -> Tableau:
        """The tableau as the stepper runs it: what needs the rate at the end has it as a stage."""
        return end_as_stage(self.tableau) if self.tableau.needs_end or self.tableau.extra else self.tableau

    @property
    def _error_stage(self) -> int:
        """How many stages the estimate needs: a step is refused before the others are evaluated."""
        error = self._run.error
        return max((j + 1 for j, entry in enumerate(error) if entry), default=self._run.stages)

    @cached_property
    def coefficients(self) -> Coefficients:
        """The tableau in floating point."""
        run = self._run
        rows = (*run.matrix, run.weights, run.error, *run.dense)
        table = np.array([[float(w) for w in padded(entries, run.stages + 1)] for entries in rows])
        scale = 0 if self.is_fixed else self._error_stage - 1 if self.scale_stage is None else self.scale_stage
        sizes = (run.stages, self._error_stage, scale, len(run.dense), self.error_order)
        nodes = np.array([float(c) for c in run.nodes])
        return Coefficients(np.array(sizes), nodes, table, bernstein_matrix(len(run.dense)), np.zeros(0, np.int64))

    def __repr__(self) -> str:
        return f"<Method {self.name!r}, order {self.order}>"


def explicit(tableau: Tableau, scale_stage: int | None = None) -> Method:
    """A method of the stepper; a tableau that has no interpolant is given Hermite's cubic."""
    if not tableau.dense:
        dense = cubic(tableau.stages, tableau.weights)
        tableau = replace(tableau, dense=dense, dense_order=min(3, tableau.order))
    return Method(tableau, scale_stage)


def end_as_stage(tableau: Tableau) -> Tableau:
    """The same method with the end of the step, and the extra stages after it, as ordinary stages.

    It costs one evaluation more: the rate at the end is evaluated as a stage, and again when the step is complete.
    """
    end, nothing = tableau.stages, Fraction(0)
    stages = len(tableau.with_end)

    def spread(entries: Row) -> Row:
        wide = padded(entries, stages)
        return (*wide[:end], nothing, *wide[end + 1 :], wide[end])

    return replace(
        tableau,
        nodes=(*tableau.nodes, Fraction(1), *tableau.extra_nodes),
        matrix=tableau.with_end,
        weights=padded(tableau.weights, stages),
        embedded=padded(tableau.embedded, stages),
        extra=(),
        extra_nodes=(),
        dense=tuple(spread(entries) for entries in tableau.dense),
    )


def fixed(name: str, order: int, matrix: tuple[Row, ...], weights: Row, source: str) -> Method:
    """An explicit Runge-Kutta method of fixed step: it steps dt_max unless an event cuts the step, whatever tolerances.

    matrix      row i: weights of the earlier stages in the argument of stage i; its sum is the stage's node
    Raises      ModelError if a row has weights of later stages, or there is not one row for each weight
    """
    nodes = tuple(sum(entries, Fraction(0)) for entries in matrix)
    return explicit(Tableau(name, order, nodes, matrix, weights, source=source))
