"""The condition list of a simulation that has a monitor: conditions are watched inside steps as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from eventide.discrete.composite import Branch, who_waits
from eventide.discrete.conditions import Condition, ConditionList, StateWait
from eventide.monitor.instants import Instants

if TYPE_CHECKING:
    from eventide.continuous import Motion
    from eventide.discrete.conditions import Trigger


class WatchedConditions(ConditionList):
    """As `ConditionList`; tells the motion of every change. Waits that are over may rest among the members.

    instants    when those on time alone become true
    """

    __slots__ = ("_motion", "_resting", "_waiting", "_watches", "instants")

    def __init__(self, motion: Motion, before: ConditionList) -> None:
        super().__init__()
        self._motion = motion
        self.instants = Instants(motion.sim)
        self._watches, self._resting = motion.watches, motion.watches.resting
        self._arrivals = before._arrivals
        self._waiting = 0
        for condition in before:
            self._members[condition] = None
            self._watch(condition)

    def __len__(self) -> int:
        return self._waiting

    def __iter__(self) -> Iterator[Condition]:
        return (condition for condition in super().__iter__() if not condition.is_over)

    def _watch(self, condition: Condition) -> None:
        """Watch a condition that has come, perhaps again."""
        condition.is_over = False
        self._waiting += 1
        self._watches.arriving[condition] = None
        if condition.is_timed or condition.row < 0:
            condition.is_timed = self.instants.add(condition)

    def remove(self, condition: Condition) -> None:
        """Take a condition out and watch it no longer."""
        if condition in self._members and not condition.is_over:
            self._waiting -= 1
            self.instants.remove(condition)
            if not self._watches.remove(condition):
                del self._members[condition]

    def end(self, condition: Condition) -> None:
        """A wait is over: its condition has fired."""
        self._waiting -= 1
        if condition.is_timed:
            self.instants.remove(condition)
        if condition.rests and condition.plan.signature is None:
            condition.is_over = True
        elif not self._watches.end(condition):
            del self._members[condition]

    def forget(self, condition: Condition) -> None:
        """A wait that rested is not kept any longer."""
        self._members.pop(condition, None)

    def count_event(self, trigger: Trigger) -> None:
        """A handler runs: when its code has done so often enough it may be native code from then on."""
        self._motion.reactions.count_event(trigger)

    def again(self, activity: Any, test: Callable[[], Any], value: Any = None) -> StateWait | None:
        """The last wait of an activity for the same thing, to be used once more; None if there is none."""
        if activity.__class__ is Branch:
            activity = who_waits(activity)
        try:
            wait = self._resting.get((id(activity), id(test.__code__), value and id(value.__code__)))
        except AttributeError:  # it is no function
            return None
        return wait if wait is not None and wait.is_over else None

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if it is not native code."""
        waits = condition in self._members and not condition.is_over
        return self._motion.measure(condition) if waits else None
