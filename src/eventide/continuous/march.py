"""The motion of all flows between two events: steps, state events inside them, and whose turn it is.

Plain functions over the arrays of `tables.py`, which are also translated to native code. A flow is a set of states and
laws that touch each other; each has its own step and interpolant. A heap tells which flow has been brought least far.

Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29, corrected; flows are ours.
"""

from __future__ import annotations

from math import inf
from typing import Final

from eventide.continuous.heap import insert, remove, sift_down, sift_up
from eventide.continuous.implicit import (
    attempt_implicitly,
    begin_again,
    is_in_doubt,
    keep_derivatives,
    longer,
    remember,
    shorter,
)
from eventide.continuous.location import locate, note_start, test_inside, visit
from eventide.continuous.passes import copy, is_true
from eventide.continuous.stepper import attempt, clear, complete, first_step, hides_jump, run_laws
from eventide.continuous.switching import decide, hold, loosen
from eventide.continuous.tables import (
    ABORTED,
    ABS,
    ALERT,
    ANNOUNCED,
    ARMED,
    ARMS,
    ASKED,
    ASSIGNS,
    AT,
    AT_END,
    ATTEMPT,
    AWAKE,
    BEFORE,
    BROKEN,
    CHAIN_LO,
    CHATTERS,
    CHOICE,
    CHOSEN,
    COMPLETE_STEP,
    CONTRIBUTORS,
    COUNTED,
    DIRECT,
    DOUBTED,
    DOZING,
    DT_MAX,
    DT_MIN,
    DUE,
    E0,
    E2,
    EMPTY,
    END,
    END_REST,
    ENTRIES,
    ERROR_ORDER,
    EVENT,
    EVENT_DT,
    EVENT_START,
    EVENT_TIME,
    FAILED,
    FIRST_STAGE,
    FITTED,
    FLOW,
    FLOW_FLOATS,
    FLOWS,
    GUARD_AT_END,
    GUARD_AT_START,
    IMPLICIT,
    INDIRECT,
    KEY,
    LAND,
    LEFT,
    LIMIT,
    LOCATED,
    LOW,
    MEMBERS,
    MIDDLE,
    MOMENT,
    NEEDS_LAWS,
    NEXT,
    NEXT_EVENT,
    OPEN,
    PAST,
    PATIENCE,
    PAUSED,
    PENDING,
    PRIORITY,
    RAISED,
    RANK,
    REACHED,
    RECORDED,
    REFUSED,
    REL,
    REST,
    ROOM_FOR,
    SEEN,
    SEGMENTS_HI,
    SEGMENTS_LO,
    SLIDES,
    SLOPE_AT_END,
    SLOPE_AT_START,
    SPAN,
    STAGES,
    STALE,
    START,
    STEP,
    STEPPED,
    STEPS,
    STEPWISE,
    STUCK,
    SUMS_LO,
    SWITCH,
    SWITCHED,
    SWITCHES,
    SYSTEM,
    TENDED,
    TOUCHED,
    TRIED,
    TRIGGER,
    TROUBLED,
    TURNS,
    UNPLANNED,
    UNSEEN,
    UNSETTLED,
    UPCOMING,
    WORK,
    WORST,
    Y0,
    Y2,
    Arrays,
    K,
    R,
    Y,
)
from eventide.continuous.taping import elapsed_at, take_down
from eventide.continuous.trails import note_firing
from eventide.continuous.waking import awake, enroll, rouse, squeeze, strike, wake_at_start

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
    if a.flow_floats[f, STEP] > 0.0:
        commit(a, f)
    code = make_step(a, f)
    if code != REACHED:
        return code
    while not locate(a, f, False):
        take_back(a, f)
        code = make_step(a, f)
        if code != REACHED:
            return code
    a.flow_ints[f, STEPS] += 1
    return RAISED if has_failed(a) else REACHED


def make_step(a: Arrays, f: int) -> int:
    """Make a step of a flow, as long as its states, its conditions and the next event allow."""
    if a.flow_ints[f, EMPTY] == 1:
        return wait_step(a, f)
    if a.method.sizes[IMPLICIT] > 0 and a.flow_ints[f, SYSTEM] < 0:
        return UNPLANNED
    return step_to_tolerance(a, f, limit_of(a, f))


def take_back(a: Arrays, f: int) -> None:
    """Return to the start of the step that has been made."""
    forget_arming(a, f)
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        a.condition_floats[c, GUARD_AT_END] = a.condition_floats[c, GUARD_AT_START]
        a.condition_floats[c, SLOPE_AT_END] = a.condition_floats[c, SLOPE_AT_START]
        a.conditions[c, SEEN] = a.flow_ints[f, MOMENT]
    if a.flow_ints[f, EMPTY] == 0:
        return_to_start(a, f)
        a.flow_ints[f, REFUSED] += 1
    a.flow_floats[f, STEP] = 0.0


def limit_of(a: Arrays, f: int) -> float:
    """When a step of a flow ends at the latest."""
    return float(min(a.settings[LAND], a.flow_floats[f, LIMIT], LATEST))


def commit(a: Arrays, f: int) -> None:
    """Begin the next step where the present one ends."""
    arm(a, f, a.flow_floats[f, STEP])
    copy(a, f, Y2, Y0)
    copy(a, f, E2, E0)
    if a.method.sizes[FIRST_STAGE] == 2:
        copy(a, f, K, K + 1)
        a.flow_floats[f, PAST] = a.flow_floats[f, STEP]
    elif a.method.sizes[IMPLICIT] > 0 and a.flow_ints[f, EMPTY] == 0:
        remember(a, f)
    copy(a, f, K + a.method.sizes[STAGES], K)
    a.flow_floats[f, START] = a.flow_floats[f, END]
    a.flow_floats[f, REST] = a.flow_floats[f, END_REST]
    a.flow_floats[f, STEP] = 0.0
    a.flow_ints[f, MOMENT] += 1


def wait_step(a: Arrays, f: int) -> int:
    """A step without laws: to the next event or jump, at most dt_max; where none is finite, ever farther."""
    start = a.flow_floats[f, START]
    limit = min(a.settings[NEXT_EVENT], a.flow_floats[f, LIMIT])
    remaining = limit - start
    step = min(a.settings[DT_MAX], remaining)
    if not step < LATEST / 4:
        step = max(1.0, 2.0 * a.flow_floats[f, NEXT])
        if step <= a.flow_floats[f, SPAN]:
            a.flow_floats[f, NEXT] = step
    a.flow_floats[f, ASKED] = step
    step = min(step, a.flow_floats[f, SPAN])
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
    a.flow_floats[f, STEP] = step
    a.flow_floats[f, END] = end
    a.flow_floats[f, END_REST] = rest
    a.flow_floats[f, AT] = end
    a.flow_ints[f, FITTED] = 0
    a.flow_ints[f, ANNOUNCED] = 0


def step_to_tolerance(a: Arrays, f: int, limit: float) -> int:
    """Try steps, each shorter than the one before, until one is accurate enough."""
    remaining = (limit - a.flow_floats[f, START]) - a.flow_floats[f, REST]
    if a.flow_floats[f, SWITCHES] > 0.0:
        hold(a, f)
    choose_next(a, f, remaining)
    a.flow_floats[f, ASKED] = min(a.flow_floats[f, NEXT], remaining)
    step = first_try(a, f, remaining, limit)
    while True:
        ratio = try_step(a, f, step, remaining, limit)
        if a.settings[ABORTED] != 0.0:
            return RAISED
        if ratio >= 1.0:
            adapt(a, f, step, ratio)
            return REACHED
        if ratio < 0.0:
            return STUCK
        if ratio == 0.0 and a.flow_floats[f, SWITCHES] > 0.0 and loosen(a, f):
            return_to_start(a, f)
            continue
        half = max(step / 2 if a.method.sizes[IMPLICIT] == 0 else shorter(a, f, step, ratio), a.settings[DT_MIN])
        start, rest = a.flow_floats[f, START], a.flow_floats[f, REST]
        return_to_start(a, f)
        if is_hopeless(a, f, step) or not (step > a.settings[DT_MIN] and start + (rest + half) > start):
            return FAILED
        a.flow_ints[f, REFUSED] += 1
        step = half
        a.flow_floats[f, NEXT] = half
        if a.method.sizes[IMPLICIT] > 0 and is_in_doubt(a, f):
            return UNPLANNED


def is_hopeless(a: Arrays, f: int, step: float) -> bool:
    """Whether a tolerance is less than the rounding in the error of the shortest step that would advance the time.

    With dt_min = 0 steps might then go on for ever, each accepted where its error happens to be rounded to zero.
    """
    w = a.flow_ints[f, WORST]
    if w < 0 or a.settings[DT_MIN] > 0.0 or a.settings[TROUBLED] != 0.0:
        return False
    rate = abs(a.rows[K, w])
    scale = max(abs(a.rows[MIDDLE, w]), abs(a.rows[Y0, w]), step * rate)
    tolerance = abs(a.rows[ABS, w]) + abs(a.rows[REL, w]) * scale
    return bool(tolerance < ROUNDING * ROUNDING * (abs(a.flow_floats[f, START]) + step) * rate)


def first_try(a: Arrays, f: int, remaining: float, limit: float) -> float:
    """The length of the first attempt: one that would end within rounding of the limit ends there."""
    step = float(max(a.settings[DT_MIN], min(a.flow_floats[f, NEXT], a.flow_floats[f, SPAN])))
    if remaining - step <= NEAR * abs(limit):
        return remaining
    return step


def choose_next(a: Arrays, f: int, remaining: float) -> None:
    """Choose the length of a first step; clamp a later one if the limits have changed."""
    if a.flow_floats[f, NEXT] == 0.0:
        if a.settings[DT_MAX] < inf:
            a.flow_floats[f, NEXT] = a.settings[DT_MAX]
        else:
            guess = first_step(a, f, remaining)
            a.settings[TROUBLED] = 0.0
            return_to_start(a, f)
            a.flow_floats[f, NEXT] = guess
    a.flow_floats[f, NEXT] = max(a.settings[DT_MIN], min(a.settings[DT_MAX], a.flow_floats[f, NEXT]))


def try_step(a: Arrays, f: int, step: float, remaining: float, limit: float) -> float:
    """One attempt, completed if accurate: the ratio of tolerance to error; -1 if it cannot advance the time."""
    a.settings[TROUBLED] = 0.0
    end, end_rest = end_of(a, f, step, remaining, limit)
    ratio = attempt_by_method(a, f, step, end)
    if a.settings[TROUBLED] != 0.0 or not ratio >= 1.0:
        return min(max(ratio, 0.0), 0.5) if a.settings[TROUBLED] == 0.0 and ratio > 0.0 else 0.0
    if not finish_step(a, f, step, end, ratio):
        return 0.0
    if a.flow_floats[f, UNSEEN] > 0.0 and hides_jump(a, f, step):
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
    return complete(a, f, step, end, ratio) and a.settings[TROUBLED] == 0.0


def end_of(a: Arrays, f: int, step: float, remaining: float, limit: float) -> tuple[float, float]:
    """When a step ends and what rounding took from that; the limit exactly if it goes so far."""
    end, end_rest = limit, 0.0
    if step < remaining:
        end, end_rest = two_sum(a.flow_floats[f, START], a.flow_floats[f, REST] + step)
        if end >= limit:
            end, end_rest = limit, 0.0
    return end, end_rest


def force(a: Arrays, f: int) -> int:
    """Accept the smallest step although it is not accurate: the model has said so."""
    limit = limit_of(a, f)
    remaining = (limit - a.flow_floats[f, START]) - a.flow_floats[f, REST]
    step = first_try(a, f, remaining, limit)
    end, end_rest = end_of(a, f, step, remaining, limit)
    ratio = attempt_by_method(a, f, step, end)
    if finish_step(a, f, step, end, ratio):
        end_step(a, f, step, end, end_rest)
    adapt(a, f, step, max(abs(ratio), 0.5 ** (a.method.sizes[ERROR_ORDER] + 0.0)))
    a.flow_ints[f, STEPS] += 1
    locate(a, f, True)
    sift_down(a, a.places[f])
    return RAISED if a.settings[ABORTED] != 0.0 else REACHED


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers and what rounding took from it. Source: Knuth, TAOCP 2, 4.2.2."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def adapt(a: Arrays, f: int, step: float, ratio: float) -> None:
    """Choose the next step from an accepted one; one that an event cut short tells nothing."""
    if a.method.sizes[IMPLICIT] > 0:
        keep_derivatives(a, f)
    if step == a.flow_floats[f, NEXT]:
        longest = a.settings[DT_MAX]
        if a.flow_floats[f, START] > 0.0:
            longest = min(longest, max(step, FARTHEST * a.flow_floats[f, START]))
        if a.method.sizes[IMPLICIT] > 0:
            following = longer(a, f, step)
        else:
            following = min(2.0, (ratio / 2.0) ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1))) * step
        a.flow_floats[f, NEXT] = max(a.settings[DT_MIN], min(longest, following))


def return_to_start(a: Arrays, f: int) -> None:
    """Show the states and rates of the step's start again."""
    copy(a, f, Y0, Y)
    copy(a, f, K, R)


# --- what an event sees and touches ------------------------------------------------------------------------------


def publish(a: Arrays, f: int, time: float) -> None:
    """Bring everything that is seen of a flow to a time inside its step."""
    if a.flow_floats[f, AT] == time or a.flow_floats[f, STEP] == 0.0:
        return
    visit(a, f, elapsed_at(a, f, time), time, True)
    a.flow_floats[f, AT] = time


def complete_to(a: Arrays, f: int, time: float) -> None:
    """An event may cut the step of a flow: find out all that depends on the step so far, before anything is written.

    Conditions that were found false at points beyond are tested: they may be false from an earlier point on, and had
    they become true again since, their events would have cut the step before.
    """
    if a.flow_floats[f, TRIED] != time:
        a.flow_floats[f, TRIED] = time
        elapsed = elapsed_at(a, f, time)
        for k in range(a.flow_ints[f, AWAKE]):
            c = awake(a, f, k)
            if a.conditions[c, ARMED] == AT_END and a.condition_floats[c, LOW] > elapsed:
                is_false = not test_inside(a, c, f, elapsed)
                if is_false and not has_failed(a):
                    a.condition_floats[c, LOW] = elapsed
    publish(a, f, time)


def touch(a: Arrays, f: int, time: float) -> None:
    """End the step of a flow now: an event changes something that it depends on."""
    if a.flow_ints[f, OPEN] == 1:
        return
    complete_to(a, f, time)
    arm(a, f, elapsed_at(a, f, time))
    if time == a.flow_floats[f, END]:
        if a.flow_floats[f, STEP] > 0.0:
            copy(a, f, E2, E0)
        a.flow_floats[f, REST] = a.flow_floats[f, END_REST]
    else:
        clear(a, f, E0)
        a.flow_floats[f, REST] = 0.0
        # A step that is cut was not seen to its end: the next is not longer for it.
        a.flow_floats[f, NEXT] = min(a.flow_floats[f, NEXT], a.flow_floats[f, STEP])
    a.flow_floats[f, PAST] = 0.0
    a.flow_floats[f, START] = time
    a.flow_floats[f, STEP] = 0.0
    a.flow_floats[f, END] = time
    a.flow_floats[f, END_REST] = a.flow_floats[f, REST]
    a.flow_floats[f, EVENT] = -1.0
    a.flow_floats[f, KEY] = time
    sift_up(a, a.places[f])
    note_touched(a, f)


def note_touched(a: Arrays, f: int) -> None:
    """A flow is to be settled after the event."""
    a.flow_ints[f, OPEN] = 1
    a.touched[int(a.settings[TOUCHED])] = f
    a.settings[TOUCHED] += 1.0


def settle_touched(a: Arrays, time: float) -> bool:
    """After an event: settle all flows that it has touched; whether that went without an error."""
    count = int(a.settings[TOUCHED])
    a.settings[TOUCHED] = 0.0
    for k in range(count):
        a.flow_ints[a.touched[k], OPEN] = 0
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
        a.flow_ints[f, OPEN] = 1
        a.touched[k - first] = f
    a.settings[TOUCHED] = count - first


def arm(a: Arrays, f: int, elapsed: float) -> None:
    """So much of the step has come to pass: what was found false in it is armed, unless that lies beyond."""
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        if a.conditions[c, ARMED] == AT_END:
            a.conditions[c, ARMED] = 1 if a.condition_floats[c, LOW] <= elapsed else 0


def forget_arming(a: Arrays, f: int) -> None:
    """The step is void, and what was found in it arms nothing."""
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        if a.conditions[c, ARMED] == AT_END:
            a.conditions[c, ARMED] = 0


def has_failed(a: Arrays) -> bool:
    """Whether laws or a condition have raised an error, or touched another flow: what they have answered is void."""
    return bool(a.settings[ABORTED] != 0.0 or a.settings[TROUBLED] != 0.0)


def settle(a: Arrays, f: int, time: float) -> None:
    """After an event: take the states as they are now for a step's start, evaluate the laws, test the conditions.

    The flow is pending then: its conditions may be due at this instant. After an error it is to be settled again.
    """
    copy(a, f, Y, Y0)
    if a.flow_floats[f, SWITCHES] > 0.0:
        loosen(a, f)
    if a.flow_ints[f, EMPTY] == 0:
        run_laws(a, f, time, 0.0, R)
        copy(a, f, Y, Y0)
        copy(a, f, R, K)
        if has_failed(a):
            return
    if a.method.sizes[IMPLICIT] > 0:
        begin_again(a, f)
    a.flow_floats[f, AT] = time
    a.flow_floats[f, END] = time
    a.flow_floats[f, KEY] = time
    if a.flow_floats[f, NEXT] > 0.0:
        a.flow_floats[f, NEXT] = max(a.settings[DT_MIN], min(a.settings[DT_MAX], a.flow_floats[f, NEXT]))
    sift_up(a, a.places[f])
    a.flow_ints[f, MOMENT] += 2  # the last one's next is the end of the step that the event has cut
    if a.flow_floats[f, SWITCHES] > 0.0:
        decide(a, f, time)
    wake_at_start(a, f)
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        truth = is_true(a, c, f, time, 0.0)
        if has_failed(a):
            return
        note_start(a, c, truth, a.flow_ints[f, MOMENT])
        if a.conditions[c, TRIGGER] == 1 and a.conditions[c, ARMED] == 0:
            a.conditions[c, DUE] = 0
            if not truth and a.settings[ARMS] != 0.0:
                a.conditions[c, ARMED] = 1
        else:
            a.conditions[c, DUE] = 1 if truth and a.conditions[c, SWITCH] == 0 else 0
    pending = int(a.settings[PENDING])
    for k in range(pending):
        if a.pending[k] == f:
            return
    a.pending[pending] = f
    a.settings[PENDING] = pending + 1


# --- all flows -------------------------------------------------------------------------------------------------------


def enter(a: Arrays, f: int, time: float) -> None:
    """Let there be a flow without members from now on. It is touched, and has the room that it had when it was left."""
    for column in range(FLOW_FLOATS):
        a.flow_floats[f, column] = 0.0
    for column in (START, END, KEY, AT):
        a.flow_floats[f, column] = time
    a.flow_floats[f, EVENT] = -1.0
    a.flow_floats[f, LIMIT] = inf
    a.flow_floats[f, BEFORE] = LATEST
    a.flow_floats[f, SPAN] = inf
    for column in (FITTED, ANNOUNCED, ASSIGNS, COUNTED, ATTEMPT, COMPLETE_STEP, DOUBTED, ENTRIES, LEFT, AWAKE):
        a.flow_ints[f, column] = 0
    for column in (MOMENT, DOZING, STALE, TENDED, MEMBERS, CONTRIBUTORS, INDIRECT):
        a.flow_ints[f, column] = 0
    for column in (SLIDES, SYSTEM, WORST):
        a.flow_ints[f, column] = -1
    for column in (SEGMENTS_LO, CHAIN_LO, SUMS_LO):
        a.flow_ints[f, column + 1] = a.flow_ints[f, column]
    a.flow_ints[f, EMPTY] = 1
    a.flow_ints[f, DIRECT] = 1
    insert(a, f)
    note_touched(a, f)


def leave(a: Arrays, f: int) -> None:
    """Let a flow be marched no longer."""
    remove(a, f)
    kept = 0
    for k in range(int(a.settings[TOUCHED])):
        if a.touched[k] != f:
            a.touched[kept] = a.touched[k]
            kept += 1
    a.settings[TOUCHED] = kept
    kept = 0
    for k in range(int(a.settings[PENDING])):
        if a.pending[k] != f:
            a.pending[kept] = a.pending[k]
            kept += 1
    a.settings[PENDING] = kept


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
    a.settings[EVENT_TIME] = time
    a.settings[EVENT_START] = start
    a.settings[EVENT_DT] = elapsed


def take(a: Arrays, c: int, time: float) -> None:
    """The event of a condition is next: its flow is touched; a trigger must become false again, a wait is over."""
    a.settings[CHOSEN] = c
    note_firing(a, c, time)
    touch(a, a.conditions[c, FLOW], time)
    a.conditions[c, DUE] = 0
    a.conditions[c, ARMED] = 0
    if a.conditions[c, TRIGGER] == 0:
        unlink(a, c)
    else:
        rouse(a, c)


def link(a: Arrays, c: int, f: int, priority: float, rank: float, needs_laws: bool) -> None:
    """Let a flow watch a condition, for which it has room."""
    a.conditions[c, FLOW] = f
    a.conditions[c, NEEDS_LAWS] = 1 if needs_laws else 0
    a.condition_floats[c, PRIORITY] = priority
    a.condition_floats[c, RANK] = rank
    enroll(a, c, f)


def take_up(a: Arrays, c: int, rank: float) -> None:
    """Let a flow watch a condition that it has watched before: there is room but for entries of those who have left."""
    f = a.conditions[c, FLOW]
    if a.flow_ints[f, ENTRIES] == a.flow_ints[f, ROOM_FOR]:
        squeeze(a, f)
    a.condition_floats[c, RANK] = rank
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
    a.settings[PENDING] = 0
    while a.settings[FLOWS] > 0.0:
        f = a.heap[0]
        limit = min(stop, a.flow_floats[f, KEY])
        if a.settings[UPCOMING] < limit and take_down(a, limit):
            return RECORDED
        if is_at_limit(a, f) and is_told(a, f, stop):
            a.settings[EVENT_TIME] = a.flow_floats[f, KEY]
            touch(a, f, a.flow_floats[f, KEY])
            return BROKEN
        if a.flow_floats[f, KEY] >= stop:
            if a.flow_floats[f, KEY] == stop:
                gather(a)
            return REACHED
        if is_looked_at(a, f):
            a.flow_ints[f, ANNOUNCED] = 1
            return STEPPED
        if a.flow_floats[f, EVENT] >= 0.0:
            if a.flow_floats[f, TURNS] == 0.0:
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
    if a.settings[WORK] > a.settings[PATIENCE]:
        return True
    work = 1
    for run in range(a.flow_ints[f, SEGMENTS_LO], a.flow_ints[f, SEGMENTS_HI]):
        work += a.segments[run, 1] - a.segments[run, 0]
    if a.method.sizes[IMPLICIT] > 0:
        work *= work
    a.settings[WORK] += work
    return False


def is_at_limit(a: Arrays, f: int) -> bool:
    """Whether the step of a flow has ended where an input is not smooth, without a state event before."""
    at_limit = a.flow_floats[f, KEY] == a.flow_floats[f, LIMIT] and not is_cut(a, f)
    return bool(at_limit and a.flow_floats[f, STEP] > 0.0)


def is_cut(a: Arrays, f: int) -> bool:
    """Whether an event ends the step of a flow."""
    return bool(a.flow_floats[f, EVENT] >= 0.0 and a.flow_floats[f, TURNS] == 0.0)


def is_told(a: Arrays, f: int, stop: float) -> bool:
    """Whether a flow may leave its step now: who looks at steps has been told of it; those to `stop` are not told."""
    if a.flow_floats[f, KEY] < stop:
        return bool(a.settings[STEPWISE] == 0.0 or a.flow_ints[f, ANNOUNCED] == 1)
    return bool(a.flow_floats[f, KEY] == stop)


def is_looked_at(a: Arrays, f: int) -> bool:
    """Whether somebody wants to look at the flow's step before it goes on or is cut."""
    least = 1.0 if is_cut(a, f) else 0.0
    return bool(a.settings[STEPWISE] > least and a.flow_floats[f, STEP] > 0.0 and a.flow_ints[f, ANNOUNCED] == 0)


def arrive(a: Arrays, f: int) -> None:
    """A state event is next: touch the flows that have one now, and choose the condition."""
    time = a.flow_floats[f, KEY]
    note_event(a, time, a.flow_floats[f, START], a.flow_floats[f, EVENT])
    gather(a)
    for k in range(int(a.settings[PENDING])):
        touch(a, a.pending[k], time)
    take(a, choose(a, time), time)


def turn(a: Arrays, f: int) -> int:
    """Comparisons of a flow's laws change here: the next step begins with what they say now.

    Returns     REACHED, to go on; else a code of `tables.py`
    """
    time, alert = a.flow_floats[f, KEY], 0.0
    note_event(a, time, a.flow_floats[f, START], a.flow_floats[f, EVENT])
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        if a.conditions[c, DUE] == 1:
            note_firing(a, c, time)
            a.settings[SWITCHED] += 1.0
            a.conditions[c, DUE] = 0
            if a.settings[ALERT] != 0.0:
                alert, a.settings[CHOSEN] = a.settings[ALERT], c
    a.settings[ALERT] = 0.0
    touch(a, f, time)
    a.settings[PENDING] = 0
    if not settle_touched(a, time):
        return UNSETTLED
    if alert != 0.0:
        a.settings[ALERT] = alert
        return CHATTERS
    chosen = choose(a, time)
    if chosen < 0:
        return REACHED
    note_event(a, time, time, 0.0)
    take(a, chosen, time)
    return CHOICE


def gather(a: Arrays) -> None:
    """Collect the flows whose events are at the time of the first: those at the root of the heap."""
    time = a.flow_floats[a.heap[0], KEY]
    flows, found, seen, k = int(a.settings[FLOWS]), 0, 1, 0
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
    a.settings[PENDING] = found


def first_due(a: Arrays, f: int, best: int) -> int:
    """The first of the flow's conditions that are due, or `best`, whichever stands before the other."""
    for k in range(a.flow_ints[f, AWAKE]):
        c = awake(a, f, k)
        is_due = a.conditions[c, DUE] == 1 and a.conditions[c, SWITCH] == 0
        if is_due and (best < 0 or is_before(a, c, best)):
            best = c
    return best


def is_before(a: Arrays, c: int, other: int) -> bool:
    """Whether a condition stands before another: high priority first, then by rank."""
    if a.condition_floats[c, PRIORITY] != a.condition_floats[other, PRIORITY]:
        return bool(a.condition_floats[c, PRIORITY] > a.condition_floats[other, PRIORITY])
    return bool(a.condition_floats[c, RANK] < a.condition_floats[other, RANK])


def choose(a: Arrays, time: float) -> int:
    """The first condition that is due at this instant, among the flows with pending events; -1 if there is none."""
    best = -1
    for k in range(int(a.settings[PENDING])):
        f = a.pending[k]
        if a.flow_floats[f, KEY] == time:
            best = first_due(a, f, best)
    return best
