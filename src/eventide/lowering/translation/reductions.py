"""Rules for sum, any, all, min and max of many, and for the search in a table."""

from __future__ import annotations

import ast
import sys
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.control_flow import choose, iterate
from eventide.lowering.translation.expressions import evaluate_boolean
from eventide.lowering.translation.loops import for_each
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.scope import PATH_CONDITION, UNCONDITIONAL
from eventide.lowering.translation.values import (
    COUNTABLE,
    Boolean,
    Item,
    Number,
    Table,
    constant,
    describe,
    literal,
    why_unknown,
)
from eventide.native.ir import NAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context

ACCUMULATED: Final = "+result"
"""Where bindings keep what a reduction has gathered; no name of the user's looks like that."""
SEEN: Final = "+seen"
LOW: Final = "+low"
HIGH: Final = "+high"
COMPENSATED: Final = "+rest"
REDUCTIONS: Final = (sum, any, all, min, max)


def reduce_all(context: Context, function: Callable[..., object], source: ast.expr, node: ast.Call) -> Item:
    """`function(numbers)`: as if it were written around `... for ... in ...`."""
    item = ast.Name("+item", ast.Load())
    clause = ast.comprehension(ast.Name("+item", ast.Store()), source, [], 0)
    generator = ast.GeneratorExp(item, [clause])
    for part in (item, clause.target, generator):
        ast.copy_location(part, source)
    return reduce(context, function, generator, node)


def reduce(
    context: Context, function: Callable[..., object], generator: ast.GeneratorExp | ast.ListComp, node: ast.Call
) -> Item:
    """`function(... for ... in ...)`."""
    if len(generator.generators) != 1 or generator.generators[0].is_async:
        raise Unlowerable("one `for` is followed in such an expression")
    clause = generator.generators[0]
    begin, gather = _reduction(context, function, node)
    outer = context.scope.bindings
    context.scope.bindings = {**outer, **begin}

    def body() -> None:
        _if_all(context, clause.ifs, lambda: gather(context.evaluate(generator.elt), generator.elt))

    for_each(context, clause.target, clause.iter, body, list(begin))
    result = context.scope.bindings[ACCUMULATED]
    seen = context.scope.bindings.get(SEEN)
    if isinstance(seen, Boolean) and not node.keywords:
        context.builder.note_trap(context.booleans.opposite(seen).text)
    if function is sum and COMPENSATED in context.scope.bindings:
        result = _with_rest(context, result)
    context.scope.bindings = {**outer, PATH_CONDITION: outer.get(PATH_CONDITION, UNCONDITIONAL)}
    return result


def _if_all(context: Context, tests: list[ast.expr], body: Callable[[], None]) -> None:
    if not tests:
        body()
        return

    def go_on() -> None:
        _if_all(context, tests[1:], body)

    def leave_out() -> None:
        pass

    choose(context, evaluate_boolean(context, tests[0]), go_on, leave_out)


def _reduction(
    context: Context, function: Callable[..., object], node: ast.Call
) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
    """What a reduction begins with, and how it takes an item."""
    if function is sum:
        begin, take = _summation(context, node)
    elif function in (any, all):
        begin, take = _judgement(context, function, node)
    else:
        begin, take = _extreme(context, function, node)
    return begin, take


def _summation(context: Context, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
    if node.keywords or len(node.args) > 2:
        raise Unlowerable("sum is followed with a generator and a start")
    start = context.number(node.args[1]) if len(node.args) == 2 else context.arithmetic.number(constant(0))
    begin: dict[str, Item] = {ACCUMULATED: start}
    if sys.version_info >= (3, 12):
        begin[COMPENSATED] = constant(0.0)

    def take(item: Item, place: ast.expr) -> None:
        number = context.as_number(item, place)
        so_far = context.scope.bindings[ACCUMULATED]
        assert isinstance(so_far, Number | Boolean)
        total = context.arithmetic.binary("Add", so_far, number)
        context.scope.bindings[ACCUMULATED] = total
        added = context.arithmetic.number(number)
        if COMPENSATED in begin and added.kind == "float" and not added.is_numpy:
            # Python takes up compensation with the first float, and does not for the sum so far.
            if context.arithmetic.number(start).kind != "float" and start.known != 0:
                raise Unlowerable("the sum of floats begins with a whole number: write it as a float")
            if context.arithmetic.number(so_far).kind == "float":
                _compensate(context, so_far, number, total)

    return begin, take


def _compensate(context: Context, so_far: Number | Boolean, item: Number | Boolean, total: Number) -> None:
    """Keep what rounding took from a sum, as Python does from 3.12 on. Source: Neumaier, ZAMM 54 (1974)."""
    before, added, after = (context.arithmetic.wire(number) for number in (so_far, item, total))
    lost = (added - after) + before
    is_larger = before.machine("fabs").test("oge", added.machine("fabs"))
    rest = context.scope.bindings[COMPENSATED]
    assert isinstance(rest, Number)
    text = (context.arithmetic.wire(rest) + lost.unless(is_larger, (before - after) + added)).text
    context.scope.bindings[COMPENSATED] = Number(text, "float")


def _with_rest(context: Context, total: Item) -> Item:
    rest = context.scope.bindings[COMPENSATED]
    assert isinstance(total, Number)
    assert isinstance(rest, Number)
    if total.kind != "float":
        return total
    lost = context.arithmetic.wire(rest)
    is_useless = lost.machine("fabs").test("uge", float("inf"))
    kept = lost.unless(context.builder.value("or", "i1", is_useless, lost.test("oeq", 0.0)), -0.0)
    return Number((context.arithmetic.wire(total) + kept).text, "float", total.slope)


def _judgement(
    context: Context, function: Callable[..., object], node: ast.Call
) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
    if node.keywords or len(node.args) > 1:
        raise Unlowerable(f"{function.__name__} is followed with a generator only")
    is_all = function is all

    def take(item: Item, place: ast.expr) -> None:
        truth, so_far = context.as_boolean(item, place), context.scope.bindings[ACCUMULATED]
        assert isinstance(so_far, Boolean)
        context.scope.bindings[ACCUMULATED] = (context.booleans.both if is_all else context.booleans.either)(
            so_far, truth
        )

    return {ACCUMULATED: literal(is_all)}, take


def _extreme(
    context: Context, function: Callable[..., object], node: ast.Call
) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
    default: Number | Boolean = Number(NAN, "float")
    for keyword in node.keywords:
        if keyword.arg != "default":
            raise Unlowerable(f"{function.__name__} is followed with a generator and `default=`")
        default = context.number(keyword.value)

    def take(item: Item, place: ast.expr) -> None:
        number = context.as_number(item, place)
        best, seen = context.scope.bindings[ACCUMULATED], context.scope.bindings[SEEN]
        assert isinstance(best, Number | Boolean)
        assert isinstance(seen, Boolean)
        better = context.arithmetic.extreme("lt" if function is min else "gt", [best, number])
        chosen = number if seen.known is False else better
        context.scope.bindings[ACCUMULATED] = (
            chosen if seen.known is not None else context.arithmetic.select(seen, better, number)
        )
        context.scope.bindings[SEEN] = literal(True)

    return {ACCUMULATED: default, SEEN: literal(False)}, take


@lowers(bisect_left)
def _bisect_left(context: Context, node: ast.Call) -> Item:
    return _bisect(context, node, is_right=False)


@lowers(bisect_right)
def _bisect_right(context: Context, node: ast.Call) -> Item:
    return _bisect(context, node, is_right=True)


def _bisect(context: Context, node: ast.Call, *, is_right: bool) -> Item:
    """Where a number would have to be put into an ascending table."""
    if len(node.args) != 2 or node.keywords:
        raise Unlowerable(why_unknown(bisect_right if is_right else bisect_left))
    table, sought = context.evaluate(node.args[0]), context.number(node.args[1])
    if not isinstance(table, Table):
        raise context.refusal(node.args[0], f"{describe(table)} is no list of numbers")
    outer = context.scope.bindings
    context.scope.bindings = {**outer, LOW: constant(0), HIGH: context.length(table)}

    def limits() -> tuple[Number, Number]:
        low, high = context.scope.bindings[LOW], context.scope.bindings[HIGH]
        assert isinstance(low, Number)
        assert isinstance(high, Number)
        return low, high

    def halve(_: str) -> None:
        low, high = limits()
        both = context.builder.value("add", "i64", low.text, high.text)  # of numbers of items: it has room
        middle = context.builder.value("ashr", "i64", both, 1)
        after = context.builder.value("add", "i64", middle, 1)
        cell = context.slots.cell(table, middle)
        is_below = (
            context.booleans.compare("Lt", sought, cell) if is_right else context.booleans.compare("GtE", cell, sought)
        )
        context.scope.bindings[LOW] = context.arithmetic.select(is_below, low, Number(after, "int"))
        context.scope.bindings[HIGH] = context.arithmetic.select(is_below, Number(middle, "int"), high)

    iterate(context, [LOW, HIGH], lambda _: context.booleans.compare("Lt", *limits()), halve)
    place, _ = limits()
    context.scope.bindings = outer
    moves = context.arithmetic.number(sought).slope
    return Number(place.text, "int", moves and NAN, span=(0, COUNTABLE[1]))
