"""The event list: the events to come, in one total order.

In: notices with the key (time, sequence, path). Out: the first of them. Keys are ordered as SIMULA's event list:

- stretches of code (events, and direct activations inside them) are numbered; a stretch ends with at most one hold,
  which takes its number, and what it scheduled before comes half a number earlier, in the order of the calls (path);
- what is placed *in front* of an instant (plain `activate()`, `sim.process`, `interrupt`) has the negative number of
  the stretch that placed it, so that a later stretch comes first, and within one stretch the path keeps the order of
  calls;
- what was given a priority has the number ABOVE or BELOW, on either side of all stretches, but after what stands in
  front; its path begins with the priority, then the number of its stretch. Priority 0 has the key it has without;
- the path also makes room between two entries (`before`, `after`) without changing either.

Front and end of the present instant (grants, `hold(0)`) are deques, the future is a heap; one comparison merges them.
Rejected: the front in the heap (a logarithm for every activation), and a sorted list (half of a heap's speed at 50,000
processes). A notice is valid while its activity points to it; stale ones are dropped when met, and removed when they
are many. While an activity runs, its notice stays at the top of the heap, so `hold` costs a single `heapreplace`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import chain, count
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from eventide.declare.units import in_time_unit
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.discrete.commands import Wait
    from eventide.discrete.processes.process import Process

Path: TypeAlias = tuple[float, ...]
PLAIN: Path = (0,)
"""The path of a hold, which has its sequence number for itself."""
FIRST: Path = (0, 0)
"""The path of what a stretch puts in front first: before any with a serial number."""
ABOVE: Final = 0.0
"""The number of what has a priority above 0."""
BELOW: Final = 1e300
"""The number of what has a priority below 0."""
WIDE: Final = 1 << 62
"""Beyond any serial number: the distance from a notice to the room kept on either side of it."""
NEXT: Path = (-WIDE,)
"""The path of what is taken at once."""
AT_END: Final[object] = object()
"""Stands for whose event is next where there is none."""
SPARE: Final = 256
"""Up to this many stale notices do not matter."""


class Entry(Protocol):
    """Whatever can stand in the event list: a process, a timer, a branch of a composite wait."""

    _notice: Notice | None
    _receiver: Any

    @property
    def _value(self) -> object: ...
    @property
    def _wait(self) -> Wait | None: ...

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    def _resume(self) -> object: ...


Notice: TypeAlias = tuple[float, float, Path, Entry]


class EndOfTime:
    """The entry at the end of time, so that the heap always has a root."""

    __slots__ = ("_notice",)


class Calendar:
    """The event list of one run.

    An activity is in the list exactly while its `_notice` is a notice held here; a notice that its activity no longer
    points to is stale and dropped when met. Three lists are kept in key order and merged as entries are taken:

    front       what stands in front of the present instant, before all that the other two hold; the next entry is last
    ready       the end of the present instant, in order of scheduling
    heap        a heap: the future, what was placed beside a neighbour in it or in `ready`, and the end of time
    numbers     the iterator from which the run loop draws the number of each event
    turn        the number of the stretch of code that runs now
    """

    __slots__ = (
        "below",
        "end",
        "front",
        "heap",
        "latest",
        "numbers",
        "ready",
        "serial",
        "swept",
        "tracer",
        "turn",
        "void",
    )

    def __init__(self) -> None:
        self.front: deque[Notice] = deque()
        self.latest = 0
        """The number of the stretch that was last to put something in front."""
        self.below = 0
        """How much in `front` comes after what that stretch put there."""
        end_of_time: Any = EndOfTime()
        self.end: Notice = (inf, inf, PLAIN, end_of_time)
        end_of_time._notice = self.end
        self.heap: list[Notice] = [self.end]
        self.ready: deque[Notice] = deque()
        self.serial = count(1).__next__
        self.numbers = count(2)
        self.turn = 1  # the code that makes the model is a stretch, too
        self.void = 1
        """The numbers drawn for anything but an event, minus the events that needed none."""
        self.swept = 0
        """The length of the heap when stale notices were last removed, or the shortest since then."""
        self.tracer: Any = None

    @property
    def events(self) -> int:
        """Number of events that have taken place."""
        return self.turn - self.void

    # --- placing --------------------------------------------------------------------------------------------------

    def schedule(self, time: float, now: float, activity: Entry) -> None:
        """Place `activity` at `time` (at `now` if that has passed), after all that stand at that time already."""
        path = (self.serial(), 0)
        if time > now:
            activity._notice = notice = (time, self.turn - 0.5, path, activity)
            heappush(self.heap, notice)
        else:
            activity._notice = notice = (now, self.turn - 0.5, path, activity)
            self.ready.append(notice)

    def schedule_ranked(self, time: float, now: float, priority: float, activity: Entry) -> None:
        """As `schedule`, but before all that stand at that time with a lower priority: they have 0 without one."""
        if priority == 0.0:
            self.schedule(time, now, activity)
            return
        path = (-priority, self.turn - 0.5, self.serial(), 0)
        activity._notice = notice = (max(time, now), ABOVE if priority > 0.0 else BELOW, path, activity)
        heappush(self.heap, notice)

    def schedule_front(self, now: float, activity: Entry) -> None:
        """Place `activity` in front of the present instant, after what the present stretch of code put there."""
        turn, front = self.turn, self.front
        if turn == self.latest:
            serial = self.serial
            activity._notice = notice = (now, -turn, (serial(), 0), activity)
            front.insert(self.below, notice)
        else:
            self.latest = turn
            self.below = len(front)
            activity._notice = first = (now, -turn, FIRST, activity)
            front.append(first)

    def schedule_prior(self, time: float, now: float, activity: Entry) -> None:
        """Place `activity` at `time` (at `now` if that has passed), before all that stand at that time already."""
        turn, front = self.turn, self.front
        if time < now:  # noqa: PLR1730  # a call of max takes longer than all the rest
            time = now
        activity._notice = notice = (time, -turn, (-self.serial(), 0), activity)
        if time > now:
            heappush(self.heap, notice)
        else:
            if turn != self.latest:
                self.latest = turn
                self.below = len(front)
            front.append(notice)

    def call_next(self, now: float, activity: Entry) -> None:
        """Place `activity` before all others, to be taken before anything else can be placed."""
        activity._notice = notice = (now, -self.turn, NEXT, activity)
        self.front.append(notice)

    def schedule_before(self, neighbour: Notice, activity: Entry) -> None:
        """Place `activity` immediately before a notice of the list."""
        self._insert_beside(neighbour, self.serial() - WIDE, activity)

    def schedule_after(self, neighbour: Notice, activity: Entry) -> None:
        """Place `activity` immediately after a notice of the list."""
        self._insert_beside(neighbour, WIDE - self.serial(), activity)

    def _insert_beside(self, neighbour: Notice, offset: int, activity: Entry) -> None:
        time, sequence, path, _ = neighbour
        activity._notice = notice = (time, sequence, (*path[:-1], offset, 0), activity)
        index = self._index_in_front(neighbour)
        if index is None:
            heappush(self.heap, notice)
        else:
            self.front.insert(index if offset > 0 else index + 1, notice)
            if sequence != -self.latest:
                self.below += 1

    def _index_in_front(self, notice: Notice) -> int | None:
        if notice[1] > 0.0:  # scheduled after others, not in front
            return None
        return next((index for index, one in enumerate(self.front) if one is notice), None)

    def schedule_last(self, now: float, activity: Entry) -> None:
        """Place `activity` at the end of the present instant; its value and what it waited for tell why."""
        serial = self.serial
        activity._notice = notice = (now, self.turn - 0.5, (serial(), 0), activity)
        self.ready.append(notice)

    def answer(self, now: float, activity: Entry, wait: Wait | None) -> None:
        """Place `activity`, whose `wait` is over without a result, at the end of the present instant."""
        self.schedule_last(now, activity)

    def count_events(self, events: int) -> None:
        """Count events that have taken place by themselves, for which no number was drawn."""
        self.void -= events

    def hand_over(self, now: float, activity: Entry, process: Process) -> None:
        """A running `activity` gives way to `process` within its event, and comes back before all that stand now."""
        self.schedule_prior(now, now, activity)
        self.begin_stretch()

    def begin_stretch(self) -> None:
        """What is placed in front from now on comes before what was placed there up to now."""
        self.turn = next(self.numbers)
        self.void += 1

    def tidy(self) -> None:
        """Remove stale notices if the heap has doubled since the last time: they may be far in the future."""
        heap = self.heap
        if len(heap) > 2 * self.swept + SPARE:
            heap[:] = [notice for notice in heap if notice[3]._notice is notice]
            heapify(heap)
            self.swept = len(heap)
        elif len(heap) < self.swept:
            self.swept = len(heap)

    # --- asking ---------------------------------------------------------------------------------------------------

    def first(self) -> Notice | None:
        """The notice that is next, still in the list; None if there is none."""
        front, ready, heap = self.front, self.ready, self.heap
        while front and front[-1][3]._notice is not front[-1]:
            front.pop()
        while heap[0][3]._notice is not heap[0]:
            heappop(heap)
        while ready and ready[0][3]._notice is not ready[0]:
            ready.popleft()
        if front:
            return front[-1]
        if ready and not heap[0] < ready[0]:
            return ready[0]
        return None if heap[0] is self.end else heap[0]

    def next_time(self) -> float:
        """When the next time event is due; infinity if there is none."""
        notice = self.first()
        return inf if notice is None else notice[0]

    def __iter__(self) -> Iterator[Notice]:
        """The notices in the order in which they would take place."""
        return iter(sorted(self._valid()))

    def after(self, notice: Notice | None) -> list[Notice]:
        """The notices that follow one, in order; all of them for None."""
        return sorted(other for other in self._valid() if notice is None or other > notice)

    def _valid(self) -> Iterator[Notice]:
        end = self.end
        everybody = chain(self.front, self.ready, self.heap)
        return (notice for notice in everybody if notice[3]._notice is notice and notice is not end)


def is_ranked(notice: Notice) -> bool:
    """Whether a notice has a priority."""
    return notice[1] in (ABOVE, BELOW)


def priority_of(notice: Notice) -> float:
    """The priority with which a notice was placed."""
    return -notice[2][0] if is_ranked(notice) else 0.0


def stretch_of(notice: Notice) -> float:
    """The number of the stretch of code that has placed a notice, or half less; negative for what stands in front."""
    return notice[2][1] if is_ranked(notice) else notice[1]


def check_time(value: float, what: str, unit: str) -> float:
    """`value` as a float, in a unit; TypeError if it is no number, ModelError if it is NaN or of another kind."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):  # float("3") is 3.0, and a text for a time is a slip
        raise TypeError(f"{what} takes a number of time units, and got {value!r}")
    time = to_float(in_time_unit(value, unit, what), what)
    if time != time:
        raise ModelError(f"{what} got NaN: a time must be a number")
    return time
