"""A model that stops advancing says so: events without end at one instant, or ever closer to one."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Final

from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.discrete.conditions import Condition

MOST_AT_ONE_INSTANT: Final = 1000
STEADY: Final = 10
"""So many successive intervals must shrink by one ratio."""
SAME: Final = 0.01
"""How far ratios may differ, as a share, and count as one."""
NEAR: Final = 1e-8
"""The end of the intervals is near when it is ahead by less than this share of the time (of 1, if that is more)."""


class _Trail:
    """When one condition fired last, how long after the time before, and how steadily the intervals shrink."""

    __slots__ = ("count", "interval", "ratio", "steady", "time")

    def __init__(self, time: float) -> None:
        self.time = time
        self.interval = 0.0
        self.ratio = 0.0
        self.steady = 0
        self.count = 1


class Cascade:
    """Watches the state events of one run."""

    def __init__(self) -> None:
        self._trails: dict[Any, _Trail] = {}

    def note(self, condition: Condition, time: float, dt_min: float) -> None:
        """Note that a condition fires.

        Raises ModelError, naming condition, window and remedy, if it fires more than 1,000 times at one instant, or if
        its intervals shrink geometrically towards a time just ahead (Zeno).
        """
        trail = condition.trail
        if trail is None:
            trail = condition.trail = self._trails.setdefault(condition.identity, _Trail(-inf))
        interval = time - trail.time
        if interval == 0.0:
            trail.count += 1
            if trail.count > MOST_AT_ONE_INSTANT:
                raise ModelError(self._without_end(time))
        elif interval < trail.interval < inf:
            self._lengthen(trail, condition, time, dt_min)
        else:
            trail.time, trail.interval, trail.count, trail.steady = time, interval, 1, 0

    def _lengthen(self, trail: _Trail, condition: Condition, time: float, dt_min: float) -> None:
        interval = time - trail.time
        ratio = interval / trail.interval
        trail.steady = trail.steady + 1 if abs(ratio - trail.ratio) <= SAME * trail.ratio else 0
        trail.ratio = ratio
        if trail.steady >= STEADY - 2:
            ahead = interval * ratio / (1.0 - ratio)
            if 0.0 < ahead < max(10.0 * dt_min, NEAR * max(1.0, abs(time))):
                raise ModelError(
                    f"{condition.name} fires ever faster: its last {trail.steady + 2} intervals shrank by the factor "
                    f"{ratio:.6g} each, to {interval:.3g}, and would end at time {time + ahead!r} after infinitely "
                    "many events. Let its handler end the motion when it has become small: stop() the component, "
                    "or set the state to rest"
                )
        trail.time, trail.interval, trail.count = time, interval, 1

    def _without_end(self, time: float) -> str:
        names = [f"{key[0]} ({t.count} times)" for key, t in self._trails.items() if t.time == time and t.count > 1]
        return (
            f"time does not go beyond {time!r}: {', '.join(names)} fired at this instant. A condition of `until` "
            "that is true now is due now: make it false before waiting for it again, for example by "
            "`and self.velocity < 0`"
        )
