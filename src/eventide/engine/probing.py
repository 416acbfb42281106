"""States, rates and conditions at points inside a step.

Plain functions over records, which are also translated to native code.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from eventide.engine.codes import EXPRESSION, STAGES, STATE, Y2, K, R, Y
from eventide.engine.law_evaluation import evaluate, is_true
from eventide.engine.stepper import fit, interpolate, interpolate_motion, move_slot
from eventide.engine.taylor_models import is_moved

if TYPE_CHECKING:
    from eventide.engine.records import Arrays


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
    if a.guard.certificate[c] < 0 or a.guard.needs_laws[c] == 1 or a.guard.recourse[c] != 0:
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
