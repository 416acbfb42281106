"""Weight, total, spread and extremes of data: what tally and level keep when they drop the values."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, inf, ldexp, nan, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST: Final = 1e-100
"""Of numbers of which sums of squares are exact; the largest are its inverse."""
BLOCK = 1024
"""Values are folded in blocks of this many, counted from the first one.

The blocks depend on the data alone, never on when a statistic is read: reading a
statistic in the middle of a run leaves every later bit as it was.
"""


@dataclass(frozen=True, slots=True)
class Moments:
    """What remains of data when the values themselves are dropped.

    weight            sum of the weights: a count for values, a duration for levels
    total             sum of weight * value
    squares           sum of weight * ((value - mean) / scale)**2
    scale             1, or a power of 2 where squares of what is so tiny or huge would be no numbers
    minimum, maximum  inf and -inf without data

    Source  Chan, Golub & LeVeque 1983, Am. Stat. 37: two passes over each part, parts combined by the distance of
            their means; no difference of large sums is ever taken
    """

    weight: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    minimum: float = inf
    maximum: float = -inf
    scale: float = 1.0

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> Moments:
        """Moments of `values`, each of weight 1 unless `weights` are given."""
        if not values.size:
            return cls()
        with np.errstate(over="ignore", invalid="ignore"):
            weight = float(values.size if weights is None else weights.sum())
            total = float((values if weights is None else weights * values).sum())
            mean = total / weight if weight else 0.0
            away = values - mean
            scale = _scale_for(float(np.abs(away).max()))
            away = (away if scale == 1.0 else away / scale) ** 2
            squares = float((away if weights is None else weights * away).sum())
            return cls(weight, total, squares, float(values.min()), float(values.max()), scale)

    @property
    def mean(self) -> float:
        """Weighted mean; nan without weight."""
        return self.total / self.weight if self.weight else nan

    def combined(self, other: Moments) -> Moments:
        """Moments of both sets of data together."""
        weight = self.weight + other.weight
        apart = other.mean - self.mean if self.weight and other.weight else 0.0
        scale = _scale_for(max(abs(apart), 0.0, *(one.scale for one in (self, other) if one.squares)))
        squares = sum(one.squares * (one.scale / scale) ** 2 for one in (self, other) if one.squares)
        if apart:
            squares += (apart / scale) ** 2 * (self.weight * other.weight / weight)
        return Moments(
            weight,
            self.total + other.total,
            squares,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            scale,
        )

    def variance(self, weight: float) -> float:
        """Sum of squares divided by a weight [unit**2]; nan if there is none."""
        return self.squares / weight * self.scale * self.scale if weight > 0.0 else nan

    def stdev(self, weight: float) -> float:
        """The root of that, also where it is so tiny or huge that the variance is no number."""
        return sqrt(self.squares / weight) * self.scale if weight > 0.0 else nan


def stdev_of(values: NDArray[np.float64]) -> float:
    """The standard deviation of two values or more, with the divisor n - 1."""
    return Moments.of(values).stdev(len(values) - 1.0)


def _scale_for(size: float) -> float:
    """1, or a power of 2 near to what has no square among floats."""
    return 1.0 if SMALLEST < size < 1.0 / SMALLEST or not 0.0 < size < inf else ldexp(1.0, frexp(size)[1])
