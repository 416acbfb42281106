"""The event list of rows: keys and order are those of `discrete/calendar.py`.

A heap with four children a place holds the future, and two lists that run through the rows themselves hold the present
instant: `front`, what stands in front of it, and `ready`, its end. All three are in the order of their keys, so the
next event is the least of their heads. While an event takes place that came from the heap, its notice stays at the
root (`hole`), so that to hold is to replace the root.

An activity has one notice at most, whose whole key is in its row; one in the heap that differs from it is stale, and
dropped when it is met. In the two lists none is stale.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from eventide.engine.codes import CHOICE, LOCATED, REACHED, UNSETTLED
from eventide.rows.codes import BRANCH, IN_HEAP, MOVES_ON, NONE, NOTHING
from eventide.rows.looks import arrive, move_on
from eventide.rows.moving import found_at, waiter
from eventide.rows.watches import may_end_watches

if TYPE_CHECKING:
    from eventide.rows.records import Rows

# --- the heap ---------------------------------------------------------------------------------------------------------


def comes_before(a: Rows, time: float, sequence: float, serial: int, place: int) -> bool:
    """Whether a key is before that of a place of the heap."""
    if time != a.notice.time[place]:
        return bool(time < a.notice.time[place])
    if sequence != a.notice.sequence[place]:
        return bool(sequence < a.notice.sequence[place])
    return bool(serial < a.notice.serial[place])


def move_notice(a: Rows, source: int, target: int) -> None:
    """Copy a notice from one place to another."""
    a.notice.time[target] = a.notice.time[source]
    a.notice.sequence[target] = a.notice.sequence[source]
    a.notice.serial[target] = a.notice.serial[source]
    a.notice.activity[target] = a.notice.activity[source]


def write_notice(a: Rows, place: int, time: float, sequence: float, serial: int, i: int) -> None:
    """Set a place of the heap."""
    a.notice.time[place] = time
    a.notice.sequence[place] = sequence
    a.notice.serial[place] = serial
    a.notice.activity[place] = i


def least_of(a: Rows, begin: int, end: int) -> int:
    """The place of the first notice among some places."""
    least = begin
    for place in range(begin + 1, end):
        if comes_before(a, a.notice.time[place], a.notice.sequence[place], a.notice.serial[place], least):
            least = place
    return least


def sink_notice(a: Rows, place: int, time: float, sequence: float, serial: int, i: int) -> None:
    """Let a notice sink from a place, which is free, to where it belongs."""
    notices = a.run.notices
    while 4 * place + 1 < notices:
        child = 4 * place + 1
        if child + 3 < notices:
            # Which of four is first cannot be foreseen, so a branch for it would cost more than the four times.
            lower = child + int(a.notice.time[child + 1] < a.notice.time[child])
            upper = child + 2 + int(a.notice.time[child + 3] < a.notice.time[child + 2])
            least = lower + int(a.notice.time[upper] < a.notice.time[lower]) * (upper - lower)
            equal = int(a.notice.time[child + 1] == a.notice.time[child])
            equal += int(a.notice.time[child + 3] == a.notice.time[child + 2])
            if equal + int(a.notice.time[upper] == a.notice.time[lower]) != 0:
                least = least_of(a, child, child + 4)
        else:
            least = least_of(a, child, notices)
        if comes_before(a, time, sequence, serial, least):
            break
        move_notice(a, least, place)
        place = least
    write_notice(a, place, time, sequence, serial, i)


def push_notice(a: Rows, time: float, sequence: float, serial: int, i: int) -> None:
    """Put a notice into the heap."""
    if a.run.notices == a.run.notice_room:
        sweep_notices(a)
    place = a.run.notices
    a.run.notices = place + 1
    while place > 0:
        parent = (place - 1) // 4
        if not comes_before(a, time, sequence, serial, parent):
            break
        move_notice(a, parent, place)
        place = parent
    write_notice(a, place, time, sequence, serial, i)


def drop_root(a: Rows) -> None:
    """Take the first notice out of the heap."""
    end = a.run.notices - 1
    a.run.notices = end
    if end > 0:
        time, sequence, serial = a.notice.time[end], a.notice.sequence[end], a.notice.serial[end]
        sink_notice(a, 0, time, sequence, serial, a.notice.activity[end])


def is_stale(a: Rows, place: int) -> bool:
    """Whether a notice of the heap is no longer that of its activity."""
    i = a.notice.activity[place]
    return bool(a.activity.sequence[i] != a.notice.sequence[place] or a.activity.serial[i] != a.notice.serial[place])


def sweep_notices(a: Rows) -> None:
    """Take all stale notices out of the heap; the root goes, too, if its event takes place now.

    An activity that was placed twice by one key has two notices that look valid: one of them is kept.
    """
    kept = 0
    for place in range(a.run.notices):
        i = a.notice.activity[place]
        if not is_stale(a, place) and a.activity.next[i] != IN_HEAP:
            a.activity.next[i] = IN_HEAP
            move_notice(a, place, kept)
            kept += 1
    for place in range(kept):
        a.activity.next[a.notice.activity[place]] = NONE
    a.run.notices = kept
    a.run.hole = 0
    for place in range((kept + 2) // 4, -1, -1):
        if place < kept:
            time, sequence, serial = a.notice.time[place], a.notice.sequence[place], a.notice.serial[place]
            sink_notice(a, place, time, sequence, serial, a.notice.activity[place])


# --- the lists of the present instant ---------------------------------------------------------------------------------


def set_key(a: Rows, i: int, time: float, sequence: float, serial: int) -> None:
    """Note the key of its notice in the row of an activity."""
    a.activity.due[i] = time
    a.activity.sequence[i] = sequence
    a.activity.serial[i] = serial


def append_ready(a: Rows, i: int) -> None:
    """Put an activity last into the list of the instant's end."""
    end = a.run.ready_end
    a.activity.next[i] = NONE
    a.activity.last[i] = end
    a.run.ready_end = i
    if end >= 0:
        a.activity.next[end] = i
    else:
        a.run.ready_first = i


def insert_front(a: Rows, i: int, before: int) -> None:
    """Put an activity into the list of what is in front, behind another, or first for NONE."""
    after = a.activity.next[before] if before >= 0 else a.run.front_first
    a.activity.next[i] = after
    a.activity.last[i] = before
    if before >= 0:
        a.activity.next[before] = i
    else:
        a.run.front_first = i
    if after >= 0:
        a.activity.last[after] = i


def unlink(a: Rows, i: int) -> None:
    """Take an activity out of the list of the present instant in which it stands."""
    before, after = a.activity.last[i], a.activity.next[i]
    is_front = a.activity.sequence[i] < 0.0
    if before >= 0:
        a.activity.next[before] = after
    elif is_front:
        a.run.front_first = after
    else:
        a.run.ready_first = after
    if after >= 0:
        a.activity.last[after] = before
    elif not is_front:
        a.run.ready_end = before
    if i == a.run.front_end:
        is_same = before >= 0 and a.activity.sequence[before] == a.activity.sequence[i]
        a.run.front_end = before if is_same else NONE
    a.activity.last[i] = IN_HEAP


# --- placing ----------------------------------------------------------------------------------------------------------


def draw_serial(a: Rows) -> int:
    """The next serial number."""
    serial = a.run.serial + 1
    a.run.serial = serial
    return serial


def schedule(a: Rows, i: int, time: float) -> None:
    """Place an activity at `time` (now if that has passed), after all that stand at that time already."""
    serial = draw_serial(a)
    sequence = a.run.turn - 0.5
    if time > a.run.time:
        set_key(a, i, time, sequence, serial)
        push_notice(a, time, sequence, serial, i)
    else:
        set_key(a, i, a.run.time, sequence, serial)
        append_ready(a, i)


def schedule_last(a: Rows, i: int) -> None:
    """Place an activity at the end of the present instant."""
    set_key(a, i, a.run.time, a.run.turn - 0.5, draw_serial(a))
    append_ready(a, i)


def schedule_front(a: Rows, i: int) -> None:
    """Place an activity in front of the present instant, after what the present stretch of code put there."""
    if a.run.turn == a.run.latest:
        set_key(a, i, a.run.time, float(-a.run.turn), draw_serial(a))
        insert_front(a, i, a.run.front_end)
    else:
        a.run.latest = a.run.turn
        set_key(a, i, a.run.time, float(-a.run.turn), 0)
        insert_front(a, i, NONE)
    a.run.front_end = i


def schedule_prior(a: Rows, i: int, time: float) -> None:
    """Place an activity at `time` (now if that has passed), before all that stand at that time already."""
    serial = -draw_serial(a)
    sequence = float(-a.run.turn)
    if time > a.run.time:
        set_key(a, i, time, sequence, serial)
        push_notice(a, time, sequence, serial, i)
    else:
        set_key(a, i, a.run.time, sequence, serial)
        insert_front(a, i, NONE)
        if a.run.turn != a.run.latest or a.run.front_end < 0:
            a.run.latest = a.run.turn
            a.run.front_end = i


def schedule_hold(a: Rows, i: int, time: float) -> None:
    """Place the running activity at a time to come: in place of its own notice if that is still the root."""
    sequence = float(a.run.turn)
    set_key(a, i, time, sequence, 0)
    if a.run.hole != 0:
        a.run.hole = 0
        sink_notice(a, 0, time, sequence, 0, i)
    else:
        push_notice(a, time, sequence, 0, i)


def place(a: Rows, i: int, time: float, sequence: float, serial: int) -> None:
    """Place an activity by a key of its own; at the present instant, too, the key alone decides when it is taken."""
    set_key(a, i, time, sequence, serial)
    push_notice(a, time, sequence, serial, i)


def displace(a: Rows, i: int) -> None:
    """Take an activity out of the event list; no effect on one that is not there."""
    if a.activity.sequence[i] != 0.0:
        if a.activity.last[i] != IN_HEAP:
            unlink(a, i)
        a.activity.sequence[i] = 0.0


# --- taking -----------------------------------------------------------------------------------------------------------


def is_due_before(a: Rows, i: int, time: float, sequence: float, serial: int) -> bool:
    """Whether the notice of an activity comes before a key."""
    if a.activity.due[i] != time:
        return bool(a.activity.due[i] < time)
    if a.activity.sequence[i] != sequence:
        return bool(a.activity.sequence[i] < sequence)
    return bool(a.activity.serial[i] < serial)


def first(a: Rows) -> int:
    """Whose event is next; NONE if there is none."""
    i = NONE
    while a.run.notices > 0 and is_stale(a, 0):
        drop_root(a)
    if a.run.notices > 0:
        i = a.notice.activity[0]
    for other in (a.run.ready_first, a.run.front_first):
        if other >= 0 and (
            i < 0 or is_due_before(a, other, a.activity.due[i], a.activity.sequence[i], a.activity.serial[i])
        ):
            i = other
    return i


def take_event(a: Rows, time: float, sequence: float, serial: int, horizon: float) -> int:
    """Begin the next event if it is before a key and the horizon, and return whose it is; NONE if not.

    What moves is brought there first; NONE, too, if it comes to an event of Python's before. An event for which a row
    waits is its own. Where rows wait, and the next time event is Python's, all is brought to that.
    """
    if a.run.leaves == 1:  # Python is to look first
        return NONE
    i = first(a)
    if i >= 0 and (not is_due_before(a, i, time, sequence, serial) or a.activity.due[i] >= horizon):
        i = NONE
    if i < 0 and a.run.watching == 0:
        return NONE
    stop = a.activity.due[i] if i >= 0 else min(time, horizon)
    if i < 0 and (stop <= a.run.time or stop == inf):
        return NONE
    if i >= 0 and a.run.watching != 0 and not may_end_watches(a, i):
        a.run.leaves = 1
        return NONE
    if a.run.arrays != 0 and (a.run.wrote != 0 or stop > a.run.time or a.run.found != 0):
        a.run.wrote = 0
        if a.run.found == 0:
            a.run.reached = move_on(a, stop)
        a.run.found = 0
        if a.run.leaves == 1:
            a.run.reached = REACHED
            return NONE
        if a.run.reached != REACHED:
            return begin_found(a)
    a.run.time = stop
    if not arrive(a):
        a.run.reached = REACHED if a.run.leaves == 1 else UNSETTLED
        return NONE
    if i < 0:
        return NONE
    a.run.looked = 0
    if a.activity.last[i] == IN_HEAP:
        a.run.hole = 1
    else:
        unlink(a, i)
    a.activity.sequence[i] = 0.0
    a.run.turn += 1
    return i


def begin_found(a: Rows) -> int:
    """Begin the event that what moves has come to, if an activity waits for it, and return that; NONE if not."""
    if a.run.reached != CHOICE and a.run.reached != LOCATED:  # noqa: PLR1714  # the language of native code has no tuples
        return NONE
    i = waiter(a)
    if i < 0 or (a.run.reached == LOCATED and a.run.looked == MOVES_ON and a.run.functions != 0):
        return NONE  # only Python can come to a state event and still leave it to rows
    if not may_end_watches(a, i):
        a.run.leaves = 1
        return NONE
    a.activity.wait[i] = NOTHING
    a.process.subject[i] = NONE
    is_later = a.run.reached == LOCATED
    a.run.reached = REACHED
    a.run.time = found_at(a)
    if is_later:
        arrive(a)
    a.run.looked = 0
    a.run.turn += 1
    a.run.wrote = 1
    a.run.watching -= 1
    a.run.fired += 1
    a.run.woken = a.process.owner[i] if a.activity.kind[i] == BRANCH else i
    return i


def close_event(a: Rows) -> None:
    """The event that takes place has no more need of its place in the heap."""
    if a.run.hole != 0:
        a.run.hole = 0
        drop_root(a)
