"""Loops over ranges, vectors, lists and queues of components, and over several of them at once."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from eventide.lowering.translation.assignment import bind_target
from eventide.lowering.translation.control_flow import iterate
from eventide.lowering.translation.scope import Edge, Loop
from eventide.lowering.translation.values import (
    Boolean,
    Builtin,
    Formula,
    Item,
    Items,
    Number,
    ObjectList,
    Ref,
    Span,
    Table,
    Vector,
    constant,
)
from eventide.lowering.translation.vectors import as_operand, few_items, for_each_item, keep, kept_item, read_item

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context


def for_each(
    context: Context, target: ast.expr, source: ast.expr, body: Callable[[], None], assigned: list[str]
) -> None:
    """Execute `body` for each item of a list or queue of components or number of a range."""
    if isinstance(source, ast.Tuple | ast.List):
        _each_in_turn(context, target, [context.evaluate(part) for part in source.elts], body)
        return
    if isinstance(source, ast.Call) and _is_builtin(context, source.func, enumerate, zip):
        _each_together(context, target, source, body, assigned)
        return
    counts = isinstance(source, ast.Call) and _is_builtin(context, source.func, range)
    items = None if counts else context.names.members(context.evaluate(source))
    if isinstance(items, Items):
        _each_in_turn(context, target, list(items.items), body)
        return
    if not isinstance(target, ast.Name):
        raise context.refusal(target, "loops give their items to one name")
    names = [target.id, *assigned]
    if isinstance(source, ast.Call) and counts:
        _each_number(context, source, names, body)
    elif isinstance(items, Vector | Formula):
        _each_item(context, items, source, names, body)
    elif isinstance(items, ObjectList | Table):
        _each_element(context, items, names, body)
    else:
        raise context.refusal(
            source, "loops go over range(...), a vector, a list or queue of components or a list of numbers"
        )


def _each_number(context: Context, source: ast.Call, names: list[str], body: Callable[[], None]) -> None:
    """A loop over a range: the first name has its numbers, and to the others the body may give values."""
    first, last, step, span = _range(context, source)
    word = "slt" if step > 0 else "sgt"

    def take(counter: str) -> None:
        context.scope.bindings[names[0]] = Number(counter, "int", span=span)
        body()

    def is_inside(counter: str) -> Boolean:
        return Boolean(context.builder.value(f"icmp {word}", "i64", counter, last))

    iterate(context, names, is_inside, take, first, step)


def _each_element(context: Context, items: ObjectList | Table, names: list[str], body: Callable[[], None]) -> None:
    """A loop over components or numbers of which the kernel is given how many there are."""
    size, path = context.length(items).text, () if isinstance(items, Table) else context.names.all_items(items)
    if isinstance(items, ObjectList) and not items.items:
        return

    def take(counter: str) -> None:
        if isinstance(items, Table):
            context.scope.bindings[names[0]] = context.slots.cell(items, counter)
        else:
            context.scope.bindings[names[0]] = Ref(path, items.items[0], counter)
        body()

    def is_inside(counter: str) -> Boolean:
        return Boolean(context.builder.value("icmp slt", "i64", counter, size))

    iterate(context, names, is_inside, take)


def _each_in_turn(context: Context, target: ast.expr, items: list[Item], body: Callable[[], None]) -> None:
    """A loop over things that are known one by one: its body is written once for each."""
    breaks: list[Edge] = []
    for item in [kept_item(context, item) for item in items]:
        if context.is_dead:
            break
        loop = Loop()
        bind_target(context, target, item)
        context.loops.append(loop)
        body()
        context.loops.pop()
        breaks += loop.breaks
        _go_on(context, loop.continues)
    _go_on(context, breaks)


def _each_of_few(context: Context, target: ast.expr, items: list[Item], body: Callable[[], None]) -> None:
    """The same of items of short vectors; loops inside it have room for fewer."""
    context.copies *= max(1, len(items))
    try:
        _each_in_turn(context, target, items, body)
    finally:
        context.copies //= max(1, len(items))


def _go_on(context: Context, arrivals: list[Edge]) -> None:
    """Join paths that have ended to the present one."""
    if not arrivals:
        return
    merged = context.merger.merge([*arrivals, *([] if context.is_dead else [context.arrive()])])
    assert merged is not None
    context.scope = merged[0]


def _each_item(
    context: Context, vector: Vector | Formula, source: ast.expr, names: list[str], body: Callable[[], None]
) -> None:
    """A loop over the items of a vector."""
    as_operand(context, vector, source)
    few = few_items(context, vector)
    if few is not None:
        _each_of_few(context, ast.Name(names[0], ast.Store()), list(few), body)
        return
    kept = keep(context, vector)

    def take(index: Number) -> None:
        context.scope.bindings[names[0]] = read_item(context, kept, index)
        body()

    for_each_item(context, kept.count, take, names, leaves=True)


def _each_together(
    context: Context, target: ast.expr, source: ast.Call, body: Callable[[], None], assigned: list[str]
) -> None:
    """A loop over `enumerate(vector)` or `zip(vector, ...)`."""
    counts = _is_builtin(context, source.func, enumerate)
    items = [as_operand(context, context.evaluate(argument), argument) for argument in source.args]
    vectors = [item for item in items if isinstance(item, Vector | Formula)]
    names = target.elts if isinstance(target, ast.Tuple) else []
    is_strict = _is_strict(source)
    if is_strict is None or len(vectors) < len(items) or not vectors or len(names) != len(items) + counts:
        raise context.refusal(source, "enumerate(...) and zip(...) are followed around vectors, with a name for each")
    if is_strict and len({vector.count for vector in vectors}) > 1:
        raise context.refusal(source, "the vectors are not of one size")

    few = [few_items(context, vector) for vector in vectors]
    if None not in few:
        columns = [[constant(k) for k in range(vectors[0].count)]] * counts + [items for items in few if items]
        _each_of_few(context, target, [Items(row) for row in zip(*columns, strict=False)], body)
        return
    kept = [keep(context, vector) for vector in vectors]

    def take(index: Number) -> None:
        parts = [read_item(context, vector, index) for vector in kept]
        bind_target(context, target, Items((index, *parts) if counts else tuple(parts)))
        body()

    carried = [name.id for name in names if isinstance(name, ast.Name)]
    for_each_item(context, min(vector.count for vector in kept), take, [*carried, *assigned], leaves=True)


def _is_strict(call: ast.Call) -> bool | None:
    """What `strict=` says, by default no; None if there are other names, or it is not written out."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "strict"]
    known = [value for value in given if isinstance(value, ast.Constant)]
    if len(known) < len(call.keywords):
        return None
    return bool(known[0].value) if known else False


def _is_builtin(context: Context, node: ast.expr, *functions: object) -> bool:
    if not isinstance(node, ast.Name) or node.id in context.scope.bindings:
        return False
    function = context.evaluate(node)
    return isinstance(function, Builtin) and function.function in functions


def _range(context: Context, node: ast.Call) -> tuple[str, str, int, Span]:
    """Where a range begins and ends, its step, and the least and greatest number that may be in it."""
    if node.keywords or not 1 <= len(node.args) <= 3:
        raise context.refusal(node, "range takes one to three whole numbers")
    numbers = [context.number(argument) for argument in node.args]
    step = numbers[2].known if len(numbers) == 3 else 1
    if not step or not isinstance(step, int):
        raise context.refusal(node, "the step of range has to be written as a number other than 0")
    limits = [context.arithmetic.counter(number) for number in numbers[:2]]
    first, last = numbers[0] if len(numbers) > 1 else constant(0), numbers[min(1, len(numbers) - 1)]
    span = _between(context.arithmetic.countable(first), context.arithmetic.countable(last), int(step))
    return (limits[0] if len(limits) == 2 else "0", limits[-1], int(step), span)


def _between(first: Span, last: Span, step: int) -> Span:
    """The least and the greatest number of a range whose ends lie in some spans."""
    return (first[0], max(first[0], last[1] - 1)) if step > 0 else (min(first[1], last[0] + 1), first[1])
