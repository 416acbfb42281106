"""Methods that use the rate at the start of the step before: the manual's ADAMS, HEUN and ADAMS with SIMPSON.

Such a method is a tableau whose entries depend on the ratio r = D / Dp of a step to the one before, and in which one
stage is not evaluated: stage 0 is the rate at the start of the step, stage 1 the one at the start of the step before,
and the others are evaluated in order. Without a past, at a start or after an event, the step is that of a one-step
method, its starter, whose stages are the same but for stage 1.

Source: Helsgaun, COMBINEDSIMULATION manual, 2.2.1, corrected, with coefficients for steps of any ratio.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from eventide.engine.codes import (
    DEGREE,
    DIVISOR,
    ERROR_ORDER,
    ERROR_STAGE,
    FIRST_STAGE,
    METHOD_SIZES,
    STAGES,
    TABLE_ROWS,
    WITH_PAST,
    Coefficients,
)
from eventide.methods.bernstein import bernstein_matrix
from eventide.methods.conditions import order_defects
from eventide.methods.explicit_fixed import KUTTA_SIMPSON, TRAPEZOID
from eventide.methods.interpolants import cubic
from eventide.methods.surd import Exact, Row, padded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.methods.method import Method
    from eventide.methods.trees import Tree

PAST: Final = 1
"""The stage that is the rate at the start of the step before."""
CUBIC: Final = 3
"""The degree of its interpolant, Hermite's."""


class Weights(NamedTuple):
    """A multistep method for one ratio: rows of the matrix, and the weights of the result."""

    matrix: tuple[Row, ...]
    weights: Row


@dataclass(frozen=True)
class Multistep:
    """A two-step method: y1 = y0 + D sum_i b_i(r) k_i, k_i = f(t0 + c_i D, y0 + D sum_j a_ij(r) k_j), j < i.

    name        how it is called in reports
    order       of the solution, with steps of any ratio
    formula     from the ratio r to rows and weights; each entry is a quadratic in r, divided by 1 + divisor * r
    divisor     0 or 1
    starter     makes the first step after whatever ends the past: a start, an event, a change of method
    source      where it was published
    """

    name: str
    order: int
    formula: Callable[[Fraction], Weights]
    divisor: int
    starter: Method
    source: str

    @property
    def nodes(self) -> Row:
        """Stage times in units of the step; that of the past stage is not used."""
        return _with_past(self.starter.nodes)

    @property
    def stages(self) -> int:
        """How many stages a step has, the past one included, if it is the first."""
        return len(self.nodes)

    @property
    def later_stages(self) -> int:
        """How many stages a step has that follows another: Adams' formula needs none but the two that are known."""
        return len(self.at(1).weights)

    @property
    def evaluations(self) -> int:
        """How often a step that follows another runs the laws, once for the rate at its end included."""
        return self.later_stages - 1

    @property
    def is_fixed(self) -> bool:
        """It has no error estimate and steps dt_max."""
        return True

    def at(self, ratio: Fraction | int) -> Weights:
        """Its exact numbers for one ratio of a step to the one before."""
        return self.formula(Fraction(ratio))

    def order_defects(self, ratio: Fraction | int, order: int | None = None) -> dict[Tree, Exact]:
        """What the order conditions miss for one ratio, exactly, with the past on the exact solution."""
        matrix, weights = self.at(ratio)
        return order_defects(matrix, weights, order or self.order, {PAST: Fraction(-1) / ratio})

    @cached_property
    def start(self) -> Weights:
        """Its numbers for a step without a past: those of the starter."""
        tableau = self.starter.tableau
        first, *others = tableau.matrix
        return Weights((first, (), *map(_with_past, others)), _with_past(tableau.weights))

    @cached_property
    def layers(self) -> NDArray[np.float64]:
        """The table (4, rows, stages + 1) of `tables.Coefficients`: coefficients of 1, r, r**2, and the one at a start.

        For a ratio r the table is (q[0] + r * q[1] + r**2 * q[2]) / (1 + divisor * r): rows for the argument of each
        stage, the result, the error estimate (zero) and Hermite's cubic.
        """
        first, second, third = (self._scaled(r) for r in (1, 2, 3))
        start = self._table(self.start)
        layers = np.zeros((4, len(start), self.stages + 1))
        for i, entries in enumerate(start):
            for j, entry in enumerate(entries):
                bend = (third[i][j] - 2 * second[i][j] + first[i][j]) / 2
                slope = second[i][j] - first[i][j] - 3 * bend
                layers[:, i, j] = [float(q) for q in (first[i][j] - slope - bend, slope, bend, entry)]
        return layers

    def _scaled(self, ratio: int) -> list[Row]:
        """The table at a ratio, times 1 + divisor * ratio: quadratics in the ratio."""
        scale = 1 + self.divisor * ratio
        return [tuple(scale * entry for entry in entries) for entries in self._table(self.at(ratio))]

    def _table(self, numbers: Weights) -> list[Row]:
        matrix, weights = numbers
        lines = [*matrix, *[()] * (self.stages - len(matrix)), weights, (), *cubic(self.stages, weights)]
        return [padded(entries, self.stages + 1) for entries in lines]

    @property
    def coefficients(self) -> Coefficients:
        """Its numbers as the stepper takes them: a table of its own for each caller, which writes to it."""
        rows = self.layers.shape[1]
        sizes = np.zeros(METHOD_SIZES, np.int64)
        sizes[STAGES], sizes[ERROR_STAGE], sizes[DEGREE] = self.stages, self.stages, CUBIC
        sizes[ERROR_ORDER], sizes[FIRST_STAGE], sizes[WITH_PAST] = self.order, PAST + 1, self.later_stages
        sizes[DIVISOR], sizes[TABLE_ROWS] = self.divisor, rows
        nodes = np.array([*(float(c) for c in self.nodes), 1.0])
        layers = np.ascontiguousarray(self.layers.reshape(4 * rows, -1))
        start, certain = self.layers[3], bernstein_matrix(CUBIC)
        return Coefficients(sizes, nodes, start, layers, start.copy(), certain, np.zeros((1, 1)), np.zeros(0, np.int64))

    def __repr__(self) -> str:
        return f"<Multistep {self.name!r}, order {self.order}>"


def _adams(r: Fraction) -> Weights:
    return Weights(((), ()), (1 + r / 2, -r / 2))


def _heun(r: Fraction) -> Weights:
    last = (2 * r + 3) / (6 * (r + 1))
    past = -r * r / (6 * (r + 1))
    return Weights(((), (), (1 + r / 2, -r / 2)), (1 - past - last, past, last))


def _heun_2(r: Fraction) -> Weights:
    half = Fraction(1, 2)
    return Weights(((), (), (1 + r / 2, -r / 2)), (half, Fraction(0), half))


def _adams_simpson(r: Fraction) -> Weights:
    half, sixth = Fraction(1, 2), Fraction(1, 6)
    matrix: tuple[Row, ...] = (
        (),
        (),
        (half + r / 8, -r / 8),
        (-1 - r / 2, r / 2, Fraction(2)),
    )
    return Weights(matrix, (sixth, Fraction(0), 4 * sixth, sixth))


def _with_past(entries: Row) -> Row:
    """A row or the nodes of the starter with a place for the past stage."""
    return (*entries[:PAST], Fraction(0), *entries[PAST:])


ADAMS: Final = Multistep(
    name="Adams",
    order=2,
    formula=_adams,
    divisor=0,
    starter=TRAPEZOID,
    source="Helsgaun, COMBINEDSIMULATION manual, 2.2.1.4; Hairer, Norsett & Wanner, Solving ODEs I, III.5",
)
"""The explicit two-step formula of Adams and Bashforth: order 2, one evaluation a step."""

HEUN: Final = Multistep(
    name="Heun",
    order=3,
    formula=_heun,
    divisor=1,
    starter=TRAPEZOID,
    source="Helsgaun, COMBINEDSIMULATION manual, 2.2.1.6, with the corrector of Adams and Moulton on three points, by "
    "which it has the order that its text claims",
)
"""Adams' formula corrected by the three-point formula of Adams and Moulton: order 3, two evaluations a step."""

HEUN_AS_PRINTED: Final = Multistep(
    name="Heun, as printed",
    order=2,
    formula=_heun_2,
    divisor=0,
    starter=TRAPEZOID,
    source="Helsgaun, COMBINEDSIMULATION manual, 2.2.1.6",
)
"""Adams' formula corrected by the trapezoidal rule: order 2, two evaluations a step."""

ADAMS_SIMPSON: Final = Multistep(
    name="Adams-Simpson",
    order=4,
    formula=_adams_simpson,
    divisor=0,
    starter=KUTTA_SIMPSON,
    source="Helsgaun, COMBINEDSIMULATION manual, 2.2.1 (announced, not printed): Simpson's weights with increments of "
    "Adams' formula in the stages; the order conditions leave no other choice",
)
"""The manual's method without a name, ADAMS together with SIMPSON: order 4, three evaluations a step."""
