"""Tally: statistics of single values, such as the waiting times of customers."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from math import isfinite, nan, sqrt
from typing import TYPE_CHECKING

import numpy as np

from eventide.declare.reserved import fix
from eventide.declare.showing import public_dir
from eventide.declare.units import has_unit, in_unit
from eventide.errors import check_boolean, check_text, refuse_too_large
from eventide.statistics.moments import BLOCK, Moments
from eventide.statistics.ownership import Copied, refuse_kept
from eventide.statistics.quantiles import student_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Tally(Copied):
    """Count, mean, spread, quantiles of the values that were added.

    name   shown in messages
    unit   unit of the values, shown in messages
    keep   True keeps every value (8 bytes each) for `values` and `quantile`;
           False keeps the moments only, in a few kilobytes however long the run

    A statistic that the data do not settle (the mean of nothing, the variance of one
    value) is nan. Values are not looked at when they are added; a nan or an infinity
    among them raises ValueError when a statistic is read.
    """

    __slots__ = ("_add", "_buffer", "_done", "_folded", "_keep", "_keeper", "name", "unit")
    __dir__ = public_dir

    keep: bool  # see `fix`
    _add: Callable[[float], None]
    """As `add`, in half the time, for callers that know that the value is a float."""
    _keeper: str
    """The name of the component that alone adds to it; empty for one of the user's, and a copy is that."""

    def __init__(self, name: str = "", unit: str = "", *, keep: bool = True) -> None:
        self.name = check_text(name, "name=")
        self.unit = check_text(unit, "unit=")
        self._keep = check_boolean(keep, "keep=")
        self._buffer = array("d")
        self._done = 0  # how many values at the start of the buffer are folded
        self._folded = Moments()
        self._bind()

    def _bind(self) -> None:
        self._keeper = ""
        self._add = adder_of(self)

    def _add_bounded(self, value: float) -> None:
        self._buffer.append(value)
        if len(self._buffer) >= BLOCK:
            self._fold()

    def add(self, value: float) -> None:
        """Take one more value [unit]; one with another unit, as a `Quantity`, is converted.

        Raises  InputError for a whole number beyond the largest float, ModelError for the waits or stays that a
                resource, container, store or queue keeps, and for a unit that cannot be converted
        """
        # Native code follows this way, which is that of all numbers that a row has.
        kind = value.__class__
        if kind is float or kind is int or kind is bool:  # type: ignore[redundant-expr]  # Booleans come as well
            try:
                self._add(value)
            except OverflowError:
                refuse_too_large(value, self._label())
            return None
        return self._add_other(value)

    def _add_other(self, value: float) -> None:
        """As `add`, for what may have a unit."""
        try:
            self._add(in_unit(value, self.unit, self._label()) if has_unit(value) else value)
        except OverflowError:
            refuse_too_large(value, self._label())

    def _fold(self) -> None:
        """Fold the blocks that are full."""
        while len(self._buffer) - self._done >= BLOCK:
            block = np.array(self._buffer[self._done : self._done + BLOCK])
            self._folded = self._folded.combined(Moments.of(block))
            self._done += BLOCK
        if not self.keep:
            del self._buffer[: self._done]
            self._done = 0

    def _whole(self) -> Moments:
        """Moments of all values, folded or not, whether they are finite or not."""
        self._fold()
        return self._folded.combined(Moments.of(np.array(self._buffer[self._done :])))

    def _moments(self) -> Moments:
        whole = self._whole()
        if not isfinite(whole.total):
            raise self._not_finite(whole)
        return whole

    def _not_finite(self, whole: Moments) -> ValueError:
        text = f"{self._label()} cannot be read: its {whole.weight:.0f} values hold"
        bad = np.flatnonzero(~np.isfinite(self.values)) if self.keep else np.empty(0)
        if bad.size:
            value = self._buffer[bad[0]]
            text += f" {bad.size} that are not finite, first {value!r} at {bad[0]}"
        else:
            text += " one that is not finite, or their sum is not"
        return ValueError(text + "; only finite numbers may be added: test the value before add()")

    @property
    def count(self) -> int:
        """How many values were added since the last reset."""
        return int(self._folded.weight) + len(self._buffer) - self._done

    @property
    def total(self) -> float:
        """Sum of the values [unit]; 0 without values."""
        return self._moments().total

    @property
    def mean(self) -> float:
        """Arithmetic mean [unit]; nan without values."""
        return self._moments().mean

    @property
    def variance(self) -> float:
        """Sample variance, divisor n - 1 [unit**2]; nan with fewer than two values."""
        moments = self._moments()
        return moments.variance(moments.weight - 1.0)

    @property
    def stdev(self) -> float:
        """Square root of the sample variance [unit]; nan with fewer than two values."""
        moments = self._moments()
        return moments.stdev(moments.weight - 1.0)

    @property
    def minimum(self) -> float:
        """Least value [unit]; nan without values."""
        moments = self._moments()
        return moments.minimum if moments.weight else nan

    @property
    def maximum(self) -> float:
        """Greatest value [unit]; nan without values."""
        moments = self._moments()
        return moments.maximum if moments.weight else nan

    @property
    def values(self) -> NDArray[np.float64]:
        """The values in the order they came, as a new array (n,) [unit].

        Raises  ValueError when the tally was made with keep=False
        """
        if not self.keep:
            raise self._not_kept("values")
        return np.array(self._buffer)

    def quantile(self, q: float) -> float:
        """Value below which the fraction `q` of the data lies [unit]; nan without values.

        q       fraction from 0 to 1: 0.25 and 0.75 give the quartiles
        Raises  ValueError for another q, or when the tally was made with keep=False
        Source  Hyndman & Fan 1996, Am. Stat. 50, type 7: linear between order statistics
        """
        if not 0.0 <= q <= 1.0:
            raise ValueError(
                f"{self._label()}: quantile({q!r}): q is a share from 0 to 1; write 0.95 for the 95th percentile"
            )
        if not self.keep:
            raise self._not_kept("quantile()")
        if not self._moments().weight:
            return nan
        return float(np.quantile(self.values, q))

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Limits (low, high) that hold the true mean with probability `level` [unit].

        Mean -+ t(n-1, (1+level)/2) * stdev / sqrt(n); (nan, nan) with fewer than two
        values. The values must be independent, as the results of replications are:
        successive waiting times of one run are not, and make the interval too narrow.

        Raises  ValueError for a level outside (0, 1)
        Source  Student 1908, Biometrika 6
        """
        if not 0.0 < level < 1.0:
            raise ValueError(
                f"{self._label()}: confidence_interval({level!r}): the level lies between 0 and 1; write 0.95 for 95 %"
            )
        count = self.count
        if count < 2:
            return nan, nan
        quantile = student_quantile(count - 1.0, 0.5 + 0.5 * level)
        half = quantile * self.stdev / sqrt(count)
        mean = self.mean
        return mean - half, mean + half

    def merge(self, other: Tally) -> None:
        """Add all values of `other`, which stays as it is.

        Raises  ValueError when the units differ, or when this tally keeps its values
                and `other` has dropped its own
        """
        if self._keeper:
            refuse_kept(self._keeper, self._label(), "merged with others", "copy.copy of it")
        if self.unit != other.unit:
            raise ValueError(
                f"{self._label()} in {self.unit!r} cannot take {other._label()} in"
                f" {other.unit!r}: bring both to one unit first"
            )
        if not self.keep:
            self._folded = self._whole().combined(other._whole())
            del self._buffer[:]
        elif other.keep:
            self._buffer.extend(other._buffer[:])
        else:
            raise ValueError(
                f"{self._label()} keeps its values and {other._label()} does not: make both with the same keep"
            )

    def reset(self) -> None:
        """Forget all values."""
        del self._buffer[:]
        self._done = 0
        self._folded = Moments()

    def _label(self) -> str:
        return f"tally {self.name!r}" if self.name else "a tally"

    def _not_kept(self, what: str) -> ValueError:
        return ValueError(
            f"{self._label()} has no {what}: it was made with keep=False and holds"
            " moments only; make it with keep=True, or count in a Histogram"
        )

    def __getstate__(self) -> tuple[object, ...]:
        # Without `add`: a copy of a bound append would still fill the old buffer.
        return self.name, self.unit, self.keep, self._buffer, self._done, self._folded

    def __setstate__(self, state: tuple[object, ...]) -> None:
        names = ("name", "unit", "_keep", "_buffer", "_done", "_folded")
        for name, value in zip(names, state, strict=True):
            setattr(self, name, value)
        self._bind()

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        whole = self._whole()
        text = f"<Tally {self.name!r}: {self.count} values"
        if not isfinite(whole.total):
            text += ", not all finite"
        elif whole.weight:
            text += f", mean {whole.mean:.6g}{unit}"
            text += f", from {whole.minimum:.6g} to {whole.maximum:.6g}{unit}"
        return text + ">"


fix(Tally, keep="what was left out is gone; make another, as Tally(keep=...)")


def taker_of(tally: Tally) -> Callable[[bytes], None]:
    """What adds values, the bytes of an array of floats, to a tally that keeps its values."""
    return tally._buffer.frombytes


def adder_of(tally: Tally) -> Callable[[float], None]:
    """What does as `tally.add`, for a caller that has floats, also of a tally that others may not add to."""
    return tally._buffer.append if tally.keep else tally._add_bounded
