"""Arrays that grow: tables whose rows are given out and taken back, and runs of rows that belong together."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Table:
    """A two-dimensional array whose rows are given out one by one; it doubles when it is full.

    array   the present array; `view` the same as a memoryview, whose items are Python numbers
    """

    def __init__(self, columns: int, dtype: type, on_growth: Callable[[], None], capacity: int = 16) -> None:
        self.on_growth = on_growth
        self._free: list[int] = []
        self._used = 0
        self._adopt(np.zeros((capacity, columns), dtype))

    def _adopt(self, array: NDArray[Any]) -> None:
        self.array = array
        self.view: Any = memoryview(array)  # type: ignore[arg-type]  # an array is a buffer

    def allocate(self) -> int:
        """The number of a free row, all zero."""
        if self._free:
            row = self._free.pop()
            self.array[row] = 0
            return row
        row = self._used
        self._used += 1
        self.reserve(self._used)
        return row

    def release(self, row: int) -> None:
        """Take a row back."""
        self._free.append(row)

    def reserve(self, rows: int) -> None:
        """Grow to hold so many rows."""
        if rows > len(self.array):
            grown = np.zeros((max(rows, 2 * len(self.array)), self.array.shape[1]), self.array.dtype)
            grown[: len(self.array)] = self.array
            self._adopt(grown)
            self.on_growth()


class Runs(Table):
    """A table of runs: each owner's rows stand together, in their order."""

    def __init__(self, columns: int, on_growth: Callable[[], None]) -> None:
        super().__init__(columns, np.int64, on_growth)
        self._runs: dict[Run, None] = {}
        self._promised = 0

    def new_run(self) -> Run:
        """An empty run."""
        run = Run(self)
        self._runs[run] = None
        return run

    def drop(self, run: Run) -> None:
        """Forget a run."""
        del self._runs[run]
        self._promised -= run.capacity

    def make_room(self, run: Run, capacity: int) -> None:
        """Move a run to the end of the table with room for `capacity` rows; squeeze out gaps if that is too far."""
        if self._used + capacity > 2 * self._promised + 64:
            self._compact()
        start = self._used
        self._used += capacity
        self._promised += capacity - run.capacity
        self.reserve(self._used)
        self.array[start : start + run.count] = self.array[run.start : run.start + run.count]
        run.start, run.capacity = start, capacity
        run.on_move()

    def _compact(self) -> None:
        kept = [self.array[r.start : r.start + r.count].copy() for r in self._runs]
        place = 0
        for run, rows in zip(self._runs, kept, strict=True):
            run.start, run.capacity = place, max(len(rows), 1)
            self.array[place : place + len(rows)] = rows
            place += run.capacity
            run.on_move()
        self._used = self._promised = place


class Run:
    """Rows of a `Runs` table that belong together: rows start .. start + count - 1."""

    def __init__(self, table: Runs) -> None:
        self.table = table
        self.start = 0
        self.count = 0
        self.capacity = 0
        self._rows: list[list[int]] | None = None
        self.on_move: Callable[[], None] = _nothing

    def rows(self) -> list[list[int]]:
        """The rows, as numbers of Python."""
        if self._rows is None:
            self._rows = self.table.array[self.start : self.start + self.count].tolist()
        return self._rows

    def insert(self, place: int, row: tuple[int, ...]) -> None:
        """Insert a row before the one at `place` of the run."""
        if self.count == self.capacity:
            self.table.make_room(self, max(4, 2 * self.capacity))
        array, at = self.table.array, self.start + place
        end = self.start + self.count
        if at < end:
            array[at + 1 : end + 1] = array[at:end].copy()
        array[at] = row
        self.count += 1
        self._rows = None
        self.on_move()

    def append(self, row: tuple[int, ...]) -> None:
        """Add a row at the end."""
        self.insert(self.count, row)

    def delete(self, place: int) -> None:
        """Take a row out; those after it move up."""
        array, at, end = self.table.array, self.start + place, self.start + self.count
        if at + 1 < end:
            array[at : end - 1] = array[at + 1 : end].copy()
        self.count -= 1
        self._rows = None
        self.on_move()

    def clear(self) -> None:
        """Take all rows out."""
        self.count = 0
        self._rows = None
        self.on_move()


def _nothing() -> None:
    """For a run nobody watches."""


Lease: TypeAlias = tuple[list[int], int]
"""A block that is in use: where its first place is noted when it is free again, and that place."""


class Blocks:
    """A one-dimensional array of which blocks are given out and taken back."""

    def __init__(self, dtype: type, on_growth: Callable[[], None], capacity: int = 64) -> None:
        self.on_growth = on_growth
        self._free: dict[int, list[int]] = {}
        self._used = 0
        self.array: NDArray[Any] = np.zeros(capacity, dtype)
        self._code = self.array.dtype.char
        self.view: Any = memoryview(self.array)  # type: ignore[arg-type]  # an array is a buffer

    def allocate(self, size: int) -> int:
        """The first place of a free block."""
        free = self._free.get(size)
        return free.pop() if free else self._cut(size)

    def put(self, numbers: tuple[float, ...]) -> Lease:
        """Write numbers to a block of their own."""
        size = len(numbers)
        free = self._free.get(size)
        if free is None:
            free = self._free[size] = []
        place = free.pop() if free else self._cut(size)
        self.view[place : place + size] = array(self._code, numbers)
        return free, place

    def _cut(self, size: int) -> int:
        """The first place of a block that has not been used before."""
        place = self._used
        self._used += size
        if self._used > len(self.array):
            grown = np.zeros(max(self._used, 2 * len(self.array)), self.array.dtype)
            grown[: len(self.array)] = self.array
            self.array = grown
            self.view = memoryview(grown)  # type: ignore[arg-type]  # an array is a buffer
            self.on_growth()
        return place

    def release(self, place: int, size: int) -> None:
        """Take a block back."""
        self._free.setdefault(size, []).append(place)
