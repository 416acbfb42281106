"""Detection of endless events at one instant: processes that activate each other, or themselves, without end.

The run loop checks the clock after each batch of events. If it has not advanced, and what was due then is over, events
are counted by activity until it does: an event of an ordinary run pays nothing. Two processes that exchange a long list
by puts and gets look just like two that never end: only the number of events distinguishes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from eventide.errors import ModelError
from eventide.reading.description import listed

if TYPE_CHECKING:
    from eventide.discrete.calendar import Entry
    from eventide.discrete.world import World

CHUNK: Final = 1024
"""The events that take place before the clock is compared again."""
ENOUGH: Final = 4096
"""The events of a run before it is checked which processes can continue as native code."""
EARLY: Final = 512
"""The same where what was read of the processes in other simulations serves this one."""
EARLY_BESIDE_FLOWS: Final = 32
"""The same where states are integrated: an event in Python takes some 4 us longer there than one of a row, so that some
150 events pay for what a process takes to become a row, and to return to Python at the end of the run (0.6 ms)."""
SOON: Final = 64
"""The fewest events until it is checked again, as where something at one instant is in the way."""
BESIDE_FLOWS: Final = 4
"""An event in Python takes as long as this many others where states are integrated."""
MOST_AT_ONE_INSTANT: Final = 1000
"""How often an activity may act at one instant after that has become suspicious ..."""
EVENTS_AT_ONE_INSTANT: Final = 1_000_000
"""... and beyond that as often as it likes, until this many events have taken place there, which takes some seconds."""
MOST_IN_ONE_EVENT: Final = 1_000_000
"""The most commands in a row that a process may yield and that are carried out at once."""


class Instant:
    """Counts how often each process acts at one time.

    time    where the clock stood when stock was taken last
    """

    __slots__ = ("_actors", "_acts", "_counted_from", "_counts", "_events", "time")

    def __init__(self) -> None:
        self.time = -1.0
        self._events = self._acts = self._counted_from = 0
        self._counts: dict[int, int] = {}
        self._actors: list[Entry] = []
        """The counted activities, in order of their first events; kept alive, so that no id is reused."""

    def next_chunk(self, time: float, actor: Entry, events: int, due: int = 0) -> int:
        """How many events to let take place before asking again: one, while the clock stands still.

        actor   the activity that has acted last
        events  how many there were: between two there may be any number of stale notices
        due     how many are due now; those that are when this time is first asked about take place uncounted
        Raises ModelError, naming those that act again and again, if that was more than 1,000 times and they do not come
        to an end within a million events.
        """
        if time != self.time:
            self.time, self._counted_from = time, events + max(due, CHUNK)
            self.forget()
            return CHUNK
        if events < self._counted_from:
            return min(CHUNK, self._counted_from - events)
        if events == self._events:
            return 1
        self._events = events
        self._acts += 1
        counts, key = self._counts, id(actor)
        count = counts.get(key, 0)
        if not count:
            self._actors.append(actor)
        elif count >= MOST_AT_ONE_INSTANT and self._acts > EVENTS_AT_ONE_INSTANT:
            text = self._without_end(time, actor)
            self.forget()
            raise ModelError(text)
        counts[key] = count + 1
        return 1

    def forget(self) -> None:
        """Time has gone on, or the run has ended: count anew."""
        self._acts = 0
        self._counts.clear()
        self._actors.clear()

    def actors_at(self, time: float) -> str:
        """In words, the activities that act repeatedly at this instant; empty if that is not suspicious."""
        return self._names() if time == self.time else ""

    def _names(self) -> str:
        again = sorted(
            (actor for actor in self._actors if self._counts[id(actor)] > 1), key=lambda actor: -self._counts[id(actor)]
        )
        return listed([f"{actor.name} ({self._counts[id(actor)]} times)" for actor in again])

    def _without_end(self, time: float, last: object) -> str:
        self._counts[id(last)] += 1
        return (
            f"time does not go beyond {time!r}: {self._names()} acted at this instant. A process that repeats must "
            "let time pass: hold(...) for more than 0, or wait for something that is yet to come"
        )


def refuse_more(world: World) -> NoReturn:
    """Raise the ModelError for a process that continues without end within one event."""
    raise ModelError(
        f"time does not go beyond {world.time!r}: {world.current.name} has yielded {MOST_IN_ONE_EVENT:,} commands in "
        "one event that were carried out at once. Let time pass in between: hold(...) for more than 0, or hold(0) to "
        "let others go first"
    )
