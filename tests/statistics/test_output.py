"""Output analysis: intervals that hold what they say, comparisons, long runs."""

from fractions import Fraction
from math import comb, isnan

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from eventide.statistics import (
    KimNelson,
    batch_means,
    compare_several,
    independence,
    mean_interval,
    moving_average,
    mser5,
    paired,
    quantile_interval,
    t_test,
    variance_interval,
    welch,
)

REPETITIONS = 2000
FOUR_ERRORS = 4 * (0.05 * 0.95 / REPETITIONS) ** 0.5


def test_the_interval_of_a_variance_is_that_of_chi_square():
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]
    squares = np.var(values) * 6
    expected = squares / stats.chi2(5).ppf(0.95), squares / stats.chi2(5).ppf(0.05)
    assert variance_interval(values, 0.9) == pytest.approx(expected, rel=1e-9)
    assert all(map(isnan, variance_interval([1.0])))


def test_the_interval_of_a_mean_is_students_or_corrected_for_skewness():
    values = np.random.default_rng(1).exponential(size=30)
    student = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert mean_interval(values, 0.9) == pytest.approx(tuple(student), rel=1e-10)
    low, high = mean_interval(values, 0.9, is_normal=False)
    assert student.low < low < values.mean() < student.high < high  # waits lie far above the mean rather than below
    # A statistic of the lower limit, by Willink's cubic, is Student's quantile.
    count, mean, error = 30, values.mean(), values.std(ddof=1) / 30**0.5
    a = stats.skew(values, bias=False) / (6.0 * count**0.5)
    ratio = (mean - low) / error
    assert ratio + 2.0 * a * ratio**2 + 4.0 / 3.0 * a**2 * ratio**3 + a == pytest.approx(
        stats.t(29).ppf(0.95), rel=1e-9
    )
    assert mean_interval([1.0, 2.0, 3.0], is_normal=False) == mean_interval([1.0, 2.0, 3.0])
    assert all(map(isnan, mean_interval([1.0])))


def test_the_bootstrap_interval_of_a_variance_is_that_of_scipy_and_always_the_same():
    values = np.random.default_rng(1).exponential(size=60)
    low, high = variance_interval(values, 0.9, is_normal=False)
    assert (low, high) == variance_interval(values, 0.9, is_normal=False)
    own = stats.bootstrap((values,), lambda x, axis: np.var(x, axis=axis, ddof=1), confidence_level=0.9, rng=7)
    assert (low, high) == pytest.approx(tuple(own.confidence_interval), rel=0.1)
    assert variance_interval([2.0, 2.0, 2.0], is_normal=False) == (0.0, 0.0)


def test_several_systems_are_compared_at_a_level_that_holds_for_all_together():
    rng = np.random.default_rng(1)
    samples = rng.normal(size=(4, 12)) + np.array([[0.0], [0.0], [3.0], [1.0]])
    first = compare_several(samples, level=0.9)
    assert list(first) == [(1, 0), (2, 0), (3, 0)]
    assert first[2, 0] == paired(samples[2], samples[0], 1.0 - 0.1 / 3)
    pairs = compare_several([*samples[:3], samples[3, :5]], against=None, is_paired=False)
    assert list(pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert pairs[2, 3] == welch(samples[2], samples[3, :5], 1.0 - 0.05 / 6)
    assert [pair for pair, one in pairs.items() if one.is_significant] == [(0, 2), (1, 2), (2, 3)]


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
@pytest.mark.row("R-275")
def test_batches_hold_variances_and_quantiles_of_dependent_series_as_often_as_they_say():
    rng = np.random.default_rng(6)
    noise = rng.normal(size=(REPETITIONS, 4000))
    noise[:, 0] /= (1.0 - 0.5**2) ** 0.5
    series = lfilter([1.0], [1.0, -0.5], noise)
    variance = 1.0 / (1.0 - 0.5**2)
    for of, exact in (("variance", variance), (0.9, stats.norm.ppf(0.9) * variance**0.5)):
        found = [batch_means(one, of=of) for one in series]
        assert sum(one.low <= exact <= one.high for one in found) / REPETITIONS == pytest.approx(0.95, abs=0.01)


def mean_of_first_waits(count, arrivals, services):
    """The expected mean wait of the first customers of an M/M/1 queue that begins empty.

    Spitzer 1956: the n-th waits the sum of E[max(0, S_k)] / k over k < n, with S_k the service of k customers less k
    gaps; where the k-th gap ends after j < k services, the other k - j remain, as exponential times forget.
    """
    gap = arrivals / (arrivals + services)
    excess = [
        sum(comb(k - 1 + j, j) * gap**k * (1.0 - gap) ** j * (k - j) / services for j in range(k))
        for k in range(1, count)
    ]
    return np.concatenate(([0.0], np.cumsum(np.array(excess) / np.arange(1, count)))).mean()


@pytest.mark.slow
@pytest.mark.row("R-275")
def test_intervals_of_replications_hold_the_mean_wait_of_a_queue_that_begins_empty_as_often_as_they_say():
    rng, shape = np.random.default_rng(0), (REPETITIONS, 300)
    waits, total = np.zeros(shape, dtype="f4"), np.zeros(shape)
    for _ in range(1, 100):
        waits += rng.standard_exponential(shape, dtype="f4") - 2.0 * rng.standard_exponential(shape, dtype="f4")
        np.maximum(waits, 0.0, out=waits)
        total += waits
    exact = mean_of_first_waits(100, 0.5, 1.0)
    for is_normal, count in ((True, 300), (False, 100)):  # skewed as they are, Student's needs more of them
        found = [mean_interval(one[:count] / 100, is_normal=is_normal) for one in total]
        assert sum(low <= exact <= high for low, high in found) / REPETITIONS == pytest.approx(0.95, abs=0.01)


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


@pytest.mark.slow
def test_the_bootstrap_holds_the_variance_of_values_that_are_not_normal_where_chi_square_does_not():
    rng = np.random.default_rng(3)
    held = {True: 0, False: 0}
    for _ in range(300):
        values = rng.exponential(size=150)
        for is_normal in held:
            low, high = variance_interval(values, is_normal=is_normal)
            held[is_normal] += low <= 1.0 <= high
    assert held[True] / 300 < 0.75
    assert 0.87 < held[False] / 300 < 0.97


def test_batches_leave_out_what_remains_at_the_start_and_tell_of_dependence():
    one = batch_means([100.0, *np.arange(8.0)], batches=2)
    assert (one.estimate, one.batches, one.size) == (3.5, 2, 4)
    assert batch_means(np.arange(200.0)).independence < 0.001
    assert batch_means(np.random.default_rng(1).normal(size=200)).independence > 0.05


def test_batches_of_variances_are_about_the_mean_of_all_and_of_quantiles_about_that_of_all():
    series = np.random.default_rng(1).normal(size=1003)
    one, parts = batch_means(series, batches=10, of="variance"), series[3:].reshape(10, 100)
    assert one.estimate == pytest.approx(series[3:].var(ddof=1), rel=1e-12)
    middle = batch_means(series, batches=10, of=0.5)
    quantiles = np.quantile(parts, 0.5, axis=1)
    spread = ((quantiles - np.quantile(series[3:], 0.5)) ** 2).sum() / 9
    assert middle.estimate == np.quantile(series[3:], 0.5)
    assert middle.high - middle.estimate == pytest.approx(stats.t(9).ppf(0.975) * (spread / 10) ** 0.5, rel=1e-9)
    with pytest.raises(ValueError, match=r"of is \"mean\", \"variance\" or a share between 0 and 1, as 0.9"):
        batch_means(series, of="median")


SERIES = [9, 7, 8, 6, 9, 5, 7, 6, 4, 5, 3, 4, 2, 3, 1, 2, 0, 3, 1, 2, 1, 3, 0, 2, 1, 2, 1, 3, 1, 0]
SERIES += [2, 3, 1, 0, 2, 1, 1, 3, 2, 1, 0, 2, 1, 3, 2, 1, 2, 0, 3, 1, 2, 1, 0, 2, 3, 1, 2, 2, 0, 1]


def test_mser5_of_a_series_is_that_of_exact_fractions():
    means = [Fraction(sum(SERIES[k : k + 5]), 5) for k in range(0, 60, 5)]
    errors = []
    for left_out in range(7):
        kept = means[left_out:]
        mean = sum(kept) / len(kept)
        errors.append(sum((value - mean) ** 2 for value in kept) / len(kept) ** 2)
    # By hand: five-value means 39, 27, 13, 8, ... in units of 1/5; without the first three the others hardly differ.
    assert [value * 5 for value in means] == [39, 27, 13, 8, 7, 7, 8, 8, 8, 7, 8, 6]
    assert errors[3] == min(errors) == Fraction(38, 18225)
    assert mser5(SERIES) == 15


def test_a_moving_average_is_that_of_welch():
    values = np.random.default_rng(1).normal(5.0, 1.0, (4, 20))
    means = values.mean(axis=0)
    expected = [means[0], means[:3].mean(), means[:5].mean(), *(means[k - 3 : k + 4].mean() for k in range(3, 17))]
    assert moving_average(values, 3).tolist() == pytest.approx(expected, rel=1e-13)
    assert moving_average(means, 0).tolist() == pytest.approx(means.tolist(), rel=1e-13)
    with pytest.raises(ValueError, match=r"from 0 to a quarter of the values, 5 here"):
        moving_average(means, 6)


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


def test_arguments_of_another_kind_are_refused_in_words():
    values = np.arange(40.0)
    for wrong in ("20", 2.5, True, 1):
        with pytest.raises(
            ValueError, match=rf"batch_means\(..., batches={wrong!r}\): two batches of two values at least"
        ):
            batch_means(values, batches=wrong)
    for wrong in (True, 0, 90, "0.9"):
        with pytest.raises(ValueError, match='of is "mean", "variance" or a share between 0 and 1'):
            batch_means(values, of=wrong)
    for wrong in ("95", 95, 1, None):
        with pytest.raises(ValueError, match="a level lies between 0 and 1"):
            mean_interval(values, wrong)
    for wrong in (0.0, "first", True, 2):
        with pytest.raises(ValueError, match="takes two systems or more, and against= the number of one"):
            compare_several([values, values], against=wrong)
    for wrong in (2.0, "3", -1):
        with pytest.raises(ValueError, match="a window is a whole number"):
            moving_average(values, wrong)
    with pytest.raises(ValueError, match=r"a series or a table of runs, and got an array of shape \(0,\)"):
        moving_average([], 0)
    assert all(map(isnan, variance_interval([1.0, 2.0], is_normal=False)))


def test_a_table_of_runs_is_not_taken_for_one_series():
    table = np.random.default_rng(1).normal(size=(5, 100))

    for function in (mser5, batch_means, mean_interval, independence):
        with pytest.raises(ValueError, match=r"the values are one series, and got an array of shape \(5, 100\)"):
            function(table)
        assert function(table[:1]) == function(table[0])
    with pytest.raises(ValueError, match="finite numbers"):
        independence([*range(10), np.nan])


def test_a_text_is_no_boolean():
    values = [1.0, 2.0, 4.0]

    with pytest.raises(TypeError, match=r"is_normal=\) takes True or False, and got 'no'"):
        mean_interval(values, is_normal="no")
    with pytest.raises(TypeError, match=r"is_normal=\) takes True or False"):
        variance_interval(values, is_normal="no")
    with pytest.raises(TypeError, match=r"is_paired=\) takes True or False"):
        compare_several([values, values], is_paired="no")
    with pytest.raises(TypeError, match=r"is_paired=\) takes True or False"):
        t_test(values, [1.0, 2.0, 3.0], is_paired="no")
    with pytest.raises(TypeError, match=r"maximise= takes True or False, and got 'no'"):
        KimNelson(2, 0.5, maximise="no")


def test_a_start_that_is_far_away_takes_no_digits_from_mser5():
    series = np.random.default_rng(1).normal(size=200)
    series[:20] += 1e12 * np.exp(-np.arange(20.0))
    means = [Fraction(float(mean)) for mean in series.reshape(-1, 5).mean(axis=1)]
    errors = []
    for left_out in range(len(means) // 2 + 1):
        rest = means[left_out:]
        middle = sum(rest) / len(rest)
        errors.append(sum((one - middle) ** 2 for one in rest) / len(rest) ** 2)
    assert mser5(series) == 5 * errors.index(min(errors))


@pytest.mark.parametrize("scale", [1e-200, 1e-120, 1.0, 1e120, 1e200])
def test_intervals_and_comparisons_have_the_unit_of_their_values(scale):
    first, second = np.array([1.0, 2.0, 4.0, 9.0]), np.array([2.0, 3.0, 3.5])
    found = welch(scale * first, scale * second)
    plain = stats.ttest_ind(first, second, equal_var=False)
    assert found.freedom == pytest.approx(plain.df)
    assert [found.low / scale, found.high / scale] == pytest.approx([*plain.confidence_interval()])
    skewed = mean_interval(scale * first, is_normal=False)
    assert np.array(skewed) / scale == pytest.approx(mean_interval(first, is_normal=False))
