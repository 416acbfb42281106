"""The choice of processes that go away to rows, with what they wait for and whatever they may use or make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from eventide.discrete.calendar import ABOVE, BELOW, PLAIN
from eventide.discrete.resources.away import are_held_elsewhere, can_go
from eventide.reading.generators import is_held_elsewhere

if TYPE_CHECKING:
    from eventide.bodies.body import Admission, Bodies, Body
    from eventide.bodies.prototypes import Prototype, Prototypes
    from eventide.discrete.calendar import Notice
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource


class Candidate(NamedTuple):
    """A process that can go away: its notice, or what it waits for; its body, and what its row begins with.

    children    the prototypes of what its own statements make: by the places of their rows
    offspring   these, and those of what they make
    resources   those that the process, or what it makes, may use
    """

    notice: Notice | None
    wait: Request | None
    body: Body
    admission: Admission
    children: dict[int, Prototype | None]
    offspring: list[Prototype]
    resources: list[Resource]


class Selection:
    """Finds who can go away at this moment.

    is_granting     whether a resource stays as somebody does not know yet that its request was granted
    """

    def __init__(self, bodies: Bodies, prototypes: Prototypes, may_go: Callable[[object], bool]) -> None:
        self.is_granting = False
        self._may_go = may_go
        self._bodies = bodies
        self._prototypes = prototypes

    def made_of(self, notices: list[Notice]) -> dict[Process, Candidate]:
        """The processes that can go away: of some notices, and of the lines of the resources that these may use.

        A resource goes away with all processes that wait for it or use it, or stays with all that may use it.
        """
        found: dict[Process, Candidate] = {}
        for notice in notices:
            _, sequence, path, process = notice
            is_hold = path == PLAIN or (sequence % 1.0 == 0.5 and len(path) == 2 and path[1] == 0)
            if is_hold and ABOVE < sequence < BELOW:
                self._look_at(process, notice, None, found)
        resources: dict[int, Resource] = {}
        pending = list(found.values())
        for candidate in pending:
            for resource in candidate.resources:
                if id(resource) not in resources and can_go(resource):
                    pending += self._look_at_line(resource, found)
                resources.setdefault(id(resource), resource)
        while True:
            bad = {key for key, resource in resources.items() if not self._is_whole(resource, found)}
            kept = {
                process: candidate
                for process, candidate in found.items()
                if not any(id(resource) in bad for resource in candidate.resources)
            }
            if len(kept) == len(found):
                return found
            found = kept

    def _look_at_line(self, resource: Resource, found: dict[Process, Candidate]) -> list[Candidate]:
        """Note the processes that can go away while they wait for a resource; returns those."""
        known = len(found)
        for request in resource._line:
            if self._may_go(request._activity) and request._activity not in found:
                self._look_at(request._activity, None, request, found)
        return list(found.values())[known:]

    def _look_at(
        self, process: Any, notice: Notice | None, wait: Request | None, found: dict[Process, Candidate]
    ) -> None:
        """Note a process that can go away, waiting for its notice or for a request."""
        generator = process._generator
        is_plain = process._story is generator and process._value is None and process._wait is wait
        is_plain = is_plain and process._past is None and process._notice is notice
        if not is_plain or generator is None or not generator.gi_suspended or is_held_elsewhere(process):
            return
        admitted = self._bodies.admit(generator)
        if admitted is not None:
            children = self._prototypes.children_of(admitted[1])
            offspring = self._prototypes.descendants_of(children.values()) if children else []
            admissions = [admitted[1], *(prototype.admission for prototype in offspring)]
            resources = [resource for admission in admissions for resource in admission.stations.values()]
            found[process] = Candidate(notice, wait, *admitted, children, offspring, resources)

    def _is_whole(self, resource: Resource, found: Mapping[Process, Candidate]) -> bool:
        """Whether a resource can go away with these processes."""
        if not can_go(resource):
            return False
        users, line = [*resource._users], [*resource._line]
        if are_held_elsewhere(users, is_waiting=False) or are_held_elsewhere(line, is_waiting=True):
            self.is_granting = self.is_granting or any(user._activity._wait is user for user in users)
            return False
        owners = (found.get(request._activity) for request in (*users, *line))
        return all(
            owner is not None and any(request is own for own in owner.admission.requests.values())
            for request, owner in zip((*users, *line), owners, strict=True)
        )
