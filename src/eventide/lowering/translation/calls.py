"""Rules for calls: functions with a body are followed where they are called, others are known or refused."""

from __future__ import annotations

import ast
import builtins
from types import FunctionType
from typing import TYPE_CHECKING

from eventide.continuous import Variable
from eventide.lowering.names.choices import CHOOSE, CLOSED, FITS, call_chosen, call_closed, marker_of, tell_fits
from eventide.lowering.names.found import Place
from eventide.lowering.names.paths import is_numpys
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.numpy_functions import call_method, call_numpy
from eventide.lowering.translation.reductions import REDUCTIONS, reduce, reduce_all
from eventide.lowering.translation.rules import lowers, rule_for
from eventide.lowering.translation.values import (
    Builtin,
    Formula,
    Function,
    Item,
    Nothing,
    ObjectList,
    Opaque,
    Ref,
    Slot,
    SuperRef,
    Table,
    Vector,
    VectorMethod,
    describe,
    why_unknown,
)
from eventide.lowering.translation.vectors import as_operand, formula_of, is_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context


@lowers(ast.Call)
def call(context: Context, node: ast.Call) -> Item:
    """What a call gives."""
    if marker_of(node.func) == CHOOSE:
        return call_chosen(context, node)
    if marker_of(node.func) == CLOSED:
        return call_closed(context, node)
    if marker_of(node) == FITS:
        return tell_fits(context, node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "set_rate":
        return _set_rate(context, node, node.func)
    function = context.evaluate(node.func)
    if isinstance(function, Function) and is_numpys(function.function):
        return call_numpy(context, function.function, node)
    if isinstance(function, Function):
        return _follow_call(context, function, node)
    if isinstance(function, Builtin):
        return _call_builtin(context, function.function, node)
    if isinstance(function, Ref) and isinstance(type(function.sample).__call__, FunctionType):
        function = context.settle(context.names.attribute(function, "__call__"))
        assert isinstance(function, Function)
        return _follow_call(context, function, node)
    if isinstance(function, VectorMethod):
        return call_method(context, function, node)
    if isinstance(function, Opaque) and is_numpys(function.value):
        return call_numpy(context, function.value, node)
    if isinstance(function, Opaque) and callable(function.value):
        raise Unlowerable(why_unknown(function.value))
    raise Unlowerable(f"{describe(function)} is not called here")


def _follow_call(context: Context, function: Function, node: ast.Call) -> Item:
    if any(isinstance(argument, ast.Starred) for argument in node.args) or any(k.arg is None for k in node.keywords):
        raise Unlowerable("arguments are followed one by one, without * and **")
    arguments = [context.evaluate(argument) for argument in node.args]
    return context.follow(function, arguments, {k.arg or "": context.evaluate(k.value) for k in node.keywords})


def _call_builtin(context: Context, function: Callable[..., object], node: ast.Call) -> Item:
    context.dialect.check_function(function)
    if function is builtins.super and not node.args:
        return _super(context)
    if is_numpys(function):
        return call_numpy(context, function, node)
    if function in REDUCTIONS and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        return reduce(context, function, node.args[0], node)
    if function in REDUCTIONS and len(node.args) == 1 and _is_many(context, node.args[0]):
        return reduce_all(context, function, node.args[0], node)
    if function in (sum, any, all):
        raise Unlowerable(f"{function.__name__} is followed around `... for ... in ...`, a vector or a list of numbers")
    rule = rule_for(function, context.dialect.kinds)
    if rule is not None:
        item: Item = rule(context, node)
        return item
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise Unlowerable("arguments are followed one by one, without names and *")
    if not context.functions.knows(function):
        raise Unlowerable(why_unknown(function))
    items = [context.evaluate(argument) for argument in node.args]
    if function is abs and len(items) == 1 and is_vector(items[0]):
        return formula_of(context, [as_operand(context, items[0], node)], context.arithmetic.absolute)
    numbers = [context.as_number(item, place) for item, place in zip(items, node.args, strict=True)]
    return context.functions.call(function, numbers)


def _is_many(context: Context, node: ast.expr) -> bool:
    """Whether an expression names numbers to go over, as against one of several arguments."""
    if isinstance(node, ast.List | ast.Tuple):
        return True
    mark, flow = context.builder.mark(), context.scope.copy()
    item = context.evaluate(node)
    context.builder.return_to(mark)
    context.scope = flow
    return isinstance(item, Vector | Formula | Table)


@lowers(len)
def length_of(context: Context, node: ast.Call) -> Item:
    """`len(item)`."""
    if len(node.args) != 1:
        raise Unlowerable(why_unknown(len))
    item = context.evaluate(node.args[0])
    if isinstance(item, ObjectList | Table | Vector | Formula):
        return context.length(item)
    raise context.refusal(node.args[0], f"{describe(item)} has no length that can be followed")


def _set_rate(context: Context, node: ast.Call, function: ast.Attribute) -> Item:
    owner = context.evaluate(function.value)
    is_loose = isinstance(owner, Ref) and isinstance(owner.sample, Variable)
    if not (is_loose or isinstance(owner, Slot)) or len(node.args) != 1 or node.keywords:
        raise Unlowerable("set_rate is followed for a Variable and one number")
    place = context.names.attribute(owner, "rate") if isinstance(owner, Ref) else None
    if isinstance(owner, Slot):
        place = context.names.slot(owner, "rate")
    assert isinstance(place, Place)
    context.dialect.write(context, place, context.number(node.args[0]))
    return Nothing()


def _super(context: Context) -> Item:
    function = context.frame.function.function
    names = function.__code__.co_freevars
    owner = context.scope.bindings.get(function.__code__.co_varnames[0])
    if "__class__" not in names or not isinstance(owner, Ref):
        raise Unlowerable("super() is followed in methods only")
    cells = function.__closure__ or ()
    return SuperRef(owner, cells[names.index("__class__")].cell_contents)
