"""Waits for the first, or for all, of several things: each is a branch, as in `discrete/processes/composite.py`.

A branch is an activity that holds, or stands in a line, in place of its process, which is in no list meanwhile. The
first that comes ends the wait in its event: the others are withdrawn in their order, and the process goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.allocation import free_row, new_row, release_row
from eventide.rows.codes import ANSWERED, BRANCH, COMPOSED, GATHERED, JOINED, NONE, NOTHING, TRANSFERRING, WATCHING
from eventide.rows.event_list import displace, schedule
from eventide.rows.inventories import carry_out, give_up
from eventide.rows.joins import enter_joiners, leave_joiners
from eventide.rows.stations import ask, withdraw
from eventide.rows.watches import begin_watch, end_watch

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def has_rows(a: Rows, branches: int) -> bool:
    """Whether there are rows for some branches, and for an interruption that their request may need."""
    if a.kind.spare[BRANCH] >= branches:
        return True
    return bool(a.run.used + branches < a.run.row_room)


def new_branch(a: Rows, i: int, number: int) -> int:
    """The next branch of the wait of a process. There must be room for it."""
    b = new_row(a, BRANCH)
    a.process.owner[b] = i
    a.process.number[b] = number
    a.process.subject[b] = NONE
    a.process.branches[b] = NONE
    if a.activity.wait[i] != COMPOSED:
        a.activity.wait[i] = COMPOSED
        a.process.branches[i] = b
    else:
        before = a.process.branches[i]
        while a.process.branches[before] >= 0:
            before = a.process.branches[before]
        a.process.branches[before] = b
    return b


def branch_holds(a: Rows, i: int, number: int, duration: float) -> None:
    """The next branch of the wait of the running process holds, for a duration that is not below zero."""
    schedule(a, new_branch(a, i, number), a.run.time + duration)


def branch_asks(a: Rows, i: int, number: int, q: int) -> bool:
    """The next branch yields a request: True if it is granted at once, which ends the wait, else it waits."""
    b = new_branch(a, i, number)
    if not ask(a, q, b):
        return False
    a.process.subject[b] = q
    end_wait(a, i, b)
    return True


def ends_wait(a: Rows, i: int, b: int, is_done: bool) -> bool:
    """Whether the transfer of a branch was carried out at once, which ends the wait."""
    if is_done:
        a.process.subject[b] = NONE
        end_wait(a, i, b)
    return is_done


def branch_watches(a: Rows, i: int, number: int, c: int, is_prior: bool) -> bool:
    """The next branch waits for a condition of the stepper; False, and the wait is over, where laws have failed."""
    if begin_watch(a, new_branch(a, i, number), c, is_prior):
        return True
    end_wait(a, i, NONE)
    return False


def branch_joins(a: Rows, i: int, number: int, j: int) -> None:
    """The next branch waits for the end of the process in row `j`."""
    enter_joiners(a, new_branch(a, i, number), j)


def is_gathered(a: Rows, i: int) -> bool:
    """Whether all branches of a wait have come: those that have wait for nothing, and are in no list."""
    b = a.process.branches[i]
    while b >= 0:
        if a.activity.sequence[b] != 0.0 or a.activity.wait[b] != NOTHING:
            return False
        b = a.process.branches[b]
    return True


def end_wait(a: Rows, i: int, winner: int) -> None:
    """A branch has come: the others are withdrawn, and `process.subject` has its number for the kernel."""
    a.activity.wait[i] = NOTHING
    if winner >= 0:
        a.process.subject[i] = a.process.number[winner]
    b = a.process.branches[i]
    while b >= 0:
        following, q = a.process.branches[b], a.process.subject[b]
        if a.activity.wait[b] == JOINED:
            leave_joiners(a, b)
            q = NONE
        elif a.activity.wait[b] == ANSWERED:
            release_row(a, q)
            q = NONE
        elif a.activity.wait[b] == WATCHING:
            end_watch(a, b)
            q = NONE
        displace(a, b)
        if a.activity.wait[b] == TRANSFERRING:
            give_up(a, q)
            q = NONE
        if b == winner:
            if q >= 0:
                a.request.activity[q] = i
        elif q >= 0:
            a.activity.wait[b] = NOTHING
            withdraw(a, q)
        free_row(a, b)
        b = following
    a.process.branches[i] = NONE


def come(a: Rows, b: int) -> int:
    """The event of a branch takes place: the row of the process that continues; NONE while it waits for others."""
    i = a.process.owner[b]
    if a.activity.wait[b] == TRANSFERRING:
        a.activity.wait[b] = NOTHING
        carry_out(a, a.process.subject[b])
        a.process.subject[b] = NONE
    elif a.activity.wait[b] == ANSWERED:
        a.activity.wait[b] = NOTHING
        release_row(a, a.process.subject[b])
        a.process.subject[b] = NONE
    if a.activity.wait[i] == GATHERED:
        if not is_gathered(a, i):
            return NONE
        b = NONE
    end_wait(a, i, b)
    return int(i)


def leave_branches(a: Rows, i: int) -> None:
    """Withdraw all branches of a wait that is cut short."""
    end_wait(a, i, NONE)


def place_branch(a: Rows, i: int, number: int, wait: int, q: int) -> int:
    """The next branch of the wait of a process that comes from Python: it waits for a request, or NONE."""
    b = new_branch(a, i, number)
    if q >= 0:
        a.activity.wait[b] = wait
        a.process.subject[b] = q
        a.request.activity[q] = b
    return b
