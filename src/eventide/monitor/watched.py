"""The condition list of a simulation that has a monitor: conditions are watched inside steps as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.discrete.conditions import Condition, ConditionList
from eventide.monitor.instants import Instants

if TYPE_CHECKING:
    from eventide.continuous import Motion


class WatchedConditions(ConditionList):
    """As `ConditionList`; tells the motion of every change.

    instants    when those on time alone become true
    """

    __slots__ = ("_motion", "instants")

    def __init__(self, motion: Motion, before: ConditionList) -> None:
        super().__init__()
        self._motion = motion
        self.instants = Instants(motion.sim)
        self._arrivals = before._arrivals
        for condition in before:
            self._members[condition] = None
            motion.add_condition(condition)
            self.instants.add(condition)

    def add(self, condition: Condition, *, prior: bool = False) -> None:
        """Add a condition and watch it."""
        super().add(condition, prior=prior)
        self._motion.add_condition(condition)
        self.instants.add(condition)

    def remove(self, condition: Condition) -> None:
        """Take a condition out and watch it no longer."""
        if condition in self._members:
            super().remove(condition)
            self._motion.remove_condition(condition)
            self.instants.remove(condition)

    def consume(self, condition: Condition) -> None:
        """A trigger fires."""
        self._motion.consume(condition)

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if it is not native code."""
        return self._motion.measure(condition) if condition in self._members else None
