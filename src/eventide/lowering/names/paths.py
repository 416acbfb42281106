"""Objects by their paths: how a kernel made for one object finds what another one refers to.

What is lowered is a function with arguments. A path begins with one of its names (an argument, what it closes over, a
global as "module:name", or `__globals__`, where these stand); each further selector is an attribute, "*" for the items
of a list or queue, "[0]" for one of them, "(x)" for what a function found on the way closes over, "=x" for a default of
its arguments.
"""

from __future__ import annotations

from ast import literal_eval
from dataclasses import dataclass
from enum import Enum
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeGuard, get_origin

import numpy as np

from eventide.continuous import Variable
from eventide.declare import Component
from eventide.discrete.world import World
from eventide.reading.entries import closed_over, default_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from eventide.continuous.components.layout import Layout
    from eventide.lowering.translation.values import Path

ITEMS: Final = "*"
GLOBALS: Final = "__globals__"
NUMBERS: Final = (float, int, bool)
HEAP_TYPE: Final = 1 << 9
"""The flag of classes that are defined in Python. Source: CPython, Include/object.h, Py_TPFLAGS_HEAPTYPE."""

Listed: TypeAlias = "list[object] | tuple[object, ...] | NDArray[np.float64]"
Space: TypeAlias = dict[str, object] | type
"""Where a name is looked up: in a module, or in a class."""
Check: TypeAlias = Literal["class", "code", "items", "same", "table", "array", "tuple", "keys", "token", "mode"]


@dataclass(frozen=True, slots=True)
class Step:
    """One object on the way, and what it has to be like for the kernel to fit.

    parent      the number of the step it hangs from; -1 for those that hang from the entry
    check       class: it is of exactly that class; code: a function of that code; same: it is that very object, which
                is no simulation's; items: a list or queue of objects of that class, or empty if None; table: a list of
                numbers of that class; array: an array of doubles of that shape; tuple: one of that length; keys: a
                dictionary of these; token: of that class, and equal to some tokens and to others not; mode: of the
                class of that field of a component
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
    def selector(self) -> str:
        """The last part of the path."""
        return self.path[-1]


def follow(value: Any, selector: str) -> Any:
    """What a selector leads to from an object."""
    if selector[0] == "(":
        return closed_over(getattr(value, "__func__", value), selector[1:-1])
    if selector[0] == "=":
        return default_of(getattr(value, "__func__", value), selector[1:])
    if selector[0] == "[":
        return value[literal_eval(selector[1:-1])]
    return getattr(value, selector)


def code_of(function: object) -> object:
    """The code of a function or bound method; None for anything else."""
    return getattr(getattr(function, "__func__", function), "__code__", None)


def check_of(value: object) -> tuple[Check, object]:
    """What another object must be like to stand in the place of this one."""
    code = code_of(value)
    if code is not None:
        return "code", code
    return "class", NoneType if value is None else type(value)


def is_itself(value: object) -> bool:
    """Whether it is known by identity: a module, class, function of C or of numpy, of which none is a simulation's."""
    if isinstance(value, BuiltinFunctionType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType)
    return isinstance(value, ModuleType | type) or (is_numpys(value) and not isinstance(value, FunctionType))


def is_token(value: object) -> bool:
    """Whether it is a text or a member of an enumeration, which may only be compared."""
    return type(value) is str or (isinstance(value, Enum) and type(value).__eq__ is object.__eq__)


def is_numpys(function: object) -> TypeGuard[Callable[..., object]]:
    """Whether it is a function of numpy."""
    return isinstance(function, np.ufunc) or (
        callable(function) and str(getattr(function, "__module__", "")).partition(".")[0] == "numpy"
    )


def is_double(value: object) -> bool:
    """Whether it is numpy's double, which computes like Python's float."""
    return isinstance(value, float) and type(value).__name__ == "float64"


def is_array(value: object) -> TypeGuard[NDArray[np.float64]]:
    """Whether it is numpy's array of doubles in one dimension, whose items compute like Python's floats."""
    return type(value) is np.ndarray and (str(value.dtype), value.ndim) == ("float64", 1)


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a number; one with derivatives stands for its value, as conditions are located without them."""
    return type(value) in NUMBERS or is_double(value) or hasattr(type(value), "tangent")


def is_plain(value: object) -> bool:
    """Whether it is an object of a class of the user's that is no component, or a function."""
    is_ours = isinstance(value, Component | Variable | World)
    return not is_ours and (isinstance(value, FunctionType) or type(value).__flags__ & HEAP_TYPE != 0)


def is_class_variable(home: type, name: str) -> bool:
    """Whether a class annotates a name as ClassVar."""
    annotation = vars(home).get("__annotations__", {}).get(name, "")
    text = annotation if isinstance(annotation, str) else str(get_origin(annotation) or annotation)
    return "ClassVar" in text
