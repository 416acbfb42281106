"""The memory of the continuous world: one table, a row for each thing known of a slot, a column for each slot."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eventide.continuous.tables import ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Owner(Protocol):
    """An object that has slots here and views of them."""

    def _attach_views(self, table: Any, base: int) -> None: ...


class Arena:
    """All slots of one simulation; blocks are given out, taken back when their owner is gone, and given out again.

    table       the array (rows, slots); replaced when it grows
    rows        its rows as memoryviews: reading an item gives a Python float at once
    """

    table: NDArray[np.float64]
    rows: list[memoryview[float]]

    def __init__(self, capacity: int = 64, on_growth: Callable[[], None] = lambda: None) -> None:
        self.on_growth = on_growth
        self._owners: dict[int, weakref.ref[Any]] = {}
        self._free: dict[int, list[int]] = {}
        self._gone: list[tuple[int, int]] = []
        self._used = 0
        self._resize(capacity)

    def _resize(self, capacity: int) -> None:
        table = np.zeros((ROWS, capacity))
        if self._used:
            table[:, : self._used] = self.table[:, : self._used]
        self.table = table
        self.rows = [row_view(row) for row in table]
        self.view: Any = memoryview(table)  # type: ignore[arg-type]  # an array is a buffer
        self.on_growth()
        for base, owner in self._owners.items():
            alive = owner()
            if alive is not None:
                alive._attach_views(table, base)

    def owners(self) -> list[Any]:
        """Who has slots here and still lives, in order of the slots."""
        alive = (self._owners[base]() for base in sorted(self._owners))
        return [owner for owner in alive if owner is not None]

    def owner_of(self, slot: int) -> Any:
        """Who has a slot."""
        return self._owners[max(base for base in self._owners if base <= slot)]()

    def allocate(self, owner: Owner, size: int) -> int:
        """Give `owner` a block of `size` slots, all zero; answers its first slot."""
        self._reclaim()
        free = self._free.get(size)
        if free:
            base = free.pop()
            self.table[:, base : base + size] = 0.0
        else:
            base = self._used
            capacity = len(self.rows[0])
            if base + size > capacity:
                self._resize(max(2 * capacity, base + size))
            self._used += size
        if size:
            gone = self._gone
            self._owners[base] = weakref.ref(owner, lambda _: gone.append((base, size)))
        owner._attach_views(self.table, base)
        return base

    def _reclaim(self) -> None:
        """Take back the blocks of owners that are gone."""
        while self._gone:
            base, size = self._gone.pop()
            del self._owners[base]
            self._free.setdefault(size, []).append(base)


def row_view(row: Any) -> memoryview[float]:
    """A row of floats as a memoryview: reading an item gives a Python float, several times faster than an array's."""
    view: Any = memoryview(row)
    return view  # type: ignore[no-any-return]  # the checker believes that every buffer holds integers
