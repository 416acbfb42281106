"""Objects by their paths: how a kernel made for one object finds what another one refers to.

What is lowered is a function with arguments. A path begins with one of its names (an argument, what it closes over, or
a global as "module:name"); each further hop is an attribute, "*" for the items of a list or queue, "[0]" for one of
them, "(x)" for what a function found on the way closes over, "=x" for a default of its arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign
from types import FunctionType, MethodType, NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.continuous.components.layout import Layout
    from eventide.lowering.translation.values import Path

ITEMS: Final = "*"
NUMBERS: Final = (float, int, bool)

Listed: TypeAlias = "list[object] | tuple[object, ...] | NDArray[np.float64]"
Space: TypeAlias = dict[str, object] | type
"""Where a name is looked up: in a module, or in a class."""
Check: TypeAlias = Literal["class", "code", "items", "same", "table", "array", "tuple"]


@dataclass(frozen=True)
class Entry:
    """A function and the objects it is called with."""

    function: FunctionType
    arguments: tuple[object, ...]

    @classmethod
    def of(cls, function: object, arguments: tuple[object, ...]) -> Entry:
        """The entry of a function or bound method.

        Raises TypeError for any other thing that can be called.
        """
        if isinstance(function, MethodType):
            return cls.of(function.__func__, (function.__self__, *arguments))
        if not isinstance(function, FunctionType):
            raise TypeError(f"{function!r} is no Python function")
        return cls(function, arguments)

    def root(self, name: str) -> object:
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
    check       class: it is of exactly that class; code: a function of that code; same: it is that very object, which
                is no simulation's; items: a list or queue of objects of that class, or empty if None; table: a list of
                numbers of that class; array: an array of doubles of that shape; tuple: one of that length
    layout      of a component with vectors: where they stand and how long they are; None for all else
    can_change  whether another object may come to stand here while the run goes on
    is_announced    whether the integrator is told then: of declared fields of components, but not of what a list holds
    namespace   where a global is looked up, or the class of which a number is meant
    """

    path: Path
    parent: int
    check: Check
    expected: Any
    can_change: bool
    namespace: Space | None = None
    layout: Layout | None = None
    is_announced: bool = False

    @property
    def hop(self) -> str:
        """The last part of the path."""
        return self.path[-1]


def follow(value: Any, hop: str) -> Any:
    """One hop from an object."""
    if hop[0] == "(":
        return closed_over(getattr(value, "__func__", value), hop[1:-1])
    if hop[0] == "=":
        return default_of(getattr(value, "__func__", value), hop[1:])
    if hop[0] == "[":
        return value[int(hop[1:-1])]
    return getattr(value, hop)


def code_of(function: object) -> object:
    """The code of a function or bound method; None for anything else."""
    return getattr(getattr(function, "__func__", function), "__code__", None)


def closed_over(function: FunctionType, name: str) -> object:
    """What a function closes over by a name.

    Raises ValueError if there is nothing.
    """
    cells = function.__closure__ or ()
    return cells[function.__code__.co_freevars.index(name)].cell_contents


def default_of(function: FunctionType, name: str) -> object:
    """The default of a parameter.

    Raises KeyError if it has none.
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    return {**defaults, **(function.__kwdefaults__ or {})}[name]


def same_number(value: object, other: object) -> bool:
    """Whether two values are numbers of one type and equal; NaN equals NaN, and 0.0 is not -0.0."""
    if type(value) is not type(other) or not isinstance(value, int | float):
        return False
    if value == 0 == other:
        return copysign(1.0, value) == copysign(1.0, other)
    return bool(value == other or (value != value and other != other))


def check_of(value: object) -> tuple[Check, object]:
    """What another object must be like to stand in the place of this one."""
    code = code_of(value)
    if code is not None:
        return "code", code
    return "class", NoneType if value is None else type(value)
