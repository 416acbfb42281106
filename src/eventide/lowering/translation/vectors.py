"""Vectors: views of memory, and formulas over them that are computed item by item.

Where numpy makes an array for each operation, a kernel has one loop around a whole formula. Sizes are known while the
kernel is made, so shapes are compared then, and items that are surely there are reached without a test.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.control_flow import iterate
from eventide.lowering.translation.values import (
    Boolean,
    Buffer,
    Formula,
    Item,
    Items,
    Number,
    Stored,
    Table,
    Vector,
    VectorMethod,
    constant,
    describe,
)
from eventide.native.ir import NAN, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context

LARGEST: Final = 32_768
"""How many numbers a kernel may keep for the length of a call."""
FEW: Final = 32
"""Conditions tell how each item of a vector of so many moves, also in loops within loops: that many comparisons can be
enclosed."""
Operand: TypeAlias = Number | Boolean | Vector | Formula


def read_item(context: Context, vector: Vector, index: Number) -> Number | Boolean:
    """An item that is surely there."""
    memory, place = vector.memory, place_in(context, vector, index)
    if isinstance(memory, Stored):
        return context.slots.item(memory, place)
    if isinstance(memory, Table):
        return context.slots.array_item(memory, place)
    value = context.builder.load("double", memory.address, place)
    if memory.is_truth:
        return replace(context.slots.truth(value), is_numpy=True, slope=NAN if memory.slopes else None)
    slope = context.builder.load("double", memory.slopes, place) if memory.slopes else None
    return Number(value, "float", slope, is_numpy=True)


def few_items(context: Context, item: Vector | Formula) -> list[Number | Boolean] | None:
    """The items of a short vector one by one, where it is wanted how each of them moves; None of others."""
    if not context.is_guided or item.count * context.copies > FEW:
        return None
    return [item_at(context, item, Number(str(k), "int", known=k)) for k in range(item.count)]


def place_in(context: Context, vector: Vector, index: Number) -> str:
    """The number of an item in the memory of a vector."""
    if index.known is not None:
        return str(vector.start + vector.step * int(index.known))
    place = index.text
    if vector.step != 1:
        place = context.builder.value("mul", "i64", place, vector.step)
    return context.builder.value("add", "i64", place, vector.start) if vector.start else place


def item_at(context: Context, item: Operand, index: Number) -> Number | Boolean:
    """One item of an operand; a single number, or the only item of a vector, stands for all."""
    if isinstance(item, Number | Boolean):
        return item
    index = index if item.count > 1 else Number("0", "int", known=0)
    return read_item(context, item, index) if isinstance(item, Vector) else replace(item.at(index), is_numpy=True)


def locate_item(context: Context, vector: Vector | Formula, node: ast.expr) -> tuple[Number, str | None]:
    """The place of an item as Python counts, and a test whether it is there; None if it surely is."""
    item = context.arithmetic.number(context.number(node))
    if item.kind == "float":
        raise Unlowerable("an index is a whole number, and this is a float: write int(...)")
    count, known = vector.count, item.extent
    if known is not None and not -count <= known[0] <= known[1] < count:
        if known[0] >= count or known[1] < -count:
            raise Unlowerable(f"there is no such item: the vector has {count}")
        known = None
    if item.known is not None:
        place = int(item.known) % count
        return Number(str(place), "int", known=place), None
    text = context.arithmetic.counter(item)
    if known is None or known[0] < 0:
        is_from_end = context.builder.value("icmp slt", "i64", text, 0)
        text = context.builder.select(is_from_end, "i64", context.builder.value("add", "i64", text, count), text)
    if known is not None:
        return Number(text, "int", item.slope), None
    is_inside = context.builder.value("icmp ult", "i64", text, count)
    return Number(context.builder.select(is_inside, "i64", text, "0"), "int", item.slope), is_inside


def item_by(index: Number, item: Number | Boolean) -> Number | Boolean:
    """An item, which becomes another where its index changes within a step."""
    still = ZERO if isinstance(item, Number) else NAN
    return item if index.slope is None else replace(item, slope=item.slope or still)


def part_of(context: Context, vector: Vector | Formula | Table, key: ast.expr) -> Item:
    """An item, or a slice, which is a view."""
    if isinstance(vector, Table):
        vector = _as_vector(context, vector)
    if isinstance(key, ast.Slice):
        return slice_of(context, keep(context, vector), key)
    if isinstance(key, ast.Tuple):
        raise Unlowerable("vectors have one dimension")
    kept = keep(context, vector)
    note_read(context, kept)
    place, is_inside = locate_item(context, kept, key)
    few = few_items(context, vector) if place.known is not None else None
    value = few[int(place.known or 0)] if few else item_by(place, read_item(context, kept, place))
    if is_inside is None:
        return value
    # Python raises there; a rate that is not a number lets it do so at the user's line.
    context.builder.note_trap(context.builder.value("xor", "i1", is_inside, "true"))
    number = context.arithmetic.number(value)
    return replace(number, text=context.builder.select(is_inside, "double", number.text, NAN))


def slice_of(context: Context, vector: Vector, key: ast.Slice) -> Vector:
    """A part of a vector between places that are known."""
    limits = [None if part is None else _known_whole(context, part) for part in (key.lower, key.upper, key.step)]
    try:
        items = range(vector.count)[slice(*limits)]
    except ValueError as error:
        raise Unlowerable(str(error)) from None
    return Vector(vector.memory, vector.start + vector.step * items.start, vector.step * items.step, len(items))


def _known_whole(context: Context, node: ast.expr) -> int:
    number = context.arithmetic.number(context.number(node))
    if number.kind != "int" or number.known is None:
        raise Unlowerable("the bounds of a slice must be known: numbers, fields that hold a size, len(...)")
    return int(number.known)


def array_attribute(context: Context, vector: Vector | Formula | Table, name: str) -> Item:
    """An attribute of an array."""
    vector = _as_vector(context, vector) if isinstance(vector, Table) else vector
    if name == "size":
        return constant(vector.count)
    if name == "shape":
        return Items((constant(vector.count),))
    return VectorMethod(vector, name)


def _as_vector(context: Context, item: Item) -> Vector | Formula:
    if isinstance(item, Vector | Formula):
        return item
    if isinstance(item, Table) and item.array_size is not None:
        return context.names.as_vector(item)
    raise Unlowerable(f"{describe(item)} is no vector: make it an array")


def as_operand(context: Context, item: Item, node: ast.expr) -> Operand:
    """A number or vector to compute with."""
    if isinstance(item, Table) and is_vector(item):
        item = context.names.as_vector(item)
    if isinstance(item, Vector):
        note_read(context, item)
    if isinstance(item, Number | Boolean | Vector | Formula):
        return item
    if isinstance(item, Table):
        raise context.refusal(node, "a list of numbers has no arithmetic: make it an array, np.array(...)")
    raise context.refusal(node, f"{describe(item)} is no number")


def check_epoch(context: Context, formula: Vector | Formula) -> None:
    """Refuse a formula if something that it is computed from has been written since it was made."""
    if isinstance(formula, Formula) and formula.sources and formula.epoch != context.epoch:
        raise Unlowerable("one of its operands is written before it is used: give it a name first")


def note_read(context: Context, vector: Vector | Formula) -> None:
    """A vector is read, or a part of it."""
    if isinstance(vector, Vector) and isinstance(vector.memory, Stored):
        context.slots.note_read(vector.memory, context.scope.written)


def formula_of(context: Context, operands: list[Operand], compute: Callable[..., Number | Boolean]) -> Formula:
    """What is computed from the items of some operands, one by one.

    Raises Unlowerable if their shapes do not fit.
    """
    vectors = [item for item in operands if isinstance(item, Vector | Formula)]
    for item in vectors:
        check_epoch(context, item)
    count = max(vector.count for vector in vectors) if all(v.count for v in vectors) else 0
    if any(vector.count not in (1, count) for vector in vectors):
        sizes = " and ".join(str(vector.count) for vector in vectors)
        raise Unlowerable(f"vectors of {sizes} items do not fit each other")
    sources = tuple(source for vector in vectors for source in sources_of(vector))
    return Formula(count, lambda k: compute(*(item_at(context, item, k) for item in operands)), sources, context.epoch)


def keep(context: Context, item: Vector | Formula) -> Vector:
    """A vector in memory: a formula is computed now, as numpy does."""
    if isinstance(item, Vector):
        return item
    check_epoch(context, item)
    buffer: Buffer | None = None

    def store(index: Number) -> None:
        nonlocal buffer
        value = item.at(index)
        if buffer is None:
            buffer = new_buffer(context, item.count, is_truth=isinstance(value, Boolean))
        store_in(context, buffer, index.text, value)

    for_each_item(context, item.count, store)
    return Vector(buffer or new_buffer(context, 0), 0, 1, item.count)


def copy_of(context: Context, item: Vector | Formula) -> Vector:
    """A vector in memory of its own."""
    return keep(context, formula_of(context, [item], lambda one: one))


def kept_item(context: Context, item: Item) -> Item:
    """An item as a name can have it."""
    if isinstance(item, Items):
        return Items(tuple(kept_item(context, part) for part in item.items))
    return keep(context, item) if isinstance(item, Formula) else item


def new_buffer(context: Context, count: int, *, is_truth: bool = False, moves: bool | None = None) -> Buffer:
    """Memory for `count` numbers, and for their derivatives if they are wanted."""
    moves = context.is_guided if moves is None else moves
    context.kept += count * (2 if moves else 1)
    if context.kept > LARGEST:
        raise Unlowerable(f"more than {LARGEST} numbers would have to be kept in between: write fewer named vectors")
    slopes = context.builder.memory("double", count) if moves else None
    return Buffer(context.builder.memory("double", count), slopes, is_truth)


def store_in(context: Context, buffer: Buffer, place: str, value: Number | Boolean) -> None:
    """Set a number in memory of the kernel, and its derivative where that is kept."""
    if isinstance(value, Boolean):
        text = context.builder.convert("uitofp", "i1", value.text, "double")
    else:
        text = context.arithmetic.double(value)
    context.builder.store("double", text, buffer.address, place)
    if buffer.slopes is not None:
        slope = NAN if isinstance(value, Boolean) else value.slope or ZERO
        context.builder.store("double", slope, buffer.slopes, place)


def for_each_item(
    context: Context,
    count: int,
    body: Callable[[Number], None],
    carried: list[str] | None = None,
    *,
    leaves: bool = False,
) -> None:
    """Write `body` for each of `count` items.

    carried     the names that it may give new values
    leaves      whether it may go on to the next one, or past the last, by `continue` or `break`
    """
    if count == 1 and not leaves:
        body(Number("0", "int", known=0))
    elif count:
        iterate(
            context,
            carried or [],
            lambda counter: Boolean(context.builder.value("icmp slt", "i64", counter, count)),
            lambda counter: body(Number(counter, "int", span=(0, count - 1))),
        )


def is_vector(item: Item) -> bool:
    """Whether something can be computed with as numpy computes with arrays."""
    return isinstance(item, Vector | Formula) or (isinstance(item, Table) and item.array_size is not None)


def sources_of(item: Vector | Formula) -> tuple[Vector, ...]:
    """What in memory a vector is computed from."""
    return (item,) if isinstance(item, Vector) else item.sources
