"""Bernstein coefficients of polynomials: a polynomial lies between the least and the greatest of them."""

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
    """From coefficients of powers of s to Bernstein coefficients on [-1, 1]: (degree + 1, degree + 1), rounded once.

    Source      Farouki, The Bernstein polynomial basis: a centennial retrospective, CAGD 29 (2012), section 3
    """
    powers = range(degree + 1)
    return np.array([[float(_entry(degree, i, k)) for k in powers] for i in powers])


def _entry(degree: int, i: int, k: int) -> Fraction:
    """What s**k = (2 u - 1)**k adds to coefficient i."""
    terms = (comb(k, j) * 2**j * (-1) ** (k - j) * Fraction(comb(i, j), comb(degree, j)) for j in range(min(i, k) + 1))
    return sum(terms, Fraction(0))
