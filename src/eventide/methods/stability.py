"""The stability function of a Runge-Kutta method: the factor of one step for y' = lambda y, with z = h lambda."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from eventide.methods.surd import Exact, Row, Surd, dot, padded

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from eventide.methods.tableau import Tableau

_SLACK = 1e-12
"""By how much |R| may exceed 1 for want of digits."""


@dataclass(frozen=True)
class StabilityFunction:
    """R(z) = numerator(z) / denominator(z), both as exact coefficients of 1, z, z**2, ...

    The denominator of an explicit method is 1.
    """

    numerator: Row
    denominator: Row

    def __call__(self, z: ArrayLike) -> NDArray[np.complex128]:
        """R at complex numbers, of the same shape."""
        points = np.asarray(z, dtype=np.complex128)
        value: NDArray[np.complex128] = _evaluate(self.numerator, points) / _evaluate(self.denominator, points)
        return value

    def region(self, real: ArrayLike, imaginary: ArrayLike) -> NDArray[np.float64]:
        """|R| on a grid, one row for each imaginary part, one column for each real part; stable where at most 1."""
        x, y = np.meshgrid(np.asarray(real, dtype=np.float64), np.asarray(imaginary, dtype=np.float64))
        return np.abs(self(x + 1j * y))

    @property
    def at_infinity(self) -> float:
        """|R| where z tends to infinity: 0 for what damps stiff parts at once, infinity for explicit methods."""
        top, bottom = _degree(self.numerator), _degree(self.denominator)
        if top != bottom:
            return 0.0 if top < bottom else float("inf")
        return abs(float(self.numerator[top]) / float(self.denominator[bottom]))

    def stable_to(self, direction: complex, limit: float = 100.0, points: int = 20_000) -> float:
        """How far |R| stays at most 1 along a direction in the complex plane, such as -1 or 1j; `limit` if to there.

        points      samples before the bound is bisected: a narrower gap may be missed
        """
        unit = direction / abs(direction)
        distances = np.linspace(0.0, limit, points + 1)[1:]
        unstable = np.flatnonzero(~(np.abs(self(unit * distances)) <= 1.0 + _SLACK))
        if not len(unstable):
            return limit
        first = int(unstable[0])
        low, high = (float(distances[first - 1]) if first else 0.0), float(distances[first])
        for _ in range(60):
            middle = (low + high) / 2
            if abs(complex(self(unit * middle))) <= 1.0 + _SLACK:
                low = middle
            else:
                high = middle
        return low

    @property
    def is_a_stable(self) -> bool:
        """Whether |R| is at most 1 in all of the left half plane.

        So it is if R has no pole there and |denominator|**2 - |numerator|**2 >= 0 on the imaginary axis, a polynomial
        in y**2 that is computed exactly. Source: Hairer & Wanner, Solving ODEs II, IV.3.
        """
        if self.at_infinity > 1.0 + _SLACK or _degree(self.denominator) == 0:
            return False
        poles = np.roots([float(c) for c in reversed(self.denominator)])
        excess = _minus(_square_on_axis(self.denominator), _square_on_axis(self.numerator))
        if np.any(poles.real <= 0.0):
            return False
        if not any(excess):
            return True
        highest = float(excess[_degree(excess)])
        roots = np.roots([float(c) for c in reversed(excess[: _degree(excess) + 1])])
        crossings = [r for r in roots if abs(r.imag) < _SLACK * max(1.0, abs(r)) and r.real > _SLACK]
        return highest > 0.0 and not crossings

    @property
    def is_l_stable(self) -> bool:
        """Whether it is A-stable and R vanishes at infinity."""
        return self.at_infinity == 0.0 and self.is_a_stable


def stability_function(tableau: Tableau) -> StabilityFunction:
    """R(z) = det(I - z A + z 1 b^T) / det(I - z A), with exact coefficients.

    Source      Hairer & Wanner, Solving ODEs II, IV.3, Proposition 3.2
    """
    matrix = tuple(padded(entries, tableau.stages) for entries in tableau.matrix)
    less = tuple(tuple(a - b for a, b in zip(entries, tableau.weights, strict=True)) for entries in matrix)
    return StabilityFunction(_trimmed(_determinant(less)), _trimmed(_determinant(matrix)))


def _determinant(matrix: tuple[Row, ...]) -> Row:
    """The coefficients of det(I - z M), by Faddeev and LeVerrier."""
    size = len(matrix)
    coefficients: list[Exact] = [Fraction(1)]
    product: tuple[Row, ...] = tuple(tuple(Fraction(int(i == j)) for j in range(size)) for i in range(size))
    for k in range(1, size + 1):
        columns = tuple(zip(*product, strict=True))
        product = tuple(tuple(dot(entries, column) for column in columns) for entries in matrix)
        trace: Exact = Fraction(0)
        for i in range(size):
            trace = trace + product[i][i]
        coefficient = -trace / k
        coefficients.append(coefficient)
        product = tuple(
            tuple(entry + coefficient if i == j else entry for j, entry in enumerate(entries))
            for i, entries in enumerate(product)
        )
    return tuple(coefficients)


def _trimmed(coefficients: Row) -> Row:
    """Without zeros at the end, and with fractions as such."""
    plain = (c.a if isinstance(c, Surd) and c.b == 0 else c for c in coefficients[: _degree(coefficients) + 1])
    return tuple(plain)


def _degree(coefficients: Row) -> int:
    return max(k for k, c in enumerate(coefficients) if c)


def _evaluate(coefficients: Row, points: NDArray[np.complex128]) -> NDArray[np.complexfloating]:
    return np.polynomial.polynomial.polyval(points, [float(c) for c in coefficients])


def _square_on_axis(coefficients: Row) -> Row:
    """|p(iy)|**2 as coefficients of 1, y**2, y**4, ..."""
    even = [c if k % 4 == 0 else -c for k, c in enumerate(coefficients) if k % 2 == 0]
    odd = [c if k % 4 == 1 else -c for k, c in enumerate(coefficients) if k % 2 == 1]
    result: list[Exact] = [Fraction(0)] * len(coefficients)
    for shift, part in ((0, even), (1, odd)):
        for i, a in enumerate(part):
            for j, b in enumerate(part):
                result[i + j + shift] = result[i + j + shift] + a * b
    return tuple(result)


def _minus(left: Row, right: Row) -> Row:
    width = max(len(left), len(right))
    return tuple(a - b for a, b in zip(padded(left, width), padded(right, width), strict=True))
