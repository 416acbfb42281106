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

from eventide.continuous.tables import (
    ALONE,
    BASE,
    CHAIN_COLUMNS,
    CHAIN_HI,
    CHAIN_LO,
    CHAIN_ROOM,
    CONTRIBUTES,
    CONTRIBUTION,
    CONTRIBUTION_ROW,
    CONTRIBUTORS,
    COUNTED,
    DIRECT,
    DT_MAX,
    EMPTY,
    EQUATES,
    EQUATION,
    EQUATION_ROW,
    GIVE_COUNT,
    GIVEN,
    HOME,
    IMPLICIT,
    INDIRECT,
    IS_INDIRECT,
    IS_UNSEEN,
    JOINT,
    LATER_CONTRIBUTION,
    LATER_EQUATION,
    LAW,
    LAW_OF,
    MAYBE,
    MEMBERS,
    NEXT,
    NO_ROOM,
    OPERANDS,
    PRIOR,
    READ_COUNT,
    READER,
    READINGS,
    RECORD,
    RECORD_HEAD,
    ROW_OF_LAWS,
    RUN,
    SEAT,
    SEGMENTS_HI,
    SEGMENTS_LO,
    SEGMENTS_ROOM,
    SET_COUNT,
    SEVERAL,
    SIDE,
    STARTED,
    SUM_COUNT,
    SUMS_HI,
    SUMS_LO,
    SUMS_OF,
    SUMS_ROOM,
    TOUCH_COUNT,
    TOUCHER,
    TOUCHINGS,
    UNSEEN,
    USE,
    WRITE_COUNT,
    WRITER,
    Arrays,
    P,
)

# --- members ---------------------------------------------------------------------------------------------------------


def come(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Let the object on a seat be a member of a flow, with its laws if it is active, and with a stretch of its slots.

    Returns     NO_ROOM, or as `use`
    """
    record = a.seats[s, RECORD]
    laws = a.flow_ints[f, CHAIN_HI] - a.flow_ints[f, CHAIN_LO]
    if is_active and laws + a.lists[record + CONTRIBUTES] + a.lists[record + EQUATES] > a.flow_ints[f, CHAIN_ROOM]:
        return NO_ROOM
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM
    house(a, s, f)
    a.flow_ints[f, MEMBERS] += 1
    a.flow_ints[f, EMPTY] = 0
    change_what_moves(a, f, s, is_active, low, high, True)
    return use(a, f, record, a.seats[s, ROW_OF_LAWS], s, 0)


def depart(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int) -> int:
    """Let it be one no longer; as `come`, but the answer is as of `disuse`."""
    record = a.seats[s, RECORD]
    if not has_room_for_runs(a, f, record, low < high):
        return NO_ROOM  # what goes out of the middle of a run leaves two
    house(a, s, -1)
    a.flow_ints[f, MEMBERS] -= 1
    a.flow_ints[f, EMPTY] = 1 if a.flow_ints[f, MEMBERS] == 0 else 0
    change_what_moves(a, f, s, is_active, low, high, False)
    return disuse(a, f, record, a.seats[s, ROW_OF_LAWS], s, 0)


def has_room_for_runs(a: Arrays, f: int, record: int, moves: bool) -> bool:
    """Whether there is room in a flow for one run of slots more, and for one of sums, if a member has any."""
    if moves and a.flow_ints[f, SEGMENTS_HI] - a.flow_ints[f, SEGMENTS_LO] >= a.flow_ints[f, SEGMENTS_ROOM]:
        return False
    if a.lists[record + SUM_COUNT] == 0:
        return True
    return bool(a.flow_ints[f, SUMS_HI] - a.flow_ints[f, SUMS_LO] < a.flow_ints[f, SUMS_ROOM])


def house(a: Arrays, s: int, f: int) -> None:
    """Let the object on a seat move with a flow; with -1 it stands still."""
    if a.seats[s, BASE] >= 0:
        a.slots[a.seats[s, BASE], HOME] = f
    if a.seats[s, SIDE] >= 0:
        a.slots[a.seats[s, SIDE], HOME] = f


def change_what_moves(a: Arrays, f: int, s: int, is_active: bool, low: int, high: int, comes: bool) -> None:
    """Take the laws and sums of a member in, or out, and a stretch of its slots."""
    if is_active:
        change_laws(a, f, s, comes)
    change_sums(a, f, s)
    if low < high:
        toggle_states(a, f, low, high)
    else:
        estimate_step(a, f, a.flow_ints[f, SEGMENTS_HI] > a.flow_ints[f, SEGMENTS_LO])


def change_laws(a: Arrays, f: int, s: int, comes: bool) -> None:
    """Take the laws of a member in, or out."""
    record, row, one = a.seats[s, RECORD], a.seats[s, ROW_OF_LAWS], 1 if comes else -1
    a.flow_ints[f, INDIRECT] += one * a.lists[record + IS_INDIRECT]
    a.flow_ints[f, DIRECT] = 1 if a.flow_ints[f, INDIRECT] == 0 else 0
    a.flow_floats[f, UNSEEN] += one * a.lists[record + IS_UNSEEN]
    a.flow_ints[f, COUNTED] = 0
    if a.lists[record + CONTRIBUTES] == 1:
        end = a.flow_ints[f, CHAIN_LO] + a.flow_ints[f, CONTRIBUTORS]
        place = place_of_law(a, s, LATER_CONTRIBUTION, a.flow_ints[f, CHAIN_LO], end)
        change_chain(a, f, place, comes)
        a.flow_ints[f, CONTRIBUTORS] += one
        if comes:
            write_law(a, place, a.lists[record + CONTRIBUTION], row + a.lists[record + CONTRIBUTION_ROW], s)
    if a.lists[record + EQUATES] == 1:
        first = a.flow_ints[f, CHAIN_LO] + a.flow_ints[f, CONTRIBUTORS]
        place = place_of_law(a, s, LATER_EQUATION, first, a.flow_ints[f, CHAIN_HI])
        change_chain(a, f, place, comes)
        if comes:
            write_law(a, place, a.lists[record + EQUATION], row + a.lists[record + EQUATION_ROW], s)


def change_sums(a: Arrays, f: int, s: int) -> None:
    """Let the sums of a member be set to zero before each pass, or no longer."""
    record = a.seats[s, RECORD]
    if a.lists[record + SUM_COUNT] > 0:
        first = a.seats[s, SIDE] + a.lists[record + SUMS_OF]
        toggle(a, f, SUMS_LO, first, first + a.lists[record + SUM_COUNT])


def write_law(a: Arrays, place: int, address: int, operands: int, s: int) -> None:
    """Write a row of the chain."""
    a.chain[place, LAW] = address
    a.chain[place, OPERANDS] = operands
    a.chain[place, RUN] = 1
    a.chain[place, JOINT] = ALONE
    a.chain[place, LAW_OF] = s


def place_of_law(a: Arrays, s: int, later: int, first: int, end: int) -> int:
    """The place among some rows of the chain, which are in their order, where the law of an object is or is to be.

    later   the column of seats that tells whether laws of this kind wait for others
    """
    if first < end and stands_before(a, a.chain[end - 1, LAW_OF], s, later):
        return end  # as a rule who comes is the last
    while first < end:
        middle = (first + end) // 2
        if stands_before(a, a.chain[middle, LAW_OF], s, later):
            first = middle + 1
        else:
            end = middle
    return first


def stands_before(a: Arrays, s: int, t: int, later: int) -> bool:
    """Whether a law of the object on a seat stands before that of another: high priority first, then as started.

    A law that waits for others stands behind the last of them.
    """
    prior, other_prior = a.seats[s, PRIOR], a.seats[t, PRIOR]
    started, other_started = a.seats[s, STARTED], a.seats[t, STARTED]
    if a.seats[s, later] > 0:
        prior, started = a.seats[s, later + 1], a.seats[s, later + 2]
    if a.seats[t, later] > 0:
        other_prior, other_started = a.seats[t, later + 1], a.seats[t, later + 2]
    if prior != other_prior:
        return bool(prior < other_prior)
    if started != other_started:
        return bool(started < other_started)
    if a.seats[s, later] != a.seats[t, later]:
        return bool(a.seats[s, later] < a.seats[t, later])
    if a.seats[s, PRIOR] != a.seats[t, PRIOR]:
        return bool(a.seats[s, PRIOR] < a.seats[t, PRIOR])
    return bool(a.seats[s, STARTED] < a.seats[t, STARTED])


def arrange(a: Arrays, f: int) -> None:
    """Bring the laws of a flow into their order, of which some wait for others than before."""
    middle = a.flow_ints[f, CHAIN_LO] + a.flow_ints[f, CONTRIBUTORS]
    arrange_laws(a, LATER_CONTRIBUTION, a.flow_ints[f, CHAIN_LO], middle)
    arrange_laws(a, LATER_EQUATION, middle, a.flow_ints[f, CHAIN_HI])
    a.flow_ints[f, COUNTED] = 0  # runs of one kernel are others now


def arrange_laws(a: Arrays, later: int, first: int, end: int) -> None:
    """The same of laws of one kind: most are in their order, and those that are not are put back where they belong."""
    for place in range(first + 1, end):
        s = a.chain[place, LAW_OF]
        if stands_before(a, s, a.chain[place - 1, LAW_OF], later):
            address, operands = a.chain[place, LAW], a.chain[place, OPERANDS]
            to = place_of_law(a, s, later, first, place)
            move_laws(a, to, place, 1)
            write_law(a, to, address, operands, s)


def change_chain(a: Arrays, f: int, place: int, comes: bool) -> None:
    """Let there be one law more before a place of the chain, or one less at it."""
    high = a.flow_ints[f, CHAIN_HI]
    if comes:
        move_laws(a, place, high, 1)
        a.flow_ints[f, CHAIN_HI] = high + 1
    else:
        move_laws(a, place + 1, high, -1)
        a.flow_ints[f, CHAIN_HI] = high - 1


def move_laws(a: Arrays, first: int, end: int, by: int) -> None:
    """Move rows of the chain."""
    for k in range(end - first):
        at = end - 1 - k if by > 0 else first + k
        for column in range(CHAIN_COLUMNS):
            a.chain[at + by, column] = a.chain[at, column]


# --- runs of slots ---------------------------------------------------------------------------------------------------


def toggle_states(a: Arrays, f: int, low: int, high: int) -> None:
    """Let slots be integrated with a flow that are not, or stand still; there is room for one run more.

    Its next step is tried as long as the last, if there was one.
    """
    had_states = a.flow_ints[f, SEGMENTS_HI] > a.flow_ints[f, SEGMENTS_LO]
    toggle(a, f, SEGMENTS_LO, low, high)
    for slot in range(low, high):
        a.rows[P, slot] = nan  # they have no interpolant: no condition dozes for them
    estimate_step(a, f, had_states)


def estimate_step(a: Arrays, f: int, had_states: bool) -> None:
    """Let the length of a flow's next step be estimated, unless it had states, and has: then that is as it was.

    An attempt in vain costs an implicit method derivatives and factors, so there it is estimated in any case.
    """
    has_states = a.flow_ints[f, SEGMENTS_HI] > a.flow_ints[f, SEGMENTS_LO]
    goes_on = had_states and has_states and a.method.sizes[IMPLICIT] == 0
    if not goes_on and not a.settings[DT_MAX] < inf:
        a.flow_floats[f, NEXT] = 0.0


def toggle(a: Arrays, f: int, column: int, low: int, high: int) -> None:
    """Let ascending runs (first, one beyond the last) have what lies in one more stretch if none of it is in them, and
    lack it if all of it is; runs that meet become one.

    column  of the flow, where it is told which row of `segments` is the first run; the next tells where they end
    """
    # Either way the two ends of the stretch come where no end has been, and go where one has been.
    end = 2 * a.flow_ints[f, column + 1]
    at = first_end_from(a, 2 * a.flow_ints[f, column], end, low)
    meets_low = at < end and end_of_run(a, at) == low
    after = at + 1 if meets_low else at
    if after < end and end_of_run(a, after) == high:
        if meets_low:
            move_ends(a, at + 2, end, -2)
            a.flow_ints[f, column + 1] -= 1
        else:
            set_end_of_run(a, at, low)
    elif meets_low:
        set_end_of_run(a, at, high)
    else:
        move_ends(a, at, end, 2)
        set_end_of_run(a, at, low)
        set_end_of_run(a, at + 1, high)
        a.flow_ints[f, column + 1] += 1


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
            if not count_up(a, f, slot, READER, READINGS):
                return k
        elif k < touched:
            if not is_own(a, s, slot) and not count_up(a, f, slot, TOUCHER, TOUCHINGS):
                return k
        elif k >= written:
            if not is_own(a, s, slot):
                a.seats[a.slots[slot, SEAT], GIVEN] += 1
                if a.slots[slot, HOME] == -1:
                    return k
        elif a.slots[slot, WRITER] == -1:
            a.slots[slot, WRITER] = 2 * s + (1 if k < touched + a.lists[record + SET_COUNT] else 0)
        elif a.slots[slot, WRITER] // 2 != s:
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
            if not count_down(a, f, slot, READER, READINGS):
                return k
        elif k < touched:
            if not is_own(a, s, slot) and not count_down(a, f, slot, TOUCHER, TOUCHINGS):
                return k
        elif k >= written:
            if not is_own(a, s, slot):
                a.seats[a.slots[slot, SEAT], GIVEN] -= 1
                if a.seats[a.slots[slot, SEAT], GIVEN] == 0:
                    return k
        elif a.slots[slot, WRITER] // 2 == s:
            a.slots[slot, WRITER] = -1
        elif a.slots[slot, WRITER] == SEVERAL:
            return k
    return int(count)


def is_own(a: Arrays, s: int, slot: int) -> bool:
    """Whether a block begins at a slot that is one of the object on a seat, which always touches itself."""
    return bool(s >= 0 and a.slots[slot, SEAT] == s)


def count_up(a: Arrays, f: int, slot: int, who: int, number: int) -> bool:
    """Count a use of a slot by a flow; whether no other flow uses it alike.

    who, number     the columns that tell the flow and how often
    """
    if a.slots[slot, who] == -1:
        a.slots[slot, who] = f
        a.slots[slot, number] = 1
        return True
    if a.slots[slot, who] != f:
        return False
    a.slots[slot, number] += 1
    return True


def count_down(a: Arrays, f: int, slot: int, who: int, number: int) -> bool:
    """Count one use less; whether no other flow uses it alike."""
    if a.slots[slot, who] != f:
        return False
    a.slots[slot, number] -= 1
    if a.slots[slot, number] == 0:
        a.slots[slot, who] = -1
    return True


def flow_met(a: Arrays, s: int) -> int:
    """The flow of what the laws of the object on a seat touch, and of what touches the object, which stands still.

    Returns     -1 if there is none; SEVERAL if there is more than one, or may be
    """
    record, row, found = a.seats[s, RECORD], a.seats[s, ROW_OF_LAWS], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        found = met(found, a.slots[slot_of_use(a, record, row, k), HOME])
    for column in (BASE, SIDE):
        if a.seats[s, column] >= 0:
            found = met(found, a.slots[a.seats[s, column], TOUCHER])
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
    record, row, other = a.seats[s, RECORD], a.seats[s, ROW_OF_LAWS], -1
    first = a.lists[record + READ_COUNT]
    for k in range(first, first + a.lists[record + TOUCH_COUNT]):
        slot = slot_of_use(a, record, row, k)
        if a.slots[slot, HOME] == f and a.slots[slot, SEAT] != s:
            if other >= 0 and a.slots[slot, SEAT] != other:
                return 1
            other = a.slots[slot, SEAT]
    for column in (BASE, SIDE):
        if a.seats[s, column] >= 0 and a.slots[a.seats[s, column], TOUCHER] == f:
            return 1
    for column in (BASE, SIDE):
        if a.seats[s, column] >= 0 and a.slots[a.seats[s, column], TOUCHER] == SEVERAL:
            return MAYBE
    return 0
