"""What recordings see of events of rows: native code reads their columns, and they take over what it has read.

In: the observers of a run. Out: whether rows may go on beside them, and for each recording the looks just before and
just after the events of each instant, as `Observer._observe` would have had them. A recording with times of its own
has a tape for these (`tape.py`). All is taken over whenever rows return to Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eventide.continuous.components.member import holder_of, slab_of, slots_of
from eventide.monitor.tape import Fixed, Moving, Tape
from eventide.rows.codes import AMOUNT, CONSTANT, LOOK_HEAD, RATE, SLOT
from eventide.statistics import Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.monitor.monitor import Monitor
    from eventide.monitor.observers import Observer
    from eventide.rows.memory import RowMemory


class Looks(NamedTuple):
    """What was seen around events, a row for each look: ascending times, sides (-1 before, 1 after), and values.

    events      how many events had taken place by then
    """

    times: NDArray[np.float64]
    sides: NDArray[np.float64]
    events: NDArray[np.float64]
    values: NDArray[np.float64]


class NativeLooks:
    """The looks of the recordings of one monitor at events of rows.

    has_looked  whether what the last event has left was looked at in rows, as time has gone on there
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._observers: list[tuple[Observer, int]] = []
        self._columns: list[tuple[int, int, int]] = []
        self._offset = 0
        self.has_looked = False

    def are_possible(self) -> bool:
        """Whether native code can look in place of all observers there are, and rows come to all times themselves."""
        monitor, observers = self._monitor, self._monitor.observers
        if not observers.count and not observers.at_will:
            return True
        instants = monitor.watched.instants
        if monitor.integrator.together or instants.heap or instants.varying or monitor.is_broken_off:
            return False
        if observers.at_will or observers.at_spans or observers.at_steps:
            return False
        return all(one._seen_at_events() is not None for one in observers) and self._put_tapes_on()

    def in_python(self) -> list[str]:
        """The names of the observers that only Python can call at events."""
        observers = self._monitor.observers
        each = [*observers, *observers.at_will]
        return [getattr(one, "name", type(one).__name__) for one in each if one._seen_at_events() is None]

    def _put_tapes_on(self) -> bool:
        """Whether the stepper serves all regular times by itself, which it does from now on then."""
        observers = self._monitor.observers
        if not observers.periodic:
            return True
        _, tapes = observers.look_ahead()
        Tape.put_on(self._monitor.integrator, tapes)
        return len(tapes) == len(observers.periodic)

    def begin(self, memory: RowMemory) -> bool:
        """Rows go on from now; returns whether they may."""
        run, calendar = memory.run, self._monitor.sim._calendar
        self.has_looked, run.looked, self._offset = False, 0, calendar.turn - calendar.void - run.turn
        if run.current >= 0:  # amid an event, before which all this was done
            return True
        if not self._monitor.observers.count:
            run.columns = 0
            return True
        columns: list[tuple[int, int, int]] = []
        numbers: list[float] = []
        self._observers = []
        for observer in self._monitor.observers:
            before = len(columns)
            for what, where, first, number in _columns_of(observer._seen_at_events() or (), memory):
                columns.append((what, where, first))
                numbers.append(number)
            self._observers.append((observer, len(columns) - before))
        if columns != self._columns or run.columns != len(columns):
            self._columns = columns
            memory.set_columns(columns, self._take_over)
        for c, number in enumerate(numbers):
            memory.column.value[c] = number
        return self._put_tapes_on()

    def end(self, memory: RowMemory) -> None:
        """Python continues: recordings take over what rows have read."""
        run = memory.run
        if run.columns:
            self.has_looked, run.looked = run.looked != 0, 0
            self.fetch(memory)

    def fetch(self, memory: RowMemory) -> None:
        """Recordings take over what rows, and the stepper, have read up to now."""
        if memory.tally.count[memory.run.looks]:
            memory.flush(memory.run.looks)
        else:
            for taped in self._monitor.observers.taped:
                taped._fetch()

    def go_on(self, memory: RowMemory) -> bool:
        """A tape is full: recordings take over all, and the stepper goes on; returns whether it can."""
        self.fetch(memory)
        return self._put_tapes_on()

    def _take_over(self, numbers: NDArray[np.float64]) -> None:
        table = numbers.reshape(-1, LOOK_HEAD + len(self._columns))
        begin = LOOK_HEAD
        for observer, width in self._observers:
            values = table[:, begin : begin + width]
            observer._take_over(Looks(table[:, 0], table[:, 1], table[:, 2] + self._offset, values))
            begin += width


def _columns_of(seen: tuple[Moving | Fixed, ...], memory: RowMemory) -> list[tuple[int, int, int, float]]:
    """The columns of a recording, all its values and then the rates of states: what, where, first slot, constant."""
    values, rates = [], []
    for one in seen:
        if isinstance(one, Moving):
            first = slab_of(holder_of(one.variable)).base
            values += [(SLOT, slot, first, 0.0) for slot in slots_of(one.variable)]
            if one.is_state:
                rates += [(RATE, slot, first, 0.0) for slot in slots_of(one.variable)]
        else:
            level = one.level
            assert level is not None
            what, row = memory.levels.get(id(level), (CONSTANT, 0))
            if what == AMOUNT:
                row = list(memory.inventory.changes).index(row)
            assert what != CONSTANT or type(level) is Level
            values.append((what, row, 0, float(level.value) if what == CONSTANT else 0.0))
    return values + rates
