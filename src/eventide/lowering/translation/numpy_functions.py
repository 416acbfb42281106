"""Rules for numpy's functions and the methods of its arrays.

To add a function write a rule here: `@lowers(np.diff)` before a function of the context and the operands, numbers or
vectors, that returns what the call gives.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.enclosures import guard_expressions
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.operators import address_of, combine, compare_items, signed, stride_of, through_numpy
from eventide.lowering.translation.rules import lowers, rule_for
from eventide.lowering.translation.values import (
    Boolean,
    Buffer,
    Formula,
    Item,
    Number,
    Table,
    Vector,
    VectorMethod,
    constant,
    literal,
)
from eventide.lowering.translation.vectors import (
    Operand,
    as_operand,
    copy_of,
    few_items,
    for_each_item,
    formula_of,
    item_at,
    keep,
    new_buffer,
    note_read,
    place_in,
    read_item,
    store_in,
)
from eventide.native.ir import ZERO, Wire
from eventide.native.loops import symbol_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context

LONGEST_TABLE: Final = 64
"""The most points of a table that is looked up in native code."""
WHOLE: Final = "Vector | Formula"
"""How rules annotate what has to be a vector."""
TOTAL: Final = "+total"
"""Where bindings keep what is gathered from a vector; no name of the user's looks like that."""
_OPERATORS: Final[dict[str, ast.operator]] = {
    "add": ast.Add(),
    "subtract": ast.Sub(),
    "multiply": ast.Mult(),
    "divide": ast.Div(),
    "true_divide": ast.Div(),
    "negative": ast.Sub(),
}
_COMPARISONS: Final = {
    "less": "Lt",
    "less_equal": "LtE",
    "greater": "Gt",
    "greater_equal": "GtE",
    "equal": "Eq",
    "not_equal": "NotEq",
}


def call_numpy(context: Context, function: Callable[..., object], node: ast.Call) -> Item:
    """A call of a function of numpy.

    Raises Unlowerable if it is not followed, or cannot be called like that.
    """
    if any(isinstance(one, ast.Starred) for one in node.args) or (node.keywords and isinstance(function, np.ufunc)):
        raise Unlowerable("arguments of numpy's functions are followed one by one, without names and *")
    items = [context.evaluate(argument) for argument in node.args]
    arguments = [as_operand(context, item, place) for item, place in zip(items, node.args, strict=True)]
    named = {one.arg or "**": as_operand(context, context.evaluate(one.value), one.value) for one in node.keywords}
    if isinstance(function, np.ufunc):
        if len(arguments) != function.nin or function.nout != 1:
            raise Unlowerable(
                f"numpy's {function.__name__} is followed with {function.nin} numbers or vectors and one result"
            )
        return _call_ufunc(context, function, arguments)
    rule = rule_for(function, context.dialect.kinds)
    if rule is None:
        raise Unlowerable(f"numpy's {getattr(function, '__name__', type(function).__name__)} is not followed")
    signature = inspect.signature(rule)
    try:
        bound = signature.bind(context, *arguments, **named)
    except TypeError as error:
        raise Unlowerable(f"numpy's {function.__name__} is not followed like that: {error}") from None
    for name, argument in bound.arguments.items():
        if signature.parameters[name].annotation == WHOLE and isinstance(argument, Number | Boolean):
            raise Unlowerable(f"numpy's {function.__name__} is followed for vectors, and this is one number")
    item: Item = rule(context, *arguments, **named)
    return item


def _call_ufunc(context: Context, function: Callable[..., object], arguments: list[Operand]) -> Operand:
    operator = _OPERATORS.get(function.__name__)
    if operator is not None:
        arguments = _as_numpys(context, arguments, divides=isinstance(operator, ast.Div))
        return (
            combine(context, operator, *arguments)
            if len(arguments) == 2
            else signed(context, *arguments, is_negative=True)
        )
    if function.__name__ in _COMPARISONS:
        return compare_items(context, _COMPARISONS[function.__name__], *_all_vectors(context, arguments))
    simple = {
        "sqrt": context.functions.root,
        "absolute": context.arithmetic.absolute,
        "fabs": context.arithmetic.absolute,
    }
    simple["square"] = lambda x: context.arithmetic.binary("Mult", x, x)
    if function.__name__ in simple:
        compute = simple[function.__name__]
        return _numpy_of(context, arguments, lambda *items: compute(*map(context.arithmetic.as_float, items)))
    if function.__name__ in ("hypot", "fmod"):
        word = function.__name__
        return _numpy_of(context, arguments, lambda a, b: context.functions.of_two(word, a, b))
    return through_numpy(context, function, arguments)


def _as_numpys(context: Context, arguments: list[Operand], *, divides: bool) -> list[Operand]:
    """Arguments of a function of numpy's, which makes numbers of its own of them: these divide by zero."""
    numbers = [context.arithmetic.number(item) for item in arguments if isinstance(item, Number | Boolean)]
    if not divides and len(numbers) == len(arguments) and all(number.kind != "float" for number in numbers):
        raise Unlowerable("numpy has whole numbers of its own, which wrap around: write the operator itself")
    return [
        replace(context.arithmetic.as_float(item), is_numpy=True) if isinstance(item, Number | Boolean) else item
        for item in arguments
    ]


def _numpy_of(context: Context, arguments: list[Operand], compute: Callable[..., Number | Boolean]) -> Operand:
    scalars = [item for item in arguments if isinstance(item, Number | Boolean)]
    if len(scalars) < len(arguments):
        return formula_of(context, arguments, compute)
    value = context.arithmetic.number(compute(*scalars))
    return replace(value, is_numpy=True)


def _all_vectors(context: Context, arguments: list[Operand]) -> list[Operand]:
    if all(isinstance(item, Number | Boolean) for item in arguments):
        raise Unlowerable("between numbers write the operator itself")
    return arguments


def call_method(context: Context, method: VectorMethod, node: ast.Call) -> Item:
    """A call of a method of an array."""
    if node.args or node.keywords:
        raise Unlowerable(f"the method {method.name} is followed without arguments")
    vector = as_operand(context, method.vector, node)
    assert isinstance(vector, Vector | Formula)
    if method.name in ("any", "all"):
        return _judge(context, vector, is_all=method.name == "all")
    call = _METHODS.get(method.name)
    if call is None:
        raise Unlowerable("of an array's methods sum, mean, min, max, any, all and copy are followed")
    return call(context, vector)


def _judge(context: Context, vector: Vector | Formula, *, is_all: bool) -> Item:
    def join(so_far: Number | Boolean, item: Number | Boolean) -> Boolean:
        parts = context.booleans.of(so_far), context.booleans.of(item)
        return context.booleans.both(*parts) if is_all else context.booleans.either(*parts)

    return _gather(context, vector, literal(is_all), join)


@lowers(np.any)
def _any(context: Context, vector: Vector | Formula, /) -> Item:
    return _judge(context, vector, is_all=False)


@lowers(np.all)
def _all(context: Context, vector: Vector | Formula, /) -> Item:
    return _judge(context, vector, is_all=True)


@lowers(np.count_nonzero)
def _count(context: Context, vector: Vector | Formula, /) -> Item:
    def add(so_far: Number | Boolean, item: Number | Boolean) -> Number | Boolean:
        return context.arithmetic.binary("Add", so_far, context.booleans.of(item))

    return replace(_gather(context, vector, constant(0), add), is_numpy=False)


def _gather(
    context: Context,
    vector: Vector | Formula,
    begin: Number | Boolean,
    join: Callable[[Number | Boolean, Number | Boolean], Number | Boolean],
) -> Number | Boolean:
    """What the items are joined to, one after the other."""
    few = few_items(context, vector)
    if few is not None:
        return replace(reduce(join, few, begin), is_numpy=True)
    outer = context.scope.bindings
    context.scope.bindings = {**outer, TOTAL: begin}

    def take(index: Number) -> None:
        so_far = context.scope.bindings[TOTAL]
        assert isinstance(so_far, Number | Boolean)
        context.scope.bindings[TOTAL] = join(so_far, item_at(context, vector, index))

    for_each_item(context, vector.count, take, [TOTAL])
    result = context.scope.bindings[TOTAL]
    context.scope.bindings = outer
    assert isinstance(result, Number | Boolean)
    return replace(result, is_numpy=True)


@lowers(np.sum)
def _sum(context: Context, vector: Vector | Formula, /) -> Item:
    memory, form = _summable(context, vector), _form_of(context, vector, guard_expressions.total)
    total = new_buffer(context, 1, moves=False)
    context.builder.store("double", ZERO, total.address, "0")
    return replace(_reduce(context, np.add, memory, total, 0, _sum_of_slopes), form=form)


@lowers(np.mean)
def _mean(context: Context, vector: Vector | Formula, /) -> Item:
    total = _sum(context, vector)
    assert isinstance(total, Number)
    return context.arithmetic.binary("Div", total, constant(float(vector.count)))


@lowers(np.min, np.amin)
def _least(context: Context, vector: Vector | Formula, /) -> Item:
    return _extreme_of(context, np.minimum, "lt", vector)


@lowers(np.max, np.amax)
def _greatest(context: Context, vector: Vector | Formula, /) -> Item:
    return _extreme_of(context, np.maximum, "gt", vector)


def _extreme_of(context: Context, function: Callable[..., object], comparison: str, vector: Vector | Formula) -> Item:
    form = _form_of(context, vector, lambda one, other: guard_expressions.extreme(comparison, one, other))
    memory = _reducible(context, vector)
    if not memory.count:
        raise Unlowerable("a vector without items has neither a least nor a greatest")
    best = new_buffer(context, 1, moves=False)
    first = context.arithmetic.number(read_item(context, memory, Number("0", "int", known=0)))
    context.builder.store("double", first.text, best.address, "0")
    return replace(_reduce(context, function, memory, best, 1, _slope_of_equal), form=form)


def _form_of(
    context: Context,
    vector: Vector | Formula,
    join: Callable[[guard_expressions.Maybe, guard_expressions.Maybe], guard_expressions.Maybe],
) -> guard_expressions.Maybe:
    """How what a short vector is reduced to moves; None of others."""
    numbers = [context.arithmetic.number(item) for item in few_items(context, vector) or ()]
    return reduce(join, map(context.arithmetic.form, numbers)) if numbers else None


def _summable(context: Context, vector: Vector | Formula) -> Vector:
    items = _reducible(context, vector)
    if isinstance(items.memory, Buffer) and items.memory.is_truth:
        raise Unlowerable("Booleans are not summed: write np.where(..., 1.0, 0.0).sum()")
    return items


def _run_of(vector: Vector, first: int, count: int) -> Vector:
    """`count` items of a vector from the item `first` on."""
    return Vector(vector.memory, vector.start + vector.step * first, vector.step, count)


def _reducible(context: Context, vector: Vector | Formula) -> Vector:
    note_read(context, vector)
    return keep(context, vector)


def _reduce(
    context: Context,
    function: Callable[..., object],
    vector: Vector,
    total: Buffer,
    first: int,
    slope: Callable[[Context, Vector, Number], str | None],
) -> Number:
    """As numpy reduces: its loop over (total, items, total)."""
    try:
        symbol = symbol_of(function)
    except LookupError:
        raise Unlowerable(f"numpy's {getattr(function, '__name__', type(function).__name__)} is not followed") from None
    rest = _run_of(vector, first, vector.count - first)
    if rest.count:
        items = (address_of(context, rest), stride_of(rest))
        context.builder.loop(symbol, [(total.address, 0), items, (total.address, 0)], rest.count)
    value = Number(context.builder.load("double", total.address, "0"), "float", is_numpy=True)
    return replace(value, slope=slope(context, vector, value)) if context.is_guided else value


def _sum_of_slopes(context: Context, vector: Vector, _: Number) -> str | None:
    def add(so_far: Number, item: Number) -> Number:
        return context.arithmetic.binary("Add", so_far, Number(item.slope or ZERO, "float"))

    return _gather_slope(context, vector, add)


def _slope_of_equal(context: Context, vector: Vector, best: Number) -> str | None:
    def choose(so_far: Number, item: Number) -> Number:
        test = Boolean(context.arithmetic.wire(item).test("oeq", context.arithmetic.wire(best)))
        return context.arithmetic.select(test, Number(item.slope or ZERO, "float"), so_far)

    return _gather_slope(context, vector, choose)


def _gather_slope(context: Context, vector: Vector, join: Callable[[Number, Number], Number]) -> str | None:
    sample = vector.memory
    if isinstance(sample, Table) or (isinstance(sample, Buffer) and sample.slopes is None):
        return None
    number = context.arithmetic.number
    return number(_gather(context, vector, constant(0.0), lambda one, item: join(number(one), number(item)))).text


@lowers(np.copy)
def _copy(context: Context, vector: Vector | Formula, /) -> Item:
    return copy_of(context, vector)


@lowers(np.where)
def _where(context: Context, test: Operand, then: Operand, otherwise: Operand, /) -> Item:
    def choose(truth: Number | Boolean, one: Number | Boolean, other: Number | Boolean) -> Number | Boolean:
        test = context.booleans.of(truth)
        return context.booleans.chosen(test, context.arithmetic.select(test, one, other), one, other)

    return _numpy_of(context, [test, then, otherwise], choose)


@lowers(np.clip)
def _clip(context: Context, item: Operand, low: Operand, high: Operand, /) -> Item:
    """Source: numpy, `_NPY_CLIP`: the greater of it and `low`, the less of that and `high`; NaN stays."""

    def bound(one: Number | Boolean, limit: Number | Boolean, comparison: str) -> Number:
        x, y = context.arithmetic.wire(one), context.arithmetic.wire(limit)
        stays = context.builder.value("or", "i1", x.test("uno", x), x.test(comparison, y))
        item, other = context.arithmetic.as_float(one), context.arithmetic.as_float(limit)
        form = guard_expressions.extreme(comparison[1:], context.arithmetic.form(item), context.arithmetic.form(other))
        return replace(context.arithmetic.select(Boolean(stays), item, other), form=form)

    return _numpy_of(context, [item, low, high], lambda x, a, b: bound(bound(x, a, "ogt"), b, "olt"))


@lowers(np.interp)
def _interp(context: Context, item: Operand, places: Operand, values: Operand, /) -> Item:
    """A number looked up in a table, between whose points are lines. Source: numpy, `arr_interp`."""
    if (
        not isinstance(item, Number | Boolean)
        or isinstance(places, Number | Boolean)
        or isinstance(values, Number | Boolean)
    ):
        raise Unlowerable("numpy's interp is followed for one number and a table in two arrays")
    points, arithmetic = places.count, context.arithmetic
    if points != values.count or not 1 < points <= LONGEST_TABLE:
        raise Unlowerable(f"tables of two to {LONGEST_TABLE} points are followed")
    given = arithmetic.as_float(item)
    table = [
        [arithmetic.as_float(item_at(context, side, Number(str(k), "int", known=k))) for side in (places, values)]
        for k in range(points)
    ]
    if any(number.slope is not None for pair in table for number in pair):
        raise Unlowerable("the numbers of a table that is looked up stand still")
    x, (at, first) = arithmetic.wire(given), map(arithmetic.wire, table[0])
    value, steepness, form = first, Wire(context.builder, ZERO), arithmetic.form(table[0][1])
    for k in range(points):
        at, low = map(arithmetic.wire, table[k])
        rise, line = Wire(context.builder, ZERO), low
        if k + 1 < points:
            after, high = map(arithmetic.wire, table[k + 1])
            rise = (high - low) / (after - at)
            line = rise * (x - at) + low
            line = line.unless(line.test("uno", line), rise * (x - after) + high)
            line = line.unless(line.test("uno", line), line.unless(low.test("oeq", high), low))
            line = line.unless(x.test("oeq", at), low)
        is_here = x.test("oge", at)
        value, steepness = value.unless(is_here, line), steepness.unless(is_here, rise)
        if given.form:
            apart = guard_expressions.difference(given.form, arithmetic.form(table[k][0]))
            height = guard_expressions.product(apart, guard_expressions.still(rise.text))
            form = guard_expressions.choice(apart, guard_expressions.total(height, arithmetic.form(table[k][1])), form)
    value = value.unless(x.test("uno", x), x)
    slope = arithmetic.scale_slope(given.slope, steepness.text)
    return Number(value.text, "float", slope, is_numpy=True, form=form if slope else None)


@lowers(np.zeros)
def _zeros(context: Context, size: Operand, /) -> Item:
    return _filled(context, size, constant(0.0))


@lowers(np.ones)
def _ones(context: Context, size: Operand, /) -> Item:
    return _filled(context, size, constant(1.0))


@lowers(np.full)
def _full(context: Context, size: Operand, value: Operand, /) -> Item:
    if not isinstance(value, Number | Boolean):
        raise Unlowerable("numpy's full is followed with one number")
    return _filled(context, size, context.arithmetic.as_float(value))


@lowers(np.zeros_like)
def _zeros_like(context: Context, vector: Vector | Formula, /) -> Item:
    return _filled(context, constant(vector.count), constant(0.0))


@lowers(np.ones_like)
def _ones_like(context: Context, vector: Vector | Formula, /) -> Item:
    return _filled(context, constant(vector.count), constant(1.0))


def _filled(context: Context, size: Operand, value: Number | Boolean) -> Vector:
    if not isinstance(size, Number) or size.kind != "int" or size.known is None:
        raise Unlowerable("the size has to be known: a number, a field that holds a size, len(...)")
    return keep(context, Formula(int(size.known), lambda _: value, (), context.epoch))


@lowers(np.dot)
def _dot(context: Context, *_: Operand) -> Item:
    raise Unlowerable("numpy's dot sums in an order of its own: write (a * b).sum()")


@lowers(np.diff)
def _diff(context: Context, vector: Vector | Formula, /) -> Item:
    kept = keep(context, vector)
    count = max(0, kept.count - 1)
    return combine(context, ast.Sub(), _run_of(kept, 1, count), _run_of(kept, 0, count))


@lowers(np.cumsum)
def _running_sums(context: Context, vector: Vector | Formula, /) -> Item:
    """Each item added to the sum of those before it, one after the other, as numpy does."""
    items, sums = _summable(context, vector), new_buffer(context, vector.count)
    if items.count:
        store_in(context, sums, "0", read_item(context, items, Number("0", "int", known=0)))
    rest, so_far = _run_of(items, 1, items.count - 1), Vector(sums, 0, 1, items.count - 1)

    def add(index: Number) -> None:
        total = context.arithmetic.binary("Add", read_item(context, so_far, index), read_item(context, rest, index))
        store_in(context, sums, place_in(context, Vector(sums, 1, 1, rest.count), index), total)

    for_each_item(context, max(0, rest.count), add)
    return Vector(sums, 0, 1, items.count)


@lowers(np.roll)
def _roll(context: Context, vector: Vector | Formula, by: Operand, /) -> Item:
    if not isinstance(by, Number) or by.kind != "int" or by.known is None:
        raise Unlowerable("numpy's roll is followed by a number that is known")
    kept = keep(context, vector)
    turn = int(by.known) % kept.count
    result = new_buffer(context, kept.count)
    for first, count, start in ((0, turn, kept.count - turn), (turn, kept.count - turn, 0)):
        _copy_to(context, result, first, _run_of(kept, start, count))
    return Vector(result, 0, 1, kept.count)


def _copy_to(context: Context, buffer: Buffer, first: int, part: Vector) -> None:
    target = Vector(buffer, first, 1, part.count)
    for_each_item(
        context,
        part.count,
        lambda k: store_in(context, buffer, place_in(context, target, k), read_item(context, part, k)),
    )


_METHODS: Final = {"sum": _sum, "min": _least, "max": _greatest, "mean": _mean, "copy": _copy}
"""The methods of arrays that are functions of the array alone."""
