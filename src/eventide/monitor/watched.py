"""The condition list of a simulation that has a monitor: conditions are watched inside steps as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
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
    waiting     how many are waited for
    """

    __slots__ = ("_motion", "_watches", "instants", "waiting")

    def __init__(self, motion: Motion, before: ConditionList) -> None:
        super().__init__()
        self._motion = motion
        self.instants = Instants(motion.sim)
        self._watches = motion.watches
        self._arrivals = before._arrivals
        self.waiting = 0
        for condition in before:
            self._members[condition] = None
            self._watch(condition)

    def __len__(self) -> int:
        return self.waiting

    def __iter__(self) -> Iterator[Condition]:
        return (condition for condition in super().__iter__() if not condition.is_over)

    def _watch(self, condition: Condition) -> None:
        """Watch a condition that has come, perhaps one that was withdrawn before."""
        condition.is_over = False
        self.waiting += 1
        self._watches.expect(condition)
        condition.is_timed = self.instants.add(condition)

    def remove(self, condition: Condition) -> None:
        """Take a condition out and watch it no longer."""
        if condition in self._members and not condition.is_over:
            self.waiting -= 1
            self.instants.remove(condition)
            if not self._watches.remove(condition):
                del self._members[condition]

    def end(self, condition: Condition) -> None:
        """A wait is over: its condition has fired."""
        self.waiting -= 1
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

    def count_wait(self, wait: StateWait) -> None:
        """A wait is over for the so-manieth time: who waits may go on as native code from then on."""
        self._motion.journeys.count_event(wait)

    def disturb(self, process: Any) -> None:
        """Something else than its condition will let a process go on that waits for one."""
        self._motion.journeys.leave(process)

    def again(
        self, activity: Any, test: Callable[[], Any], crossed: Any, priority: float, prior: bool
    ) -> StateWait | None:
        """Let an activity wait once more for what it has waited for before; None if that is not kept."""
        code = getattr(test, "__code__", None)
        for wait in (activity if activity.__class__ is not Branch else who_waits(activity))._past or ():
            if wait.code is code and wait.crossed is crossed and wait.is_over:
                break
        else:
            return None
        if test.__class__ is FunctionType:
            wait.test = wait.function = test  # as `ask` does; that what it is called with is nothing is known
        else:
            wait.ask(test)
        wait.activity, wait.priority = activity, priority
        self._arrivals = arrival = self._arrivals + 1.0
        wait.rank = -arrival if prior else arrival
        if not self._watches.resume(wait):
            return None
        wait.is_over = False
        self.waiting += 1
        if wait.is_timed:
            self.instants.add(wait)
        return wait  # type: ignore[no-any-return]  # a process keeps waits

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if it is not native code."""
        waits = condition in self._members and not condition.is_over
        return self._motion.measure(condition) if waits else None
