"""Detection of Zeno behaviour: how often a condition has fired of late, and how its intervals shrink.

In: each firing of a condition. Out: `run.alert`, once it has fired too often while time barely advanced, or its
intervals shrink by one ratio towards a time just ahead. `monitor/cascade.py` then decides what follows. A history
belongs to the code of a condition and the name of its owner; see `FiringHistories` in `continuous/guards/guards.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.root_search import SPACING

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

MOST: Final = 1000
"""How often in a row one condition may fire while time barely advances."""
FLOATS: Final = 16
"""Time barely advances if it does by at most this number of floats, or by at most 2 dt_min."""
SUSPECT: Final = 2
"""In `run.alert`: a condition has fired so often that Python checks whether its states move at all."""
STEADILY: Final = 8
"""How often in a row the intervals must shrink by one ratio ..."""
STEADILY_IF_FAST: Final = 3
"""... or this often if they shrink to less than FAST, as floats leave no room for more."""
FAST: Final = 0.1
SAME: Final = 0.01
"""The largest relative difference of ratios that count as one."""
NEAR: Final = 1e-8
"""The end of the intervals is near when it is ahead by less than this fraction of the time (of 1, if more)."""
ENOUGH_STEADY: Final = 1000.0
"""Where they have shrunk so often in a row their ratio tends to 1: the end is near NEARER times as far for each."""
NEARER: Final = 0.1


def note_firing(a: Arrays, c: int, time: float) -> None:
    """Count a firing; set ALERT if it has happened too often while time barely advanced, or is about to.

    Where it has fired 1,000 times while time advanced, `monitor/cascade.py` ends the count or lets it go on.
    """
    a.run.alert = 0
    t = a.guard.history[c]
    a.history.slope[t] = a.guard.slope[c]
    if a.history.serial[t] == 0.0:
        a.run.firings += 1
        a.history.serial[t] = a.run.firings
        a.history.fired_at[t] = time
        a.history.since[t] = time
        return
    interval = time - a.history.fired_at[t]
    a.history.fired_at[t] = time
    if interval <= 2.0 * a.run.dt_min + FLOATS * spacing_at(time):  # the clock rounds both times
        a.history.crowd[t] += 1.0
        if a.history.crowd[t] >= MOST:
            a.run.alert = 1
    else:
        a.history.passed[t] += 1.0
        if a.history.passed[t] > MOST:
            a.run.alert = SUSPECT
        else:
            a.history.crowd[t] = 0.0
            a.history.since[t] = time
    if interval > 0.0:
        lengthen(a, t, interval)
    if ahead_of(a, t, time) > 0.0 and a.history.told[t] == 0.0:
        a.run.alert = 1


def spacing_at(time: float) -> float:
    """How far it is from a float to the next larger one; 0 among the very smallest."""
    size = abs(time)
    return (size + size * (0.55 * SPACING)) - size


def lengthen(a: Arrays, t: int, interval: float) -> None:
    """A history goes on after an interval."""
    if a.history.interval[t] > 0.0:
        before, ratio = a.history.ratio[t], interval / a.history.interval[t]
        is_steady = ratio < 1.0 and abs(ratio - before) <= SAME * before
        a.history.steady[t] = a.history.steady[t] + 1.0 if is_steady else 0.0
        a.history.ratio[t] = ratio
        if ratio >= 1.0:
            a.history.told[t] = 0.0
    a.history.interval[t] = interval


def ahead_of(a: Arrays, t: int, time: float) -> float:
    """How far ahead infinitely many events will have been; 0 if intervals do not shrink steadily, or that is far."""
    ratio = a.history.ratio[t]
    if not 0.0 < ratio < 1.0 or a.history.steady[t] < (STEADILY_IF_FAST if ratio < FAST else STEADILY):
        return 0.0
    ahead = a.history.interval[t] * ratio / (1.0 - ratio)
    near = NEAR * max(1.0, abs(time))
    if a.history.steady[t] >= ENOUGH_STEADY:
        near *= NEARER * a.history.steady[t]
    near = max(10.0 * a.run.dt_min, near)
    return ahead if ahead < near else 0.0
