"""One step of an explicit Runge-Kutta pair for one flow: stages, error estimate, completion, interpolant.

In: states and rates at the start, and the length of the step. Out: the ratio of tolerance to error; if it is at least
1, the states and rates at the end, with the increment added in double length (two-sum), so that small ones are not
lost. `evaluate` is that of `law_evaluation.py`. Nothing here allocates. What may be written here is what `native/`
translates.

`leaves_interpolant`: a pair's estimate may be blind for a rate that jumps inside a step. Runge-Kutta-England's last
stage has a weight in the result and none in the estimate: where it alone is beyond a jump, the estimate is zero. The
estimate of Dormand and Prince is a 170th of the error where a rate jumps early in a step, that of Fehlberg a 90th. The
stages behind a jump are moved by it, too, so that any estimate passes through zero at some length of the step. In
flows whose laws branch where that is not located, the rates at one point inside the step, for which an evaluation is
spent, are compared with the interpolant's slopes there. A jump costs 35 tolerances at most then. It changes few smooth
steps: in seven problems at three tolerances all were below FAR by Runge-Kutta-England, 98 of 100 by the other pairs.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    ABS,
    DEGREE,
    DENSE,
    DIVISOR,
    E0,
    E2,
    END_FIRST,
    ERROR_ORDER,
    ERROR_STAGE,
    ESTIMATE,
    ESTIMATED,
    EXTRA,
    FIRST_STAGE,
    MIDDLE,
    REL,
    RESULT,
    SAMPLED,
    SCALE_STAGE,
    STAGES,
    TABLE_ROWS,
    WITH_PAST,
    Y0,
    Y2,
    K,
    P,
    R,
    Y,
)
from eventide.engine.law_evaluation import copy, evaluate

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

HUGE: Final = 1e300
FAR: Final = 16.0
"""A rate, times the step, is far from the interpolant's slope if it differs by more than this number of tolerances."""


def run_laws(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Execute the laws of flow `f` and count it."""
    a.flow.evaluations[f] += 1
    evaluate(a, f, time, dt, row)


def attempt(a: Arrays, f: int, step: float, end: float) -> float:
    """As `attempt_stages`; in native code small flows have a function of their own for it."""
    return attempt_stages(a, f, step, end)


def complete(a: Arrays, f: int, step: float, end: float, ratio: float) -> bool:  # noqa: ARG001  # see `overrides.py`
    """As `complete_stages`; in native code a small flow has done so with the attempt, if `ratio` was 1 or more."""
    return complete_stages(a, f, step, end)


def attempt_stages(a: Arrays, f: int, step: float, end: float) -> float:
    """Evaluate the stages of one step until its error is known.

    end         the time of the step's end, exact where an event is due there
    Returns     the smallest ratio of tolerance to error over the flow's slots, capped; below 1 the step is
                refused; `worst` of the flow is the slot where it was met
    Cost        as many evaluations as the estimate has stages, less the first, whose rate is known
    """
    if a.method.sizes[FIRST_STAGE] == 2:
        weigh(a, f, step)
    for stage in range(a.method.sizes[FIRST_STAGE], min(a.method.sizes[ERROR_STAGE], last_stage(a, f))):
        run_stage(a, f, step, stage)
    if a.method.sizes[END_FIRST] == 1:
        reach_end(a, f, step, end)
    return error_ratio(a, f, step)


def complete_stages(a: Arrays, f: int, step: float, end: float) -> bool:
    """Finish an accepted step: remaining stages, the states at its end (compensated sum) and their rates.

    Returns     whether all rates at the end are finite
    """
    if a.method.sizes[END_FIRST] == 0:
        for stage in range(a.method.sizes[ERROR_STAGE], last_stage(a, f)):
            run_stage(a, f, step, stage)
        reach_end(a, f, step, end)
    return keep_end(a, f)


def last_stage(a: Arrays, f: int) -> int:
    """How many stages the step has: a two-step method may need one more where there is no past."""
    if a.flow.past_step[f] > 0.0:
        return int(a.method.sizes[WITH_PAST])
    return int(a.method.sizes[STAGES])


def weigh(a: Arrays, f: int, step: float) -> None:
    """Set the weights of a two-step method for the ratio of this step to the one before."""
    rows, columns, past = a.method.sizes[TABLE_ROWS], a.method.sizes[STAGES] + 1, a.flow.past_step[f]
    if not past > 0.0:
        for i in range(rows):
            for j in range(columns):
                a.method.mixed[i, j] = a.method.layers[3 * rows + i, j]
        return
    ratio = step / past
    scale = 1.0 / (1.0 + a.method.sizes[DIVISOR] * ratio)
    for i in range(rows):
        for j in range(columns):
            bend = a.method.layers[rows + i, j] + ratio * a.method.layers[2 * rows + i, j]
            a.method.mixed[i, j] = scale * (a.method.layers[i, j] + ratio * bend)


def reach_end(a: Arrays, f: int, step: float, end: float) -> None:
    """Form the states at the end of a step and evaluate the laws there."""
    stages = a.method.sizes[STAGES]
    combine(a, f, stages + RESULT, stages, step, Y2, False)
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            # Two-sum of the old state and its increment. Source: Moller, BIT 5 (1965); Knuth, TAOCP 2, 4.2.2.
            increment = rows[E0, i] + rows[Y2, i]
            total = rows[Y0, i] + increment
            part = total - rows[Y0, i]
            rows[E2, i] = (rows[Y0, i] - (total - part)) + (increment - part)
            rows[Y2, i] = total
            rows[Y, i] = total
    if a.method.sizes[SCALE_STAGE] == stages:
        copy(a, f, Y, MIDDLE)
    run_laws(a, f, end, step, R)
    copy(a, f, R, K + stages)


def keep_end(a: Arrays, f: int) -> bool:
    """Take the states as the laws left them for the end of the step: difference equations assign them.

    Returns     whether all rates there are finite
    """
    rows = a.rows
    finite = True
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            if rows[Y2, i] != rows[Y, i]:
                rows[Y2, i] = rows[Y, i]
                rows[E2, i] = 0.0
            if not abs(rows[R, i]) < HUGE:
                finite = False
    return finite


def run_stage(a: Arrays, f: int, step: float, stage: int) -> None:
    """Form the argument of one stage and evaluate the laws there."""
    combine(a, f, stage, stage, step, Y, True)
    if stage == a.method.sizes[SCALE_STAGE]:
        copy(a, f, Y, MIDDLE)
    elapsed = a.method.nodes[stage] * step
    run_laws(a, f, a.flow.start[f] + (a.flow.start_rest[f] + elapsed), elapsed, K + stage)


def combine(a: Arrays, f: int, row: int, stages: int, step: float, target: int, onto_start: bool) -> None:
    """Set row `target` to step * (weights . rates of the first `stages` stages), the weights being a row of the method.

    onto_start      whether the states at the step's start are added
    """
    if a.method.sizes[FIRST_STAGE] == 2:
        combine_mixed(a, f, row, stages, step, target, onto_start)
        return
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            total = 0.0
            for j in range(stages):
                weight = a.method.table[row, j]
                if weight != 0.0:
                    total += step * weight * rows[K + j, i]
            rows[target, i] = rows[Y0, i] + (rows[E0, i] + total) if onto_start else total


def combine_mixed(a: Arrays, f: int, row: int, stages: int, step: float, target: int, onto_start: bool) -> None:
    """The same for a two-step method, whose weights change from step to step."""
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            total = 0.0
            for j in range(stages):
                weight = a.method.mixed[row, j]
                if weight != 0.0:
                    total += step * weight * rows[K + j, i]
            rows[target, i] = rows[Y0, i] + (rows[E0, i] + total) if onto_start else total


def error_ratio(a: Arrays, f: int, step: float) -> float:
    """The smallest ratio of tolerance to estimated error, capped; WORST becomes the slot where it was met.

    A NaN or an infinite estimate counts as a ratio of zero. Uses row P as scratch.
    """
    columns = a.method.sizes[ERROR_STAGE] + a.method.sizes[END_FIRST]
    combine(a, f, a.method.sizes[STAGES] + ESTIMATE, columns, step, P, False)
    ratio = greatest_ratio(a)
    a.flow.worst[f] = -1
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        ratio = least_ratio(a, f, a.segments[s, 0], a.segments[s, 1], ratio)
        if not ratio > 0.0:
            return 0.0
    return ratio


def greatest_ratio(a: Arrays) -> float:
    """The cap of the ratio of tolerance to error, by which a step is doubled: 64 for order 4."""
    ratio = 4.0
    for _ in range(a.method.sizes[ERROR_ORDER]):
        ratio *= 2.0
    return ratio


def least_ratio(a: Arrays, f: int, low: int, high: int, ratio: float) -> float:
    """The smallest ratio of tolerance to the error in row P over some slots, or `ratio`, if that is smaller.

    WORST becomes the slot where it was met, if it was there
    """
    rows = a.rows
    for i in range(low, high):
        size = abs(rows[P, i])
        tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[MIDDLE, i])
        if not size * ratio <= tolerance:
            ratio = tolerance / size if 0.0 < size < HUGE else 0.0
            a.flow.worst[f] = i
            if not ratio > 0.0:
                return 0.0
    return ratio


def leaves_interpolant(a: Arrays, f: int) -> bool:
    """Whether rates inside the step that has been made are far from the interpolant's slopes there: a law jumps.

    The next attempt is half as long then, as far as that would advance the time; below dt_min there is none.
    """
    node = a.method.sizes[SAMPLED]
    if node == 0:
        return False
    rows = a.rows
    theta, step = a.method.nodes[node], a.flow.step[f]
    elapsed = theta * step
    a.flow.at[f] = nan
    interpolate(a, f, theta)
    run_laws(a, f, a.flow.start[f] + (a.flow.start_rest[f] + elapsed), elapsed, R)
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            slope = 0.0
            for m in range(a.method.sizes[DEGREE] - 1, -1, -1):
                slope = theta * slope + (m + 1) * rows[P + m, i]
            tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[MIDDLE, i])
            if not abs(step * rows[R, i] - slope) <= FAR * tolerance:
                a.flow.worst[f] = i
                return halve(a, f)
    if a.run.raised != 0:
        a.run.raised = 0
        return halve(a, f)
    return False


def halve(a: Arrays, f: int) -> bool:
    """Let the next attempt be half as long as the step that has been made; whether that can be."""
    half = a.flow.step[f] / 2.0
    if not a.flow.start[f] + (a.flow.start_rest[f] + half) > a.flow.start[f]:
        return False
    a.flow.next_step[f] = half
    return True


def fit(a: Arrays, f: int) -> None:
    """Compute the interpolant's coefficients for the step that has been completed."""
    step, stages, extra = a.flow.step[f], a.method.sizes[STAGES], a.method.sizes[EXTRA]
    if a.method.sizes[FIRST_STAGE] == 2:
        weigh(a, f, step)
    for e in range(stages + 1, stages + 1 + extra):
        combine(a, f, DENSE + a.method.sizes[DEGREE] + e - 1, e, step, Y, True)
        elapsed = a.method.nodes[e] * step
        evaluate(a, f, a.flow.start[f] + (a.flow.start_rest[f] + elapsed), elapsed, K + e)
    fit_rows(a, f, step, stages + 1 + extra + a.method.sizes[ESTIMATED])
    a.flow.fitted[f] = 1


def fit_rows(a: Arrays, f: int, step: float, columns: int) -> None:
    """Compute the interpolant's coefficients from as many columns of the method's table."""
    for m in range(a.method.sizes[DEGREE]):
        combine(a, f, a.method.sizes[STAGES] + DENSE + m, columns, step, P + m, False)


def interpolate(a: Arrays, f: int, theta: float) -> None:
    """Set row Y to the states at the fraction `theta` of the completed step; 1 gives its end exactly."""
    if theta == 1.0:
        copy(a, f, Y2, Y)
        return
    if a.flow.fitted[f] == 0:
        fit(a, f)
    evaluate_polynomial(a, f, theta)


def evaluate_polynomial(a: Arrays, f: int, theta: float) -> None:
    """Set row Y to the states at the fraction `theta` of the step, by Horner's rule."""
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            total = 0.0
            for m in range(a.method.sizes[DEGREE] - 1, -1, -1):
                total = theta * (total + rows[P + m, i])
            rows[Y, i] = rows[Y0, i] + (rows[E0, i] + total)


def interpolate_motion(a: Arrays, f: int, theta: float) -> None:
    """As `interpolate`, and set row R to the derivative by time of what that gives."""
    if theta == 1.0:
        copy(a, f, Y2, Y)
        copy(a, f, K + a.method.sizes[STAGES], R)
        return
    if a.flow.fitted[f] == 0:
        fit(a, f)
    evaluate_motion(a, f, theta, 1.0 / a.flow.step[f])


def evaluate_motion(a: Arrays, f: int, theta: float, scale: float) -> None:
    """Set row Y to the states inside a step and row R to `scale` times their derivative by theta."""
    evaluate_polynomial(a, f, theta)
    derive_polynomial(a, f, theta, scale)


def derive_polynomial(a: Arrays, f: int, theta: float, scale: float) -> None:
    """Set row R to `scale` times the derivative of the interpolant by theta, by Horner's rule."""
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            total = 0.0
            for m in range(a.method.sizes[DEGREE] - 1, -1, -1):
                total = theta * total + (m + 1) * rows[P + m, i]
            rows[R, i] = scale * total


def move_slot(a: Arrays, slot: int, theta: float, scale: float) -> None:
    """As `evaluate_motion`, for one slot."""
    rows = a.rows
    total = speed = 0.0
    for m in range(a.method.sizes[DEGREE] - 1, -1, -1):
        total = theta * (total + rows[P + m, slot])
        speed = theta * speed + (m + 1) * rows[P + m, slot]
    rows[Y, slot] = rows[Y0, slot] + (rows[E0, slot] + total)
    rows[R, slot] = scale * speed


def first_step(a: Arrays, f: int, limit: float) -> float:
    """Estimate the size of a first step from the states, their rates and one evaluation nearby.

    limit       the longest step that may be tried
    Source      Hairer, Norsett & Wanner, Solving ODEs I, II.4 (there in the Euclidean norm, here in the maximum norm)
    """
    rows = a.rows
    size = slope = 0.0
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            scale = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[Y0, i])
            if scale > 0.0:
                size = max(size, abs(rows[Y0, i]) / scale)
                slope = max(slope, abs(rows[K, i]) / scale)
    trial = 1e-6
    if size > 1e-5 and 1e-5 < slope < HUGE:
        trial = 0.01 * size / slope
    trial = min(trial, limit)
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            rows[Y, i] = rows[Y0, i] + trial * rows[K, i]
    run_laws(a, f, a.flow.start[f] + trial, trial, R)
    bend = 0.0
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            scale = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[Y0, i])
            if scale > 0.0:
                bend = max(bend, abs(rows[R, i] - rows[K, i]) / scale)
    steepest = max(slope, bend / trial)
    if not steepest < HUGE:
        return trial
    second = max(1e-6, trial * 1e-3)
    if steepest > 1e-15:
        second = (0.01 / steepest) ** (1.0 / (a.method.sizes[ERROR_ORDER] + 1))
    return min(100.0 * trial, second, limit)
