"""The event list: what happens next, in one total order.

Every notice carries the key (time, sequence, path). Notices in key order are SIMULA's event list:

* stretches of code (events, and direct activations inside them) are numbered; a stretch ends with at most one hold,
  which takes its number, and what it scheduled before stands half a number lower, in the order of the calls (path);
* what stands *in front* of an instant has the negative number of the stretch that put it there, so that a later one
  places its own before those of an earlier one, and within one stretch the path keeps the order of the calls;
* the path also makes room between two neighbours (`before`, `after`) without touching either.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import chain, count
from math import inf
from typing import Any, Final, Protocol, TypeAlias

from eventide.errors import ModelError

Path: TypeAlias = tuple[int, ...]
PLAIN: Path = (0,)
"""The path of a hold, which has its sequence number for itself."""
WIDE: Final = 1 << 62
"""Beyond any serial number: the distance from a notice to the room kept on either side of it."""
SPARE: Final = 256
"""So many notices may be stale before the heap is tidied."""


class Activity(Protocol):
    """Whatever can stand in the event list: a process, a timer, a branch of a composite wait."""

    _notice: Notice | None
    _story: Any

    def _resume(self, value: Any, /) -> Any: ...


Notice: TypeAlias = tuple[float, float, Path, Any]


class Calendar:
    """The event list of one run.

    An activity is in the list exactly while its `_notice` is a notice held here; a notice that its activity no longer
    points to is stale and dropped when met. Three lists are kept in key order and merged by who takes from them:

    front       a heap: what stands in front of the present instant
    ready       the end of the present instant, in order of scheduling
    heap        a heap: the future, and whatever was placed beside a neighbour
    numbers     where the run loop draws the number of each event from
    turn        the number of the stretch of code that runs
    """

    __slots__ = ("discarded", "front", "heap", "numbers", "ready", "serial", "tracer", "turn", "void")

    def __init__(self) -> None:
        self.front: list[Notice] = []
        self.heap: list[Notice] = []
        self.ready: deque[Notice] = deque()
        self.serial = count(1).__next__
        self.numbers = count(2)
        self.turn = 1  # whoever makes the model is a stretch of code, too
        self.void = 1
        """How many numbers were drawn for something else than an event."""
        self.discarded = 0
        """About so many notices are stale: those that are dropped when met are still counted."""
        self.tracer: Any = None

    @property
    def events(self) -> int:
        """Number of events that have taken place."""
        return self.turn - self.void

    # --- placing --------------------------------------------------------------------------------------------------

    def schedule(self, time: float, now: float, activity: Any) -> None:
        """Place `activity` at `time` (at `now` if that has passed), after all that stand at that time already."""
        path = (self.serial(), 0)
        if time > now:
            activity._notice = notice = (time, self.turn - 0.5, path, activity)
            heappush(self.heap, notice)
        else:
            activity._notice = notice = (now, self.turn - 0.5, path, activity)
            self.ready.append(notice)

    def schedule_front(self, now: float, activity: Any) -> None:
        """Place `activity` in front of the present instant, after what the present stretch of code put there."""
        activity._notice = notice = (now, -self.turn, (self.serial(), 0), activity)
        heappush(self.front, notice)

    def schedule_prior(self, time: float, now: float, activity: Any) -> None:
        """Place `activity` at `time` (at `now` if that has passed), before all that stand at that time already."""
        activity._notice = notice = (max(time, now), -self.turn, (-self.serial(), 0), activity)
        heappush(self.heap if time > now else self.front, notice)

    def schedule_before(self, neighbour: Notice, activity: Any) -> None:
        """Place `activity` immediately before a notice of the list."""
        self._squeeze(neighbour, self.serial() - WIDE, activity)

    def schedule_after(self, neighbour: Notice, activity: Any) -> None:
        """Place `activity` immediately after a notice of the list."""
        self._squeeze(neighbour, WIDE - self.serial(), activity)

    def _squeeze(self, neighbour: Notice, offset: int, activity: Any) -> None:
        time, sequence, path, _ = neighbour
        activity._notice = notice = (time, sequence, (*path[:-1], offset, 0), activity)
        heappush(self.heap, notice)

    def answer(self, now: float, activity: Any, wait: Any) -> None:
        """Place `activity`, whose `wait` is over, at the end of the present instant."""
        activity._notice = notice = (now, self.turn - 0.5, (self.serial(), 0), activity)
        self.ready.append(notice)

    def hand_over(self, now: float, activity: Any, process: Any) -> None:
        """A running `activity` gives way to `process` within its event, and comes back before all that stand now."""
        self.schedule_prior(now, now, activity)
        self.begin_stretch()

    def begin_stretch(self) -> None:
        """What is placed in front from now on comes before what was placed there up to now."""
        self.turn = next(self.numbers)
        self.void += 1

    def discard(self, activity: Any) -> None:
        """Take the notice of `activity`, if any, out of the list.

        It goes stale and would be dropped when its time comes, which may be never: stale ones are swept out together.
        """
        if activity._notice is not None:
            activity._notice = None
            self.discarded += 1
            if self.discarded > SPARE and 2 * self.discarded > len(self.heap):
                self._sweep()

    def _sweep(self) -> None:
        heap = self.heap
        heap[:] = [notice for notice in heap if notice[3]._notice is notice]
        heapify(heap)
        self.discarded = 0

    # --- asking ---------------------------------------------------------------------------------------------------

    def first(self) -> Notice | None:
        """The notice that is next, still in the list; None if there is none."""
        front, ready, heap = self.front, self.ready, self.heap
        while front and front[0][3]._notice is not front[0]:
            heappop(front)
        while heap and heap[0][3]._notice is not heap[0]:
            heappop(heap)
        while ready and ready[0][3]._notice is not ready[0]:
            ready.popleft()
        soonest = front[0] if front else ready[0] if ready else None
        if heap and (soonest is None or heap[0] < soonest):
            return heap[0]
        return soonest

    def next_time(self) -> float:
        """When the next time event is due; infinity if there is none."""
        heap = self.heap
        if heap and not self.front and not self.ready and heap[0][3]._notice is heap[0]:
            return float(heap[0][0])
        notice = self.first()
        return inf if notice is None else notice[0]

    def __iter__(self) -> Iterator[Notice]:
        """The notices in the order in which they would take place."""
        return iter(sorted(self._valid()))

    def after(self, notice: Notice | None) -> list[Notice]:
        """The notices that follow one, in order; all of them for None."""
        return sorted(other for other in self._valid() if notice is None or other > notice)

    def _valid(self) -> Iterator[Notice]:
        return (notice for notice in chain(self.front, self.ready, self.heap) if notice[3]._notice is notice)


def check_time(value: float, what: str) -> float:
    """`value` as a float; TypeError if it is no number, ModelError if it is NaN."""
    if not hasattr(value, "__float__"):  # float("3") is 3.0, and a text for a time is a slip
        raise TypeError(f"{what} takes a number of time units, and got {value!r}")
    time = float(value)
    if time != time:
        raise ModelError(f"{what} got NaN: a time must be a number")
    return time
