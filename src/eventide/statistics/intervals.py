"""Confidence intervals of the mean, the variance and the quantiles of independent values, as replications give them.

Source: Law, Simulation modeling and analysis, 5th ed. (2015), chapter 9
"""

from __future__ import annotations

from math import cbrt, isfinite, lgamma, log, nan, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.errors import check_boolean
from eventide.statistics.moments import stdev_of
from eventide.statistics.quantiles import gamma_quantile, student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

RESAMPLES: Final = 2000
"""Of a bootstrap: the limits of a 95 % interval are then known to about a twentieth of its length."""
TINY_SKEWNESS: Final = 1e-6
"""Below it a correction would be lost in rounding."""


def mean_interval(values: npt.ArrayLike, level: float = 0.95, *, is_normal: bool = True) -> tuple[float, float]:
    """Limits that hold the true mean with probability `level`, for independent values; (nan, nan) for fewer than two.

    is_normal   True: Student's, exact for normal values, and nearly so for the means of many others; False: corrected
                for skewed values, as waits are, of which some ten or more are needed
    Raises      ValueError for a level outside (0, 1), or values that are not finite
    Source      Student 1908, Biometrika 6; Willink 2005, Comm. Statist. Simulation Comput. 34
    """
    numbers = checked(values, level)
    check_boolean(is_normal, "mean_interval(is_normal=)")
    count = len(numbers)
    if count < 2:
        return nan, nan
    mean, stdev = float(numbers.mean()), stdev_of(numbers)
    quantile, error = student_quantile(count - 1.0, 0.5 + 0.5 * level), stdev / sqrt(count)
    lower = upper = quantile
    if not is_normal and count > 2 and stdev > 0.0:
        third = float((((numbers - mean) / stdev) ** 3).sum()) * count / ((count - 1.0) * (count - 2.0))
        lower, upper = _unskewed(quantile, third / (6.0 * sqrt(count)))
    return mean - lower * error, mean + upper * error


def _unskewed(quantile: float, skewness: float) -> tuple[float, float]:
    """How many standard errors the limits lie below and above the mean.

    skewness    of the mean, divided by six
    """
    if abs(skewness) < TINY_SKEWNESS:
        return quantile, quantile
    low, high = (
        (cbrt(1.0 + 6.0 * skewness * (point - skewness)) - 1.0) / (2.0 * skewness) for point in (-quantile, quantile)
    )
    return high, -low


def variance_interval(values: npt.ArrayLike, level: float = 0.95, *, is_normal: bool = True) -> tuple[float, float]:
    """Limits that hold the true variance with probability `level`, for independent values; (nan, nan) for fewer than
    two.

    is_normal   True: by chi-square, exact for normal values and far off for others, as the variance of a variance
                depends on their tails; False: by the bootstrap, for any distribution and fifty values or more (three at
                least), always with the same resamples
    Raises      ValueError for a level outside (0, 1), or values that are not finite
    Source      Fisher 1924: (n-1) s^2 / sigma^2 is chi-square; Efron 1987, JASA 82 (BCa), by scipy.stats.bootstrap
    """
    numbers = checked(values, level)
    check_boolean(is_normal, "variance_interval(is_normal=)")
    freedom = len(numbers) - 1
    if freedom < (1 if is_normal else 2):
        return nan, nan
    squares = float(((numbers - numbers.mean()) ** 2).sum())
    if squares == 0.0:
        return 0.0, 0.0
    if not is_normal:
        from scipy.stats import bootstrap

        found = bootstrap(
            (numbers,), lambda sample, axis: np.var(sample, axis=axis, ddof=1), n_resamples=RESAMPLES,
            confidence_level=level, method="BCa", vectorized=True, rng=np.random.default_rng(0),
        ).confidence_interval  # fmt: skip
        return float(found.low), float(found.high)
    # Of chi-square the half is of a gamma distribution.
    low, high = (2.0 * gamma_quantile(0.5 * freedom, u) for u in (0.5 - 0.5 * level, 0.5 + 0.5 * level))
    return squares / high, squares / low


def quantile_interval(values: npt.ArrayLike, q: float, level: float = 0.95) -> tuple[float, float]:
    """Limits that hold the true q-quantile with probability `level` at least, for independent values of any continuous
    distribution; (nan, nan) if there are too few values for that.

    They are two of the values, as near to each other as can be.
    Raises  ValueError for a level or q outside (0, 1), or values that are not finite
    Source  Thompson 1936, Ann. Math. Statist. 7: the number of values below the quantile is binomial
    """
    numbers = np.sort(checked(values, level))
    if not is_share(q):
        raise ValueError(f"quantile_interval(..., {q!r}): q lies between 0 and 1; write 0.95 for the 95th percentile")
    n = len(numbers)
    below = np.cumsum(_binomial(n, q))
    tail = 0.5 - 0.5 * level
    # The quantile is below value number `first` with chance P(B <= first), above number `last` with P(B >= last + 1).
    first = int(np.searchsorted(below, tail, side="right")) - 1
    last = int(np.searchsorted(below, 1.0 - tail, side="left"))
    if first < 0 or last >= n:
        return nan, nan
    return float(numbers[first]), float(numbers[last])


def _binomial(n: int, p: float) -> npt.NDArray[np.float64]:
    """The chance of k successes among n, for k from 0 to n."""
    logs = [
        lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1.0 - p) for k in range(n + 1)
    ]
    chances: npt.NDArray[np.float64] = np.exp(np.array(logs))
    return chances


def is_share(value: object) -> bool:
    """Whether a value is a number between 0 and 1."""
    return isinstance(value, float | np.floating) and 0.0 < float(value) < 1.0


def is_whole(value: object, least: int) -> bool:
    """Whether a value is a whole number of at least `least`."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= least


def checked(values: npt.ArrayLike, level: float) -> npt.NDArray[np.float64]:
    """The values as a flat array.

    Raises ValueError for a level outside (0, 1), a table of several columns and rows, or values that are not finite
    """
    numbers = np.asarray(values, dtype=np.float64)
    if sum(length != 1 for length in numbers.shape) > 1:
        raise ValueError(f"the values are one series, and got an array of shape {numbers.shape}: take one of its rows")
    numbers = numbers.ravel()
    if not is_share(level):
        raise ValueError(f"a level lies between 0 and 1, and got {level!r}: write 0.95 for 95 %")
    if not all(map(isfinite, numbers.tolist())):
        raise ValueError("the values are to be finite numbers, and some are not: leave them out first")
    return numbers
