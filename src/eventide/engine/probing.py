"""States, rates and conditions at points inside a step.

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import DEGREE, EXPRESSION, STAGES, STATE, Y2, K, R, Y
from eventide.engine.law_evaluation import evaluate, is_true
from eventide.engine.stepper import fit, interpolate, interpolate_motion, move_slot
from eventide.engine.taylor_models import is_moved

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

HALVINGS: Final = 60
"""How often the first sample is moved towards the start of a step in search of a point where a trigger is false."""
NOISE: Final = 2.0**-46
"""A trigger that is false for a shorter time, as a part of the present one, is so by rounding: 64 units of it."""
CLIMBS: Final = 60
"""How often the bracket of a peak is halved."""


def time_at(a: Arrays, f: int, elapsed: float) -> float:
    """The time at a distance from the start of the step."""
    if elapsed == a.flow.step[f]:
        return float(a.flow.end[f])
    return float(a.flow.start[f] + (a.flow.start_rest[f] + elapsed))


def visit(a: Arrays, f: int, elapsed: float, time: float, with_laws: bool) -> None:
    """Show states and rates at a point inside the step: states by the interpolant; rates by the laws, which also set
    computed values, if wanted, else by the interpolant.

    These evaluations are not counted, so that observing a run does not change its reported cost.
    """
    a.flow.at[f] = nan
    if a.flow.empty[f] == 1:
        return
    if with_laws:
        interpolate(a, f, elapsed / a.flow.step[f])
        evaluate(a, f, time, elapsed, R)
    else:
        interpolate_motion(a, f, elapsed / a.flow.step[f])


def show(a: Arrays, c: int, f: int, elapsed: float, time: float) -> None:
    """As `visit`, for what a condition depends on; where that is known to be a few states, for these alone."""
    if a.guard.certificate[c] < 0 or a.guard.needs_laws[c] == 1 or a.guard.fallback[c] != 0:
        visit(a, f, elapsed, time, a.guard.needs_laws[c] == 1)
        return
    a.flow.at[f] = nan
    if a.flow.empty[f] == 1:
        return
    if a.flow.fitted[f] == 0:
        fit(a, f)
    place, step = a.guard.certificate[c], a.flow.step[f]
    for k in range(a.lists[place]):
        word = place + 2 + EXPRESSION * k
        if a.lists[word] == STATE:
            slot = a.index[a.guard.index[c] + a.lists[word + 1]] + a.lists[word + 2]
            if is_moved(a, f, slot):
                show_slot(a, slot, elapsed / step, 1.0 / step)


def show_slot(a: Arrays, slot: int, theta: float, scale: float) -> None:
    """Bring one state and its rate to a fraction of the step; 1 gives its end exactly."""
    if theta == 1.0:
        a.rows[Y, slot] = a.rows[Y2, slot]
        a.rows[R, slot] = a.rows[K + a.method.sizes[STAGES], slot]
    else:
        move_slot(a, slot, theta, scale)


def is_between(a: Arrays, f: int, low: float, middle: float, high: float) -> bool:
    """Whether `middle` lies strictly between the others, also as a time."""
    return low < middle < high and time_at(a, f, low) < time_at(a, f, middle) < time_at(a, f, high)


def test_inside(a: Arrays, c: int, f: int, elapsed: float) -> bool:
    """Whether a condition is true at a point inside the step."""
    time = time_at(a, f, elapsed)
    show(a, c, f, elapsed, time)
    return is_true(a, c, f, time, elapsed)


# --- between samples --------------------------------------------------------------------------------------------------


def keep_low(a: Arrays, c: int, elapsed: float, guard: float, slope: float) -> None:
    """The last known point at which a condition was false."""
    a.guard.low[c] = elapsed
    a.guard.value_low[c] = guard
    a.guard.slope_low[c] = slope


def keep_high(a: Arrays, c: int, elapsed: float, guard: float, slope: float) -> None:
    """A point after it at which the condition was true."""
    a.guard.high[c] = elapsed
    a.guard.guess[c] = -1.0
    a.guard.value_high[c] = guard
    a.guard.slope_high[c] = slope


def climb(a: Arrays, c: int, f: int, high: float, guard_high: float, slope_high: float, sign: float) -> bool:
    """Look for a peak between LOW, where the event function rises, and `high`, where it falls; both are negative.

    sign        -1 to look for a valley between points at which a trigger is true: it is armed there
    Gives up once the slopes at the ends show that zero is out of reach.
    Returns     whether a point has been visited
    """
    low, guard, slope = a.guard.low[c], sign * a.guard.value_low[c], sign * a.guard.slope_low[c]
    last, value, steepness = high, guard_high, slope_high
    guard_high, slope_high = sign * guard_high, sign * slope_high
    for k in range(CLIMBS):
        width = high - low
        if guard + slope * width < 0.0 or guard_high - slope_high * width < 0.0:
            return k > 0
        middle = low + width / 2
        if not is_between(a, f, low, middle, high):
            return k > 0
        truth = test_inside(a, c, f, middle)
        if truth and sign > 0.0:
            keep_high(a, c, middle, a.guard.value[c], a.guard.slope[c])
            return True
        if not truth and sign < 0.0:
            a.guard.ready[c] = 1
            keep_low(a, c, middle, a.guard.value[c], a.guard.slope[c])
            keep_high(a, c, last, value, steepness)
            return True
        if sign * a.guard.slope[c] > 0.0:
            low, guard, slope = middle, sign * a.guard.value[c], sign * a.guard.slope[c]
            keep_low(a, c, low, a.guard.value[c], a.guard.slope[c])
        else:
            high, guard_high, slope_high = middle, sign * a.guard.value[c], sign * a.guard.slope[c]
    return True


def uncover(a: Arrays, c: int, f: int) -> None:
    """Look for a point where a trigger is false that is true at the end of the step and at all samples.

    A flight shorter than the step begins with an event, on the surface, and ends there: its trace is looked for ever
    nearer to the start.
    """
    elapsed = a.flow.step[f] / a.method.sizes[DEGREE]
    is_opaque = a.guard.value_at_end[c] != a.guard.value_at_end[c]  # no sample has been there
    if is_opaque and not test_inside(a, c, f, elapsed):
        a.guard.ready[c] = 1
        keep_low(a, c, elapsed, a.guard.value[c], a.guard.slope[c])
        return
    if a.flow.begun[f] == 0:
        return
    for _ in range(HALVINGS):
        high, guard, slope = elapsed, a.guard.value[c], a.guard.slope[c]
        elapsed = elapsed / 2
        if elapsed < NOISE * a.flow.start[f] or not is_between(a, f, 0.0, elapsed, high):
            return
        if not test_inside(a, c, f, elapsed):
            a.guard.ready[c] = 1
            keep_low(a, c, elapsed, a.guard.value[c], a.guard.slope[c])
            keep_high(a, c, high, guard, slope)
            return
