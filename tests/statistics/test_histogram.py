"""Histogram: counts against numpy, quantiles inside their bin, text as it is printed."""

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.statistics import Histogram

halves = st.lists(st.integers(-4, 24).map(lambda k: k / 2), max_size=50)


def filled(values, lower=0.0, upper=10.0, bins=5, **names):
    histogram = Histogram(lower, upper, bins, **names)
    for value in values:
        histogram.add(value)
    return histogram


@pytest.mark.slow
@given(halves)
def test_counts(values):
    histogram = filled(values)
    expected, _ = np.histogram(values, bins=5, range=(0.0, 10.0))

    assert histogram.counts.tolist() == expected.tolist()
    assert histogram.underflow == sum(value < 0 for value in values)
    assert histogram.overflow == sum(value > 10 for value in values)
    assert histogram.count == len(values)


def test_every_edge_belongs_above_but_the_last():
    histogram = Histogram.from_edges([0.0, 0.1, 0.3, 1.0])
    for edge in (0.0, 0.1, 0.3, 1.0, -inf, inf):
        histogram.add(edge)

    assert (histogram.underflow, histogram.counts.tolist(), histogram.overflow) == (1, [1, 1, 2], 1)


@pytest.mark.slow
@given(halves, halves)
def test_merge_is_the_whole(first, second):
    merged, whole = filled(first), filled(first + second)
    merged.merge(filled(second))

    assert str(merged) == str(whole)


@pytest.mark.slow
@given(halves.filter(len))
def test_density_integrates_to_the_share_inside(values):
    histogram = Histogram.from_edges([0, 1, 3, 10])
    for value in values:
        histogram.add(value)

    share = float(np.sum(histogram.density * np.diff(histogram.edges)))

    assert share == pytest.approx(sum(0 <= value <= 10 for value in values) / len(values))


def test_quantiles_lie_evenly_in_their_bin():
    histogram = filled([1, 1, 1, 1, 7, 7, 7, 9])

    assert [histogram.quantile(q) for q in (0.0, 0.25, 0.5, 0.75, 1.0)] == [0.0, 1.0, 2.0, 6.0 + 4.0 / 3.0, 10.0]


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 10.0), min_size=1, max_size=50), st.floats(0.0, 1.0))
def test_quantiles_are_exact_to_one_bin(values, q):
    histogram = filled(values)

    assert abs(histogram.quantile(q) - np.quantile(values, q, method="inverted_cdf")) <= 2.0


def test_quantiles_outside_are_refused():
    histogram = filled([-1, 5, 5, 12], name="times")

    with pytest.raises(ValueError, match=r"histogram 'times': quantile\(0.1\) lies outside 0 to 10: 1 of 4 .* below"):
        histogram.quantile(0.1)
    with pytest.raises(ValueError, match=r"quantile\(0.9\) lies outside 0 to 10: 1 of 4 values lie above"):
        histogram.quantile(0.9)
    assert histogram.quantile(0.5) == 5.0


def test_without_values():
    histogram = Histogram(0, 1, 2)

    assert (histogram.count, histogram.counts.tolist()) == (0, [0, 0])
    assert isnan(histogram.quantile(0.5))
    assert np.isnan(histogram.density).all()


def test_reset_forgets():
    histogram = filled([1, 2, 30])
    histogram.reset()

    assert (histogram.count, histogram.overflow) == (0, 0)


def test_text():
    histogram = filled([-1, 1, 1, 1, 1, 9, 10, 11], name="waiting", unit="h")

    assert str(histogram).splitlines() == [
        "waiting [h]",
        " below 0 1 ##########",
        "  [0, 2) 4 ########################################",
        "  [2, 4) 0",
        "  [4, 6) 0",
        "  [6, 8) 0",
        " [8, 10] 2 ####################",
        "above 10 1 ##########",
    ]


def test_repr():
    histogram = filled([1, 2], name="waiting", unit="h")

    assert repr(histogram) == "<Histogram 'waiting': 2 values, 5 bins from 0 to 10 h>"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Histogram(1.0, 1.0, 3),
        lambda: Histogram(0.0, inf, 3),
        lambda: Histogram(0.0, 1.0, 0),
        lambda: Histogram(nan, 1.0, 3),
    ],
    ids=["empty", "infinite", "no bins", "nan"],
)
def test_limits_are_checked(make):
    with pytest.raises(
        ValueError, match="lower must be less than upper, both finite, and bins a whole number, at least 1"
    ):
        make()


@pytest.mark.parametrize("edges", [[], [1.0], [0.0, 0.0], [0.0, 2.0, 1.0], [0.0, inf], [0.0, nan]], ids=str)
def test_edges_are_checked(edges):
    with pytest.raises(ValueError, match="at least two finite numbers, each greater than the one before"):
        Histogram.from_edges(edges)


def test_refusals():
    histogram = Histogram(0, 1, 2, name="x")

    with pytest.raises(ValueError, match="histogram 'x': a nan cannot be counted"):
        histogram.add(nan)
    with pytest.raises(ValueError, match=r"quantile\(50\): q is a share from 0 to 1"):
        histogram.quantile(50)
    with pytest.raises(ValueError, match="cannot take the counts of a histogram: both need the same edges"):
        histogram.merge(Histogram(0, 1, 3))
    with pytest.raises(ValueError, match="the same unit"):
        histogram.merge(Histogram(0, 1, 2, unit="h"))
