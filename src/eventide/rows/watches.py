"""Waits for conditions of the stepper: of a process, or of a branch of its wait for the first of several things.

An activity that waits is known to the stepper by the guard of its condition. What is withdrawn ends the step of the
guard's flow, as in Python; where only Python may do that, all rows return to it before the event that would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import BRANCH, COMPOSED, INTERRUPTION, NONE, NOTHING, ROWS, SHARED, WATCHING
from eventide.rows.moving import begin_history, may_watch, unwatch, watch

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


def guard_for(a: Rows, i: int, c: int) -> int:
    """The guard by which a process waits: its own, or one that it takes of those that are shared; below 0 without.

    c       its guard; NONE; or SHARED less the row of the list of those that are shared
    """
    if c > SHARED:
        return c
    home = SHARED - c
    g = a.shared.next[home]
    if g < 0:
        return c
    a.shared.next[home] = a.shared.next[g]
    a.shared.next[g] = a.process.guards[i]
    a.process.guards[i] = g
    a.shared.taken[g] += 1
    begin_history(a, a.shared.guard[g])
    return a.shared.guard[g]


def leave_guards(a: Rows, i: int) -> None:
    """A process gives back the guards that it has taken of those that are shared."""
    g = a.process.guards[i]
    while g >= 0:
        following = a.shared.next[g]
        home = a.shared.home[g]
        a.shared.next[g] = a.shared.next[home]
        a.shared.next[home] = g
        g = following
    a.process.guards[i] = NONE


def take_guards(a: Rows, i: int) -> list[int]:
    """The rows of the guards that a process has taken, which are shared no longer."""
    found = []
    g = a.process.guards[i]
    while g >= 0:
        found.append(g)
        g = a.shared.next[g]
    a.process.guards[i] = NONE
    return found


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
