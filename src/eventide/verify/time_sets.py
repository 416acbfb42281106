"""Sets of instants, as intervals that include their ends or do not: where a statement about a trajectory holds.

An end is a pair of a time and -1 (just before it), 0 (at it) or 1 (just after it), so that ends compare as pairs do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, nextafter
from typing import Final, TypeAlias

End: TypeAlias = tuple[float, int]
Interval: TypeAlias = tuple[End, End]
TimeSet: TypeAlias = list[Interval]
"""Intervals in order, none empty, none touching the next."""

NOTHING: Final[TimeSet] = []


def closed(low: float, high: float) -> Interval:
    """An interval with both ends."""
    return (low, 0), (high, 0)


def united(intervals: Iterable[Interval]) -> TimeSet:
    """The union of intervals in any order; empty ones count for nothing."""
    found: TimeSet = []
    for low, high in sorted(interval for interval in intervals if interval[0] <= interval[1]):
        if found and (low <= found[-1][1] or low == _next(found[-1][1])):
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def shared(one: TimeSet, other: TimeSet) -> TimeSet:
    """The intersection."""
    found: TimeSet = []
    i = j = 0
    while i < len(one) and j < len(other):
        low, high = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if low <= high:
            found.append((low, high))
        if one[i][1] <= other[j][1]:
            i += 1
        else:
            j += 1
    return found


def rest_of(within: Interval, taken: TimeSet) -> TimeSet:
    """What is left of an interval without a set."""
    found: TimeSet = []
    begin = within[0]
    for low, high in taken:
        if high < begin:
            continue
        if low > within[1]:
            break
        if begin < low:
            found.append((begin, (low[0], low[1] - 1)))
        begin = (high[0], high[1] + 1)
    if begin <= within[1]:
        found.append((begin, within[1]))
    return found


def before(members: TimeSet, least: float, most: float) -> TimeSet:
    """The instants from which a member of a set is between `least` and `most` later, as a clock adds these."""
    return united((_from_low(*low, most), _from_high(*high, least)) for low, high in members)


def _from_low(time: float, side: int, later: float) -> End:
    """From where on a time is reached, or passed where it is open, by what is at most so much later."""
    return (last_with(time, later) if side > 0 else first_with(time, later)), side


def _from_high(time: float, side: int, later: float) -> End:
    """Up to where a time is not passed, or not reached where it is open, by what is so much later."""
    return (first_with(time, later) if side < 0 else last_with(time, later)), side


def first_with(time: float, later: float) -> float:
    """The least float whose sum with `later`, rounded as that of a clock, is not before a time.

    So what takes place 0.2 after 0.1 by `hold(0.2)`, which is one float later than 0.3, is within 0.2.
    """
    found = time - later
    if later == 0.0 or not -inf < found < inf:
        return found
    # What rounding took from the difference, and half the way to the float before, from where on sums are rounded up.
    taken = found - time
    found += (time - (found - taken)) - (later + taken) - 0.5 * (time - nextafter(time, -inf))
    while found + later < time:
        found = nextafter(found, inf)
    while nextafter(found, -inf) + later >= time:
        found = nextafter(found, -inf)
    return found


def last_with(time: float, later: float) -> float:
    """The greatest float whose sum with `later`, rounded as that of a clock, is not after a time."""
    return -first_with(-time, -later)


def without(members: TimeSet, instants: Sequence[float]) -> TimeSet:
    """A set without some instants, in order."""
    points = [closed(time, time) for time in dict.fromkeys(instants)]
    return shared(members, rest_of(((-inf, 0), (inf, 0)), points)) if points else members


def has(members: TimeSet, instant: End) -> bool:
    """Whether an instant belongs to a set."""
    return any(low <= instant <= high for low, high in members)


def first_in(members: TimeSet, window: Interval) -> End | None:
    """The first instant of a set in an interval; None if there is none."""
    found = shared(members, [window])
    return found[0][0] if found else None


def _next(end: End) -> End | None:
    return (end[0], end[1] + 1) if end[1] < 1 else None
