"""Waits for the end of a process: those that wait for one stand in a ring, in the order in which they have come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import (
    ANSWERED,
    EXIT,
    IN_HEAP,
    JOINED,
    NONE,
    NOTHING,
    OVER,
    REAL,
    TRUTH,
    WAITS,
    WHOLE,
)
from eventide.rows.event_list import schedule_last

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def join(a: Rows, i: int, j: int) -> int:
    """Let the running activity wait for the end of the process in row `j`: WAITS.

    EXIT, and nothing done, where that is itself, or somebody in Python waits for that end.
    """
    if not can_join(a, i, j):
        return EXIT
    enter_joiners(a, i, j)
    return WAITS


def can_join(a: Rows, i: int, j: int) -> bool:
    """Whether a row has the end of the process in row `j`, for which a process would wait."""
    if a.activity.at[j] < 0:
        return bool(a.activity.at[j] == OVER)
    return bool(i != j and a.process.watched[j] <= 1)


def is_over(a: Rows, i: int, j: int) -> bool:
    """Whether a process has ended for which the running one would wait, which goes on with what that has returned."""
    a.process.subject[i] = j
    return bool(a.activity.at[j] < 0)


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
    """Let those that wait for the end of a process continue at the end of the instant, with what it has returned."""
    while a.process.joiners[i] >= 0:
        waiting = a.process.joiners[i]
        leave_joiners(a, waiting)
        a.activity.wait[waiting] = NOTHING
        a.process.subject[waiting] = NONE
        if a.process.answered[i] != NOTHING:
            a.activity.wait[waiting] = ANSWERED
            a.process.subject[waiting] = i
            a.process.held[i] += 1
        schedule_last(a, waiting)


# --- what a process returns -------------------------------------------------------------------------------------------


def return_whole(a: Rows, i: int, number: int) -> None:
    """A process that ends returns a whole number."""
    a.process.answered[i] = WHOLE
    a.process.answer[i] = number


def return_real(a: Rows, i: int, number: float) -> None:
    """A process that ends returns a float."""
    a.process.answered[i] = REAL
    a.activity.left[i] = number


def return_truth(a: Rows, i: int, truth: bool) -> None:
    """A process that ends returns a Boolean."""
    a.process.answered[i] = TRUTH
    a.process.answer[i] = int(truth)


def answered(a: Rows, i: int) -> int:
    """Of which kind that is which the running process gets from the one for which it has waited."""
    j = a.process.subject[i]
    return int(a.process.answered[j]) if j >= 0 else NOTHING


def whole_answer(a: Rows, i: int) -> int:
    """That, if it is a whole number or a Boolean."""
    j = a.process.subject[i]
    return int(a.process.answer[j]) if j >= 0 else 0


def real_answer(a: Rows, i: int) -> float:
    """That, if it is a number, as a float."""
    j = a.process.subject[i]
    if j < 0 or a.process.answered[j] != REAL:
        return float(whole_answer(a, i))
    return float(a.activity.left[j])
