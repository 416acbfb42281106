"""Exact numbers of tableaux: fractions, and numbers a + b * sqrt(d) with one square root."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TypeAlias

_DIGITS = 10**60
"""Square roots are cut after 60 digits when a number is rounded to a float: no difference of two loses its bits."""


class Surd:
    """The exact number a + b * sqrt(d), a and b fractions, d a whole number that is no square.

    Sums, products and quotients with fractions, whole numbers and surds of the same root are exact; with those of
    another root they raise ValueError. A surd with b = 0 equals the fraction a.
    """

    __slots__ = ("a", "b", "d")

    def __init__(self, a: Fraction | int, b: Fraction | int, d: int) -> None:
        if d < 2 or isqrt(d) ** 2 == d:
            raise ValueError(f"the root of {d} is no surd: take a whole number above 1 that is no square")
        self.a = Fraction(a)
        self.b = Fraction(b)
        self.d = d

    def _parts(self, other: Exact | int) -> tuple[Fraction, Fraction]:
        if not isinstance(other, Surd):
            return Fraction(other), Fraction(0)
        if other.d != self.d and other.b != 0:
            raise ValueError(f"{self!r} and {other!r} have different roots: their sums and products are no surds")
        return other.a, other.b

    def __add__(self, other: Exact | int) -> Surd:
        a, b = self._parts(other)
        return Surd(self.a + a, self.b + b, self.d)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.d)

    def __sub__(self, other: Exact | int) -> Surd:
        a, b = self._parts(other)
        return Surd(self.a - a, self.b - b, self.d)

    def __rsub__(self, other: Exact | int) -> Surd:
        return -self + other

    def __mul__(self, other: Exact | int) -> Surd:
        a, b = self._parts(other)
        return Surd(self.a * a + self.d * self.b * b, self.a * b + self.b * a, self.d)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Surd:
        a, b = self._parts(other)
        norm = a * a - self.d * b * b
        return self * Surd(a / norm, -b / norm, self.d)

    def __rtruediv__(self, other: Exact | int) -> Surd:
        a, b = self._parts(other)
        return Surd(a, b, self.d) / self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Surd):
            return self.a == other.a and self.b == other.b and (self.d == other.d or self.b == 0)
        if isinstance(other, (int, float, Fraction)):
            return self.b == 0 and self.a == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.a, self.b, self.d)) if self.b else hash(self.a)

    def __bool__(self) -> bool:
        return bool(self.a or self.b)

    def __float__(self) -> float:
        return float(self.a + self.b * Fraction(isqrt(self.d * _DIGITS * _DIGITS), _DIGITS))

    def __repr__(self) -> str:
        return f"{self.a} + {self.b} * sqrt({self.d})"


Exact: TypeAlias = Fraction | Surd
"""An exact number of a tableau."""

Row: TypeAlias = tuple[Exact, ...]
"""Numbers of a row of a tableau; entries left off at its end are zero."""


def row(text: str) -> tuple[Fraction, ...]:
    """The fractions of a row as books print it: `row("3/40 9/40")`; decimals are taken digit by digit."""
    return tuple(Fraction(entry) for entry in text.split())


def rows(*texts: str) -> tuple[tuple[Fraction, ...], ...]:
    """The rows of a matrix, each as in `row`."""
    return tuple(row(text) for text in texts)


def dot(left: Row, right: Row) -> Exact:
    """The scalar product of two rows; the longer one is cut."""
    total: Exact = Fraction(0)
    for x, y in zip(left, right, strict=False):
        if x and y:
            total += x * y
    return total


def combine(*terms: tuple[Exact | int, Row]) -> Row:
    """The sum of multiples of rows, shorter ones filled up with zeros."""
    total: list[Exact] = [Fraction(0)] * max(len(entries) for _, entries in terms)
    for factor, entries in terms:
        for j, entry in enumerate(entries):
            total[j] = total[j] + factor * entry
    return tuple(total)


def power(base: Exact, exponent: int) -> Exact:
    """An exact power; 0**0 is 1."""
    result: Exact = Fraction(1)
    for _ in range(exponent):
        result = result * base
    return result


def padded(entries: Row, width: int) -> Row:
    """A row filled up with zeros."""
    return (*entries, *(Fraction(0),) * (width - len(entries)))
