"""A model that stays at one instant says so: processes that activate each other, or themselves, without end.

The run loop takes stock after each spell of events. A spell that began and ended at one instant is suspicious; from then
on whoever acts is counted, until time goes on. So nothing of this is on the way of an event of an ordinary run.
"""

from __future__ import annotations

from typing import Any, Final

from eventide.discrete.process import owner_of
from eventide.errors import ModelError

SPELL: Final = 1024
"""So many events take place before stock is taken."""
MOST_AT_ONE_INSTANT: Final = 1000
"""So often a process may act at one instant."""
MOST_NAMES: Final = 5


class Instant:
    """Where the clock stood when stock was taken last, and how often who has acted there since."""

    __slots__ = ("_counts", "_time")

    def __init__(self) -> None:
        self._time = -1.0
        self._counts: dict[int, tuple[int, Any]] = {}

    def next_spell(self, time: float, current: Any) -> int:
        """How many events to take before asking again: one, while the clock stands still.

        current     who has acted last
        Raises ModelError, naming whoever has acted more than once, if `current` has more than 1,000 times.
        """
        if time != self._time:
            self._time = time
            self._counts.clear()
            return SPELL
        actor = owner_of(current) or current
        count = self._counts.get(id(actor), (0, None))[0] + 1
        self._counts[id(actor)] = (count, actor)  # held, so that its id stays its own
        if count > MOST_AT_ONE_INSTANT:
            text = self._without_end(time)
            self._counts.clear()
            raise ModelError(text)
        return 1

    def _without_end(self, time: float) -> str:
        again = [(count, actor) for count, actor in self._counts.values() if count > 1]
        again.sort(key=lambda pair: -pair[0])
        names = ", ".join(f"{actor.name} ({count} times)" for count, actor in again[:MOST_NAMES])
        more = f" and {len(again) - MOST_NAMES} more" if len(again) > MOST_NAMES else ""
        return (
            f"time does not go beyond {time!r}: {names}{more} acted at this instant without end. A process that comes "
            "back again and again must let time pass: hold(...) for more than 0, or wait for what is not true or there "
            "yet"
        )
