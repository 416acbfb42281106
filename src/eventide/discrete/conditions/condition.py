"""A place in the condition list."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn

from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.declare import Component
    from eventide.discrete.conditions.when import Trigger
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
    armed = True
    is_counted = True
    """Whether events of its handler are still counted, as it is not known yet whether that pays as native code."""
    recurs = False
    """Whether the same thing may well be waited for again."""

    test: Callable[[], Any]
    function: Any
    """What it is in the text; a method's is that of its class."""
    arguments: tuple[Any, ...]
    """What that is called with."""
    partner: Trigger | None
    """The handler on the other side of the surface, if this one's and that one's state slides along it."""

    def __init__(self, test: Callable[[], Any], priority: float) -> None:
        self.ask(test)
        self.priority = priority
        self.rank = 0.0
        self.row = -1
        self.plan: Any = None
        self.flow: Any = None
        """In whose steps it is watched."""
        self.is_over = False
        """Whether it has fired or been withdrawn, and is kept for the next wait of its kind."""
        self.rests = False
        """Whether it will be kept when it is over, which has been found out before."""
        self.is_timed = False
        """Whether it may be one on time alone, whose instant is solved."""
        self.partner = None

    def ask(self, test: Callable[[], Any]) -> None:
        """From now on `test` tells whether it is true."""
        self.test = test
        if test.__class__ is MethodType:
            self.function, self.arguments = test.__func__, (test.__self__,)
        else:
            self.function, self.arguments = test, ()

    @property
    def sim(self) -> Any:
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
    def identity(self) -> tuple[str, Any]:
        """What stays the same when a process waits for one thing again and again: whose it is, and its code."""
        return self.name, getattr(self.function, "__code__", self.function)

    def fire(self, sim: World) -> Any:
        """Let its event be the next one; returns the activity or handler whose event it is."""
        raise NotImplementedError


class ComponentCondition(Condition):
    """A condition that belongs to a component."""

    __slots__ = ("component",)

    def __init__(self, component: Component, test: Callable[[], object], priority: float) -> None:
        super().__init__(test, priority)
        self.component = component

    @property
    def sim(self) -> Any:
        """Where it is watched."""
        return self.component.sim

    @property
    def owner(self) -> Any:
        """The component."""
        return self.component


def refuse_priority(whose: str) -> NoReturn:
    """Raise ModelError for a priority that is NaN: it would stand nowhere."""
    raise ModelError(f"the priority of {whose} must be a number, and got nan")


def check_priority(whose: str, priority: Any) -> None:
    """Raise TypeError or ModelError if a priority is no number."""
    if isinstance(priority, str) or not hasattr(priority, "__float__"):
        raise TypeError(f"the priority of {whose} is a number, high first, and got {priority!r}")
    to_float(priority, f"the priority of {whose}")
    if priority != priority:
        refuse_priority(whose)
