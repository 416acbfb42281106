"""Operators on numbers and vectors, item by item or by numpy's own loops."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.enclosures import guard_expressions
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.arithmetic import OPERATIONS
from eventide.lowering.translation.functions import BY_ARGUMENT, BY_VALUE
from eventide.lowering.translation.values import Boolean, Buffer, Formula, Number, Stored, Table, Vector, constant
from eventide.lowering.translation.vectors import Operand, formula_of, item_at, keep, new_buffer, read_item
from eventide.native.ir import NAN
from eventide.native.loops import symbol_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context

BYTES: Final = 8
JOINING: Final = {"BitAnd": "and", "BitOr": "or", "BitXor": "xor"}
_WORDS: Final = {f"arc{word}": f"a{word}" for word in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
"""numpy's names of functions and those of `math`."""


def operate(
    context: Context, operator: ast.operator, left: Number | Boolean, right: Number | Boolean
) -> Number | Boolean:
    """`left <operator> right`."""
    name = type(operator).__name__
    are_booleans = isinstance(left, Boolean) and isinstance(right, Boolean) and (left.is_numpy or right.is_numpy)
    if are_booleans and name in ("Add", "Sub", "Mult"):
        raise Unlowerable("numpy does not add its Booleans as numbers: write `1.0 if ... else 0.0`")
    if name in OPERATIONS:
        return context.arithmetic.binary(name, left, right)
    if name in JOINING and isinstance(left, Boolean) and isinstance(right, Boolean):
        return join_booleans(context, JOINING[name], left, right)
    raise Unlowerable("only the operators + - * / // % ** can be compiled, and & | ^ of Booleans")


def join_booleans(context: Context, word: str, one: Boolean, other: Boolean) -> Boolean:
    """`one and other`, `or`, `xor`, both of which have been computed."""
    booleans = context.booleans
    return {"and": booleans.both, "or": booleans.either}.get(word, partial(booleans.compare, "NotEq"))(one, other)


def combine(context: Context, operator: ast.operator, left: Operand, right: Operand) -> Operand:
    """`left <operator> right` of numbers or vectors."""
    if isinstance(left, Number | Boolean) and isinstance(right, Number | Boolean):
        return operate(context, operator, left, right)
    if isinstance(operator, ast.Pow):
        return _power(context, left, right)
    if isinstance(operator, ast.FloorDiv | ast.Mod):
        return through_numpy(
            context, np.floor_divide if isinstance(operator, ast.FloorDiv) else np.remainder, [left, right]
        )
    return formula_of(context, [left, right], lambda a, b: operate(context, operator, a, b))


def _power(context: Context, base: Operand, exponent: Operand) -> Operand:
    """Powers, of which numpy has some special ones where the exponent is one number."""
    if not isinstance(exponent, Number | Boolean):
        return through_numpy(context, np.power, [base, exponent])
    number = context.arithmetic.number(exponent)
    if number.known is not None:
        special = _special_powers(context).get(float(number.known))
        return formula_of(context, [base], special) if special else through_numpy(context, np.power, [base, number])
    wanted = context.arithmetic.as_float(number)
    general = through_numpy(context, np.power, [base, wanted])

    def choose(item: Number | Boolean, value: Number | Boolean) -> Number | Boolean:
        for known, compute in _special_powers(context).items():
            value = context.arithmetic.select(
                context.booleans.compare("Eq", wanted, constant(known)), compute(item), value
            )
        return value

    return formula_of(context, [base, general], choose)


def _special_powers(context: Context) -> dict[float, Callable[[Number | Boolean], Number | Boolean]]:
    """Source: numpy, `fast_scalar_power`."""
    binary, root = context.arithmetic.binary, context.functions.root
    return {
        2.0: lambda x: binary("Mult", x, x),
        0.5: root,
        -1.0: lambda x: binary("Div", constant(1.0), x),
        1.0: context.arithmetic.as_float,
        0.0: lambda _: constant(1.0),
    }


def signed(context: Context, item: Operand, *, is_negative: bool) -> Operand:
    """`-item`, or `+item`."""

    def turn(one: Number | Boolean) -> Number | Boolean:
        if isinstance(one, Boolean) and one.is_numpy:
            raise Unlowerable("numpy's Booleans have no sign")
        return context.arithmetic.negative(one) if is_negative else context.arithmetic.number(one)

    return turn(item) if isinstance(item, Number | Boolean) else formula_of(context, [item], turn)


def compare_items(context: Context, name: str, left: Operand, right: Operand) -> Operand:
    """`left <comparison> right`, item by item."""
    return formula_of(context, [left, right], lambda a, b: context.booleans.compare(name, a, b))


def through_numpy(context: Context, function: Callable[..., object], arguments: list[Operand]) -> Operand:
    """Let numpy's own loop do it, over memory."""
    try:
        symbol = symbol_of(function)
    except LookupError:
        raise Unlowerable(f"numpy's {function.__name__} is not followed") from None
    vectors = [item for item in arguments if isinstance(item, Vector | Formula)]
    count = formula_of(context, arguments, lambda *_: constant(0.0)).count if vectors else 1
    given = [_in_memory(context, item) for item in arguments]
    result = new_buffer(context, count, moves=False)
    sources = [(address_of(context, v), 0 if v.count == 1 else stride_of(v)) for v in given]
    if count:
        context.builder.loop(symbol, [*sources, (result.address, BYTES)], count)
    value = _with_slopes(context, function.__name__, Vector(result, 0, 1, count), given)
    if vectors:
        return value
    number = item_at(context, value, Number("0", "int", known=0))
    form_of = guard_expressions.OF_NUMPY.get(_WORDS.get(function.__name__, function.__name__))
    if form_of is None or not isinstance(number, Number) or number.slope is None:
        return number
    scalars = [context.arithmetic.as_float(item) for item in arguments if isinstance(item, Number | Boolean)]
    return replace(number, form=form_of(*map(context.arithmetic.form, scalars)))


def _in_memory(context: Context, item: Operand) -> Vector:
    if isinstance(item, Number | Boolean):
        single = context.arithmetic.as_float(item)
        item = Formula(1, lambda _: single, (), context.epoch)
    vector = keep(context, item)
    if isinstance(vector.memory, Buffer) and vector.memory.is_truth:
        raise Unlowerable("expected numbers, got Booleans")
    return vector


def address_of(context: Context, vector: Vector) -> str:
    """Where the first item of a vector stands."""
    memory, first = vector.memory, str(vector.start)
    if isinstance(memory, Stored):
        return context.slots.address(memory, first)
    if isinstance(memory, Table):
        return context.slots.array_address(memory, first)
    return context.builder.address("double", memory.address, first)


def stride_of(vector: Vector) -> int:
    """How many bytes lie between neighbouring items."""
    return BYTES * vector.step


def _with_slopes(context: Context, name: str, result: Vector, given: list[Vector]) -> Vector | Formula:
    """What a loop has computed, with its derivative where what it was computed from moves."""
    if not context.is_guided:
        return result
    word = _WORDS.get(name, name)

    def at(index: Number) -> Number:
        value = read_item(context, result, index)
        slopes = [context.arithmetic.number(item_at(context, vector, index)) for vector in given]
        assert isinstance(value, Number)
        if all(number.slope is None for number in slopes):
            return value
        if len(slopes) > 1 or slopes[0].slope == NAN or word not in {**BY_VALUE, **BY_ARGUMENT}:
            return replace(value, slope=NAN)
        x, y = context.arithmetic.wire(slopes[0]), context.arithmetic.wire(value)
        factor = BY_VALUE[word](y) if word in BY_VALUE else BY_ARGUMENT[word](x)
        return replace(value, slope=context.arithmetic.scale_slope(slopes[0].slope, factor.text))

    return Formula(result.count, at, (result, *given), context.epoch)
