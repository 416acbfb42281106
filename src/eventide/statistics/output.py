"""Output analysis: intervals of variances and quantiles, comparisons of two systems, long runs.

Source: Law, Simulation modeling and analysis, 5th ed. (2015), chapters 9 and 10
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, lgamma, log, nan, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.statistics.planning import independence
from eventide.statistics.quantiles import gamma_quantile, student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

BATCHES: Final = 20
"""Of a long run: enough for an interval, few enough that each is long."""
FIVE: Final = 5
"""Values that MSER-5 takes together."""


def variance_interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float]:
    """Limits that hold the true variance with probability `level`, for independent values that are normal; (nan, nan)
    for fewer than two.

    Of other distributions it may be far off, as the variance of a variance depends on their tails.
    Raises  ValueError for a level outside (0, 1), or values that are not finite
    Source  Fisher 1924: (n-1) s^2 / sigma^2 is chi-square
    """
    numbers = _checked(values, level)
    freedom = len(numbers) - 1
    if freedom < 1:
        return nan, nan
    squares = float(((numbers - numbers.mean()) ** 2).sum())
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
    numbers = np.sort(_checked(values, level))
    if not 0.0 < q < 1.0:
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


@dataclass(frozen=True)
class Comparison:
    """How much the mean of a first system is above that of a second.

    difference      the estimate; low, high: its confidence interval
    freedom         degrees of freedom of Student's distribution
    """

    difference: float
    low: float
    high: float
    freedom: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves out 0."""
        return not self.low <= 0.0 <= self.high


def paired(first: npt.ArrayLike, second: npt.ArrayLike, level: float = 0.95) -> Comparison:
    """The comparison of values that belong together in pairs, as replications under common random numbers.

    Raises  ValueError for other lengths, fewer than two pairs, a level outside (0, 1), or values that are not finite
    Source  Law 2015, 10.2.1
    """
    one, other = _checked(first, level), _checked(second, level)
    if len(one) != len(other) or len(one) < 2:
        raise ValueError(
            f"paired(...) takes two values for each of two pairs at least, and got {len(one)} and {len(other)}"
        )
    differences = one - other
    return _compared(float(differences.mean()), float(differences.std(ddof=1)) / sqrt(len(one)), len(one) - 1.0, level)


def welch(first: npt.ArrayLike, second: npt.ArrayLike, level: float = 0.95) -> Comparison:
    """The comparison of independent values, whose numbers and variances may differ.

    Raises  ValueError for fewer than two values of one, a level outside (0, 1), or values that are not finite
    Source  Welch 1938, Biometrika 29; Law 2015, 10.2.2
    """
    one, other = _checked(first, level), _checked(second, level)
    if min(len(one), len(other)) < 2:
        raise ValueError(f"welch(...) takes two values of each at least, and got {len(one)} and {len(other)}")
    a, b = float(one.var(ddof=1)) / len(one), float(other.var(ddof=1)) / len(other)
    freedom = (
        (a + b) ** 2 / (a * a / (len(one) - 1) + b * b / (len(other) - 1)) if a + b else len(one) + len(other) - 2.0
    )
    return _compared(float(one.mean() - other.mean()), sqrt(a + b), freedom, level)


def _compared(difference: float, error: float, freedom: float, level: float) -> Comparison:
    half = student_quantile(freedom, 0.5 + 0.5 * level) * error
    return Comparison(difference, difference - half, difference + half, freedom)


# --- long runs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BatchMeans:
    """What one long run says of the mean in the steady state.

    mean            the estimate; low, high: its confidence interval
    batches, size   how many batches there are, and how many values each has; what remains is left out at the start
    independence    the chance that independent batches look as these do; below 0.05 they are too short
    """

    mean: float
    low: float
    high: float
    batches: int
    size: int
    independence: float


def batch_means(series: npt.ArrayLike, *, batches: int = BATCHES, level: float = 0.95) -> BatchMeans:
    """The mean of a stationary series whose values depend on their neighbours, with its confidence interval.

    The interval is Student's, of the means of batches, each of which is to be so long that they hardly depend on each
    other: at least ten times as long as the dependence reaches.
    batches     how many; two at least
    Raises      ValueError if the series has not two values for each, for a level outside (0, 1), or values that are
                not finite
    Source      Law 2015, 9.5.3; Schmeiser 1982, Oper. Res. 30
    """
    numbers = _checked(series, level)
    size = len(numbers) // batches if batches > 0 else 0
    if batches < 2 or size < 2:
        raise ValueError(
            f"batch_means(..., batches={batches!r}): two batches of two values at least, and there are {len(numbers)}"
        )
    means = numbers[len(numbers) - batches * size :].reshape(batches, size).mean(axis=1)
    found = _compared(float(means.mean()), float(means.std(ddof=1)) / sqrt(batches), batches - 1.0, level)
    return BatchMeans(found.difference, found.low, found.high, batches, size, independence(means))


def mser5(series: npt.ArrayLike) -> int:
    """How many values at the start of a series are to be left out, as the run was not steady yet: MSER-5.

    Values are taken together by five; left out are as many as make the standard error of the mean of the others least,
    at most half of them.
    Raises  ValueError if there are fewer than ten values, or some are not finite
    Source  White, Cobb & Spratt 2000, A comparison of five steady-state truncation heuristics, Proc. WSC
    """
    numbers = _checked(series, 0.5)
    count = len(numbers) // FIVE
    if count < 2:
        raise ValueError(f"mser5(...) takes ten values at least, and got {len(numbers)}")
    means = numbers[: count * FIVE].reshape(count, FIVE).mean(axis=1)
    # Of those from each place on: sums from the end, of values whose mean is taken off, so that squares stay exact.
    centred = (means - means.mean())[::-1]
    left = np.arange(1, count + 1)
    totals, squares = np.cumsum(centred), np.cumsum(centred**2)
    errors = ((squares - totals**2 / left) / left**2)[::-1]
    return FIVE * int(np.argmin(errors[: count // 2 + 1]))


def _checked(values: npt.ArrayLike, level: float) -> npt.NDArray[np.float64]:
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if not 0.0 < level < 1.0:
        raise ValueError(f"a level lies between 0 and 1, and got {level!r}: write 0.95 for 95 %")
    if not all(map(isfinite, numbers.tolist())):
        raise ValueError("the values are to be finite numbers, and some are not: leave them out first")
    return numbers
