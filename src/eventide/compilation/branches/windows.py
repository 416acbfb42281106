"""Conditions that run in Python, and quantities that are integrated or judged at all times, which go by the time.

Between the tests of a step, or the points at which it is sampled, they may come and go. In: their function, and what it
is called with. Out: the first part of it that may be so for a while only by the time: a call that is given the time, an
item or a text by the time, a remainder, or two comparisons of it. What is smooth counts in conditions alone.
One comparison stays true, and inputs that are given the time itself tell where they jump.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Mapping
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.compilation.branches.clock import Clock, may_compare_time
from eventide.compilation.branches.smoothness import smooth
from eventide.continuous import Continuous
from eventide.discrete.world import World
from eventide.errors import SwitchWarning
from eventide.inputs import Input
from eventide.inputs.base import tells_breakpoints
from eventide.lowering.not_compilable import CannotLower

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.discrete.conditions.condition import Condition
    from eventide.reading.source import SourceBook

Counts: TypeAlias = "Callable[[object], bool]"
_UNKNOWN: Final = object()
_PASSES_ON: Final = (abs, all, any, bool, float, len, max, min, sum)
"""What is as smooth as what it is given."""
_DEEPEST: Final = 4


def warn_of_window(condition: Condition, why: str, book: SourceBook) -> None:
    """Warn of a condition that is not proved and may be true for a while only by the time.

    why     it runs in Python; empty: it is compiled, and sampled, so that it follows what is smooth
    """
    counts = _comes_and_goes if why else _may_jump
    text = window_in(condition.function, condition.arguments, book, counts)
    code = getattr(condition.function, "__code__", None)
    if text and code is not None:
        how = f"that runs in Python ({why})" if why else "nothing encloses that"
        where = "at the middle and the end" if why else "at samples"
        told = (
            f"`{text}` in the condition of {condition.name} goes by the time, and {how}. It is tested {where} of "
            "steps, between which it may be true and false again: compare sim.time once, hold until the time, take an "
            "input of sim.time, as ev.inputs.Pulse, or limit steps by sim.dt_max"
        )
        warnings.warn_explicit(SwitchWarning(told), None, code.co_filename, code.co_firstlineno)


def warn_of_jump(function: object, name: str, book: SourceBook, *, has_inputs: bool) -> None:
    """Warn of a quantity that is looked at within steps and may jump by the time without anybody's telling where.

    has_inputs      whether what is not known that it calls may be an input
    """
    counts = _may_jump_unless_input if has_inputs else _may_jump
    text, code = window_in(function, (), book, counts), getattr(function, "__code__", None)
    if text and code is not None:
        told = (
            f"`{text}` in the quantity of {name} goes by the time, and where it jumps is not known: what it switches "
            "on and off between two points of a step is passed over. Take an input of sim.time, as ev.inputs.Pulse, or "
            "a field that an event sets, or limit steps by sim.dt_max"
        )
        warnings.warn_explicit(SwitchWarning(told), None, code.co_filename, code.co_firstlineno)


def may_jump_by_time(function: object, book: SourceBook) -> bool:
    """Whether a law, which is not gone through, may jump by the time for a while."""
    return bool(window_in(function, (), book, _may_jump))


def _comes_and_goes(found: object) -> bool:
    return not any(found is one for one in _PASSES_ON)


def _may_jump(found: object) -> bool:
    return smooth(found) is None and _comes_and_goes(found)


def _may_jump_unless_input(found: object) -> bool:
    return found is not _UNKNOWN and _may_jump(found)


def window_in(
    function: object, arguments: tuple[object, ...], book: SourceBook, counts: Counts = _comes_and_goes
) -> str:
    """The text of a part of a condition that may be true for a while only by the time; empty if there is none.

    counts      whether a function of a library that is given the time may be such a part
    """
    function, bound = _unbound(function)
    arguments = (*bound, *arguments)
    if not isinstance(function, FunctionType):
        return ""
    try:
        given = dict(zip(function.__code__.co_varnames, arguments, strict=False))
        return _window(function, given, (), book, (), counts)
    except CannotLower:
        return function.__name__ if may_compare_time(function.__code__) else ""


def _window(
    function: FunctionType,
    given: Mapping[str, object],
    timed: tuple[str, ...],
    book: SourceBook,
    above: tuple[FunctionType, ...],
    counts: Counts,
) -> str:
    """The same of a function of which arguments are known, or are a time. Raises CannotLower."""
    simulations = [name for name, one in given.items() if isinstance(one, World)]
    definition, clock = book.definition(function), Clock(Continuous, function, book, timed, (), simulations)
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
            is_window = _is_window_of(node, clock, names, book, (*above, function), counts)
        if is_window:
            return definition.file.excerpt(node)
    return ""


def _is_window_of(
    node: ast.Call,
    clock: Clock,
    names: Mapping[str, object],
    book: SourceBook,
    above: tuple[FunctionType, ...],
    counts: Counts,
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
            return bool(_window(found, known, tuple(timed), book, above, counts))
        except CannotLower:
            return is_given
    if isinstance(found, Input):
        return is_given and tells_breakpoints(found) and not all(map(clock.is_time, node.args))
    return is_given and counts(found)


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
