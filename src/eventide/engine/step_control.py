"""One step of a flow: choose its length, try it until it is accurate enough, commit it or return to its start.

In: a flow at the end of its last step. Out: the step with its end, and the length to try next. Invariant: a step ends
at the next event or limit of an input, or earlier, and is shorter than dt_min only there.

Plain functions over records, which are also translated to native code.
Source: Helsgaun, COMBINEDSIMULATION manual, 2.1 and 3.29, corrected; flows are not in the manual.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    ABS,
    AT_END,
    E0,
    E2,
    ERROR_ORDER,
    ESTIMATED,
    FAILED,
    FIRST_STAGE,
    IMPLICIT,
    MIDDLE,
    RAISED,
    REACHED,
    REL,
    STAGES,
    STUCK,
    UNPLANNED,
    Y0,
    Y2,
    K,
    R,
    Y,
)
from eventide.engine.event_location import locate
from eventide.engine.flow_queue import sift_down
from eventide.engine.guard_screening import unscreened
from eventide.engine.law_evaluation import copy
from eventide.engine.newton_step import (
    attempt_implicitly,
    is_in_doubt,
    keep_derivatives,
    longer,
    remember,
    shorter,
)
from eventide.engine.stepper import attempt, complete, first_step, greatest_ratio, leaves_interpolant
from eventide.engine.switching import hold, loosen

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

LATEST: Final = 1.7976931348623157e308
"""The end of time: the largest finite number."""
FARTHEST: Final = 2.0**30
"""The longest step relative to the time that has passed: where events cut every step it would grow without bound."""
NEAR: Final = 2.0**-50
"""The largest relative distance of times that count as equal within rounding: four spacings of floats or more."""
ROUNDING: Final = 2.0**-53
"""The largest relative rounding error."""


def advance(a: Arrays, f: int) -> int:
    """Make the next step of a flow and look for the first state event in it; returns a code of `codes.py`."""
    if a.flow.step[f] > 0.0:
        commit(a, f)
    code = make_step(a, f)
    if code != REACHED:
        return code
    while not locate(a, f, False) or (a.flow.unseen[f] > 0.0 and not has_failed(a) and leaves_interpolant(a, f)):
        take_back(a, f)
        if a.run.aborted != 0:
            return RAISED
        if a.flow.empty[f] == 0 and a.flow.next_step[f] < a.run.dt_min:
            return FAILED
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
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
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
    a.flow.begun[f] = 0
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
    if w < 0 or a.run.dt_min > 0.0 or a.run.raised != 0:
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
    """Choose the length of a first step; clamp a later one if the limits have changed.

    That is dt_max where there is one, as in the manual. An implicit method would accept it however long: the error that
    it estimates vanishes for steps that are far longer than what changes at first, and inside such a step nothing is
    right.
    """
    if a.flow.next_step[f] == 0.0:
        if a.run.dt_max < inf and a.method.sizes[ESTIMATED] == 0:
            a.flow.next_step[f] = a.run.dt_max
        else:
            guess = first_step(a, f, remaining)
            a.run.raised = 0
            return_to_start(a, f)
            a.flow.next_step[f] = guess
    a.flow.next_step[f] = max(a.run.dt_min, min(a.run.dt_max, a.flow.next_step[f]))


def try_step(a: Arrays, f: int, step: float, remaining: float, limit: float) -> float:
    """One attempt, completed if accurate: the ratio of tolerance to error; -1 if it cannot advance the time."""
    a.run.raised = 0
    end, end_rest = end_of(a, f, step, remaining, limit)
    ratio = attempt_by_method(a, f, step, end)
    if a.run.raised != 0 or not ratio >= 1.0:
        return min(max(ratio, 0.0), 0.5) if a.run.raised == 0 and ratio > 0.0 else 0.0
    if not finish_step(a, f, step, end, ratio):
        return 0.0
    end_step(a, f, step, end, end_rest)
    return ratio


def attempt_by_method(a: Arrays, f: int, step: float, end: float) -> float:
    """Evaluate one step until its error is known, explicitly or by iteration."""
    if a.method.sizes[IMPLICIT] > 0:
        return attempt_implicitly(a, f, step)
    return attempt(a, f, step, end)


def finish_step(a: Arrays, f: int, step: float, end: float, ratio: float) -> bool:
    """Complete a step; whether the rates at its end are finite."""
    return complete(a, f, step, end, ratio) and a.run.raised == 0


def end_of(a: Arrays, f: int, step: float, remaining: float, limit: float) -> tuple[float, float]:
    """The end of a step and its rounding error; exactly the limit if the step reaches it."""
    end, end_rest = limit, 0.0
    if step < remaining:
        end, end_rest = two_sum(a.flow.start[f], a.flow.start_rest[f] + step)
        if end >= limit:
            end, end_rest = limit, 0.0
    return end, end_rest


def force(a: Arrays, f: int) -> int:
    """Accept the smallest step although it is not accurate: the model's `integration_error` asks for it."""
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
    """Choose the next step from an accepted one, unless an event had shortened that."""
    if a.method.sizes[IMPLICIT] > 0:
        keep_derivatives(a, f)
    if step == a.flow.next_step[f]:
        a.flow.usual_step[f] = step
        longest = a.run.dt_max
        if a.flow.start[f] > 0.0:
            longest = min(longest, max(step, FARTHEST * a.flow.start[f]))
        if a.method.sizes[IMPLICIT] > 0:
            following = longer(a, f, step)
        elif ratio >= greatest_ratio(a):
            following = 2.0 * step
        else:
            following = min(2.0, (ratio / 2.0) ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1))) * step
        a.flow.next_step[f] = max(a.run.dt_min, min(longest, following))


def return_to_start(a: Arrays, f: int) -> None:
    """Show the states and rates of the step's start again."""
    copy(a, f, Y0, Y)
    copy(a, f, K, R)


def arm(a: Arrays, f: int, elapsed: float) -> None:
    """The step is valid up to `elapsed`: arm the conditions that were found false in it until then."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.armed[c] == AT_END:
            a.guard.armed[c] = 1 if a.guard.low[c] <= elapsed else 0


def forget_arming(a: Arrays, f: int) -> None:
    """The step is void: what was found in it arms no condition."""
    for k in range(a.flow.unscreened[f]):
        c = unscreened(a, f, k)
        if a.guard.armed[c] == AT_END:
            a.guard.armed[c] = 0


def has_failed(a: Arrays) -> bool:
    """Whether laws or a condition have raised an error, or touched another flow: their results are void."""
    return bool(a.run.aborted != 0 or a.run.raised != 0)
