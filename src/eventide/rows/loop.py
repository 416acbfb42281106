"""The loop that lets the events of rows take place, in the order of one event list that they share with Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.activities import deliver, finish
from eventide.rows.allocation import release_row
from eventide.rows.codes import (
    ANSWERED,
    BRANCH,
    DONE,
    ENDED,
    ENDS,
    FAILED,
    INTERRUPTION,
    NONE,
    NOTHING,
    ROOM,
    SPENT,
    TRANSFERRING,
    WAITS,
)
from eventide.rows.composites import come
from eventide.rows.event_list import close_event, take_event
from eventide.rows.inventories import carry_out
from eventide.rows.looks import may_look
from eventide.rows.moving import has_broken, run_kernel

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def begin_event(a: Rows, i: int) -> int:
    """The process that continues in an event that was taken; NONE where it was that of a void interruption."""
    if a.activity.kind[i] == INTERRUPTION:
        return deliver(a, i)
    if a.activity.kind[i] == BRANCH:
        return come(a, i)
    if a.activity.wait[i] != NOTHING:
        if a.activity.wait[i] == TRANSFERRING:
            carry_out(a, a.process.subject[i])
        elif a.activity.wait[i] == ANSWERED:  # the row has what was returned until others are made
            release_row(a, a.process.subject[i])
        a.activity.wait[i] = NOTHING
    return i


def proceed_rows(a: Rows, time: float, sequence: float, serial: int, horizon: float, most: int) -> int:
    """Let events take place that are before a key, that of Python's next event, and before the horizon.

    most        how many at most until stock is taken; the last of them only if the clock has moved, but one always
    Returns DONE or SPENT between two events, else what a kernel returned, or ENDED: then `run.current` is the row whose
    event it is. The next call goes on with it, unless Python has set that to NONE.
    """
    taken = 0
    while True:
        if a.run.current < 0:
            if taken >= most:
                if a.run.chunks == 0 or a.run.time == a.run.mark:
                    return SPENT
                a.run.chunks -= 1
                a.run.mark = a.run.time
                taken = 0
                most = a.run.chunk
            if taken > 0 and taken == most - 1 and a.run.time == a.run.mark:
                return SPENT
            if not may_look(a):
                return ROOM
            i = take_event(a, time, sequence, serial, horizon)
            if i < 0:
                return DONE
            taken += 1
            is_indirect = a.run.arrays != 0 and a.activity.kind[i] <= BRANCH
            a.run.current = begin_event(a, i)
            if is_indirect and has_broken(a):
                close_event(a)
                return FAILED
        if a.run.current >= 0:
            code = run_kernel(a, a.run.current)
            if code == ENDS:
                if a.process.watched[a.run.current] + a.process.named[a.run.current] != 0:
                    code = ENDED
                else:
                    finish(a, a.run.current)
                    code = WAITS
            if code != WAITS:
                close_event(a)
                return code
            a.run.current = NONE
        close_event(a)
