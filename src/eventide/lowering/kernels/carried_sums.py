"""A sum to which one object after another adds is carried from one to the next, where that is the same.

Memory tells what has just been written there only after several additions could have been made: the sum of a thousand
contributions would take three times as long. It is written after each addition all the same, so a reader finds
it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.lowering.names.paths import ITEMS
from eventide.lowering.translation.slots import ROWS
from eventide.native.ir import Instruction

if TYPE_CHECKING:
    from eventide.lowering.kernels.lowered import Access
    from eventide.lowering.translation.slots import SlotAccess, Slots
    from eventide.native.ir import Block, Builder

CARRIED: Final = ("sum", "rate")


def carry(builder: Builder, slots: Slots, head: Block, inside: Block) -> tuple[Block, list[Instruction]]:
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
    head.lines[-1].redirect(inside.label, first.label)
    kept, where, now, same = "%carried", "%carried.slot", "%carried.now", "%carried.same"
    first.lines = [
        Instruction("add", "i64", load.base, load.offset, result=now),
        Instruction("load", "i64", where, result="%carried.last"),
        Instruction("icmp eq", "i64", now, "%carried.last", result="%carried.equal"),
        Instruction("icmp sgt", "i64", "%k", 0, result="%carried.later"),
        Instruction("and", "i1", "%carried.equal", "%carried.later", result=same),
        Instruction("br", "i1", same, inside.label, far.label),
    ]
    far.lines = [
        Instruction("getelementptr", "double", ROWS[access.row], now, result="%carried.at"),
        Instruction("load", "double", "%carried.at", result="%carried.found"),
        Instruction("store", "i64", now, where),
        Instruction("store", "double", "%carried.found", kept),
        Instruction("br", "label", inside.label),
    ]
    load.instruction.operands = (kept,)
    block, place = _place_of(builder, store.instruction)
    block.lines.insert(place + 1, Instruction("store", "double", store.value, kept))
    return first, [Instruction("alloca", "double", result=kept), Instruction("alloca", "i64", result=where)]


def _pair(builder: Builder, slots: Slots, access: Access) -> tuple[SlotAccess, SlotAccess] | None:
    """The one read and the later one write of a quantity in the body; None if it is not used like that.

    Nothing else of its kind is written, as that might be the same by another way.
    """
    if access.row not in CARRIED or ITEMS in access.path:
        return None
    if [other for other in slots.writes if other.row == access.row] != [access] or slots.ranges:
        return None
    loads = [touch for touch in slots.loads if touch.access == access and _is_there(builder, touch.instruction)]
    stores = [touch for touch in slots.stores if touch.access == access and _is_there(builder, touch.instruction)]
    if len(loads) != 1 or len(stores) != 1 or any(block.repeats for block in builder.blocks):
        return None
    order = [_order(builder, touch.instruction) for touch in (*loads, *stores)]
    return (loads[0], stores[0]) if order[0] < order[1] else None


def _is_there(builder: Builder, instruction: Instruction) -> bool:
    """Whether an instruction has not been dropped since it was written."""
    return any(instruction in block.lines for block in builder.blocks)


def _place_of(builder: Builder, instruction: Instruction) -> tuple[Block, int]:
    block = next(block for block in builder.blocks if instruction in block.lines)
    return block, block.lines.index(instruction)


def _order(builder: Builder, instruction: Instruction) -> tuple[int, int]:
    block, place = _place_of(builder, instruction)
    return builder.blocks.index(block), place
