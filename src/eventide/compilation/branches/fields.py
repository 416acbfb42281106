"""Functions that a law gets from fields: of its object, of others, from lists, or as what it calls is given.

In: where a law gets what it calls, and an object. Out: which functions these are now, each without what it is bound to,
so that nothing of a simulation is kept: functions of the same code that close over functions of the same code are one.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Final, NamedTuple, TypeAlias

from eventide.compilation.branches.smoothness import smooth
from eventide.inputs import Input
from eventide.reading.source import copy_key

EACH: Final = ast.Constant(...)
"""The index of any item of a list."""
_FIXED: Final = "eventide_fixed"
"""Stands for what a `functools.partial` gives, if that is no number."""
StandIns: TypeAlias = dict[tuple[object, ...], FunctionType]


class Target(NamedTuple):
    """What a field refers to.

    function    a function; whatever else is called by itself
    cls         whose method it is; None if it is none
    whose       what of the value of the field it is a method of: an attribute, or the value itself
    first, named    what a `functools.partial` gives it
    """

    function: object
    cls: type | None = None
    whose: str = ""
    first: tuple[float | None, ...] = ()
    named: tuple[tuple[str, float | None], ...] = ()

    def call(self, node: ast.Call) -> tuple[ast.Call, ast.expr | None]:
        """A call of what the field refers to as one of the function, and the object whose method that is."""
        first = [_written(value) for value in self.first]
        has = {one.arg for one in node.keywords}
        named = [ast.keyword(name, _written(value)) for name, value in self.named if name not in has]
        made = ast.copy_location(ast.Call(node.func, [*first, *node.args], [*node.keywords, *named]), node)
        whose = ast.Attribute(node.func, self.whose, ast.Load()) if self.whose else node.func
        return made, None if self.cls is None else ast.copy_location(whose, node)


Targets: TypeAlias = tuple[Target, ...]


@dataclass
class Fields:
    """What the laws of a class get from fields.

    found   which functions these are, by the text of where they are got
    is_open whether what branches in them is located, where it can be
    asked   where functions are got, by the text of that
    """

    found: Mapping[str, Targets] = field(default_factory=dict)
    is_open: bool = True
    asked: dict[str, ast.expr] = field(default_factory=dict)

    def targets(self, path: ast.expr) -> Targets | None:
        """What a law gets there; None if that is not known."""
        text = ast.unparse(path)
        self.asked[text] = path
        return self.found.get(text)


def is_path(node: ast.expr, this: str) -> bool:
    """Whether an expression gets something from the object that is called that, by attributes and items alone."""
    if isinstance(node, ast.Attribute | ast.Subscript):
        return is_path(node.value, this)
    if isinstance(node, ast.IfExp):
        return is_path(node.body, this) and is_path(node.orelse, this)
    return isinstance(node, ast.Name) and node.id == this


def targets_at(owner: object, path: ast.expr, known: StandIns) -> Targets:
    """What an object's law gets there, each once."""
    found = [_target(one, known) for one in _objects_at(owner, path)]
    return tuple(one for k, one in enumerate(found) if one not in found[:k])


def _objects_at(owner: object, path: ast.expr) -> list[object]:
    """What may be got there; None for what is not known."""
    if isinstance(path, ast.IfExp):
        return [*_objects_at(owner, path.body), *_objects_at(owner, path.orelse)]
    if isinstance(path, ast.Attribute):
        return [
            None if isinstance(_member(one, path.attr), property) else getattr(one, path.attr, None)
            for one in _objects_at(owner, path.value)
        ]
    if not isinstance(path, ast.Subscript):
        return [owner]
    found: list[object] = []
    for within in _objects_at(owner, path.value):
        if isinstance(path.slice, ast.Constant) and path.slice.value is not ...:
            found += _item(within, path.slice.value)
        elif isinstance(within, dict):
            found += within.values()
        else:
            found += within if isinstance(within, list | tuple) else [None]
    return found


def _member(whole: object, name: str) -> object:
    """What the class of an object has by a name, which is not run."""
    return next((vars(cls)[name] for cls in type(whole).__mro__ if name in vars(cls)), None)


def _item(whole: object, index: object) -> list[object]:
    try:
        return [whole[index]] if isinstance(whole, dict | list | tuple) else [None]  # type: ignore[call-overload]  # it may not fit
    except (LookupError, TypeError):
        return [None]


def _target(found: object, known: StandIns) -> Target:
    if isinstance(found, FunctionType):
        return Target(stand_in(found, known))
    if isinstance(found, MethodType):
        return Target(found.__func__, type(found.__self__), "__self__")
    if isinstance(found, partial) and isinstance(found.func, FunctionType):
        named = tuple((name, _number(value)) for name, value in found.keywords.items())
        return Target(stand_in(found.func, known), None, "", tuple(map(_number, found.args)), named)
    call = _member(found, "__call__")
    if isinstance(call, FunctionType) and not isinstance(found, Input):
        return Target(call, type(found))
    # Of an input that jumps no more is known than that, and whatever else may be of a simulation.
    is_jumping = isinstance(found, Input) and smooth(found) is None
    return Target(Input if is_jumping else smooth(found))


def stand_in(function: FunctionType, known: StandIns, above: tuple[CodeType, ...] = ()) -> FunctionType:
    """A function of the same code that closes over functions alone; the same one for the like."""
    code = function.__code__
    closed = [_closed(cell, known, (*above, code)) for cell in function.__closure__ or ()]
    numbers = tuple(map(_number, function.__defaults__ or ()))
    keywords = {name: _number(value) for name, value in (function.__kwdefaults__ or {}).items()}
    cells = tuple(CellType() if one is None else CellType(one) for one in closed)
    made = FunctionType(code, function.__globals__, function.__name__, numbers or None, cells)
    made.__kwdefaults__ = keywords or None
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return known.setdefault((*copy_key(made), *map(id, closed)), made)


def _closed(cell: CellType, known: StandIns, above: tuple[CodeType, ...]) -> object:
    try:
        value = cell.cell_contents
    except ValueError:
        return None
    if isinstance(value, FunctionType):
        return None if value.__code__ in above else stand_in(value, known, above)
    return smooth(value)


def _number(value: object) -> float | None:
    """A number, whose copies are equal; None of whatever else, which may be of a simulation."""
    return value if isinstance(value, int | float) else None


def _written(value: float | None) -> ast.expr:
    return ast.Name(_FIXED, ast.Load()) if value is None else ast.Constant(value)
