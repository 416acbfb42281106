"""Waits for the end of a process: those that wait for one stand in a ring, in the order in which they have come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import EXIT, IN_HEAP, JOINED, NONE, NOTHING, WAITS
from eventide.rows.event_list import schedule_last

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def join(a: Rows, i: int, j: int) -> int:
    """Let the running activity wait for the end of the process in row `j`: WAITS.

    EXIT, and nothing done, where that is itself, or its end concerns Python.
    """
    if i == j or a.process.watched[j] != 0:
        return EXIT
    enter_joiners(a, i, j)
    return WAITS


def enter_joiners(a: Rows, i: int, j: int) -> None:
    """Let an activity be the last that waits for the end of the process in row `j`."""
    a.activity.wait[i] = JOINED
    a.process.subject[i] = j
    head = a.process.joiners[j]
    if head < 0:
        a.process.joiners[j] = i
        a.activity.next[i] = i
        a.activity.last[i] = i
    else:
        end = a.activity.last[head]
        a.activity.next[end] = i
        a.activity.last[i] = end
        a.activity.next[i] = head
        a.activity.last[head] = i


def leave_joiners(a: Rows, i: int) -> None:
    """Let an activity wait for the end of another no more."""
    j = a.process.subject[i]
    if a.activity.next[i] == i:
        a.process.joiners[j] = NONE
    else:
        before, after = a.activity.last[i], a.activity.next[i]
        a.activity.next[before] = after
        a.activity.last[after] = before
        if a.process.joiners[j] == i:
            a.process.joiners[j] = after
    a.activity.last[i] = IN_HEAP


def wake_joiners(a: Rows, i: int) -> None:
    """Let those that wait for the end of a process continue at the end of the present instant."""
    while a.process.joiners[i] >= 0:
        waiting = a.process.joiners[i]
        leave_joiners(a, waiting)
        a.activity.wait[waiting] = NOTHING
        a.process.subject[waiting] = NONE
        schedule_last(a, waiting)
