"""Every tableau meets the order conditions of its order and of no more; so do embedded rows and interpolants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from methods.tableaux import TABLEAUX

from eventide import methods
from eventide.methods import DOP853, DORMAND_PRINCE, ENGLAND, RK43, Surd, Tableau, size
from eventide.methods.surd import padded

EXACT = [name for name, tableau in TABLEAUX.items() if tableau.digits is None]
DECIMAL = [name for name, tableau in TABLEAUX.items() if tableau.digits is not None]
EMBEDDED = [name for name, tableau in TABLEAUX.items() if tableau.embedded]
DENSE = [name for name, tableau in TABLEAUX.items() if tableau.dense]
CONDITIONS = [0, 1, 2, 4, 8, 17, 37, 85, 200]


def test_the_tables_are_all_there() -> None:
    assert len(TABLEAUX) == 35
    assert DECIMAL == ["DOP853", "SDIRK_3_L"]
    assert sorted(EMBEDDED) == [
        "BOGACKI_SHAMPINE",
        "DOP853",
        "DORMAND_PRINCE",
        "ENGLAND",
        "ENGLAND_PLAIN",
        "FEHLBERG",
        "FEHLBERG_EXTRAPOLATED",
        "RK43",
    ]


def unmet(tableau: Tableau, defects: dict) -> list:
    """What is missed: exactly for exact numbers, beyond 1e-25 for those that the literature gives in decimals."""
    allowed = 0.0 if tableau.digits is None else 1e-25
    return [key for key, defect in defects.items() if abs(float(defect)) > allowed or (allowed == 0.0 and defect)]


@pytest.mark.slow
@pytest.mark.row("R-163", "R-170", "R-171", "R-174", "R-252", "R-256", "R-258", "R-260")
@pytest.mark.parametrize("name", TABLEAUX)
def test_the_order_is_met_and_no_more(name: str) -> None:
    tableau = TABLEAUX[name]
    defects = tableau.order_defects()
    assert len(defects) == CONDITIONS[tableau.order]
    assert unmet(tableau, defects) == []
    beyond = unmet(tableau, tableau.order_defects(tableau.order + 1))
    assert beyond != []
    assert {size(tree) for tree in beyond} == {tableau.order + 1}


@pytest.mark.row("R-260")
@pytest.mark.parametrize("name", EMBEDDED)
def test_the_embedded_solution_has_its_order_and_no_more(name: str) -> None:
    tableau = TABLEAUX[name]
    assert tableau.embedded_order != tableau.order
    assert unmet(tableau, tableau.order_defects(tableau.embedded_order, tableau.embedded)) == []
    beyond = unmet(tableau, tableau.order_defects(tableau.embedded_order + 1, tableau.embedded))
    assert beyond != []
    assert {size(tree) for tree in beyond} == {tableau.embedded_order + 1}


@pytest.mark.slow
@pytest.mark.parametrize("name", DENSE)
def test_the_interpolant_has_its_order_and_no_more(name: str) -> None:
    tableau = TABLEAUX[name]
    assert unmet(tableau, tableau.dense_defects()) == []
    assert unmet(tableau, tableau.dense_defects(tableau.dense_order + 1)) != []


@pytest.mark.parametrize("name", [name for name in DENSE if TABLEAUX[name].is_explicit])
def test_interpolants_are_smooth_over_the_ends_of_steps(name: str) -> None:
    # Value and slope at theta = 1 are the result and the rate at the end; the slope at 0 is the rate at the start.
    tableau = TABLEAUX[name]
    width = len(tableau.with_end)
    value, slope = [Fraction(0)] * width, [Fraction(0)] * width
    for m, entries in enumerate(tableau.dense):
        for j, entry in enumerate(entries):
            value[j] += entry
            slope[j] += (m + 1) * entry
    zeros = [Fraction(0)] * (width - tableau.stages)
    assert value == [*tableau.weights, *zeros]
    assert slope == [Fraction(int(j == tableau.stages)) for j in range(width)]
    assert [float(entry) for entry in tableau.dense[0]] == [1.0] + [0.0] * (len(tableau.dense[0]) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in EXACT if TABLEAUX[name].order >= 3])
def test_a_typo_that_keeps_the_sum_of_a_row_is_seen(name: str) -> None:
    # One part in a million is taken from the first entry of a row and given to its last: each row sum stays.
    tableau, small, seen = TABLEAUX[name], Fraction(1, 10**6), 0
    for i in range(tableau.stages):
        last = i - 1 if tableau.is_explicit else tableau.stages - 1
        if last < 1:
            continue
        typo = list(padded(tableau.matrix[i], tableau.stages))
        typo[0] += small
        typo[last] -= small
        wrong = replace(tableau, matrix=(*tableau.matrix[:i], tuple(typo), *tableau.matrix[i + 1 :]))
        solutions = [wrong.order_defects(), wrong.order_defects(wrong.embedded_order, wrong.embedded or wrong.weights)]
        assert any(unmet(wrong, defects) for defects in solutions), i
        seen += 1
    assert seen == {True: tableau.stages - 2, False: tableau.stages}[tableau.is_explicit]


@pytest.mark.slow
def test_a_typo_in_the_last_digits_of_the_decimal_tableau_is_seen() -> None:
    tableau = DOP853.tableau
    row = list(tableau.matrix[11])
    row[5] += Fraction(1, 10**22)
    row[6] -= Fraction(1, 10**22)
    wrong = replace(tableau, matrix=(*tableau.matrix[:11], tuple(row)))
    assert unmet(wrong, wrong.order_defects()) != []
    extra = list(tableau.extra[2])
    extra[5] += Fraction(1, 10**21)
    extra[6] -= Fraction(1, 10**21)
    wrong = replace(tableau, extra=(*tableau.extra[:2], tuple(extra)))
    assert unmet(wrong, wrong.dense_defects()) != []


def test_a_typo_in_an_embedded_row_or_an_interpolant_is_seen() -> None:
    tableau = DORMAND_PRINCE.tableau
    row = list(tableau.embedded)
    row[2] += Fraction(1, 10**6)
    row[3] -= Fraction(1, 10**6)
    wrong = replace(tableau, embedded=tuple(row))
    assert unmet(wrong, wrong.order_defects(4, wrong.embedded)) != []
    row = list(tableau.dense[2])
    row[2] += Fraction(1, 10**6)
    row[3] -= Fraction(1, 10**6)
    wrong = replace(tableau, dense=(*tableau.dense[:2], tuple(row), *tableau.dense[3:]))
    assert unmet(wrong, wrong.dense_defects()) != []


def test_published_entries_of_generated_tableaux() -> None:
    # Hairer & Wanner II, Tables 5.1, 5.5, 5.7, 5.9, 5.11.
    gauss, radau = TABLEAUX["GAUSS_2"], TABLEAUX["RADAU_IIA_3"]
    assert gauss.matrix[0][1] == Surd(Fraction(1, 4), Fraction(-1, 6), 3)
    assert radau.matrix[0][0] == Surd(Fraction(88, 360), Fraction(-7, 360), 6)
    assert radau.matrix[1][0] == Surd(Fraction(296, 1800), Fraction(169, 1800), 6)
    assert radau.matrix[2] == (
        Surd(Fraction(16, 36), Fraction(-1, 36), 6),
        Surd(Fraction(16, 36), Fraction(1, 36), 6),
        Fraction(1, 9),
    )
    assert TABLEAUX["RADAU_IA_2"].matrix == methods.rows("1/4 -1/4", "1/4 5/12")
    assert TABLEAUX["LOBATTO_IIIA_3"].matrix[1] == methods.row("5/24 1/3 -1/24")
    assert TABLEAUX["LOBATTO_IIIB_3"].matrix[1] == methods.row("1/6 1/3 0")
    assert TABLEAUX["LOBATTO_IIIC_3"].matrix == methods.rows("1/6 -1/3 1/6", "1/6 5/12 -1/12", "1/6 2/3 1/6")
    assert float(TABLEAUX["SDIRK_2"].matrix[0][0]) == pytest.approx(0.7886751345948129, rel=1e-15)


@pytest.mark.row("R-260")
def test_the_estimate_is_the_difference_of_the_pair() -> None:
    tableau = RK43.tableau
    assert tableau.error == methods.row("0 0 0 1/6 -1/6")
    assert tableau.error_order == 3
    assert sum(ENGLAND.error) == 0
    assert TABLEAUX["ENGLAND_PLAIN"].error == ENGLAND.error
    assert TABLEAUX["FEHLBERG"].error == methods.row("1/360 0 -128/4275 -2197/75240 1/50 2/55")
    assert TABLEAUX["RK4"].error == methods.row("0 0 0 0")


def test_linear_systems_are_solved_exactly() -> None:
    from eventide.methods.collocation import solve

    assert solve(methods.rows("0 2 1", "1 0 0", "3 1 1"), methods.row("1 1/2 2")) == methods.row("1/2 1/2 0")
    with pytest.raises(ZeroDivisionError):
        solve(methods.rows("1 2", "2 4"), methods.row("1 1"))
