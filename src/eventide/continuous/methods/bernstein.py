"""Polynomials by their Bernstein coefficients, between the least and the greatest of which they lie on [0, 1]."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@cache
def bernstein_matrix(degree: int) -> NDArray[np.float64]:
    """From values at 0, 1/degree, ..., 1 to Bernstein coefficients: (degree + 1, degree + 1), rounded once.

    Source      Farouki, The Bernstein polynomial basis: a centennial retrospective, CAGD 29 (2012), section 3
    """
    n = degree
    rows = [
        [Fraction(comb(n, j)) * Fraction(i, n) ** j * Fraction(n - i, n) ** (n - j) for j in range(n + 1)]
        for i in range(n + 1)
    ]
    return np.array([[float(entry) for entry in row] for row in _inverse(rows)])


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    """The inverse of a regular matrix, by elimination."""
    size = len(matrix)
    rows = [[*row, *(Fraction(int(i == j)) for j in range(size))] for i, row in enumerate(matrix)]
    for k in range(size):
        pivot = next(i for i in range(k, size) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for i in range(size):
            if i != k and rows[i][k]:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]
