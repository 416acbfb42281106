"""One pass over the laws of a flow, and sliding along surfaces: plain functions, also translated to native code.

In: the states in row Y, and the time. Out: `evaluate(arrays, flow, time, dt, row)` leaves the rates in `row`. Laws may
also change Y (difference equations). Rates and sums are zeroed first; contributions run before equations.

Where the fields on both sides of a surface g = 0 point at it, the solution slides along it (Filippov): with the field
above weighted by s and the field below by 1 - s such that g keeps its value. The laws are executed with the modes that
hold below, and once more for each surface with the modes that hold above it; the differences are weighted by the
solution of one linear equation per surface. For several surfaces this is right if each mode contributes to the rates
by itself, which is checked before. Drift off a surface is reduced by half in each step.

Source: Filippov, Differential Equations with Discontinuous Righthand Sides (1988), section 4; for several surfaces
Utkin, Sliding Modes in Control and Optimization (1992), chapter 2: the weights are the equivalent controls.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    COUNT,
    KEPT,
    MODE_SLOTS,
    MODE_VALUES,
    MODES,
    PASSES,
    PER_SURFACE,
    RUNS,
    SHARE,
    SLIDE_HEAD,
    SURFACE,
    WIDTH_OF_PASS,
    R,
    Y,
)

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

RETURN: Final = 0.5
"""The fraction of a drift off a surface that the next step of usual length takes back, approximately."""
BELOW: Final = 0
ABOVE: Final = 1
OUTSIDE: Final = 2


def copy(a: Arrays, f: int, source: int, target: int) -> None:
    """Copy one row to another, for the slots of a flow."""
    rows = a.rows
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            rows[target, i] = rows[source, i]


def clear(a: Arrays, row: int, first: int, end: int) -> None:
    """Set a row to zero, for some runs of slots."""
    for s in range(first, end):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            a.rows[row, i] = 0.0


def execute(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Execute the laws of flow `f` once; native code calls kernels by their addresses instead.

    A step that ends where an input jumps sees it as it is before, at the end, too.
    """
    a.host.evaluate(f, min(time, a.flow.before_limit[f]), dt)
    if row != R:
        copy(a, f, R, row)


def is_true(a: Arrays, c: int, f: int, time: float, dt: float) -> bool:
    """Whether condition `c` holds now; its event function and that one's slope are left in GUARD and SLOPE.

    Laws give rates to states that are stopped one by one, too. They do not move: to the slope these rates are 0.
    """
    if a.flow.rests_lo[f] == a.flow.rests_hi[f] or a.guard.needs_laws[c] == 1:
        return holds(a, c, f, time, dt)
    for run in range(a.flow.rests_lo[f], a.flow.rests_hi[f]):
        for i in range(a.segments[run, 0], a.segments[run, 1]):
            a.rows[KEPT, i], a.rows[R, i] = a.rows[R, i], 0.0
    truth = holds(a, c, f, time, dt)
    for run in range(a.flow.rests_lo[f], a.flow.rests_hi[f]):
        for i in range(a.segments[run, 0], a.segments[run, 1]):
            a.rows[R, i] = a.rows[KEPT, i]
    return truth


def holds(a: Arrays, c: int, f: int, time: float, dt: float) -> bool:
    """Whether condition `c` holds at the states in row Y; its slope is found by the rates in row R.

    As laws, it sees an input that jumps at the end of a step as it is before. Native code calls kernels by their
    addresses instead.
    """
    return a.host.is_true(c, f, min(time, a.flow.before_limit[f]), dt)


def evaluate(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Leave the rates of flow `f` at the states in row Y in a row."""
    if a.flow.slides[f] < 0:
        execute(a, f, time, dt, row)
    else:
        slide(a, f, time, dt, row)


def slide(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Compute rates, computed values and sums of a sliding flow, and the weights that keep it on its surfaces.

    The modes outside of passes stay as they are.
    """
    head = a.flow.slides[f]
    count, width, passes = a.lists[head + COUNT], a.lists[head + WIDTH_OF_PASS], a.lists[head + PASSES]
    equations = passes + (count + 1) * width
    for k in range(count):
        set_mode(a, head, k, BELOW)
    for p in range(count + 1):
        if p > 0:
            set_mode(a, head, p - 1, ABOVE)
        execute(a, f, time, dt, R)
        take_speeds(a, f, time, dt, p)
        keep_pass(a, f, passes + p * width)
        if p > 0:
            set_mode(a, head, p - 1, BELOW)
    solve(a, equations, count)
    for k in range(count):
        set_mode(a, head, k, OUTSIDE)
        share = a.lists[head + SLIDE_HEAD + k * PER_SURFACE + SHARE]
        a.rows[Y, share] = a.constants[equations + k * (count + 1) + count]
    blend(a, f)
    if row != R:
        copy(a, f, R, row)


def set_mode(a: Arrays, head: int, k: int, side: int) -> None:
    """Set the mode of surface number `k` to that of a side, or to that outside of passes."""
    at = head + SLIDE_HEAD + k * PER_SURFACE
    modes, slots, values = a.lists[at + MODES], a.lists[at + MODE_SLOTS], a.lists[at + MODE_VALUES]
    for m in range(modes):
        slot = a.lists[slots + m]
        a.rows[Y, slot] = a.constants[values + side * modes + m]


def take_speeds(a: Arrays, f: int, time: float, dt: float, p: int) -> None:
    """Write the rates of the surfaces' functions in pass number `p` to the equations for the weights.

    A row for each surface: how much its rate differs in each pass from the first, and what the first lacks, with a
    correction of the drift.
    """
    head = a.flow.slides[f]
    count = a.lists[head + COUNT]
    # Not the step that is tried: what a correction moves would not shrink with it, however often it is refused.
    usual = a.flow.usual_step[f]
    for k in range(count):
        c = a.lists[head + SLIDE_HEAD + k * PER_SURFACE + SURFACE]
        at = a.lists[head + PASSES] + (count + 1) * a.lists[head + WIDTH_OF_PASS] + k * (count + 1)
        is_true(a, c, f, time, dt)
        if p == 0:
            a.constants[at + count] = -a.guard.slope[c]
        else:
            a.constants[at + p - 1] = a.guard.slope[c] + a.constants[at + count]
        if p == count and usual > 0.0:
            a.constants[at + count] -= RETURN * a.guard.value[c] / usual


def keep_pass(a: Arrays, f: int, at: int) -> None:
    """Keep the rates, computed values and sums that a pass has given."""
    head = a.flow.slides[f]
    at = keep_rates(a, a.flow.segments_lo[f], a.flow.segments_hi[f], at)
    at = keep_rates(a, a.flow.rests_lo[f], a.flow.rests_hi[f], at)
    runs = head + SLIDE_HEAD + a.lists[head + COUNT] * PER_SURFACE
    for r in range(a.lists[head + RUNS]):
        for i in range(a.lists[runs + 2 * r], a.lists[runs + 2 * r + 1]):
            a.constants[at] = a.rows[Y, i]
            at += 1


def keep_rates(a: Arrays, first: int, end: int, at: int) -> int:
    """Store the rates of some runs of slots; returns the place after them."""
    for s in range(first, end):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            a.constants[at] = a.rows[R, i]
            at += 1
    return at


def solve(a: Arrays, at: int, count: int) -> None:
    """Solve linear equations by elimination with pivots; the last column becomes the solution, NaN if there is none."""
    width = count + 1
    for k in range(count):
        best = k
        for i in range(k + 1, count):
            if abs(a.constants[at + i * width + k]) > abs(a.constants[at + best * width + k]):
                best = i
        pivot = a.constants[at + best * width + k]
        for j in range(k, width):
            kept = a.constants[at + k * width + j]
            a.constants[at + k * width + j] = a.constants[at + best * width + j] / pivot if pivot != 0.0 else nan
            if best != k:
                a.constants[at + best * width + j] = kept
        for i in range(count):
            if i != k:
                factor = a.constants[at + i * width + k]
                for j in range(k, width):
                    a.constants[at + i * width + j] -= factor * a.constants[at + k * width + j]


def blend(a: Arrays, f: int) -> None:
    """Add the passes, each with its weight: in row R, and in computed values and sums."""
    head = a.flow.slides[f]
    place = blend_rates(a, head, a.flow.segments_lo[f], a.flow.segments_hi[f], 0)
    place = blend_rates(a, head, a.flow.rests_lo[f], a.flow.rests_hi[f], place)
    runs = head + SLIDE_HEAD + a.lists[head + COUNT] * PER_SURFACE
    for r in range(a.lists[head + RUNS]):
        for i in range(a.lists[runs + 2 * r], a.lists[runs + 2 * r + 1]):
            a.rows[Y, i] = blended(a, head, place)
            place += 1


def blend_rates(a: Arrays, head: int, first: int, end: int, place: int) -> int:
    """Add the passes in the rates of some runs of slots; returns the place after them."""
    for s in range(first, end):
        for i in range(a.segments[s, 0], a.segments[s, 1]):
            a.rows[R, i] = blended(a, head, place)
            place += 1
    return place


def blended(a: Arrays, head: int, place: int) -> float:
    """The number of the first pass at a place, plus the weighted differences of the others."""
    count, width = a.lists[head + COUNT], a.lists[head + WIDTH_OF_PASS]
    at = a.lists[head + PASSES] + place
    first = total = a.constants[at]
    for k in range(count):
        change = a.constants[at + (k + 1) * width] - first
        if change != 0.0:
            total += change * a.rows[Y, a.lists[head + SLIDE_HEAD + k * PER_SURFACE + SHARE]]
    return float(total)
