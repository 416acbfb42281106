"""Weight, total, spread and extremes of data: what tally and level keep when they drop the values."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    squares           sum of weight * (value - mean)**2
    minimum, maximum  inf and -inf without data

    Source  Chan, Golub & LeVeque 1983, Am. Stat. 37: two passes over each part, parts combined by the distance of
            their means; no difference of large sums is ever taken
    """

    weight: float = 0.0
    total: float = 0.0
    squares: float = 0.0
    minimum: float = inf
    maximum: float = -inf

    @classmethod
    def of(cls, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> Moments:
        """Moments of `values`, each of weight 1 unless `weights` are given."""
        if not values.size:
            return cls()
        if weights is None:
            weights = np.ones_like(values)
        with np.errstate(over="ignore", invalid="ignore"):
            weight = float(weights.sum())
            total = float((weights * values).sum())
            mean = total / weight if weight else 0.0
            squares = float((weights * (values - mean) ** 2).sum())
            return cls(weight, total, squares, float(values.min()), float(values.max()))

    @property
    def mean(self) -> float:
        """Weighted mean; nan without weight."""
        return self.total / self.weight if self.weight else nan

    def combined(self, other: Moments) -> Moments:
        """Moments of both sets of data together."""
        weight = self.weight + other.weight
        squares = self.squares + other.squares
        if self.weight and other.weight:
            apart = other.mean - self.mean
            squares += apart * apart * (self.weight * other.weight / weight)
        return Moments(
            weight,
            self.total + other.total,
            squares,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
        )
