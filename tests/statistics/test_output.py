"""Output analysis: intervals that hold what they say, comparisons, long runs."""

from math import isnan

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from eventide.statistics import batch_means, mser5, paired, quantile_interval, variance_interval, welch

REPETITIONS = 2000
FOUR_ERRORS = 4 * (0.05 * 0.95 / REPETITIONS) ** 0.5


def test_the_interval_of_a_variance_is_that_of_chi_square():
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]
    squares = np.var(values) * 6
    expected = squares / stats.chi2(5).ppf(0.95), squares / stats.chi2(5).ppf(0.05)
    assert variance_interval(values, 0.9) == pytest.approx(expected, rel=1e-9)
    assert all(map(isnan, variance_interval([1.0])))


def test_the_interval_of_a_quantile_is_of_two_values_as_near_as_can_be():
    values = np.arange(1.0, 31.0)[::-1]
    # Of 30 values 10 to 20 hold the median with at least 95 %: P(10 <= B < 20) = 0.9572, and 11 to 20 do not.
    assert quantile_interval(values, 0.5) == (10.0, 21.0)
    for q, level in ((0.5, 0.95), (0.9, 0.8), (0.2, 0.9)):
        low, high = quantile_interval(values, q, level)
        binomial, tail = stats.binom(30, q), 0.5 - 0.5 * level
        assert binomial.cdf(low - 1) <= tail < binomial.cdf(low)
        assert binomial.sf(high - 1) <= tail < binomial.sf(high - 2)
    assert all(map(isnan, quantile_interval(values, 0.99)))


def test_comparisons_are_those_of_student_and_welch():
    rng = np.random.default_rng(1)
    first, second = rng.normal(1.0, 1.0, 9), rng.normal(0.0, 2.0, 9)
    one, other = paired(first, second, 0.9), welch(first, second[:6], 0.9)
    test = stats.ttest_rel(first, second)
    assert (one.low, one.high) == pytest.approx(tuple(test.confidence_interval(0.9)), rel=1e-10)
    test = stats.ttest_ind(first, second[:6], equal_var=False)
    assert (other.low, other.high, other.freedom) == pytest.approx((*test.confidence_interval(0.9), test.df), rel=1e-10)
    assert welch([1.0, 1.0], [2.0, 2.0]).is_significant


@pytest.mark.slow
@pytest.mark.row("R-275")
def test_intervals_of_means_of_dependent_series_hold_them_as_often_as_they_say():
    rng = np.random.default_rng(2)
    noise = rng.normal(size=(REPETITIONS, 4000))
    noise[:, 0] /= (1.0 - 0.8**2) ** 0.5
    found = [batch_means(series) for series in lfilter([1.0], [1.0, -0.8], noise)]
    assert sum(one.low <= 0.0 <= one.high for one in found) / REPETITIONS == pytest.approx(0.95, abs=0.01)

    # Waits in M/M/1 at half load, whose mean is 1, by Lindley's recurrence.
    waits, kept = np.zeros(REPETITIONS), np.empty((20_000, REPETITIONS), dtype=np.float32)
    for k in range(len(kept)):
        waits = np.maximum(0.0, waits + rng.exponential(1.0, REPETITIONS) - rng.exponential(2.0, REPETITIONS))
        kept[k] = waits
    found = [batch_means(kept[2000:, k]) for k in range(REPETITIONS)]
    assert sum(one.low <= 1.0 <= one.high for one in found) / REPETITIONS == pytest.approx(0.95, abs=0.01)


@pytest.mark.slow
def test_intervals_of_variances_quantiles_and_differences_hold_them_as_often_as_they_say():
    rng = np.random.default_rng(3)
    held = dict.fromkeys(("variance", "quantile", "welch"), 0)
    for _ in range(REPETITIONS):
        low, high = variance_interval(rng.normal(0.0, 2.0, 12))
        held["variance"] += low <= 4.0 <= high
        low, high = quantile_interval(rng.exponential(size=100), 0.5)
        held["quantile"] += low <= np.log(2.0) <= high
        difference = welch(rng.normal(1.0, 3.0, 8), rng.normal(0.0, 1.0, 20))
        held["welch"] += difference.low <= 1.0 <= difference.high
    assert held["variance"] / REPETITIONS == pytest.approx(0.95, abs=FOUR_ERRORS)
    assert held["welch"] / REPETITIONS == pytest.approx(0.95, abs=FOUR_ERRORS)
    assert 0.95 - FOUR_ERRORS < held["quantile"] / REPETITIONS < 0.98


def test_batches_leave_out_what_remains_at_the_start_and_tell_of_dependence():
    one = batch_means([100.0, *np.arange(8.0)], batches=2)
    assert (one.mean, one.batches, one.size) == (3.5, 2, 4)
    assert batch_means(np.arange(200.0)).independence < 0.001
    assert batch_means(np.random.default_rng(1).normal(size=200)).independence > 0.05


def test_mser5_leaves_out_what_makes_the_standard_error_least():
    rng = np.random.default_rng(4)
    for decay, offset in ((40.0, 10.0), (5.0, 100.0), (1.0, 0.0)):
        series = 1e6 + offset * np.exp(-np.arange(1003) / decay) + rng.normal(size=1003)
        means = series[:1000].reshape(200, 5).mean(axis=1)
        errors = [means[d:].var() / (200 - d) for d in range(101)]  # by its definition
        assert mser5(series) == 5 * int(np.argmin(errors))
    step = np.concatenate((np.full(50, 7.0), np.tile([0.0, 1.0], 500)))
    assert mser5(step) == 50


def test_what_cannot_be_analysed_is_told():
    with pytest.raises(ValueError, match="level lies between 0 and 1, and got 95"):
        variance_interval([1.0, 2.0], 95)
    with pytest.raises(ValueError, match="finite numbers"):
        paired([1.0, float("nan")], [1.0, 2.0])
    with pytest.raises(ValueError, match="got 3 and 2"):
        paired([1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="two batches of two values at least, and there are 30"):
        batch_means(range(30))
    with pytest.raises(ValueError, match="ten values at least, and got 9"):
        mser5(range(9))
    with pytest.raises(ValueError, match="q lies between 0 and 1"):
        quantile_interval([1.0], 95)
