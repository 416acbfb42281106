"""Histogram: how many values fell into each bin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, nan, nextafter
from typing import TYPE_CHECKING

import numpy as np

from eventide.declare.reserved import fix
from eventide.declare.showing import public_dir
from eventide.declare.units import PLAIN, has_unit, in_unit
from eventide.errors import check_number, check_text
from eventide.statistics.ownership import Copied

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Histogram(Copied):
    """Counts of values in bins, in memory that does not grow with the data.

    lower, upper   limits of the counted range [unit]
    bins           number of bins of equal width
    name, unit     shown in messages

    A bin holds its lower edge and not its upper one; the last bin holds both. Values
    below and above the range are counted apart.

    Raises  ValueError unless lower < upper are finite and bins is at least 1
    """

    __slots__ = ("_bounds", "_counts", "_edges", "name", "unit")
    __dir__ = public_dir

    edges: tuple[float, ...]
    """Limits of the bins, rising, one more than there are bins [unit]."""

    def __init__(self, lower: float, upper: float, bins: int, *, name: str = "", unit: str = "") -> None:
        is_ordered = -inf < check_number(lower, "lower=") < check_number(upper, "upper=") < inf
        if not is_ordered or not hasattr(bins, "__index__") or bins < 1:
            raise ValueError(
                f"Histogram(lower={lower!r}, upper={upper!r}, bins={bins!r}): lower"
                " must be less than upper, both finite, and bins a whole number, at least 1"
            )
        width = (upper - lower) / bins
        inner = [lower + width * k for k in range(1, bins)]
        self._start((lower, *inner, upper), name, unit)

    @classmethod
    def from_edges(cls, edges: Sequence[float], *, name: str = "", unit: str = "") -> Histogram:
        """A histogram whose bins lie between the given edges.

        Raises  ValueError unless there are at least two finite edges, each greater
                than the one before
        """
        histogram = cls.__new__(cls)
        histogram._start(tuple(map(float, edges)), name, unit)
        return histogram

    def _start(self, edges: tuple[float, ...], name: str, unit: str) -> None:
        rising = all(low < high for low, high in pairwise(edges))
        if len(edges) < 2 or not rising or not all(map(isfinite, edges)):
            raise ValueError(
                f"the edges of a histogram are {edges!r}: give at least two finite"
                " numbers, each greater than the one before"
            )
        self.name = check_text(name, "name=")
        self.unit = check_text(unit, "unit=")
        self._edges = edges
        # One step up, so that the search puts the upper limit itself in the last bin.
        self._bounds = [*edges[:-1], nextafter(edges[-1], inf)]
        self.reset()

    def add(self, value: float) -> None:
        """Count one value [unit]; one with another unit, as a `Quantity`, is converted.

        Raises  ValueError when it is nan, ModelError for a unit that cannot be converted
        """
        if value.__class__ not in PLAIN and has_unit(value):
            value = in_unit(value, self.unit, self._label())
        if value != value:
            raise ValueError(f"{self._label()}: a nan cannot be counted")
        self._counts[bisect_right(self._bounds, value)] += 1

    def reset(self) -> None:
        """Forget all values."""
        self._counts = [0] * (len(self._bounds) + 1)

    def merge(self, other: Histogram) -> None:
        """Add the counts of `other`, which stays as it is.

        Raises  ValueError unless both have the same edges and unit
        """
        if (self.edges, self.unit) != (other.edges, other.unit):
            raise ValueError(
                f"{self._label()} cannot take the counts of {other._label()}: both"
                " need the same edges and the same unit"
            )
        pairs = zip(self._counts, other._counts, strict=True)
        self._counts = [mine + theirs for mine, theirs in pairs]

    @property
    def count(self) -> int:
        """How many values were added, inside the range and outside."""
        return sum(self._counts)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many values fell into each bin, (bins,)."""
        return np.array(self._counts[1:-1], dtype=np.int64)

    @property
    def underflow(self) -> int:
        """How many values lay below the lower limit."""
        return self._counts[0]

    @property
    def overflow(self) -> int:
        """How many values lay above the upper limit."""
        return self._counts[-1]

    @property
    def density(self) -> NDArray[np.float64]:
        """Fraction of all values per unit of width, (bins,) [1/unit]; nan without values.

        It integrates to the fraction of the values within the limits.
        """
        if not self.count:
            return np.full(len(self.edges) - 1, nan)
        widths: NDArray[np.float64] = np.diff(np.array(self.edges))
        return self.counts / (self.count * widths)

    def quantile(self, q: float) -> float:
        """Value below which the fraction `q` of the data lies [unit]; nan without values.

        Linear inside the bin, as if its values lay evenly: exact to one bin's width.

        Raises  ValueError for q outside 0..1, and where the quantile lies outside the
                limits
        """
        if not 0.0 <= q <= 1.0:
            raise ValueError(
                f"{self._label()}: quantile({q!r}): q is a share from 0 to 1; write 0.95 for the 95th percentile"
            )
        if not self.count:
            return nan
        below = self.underflow
        wanted = q * self.count
        if wanted < below:
            raise self._outside(q, f"{below} of {self.count} values lie below")
        for low, high, inside in self._rows():
            if inside and wanted <= below + inside:
                return low + (high - low) * (wanted - below) / inside
            below += inside
        raise self._outside(q, f"{self.overflow} of {self.count} values lie above")

    def _rows(self) -> list[tuple[float, float, int]]:
        """Lower edge, upper edge and count of each bin."""
        pairs = pairwise(self.edges)
        counts = self._counts[1:-1]
        return [(*edges, n) for edges, n in zip(pairs, counts, strict=True)]

    def _outside(self, q: float, found: str) -> ValueError:
        return ValueError(
            f"{self._label()}: quantile({q!r}) lies outside {self.edges[0]:g} to"
            f" {self.edges[-1]:g}: {found}; make the histogram wider"
        )

    def _label(self) -> str:
        return f"histogram {self.name!r}" if self.name else "a histogram"

    def __str__(self) -> str:
        """A drawing in text: a line for each bin, its bar at most 40 characters."""
        most = max(self._counts) or 1
        rows = [(f"[{low:g}, {high:g})", n) for low, high, n in self._rows()]
        rows[-1] = (rows[-1][0][:-1] + "]", rows[-1][1])
        rows.insert(0, (f"below {self.edges[0]:g}", self.underflow))
        rows.append((f"above {self.edges[-1]:g}", self.overflow))
        wide = max(len(label) for label, _ in rows)
        digits = len(str(most))
        lines = [f"{label:>{wide}} {n:>{digits}} {'#' * round(40 * n / most)}".rstrip() for label, n in rows]
        unit = f" [{self.unit}]" if self.unit else ""
        return "\n".join([f"{self.name or 'histogram'}{unit}", *lines])

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return (
            f"<Histogram {self.name!r}: {self.count} values,"
            f" {len(self.edges) - 1} bins"
            f" from {self.edges[0]:g} to {self.edges[-1]:g}{unit}>"
        )


fix(Histogram, edges="make another, as Histogram.from_edges(...)")
