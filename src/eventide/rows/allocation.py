"""Rows of activities: given out and taken back, and references to processes that outlast them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.codes import BRANCH, FREE, IN_HEAP, NONE, NOTHING, OVER, ROWS
from eventide.rows.event_list import displace, schedule_front
from eventide.rows.watches import leave_guards

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def has_room(a: Rows, k: int) -> bool:
    """Whether there is a row for one more activity of a kind; all that are unused have places for their numbers."""
    return bool(a.kind.spare[k] > 0 or a.run.used < a.run.row_room)


def has_more(a: Rows, rows: int) -> bool:
    """Whether there are that many rows that have not been used."""
    return bool(a.run.used + rows <= a.run.row_room)


def new_row(a: Rows, k: int) -> int:
    """A row for an activity of a kind, which is in no list. There must be room for it."""
    i = a.kind.free[k]
    if i >= 0:
        a.kind.free[k] = a.activity.next[i]
        a.kind.spare[k] -= 1
    else:
        i = a.run.used
        a.run.used = i + 1
        a.activity.kind[i] = k
        a.activity.wholes[i] = a.run.wholes_used
        a.activity.reals[i] = a.run.reals_used
        a.run.wholes_used += a.kind.wholes[k]
        a.run.reals_used += a.kind.reals[k]
        a.process.generation[i] = 0
    a.activity.at[i] = 0
    a.activity.wait[i] = NOTHING
    a.activity.next[i] = NONE
    a.activity.last[i] = IN_HEAP
    a.activity.sequence[i] = 0.0
    a.process.object[i] = NONE
    return i


def free_row(a: Rows, i: int) -> None:
    """Give a row back; it is in no list."""
    k = a.activity.kind[i]
    a.activity.at[i] = FREE
    a.process.generation[i] += 1
    a.activity.next[i] = a.kind.free[k]
    a.kind.free[k] = i
    a.kind.spare[k] += 1


def enter(a: Rows, k: int) -> int:
    """A row for a process that there is already; it is not placed. There must be room for it."""
    i = new_row(a, k)
    a.process.joiners[i] = NONE
    a.process.watched[i] = 0
    a.process.named[i] = 0
    a.process.held[i] = 0
    a.process.wanted[i] = 0
    a.process.answered[i] = NOTHING
    a.process.by[i] = NONE
    a.process.guards[i] = NONE
    a.run.alive += 1
    return i


def dismiss(a: Rows, i: int) -> None:
    """Give up the row of a process, which continues in Python or has ended."""
    displace(a, i)
    leave_rows(a, i)


def leave_rows(a: Rows, i: int) -> None:
    """Free the row of a process, which is in no list, or keep it as one that is over while anybody needs it."""
    a.run.alive -= 1
    if a.process.guards[i] >= 0:
        leave_guards(a, i)
    if a.process.held[i] > 0:
        a.activity.at[i] = OVER
        a.process.generation[i] += 1
    else:
        free_row(a, i)


def release_row(a: Rows, i: int) -> None:
    """A variable, or a wait that is over, needs a row no longer; NONE: none."""
    if i >= 0:
        a.process.held[i] -= 1
        if a.process.held[i] == 0 and a.activity.at[i] < FREE:
            free_row(a, i)


def spawn(a: Rows, k: int) -> int:
    """The row of a new process of a kind, in front of the present instant. There must be room for it."""
    i = enter(a, k)
    label = a.kind.label[k]
    number = a.kind.count[label] + 1
    a.kind.count[label] = number
    a.process.number[i] = number
    a.run.made += 1
    a.process.made[i] = a.run.made
    a.activity.begun[i] = a.run.time
    schedule_front(a, i)
    return i


def spawn_like(a: Rows, prototype: int) -> int:
    """The row of a new process, as `spawn`, with the local numbers of another row."""
    k = a.activity.kind[prototype]
    i = spawn(a, k)
    a.process.object[i] = a.process.object[prototype]
    source, target = a.activity.wholes[prototype], a.activity.wholes[i]
    for place in range(a.kind.wholes[k]):
        a.wholes[target + place] = a.wholes[source + place]
    source, target = a.activity.reals[prototype], a.activity.reals[i]
    for place in range(a.kind.reals[k]):
        a.reals[target + place] = a.reals[source + place]
    return i


def owner_of(a: Rows, i: int) -> int:
    """The row of the process that an activity is, or waits for."""
    return int(a.process.owner[i]) if a.activity.kind[i] == BRANCH else i


def reference(a: Rows, i: int) -> int:
    """A number that means this process, also when it has ended and its row is another's."""
    return int(a.process.generation[i] * ROWS + i)


def row_of(a: Rows, reference: int) -> int:
    """The row of the process that a reference means; NONE if it has ended, or has left the rows, or there is none."""
    if reference < 0:
        return NONE
    generation = reference // ROWS
    i = reference - generation * ROWS
    return i if a.process.generation[i] == generation else NONE
