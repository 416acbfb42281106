"""Resources whose requests are rows of native processes: they go away as a whole, and return to Python when looked at.

In: a resource, a container or a store (`away_inventories.py`), and the rows of the processes that wait for it or use
it. Out: the same one, with requests, levels and waits as Python would have left them. While it is away, it has another
class: to ask it for its requests, or to change it, returns all processes to Python first; to read its statistics
returns none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappush
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, Member, StationRequest
from eventide.discrete.resources.preemption import PREEMPTED
from eventide.discrete.resources.request import WITHDRAWN, PreemptingRequest, Request
from eventide.discrete.resources.resource import Counts, PreemptiveResource, Resource
from eventide.rows import codes
from eventide.rows.allocation import owner_of
from eventide.rows.stations import append_user, drop, is_ready, line_up, new_request
from eventide.statistics import Tally

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.transfer import Inventory
    from eventide.rows.memory import RowMemory
    from eventide.rows.records import Rows

STATES: Final = {NEW: codes.NEW, WAITING: codes.WAITING, GRANTED: codes.GRANTED}
"""The states of the requests that go away, in rows."""
WORDS: Final = {n: word for word, n in {**STATES, PREEMPTED: codes.PREEMPTED, WITHDRAWN: codes.WITHDRAWN}.items()}
MOST: Final = 2048
"""A resource with this many units, or this many requests that wait or have ever waited, stays in Python."""
Known = TypeVar("Known")
_STATISTICS: Final = ("in_use", "queue", "supply", "waits", "_in_use", "_queue", "_supply", "_waits", "_before")
_STAYS: Final = frozenset(
    [
        *_STATISTICS,
        *("utilisation", "counts", "reset_statistics", "available", "capacity", "_capacity", "_moved"),
        *("sim", "name", "_name"),
    ]
)
"""What is the same while a resource is away, or is computed from that, from statistics and from what rows have."""


class Part(Protocol):
    """A statistic that is away, or was."""

    row: int

    def go(self) -> None:
        """Rows take it over."""

    def come(self) -> None:
        """It has its state again."""


class AwayStation:
    """A resource that is away, or was.

    row     its row
    parts   its statistics that rows keep: units in use, requests waiting, waits
    """

    def __init__(self, resource: Resource, memory: RowMemory, parts: Sequence[Part]) -> None:
        self.resource = resource
        self._memory = memory
        self.parts = parts
        rows = (part.row for part in parts)
        self.row = memory.add_station(resource._capacity, *rows, is_preemptive=resource._is_preemptive)

    def go(self, rows: Mapping[StationRequest, int]) -> dict[Request, int]:
        """Take over the state of the resource; the rows of its requests, by these of their processes."""
        resource, memory, s = self.resource, self._memory, self.row
        station = memory.station
        station.capacity[s], station.held[s] = resource._capacity, resource._held
        station.asked[s], station.reneged[s] = resource._asked, resource._reneged
        station.preempted[s] = resource._preempted
        for part in self.parts:
            part.go()
        memory.widen_level(self.parts[0].row, resource._capacity + 2)
        made = {}
        for request in (*resource._users, *resource._line):
            made[request] = self.make(request, rows[request])
        object.__setattr__(resource, "__class__", _AWAY[type(resource)])
        return made

    def make(self, request: Request, i: int) -> int:
        """The row of a request of the process in row `i`."""
        memory, s = self._memory, self.row
        while not is_ready(memory.views, s):
            memory.grow()
        a = memory.views
        q = new_request(a, s, i, float(request._priority), request.units, request.preempts)
        a.request.state[q], a.request.since[q] = STATES[request.state], request.since
        if request.state == GRANTED:
            a.request.number[q] = request._number
            append_user(a, s, q)
        elif request.state == WAITING:
            a.request.number[q] = request._number
            line_up(a, s, q)
        return q

    def come(self, processes: Callable[[int], Process | None]) -> dict[int, Request]:
        """The resource has its state again; returns its requests by their rows."""
        resource, memory, s = self.resource, self._memory, self.row
        object.__setattr__(resource, "__class__", type(resource).__base__)
        for part in self.parts:
            part.come()
        a = memory.views
        resource._held = a.station.held[s]
        resource._asked, resource._reneged = a.station.asked[s], a.station.reneged[s]
        resource._preempted = a.station.preempted[s]
        users = [self._give_back(q, processes) for q in chain_of(a, a.station.users[s])]
        line = [self._give_back(q, processes) for q in chain_of(a, a.station.first[s])]
        resource._users = dict.fromkeys(request for _, request in users)
        resource._is_plain = resource._is_plain and not resource._is_preemptive
        fill_line(resource._line, [request for _, request in line])
        a.station.users[s] = a.station.latest[s] = a.station.first[s] = a.station.end[s] = codes.NONE
        a.station.using[s] = a.station.waiting[s] = 0
        return dict([*users, *line])

    def look(self, name: str) -> object:
        """How many units are in use while it is away, or what became of its requests."""
        station, s = self._memory.station, self.row
        if name == "_held":
            return int(station.held[s])
        asked, reneged, preempted = station.asked[s], station.reneged[s], station.preempted[s]
        moved = self.resource._moved
        served = asked - reneged - preempted - moved - station.waiting[s] - station.using[s]
        return Counts(asked, served, reneged, preempted, moved)

    def give_back_own(self, q: int, process: Process) -> Request:
        """A request that is neither in the line nor has units: its process alone knows it."""
        return self._give_back(q, lambda _: process)[1]

    def _give_back(self, q: int, processes: Callable[[int], Process | None]) -> tuple[int, Request]:
        a = self._memory.views
        request = PreemptingRequest() if a.request.preempts[q] else Request()
        request.station, request.state, request.since = self.resource, WORDS[a.request.state[q]], a.request.since[q]
        request._priority, request.units = a.request.priority[q], a.request.units[q]
        if request._priority != 0.0 or request.units != 1:
            self.resource._is_plain = False
        if request.state != NEW:
            request._number, request._activity = a.request.number[q], processes(owner_of(a, a.request.activity[q]))
        drop(a, q)
        return q, request


def can_go(resource: Resource) -> bool:
    """Whether the requests of a resource can be rows, as far as it is concerned itself, but for its levels."""
    if type(resource) not in _AWAY or resource._suspended or not 0 < resource._capacity < MOST:
        return False
    return type(resource.waits) is Tally and resource.waits.keep and resource._held <= resource._capacity


def waiting_at(station: Resource | Inventory) -> list[StationRequest]:
    """What stands in the lines of a resource, a container or a store."""
    if isinstance(station, Resource):
        return [*station._line]
    return [*station.gets.line, *station.puts.line]


def users_of(station: Resource | Inventory) -> Collection[Request]:
    """The requests that have units of a resource; none of other stations."""
    return station.users if isinstance(station, Resource) else ()


def is_granting(station: Resource | Inventory) -> bool:
    """Whether something was granted there of which its process has not learned yet."""
    if isinstance(station, Resource):
        return any(user._activity._wait is user for user in station.users)
    return station._promises > 0


def fill_line(line: Line[Member], requests: list[Member]) -> None:
    """Let a line have some requests, in their order."""
    line.plain.clear()
    line.heap.clear()
    line.stale = 0
    for request in requests:
        if request._priority == 0.0:
            line.plain.append(request)
        else:
            request._place = place = (-request._priority, request._number, request)
            heappush(line.heap, place)


def chain_of(a: Rows, q: int) -> Iterable[int]:
    """The rows of requests from one on, in their order."""
    found = []
    while q >= 0:
        found.append(q)
        q = a.request.next[q]
    return found


def away_class(
    known: type[Known], look: Callable[[Known, str], object], change: Callable[[Known, str, object], None]
) -> type[Known]:
    """The class of something while it is away.

    look, change    called to read or set an attribute, by its name
    """

    def read(self: Known, name: str) -> object:
        return known if name == "__class__" else look(self, name)

    given = {name: getattr(known, name) for name in ("__module__", "__qualname__")}
    given |= {"__slots__": (), "__getattribute__": read, "__setattr__": change}
    make: Any = type(known)
    away: type[Known] = make(known.__name__, (known,), given)
    return away


def _look(resource: Resource, name: str) -> object:
    """What a resource that is away has by a name."""
    if name in _STAYS:
        return object.__getattribute__(resource, name)
    migration = resource.sim._migration
    assert migration is not None
    if name in ("_held", "_counted"):
        return migration.look(resource, name)
    migration.leave()
    return getattr(resource, name)


def change_away(resource: Resource | Inventory, name: str, value: object) -> None:
    """Set an attribute of what is away: all return to Python first, unless it makes no difference to rows."""
    if name != "_before" and resource.sim._migration is not None:
        resource.sim._migration.leave()
    object.__setattr__(resource, name, value)


_AWAY: Final[dict[type, type]] = {
    known: away_class(known, _look, change_away) for known in (Resource, PreemptiveResource)
}
