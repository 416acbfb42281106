"""Comparisons of the means of two systems, and of several at once.

Source: Law, Simulation modeling and analysis, 5th ed. (2015), chapter 10
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, sqrt
from typing import TYPE_CHECKING

from eventide.errors import check_boolean
from eventide.statistics.intervals import checked, is_share, is_whole
from eventide.statistics.moments import stdev_of
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt


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

    def __str__(self) -> str:
        verdict = "they may be equal"
        if self.is_significant:
            verdict = f"the first is {'larger' if self.difference > 0.0 else 'smaller'}"
        return f"difference {self.difference:.6g}, between {self.low:.6g} and {self.high:.6g}: {verdict}"


def paired(first: npt.ArrayLike, second: npt.ArrayLike, level: float = 0.95) -> Comparison:
    """The comparison of values that belong together in pairs, as replications under common random numbers.

    Raises  ValueError for other lengths, fewer than two pairs, a level outside (0, 1), or values that are not finite
    Source  Law 2015, 10.2.1
    """
    one, other = checked(first, level), checked(second, level)
    if len(one) != len(other) or len(one) < 2:
        raise ValueError(
            f"paired(...) takes two values for each of two pairs at least, and got {len(one)} and {len(other)}"
        )
    differences = one - other
    return _compared(float(differences.mean()), stdev_of(differences) / sqrt(len(one)), len(one) - 1.0, level)


def welch(first: npt.ArrayLike, second: npt.ArrayLike, level: float = 0.95) -> Comparison:
    """The comparison of independent values, whose numbers and variances may differ.

    Raises  ValueError for fewer than two values of one, a level outside (0, 1), or values that are not finite
    Source  Welch 1938, Biometrika 29; Law 2015, 10.2.2
    """
    one, other = checked(first, level), checked(second, level)
    if min(len(one), len(other)) < 2:
        raise ValueError(f"welch(...) takes two values of each at least, and got {len(one)} and {len(other)}")
    a, b = stdev_of(one) / sqrt(len(one)), stdev_of(other) / sqrt(len(other))
    error, freedom = hypot(a, b), len(one) + len(other) - 2.0
    if error:
        share = (a / error) ** 2
        freedom = 1.0 / (share**2 / (len(one) - 1) + (1.0 - share) ** 2 / (len(other) - 1))
    return _compared(float(one.mean() - other.mean()), error, freedom, level)


def _compared(difference: float, error: float, freedom: float, level: float) -> Comparison:
    half = student_quantile(freedom, 0.5 + 0.5 * level) * error
    return Comparison(difference, difference - half, difference + half, freedom)


def compare_several(
    samples: Sequence[npt.ArrayLike], *, against: int | None = 0, level: float = 0.95, is_paired: bool = True
) -> dict[tuple[int, int], Comparison]:
    """Comparisons of several systems that all hold together with probability `level`, by the numbers of the two.

    Each interval is that of `paired` or `welch` at the level 1 - (1 - level) / number of comparisons.
    samples     the values of each system
    against     the number of the system that all others are compared with, (other, against); None: each pair
    is_paired   whether values of one place belong together, as replications under common random numbers do
    Raises      ValueError for fewer than two systems, no such system, and as `paired` and `welch` do
    Source      Bonferroni's inequality; Law 2015, 10.3
    """
    check_boolean(is_paired, "compare_several(is_paired=)")
    count = len(samples)
    if count < 2 or not (against is None or (is_whole(against, 0) and against < count)):
        raise ValueError(
            f"compare_several(...) takes two systems or more, and against= the number of one, from 0 on: got {count} "
            f"systems and against={against!r}"
        )
    if not is_share(level):
        raise ValueError(f"a level lies between 0 and 1, and got {level!r}: write 0.95 for 95 %")
    pairs = (
        list(combinations(range(count), 2))
        if against is None
        else [(one, against) for one in range(count) if one != against]
    )
    each = 1.0 - (1.0 - level) / len(pairs)
    compare = paired if is_paired else welch
    return {(one, other): compare(samples[one], samples[other], each) for one, other in pairs}
