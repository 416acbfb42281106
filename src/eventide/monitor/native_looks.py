"""What recordings see of events of rows: native code reads their columns, and they take over what it has read.

In: the observers of a run. Out: whether rows may go on beside them, and for each recording the looks just before and
just after the events of each instant, as `Observer._observe` would have had them. A recording with times of its own
has a tape for these (`tape.py`) if all that it reads moves; else native code looks at these times as well. All is taken
over whenever rows return to Python.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eventide.continuous.components.member import slab_of
from eventide.monitor.tape import Evaluated, Moving, Tape, are_among, instants
from eventide.rows.codes import AMOUNT, CONSTANT, FUNCTION, LOOK_HEAD, RATE, REGULAR, SLOT
from eventide.rows.memory import REGULAR_TIMES
from eventide.statistics import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from eventide.declare.periods import Grid
    from eventide.monitor.monitor import Monitor
    from eventide.monitor.observers import Observer
    from eventide.monitor.tape import Taken
    from eventide.rows.memory import RowMemory


class Looks(NamedTuple):
    """What was seen around events, a row for each look: ascending times, sides (-1 before, 1 after), and values.

    events      how many events had taken place by then
    regular     times and values of looks at the observer's regular times; None where a tape has them
    """

    times: NDArray[np.float64]
    sides: NDArray[np.float64]
    events: NDArray[np.float64]
    values: NDArray[np.float64]
    regular: tuple[NDArray[np.float64], NDArray[np.float64]] | None


class NativeLooks:
    """The looks of the recordings of one monitor at events of rows.

    has_looked  whether what the last event has left was looked at in rows, as time has gone on there
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._observers: list[tuple[Observer, int]] = []
        self._columns: list[tuple[int, int, int]] = []
        self._grids: list[Grid] = []
        """Of the recordings whose regular times rows know."""
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
        return all(one._seen_at_events() is not None for one in observers)

    def are_known(self, memory: RowMemory) -> bool:
        """Whether rows have all functions that are read, also those of recordings that have begun since rows did."""
        return all(id(one) in memory.functions for one in self.functions)

    def in_python(self, refused: Mapping[int, Exception]) -> list[str]:
        """The names of the observers that only Python can call at events, with a reason that is known.

        refused     why functions cannot be compiled, by their ids
        """
        observers, found = self._monitor.observers, []
        for one in (*observers, *observers.at_will):
            name, seen = getattr(one, "name", type(one).__name__), one._seen_at_events()
            whys = [refused.get(id(item.read)) for item in seen or () if isinstance(item, Evaluated)]
            if seen is None:
                found.append(name)
            elif why := next(filter(None, whys), None):
                found.append(f"{name} (because of {why})")
        return found

    @property
    def functions(self) -> list[Callable[[], object]]:
        """What the recordings call that native code can replace, if it can be compiled."""
        seen = [one for observer in self._monitor.observers for one in observer._seen_at_events() or ()]
        return list({id(one.read): one.read for one in seen if isinstance(one, Evaluated)}.values())

    def _put_tapes_on(self) -> None:
        """Let the stepper serve the regular times of what moves by itself from now on."""
        observers = self._monitor.observers
        if observers.periodic:
            _, tapes = observers.look_ahead(is_beside_rows=True)
            Tape.put_on(self._monitor.integrator, tapes)

    def _tell_regular(self, memory: RowMemory) -> bool:
        """Tell rows of the regular times for which there is no tape; False if these are too close to each other."""
        observers = self._monitor.observers
        untaped = [one for one in observers.periodic if one not in observers.taped]
        grids = [grid for one in untaped if (grid := one._grid) is not None]
        if grids != self._grids or not memory.skip_regular(min((one._upcoming for one in untaped), default=inf)):
            each = [instants(grid, one._index, REGULAR_TIMES) for grid, one in zip(grids, untaped, strict=True)]
            if any((times[1:] <= times[:-1]).any() for times in each):
                return False
            last = min((times[-1] for times in each), default=inf)
            merged = sorted({time for times in each for time in times.tolist() if time <= last})
            memory.set_regular(merged[:REGULAR_TIMES] or [inf, inf])
            self._grids = grids
        return True

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
        if not columns:  # of a class without objects
            columns, numbers = [(CONSTANT, 0, 0)], [0.0]
        if columns != self._columns or run.columns != len(columns):
            self._columns = columns
            memory.set_columns(columns, self._take_over)
        for c, number in enumerate(numbers):
            memory.column.value[c] = number
        self._put_tapes_on()
        return self._tell_regular(memory)

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
        """Something is full: recordings take over all, and the stepper and rows go on; returns whether they can."""
        self.fetch(memory)
        self._put_tapes_on()
        return self._tell_regular(memory)

    def _take_over(self, numbers: NDArray[np.float64]) -> None:
        table = numbers.reshape(-1, LOOK_HEAD + len(self._columns))
        is_regular = table[:, 1] == REGULAR
        looks, regular = table[~is_regular], table[is_regular]
        begin, taped = LOOK_HEAD, self._monitor.observers.taped
        for observer, width in self._observers:
            place = slice(begin, begin + width)
            own = np.zeros(len(regular), bool)
            if observer._grid is not None and observer not in taped:
                own = are_among(regular[:, 0], instants(observer._grid, observer._index, len(regular)))
            seen = None if observer in taped else (regular[own, 0], regular[own, place])
            events = looks[:, 2] + self._offset
            observer._take_over(Looks(looks[:, 0], looks[:, 1], events, looks[:, place], seen))
            begin += width


def _columns_of(seen: tuple[Taken, ...], memory: RowMemory) -> list[tuple[int, int, int, float]]:
    """The columns of a recording, all its values and then the rates of states: what, where, first slot, constant."""
    values: list[tuple[int, int, int, float]] = []
    rates: list[tuple[int, int, int, float]] = []
    for one in seen:
        if isinstance(one, Moving):
            for columns, what, slots in (values, SLOT, one.slots), (rates, RATE, one.trends):
                each = len(slots) // len(one.owners) if slots else 1
                columns += [(what, slot, slab_of(one.owners[k // each]).base, 0.0) for k, slot in enumerate(slots)]
        elif isinstance(one, Evaluated):
            values.append((FUNCTION, *memory.functions[id(one.read)], 0.0))
        else:
            level = one.level
            assert level is not None
            what, row = memory.levels.get(id(level), (CONSTANT, 0))
            if what == AMOUNT:
                row = list(memory.inventory.changes).index(row)
            assert what != CONSTANT or type(level) is Level
            values.append((what, row, 0, float(level.value) if what == CONSTANT else 0.0))
    return values + rates
