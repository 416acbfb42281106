"""Periodic events that do not drift: the k-th is at `anchor + k * period`, rounded once (see `declare/periods.py`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from eventide.declare.periods import Grid, exact_number, exact_period, grid_of
from eventide.discrete.commands import NOTHING, command
from eventide.discrete.conditions.condition import check_priority
from eventide.discrete.conditions.when import refuse_generator, refuse_stop_iteration
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.declare import Component
    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.world import World


class EverySpec(NamedTuple):
    """What `@every` found in a class: a handler and its period."""

    handler: Callable[..., object]
    period: Fraction
    offset: Fraction
    priority: float

    def bind(self, component: Component, method: str) -> Timer:
        """The timer of one component, whose class has the handler by this name; to be scheduled at its start."""
        grid = Grid(component.sim.time, self.period, self.offset)
        return Timer(component, method, grid, self.priority)


class Timer:
    """The periodic event of an `@every` handler.

    method      its name: what Python finds by it when its time has come is called, as that may have been replaced
    """

    __slots__ = ("_notice", "_value", "_wait", "component", "grid", "index", "is_live", "method", "priority")
    _receiver = None
    _notice: Notice | None

    def __init__(self, component: Component, method: str, grid: Grid, priority: float) -> None:
        self.component = component
        self.method = method
        self.grid = grid
        self.priority = priority
        self.index = 0
        self.is_live = True
        self._notice = self._value = self._wait = None

    @property
    def name(self) -> str:
        """The component's name and the handler's."""
        return f"{self.component.name}.{self.method}"

    def schedule(self) -> None:
        """Place the next occurrence in the event list."""
        sim, index = self.component.sim, self.index
        due, now = self.grid.time(index), sim.time
        if index and due <= now:
            raise ModelError(f"the period of {self.name} is too small to advance time beyond {now!r}")
        if self.priority:
            sim._calendar.schedule_ranked(due, now, self.priority, self)
        else:
            sim._calendar.schedule(due, now, self)
        self.index = index + 1

    def withdraw(self) -> None:
        """Let it not occur again."""
        self._notice = None
        self.is_live = False

    def _resume(self) -> object:
        handler = getattr(self.component, self.method)
        try:
            handler()
        except StopIteration as error:
            refuse_stop_iteration(handler, error)
        finally:  # after an error as well: the next run goes on with the next occurrence
            if self.is_live:
                self.schedule()
        return NOTHING


Marked = TypeVar("Marked", bound=Callable[..., None])


def every(
    period: float | None = None, *, hz: float | None = None, offset: float = 0.0, priority: float = 0.0
) -> Callable[[Marked], Marked]:
    """Mark a method to run periodically, at `start + offset + k * period`, k = 0, 1, ..., without drift.

    period, hz  the period in time units, or its inverse; `0.1` means exactly 1/10
    offset      shifts the first instant; `offset=period` skips the one at the start
    priority    among the events of one time: high first
    """
    if callable(period):
        raise TypeError("every takes a period: write `@ev.every(0.1)`, or `@ev.every(hz=10)`, above the method")
    exact = exact_period(period, hz)
    shift = exact_number(offset, "offset=")
    to_float(shift, "offset=")
    check_priority("every", priority)

    def mark(handler: Marked) -> Marked:
        refuse_generator(handler, "every")
        handler._every = EverySpec(handler, exact, shift, float(priority))  # type: ignore[attr-defined]  # our mark
        return handler

    mark._waits_for_handler = True  # type: ignore[attr-defined]  # our mark
    return mark


class Tick:
    """The command to wait for the next point of the process's own periodic grid."""

    __slots__ = ("period", "priority")

    def __init__(self, period: Fraction, priority: float) -> None:
        self.period = period
        self.priority = priority

    def _execute(self, sim: World, activity: Activity, /) -> None:
        grid = grid_of(getattr(activity, "_anchor", 0.0), self.period.numerator, self.period.denominator)
        due = grid.time(grid.index_after(sim.time))
        sim._calendar.schedule_ranked(due, sim.time, self.priority, activity)


@command
def tick(period: float | None = None, *, hz: float | None = None, priority: float = 0.0) -> Tick:
    """Command: wait for the next instant after now of the grid that begins at the process's first activation.

    period, hz  the period in time units, or its inverse; `0.1` means exactly 1/10
    priority    among the events of that time: high first
    """
    check_priority("tick", priority)
    return Tick(exact_period(period, hz), float(priority))
