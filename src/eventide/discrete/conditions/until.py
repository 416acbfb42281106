"""The command `until`: an activity waits for a condition, or for a passage through a level."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from eventide.discrete.commands import command
from eventide.discrete.conditions.condition import Condition, begin_monitoring, check_priority
from eventide.discrete.conditions.crossing import Crossing
from eventide.reading.between_events import CONDITION, refuse_commands
from eventide.reading.description import describe_function, describe_progress

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.world import World


class StateWait(Condition):
    """An activity in `until`: level-triggered, so a condition that is true now is due now, in its turn."""

    __slots__ = ("activity", "code", "crossed", "following", "is_discrete", "is_plain", "world")
    is_state_event = True
    code: object
    """The code of the condition, by which the next wait for the same thing is known; None if it is no function."""
    crossed: object
    """The code of what is to cross a level, if that is waited for; else None."""
    following: StateWait | None
    """The next one among the past waits of its process, which form a ring; None if it is not kept."""

    def __init__(
        self, sim: World, activity: Activity, test: Callable[[], object], priority: float, crossed: object = None
    ) -> None:
        super().__init__(test, priority)
        self.following = None
        self.is_plain = False
        """Whether ending and repeating the wait changes its rank only."""
        self.is_discrete = False
        self.world = sim
        self.activity = activity
        self.code = getattr(test, "__code__", None)
        self.crossed = crossed

    @property
    def sim(self) -> World:
        """Where it is waited for."""
        return self.world

    @property
    def owner(self) -> Activity:
        """The activity that waits."""
        return self.activity

    @property
    def name(self) -> str:
        """Whose condition it is."""
        return str(self.activity.name)

    @property
    def identity(self) -> tuple[str, object]:
        """As of any condition."""
        code = self.code
        return self.activity.name, self.function if code is None else code

    def withdraw(self) -> None:
        """Leave the list."""
        self.world._conditions.remove(self)

    def describe(self) -> str:
        """What is waited for."""
        return f"until({describe_function(self.test)})"

    def progress(self) -> str:
        """In words, how far the condition is from true, and whether that shrinks; empty if unknown.

        And which of the objects that it reads were never started.
        """
        conditions = self.world._conditions
        measured = conditions.progress(self)
        found = "" if measured is None else describe_progress(*measured)
        resting = [f"{name} was never started" for name in conditions.resting(self)]
        return "; ".join([found, *resting] if found else resting)

    def fire(self, sim: World) -> Activity:
        """Wake the activity; its `until` returns True."""
        if self.is_plain:
            self.is_over = True
        else:
            self.end()
        activity = self.activity
        activity._wait = None
        activity._value = True
        return activity

    def end(self) -> None:
        """The wait is over."""
        self.world._conditions.end(self)


class CrossingWait(StateWait):
    """An activity in `until(crosses(...))`: one side of the crossing, which must be found false before it fires."""

    __slots__ = ("armed", "sides")
    is_trigger = True

    sides: list[CrossingWait]
    """This one and, if either direction will do, the other."""

    def __init__(
        self, sim: World, activity: Activity, test: Callable[[], object], priority: float, crossed: object
    ) -> None:
        super().__init__(sim, activity, test, priority, crossed)
        self.armed = False

    @property
    def value(self) -> Callable[..., object]:
        """What is to cross a level."""
        value: Callable[..., object] = self.test.crossing_of  # type: ignore[attr-defined]  # our mark
        return value

    def withdraw(self) -> None:
        """Leave the list, with the other side."""
        for side in self.sides:
            self.world._conditions.remove(side)

    def end(self) -> None:
        """The wait is over: for the other side as well."""
        self.withdraw()

    def describe(self) -> str:
        """What is waited for."""
        what = f"crosses({describe_function(self.value)})"
        return f"until({what if len(self.sides) > 1 else describe_function(self.test)})"


Awaited: TypeAlias = Callable[[], Any] | Crossing


class Until:
    """The command to wait until a condition is true, made by `until`."""

    __slots__ = ("code", "condition", "prior", "priority")

    condition: Awaited
    code: object
    """The code of the condition; None if it is no function."""
    priority: float | None
    prior: bool | None

    def _execute(self, sim: World, activity: Activity, /) -> None:
        wait = activity._past
        if wait is not None and wait.code is self.code and sim._conditions.take_up(wait, self):
            wait.activity, activity._past = activity, wait.following
            activity._wait = wait
            return
        condition = self.condition
        priority = sim.until_priority if self.priority is None else self.priority
        prior = sim.until_prior if self.prior is None else self.prior
        if priority.__class__ is not float or priority != priority:
            check_priority(f"the until of {activity.name}", priority)
        if isinstance(condition, Crossing):
            activity._wait = _await_crossing(sim, activity, condition, priority, prior)
            return
        wait = None if activity._past is None else past_wait(activity, self.code, None)
        if wait is None and sim._conditions.left:
            wait = sim._conditions.take_over(activity, condition)
        if wait is not None and sim._conditions.resume(wait, condition, priority, prior):
            wait.activity, activity._past = activity, wait.following
        else:
            refuse_commands(condition, None, sim, CONDITION, activity)
            wait = StateWait(sim, activity, condition, priority)
            begin_monitoring(sim)
            sim._conditions.add(wait, prior=prior)
        activity._wait = wait


def _await_crossing(sim: World, activity: Activity, crossing: Crossing, priority: float, prior: bool) -> CrossingWait:
    for part in crossing.parts:
        refuse_commands(part, None, sim, CONDITION, activity)
    begin_monitoring(sim)
    crossed = getattr(crossing.value, "__code__", None)
    sides: list[CrossingWait] = []
    for side in crossing.sides(0):
        wait = past_wait(activity, side.__code__, crossed)
        if isinstance(wait, CrossingWait) and sim._conditions.resume(wait, side, priority, prior):
            wait.activity = activity
        else:
            wait = CrossingWait(sim, activity, side, priority, crossed)
            sim._conditions.add(wait, prior=prior)
        wait.sides = sides
        sides.append(wait)
    return sides[0]


def wait_again(activity: Activity, wait: StateWait) -> None:
    """Let an activity wait in one of the waits that are kept for it."""
    activity._wait, activity._past = wait, wait.following


def past_waits(activity: Activity) -> Iterator[StateWait]:
    """The waits kept for an activity, finished or not, the most likely to recur first."""
    wait = first = activity._past
    while wait is not None:
        yield wait
        wait = wait.following if wait.following is not first else None


def past_wait(activity: Activity, code: object, crossed: object) -> StateWait | None:
    """A finished wait of an activity for a condition of that code; None if none is kept.

    crossed     the code of what is to cross a level, if that is waited for; else None
    """
    kept = (wait for wait in past_waits(activity) if wait.code is code and wait.crossed is crossed and wait.is_over)
    return next(kept, None)


def keep_past(activity: Activity, wait: StateWait, *, is_given: bool = False) -> bool:
    """Keep a wait for reuse, as the last of its ring; False if one of its kind is kept already, and it is not given."""
    last = first = activity._past or wait
    for last in past_waits(activity):
        if last.code is wait.code and last.crossed is wait.crossed and not is_given:
            return False
    last.following, wait.following, activity._past = wait, first, first
    return True


def drop_past(activity: Activity, wait: StateWait) -> None:
    """Keep a wait no longer."""
    if wait.following is wait:
        activity._past = None
    else:
        before = next(other for other in past_waits(activity) if other.following is wait)
        before.following = wait.following
        if activity._past is wait:
            activity._past = wait.following
    wait.following = None  # a ring of one would be left to the collector


@command
def until(condition: Awaited, *, priority: float | None = None, prior: bool | None = None) -> Until:
    """Command: wait until `condition()` is true; returns True, or False if something else woke the process.

    condition   called between events as well; it may read any mix of discrete and continuous state, and only read;
                or `crosses(...)`, which waits for a passage through a level
    priority    high first among conditions true at one instant; `sim.until_priority` (0) if not given
    prior       before instead of after equals; `sim.until_prior` (False) if not given
    Raises TypeError if `condition` cannot be called.
    Source      Helsgaun, COMBINEDSIMULATION manual, 3.5 (WAITUNTIL)
    """
    wait = Until()  # made without `__init__`, which would take as long as the rest
    wait.condition, wait.priority, wait.prior = condition, priority, prior
    if condition.__class__ is FunctionType:
        wait.code = condition.__code__
    elif callable(condition) or isinstance(condition, Crossing):
        wait.code = getattr(condition, "__code__", None)
    else:
        raise TypeError(f"until takes a condition to call, and got {condition!r}: write `until(lambda: ...)`")
    return wait
