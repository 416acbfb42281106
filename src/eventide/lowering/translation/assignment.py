"""What is written: slots, vectors, their items, and the assignments that do it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from eventide.lowering.names.found import ModePlace, Place
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.expressions import find_attribute
from eventide.lowering.translation.operators import combine, operate
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.slots import ROWS
from eventide.lowering.translation.values import Boolean, Buffer, Formula, Item, Items, Number, Stored, Table, Vector
from eventide.lowering.translation.vectors import (
    Operand,
    as_operand,
    check_epoch,
    copy_of,
    for_each_item,
    is_vector,
    item_at,
    keep,
    kept_item,
    locate_item,
    note_read,
    place_in,
    read_item,
    slice_of,
    sources_of,
    store_in,
)
from eventide.native.ir import NAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.kernels.lowered import Access
    from eventide.lowering.translation.context import Context


def fill(context: Context, target: Vector, item: Operand) -> None:
    """Set all numbers of a vector, as numpy does: what is on the right is computed before anything is written."""
    if not isinstance(item, Number | Boolean) and item.count not in (1, target.count):
        raise Unlowerable(f"{item.count} numbers do not fit into {target.count} places")
    if isinstance(item, Vector | Formula) and any(_may_overlap(target, source) for source in sources_of(item)):
        item = copy_of(context, item)
    if isinstance(item, Formula):
        check_epoch(context, item)
    single = context.arithmetic.as_float(item) if isinstance(item, Number | Boolean) else None

    def store(index: Number) -> None:
        _store_item(context, target, index, single or item_at(context, item, index))

    _begin_write(context, target)
    for_each_item(context, target.count, store)
    _end_write(context, target, range(target.start, target.start + target.step * target.count, target.step))


def set_item(
    context: Context, target: Vector, node: ast.expr, compute: Callable[[Number | Boolean], Number | Boolean]
) -> None:
    """Set one item to what is computed from it; where there is none a rate is made NaN, so that Python raises."""
    place, is_inside = locate_item(context, target, node)
    value = compute(read_item(context, target, place))
    if is_inside is not None:
        context.builder.note_trap(context.builder.value("xor", "i1", is_inside, "true"))
        text = context.builder.select(is_inside, "double", context.arithmetic.double(value), NAN)
        value = Number(text, "float", value.slope)
    _begin_write(context, target)
    _store_item(context, target, place, value)
    low, high = place.extent or (0, target.count - 1)
    ends = target.start + target.step * low, target.start + target.step * high
    _end_write(context, target, range(min(ends), max(ends) + 1))


def _store_item(context: Context, target: Vector, index: Number, value: Number | Boolean) -> None:
    memory, place = target.memory, place_in(context, target, index)
    if isinstance(memory, Stored):
        context.slots.set_item(memory, place, context.arithmetic.double(value))
    elif isinstance(memory, Buffer):
        store_in(context, memory, place, value)


def _begin_write(context: Context, target: Vector) -> None:
    memory = target.memory
    if isinstance(memory, Table):
        raise Unlowerable("an array that stands outside the table of states changes in events only")
    if isinstance(memory, Stored):
        context.dialect.check_row(memory.row, memory.name)


def _end_write(context: Context, target: Vector, items: range) -> None:
    context.epoch += 1
    if not isinstance(target.memory, Stored) or not items:
        return
    low, high = min(items), max(items) + 1
    stored = target.memory
    access = context.slots.note_write(stored, (low, high))
    _note_assignment(context, access)
    if stored.owner.element is None and len(items) == stored.length:
        context.scope.written |= {access}


def _note_assignment(context: Context, access: Access) -> None:
    """Keep where the law assigns a state."""
    if access.row == "state" and access not in context.assignments and context.at is not None:
        where = context.refusal(context.at, "")
        context.assignments[access] = where.file, where.line, where.construct


def write(context: Context, place: Place, item: Number | Boolean) -> None:
    """Set a slot."""
    context.dialect.check_row(place.row, place.name)
    context.epoch += 1
    access = context.slots.write(place, context.arithmetic.exactly(context.arithmetic.number(item)))
    _note_assignment(context, access)
    if place.owner.element is None:
        context.scope.written |= {access}


def _may_overlap(target: Vector, source: Vector) -> bool:
    """Whether writing one vector item by item may change what is still to be read of another."""
    one, other = target.memory, source.memory
    if isinstance(one, Buffer) or isinstance(other, Buffer):
        is_same = one == other
        return is_same and (target.start, target.step) != (source.start, source.step)
    if not isinstance(one, Stored) or not isinstance(other, Stored):
        return False
    if one == other:
        return (target.start, target.step) != (source.start, source.step)
    # By different paths one and the same object may be reached.
    return ROWS[one.row] == ROWS[other.row] and one.name == other.name


@lowers(ast.Assign)
def _assignment(context: Context, node: ast.Assign) -> None:
    item = context.evaluate(node.value)
    if len(node.targets) > 1 or not isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        item = kept_item(context, item)
    for target in node.targets:
        assign(context, target, item)


@lowers(ast.AnnAssign)
def _annotated_assignment(context: Context, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(context, node.target, kept_item(context, context.evaluate(node.value)))


@lowers(ast.AugAssign)
def _augmented_assignment(context: Context, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Subscript):
        _augment_part(context, target, node)
        return
    if isinstance(target, ast.Name):
        before: Item = context.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
        place = None
    elif isinstance(target, ast.Attribute):
        place = _number_place(context, target)
        before = place if isinstance(place, Vector) else context.settle(place)
    else:
        raise Unlowerable("items are not assigned")
    if isinstance(before, Vector):
        _augment(context, before, node)
        return
    right = as_operand(context, context.evaluate(node.value), node.value)
    value = combine(context, node.op, context.as_number(before, target), right)
    if not isinstance(value, Number | Boolean):
        if place is not None or not isinstance(target, ast.Name):
            raise Unlowerable("this is one number, and what is to be set is a vector")
        context.scope.bindings[target.id] = keep(context, value) if isinstance(value, Formula) else value
    elif place is not None and not isinstance(place, Vector):
        context.dialect.write(context, place, value)
    elif isinstance(target, ast.Name):
        context.scope.bindings[target.id] = value


def bind_target(context: Context, target: ast.expr, item: Item) -> None:
    """Give an item to a name, or its parts to several."""
    if not isinstance(target, ast.Name | ast.Tuple):
        raise Unlowerable("loops give their items to names")
    assign(context, target, item)


def _augment(context: Context, vector: Vector, node: ast.AugAssign) -> None:
    """`vector += value`, in place."""
    right = as_operand(context, context.evaluate(node.value), node.value)
    context.dialect.fill(context, vector, combine(context, node.op, as_operand(context, vector, node.target), right))


def _augment_part(context: Context, target: ast.Subscript, node: ast.AugAssign) -> None:
    vector = _vector(context, target)
    if isinstance(target.slice, ast.Slice):
        _augment(context, slice_of(context, vector, target.slice), node)
        return
    note_read(context, vector)
    context.dialect.set_item(
        context, vector, target.slice, lambda item: operate(context, node.op, item, context.number(node.value))
    )


def _vector(context: Context, target: ast.Subscript) -> Vector:
    base = context.evaluate(target.value)
    base = context.names.as_vector(base) if isinstance(base, Table) and is_vector(base) else base
    if not isinstance(base, Vector):
        raise Unlowerable("of items only those of vectors can be assigned")
    return base


def _assign_part(context: Context, target: ast.Subscript, item: Item) -> None:
    vector = _vector(context, target)
    if isinstance(target.slice, ast.Slice):
        context.dialect.fill(context, slice_of(context, vector, target.slice), as_operand(context, item, target))
        return
    value = context.as_number(item, target)
    context.dialect.set_item(context, vector, target.slice, lambda _: value)


def assign(context: Context, target: ast.expr, item: Item) -> None:
    """`target = item`."""
    if isinstance(target, ast.Name):
        context.scope.bindings[target.id] = item
    elif isinstance(target, ast.Attribute):
        place = _place(context, target)
        if isinstance(place, ModePlace):
            context.dialect.set_mode(context, place, item)
        elif isinstance(place, Vector):
            context.dialect.fill(context, place, as_operand(context, item, target))
        else:
            context.dialect.write(context, place, context.as_number(item, target))
    elif isinstance(target, ast.Subscript):
        _assign_part(context, target, item)
    elif isinstance(target, ast.Tuple | ast.List):
        if not isinstance(item, Items) or len(item.items) != len(target.elts):
            raise Unlowerable(f"{len(target.elts)} names need as many values, written out")
        for part, value in zip(target.elts, item.items, strict=True):
            assign(context, part, value)
    else:
        raise Unlowerable("names, attributes and items of vectors can be assigned, and nothing else")


def _number_place(context: Context, target: ast.Attribute) -> Place | Vector:
    place = _place(context, target)
    if isinstance(place, ModePlace):
        raise Unlowerable("texts are made by Python")
    return place


def _place(context: Context, target: ast.Attribute) -> Place | Vector | ModePlace:
    found = find_attribute(context, target)
    if not isinstance(found, Place | Vector | ModePlace):
        raise Unlowerable(
            f"{target.attr!r} is stored in no slot: between events only states, rates, computed values and sums change"
        )
    return found
