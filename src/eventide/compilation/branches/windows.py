"""Conditions that run in Python and go by the time: between the tests of a step they may be true and false again.

In: the function of such a condition, and what it is called with. Out: the first part of it that may be true for a while
only by the time: a call that is given the time, an item or a text by the time, a remainder, or two comparisons of it.
One comparison stays true, and inputs that are given the time itself tell where they jump.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Mapping
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final

from eventide.compilation.branches.clock import Clock, may_compare_time
from eventide.compilation.branches.smoothness import smooth
from eventide.continuous import Continuous
from eventide.errors import SwitchWarning
from eventide.inputs import Input
from eventide.lowering.not_compilable import CannotLower

if TYPE_CHECKING:
    from eventide.discrete.conditions.condition import Condition
    from eventide.reading.source import SourceBook

_UNKNOWN: Final = object()
_PASSES_ON: Final = (abs, all, any, bool, float, len, max, min, sum)
"""What is as smooth as what it is given."""
_DEEPEST: Final = 4


def warn_of_window(condition: Condition, why: str, book: SourceBook) -> None:
    """Warn of a condition in Python that may be true for a while only by the time."""
    text, code = window_in(condition.function, condition.arguments, book), getattr(condition.function, "__code__", None)
    if text and code is not None:
        told = (
            f"`{text}` in the condition of {condition.name} goes by the time, and that runs in Python ({why}). "
            "It is tested at the middle and the end of steps, between which it may be true and false again: compare "
            "sim.time once, hold until the time, take an input, as ev.inputs.Pulse, or limit steps by sim.dt_max"
        )
        warnings.warn_explicit(SwitchWarning(told), None, code.co_filename, code.co_firstlineno)


def window_in(function: object, arguments: tuple[object, ...], book: SourceBook) -> str:
    """The text of a part of a condition that may be true for a while only by the time; empty if there is none."""
    function, bound = _unbound(function)
    arguments = (*bound, *arguments)
    if not isinstance(function, FunctionType):
        return ""
    try:
        return _window(function, dict(zip(function.__code__.co_varnames, arguments, strict=False)), (), book, ())
    except CannotLower:
        return function.__name__ if may_compare_time(function.__code__) else ""


def _window(
    function: FunctionType,
    given: Mapping[str, object],
    timed: tuple[str, ...],
    book: SourceBook,
    above: tuple[FunctionType, ...],
) -> str:
    """The same of a function of which arguments are known, or are a time. Raises CannotLower."""
    definition, clock = book.definition(function), Clock(Continuous, function, book, timed)
    names, compared = {**_names_of(function), **given}, 0
    unused = [node.value for node in ast.walk(definition.tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(definition.tree):
        if isinstance(node, ast.Compare) and clock.reads(node):
            holds_another = any(isinstance(one, ast.Compare) for one in ast.walk(node) if one is not node)
            compared += 0 if holds_another else len(node.ops)
        is_window = (
            compared > 1
            or (isinstance(node, ast.Subscript) and clock.reads(node.slice))
            or (isinstance(node, ast.FormattedValue) and clock.reads(node))
            or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.FloorDiv) and clock.reads(node))
        )
        if not is_window and isinstance(node, ast.Call) and node not in unused:
            is_window = _is_window_of(node, clock, names, book, (*above, function))
        if is_window:
            return definition.file.excerpt(node)
    return ""


def _is_window_of(
    node: ast.Call, clock: Clock, names: Mapping[str, object], book: SourceBook, above: tuple[FunctionType, ...]
) -> bool:
    """Whether what is called may be true for a while only by the time that it is given, or reads itself."""
    found = _object_at(node.func, names)
    is_of_time = isinstance(node.func, ast.Attribute) and clock.reads(node.func.value)
    is_given = is_of_time or any(clock.reads(one) for one in (*node.args, *node.keywords))
    found, bound = _unbound(found)
    if isinstance(found, FunctionType) and not (found.__module__ or "").startswith("eventide."):
        if found in above or len(above) > _DEEPEST:
            return is_given
        parameters = found.__code__.co_varnames[: found.__code__.co_argcount]
        passed = [*bound, *(_object_at(one, names) for one in node.args)]
        timed = [name for name, one in zip(parameters[len(bound) :], node.args, strict=False) if clock.reads(one)]
        timed += [one.arg for one in node.keywords if one.arg and clock.reads(one.value)]
        known = {name: one for name, one in zip(parameters, passed, strict=False) if one is not _UNKNOWN}
        try:
            return bool(_window(found, known, tuple(timed), book, above))
        except CannotLower:
            return is_given
    if isinstance(found, Input):
        return is_given and smooth(found) is None and not all(map(clock.is_time, node.args))
    return is_given and not any(found is one for one in _PASSES_ON)


def _unbound(found: object) -> tuple[object, tuple[object, ...]]:
    """A function, and what it is bound to."""
    return (found.__func__, (found.__self__,)) if isinstance(found, MethodType) else (found, ())


def _names_of(function: FunctionType) -> Mapping[str, object]:
    """What names that are no local ones stand for in a function now."""
    closed: dict[str, object] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            closed[name] = cell.cell_contents
        except ValueError:
            closed[name] = _UNKNOWN
    return {**vars(builtins), **function.__globals__, **closed}


def _object_at(node: ast.expr, names: Mapping[str, object]) -> object:
    """What a name, an attribute or an item stands for now, if that is found without running anything of the user's."""
    if isinstance(node, ast.Name):
        return names.get(node.id, _UNKNOWN)
    if isinstance(node, ast.Attribute):
        whole = _object_at(node.value, names)
        cls = whole if isinstance(whole, type | ModuleType) else type(whole)
        is_run = whole is _UNKNOWN or isinstance(getattr(cls, node.attr, None), property)
        return _UNKNOWN if is_run else getattr(whole, node.attr, _UNKNOWN)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        whole = _object_at(node.value, names)
        if type(whole) in (dict, list, tuple):
            try:
                return whole[node.slice.value]  # type: ignore[index]  # one of these
            except (LookupError, TypeError):
                return _UNKNOWN
    return _UNKNOWN
