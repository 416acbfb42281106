"""Tally: exact on small data, sound on hard data, the same however it is read, copied or split."""

import copy
import pickle
import statistics
from fractions import Fraction
from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eventide.statistics import Tally
from eventide.statistics.moments import BLOCK

# The states x1 and x2 of the example of a data dump, at the times 0, 1, ..., 25.
X1 = [5, 2, 1, 0, 2, 3, 2, 2, 2, -1, -2, -4, -4, -5, -5, -5, -6, -6, -6, -5, -5, -5, -4, -2, -2, -2]
X2 = [5, 3, 2, 0, 0, 0, -1, -1, -1, -1, -2, -2, -2, -2, -2, -2, -2, -3, -3, -3, -3, -3, -3, -3, -3, -4]

numbers = st.floats(-1e6, 1e6)
data = st.lists(numbers, max_size=30)
long_data = st.builds(
    lambda seed, size: np.random.default_rng(seed).normal(3.0, 2.0, size).tolist(),
    st.integers(0, 9),
    st.integers(0, 3 * BLOCK),
)


def tally_of(values, **options):
    tally = Tally(**options)
    for value in values:
        tally.add(value)
    return tally


def everything(tally):
    return tally.count, tally.total, tally.mean, tally.variance, tally.minimum, tally.maximum


@pytest.mark.row("R-286")
@pytest.mark.parametrize("keep", [True, False])
def test_small_data(keep):
    tally = tally_of([2, 4, 4, 6], keep=keep)

    assert everything(tally) == (4, 16.0, 4.0, 8.0 / 3.0, 2.0, 6.0)
    assert tally.stdev == sqrt(8.0 / 3.0)


@pytest.mark.row("R-286")
def test_what_the_data_do_not_settle_is_nan():
    none, one = Tally(), tally_of([7.0])

    assert none.count == 0
    assert none.total == 0.0
    undefined = [none.mean, none.variance, none.stdev, none.minimum, none.maximum, none.quantile(0.5)]
    assert [isnan(value) for value in undefined] == [True] * 6
    assert one.mean == 7.0
    assert [isnan(value) for value in (one.variance, *one.confidence_interval())] == [True] * 3


@pytest.mark.slow
@pytest.mark.row("R-286")
@given(data.filter(lambda values: len(values) > 1))
def test_mean_and_variance_by_exact_fractions(values):
    exact = [Fraction(value) for value in values]
    tally = tally_of(values)

    assert tally.mean == pytest.approx(float(statistics.mean(exact)), rel=1e-12, abs=1e-9)
    assert tally.variance == pytest.approx(float(statistics.variance(exact)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("keep", [True, False])
def test_small_spread_far_from_zero(keep):
    values = [1e9 + k % 7 for k in range(7 * BLOCK)]
    tally = tally_of(values, keep=keep)

    assert tally.variance == pytest.approx(4.0 * 7 * BLOCK / (7 * BLOCK - 1), rel=1e-9)


@pytest.mark.row("R-287")
def test_confidence_interval():
    tally = tally_of(X1)
    half = stats.t.ppf(0.975, 25) * statistics.stdev(X1) / sqrt(26)

    low, high = tally.confidence_interval()

    assert (low, high) == pytest.approx((tally.mean - half, tally.mean + half), rel=1e-12)
    assert half == pytest.approx(1.36, abs=0.005)
    low, high = tally.confidence_interval(0.5)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.75, 25) * statistics.stdev(X1) / sqrt(26), rel=1e-12)


@pytest.mark.slow
@pytest.mark.row("R-287")
def test_confidence_interval_covers_the_mean():
    trials, level = 1000, 0.9
    samples = np.random.default_rng(3).normal(20.0, 5.0, (trials, 10))
    intervals = [tally_of(sample).confidence_interval(level) for sample in samples]

    covered = sum(low <= 20.0 <= high for low, high in intervals)

    assert len(intervals) == trials
    assert abs(covered - level * trials) < 4 * sqrt(trials * level * (1 - level))


@pytest.mark.row("R-288")
def test_quartiles_of_the_example_dump():
    tally = tally_of(X2)

    assert (tally.quantile(0.25), tally.quantile(0.75)) == (-3.0, -1.0)


def test_quantiles_lie_linearly_between_the_values():
    tally = tally_of([10.0, 40.0, 20.0])

    assert [tally.quantile(q) for q in (0.0, 0.25, 0.5, 0.9, 1.0)] == [10.0, 15.0, 20.0, 36.0, 40.0]


@pytest.mark.slow
@given(long_data, st.integers(0, 3 * BLOCK))
def test_reading_changes_no_bit(values, stop):
    read = tally_of(values[:stop])
    everything(read)
    repr(read)
    for value in values[stop:]:
        read.add(value)

    assert str(everything(read)) == str(everything(tally_of(values)))


@pytest.mark.slow
@given(long_data)
def test_letting_values_go_changes_no_bit(values):
    assert str(everything(tally_of(values, keep=False))) == str(everything(tally_of(values)))


def test_without_values_memory_is_bounded():
    tally = tally_of(range(20 * BLOCK), keep=False)

    assert tally.count == 20 * BLOCK
    assert len(pickle.dumps(tally)) < 8 * BLOCK + 1000


@pytest.mark.slow
@given(data, data)
def test_merge_is_the_whole(first, second):
    merged = tally_of(first)
    merged.merge(tally_of(second))
    whole = tally_of(first + second)

    assert str(everything(merged)) == str(everything(whole))
    assert merged.values.tolist() == whole.values.tolist()


@pytest.mark.slow
@given(long_data, long_data)
def test_merge_of_moments_is_the_whole(first, second):
    merged, other, whole = (tally_of(values, keep=False) for values in (first, second, first + second))
    merged.merge(other)
    merged.add(1.0)
    whole.add(1.0)

    assert everything(merged) == pytest.approx(everything(whole), rel=1e-9, nan_ok=True)
    assert other.count == len(second)


def test_tally_merges_with_itself():
    tally = tally_of([1.0, 2.0])
    tally.merge(tally)

    assert tally.values.tolist() == [1.0, 2.0, 1.0, 2.0]


@pytest.mark.slow
@given(data.filter(lambda values: len(values) > 1), numbers, st.sampled_from([-8.0, -0.5, 4.0]))
def test_shift_and_scale(values, shift, scale):
    tally, moved = tally_of(values), tally_of([shift + scale * value for value in values])

    assert moved.mean == pytest.approx(shift + scale * tally.mean, abs=1e-8)
    assert moved.stdev == pytest.approx(abs(scale) * tally.stdev, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("keep", [True, False])
def test_reset_forgets_and_add_stays(keep):
    tally = tally_of(range(2 * BLOCK + 5), keep=keep)
    add = tally.add
    assert tally.maximum == 2 * BLOCK + 4

    tally.reset()
    add(3.0)
    add(5.0)

    assert everything(tally) == (2, 8.0, 4.0, 2.0, 3.0, 5.0)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda tally: pickle.loads(pickle.dumps(tally))], ids=["copy", "pickle"]
)
def test_copies_go_their_own_way(copied, keep):
    tally = tally_of([1.0, 3.0], name="waiting", unit="h", keep=keep)
    twin = copied(tally)

    twin.add(5.0)

    assert (tally.count, tally.mean, twin.count, twin.mean) == (2, 2.0, 3, 3.0)
    assert (twin.name, twin.unit, twin.keep) == ("waiting", "h", keep)


@pytest.mark.parametrize("bad", [nan, float("inf"), float("-inf")])
def test_values_that_are_not_finite_are_refused_when_read(bad):
    tally = tally_of([1.0, 2.0, bad, 4.0, bad], name="waiting")

    with pytest.raises(
        ValueError, match=f"tally 'waiting' .* its 5 values hold 2 that are not finite, first {bad} at 2"
    ):
        _ = tally.mean
    with pytest.raises(ValueError, match="not finite"):
        tally.quantile(0.5)
    assert repr(tally) == "<Tally 'waiting': 5 values, not all finite>"


def test_values_that_are_not_finite_are_refused_when_let_go():
    tally = tally_of([nan, *range(BLOCK)], keep=False)

    with pytest.raises(ValueError, match=f"a tally cannot be read: its {BLOCK + 1} values hold one"):
        _ = tally.mean


def test_what_is_no_number_is_refused_at_once():
    with pytest.raises(TypeError):
        Tally().add("3")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda tally: tally.quantile(95), r"tally 'x': quantile\(95\): q is a share from 0 to 1"),
        (lambda tally: tally.confidence_interval(95), r"confidence_interval\(95\): the level lies between 0 and 1"),
        (lambda tally: tally.merge(Tally(unit="min")), "tally 'x' in 'h' cannot take a tally in 'min'"),
        (lambda tally: tally.merge(Tally("y", "h", keep=False)), "tally 'x' keeps its values and tally 'y' does not"),
    ],
    ids=["quantile", "level", "unit", "keep"],
)
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(Tally("x", "h"))


@pytest.mark.parametrize(
    "ask", [lambda tally: tally.values, lambda tally: tally.quantile(0.5)], ids=["values", "quantile"]
)
def test_values_let_go_are_not_to_be_had(ask):
    with pytest.raises(ValueError, match=r"tally 'x' has no .* made with keep=False"):
        ask(Tally("x", keep=False))


def test_repr():
    assert repr(Tally("waiting")) == "<Tally 'waiting': 0 values>"
    tally = tally_of([1.0, 2.5], name="waiting", unit="h")
    assert repr(tally) == "<Tally 'waiting': 2 values, mean 1.75 h, from 1 to 2.5 h>"


@pytest.mark.parametrize("scale", [1e-300, 1e-120, 1.0, 1e120, 1e300])
@pytest.mark.parametrize("keep", [True, False])
def test_a_standard_deviation_has_the_unit_of_the_values_however_small_or_large_it_is(scale, keep):
    numbers = [1.0, 2.0, 4.5, 0.5] * 600  # more than a block
    tally, other = Tally(keep=keep), Tally(keep=keep)
    for number in numbers:
        tally.add(scale * number)
        other.add(scale * (1.0 + 2.0 * number))
    assert tally.stdev / scale == pytest.approx(np.std(numbers, ddof=1))
    half = stats.t.ppf(0.975, len(numbers) - 1) * np.std(numbers, ddof=1) / sqrt(len(numbers))
    assert np.array(tally.confidence_interval()) / scale == pytest.approx([2.0 - half, 2.0 + half], rel=1e-9)
    other.merge(tally)
    assert other.stdev / scale == pytest.approx(np.std([*numbers, *(1.0 + 2.0 * np.array(numbers))], ddof=1))
