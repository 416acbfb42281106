"""Names, comparisons and handlers that a class of the model's may not have, as eventide relies on its own.

An attribute that eventide keeps in an object has a name that begins with `_`. A model that used it for something else
would move its states in the memory of others, or never begin, and say nothing.
"""

from __future__ import annotations

import dis
from functools import lru_cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final, NoReturn

from eventide.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARY: Final = "eventide."
"""What the names of our modules begin with."""
ENDS: Final = ("result", "terminated")
"""What is set at the end of a process, whose names begin with no `_`."""


def refuse_reserved(cls: type) -> None:
    """Raise TypeError if a class defines, or its methods set on their object, what eventide keeps for itself."""
    libraries = tuple(base for base in cls.__mro__[1:] if base.__module__.startswith(LIBRARY))
    if cls.__module__.startswith(LIBRARY):
        return
    reserved = _reserved_by(libraries)
    for name in vars(cls):
        if name in reserved:
            raise TypeError(_choose_another(cls, f"has {name}", name, libraries))
    for base in cls.__mro__:
        if base in libraries or "_specs" in vars(base):
            continue  # it is ours, or a component that was looked at when it was made
        for method in _methods_of(base):
            for name in _set_on_object(method.__code__, reserved):
                raise TypeError(_choose_another(cls, f"sets self.{name} in {method.__qualname__}", name, libraries))


def fix(cls: type, **advice: str) -> None:
    """Let what objects of a class keep as `_name` be read as `name`, and refuse whoever sets that.

    Not by `__setattr__`, which would take its time wherever eventide itself sets something.
    advice  for each name what to do instead
    """
    for name, what_to_do in advice.items():

        def refuse(one: object, value: object, name: str = name, what_to_do: str = what_to_do) -> NoReturn:
            whose = getattr(one, "name", "sim") or type(one).__name__
            raise ModelError(f"{whose}.{name} cannot be set, and got {value!r}: {what_to_do}")

        setattr(cls, name, property(attrgetter(f"_{name}"), refuse, doc=f"Read-only: {what_to_do}."))


def refuse_equality(cls: type) -> None:
    """Raise TypeError if a class says itself which of its objects are equal: two that are would count as one."""
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) is not getattr(object, name):
            base = next(base for base in cls.__mro__ if name in vars(base))
            also = ", or write @dataclass(eq=False)" if hasattr(base, "__dataclass_fields__") else ""
            raise TypeError(
                f"{cls.__name__} compares its objects by {base.__name__}.{name}, and eventide would take two equal "
                f"ones for one: give the comparison another name, as `def is_like(self, other)`{also}"
            )


def refuse_handlers(cls: type) -> None:
    """Raise TypeError if a class without equations has handlers, which are armed when these are started."""
    for base in cls.__mro__:
        for name, member in vars(base).copy().items():
            mark = next((mark for mark in ("when", "every") if hasattr(member, f"_{mark}")), None)
            if mark is not None and isinstance(member, FunctionType) and getattr(cls, name) is member:
                raise TypeError(
                    f"{cls.__name__}.{name} is a handler (@ev.{mark}) and would never run, as {cls.__name__} is no "
                    f"Continuous: write `class {cls.__name__}(..., ev.Continuous)` and start() its objects, or let a "
                    f"process wait, by `yield ev.{'until(lambda: ...)' if mark == 'when' else 'tick(...)'}`"
                )


def _choose_another(cls: type, what: str, name: str, libraries: tuple[type, ...]) -> str:
    open_to_all = [base for base in libraries if base.__name__[0] != "_"]
    whose = next(base for base in open_to_all if name in _reserved_by(base.__mro__))
    advice = "let `run` return it" if name == "result" else "choose another name"
    return f"{cls.__name__} {what}, which eventide itself uses in {whose.__name__}: {advice}"


@lru_cache
def _reserved_by(libraries: tuple[type, ...]) -> frozenset[str]:
    names = {name for base in libraries for name in (*vars(base), *_annotations(base), *_named_at_first(base))}
    return frozenset(name for name in names if name in ENDS or (name[0] == "_" and name[:2] != "__"))


def _annotations(cls: type) -> dict[str, object]:
    found: dict[str, object] = vars(cls).get("__annotations__", {})
    return found


def _named_at_first(cls: type) -> tuple[str, ...]:
    """The names in a class's constructor, of which a simulation's sets what is annotated nowhere."""
    made_by = vars(cls).get("__init__")
    return made_by.__code__.co_names if isinstance(made_by, FunctionType) else ()


def _methods_of(cls: type) -> Iterator[FunctionType]:
    """The functions that stand in a class, also as properties and class methods."""
    for value in vars(cls).copy().values():
        for part in (
            value,
            getattr(value, "fget", None),
            getattr(value, "fset", None),
            getattr(value, "__func__", None),
        ):
            if isinstance(part, FunctionType):
                yield part


def _set_on_object(code: CodeType, reserved: frozenset[str]) -> Iterator[str]:
    """The reserved names that a method sets on its first argument, and functions in it on what has that name."""
    this = code.co_varnames[:1]
    for part in _with_inner(code):
        if not reserved.isdisjoint(part.co_names):
            before: object = None
            for step in dis.get_instructions(part):
                if step.opname == "STORE_ATTR" and step.argval in reserved and before in this:
                    yield step.argval
                # Newer Pythons load two names by one instruction: the object is the second.
                before = step.argval[-1] if isinstance(step.argval, tuple) else step.argval


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)
