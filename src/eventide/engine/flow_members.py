"""Members of flows: add and remove the laws, slots and sums of an object, and count which flow uses which slots.

In: the slab of an object that starts or stops. Out: the tables of its flow with the object's rows added or removed, in
the order of laws (priority, then start). Starting or stopping an object is one call: one binary search and one memmove
per table, so that it costs the same among five objects and among a thousand.

What laws or a condition use is described by a record in `lists`: entries of an index row, and columns of the blocks
that begin there. Objects of one class with the same layout share it. A slot has the flow that depends on it and a
count of its uses. If several flows do, Python counts for each of them: a function that meets such a slot returns its
place among the uses, and Python calls it again with the next place.

The next step of the flow is tried with the length of the last one. An estimate of a first step after each start made
twice as many steps in a furnace of a thousand ingots, and objects that start mostly resemble those already there. With
an implicit method a refused attempt costs derivatives and factors, so the length is estimated after a start.

Plain functions over records, which are also translated to native code.
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
    VALUES,
    WRITE_COUNT,
    P,
)

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

# --- members ---------------------------------------------------------------------------------------------------------


def come(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Make the object on a slab a member of a flow, with its laws if it is active, and with a stretch of its slots.

    Returns     NO_ROOM, or as `use`
    """
    record = a.slab.record[s]
    laws = a.flow.chain_hi[f] - a.flow.chain_lo[f]
    if is_active and laws + a.lists[record + CONTRIBUTES] + a.lists[record + EQUATES] > a.flow.chain_room[f]:
        return NO_ROOM
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM
    house(a, s, f)
    a.flow.members[f] += 1
    a.flow.empty[f] = 0
    change_what_moves(a, f, s, is_active, low, high, True)
    return use(a, f, record, a.slab.row_of_laws[s], s, 0, 1)


def depart(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Remove the member; like `come`."""
    record = a.slab.record[s]
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM  # what goes out of the middle of a run leaves two
    house(a, s, -1)
    a.flow.members[f] -= 1
    a.flow.empty[f] = 1 if a.flow.members[f] == 0 else 0
    change_what_moves(a, f, s, is_active, low, high, False)
    return use(a, f, record, a.slab.row_of_laws[s], s, 0, -1)


def has_room_for_runs(a: Arrays, f: int, record: int, moves: bool) -> bool:
    """Whether there is room in a flow for one run of slots more, and for one of sums, if a member has any."""
    if moves and a.flow.segments_hi[f] - a.flow.segments_lo[f] >= a.flow.segments_room[f]:
        return False
    if a.lists[record + SUM_COUNT] == 0:
        return True
    return bool(a.flow.sums_hi[f] - a.flow.sums_lo[f] < a.flow.sums_room[f])


def house(a: Arrays, s: int, f: int) -> None:
    """Set the flow in which the object on a slab moves; -1 if it is at rest."""
    if a.slab.base[s] >= 0:
        a.slot.home[a.slab.base[s]] = f
    if a.slab.side[s] >= 0:
        a.slot.home[a.slab.side[s]] = f


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
    record, row, one = a.slab.record[s], a.slab.row_of_laws[s], 1 if comes else -1
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
    """Start or stop zeroing the sums of a member before each pass."""
    record = a.slab.record[s]
    if a.lists[record + SUM_COUNT] > 0:
        first = a.slab.side[s] + a.lists[record + SUMS_OF]
        end = first + a.lists[record + SUM_COUNT]
        a.flow.sums_hi[f] = toggle(a, a.flow.sums_lo[f], a.flow.sums_hi[f], first, end)


def write_law(a: Arrays, place: int, address: int, operands: int, s: int) -> None:
    """Write a row of the chain."""
    a.law.address[place] = address
    a.law.operands[place] = operands
    a.law.run_length[place] = 1
    a.law.joint[place] = ALONE
    a.law.slab[place] = s


def place_of_law(a: Arrays, s: int, later: int, first: int, end: int) -> int:
    """Binary search in sorted rows of the chain: the place where the law of an object is or belongs.

    later   the first column of `slab.later` for laws of this kind
    """
    if first < end and stands_before(a, a.law.slab[end - 1], s, later):
        return end  # a new object mostly comes last
    while first < end:
        middle = (first + end) // 2
        if stands_before(a, a.law.slab[middle], s, later):
            first = middle + 1
        else:
            end = middle
    return first


def stands_before(a: Arrays, s: int, t: int, later: int) -> bool:
    """Whether a law of the object on a slab comes before that of another: high priority first, then by start.

    A law that waits for others comes after the last of them.
    """
    prior, other_prior = a.slab.prior[s], a.slab.prior[t]
    started, other_started = a.slab.started[s], a.slab.started[t]
    if a.slab.later[s, later] > 0:
        prior, started = a.slab.later[s, later + 1], a.slab.later[s, later + 2]
    if a.slab.later[t, later] > 0:
        other_prior, other_started = a.slab.later[t, later + 1], a.slab.later[t, later + 2]
    if prior != other_prior:
        return bool(prior < other_prior)
    if started != other_started:
        return bool(started < other_started)
    if a.slab.later[s, later] != a.slab.later[t, later]:
        return bool(a.slab.later[s, later] < a.slab.later[t, later])
    if a.slab.prior[s] != a.slab.prior[t]:
        return bool(a.slab.prior[s] < a.slab.prior[t])
    return bool(a.slab.started[s] < a.slab.started[t])


def arrange(a: Arrays, f: int) -> None:
    """Sort the laws of a flow after some of them have begun to wait for other laws."""
    middle = a.flow.chain_lo[f] + a.flow.contributors[f]
    arrange_laws(a, LATER_CONTRIBUTION, a.flow.chain_lo[f], middle)
    arrange_laws(a, LATER_EQUATION, middle, a.flow.chain_hi[f])
    a.flow.counted[f] = 0  # runs of one kernel are others now


def arrange_laws(a: Arrays, later: int, first: int, end: int) -> None:
    """Sort laws of one kind by insertion: most are in order already."""
    for place in range(first + 1, end):
        s = a.law.slab[place]
        if stands_before(a, s, a.law.slab[place - 1], later):
            address, operands = a.law.address[place], a.law.operands[place]
            to = place_of_law(a, s, later, first, place)
            move_laws(a, to, place, 1)
            write_law(a, to, address, operands, s)


def change_chain(a: Arrays, f: int, place: int, comes: bool) -> None:
    """Insert a row before a place of the chain, or remove the row at it."""
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
        a.law.slab[at + by] = a.law.slab[at]
        a.law.joint[at + by] = a.law.joint[at]


# --- runs of slots ---------------------------------------------------------------------------------------------------


def toggle_states(a: Arrays, f: int, low: int, high: int) -> None:
    """Start or stop integrating slots with a flow; there is room for one more run.

    The next step is tried with the length of the last, if there was one.
    """
    had_states = a.flow.segments_hi[f] > a.flow.segments_lo[f]
    a.flow.segments_hi[f] = toggle(a, a.flow.segments_lo[f], a.flow.segments_hi[f], low, high)
    for slot in range(low, high):
        a.rows[P, slot] = nan  # they have no interpolant: they screen no condition
    estimate_step(a, f, had_states)


def toggle_rests(a: Arrays, f: int, low: int, high: int) -> None:
    """Start or stop zeroing rates of states that are not integrated before each evaluation.

    There is room for one more run.
    """
    a.flow.rests_hi[f] = toggle(a, a.flow.rests_lo[f], a.flow.rests_hi[f], low, high)


def estimate_step(a: Arrays, f: int, had_states: bool) -> None:
    """Have the length of a flow's next step estimated, unless it had states and still has some: then it is kept."""
    has_states = a.flow.segments_hi[f] > a.flow.segments_lo[f]
    if not (had_states and has_states) and not a.run.dt_max < inf:
        a.flow.next_step[f] = 0.0


def toggle(a: Arrays, first: int, last: int, low: int, high: int) -> int:
    """Toggle a stretch in ascending runs (first, one beyond the last): add it if none of it is in them, remove it if
    all of it is; adjacent runs are merged.

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


# --- uses of slots ---------------------------------------------------------------------------------------------------


def slot_of_use(a: Arrays, record: int, row: int, k: int) -> int:
    """The slot of the k-th use of a record."""
    at = record + RECORD_HEAD + USE * k
    place = a.lists[at]
    return int(a.lists[at + 1] if place < 0 else a.index[row + place] + a.lists[at + 1])


def use(a: Arrays, f: int, record: int, row: int, s: int, first: int, by: int) -> int:
    """Count the slots that laws or a condition use for a flow, from the first use on that has not been counted yet.

    s       the slab whose laws they are; -1 for a condition
    by      1; -1 to take these uses back
    Returns the number of the first use that Python has to count; the number of uses, if there is none
    """
    read, touched = a.lists[record + READ_COUNT], a.lists[record + READ_COUNT] + a.lists[record + TOUCH_COUNT]
    written = touched + a.lists[record + WRITE_COUNT]
    count = written + a.lists[record + GIVE_COUNT]
    for k in range(first, count):
        slot = slot_of_use(a, record, row, k)
        if k < read:
            if not count_use(a, f, slot, BY_READING, by):
                return k
        elif k < touched:
            if not is_own(a, s, slot) and not count_use(a, f, slot, BY_TOUCHING, by):
                return k
        elif k >= written:
            if not is_own(a, s, slot):
                a.slab.given[a.slot.slab[slot]] += by
                if by > 0 and a.slot.home[slot] == -1:
                    return k
                if by < 0 and a.slab.given[a.slot.slab[slot]] == 0:
                    return k
        elif not count_writer(a, slot, 2 * s + (1 if k < touched + a.lists[record + SET_COUNT] else 0), by):
            return k
    return int(count)


def count_writer(a: Arrays, written: int, code: int, by: int) -> bool:
    """Note who writes a rate or value, as `slot.writer` has it, or forget it; returns whether nobody else does."""
    kind = 1 if written >= VALUES else 0
    slot = written - VALUES * kind
    known = a.slot.writer[slot, kind]
    if by > 0 and known == -1:
        a.slot.writer[slot, kind] = code
    elif by < 0 and known // 2 == code // 2:
        a.slot.writer[slot, kind] = -1
    return bool(known != SEVERAL and (by < 0 or known == -1 or known // 2 == code // 2))


def is_own(a: Arrays, s: int, slot: int) -> bool:
    """Whether a block of the object on a slab begins at a slot: an object always touches itself."""
    return bool(s >= 0 and a.slot.slab[slot] == s)


def count_use(a: Arrays, f: int, slot: int, kind: int, by: int) -> bool:
    """Count a use of a slot by a flow, or take one back; returns whether no other flow uses it in this way.

    kind    BY_READING or BY_TOUCHING
    """
    if by > 0 and a.slot.user[slot, kind] == -1:
        a.slot.user[slot, kind] = f
        a.slot.uses[slot, kind] = 0
    if a.slot.user[slot, kind] != f:
        return False
    a.slot.uses[slot, kind] += by
    if a.slot.uses[slot, kind] == 0:
        a.slot.user[slot, kind] = -1
    return True


def flow_met(a: Arrays, s: int) -> int:
    """The flow of everything that the laws of an object at rest touch, and of everything that touches the object.

    Returns     -1 if there is none; SEVERAL if there is more than one, or may be
    """
    record, row, found = a.slab.record[s], a.slab.row_of_laws[s], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        found = met(found, a.slot.home[slot_of_use(a, record, row, k)])
    for first in (a.slab.base[s], a.slab.side[s]):
        if first >= 0:
            found = met(found, a.slot.user[first, BY_TOUCHING])
    return found


def met(found: int, other: int) -> int:
    """The union of two results: a flow, -1 for none, SEVERAL."""
    if other in (-1, found):
        return found
    return other if found == -1 else SEVERAL


def may_fall_apart(a: Arrays, f: int, s: int) -> int:
    """Whether a flow may fall apart without a member: 0 if not, 1 if it may; MAYBE if others may touch that member.

    It does not if the member touches at most one other object, and no other touches it.
    """
    record, row, other = a.slab.record[s], a.slab.row_of_laws[s], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        slot = slot_of_use(a, record, row, k)
        if a.slot.home[slot] == f and a.slot.slab[slot] != s:
            if other >= 0 and a.slot.slab[slot] != other:
                return 1
            other = a.slot.slab[slot]
    for first in (a.slab.base[s], a.slab.side[s]):
        if first >= 0 and a.slot.user[first, BY_TOUCHING] == f:
            return 1
    for first in (a.slab.base[s], a.slab.side[s]):
        if first >= 0 and a.slot.user[first, BY_TOUCHING] == SEVERAL:
            return MAYBE
    return 0
