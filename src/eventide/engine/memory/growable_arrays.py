"""Arrays that grow: tables whose rows are given out and taken back, and runs of rows that belong together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from math import prod
from struct import Struct
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from eventide.engine.memory.buffers import address_of, flattened, view_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.engine.records import Record


LINE: Final = 64
"""Bytes of a cache line: what memory gives at a time."""
_struct: Final = cache(Struct)


Numbers: TypeAlias = "NDArray[Any]"
"""An array of floats or of whole numbers, as a record says."""


def zeros(shape: tuple[int, ...], dtype: type, aligned: int = 0) -> Numbers:
    """An array of zeros, of 8 bytes each; a cache line begins where it does, or so many items later."""
    memory: Numbers = np.zeros(prod(shape) + LINE // 8, dtype)
    return np.ndarray(shape, dtype, memory, -(address_of(memory) + 8 * aligned) % LINE)


@cache
def _blank_row(columns: int, dtype: type) -> Numbers:
    """Zeros to copy: nobody writes to them."""
    return np.zeros(columns, dtype)


Number = TypeVar("Number", int, float)


class Table(Generic[Number]):
    """A two-dimensional array whose rows are given out one by one; it doubles when it is full.

    array   the present array; `view` the same as a memoryview, whose items are Python numbers
    flat    the numbers of all rows one after the other, as a memoryview: by one number they are reached faster
    record  what names its columns; None if nothing does
    """

    def __init__(
        self,
        columns: int,
        dtype: type,
        on_growth: Callable[[], None],
        capacity: int = 16,
        record: Record | None = None,
    ) -> None:
        self.on_growth = on_growth
        self.record = record
        self._free: list[int] = []
        self._used = 0
        self._columns = columns
        self._zeros: memoryview[Number] = view_of(_blank_row(columns, dtype))
        self._adopt(zeros((capacity, columns), dtype))

    def _adopt(self, array: Numbers) -> None:
        self.array = array
        self.view: memoryview[Number] = view_of(array)
        self.flat: memoryview[Number] = flattened(self.view)
        if self.record is not None:
            self.record.attach(array, self.flat)

    def allocate(self) -> int:
        """The number of a free row, all zero."""
        return self.copy(self._zeros)

    def copy(self, numbers: memoryview[Number]) -> int:
        """The number of a free row, which holds these numbers: a memoryview of as many as there are columns."""
        if self._free:
            row = self._free.pop()
        else:
            row = self._used
            self._used += 1
            if self._used > len(self.array):
                self.reserve(self._used)
        at = row * self._columns
        self.flat[at : at + self._columns] = numbers
        return row

    def write(self, row: int, numbers: memoryview[Number]) -> None:
        """Let a row that another table has given out be there, and hold these numbers, as `copy` takes them."""
        if row >= len(self.array):
            self.reserve(row + 1)
        at = row * self._columns
        self.flat[at : at + self._columns] = numbers

    def release(self, row: int) -> None:
        """Take a row back."""
        self._free.append(row)

    def reserve(self, rows: int) -> None:
        """Grow to hold this many rows."""
        if rows > len(self.array):
            grown = zeros((max(rows, 2 * len(self.array)), self.array.shape[1]), self.array.dtype.type)
            grown[: len(self.array)] = self.array
            self._adopt(grown)
            self.on_growth()


def int_table(record: Record, on_growth: Callable[[], None]) -> Table[int]:
    """A table of the whole numbers of a record."""
    return Table(record.widths["ints"], np.int64, on_growth, record=record)


def float_table(record: Record, on_growth: Callable[[], None]) -> Table[float]:
    """A table of the real numbers of a record."""
    return Table(record.widths["floats"], np.float64, on_growth, record=record)


class Columns(NamedTuple):
    """The columns of a table that tell of one of its rows which rows of another it has: the first, the one beyond the
    last, and for how many there is room.
    """

    first: int
    end: int
    room: int


class Runs(Table[int]):
    """A table of runs: each owner's rows stand together, in their order.

    runs    all that have room
    """

    def __init__(
        self,
        columns: int,
        on_growth: Callable[[], None],
        runs: Callable[[], Iterable[Run]],
        record: Record | None = None,
    ) -> None:
        super().__init__(columns, np.int64, on_growth, record=record)
        self._runs = runs
        self._promised = 0

    def cut(self, rows: int) -> int:
        """The first of this many rows that have not been used."""
        first = self._used
        self._used += rows
        self._promised += rows
        self.reserve(self._used)
        return first

    def make_room(self, run: Run, room: int) -> None:
        """Move a run to the end of the table with room for this many rows; squeeze out gaps if that is too far."""
        if self._used + room > 2 * self._promised + 64:
            self._compact()
        count, first = run.count, run.start
        self._promised -= run.room
        start = self.cut(room)
        self.array[start : start + count] = self.array[first : first + count]
        run.move(start, room)

    def _compact(self) -> None:
        runs = [run for run in self._runs() if run.room]
        kept = [self.array[run.start : run.start + run.count].copy() for run in runs]
        place = 0
        for run, rows in zip(runs, kept, strict=True):
            run.move(place, max(len(rows), 1))
            self.array[place : place + len(rows)] = rows
            place += run.room
        self._used = self._promised = place


class Run:
    """Rows of a `Runs` table that belong together, as a record says; the stepper adds to them, and takes out.

    told, row, columns      the place of the record that says which rows these are
    """

    __slots__ = ("columns", "row", "table", "told")

    def __init__(self, table: Runs, told: Table[int], row: int, columns: Columns) -> None:
        self.table = table
        self.told = told
        self.row = row
        self.columns = columns

    @property
    def start(self) -> int:
        """Where the first row is."""
        return int(self.told.view[self.row, self.columns.first])

    @property
    def count(self) -> int:
        """How many rows there are."""
        view, row, columns = self.told.view, self.row, self.columns
        return int(view[row, columns.end] - view[row, columns.first])

    @property
    def room(self) -> int:
        """For how many rows there is room."""
        return int(self.told.view[self.row, self.columns.room])

    def __len__(self) -> int:
        return self.count

    def move(self, start: int, room: int) -> None:
        """Stand at another place of the table."""
        view, row, columns, count = self.told.view, self.row, self.columns, self.count
        view[row, columns.first], view[row, columns.end], view[row, columns.room] = start, start + count, room

    def grow(self) -> None:
        """Let there be room for twice as many rows."""
        self.table.make_room(self, max(4, 2 * self.count))

    def rows(self) -> list[list[int]]:
        """The rows, as numbers of Python."""
        start = self.start
        rows: list[list[int]] = self.table.array[start : start + self.count].tolist()
        return rows


Allocation: TypeAlias = tuple[list[int], int]
"""A block that is in use: where its first place is noted when it is free again, and that place."""


class Blocks(Generic[Number]):
    """A one-dimensional array of which blocks are given out and taken back."""

    def __init__(self, dtype: type, on_growth: Callable[[], None], capacity: int = 64) -> None:
        self.on_growth = on_growth
        self._used = 0
        self.array = zeros((capacity,), dtype)
        self.view: memoryview[Number] = view_of(self.array)
        # By size: the free places, and what writes that many numbers.
        self._sizes: dict[int, tuple[list[int], Callable[..., None]]] = {}

    def allocate(self, size: int) -> int:
        """The first place of a free block."""
        free, _ = self._sizes.get(size) or self._size(size)
        return free.pop() if free else self._cut(size)

    def put(self, numbers: tuple[float, ...]) -> Allocation:
        """Write numbers to a block of their own."""
        size = len(numbers)
        free, write = self._sizes.get(size) or self._size(size)
        place = free.pop() if free else self._cut(size)
        write(self.view, 8 * place, *numbers)
        return free, place

    def write(self, place: int, numbers: tuple[float, ...]) -> None:
        """Write numbers to a block that is in use."""
        self._sizes[len(numbers)][1](self.view, 8 * place, *numbers)

    def _size(self, size: int) -> tuple[list[int], Callable[..., None]]:
        known = self._sizes[size] = [], _struct(f"{size}{self.array.dtype.char}").pack_into
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
