"""What rows ask of kernels and of the stepper. Native code calls these at addresses: see `native/row_overrides.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def run_kernel(a: Rows, i: int) -> int:
    """Let a process run to its next wait; returns what its kernel does. Native code calls it at its address."""
    return int(a.host.kernels[a.activity.kind[i]](a, i))


def march(a: Rows, stop: float, due: float) -> int:
    """Bring all that moves from the present to a time, at which an event is due or before; returns what it has met."""
    return int(a.host.march(a.run.time, stop, due))


def look(a: Rows, slot: int, first: int) -> float:
    """The value of a slot now; NaN where laws have failed."""
    return float(a.host.look(slot, first, a.run.time))


def slope(a: Rows, slot: int, first: int) -> float:
    """The rate of a slot now; NaN where laws have failed."""
    return float(a.host.slope(slot, first, a.run.time))


def may_change(a: Rows, slot: int, first: int) -> bool:
    """Whether a slot may be changed without Python."""
    return bool(a.host.may_change(slot, first))


def change(a: Rows, slot: int, first: int, value: float) -> bool:
    """Change a slot; False where laws have failed."""
    a.run.wrote = 1
    return bool(a.host.change(slot, first, value, a.run.time))


def has_broken(a: Rows) -> bool:
    """Whether laws have failed."""
    return bool(a.host.has_broken())


def may_watch(a: Rows, c: int) -> bool:
    """Whether a process may begin to wait for a condition without Python."""
    return bool(a.host.may_watch(c))


def close_over(a: Rows, c: int, k: int, value: float) -> None:
    """A condition that nobody waits for closes over a number from now on, the one in this place of those it has."""
    a.host.close_over(c, k, value)


def watch(a: Rows, c: int, i: int, is_prior: bool) -> bool:
    """The process in a row begins to wait for a condition; False where laws have failed."""
    a.run.wrote = 1
    return bool(a.host.watch(c, i, a.run.time, is_prior))


def begin_history(a: Rows, c: int) -> None:
    """A condition is another process's from now on, for which it has not fired yet."""
    a.host.begin_history(c)


def unwatch(a: Rows, c: int) -> bool:
    """A wait for a condition is withdrawn; False where laws have failed."""
    a.run.wrote = 1
    return bool(a.host.unwatch(c, a.run.time))


def waiter(a: Rows) -> int:
    """The row of what waits for the event that was found; NONE if Python is to know of that event."""
    return int(a.host.waiter())


def found_at(a: Rows) -> float:
    """The time of the event that was found; what has waited for it does so no longer."""
    return float(a.host.found_at())
