"""Implicit Runge-Kutta methods, fully and diagonally implicit ones, as exact tableaux."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from eventide.methods.collocation import Matrix, adjoint, collocation, collocation_polynomial, lobatto_iiic, quadrature
from eventide.methods.newton import Newton
from eventide.methods.surd import Exact, Row, Surd, row, rows
from eventide.methods.tableau import Tableau

_SOURCE: Final = "Hairer & Wanner, Solving ODEs II, IV.5"


def _root(d: int) -> Surd:
    return Surd(0, 1, d)


def _collocation(name: str, order: int, nodes: Row) -> Tableau:
    return Tableau(
        name,
        order,
        nodes,
        collocation(nodes),
        quadrature(nodes),
        dense=collocation_polynomial(nodes),
        dense_order=len(nodes),
        source=f"{_SOURCE}; interpolant: the collocation polynomial, Solving ODEs I, II.7",
    )


def _relative(name: str, order: int, nodes: Row, matrix: Matrix) -> Tableau:
    return Tableau(name, order, nodes, matrix, quadrature(nodes), source=_SOURCE)


_GAUSS_2 = (Fraction(1, 2) - _root(3) / 6, Fraction(1, 2) + _root(3) / 6)
_GAUSS_3 = (Fraction(1, 2) - _root(15) / 10, Fraction(1, 2), Fraction(1, 2) + _root(15) / 10)
_RADAU_LEFT_3 = (Fraction(0), (6 - _root(6)) / 10, (6 + _root(6)) / 10)
_RADAU_RIGHT_3 = ((4 - _root(6)) / 10, (4 + _root(6)) / 10, Fraction(1))
_LOBATTO_4 = (Fraction(0), (5 - _root(5)) / 10, (5 + _root(5)) / 10, Fraction(1))

IMPLICIT_EULER: Final = _collocation("Implicit Euler", 1, row("1"))
"""Radau IIA with one stage: order 1, L-stable."""

IMPLICIT_MIDPOINT: Final = _collocation("Implicit midpoint", 2, row("1/2"))
"""Gauss with one stage: order 2, A-stable, symplectic."""

GAUSS_2: Final = _collocation("Gauss, 2 stages", 4, _GAUSS_2)
"""Order 4, A-stable."""

GAUSS_3: Final = _collocation("Gauss, 3 stages", 6, _GAUSS_3)
"""Order 6, A-stable."""

RADAU_IA_2: Final = _relative("Radau IA, 2 stages", 3, row("0 2/3"), adjoint(row("0 2/3")))
"""Order 3, L-stable."""

RADAU_IA_3: Final = _relative("Radau IA, 3 stages", 5, _RADAU_LEFT_3, adjoint(_RADAU_LEFT_3))
"""Order 5, L-stable."""

RADAU_IIA_2: Final = _collocation("Radau IIA, 2 stages", 3, row("1/3 1"))
"""Order 3, L-stable."""

RADAU_IIA_3: Final = _collocation("Radau IIA, 3 stages", 5, _RADAU_RIGHT_3)
"""Order 5, L-stable."""

LOBATTO_IIIA_2: Final = _collocation("Lobatto IIIA, 2 stages", 2, row("0 1"))
"""The implicit trapezoidal rule: order 2, A-stable."""

LOBATTO_IIIA_3: Final = _collocation("Lobatto IIIA, 3 stages", 4, row("0 1/2 1"))
"""Order 4, A-stable."""

LOBATTO_IIIA_4: Final = _collocation("Lobatto IIIA, 4 stages", 6, _LOBATTO_4)
"""Order 6, A-stable."""

LOBATTO_IIIB_2: Final = Tableau(
    "Lobatto IIIB, 2 stages", 2, row("1/2 1/2"), rows("1/2 0", "1/2 0"), row("1/2 1/2"), source=_SOURCE
)
"""Order 2, A-stable; its nodes are those of the sums of its rows, the quadrature's are 0 and 1."""

LOBATTO_IIIB_3: Final = _relative("Lobatto IIIB, 3 stages", 4, row("0 1/2 1"), adjoint(row("0 1/2 1")))
"""Order 4, A-stable."""

LOBATTO_IIIB_4: Final = _relative("Lobatto IIIB, 4 stages", 6, _LOBATTO_4, adjoint(_LOBATTO_4))
"""Order 6, A-stable."""

LOBATTO_IIIC_2: Final = _relative("Lobatto IIIC, 2 stages", 2, row("0 1"), lobatto_iiic(row("0 1")))
"""Order 2, L-stable."""

LOBATTO_IIIC_3: Final = _relative("Lobatto IIIC, 3 stages", 4, row("0 1/2 1"), lobatto_iiic(row("0 1/2 1")))
"""Order 4, L-stable."""

LOBATTO_IIIC_4: Final = _relative("Lobatto IIIC, 4 stages", 6, _LOBATTO_4, lobatto_iiic(_LOBATTO_4))
"""Order 6, L-stable."""


def _sdirk(name: str, order: int, matrix: Matrix, weights: Row, source: str, digits: int | None = None) -> Tableau:
    nodes: list[Exact] = []
    for entries in matrix:
        total: Exact = Fraction(0)
        for entry in entries:
            total = total + entry
        nodes.append(total)
    return Tableau(name, order, tuple(nodes), matrix, weights, source=source, digits=digits)


def _crouzeix() -> Tableau:
    gamma = (3 + _root(3)) / 6
    matrix: Matrix = ((gamma,), (1 - 2 * gamma, gamma))
    return _sdirk("SDIRK, 2 stages", 3, matrix, row("1/2 1/2"), "Hairer, Norsett & Wanner, Solving ODEs I, II.7")


def _l_stable_2() -> Tableau:
    gamma = 1 - _root(2) / 2
    last: Row = (1 - gamma, gamma)
    return _sdirk("SDIRK, 2 stages, L-stable", 2, ((gamma,), last), last, "Hairer & Wanner, Solving ODEs II, IV.6")


def _l_stable_3() -> Tableau:
    gamma = Fraction("0.4358665215084589994160194511935568425292940929384256424854767733")
    last: Row = (
        -(6 * gamma * gamma - 16 * gamma + 1) / 4,
        (6 * gamma * gamma - 20 * gamma + 5) / 4,
        gamma,
    )
    matrix: Matrix = ((gamma,), ((1 - gamma) / 2, gamma), last)
    source = "Alexander, SIAM J. Numer. Anal. 14 (1977); gamma is a root of x**3 - 3x**2 + 3x/2 - 1/6"
    return _sdirk("SDIRK, 3 stages, L-stable", 3, matrix, last, source, digits=64)


SDIRK_2: Final = _crouzeix()
"""Order 3, A-stable, the larger gamma of the two."""

SDIRK_2_L: Final = _l_stable_2()
"""Order 2, L-stable, stiffly accurate."""

SDIRK_3_L: Final = _l_stable_3()
"""Order 3, L-stable, stiffly accurate."""

RADAU: Final = Newton(RADAU_IIA_3)
"""Radau IIA of order 5 as the stepper runs it: L-stable, 3 controlled, interpolant of order 3: for stiff problems."""
