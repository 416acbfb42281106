"""Rules for `isclose`: a distance, compared with what is allowed."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.values import Boolean, Item, Number, constant
from eventide.lowering.translation.vectors import formula_of

if TYPE_CHECKING:
    from eventide.lowering.translation.context import Context
    from eventide.lowering.translation.vectors import Operand

Scalar: TypeAlias = Number | Boolean


@lowers(math.isclose)
def _isclose(context: Context, node: ast.Call) -> Item:
    """Source: CPython, `math_isclose_impl`."""
    named = {one.arg or "**": context.number(one.value) for one in node.keywords}
    relative, least = named.pop("rel_tol", constant(1e-9)), named.pop("abs_tol", constant(0.0))
    if named or len(node.args) != 2 or any(isinstance(one, ast.Starred) for one in node.args):
        raise Unlowerable("isclose is followed with two numbers, rel_tol= and abs_tol=")
    if any(one.known is None or one.known < 0 for one in (relative, least)):
        raise Unlowerable("the tolerances of isclose have to be known, and not negative")
    one, other = (context.arithmetic.as_float(context.number(argument)) for argument in node.args)
    distance = _distance(context, one, other)
    allowed = [_scaled(context, relative, other), _scaled(context, relative, one), least]
    first, second, third = (context.booleans.compare("LtE", distance, each) for each in allowed)
    return context.booleans.either(context.booleans.either(first, second), third)


@lowers(np.isclose)
def _numpys_isclose(
    context: Context, one: Operand, other: Operand, /, rtol: Operand | None = None, atol: Operand | None = None
) -> Item:
    """Source: numpy, `isclose`."""
    relative, least = (constant(known) if given is None else given for given, known in ((rtol, 1e-5), (atol, 1e-8)))

    def is_close(left: Scalar, right: Scalar, relative: Scalar, least: Scalar) -> Boolean:
        left, right = context.arithmetic.as_float(left), context.arithmetic.as_float(right)
        allowed = context.arithmetic.binary("Add", least, _scaled(context, relative, right))
        return context.booleans.compare("LtE", _distance(context, left, right), allowed)

    operands = [one, other, relative, least]
    scalars = [item for item in operands if isinstance(item, Number | Boolean)]
    if len(scalars) < len(operands):
        return formula_of(context, operands, is_close)
    return replace(is_close(*scalars), is_numpy=True)


def _distance(context: Context, one: Number, other: Number) -> Number:
    """How far two numbers are from each other; Python is asked about infinite ones."""
    for each in (one, other):
        if each.known is not None and math.isinf(each.known):
            raise Unlowerable("what is close to infinity is infinite: write ==")
        if each.known is None:
            context.builder.note_trap(context.arithmetic.wire(each).machine("fabs").test("oeq", math.inf))
    return context.arithmetic.absolute(context.arithmetic.binary("Sub", one, other))


def _scaled(context: Context, relative: Scalar, number: Number) -> Number:
    return context.arithmetic.binary("Mult", relative, context.arithmetic.absolute(number))
