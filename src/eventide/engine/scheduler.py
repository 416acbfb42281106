"""The advance of all flows between two events: whose step is next, and which event comes first.

In: the time of the next event in the event list (`stop`). Out: a code of `codes.py`: all flows have reached `stop`, or
a state event is located, or Python is needed. A flow is a set of states, laws and conditions that affect each other;
each has its own step and interpolant. A heap yields the flow that has advanced least (`flow_queue.py`), so that no
flow runs more than one of its own steps ahead, and the state event found is the first of all flows.

Plain functions over records, which are also translated to native code.
Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29, corrected; flows are not in the manual.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from eventide.engine.codes import (
    BROKEN,
    CHATTERS,
    CHOICE,
    IMPLICIT,
    LOCATED,
    PAUSED,
    REACHED,
    RECORDED,
    STEPPED,
    UNSETTLED,
)
from eventide.engine.event_effects import note_touched, settle_touched, touch
from eventide.engine.flow_queue import insert, remove, sift_down
from eventide.engine.guard_screening import add_entry, drop_empty_entries, remove_entry, test_again, unscreened
from eventide.engine.sampling import take_down
from eventide.engine.step_control import LATEST, advance
from eventide.engine.zeno import note_firing

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


# --- all flows -------------------------------------------------------------------------------------------------------


def enter(a: Arrays, f: int, time: float) -> None:
    """Add a flow without members. It is touched, and keeps the room that its row had when it was left."""
    a.flow.start[f] = a.flow.end[f] = a.flow.key[f] = a.flow.at[f] = time
    a.flow.start_rest[f] = a.flow.end_rest[f] = 0.0
    a.flow.step[f] = a.flow.next_step[f] = a.flow.past_step[f] = a.flow.asked_step[f] = 0.0
    a.flow.usual_step[f] = a.flow.tried[f] = a.flow.switches[f] = a.flow.turns[f] = a.flow.unseen[f] = 0.0
    a.flow.event[f] = -1.0
    a.flow.limit[f] = inf
    a.flow.before_limit[f] = LATEST
    a.flow.longest_step[f] = inf
    a.flow.fitted[f] = a.flow.announced[f] = a.flow.assigns[f] = a.flow.counted[f] = a.flow.doubted[f] = 0
    a.flow.attempt[f] = a.flow.complete_step[f] = 0
    a.flow.entries[f] = a.flow.entries_left[f] = a.flow.unscreened[f] = a.flow.has_screened[f] = a.flow.stale[f] = 0
    a.flow.moment[f] = a.flow.needs_python[f] = a.flow.begun[f] = 0
    a.flow.members[f] = a.flow.contributors[f] = a.flow.indirect[f] = 0
    a.flow.slides[f] = a.flow.system[f] = a.flow.worst[f] = -1
    a.flow.segments_hi[f] = a.flow.segments_lo[f]
    a.flow.chain_hi[f] = a.flow.chain_lo[f]
    a.flow.sums_hi[f] = a.flow.sums_lo[f]
    a.flow.rests_hi[f] = a.flow.rests_lo[f]
    a.flow.empty[f] = 1
    a.flow.direct[f] = 1
    insert(a, f)
    note_touched(a, f)


def leave(a: Arrays, f: int) -> None:
    """Remove a flow."""
    remove(a, f)
    kept = 0
    for k in range(a.run.touched):
        if a.touched[k] != f:
            a.touched[kept] = a.touched[k]
            kept += 1
    a.run.touched = kept
    kept = 0
    for k in range(a.run.pending):
        if a.pending[k] != f:
            a.pending[kept] = a.pending[k]
            kept += 1
    a.run.pending = kept


def go_on(a: Arrays, time: float, stop: float) -> int:
    """Proceed from an event: settle what it has touched, choose among what is due now, else march to `stop`.

    Returns     a code of `codes.py`; CHOICE and LOCATED with the condition in CHOSEN
    """
    if not settle_touched(a, time):
        return UNSETTLED
    return CHOICE if take_due(a, time) else march(a, stop)


def take_due(a: Arrays, time: float) -> bool:
    """Take the event of the first condition that is due now; whether there is one."""
    chosen = choose(a, time)
    if chosen < 0:
        return False
    note_event(a, time, time, 0.0)
    take(a, chosen, time)
    return True


def note_event(a: Arrays, time: float, start: float, elapsed: float) -> None:
    """Store the time of an event, the start of the step in which it was found, and the time from there to it."""
    a.run.event_time = time
    a.run.event_start = start
    a.run.event_dt = elapsed


def take(a: Arrays, c: int, time: float) -> None:
    """Take the event of a condition: touch its flow; disarm a trigger until it is false again, end a wait."""
    a.run.chosen = c
    note_firing(a, c, time)
    touch(a, a.guard.flow[c], time)
    a.guard.due[c] = 0
    a.guard.armed[c] = 0
    if a.guard.trigger[c] == 0:
        unlink(a, c)
    else:
        test_again(a, c)


def link(a: Arrays, c: int, f: int, priority: float, rank: float, needs_laws: bool) -> None:
    """Monitor a condition in a flow, which has room for it."""
    a.guard.flow[c] = f
    a.guard.needs_laws[c] = 1 if needs_laws else 0
    a.guard.priority[c] = priority
    a.guard.rank[c] = rank
    add_entry(a, c, f)


def take_up(a: Arrays, c: int, rank: float) -> None:
    """Monitor a condition again in its former flow: if there is no room, remove the empty entries first."""
    f = a.guard.flow[c]
    if a.flow.entries[f] == a.flow.entries_room[f]:
        drop_empty_entries(a, f)
    a.guard.rank[c] = rank
    add_entry(a, c, f)


def unlink(a: Arrays, c: int) -> None:
    """Stop monitoring a condition."""
    remove_entry(a, c)


def march(a: Arrays, stop: float) -> int:
    """Bring every flow to `stop`, or to the first state event before it.

    Returns     REACHED; LOCATED, with the flows in `pending`; STEPPED when steps are observed and one has ended, or
                will be cut now by an event;
                BROKEN; RAISED, STUCK or FAILED for the flow at the root of the heap; RECORDED when a tape is full;
                PAUSED when it has run for long
    """
    a.run.pending = 0
    while a.run.flows > 0:
        f = a.heap[0]
        key = a.flow.key[f]
        limit = min(stop, key)
        if a.run.upcoming < limit and take_down(a, limit):
            return RECORDED
        # Mostly a step just ends, and the next one follows.
        if key >= stop or a.flow.event[f] >= 0.0 or key == a.flow.limit[f] or a.run.stepwise > 0.0:
            found = collect(a, key) if key == stop or (key < stop and a.flow.event[f] >= 0.0) else 0
            changing = changing_at(a, f, found) if key <= stop else -1
            looked_at = f if key < stop else changing
            if looked_at >= 0 and is_looked_at(a, looked_at, stop):
                a.flow.announced[looked_at] = 1
                return STEPPED
            if key >= stop and changing < 0:
                gather(a, found)
                return REACHED
            if changing >= 0 or a.flow.event[f] >= 0.0:
                code = arrive(a, key, stop, found)
                if code != REACHED:
                    return code
                continue
        if is_spent(a, f):
            return PAUSED
        code = advance(a, f)
        if code != REACHED:
            return code
        sift_down(a, 0)
    return REACHED


def is_spent(a: Arrays, f: int) -> bool:
    """Whether to return to Python, after much work or on request; if not, count the work of the next step."""
    if a.run.work > a.run.work_limit:
        return True
    work = 1
    for run in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        work += a.segments[run, 1] - a.segments[run, 0]
    if a.method.sizes[IMPLICIT] > 0:
        work *= work
    a.run.work += work
    return False


def is_at_limit(a: Arrays, f: int) -> bool:
    """Whether the step of a flow has ended where an input is not smooth."""
    return bool(a.flow.key[f] == a.flow.limit[f] and a.flow.step[f] > 0.0)


def is_turning(a: Arrays, f: int) -> bool:
    """Whether comparisons of a flow's laws change where its step ends."""
    if a.flow.event[f] < 0.0 or a.flow.switches[f] == 0.0:
        return False
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.due[c] == 1 and a.guard.switch[c] > 0:
            return True
    return False


def changing_at(a: Arrays, first: int, found: int) -> int:
    """The first flow whose laws change where its step ends, at the time of the first flow; -1 without one.

    found       how many flows have been collected: all of that time where an event takes place then, which may read any
    """
    if is_at_limit(a, first) or is_turning(a, first):
        return first
    for k in range(1, found):
        f = int(a.pending[k])
        if is_at_limit(a, f) or is_turning(a, f):
            return f
    return -1


def is_cut(a: Arrays, f: int) -> bool:
    """Whether an event ends the step of a flow."""
    return bool(a.flow.event[f] >= 0.0 and a.flow.turns[f] == 0.0)


def is_looked_at(a: Arrays, f: int, stop: float) -> bool:
    """Whether observers have to see the flow's step before it continues, is cut or is left.

    Where its limit ends it they have to see it also at `stop`, as it is lost then.
    """
    if a.flow.key[f] == stop:
        return bool(a.run.stepwise > 0.0 and a.flow.announced[f] == 0)
    least = 1.0 if is_cut(a, f) else 0.0
    return bool(a.run.stepwise > least and a.flow.step[f] > 0.0 and a.flow.announced[f] == 0)


def arrive(a: Arrays, time: float, stop: float, found: int) -> int:
    """End all steps that a state event or a change of laws ends now; `found` flows have been collected, if any.

    Laws that change are settled first: what holds from now on is what a time event, an observer or a state event sees
    that comes next, and what conditions are chosen by.

    Returns     REACHED, to continue; else a code of `codes.py`
    """
    found, lead, breaks, turns = found if found > 0 else collect(a, time), -1, 0, 0
    for k in range(found):
        f = int(a.pending[k])
        breaks += 1 if is_at_limit(a, f) else 0
        turns += 1 if is_turning(a, f) else 0
        if a.flow.event[f] >= 0.0 and (lead < 0 or (is_cut(a, f) and not is_cut(a, lead))):
            lead = f
    if lead >= 0:
        note_event(a, time, a.flow.start[lead], a.flow.event[lead])
    a.run.event_time = time
    alert = 0
    for k in range(found):
        f = int(a.pending[k])
        if a.flow.event[f] >= 0.0 or is_at_limit(a, f):
            alert = max(alert, leave_step(a, f, time))
    if breaks > 0:
        a.run.pending = 0
        return BROKEN
    first = gather(a, found)
    if turns == 0:
        take(a, first, time)
        return LOCATED
    if not settle_touched(a, time):
        return UNSETTLED
    if alert != 0:
        a.run.alert = alert
        return CHATTERS
    if (time < stop or stop == a.run.look) and take_due(a, time):
        return LOCATED
    a.run.pending = 0
    return REACHED


def leave_step(a: Arrays, f: int, time: float) -> int:
    """End the step of a flow; returns the alert of comparisons of its laws that change here, which are counted."""
    alert = 0
    if is_turning(a, f):
        for k in range(a.flow.unscreened[f]):
            c = unscreened(a, f, k)
            if a.guard.due[c] == 1 and a.guard.switch[c] > 0:
                a.run.switched += 1
                a.guard.due[c] = 0
                note_firing(a, c, time)
                if a.run.alert != 0:
                    alert, a.run.chosen = a.run.alert, c
        a.run.alert = 0
    touch(a, f, time)
    return alert


def gather(a: Arrays, found: int) -> int:
    """Keep those of the collected flows in which conditions are due; returns the first of these, -1 without one."""
    kept, best = 0, -1
    for k in range(found):
        f = int(a.pending[k])
        c = first_due(a, f, -1)
        if c >= 0:
            a.pending[kept] = f
            kept += 1
            if best < 0 or is_before(a, c, best):
                best = c
    a.run.pending = kept
    return best


def collect(a: Arrays, time: float) -> int:
    """Write all flows whose keys are the time of the first to `pending`, in breadth of the heap; their number."""
    flows, seen, k = a.run.flows, 1, 0
    a.pending[0] = 0
    while k < seen:
        place = a.pending[k]
        for child in range(4 * place + 1, min(4 * place + 5, flows)):
            if a.keys[child] == time:
                a.pending[seen] = child
                seen += 1
        k += 1
    for k in range(seen):
        a.pending[k] = a.heap[a.pending[k]]
    return seen


def first_due(a: Arrays, f: int, best: int) -> int:
    """The first of the flow's conditions that are due, or `best`, whichever comes first."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.due[c] == 1 and (best < 0 or is_before(a, c, best)):
            best = c
    return best


def is_before(a: Arrays, c: int, other: int) -> bool:
    """Whether a condition comes before another: high priority first, then by rank."""
    if a.guard.priority[c] != a.guard.priority[other]:
        return bool(a.guard.priority[c] > a.guard.priority[other])
    return bool(a.guard.rank[c] < a.guard.rank[other])


def choose(a: Arrays, time: float) -> int:
    """The first condition that is due at this instant, among the flows with pending events; -1 if there is none."""
    best = -1
    for k in range(a.run.pending):
        f = a.pending[k]
        if a.flow.key[f] == time:
            best = first_due(a, f, best)
    return best
