"""What all simulations of a process have in common, and the cells by which each reaches its own objects.

A model that defines its processes within itself makes their functions anew for each simulation, from the same code. In:
the cells that were met while one of them was read. Out: the same cells of another one. An object in a cell is reached
as from a local variable, under a name that is none of the user's: that of each cell on the way with `=` before it, as
`=customer=desk` for `desk` in the function that `customer` has. What native code was made for is looked at again.
"""

from __future__ import annotations

import sys
from enum import EnumType
from functools import partial
from math import copysign, frexp, inf, ldexp, nextafter
from types import BuiltinMethodType, CellType, CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN: Final = (bool, int, float, str, bytes, NoneType, EllipsisType)
"""The types of constants that refer to nothing."""
MARK: Final = "="
"""What stands before the name of each cell on the way."""
OTHER: Final = object()
"""Stands for an object, of which only the type has to be the same."""
EXACT: Final = 2**53
"""Whole numbers up to it are floats without rounding."""


def is_common(value: object) -> bool:
    """Whether something is the same for all simulations of a process: it refers to no object of one.

    A class or function that is made within a function is not, as it may close over such objects.
    """
    if isinstance(value, type | FunctionType):
        is_plain = isinstance(value, type) or (value.__closure__ is None and is_common(value.__defaults__))
        given = () if isinstance(value, type) else (value.__kwdefaults__ or {}).values()
        return "<locals>" not in value.__qualname__ and is_plain and all(map(is_common, given))
    if isinstance(value, BuiltinMethodType):
        return value.__self__ is None or isinstance(value.__self__, ModuleType | type)
    if type(value) is partial:
        return all(map(is_common, (value.func, *value.args, *value.keywords.values())))
    if type(value) is tuple:
        return all(map(is_common, value))
    if type(value) is list:  # a table of a module
        return all(type(item) in PLAIN for item in value)
    if isinstance(type(value), EnumType):
        return is_common(type(value))
    return isinstance(value, ModuleType | CodeType) or type(value) in PLAIN


# --- cells ----------------------------------------------------------------------------------------------------------


class Bounds(NamedTuple):
    """Between which numbers the content of a cell is, for the native code that is made for it."""

    low: float
    high: float
    is_negative: bool = False


class Capture(NamedTuple):
    """What a cell had when it was read.

    path    the variables that lead to it: a cell of the body's function, a cell of the function that this has, ...
    kind    the type of its content
    known   the content if native code is made for this one, as all simulations have it; of a number its bounds;
            of a function that each has for itself one without cells; else OTHER
    """

    path: tuple[str, ...]
    kind: type
    known: object

    def is_met(self, value: object) -> bool:
        """Whether native code serves a cell with this content."""
        if type(value) is not self.kind:
            return False
        known = self.known
        if isinstance(known, Bounds):
            return known == bounds_by_size(value)  # type: ignore[arg-type]  # of its type
        if isinstance(known, FunctionType) and not is_common(known):
            assert isinstance(value, FunctionType)
            is_same = value.__code__ is known.__code__ and value.__globals__ is known.__globals__
            return is_same and not is_common(value) and _is_plain(value)
        return known is OTHER or value is known


class Captures:
    """The cells that were met while a body was read, those of functions in cells among them.

    of      each by the name under which its object is reached
    """

    def __init__(self, function: FunctionType) -> None:
        self.of: dict[str, Capture] = {}
        self._paths: dict[int, tuple[str, ...]] = {id(function): ()}
        """By the ids of functions, how they are reached: only while the body is read."""

    def root_of(self, function: FunctionType, name: str) -> str:
        """The name under which what a function has in a cell is reached; "" if the function is not reached by cells."""
        path = self._paths.get(id(function))
        return "" if path is None else MARK + MARK.join((*path, name))

    def function_root(self, function: FunctionType) -> str:
        """The name under which a function is reached that is made in each simulation; "" for another one."""
        return MARK + MARK.join(path) if (path := self._paths.get(id(function))) else ""

    def note(self, root: str, value: object) -> None:
        """What is reached under a name is this."""
        path = tuple(root[1:].split(MARK))
        known = value if is_shared(value) else OTHER
        if isinstance(value, int | float) and not isinstance(value, bool):
            known = bounds_by_size(value)
        elif isinstance(value, FunctionType) and known is OTHER:
            known = without_cells(value) if _is_plain(value) else OTHER
            self._paths.setdefault(id(value), path)
        self.of.setdefault(root, Capture(path, type(value), known))

    @property
    def is_common(self) -> bool:
        """Whether other simulations can have the same: no class, and no function with defaults, of this one alone."""
        made = (one.kind for one in self.of.values() if one.known is OTHER)
        return not any(issubclass(kind, type | FunctionType) for kind in made)

    def leave(self) -> None:
        """All is read: forget the functions of the simulation."""
        self._paths.clear()

    def found(self, function: FunctionType) -> dict[str, CellType] | None:
        """The same cells of another function with this code; None if one has not what native code relies on."""
        found: dict[str, CellType] = {}
        for root, one in self.of.items():
            holder: object = function
            try:
                for name in one.path:
                    found[root] = closure_cells(holder)[name]
                    holder = found[root].cell_contents
            except (AttributeError, KeyError, ValueError):  # it has no such cell, or nothing is in it
                return None
            if not one.is_met(holder):
                return None
        return found


def bounds_by_size(value: float) -> Bounds:
    """Those of a number: the powers of two around it, the upper one included; zero, and what is beyond, has its own.

    Wider ones would leave more to Python: native code relies on them where an amount has to fit into a container.
    """
    size = abs(value)
    if not 0 < size <= (sys.float_info.max if type(value) is float else EXACT):
        return Bounds(value, value, copysign(1.0, value) < 0.0)
    mantissa, exponent = frexp(size)
    half = ldexp(0.5, exponent - (mantissa == 0.5))
    low = nextafter(half, inf) if type(value) is float or half < 1.0 else half + 1.0
    high = min(2.0 * half, sys.float_info.max)
    return Bounds(low, high) if value > 0 else Bounds(-high, -low, True)


def closure_cells(function: object) -> Mapping[str, CellType]:
    """The cells of a function by the names of their variables. Raises AttributeError for what is none."""
    names = function.__code__.co_freevars  # type: ignore[attr-defined]  # as is said
    return dict(zip(names, function.__closure__ or (), strict=True))  # type: ignore[attr-defined]  # as above


def without_cells(function: FunctionType) -> FunctionType:
    """A function of the same code that keeps nothing of a simulation alive; itself if it has no cells."""
    if function.__closure__ is None and not function.__defaults__ and not function.__kwdefaults__:
        return function
    cells = tuple(CellType() for _ in function.__code__.co_freevars)
    made = FunctionType(function.__code__, function.__globals__, function.__name__, None, cells or None)
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def is_shared(value: object) -> bool:
    """Whether all simulations have this very object in common: a list is one of the simulation in whose cell it is."""
    return type(value) is not list and is_common(value)


def _is_plain(function: FunctionType) -> bool:
    """Whether a function that a model makes has nothing but its code and its cells."""
    return not (function.__defaults__ or function.__kwdefaults__) and function.__name__ == function.__code__.co_name
