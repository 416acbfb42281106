"""Calls of functions of which a law has a copy that goes by outcomes: of the copy, or of what is another function now.

In native code; in Python they are those of `compilation/branches/chosen.py`.

A rewritten law says `self._branch_choose(copy, function)(arguments, eventide_law=self)` in the place of
`function(arguments)`, and with the object and the name of a property `self._branch_choose(copy, tank, "inflow")(...)`;
its conditions ask `self._branch_fits(copy, function)` first. So what is called is found where it is called, as if
nothing had been rewritten.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.lowering.names.found import PropertyRead
from eventide.lowering.translation.values import Function, Ref, literal
from eventide.reading.constants import PARTS
from eventide.reading.source import Copies, closed

if TYPE_CHECKING:
    from eventide.lowering.translation.context import Context
    from eventide.lowering.translation.values import Item

CHOOSE: Final = "_branch_choose"
FITS: Final = "_branch_fits"
CLOSED: Final = "_branch_closed"
LAW: Final = "eventide_law"
"""The argument of copies that takes the object whose law it is, which has the outcomes."""
Origin: TypeAlias = tuple[FunctionType, tuple[object, ...]]
_ORIGIN: Final = "_eventide_copy_of"


def keep_origin(copy: FunctionType, function: FunctionType) -> None:
    """Note of what function a copy is, and what was in that."""
    copy.__dict__[_ORIGIN] = function, tuple([getattr(function, part) for part in PARTS])


def is_copy(copy: FunctionType | None, function: object) -> bool:
    """Whether a copy stands for a function, as that is now."""
    if copy is None:
        return False
    origin: Origin = copy.__dict__[_ORIGIN]
    return function is origin[0] and all(
        getattr(function, part) is what for part, what in zip(PARTS, origin[1], strict=True)
    )


def marker_of(node: ast.expr) -> str:
    """Which of the three an expression calls; empty if none."""
    named = node.func if isinstance(node, ast.Call) else None
    return named.attr if isinstance(named, ast.Attribute) and named.attr in (CHOOSE, FITS, CLOSED) else ""


def call_chosen(context: Context, node: ast.Call) -> Item:
    """What a call of what is chosen gives."""
    assert isinstance(node.func, ast.Call)
    function = _copy_for(context, node.func)
    if function is None:
        return context.evaluate(_as_written(node, node.func))
    arguments = [context.evaluate(one) for one in node.args]
    return context.follow(function, arguments, {one.arg or "": context.evaluate(one.value) for one in node.keywords})


def tell_fits(context: Context, node: ast.Call) -> Item:
    """Whether the copy is called, which is known beforehand."""
    return literal(_copy_for(context, node) is not None)


def _as_written(node: ast.Call, chosen: ast.Call) -> ast.expr:
    name, found = _name_in(chosen), chosen.args[1]
    if name:
        return ast.copy_location(ast.Attribute(found, name, ast.Load()), node)
    return ast.copy_location(ast.Call(found, node.args, node.keywords[:-1]), node)


def _name_in(chosen: ast.Call) -> str:
    """The name of the property; empty if it is none."""
    name = chosen.args[-1]
    return str(name.value) if isinstance(name, ast.Constant) else ""


def _copy_for(context: Context, node: ast.Call) -> Function | None:
    """The copy, bound to what its function is bound to; None if the function is another one now."""
    found = context.evaluate(node.args[1])
    copies = _copies(context, node)
    if copies is not None:
        made = copies.of(found.function) if isinstance(found, Function) and found.owner is None else None
        return None if made is None else _closed(context, made, found)
    copy = context.evaluate(node.args[0])
    name = _name_in(node)
    if name:
        read = context.names.attribute(found, name) if isinstance(found, Ref) else None
        found = read.function if isinstance(read, PropertyRead) else found
    if not isinstance(copy, Function) or not isinstance(found, Function):
        return None
    context.names.freeze_defaults(found.function)
    return replace(copy, owner=found.owner) if is_copy(copy.function, found.function) else None


def _copies(context: Context, node: ast.Call) -> Copies | None:
    """The copies for what a field refers to; None where it is no field."""
    named = node.args[0]
    if not isinstance(named, ast.Attribute):
        return None
    owner = context.evaluate(named.value)
    found = getattr(type(owner.sample), named.attr, None) if isinstance(owner, Ref) else None
    return found if isinstance(found, Copies) else None


def _closed(context: Context, made: FunctionType, found: Item) -> Function:
    assert isinstance(found, Function)
    if (id(found.function), "__code__") in context.names.constants:
        context.names.freeze_defaults(found.function)
    return Function(closed(made, found.function), found.path)


def call_closed(context: Context, node: ast.Call) -> Item:
    """What a function gives that was made of the text of what a field refers to."""
    assert isinstance(node.func, ast.Call)
    made, found = (context.evaluate(one) for one in node.func.args)
    assert isinstance(made, Function)
    return context.follow(_closed(context, made.function, found), [context.evaluate(one) for one in node.args], {})
