"""Tests of hypotheses: the values of scipy, cells and degrees of freedom by hand, how often the true are rejected."""

import numpy as np
import pytest
from scipy import stats

import eventide as ev
from eventide.statistics import chi_square, kolmogorov_smirnov, t_test


def test_tests_of_means_are_those_of_student_and_welch():
    rng = np.random.default_rng(1)
    first, second = rng.normal(1.0, 1.0, 12), rng.normal(0.5, 2.0, 12)
    for found, expected in (
        (t_test(first, mean=0.4), stats.ttest_1samp(first, 0.4)),
        (t_test(first, second), stats.ttest_rel(first, second)),
        (t_test(first, second[:7], is_paired=False), stats.ttest_ind(first, second[:7], equal_var=False)),
        (t_test(first, second, mean=0.3), stats.ttest_1samp(first - second, 0.3)),
        (t_test(first, second, mean=0.3, is_paired=False), stats.ttest_ind(first - 0.3, second, equal_var=False)),
    ):
        assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
        assert found.freedom == pytest.approx(expected.df)
    assert str(t_test([1.0, 2.0, 3.0], mean=4.0)) == (
        "If the true mean were 4, an estimate as far off as 2 or farther would come with probability 0.074."
    )
    with pytest.raises(ValueError, match="in pairs as many of both: got 12 and 7"):
        t_test(first, second[:7])
    with pytest.raises(ValueError, match="two values or more"):
        t_test([1.0])


def test_cells_are_equally_probable_and_fitted_parameters_take_degrees_of_freedom():
    values = np.random.default_rng(2).exponential(2.0, 100)
    found = chi_square(values, stats.expon(scale=2.0), cells=5)
    edges = [0.0, *(-2.0 * np.log(1.0 - np.array([0.2, 0.4, 0.6, 0.8]))), np.inf]
    observed = np.histogram(values, edges)[0]
    expected = stats.chisquare(observed, [20.0] * 5)
    assert (found.statistic, found.p_value, found.freedom) == pytest.approx((expected.statistic, expected.pvalue, 4.0))

    fitted = chi_square(values, stats.expon, {"loc": 0.0}, cells=5)
    edges[1:5] = [edge * values.mean() / 2.0 for edge in edges[1:5]]
    expected = stats.chisquare(np.histogram(values, edges)[0], [20.0] * 5, ddof=1)
    assert (fitted.statistic, fitted.p_value, fitted.freedom) == pytest.approx(
        (expected.statistic, expected.pvalue, 3.0)
    )
    assert chi_square(values, stats.expon(scale=2.0)).freedom == 12.0  # ceil(2 * 100^0.4) cells
    assert chi_square(values, stats.norm(2.0, 2.0)).p_value < 1e-4


def test_cells_of_a_discrete_distribution_are_of_whole_values():
    values = np.repeat([0, 1, 2, 3, 4], [14, 27, 27, 18, 14])
    found = chi_square(values, stats.poisson(2.0), cells=4)  # up to 1, 2, 3 and above
    expected = stats.chisquare([41, 27, 18, 14], 100 * np.diff([0.0, *stats.poisson(2.0).cdf([1, 2, 3]), 1.0]))
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))
    die = chi_square(np.repeat(np.arange(1, 7), 10), stats.randint(1, 7), cells=6)
    assert (die.statistic, die.p_value, die.freedom) == (pytest.approx(0.0, abs=1e-12), pytest.approx(1.0), 5.0)


def test_the_distance_of_distribution_functions_is_that_of_scipy_and_allows_for_fitted_parameters():
    values = np.random.default_rng(3).normal(5.0, 2.0, 40)
    expected = stats.kstest(values, stats.norm(5.0, 2.0).cdf)
    found = kolmogorov_smirnov(values, stats.norm(5.0, 2.0))
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-12)
    fitted = kolmogorov_smirnov(values, stats.norm)
    naive = stats.kstest(values, stats.norm(values.mean(), values.std(ddof=1)).cdf)
    assert fitted.statistic == pytest.approx(naive.statistic, rel=1e-9)
    assert fitted.p_value < 0.7 * naive.pvalue
    assert repr(fitted) == repr(kolmogorov_smirnov(values, stats.norm))  # one of its numbers is NaN
    assert found.sentence.startswith("If the values came from norm, their distribution function would be 0.")


@pytest.mark.slow
@pytest.mark.row("R-246")
def test_true_hypotheses_are_rejected_as_often_as_they_say():
    rng, rejected = np.random.default_rng(4), dict.fromkeys(("t", "chi-square", "fitted", "distance"), 0)
    waits = stats.expon(scale=2.0)
    for _ in range(600):
        values = rng.exponential(2.0, 200)
        rejected["t"] += t_test(rng.normal(1.0, 3.0, 10), mean=1.0).p_value < 0.05
        rejected["chi-square"] += chi_square(values, waits).p_value < 0.05
        rejected["fitted"] += chi_square(values, stats.expon, {"loc": 0.0}).p_value < 0.05
        rejected["distance"] += kolmogorov_smirnov(values, waits).p_value < 0.05
    assert {name: count / 600 for name, count in rejected.items()} == pytest.approx(
        dict.fromkeys(rejected, 0.05), abs=4.0 * (0.05 * 0.95 / 600) ** 0.5
    )


@pytest.mark.row("R-246")
def test_an_assessment_and_the_streams_of_a_model_are_tested():
    @ev.model
    def sums(sim):
        yield ev.hold(1.0)
        return {"cost": sum(sim.stream("x").exponential(2.0) for _ in range(12))}

    costs = sums.replicate(30, entropy=1).responses["cost"]
    assert t_test(costs, mean=24.0).p_value > 0.01
    assert t_test(costs, mean=30.0).p_value < 0.01
    assert kolmogorov_smirnov(costs, stats.gamma(12.0, scale=2.0)).p_value > 0.01
    stream = ev.Simulation(rng=1).stream("gaps")
    assert chi_square([stream.erlang(4.0, 2) for _ in range(500)], stats.gamma(2.0, scale=2.0)).p_value > 0.01


def test_what_cannot_be_tested_is_told():
    with pytest.raises(ValueError, match=r"or scipy\.stats\.expon\(scale=2\.0\), and got 'expon'"):
        kolmogorov_smirnov(np.arange(9.0), "expon")
    with pytest.raises(ValueError, match="with 5 values at least, and got 4"):
        chi_square(np.arange(4.0), stats.norm)
    with pytest.raises(ValueError, match="has 2 cells and 2 fitted parameters: it takes two cells more"):
        chi_square(np.arange(12.0), stats.norm)
    with pytest.raises(ValueError, match=r"give poisson its parameters"):
        chi_square(np.arange(12.0), stats.poisson)
    with pytest.raises(ValueError, match="is of continuous distributions: use chi_square"):
        kolmogorov_smirnov(np.arange(12.0), stats.poisson(2.0))
    with pytest.raises(ValueError, match="known= takes parameters by name"):
        chi_square(np.arange(12.0), stats.norm, ["loc"])
    with pytest.raises(ValueError, match="takes cells= as a whole number, and got '5'"):
        chi_square(np.arange(12.0), stats.norm(0.0, 1.0), cells="5")
    with pytest.raises(ValueError, match="the values do not vary"):
        t_test([2.0, 2.0], mean=1.0)
    with pytest.raises(ValueError, match="this one has its parameters"):
        chi_square(np.arange(12.0), stats.norm(0.0, 1.0), {"loc": 0.0})
