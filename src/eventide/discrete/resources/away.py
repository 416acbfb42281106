"""Resources whose requests are rows of native processes: they go away as a whole, and return to Python when looked at.

In: a resource or a container, and the rows of the processes that wait for it or use it. Out: the same one, with
requests, levels and waits as Python would have left them. While it is away, it has another class: to ask it for its
requests, or to change it, returns all processes to Python first; to read its statistics returns none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappush
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from eventide.discrete.resources.container import AmountGet, AmountPut, Container, Portion
from eventide.discrete.resources.line import GRANTED, NEW, WAITING, Line, Member, StationRequest
from eventide.discrete.resources.preemption import PREEMPTED
from eventide.discrete.resources.request import WITHDRAWN, PreemptingRequest, Request
from eventide.discrete.resources.resource import Counts, PreemptiveResource, Resource
from eventide.discrete.resources.transfer import Side
from eventide.rows import codes
from eventide.rows.allocation import owner_of
from eventide.rows.depots import granted, is_open
from eventide.rows.stations import append_user, drop, is_ready, line_up, new_request
from eventide.statistics import Level, Tally

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process
    from eventide.rows.memory import RowMemory
    from eventide.rows.records import Rows

STATES: Final = {NEW: codes.NEW, WAITING: codes.WAITING, GRANTED: codes.GRANTED}
"""The states of the requests that go away, in rows."""
_WORDS: Final = {n: word for word, n in {**STATES, PREEMPTED: codes.PREEMPTED, WITHDRAWN: codes.WITHDRAWN}.items()}
MOST: Final = 2048
"""A resource with this many units, or this many requests that wait or have ever waited, stays in Python."""
Known = TypeVar("Known")
_STATISTICS: Final = ("in_use", "queue", "supply", "waits", "utilisation", "counts", "reset_statistics", "_before")
_STAYS: Final = frozenset([*_STATISTICS, "sim", "name", "_name", "capacity", "_capacity", "available", "_moved"])
"""What is the same while a resource is away, or is computed from that, from statistics and from what rows have."""
_DEPOT_STAYS: Final = frozenset(
    ["puts", "gets", "level", "reset_statistics", "_statistics", "sim", "name", "_name", "capacity"]
)
"""The same of a container."""
_SIDE_STAYS: Final = frozenset(["queue", "waits", "reset", "_clock"])
"""The same of one side of it."""
LARGEST: Final = 2**53
"""Whole amounts up to it are floats without rounding."""
_NUMBERS: Final = (int, float)


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
        users = [self._give_back(q, processes) for q in _chain(a, a.station.users[s])]
        line = [self._give_back(q, processes) for q in _chain(a, a.station.first[s])]
        resource._users = dict.fromkeys(request for _, request in users)
        resource._is_plain = resource._is_plain and not resource._is_preemptive
        _fill(resource._line, [request for _, request in line])
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
        request.station, request.state, request.since = self.resource, _WORDS[a.request.state[q]], a.request.since[q]
        request._priority, request.units = a.request.priority[q], a.request.units[q]
        if request._priority != 0.0 or request.units != 1:
            self.resource._is_plain = False
        if request.state != NEW:
            request._number, request._activity = a.request.number[q], processes(owner_of(a, a.request.activity[q]))
        drop(a, q)
        return q, request


class AwayDepot:
    """A container that is away, or was.

    row     its row
    parts   its statistics that rows keep: the amount, and of each side how many wait, and waits
    """

    def __init__(self, container: Container, memory: RowMemory, parts: Sequence[Part]) -> None:
        self.resource = container
        self._memory = memory
        self.parts = parts
        changes, gets, got, puts, put = (part.row for part in parts)
        self.row = memory.add_depot(changes, (gets, got), (puts, put))

    def go(self, rows: Mapping[StationRequest, int]) -> dict[Portion, int]:
        """Take over the state of the container; the rows of its transfers, by these of their processes."""
        container, depot, d = self.resource, self._memory.depot, self.row
        depot.capacity[d], depot.amount[d] = float(container.capacity), float(container.amount)
        depot.whole[d], depot.kept[d] = int(type(container.amount) is int), 0.0
        for part in self.parts:
            part.go()
        made = {}
        for side, s in self._sides():
            self._memory.station.asked[s] = side._joined
            for portion in side.line:
                made[portion] = self._make(portion, s, rows[portion])
            object.__setattr__(side, "__class__", _SIDE_AWAY)
        object.__setattr__(container, "__class__", _CONTAINER_AWAY)
        return made

    def _sides(self) -> Iterable[tuple[Side[Portion], int]]:
        container, depot, d = self.resource, self._memory.depot, self.row
        return (container.gets, depot.gets[d]), (container.puts, depot.puts[d])

    def _make(self, portion: Portion, s: int, i: int) -> int:
        memory = self._memory
        while not is_open(memory.views, self.row):
            memory.grow()
        a = memory.views
        q = new_request(a, s, i, float(portion._priority), 1, False)
        a.request.state[q], a.request.since[q], a.request.number[q] = codes.WAITING, portion.since, portion._number
        a.request.amount[q], a.request.whole[q] = float(portion.amount), int(type(portion.amount) is int)
        line_up(a, s, q)
        return q

    def come(self, processes: Callable[[int], Process | None]) -> dict[int, Portion]:
        """The container has its state again; returns its transfers by their rows."""
        container, depot, d = self.resource, self._memory.depot, self.row
        object.__setattr__(container, "__class__", Container)
        container.amount = self.look("amount")
        container._kept, container._promises = depot.kept[d] or 0, granted(self._memory.views, d)
        for side, _ in self._sides():
            object.__setattr__(side, "__class__", Side)
        for part in self.parts:
            part.come()
        found: dict[int, Portion] = {}
        for side, s in self._sides():
            found |= self._take_back(side, s, processes)
        return found

    def _take_back(self, side: Side[Portion], s: int, processes: Callable[[int], Process | None]) -> dict[int, Portion]:
        """The transfers of one side, by their rows; the others of its processes are over."""
        a = self._memory.views
        found: dict[int, Portion] = {}
        for q in (*_chain(a, a.station.users[s]), *_chain(a, a.station.first[s])):
            portion = found[q] = AmountGet() if s == a.depot.gets[self.row] else AmountPut()
            portion.station, portion.state, portion.since = (
                self.resource,
                _WORDS[a.request.state[q]],
                a.request.since[q],
            )
            portion._priority, portion._number = a.request.priority[q], a.request.number[q]
            portion._activity, amount = processes(owner_of(a, a.request.activity[q])), a.request.amount[q]
            portion.amount, portion._notice = int(amount) if a.request.whole[q] else amount, None
            drop(a, q)
        side._joined = a.station.asked[s]
        _fill(side.line, [portion for portion in found.values() if portion.state == WAITING])
        a.station.users[s] = a.station.latest[s] = a.station.first[s] = a.station.end[s] = codes.NONE
        a.station.using[s] = a.station.waiting[s] = 0
        return found

    def look(self, _: str) -> float:
        """How much is in it while it is away."""
        amount = self._memory.depot.amount[self.row]
        return int(amount) if self._memory.depot.whole[self.row] else amount


def can_go(resource: Resource) -> bool:
    """Whether the requests of a resource can be rows, as far as it is concerned itself, but for its levels."""
    if type(resource) not in _AWAY or resource._suspended or not 0 < resource._capacity < MOST:
        return False
    return type(resource.waits) is Tally and resource.waits.keep and resource._held <= resource._capacity


def has_plain_amount(container: Container) -> bool:
    """Whether rows can have the amount and the capacity of a container."""
    amount, capacity = container.amount, container.capacity
    if type(container) is not Container or type(amount) not in _NUMBERS or type(capacity) not in _NUMBERS:
        return False
    if type(amount) is float and type(capacity) is float:
        return True
    return amount <= LARGEST and (capacity <= LARGEST or capacity == inf)


def can_go_container(container: Container) -> bool:
    """As `can_go`, of a container: nothing is granted there that was not carried out."""
    if container._promises or type(container.level) is not Level or container.level.value != container.amount:
        return False
    kinds = _NUMBERS if type(container.amount) is float else (int,)
    for side in (container.puts, container.gets):
        if type(side.waits) is not Tally or not side.waits.keep or side.line.count >= MOST:
            return False
        if not all(type(one.amount) in kinds and one.amount <= LARGEST for one in side.line):
            return False
    return True


def waiting_at(station: Resource | Container) -> list[StationRequest]:
    """What stands in the lines of a resource or a container."""
    if isinstance(station, Resource):
        return [*station._line]
    return [*station.gets.line, *station.puts.line]


def users_of(station: Resource | Container) -> Collection[Request]:
    """The requests that have units of a resource; none of a container."""
    return station.users if isinstance(station, Resource) else ()


def levels_kept_by(station: Resource | Container) -> list[Level]:
    """The levels that a resource or a container keeps."""
    if isinstance(station, Resource):
        return [station.in_use, station.queue, station.supply]
    return [station.level, station.gets.queue, station.puts.queue]


def is_granting(station: Resource | Container) -> bool:
    """Whether something was granted there of which its process has not learned yet."""
    if isinstance(station, Resource):
        return any(user._activity._wait is user for user in station.users)
    return station._promises > 0


def _fill(line: Line[Member], requests: list[Member]) -> None:
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


def _chain(a: Rows, q: int) -> Iterable[int]:
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


def _look_at_depot(container: Container, name: str) -> object:
    """What a container that is away has by a name."""
    if name in _DEPOT_STAYS:
        return object.__getattribute__(container, name)
    migration = container.sim._migration
    assert migration is not None
    if name == "amount":
        return migration.look(container, name)
    migration.leave()
    return getattr(container, name)


def _look_at_side(side: Side[Portion], name: str) -> object:
    """What one side of it has."""
    if name not in _SIDE_STAYS:
        object.__getattribute__(side, "_clock")._migration.leave()
    return object.__getattribute__(side, name)


def _change_side(side: Side[Portion], name: str, value: object) -> None:
    _look_at_side(side, "line")
    setattr(side, name, value)


def _change(resource: Resource | Container, name: str, value: object) -> None:
    if name != "_before" and resource.sim._migration is not None:
        resource.sim._migration.leave()
    object.__setattr__(resource, name, value)


_AWAY: Final[dict[type, type]] = {known: away_class(known, _look, _change) for known in (Resource, PreemptiveResource)}
_CONTAINER_AWAY: Final = away_class(Container, _look_at_depot, _change)
_SIDE_AWAY: Final = away_class(Side, _look_at_side, _change_side)
