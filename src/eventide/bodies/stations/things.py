"""The resources and levels of one simulation that are kept by rows: they leave, return, and are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from eventide.bodies.stations.statistics import AwayLevel, AwayTally, kind_of
from eventide.discrete.resources import away
from eventide.discrete.resources.away import AwayStation
from eventide.statistics import Level

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource
    from eventide.rows.memory import RowMemory


class Things:
    """The resources and levels that are away.

    look    called with a statistic in rows that is read
    """

    def __init__(self, memory: RowMemory, look: Callable[[object], object]) -> None:
        self.stations: dict[int, AwayStation] = {}
        """The resources that are away, or were, by their ids: this has them, so that the ids stay their own."""
        self._levels: dict[int, AwayLevel] = {}
        self._parts: dict[int, AwayLevel | AwayTally] = {}
        """The statistics of all of these."""
        self._gone: list[AwayStation | AwayLevel] = []
        self._looked_at: list[AwayLevel | AwayTally] = []
        self._memory = memory
        self._look = look

    def __bool__(self) -> bool:
        """Whether any are away."""
        return bool(self._gone)

    def go(self, thing: Resource | Level, owners: Mapping[Request, int]) -> dict[Request, int]:
        """Let a resource or a level go away, if it has not; the rows of its requests, by these of their processes."""
        one = self._away(thing)
        if one in self._gone:
            return {}
        self._gone.append(one)
        if isinstance(one, AwayStation):
            return one.go(owners)
        one.go()
        return {}

    def _away(self, thing: Resource | Level) -> AwayStation | AwayLevel:
        if isinstance(thing, Level):
            if id(thing) not in self._levels:
                self._levels[id(thing)] = self._parts[id(thing)] = AwayLevel(thing, self._memory)
            return self._levels[id(thing)]
        if id(thing) not in self.stations:
            in_use, queue = (AwayLevel(level, self._memory, 2) for level in (thing.in_use, thing.queue))
            parts = in_use, queue, AwayTally(thing.waits, self._memory, self._look)
            self._parts.update((id(part.thing), part) for part in parts)
            self.stations[id(thing)] = AwayStation(thing, self._memory, parts)
        return self.stations[id(thing)]

    def row_of(self, thing: Resource | Level) -> int:
        """The row of a resource or a level that is away."""
        return self._away(thing).row

    def come(self, processes: Callable[[int], Process | None]) -> dict[int, Request]:
        """All return to Python; returns the requests by their rows.

        processes   by these of the activities that asked
        """
        gone, self._gone = self._gone, []
        self._looked_at.clear()
        found: dict[int, Request] = {}
        for one in gone:
            if isinstance(one, AwayStation):
                found.update(one.come(processes))
            else:
                one.come()
        return found

    # --- looks ----------------------------------------------------------------------------------------------------

    def look(self, thing: object, name: str) -> object:
        """A number that rows have of a resource; or a statistic has its state and its class until rows go on."""
        if (station := self.stations.get(id(thing))) is not None:
            return station.held if name == "_held" else station.counted
        part = self._parts[id(thing)]
        part.come()
        self._looked_at.append(part)
        return None

    def hide(self) -> bool:
        """Rows continue and take over what was read; False if they cannot keep it, and all have to return."""
        while self._looked_at:
            if not self._looked_at.pop().go_again():
                return False
        return True

    def give_back_own(self, q: int, process: Process) -> Request:
        """The request in a row, of a resource that is in Python, that its process alone knows."""
        s = self._memory.views.request.station[q]
        return next(one for one in self.stations.values() if one.row == s).give_back_own(q, process)


def can_go(resource: Resource) -> bool:
    """Whether the requests of a resource can be rows, as far as it is concerned itself."""
    levels = resource.in_use, resource.queue
    return away.can_go(resource) and all(type(level) is Level and kind_of(level) == "int" for level in levels)
