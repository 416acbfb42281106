"""Waiting lines: requests of processes to a station, and the order in which they are granted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from eventide.declare.showing import public_dir
from eventide.discrete.processes.process import owner_of
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.discrete.resources.station import Station

NEW: Final = "new"
WAITING: Final = "waiting"
GRANTED: Final = "granted"

SPARE: Final = 64
"""The number of places of requests that left a line before they are removed."""


class StationRequest:
    """Something a process asks of a station; while it cannot be had, the request stands in a line of the station.

    station     what it was asked of
    state       "new" until it is yielded, then "waiting" or "granted", and how it ended
    """

    __slots__ = ("_activity", "_number", "_place", "_priority", "since", "state", "station")
    is_state_event = False
    __dir__ = public_dir

    station: Any
    state: str
    since: float
    """Since when it has waited; once it is granted, since when it has had what it asked for."""
    _activity: Any
    _number: int
    _place: tuple[float, int, object] | None
    _priority: float

    @property
    def priority(self) -> float:
        """Its rank in the line: high first, equal ones in the order of asking. It may be changed at any time."""
        return self._priority

    @priority.setter
    def priority(self, priority: float) -> None:
        priority = check_priority(priority, self.station)
        self.station.sim._forbid(17, f"a change of priority at {self.station.name}")
        self.station._is_plain = False
        if self.state == WAITING:
            self._line.reorder(self, priority)
        self._priority = priority
        self.station._serve()

    def withdraw(self) -> None:
        """Give it up."""
        raise NotImplementedError

    def describe(self) -> str:
        """What is waited for."""
        raise NotImplementedError

    @property
    def granted(self) -> bool:
        """Whether what was asked for is had now."""
        return self.state == GRANTED

    @property
    def process(self) -> Any:
        """The process that asked; None before it is yielded."""
        return owner_of(self._activity) if self.state != NEW else None

    @property
    def _line(self) -> Line[Any]:
        """The line of the station in which it stands."""
        raise NotImplementedError


Member = TypeVar("Member", bound=StationRequest)


class Line(Generic[Member]):
    """Wishes that wait, by priority (high first) and number.

    plain       those of priority zero: they come in the order of their numbers and need no sorting
    heap        all others
    stale       how many in these lists have left the line: they are dropped when met
    """

    __slots__ = ("heap", "plain", "stale")

    def __init__(self) -> None:
        self.plain: deque[Member] = deque()
        self.heap: list[tuple[float, int, Member]] = []
        self.stale = 0

    @property
    def count(self) -> int:
        """How many wait."""
        return len(self.plain) + len(self.heap) - self.stale

    def push(self, request: Member) -> None:
        """Append a request to the line; its number is the highest until now."""
        if request._priority == 0.0:
            self.plain.append(request)
        else:
            self._sort_in(request)

    def restore(self, request: Member) -> None:
        """Put a request at the place of its number, before later ones."""
        if request._priority == 0.0:
            self._insert(request)
        else:
            self._sort_in(request)

    def first(self) -> Member | None:
        """The next request; None if the line is empty."""
        heap, plain = self.heap, self.plain
        while heap and not stands_here(heap[0]):
            heappop(heap)
            self.stale -= 1
        while plain and plain[0].state != WAITING:
            plain.popleft()
            self.stale -= 1
        if heap and (heap[0][0] < 0.0 or not plain):
            return heap[0][2]
        return plain[0] if plain else None

    def take(self, request: Member) -> None:
        """Remove the next request, which `first` has returned."""
        if request._priority == 0.0:
            self.plain.popleft()
        else:
            heappop(self.heap)
            request._place = None

    def drop(self, request: Member) -> None:
        """Give up the place of a request that is no longer waiting."""
        self.stale += 1
        if request._priority != 0.0:
            request._place = None
        if self.stale > self.count + SPARE:
            self.plain = deque(request for request in self.plain if request.state == WAITING)
            self.heap = [place for place in self.heap if stands_here(place)]
            heapify(self.heap)
            self.stale = 0

    def remove(self, request: Member) -> None:
        """Take out a request that continues to wait, elsewhere."""
        if request._priority == 0.0:
            self.plain.remove(request)
        else:
            request._place = None
            self.stale += 1

    def reorder(self, request: Member, priority: float) -> None:
        """Move a request to where another priority puts it."""
        self.remove(request)
        request._priority = priority
        self.restore(request)

    def __iter__(self) -> Iterator[Member]:
        """The wishes in the order in which they are to be fulfilled."""
        ranked = sorted(place for place in self.heap if stands_here(place))
        for _, _, request in ranked:
            if request._priority > 0.0:
                yield request
        for request in tuple(self.plain):
            if request.state == WAITING:
                yield request
        for _, _, request in ranked:
            if request._priority < 0.0:
                yield request

    def _sort_in(self, request: Member) -> None:
        request._place = place = (-request._priority, request._number, request)
        heappush(self.heap, place)

    def _insert(self, request: Member) -> None:
        plain, index = self.plain, 0
        while index < len(plain) and plain[index]._number < request._number:
            index += 1
        plain.insert(index, request)


def stands_here(place: tuple[float, int, StationRequest]) -> bool:
    """Whether a place of the heap is still that of its request."""
    return place[2]._place is place


def check_priority(priority: float, station: Station) -> float:
    """`priority` as a float; TypeError if it is no number, ModelError if it is NaN."""
    if not hasattr(priority, "__float__"):  # float("3") is 3.0
        raise TypeError(f"a priority at {station.name} is a number, high first, and got {priority!r}")
    rank = to_float(priority, f"a priority at {station.name}")
    if rank != rank:
        raise ModelError(f"a priority at {station.name} got NaN: it must be a number")
    return rank
