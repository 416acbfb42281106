"""What a tableau is asked at its making, and what it tells of itself."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
from methods.tableaux import METHODS, TABLEAUX

import eventide as ev
from eventide.methods import LEAST_STAGES, explicit, fixed, row, rows
from eventide.methods.tableau import highest_order


def make(**changes: object) -> ev.methods.Tableau:
    parts = {
        "name": "mine",
        "order": 2,
        "nodes": row("0 1"),
        "matrix": rows("", "1"),
        "weights": row("1/2 1/2"),
    }
    return ev.methods.Tableau(**(parts | changes))


@pytest.mark.row("R-255")
def test_a_node_is_the_sum_of_its_row() -> None:
    with pytest.raises(ev.ModelError, match=r"mine: row 1 of the matrix sums to 0.5 off its node 1/2"):
        make(nodes=row("0 1/2"))
    with pytest.raises(ev.ModelError, match=r"row 2 of the matrix sums to 1 off its node 0"):
        make(extra=rows("1"), extra_nodes=row("0"))


@pytest.mark.row("R-255")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": row("1")}, "2 nodes, 1 weights and 2 rows"),
        ({"matrix": rows("")}, "2 nodes, 2 weights and 1 rows"),
        ({"nodes": (), "weights": (), "matrix": ()}, "0 nodes"),
        ({"matrix": rows("", "0 1 0")}, r"rows of \[0, 3\] entries for 2 stages"),
        ({"embedded": row("1 0 0 0"), "embedded_order": 1}, "at most 3 entries"),
        ({"dense": rows("1 0 0 0")}, "a row of the interpolant 3"),
    ],
    ids=["weights", "rows", "empty", "wide", "embedded", "dense"],
)
def test_rows_that_do_not_fit_are_refused(changes: dict, message: str) -> None:
    with pytest.raises(ev.ModelError, match=message):
        make(**changes)


@pytest.mark.row("R-257", "R-258")
def test_an_order_that_so_many_stages_cannot_have_is_refused() -> None:
    with pytest.raises(
        ev.ModelError, match="claims order 3: an explicit method of 2 stages has at least 1 and at most 2"
    ):
        make(order=3)
    with pytest.raises(
        ev.ModelError, match="claims order 5: an implicit method of 2 stages has at least 1 and at most 4"
    ):
        make(order=5, matrix=rows("1/2 -1/2", "1/2 1/2"))
    with pytest.raises(ev.ModelError, match="claims order 0"):
        make(order=0)
    assert make(order=4, matrix=rows("1/2 -1/2", "1/2 1/2")).order == 4


@pytest.mark.row("R-257")
def test_the_least_stages_of_each_order() -> None:
    assert LEAST_STAGES == (1, 2, 3, 4, 6, 7, 9, 11)
    assert [highest_order(s) for s in range(1, 14)] == [1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 9, 10]
    for tableau in TABLEAUX.values():
        if tableau.is_explicit:
            assert LEAST_STAGES[tableau.order - 1] <= tableau.stages


@pytest.mark.row("R-255", "R-258")
def test_the_stepper_takes_explicit_tableaux_only() -> None:
    with pytest.raises(ev.ModelError, match="Gauss, 2 stages is no explicit tableau"):
        explicit(ev.methods.GAUSS_2)
    with pytest.raises(ev.ModelError, match="late is no explicit tableau"):
        fixed("late", 1, rows("0 1", "1"), row("1 0"), "")
    with pytest.raises(ev.ModelError, match="mine has no interpolant"):
        ev.methods.Method(make())


def test_what_kind_a_tableau_is() -> None:
    kinds = {name: (t.is_explicit, t.is_diagonal, t.needs_end) for name, t in TABLEAUX.items()}
    assert {name for name, kind in kinds.items() if kind[0]} == set(METHODS)
    assert {name for name, kind in kinds.items() if kind[1]} - set(METHODS) == {
        "IMPLICIT_EULER",
        "IMPLICIT_MIDPOINT",
        "LOBATTO_IIIA_2",
        "LOBATTO_IIIB_2",
        "SDIRK_2",
        "SDIRK_2_L",
        "SDIRK_3_L",
    }
    assert {name for name, kind in kinds.items() if kind[2]} == {"RK43", "BOGACKI_SHAMPINE", "DORMAND_PRINCE"}


@pytest.mark.row("R-259")
def test_the_contraction_constant_has_the_norm_of_the_matrix() -> None:
    # h L max_i sum_j |a_ij|: only norms up to 1 give h L itself. Values computed by hand from the tables.
    constants = {name: TABLEAUX[name].contraction_constant(0.5, 2.0) for name in TABLEAUX}
    assert constants["GAUSS_2"] == pytest.approx(0.7886751345948129)
    assert constants["RADAU_IIA_2"] == constants["LOBATTO_IIIC_2"] == constants["IMPLICIT_EULER"] == 1.0
    assert constants["SDIRK_2"] == pytest.approx(1.3660254037844386)
    assert constants["IMPLICIT_MIDPOINT"] == 0.5
    assert TABLEAUX["SDIRK_2"].contraction_constant(-0.2, 4.0) == pytest.approx(0.8 * 1.3660254037844386)


def test_a_tableau_is_frozen_and_says_what_it_is() -> None:
    tableau = make()
    with pytest.raises(FrozenInstanceError):
        tableau.order = 3
    assert repr(tableau) == "<Tableau 'mine', 2 stages, order 2>"
    assert repr(explicit(tableau)) == "<Method 'mine', order 2>"
    nodes, matrix, weights = tableau.arrays
    assert (nodes.tolist(), matrix.tolist(), weights.tolist()) == ([0.0, 1.0], [[0.0, 0.0], [1.0, 0.0]], [0.5, 0.5])


def test_all_numbers_are_exact() -> None:
    for tableau in TABLEAUX.values():
        numbers = [*tableau.nodes, *tableau.weights, *tableau.embedded]
        numbers += [entry for entries in (*tableau.matrix, *tableau.dense, *tableau.extra) for entry in entries]
        assert {type(number).__name__ for number in numbers} <= {"Fraction", "Surd"}
        assert Fraction(0) is not None
        assert tableau.source
