"""The resources and levels of one simulation that are kept by rows: they leave, return, and are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from eventide.bodies.stations.statistics import kind_of
from eventide.discrete.resources import away, away_inventories
from eventide.discrete.resources.away import AwayStation
from eventide.discrete.resources.away_inventories import AwayContainer, AwayInventory, AwayStore
from eventide.discrete.resources.container import Container
from eventide.discrete.resources.store import Store
from eventide.discrete.resources.transfer import Inventory
from eventide.migration.away_statistics import AwayChanges, AwayLevel, AwayTally
from eventide.statistics import Level

if TYPE_CHECKING:
    from eventide.bodies.stations.statistics import Kept
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource
    from eventide.rows.memory import RowMemory


Statistic: TypeAlias = "AwayLevel | AwayTally | AwayChanges"


class Things:
    """The resources and levels that are away.

    look    called with a statistic in rows that is read
    """

    def __init__(self, memory: RowMemory, look: Callable[[object], object]) -> None:
        self.stations: dict[int, AwayStation | AwayInventory] = {}
        """Those that are away, or were, by their ids: this has them, so that the ids stay their own."""
        self._levels: dict[int, AwayLevel] = {}
        self._parts: dict[int, Statistic] = {}
        """The statistics of all of these."""
        self._gone: list[AwayStation | AwayInventory | AwayLevel] = []
        self._looked_at: list[Statistic] = []
        self._memory = memory
        self._look = look

    def __bool__(self) -> bool:
        """Whether any are away."""
        return bool(self._gone)

    def go(self, thing: Kept, owners: Mapping[StationRequest, int]) -> Mapping[Any, int]:
        """Let something go away, if it has not; the rows of what is asked of it, by these of their processes."""
        one = self._away(thing)
        if one in self._gone:
            return {}
        self._gone.append(one)
        if isinstance(one, AwayStation | AwayInventory):
            return one.go(owners)
        one.go()
        return {}

    def _away(self, thing: Kept) -> AwayStation | AwayInventory | AwayLevel:
        if isinstance(thing, Level):
            if id(thing) not in self._levels:
                self._levels[id(thing)] = self._parts[id(thing)] = AwayLevel(thing, self._memory)
            return self._levels[id(thing)]
        if id(thing) in self.stations:
            return self.stations[id(thing)]
        if isinstance(thing, Inventory):
            self.stations[id(thing)] = self._away_inventory(thing)
        else:
            in_use, queue = (AwayLevel(level, self._memory, 2) for level in (thing.in_use, thing.queue))
            parts = in_use, queue, AwayTally(thing.waits, self._memory, self._look)
            self._parts.update((id(part.thing), part) for part in parts)
            self.stations[id(thing)] = AwayStation(thing, self._memory, parts)
        return self.stations[id(thing)]

    def _away_inventory(self, inventory: Inventory) -> AwayInventory:
        parts: list[Statistic] = [AwayChanges(inventory.level, self._memory)]
        if isinstance(inventory, Store):
            parts = [AwayLevel(inventory.level, self._memory, 2), AwayTally(inventory.stays, self._memory, self._look)]
        for side in (inventory.gets, inventory.puts):
            parts += [AwayLevel(side.queue, self._memory, 2), AwayTally(side.waits, self._memory, self._look)]
        self._parts.update((id(part.thing), part) for part in parts)
        if isinstance(inventory, Store):
            return AwayStore(inventory, self._memory, parts)
        assert isinstance(inventory, Container)
        return AwayContainer(inventory, self._memory, parts)

    def row_of(self, thing: Kept) -> int:
        """The row of a resource, an inventory or a level that is away."""
        return self._away(thing).row

    def come(self, processes: Callable[[int], Process | None]) -> dict[int, StationRequest]:
        """All return to Python; returns the requests by their rows.

        processes   by these of the activities that asked
        """
        gone, self._gone = self._gone, []
        self._looked_at.clear()
        found: dict[int, StationRequest] = {}
        for one in gone:
            if isinstance(one, AwayStation | AwayInventory):
                found.update(one.come(processes))
            else:
                one.come()
        return found

    # --- looks ----------------------------------------------------------------------------------------------------

    def look(self, thing: object, name: str) -> object:
        """A number that rows have of a resource; or a statistic has its state and its class until rows go on."""
        if (station := self.stations.get(id(thing))) is not None:
            return station.look(name)
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
        stations = (one for one in self.stations.values() if isinstance(one, AwayStation))
        return next(one for one in stations if one.row == s).give_back_own(q, process)


def can_go(resource: Resource | Inventory) -> bool:
    """Whether what is asked of a resource or an inventory can be rows, as far as it is concerned itself."""
    if isinstance(resource, Inventory):
        levels = [resource.gets.queue, resource.puts.queue, *([resource.level] if isinstance(resource, Store) else [])]
        may_go = away_inventories.can_go(resource)
    else:
        levels, may_go = [resource.in_use, resource.queue], away.can_go(resource)
    return may_go and all(type(level) is Level and kind_of(level) == "int" for level in levels)
