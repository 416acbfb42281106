"""Quantiles of a stream of values, without keeping them."""

from __future__ import annotations

from math import ceil, nan
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.statistics.ownership import Copied

if TYPE_CHECKING:
    import numpy.typing as npt

LENGTH: Final = 4096
"""Values of a buffer: the errors of quantiles are as its inverse."""


class QuantileSketch(Copied):
    """Quantiles of as many values as come, in memory that grows by 32 kB each time their number doubles.

    Values of equal weight are kept in buffers; a full buffer is sorted, and every second value goes to the next one,
    with twice the weight. So quantiles are exact for the first 4096 values; later ones are off by `error` at most.
    Source  Munro & Paterson 1980, Theor. Comput. Sci. 12; Manku, Rajagopalan & Lindsay 1998, SIGMOD
    """

    def __init__(self) -> None:
        self.count = 0
        self._buffers: list[npt.NDArray[np.float64]] = [np.empty(0)]
        self._merges = [0]
        """How often each buffer was full."""

    def add(self, values: npt.ArrayLike) -> None:
        """Take more values. Raises ValueError if some are not finite."""
        numbers = np.asarray(values, dtype=np.float64).ravel()
        if not np.isfinite(numbers).all():
            raise ValueError("the values are to be finite numbers, and some are not: leave them out first")
        self.count += len(numbers)
        while len(numbers):
            room = LENGTH - len(self._buffers[0])
            self._buffers[0] = np.concatenate((self._buffers[0], numbers[:room]))
            numbers = numbers[room:]
            self._pass_on()

    def _pass_on(self) -> None:
        place = 0
        while len(self._buffers[place]) >= LENGTH:
            if place + 1 == len(self._buffers):
                self._buffers.append(np.empty(0))
                self._merges.append(0)
            # By turns the lower and the upper of two neighbours, so that the errors of two merges cancel.
            kept = np.sort(self._buffers[place])[self._merges[place] % 2 :: 2]
            self._merges[place] += 1
            self._buffers[place] = np.empty(0)
            self._buffers[place + 1] = np.concatenate((self._buffers[place + 1], kept))
            place += 1

    @property
    def error(self) -> float:
        """By how much the share of values below a quantile is off at most; 0 while they are exact."""
        off = sum(2**place * ceil(merges / 2) for place, merges in enumerate(self._merges))
        return off / self.count if self.count else 0.0

    def quantile(self, q: float) -> float:
        """The least value with a share of `q` of all at or below it; nan without values.

        Raises ValueError unless q is from 0 to 1
        """
        if not 0.0 <= q <= 1.0:
            raise ValueError(f"quantile({q!r}): q is a share from 0 to 1; write 0.95 for the 95th percentile")
        if not self.count:
            return nan
        values = np.concatenate(self._buffers)
        weights = np.concatenate([np.full(len(one), 2.0**place) for place, one in enumerate(self._buffers)])
        order = np.argsort(values, kind="stable")
        below = np.cumsum(weights[order])
        place = int(np.searchsorted(below, q * below[-1] * (1.0 - 1e-12)))
        return float(values[order[min(place, len(values) - 1)]])
