"""The condition list: all that is waited for, in the order in which it is to take place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.until import StateWait, Until
    from eventide.discrete.conditions.when import Trigger
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World


class ConditionList:
    """All conditions waited for, in the order in which they are to take place: high priority first, then by arrival.

    arrivals    how many there have been, which ranks them
    """

    __slots__ = ("_members", "arrivals")

    def __init__(self) -> None:
        self._members: dict[Condition, None] = {}
        self.arrivals = 0.0

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Condition]:
        return iter(sorted(self._members, key=lambda c: (-c.priority, c.rank)))

    def add(self, condition: Condition, *, prior: bool = False) -> None:
        """Add a condition after its equals, or before them if `prior`."""
        self.arrivals += 1.0
        condition.rank = -self.arrivals if prior else self.arrivals
        self._members[condition] = None
        self._watch(condition)

    def _watch(self, condition: Condition) -> None:
        """It has come; see `WatchedConditions`."""

    def remove(self, condition: Condition) -> None:
        """Take a condition out; no effect if it is not there."""
        self._members.pop(condition, None)

    def end(self, condition: Condition) -> None:
        """A wait is over: its condition has fired."""
        self.remove(condition)

    def forget(self, condition: Condition) -> None:
        """A wait that is over is not kept any longer."""

    def count_event(self, trigger: Trigger) -> None:
        """A handler runs."""

    def count_wait(self, wait: StateWait) -> None:
        """A wait is over, as often as its countdown says."""

    def disturb(self, process: Process) -> None:
        """Something else than its condition will wake a process that waits for one."""

    def resume(self, wait: StateWait, test: Callable[[], Any], priority: float, prior: bool) -> bool:
        """Add a wait that is over once more, for a condition of the same code; whether it can be."""
        return False

    def take_up(self, wait: StateWait, until: Until) -> bool:
        """The same, where nothing but its rank is new."""
        return False

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if that is not known."""
        return None

    def resting(self, condition: Condition) -> tuple[str, ...]:
        """The names of objects with laws that a condition reads, and that have never been started."""
        return ()


def conditions_of(world: World) -> ConditionList:
    """All conditions that are waited for in a simulation."""
    return world._conditions
