"""Levels and tallies of rows: the sums and values of `statistics/`, added in the same order.

Python's level keeps a dictionary of durations by value, in the order in which the values were first left; here the
value, a whole number, is the place of its duration, and that order is a list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import UNSEEN

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def has_space(a: Rows, t: int, values: int) -> bool:
    """Whether a tally has room for this many more values."""
    return bool(a.tally.count[t] + values <= a.tally.size[t])


def add(a: Rows, t: int, value: float) -> None:
    """Add a value to a tally, which must have room for it."""
    count = a.tally.count[t]
    a.reals[a.tally.start[t] + count] = value
    a.tally.count[t] = count + 1


def move_level(a: Rows, l: int, value: int) -> None:  # noqa: E741  # l is a level, as q is a request
    """Set a level from now on to a whole number that is below its size."""
    before = a.level.value[l]
    place = a.level.held[l] + before
    lasted = a.run.time - a.level.changed[l]
    if a.reals[place] == UNSEEN:
        a.reals[place] = lasted
        seen = a.level.seen[l]
        a.wholes[a.level.order[l] + seen] = before
        a.level.seen[l] = seen + 1
    else:
        a.reals[place] += lasted
    a.level.changed[l] = a.run.time
    a.level.value[l] = value


def set_level(a: Rows, l: int, value: float) -> bool:  # noqa: E741  # as above
    """Set a level, where there is room for the value; False, and nothing done, where there is none."""
    if not 0.0 <= value < a.level.size[l]:
        return False
    whole = int(value)
    if float(whole) != value:
        return False
    move_level(a, l, whole)
    return True
