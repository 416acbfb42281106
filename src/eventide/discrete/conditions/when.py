"""Handlers of state events: `when` ties a condition to a method of a component."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from inspect import CO_VARARGS
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeAlias, overload

from eventide.declare.reserved import LIBRARY
from eventide.discrete.commands import NOTHING
from eventide.discrete.conditions.condition import ComponentCondition, check_priority
from eventide.discrete.conditions.crossing import Crossing
from eventide.errors import ModelError
from eventide.reading.description import describe_function

if TYPE_CHECKING:
    from eventide.declare import Component
    from eventide.discrete.periodic import Timer
    from eventide.discrete.world import World


AT_START: Final = "a handler runs when its condition becomes true; for the start too write @ev.when(..., at_start=True)"
"""What to do where it has been true from the start."""


MARKS: Final = {"when": "_when", "every": "_every"}
"""The attributes of handlers, by the names of the decorators."""


class Motion(Protocol):
    """The motion along a surface between two handlers.

    share       of the field above it, from 0 to 1
    """

    @property
    def share(self) -> float:
        """The share."""

    @property
    def active(self) -> bool:
        """Whether it goes on."""


class HasHandlers(Protocol):
    """A component with handlers.

    _handlers   those of its present start
    """

    _handlers: tuple[tuple[Trigger | None, Timer | None], ...]


class Trigger(ComponentCondition):
    """A `when` handler: fires when its condition, once found false, becomes true.

    method      the name of its handler: what Python finds by it when it fires is called, as that may have been replaced
    spec        what `@when` says of it; None of our own
    is_bound    whether it is of the present start of its component
    end         the time of the end of infinitely many firings, if the handler for that is to run next
    sliding     the component that represents that motion, once it has begun
    """

    __slots__ = (
        "__weakref__",
        "_notice",
        "_value",
        "_wait",
        "armed",
        "end",
        "has_fired",
        "is_above",
        "is_bound",
        "is_counted",
        "method",
        "sliding",
        "spec",
    )
    _receiver = None
    is_trigger = is_handler = True

    def __init__(
        self,
        component: Component,
        test: Callable[[], object],
        method: str,
        priority: float,
        armed: bool,
        spec: WhenSpec | None = None,
    ) -> None:
        super().__init__(component, test, priority)
        self.method = method
        self.armed = armed
        self.spec = spec
        self.end: float | None = None
        self.is_above = False
        self.is_bound = True
        self.sliding: Motion | None = None
        self.has_fired = False
        self.is_counted = True
        self._notice = self._value = self._wait = None

    @property
    def is_crossing(self) -> bool:
        """Whether it is of a crossing, which nothing makes by starting beyond its level."""
        return self.spec is not None and self.spec.is_crossing

    @property
    def handler(self) -> Callable[[], object]:
        """What Python finds now by the handler's name."""
        found: Callable[[], object] = getattr(self.component, self.method)
        return found

    @property
    def code(self) -> CodeType | None:
        """Its code, compared by identity, as hashing is slow; None if it is no Python function."""
        handler = getattr(self.component, self.method, None)
        return getattr(getattr(handler, "__func__", handler), "__code__", None)

    @property
    def has_continuation(self) -> bool:
        """Whether there is a handler for the end of infinitely many firings."""
        return self.spec is not None and self.spec.settlement is not None

    @property
    def name(self) -> str:
        """The component's name and the handler's."""
        return f"{self.component.name}.{self.method}"

    def fire(self, sim: World) -> Trigger:
        """Run the handler next."""
        self.has_fired = True
        if self.is_counted:
            sim._conditions.count_event(self)
        return self

    def withdraw(self) -> None:
        """Run no more: its component has been stopped."""
        self._notice = None
        self.is_bound = False

    def _resume(self) -> object:
        end = self.end
        if end is None:
            handler = getattr(self.component, self.method)
        else:
            assert self.spec is not None
            assert self.spec.settlement is not None  # whatever sets `end` has checked
            self.end = None
            handler = partial(self.spec.settlement.handler(self.component), end)
        try:
            handler()
        except StopIteration as error:
            refuse_stop_iteration(handler, error)
        return NOTHING


def refuse_stop_iteration(handler: Callable[[], object], error: StopIteration) -> NoReturn:
    """Raise the error for a handler that raised StopIteration: it must not look like the end of a process."""
    name = getattr(handler, "__qualname__", repr(handler))
    raise RuntimeError(f"the handler {name} raised StopIteration") from error


Continuation: TypeAlias = Callable[[Any, float], None]
"""A function of the component and of the time at which infinitely many events have been."""


class Handler(Protocol):
    """A method that `@when` has marked."""

    def __call__(self, component: Component, /) -> None:
        """Handle the event."""
        ...

    def __get__(self, component: object, owner: object = None, /) -> Callable[[], None]:
        """As of any method."""
        ...

    def accumulates(self, continuation: Continuation, /) -> Continuation:
        """Mark the method that sets the state after this handler's events have accumulated, as a bouncing ball's do.

        `continuation(self, time)` runs once, in place of the handler, when the intervals between its events shrink
        towards `time`, which is ahead by less than 10 dt_min or 1e-8 of the time; or when it has fired 1,000 times
        while time did not advance. It should lead to a state from which the condition does not become true again at
        once.
        """
        ...

    def slides(self, other: Handler | None = None, /) -> Surface:
        """Let the state slide along the surface between this handler's condition, above it, and the other's, below.

        Where what either handler leaves behind leads back to the surface, the two would fire in turn without end.
        Instead both run once; then the states move by the average of the two fields that stays on the surface, until
        one of them leads away from it: its handler runs, and the model continues there. `other` is left out for a
        handler of `crosses(...)` in either direction. The conditions are comparisons of states, and the handlers set
        numeric fields of continuous components, which count as constant while it slides. Assign the result in the
        class: `sliding = above.slides(below)`; then `component.sliding` is the share of the field above, or None.
        Source: Filippov (1988), see `engine/law_evaluation.py`
        """
        ...


class WhenSpec:
    """What `@when` found in a class: a handler and the conditions that release it, of which a crossing may have two."""

    def __init__(
        self,
        condition: Callable[..., object] | Crossing,
        handler: Callable[..., object],
        priority: float,
        at_start: bool,
    ) -> None:
        self.is_crossing = isinstance(condition, Crossing)
        self.parts: tuple[object, ...] = (condition,)
        self.conditions: list[Callable[..., object]] = []
        if isinstance(condition, Crossing):
            self.parts, self.conditions = condition.parts, [*condition.sides(1)]
        else:
            self.conditions = [condition]
        self.handler = handler
        self.priority = priority
        self.at_start = at_start
        self.settlement: Settlement | None = None
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

    def accumulates(self, continuation: Continuation) -> Continuation:
        """Give the handler for the end of infinitely many firings; see `Handler.accumulates`."""
        refuse_generator(continuation, "accumulates")
        if self.settlement is not None:
            raise TypeError(f"{self.handler.__qualname__} has been given two handlers by accumulates")
        self.settlement = settlement = Settlement(self, continuation)
        return settlement

    def settled_by(self, settlement: Settlement) -> WhenSpec:
        """The same for another class, in which this is the handler for the end of infinitely many firings."""
        other = copy(self)
        other.settlement = settlement
        return other

    def at_edge_of(self, surface: Surface) -> WhenSpec:
        """The same for another class, in which it slides along a surface."""
        other = copy(self)
        other.surface = surface
        return other

    def bind(self, component: Component, method: str) -> list[Trigger]:
        """The triggers of one component, whose class has the handler by this name."""
        return [self._bind(component, method, condition) for condition in self.conditions]

    def _bind(self, component: Component, method: str, condition: Callable[[object], object]) -> Trigger:
        trigger = Trigger(component, lambda: condition(component), method, self.priority, self.at_start, self)
        trigger.function, trigger.arguments = condition, (component,)
        return trigger


class Settlement:
    """What `Handler.accumulates` returns: a method of the class in whose text it stands.

    It is for objects of that class and of those derived from it: the handler's own class is left as it is.

    spec        the mark of the handler
    continuation     the function
    name        in the class; empty if it is in none
    """

    name = ""

    def __init__(self, spec: WhenSpec, continuation: Continuation) -> None:
        self.spec = spec
        self.continuation = continuation

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.spec.settlement = None  # `handler_specs` gives it to the class

    def handler(self, component: Component) -> Callable[[float], object]:
        """What is to be called for a component: what Python finds now by the name."""
        written = MethodType(self.continuation, component)
        found: Callable[[float], object] = getattr(component, self.name) if self.name else written
        return found

    def join(self, found: dict[str, WhenSpec]) -> None:
        """Let the handlers of a class, by name, have it, if the one that it is for is among them."""
        for name, spec in found.items():
            if spec.handler is self.spec.handler:
                found[name] = spec.settled_by(self)

    def __get__(self, component: object, owner: type | None = None) -> object:
        return self.continuation if component is None else MethodType(self.continuation, component)

    def __call__(self, component: Component, time: float) -> None:
        """Say what is, as the function does."""
        self.continuation(component, time)


class Surface:
    """What `Handler.slides` returns, between two conditions. Read from a component, the share of the field above.

    It is for objects of the class in whose text it stands and of those derived from it.

    above, below    the marks of the two handlers
    name            in the class; empty if it is in none
    """

    name = ""

    def __init__(self, above: WhenSpec, below: WhenSpec) -> None:
        self.above = above
        self.below = below

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.above.surface = self.below.surface = None  # `handler_specs` gives it to the class

    def join(self, found: dict[str, WhenSpec]) -> None:
        """Let the handlers of a class, by name, have it, if they are those of its two sides."""
        for name, spec in found.items():
            if spec.handler in (self.above.handler, self.below.handler):
                found[name] = spec.at_edge_of(self)

    @overload
    def __get__(self, component: None, owner: type) -> Surface: ...

    @overload
    def __get__(self, component: HasHandlers, owner: type) -> float | None: ...

    def __get__(self, component: HasHandlers | None, owner: type) -> Surface | float | None:
        if component is None:
            return self
        standing = (t.sliding for t, _ in component._handlers if t is not None and t.spec and t.spec.surface is self)
        sliding = next(standing, None)
        return float(sliding.share) if sliding is not None and sliding.active else None

    def tie(self, triggers: list[Trigger], component: Component) -> None:
        """Make the two triggers of one component partners; the two of a crossing come with the one above first."""
        if len(triggers) != 2:
            raise ModelError(
                f"{component.name} replaces the handler {self.above.handler.__name__} or "
                f"{self.below.handler.__name__}: say again which handlers slide, "
                f"`{self.name or 'sliding'} = above.slides(below)`"
            )
        triggers.sort(key=lambda trigger: trigger.spec is not None and trigger.spec.handler is not self.above.handler)
        triggers[0].partner, triggers[1].partner = triggers[1], triggers[0]
        triggers[0].is_above = True


def when(
    condition: Callable[[Any], object] | Crossing, *, priority: float = 0.0, at_start: bool = False
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

    def mark(handler: Callable[..., None]) -> Handler:
        refuse_generator(handler, "when")
        marked: Any = handler
        marked._when = spec = WhenSpec(condition, handler, priority, at_start)
        marked.accumulates = spec.accumulates
        marked.slides = spec.slides
        return marked  # type: ignore[no-any-return]  # a function that has been given what a Handler has

    mark._waits_for_handler = True  # type: ignore[attr-defined]  # our mark
    return mark


def takes_anything(code: CodeType) -> bool:
    """Whether a function can be given an argument by its place."""
    return bool(code.co_argcount or code.co_flags & CO_VARARGS)


def refuse_generator(handler: Callable[..., object], decorator: str) -> None:
    """Raise TypeError if a handler contains a `yield`."""
    generator_flag = 0x20
    code = getattr(handler, "__code__", None)
    if code is not None and code.co_flags & generator_flag:
        raise TypeError(
            f"@{decorator}: the handler {handler.__qualname__} yields, and a handler cannot wait: "
            "let it activate a process"
        )


def handler_specs(cls: type, mark: str) -> dict[str, Any]:
    """The marks that `@when` or `@every` left on methods of a class, by name, in order of definition, bases first."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        for name, member in vars(base).copy().items():  # another thread may set one meanwhile
            if getattr(member, "_waits_for_handler", False) is True:
                raise TypeError(
                    f"{base.__name__}.{name} is a decorator above no function: write `@ev.when(lambda self: ...)` "
                    f"or `@ev.every(...)`, and `def {name}(self)` below it"
                )
            if isinstance(member, Settlement | Surface) and mark == "_when":
                member.join(found)
            elif hasattr(member, mark):
                found[name] = getattr(member, mark)
            elif name in found:
                if isinstance(member, FunctionType) and not (hasattr(member, "_when") or hasattr(member, "_every")):
                    raise TypeError(
                        f"{base.__name__}.{name} replaces a handler and is none itself, so it would never run: "
                        f"write its `@ev{mark.replace('_', '.')}(...)` above it, or `{name} = None` for no handler"
                    )
                del found[name]
    return found


def refuse_late_handlers(cls: type, **specs: Mapping[str, object]) -> None:
    """Raise ModelError if a class was given a handler, or another condition or period, after it was made.

    specs   by `when` and `every`, the handlers that the class was made with
    """
    met: set[str] = set()
    for base in cls.__mro__:
        if base.__module__[:9] == LIBRARY:
            continue
        for name, member in vars(base).copy().items():  # another thread may set one meanwhile
            if name in met:
                continue
            met.add(name)
            if isinstance(member, Settlement | Surface) and not member.name:
                call = "accumulates" if isinstance(member, Settlement) else "slides"
                raise _declared_late(cls, name, f"is what {call}(...) returns, set")
            if getattr(member, "_waits_for_handler", False) is True:
                raise _declared_late(cls, name, "is a decorator above no function, set")
            for word, known in specs.items():
                mark, spec = getattr(member, MARKS[word], None), known.get(name)
                # That of a class may be a copy, with what accumulates or slides there.
                if mark is not None and getattr(mark, "parts", mark) is not getattr(spec, "parts", spec):
                    other = "put a plain function there, or " * any(name in names for names in specs.values())
                    raise _declared_late(cls, name, f"was given @ev.{word}(...)", other)


def refuse_handler_of_object(title: str, name: str, function: object, specs: Mapping[str, object]) -> None:
    """Raise ModelError if what an object has by a name is marked as a handler, and its class has none with that mark.

    title   the object's name
    specs   the handlers of its class
    """
    for word, attribute in MARKS.items():
        mark = getattr(function, attribute, None)
        marked = [getattr(spec, "handler", None) for spec in specs.values()]
        if mark is not None and not any(mark.handler is handler for handler in marked):
            raise ModelError(
                f"{title}.{name} was given @ev.{word}(...), and handlers are those of a class: write it in the body of "
                "the class, or let a process of the object wait"
            )


def _declared_late(cls: type, name: str, what: str, other: str = "") -> ModelError:
    return ModelError(
        f"{cls.__name__}.{name} {what} after the class was made, and its objects still use what the class was made "
        f"with: {other}write it in the body of the class, or of one derived from it"
    )
