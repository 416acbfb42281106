"""Butcher tableaux: Runge-Kutta methods as exact data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import ModelError
from eventide.methods.conditions import dense_defects, order_defects
from eventide.methods.surd import Exact, Row, combine, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.methods.trees import Tree

LEAST_STAGES: Final = (1, 2, 3, 4, 6, 7, 9, 11)
"""The least number of stages of an explicit method of order 1, 2, ... 8.

Source: Butcher, Numerical Methods for Ordinary Differential Equations, 324; Pannek, lecture notes, Table 3.5."""


@dataclass(frozen=True)
class Tableau:
    """A Runge-Kutta method: y1 = y0 + h sum_i b_i k_i with k_i = f(t0 + c_i h, y0 + h sum_j a_ij k_j).

    name            its name in reports
    order           of the solution that is propagated
    nodes           c: stage times, in units of the step
    matrix          row i: a_ij, weights of the stages in the argument of stage i; entries left off at its end are zero
    weights         b: weights of the stages in the step's result
    embedded        weights of a second solution, whose difference from the first is the error estimate; one entry more
                    than there are stages is the weight of the rate at the end of the step
    embedded_order  its order; 0 if there is none
    extra           rows of stages that the interpolant alone needs; their entries are of the stages, of the rate at the
                    end and of the extra stages before
    extra_nodes     their times
    dense           row m: weights of theta**(m+1) in the interpolant: of the stages, the end, and the extra stages
    dense_order     order of the interpolant: its local error is of one order more
    source          where it was published
    digits          to how many decimals the source gives the numbers; None: they are exact
    Raises          ModelError if rows do not fit each other, a node is not the sum of its row, or the order is above
                    the maximum for that number of stages
    """

    name: str
    order: int
    nodes: Row
    matrix: tuple[Row, ...]
    weights: Row
    embedded: Row = ()
    embedded_order: int = 0
    extra: tuple[Row, ...] = ()
    extra_nodes: Row = ()
    dense: tuple[Row, ...] = ()
    dense_order: int = 0
    source: str = ""
    digits: int | None = None

    def __post_init__(self) -> None:
        self._check_shape()
        for i, entries in enumerate((*self.matrix, *self.extra)):
            node = (*self.nodes, *self.extra_nodes)[i]
            missed = abs(float(sum(entries, Fraction(0)) - node))
            if missed > self.tolerance:
                raise ModelError(
                    f"{self.name}: row {i} of the matrix sums to {missed:.3g} off its node {node}; a node is "
                    "the sum of its row"
                )
        most = highest_order(self.stages) if self.is_explicit else 2 * self.stages
        if not 1 <= self.order <= most:
            kind = "explicit" if self.is_explicit else "implicit"
            raise ModelError(
                f"{self.name} claims order {self.order}: an {kind} method of {self.stages} stages has at least 1 and "
                f"at most {most}"
            )

    def _check_shape(self) -> None:
        widths = [len(entries) for entries in self.matrix]
        if not self.stages or len(self.weights) != self.stages or len(widths) != self.stages:
            raise ModelError(
                f"{self.name}: {self.stages} nodes, {len(self.weights)} weights and {len(widths)} rows of the matrix; "
                "each stage has one of each"
            )
        if max(widths) > self.stages:
            raise ModelError(f"{self.name}: rows of {widths} entries for {self.stages} stages")
        if len(self.embedded) > self.stages + 1 or any(len(entries) > len(self.with_end) for entries in self.dense):
            raise ModelError(
                f"{self.name}: an embedded solution has at most {self.stages + 1} entries, one for each stage and one "
                f"for the rate at the end, and a row of the interpolant {len(self.with_end)}"
            )

    @property
    def stages(self) -> int:
        """How many stages it has."""
        return len(self.nodes)

    @property
    def tolerance(self) -> float:
        """How far sums of its numbers may be off for want of digits; 0 if they are exact."""
        return 0.0 if self.digits is None else 10.0 ** (3 - self.digits)

    @property
    def is_explicit(self) -> bool:
        """Whether each stage needs earlier ones only."""
        return not any(any(entries[i:]) for i, entries in enumerate(self.matrix))

    @property
    def is_diagonal(self) -> bool:
        """Whether each stage needs itself and earlier ones only, so that stages can be solved one by one."""
        return not any(any(entries[i + 1 :]) for i, entries in enumerate(self.matrix))

    @property
    def needs_end(self) -> bool:
        """Whether the error estimate needs the rate at the end of the step, which is the first one of the next."""
        return len(self.embedded) > self.stages and bool(self.embedded[-1])

    @cached_property
    def error(self) -> Row:
        """Weights of the error estimate: the solution of higher order less that of lower order."""
        if not self.embedded:
            return (Fraction(0),) * self.stages
        sign = 1 if self.order > self.embedded_order else -1
        return combine((sign, self.weights), (-sign, self.embedded))

    @property
    def error_order(self) -> int:
        """The order of the solution whose error is estimated."""
        return min(self.order, self.embedded_order) if self.embedded else self.order

    @cached_property
    def with_end(self) -> tuple[Row, ...]:
        """The matrix with further rows: the end of the step, whose rate other rows may use, and the extra stages."""
        return (*self.matrix, padded(self.weights, self.stages), *self.extra)

    def order_defects(self, order: int | None = None, weights: Row | None = None) -> dict[Tree, Exact]:
        """What the order conditions miss, exactly, for every rooted tree with at most `order` nodes.

        order       the tableau's own if None
        weights     of another solution than the propagated one, such as `embedded`
        """
        return order_defects(self.with_end, weights or self.weights, order or self.order)

    def dense_defects(self, order: int | None = None) -> dict[tuple[Tree, int], Exact]:
        """What the conditions of the interpolant miss, exactly, for every rooted tree and power of theta."""
        return dense_defects(self.with_end, self.dense, order or self.dense_order)

    def contraction_constant(self, step: float, lipschitz: float) -> float:
        """The factor by which a fixed-point iteration for the stages shrinks their distance at least: h L max_i |a_i|.

        It converges if this is below 1. `lipschitz` is the constant of f in the maximum norm.
        Source      Pannek, lecture notes, Theorem 3.31, whose constant h L lacks the norm of the matrix
        """
        widest = max(sum(abs(float(entry)) for entry in entries) for entries in self.matrix)
        return abs(step) * lipschitz * widest

    @cached_property
    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Nodes (s,), matrix (s, s) and weights (s,) in floating point."""
        s = self.stages
        matrix = np.array([[float(entry) for entry in padded(entries, s)] for entries in self.matrix])
        return np.array([float(c) for c in self.nodes]), matrix, np.array([float(b) for b in self.weights])

    def __repr__(self) -> str:
        return f"<Tableau {self.name!r}, {self.stages} stages, order {self.order}>"


def highest_order(stages: int) -> int:
    """The highest order of an explicit method with a number of stages.

    From 9 on, where more is known of upper bounds than of methods, it is 3 less than the stages at most.
    """
    known = sum(1 for least in LEAST_STAGES if least <= stages)
    return known if stages < LEAST_STAGES[-1] + 1 else max(known, stages - 3)


@dataclass(frozen=True, repr=False)
class Tabulated:
    """A method of the stepper by its tableau."""

    tableau: Tableau

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

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, order {self.order}>"
