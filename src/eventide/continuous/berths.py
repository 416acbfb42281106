"""The rows of flows in the arrays. A flow that is no more leaves its row with all that it has room for to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.continuous.growing import Columns, Run, Runs, Table
from eventide.continuous.tables import (
    CHAIN_COLUMNS,
    CHAIN_HI,
    CHAIN_LO,
    CHAIN_ROOM,
    ENTRY,
    FLOW_FLOATS,
    FLOW_INTS,
    ROOM_FOR,
    SEGMENTS_HI,
    SEGMENTS_LO,
    SEGMENTS_ROOM,
    SUMS_HI,
    SUMS_LO,
    SUMS_ROOM,
    SYSTEM,
    WATCHED,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eventide.continuous.growing import Blocks

SEGMENTS: Final = Columns(SEGMENTS_LO, SEGMENTS_HI, SEGMENTS_ROOM)
CHAIN: Final = Columns(CHAIN_LO, CHAIN_HI, CHAIN_ROOM)
SUMS: Final = Columns(SUMS_LO, SUMS_HI, SUMS_ROOM)
FEWEST: Final = 2
"""For so many laws, runs of slots and conditions a flow has room at first."""


class Berths:
    """The rows of flows, and what they have room for.

    floats, ints    one row for each flow, also for one that is no more
    segments        runs of slots, and of sums; chain: the laws
    constants       where conditions have their entries
    """

    def __init__(self, constants: Blocks, on_growth: Callable[[], None]) -> None:
        self.floats = Table(FLOW_FLOATS, np.float64, on_growth)
        self.ints = Table(FLOW_INTS, np.int64, on_growth)
        self.segments = Runs(2, on_growth, lambda: self._runs(self.segments, SEGMENTS, SUMS))
        self.chain = Runs(CHAIN_COLUMNS, on_growth, lambda: self._runs(self.chain, CHAIN))
        self.constants = constants
        self._free: list[int] = []
        self._made = 0

    def take(self) -> int:
        """The number of a row that no flow has."""
        if not self._free:
            self._make(1 + self._made // 2)
        return self._free.pop()

    def give_back(self, number: int) -> None:
        """The flow of a row is no more."""
        self._free.append(number)

    def run(self, table: Runs, number: int, columns: Columns) -> Run:
        """A run of a flow."""
        return Run(table, self.ints, number, columns)

    def _runs(self, table: Runs, *columns: Columns) -> Iterator[Run]:
        return (Run(table, self.ints, number, some) for number in range(self._made) for some in columns)

    def _make(self, more: int) -> None:
        """Make so many rows more: all at once, as models start their objects by the hundred."""
        first, end = self._made, self._made + more
        self.floats.reserve(end)
        self.ints.reserve(end)
        self._made = end
        steps, rows = np.arange(more), self.ints.array[first:end]
        rows[:, SYSTEM] = -1
        rows[:, SEGMENTS_LO] = rows[:, SEGMENTS_HI] = self.segments.cut(FEWEST * more) + FEWEST * steps
        rows[:, CHAIN_LO] = rows[:, CHAIN_HI] = self.chain.cut(FEWEST * more) + FEWEST * steps
        rows[:, WATCHED] = self.constants.allocate((ENTRY + 1) * FEWEST * more) + (ENTRY + 1) * FEWEST * steps
        rows[:, [SEGMENTS_ROOM, CHAIN_ROOM, ROOM_FOR]] = FEWEST
        self._free += range(end - 1, first - 1, -1)
