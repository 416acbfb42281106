"""Piecewise polynomials over time: what a quantity is at every time of a run, with its jumps.

At the ends of a piece, as at events, the recorded value counts and not that of the polynomial, which differs by its
error and by rounding: whether a level is met at an event is as the row of it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from eventide.errors import ModelError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

CORRECTIONS: Final = 60
"""How often a root is corrected at most: by then halving alone has come to neighbouring floats."""
CLOSE: Final = 2.0**-51
"""A smaller correction, on a piece from -1 to 1, is the last."""


@dataclass(frozen=True, eq=False)
class PiecewisePolynomial:
    """A quantity as polynomials, each over a closed interval of time, and single values at instants.

    starts, ends    (n,) of the intervals, in order; the end of one is the start of the next
    coefficients    (n, d + 1) of 1, s, ..., s**d, where s goes from -1 to 1 over the interval
    borders         (n, 2) the values at both ends of each interval, as recorded; NaN where only the polynomial is known
    instants        (k, 2) times and values between events of one instant, which hold for no time
    error           the largest difference from the quantity between events, proved or estimated
    is_proved       whether it is proved; else the quantity was sampled, at least in part
    """

    starts: Floats
    ends: Floats
    coefficients: Floats
    borders: Floats
    instants: Floats
    error: float = 0.0
    is_proved: bool = True

    @classmethod
    def through(cls, times: npt.ArrayLike, values: npt.ArrayLike) -> PiecewisePolynomial:
        """Straight lines between points, with a jump where two have one time.

        Raises      ModelError for fewer than two points, times that fall and values that are not finite
        """
        t, v = np.asarray(times, dtype=float), np.asarray(values, dtype=float)
        if t.ndim != 1 or t.shape != v.shape or len(t) < 2 or not t[-1] > t[0] or not (np.diff(t) >= 0.0).all():
            raise ModelError("a quantity over time has two points or more, at times that do not fall")
        if not np.isfinite(v).all():
            k = int(np.argmin(np.isfinite(v)))
            raise ModelError(f"a quantity over time is finite, and is {v[k]!r} at time {t[k]!r}")
        runs = np.flatnonzero(np.diff(t) > 0.0)
        line = np.column_stack([(v[runs] + v[runs + 1]) / 2, (v[runs + 1] - v[runs]) / 2])
        is_inner = np.concatenate([[False], (t[1:-1] == t[:-2]) & (t[1:-1] == t[2:]), [t[-1] == t[-2]]])
        borders = np.column_stack([v[runs], v[runs + 1]])
        return cls(t[runs], t[runs + 1], line, borders, np.column_stack([t, v])[is_inner])

    @property
    def start(self) -> float:
        """Where it begins."""
        return float(self.starts[0])

    @property
    def end(self) -> float:
        """Where it ends."""
        return float(self.ends[-1])

    def at(self, time: float) -> float:
        """The value at a time; where it jumps, that after it. Raises ModelError outside."""
        if not self.start <= time <= self.end:
            raise ModelError(f"the quantity is known from {self.start!r} to {self.end!r}, and not at {time!r}")
        return float(self.values(np.array([time]))[0])

    def values(self, times: Floats, *, before: bool = False) -> Floats:
        """The values (m,) at times (m,) from its start to its end; where it jumps those after it, or `before`."""
        k = np.searchsorted(self.starts, times, side="left" if before else "right") - 1
        k = np.clip(k, 0, len(self.starts) - 1)
        s = 2.0 * (times - self.starts[k]) / (self.ends[k] - self.starts[k]) - 1.0
        return self.pieces_at(k, s)

    def pieces_at(self, pieces: npt.NDArray[np.intp], at: Floats) -> Floats:
        """The values of pieces, each at a place from -1 to 1: at the ends, where they are known, as recorded."""
        inside = _value(self.coefficients[pieces], at)
        border = np.where(at == -1.0, self.borders[pieces, 0], np.where(at == 1.0, self.borders[pieces, 1], np.nan))
        return np.where(np.isnan(border), inside, border)

    def knots(self) -> tuple[Floats, Floats]:
        """The times and values (m,) between which it rises or falls throughout, with both sides of each jump."""
        ends, instants = self.stretches, self.instants
        times = np.concatenate([ends.times[:, 1], instants[:, 0], ends.times[:, 0]])
        values = np.concatenate([ends.values[:, 1], instants[:, 1], ends.values[:, 0]])
        kinds = np.repeat([0, 1, 2], [len(ends.times), len(instants), len(ends.times)])
        order = np.lexsort((kinds, times))
        return times[order], values[order]

    @cached_property
    def stretches(self) -> Stretches:
        """Its pieces, cut where they turn, so that each rises or falls throughout."""
        slopes = self.coefficients[:, 1:] * np.arange(1, self.coefficients.shape[1])
        order, cuts = [], []
        signs = slopes @ _bernstein(slopes.shape[1] - 1).T
        turns = (signs.max(axis=1) > 0.0) & (signs.min(axis=1) < 0.0)
        for k in range(len(slopes)):
            inner = _roots(slopes[k]) if turns[k] else []
            bounds = [-1.0, *inner, 1.0]
            cuts += list(pairwise(bounds))
            order += [k] * (len(bounds) - 1)
        pieces, spans = np.array(order), np.array(cuts)
        values = np.column_stack([self.pieces_at(pieces, spans[:, side]) for side in (0, 1)])
        return Stretches(self, pieces, spans, values)


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of a piecewise polynomial on which it rises, falls or stays.

    pieces      (n,) the number of the piece of each
    spans       (n, 2) its part of the piece, within -1 to 1
    values      (n, 2) at both ends
    """

    path: PiecewisePolynomial
    pieces: npt.NDArray[np.intp]
    spans: Floats
    values: Floats

    @cached_property
    def times(self) -> Floats:
        """(n, 2) of both ends."""
        starts, ends = self.path.starts[self.pieces, None], self.path.ends[self.pieces, None]
        times: Floats = starts + (ends - starts) * ((self.spans + 1.0) / 2.0)
        times[:, 0] = np.where(self.spans[:, 0] == -1.0, starts[:, 0], times[:, 0])
        times[:, 1] = np.where(self.spans[:, 1] == 1.0, ends[:, 0], times[:, 1])
        return times

    def where(self, level: float, side: Literal[-1, 1], *, strictly: bool) -> list[tuple[float, float]]:
        """The closed intervals in which the quantity is at least a level (side 1) or at most (-1), in order.

        strictly    above or below it; of intervals that only touch the level nothing is left then
        """
        heights = side * (self.values - level)
        holds = heights > 0.0 if strictly else heights >= 0.0
        bounds = self.times.copy()
        crossing = np.flatnonzero(holds[:, 0] != holds[:, 1])
        if len(crossing):
            found = self._crossings(crossing, level)
            rises = holds[crossing, 1]
            bounds[crossing, np.where(rises, 0, 1)] = found
        return _merged(bounds[holds.any(axis=1)])

    def _crossings(self, numbers: npt.NDArray[np.intp], level: float) -> Floats:
        """The times at which stretches are at a level, by Newton's method, or halving where that leaves the bracket."""
        of = self.path.coefficients[self.pieces[numbers]].copy()
        of[:, 0] -= level
        slopes = of[:, 1:] * np.arange(1, of.shape[1])
        low, high = self.spans[numbers, 0].copy(), self.spans[numbers, 1].copy()
        rises = self.values[numbers, 1] > self.values[numbers, 0]
        at = 0.5 * (low + high)
        for _ in range(CORRECTIONS):
            value, slope = _value(of, at), _value(slopes, at)
            is_beyond = (value >= 0.0) == rises
            high, low = np.where(is_beyond, at, high), np.where(is_beyond, low, at)
            better = at - value / np.where(slope == 0.0, np.inf, slope)
            better = np.where((low <= better) & (better <= high) & (slope != 0.0), better, 0.5 * (low + high))
            is_done = np.abs(better - at).max() <= CLOSE
            at = better
            if is_done:
                break
        starts, ends = self.path.starts[self.pieces[numbers]], self.path.ends[self.pieces[numbers]]
        times: Floats = starts + (ends - starts) * ((at + 1.0) / 2.0)
        return times


def _value(coefficients: Floats, at: Floats) -> Floats:
    """Of each polynomial at a place of its own. Source: Horner's scheme."""
    total = np.zeros(len(at))
    for column in coefficients.T[::-1]:
        total = total * at + column
    return total


def _roots(polynomial: Floats) -> list[float]:
    """The real roots inside (-1, 1), in order."""
    found = np.polynomial.polynomial.polyroots(np.trim_zeros(polynomial, "b"))
    real = np.sort(
        found.real[np.abs(found.imag) <= 1e-7]
    )  # a double root may come out as a pair; one more cut is harmless
    return [float(root) for root in real if -1.0 < root < 1.0]


def _bernstein(degree: int) -> Floats:
    """The matrix that turns coefficients in s, from -1 to 1, into Bernstein's: the range lies between these."""
    to_unit = np.zeros((degree + 1, degree + 1))  # s = 2 x - 1
    for k in range(degree + 1):
        for j in range(k + 1):
            to_unit[j, k] = comb(k, j) * 2.0**j * (-1.0) ** (k - j)
    from_unit = np.array(
        [[comb(i, j) / comb(degree, j) if j <= i else 0.0 for j in range(degree + 1)] for i in range(degree + 1)]
    )
    product: Floats = from_unit @ to_unit
    return product


def _merged(bounds: Floats) -> list[tuple[float, float]]:
    """Closed intervals in order, joined where they touch."""
    joined: list[tuple[float, float]] = []
    for low, high in bounds.tolist():
        if joined and low <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(high, joined[-1][1])
        else:
            joined.append((low, high))
    return joined


def joined(parts: Sequence[tuple[float, float, Sequence[float]]]) -> tuple[Floats, Floats, Floats]:
    """Starts, ends and coefficients of pieces, which may have different numbers of these."""
    width = max(2, *(len(coefficients) for _, _, coefficients in parts))
    table = np.zeros((len(parts), width))
    for row, (_, _, coefficients) in zip(table, parts, strict=True):
        row[: len(coefficients)] = coefficients
    return np.array([part[0] for part in parts]), np.array([part[1] for part in parts]), table
