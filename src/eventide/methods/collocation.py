"""Implicit tableaux from their nodes: collocation and its relatives, by exact linear algebra.

For s nodes c, C(q) is sum_j a_ij c_j**(k-1) = c_i**k / k, and D(q) is sum_i b_i c_i**(k-1) a_ij = b_j (1 - c_j**k) / k,
each for k = 1 .. q.

Source: Hairer & Wanner, Solving ODEs II, IV.5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from eventide.methods.surd import Row, power

Matrix: TypeAlias = tuple[Row, ...]


def quadrature(nodes: Row) -> Row:
    """The weights of the rule on [0, 1] that is exact for polynomials of degree s - 1."""
    stages = len(nodes)
    return solve(_powers(nodes, stages), tuple(Fraction(1, k) for k in range(1, stages + 1)))


def collocation(nodes: Row) -> Matrix:
    """The matrix that meets C(s): Gauss, Radau IIA and Lobatto IIIA, according to the nodes."""
    stages = len(nodes)
    system = _powers(nodes, stages)
    return tuple(solve(system, tuple(power(c, k) / k for k in range(1, stages + 1))) for c in nodes)


def collocation_polynomial(nodes: Row) -> Matrix:
    """Row m: weights of theta**(m+1) in the polynomial whose slope is the rate at every node; its order is s."""
    stages = len(nodes)
    system = tuple(tuple(power(c, m) for m in range(stages)) for c in nodes)
    lagrange = [solve(system, _unit(j, stages)) for j in range(stages)]
    return tuple(tuple(polynomial[m] / (m + 1) for polynomial in lagrange) for m in range(stages))


def adjoint(nodes: Row) -> Matrix:
    """The matrix that meets D(s): Radau IA and Lobatto IIIB, according to the nodes."""
    stages, weights = len(nodes), quadrature(nodes)
    system = tuple(tuple(b * p for b, p in zip(weights, line, strict=True)) for line in _powers(nodes, stages))
    columns = [
        solve(system, tuple(b * (1 - power(c, k)) / k for k in range(1, stages + 1)))
        for b, c in zip(weights, nodes, strict=True)
    ]
    return tuple(zip(*columns, strict=True))


def lobatto_iiic(nodes: Row) -> Matrix:
    """The matrix that meets C(s-1) and has the first weight in all of its first column."""
    stages = len(nodes)
    system = (*_powers(nodes, stages - 1), _unit(0, stages))
    first = quadrature(nodes)[0]
    return tuple(solve(system, (*(power(c, k) / k for k in range(1, stages)), first)) for c in nodes)


def solve(matrix: Matrix, right: Row) -> Row:
    """The exact solution of a linear system.

    Raises      ZeroDivisionError if the matrix is singular
    """
    size = len(matrix)
    lines = [[*entries, value] for entries, value in zip(matrix, right, strict=True)]
    for k in range(size):
        pivot = next((i for i in range(k, size) if lines[i][k]), k)
        lines[k], lines[pivot] = lines[pivot], lines[k]
        head = lines[k][k]
        lines[k] = [entry / head for entry in lines[k]]
        for i in range(size):
            factor = lines[i][k]
            if i != k and factor:
                lines[i] = [entry - factor * above for entry, above in zip(lines[i], lines[k], strict=True)]
    return tuple(line[size] for line in lines)


def _powers(nodes: Row, count: int) -> Matrix:
    """Row k: the k-th powers of the nodes, from k = 0 on."""
    return tuple(tuple(power(c, k) for c in nodes) for k in range(count))


def _unit(place: int, width: int) -> Row:
    return tuple(Fraction(int(j == place)) for j in range(width))
