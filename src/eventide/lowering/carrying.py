"""A sum to which one object after another adds is carried from one to the next, where that is the same.

Memory tells what has just been written there only after several additions could have been made: the sum of a thousand
contributions would take three times as long. It is written after each addition all the same, so whoever reads it finds
it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.lowering.paths import ITEMS
from eventide.lowering.slots import ROWS

if TYPE_CHECKING:
    from eventide.lowering.lowered import Access
    from eventide.lowering.slots import Slots, Touch
    from eventide.native.ir import Block, Builder

CARRIED: Final = ("sum", "rate")


def carry(builder: Builder, slots: Slots, head: Block, inside: Block) -> tuple[Block, list[str]]:
    """Let a law's loop over objects carry what its body reads once and writes once later.

    head, inside    the block that tests whether there is another object, and the first of the body
    Returns     the first block of the body now, and instructions for the start of the kernel
    """
    found = [(access, *pair) for access in slots.writes if (pair := _pair(builder, slots, access)) is not None]
    if not found:
        return inside, []
    access, load, store = found[0]
    first, far = builder.block(), builder.block()
    builder.blocks[builder.blocks.index(inside) : builder.blocks.index(inside)] = [first, far]
    head.lines[-1] = head.lines[-1].replace(f"label %{inside.label},", f"label %{first.label},")
    kept, where = "%carried", "%carried.slot"
    first.lines = [
        f"%carried.now = add i64 {load.base}, {load.offset}",
        f"%carried.last = load i64, ptr {where}",
        "%carried.equal = icmp eq i64 %carried.now, %carried.last",
        "%carried.later = icmp sgt i64 %k, 0",
        "%carried.same = and i1 %carried.equal, %carried.later",
        f"br i1 %carried.same, label %{inside.label}, label %{far.label}",
    ]
    far.lines = [
        f"%carried.at = getelementptr double, ptr {ROWS[access.row]}, i64 %carried.now",
        "%carried.found = load double, ptr %carried.at",
        f"store i64 %carried.now, ptr {where}",
        f"store double %carried.found, ptr {kept}",
        f"br label %{inside.label}",
    ]
    block, line = _place_of(builder, load.line)
    block.lines[line] = f"{load.value} = load double, ptr {kept}"
    block, line = _place_of(builder, store.line)
    block.lines.insert(line + 1, f"store double {store.value}, ptr {kept}")
    return first, [f"{kept} = alloca double", f"{where} = alloca i64"]


def _pair(builder: Builder, slots: Slots, access: Access) -> tuple[Touch, Touch] | None:
    """The one read and the later one write of a quantity in the body; None if it is not used like that.

    Nothing else of its kind is written, as that might be the same by another way.
    """
    if access.row not in CARRIED or ITEMS in access.path:
        return None
    if [other for other in slots.writes if other.row == access.row] != [access] or slots.ranges:
        return None
    loads = [touch for touch in slots.loads if touch.access == access and _is_there(builder, touch.line)]
    stores = [touch for touch in slots.stores if touch.access == access and _is_there(builder, touch.line)]
    if len(loads) != 1 or len(stores) != 1 or any(block.repeats for block in builder.blocks):
        return None
    order = [_order(builder, touch.line) for touch in (*loads, *stores)]
    return (loads[0], stores[0]) if order[0] < order[1] else None


def _is_there(builder: Builder, line: str) -> bool:
    """Whether a line has not been dropped since it was written."""
    return any(line in block.lines for block in builder.blocks)


def _place_of(builder: Builder, line: str) -> tuple[Block, int]:
    block = next(block for block in builder.blocks if line in block.lines)
    return block, block.lines.index(line)


def _order(builder: Builder, line: str) -> tuple[int, int]:
    block, place = _place_of(builder, line)
    return builder.blocks.index(block), place
