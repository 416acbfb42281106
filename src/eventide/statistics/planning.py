"""How many values are needed, and whether given values are independent of each other."""

from __future__ import annotations

from math import ceil, isfinite, nan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.statistics.intervals import checked
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

FEWEST: Final = 10
"""With fewer values the ranks say too little."""


def sample_size(stdev: float, half_width: float, *, level: float = 0.95) -> int:
    """The least number of independent values, 2 at least, whose confidence interval is that narrow.

    stdev       of one value, as estimated from a few
    half_width  half the length that the interval may have, in the same unit, > 0
    level       of the interval, Student's
    Raises      ValueError for arguments that are not allowed
    Source      Law, Simulation modeling and analysis, 5th ed. (2015), eq. 9.1
    """
    if not 0.0 < level < 1.0 or not half_width > 0.0 or not (isfinite(stdev) and stdev >= 0.0):
        raise ValueError(
            f"sample_size({stdev!r}, {half_width!r}, level={level!r}): a finite stdev >= 0, a half_width > 0 and a "
            "level between 0 and 1 are needed"
        )

    def is_enough(count: int) -> bool:
        return student_quantile(count - 1.0, 0.5 + 0.5 * level) * stdev / sqrt(count) <= half_width

    # With the normal quantile, which is the smaller one, there are never too many.
    count = max(2, ceil((NormalDist().inv_cdf(0.5 + 0.5 * level) * stdev / half_width) ** 2))
    while not is_enough(count):
        count += 1
    return count


def independence(values: npt.ArrayLike) -> float:
    """The chance that independent values, in this order, look as dependent as these do, or more; NaN below ten values.

    Small values are evidence against independence: successive values are similar, or alternate. Von Neumann's ratio of
    the ranks, which assumes nothing about the distribution, with its normal approximation; equal values share ranks.
    Raises  ValueError for values that are not finite
    Source  Bartels 1982, The rank version of von Neumann's ratio test for randomness, JASA 77
    """
    numbers = checked(values, 0.5)
    n = len(numbers)
    if n < FEWEST:
        return nan
    order, counts = np.unique(numbers, return_inverse=True, return_counts=True)[1:]
    ranks = (np.cumsum(counts) - 0.5 * (counts - 1))[order]
    spread = float(((ranks - ranks.mean()) ** 2).sum())
    if spread == 0.0:
        return 1.0
    ratio = float((np.diff(ranks) ** 2).sum()) / spread
    variance = 4.0 * (n - 2) * (5.0 * n * n - 2.0 * n - 9.0) / (5.0 * n * (n + 1) * (n - 1) ** 2)
    return 2.0 * NormalDist().cdf(-abs(ratio - 2.0) / sqrt(variance))
