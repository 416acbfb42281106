"""How many values are needed, and whether those that are there are independent."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from eventide.statistics import independence, sample_size


@pytest.mark.row("R-275")
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("stdev", [0.0, 0.3, 2.0, 9.0])
def test_the_least_number_that_is_enough_is_found(stdev, level):
    def half(count):
        return stats.t.ppf(0.5 + 0.5 * level, count - 1) * stdev / sqrt(count)

    count = sample_size(stdev, 1.0, level=level)
    by_search = next(n for n in range(2, 10**4) if half(n) <= 1.0)
    assert count == by_search


@pytest.mark.parametrize("arguments", [(1.0, 0.0), (1.0, -1.0), (-1.0, 1.0), (float("nan"), 1.0), (float("inf"), 1.0)])
def test_what_is_no_width_or_spread_is_refused(arguments):
    with pytest.raises(ValueError, match="a half_width > 0"):
        sample_size(*arguments)
    with pytest.raises(ValueError, match="level between 0 and 1"):
        sample_size(1.0, 1.0, level=1.0)


@pytest.mark.slow
@pytest.mark.row("R-275")
@pytest.mark.parametrize("shape", ["normal", "exponential", "coin"])
def test_independent_values_are_suspected_as_often_as_the_level_says(shape):
    rng = np.random.default_rng(1)
    draw = {
        "normal": rng.standard_normal,
        "exponential": rng.standard_exponential,
        "coin": lambda size: rng.integers(0, 2, size),
    }[shape]
    chances = np.array([independence(draw(30)) for _ in range(1500)])
    # Three standard deviations of a count of 1500 with chance 0.05.
    assert abs((chances < 0.05).mean() - 0.05) < 3 * sqrt(0.05 * 0.95 / 1500)


@pytest.mark.parametrize("memory", [0.8, -0.8])
def test_values_that_remember_are_found(memory):
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(200):
        values = [0.0]
        for shock in rng.standard_normal(49):
            values.append(memory * values[-1] + shock)
        found += independence(values) < 0.05
    assert found > 190


def test_the_ratio_is_that_of_the_ranks():
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.5]
    ranks = stats.rankdata(values)
    ratio = (np.diff(ranks) ** 2).sum() / ((ranks - ranks.mean()) ** 2).sum()
    n = 10
    variance = 4 * (n - 2) * (5 * n**2 - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    expected = 2.0 * stats.norm.sf(abs(ratio - 2.0) / sqrt(variance))
    assert independence(values) == pytest.approx(expected, rel=1e-12)
    assert independence(np.exp(values)) == independence(values)


def test_of_few_values_and_of_equal_ones_nothing_is_known():
    assert isnan(independence(range(9)))
    assert independence([1.0] * 20) == 1.0
