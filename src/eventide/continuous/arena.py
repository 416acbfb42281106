"""The memory of the continuous world: one table, a row for each thing known of a slot, a column for each slot."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from eventide.continuous.tables import ROWS, SLOT_COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Owner(Protocol):
    """An object that has slots here and views of them."""

    def _attach_views(self, table: Any) -> None: ...


Kind: TypeAlias = Literal["moving", "standing"]
MOVING: Final[Kind] = "moving"
"""Slots that are integrated: those of all objects stand side by side, so that a flow is a few long runs of them."""
STANDING: Final[Kind] = "standing"
"""Slots that are not."""
CHUNK: Final = 16
"""So many slots are set apart for one kind at first."""


class Arena:
    """All slots of one simulation; blocks are given out, taken back when their owner is gone, and given out again.

    Each kind has stretches of its own, the next as long as all before it.

    table       the array (rows, slots); replaced when it grows
    rows        its rows as memoryviews: reading an item gives a Python float at once
    slots       the array (slots, SLOT_COLUMNS) of who is concerned by each slot; `concerned` the same as a memoryview
    """

    table: NDArray[np.float64]
    slots: NDArray[np.int64]
    rows: list[memoryview[float]]

    def __init__(self, capacity: int = 64, on_growth: Callable[[], None] = lambda: None) -> None:
        self.on_growth = on_growth
        self._owners: dict[int, weakref.ref[Any]] = {}
        self._free: dict[tuple[Kind, int], list[int]] = {}
        self._gone: list[tuple[Kind, int, int]] = []
        self._stretches: dict[Kind, tuple[int, int]] = {MOVING: (0, 0), STANDING: (0, 0)}
        self._given: dict[Kind, int] = {MOVING: 0, STANDING: 0}
        self._used = 0
        self._resize(capacity)

    def _resize(self, capacity: int) -> None:
        table = np.zeros((ROWS, capacity))
        slots = np.full((capacity, SLOT_COLUMNS), -1)
        if self._used:
            table[:, : self._used] = self.table[:, : self._used]
            slots[: self._used] = self.slots[: self._used]
        self.table, self.slots = table, slots
        self.concerned: Any = memoryview(slots)  # type: ignore[arg-type]  # an array is a buffer
        self.rows = [row_view(row) for row in table]
        self.view: Any = memoryview(table)  # type: ignore[arg-type]  # an array is a buffer
        self.on_growth()
        for owner in self.owners():
            owner._attach_views(table)

    def owners(self) -> list[Any]:
        """Who has slots here and still lives, the oldest first."""
        alive = (owner() for owner in self._owners.values())
        return list(dict.fromkeys(owner for owner in alive if owner is not None))

    def owner_of(self, slot: int) -> Any:
        """Who has a slot."""
        return self._owners[max(base for base in self._owners if base <= slot)]()

    def allocate(self, owner: Owner, size: int, kind: Kind) -> int:
        """Give `owner` a block of `size` slots, all zero; answers its first slot."""
        self._reclaim()
        if not size:
            return 0
        free = self._free.get((kind, size))
        if free:
            base = free.pop()
            self.table[:, base : base + size] = 0.0
        else:
            base = self._cut(kind, size)
        gone = self._gone
        self._owners[base] = weakref.ref(owner, lambda _: gone.append((kind, base, size)))
        return base

    def _cut(self, kind: Kind, size: int) -> int:
        """The first slot of a block that nobody has had."""
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

    def _reclaim(self) -> None:
        """Take back the blocks of owners that are gone."""
        while self._gone:
            kind, base, size = self._gone.pop()
            del self._owners[base]
            self._free.setdefault((kind, size), []).append(base)


def row_view(row: Any) -> memoryview[float]:
    """A row of floats as a memoryview: reading an item gives a Python float, several times faster than an array's."""
    view: Any = memoryview(row)
    return view  # type: ignore[no-any-return]  # the checker believes that every buffer holds integers
