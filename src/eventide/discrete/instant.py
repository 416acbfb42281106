"""A model that stays at one instant says so: processes that activate each other, or themselves, without end.

The run loop takes stock after each spell of events. If the clock then stands where it stood before, that is suspicious:
from now on whoever acts is counted, until time goes on. So an event of an ordinary run pays nothing.
"""

from __future__ import annotations

from typing import Any, Final

from eventide.errors import ModelError

SPELL: Final = 1024
"""So many events take place before stock is taken."""
MOST_AT_ONE_INSTANT: Final = 1000
"""So often one may act at one instant after it has become suspicious."""
MOST_NAMES: Final = 5


class Instant:
    """Where the clock stood when stock was taken last, and how often who has acted there since."""

    __slots__ = ("_actors", "_counts", "_events", "_time")

    def __init__(self) -> None:
        self._time = -1.0
        self._events = 0
        self._counts: dict[int, int] = {}
        self._actors: list[Any] = []
        """Those who were counted, in the order of acting first; kept, so that their ids stay their own."""

    def next_spell(self, time: float, actor: Any, events: int) -> int:
        """How many events to let take place before asking again: one, while the clock stands still.

        actor   who has acted last
        events  how many there were: between two there may be any number of stale notices
        Raises ModelError, naming those who act again and again, if that was more than 1,000 times.
        """
        if time != self._time:
            self._time = time
            self._forget()
            return SPELL
        if events == self._events:
            return 1
        self._events = events
        counts, key = self._counts, id(actor)
        count = counts.get(key, 0)
        if not count:
            self._actors.append(actor)
        elif count >= MOST_AT_ONE_INSTANT:
            text = self._without_end(time, actor)
            self._forget()
            raise ModelError(text)
        counts[key] = count + 1
        return 1

    def _forget(self) -> None:
        self._counts.clear()
        self._actors.clear()

    def _without_end(self, time: float, last: Any) -> str:
        self._counts[id(last)] += 1
        again = sorted(
            (actor for actor in self._actors if self._counts[id(actor)] > 1), key=lambda actor: -self._counts[id(actor)]
        )
        names = ", ".join(f"{actor.name} ({self._counts[id(actor)]} times)" for actor in again[:MOST_NAMES])
        more = f" and {len(again) - MOST_NAMES} more" if len(again) > MOST_NAMES else ""
        return (
            f"time does not go beyond {time!r}: {names}{more} acted at this instant. Who comes back without end must "
            "let time pass: hold(...) for more than 0, or wait for something that is yet to come"
        )
