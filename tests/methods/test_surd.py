"""Exact numbers with one square root."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.methods import Surd, row, rows

fractions = st.fractions(min_value=-5, max_value=5, max_denominator=20)
surds = st.builds(Surd, fractions, fractions, st.just(6))


@pytest.mark.slow
@given(surds, surds, surds)
def test_the_laws_of_a_field(x: Surd, y: Surd, z: Surd) -> None:
    assert x + y == y + x
    assert x * (y + z) == x * y + x * z
    assert x - y + y == x
    if y:
        assert x / y * y == x


@pytest.mark.slow
@given(surds, fractions)
def test_fractions_and_surds_mix(x: Surd, q: Fraction) -> None:
    assert q + x == x + q == Surd(q, 0, 6) + x
    assert q - x == -(x - q)
    assert q * x == x * q
    if x:
        assert q / x * x == q


@pytest.mark.slow
@given(surds)
def test_the_float_is_near(x: Surd) -> None:
    assert float(x) == pytest.approx(float(x.a) + float(x.b) * sqrt(6), abs=1e-13)


def test_a_difference_keeps_its_bits() -> None:
    # 10**9 - sqrt(10**18 - 1) is 5e-10 and a little: all digits of plain floats are lost.
    assert float(Surd(10**9, -1, 10**18 - 1)) == pytest.approx(5e-10, rel=1e-15)


def test_equality_and_hash_go_with_fractions() -> None:
    assert Surd(Fraction(1, 2), 0, 6) == Fraction(1, 2) == Surd(Fraction(1, 2), 0, 5)
    assert hash(Surd(3, 0, 6)) == hash(3)
    assert Surd(0, 1, 6) != Surd(0, 1, 5)
    assert Surd(0, 1, 6) != "sqrt(6)"
    assert not Surd(0, 0, 6)
    assert repr(Surd(1, Fraction(-1, 2), 6)) == "1 + -1/2 * sqrt(6)"


def test_what_is_no_surd_is_refused() -> None:
    with pytest.raises(ValueError, match="root of 9 is no surd"):
        Surd(0, 1, 9)
    with pytest.raises(ValueError, match="different roots"):
        Surd(0, 1, 5) + Surd(0, 1, 6)


def test_rows_as_books_print_them() -> None:
    assert row("3/40 9/40 -0.5") == (Fraction(3, 40), Fraction(9, 40), Fraction(-1, 2))
    assert rows("", "1/2") == ((), (Fraction(1, 2),))
