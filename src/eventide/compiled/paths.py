"""Objects by their paths: how a kernel made for one object finds what another one refers to.

What is lowered is a function with arguments. A path begins with one of its names (an argument, what it closes over, or a
global as "module:name"); each further hop is an attribute, "*" for the items of a list, "(x)" for what a function found
on the way closes over, "=x" for a default of its arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType, MethodType, NoneType
from typing import Any, Final, Literal, TypeAlias

from eventide.compiled.values import Path
from eventide.continuous import Continuous, Variable
from eventide.declare import Component
from eventide.discrete.world import World

ITEMS: Final = "*"
NUMBERS: Final = (float, int, bool)

Check: TypeAlias = Literal["class", "code", "value", "items"]


@dataclass(frozen=True)
class Entry:
    """A function and the objects it is called with."""

    function: FunctionType
    arguments: tuple[Any, ...]

    @classmethod
    def of(cls, function: Any, arguments: tuple[Any, ...]) -> Entry:
        """The entry of a function or bound method.

        Raises TypeError for any other thing that can be called.
        """
        if isinstance(function, MethodType):
            return cls.of(function.__func__, (function.__self__, *arguments))
        if not isinstance(function, FunctionType):
            raise TypeError(f"{function!r} is no Python function")
        return cls(function, arguments)

    def root(self, name: str) -> Any:
        """What a name stands for: an argument, its default, or what is closed over."""
        code = self.function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        if name in parameters[: len(self.arguments)]:
            return self.arguments[parameters.index(name)]
        if name in code.co_freevars:
            return closed_over(self.function, name)
        return default_of(self.function, name)


@dataclass(frozen=True, slots=True)
class Step:
    """One object on the way, and what it has to be like for the kernel to fit.

    parent      the number of the step it hangs from; -1 for those that hang from the entry
    check       class: it is of exactly that class; code: a function of that code; value: that number;
                items: a list of objects of that class, or empty if None
    namespace   where a global is looked up
    """

    path: Path
    parent: int
    check: Check
    expected: Any
    namespace: dict[str, Any] | None = None

    @property
    def hop(self) -> str:
        """The last part of the path."""
        return self.path[-1]

    def fits(self, value: Any) -> bool:
        """Whether an object can stand here."""
        if self.check == "class":
            return type(value) is self.expected
        if self.check == "code":
            return code_of(value) is self.expected
        if self.check == "value":
            return same_number(value, self.expected)
        return all(type(item) is self.expected for item in value)


@dataclass(frozen=True, slots=True)
class Binding:
    """What a kernel works on for one object.

    objects     those at the kernel's paths
    bases       their first columns
    lists       for each list path the first columns of its items
    consts      the numbers that a condition closes over
    """

    objects: tuple[Any, ...]
    bases: tuple[int, ...]
    lists: tuple[tuple[int, ...], ...]
    consts: tuple[float, ...]


def follow(value: Any, hop: str) -> Any:
    """One hop from an object."""
    if hop[0] == "(":
        return closed_over(getattr(value, "__func__", value), hop[1:-1])
    if hop[0] == "=":
        return default_of(getattr(value, "__func__", value), hop[1:])
    return getattr(value, hop)


def walk(steps: tuple[Step, ...], entry: Entry) -> list[Any] | None:
    """The objects at all steps, those behind a list as lists; None if one of them does not fit."""
    found: list[Any] = []
    try:
        for step in steps:
            value = _at(step, found, entry)
            is_many = ITEMS in step.path[:-1]
            if not (all(map(step.fits, value)) if is_many else step.fits(value)):
                return None
            found.append(value)
    except (AttributeError, KeyError, ValueError, TypeError):
        return None
    return found if _are_of_one_simulation(found) else None


def _at(step: Step, found: list[Any], entry: Entry) -> Any:
    if step.namespace is not None:
        return step.namespace[step.hop.partition(":")[2]]
    if step.parent < 0:
        return entry.root(step.hop)
    parent = found[step.parent]
    if step.hop == ITEMS:
        return list(parent)
    if ITEMS in step.path:
        return [follow(item, step.hop) for item in parent]
    return follow(parent, step.hop)


def _are_of_one_simulation(found: list[Any]) -> bool:
    sim = None
    for value in found:
        for item in value if type(value) is list else (value,):
            if isinstance(item, Component | Variable | World):
                other = item if isinstance(item, World) else item.sim
                if sim is not None and other is not sim:
                    return False
                sim = other
    return True


def base_of(item: Any) -> int:
    """The first column of an object; 0 for one that has none."""
    if isinstance(item, Continuous):
        return item._base
    return item._slot if isinstance(item, Variable) else 0


def code_of(function: Any) -> Any:
    """The code of a function or bound method; None for anything else."""
    return getattr(getattr(function, "__func__", function), "__code__", None)


def closed_over(function: FunctionType, name: str) -> Any:
    """What a function closes over by a name.

    Raises ValueError if there is nothing.
    """
    cells = function.__closure__ or ()
    return cells[function.__code__.co_freevars.index(name)].cell_contents


def default_of(function: FunctionType, name: str) -> Any:
    """The default of a parameter.

    Raises KeyError if it has none.
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    return {**defaults, **(function.__kwdefaults__ or {})}[name]


def same_number(value: Any, other: Any) -> bool:
    """Whether two values are of one type and equal; NaN equals NaN."""
    return type(value) is type(other) and (value == other or (value != value and other != other))


def check_of(value: Any) -> tuple[Check, Any]:
    """What another object must be like to stand in the place of this one."""
    code = code_of(value)
    if code is not None:
        return "code", code
    return "class", NoneType if value is None else type(value)
