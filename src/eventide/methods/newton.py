"""Implicit Runge-Kutta methods as the stepper runs them: all stages at once, by Newton's method.

In: an implicit tableau. Out: the numbers that `engine/newton_step.py` uses. The unknowns are the mean rates z_i = (Y_i
- y0) / h up to the stages. With M = inverse of A they solve M z = F(z), and M = T blocks inverse(T) splits the system
of s * n equations into one of n for each real eigenvalue and a complex one for each pair; diagonal tableaux share one.
A first stage that is the start itself is known; its contribution to the others is separate. Only Lobatto IIIB has a
singular matrix, and is refused.

Methods of collocation with an odd number of stages have an error estimate. It also corrects their interpolant, which
so has order 4 for Radau instead of 3, and stays within the tolerance on stiff problems. All other methods step dt_max.

Not supported: algebraic conditions 0 = g(x, z). The iteration would allow them (zeros in place of the eigenvalue);
what is missing is solving for z at the start and after each event before conditions are tested, and a field to declare
them.

Source: Hairer & Wanner, Solving ODEs II, IV.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from eventide.engine.codes import (
    DEGREE,
    ERROR_ORDER,
    ERROR_STAGE,
    ESTIMATED,
    FACTORS,
    FIRST_STAGE,
    IMPLICIT,
    METHOD_SIZES,
    MOST_IMPLICIT,
    PAIRS,
    REALS,
    STAGES,
    TABLE_ROWS,
    WITH_PAST,
    Coefficients,
)
from eventide.errors import ModelError
from eventide.methods.bernstein import bernstein_matrix
from eventide.methods.collocation import Matrix, collocation, solve
from eventide.methods.interpolants import cubic, rate_of
from eventide.methods.spectrum import Spectrum, spectrum, triangular
from eventide.methods.surd import Exact, Row, combine, dot, padded, power
from eventide.methods.tableau import Tableau, Tabulated


@dataclass(frozen=True, repr=False)
class Newton(Tabulated):
    """An implicit Runge-Kutta method for the stepper: `sim.method = ev.methods.RADAU`, or `Newton(tableau)`.

    A method of collocation with an odd number of stages has an error estimate and chooses its steps; the others step
    dt_max unless an event cuts the step or the iteration asks for shorter ones.

    tableau         its numbers; one that has no interpolant is given Hermite's cubic
    Raises          ModelError if the tableau is explicit, or its stages do not determine its rates (Lobatto IIIB), or
                    it has more than five implicit stages
    """

    def __post_init__(self) -> None:
        tableau = self.tableau
        if not isinstance(tableau, Tableau):
            raise ModelError(f"Newton takes an implicit tableau, as `ev.methods.GAUSS_2`, and got {tableau!r}")
        if tableau.is_explicit:
            raise ModelError(f"{self.name} is an explicit tableau: give `ev.methods.explicit(tableau)`")
        if self.implicit_stages > MOST_IMPLICIT:
            raise ModelError(
                f"{self.name} has {self.implicit_stages} implicit stages; the stepper has room for {MOST_IMPLICIT}"
            )
        try:
            self._inverse  # noqa: B018  # computed here, so that an error has the user's line
        except ZeroDivisionError:
            raise ModelError(
                f"{self.name} has a singular matrix, so that its stages do not determine its rates: take Lobatto IIIA "
                "or IIIC, or another family"
            ) from None

    @property
    def error_order(self) -> int:
        """The order of the solution whose error is controlled."""
        return self.tableau.stages if self.is_estimated else self.tableau.order

    @property
    def is_fixed(self) -> bool:
        """Whether it has no error estimate and steps dt_max."""
        return not self.is_estimated

    @cached_property
    def is_estimated(self) -> bool:
        """Whether it has an error estimate: of collocation, with a real eigenvalue and no stage at the start."""
        tableau = self.tableau
        matrix = tuple(padded(row, tableau.stages) for row in tableau.matrix)
        return tableau.stages % 2 == 1 and all(tableau.nodes) and matrix == collocation(tableau.nodes)

    @property
    def implicit_stages(self) -> int:
        """How many stages are unknown: all but one that is the start of the step."""
        return self.tableau.stages - self._known

    @property
    def _known(self) -> int:
        return 0 if any(self.tableau.matrix[0]) else 1

    @cached_property
    def _matrix(self) -> Matrix:
        """The rows and columns of the unknown stages."""
        return tuple(padded(row, self.tableau.stages)[self._known :] for row in self.tableau.matrix[self._known :])

    @cached_property
    def _inverse(self) -> Matrix:
        stages = self.implicit_stages
        columns = [solve(self._matrix, tuple(Fraction(int(i == j)) for i in range(stages))) for j in range(stages)]
        return tuple(zip(*columns, strict=True))

    @cached_property
    def _known_part(self) -> Row:
        """What the rate at the start gives to the mean rates."""
        if not self._known:
            return (Fraction(0),) * self.implicit_stages
        return tuple(padded(row, 1)[0] for row in self.tableau.matrix[1:])

    def _of_means(self, weights: Row) -> Row:
        """Weights of the stages' rates, and of the rate at the end, as weights of start, mean rates, and end."""
        stages = self.tableau.stages
        entries, end = padded(weights[:stages], stages), weights[stages:]
        own = entries[self._known :]
        means = tuple(dot(own, column) for column in zip(*self._inverse, strict=True))
        start: Exact = entries[0] if self._known else Fraction(0)
        return (start - dot(means, self._known_part), *means, *end)

    @property
    def nodes(self) -> Row:
        """Times of the start and of the unknown stages, in units of the step."""
        return (Fraction(0), *self.tableau.nodes[self._known :])

    @cached_property
    def weights(self) -> Row:
        """Weights of the rate at the start and of the mean rates in the step's result."""
        return self._of_means(self.tableau.weights)

    @cached_property
    def error(self) -> Row:
        """The same of what, divided by (real eigenvalue / h - J), is the error estimate.

        Source      Hairer & Wanner, Solving ODEs II, IV.8, (8.19)
        """
        if not self.is_estimated:
            return ()
        stages, nodes = self.tableau.stages, self.tableau.nodes
        system = tuple(tuple(power(c, q) for c in nodes) for q in range(stages))
        share = solve(system, tuple(Fraction(int(q == 0)) for q in range(stages)))
        return (Fraction(1), *(-dot(share, column) for column in zip(*self._inverse, strict=True)))

    @cached_property
    def dense(self) -> tuple[Row, ...]:
        """Row m: the same, and the weight of the rate at the end, of theta**(m+1) in the interpolant."""
        if self.tableau.dense:
            return tuple(self._of_means(row) for row in self.tableau.dense)
        return cubic(self.implicit_stages + 1, self.weights)

    @cached_property
    def bend(self) -> Row:
        """Entry m: what, times the real eigenvalue and the estimate of the error, is added to theta**(m+1) there.

        The polynomial of collocation misses the solution by M N(theta) / h**s up to higher orders, N the integral from
        0 of the product of all theta - c_i. Its slope at 0 differs from the rate there by M N'(0), and that difference
        is what the error estimate is made of, which is small also where the problem is stiff. N is zero at the end of
        the step. With it the interpolant has one order more.
        """
        if not self.is_estimated or self.order == self.tableau.stages:
            return ()
        product: Row = (Fraction(1),)
        for c in self.tableau.nodes:
            product = combine((-c, product), (1, (Fraction(0), *product)))
        return (*(entry / (product[0] * (m + 1)) for m, entry in enumerate(product)),)

    @cached_property
    def spectrum(self) -> Spectrum:
        """The inverse of the matrix, taken apart."""
        return triangular(self._inverse) if self.tableau.is_diagonal else spectrum(self._inverse)

    @cached_property
    def coefficients(self) -> Coefficients:
        """Its numbers in floating point."""
        stages, parts = self.implicit_stages + 1, self.spectrum
        dense = [[float(w) for w in padded(entries, stages + 2)] for entries in self.dense]
        dense += [[0.0] * (stages + 2) for _ in self.bend[len(dense) :]]
        for row, entry in zip(dense, self.bend, strict=False):
            row[-1] = parts.blocks[0][0] * float(entry)
        lines = ((), *(rate_of(i) for i in range(1, stages)), self.weights, self.error)
        rows = [[float(w) for w in padded(entries, stages + 2)] for entries in lines] + dense + self._iterated()
        width = stages + 1 + 2 * self.implicit_stages
        table = np.array([[*entries, *[0.0] * (width - len(entries))] for entries in rows])
        eigenvalues = [parts.blocks[i][i] for i in range(parts.reals)]
        sizes = np.zeros(METHOD_SIZES, np.int64)
        sizes[STAGES], sizes[ERROR_STAGE], sizes[WITH_PAST], sizes[FIRST_STAGE] = stages, stages, stages, 1
        sizes[DEGREE], sizes[ERROR_ORDER], sizes[TABLE_ROWS] = len(dense), self.error_order, len(table)
        sizes[IMPLICIT], sizes[ESTIMATED] = self.implicit_stages, self.is_estimated
        sizes[REALS], sizes[PAIRS] = parts.reals, (self.implicit_stages - parts.reals) // 2
        sizes[FACTORS] = 1 if len(set(eigenvalues)) == 1 else parts.reals
        nodes = np.array([*(float(c) for c in self.nodes), 1.0])
        nothing = np.zeros((1, 1))
        certain = bernstein_matrix(len(dense))
        return Coefficients(
            sizes, nodes, table, nothing, nothing, certain, np.array(parts.blocks), np.zeros(0, np.int64)
        )

    def _iterated(self) -> list[list[float]]:
        """The rows of the table for the iteration.

        Columns     the rate at the start, the mean rates, the rate at the end, the rates at the stages, the transformed
                    means
        """
        parts, count = self.spectrum, self.implicit_stages
        none = [0.0] * count
        known = [float(dot(row, self._known_part)) for row in self._inverse]
        given = [sum(t * g for t, g in zip(row, known, strict=True)) for row in parts.inverse]
        residues = [
            [start, *none, 0.0, *inverse, *(-entry for entry in block)]
            for start, inverse, block in zip(given, parts.inverse, parts.blocks, strict=True)
        ]
        means = [[0.0, *none, 0.0, *none, *row] for row in parts.transform]
        return [*residues, *means, *([0.0, *row] for row in parts.inverse)]
