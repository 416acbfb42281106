"""Waits for conditions of the stepper: of a process, or of a branch of its wait for the first of several things.

An activity that waits is known to the stepper by the guard of its condition. What is withdrawn ends the step of the
guard's flow, as in Python; where only Python may do that, all rows return to it before the event that would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import BRANCH, COMPOSED, INTERRUPTION, NOTHING, ROWS, WATCHING
from eventide.rows.moving import may_watch, unwatch, watch

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def begin_watch(a: Rows, i: int, c: int, is_prior: bool) -> bool:
    """Let an activity wait for a condition; False, and it does not, where laws have failed."""
    if not watch(a, c, i, is_prior):
        return False
    a.activity.wait[i] = WATCHING
    a.process.subject[i] = c
    a.run.watching += 1
    return True


def end_watch(a: Rows, i: int) -> None:
    """Withdraw the wait of an activity for a condition; laws may fail at that."""
    a.activity.wait[i] = NOTHING
    a.run.watching -= 1
    unwatch(a, a.process.subject[i])


def may_end_watches(a: Rows, i: int) -> bool:
    """Whether the event of an activity withdraws no condition of which Python is to know."""
    j = i
    if a.activity.kind[i] == INTERRUPTION:
        reference = a.process.subject[i]
        j = reference - reference // ROWS * ROWS
    elif a.activity.kind[i] == BRANCH:
        j = a.process.owner[i]
    else:
        return True
    if a.activity.wait[j] == WATCHING:
        return may_watch(a, a.process.subject[j])
    if a.activity.wait[j] == COMPOSED:
        b = a.process.branches[j]
        while b >= 0:
            if a.activity.wait[b] == WATCHING and not may_watch(a, a.process.subject[b]):
                return False
            b = a.process.branches[b]
    return True
