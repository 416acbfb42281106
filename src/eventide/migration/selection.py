"""The choice of processes that go away to rows, with what they wait for and whatever they may use or make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from eventide.discrete.calendar import ABOVE, BELOW, PLAIN
from eventide.discrete.inside import end_waiters_of, generator_of, requester_of
from eventide.discrete.processes.composite import AllOf, FirstOf, who_waits
from eventide.discrete.processes.endings import End
from eventide.discrete.resources.away import is_granting, users_of, waiting_at
from eventide.discrete.resources.request import Request
from eventide.discrete.resources.transfer import Inventory, Transfer
from eventide.reading.generators import is_held_elsewhere
from eventide.statistics import Level

if TYPE_CHECKING:
    from eventide.bodies.stations.statistics import Kept
    from eventide.discrete.calendar import Notice
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.resources.resource import Resource
    from eventide.migration.bodies import Bodies
    from eventide.migration.crossing.body import Body
    from eventide.migration.crossing.environment import RowStart
    from eventide.migration.prototypes import Prototype, Prototypes
    from eventide.migration.row_driver import Guards


class Candidate(NamedTuple):
    """A process that can go away: its notice, or its wait, that for the first of several things its group; its body.

    wait        its request, or its wait for a state or for the end of another
    guards      by which it waits for states, or will: by their places among the whole numbers of its row
    row_start   what its row begins with
    children    the prototypes of what its own statements make: by the places of their rows
    offspring   these, and those of what they make
    resources   those that the process, or what it makes, may use; things: these, and levels
    """

    notice: Notice | None
    wait: StationRequest | StateWait | End | None
    group: FirstOf | AllOf | None
    body: Body
    row_start: RowStart
    children: dict[int, Prototype | None]
    offspring: list[Prototype]
    resources: list[Resource | Inventory]
    things: list[Kept]
    guards: dict[int, StateWait]

    @property
    def requests(self) -> list[StationRequest]:
        """All that it has asked for."""
        waits = [self.wait] if self.group is None else [wait for _, _, wait in self.group.standing]
        return [*self.row_start.requests.values(), *(wait for wait in waits if isinstance(wait, Transfer))]

    @property
    def notices(self) -> list[Notice]:
        """All that the event list has of it."""
        found = [self.notice] if self.group is None else [notice for _, notice, _ in self.group.standing]
        return [notice for notice in found if notice is not None]


def bodies_of(candidates: Iterable[Candidate]) -> list[Body]:
    """The bodies of some processes and of what they make."""
    each = (body for one in candidates for body in (one.body, *(child.body for child in one.offspring)))
    return list(dict.fromkeys(each))


def of_rows(
    due: list[Notice], waits: list[StateWait], may_go: Callable[[object], bool]
) -> tuple[list[Notice], list[StateWait], bool]:
    """Of some notices and waits those of processes that may go away, of waits if their guards are kept.

    The third is whether fewer than half of these processes can, as the others wait for the first time.
    """
    due = [one for one in due if may_go(who_waits(one[3]))]
    waits = [one for one in waits if may_go(who_waits(one.activity))]
    kept = [one for one in waits if one.rests]
    return due, kept, len(due) + 2 * len(kept) < len(waits)


class Selection:
    """Finds the processes that can become rows at this moment.

    is_granting     whether a resource stays because a granted process has not been told yet
    """

    def __init__(
        self, bodies: Bodies, prototypes: Prototypes, may_go: Callable[[object], bool], guards: Guards
    ) -> None:
        self.is_granting = False
        self._may_go = may_go
        self._guards = guards
        self._bodies = bodies
        self._prototypes = prototypes
        self._ahead: dict[Process, list[Process]] = {}
        """By process that waits for ends of others: these, and of one the process that waits before it, if any."""

    def made_of(self, notices: list[Notice], waits: list[StateWait]) -> dict[Process, Candidate]:
        """The processes that can go away: of some notices and waits, and of the lines of resources that these may use.

        A resource goes away with all processes that wait for it or use it, or stays with all that may use it.
        """
        found: dict[Process, Candidate] = {}
        for notice in notices:
            process = who_waits(notice[3])
            if process is not notice[3]:
                self._look_at_wait(process, found)
            elif _is_plain(notice):
                self._look_at(process, notice, None, found)
        for wait in waits:
            if who_waits(wait.activity) is not wait.activity:
                self._look_at_wait(who_waits(wait.activity), found)
            else:
                self._look_at(wait.activity, None, wait, found)
        resources: dict[int, Resource | Inventory] = {}
        pending = list(found)
        for process in pending:
            for resource in found[process].resources:
                if id(resource) not in resources and self._bodies.can_go(resource):
                    pending += self._look_at_line(resource, found)
                resources.setdefault(id(resource), resource)
            if ends := end_waiters_of(process):
                pending += self._look_at_waiters(process, ends, found)
        while True:
            bad = {key for key, resource in resources.items() if not self._is_whole(resource, found)}
            kept = {
                process: candidate
                for process, candidate in found.items()
                if not any(id(resource) in bad for resource in candidate.resources)
                and all(other in found for other in self._ahead.get(process, ()))
            }
            if len(kept) == len(found):
                return found
            found = kept

    def _look_at_waiters(self, awaited: Process, waits: list[End], found: dict[Process, Candidate]) -> list[Process]:
        """Note the first of those that wait for the end of a process, as far as they can go away; returns them.

        In rows they wait before all that wait for it in Python.
        """
        known, ahead = len(found), awaited
        for wait in waits:
            process: Any = wait.activity
            if who_waits(process) is not process:
                self._look_at_wait(who_waits(process), found)
                break
            if not self._may_go(process) or process in found:
                break
            self._look_at(process, None, wait, found)
            if process not in found:
                break
            self._ahead[process] = [awaited, ahead]
            ahead = process
        return list(found)[known:]

    def _look_at_line(self, resource: Resource | Inventory, found: dict[Process, Candidate]) -> list[Process]:
        """Note the processes that can go away while they wait for a resource; returns those."""
        known = len(found)
        for request in waiting_at(resource):
            process = who_waits(requester_of(request))
            if process is not requester_of(request):
                self._look_at_wait(process, found)
            elif self._may_go(process) and process not in found:
                self._look_at(process, None, request, found)
        return list(found)[known:]

    def _look_at_wait(self, process: Process, found: dict[Process, Candidate]) -> None:
        """Note a process that can go away while it waits for the first, or for all, of several things."""
        if self._may_go(process) and process not in found:
            group = process._wait
            if isinstance(group, FirstOf | AllOf) and group.activity is process:
                self._look_at(process, None, group, found)

    def _look_at(
        self,
        process: Any,
        notice: Notice | None,
        wait: StationRequest | StateWait | FirstOf | AllOf | End | None,
        found: dict[Process, Candidate],
    ) -> None:
        """Note a process that can go away, waiting for its notice or for something else."""
        generator = generator_of(process)
        is_plain = process._receiver is generator and process._value is None and process._wait is wait
        is_plain = is_plain and process._notice is notice
        if not is_plain or generator is None or not generator.gi_suspended or is_held_elsewhere(process):
            return
        admitted = self._bodies.admit(generator)
        if admitted is None:
            return
        body, row_start = admitted
        if not body.gets(row_start, wait):
            return
        group = wait if isinstance(wait, FirstOf | AllOf) else None
        if isinstance(group, AllOf):
            if not self._gathers(process, body, row_start, group):
                return
        elif not body.joins(row_start, [] if group is None else group.standing):
            return
        guards = body.guards_of(row_start.at, generator, wait, partial(self._guards.guard_of, process))
        if guards is None:
            return
        if group is not None and not all(one is None or _is_plain(one) for _, one, _ in group.standing):
            return
        children, offspring = {}, []
        things = [*row_start.stations.values()]
        if row_start.spawn_templates:
            children = self._prototypes.children_of(row_start)
            offspring = self._prototypes.descendants_of(children.values())
            things += [thing for one in offspring for thing in one.row_start.stations.values()]
        resources = [thing for thing in things if not isinstance(thing, Level)]
        request = None if isinstance(wait, FirstOf | AllOf) else wait
        found[process] = Candidate(
            notice, request, group, body, row_start, children, offspring, resources, things, guards
        )

    def _gathers(self, process: Process, body: Body, row_start: RowStart, group: AllOf) -> bool:
        """Whether a row can wait for all of the same things; nobody waits for a process before it."""
        standing = group.standing
        if not standing or body.reading.points[row_start.at].gathered != tuple(word for word, _, _ in standing):
            return False
        waits = [wait for _, _, wait in standing if wait is not None]
        ends = [wait for wait in waits if isinstance(wait, End) and wait.is_first]
        self._ahead[process] = [wait.process for wait in ends]
        return len(ends) == len(waits)

    def _is_whole(self, resource: Resource | Inventory, found: Mapping[Process, Candidate]) -> bool:
        """Whether a resource can go away with these processes."""
        if not self._bodies.can_go(resource):
            self.is_granting = self.is_granting or (isinstance(resource, Inventory) and is_granting(resource))
            return False
        requests = [*users_of(resource), *waiting_at(resource)]
        owners = [found.get(who_waits(requester_of(request))) for request in requests]
        if self._are_known(requests, owners):
            return True
        self.is_granting = self.is_granting or is_granting(resource)
        return False

    @staticmethod
    def _are_known(requests: list[StationRequest], owners: list[Candidate | None]) -> bool:
        """Whether only the processes that become rows, and the resource, refer to some requests.

        What one count of references is depends on the version of Python; so that of a new request is the measure.
        """
        fewest, *counts = [sys.getrefcount(request) for some in ([Request()], requests) for request in some]
        for request, owner, count in zip(requests, owners, counts, strict=True):
            generator = generator_of(who_waits(requester_of(request)))
            if owner is None or count > fewest + owner.body.references_to(request, owner.row_start, generator):
                return False
        return True


def _is_plain(notice: Notice) -> bool:
    """Whether a row can have it: it was placed without a priority, and not beside another."""
    _, sequence, path, _ = notice
    is_hold = path == PLAIN or (sequence % 1.0 == 0.5 and len(path) == 2 and path[1] == 0)
    return is_hold and ABOVE < sequence < BELOW
