"""What an event does to flows: advance them to the time of the event, end their steps, prepare new steps.

In: a flow that an event reads or writes. Out: its states at that time (a read), or a flow that has been settled and
can make its next step (a write). Invariant: before the first write at an event, everything that depends on the step so
far has been determined, so what an event reads does not depend on what it has changed.

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.engine.codes import (
    ABS,
    AT_END,
    E0,
    E2,
    ESTIMATED,
    IMPLICIT,
    REL,
    Y0,
    K,
    R,
    Y,
)
from eventide.engine.event_location import note_start
from eventide.engine.flow_queue import sift_up
from eventide.engine.guard_screening import screen_at_start, unscreened
from eventide.engine.law_evaluation import clear, copy, is_true
from eventide.engine.newton_step import (
    begin_again,
)
from eventide.engine.probing import test_inside, visit
from eventide.engine.sampling import elapsed_at
from eventide.engine.stepper import run_laws
from eventide.engine.switching import decide, loosen

if TYPE_CHECKING:
    from eventide.engine.records import Arrays
from eventide.engine.step_control import arm, has_failed, two_sum


def publish(a: Arrays, f: int, time: float) -> None:
    """Bring everything that is seen of a flow to a time inside its step."""
    if a.flow.at[f] == time or a.flow.step[f] == 0.0:
        return
    visit(a, f, elapsed_at(a, f, time), time, True)
    a.flow.at[f] = time


def complete_to(a: Arrays, f: int, time: float) -> None:
    """Before an event cuts the step of a flow, and before anything is written: determine all that depends on the step.

    Conditions that were found false at points beyond are tested: they may be false from an earlier point on, and had
    they become true again since, their events would have cut the step before.
    """
    if a.flow.tried[f] != time:
        a.flow.tried[f] = time
        elapsed = elapsed_at(a, f, time)
        for k in range(a.flow.unscreened[f]):
            c = unscreened(a, f, k)
            if a.guard.armed[c] == AT_END and a.guard.low[c] > elapsed:
                is_false = not test_inside(a, c, f, elapsed)
                if is_false and not has_failed(a):
                    a.guard.low[c] = elapsed
    publish(a, f, time)


def touch(a: Arrays, f: int, time: float) -> None:
    """End the step of a flow now: an event changes something that it depends on."""
    if a.flow.open[f] == 1:
        return
    complete_to(a, f, time)
    arm(a, f, elapsed_at(a, f, time))
    if time == a.flow.end[f]:
        if a.flow.step[f] > 0.0:
            copy(a, f, E2, E0)
        a.flow.start_rest[f] = a.flow.end_rest[f]
    else:
        rest = a.flow.start_rest[f]  # of the states where the step began, if that is now
        if a.flow.event[f] >= 0.0 and time == a.flow.key[f]:
            # The states are those of the point found, which the clock has rounded: what is lost would sum up.
            clear(a, E0, a.flow.segments_lo[f], a.flow.segments_hi[f])
            _, rest = two_sum(a.flow.start[f], a.flow.start_rest[f] + a.flow.event[f])
        elif time > a.flow.start[f]:
            clear(a, E0, a.flow.segments_lo[f], a.flow.segments_hi[f])
            rest = 0.0
        a.flow.start_rest[f] = rest
        # A step that is cut was not seen to its end: the next is not longer for it.
        a.flow.next_step[f] = min(a.flow.next_step[f], a.flow.step[f])
    a.flow.past_step[f] = 0.0
    a.flow.start[f] = time
    a.flow.step[f] = 0.0
    a.flow.end[f] = time
    a.flow.end_rest[f] = a.flow.start_rest[f]
    a.flow.event[f] = -1.0
    a.flow.key[f] = time
    sift_up(a, a.places[f])
    note_touched(a, f)


def note_touched(a: Arrays, f: int) -> None:
    """A flow is to be settled after the event."""
    a.flow.open[f] = 1
    a.touched[a.run.touched] = f
    a.run.touched += 1


def settle_touched(a: Arrays, time: float) -> bool:
    """After an event: settle all flows that it has touched; whether that went without an error."""
    count = a.run.touched
    a.run.touched = 0
    for k in range(count):
        a.flow.open[a.touched[k]] = 0
    for k in range(count):
        settle(a, a.touched[k], time)
        if has_failed(a):
            keep_touched(a, k, count)
            return False
    return True


def keep_touched(a: Arrays, first: int, count: int) -> None:
    """Some flows were not settled: they stay touched."""
    for k in range(first, count):
        f = a.touched[k]
        a.flow.open[f] = 1
        a.touched[k - first] = f
    a.run.touched = count - first


def estimate_after_jump(a: Arrays, f: int) -> None:
    """Have the next step estimated where the rates (row R) are no longer those before the event (row K).

    What the event has set in motion may be over within a step as long as those before it. An implicit method would
    accept such a step: its end is right, and so is the estimate of its error, but nothing inside it is.
    """
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            change = a.flow.next_step[f] * abs(a.rows[R, i] - a.rows[K, i])
            if not change <= abs(a.rows[ABS, i]) + abs(a.rows[REL, i] * a.rows[Y, i]):
                a.flow.next_step[f] = 0.0
                return


def settle(a: Arrays, f: int, time: float) -> None:
    """After an event: take the states as they are now for a step's start, evaluate the laws, test the conditions.

    The flow is pending if a condition is due at this instant. After an error it is to be settled again.
    """
    copy(a, f, Y, Y0)
    if a.flow.switches[f] > 0.0:
        loosen(a, f)
    if a.flow.empty[f] == 0:
        if a.method.sizes[ESTIMATED] > 0:
            copy(a, f, R, K)  # as they were before the event
        run_laws(a, f, time, 0.0, R)
        if has_failed(a):
            if a.method.sizes[ESTIMATED] > 0:
                copy(a, f, K, R)  # what is compared when it is settled again
            return
        copy(a, f, Y, Y0)
        if a.method.sizes[ESTIMATED] > 0:
            estimate_after_jump(a, f)
        copy(a, f, R, K)
    if a.method.sizes[IMPLICIT] > 0:
        begin_again(a, f)
    a.flow.at[f] = time
    a.flow.end[f] = time
    a.flow.key[f] = time
    if a.flow.next_step[f] > 0.0:
        a.flow.next_step[f] = max(a.run.dt_min, min(a.run.dt_max, a.flow.next_step[f]))
    sift_up(a, a.places[f])
    a.flow.begun[f] = 1
    a.flow.moment[f] += 2  # the last one's next is the end of the step that the event has cut
    if a.flow.switches[f] > 0.0:
        decide(a, f, time)
    screen_at_start(a, f)
    due = 0
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        truth = is_true(a, c, f, time, 0.0)
        if has_failed(a):
            return
        note_start(a, c, truth, a.flow.moment[f])
        if a.guard.trigger[c] == 1 and a.guard.armed[c] == 0:
            a.guard.due[c] = 0
            if not truth and a.run.arms != 0:
                a.guard.armed[c] = 1
        else:
            a.guard.due[c] = 1 if truth and a.guard.switch[c] == 0 else 0
            due += a.guard.due[c]
    if due > 0:
        note_pending(a, f)


def note_pending(a: Arrays, f: int) -> None:
    """A flow has conditions that are due."""
    pending = a.run.pending
    for k in range(pending):
        if a.pending[k] == f:
            return
    a.pending[pending] = f
    a.run.pending = pending + 1
