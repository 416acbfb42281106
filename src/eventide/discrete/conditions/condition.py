"""The condition list: all that is waited for, in the order in which it is to take place, and what stands in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MethodType
from typing import TYPE_CHECKING, Any

from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.declare import Component
    from eventide.discrete.commands import Activity
    from eventide.discrete.conditions.until import StateWait, Until
    from eventide.discrete.conditions.when import Trigger
    from eventide.discrete.hook import Hook
    from eventide.discrete.world import World


class Condition:
    """A place in the condition list."""

    __slots__ = (
        "arguments",
        "flow",
        "function",
        "is_over",
        "is_timed",
        "partner",
        "plan",
        "priority",
        "rank",
        "rests",
        "row",
        "test",
    )
    is_trigger = False
    is_switch = False
    """Whether it is a comparison in a law, for which no process waits."""
    is_handler = False
    """Whether a handler runs when it fires."""
    is_discrete = False
    """Whether it is tested after events only, as nothing else changes what it reads."""
    armed = True
    is_counted = True
    """Whether events of its handler are still counted, as it is not known yet whether that pays as native code."""

    test: Callable[[], object]
    function: Callable[..., object]
    """What it is in the text; a method's is that of its class."""
    arguments: tuple[object, ...]
    """What that is called with."""
    plan: Any  # the integrator's, from when it is placed: `continuous/plans.py`, a room above
    flow: Any  # the integrator's, in whose steps it is watched, while it is: `continuous/flows/flow.py`
    partner: Trigger | None
    """The handler on the other side of the surface, if this one's and that one's state slides along it."""

    def __init__(self, test: Callable[[], object], priority: float) -> None:
        self.ask(test)
        self.priority = priority
        self.rank = 0.0
        self.row = -1
        self.is_over = False
        """Whether it has fired or been withdrawn, and is kept for the next wait of its kind."""
        self.rests = False
        """Whether it will be kept when it is over, which has been found out before."""
        self.is_timed = False
        """Whether it may be one on time alone, whose instant is solved."""
        self.partner = None

    def ask(self, test: Callable[[], object]) -> None:
        """From now on `test` tells whether it is true."""
        self.test = test
        if test.__class__ is MethodType:
            self.function, self.arguments = test.__func__, (test.__self__,)
        else:
            self.function, self.arguments = test, ()

    @property
    def sim(self) -> World:
        """Where it is waited for."""
        raise NotImplementedError

    @property
    def owner(self) -> Any:
        """The activity that waits, or the component whose handler it releases."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Whose condition it is, for messages."""
        raise NotImplementedError

    @property
    def identity(self) -> tuple[str, object]:
        """What is equal for repeated waits of one process: the owner, and the code of the condition."""
        return self.name, getattr(self.function, "__code__", self.function)

    def fire(self, sim: World) -> object:
        """Make its event the next one; returns the activity or handler of that event."""
        raise NotImplementedError


class ComponentCondition(Condition):
    """A condition that belongs to a component."""

    __slots__ = ("component",)

    def __init__(self, component: Component, test: Callable[[], object], priority: float) -> None:
        super().__init__(test, priority)
        self.component = component

    @property
    def sim(self) -> World:
        """Where it is watched."""
        return self.component.sim

    @property
    def owner(self) -> Component:
        """The component."""
        return self.component


def check_priority(whose: str, priority: object) -> None:
    """Raise TypeError or ModelError if a priority is no number."""
    if isinstance(priority, str) or not hasattr(priority, "__float__"):
        raise TypeError(f"the priority of {whose} is a number, high first, and got {priority!r}")
    to_float(priority, f"the priority of {whose}")
    if priority != priority:
        raise ModelError(f"the priority of {whose} must be a number, and got nan")  # it would stand nowhere


class ConditionList:
    """All conditions waited for, in the order in which they are to take place: high priority first, then by arrival.

    arrivals    how many there have been, which ranks them
    monitor     what tests them between events; None if nothing does yet
    left        by the ids of codes of conditions, the waits of processes that have ended, kept for others
    """

    __slots__ = ("_members", "arrivals", "left")
    monitor: Hook | None = None

    def __init__(self) -> None:
        self._members: dict[Condition, None] = {}
        self.left: dict[int, dict[StateWait, None]] = {}
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

    def drop(self, wait: StateWait) -> None:
        """A wait is kept no longer when it is over."""

    def count_event(self, trigger: Trigger) -> None:
        """A handler runs."""

    def resume(self, wait: StateWait, test: Callable[[], object], priority: float, prior: bool) -> bool:
        """Add a finished wait again, for a condition of the same code; returns whether that is possible."""
        return False

    def take_up(self, wait: StateWait, until: Until) -> bool:
        """The same, where nothing but its rank is new."""
        return False

    def take_over(self, activity: Activity, test: Callable[[], object]) -> StateWait | None:
        """A finished wait that a process that has ended has left for others; None without."""
        return None

    def leave_to_others(self, process: Activity) -> None:
        """A process has ended of which waits are kept."""

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if that is not known."""
        return None

    def resting(self, condition: Condition) -> tuple[str, ...]:
        """The names of objects with laws that a condition reads, and that have never been started."""
        return ()


def conditions_of(world: World) -> ConditionList:
    """All conditions that are waited for in a simulation."""
    return world._conditions


def keep_conditions(world: World, conditions: ConditionList) -> None:
    """From now on all conditions that are waited for are in this list."""
    world._conditions = conditions


def begin_monitoring(world: World) -> None:
    """There is something to do between events from now on: let the monitor be the hook, if it is not."""
    if world._hook is None or world._hook is not world._conditions.monitor:
        world._watch()
