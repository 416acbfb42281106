"""Rows of flows in the arrays, allocated by the hundred. A removed flow leaves its row, with its room, to the next.

So starting an object that is a flow of its own costs the same calls among five objects as among fifty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.codes import ENTRY
from eventide.engine.memory.growable_arrays import Columns, Run, Runs, float_table, int_table
from eventide.engine.records import FlowRecord, LawRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eventide.engine.memory.growable_arrays import Blocks

SEGMENTS: Final = Columns(*map(FlowRecord.place_of, ("segments_lo", "segments_hi", "segments_room")))
CHAIN: Final = Columns(*map(FlowRecord.place_of, ("chain_lo", "chain_hi", "chain_room")))
SUMS: Final = Columns(*map(FlowRecord.place_of, ("sums_lo", "sums_hi", "sums_room")))
RESTS: Final = Columns(*map(FlowRecord.place_of, ("rests_lo", "rests_hi", "rests_room")))
SYSTEM, ENTRIES_AT, ENTRIES_ROOM = map(FlowRecord.place_of, ("system", "entries_at", "entries_room"))
FEWEST: Final = 2
"""The numbers of laws, runs of slots and conditions for which a flow has room at first."""


class FlowRows:
    """The rows of flows, and what they have room for.

    floats, ints    one row for each flow, also for one that is no more; `flow` names their columns
    segments        runs of slots that are integrated, of sums, and of states that are not integrated
    chain           the laws; `law` names its columns
    constants       where conditions have their entries
    """

    def __init__(self, constants: Blocks[float], on_growth: Callable[[], None]) -> None:
        self.flow, self.law = FlowRecord(), LawRecord()
        self.floats = float_table(self.flow, on_growth)
        self.ints = int_table(self.flow, on_growth)
        self.segments = Runs(2, on_growth, lambda: self._runs(self.segments, SEGMENTS, SUMS, RESTS))
        width = LawRecord.widths["ints"]
        self.chain = Runs(width, on_growth, lambda: self._runs(self.chain, CHAIN), self.law)
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
        """Add this many rows, all at once, as models start their objects by the hundred."""
        first, end = self._made, self._made + more
        self.floats.reserve(end)
        self.ints.reserve(end)
        self._made, ints = end, self.ints.view  # one view of all columns: those of each would take longer than all else
        segments, chain = self.segments.cut(FEWEST * more), self.chain.cut(FEWEST * more)
        entries = self.constants.allocate((ENTRY + 1) * FEWEST * more)
        for number in range(first, end):  # one by one: a model of one flow has to begin soon
            at = FEWEST * (number - first)
            ints[number, SYSTEM] = -1
            ints[number, SEGMENTS.first] = ints[number, SEGMENTS.end] = segments + at
            ints[number, CHAIN.first] = ints[number, CHAIN.end] = chain + at
            ints[number, ENTRIES_AT] = entries + (ENTRY + 1) * at
            ints[number, SEGMENTS.room] = ints[number, CHAIN.room] = ints[number, ENTRIES_ROOM] = FEWEST
        self._free += range(end - 1, first - 1, -1)
