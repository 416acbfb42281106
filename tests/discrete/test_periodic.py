"""Periodic instants against fractions, each rounded once."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.declare.periods import Grid

anchors = st.floats(-1e12, 1e12) | st.sampled_from([0.0, 5e-324, 0.1, 1e-300])
periods = st.fractions(Fraction(1, 10**9), 10**6, max_denominator=10**12)
offsets = st.fractions(-(10**3), 10**3, max_denominator=10**6)


@pytest.mark.slow
@given(anchor=anchors, period=periods, offset=offsets, index=st.integers(0, 10**12))
def test_an_instant_is_that_of_fractions_rounded_once(
    anchor: float, period: Fraction, offset: Fraction, index: int
) -> None:
    assert Grid(anchor, period, offset).time(index) == float(Fraction(anchor) + offset + index * period)


@pytest.mark.slow
@given(anchor=anchors, period=periods, offset=offsets, index=st.integers(0, 10**6), share=st.floats(0.0, 2.0))
def test_the_first_instant_after_a_time_is_after_it_and_the_one_before_is_not(
    anchor: float, period: Fraction, offset: Fraction, index: int, share: float
) -> None:
    grid = Grid(anchor, period, offset)
    time = float(Fraction(anchor) + offset + (index + Fraction(share) - 1) * period)
    found = grid.index_after(time)
    assert grid.time(found) > time
    assert found == 0 or grid.time(found - 1) <= time
