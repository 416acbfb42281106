"""The base of recordings: rows in flat buffers, with both sides of every event that changed a recorded quantity.

In: values of sources at regular times and around events. Out: rows with a `side`: -1 before an event, 1 after it, 0
otherwise. Regular rows are sampled by the stepper (`engine/sampling.py`) where it can: states from the interpolant
that a call would read as well, what laws compute by running them, functions by kernels; counts change at events only.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, repeat
from math import nan
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, NoReturn, Protocol, TypeAlias

import numpy as np

from eventide.declare import count_new
from eventide.discrete.inside import calendar_of
from eventide.errors import ModelError, SimulationError, check_boolean, check_text
from eventide.monitor import Observer, Phase
from eventide.observe.frames import to_pandas, to_polars, to_xarray
from eventide.observe.reporter import Every, as_frequency
from eventide.observe.row_sink import RowSink

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    import polars as pl
    import xarray as xr

    from eventide.monitor.tape import Tape
    from eventide.simulation import Simulation

BEFORE, REGULAR, AFTER = -1, 0, 1

MOST_LOOSE: Final = 200
"""So many rows are put into columns together."""


@dataclass(frozen=True)
class Heading:
    """The head of a recorded column.

    is_discrete     whether the quantity is a count that stays as it is between events
    description     what it means, in words
    """

    name: str
    unit: str
    is_discrete: bool = field(default=False, kw_only=True)
    description: str = field(default="", kw_only=True)


class Sources(Protocol):
    """What is recorded: objects that are read together."""

    def look(self, *, is_event: bool) -> tuple[Sequence[int], Sequence[Sequence[float]], Sequence[Sequence[float]]]:
        """The numbers of those that take part now, the values of each, one for each column, and the rates of each.

        Rates are read where there is an event, of which a kink without a jump is a trace as well.
        """
        ...


Row: TypeAlias = tuple[int, float, int, Sequence[float]]
"""One row: its source, time, side of an event, and values."""

State: TypeAlias = tuple[Sequence[float], Sequence[float]]
"""The values and rates of a source."""


class Look(NamedTuple):
    """What sources were when they were looked at.

    numbers     of the sources; it is one object as long as these are the same
    values, rates   of each source
    events      how many events had taken place by then
    """

    numbers: Sequence[int]
    values: Sequence[Sequence[float]]
    rates: Sequence[Sequence[float]]
    events: int


class Block(NamedTuple):
    """Rows side by side: for each its time, its side, the number of its source, and for each column its values."""

    times: npt.NDArray[np.float64]
    sides: npt.NDArray[np.int8]
    numbers: npt.NDArray[np.int32]
    data: list[npt.NDArray[np.float64]]


def _items(items: list[str]) -> str:
    """The items of a vector as one writes them: "[0] ... [19]"; nothing for what is no vector."""
    written = [f"[{item}" for item in items if item]
    return "" if not written else written[0] if len(written) == 1 else f"{written[0]} ... {written[-1]}"


def _joined(settled: array[int] | array[float], pending: Sequence[float]) -> npt.NDArray[Any]:
    """A column with the rows that are not yet written down; an array of its own."""
    column = np.array(settled)
    return np.concatenate((column, np.array(pending, dtype=column.dtype))) if pending else column


class RecordingBase(Observer):
    """The base of recordings: whatever sources are present write their rows one after the other.

    columns     the heads of the columns
    labels      the names of the columns that describe each row and hold no quantity
    """

    labels: ClassVar[tuple[str, ...]] = ("time", "side")
    _recorded: Sources

    def __init__(self, sim: Simulation, columns: Sequence[Heading], every: Every, *, events: bool, name: str) -> None:
        self.sim = sim
        self._calendar = calendar_of(sim)
        self.name = check_text(name, "name=") or f"recording {count_new(sim, RecordingBase)}"
        self.columns = tuple(columns)
        self._check_labels()
        self.keeps_events = check_boolean(events, "events=")
        self._frequency = as_frequency(every)
        self._is_stepwise, self._keeps_all = self._frequency == "step", self._frequency == "event"
        self._sources = array("i")
        self._times = array("d")
        self._sides = array("b")
        self._data = [array("d") for _ in self.columns]
        self._loose: list[Row] = []
        """The latest rows that are written down: not yet in these columns, into which it is faster to put many."""
        self._instant = nan
        self._looks: list[Look | None] = [None, None]
        """The last looks at the instant not yet written down: before its events, and after them."""
        self._met: Sequence[int] = ()
        """The numbers of the sources that took part in it, in the order in which they were met."""
        self._step: list[Row] = []
        """The rows at the end of the latest step, as long as they may still be those of an event."""
        self._due = nan
        """The latest regular instant."""
        self._sink: RowSink | None = None
        self._tape: Tape | None = None
        self._taps: list[Callable[[], None]] = []
        """Called before rows are dropped, for subclasses."""

    def _check_labels(self) -> None:
        """Raise ModelError, before anything is recorded, if a quantity has the name of a describing column."""
        for column in self.columns:
            if column.name in self.labels:
                raise ModelError(
                    f"{self.name} would have two columns called {column.name!r}, which describes each row: "
                    "record it under another name"
                )

    def _labels_of(self, numbers: npt.NDArray[np.int32]) -> dict[str, list[str]]:
        """Columns of texts with the source of each row; none if there is one source only."""
        return {}

    # --- reading it -----------------------------------------------------------------------------------------------

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The times of the rows, ascending; equal ones of one source are the two sides of an event."""
        self._pack()
        return _joined(self._times, [time for _, time, _, _ in self._pending()])

    @property
    def sides(self) -> npt.NDArray[np.int8]:
        """For each row: -1 just before an event, 1 just after one, 0 a regular instant without one.

        The start and the end of a recording, and of a run, count as events.
        """
        self._pack()
        return _joined(self._sides, [side for _, _, side, _ in self._pending()])

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """One column's values, in the order of `times`."""
        for place, column in enumerate(self.columns):
            if column.name == name:
                return self._column(place)
        raise KeyError(
            f"{self.name} has no column {name!r}; it has: {self._names()} (and `times` and `sides`, as attributes)"
        )

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # A copy would share the columns, and no simulation would know of it.
        raise TypeError(
            f"{self.name} is a part of its simulation and is neither copied nor pickled: take its rows, by "
            "to_pandas(), or ev.save(...) them"
        )

    def __len__(self) -> int:
        return self._count() + len(self._pending())

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self)} rows of {self._names()}>"

    def _names(self) -> str:
        """The names of the columns; those of a vector as one."""
        found: dict[str, list[str]] = {}
        for column in self.columns:
            vector, bracket, item = column.name.rpartition("[")
            found.setdefault(vector if bracket else column.name, []).append(item if bracket else "")
        return ", ".join(name + _items(items) for name, items in found.items())

    def to_pandas(self, *, sides: bool = False) -> pd.DataFrame:
        """The rows as a DataFrame with the time as index.

        Its columns are, for a class, the name of the component, then a column for each quantity. `attrs` has the
        recording's `name`, and `units` and `descriptions` by column.
        sides       with a first column `side`: "before" or "after" an event, "" at a regular instant
        Raises      ModelError if two columns would have one name
        """
        return to_pandas(self, self._block(), sides=sides)

    def to_xarray(self) -> xr.Dataset:
        """The rows as a Dataset over `time`, with a variable for each quantity, and `side` (-1, 0, 1) beside the time.

        For a class the name of the `component` is a coordinate as well. A variable's attributes are `units` and
        `long_name`, as in the CF conventions; the Dataset's is the recording's `name`.
        """
        return to_xarray(self, self._block())

    def to_polars(self, *, sides: bool = False) -> pl.DataFrame:
        """The rows as a polars DataFrame, which has no index and no attributes: the units are in `columns`.

        Raises MissingLibraryError if polars is not installed.
        """
        return to_polars(self, self._block(), sides=sides)

    def _column(self, place: int) -> npt.NDArray[np.float64]:
        self._pack()
        return _joined(self._data[place], [values[place] for _, _, _, values in self._pending()])

    def _numbers(self) -> npt.NDArray[np.int32]:
        """For each row the number of its source."""
        self._pack()
        return _joined(self._sources, [number for number, _, _, _ in self._pending()])

    def _block(self) -> Block:
        """All rows, those of the present instant included."""
        data = [self._column(place) for place in range(len(self.columns))]
        return Block(self.times, self.sides, self._numbers(), data)

    # --- letting rows go ------------------------------------------------------------------------------------------

    def take(self) -> pd.DataFrame:
        """The rows until now as `to_pandas(sides=True)` gives them; the recording drops them and continues.

        For runs without end: `while True: sim.run(until=sim.time + 100.0); digest(trace.take())`.
        Raises ModelError while the rows go elsewhere, where they would be missing
        """
        self._check_no_sink()
        self._settle_for_good()
        frame = self._settled()
        self._let_go()
        return frame

    def _check_no_sink(self) -> None:
        if self._sink is not None:
            raise ModelError(
                f"the rows of {self.name} go elsewhere already: close what `stream_to` or `drain` returned first"
            )

    def drain(self, receive: Callable[[pd.DataFrame], object], *, rows: int = 10_000) -> RowSink:
        """Pass the rows to a function, about `rows` at a time while the run continues, and the rest at the end.

        It is called between events with what `to_pandas(sides=True)` gives, and must only read the model;
        then the recording drops these rows. The end is that of the block `with trace.drain(digest): sim.run()`, or
        `close()`, that of the run of a model (`@ev.model`), or of the program.
        An error of the function goes up, and the rows stay.
        """
        return RowSink(self, receive, rows)

    def stream_to(self, where: str | PathLike[str], *, table: str = "", rows: int = 10_000) -> RowSink:
        """Write the rows to a file or a database while the run continues, so that memory holds few of them.

        `with trace.stream_to("flight.parquet"): sim.run(until=1e6)`. At the end of the block, at `close()`, with the
        run of a model (`@ev.model`) or the program, what was written takes the place of what was there, as after
        `ev.save`; also if the run failed or was interrupted: with the rows so far.
        where, table    as for `ev.save`; a JSON file cannot be streamed to
        rows            the approximate number written at a time
        """
        return RowSink.into(self, where, table, rows)

    def stop(self) -> None:
        """Record no longer."""
        self.sim._the_monitor.observers.remove(self)
        if self._tape is not None:
            self._tape.release()
            self._tape = None

    def _settle_for_good(self) -> None:
        """Write down the rows of the present instant as they are known; a next run begins with rows of its own."""
        self._settle()
        self._due = nan

    def _settled(self) -> pd.DataFrame:
        """The rows that are written down."""
        return to_pandas(self, self._rows_from(0), sides=True)

    def _rows_from(self, first: int) -> Block:
        """The rows that are written down, from one on."""
        self._pack()
        times, sides, sources = (np.array(column[first:]) for column in (self._times, self._sides, self._sources))
        return Block(times, sides, sources, [np.array(column[first:]) for column in self._data])

    def _open_rows(self) -> Block:
        """The rows of the present instant, as far as it is known."""
        numbers, times, sides, values = zip(*rows, strict=True) if (rows := self._pending()) else ((), (), (), ())
        data = np.array(values, dtype=float).reshape(len(rows), len(self._data))
        return Block(np.array(times), np.array(sides, np.int8), np.array(numbers, np.int32), list(data.T))

    def _let_go(self) -> None:
        """Forget the rows that are written down."""
        for tap in self._taps:
            tap()
        self._pack()
        del self._sources[:], self._times[:], self._sides[:]
        for column in self._data:
            del column[:]

    # --- recording ------------------------------------------------------------------------------------------------

    def _note(self, look: Look, *, is_after: bool) -> None:
        """Take a look at one side of the present instant, which counts as long as no other follows it."""
        numbers = look.numbers
        if self._met is not numbers:
            self._met = list(dict.fromkeys((*self._met, *numbers))) if self._met else numbers
        self._looks[is_after] = look

    def _observe(self, phase: Phase, given: tuple[float, Look] | None = None) -> None:
        """Look just before an event, or just after one, which is kept until it is known to be the last.

        given   the time, and what there was to be seen, where native code has looked
        """
        time, look = given or (self.sim.time, None)
        is_after, is_event = phase is Phase.AFTER, phase is Phase.AFTER or phase is Phase.BEFORE
        if phase is Phase.STEP and self._instant == time:  # that of another flow: the rows of the event are enough
            self._due = time
            return
        if not is_after and self._step and self._step[0][1] == time:
            self._step = []  # several flows end steps here, or an event follows: one row
        elif not is_after or self._instant != time:
            self._settle()
        if look is None:
            look = Look(*self._recorded.look(is_event=is_event), self._calendar.turn - self._calendar.void)
        if is_event:
            self._instant = time
            if not is_after and self._is_stepwise:
                self._due = time  # a step ends here, whatever the event does
            self._note(look, is_after=is_after)
        else:
            rows: list[Row] = list(zip(look.numbers, repeat(time), repeat(REGULAR), look.values))
            if phase is Phase.STEP:
                self._step = rows
            else:
                self._write_down(rows)
        if self._sink is not None and not is_after:
            self._sink.offer(self._count())

    def _pass_taken(self, count: int) -> bool:
        """Leave behind regular instants at which native code has looked; whether the present one is due besides."""
        if self._grid is None:
            return False
        self._index += count
        self._upcoming = self._grid.time(self._index)
        is_due = self._upcoming <= self._instant
        if is_due:
            self._pass(self._instant)
        return is_due

    def _pending(self) -> list[Row]:
        """The rows of the present instant, as far as it is known; reading them decides nothing.

        With no look before its events a source began here; with none after them the source, or the run, ended. No
        event at all between two looks is the end of one run and the start of the next.
        """
        before, after = self._looks
        is_due, keeps_all = self._due == self._instant, self._keeps_all
        is_between = before is None or after is None or before.events == after.events
        if not (is_due or keeps_all or is_between) and before[:3] == after[:3]:  # type: ignore[index]  # there are both
            return self._step
        was: dict[int, State] = {}
        now: dict[int, State] = {}
        if before is not None:
            was.update(zip(before.numbers, zip(before.values, before.rates, strict=True), strict=True))
        if after is not None:
            now.update(zip(after.numbers, zip(after.values, after.rates, strict=True), strict=True))
        rows: list[Row] = []
        for number in self._met:
            one, other = was.get(number), now.get(number)
            if keeps_all or is_between or one is None or other is None:
                has_changed = True
            else:  # counts may differ by less than columns can show
                has_jumped = one[0] != other[0] and list(map(float, one[0])) != list(map(float, other[0]))
                has_changed = has_jumped or one[1] != other[1]
            if self.keeps_events and has_changed:
                if one is not None:
                    rows.append((number, self._instant, BEFORE, one[0]))
                if other is not None:
                    rows.append((number, self._instant, AFTER, other[0]))
            elif is_due and (latest := one if other is None else other) is not None:
                rows.append((number, self._instant, REGULAR, latest[0]))
        return rows + self._step

    def _settle(self) -> None:
        """Write down the rows of the present instant: nothing more happens in it."""
        if self._met:
            self._write_down(self._pending())
        elif self._step:
            self._write_down(self._step)
        self._looks, self._met, self._step = [None, None], (), []

    def _write_down(self, rows: list[Row]) -> None:
        self._loose += rows
        if len(self._loose) >= MOST_LOOSE:
            self._pack()

    def _count(self) -> int:
        """How many rows are written down."""
        return len(self._times) + len(self._loose)

    def _pack(self) -> None:
        """Put the latest rows into the columns."""
        if self._loose:
            (numbers, times, sides, values), self._loose = zip(*self._loose, strict=True), []
            width = len(self._data)
            table = np.fromiter(chain.from_iterable(values), float, len(values) * width).reshape(-1, width)
            self._append_all(np.array(times), np.array(sides, np.int8), table, np.array(numbers, np.int32))

    def _append_regular(
        self, times: npt.NDArray[np.float64], rows: npt.NDArray[np.float64], sources: Sequence[int]
    ) -> None:
        """Write down the values of some sources at regular instants, all of them before the present."""
        self._settle()
        if len(times) * len(sources) < MOST_LOOSE:
            for time, values in zip(times.tolist(), rows.tolist(), strict=True):
                each = zip(*[iter(values)] * len(self._data), strict=True)
                self._write_down(list(zip(sources, repeat(time), repeat(REGULAR), each)))
            return
        times, numbers = np.repeat(times, len(sources)), np.tile(np.array(sources, np.int32), len(times))
        self._append_all(times, np.zeros(len(times), np.int8), rows.reshape(-1, len(self._data)), numbers)

    def _append_all(
        self,
        times: npt.NDArray[np.float64],
        sides: npt.NDArray[np.int8],
        rows: npt.NDArray[np.float64],
        numbers: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Write down rows in their order; without numbers they are of the only source."""
        self._pack()
        numbers = np.zeros(len(times), np.int32) if numbers is None else numbers
        self._sources.frombytes(numbers.tobytes())
        self._times.frombytes(times.tobytes())
        self._sides.frombytes(sides.tobytes())
        for column, values in zip(self._data, rows.T, strict=True):
            column.frombytes(values.tobytes())

    # --- regular rows that the stepper takes down --------------------------------------------------------------------

    def _taped(self) -> Sequence[int]:
        """The numbers of what is on it."""
        raise NotImplementedError

    def _begin_tape(self, *, is_beside_rows: bool = False) -> Tape | None:
        if self._grid is None or (self._sink is not None and self._sink.is_due(self._count())):
            return None
        tape = self._tape
        if tape is None or (is_beside_rows and tape.is_held):
            return None
        return tape if tape.is_ready(self._grid, self._index) else None

    def _fetch(self) -> None:
        assert self._tape is not None
        assert self._grid is not None
        fetched = self._tape.fetch()
        if fetched is not None:
            self._append_regular(*fetched, self._taped())
            self._index += len(fetched[0])
            self._upcoming = self._grid.time(self._index)

    def _pass(self, time: float) -> None:
        if self._instant != time:
            self._settle()  # what is due now says nothing about the instant before
        self._due = time
        super()._pass(time)

    def _refuse_period(self, time: float) -> NoReturn:
        period = float(self._frequency) if isinstance(self._frequency, Fraction) else 0.0
        raise SimulationError(6, time, f"The period {period!r} of {self.name} cannot be seen at this time.")
