"""Who comes and goes: the laws, slots and sums of a flow, and who depends on, touches and writes which slots.

What laws or a condition use is told by a record in `lists`, which objects of one class that refer to the like have in
common: entries of an index row, and columns of the blocks that begin there. So a member comes by one call, however many
are there, and goes by one.

A slot tells the flow that depends on it, and how often; where that is more than one flow, Python counts for each. A
function that meets such a slot answers which use that is, is told that it has been seen to, and goes on behind it.

Plain functions over arrays, which are also translated to native code.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

from eventide.engine.codes import (
    ALONE,
    BY_READING,
    BY_TOUCHING,
    CONTRIBUTES,
    CONTRIBUTION,
    CONTRIBUTION_ROW,
    EQUATES,
    EQUATION,
    EQUATION_ROW,
    GIVE_COUNT,
    IMPLICIT,
    IS_INDIRECT,
    IS_UNSEEN,
    LATER_CONTRIBUTION,
    LATER_EQUATION,
    MAYBE,
    NO_ROOM,
    READ_COUNT,
    RECORD_HEAD,
    SET_COUNT,
    SEVERAL,
    SUM_COUNT,
    SUMS_OF,
    TOUCH_COUNT,
    USE,
    WRITE_COUNT,
    P,
)

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

# --- members ---------------------------------------------------------------------------------------------------------


def come(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Let the object on a seat be a member of a flow, with its laws if it is active, and with a stretch of its slots.

    Returns     NO_ROOM, or as `use`
    """
    record = a.seat.record[s]
    laws = a.flow.chain_hi[f] - a.flow.chain_lo[f]
    if is_active and laws + a.lists[record + CONTRIBUTES] + a.lists[record + EQUATES] > a.flow.chain_room[f]:
        return NO_ROOM
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM
    house(a, s, f)
    a.flow.members[f] += 1
    a.flow.empty[f] = 0
    change_what_moves(a, f, s, is_active, low, high, True)
    return use(a, f, record, a.seat.row_of_laws[s], s, 0)


def depart(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Let it be one no longer; as `come`, but the answer is as of `disuse`."""
    record = a.seat.record[s]
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM  # what goes out of the middle of a run leaves two
    house(a, s, -1)
    a.flow.members[f] -= 1
    a.flow.empty[f] = 1 if a.flow.members[f] == 0 else 0
    change_what_moves(a, f, s, is_active, low, high, False)
    return disuse(a, f, record, a.seat.row_of_laws[s], s, 0)


def has_room_for_runs(a: Arrays, f: int, record: int, moves: bool) -> bool:
    """Whether there is room in a flow for one run of slots more, and for one of sums, if a member has any."""
    if moves and a.flow.segments_hi[f] - a.flow.segments_lo[f] >= a.flow.segments_room[f]:
        return False
    if a.lists[record + SUM_COUNT] == 0:
        return True
    return bool(a.flow.sums_hi[f] - a.flow.sums_lo[f] < a.flow.sums_room[f])


def house(a: Arrays, s: int, f: int) -> None:
    """Let the object on a seat move with a flow; with -1 it stands still."""
    if a.seat.base[s] >= 0:
        a.slot.home[a.seat.base[s]] = f
    if a.seat.side[s] >= 0:
        a.slot.home[a.seat.side[s]] = f


def change_what_moves(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int, comes: bool) -> None:
    """Take the laws and sums of a member in, or out, and a stretch of its slots."""
    if is_active:
        change_laws(a, f, s, comes)
    change_sums(a, f, s)
    if low < high:
        toggle_states(a, f, low, high)
    else:
        estimate_step(a, f, a.flow.segments_hi[f] > a.flow.segments_lo[f])


def change_laws(a: Arrays, f: int, s: int, comes: bool) -> None:
    """Take the laws of a member in, or out."""
    record, row, one = a.seat.record[s], a.seat.row_of_laws[s], 1 if comes else -1
    a.flow.indirect[f] += one * a.lists[record + IS_INDIRECT]
    a.flow.direct[f] = 1 if a.flow.indirect[f] == 0 else 0
    a.flow.unseen[f] += one * a.lists[record + IS_UNSEEN]
    a.flow.counted[f] = 0
    if a.lists[record + CONTRIBUTES] == 1:
        end = a.flow.chain_lo[f] + a.flow.contributors[f]
        place = place_of_law(a, s, LATER_CONTRIBUTION, a.flow.chain_lo[f], end)
        change_chain(a, f, place, comes)
        a.flow.contributors[f] += one
        if comes:
            write_law(a, place, a.lists[record + CONTRIBUTION], row + a.lists[record + CONTRIBUTION_ROW], s)
    if a.lists[record + EQUATES] == 1:
        first = a.flow.chain_lo[f] + a.flow.contributors[f]
        place = place_of_law(a, s, LATER_EQUATION, first, a.flow.chain_hi[f])
        change_chain(a, f, place, comes)
        if comes:
            write_law(a, place, a.lists[record + EQUATION], row + a.lists[record + EQUATION_ROW], s)


def change_sums(a: Arrays, f: int, s: int) -> None:
    """Let the sums of a member be set to zero before each pass, or no longer."""
    record = a.seat.record[s]
    if a.lists[record + SUM_COUNT] > 0:
        first = a.seat.side[s] + a.lists[record + SUMS_OF]
        end = first + a.lists[record + SUM_COUNT]
        a.flow.sums_hi[f] = toggle(a, a.flow.sums_lo[f], a.flow.sums_hi[f], first, end)


def write_law(a: Arrays, place: int, address: int, operands: int, s: int) -> None:
    """Write a row of the chain."""
    a.law.address[place] = address
    a.law.operands[place] = operands
    a.law.run_length[place] = 1
    a.law.joint[place] = ALONE
    a.law.seat[place] = s


def place_of_law(a: Arrays, s: int, later: int, first: int, end: int) -> int:
    """The place among some rows of the chain, which are in their order, where the law of an object is or is to be.

    later   the column of seats that tells whether laws of this kind wait for others
    """
    if first < end and stands_before(a, a.law.seat[end - 1], s, later):
        return end  # as a rule who comes is the last
    while first < end:
        middle = (first + end) // 2
        if stands_before(a, a.law.seat[middle], s, later):
            first = middle + 1
        else:
            end = middle
    return first


def stands_before(a: Arrays, s: int, t: int, later: int) -> bool:
    """Whether a law of the object on a seat stands before that of another: high priority first, then as started.

    A law that waits for others stands behind the last of them.
    """
    prior, other_prior = a.seat.prior[s], a.seat.prior[t]
    started, other_started = a.seat.started[s], a.seat.started[t]
    if a.seat.later[s, later] > 0:
        prior, started = a.seat.later[s, later + 1], a.seat.later[s, later + 2]
    if a.seat.later[t, later] > 0:
        other_prior, other_started = a.seat.later[t, later + 1], a.seat.later[t, later + 2]
    if prior != other_prior:
        return bool(prior < other_prior)
    if started != other_started:
        return bool(started < other_started)
    if a.seat.later[s, later] != a.seat.later[t, later]:
        return bool(a.seat.later[s, later] < a.seat.later[t, later])
    if a.seat.prior[s] != a.seat.prior[t]:
        return bool(a.seat.prior[s] < a.seat.prior[t])
    return bool(a.seat.started[s] < a.seat.started[t])


def arrange(a: Arrays, f: int) -> None:
    """Bring the laws of a flow into their order, of which some wait for others than before."""
    middle = a.flow.chain_lo[f] + a.flow.contributors[f]
    arrange_laws(a, LATER_CONTRIBUTION, a.flow.chain_lo[f], middle)
    arrange_laws(a, LATER_EQUATION, middle, a.flow.chain_hi[f])
    a.flow.counted[f] = 0  # runs of one kernel are others now


def arrange_laws(a: Arrays, later: int, first: int, end: int) -> None:
    """The same of laws of one kind: most are in their order, and those that are not are put back where they belong."""
    for place in range(first + 1, end):
        s = a.law.seat[place]
        if stands_before(a, s, a.law.seat[place - 1], later):
            address, operands = a.law.address[place], a.law.operands[place]
            to = place_of_law(a, s, later, first, place)
            move_laws(a, to, place, 1)
            write_law(a, to, address, operands, s)


def change_chain(a: Arrays, f: int, place: int, comes: bool) -> None:
    """Let there be one law more before a place of the chain, or one less at it."""
    high = a.flow.chain_hi[f]
    if comes:
        move_laws(a, place, high, 1)
        a.flow.chain_hi[f] = high + 1
    else:
        move_laws(a, place + 1, high, -1)
        a.flow.chain_hi[f] = high - 1


def move_laws(a: Arrays, first: int, end: int, by: int) -> None:
    """Move rows of the chain."""
    for k in range(end - first):
        at = end - 1 - k if by > 0 else first + k
        a.law.address[at + by] = a.law.address[at]
        a.law.operands[at + by] = a.law.operands[at]
        a.law.run_length[at + by] = a.law.run_length[at]
        a.law.seat[at + by] = a.law.seat[at]
        a.law.joint[at + by] = a.law.joint[at]


# --- runs of slots ---------------------------------------------------------------------------------------------------


def toggle_states(a: Arrays, f: int, low: int, high: int) -> None:
    """Let slots be integrated with a flow that are not, or stand still; there is room for one run more.

    Its next step is tried as long as the last, if there was one.
    """
    had_states = a.flow.segments_hi[f] > a.flow.segments_lo[f]
    a.flow.segments_hi[f] = toggle(a, a.flow.segments_lo[f], a.flow.segments_hi[f], low, high)
    for slot in range(low, high):
        a.rows[P, slot] = nan  # they have no interpolant: no condition dozes for them
    estimate_step(a, f, had_states)


def toggle_rests(a: Arrays, f: int, low: int, high: int) -> None:
    """Let rates of states that are not integrated be set to zero before each evaluation, or no longer.

    There is room for one run more.
    """
    a.flow.rests_hi[f] = toggle(a, a.flow.rests_lo[f], a.flow.rests_hi[f], low, high)


def estimate_step(a: Arrays, f: int, had_states: bool) -> None:
    """Let the length of a flow's next step be estimated, unless it had states, and has: then that is as it was.

    An attempt in vain costs an implicit method derivatives and factors, so there it is estimated in any case.
    """
    has_states = a.flow.segments_hi[f] > a.flow.segments_lo[f]
    goes_on = had_states and has_states and a.method.sizes[IMPLICIT] == 0
    if not goes_on and not a.run.dt_max < inf:
        a.flow.next_step[f] = 0.0


def toggle(a: Arrays, first: int, last: int, low: int, high: int) -> int:
    """Let ascending runs (first, one beyond the last) have what lies in one more stretch if none of it is in them, and
    lack it if all of it is; runs that meet become one.

    first, last     the row of `segments` that is the first run, and the one beyond the last
    Returns         the row beyond the last run as they are now
    """
    # Either way the two ends of the stretch come where no end has been, and go where one has been.
    end = 2 * last
    at = first_end_from(a, 2 * first, end, low)
    meets_low = at < end and end_of_run(a, at) == low
    after = at + 1 if meets_low else at
    if after < end and end_of_run(a, after) == high:
        if meets_low:
            move_ends(a, at + 2, end, -2)
            return last - 1
        set_end_of_run(a, at, low)
    elif meets_low:
        set_end_of_run(a, at, high)
    else:
        move_ends(a, at, end, 2)
        set_end_of_run(a, at, low)
        set_end_of_run(a, at + 1, high)
        return last + 1
    return last


def first_end_from(a: Arrays, first: int, end: int, slot: int) -> int:
    """Which of some ends of runs is the first that is not before a slot; they are numbered two to a run."""
    while first < end:
        middle = (first + end) // 2
        if end_of_run(a, middle) < slot:
            first = middle + 1
        else:
            end = middle
    return first


def end_of_run(a: Arrays, k: int) -> int:
    """The k-th end of the runs."""
    return int(a.segments[k // 2, k - 2 * (k // 2)])


def set_end_of_run(a: Arrays, k: int, slot: int) -> None:
    """Set it."""
    a.segments[k // 2, k - 2 * (k // 2)] = slot


def move_ends(a: Arrays, first: int, end: int, by: int) -> None:
    """Move ends of runs."""
    for k in range(end - first):
        at = end - 1 - k if by > 0 else first + k
        set_end_of_run(a, at + by, end_of_run(a, at))


# --- who uses what ---------------------------------------------------------------------------------------------------


def slot_of_use(a: Arrays, record: int, row: int, k: int) -> int:
    """The slot of the k-th use of a record."""
    at = record + RECORD_HEAD + USE * k
    place = a.lists[at]
    return int(a.lists[at + 1] if place < 0 else a.index[row + place] + a.lists[at + 1])


def use(a: Arrays, f: int, record: int, row: int, s: int, first: int) -> int:
    """A flow depends on what laws or a condition use, from the first of these uses on that is not seen to yet.

    s       the seat of whose laws they are; -1 of a condition
    Returns the number of the first use that Python has to see to; how many there are, if there is none
    """
    read, touched = a.lists[record + READ_COUNT], a.lists[record + READ_COUNT] + a.lists[record + TOUCH_COUNT]
    written = touched + a.lists[record + WRITE_COUNT]
    count = written + a.lists[record + GIVE_COUNT]
    for k in range(first, count):
        slot = slot_of_use(a, record, row, k)
        if k < read:
            if not count_up(a, f, slot, BY_READING):
                return k
        elif k < touched:
            if not is_own(a, s, slot) and not count_up(a, f, slot, BY_TOUCHING):
                return k
        elif k >= written:
            if not is_own(a, s, slot):
                a.seat.given[a.slot.seat[slot]] += 1
                if a.slot.home[slot] == -1:
                    return k
        elif a.slot.writer[slot] == -1:
            a.slot.writer[slot] = 2 * s + (1 if k < touched + a.lists[record + SET_COUNT] else 0)
        elif a.slot.writer[slot] // 2 != s:
            return k
    return int(count)


def disuse(a: Arrays, f: int, record: int, row: int, s: int, first: int) -> int:
    """A flow depends on that no longer; as `use`."""
    read, touched = a.lists[record + READ_COUNT], a.lists[record + READ_COUNT] + a.lists[record + TOUCH_COUNT]
    written = touched + a.lists[record + WRITE_COUNT]
    count = written + a.lists[record + GIVE_COUNT]
    for k in range(first, count):
        slot = slot_of_use(a, record, row, k)
        if k < read:
            if not count_down(a, f, slot, BY_READING):
                return k
        elif k < touched:
            if not is_own(a, s, slot) and not count_down(a, f, slot, BY_TOUCHING):
                return k
        elif k >= written:
            if not is_own(a, s, slot):
                a.seat.given[a.slot.seat[slot]] -= 1
                if a.seat.given[a.slot.seat[slot]] == 0:
                    return k
        elif a.slot.writer[slot] // 2 == s:
            a.slot.writer[slot] = -1
        elif a.slot.writer[slot] == SEVERAL:
            return k
    return int(count)


def is_own(a: Arrays, s: int, slot: int) -> bool:
    """Whether a block begins at a slot that is one of the object on a seat, which always touches itself."""
    return bool(s >= 0 and a.slot.seat[slot] == s)


def count_up(a: Arrays, f: int, slot: int, kind: int) -> bool:
    """Count a use of a slot by a flow; whether no other flow uses it alike.

    kind    BY_READING or BY_TOUCHING
    """
    if a.slot.user[slot, kind] == -1:
        a.slot.user[slot, kind] = f
        a.slot.uses[slot, kind] = 1
        return True
    if a.slot.user[slot, kind] != f:
        return False
    a.slot.uses[slot, kind] += 1
    return True


def count_down(a: Arrays, f: int, slot: int, kind: int) -> bool:
    """Count one use less; whether no other flow uses it alike."""
    if a.slot.user[slot, kind] != f:
        return False
    a.slot.uses[slot, kind] -= 1
    if a.slot.uses[slot, kind] == 0:
        a.slot.user[slot, kind] = -1
    return True


def flow_met(a: Arrays, s: int) -> int:
    """The flow of what the laws of the object on a seat touch, and of what touches the object, which stands still.

    Returns     -1 if there is none; SEVERAL if there is more than one, or may be
    """
    record, row, found = a.seat.record[s], a.seat.row_of_laws[s], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        found = met(found, a.slot.home[slot_of_use(a, record, row, k)])
    for first in (a.seat.base[s], a.seat.side[s]):
        if first >= 0:
            found = met(found, a.slot.user[first, BY_TOUCHING])
    return found


def met(found: int, other: int) -> int:
    """What has been found so far and one flow more, where -1 is none."""
    if other in (-1, found):
        return found
    return other if found == -1 else SEVERAL


def may_fall_apart(a: Arrays, f: int, s: int) -> int:
    """Whether a flow may be held together by a member: 0 if not, 1 if it may; MAYBE if others may touch that member.

    It is not if the member touches one other at most, and nobody touches it.
    """
    record, row, other = a.seat.record[s], a.seat.row_of_laws[s], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        slot = slot_of_use(a, record, row, k)
        if a.slot.home[slot] == f and a.slot.seat[slot] != s:
            if other >= 0 and a.slot.seat[slot] != other:
                return 1
            other = a.slot.seat[slot]
    for first in (a.seat.base[s], a.seat.side[s]):
        if first >= 0 and a.slot.user[first, BY_TOUCHING] == f:
            return 1
    for first in (a.seat.base[s], a.seat.side[s]):
        if first >= 0 and a.slot.user[first, BY_TOUCHING] == SEVERAL:
            return MAYBE
    return 0
