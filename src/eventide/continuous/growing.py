"""Arrays that grow: tables whose rows are given out and taken back, and runs of rows that belong together."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from math import prod
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def view_of(array: NDArray[Any]) -> Any:
    """An array as a memoryview: its items are numbers of Python, several times faster to reach than an array's."""
    return memoryview(array)  # type: ignore[arg-type]  # an array is a buffer


LINE: Final = 64
"""Bytes of a cache line: what memory gives at a time."""


def zeros(shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """An array of zeros that begins where a cache line does."""
    size = prod(shape) * np.dtype(dtype).itemsize
    memory = np.zeros(size + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + size].view(dtype).reshape(shape)


class Table:
    """A two-dimensional array whose rows are given out one by one; it doubles when it is full.

    array   the present array; `view` the same as a memoryview, whose items are Python numbers
    flat    the numbers of all rows one after the other, as a memoryview
    """

    def __init__(self, columns: int, dtype: type, on_growth: Callable[[], None], capacity: int = 16) -> None:
        self.on_growth = on_growth
        self._free: list[int] = []
        self._used = 0
        self._columns = columns
        self._zeros = view_of(np.zeros(columns, dtype))
        self._adopt(zeros((capacity, columns), dtype))

    def _adopt(self, array: NDArray[Any]) -> None:
        self.array = array
        self.view: Any = view_of(array)
        self.flat: Any = view_of(array.reshape(-1))

    def allocate(self) -> int:
        """The number of a free row, all zero."""
        return self.copy(self._zeros)

    def copy(self, numbers: Any) -> int:
        """The number of a free row, which holds these numbers: a memoryview of as many as there are columns."""
        if self._free:
            row = self._free.pop()
        else:
            row = self._used
            self._used += 1
            self.reserve(self._used)
        at = row * self._columns
        self.flat[at : at + self._columns] = numbers
        return row

    def write(self, row: int, numbers: Any) -> None:
        """Let a row that another table has given out be there, and hold these numbers, as `copy` takes them."""
        if row >= len(self.array):
            self.reserve(row + 1)
        at = row * self._columns
        self.flat[at : at + self._columns] = numbers

    def release(self, row: int) -> None:
        """Take a row back."""
        self._free.append(row)

    def reserve(self, rows: int) -> None:
        """Grow to hold so many rows."""
        if rows > len(self.array):
            grown = zeros((max(rows, 2 * len(self.array)), self.array.shape[1]), self.array.dtype.type)
            grown[: len(self.array)] = self.array
            self._adopt(grown)
            self.on_growth()


class Runs(Table):
    """A table of runs: each owner's rows stand together, in their order."""

    def __init__(self, columns: int, on_growth: Callable[[], None]) -> None:
        super().__init__(columns, np.int64, on_growth)
        self._runs: dict[Run, None] = {}
        self._promised = 0

    def new_run(self, told: Told) -> Run:
        """An empty run.

        told    the columns of a row of another table that tell where the run begins and ends
        """
        run = Run(self, told)
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
        run.move(start, capacity)

    def _compact(self) -> None:
        kept = [self.array[r.start : r.start + r.count].copy() for r in self._runs]
        place = 0
        for run, rows in zip(self._runs, kept, strict=True):
            run.move(place, max(len(rows), 1))
            self.array[place : place + len(rows)] = rows
            place += run.capacity
        self._used = self._promised = place


class Told(NamedTuple):
    """Where it is told which rows a run has: the first, and the one beyond the last."""

    table: Table
    row: int
    first: int
    end: int


class Run:
    """Rows of a `Runs` table that belong together: rows start .. start + count - 1."""

    def __init__(self, table: Runs, told: Told) -> None:
        self.table = table
        self.start = 0
        self.count = 0
        self.capacity = 0
        self._rows: list[list[int]] | None = None
        self._width = table.array.shape[1]
        self._told = told
        self.move(0, 0)

    def move(self, start: int, capacity: int) -> None:
        """Stand at another place of the table."""
        self.start, self.capacity = start, capacity
        told = self._told
        told.table.view[told.row, told.first], told.table.view[told.row, told.end] = start, start + self.count

    def _resize(self, count: int) -> None:
        self.count = count
        self._rows = None
        told = self._told
        told.table.view[told.row, told.end] = self.start + count

    def __len__(self) -> int:
        return self.count

    def rows(self) -> list[list[int]]:
        """The rows, as numbers of Python."""
        if self._rows is None:
            self._rows = self.table.array[self.start : self.start + self.count].tolist()
        return self._rows

    def insert(self, place: int, row: tuple[int, ...]) -> None:
        """Insert a row before the one at `place` of the run."""
        count = self.count
        if count == self.capacity:
            self.table.make_room(self, max(4, 2 * count))
        flat, width = self.table.flat, self._width
        at = (self.start + place) * width
        if place < count:
            end = (self.start + count) * width
            flat[at + width : end + width] = flat[at:end]
        for item in row:
            flat[at] = item
            at += 1
        self.count, self._rows, told = count + 1, None, self._told
        told.table.view[told.row, told.end] = self.start + count + 1

    def append(self, row: tuple[int, ...]) -> None:
        """Add a row at the end."""
        self.insert(self.count, row)

    def delete(self, place: int) -> None:
        """Take a row out; those after it move up."""
        count, width = self.count, self._width
        if place + 1 < count:
            flat, at, end = self.table.flat, (self.start + place) * width, (self.start + count) * width
            flat[at : end - width] = flat[at + width : end]
        self.count, self._rows, told = count - 1, None, self._told
        told.table.view[told.row, told.end] = self.start + count - 1

    def clear(self) -> None:
        """Take all rows out."""
        self._resize(0)

    def toggle(self, low: int, high: int) -> None:
        """Let the rows, ascending stretches (first, one beyond the last), have what lies in one more stretch if none
        of it is in them, and lack it if all of it is; stretches that meet become one.
        """
        # Either way the two ends of the stretch come where no end has been, and go where one has been.
        count, flat = self.count, self.table.flat
        first, end = 2 * self.start, 2 * (self.start + count)
        at = bisect_left(flat, low, first, end)
        meets_low = at < end and flat[at] == low
        after = at + meets_low
        if after < end and flat[after] == high:
            if meets_low:
                flat[at : end - 2] = flat[at + 2 : end]
                self._resize(count - 1)
            else:
                flat[at] = low
                self._rows = None
        elif meets_low:
            flat[at] = high
            self._rows = None
        else:
            at -= first
            if count == self.capacity:
                self.table.make_room(self, max(4, 2 * count))
                flat = self.table.flat
            first = 2 * self.start
            at += first
            end = first + 2 * count
            flat[at + 2 : end + 2] = flat[at:end]
            flat[at], flat[at + 1] = low, high
            self._resize(count + 1)

    def is_inside(self, number: int) -> bool:
        """Whether a number lies in one of the rows, if they are ascending stretches."""
        first = 2 * self.start
        return bool((bisect_right(self.table.flat, number, first, first + 2 * self.count) - first) & 1)


Lease: TypeAlias = tuple[list[int], int]
"""A block that is in use: where its first place is noted when it is free again, and that place."""


class Blocks:
    """A one-dimensional array of which blocks are given out and taken back."""

    def __init__(self, dtype: type, on_growth: Callable[[], None], capacity: int = 64) -> None:
        self.on_growth = on_growth
        self._used = 0
        self.array: NDArray[Any] = zeros((capacity,), dtype)
        self.view: Any = view_of(self.array)
        # By size: the free places, and who writes so many numbers.
        self._sizes: dict[int, tuple[list[int], Callable[..., None]]] = {}

    def allocate(self, size: int) -> int:
        """The first place of a free block."""
        free, _ = self._sizes.get(size) or self._size(size)
        return free.pop() if free else self._cut(size)

    def put(self, numbers: tuple[float, ...]) -> Lease:
        """Write numbers to a block of their own."""
        size = len(numbers)
        free, write = self._sizes.get(size) or self._size(size)
        place = free.pop() if free else self._cut(size)
        write(self.view, 8 * place, *numbers)
        return free, place

    def _size(self, size: int) -> tuple[list[int], Callable[..., None]]:
        known = self._sizes[size] = [], Struct(f"{size}{self.array.dtype.char}").pack_into
        return known

    def _cut(self, size: int) -> int:
        """The first place of a block that has not been used before."""
        place = self._used
        self._used += size
        if self._used > len(self.array):
            grown = zeros((max(self._used, 2 * len(self.array)),), self.array.dtype.type)
            grown[: len(self.array)] = self.array
            self.array = grown
            self.view = view_of(grown)
            self.on_growth()
        return place

    def release(self, place: int, size: int) -> None:
        """Take a block back."""
        (self._sizes.get(size) or self._size(size))[0].append(place)
