"""The event list: what happens next, in one total order.

Every notice carries the key (time, sequence, path). Notices in key order are SIMULA's event list:

* scheduled ones have growing positive sequence numbers, so equal times keep the order of the calls;
* what stands *in front* of an instant has the negative number of the event that put it there, so that a later event
  places its own before those of an earlier one, and within one event the path keeps the order of the calls;
* the path makes room between two neighbours (`before`, `after`) without touching either.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, Protocol, TypeAlias

from eventide.errors import ModelError

Path: TypeAlias = tuple[int, ...]
PLAIN: Path = (0,)
WIDE = 1 << 62
"""Beyond any serial number: the distance from a notice to the room kept on either side of it."""


class Activity(Protocol):
    """Whatever can stand in the event list: a process, a timer, a branch of a composite wait."""

    _notice: Notice | None

    def _resume(self, value: Any, /) -> Any: ...


Notice: TypeAlias = tuple[float, int, Path, Any]


class Calendar:
    """The event list of one run.

    An activity is in the list exactly while its `_notice` is a notice held here; a notice that its activity no longer
    points to is stale and dropped when met. `front` holds what was put in front of the present instant, `ready` its end
    in order of scheduling, `heap` the future and what was placed beside others.
    """

    __slots__ = ("events", "front", "heap", "ready", "serial")

    def __init__(self) -> None:
        self.heap: list[Notice] = []
        self.front: deque[Notice] = deque()
        self.ready: deque[Notice] = deque()
        self.serial = count(1).__next__
        self.events = 0
        """Number of events that have taken place."""

    def schedule(self, time: float, now: float, activity: Any) -> None:
        """Place `activity` at `time` (at `now` if that has passed), after all that stand at that time already."""
        if time > now:
            notice = (time, self.serial(), PLAIN, activity)
            heappush(self.heap, notice)
        else:
            notice = (now, self.serial(), PLAIN, activity)
            self.ready.append(notice)
        activity._notice = notice

    def schedule_front(self, now: float, activity: Any) -> None:
        """Place `activity` in front of the present instant, after what the present event put there."""
        event, front = -self.events, self.front
        activity._notice = notice = (now, event, (self.serial(), 0), activity)
        if not front or front[-1][1] == event:
            front.append(notice)
        else:
            place = 0
            while front[place][1] == event:
                place += 1
            front.insert(place, notice)

    def schedule_prior(self, time: float, now: float, activity: Any) -> None:
        """Place `activity` at `time`, before all that stand at that time already."""
        activity._notice = notice = (max(time, now), -self.events, (-self.serial(), 0), activity)
        heappush(self.heap, notice)

    def schedule_before(self, neighbour: Notice, activity: Any) -> None:
        """Place `activity` immediately before a notice of the list."""
        self._squeeze(neighbour, self.serial() - WIDE, activity)

    def schedule_after(self, neighbour: Notice, activity: Any) -> None:
        """Place `activity` immediately after a notice of the list."""
        self._squeeze(neighbour, WIDE - self.serial(), activity)

    def _squeeze(self, neighbour: Notice, offset: int, activity: Any) -> None:
        time, sequence, path, _ = neighbour
        activity._notice = notice = (time, sequence, (*path[:-1], offset, 0), activity)
        ready = self.ready
        if ready and ready[0][0] == time and ready[0][1] <= sequence:
            ordered = list(ready)
            insort(ordered, notice)
            ready.clear()
            ready.extend(ordered)
        else:
            heappush(self.heap, notice)

    def first(self) -> Notice | None:
        """The notice that is next, still in the list; None if there is none."""
        heap = self.heap
        while heap and heap[0][3]._notice is not heap[0]:
            heappop(heap)
        for row in (self.front, self.ready):
            while row and row[0][3]._notice is not row[0]:
                row.popleft()
            if row and not (heap and heap[0] < row[0]):
                return row[0]
        return heap[0] if heap else None

    def next_time(self) -> float:
        """When the next time event is due; infinity if there is none."""
        notice = self.first()
        return inf if notice is None else notice[0]

    def __iter__(self) -> Iterator[Notice]:
        """The notices in the order in which they would take place."""
        return iter(sorted(n for n in [*self.heap, *self.front, *self.ready] if n[3]._notice is n))

    def after_activity(self, activity: Any) -> Any:
        """The activity whose event comes next after that of `activity`; None if it is the last or not in the list."""
        found = activity._notice is None
        if found:
            return None
        for notice in self:
            if found:
                return notice[3]
            found = notice[3] is activity
        return None


def check_time(value: float, what: str) -> float:
    """`value` as a float; TypeError if it is no number, ModelError if it is NaN."""
    try:
        time = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} takes a number of time units, and got {value!r}") from None
    if time != time:
        raise ModelError(f"{what} got NaN: a time must be a number")
    return time
