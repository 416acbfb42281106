"""The motion of all flows between two events: steps, state events inside them, and whose turn it is.

Plain functions over the arrays of `tables.py`, which are also translated to native code. A flow is a set of states and
laws that touch each other; each has its own step and interpolant. A heap tells which flow has been brought least far.

Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29, corrected; flows are ours.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    ABS,
    AT_END,
    BROKEN,
    CHATTERS,
    CHOICE,
    E0,
    E2,
    ERROR_ORDER,
    FAILED,
    FIRST_STAGE,
    IMPLICIT,
    LOCATED,
    MIDDLE,
    PAUSED,
    RAISED,
    REACHED,
    RECORDED,
    REL,
    STAGES,
    STEPPED,
    STUCK,
    UNPLANNED,
    UNSETTLED,
    Y0,
    Y2,
    K,
    R,
    Y,
)
from eventide.engine.event_location import locate, note_start, test_inside, visit
from eventide.engine.flow_queue import insert, remove, sift_down, sift_up
from eventide.engine.guard_screening import awake, enroll, rouse, squeeze, strike, wake_at_start
from eventide.engine.law_evaluation import copy, is_true
from eventide.engine.newton_step import (
    attempt_implicitly,
    begin_again,
    is_in_doubt,
    keep_derivatives,
    longer,
    remember,
    shorter,
)
from eventide.engine.sampling import elapsed_at, take_down
from eventide.engine.stepper import attempt, clear, complete, first_step, hides_jump, run_laws
from eventide.engine.switching import decide, hold, loosen
from eventide.engine.zeno import note_firing

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

LATEST: Final = 1.7976931348623157e308
"""The end of time: the largest finite number."""
FARTHEST: Final = 2.0**30
"""A step is at most so many times as long as the time that has passed: where events cut every step it grows unused."""
NEAR: Final = 2.0**-50
"""Two times are within rounding if their distance is at most such a share of them: four spacings of floats or more."""

ROUNDING: Final = 2.0**-53
"""What rounding takes from a number at most, as a share of it."""

# --- one step --------------------------------------------------------------------------------------------------------


def advance(a: Arrays, f: int) -> int:
    """Make the next step of a flow and look for the first state event in it; answers a code of `tables.py`."""
    if a.flow.step[f] > 0.0:
        commit(a, f)
    code = make_step(a, f)
    if code != REACHED:
        return code
    while not locate(a, f, False):
        take_back(a, f)
        code = make_step(a, f)
        if code != REACHED:
            return code
    a.flow.steps[f] += 1
    return RAISED if has_failed(a) else REACHED


def make_step(a: Arrays, f: int) -> int:
    """Make a step of a flow, as long as its states, its conditions and the next event allow."""
    if a.flow.empty[f] == 1:
        return wait_step(a, f)
    if a.method.sizes[IMPLICIT] > 0 and a.flow.system[f] < 0:
        return UNPLANNED
    return step_to_tolerance(a, f, limit_of(a, f))


def take_back(a: Arrays, f: int) -> None:
    """Return to the start of the step that has been made."""
    forget_arming(a, f)
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
        a.guard.value_at_end[c] = a.guard.value_at_start[c]
        a.guard.slope_at_end[c] = a.guard.slope_at_start[c]
        a.guard.seen[c] = a.flow.moment[f]
    if a.flow.empty[f] == 0:
        return_to_start(a, f)
        a.flow.refused[f] += 1
    a.flow.step[f] = 0.0


def limit_of(a: Arrays, f: int) -> float:
    """When a step of a flow ends at the latest."""
    return float(min(a.run.land, a.flow.limit[f], LATEST))


def commit(a: Arrays, f: int) -> None:
    """Begin the next step where the present one ends."""
    arm(a, f, a.flow.step[f])
    copy(a, f, Y2, Y0)
    copy(a, f, E2, E0)
    if a.method.sizes[FIRST_STAGE] == 2:
        copy(a, f, K, K + 1)
        a.flow.past_step[f] = a.flow.step[f]
    elif a.method.sizes[IMPLICIT] > 0 and a.flow.empty[f] == 0:
        remember(a, f)
    copy(a, f, K + a.method.sizes[STAGES], K)
    a.flow.start[f] = a.flow.end[f]
    a.flow.start_rest[f] = a.flow.end_rest[f]
    a.flow.step[f] = 0.0
    a.flow.moment[f] += 1


def wait_step(a: Arrays, f: int) -> int:
    """A step without laws: to the next event or jump, at most dt_max; where none is finite, ever farther."""
    start = a.flow.start[f]
    limit = min(a.run.next_event, a.flow.limit[f])
    remaining = limit - start
    step = min(a.run.dt_max, remaining)
    if not step < LATEST / 4:
        step = max(1.0, 2.0 * a.flow.next_step[f])
        if step <= a.flow.longest_step[f]:
            a.flow.next_step[f] = step
    a.flow.asked_step[f] = step
    step = min(step, a.flow.longest_step[f])
    end = start + step
    if step >= remaining:
        end = limit
    end = min(end, LATEST)
    if end <= start:
        return STUCK
    end_step(a, f, step, end, 0.0)
    return REACHED


def end_step(a: Arrays, f: int, step: float, end: float, rest: float) -> None:
    """Note how far the step that has been made goes."""
    a.flow.step[f] = step
    a.flow.end[f] = end
    a.flow.end_rest[f] = rest
    a.flow.at[f] = end
    a.flow.fitted[f] = 0
    a.flow.announced[f] = 0


def step_to_tolerance(a: Arrays, f: int, limit: float) -> int:
    """Try steps, each shorter than the one before, until one is accurate enough."""
    remaining = (limit - a.flow.start[f]) - a.flow.start_rest[f]
    if a.flow.switches[f] > 0.0:
        hold(a, f)
    choose_next(a, f, remaining)
    a.flow.asked_step[f] = min(a.flow.next_step[f], remaining)
    step = first_try(a, f, remaining, limit)
    while True:
        ratio = try_step(a, f, step, remaining, limit)
        if a.run.aborted != 0:
            return RAISED
        if ratio >= 1.0:
            adapt(a, f, step, ratio)
            return REACHED
        if ratio < 0.0:
            return STUCK
        if ratio == 0.0 and a.flow.switches[f] > 0.0 and loosen(a, f):
            return_to_start(a, f)
            continue
        half = max(step / 2 if a.method.sizes[IMPLICIT] == 0 else shorter(a, f, step, ratio), a.run.dt_min)
        start, rest = a.flow.start[f], a.flow.start_rest[f]
        return_to_start(a, f)
        if is_hopeless(a, f, step) or not (step > a.run.dt_min and start + (rest + half) > start):
            return FAILED
        a.flow.refused[f] += 1
        step = half
        a.flow.next_step[f] = half
        if a.method.sizes[IMPLICIT] > 0 and is_in_doubt(a, f):
            return UNPLANNED


def is_hopeless(a: Arrays, f: int, step: float) -> bool:
    """Whether a tolerance is less than the rounding in the error of the shortest step that would advance the time.

    With dt_min = 0 steps might then go on for ever, each accepted where its error happens to be rounded to zero.
    """
    w = a.flow.worst[f]
    if w < 0 or a.run.dt_min > 0.0 or a.run.troubled != 0:
        return False
    rate = abs(a.rows[K, w])
    scale = max(abs(a.rows[MIDDLE, w]), abs(a.rows[Y0, w]), step * rate)
    tolerance = abs(a.rows[ABS, w]) + abs(a.rows[REL, w]) * scale
    return bool(tolerance < ROUNDING * ROUNDING * (abs(a.flow.start[f]) + step) * rate)


def first_try(a: Arrays, f: int, remaining: float, limit: float) -> float:
    """The length of the first attempt: one that would end within rounding of the limit ends there."""
    step = float(max(a.run.dt_min, min(a.flow.next_step[f], a.flow.longest_step[f])))
    if remaining - step <= NEAR * abs(limit):
        return remaining
    return step


def choose_next(a: Arrays, f: int, remaining: float) -> None:
    """Choose the length of a first step; clamp a later one if the limits have changed."""
    if a.flow.next_step[f] == 0.0:
        if a.run.dt_max < inf:
            a.flow.next_step[f] = a.run.dt_max
        else:
            guess = first_step(a, f, remaining)
            a.run.troubled = 0
            return_to_start(a, f)
            a.flow.next_step[f] = guess
    a.flow.next_step[f] = max(a.run.dt_min, min(a.run.dt_max, a.flow.next_step[f]))


def try_step(a: Arrays, f: int, step: float, remaining: float, limit: float) -> float:
    """One attempt, completed if accurate: the ratio of tolerance to error; -1 if it cannot advance the time."""
    a.run.troubled = 0
    end, end_rest = end_of(a, f, step, remaining, limit)
    ratio = attempt_by_method(a, f, step, end)
    if a.run.troubled != 0 or not ratio >= 1.0:
        return min(max(ratio, 0.0), 0.5) if a.run.troubled == 0 and ratio > 0.0 else 0.0
    if not finish_step(a, f, step, end, ratio):
        return 0.0
    if a.flow.unseen[f] > 0.0 and hides_jump(a, f, step):
        return 0.5
    end_step(a, f, step, end, end_rest)
    return ratio


def attempt_by_method(a: Arrays, f: int, step: float, end: float) -> float:
    """Evaluate one step until its error is known, explicitly or by iteration."""
    if a.method.sizes[IMPLICIT] > 0:
        return attempt_implicitly(a, f, step)
    return attempt(a, f, step, end)


def finish_step(a: Arrays, f: int, step: float, end: float, ratio: float) -> bool:
    """Complete a step; whether the rates at its end are finite."""
    return complete(a, f, step, end, ratio) and a.run.troubled == 0


def end_of(a: Arrays, f: int, step: float, remaining: float, limit: float) -> tuple[float, float]:
    """When a step ends and what rounding took from that; the limit exactly if it goes so far."""
    end, end_rest = limit, 0.0
    if step < remaining:
        end, end_rest = two_sum(a.flow.start[f], a.flow.start_rest[f] + step)
        if end >= limit:
            end, end_rest = limit, 0.0
    return end, end_rest


def force(a: Arrays, f: int) -> int:
    """Accept the smallest step although it is not accurate: the model has said so."""
    limit = limit_of(a, f)
    remaining = (limit - a.flow.start[f]) - a.flow.start_rest[f]
    step = first_try(a, f, remaining, limit)
    end, end_rest = end_of(a, f, step, remaining, limit)
    ratio = attempt_by_method(a, f, step, end)
    if finish_step(a, f, step, end, ratio):
        end_step(a, f, step, end, end_rest)
    adapt(a, f, step, max(abs(ratio), 0.5 ** (a.method.sizes[ERROR_ORDER] + 0.0)))
    a.flow.steps[f] += 1
    locate(a, f, True)
    sift_down(a, a.places[f])
    return RAISED if a.run.aborted != 0 else REACHED


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers and what rounding took from it. Source: Knuth, TAOCP 2, 4.2.2."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def adapt(a: Arrays, f: int, step: float, ratio: float) -> None:
    """Choose the next step from an accepted one; one that an event cut short tells nothing."""
    if a.method.sizes[IMPLICIT] > 0:
        keep_derivatives(a, f)
    if step == a.flow.next_step[f]:
        longest = a.run.dt_max
        if a.flow.start[f] > 0.0:
            longest = min(longest, max(step, FARTHEST * a.flow.start[f]))
        if a.method.sizes[IMPLICIT] > 0:
            following = longer(a, f, step)
        else:
            following = min(2.0, (ratio / 2.0) ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1))) * step
        a.flow.next_step[f] = max(a.run.dt_min, min(longest, following))


def return_to_start(a: Arrays, f: int) -> None:
    """Show the states and rates of the step's start again."""
    copy(a, f, Y0, Y)
    copy(a, f, K, R)


# --- what an event sees and touches ------------------------------------------------------------------------------


def publish(a: Arrays, f: int, time: float) -> None:
    """Bring everything that is seen of a flow to a time inside its step."""
    if a.flow.at[f] == time or a.flow.step[f] == 0.0:
        return
    visit(a, f, elapsed_at(a, f, time), time, True)
    a.flow.at[f] = time


def complete_to(a: Arrays, f: int, time: float) -> None:
    """An event may cut the step of a flow: find out all that depends on the step so far, before anything is written.

    Conditions that were found false at points beyond are tested: they may be false from an earlier point on, and had
    they become true again since, their events would have cut the step before.
    """
    if a.flow.tried[f] != time:
        a.flow.tried[f] = time
        elapsed = elapsed_at(a, f, time)
        for k in range(a.flow.awake[f]):
            c = awake(a, f, k)
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
        clear(a, f, E0)
        a.flow.start_rest[f] = 0.0
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


def arm(a: Arrays, f: int, elapsed: float) -> None:
    """So much of the step has come to pass: what was found false in it is armed, unless that lies beyond."""
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
        if a.guard.armed[c] == AT_END:
            a.guard.armed[c] = 1 if a.guard.low[c] <= elapsed else 0


def forget_arming(a: Arrays, f: int) -> None:
    """The step is void, and what was found in it arms nothing."""
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
        if a.guard.armed[c] == AT_END:
            a.guard.armed[c] = 0


def has_failed(a: Arrays) -> bool:
    """Whether laws or a condition have raised an error, or touched another flow: what they have answered is void."""
    return bool(a.run.aborted != 0 or a.run.troubled != 0)


def settle(a: Arrays, f: int, time: float) -> None:
    """After an event: take the states as they are now for a step's start, evaluate the laws, test the conditions.

    The flow is pending then: its conditions may be due at this instant. After an error it is to be settled again.
    """
    copy(a, f, Y, Y0)
    if a.flow.switches[f] > 0.0:
        loosen(a, f)
    if a.flow.empty[f] == 0:
        run_laws(a, f, time, 0.0, R)
        copy(a, f, Y, Y0)
        copy(a, f, R, K)
        if has_failed(a):
            return
    if a.method.sizes[IMPLICIT] > 0:
        begin_again(a, f)
    a.flow.at[f] = time
    a.flow.end[f] = time
    a.flow.key[f] = time
    if a.flow.next_step[f] > 0.0:
        a.flow.next_step[f] = max(a.run.dt_min, min(a.run.dt_max, a.flow.next_step[f]))
    sift_up(a, a.places[f])
    a.flow.moment[f] += 2  # the last one's next is the end of the step that the event has cut
    if a.flow.switches[f] > 0.0:
        decide(a, f, time)
    wake_at_start(a, f)
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
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
    pending = a.run.pending
    for k in range(pending):
        if a.pending[k] == f:
            return
    a.pending[pending] = f
    a.run.pending = pending + 1


# --- all flows -------------------------------------------------------------------------------------------------------


def enter(a: Arrays, f: int, time: float) -> None:
    """Let there be a flow without members from now on. It is touched, and has the room that it had when it was left."""
    a.flow.start[f] = a.flow.end[f] = a.flow.key[f] = a.flow.at[f] = time
    a.flow.start_rest[f] = a.flow.end_rest[f] = 0.0
    a.flow.step[f] = a.flow.next_step[f] = a.flow.past_step[f] = a.flow.asked_step[f] = 0.0
    a.flow.tried[f] = a.flow.switches[f] = a.flow.turns[f] = a.flow.unseen[f] = 0.0
    a.flow.event[f] = -1.0
    a.flow.limit[f] = inf
    a.flow.before_limit[f] = LATEST
    a.flow.longest_step[f] = inf
    a.flow.fitted[f] = a.flow.announced[f] = a.flow.assigns[f] = a.flow.counted[f] = a.flow.doubted[f] = 0
    a.flow.attempt[f] = a.flow.complete_step[f] = 0
    a.flow.entries[f] = a.flow.entries_left[f] = a.flow.awake[f] = a.flow.dozing[f] = a.flow.stale[f] = 0
    a.flow.moment[f] = a.flow.tended[f] = 0
    a.flow.members[f] = a.flow.contributors[f] = a.flow.indirect[f] = 0
    a.flow.slides[f] = a.flow.system[f] = a.flow.worst[f] = -1
    a.flow.segments_hi[f] = a.flow.segments_lo[f]
    a.flow.chain_hi[f] = a.flow.chain_lo[f]
    a.flow.sums_hi[f] = a.flow.sums_lo[f]
    a.flow.empty[f] = 1
    a.flow.direct[f] = 1
    insert(a, f)
    note_touched(a, f)


def leave(a: Arrays, f: int) -> None:
    """Let a flow be marched no longer."""
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
    """Go on from an event: settle what it has touched, choose among what is due now, else march to `stop`.

    Returns     a code of `tables.py`; CHOICE and LOCATED with the condition in CHOSEN
    """
    if not settle_touched(a, time):
        return UNSETTLED
    chosen = choose(a, time)
    if chosen >= 0:
        note_event(a, time, time, 0.0)
        take(a, chosen, time)
        return CHOICE
    return march(a, stop)


def note_event(a: Arrays, time: float, start: float, elapsed: float) -> None:
    """Tell when an event is, when the step began in which it was found, and how much of that passes before it."""
    a.run.event_time = time
    a.run.event_start = start
    a.run.event_dt = elapsed


def take(a: Arrays, c: int, time: float) -> None:
    """The event of a condition is next: its flow is touched; a trigger must become false again, a wait is over."""
    a.run.chosen = c
    note_firing(a, c, time)
    touch(a, a.guard.flow[c], time)
    a.guard.due[c] = 0
    a.guard.armed[c] = 0
    if a.guard.trigger[c] == 0:
        unlink(a, c)
    else:
        rouse(a, c)


def link(a: Arrays, c: int, f: int, priority: float, rank: float, needs_laws: bool) -> None:
    """Let a flow watch a condition, for which it has room."""
    a.guard.flow[c] = f
    a.guard.needs_laws[c] = 1 if needs_laws else 0
    a.guard.priority[c] = priority
    a.guard.rank[c] = rank
    enroll(a, c, f)


def take_up(a: Arrays, c: int, rank: float) -> None:
    """Let a flow watch a condition that it has watched before: there is room but for entries of those who have left."""
    f = a.guard.flow[c]
    if a.flow.entries[f] == a.flow.entries_room[f]:
        squeeze(a, f)
    a.guard.rank[c] = rank
    enroll(a, c, f)


def unlink(a: Arrays, c: int) -> None:
    """Let its flow watch a condition no longer."""
    strike(a, c)


def march(a: Arrays, stop: float) -> int:
    """Bring every flow to `stop`, or to the first state event before it.

    Returns     REACHED; LOCATED, with the flows in `pending`; STEPPED when somebody looks at steps and one has ended,
                or will be cut now by an event;
                BROKEN; RAISED, STUCK or FAILED for the flow at the root of the heap; RECORDED when a tape is full;
                PAUSED when it has gone on for long
    """
    a.run.pending = 0
    while a.run.flows > 0:
        f = a.heap[0]
        limit = min(stop, a.flow.key[f])
        if a.run.upcoming < limit and take_down(a, limit):
            return RECORDED
        if is_at_limit(a, f) and is_told(a, f, stop):
            a.run.event_time = a.flow.key[f]
            touch(a, f, a.flow.key[f])
            return BROKEN
        if a.flow.key[f] >= stop:
            if a.flow.key[f] == stop:
                gather(a)
            return REACHED
        if is_looked_at(a, f):
            a.flow.announced[f] = 1
            return STEPPED
        if a.flow.event[f] >= 0.0:
            if a.flow.turns[f] == 0.0:
                arrive(a, f)
                return LOCATED
            code = turn(a, f)
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
    """Whether Python has not been asked for long, or wants to be; if not, note the work of the flow's next step."""
    if a.run.work > a.run.patience:
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
    at_limit = a.flow.key[f] == a.flow.limit[f] and not is_cut(a, f)
    return bool(at_limit and a.flow.step[f] > 0.0)


def is_cut(a: Arrays, f: int) -> bool:
    """Whether an event ends the step of a flow."""
    return bool(a.flow.event[f] >= 0.0 and a.flow.turns[f] == 0.0)


def is_told(a: Arrays, f: int, stop: float) -> bool:
    """Whether a flow may leave its step now: who looks at steps has been told of it; those to `stop` are not told."""
    if a.flow.key[f] < stop:
        return bool(a.run.stepwise == 0 or a.flow.announced[f] == 1)
    return bool(a.flow.key[f] == stop)


def is_looked_at(a: Arrays, f: int) -> bool:
    """Whether somebody wants to look at the flow's step before it goes on or is cut."""
    least = 1.0 if is_cut(a, f) else 0.0
    return bool(a.run.stepwise > least and a.flow.step[f] > 0.0 and a.flow.announced[f] == 0)


def arrive(a: Arrays, f: int) -> None:
    """A state event is next: touch the flows that have one now, and choose the condition."""
    time = a.flow.key[f]
    note_event(a, time, a.flow.start[f], a.flow.event[f])
    gather(a)
    for k in range(a.run.pending):
        touch(a, a.pending[k], time)
    take(a, choose(a, time), time)


def turn(a: Arrays, f: int) -> int:
    """Comparisons of a flow's laws change here: the next step begins with what they say now.

    Returns     REACHED, to go on; else a code of `tables.py`
    """
    time, alert = a.flow.key[f], 0
    note_event(a, time, a.flow.start[f], a.flow.event[f])
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
        if a.guard.due[c] == 1:
            note_firing(a, c, time)
            a.run.switched += 1
            a.guard.due[c] = 0
            if a.run.alert != 0:
                alert, a.run.chosen = a.run.alert, c
    a.run.alert = 0
    touch(a, f, time)
    a.run.pending = 0
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


def gather(a: Arrays) -> None:
    """Collect the flows whose events are at the time of the first: those at the root of the heap."""
    time = a.flow.key[a.heap[0]]
    flows, found, seen, k = a.run.flows, 0, 1, 0
    a.pending[0] = 0
    # `pending` first holds places in the heap, in breadth; then, from its start, the flows with events.
    while k < seen:
        place = a.pending[k]
        for child in range(4 * place + 1, min(4 * place + 5, flows)):
            if a.keys[child] == time:
                a.pending[seen] = child
                seen += 1
        k += 1
    for k in range(seen):
        f = a.heap[a.pending[k]]
        if is_cut(a, f):
            a.pending[found] = f
            found += 1
    a.run.pending = found


def first_due(a: Arrays, f: int, best: int) -> int:
    """The first of the flow's conditions that are due, or `best`, whichever stands before the other."""
    for k in range(a.flow.awake[f]):
        c = awake(a, f, k)
        is_due = a.guard.due[c] == 1 and a.guard.switch[c] == 0
        if is_due and (best < 0 or is_before(a, c, best)):
            best = c
    return best


def is_before(a: Arrays, c: int, other: int) -> bool:
    """Whether a condition stands before another: high priority first, then by rank."""
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
