"""Resources whose requests are rows of native processes: they go away as a whole, and come home when looked at.

In: a resource, and the rows of the processes that wait for it or use it. Out: the same resource, with requests,
levels and waits as Python would have left them. While it is away, it and its statistics have other classes: to read
or change them brings all home first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from heapq import heappush
from typing import TYPE_CHECKING, Any, Final, TypeVar

from eventide.discrete.resources.line import GRANTED, NEW, WAITING
from eventide.discrete.resources.preemption import PREEMPTED
from eventide.discrete.resources.request import WITHDRAWN, PreemptingRequest, Request
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.rows import codes
from eventide.rows.allocation import owner_of
from eventide.rows.stations import append_user, drop, is_ready, line_up, new_request
from eventide.statistics import Level, Tally
from eventide.statistics.level import LevelState, set_state, state_of
from eventide.statistics.tally import taker_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.discrete.processes.process import Process
    from eventide.rows.memory import RowMemory
    from eventide.rows.records import Rows

Known = TypeVar("Known")
STATES: Final = {NEW: codes.NEW, WAITING: codes.WAITING, GRANTED: codes.GRANTED}
"""The states of the requests that go away, in rows."""
_WORDS: Final = {
    **{number: word for word, number in STATES.items()},
    codes.PREEMPTED: PREEMPTED,
    codes.WITHDRAWN: WITHDRAWN,
}
MOST: Final = 2048
"""A resource with this many units, or this many requests that wait or have ever waited, stays in Python."""


class AwayStation:
    """A resource that is away, or was.

    row     its row; station: the same, NONE for a level
    """

    def __init__(self, resource: Resource, memory: RowMemory, home: Callable[[], None]) -> None:
        self.resource = resource
        self._memory = memory
        self._away = _away(Tally, lambda _: home())  # waits do not know their simulation
        in_use, queue = self._levels = memory.add_level(2), memory.add_level(2)
        self._tally = memory.add_tally(print)
        self.row = self.station = memory.add_station(
            resource._capacity, in_use, queue, self._tally, is_preemptive=resource._is_preemptive
        )

    def go(self, rows: Mapping[Request, int]) -> dict[Request, int]:
        """Take over the state of the resource; the rows of its requests, by these of their processes."""
        resource, memory, s = self.resource, self._memory, self.row
        station = memory.station
        station.capacity[s], station.held[s] = resource._capacity, resource._held
        station.asked[s], station.reneged[s] = resource._asked, resource._reneged
        station.preempted[s] = resource._preempted
        for l, level in zip(self._levels, (resource.in_use, resource.queue), strict=True):  # noqa: E741  # as in rows
            state = state_of(level)
            assert state is not None
            held = {int(value): lasted for value, lasted in state.held.items()}
            memory.fill_level(l, int(state.value), state.changed, held)
        memory.widen_level(self._levels[0], resource._capacity + 2)
        memory.change_sink(self._tally, _sink(taker_of(resource.waits)))
        made = {}
        for request in (*resource._users, *resource._line):
            made[request] = self.make(request, rows[request])
        statistics = ((resource.waits, self._away), (resource.in_use, LEVEL_AWAY), (resource.queue, LEVEL_AWAY))
        for thing, kind in (*statistics, (resource, _AWAY[type(resource)])):
            object.__setattr__(thing, "__class__", kind)
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
        for name, kind in (("in_use", Level), ("queue", Level), ("waits", Tally)):
            object.__setattr__(getattr(resource, name), "__class__", kind)
        a = memory.views
        resource._held = a.station.held[s]
        resource._asked, resource._reneged = a.station.asked[s], a.station.reneged[s]
        resource._preempted = a.station.preempted[s]
        for l, level in zip(self._levels, (resource.in_use, resource.queue), strict=True):  # noqa: E741  # as in rows
            held: Any = memory.durations(l)  # by whole numbers, as Python's
            set_state(level, LevelState(a.level.value[l], a.level.changed[l], held))
        memory.flush(self._tally)
        users = [self._give_back(q, processes) for q in _chain(a, a.station.users[s])]
        line = [self._give_back(q, processes) for q in _chain(a, a.station.first[s])]
        resource._users = dict.fromkeys(request for _, request in users)
        kept = resource._line
        kept.plain.clear()
        kept.heap.clear()
        kept.stale = 0
        resource._is_plain = resource._is_plain and not resource._is_preemptive
        for _, request in line:
            if request._priority == 0.0:
                kept.plain.append(request)
            else:
                request._place = place = (-request._priority, request._number, request)
                heappush(kept.heap, place)
        a.station.users[s] = a.station.latest[s] = a.station.first[s] = a.station.end[s] = codes.NONE
        a.station.using[s] = a.station.waiting[s] = 0
        return dict([*users, *line])

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


def can_go(resource: Resource) -> bool:
    """Whether the requests of a resource can be rows, as far as it is concerned itself."""
    if type(resource) not in _AWAY or resource._suspended or not 0 < resource._capacity < MOST:
        return False
    if type(resource.waits) is not Tally or not resource.waits.keep or resource._held > resource._capacity:
        return False
    return all(type(level) is Level and _can_go(state_of(level)) for level in (resource.in_use, resource.queue))


def _can_go(state: LevelState | None) -> bool:
    """Whether a level has had small whole numbers only."""
    if state is None or len(state.held) >= MOST:
        return False
    return all(type(value) is int and 0 <= value < MOST for value in (state.value, *state.held))


def _sink(take: Callable[[bytes], None]) -> Callable[[NDArray[np.float64]], None]:
    """What takes values into a tally, wherever it is."""

    def sink(values: NDArray[np.float64]) -> None:
        take(values.tobytes())

    return sink


def _chain(a: Rows, q: int) -> Iterable[int]:
    found = []
    while q >= 0:
        found.append(q)
        q = a.request.next[q]
    return found


def _away(known: type[Known], home: Callable[[object], None]) -> type[Known]:
    """The class of a resource, or of its statistics, while it is away: to look at it or change it brings all home."""

    def look(self: object, name: str) -> object:
        home(self)
        return getattr(self, name)

    def change(self: object, name: str, value: object) -> None:
        home(self)
        setattr(self, name, value)

    given = {name: getattr(known, name) for name in ("__module__", "__qualname__")}
    given |= {"__slots__": (), "__getattribute__": look, "__setattr__": change}
    make: Any = type(known)
    away: type[Known] = make(known.__name__, (known,), given)
    return away


def _bring_home(thing: object) -> None:
    sim = object.__getattribute__(thing, "_clock" if issubclass(type(thing), Level) else "sim")
    sim._homes.leave()


LEVEL_AWAY: Final = _away(Level, _bring_home)
_AWAY: Final[dict[type, type]] = {known: _away(known, _bring_home) for known in (Resource, PreemptiveResource)}
