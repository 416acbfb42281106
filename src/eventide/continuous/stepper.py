"""One step of an explicit pair, over arrays: plain functions that run as they are and that numba can compile.

`rows` is a table of slots, one row for each thing that is known of a state. A segment (lo, hi) is a run of slots that
are integrated. `evaluate(model, time, dt)` executes the laws at the states in row Y and leaves their rates in row R; it
may also change Y (difference equations). Nothing here allocates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from eventide.continuous.methods import Coefficients

Rows: TypeAlias = Any
"""A sequence of rows of floats: a list of memoryviews, or a two-dimensional array."""
Segments: TypeAlias = Sequence[tuple[int, int]]
Evaluate: TypeAlias = Callable[[Any, float, float], None]

Y: Final = 0
"""What laws, conditions and users see."""
R: Final = 1
"""The rates that belong to it."""
Y0: Final = 2
"""The states at the start of the step."""
E0: Final = 3
"""What rounding took from Y0: the exact state is nearer to Y0 + E0."""
MIDDLE: Final = 4
"""The states at which relative tolerances are measured."""
Y2: Final = 5
"""The states at the end of the step."""
E2: Final = 6
"""What rounding took from Y2."""
ABS: Final = 7
"""Absolute tolerances."""
REL: Final = 8
"""Relative tolerances."""
P: Final = 9
"""First of the rows that hold the interpolant's coefficients of theta, theta**2, ..."""
K: Final = 17
"""First of the rows that hold the rates of the stages; the one after the last stage: the rate at the end."""
ROWS: Final = 34

RATIO_CAP: Final = 64.0
"""A step is never more than doubled: 64 = 2 * 2**5. Source: Helsgaun, manual, 2.2.1.2."""


def attempt(
    rows: Rows,
    segments: Segments,
    method: Coefficients,
    time: float,
    rest: float,
    step: float,
    evaluate: Evaluate,
    model: Any,
) -> tuple[float, int]:
    """Evaluate the stages of one step until its error is known.

    time, rest      the start, as a float and what rounding took from it
    Returns         the smallest ratio of tolerance to error over all slots, at most 64 (below 1 the step is to be
                    refused), and the slot where it was met (-1 if the cap was not undercut)
    Cost            as many evaluations as the estimate has stages, less the first, whose rate is known
    """
    for stage in range(1, method.error_stage):
        _stage(rows, segments, method, time, rest, step, stage, evaluate, model)
    return error_ratio(rows, segments, method, step)


def complete(
    rows: Rows,
    segments: Segments,
    method: Coefficients,
    time: float,
    rest: float,
    step: float,
    end: float,
    evaluate: Evaluate,
    model: Any,
) -> None:
    """Finish an accepted step: remaining stages, the states at its end (compensated sum) and their rates.

    end     the time of the step's end, exact where an event is due there
    """
    for stage in range(method.error_stage, method.stages):
        _stage(rows, segments, method, time, rest, step, stage, evaluate, model)
    combine(rows, segments, method.weights, method.stages, step, Y2)
    start, lost = rows[Y0], rows[E0]
    after, left, seen = rows[Y2], rows[E2], rows[Y]
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            # Two-sum of the old state and its increment. Source: Moller, BIT 5 (1965); Knuth, TAOCP 2, 4.2.2.
            increment = lost[i] + after[i]
            total = start[i] + increment
            part = total - start[i]
            left[i] = (start[i] - (total - part)) + (increment - part)
            after[i] = total
            seen[i] = total
    evaluate(model, end, step)
    copy(rows, segments, R, K + method.stages)
    keep_end(rows, segments)


def keep_end(rows: Rows, segments: Segments) -> None:
    """Take the states as the laws left them for the end of the step: difference equations assign them."""
    after, left, seen = rows[Y2], rows[E2], rows[Y]
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            if after[i] != seen[i]:
                after[i] = seen[i]
                left[i] = 0.0


def _stage(
    rows: Rows,
    segments: Segments,
    method: Coefficients,
    time: float,
    rest: float,
    step: float,
    stage: int,
    evaluate: Evaluate,
    model: Any,
) -> None:
    combine(rows, segments, method.matrix[stage], stage, step, Y)
    start, lost, seen = rows[Y0], rows[E0], rows[Y]
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            seen[i] = start[i] + (lost[i] + seen[i])
    if stage == method.scale_stage:
        copy(rows, segments, Y, MIDDLE)
    elapsed = method.nodes[stage] * step
    evaluate(model, time + (rest + elapsed), elapsed)
    copy(rows, segments, R, K + stage)


def combine(rows: Rows, segments: Segments, weights: Sequence[float], stages: int, step: float, target: int) -> None:
    """Set row `target` to step * (weights . rates of the first `stages` stages)."""
    out = rows[target]
    for s in range(len(segments)):
        lo, hi = segments[s][0], segments[s][1]
        for i in range(lo, hi):
            out[i] = 0.0
        for j in range(stages):
            weight = step * weights[j]
            if weight != 0.0:
                rate = rows[K + j]
                for i in range(lo, hi):
                    out[i] += weight * rate[i]


def copy(rows: Rows, segments: Segments, source: int, target: int) -> None:
    """Copy one row to another."""
    taken, given = rows[source], rows[target]
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            given[i] = taken[i]


def error_ratio(rows: Rows, segments: Segments, method: Coefficients, step: float) -> tuple[float, int]:
    """The smallest ratio of tolerance to estimated error, capped, and the slot where it was met.

    A NaN or an infinite estimate counts as a ratio of zero. Uses row Y2 as scratch.
    """
    combine(rows, segments, method.error, method.error_stage, step, Y2)
    error, middle, absolute, relative = rows[Y2], rows[MIDDLE], rows[ABS], rows[REL]
    ratio, worst = RATIO_CAP, -1
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            size = abs(error[i])
            tolerance = abs(absolute[i]) + abs(relative[i] * middle[i])
            if not size * ratio <= tolerance:
                ratio = tolerance / size if size < 1e300 else 0.0
                worst = i
                if not ratio > 0.0:
                    return 0.0, worst
    return ratio, worst


def fit(rows: Rows, segments: Segments, method: Coefficients, step: float) -> None:
    """Compute the interpolant's coefficients for the step that has been completed."""
    for m in range(method.degree):
        combine(rows, segments, method.dense[m], method.stages + 1, step, P + m)


def interpolate(rows: Rows, segments: Segments, method: Coefficients, theta: float) -> None:
    """Set row Y to the states at the fraction `theta` of the completed and fitted step; 1 gives its end exactly."""
    if theta == 1.0:
        copy(rows, segments, Y2, Y)
        return
    start, lost, seen = rows[Y0], rows[E0], rows[Y]
    for s in range(len(segments)):
        lo, hi = segments[s][0], segments[s][1]
        for i in range(lo, hi):
            seen[i] = 0.0
        for m in range(method.degree - 1, -1, -1):
            coefficient = rows[P + m]
            for i in range(lo, hi):
                seen[i] = theta * (seen[i] + coefficient[i])
        for i in range(lo, hi):
            seen[i] = start[i] + (lost[i] + seen[i])


def first_step(
    rows: Rows,
    segments: Segments,
    order: int,
    time: float,
    limit: float,
    evaluate: Evaluate,
    model: Any,
) -> float:
    """Estimate the size of a first step from the states, their rates and one evaluation nearby.

    limit       the longest step that may be tried
    Source      Hairer, Norsett & Wanner, Solving ODEs I, II.4 (there in the Euclidean norm, here in the maximum norm)
    """
    states, rates = rows[Y0], rows[K]
    size = slope = 0.0
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            scale = abs(rows[ABS][i]) + abs(rows[REL][i] * states[i])
            if scale > 0.0:
                size = max(size, abs(states[i]) / scale)
                slope = max(slope, abs(rates[i]) / scale)
    trial = 1e-6
    if size > 1e-5 and 1e-5 < slope < 1e300:
        trial = 0.01 * size / slope
    trial = min(trial, limit)
    seen, rates_there = rows[Y], rows[R]
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            seen[i] = states[i] + trial * rates[i]
    evaluate(model, time + trial, trial)
    bend = 0.0
    for s in range(len(segments)):
        for i in range(segments[s][0], segments[s][1]):
            scale = abs(rows[ABS][i]) + abs(rows[REL][i] * states[i])
            if scale > 0.0:
                bend = max(bend, abs(rates_there[i] - rates[i]) / scale)
    steepest = max(slope, bend / trial)
    if not steepest < 1e300:
        return trial
    second = max(1e-6, trial * 1e-3) if steepest <= 1e-15 else (0.01 / steepest) ** (1.0 / (order + 1))
    return min(100.0 * trial, second, limit)
