"""The motion of all flows between two events: steps, state events inside them, and whose turn it is.

Plain functions over the arrays of `tables.py`, which numba can compile as they are. A flow is a set of states and laws
that touch each other; each has its own step and interpolant. A heap tells which flow has been brought least far.

Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29, corrected; flows are ours.
"""

from __future__ import annotations

from math import inf, nan
from typing import Final

from eventide.continuous.stepper import (
    attempt,
    clear,
    complete,
    copy,
    evaluate,
    first_step,
    interpolate,
    run_laws,
)
from eventide.continuous.tables import (
    ABORTED,
    ANNOUNCED,
    ARMED,
    ARMS,
    AT,
    AT_END,
    DT_MAX,
    DT_MIN,
    DUE,
    E0,
    E2,
    EMPTY,
    END,
    END_REST,
    ERROR_ORDER,
    EVENT,
    FAILED,
    FIRST,
    FITTED,
    FLOWS,
    FOLLOWING,
    FROM,
    HIDDEN,
    KEY,
    LAND,
    LOCATED,
    NEEDS_LAWS,
    NEXT,
    NEXT_EVENT,
    PENDING,
    PLACE,
    PRIORITY,
    RAISED,
    RANK,
    REACHED,
    REFUSED,
    REST,
    STAGES,
    START,
    STEP,
    STEPPED,
    STEPS,
    STEPWISE,
    STUCK,
    TRIGGER,
    TROUBLED,
    Y0,
    Y2,
    Arrays,
    K,
    R,
    Y,
)

LATEST: Final = 1.7976931348623157e308
"""The end of time: the largest finite number."""
FARTHEST: Final = 2.0**30
"""A step is at most so many times as long as the time that has passed: where events cut every step it grows unused."""
HALVINGS: Final = 60
"""How often the first sample is moved towards the start of a step in search of a point where a trigger is false."""


def is_true(a: Arrays, c: int, f: int, time: float, dt: float) -> bool:
    """Whether condition `c` holds now; compiled, kernels are called by their addresses instead."""
    return a.host.is_true(c, f, time, dt)  # type: ignore[no-any-return]  # the host's word


# --- one step --------------------------------------------------------------------------------------------------------


def advance(a: Arrays, f: int) -> int:
    """Make the next step of a flow and look for the first state event in it; answers a code of `tables.py`."""
    if a.flow_floats[f, STEP] > 0.0:
        commit(a, f)
    limit = min(a.settings[LAND], LATEST)
    if a.flow_ints[f, EMPTY] == 1:
        code = wait_step(a, f)
    else:
        code = step_to_tolerance(a, f, limit)
    if code != REACHED:
        return code
    a.flow_ints[f, STEPS] += 1
    locate(a, f)
    return RAISED if a.settings[ABORTED] != 0.0 or a.settings[TROUBLED] != 0.0 else REACHED


def commit(a: Arrays, f: int) -> None:
    """Begin the next step where the present one ends."""
    arm(a, f, 1)
    copy(a, f, Y2, Y0)
    copy(a, f, E2, E0)
    copy(a, f, K + a.method.sizes[STAGES], K)
    a.flow_floats[f, START] = a.flow_floats[f, END]
    a.flow_floats[f, REST] = a.flow_floats[f, END_REST]
    a.flow_floats[f, STEP] = 0.0


def wait_step(a: Arrays, f: int) -> int:
    """A step without laws: to the next event, at most dt_max; where neither is finite, ever farther."""
    start = a.flow_floats[f, START]
    remaining = a.settings[NEXT_EVENT] - start
    step = min(a.settings[DT_MAX], remaining)
    if not step < LATEST / 4:
        step = max(1.0, 2.0 * a.flow_floats[f, NEXT])
        a.flow_floats[f, NEXT] = step
    end = start + step
    if step >= remaining:
        end = a.settings[NEXT_EVENT]
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
    """Try steps, each half as long as the one before, until one is accurate enough."""
    remaining = (limit - a.flow_floats[f, START]) - a.flow_floats[f, REST]
    choose_next(a, f, remaining)
    step = min(a.flow_floats[f, NEXT], remaining)
    while True:
        ratio = try_step(a, f, step, remaining, limit)
        if a.settings[ABORTED] != 0.0:
            return RAISED
        if ratio >= 1.0:
            adapt(a, f, step, ratio)
            return REACHED
        if ratio < 0.0:
            return STUCK
        half = max(step / 2, a.settings[DT_MIN])
        start, rest = a.flow_floats[f, START], a.flow_floats[f, REST]
        return_to_start(a, f)
        if not (step > a.settings[DT_MIN] and start + (rest + half) > start):
            return FAILED
        a.flow_ints[f, REFUSED] += 1
        step = half
        a.flow_floats[f, NEXT] = half


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
    ratio = attempt(a, f, step)
    if a.settings[TROUBLED] != 0.0 or not ratio >= 1.0:
        return min(max(ratio, 0.0), 0.5) if a.settings[TROUBLED] == 0.0 and ratio > 0.0 else 0.0
    return ratio if finish_step(a, f, step, remaining, limit) else 0.0


def finish_step(a: Arrays, f: int, step: float, remaining: float, limit: float) -> bool:
    """Complete a step and note its end; whether the rates there are finite."""
    start, rest = a.flow_floats[f, START], a.flow_floats[f, REST]
    end, end_rest = limit, 0.0
    if step < remaining:
        end, end_rest = two_sum(start, rest + step)
        if end >= limit:
            end, end_rest = limit, 0.0
    if not complete(a, f, step, end) or a.settings[TROUBLED] != 0.0:
        return False
    end_step(a, f, step, end, end_rest)
    return True


def force(a: Arrays, f: int) -> int:
    """Accept the smallest step although it is not accurate: the model has said so."""
    limit = min(a.settings[LAND], LATEST)
    remaining = (limit - a.flow_floats[f, START]) - a.flow_floats[f, REST]
    step = min(a.flow_floats[f, NEXT], remaining)
    ratio = attempt(a, f, step)
    finish_step(a, f, step, remaining, limit)
    adapt(a, f, step, max(ratio, 1.0 / 16.0))
    a.flow_ints[f, STEPS] += 1
    locate(a, f)
    sift_down(a, a.flow_ints[f, PLACE])
    return RAISED if a.settings[ABORTED] != 0.0 else REACHED


def two_sum(a: float, b: float) -> tuple[float, float]:
    """The rounded sum of two numbers and what rounding took from it. Source: Knuth, TAOCP 2, 4.2.2."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def adapt(a: Arrays, f: int, step: float, ratio: float) -> None:
    """Choose the next step from an accepted one; one that an event cut short tells nothing."""
    if step == a.flow_floats[f, NEXT]:
        factor = min(2.0, (ratio / 2.0) ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1)))
        longest = a.settings[DT_MAX]
        if a.flow_floats[f, START] > 0.0:
            longest = min(longest, max(step, FARTHEST * a.flow_floats[f, START]))
        a.flow_floats[f, NEXT] = max(a.settings[DT_MIN], min(longest, factor * step))


def return_to_start(a: Arrays, f: int) -> None:
    """Show the states and rates of the step's start again."""
    copy(a, f, Y0, Y)
    copy(a, f, K, R)


# --- inside a step ---------------------------------------------------------------------------------------------------


def time_at(a: Arrays, f: int, elapsed: float) -> float:
    """The time when so much of the step has passed."""
    if elapsed == a.flow_floats[f, STEP]:
        return float(a.flow_floats[f, END])
    return float(a.flow_floats[f, START] + (a.flow_floats[f, REST] + elapsed))


def visit(a: Arrays, f: int, elapsed: float, time: float, with_laws: bool) -> None:
    """Bring states, and rates and computed values if asked for, to a point inside the step.

    These evaluations are not counted: who looks does not change what a run has cost.
    """
    a.flow_floats[f, AT] = nan
    if a.flow_ints[f, EMPTY] == 1:
        return
    interpolate(a, f, elapsed / a.flow_floats[f, STEP])
    if with_laws:
        evaluate(a, f, time, elapsed)


def publish(a: Arrays, f: int, time: float) -> None:
    """Bring everything that is seen of a flow to a time inside its step."""
    if a.flow_floats[f, AT] == time or a.flow_floats[f, STEP] == 0.0:
        return
    elapsed = a.flow_floats[f, STEP]
    if time < a.flow_floats[f, END]:
        elapsed = (time - a.flow_floats[f, START]) - a.flow_floats[f, REST]
    if a.flow_floats[f, EVENT] >= 0.0 and time == a.flow_floats[f, KEY]:
        elapsed = a.flow_floats[f, EVENT]
    visit(a, f, elapsed, time, True)
    a.flow_floats[f, AT] = time


def touch(a: Arrays, f: int, time: float) -> None:
    """End the step of a flow now: an event changes something that it depends on."""
    publish(a, f, time)
    arm(a, f, 1 if time == a.flow_floats[f, END] else 0)
    if time == a.flow_floats[f, END]:
        if a.flow_floats[f, STEP] > 0.0:
            copy(a, f, E2, E0)
        a.flow_floats[f, REST] = a.flow_floats[f, END_REST]
    else:
        clear(a, f, E0)
        a.flow_floats[f, REST] = 0.0
    a.flow_floats[f, START] = time
    a.flow_floats[f, STEP] = 0.0
    a.flow_floats[f, END] = time
    a.flow_floats[f, END_REST] = a.flow_floats[f, REST]
    a.flow_floats[f, EVENT] = -1.0
    a.flow_floats[f, KEY] = time


def arm(a: Arrays, f: int, value: int) -> None:
    """The step ends: what was found false at the end that was meant for it is armed, if the step has come so far."""
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, ARMED] == AT_END:
            a.conditions[c, ARMED] = value
        c = a.conditions[c, FOLLOWING]


def settle(a: Arrays, f: int, time: float) -> None:
    """After an event: take the states as they are now for a step's start, evaluate the laws, test the conditions.

    The flow is pending then: its conditions may be due at this instant.
    """
    copy(a, f, Y, Y0)
    if a.flow_ints[f, EMPTY] == 0:
        run_laws(a, f, time, 0.0)
        copy(a, f, Y, Y0)
        copy(a, f, R, K)
    a.flow_floats[f, AT] = time
    a.flow_floats[f, END] = time
    a.flow_floats[f, KEY] = time
    if a.flow_floats[f, NEXT] > 0.0:
        a.flow_floats[f, NEXT] = max(a.settings[DT_MIN], min(a.settings[DT_MAX], a.flow_floats[f, NEXT]))
    sift_up(a, a.flow_ints[f, PLACE])
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        truth = is_true(a, c, f, time, 0.0)
        if a.conditions[c, TRIGGER] == 1 and a.conditions[c, ARMED] == 0:
            a.conditions[c, DUE] = 0
            if not truth and a.settings[ARMS] != 0.0:
                a.conditions[c, ARMED] = 1
        else:
            a.conditions[c, DUE] = 1 if truth else 0
        c = a.conditions[c, FOLLOWING]
    pending = int(a.settings[PENDING])
    for k in range(pending):
        if a.pending[k] == f:
            return
    a.pending[pending] = f
    a.settings[PENDING] = pending + 1


# --- state events ----------------------------------------------------------------------------------------------------


def locate(a: Arrays, f: int) -> None:
    """Find the first point of the step at which a condition is true, if one is true at its end.

    The point is on the true side: some condition is true there and none was at most dt_min earlier. With dt_min = 0
    these are neighbouring floats.
    """
    a.flow_floats[f, EVENT] = -1.0
    a.flow_floats[f, KEY] = a.flow_floats[f, END]
    if a.flow_ints[f, FIRST] < 0 or not collect(a, f):
        return
    with_laws = needs_laws(a, f)
    low, high = 0.0, a.flow_floats[f, STEP]
    while high - low > a.settings[DT_MIN] and a.settings[ABORTED] == 0.0:
        middle = max(low + (high - low) / 2, a.settings[DT_MIN])
        if not is_between(a, f, low, middle, high):
            break
        if is_due(a, f, middle, with_laws):
            high = middle
        else:
            low = middle
    mark(a, f, high, with_laws)
    a.flow_floats[f, EVENT] = high
    a.flow_floats[f, KEY] = time_at(a, f, high)


def collect(a: Arrays, f: int) -> bool:
    """Test all conditions at the end of the step; whether any may have become true inside it."""
    time, dt, found, hidden = a.flow_floats[f, END], a.flow_floats[f, STEP], False, False
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        truth = is_true(a, c, f, time, dt)
        a.conditions[c, DUE] = 0
        a.conditions[c, HIDDEN] = 0
        if a.conditions[c, TRIGGER] == 1 and a.conditions[c, ARMED] == 0:
            if truth:
                a.conditions[c, HIDDEN] = 1
                hidden = True
            else:
                a.conditions[c, ARMED] = AT_END
        elif truth:
            a.conditions[c, DUE] = 1
            a.condition_floats[c, FROM] = 0.0
            found = True
        c = a.conditions[c, FOLLOWING]
    return uncover(a, f) or found if hidden else found


def uncover(a: Arrays, f: int) -> bool:
    """Look for points where triggers are false that are true at both ends of the step; whether one was found.

    A flight shorter than the step begins and ends on the surface: its trace is looked for ever nearer to the start.
    """
    with_laws, found = needs_laws(a, f), False
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, HIDDEN] == 1:
            elapsed = a.flow_floats[f, STEP]
            for _ in range(HALVINGS):
                elapsed = elapsed / 2
                if not is_between(a, f, 0.0, elapsed, a.flow_floats[f, STEP]):
                    break
                time = time_at(a, f, elapsed)
                visit(a, f, elapsed, time, with_laws)
                if not is_true(a, c, f, time, elapsed):
                    a.conditions[c, DUE] = 1
                    a.condition_floats[c, FROM] = elapsed
                    found = True
                    break
        c = a.conditions[c, FOLLOWING]
    return found


def needs_laws(a: Arrays, f: int) -> bool:
    """Whether a condition of the flow reads more than states."""
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, NEEDS_LAWS] == 1:
            return True
        c = a.conditions[c, FOLLOWING]
    return False


def is_between(a: Arrays, f: int, low: float, middle: float, high: float) -> bool:
    """Whether `middle` lies strictly between the others, also as a time."""
    return low < middle < high and time_at(a, f, low) < time_at(a, f, middle) < time_at(a, f, high)


def is_due(a: Arrays, f: int, elapsed: float, with_laws: bool) -> bool:
    """Whether one of the collected conditions is true at a point of the step."""
    time = time_at(a, f, elapsed)
    visit(a, f, elapsed, time, with_laws)
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, DUE] == 1 and elapsed > a.condition_floats[c, FROM] and is_true(a, c, f, time, elapsed):
            return True
        c = a.conditions[c, FOLLOWING]
    return False


def mark(a: Arrays, f: int, elapsed: float, with_laws: bool) -> None:
    """Keep DUE for the conditions that are true at the point that was found."""
    time = time_at(a, f, elapsed)
    visit(a, f, elapsed, time, with_laws)
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, DUE] == 1:
            if elapsed > a.condition_floats[c, FROM]:
                a.conditions[c, ARMED] = 1
                if not is_true(a, c, f, time, elapsed):
                    a.conditions[c, DUE] = 0
            else:
                a.conditions[c, DUE] = 0
        c = a.conditions[c, FOLLOWING]


# --- all flows -------------------------------------------------------------------------------------------------------


def march(a: Arrays, stop: float) -> int:
    """Bring every flow to `stop`, or to the first state event before it.

    Returns     REACHED; LOCATED, with the flows in `pending`; STEPPED when somebody looks at steps and one has ended;
                RAISED, STUCK or FAILED for the flow at the root of the heap
    """
    a.settings[PENDING] = 0
    while a.settings[FLOWS] > 0.0:
        f = a.heap[0]
        if a.flow_floats[f, KEY] >= stop:
            if a.flow_floats[f, KEY] == stop:
                gather(a)
            return REACHED
        if a.flow_floats[f, EVENT] >= 0.0:
            gather(a)
            return LOCATED
        if a.settings[STEPWISE] != 0.0 and a.flow_floats[f, STEP] > 0.0 and a.flow_ints[f, ANNOUNCED] == 0:
            a.flow_ints[f, ANNOUNCED] = 1
            return STEPPED
        code = advance(a, f)
        if code != REACHED:
            return code
        sift_down(a, 0)
    return REACHED


def gather(a: Arrays) -> None:
    """Collect the flows whose events are at the time of the first: those at the root of the heap."""
    time = a.flow_floats[a.heap[0], KEY]
    flows, found, seen, k = int(a.settings[FLOWS]), 0, 1, 0
    a.pending[0] = 0
    # `pending` first holds places in the heap, in breadth; then, from its start, the flows with events.
    while k < seen:
        place = a.pending[k]
        for child in (2 * place + 1, 2 * place + 2):
            if child < flows and a.flow_floats[a.heap[child], KEY] == time:
                a.pending[seen] = child
                seen += 1
        k += 1
    for k in range(seen):
        f = a.heap[a.pending[k]]
        if a.flow_floats[f, EVENT] >= 0.0:
            a.pending[found] = f
            found += 1
    a.settings[PENDING] = found


def first_due(a: Arrays, f: int, best: int) -> int:
    """The first of the flow's conditions that are due, or `best`, whichever stands before the other."""
    c = a.flow_ints[f, FIRST]
    while c >= 0:
        if a.conditions[c, DUE] == 1 and (best < 0 or is_before(a, c, best)):
            best = c
        c = a.conditions[c, FOLLOWING]
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


# --- the heap --------------------------------------------------------------------------------------------------------


def comes_before(a: Arrays, f: int, g: int) -> bool:
    """The order of the heap: by KEY, ties by number; the number decides only whose step is computed first."""
    if a.flow_floats[f, KEY] != a.flow_floats[g, KEY]:
        return bool(a.flow_floats[f, KEY] < a.flow_floats[g, KEY])
    return f < g


def sift_up(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become smaller."""
    if place < 0:
        return
    f = a.heap[place]
    while place > 0:
        parent = (place - 1) // 2
        if not comes_before(a, f, a.heap[parent]):
            break
        a.heap[place] = a.heap[parent]
        a.flow_ints[a.heap[place], PLACE] = place
        place = parent
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place


def sift_down(a: Arrays, place: int) -> None:
    """Restore the heap where a KEY has become larger."""
    flows = int(a.settings[FLOWS])
    f = a.heap[place]
    while True:
        child = 2 * place + 1
        if child >= flows:
            break
        if child + 1 < flows and comes_before(a, a.heap[child + 1], a.heap[child]):
            child += 1
        if not comes_before(a, a.heap[child], f):
            break
        a.heap[place] = a.heap[child]
        a.flow_ints[a.heap[place], PLACE] = place
        place = child
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place


def enter(a: Arrays, f: int) -> None:
    """Put a flow into the heap."""
    place = int(a.settings[FLOWS])
    a.settings[FLOWS] = place + 1
    a.heap[place] = f
    a.flow_ints[f, PLACE] = place
    sift_up(a, place)


def leave(a: Arrays, f: int) -> None:
    """Take a flow out of the heap."""
    place = a.flow_ints[f, PLACE]
    if place < 0:
        return
    last = int(a.settings[FLOWS]) - 1
    a.settings[FLOWS] = last
    a.flow_ints[f, PLACE] = -1
    if place != last:
        moved = a.heap[last]
        a.heap[place] = moved
        a.flow_ints[moved, PLACE] = place
        sift_up(a, place)
        sift_down(a, a.flow_ints[moved, PLACE])
