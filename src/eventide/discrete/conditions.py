"""State events: who waits for which condition, in the order in which they are to take place.

`until` makes a process wait; `when` ties a condition to a handler of a component. Both stand in one list, by priority
(high first) and then by arrival.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from inspect import CO_VARARGS
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeAlias, overload

from eventide.discrete.between_events import CONDITION, refuse_commands
from eventide.discrete.commands import NOTHING, command
from eventide.discrete.crossing import Crossing
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    from eventide.declare import Component
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
    """Whether it is a comparison in a law, which nobody waits for."""
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
    """Who is on the other side of a surface along which it slides, if it is a handler's and does."""

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
        """Who waits, or the component whose handler it releases."""
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
        """Let its event be the next one; answers whose that is."""
        raise NotImplementedError


FEW: Final = 4
"""So many events of a wait pass before anybody is told that there were that many."""


class StateWait(Condition):
    """An activity in `until`: level-triggered, so a condition that is true now is due now, in its turn."""

    __slots__ = ("activity", "code", "countdown", "crossed", "following", "is_plain", "world")
    is_state_event = True
    recurs = True
    code: Any
    """The code of the condition, by which the next wait for the same thing is known; None if it is no function."""
    crossed: Any
    """The code of what is to cross a level, if that is waited for; else None."""
    following: StateWait | None
    """Who comes after it among the past waits of its process, which stand in a ring; None if it is not kept."""

    def __init__(
        self, sim: World, activity: Any, test: Callable[[], Any], priority: float, crossed: Any = None
    ) -> None:
        super().__init__(test, priority)
        self.following = None
        self.is_plain = False
        """Whether nothing but its rank is to be told when it is over and when it is waited for again."""
        self.world = sim
        self.activity = activity
        self.code = getattr(test, "__code__", None)
        self.crossed = crossed
        self.countdown = FEW
        """After so many events more it is looked at whether who waits may go on as native code."""

    @property
    def sim(self) -> Any:
        """Where it is waited for."""
        return self.world

    @property
    def owner(self) -> Any:
        """Who waits."""
        return self.activity

    @property
    def name(self) -> str:
        """Whose condition it is."""
        return str(self.activity.name)

    @property
    def identity(self) -> tuple[str, Any]:
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
        """How far the condition is from coming true and whether it comes nearer, in words; empty if not known.

        And who of those that it reads was never started.
        """
        conditions = self.world._conditions
        measured = conditions.progress(self)
        found = [] if measured is None else [describe_progress(*measured)]
        return "; ".join([*found, *(f"{name} was never started" for name in conditions.resting(self))])

    def fire(self, sim: World) -> Any:
        """Wake the activity; its `until` answers True."""
        if self.is_plain:
            self.is_over = True
        else:
            self.end()
        self.countdown = countdown = self.countdown - 1
        if not countdown:
            sim._conditions.count_wait(self)
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

    def __init__(self, sim: World, activity: Any, test: Callable[[], Any], priority: float, crossed: Any) -> None:
        super().__init__(sim, activity, test, priority, crossed)
        self.armed = False

    @property
    def value(self) -> Any:
        """What is to cross a level."""
        return self.test.crossing_of  # type: ignore[attr-defined]  # our mark

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


class ComponentCondition(Condition):
    """A condition that belongs to a component."""

    __slots__ = ("component",)

    def __init__(self, component: Component, test: Callable[[], Any], priority: float) -> None:
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


class Trigger(ComponentCondition):
    """A `when` handler: fires when its condition, once found false, becomes true.

    settler     the handler for the end of infinitely many firings; None if there is none
    end         the time of that end, if the settler is to run next
    surface     what it slides along with its partner, which is on the other side; None if it does not
    sliding     who stands for that motion, once it has begun
    """

    __slots__ = (
        "__weakref__",
        "_notice",
        "_value",
        "_wait",
        "armed",
        "end",
        "handler",
        "has_fired",
        "is_above",
        "is_counted",
        "settler",
        "sliding",
        "surface",
    )
    _story = None
    is_trigger = is_handler = True

    def __init__(
        self,
        component: Component,
        test: Callable[[], Any],
        handler: Callable[[], Any],
        priority: float,
        armed: bool,
    ) -> None:
        super().__init__(component, test, priority)
        self.handler = handler
        self.armed = armed
        self.settler: Settler | None = None
        self.end: float | None = None
        self.surface: Surface | None = None
        self.is_above = False
        self.sliding: Any = None
        self.has_fired = False
        self.is_counted = True
        self._notice = self._value = self._wait = None

    @property
    def name(self) -> str:
        """The component's name and the handler's."""
        return f"{self.component.name}.{self.handler.__name__}"

    def fire(self, sim: World) -> Any:
        """Run the handler next."""
        self.has_fired = True
        if self.is_counted:
            sim._conditions.count_event(self)
        return self

    def _resume(self) -> Any:
        end = self.end
        if end is None:
            handler = self.handler
        else:
            assert self.settler is not None  # who sets `end` has looked
            self.end = None
            handler = partial(self.settler, self.component, end)
        try:
            handler()
        except StopIteration as error:
            refuse_stop_iteration(handler, error)
        return NOTHING


def refuse_stop_iteration(handler: Callable[[], Any], error: StopIteration) -> NoReturn:
    """Raise the error for a handler that raised StopIteration, which must not pass for the end of a process."""
    name = getattr(handler, "__qualname__", repr(handler))
    raise RuntimeError(f"the handler {name} raised StopIteration") from error


class ConditionList:
    """All conditions waited for, in the order in which they are to take place: high priority first, then by arrival."""

    __slots__ = ("_arrivals", "_members")

    def __init__(self) -> None:
        self._members: dict[Condition, None] = {}
        self._arrivals = 0.0

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[Condition]:
        return iter(sorted(self._members, key=lambda c: (-c.priority, c.rank)))

    def add(self, condition: Condition, *, prior: bool = False) -> None:
        """Add a condition after its equals, or before them if `prior`."""
        self._arrivals += 1.0
        condition.rank = -self._arrivals if prior else self._arrivals
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

    def disturb(self, process: Any) -> None:
        """Something else than its condition will let a process go on that waits for one."""

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


Awaited: TypeAlias = Callable[[], Any] | Crossing


class Until:
    """The command to wait until a condition is true, made by `until`."""

    __slots__ = ("code", "condition", "prior", "priority")

    condition: Awaited
    code: Any
    """The code of the condition; None if it is no function."""
    priority: float | None
    prior: bool | None

    def _execute(self, sim: World, activity: Any, /) -> None:
        wait = activity._past
        if wait is not None and wait.code is self.code and sim._conditions.take_up(wait, self):
            wait.activity, activity._past = activity, wait.following
            activity._wait = wait
        else:
            activity._wait = self._wait_for(sim, activity)

    def _wait_for(self, sim: World, activity: Any) -> StateWait:
        """Let an activity wait, by what it has kept or else by something new."""
        condition: Any = self.condition
        priority = sim.wait_priority if self.priority is None else self.priority
        prior = sim.wait_prior if self.prior is None else self.prior
        if priority.__class__ is not float or priority != priority:
            check_priority(f"the until of {activity.name}", priority)
        if isinstance(condition, Crossing):
            return _await_crossing(sim, activity, condition, priority, prior)
        wait: StateWait | None = past_wait(activity, self.code, None)
        if wait is not None and sim._conditions.resume(wait, condition, priority, prior):
            wait.activity, activity._past = activity, wait.following
            return wait
        refuse_commands(condition, None, sim, CONDITION, activity)
        wait = StateWait(sim, activity, condition, priority)
        sim._watch()
        sim._conditions.add(wait, prior=prior)
        return wait


def _await_crossing(sim: World, activity: Any, crossing: Crossing, priority: float, prior: bool) -> CrossingWait:
    for part in crossing.parts:
        refuse_commands(part, None, sim, CONDITION, activity)
    sim._watch()
    crossed = getattr(crossing.value, "__code__", None)
    sides: list[CrossingWait] = []
    for side in crossing.sides(0):
        wait = past_wait(activity, side.__code__, crossed)
        if wait is not None and sim._conditions.resume(wait, side, priority, prior):
            wait.activity = activity
        else:
            wait = CrossingWait(sim, activity, side, priority, crossed)
            sim._conditions.add(wait, prior=prior)
        wait.sides = sides
        sides.append(wait)
    return sides[0]


def past_waits(activity: Any) -> Iterator[StateWait]:
    """The waits that are kept for an activity, over or not, the one that is likely to come next first."""
    first: StateWait | None = activity._past
    wait = first
    while wait is not None:
        yield wait
        wait = wait.following if wait.following is not first else None


def past_wait(activity: Any, code: Any, crossed: Any) -> Any:
    """A wait of an activity that is over, for a condition of that code; None if none is kept.

    crossed     the code of what is to cross a level, if that is waited for; else None
    """
    kept = (wait for wait in past_waits(activity) if wait.code is code and wait.crossed is crossed and wait.is_over)
    return next(kept, None)


def keep_past(activity: Any, wait: StateWait) -> None:
    """Keep a wait for the next of its kind, as the one that comes last."""
    first = activity._past
    if first is None:
        activity._past = wait.following = wait
    else:
        *_, last = past_waits(activity)
        last.following, wait.following = wait, first


def drop_past(activity: Any, wait: StateWait) -> None:
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
def until(
    condition: Callable[[], Any] | Crossing, *, priority: float | None = None, prior: bool | None = None
) -> Until:
    """Command: wait until `condition()` is true; answers True, or False if something else woke the process.

    condition   called between events as well; it may read any mix of discrete and continuous state, and only read;
                or `crosses(...)`, which waits for a passage through a level
    priority    high first among conditions true at one instant; `sim.wait_priority` (0) if not given
    prior       before instead of after equals; `sim.wait_prior` (False) if not given
    Raises TypeError if `condition` cannot be called.
    Source      Helsgaun, COMBINEDSIMULATION manual, 3.5 (WAITUNTIL)
    """
    wait = Until()  # made without a call of `__init__`, which would take as long as the rest
    wait.condition, wait.priority, wait.prior = condition, priority, prior
    if condition.__class__ is FunctionType:
        wait.code = condition.__code__
    elif callable(condition) or isinstance(condition, Crossing):
        wait.code = getattr(condition, "__code__", None)
    else:
        raise TypeError(f"until takes a condition to call, and got {condition!r}: write `until(lambda: ...)`")
    return wait


Settler: TypeAlias = Callable[[Any, float], None]
"""A function of the component and of the time at which infinitely many events have been."""


class Handler(Protocol):
    """A method that `@when` has marked."""

    def __call__(self, component: Any, /) -> None:
        """Handle the event."""
        ...

    def __get__(self, component: Any, owner: Any = None, /) -> Callable[[], None]:
        """As of any method."""
        ...

    def accumulates(self, settler: Settler, /) -> Settler:
        """Mark the method that says what is when this handler's events have accumulated, as a bouncing ball's do.

        `settler(self, time)` runs once, in place of the handler, when the intervals between its events shrink towards
        `time`, which is ahead by less than 10 dt_min or 1e-8 of the time; or when it has fired 1,000 times while time
        did not go on. It should lead to a state from which the condition does not become true again at once.
        """
        ...

    def slides(self, other: Handler | None = None, /) -> Surface:
        """Let the state slide along the surface between this handler's condition, above it, and the other's, below.

        Where what either handler leaves behind leads back to the surface, the two would fire in turn without end.
        Instead both run once; then the states move by the average of the two fields that stays on the surface, until
        one of them leads away from it: its handler runs, and the model goes on there. `other` is left out for a
        handler of `crosses(...)` in either direction. The conditions are comparisons of states, and the handlers set
        numeric fields of continuous components, which count as constant while it slides. Put the answer into the
        class: `sliding = above.slides(below)`; then `component.sliding` is the share of the field above, or None.
        Source: Filippov (1988), see `engine/law_evaluation.py`
        """
        ...


class WhenSpec:
    """What `@when` found in a class: a handler and the conditions that release it, of which a crossing may have two."""

    def __init__(
        self,
        condition: Callable[[Any], Any] | Crossing,
        handler: Callable[[Any], Any],
        priority: float,
        at_start: bool,
    ) -> None:
        self.parts: tuple[Any, ...] = (condition,)
        self.conditions: list[Callable[..., Any]] = []
        if isinstance(condition, Crossing):
            self.parts, self.conditions = condition.parts, [*condition.sides(1)]
        else:
            self.conditions = [condition]
        self.handler = handler
        self.priority = priority
        self.at_start = at_start
        self.settler: Settler | None = None
        self.surface: Surface | None = None

    def slides(self, other: Handler | None = None) -> Surface:
        """Let the state slide between this condition and another's; see `Handler.slides`."""
        below = self if other is None else getattr(other, "_when", None)
        if not isinstance(below, WhenSpec):
            raise TypeError(
                f"{self.handler.__qualname__}.slides takes the handler of the other side, which @when has marked, and "
                f"got {other!r}"
            )
        for spec in (self, below):
            if spec.surface is not None:
                raise TypeError(
                    f"{spec.handler.__qualname__} slides along two surfaces: a handler is at the edge of one"
                )
            if len(spec.conditions) != (2 if below is self else 1):
                raise TypeError(
                    f"{self.handler.__qualname__}.slides() is for one handler of `crosses(...)` in either direction; "
                    f"{self.handler.__qualname__}.slides(other) for two handlers of one condition each"
                )
        self.surface = below.surface = Surface(self, below)
        return self.surface

    def accumulates(self, settler: Settler) -> Settler:
        """Give the handler for the end of infinitely many firings; see `Handler.accumulates`."""
        refuse_generator(settler, "accumulates")
        if self.settler is not None:
            raise TypeError(f"{self.handler.__qualname__} has been given two handlers by accumulates")
        self.settler = settler
        return Settlement(self, settler)

    def with_settler(self, settler: Settler) -> WhenSpec:
        """The same for another class, in which this is the handler for the end of infinitely many firings."""
        other = copy(self)
        other.settler = settler
        return other

    def bind(self, component: Component) -> list[Trigger]:
        """The triggers of one component."""
        return [self._bind(component, condition) for condition in self.conditions]

    def _bind(self, component: Component, condition: Callable[[Any], Any]) -> Trigger:
        handler = self.handler.__get__(component)
        trigger = Trigger(component, lambda: condition(component), handler, self.priority, self.at_start)
        trigger.function, trigger.arguments = condition, (component,)
        trigger.settler = self.settler
        trigger.surface = self.surface
        return trigger


class Settlement:
    """What `Handler.accumulates` answers: a method of the class in whose text it stands.

    It is for objects of that class and of those derived from it: the handler's own class is left as it is.

    spec        the mark of the handler
    settler     the function
    """

    def __init__(self, spec: WhenSpec, settler: Settler) -> None:
        self.spec = spec
        self.settler = settler

    def __set_name__(self, owner: type, name: str) -> None:
        self.spec.settler = None  # `handler_specs` gives it to the class

    def join(self, found: dict[str, WhenSpec]) -> None:
        """Let the handlers of a class, by name, have it, if the one that it is for is among them."""
        for name, spec in found.items():
            if spec.handler is self.spec.handler:
                found[name] = spec.with_settler(self.settler)

    def __get__(self, component: Any, owner: type | None = None) -> Any:
        return self.settler if component is None else MethodType(self.settler, component)

    def __call__(self, component: Any, time: float) -> None:
        """Say what is, as the function does."""
        self.settler(component, time)


class Surface:
    """Between two conditions: what `Handler.slides` answers. Read from a component, the share of the field above.

    above, below    the marks of the two handlers
    name            in the class
    """

    name = "sliding"

    def __init__(self, above: WhenSpec, below: WhenSpec) -> None:
        self.above = above
        self.below = below

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, component: None, owner: type) -> Surface: ...

    @overload
    def __get__(self, component: object, owner: type) -> float | None: ...

    def __get__(self, component: Any, owner: type) -> Surface | float | None:
        if component is None:
            return self
        standing = (t.sliding for t, _ in component._handlers if t is not None and t.surface is self)
        sliding = next(standing, None)
        return float(sliding.share) if sliding is not None and sliding.active else None

    def tie(self, triggers: list[Trigger], component: Component) -> None:
        """Make partners of the two triggers of one component; those of one crossing come with that above first."""
        if len(triggers) != 2:
            raise ModelError(
                f"{component.name} has another handler in the place of {self.above.handler.__name__} or "
                f"{self.below.handler.__name__}: say anew which handlers slide, `{self.name} = above.slides(below)`"
            )
        triggers.sort(key=lambda trigger: trigger.handler.__name__ != self.above.handler.__name__)
        triggers[0].partner, triggers[1].partner = triggers[1], triggers[0]
        triggers[0].is_above = True


def when(
    condition: Callable[[Any], Any] | Crossing, *, priority: float = 0.0, at_start: bool = False
) -> Callable[[Callable[[Any], None]], Handler]:
    """Mark a method as the handler of a state event: it runs whenever `condition(self)` becomes true.

    condition   a function of the component, armed once it was found false; or `crosses(...)`
    priority    as in `until`
    at_start    whether it fires if the condition is true already at the component's start
    Raises TypeError if the handler yields: a handler cannot wait, it can activate a process that does.
    """
    check_priority("@ev.when", priority)
    if isinstance(condition, Crossing):
        if at_start:
            raise ModelError("nothing crosses a level at the start: give @ev.when(..., at_start=True) a condition")
    elif not callable(condition):
        raise TypeError(
            f"when takes a condition to call with the component, and got {condition!r}: write `lambda self: ...`"
        )
    elif isinstance(condition, FunctionType) and not takes_anything(condition.__code__):
        raise TypeError(
            f"when takes a condition to call with the component, and {describe_function(condition)} takes nothing: "
            "write `lambda self: ...`"
        )

    def mark(handler: Callable[[Any], None]) -> Handler:
        refuse_generator(handler, "when")
        marked: Any = handler
        marked._when = spec = WhenSpec(condition, handler, priority, at_start)
        marked.accumulates = spec.accumulates
        marked.slides = spec.slides
        return marked  # type: ignore[no-any-return]  # a function that has been given what a Handler has

    mark._waits_for_handler = True  # type: ignore[attr-defined]  # our mark
    return mark


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


def takes_anything(code: CodeType) -> bool:
    """Whether a function can be given an argument by its place."""
    return bool(code.co_argcount or code.co_flags & CO_VARARGS)


def refuse_generator(handler: Any, decorator: str) -> None:
    """Raise TypeError if a handler contains a `yield`."""
    generator_flag = 0x20
    code = getattr(handler, "__code__", None)
    if code is not None and code.co_flags & generator_flag:
        raise TypeError(
            f"@{decorator}: the handler {handler.__qualname__} yields, and a handler cannot wait: "
            "let it activate a process"
        )


def describe_function(function: Any) -> str:
    """Where a condition stands: its name or, for a lambda, file and line."""
    crossing = getattr(function, "crossing_of", None)
    if crossing is not None:
        word = {"rises": "up", "falls": "down"}[function.__name__]
        return f"crosses({describe_function(crossing)}, {word})"
    return describe_code(getattr(function, "__code__", function))


def describe_code(code: Any) -> str:
    """As `describe_function`, of the code of a condition; of what has none by itself."""
    if not isinstance(code, CodeType):
        return repr(code)
    if code.co_name == "<lambda>":
        return f"lambda at {code.co_filename}:{code.co_firstlineno}"
    return code.co_qualname


def describe_progress(guide: float, rate: float) -> str:
    """In words how far a condition is from coming true: its guide is 0 or more where it holds."""
    if guide >= 0.0:
        return "it holds now"
    if (guide, rate) == (-1.0, 0.0):
        return ""  # so answers one that has no number, as a truth that an event will change
    text = f"{-guide:.6g} short of it"
    if rate > 0.0:
        return f"{text} and coming nearer by {rate:.6g} per unit of time"
    if rate < 0.0:
        return f"{text} and going away by {-rate:.6g} per unit of time"
    return f"{text}, which does not change" if rate == 0.0 else text


def handler_specs(cls: type, mark: str) -> list[Any]:
    """The marks that `@when` or `@every` left on the methods of a class, in order of definition, bases first."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, member in vars(base).items():
            if getattr(member, "_waits_for_handler", False) is True:
                raise TypeError(
                    f"{base.__name__}.{name} is a decorator that decorates nothing: write `@ev.when(lambda self: ...)` "
                    f"or `@ev.every(...)`, and `def {name}(self)` below it"
                )
            if isinstance(member, Settlement) and mark == "_when":
                member.join(found)
            elif hasattr(member, mark):
                found[name] = getattr(member, mark)
            elif name in found:
                del found[name]
    return list(found.values())
