"""What a run leaves out: processes never activated, waits that nothing can end, deadlocks, units never given back.

In: what was made before the run. Out: one warning. It looks at what is new as a run begins, and at what of it has
taken no part as it ends, so that a long run pays nothing.
"""

from __future__ import annotations

import warnings
from math import isclose
from sys import getrefcount
from typing import TYPE_CHECKING, Final, Protocol

from eventide.declare import ClassContents, Component, refuse_late
from eventide.discrete.processes.endings import End
from eventide.discrete.processes.process import Process, owner_of
from eventide.discrete.processes.reasons import why_waiting
from eventide.discrete.resources.container import AmountGet, AmountTransfer
from eventide.discrete.resources.line import WAITING
from eventide.discrete.resources.request import Request
from eventide.errors import IdleWarning
from eventide.reading.bytecode import is_in_loop
from eventide.reading.description import MOST, listed, who_were
from eventide.reading.lines import level_of_user
from eventide.reading.misspelt import refuse_misspelt_methods, unused_methods

if TYPE_CHECKING:
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.world import World


MOST_CHECKED: Final = 64
"""The most classes of which it is known for later simulations what stood in them; one that is made again is another."""
_CHECKED: Final[dict[type[Component], ClassContents]] = {}
"""Classes to which nothing has been given late. What follows from code alone is known for the process."""


def is_as_checked(kind: type[Component]) -> bool:
    """Whether a class is as it was when late declarations were looked for in it last."""
    known = _CHECKED.get(kind)
    return known is not None and known.are_current


class Besides(Protocol):
    """What another room looks for."""

    def begin(self, made: dict[object, int]) -> None:
        """A run begins; how many objects of each kind were made since the last."""
        ...

    def parts(self, *, has_acted: bool) -> list[str]:
        """What has taken no part, in words; whether code of the user has run."""
        ...

    def is_moving(self) -> bool:
        """Whether something changes between events."""
        ...


class Forgotten:
    """Looks for what takes no part in the runs of one world.

    besides     what the continuous room looks for, once there is something continuous
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.besides: Besides | None = None
        self._made: dict[object, int] = {}
        """How many objects of each kind there were when this was asked last."""
        self._classes: dict[type[Component], ClassContents | None] = {}
        """What stood in the classes of objects when they were checked last."""
        self._asleep: list[Process] = []

    def begin(self) -> None:
        """A run begins: take down what was made since the last and has not begun.

        Raises ModelError for what a method of a class that is new sets under a misspelt name, and for what a class has
        come to declare after it was made.
        """
        made = self._made_since()
        if made:
            self._asleep = [process for process in self.world._processes if process._generator is None]
        self._check_classes()
        if self.besides is not None:
            self.besides.begin(made)

    def end(self, *, is_bounded: bool, has_acted: bool) -> None:
        """A run has ended as it should: warn of what has taken no part, once.

        is_bounded  whether it has ended at a time that was given, so that more may happen later
        has_acted   whether code of the user has run, which may have changed classes and set attributes
        """
        parts = self._parts() if self._asleep else []
        self._made_since()  # which may wait for the next run
        if has_acted:
            self._check_classes()
        if self.besides is not None:
            parts += self.besides.parts(has_acted=has_acted)
        if not self.world._is_halted and self._is_over(is_bounded=is_bounded):
            parts += [*self._stuck(is_bounded=is_bounded), *self._locked(), *self._unbegun()]
            parts += [*self._unreleased(), *self._rounded(), *self._unused()]
        if parts:
            message = f"the run has ended at time {self.world.time!r}: {'; '.join(parts)}"
            warnings.warn(IdleWarning(message), stacklevel=level_of_user())

    def _check_classes(self) -> None:
        for kind, before in self._classes.items():
            known = before or _CHECKED.get(kind)
            if known is None or not known.are_current:
                refuse_misspelt_methods(kind)
                refuse_late(kind)
                known = _CHECKED[kind] = ClassContents(kind)
                for oldest in list(_CHECKED)[:-MOST_CHECKED]:  # another thread may drop it meanwhile
                    _CHECKED.pop(oldest, None)
            self._classes[kind] = known

    def _made_since(self) -> dict[object, int]:
        """How many components of each kind were made since this was asked last."""
        made, before = self.world._counts, self._made
        if made == before:
            return {}
        self._made, more = dict(made), {}
        for kind, count in made.items():
            known = before.get(kind, 0)
            if count != known:
                more[kind] = count - known
                if not known and isinstance(kind, type) and issubclass(kind, Component):
                    self._classes.setdefault(kind)
        return more

    def _parts(self) -> list[str]:
        asleep, self._asleep = [p for p in self._asleep if p._generator is None and not p.terminated], []
        return [f"{who_were(asleep)} made and never activated (call activate())"] if asleep else []

    def _is_over(self, *, is_bounded: bool) -> bool:
        """Whether nothing is left that could happen."""
        is_moving = is_bounded and self.besides is not None and self.besides.is_moving()
        return self.world._calendar.first() is None and not is_moving

    def _stuck(self, *, is_bounded: bool) -> list[str]:
        """Processes in an `until` outside of loops, which nothing can make true any more.

        A process that waits in a loop is a server as a rule, and has served.
        """
        world = self.world
        waiting: dict[Process, None] = {}
        for condition in world._conditions:
            process = None if condition.is_handler else owner_of(condition.owner)
            if process is not None and not is_in_loop(process._generator) and not (is_bounded and condition.is_timed):
                waiting[process] = None
        told = [why_waiting(process) for process in waiting]
        return [f"nothing can happen any more, and {', '.join(told[:MOST])}"] if told else []

    def _locked(self) -> list[str]:
        """Processes in a circle: each waits for units that only others in it have, or for the end of one of them.

        A process is in none if another that waits for something else, such as work, may provide what it needs.
        """
        awaited: dict[Process, object] = {}
        owners: dict[object, list[Process]] = {}
        for process in self.world._processes:
            wait = process._wait
            if type(wait) is End:
                awaited[process], owners[wait.process] = wait.process, [wait.process]
            elif isinstance(wait, Request) and wait.state == WAITING:
                awaited[process], owners[wait.resource] = wait.resource, [user.process for user in wait.resource.users]
        while free := [one for one, by in owners.items() if not by or any(awaited.get(p) not in owners for p in by)]:
            for one in free:
                del owners[one]
        needed = {process: None for by in owners.values() for process in by}
        told = [why_waiting(process) for process, one in awaited.items() if one in owners and process in needed]
        return [f"in a deadlock {'; '.join(told[:MOST])} (request in the same order everywhere)"] if told else []

    def _unbegun(self) -> list[str]:
        """Processes that wait for the end of one that was made in the run and has never begun."""
        waits = [(process, process._wait) for process in self.world._processes]
        told = [
            f"{why_waiting(process)}, and {wait.process.name} was never activated (call activate())"
            for process, wait in waits
            if type(wait) is End and wait.process._generator is None and not wait.process.terminated
        ]
        return ["; ".join(told[:MOST])] if told else []

    def _unreleased(self) -> list[str]:
        """Ended processes that still hold units which others wait for and nothing else can release."""
        lines: dict[Resource, list[Process]] = {}
        for process in self.world._processes:
            wait = process._wait
            if isinstance(wait, Request) and wait.state == WAITING:
                lines.setdefault(wait.resource, []).append(process)
        parts = []
        for resource, waiting in lines.items():
            first, lost = resource._line.first(), _lost(resource)
            left = sum(request.units for request in lost if request.granted)
            is_open = all(request in lost for request in resource._suspended)
            if lost and first and is_open and resource._held - left + first.units <= resource._capacity:
                units = sum(request.units for request in lost)
                what = "a unit" if units == 1 else f"{units} units"
                one = resource.name if resource.name.isidentifier() else "resource"
                more = f", as do {listed([process.name for process in waiting[1:]])}" if waiting[1:] else ""
                parts.append(
                    f"{listed([request.process.name for request in lost])} ended with {what} of {resource.name} that "
                    f"nobody gives back: {why_waiting(waiting[0])}{more} (write `with {one}.request() as unit: "
                    f"yield unit`, or `yield from {one}.use(...)`)"
                )
        return parts

    def _rounded(self) -> list[str]:
        """Processes that wait at a container for what rounding alone keeps from being there."""
        waits = [(one, one._wait) for one in self.world._processes if isinstance(one._wait, AmountTransfer)]
        first = [(one, wait, wait.station) for one, wait in waits if wait._side.line.first() is wait]
        needed = [w.amount if isinstance(w, AmountGet) else there._capacity - w.amount for _, w, there in first]
        return [
            f"{why_waiting(one)}, which rounding alone prevents (let amounts be whole numbers)"
            for (one, wait, there), need in zip(first, needed, strict=True)
            if isclose(there._amount, need, abs_tol=1e-9 * wait.amount)
        ][:MOST]

    def _unused(self) -> list[str]:
        """Classes whose objects have a generator that nothing has begun, as there has been no process at all."""
        kinds = [kind for kind in self.world._counts if isinstance(kind, type)]
        if self.world._kinds or any(issubclass(kind, Process) for kind in kinds):
            return []
        return [told for kind in kinds for told in unused_methods(kind)]


def _lost(resource: Resource) -> list[Request]:
    """The requests that have units, whose processes have ended, and that nothing else refers to besides these."""
    sample = [Request()]
    users = dict.fromkeys(sample)
    most = [getrefcount(request) for request in sample if users]
    ended = [request for request in (*resource._users, *resource._suspended) if request.process.terminated]
    counts = [getrefcount(request) for request in ended]
    own = [sum(value is request for value in vars(request.process).values()) for request in ended]
    return [request for request, count, mine in zip(ended, counts, own, strict=True) if count - mine <= most[0]]
