# they have the arguments of those that they replace
"""Functions of the stepper that differ in native code: kernels are called at their addresses, not through Python.

These functions are translated in place of those of the same name in `engine/`. Consecutive laws with the same kernel
are one call. A kernel that meets a case in which Python might raise, or give another result (a whole number beyond
2**53), returns that it has done so; then Python executes all laws of the flow, or the condition, at the same states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.codes import (
    ALONE,
    BY_OTHERS,
    DEGREE,
    DENSE,
    END_FIRST,
    ERROR_STAGE,
    FIRST_LAW,
    FIRST_STAGE,
    FIRST_WIDTH,
    KEPT,
    LAID,
    LAID_WIDTH,
    LAYING,
    NUMBERS,
    NUMBERS_OF,
    OTHERS,
    RAISES,
    ROW,
    ROW_OF,
    SECOND_LAW,
    STAGES,
    WHERE,
    Y0,
    P,
    R,
    Y,
)
from eventide.engine.law_evaluation import clear, copy
from eventide.engine.stepper import attempt_stages, combine_mixed, complete_stages
from eventide.native.gathering import BOUNDS, FIRST_ROW, FITTING, INTERPOLANT, MOTION
from eventide.native.instructions import (
    address_of,
    combination,
    condition,
    fallback,
    fused,
    law,
)

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

LAYS: Final = 2
"""In `flow.counted`: run lengths are right, and the index rows of joined laws are copied in this pass."""
SHORTEST_RUN: Final = 4
"""Shorter runs are not worth joining."""


def execute(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Execute the laws of a flow; those that read rates, or are called back in Python, by way of row R.

    Where one meets what only Python can do, Python executes them all, at the same states: it may raise an error, or
    have the result, as with whole numbers of any size.
    """
    instant = min(time, a.flow.before_limit[f])
    if a.flow.assigns[f] == 1:
        copy(a, f, Y, KEPT)
    target = row if a.flow.direct[f] == 1 else R
    clear(a, target, a.flow.segments_lo[f], a.flow.segments_hi[f])
    clear(a, target, a.flow.rests_lo[f], a.flow.rests_hi[f])
    clear(a, Y, a.flow.sums_lo[f], a.flow.sums_hi[f])
    if a.flow.counted[f] == 0:
        count_runs(a, f)
    if call_laws(a, f, instant, dt, target) > 0:
        if a.flow.assigns[f] == 1:
            copy(a, f, KEPT, Y)
        fallback(a.run.laws_in_python, -1, f, instant, dt)
        target = R
    if target != row:
        copy(a, f, R, row)


def call_laws(a: Arrays, f: int, instant: float, dt: float, target: int) -> int:
    """Call the kernels of a flow's laws, a run at a time; where two are joined, those that lay rows, or read them.

    Returns     0 if all of them could be executed
    """
    e, place, codes = a.flow.chain_lo[f], a.flow.laid_from[f] + 1, 0
    while e < a.flow.chain_hi[f]:
        at, address, told = a.law.joint[e], a.law.address[e], 0
        if at >= 0:
            address = a.lists[at + LAYING] if a.flow.counted[f] == LAYS else a.lists[at + LAID]
            told = place
            place += a.law.run_length[e] * a.lists[at + LAID_WIDTH]
        if at != BY_OTHERS:
            codes += law(
                address,
                instant,
                dt,
                a.flow.start[f],
                address_of(a.rows[Y, 0]),
                address_of(a.rows[target, 0]),
                address_of(a.rows[Y0, 0]),
                address_of(a.index[0]),
                address_of(a.law.operands[e]),
                a.law.run_length[e],
                address_of(a.lists[told]),
            )
        e += a.law.run_length[e]
    a.flow.counted[f] = 1
    return codes


def count_runs(a: Arrays, f: int) -> None:
    """Find consecutive laws of one kernel; store their number in the first of them, and which call executes them."""
    first, high = a.flow.chain_lo[f], a.flow.chain_hi[f]
    while first < high:
        e = first + 1
        while e < high and a.law.address[e] == a.law.address[first]:
            e += 1
        a.law.run_length[first] = e - first
        a.law.joint[first] = ALONE
        first = e
    if a.run.joined >= 0 and a.flow.direct[f] == 1 and a.flow.assigns[f] == 0:
        join_runs(a, f)
    a.flow.counted[f] = LAYS


def join_runs(a: Arrays, f: int) -> None:
    """Join contributions and equations of the same objects to one call.

    Both are in the order of the objects, so the search for contributions starts after those that were found last.
    """
    start, high = a.flow.chain_lo[f], a.flow.chain_hi[f]
    first = second = start
    place = a.flow.laid_from[f] + 1
    end = place - 1 + a.lists[place - 1] if place > 1 else 0
    while second < high:
        count = a.law.run_length[second]
        at = a.run.joined if count >= SHORTEST_RUN else -1
        while at >= 0:
            found = contributions_of(a, first, second, at)
            if found >= 0 and place + count * a.lists[at + LAID_WIDTH] <= end:
                while start + a.law.run_length[start] <= found:
                    start += a.law.run_length[start]
                cut_run(a, start, found)
                cut_run(a, found, found + count)
                a.law.joint[found], a.law.joint[second] = at, BY_OTHERS
                start, first, place = found, found + count, place + count * a.lists[at + LAID_WIDTH]
                break
            at = a.lists[at + OTHERS]
        second += count


def contributions_of(a: Arrays, first: int, second: int, at: int) -> int:
    """Where behind a place of the chain the contributions begin that are joined with a run of equations; else -1."""
    if a.law.address[second] != a.lists[at + SECOND_LAW]:
        return -1
    operands = a.law.operands[second] - a.lists[at + FIRST_WIDTH]
    while first < second and a.law.operands[first] != operands:
        first += 1
    return first if are_of_the_same(a, first, second, at) else -1


def are_of_the_same(a: Arrays, first: int, second: int, at: int) -> bool:
    """Whether contributions are of the objects of a run of equations, and their index rows are adjacent."""
    if first + a.law.run_length[second] > second:
        return False
    for k in range(a.law.run_length[second]):
        if a.law.operands[first + k] + a.lists[at + FIRST_WIDTH] != a.law.operands[second + k]:
            return False
        if a.law.address[first + k] != a.lists[at + FIRST_LAW]:
            return False
    return True


def cut_run(a: Arrays, start: int, place: int) -> None:
    """Split a run at a place after its start."""
    rest = start + a.law.run_length[start] - place
    if place > start and rest > 0:
        a.law.run_length[start] = place - start
        a.law.run_length[place], a.law.joint[place] = rest, ALONE


def attempt(a: Arrays, f: int, step: float, end: float) -> float:
    """Evaluate stages until the error is known; a small flow that does not slide has a function of its own for it.

    That function also completes an accurate step; if the rates at its end are not finite, its result is negative.
    """
    if a.flow.attempt[f] == 0 or a.flow.slides[f] >= 0:
        return attempt_stages(a, f, step, end)
    ratio = step_of_its_own(a, f, a.flow.attempt[f], step, end)
    if not ratio == ratio:  # noqa: SIM201  # NaN: a law asks Python
        return attempt_to_the_end(a, f, step, end)
    a.flow.evaluations[f] += a.method.sizes[ERROR_STAGE] - 1 + a.method.sizes[END_FIRST]
    if abs(ratio) >= 1.0:
        count_last_stages(a, f)
    return ratio


def attempt_to_the_end(a: Arrays, f: int, step: float, end: float) -> float:
    """What a small flow's own function does, with laws that may ask Python."""
    ratio = attempt_stages(a, f, step, end)
    if ratio >= 1.0 and a.run.raised == 0 and not complete_stages(a, f, step, end):
        return -ratio
    return ratio


def complete(a: Arrays, f: int, step: float, end: float, ratio: float) -> bool:
    """Finish an accepted step; a small flow that slides nowhere has functions of its own for it."""
    if a.flow.complete_step[f] == 0 or a.flow.slides[f] >= 0:
        return complete_stages(a, f, step, end)
    if abs(ratio) >= 1.0:
        return ratio > 0.0
    is_finite = step_of_its_own(a, f, a.flow.complete_step[f], step, end)
    if not is_finite == is_finite:  # noqa: SIM201  # NaN: a law asks Python
        return complete_stages(a, f, step, end)
    count_last_stages(a, f)
    return is_finite != 0.0


def count_last_stages(a: Arrays, f: int) -> None:
    """Count the evaluations that complete a step."""
    if a.method.sizes[END_FIRST] == 0:
        a.flow.evaluations[f] += a.method.sizes[STAGES] - a.method.sizes[ERROR_STAGE] + 1


def step_of_its_own(a: Arrays, f: int, address: int, step: float, end: float) -> float:
    """Call one of the two functions that a small flow has for its steps."""
    return fused(
        address,
        address_of(a.index[0]),
        address_of(a.law.operands[a.flow.chain_lo[f]]),
        address_of(a.lists[0]),
        address_of(a.flow.worst[f]),
        address_of(a.rows[0, 0]),
        a.rows.width,
        a.segments[a.flow.segments_lo[f], 0],
        a.flow.start[f],
        a.flow.start_rest[f],
        a.flow.before_limit[f],
        step,
        end,
    )


def holds(a: Arrays, c: int, f: int, time: float, dt: float) -> bool:
    """Whether condition `c` holds now; where Python would raise, Python tests it at the same states."""
    instant = min(time, a.flow.before_limit[f])
    answer = condition(
        a.guard.address[c],
        instant,
        dt,
        a.flow.start[f],
        address_of(a.rows[Y, 0]),
        address_of(a.rows[R, 0]),
        address_of(a.rows[Y0, 0]),
        address_of(a.index[a.guard.index[c]]),
        address_of(a.constants[a.guard.constants[c]]),
        address_of(a.guard.value[c]),
        address_of(a.lists[0]),
    )
    if answer == RAISES:
        return fallback(a.guard.fallback[c], c, f, instant, dt) != 0
    return answer != 0


def handle(a: Arrays, c: int, at: int, time: float) -> int:
    """Run the kernel of a handler, which lists in `models` what it has written."""
    return condition(
        a.guard.handler[c],
        time,
        0.0,
        time,
        address_of(a.rows[Y, 0]),
        address_of(a.rows[R, 0]),
        address_of(a.rows[Y0, 0]),
        address_of(a.index[a.lists[at + ROW]]),
        address_of(a.constants[a.lists[at + NUMBERS]]),
        address_of(a.models[0]),
        address_of(a.lists[0]),
    )


def compute(a: Arrays, column: int, place: int, time: float) -> bool:
    """Write what the kernel of a tape's column returns; False if Python would have raised an error."""
    return (
        condition(
            a.lists[column + WHERE],
            time,
            0.0,
            time,
            address_of(a.rows[Y, 0]),
            address_of(a.rows[R, 0]),
            address_of(a.rows[Y0, 0]),
            address_of(a.index[a.lists[column + ROW_OF]]),
            address_of(a.constants[a.lists[column + NUMBERS_OF]]),
            address_of(a.constants[place]),
            address_of(a.lists[0]),
        )
        == 0
    )


def combine(a: Arrays, f: int, row: int, stages: int, step: float, target: int, onto_start: bool) -> None:
    """Set a row to a combination of rates: a kernel has weights, target and the rest written into it."""
    if a.method.sizes[FIRST_STAGE] == 2:
        combine_mixed(a, f, row, stages, step, target, onto_start)
    else:
        combine_by(a, f, a.method.kernels[FIRST_ROW + row], step, 0.0)


def fit_rows(a: Arrays, f: int, step: float, columns: int) -> None:
    """Compute the interpolant's coefficients, all at once but for a two-step method."""
    if a.method.sizes[FIRST_STAGE] == 2:
        for m in range(a.method.sizes[DEGREE]):
            combine_mixed(a, f, a.method.sizes[STAGES] + DENSE + m, columns, step, P + m, False)
    else:
        combine_by(a, f, a.method.kernels[FITTING], step, 0.0)


def evaluate_polynomial(a: Arrays, f: int, theta: float) -> None:
    """Set row Y to the states inside a step."""
    combine_by(a, f, a.method.kernels[INTERPOLANT], theta, 0.0)


def evaluate_motion(a: Arrays, f: int, theta: float, scale: float) -> None:
    """Set row Y to the states there, and row R to their derivative."""
    combine_by(a, f, a.method.kernels[MOTION], theta, scale)


def bound_states(a: Arrays, f: int) -> None:
    """Leave in LOWEST and HIGHEST between what each state of a flow stays in the step."""
    combine_by(a, f, a.method.kernels[BOUNDS], 1.0, 0.0)


def combine_by(a: Arrays, f: int, kernel: int, factor: float, scale: float) -> None:
    """Call a method's kernel for the slots of a flow."""
    for s in range(a.flow.segments_lo[f], a.flow.segments_hi[f]):
        low, high = a.segments[s, 0], a.segments[s, 1]
        combination(kernel, address_of(a.rows[0, 0]), a.rows.width, low, high, factor, scale)
