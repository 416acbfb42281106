"""Eigenvalues and eigenvectors of small matrices to fifty digits, so that every machine rounds to the same floats.

Computed with decimals: libraries for floats return other last bits on other processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from eventide.errors import ModelError
from eventide.methods.surd import Exact, Surd

if TYPE_CHECKING:
    from eventide.methods.collocation import Matrix

DIGITS: Final = 60
CLOSE: Final = Decimal(10) ** -45
"""Numbers that are nearer to each other are the same."""
ROUNDS: Final = 400
"""So often all roots are corrected at most."""

Complex: TypeAlias = tuple[Decimal, Decimal]


class Spectrum(NamedTuple):
    """A real matrix as transform . blocks . inverse, all three (s, s).

    blocks      on the diagonal the real eigenvalues, then 2 x 2 blocks ((a, -b), (b, a)) for the pairs a +- ib, b > 0;
                below it whatever is left, where the matrix cannot be made diagonal
    reals       how many real eigenvalues there are
    """

    blocks: list[list[float]]
    transform: list[list[float]]
    inverse: list[list[float]]
    reals: int


def triangular(matrix: Matrix) -> Spectrum:
    """A lower triangular matrix as it is: its blocks are itself."""
    size = len(matrix)
    unit = [[float(i == j) for j in range(size)] for i in range(size)]
    return Spectrum([[float(entry) for entry in row] for row in matrix], unit, unit, size)


def spectrum(matrix: Matrix) -> Spectrum:
    """The real eigenvalues of a matrix, largest first, then the pairs, largest real part first; vectors end with 1.

    Raises      ModelError if two eigenvalues are equal
    """
    with localcontext() as context:
        context.prec = DIGITS
        entries = [[decimal(entry) for entry in row] for row in matrix]
        roots = _roots(_characteristic(matrix))
        size = len(roots)
        for i, one in enumerate(roots):
            if any(_size(_minus(one, other)) < CLOSE.sqrt() for other in roots[:i]):
                raise ModelError("two eigenvalues of this matrix are equal: it may not have a basis of eigenvectors")
        real = sorted((root for root in roots if abs(root[1]) < CLOSE), key=lambda z: -z[0])
        pairs = sorted((root for root in roots if root[1] >= CLOSE), key=lambda z: (-z[0], z[1]))
        blocks = [[Decimal(0)] * size for _ in range(size)]
        columns: list[list[Decimal]] = []
        for k, value in enumerate(real):
            blocks[k][k] = value[0]
            columns.append([part for part, _ in _vector(entries, (value[0], Decimal(0)))])
        for k, (a, b) in enumerate(pairs):
            i = len(real) + 2 * k
            blocks[i][i] = blocks[i + 1][i + 1] = a
            blocks[i][i + 1], blocks[i + 1][i] = -b, b
            vector = _vector(entries, (a, b))
            columns += [[part for part, _ in vector], [-part for _, part in vector]]
        transform = [list(row) for row in zip(*columns, strict=True)]
        return Spectrum(_rounded(blocks), _rounded(transform), _rounded(_inverse(transform)), len(real))


def decimal(number: Exact) -> Decimal:
    """An exact number to the digits of the present context."""
    if isinstance(number, Surd):
        return decimal(number.a) + decimal(number.b) * Decimal(number.d).sqrt()
    return Decimal(number.numerator) / Decimal(number.denominator)


def _rounded(rows: list[list[Decimal]]) -> list[list[float]]:
    return [[float(entry) for entry in row] for row in rows]


def _characteristic(matrix: Matrix) -> list[Decimal]:
    """The coefficients of det(x - A), that of the highest power first. Source: the method of Faddeev and Le Verrier."""
    size = len(matrix)
    power: list[list[Exact]] = [[Fraction(0)] * size for _ in range(size)]
    coefficients: list[Exact] = [Fraction(1)]
    for k in range(1, size + 1):
        for i in range(size):
            power[i][i] = power[i][i] + coefficients[-1]
        power = [
            [sum((matrix[i][m] * power[m][j] for m in range(size)), Fraction(0)) for j in range(size)]
            for i in range(size)
        ]
        trace: Exact = sum((power[i][i] for i in range(size)), Fraction(0))
        coefficients.append(-trace / k)
    return [decimal(c) for c in coefficients]


def _roots(coefficients: Sequence[Decimal]) -> list[Complex]:
    """All roots of a polynomial whose first coefficient is 1. Source: the method of Weierstrass, Durand and Kerner."""
    degree = len(coefficients) - 1
    radius = 1 + max(abs(c) for c in coefficients[1:])
    start: Complex = (Decimal("0.4"), Decimal("0.9"))
    roots: list[Complex] = [(radius, Decimal(0))]
    for _ in range(degree - 1):
        roots.append(_times(roots[-1], start))
    for _ in range(ROUNDS):
        moved = Decimal(0)
        for i, root in enumerate(roots):
            value: Complex = (Decimal(0), Decimal(0))
            for c in coefficients:
                value = _times(value, root)
                value = (value[0] + c, value[1])
            below: Complex = (Decimal(1), Decimal(0))
            for j, other in enumerate(roots):
                if j != i:
                    below = _times(below, _minus(root, other))
            change = _over(value, below)
            roots[i] = _minus(root, change)
            moved = max(moved, _size(change))
        if moved < CLOSE / 100:
            break
    return [(a, b if abs(b) >= CLOSE else Decimal(0)) for a, b in roots]


def _vector(matrix: list[list[Decimal]], value: Complex) -> list[Complex]:
    """The eigenvector whose last entry is 1."""
    last = len(matrix) - 1
    rows: list[list[Complex]] = []
    for i in range(last):
        row: list[Complex] = [(matrix[i][j], Decimal(0)) for j in range(last)]
        row[i] = _minus(row[i], value)
        rows.append([*row, (-matrix[i][last], Decimal(0))])
    return [*_solved(rows), (Decimal(1), Decimal(0))]


def _inverse(matrix: list[list[Decimal]]) -> list[list[Decimal]]:
    size = len(matrix)
    columns = []
    for k in range(size):
        rows: list[list[Complex]] = [
            [*((entry, Decimal(0)) for entry in row), (Decimal(int(i == k)), Decimal(0))]
            for i, row in enumerate(matrix)
        ]
        columns.append([part for part, _ in _solved(rows)])
    return [list(row) for row in zip(*columns, strict=True)]


def _solved(rows: list[list[Complex]]) -> list[Complex]:
    """The solution of a linear system whose right side is the last column."""
    size = len(rows)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: _size(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [_over(entry, rows[k][k]) for entry in rows[k]]
        for i in range(size):
            if i != k:
                factor = rows[i][k]
                rows[i] = [_minus(x, _times(factor, y)) for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size] for row in rows]


def _minus(x: Complex, y: Complex) -> Complex:
    return x[0] - y[0], x[1] - y[1]


def _times(x: Complex, y: Complex) -> Complex:
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _over(x: Complex, y: Complex) -> Complex:
    norm = y[0] * y[0] + y[1] * y[1]
    return (x[0] * y[0] + x[1] * y[1]) / norm, (x[1] * y[0] - x[0] * y[1]) / norm


def _size(x: Complex) -> Decimal:
    return abs(x[0]) + abs(x[1])
