"""The memory of the continuous model: one table, with a row for each kind of number and a column for each slot.

In: the layout of an object. Out: its slab: a block of slots for its states, and one for computed values, sums and
parameters. The states of all objects are adjacent, so that a flow of a thousand objects is a few long runs, over which
a step goes four slots at a time. (With one block for both, a thousand ingots were a thousand runs of one slot, and an
event of one took 1.6 times as long.)

Invariant: a slot lives as long as its object. Starting and stopping only change which slots are integrated, so laws
may read objects at rest, and addresses of stopped objects stay valid. A slab is taken back through a weak reference
once its owner is gone, and passes as a whole, with the views of its slots, to the next object of that layout. Which
slot an object has never shows. Each object owns only its index rows; they stay with the slab, so the next object that
reuses it with the same references need not rewrite them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from eventide.engine.codes import ROWS
from eventide.engine.memory.buffers import view_of
from eventide.engine.memory.growable_arrays import LINE, int_table, zeros
from eventide.engine.records import SlabRecord, SlotRecord

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.member import Member
    from eventide.continuous.plans import ClassPlan
    from eventide.engine.memory.growable_arrays import Allocation


Kind: TypeAlias = Literal["moving", "standing"]
MOVING: Final[Kind] = "moving"
"""Slots that are integrated: those of all objects stand side by side, so that a flow is a few long runs of them."""
STANDING: Final[Kind] = "standing"
"""Slots that are not."""
CHUNK: Final = 16
"""The number of slots that are reserved for one kind at first."""

WHOLE: Final = LINE // 8
"""Rows are an odd multiple of this many slots long: a power of two apart, all rows of a slot would share the same few
places of a cache.
"""


NO_TABLE: Final[NDArray[np.float64]] = np.zeros((0, 0))  # of a slab whose views have not been made


class Slab:
    """The blocks of slots of one object, and later of the next object with its layout.

    number          its row among all slabs
    base, side      the first slots of what is integrated and of what is not
    class_plan, bases, allocation   what its laws have in common with others, the index rows that are written for them,
                    and where: the next object on the slab takes them over
    vectors         the arrays of its vectors in `table`, which may have been replaced since
    rates, rates_read, lasts    what shows its rates to its laws and to others, and its last states; None until somebody
                    looks: most objects are native code and never do
    """

    __slots__ = (
        "allocation",
        "base",
        "bases",
        "class_plan",
        "lasts",
        "layout",
        "number",
        "rates",
        "rates_read",
        "side",
        "table",
        "vectors",
    )

    def __init__(self, layout: Layout, number: int, base: int, side: int) -> None:
        self.layout = layout
        self.number = number
        self.base = base
        self.side = side
        self.class_plan: ClassPlan | None = None
        self.bases: tuple[int, ...] = ()
        self.allocation: Allocation | None = None
        self.table = NO_TABLE
        self.vectors: tuple[object, ...] = ()
        self.rates: object = None
        self.rates_read: object = None
        self.lasts: object = None

    def blocks(self) -> list[tuple[int, int]]:
        """The first slot of each block that has any, and how many it has: what is integrated, then what is not."""
        blocks = (self.base, self.layout.moving), (self.side, self.layout.standing)
        return [(first, size) for first, size in blocks if size]


def anchor_of(owner: Member) -> int | None:
    """The first slot of an object's first block; None if it has none."""
    return next((first for first, _ in owner._slab.blocks()), None)


class _Lone:
    """The layout of a variable by itself."""

    moving, standing = 1, 0
    sums = ()


LONE: Final = _Lone()


class Occupant(weakref.ref["Member"]):
    """That an object sits on a slab, until it is gone."""

    __slots__ = ("slab",)

    slab: Slab


class SlotStorage:
    """All slots of one simulation; slabs are given out, taken back when their owner is gone, and reused.

    Each kind of slots has stretches of its own, each as long as all before it together.

    table       the array (rows, slots); replaced when it grows
    rows        its rows as memoryviews: reading an item gives a Python float at once
    slot        which object each slot belongs to
    occupants   which object has which slab; the oldest object first
    slabs       by number; `slab_rows` is the table of what the stepper knows of each, `slab` names its columns
    """

    table: NDArray[np.float64]
    rows: list[memoryview[float]]

    def __init__(self, capacity: int = 64, on_growth: Callable[[], None] = lambda: None) -> None:
        self.on_growth = on_growth
        self.occupants: dict[Slab, Occupant] = {}
        self.slabs: list[Slab] = []
        self.slot, self.slab = SlotRecord(), SlabRecord()
        self.slab_rows = int_table(self.slab, on_growth)
        self._free: dict[object, list[Slab]] = {}
        self._gone: list[Occupant] = []
        self._leave = self._gone.append  # a method of its own for each object is one more object
        self._stretches: dict[Kind, tuple[int, int]] = {MOVING: (0, 0), STANDING: (0, 0)}
        self._given: dict[Kind, int] = {MOVING: 0, STANDING: 0}
        self._used = 0
        self._resize(capacity)

    def _resize(self, capacity: int) -> None:
        capacity = WHOLE * (-(-capacity // WHOLE) | 1)
        table = zeros((ROWS, capacity), np.float64)
        slots = np.full((capacity, SlotRecord.widths["ints"]), -1)
        if self._used:
            table[:, : self._used] = self.table[:, : self._used]
            slots[: self._used] = self.slot.ints[: self._used]
        self.table = table
        self.slot.attach(slots)
        numbers = view_of(table.reshape(-1))
        self.rows = [numbers[at : at + capacity] for at in range(0, ROWS * capacity, capacity)]
        self.view: object = view_of(table)
        self.on_growth()
        for owner in self.owners():
            owner._attach_views(table)

    def owners(self) -> list[Member]:
        """The objects that have slots here and still live, the oldest first."""
        return [owner for occupant in self.occupants.values() if (owner := occupant()) is not None]

    def owner_of(self, slot: int) -> Member:
        """The object that has a slot, as long as it lives."""
        return self.owner_at(self.slot.slab[slot])

    def owner_at(self, number: int) -> Member:
        """The object that has a slab, as long as it lives."""
        occupant = self.occupants.get(self.slabs[number])
        return occupant and occupant()  # type: ignore[return-value]  # whoever asks has an object that lives

    def give_slab(self, owner: Member, layout: Layout | _Lone) -> Slab:
        """Give an object its slots, as many of each kind as its layout says; the caller sets their values."""
        if self._gone:
            self.take_back()
        free = self._free.get(layout)
        if free:
            slab = free.pop()
        else:
            slab = self._new_slab(layout)  # type: ignore[arg-type]  # of a variable nobody asks for more
        occupant = self.occupants[slab] = Occupant(owner, self._leave)
        occupant.slab = slab
        return slab

    def take_back(self) -> None:
        """Take back the slabs of objects that are gone."""
        while self._gone:
            left = self._gone.pop().slab
            del self.occupants[left]
            self._free.setdefault(left.layout, []).append(left)

    def _new_slab(self, layout: Layout) -> Slab:
        """A slab on slots that have not been used."""
        moving, standing, number = layout.moving, layout.standing, self.slab_rows.allocate()
        slab = Slab(layout, number, self._cut(MOVING, moving), self._cut(STANDING, standing))
        self.slabs.append(slab)
        for slot in (*range(slab.base, slab.base + moving), *range(slab.side, slab.side + standing)):
            self.slot.slab[slot] = number
        self.slab.base[number] = slab.base if moving else -1
        self.slab.side[number] = slab.side if standing else -1
        return slab

    def _cut(self, kind: Kind, size: int) -> int:
        """The first slot of a block that has not been used; 0 for one of no slots."""
        if not size:
            return 0
        base, end = self._stretches[kind]
        if base + size > end:
            length = max(size, CHUNK, self._given[kind])
            if end != self._used:
                base = self._used
            end = base + length
            capacity = len(self.rows[0])
            if end > capacity:
                self._resize(max(2 * capacity, end))
            self._used = end
        self._stretches[kind] = base + size, end
        self._given[kind] += size
        return base
