"""The condition list of a simulation that has a monitor: conditions are watched inside steps as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eventide.discrete.conditions import Condition, ConditionList, StateWait

if TYPE_CHECKING:
    from eventide.continuous import Motion


class WatchedConditions(ConditionList):
    """As `ConditionList`; tells the motion of every change."""

    __slots__ = ("_motion",)

    def __init__(self, motion: Motion, before: ConditionList) -> None:
        super().__init__()
        self._motion = motion
        self._arrivals = before._arrivals
        for condition in before:
            self._members[condition] = None
            motion.watches.add(condition)

    def add(self, condition: Condition, *, prior: bool = False) -> None:
        """Add a condition and watch it."""
        super().add(condition, prior=prior)
        self._motion.watches.add(condition)

    def remove(self, condition: Condition) -> None:
        """Take a condition out and watch it no longer."""
        if condition in self._members:
            super().remove(condition)
            self._motion.watches.remove(condition)

    def end(self, condition: Condition) -> None:
        """A wait is over: its condition has fired."""
        del self._members[condition]
        self._motion.watches.end(condition)

    def again(self, activity: Any, test: Callable[[], Any]) -> StateWait | None:
        """The last wait of an activity for the same thing, to be used once more; None if there is none."""
        return self._motion.watches.again(activity, test)
