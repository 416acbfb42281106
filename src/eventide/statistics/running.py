"""The mean of a stationary stream of dependent values, with an interval, without keeping them.

Source: Law & Carson 1979, A sequential procedure for determining the length of a steady-state simulation, Oper. Res. 27
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.statistics.ownership import Copied
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

BATCHES: Final = 40
"""Whose means give the interval."""
PARTS: Final = 10
"""Of each of them: if these are hardly correlated, the batches are not."""
LIMIT: Final = 0.4
"""Of the correlation of neighbouring parts."""


@dataclass(frozen=True)
class RunningMean:
    """What a stream has told of its mean so far.

    mean            of the first `count` values; low, high: its confidence interval
    count           how many values that were
    correlation     of neighbouring four-hundredths of them, estimated
    is_settled      whether these are so little correlated that the interval can be trusted
    """

    mean: float
    low: float
    high: float
    count: int
    correlation: float
    is_settled: bool

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return 0.5 * (self.high - self.low)

    def __str__(self) -> str:
        doubt = "" if self.is_settled else "; its batches are still correlated, so that the interval may be too short"
        return f"mean {self.mean:.6g}, between {self.low:.6g} and {self.high:.6g} after {self.count} values{doubt}"


class RunningBatches(Copied):
    """Batch means of as many values as come, of which at most 1200 means are kept.

    The values are divided into 400 parts at 800, 1200, 1600, 2400, 3200, ... of them, and the mean and its interval are
    estimated then, of 40 batches of ten parts each.
    level       of the interval
    count, mean     of all values so far
    latest      the latest estimate, or None
    """

    def __init__(self, level: float = 0.95) -> None:
        if not 0.0 < level < 1.0:
            raise ValueError(f"a level lies between 0 and 1, and got {level!r}: write 0.95 for 95 %")
        self.level = level
        self.count = 0
        self.latest: RunningMean | None = None
        self._size = 1
        """Values of one mean that is kept."""
        self._means: npt.NDArray[np.float64] = np.empty(0)
        self._open = 0.0
        """The sum of those values that do not fill a mean yet."""
        self._target = 2 * BATCHES * PARTS

    @property
    def mean(self) -> float:
        """Of all values so far; nan without any."""
        whole = float(self._means.sum()) * self._size + self._open
        return whole / self.count if self.count else nan

    def add(self, values: npt.ArrayLike) -> list[RunningMean]:
        """Take more values; the estimates that were made on the way. Raises ValueError if some are not finite."""
        numbers = np.asarray(values, dtype=np.float64).ravel()
        if not np.isfinite(numbers).all():
            raise ValueError("the values are to be finite numbers, and some are not: leave them out first")
        found: list[RunningMean] = []
        while len(numbers):
            numbers = self._take(numbers)
            if len(self._means) == self._target:
                self.latest = self._estimate()
                found.append(self.latest)
                self._go_on()
        return found

    def _take(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Take values up to the next estimate; those that remain."""
        inside = self.count - len(self._means) * self._size
        end = min(len(numbers), (self._target - len(self._means)) * self._size - inside)
        taken = numbers[:end]
        self.count += end
        first = min(end, (self._size - inside) % self._size)
        self._open += float(taken[:first].sum())
        if inside and inside + first == self._size:
            self._means = np.append(self._means, self._open / self._size)
            self._open = 0.0
        rest = taken[first:]
        whole = len(rest) // self._size * self._size
        self._means = np.append(self._means, rest[:whole].reshape(-1, self._size).mean(axis=1))
        self._open += float(rest[whole:].sum())
        return numbers[end:]

    def _go_on(self) -> None:
        """Choose the next number of values; keep half as many means where there are too many."""
        fewest = 2 * BATCHES * PARTS
        if self._target == fewest:
            self._target = fewest * 3 // 2
        else:
            # 1200 means become 600 of twice the size, the next estimate is of 800 of these.
            self._means = self._means.reshape(-1, 2).mean(axis=1)
            self._size *= 2
            self._target = fewest

    def _estimate(self) -> RunningMean:
        parts = self._means.reshape(BATCHES * PARTS, -1).mean(axis=1)
        correlation = _correlation(parts)
        is_settled = correlation < LIMIT and (
            correlation <= 0.0 or _correlation(parts.reshape(-1, 2).mean(axis=1)) < correlation
        )
        batches = parts.reshape(BATCHES, PARTS).mean(axis=1)
        mean = float(batches.mean())
        half = student_quantile(BATCHES - 1.0, 0.5 + 0.5 * self.level) * float(batches.std(ddof=1)) / sqrt(BATCHES)
        return RunningMean(mean, mean - half, mean + half, self.count, correlation, is_settled)


def _correlation(values: npt.NDArray[np.float64]) -> float:
    """The correlation of neighbours, with less bias by the jackknife; 0 where all are equal."""
    half = len(values) // 2
    return 2.0 * _plain_correlation(values) - 0.5 * (
        _plain_correlation(values[:half]) + _plain_correlation(values[half:])
    )


def _plain_correlation(values: npt.NDArray[np.float64]) -> float:
    apart = values - values.mean()
    squares = float((apart**2).sum())
    return float((apart[1:] * apart[:-1]).sum()) / squares if squares else 0.0
