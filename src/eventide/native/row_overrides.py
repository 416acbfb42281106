"""Functions of `rows/` that differ in native code: kernels and the stepper are called at addresses, not by Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.native.instructions import kernel, order_to_stepper, stepper, truth_of_stepper, value_of_stepper

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def run_kernel(a: Rows, i: int) -> int:
    """Let a process run to its next wait; returns what its kernel does."""
    return kernel(a.kind.address[a.activity.kind[i]], i)


def march(a: Rows, stop: float, due: float) -> int:
    """Bring all that moves from the present to a time, at which an event is due or before; returns what it has met."""
    return stepper(a.run.marching, a.run.arrays, a.run.time, stop, due)


def look(a: Rows, slot: int, first: int) -> float:
    """The value of a slot now; NaN where laws have failed."""
    return value_of_stepper(a.run.looking, a.run.arrays, slot, first, a.run.time)


def slope(a: Rows, slot: int, first: int) -> float:
    """The rate of a slot now; NaN where laws have failed."""
    return value_of_stepper(a.run.sloping, a.run.arrays, slot, first, a.run.time)


def may_change(a: Rows, slot: int, first: int) -> bool:
    """Whether a slot may be changed without Python."""
    return truth_of_stepper(a.run.asking, a.run.arrays, slot, first)


def change(a: Rows, slot: int, first: int, value: float) -> bool:
    """Change a slot; False where laws have failed."""
    a.run.wrote = 1
    return truth_of_stepper(a.run.changing, a.run.arrays, slot, first, value, a.run.time)


def has_broken(a: Rows) -> bool:
    """Whether laws have failed."""
    return truth_of_stepper(a.run.breaking, a.run.arrays)


def may_watch(a: Rows, c: int) -> bool:
    """Whether a process may begin to wait for a condition without Python."""
    return truth_of_stepper(a.run.admitting, a.run.arrays, c)


def close_over(a: Rows, c: int, k: int, value: float) -> None:
    """A condition that nobody waits for closes over a number from now on, the one in this place of those it has."""
    order_to_stepper(a.run.closing, a.run.arrays, c, k, value)


def watch(a: Rows, c: int, i: int, is_prior: bool) -> bool:
    """The process in a row begins to wait for a condition; False where laws have failed."""
    a.run.wrote = 1
    return truth_of_stepper(a.run.entering, a.run.arrays, c, i, a.run.time, is_prior)


def begin_history(a: Rows, c: int) -> None:
    """A condition is another process's from now on, for which it has not fired yet."""
    order_to_stepper(a.run.forgetting, a.run.arrays, c)


def unwatch(a: Rows, c: int) -> bool:
    """A wait for a condition is withdrawn; False where laws have failed."""
    a.run.wrote = 1
    return truth_of_stepper(a.run.withdrawing, a.run.arrays, c, a.run.time)


def waiter(a: Rows) -> int:
    """The row of what waits for the event that was found; NONE if Python is to know of that event."""
    return stepper(a.run.naming, a.run.arrays)


def found_at(a: Rows) -> float:
    """The time of the event that was found; what has waited for it does so no longer."""
    return value_of_stepper(a.run.timing, a.run.arrays)
