"""Shifts: the hours at which a resource is open, again and again without drift."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from eventide.declare import Component, check_same_simulation
from eventide.declare.periods import Grid, exact_number, exact_period
from eventide.discrete.commands import NOTHING
from eventide.discrete.resources.resource import Excess, Resource, check_capacity, check_excess
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.simulation import Simulation

Number: TypeAlias = float | Fraction
Hours: TypeAlias = tuple[Number, ...] | list[Number]
"""From when to when a shift lasts, and with how many units if that is not the usual number."""


class Change:
    """One of the instants of a period at which the capacity changes."""

    __slots__ = ("capacity", "grid", "index")

    def __init__(self, grid: Grid, capacity: int, now: float) -> None:
        self.grid = grid
        self.capacity = capacity
        self.index = grid.index_after(now)
        """The number of its next occurrence."""

    def next_time(self) -> float:
        """When it happens next."""
        return self.grid.time(self.index)

    def last_time(self) -> float:
        """When it happened last."""
        return self.grid.time(self.index - 1)


class _Agenda:
    """The run's own data about shifts; a plain base, so that none of it counts as a declared field."""

    reason = "a shift has ended or begun"
    _notice: Notice | None = None
    _receiver: None = None
    _value = _wait = None


class Shifts(_Agenda, Component):
    """Opens and closes a resource at the same hours of every period.

    resource    what is opened and closed
    hours       the shifts of a period, each (from, to) or (from, to, units); what lies between them is a break
    period      how long a period is; floats are read by their decimal form, as 0.1 is 1/10
    capacity    units in a shift that does not say how many; the capacity of the resource if not given
    on_close    what becomes of work in progress when units go: "finish" (it is done in overtime), "suspend" (it stands
                still and continues at the next shift) or "preempt", as `excess` of `Resource.set_capacity`
    start       a time at which a period begins

    A shift may extend into the next period, as (22, 30) of 24. From now on the shifts set the capacity, until `stop()`.
    At the hour itself a change has its turn as if a process had held since the change before.
    """

    def __init__(
        self,
        sim: Simulation,
        resource: Resource,
        hours: Iterable[Hours],
        *,
        period: Number,
        capacity: int | None = None,
        on_close: Excess = "finish",
        start: Number = 0,
        name: str = "",
    ) -> None:
        self._attach(sim, name)
        check_same_simulation(sim, resource)
        self.resource = resource
        self.on_close = check_excess(on_close, f"Shifts(on_close=...) of {resource.name}")
        usual = resource.capacity if capacity is None else check_capacity(capacity, resource.name)
        length = exact_period(period)
        first = exact_number(start, "start=")
        self._changes = [
            Change(Grid(0.0, length, (first + hour) % length), units, sim.time)
            for hour, units in plan_of(hours, length, usual)
        ]
        resource.set_capacity(max(self._changes, key=Change.last_time).capacity, excess=on_close)
        self._schedule()

    @property
    def is_open(self) -> bool:
        """Whether the resource has units now."""
        return self.resource.capacity > 0

    @property
    def next_change(self) -> float:
        """When the capacity changes next; infinity if it never does."""
        return inf if self._notice is None else self._notice[0]

    def stop(self) -> None:
        """Change the capacity no more; it stays as it is."""
        self._notice = None

    def _schedule(self) -> None:
        """Place the next change in the event list; there is none if the capacity is the same throughout."""
        if len(self._changes) != 1:
            sim = self.sim
            self._next = min(self._changes, key=Change.next_time)
            due = self._next.next_time()
            if due <= sim.time:
                raise ModelError(f"the hours of {self.name} are too short to advance time beyond {sim.time!r}")
            sim._calendar.schedule(due, sim.time, self)

    def _resume(self) -> object:
        change = self._next
        change.index += 1
        self.resource.set_capacity(change.capacity, excess=self.on_close)
        self._schedule()
        return NOTHING

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return f"<{self.name} of {self.resource.name}: {state} until {self.next_change!r}>"


def plan_of(hours: Iterable[Hours], period: Fraction, usual: int) -> list[tuple[Fraction, int]]:
    """The hours of a period, from 0 on, at which the capacity changes, and to what.

    Raises ModelError if a shift is none, or two overlap.
    """
    shifts = sorted((read_shift(shift, period, usual) for shift in hours), key=lambda shift: shift[0])
    if not shifts:
        raise ModelError("Shifts takes the hours at which a resource is open, as [(8, 12), (13, 17)], and got none")
    plan: dict[Fraction, int] = {}
    for number, (begin, end, units) in enumerate(shifts, 1):
        following = shifts[number][0] if number < len(shifts) else shifts[0][0] + period
        if end > following:
            raise ModelError(
                f"the shift from {float(begin):g} to {float(end):g} overlaps the one from {float(following):g}: "
                "give one shift, with the units that there are in all"
            )
        plan[begin] = units
        if end < following:
            plan[end % period] = 0
    changes = sorted(plan.items())
    # An hour at which nothing changes is none; of a plan without any change one is kept.
    real = [
        change for before, change in zip([changes[-1], *changes[:-1]], changes, strict=True) if before[1] != change[1]
    ]
    return real or changes[:1]


def read_shift(shift: object, period: Fraction, usual: int) -> tuple[Fraction, Fraction, int]:
    """From when to when a shift lasts, and its units; ModelError if that cannot be."""
    if not (isinstance(shift, tuple | list) and len(shift) in (2, 3)):
        raise ModelError(f"a shift is (from, to) or (from, to, units), and got {shift!r}")
    begin, end = (exact_number(hour, "a shift") for hour in shift[:2])
    if not (0 <= begin < period and begin < end <= begin + period):
        raise ModelError(
            f"a shift begins in a period, from 0 on and before {float(period):g}, and lasts no longer than one; "
            f"got {tuple(shift)!r}: write one that goes past the end of the period as (22, 30) of 24"
        )
    return begin, end, check_capacity(shift[2], "a shift") if len(shift) == 3 else usual
