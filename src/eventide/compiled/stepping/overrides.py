# they have the arguments of those whose place they take
"""What the stepper does differently as native code: kernels are called by their addresses, not through Python.

These functions are translated in place of those of the same name in the continuous room.
"""

from __future__ import annotations

from eventide.compiled.stepping.instructions import address_of, clear_run, combination, condition, law, restriction
from eventide.continuous.passes import copy
from eventide.continuous.stepper import combine_mixed
from eventide.continuous.tables import (
    ADDRESS,
    BEFORE,
    CHAIN_HI,
    CHAIN_LO,
    CONSTANTS,
    DIRECT,
    FIRST_STAGE,
    GUARD,
    INDEX,
    SCRATCH,
    SEGMENTS_HI,
    SEGMENTS_LO,
    START,
    SUMS_HI,
    SUMS_LO,
    TABLE_ROWS,
    Y0,
    Arrays,
    R,
    Y,
)


def execute(a: Arrays, f: int, time: float, dt: float, row: int) -> None:
    """Execute the laws of a flow; those that look at rates, or are called back in Python, by way of row R."""
    instant = min(time, a.flow_floats[f, BEFORE])
    target = row if a.flow_ints[f, DIRECT] == 1 else R
    for s in range(a.flow_ints[f, SEGMENTS_LO], a.flow_ints[f, SEGMENTS_HI]):
        clear_run(address_of(a.rows[target, a.segments[s, 0]]), address_of(a.rows[target, a.segments[s, 1]]))
    for s in range(a.flow_ints[f, SUMS_LO], a.flow_ints[f, SUMS_HI]):
        clear_run(address_of(a.rows[Y, a.sums[s, 0]]), address_of(a.rows[Y, a.sums[s, 1]]))
    for e in range(a.flow_ints[f, CHAIN_LO], a.flow_ints[f, CHAIN_HI]):
        law(
            a.chain[e, 0],
            instant,
            dt,
            a.flow_floats[f, START],
            address_of(a.rows[Y, 0]),
            address_of(a.rows[target, 0]),
            address_of(a.rows[Y0, 0]),
            address_of(a.index[a.chain[e, 1]]),
            a.chain[e, 2],
            address_of(a.lists[0]),
        )
    if target != row:
        copy(a, f, R, row)


def is_true(a: Arrays, c: int, f: int, time: float, dt: float) -> bool:
    """Whether condition `c` holds now."""
    return (
        condition(
            a.conditions[c, ADDRESS],
            time,
            dt,
            a.flow_floats[f, START],
            address_of(a.rows[Y, 0]),
            address_of(a.rows[R, 0]),
            address_of(a.rows[Y0, 0]),
            address_of(a.index[a.conditions[c, INDEX]]),
            address_of(a.constants[a.conditions[c, CONSTANTS]]),
            address_of(a.condition_floats[c, GUARD]),
            address_of(a.lists[0]),
        )
        != 0
    )


def combine(a: Arrays, f: int, row: int, stages: int, step: float, target: int, onto_start: bool) -> None:
    """Set a row to a combination of rates: a kernel has weights, target and the rest written into it."""
    if a.method.sizes[FIRST_STAGE] == 2:
        combine_mixed(a, f, row, stages, step, target, onto_start)
    else:
        combine_by(a, f, a.method.kernels[row], step, 0.0)


def evaluate_polynomial(a: Arrays, f: int, theta: float) -> None:
    """Set row Y to the states inside a step."""
    combine_by(a, f, a.method.kernels[a.method.sizes[TABLE_ROWS]], theta, 0.0)


def derive_polynomial(a: Arrays, f: int, theta: float, scale: float) -> None:
    """Set row R to the derivative there."""
    combine_by(a, f, a.method.kernels[a.method.sizes[TABLE_ROWS] + 1], theta, scale)


def restrict(a: Arrays, c: int, at: int, low: float, high: float) -> None:
    """Leave in the scratch columns the Bernstein coefficients for a part of the step."""
    restriction(
        a.method.kernels[a.method.sizes[TABLE_ROWS] + 2],
        address_of(a.condition_floats[c, at]),
        address_of(a.condition_floats[c, SCRATCH]),
        low,
        high,
    )


def combine_by(a: Arrays, f: int, kernel: int, factor: float, scale: float) -> None:
    """Call a method's kernel for the slots of a flow."""
    for s in range(a.flow_ints[f, SEGMENTS_LO], a.flow_ints[f, SEGMENTS_HI]):
        low, high = a.segments[s, 0], a.segments[s, 1]
        combination(kernel, address_of(a.rows[0, 0]), a.rows.width, low, high, factor, scale)
