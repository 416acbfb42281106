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
    a.flow.step[f] = a.flow.next_step[f] = a.flow.past_step[f] = a.flow.asked_step[f] = a.flow.ended_step[f] = 0.0
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
    code = choose_among(a, time, end_turning(a, time))
    return march(a, stop) if code == REACHED else code


def choose_among(a: Arrays, time: float, alert: int) -> int:
    """Settle what is touched, and choose among what is due then; REACHED without anything.

    alert   of comparisons of laws that have changed: they chatter
    """
    if not settle_touched(a, time):
        return UNSETTLED
    if alert != 0:
        a.run.alert = alert
        return CHATTERS
    chosen = choose(a, time)
    if chosen < 0:
        return REACHED
    note_event(a, time, time, 0.0)
    take(a, chosen, time)
    return CHOICE


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
            turning = -1
            if key <= stop:
                ended, looked_at = at_limit(a, f, found), f
                if key == stop:
                    turning = turning_at(a, found) if stop == a.run.look else -1
                    looked_at = ended if ended >= 0 else turning
                if looked_at >= 0 and is_looked_at(a, looked_at, stop):
                    a.flow.announced[looked_at] = 1
                    return STEPPED
                if ended >= 0:
                    leave_limit(a, key)
                    return BROKEN
            if key >= stop and turning < 0:
                gather(a, found)
                return REACHED
            if turning >= 0 or a.flow.event[f] >= 0.0:
                code = arrive(a, f if turning < 0 else turning, found)
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


def turning_at(a: Arrays, found: int) -> int:
    """The first of the collected flows in whose laws comparisons change at their time; -1 without one.

    Observers at that time see the new outcomes, as tapes do; but not before a state event of that time.
    """
    turning = -1
    for k in range(found):
        f = int(a.pending[k])
        if is_cut(a, f):
            return -1
        if a.flow.event[f] >= 0.0 and turning < 0:
            turning = f
    return turning


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
    """Whether the step of a flow has ended where an input is not smooth, without a state event before."""
    return bool(a.flow.key[f] == a.flow.limit[f] and not is_cut(a, f) and a.flow.step[f] > 0.0)


def at_limit(a: Arrays, first: int, found: int) -> int:
    """The flow whose step has ended at its limit, at the time of the first flow; -1 without one.

    found       how many flows have been collected: all of that time where an event takes place then, which may read any
    """
    if is_at_limit(a, first):
        return first
    for k in range(1, found):
        if is_at_limit(a, a.pending[k]):
            return int(a.pending[k])
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


def arrive(a: Arrays, f: int, found: int) -> int:
    """The steps of the collected flows with events or changes of comparisons end here; one of them is a flow's.

    A state event is chosen among those that are due. Without one the next steps begin with new outcomes, in all laws
    that change now, before what is due then is chosen.

    Returns     REACHED, to continue; else a code of `codes.py`
    """
    time = a.flow.key[f]
    gather(a, found)
    cut = first_cut(a)
    lead = f if cut < 0 else cut
    note_event(a, time, a.flow.start[lead], a.flow.event[lead])
    alert = 0
    for k in range(a.run.pending):
        alert = max(alert, leave_step(a, a.pending[k], time))
    if cut < 0:
        return choose_among(a, time, alert)
    take(a, choose(a, time), time)
    return LOCATED


def end_turning(a: Arrays, time: float) -> int:
    """After an event: the steps of flows end in whose laws comparisons change at its time; returns an alert of theirs.

    Before one, state events of that time are the first.
    """
    alert = 0
    if a.run.pending > 0 and (a.run.touched > 0 or first_cut(a) < 0):
        for k in range(a.run.pending):
            f = a.pending[k]
            if a.flow.key[f] == time and a.flow.event[f] >= 0.0 and not is_cut(a, f):
                alert = max(alert, leave_step(a, f, time))
    return alert


def first_cut(a: Arrays) -> int:
    """The first of the pending flows whose step a state event ends; -1 without one."""
    for k in range(a.run.pending):
        if is_cut(a, a.pending[k]):
            return int(a.pending[k])
    return -1


def leave_step(a: Arrays, f: int, time: float) -> int:
    """End the step of a flow; returns the alert of comparisons of its laws that change here, which are counted."""
    alert = 0
    if a.flow.event[f] >= 0.0 and not is_cut(a, f):
        for k in range(a.flow.unscreened[f]):
            c = unscreened(a, f, k)
            if a.guard.due[c] == 1:
                note_firing(a, c, time)
                a.run.switched += 1
                a.guard.due[c] = 0
                if a.run.alert != 0:
                    alert, a.run.chosen = a.run.alert, c
        a.run.alert = 0
    touch(a, f, time)
    return alert


def leave_limit(a: Arrays, time: float) -> None:
    """End the steps of all flows that end at this limit, or in whose laws comparisons change at its time.

    What is due then is chosen among all of them.
    """
    a.run.event_time = time
    for k in range(collect(a, time)):
        f = a.pending[k]
        if is_at_limit(a, f) or (a.flow.event[f] >= 0.0 and not is_cut(a, f)):
            leave_step(a, f, time)
    a.run.pending = 0


def gather(a: Arrays, found: int) -> None:
    """Keep those of the collected flows whose events, or changes of comparisons, are at their time."""
    kept = 0
    for k in range(found):
        f = a.pending[k]
        if a.flow.event[f] >= 0.0:
            a.pending[kept] = f
            kept += 1
    a.run.pending = kept


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
        is_due = a.guard.due[c] == 1 and a.guard.switch[c] == 0
        if is_due and (best < 0 or is_before(a, c, best)):
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
