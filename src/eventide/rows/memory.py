"""The tables of one simulation's native processes: they grow on demand, and are packed again when one is replaced."""

from __future__ import annotations

from _ctypes import PyObj_FromPtr
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from struct import pack_into as pack
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from eventide.engine.memory.buffers import address_of, view_of
from eventide.engine.memory.growable_arrays import LINE, zeros
from eventide.rows.codes import BRANCH, FREE, FUNCTION, INTERRUPTION, LOOK_HEAD, NONE, UNMADE, UNSEEN
from eventide.rows.interface import PLAIN
from eventide.rows.inventories import most_changes, most_items
from eventide.rows.records import (
    RECORDS,
    ActivityRecord,
    ColumnRecord,
    InventoryRecord,
    KindRecord,
    LevelRecord,
    NoticeRecord,
    ProcessRecord,
    RequestRecord,
    Rows,
    RowState,
    SharedGuardRecord,
    StationRecord,
    TallyRecord,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.engine.codes import NumberTable
    from eventide.engine.records import Kind, Record
    from eventide.rows.interface import RowEngine

    Sink: TypeAlias = Callable[[NDArray[np.float64]], object]
    """Takes the values of a tally."""
    KindOfRow: TypeAlias = tuple[int, int, Callable[..., int] | int | None]
    """The local numbers of a kind of processes, whole ones and floats, and its kernel, as `add_kind` takes them."""

FIRST: Final = 16
"""How many rows there are from the start: each page of new memory takes as long as a process to become a row."""
FEWEST: Final = 64
"""How many are added at least."""
VALUES: Final = 1024
"""How many values of a tally there is room for from the start."""
MOST_VALUES: Final = 2**14
"""And where there have been many."""
MOST_WAITING: Final = 2048
"""The most that may wait at a station: a level of Python keeps the durations of some thousand values apart."""
MOST_LOOKS: Final = 256
"""A quarter of the looks of recordings until Python takes them over."""
REGULAR_TIMES: Final = 256
"""The most regular times of recordings until Python tells of more."""
MOST_IMAGES: Final = 64
"""The combinations of kinds for which tables are kept as they begin."""
SPARE: Final = 4
"""The rows for which there is room for one stale notice."""


class Host:
    """What runs in Python: the kernels of the kinds, plain functions, and what the stepper does (`rows/moving.py`)."""

    __slots__ = (
        "begin_history", "change", "close_over", "found_at", "has_broken", "kernels", "look", "march", "may_change",
        "may_watch", "slope", "unwatch", "waiter", "watch",
    )  # fmt: skip

    march: Callable[..., int]
    look: Callable[..., float]
    slope: Callable[..., float]
    may_change: Callable[..., bool]
    change: Callable[..., bool]
    has_broken: Callable[..., bool]
    may_watch: Callable[..., bool]
    close_over: Callable[..., None]
    watch: Callable[..., bool]
    unwatch: Callable[..., bool]
    begin_history: Callable[..., None]
    waiter: Callable[..., int]
    found_at: Callable[..., float]

    def __init__(self) -> None:
        self.kernels: list[Callable[..., int] | None] = []


Scalar = TypeVar("Scalar", bound=np.generic)


def lengthen(record: Record, rows: int, row: int = 0) -> None:
    """Let a record have this many rows, of which one begins with a cache line; the new ones hold zeros."""
    for kind, width in record.widths.items():
        table = zeros((rows, width), np.int64 if kind == "ints" else np.float64, row * width)
        old = record.__dict__.get(kind)
        if old is not None:
            table[: len(old)] = old
        record.attach(table)


class Image(NamedTuple):
    """The tables that a memory begins with, one after the other, each at a cache line.

    numbers     all of them, floats by their bits
    tables      of which record each is, of which kind, where its items are, and its width
    wholes, reals   where the local numbers are
    """

    run: bytes
    counts: dict[str, int]
    kernels: list[Callable[..., int] | None]
    numbers: NDArray[np.int64]
    tables: list[tuple[str, Kind, slice, int]]
    wholes: slice
    reals: slice


@lru_cache(MOST_IMAGES)
def _image(kinds: tuple[KindOfRow, ...]) -> Image:
    made, tables = RowMemory(), []
    for kind in kinds:
        made.add_kind(*kind)
    parts: list[NDArray[np.int64]] = []

    def place(table: NumberTable, row: int = 0) -> slice:
        """Put a table after the others; `row` of it begins with a cache line."""
        begin = sum(map(len, parts))
        lead = -(begin + row * table.shape[-1]) % (LINE // 8)
        parts.extend((np.zeros(lead, np.int64), table.reshape(-1).view(np.int64)))
        return slice(begin + lead, begin + lead + table.size)

    for name in RECORDS:
        record = made.__dict__[name]
        for kind, table in zip(record.widths, record.tables(), strict=True):
            tables.append((name, kind, place(table, int(name == "notice")), table.shape[1]))
    wholes, reals = place(made._wholes), place(made._reals)
    return Image(bytes(made.run), made._counts, made.host.kernels, np.concatenate(parts), tables, wholes, reals)


def _aligned(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """A copy that begins with a cache line."""
    room = np.empty(len(numbers) + LINE // 8, np.int64)
    begin = -(address_of(room) // 8) % (LINE // 8)
    copied = room[begin : begin + len(numbers)]
    copied[:] = numbers
    return copied


class RowMemory:
    """What the engine of native processes reads and writes.

    run     clock, counters and lists
    host    runs plain kernels
    changed     the attributes of objects that kernels of the present rows may set
    levels      what recordings read of the levels that are away, by their ids: a code, and a row
    functions   the rows of the functions that they read, by the ids of these, and the places of the numbers there
    """

    def __init__(self, engine: RowEngine = PLAIN, image: Image | None = None) -> None:
        self.changed: set[str] = set()  # asked for membership only
        self.levels: dict[int, tuple[int, int]] = {}
        self.functions: dict[int, tuple[int, int]] = {}
        self.engine = engine
        self.host = Host()
        self.objects: dict[int, object] = {}
        """What numbers of rows are addresses of and nothing else may keep, by these; until all rows are left."""
        self.made: list[object] = []
        """The same of what kernels have made."""
        self.activity, self.process, self.notice = ActivityRecord(), ProcessRecord(), NoticeRecord()
        self.kind, self.request = KindRecord(), RequestRecord()
        self.station, self.inventory = StationRecord(), InventoryRecord()
        self.level, self.tally, self.column = LevelRecord(), TallyRecord(), ColumnRecord()
        self.shared = SharedGuardRecord()
        self._sinks: list[Sink] = []
        self._has_looks = False
        self._regular = 0
        self._packed: object = None
        self._views: Rows | None = None
        self._kept: object = None
        if image is None:
            self._begin()
        else:
            self._begin_with(image)
        self._keep_made()

    @classmethod
    def like_others(cls, engine: RowEngine, kinds: tuple[KindOfRow, ...] = ()) -> RowMemory:
        """One that has these kinds already, in a fifth of the time."""
        return cls(engine, _image(kinds))

    def _begin(self) -> None:
        self.run = run = RowState()
        run.current = run.front_first = run.front_end = run.ready_first = run.ready_end = NONE
        run.free_request = run.woken = NONE
        self._counts = {"kind": 0, "station": 0, "inventory": 0, "level": 0, "tally": 0}
        for record in (self.kind, self.station, self.inventory, self.level, self.tally, self.column, self.shared):
            lengthen(record, 8)
        self._wholes: NDArray[np.int64] = np.zeros(0, np.int64)
        self._reals: NDArray[np.float64] = np.zeros(0)
        self._add_rows(FIRST)
        self._add_requests(FIRST)
        assert self.add_kind(0, 0, None) == INTERRUPTION
        assert self.add_kind(0, 0, None) == BRANCH

    def _begin_with(self, image: Image) -> None:
        self.run, self._counts = RowState.from_buffer_copy(image.run), dict(image.counts)
        self.host.kernels += image.kernels
        ints = _aligned(image.numbers)
        taken: dict[Kind, NumberTable] = {"ints": ints, "floats": ints.view(np.float64)}
        self._wholes, self._reals = ints[image.wholes], taken["floats"][image.reals]  # type: ignore[assignment]  # as named
        for name, kind, place, width in image.tables:
            self.__dict__[name].__dict__[kind] = taken[kind][place].reshape(-1, width)

    # --- as the engine and Python see it --------------------------------------------------------------------------

    @property
    def views(self) -> Rows:
        """The tables as Python sees them; another one after each growth."""
        if self._views is None:
            self._views = Rows(
                wholes=view_of(self._wholes),
                reals=view_of(self._reals),
                activity=self.activity,
                process=self.process,
                notice=self.notice,
                kind=self.kind,
                request=self.request,
                station=self.station,
                inventory=self.inventory,
                level=self.level,
                tally=self.tally,
                column=self.column,
                shared=self.shared,
                run=self.run,
                host=self.host,
            )
        return self._views

    @property
    def arrays(self) -> object:
        """The tables as the engine takes them."""
        if self._packed is None:
            self._packed, self._kept = self.engine.pack(self.views)
        return self._packed

    def bodiless(self, models: AbstractSet[int]) -> list[int]:
        """The rows of processes that have no object yet, and are none of some models."""
        activity, process = self.activity, self.process
        rows = range(self.run.used)
        return [i for i in rows if process.object[i] >= 0 and activity.at[i] > FREE and i not in models]

    def numbers_of(self, i: int, wholes: int, reals: int) -> tuple[list[int], list[float]]:
        """The local numbers of a row."""
        views = self.views
        w, r = views.activity.wholes[i], views.activity.reals[i]
        found = views.wholes[w : w + wholes].tolist()
        if self.run.plain:
            found = [number if number > UNMADE else id(self.object_of(number)) for number in found]
        return found, list(views.reals[r : r + reals])

    def object_of(self, number: int) -> object:
        """The object that a number is the address of: a plain one that a kernel has made is made when it is needed."""
        return PyObj_FromPtr(number) if number > UNMADE else self.objects.setdefault(number, object())

    def set_numbers(self, i: int, wholes: list[int], reals: list[float]) -> None:
        """Set the first local numbers of a row."""
        views, known = self.views, self.activity  # of arrays slices are set in twice the time
        pack(f"{len(wholes)}q", views.wholes, 8 * known.wholes[i], *wholes)
        pack(f"{len(reals)}d", views.reals, 8 * known.reals[i], *reals)

    def forget(self) -> None:
        """No row is in use any longer."""
        self.changed = set()
        self.run.notices = 0  # stale ones, whose keys may come again
        self.objects = {}  # who reads them yet has the old ones
        self._keep_made()
        self.functions.clear()

    def _keep_made(self) -> None:
        self.made = []
        self._keep = self.made.append
        self.run.keeping = id(self._keep)

    def _outdate(self) -> None:
        self._packed = self._views = None

    # --- what there is --------------------------------------------------------------------------------------------

    def add_kind(self, wholes: int, reals: int, kernel: Callable[..., int] | int | None) -> int:
        """A new kind of processes, with this many local numbers.

        kernel  the address of its kernel, or a plain one
        """
        k = self._new("kind", self.kind)
        self.kind.wholes[k], self.kind.reals[k], self.kind.free[k] = wholes, reals, NONE
        self.kind.label[k] = k
        if isinstance(kernel, int):
            self.kind.address[k], kernel = kernel, None
        self.host.kernels.append(kernel)
        self._reserve_locals()
        return k

    def add_level(self, size: int) -> int:
        """A new level, of values from 0 to `size` - 1, that is 0 from now on."""
        l = self._new("level", self.level)  # noqa: E741  # l is a level, as in `statistics.py`
        self._place_level(l, max(size, 1))
        self.fill_level(l, 0, self.run.time, {})
        return l

    def fill_level(self, l: int, value: int, changed: float, held: Mapping[int, float]) -> None:  # noqa: E741  # as above
        """Let a level have a value since a time, and these durations up to then, in their order."""
        size = max(self.level.size[l], value + 1, *(known + 1 for known in held), 1)
        self._place_level(l, size)
        self.level.value[l], self.level.changed[l] = value, changed
        for known, lasted in held.items():
            self._enter_duration(l, known, lasted)

    def add_tally(self, sink: Sink) -> int:
        """A new tally.

        sink    takes the values, an array that is its own, whenever there are many, and when `flush` is called
        """
        t = self._new("tally", self.tally)
        self._sinks.append(sink)
        self._make_room(t, VALUES)
        return t

    def set_columns(self, columns: Sequence[tuple[int, int, int]], sink: Sink) -> None:
        """Let recordings read these columns at events: for each what, where, and the first slot of its object.

        sink    takes what they have read
        """
        run, most = self.run, MOST_LOOKS * (LOOK_HEAD + len(columns))
        if not self._has_looks:
            run.looks, self._has_looks = self.add_tally(sink), True
        if len(columns) > len(self.column.ints):
            lengthen(self.column, len(columns))
        for c, (what, where, first) in enumerate(columns):
            self.column.what[c], self.column.where[c], self.column.first[c] = what, where, first
        self._widen_tally(run.looks, most)
        run.columns, run.functions = len(columns), sum(what == FUNCTION for what, _, _ in columns)
        self._outdate()

    def set_shared_guards(self, lists: Sequence[Sequence[tuple[int, int]]]) -> list[int]:
        """Let rows share these guards, one list for each condition; returns the rows of the lists.

        lists   of each guard its number, and the row that has it; NONE if none does
        """
        needed = sum(1 + len(guards) for guards in lists)
        if needed > len(self.shared.ints):
            lengthen(self.shared, needed)
            self._outdate()
        shared, process, found = self.shared, self.process, []
        rows = iter(range(len(shared.ints)))
        for guards in lists:
            home = next(rows)
            found.append(home)
            shared.guard[home], shared.next[home] = NONE, NONE
            for guard, owner in guards:
                g = next(rows)
                shared.guard[g], shared.home[g], shared.taken[g] = guard, home, 0
                first, place = (shared.next, home) if owner < 0 else (process.guards, owner)
                shared.next[g], first[place] = first[place], g
        for rest in rows:
            shared.guard[rest] = NONE
        return found

    def set_regular(self, times: Sequence[float]) -> None:
        """Let recordings read their columns at these times as well, two at least and at most `REGULAR_TIMES`."""
        run = self.run
        if not run.last_regular:
            self._regular = self._take_reals(REGULAR_TIMES)
        self._reals[self._regular : self._regular + len(times)] = times
        run.regular, run.last_regular = self._regular, self._regular + len(times) - 1

    def skip_regular(self, time: float) -> bool:
        """Leave out those before a time; whether that is one of them, and not the last."""
        run = self.run
        while run.regular < run.last_regular and self._reals[run.regular] < time:
            run.regular += 1
        return run.regular < run.last_regular and bool(self._reals[run.regular] == time)

    def add_station(self, capacity: int, in_use: int, queue: int, waits: int, *, is_preemptive: bool = False) -> int:
        """A new station, with its two levels and its tally."""
        s, station = self._add_line(queue, waits), self.station
        station.capacity[s], station.preemptive[s], station.in_use[s] = capacity, int(is_preemptive), in_use
        self.widen_level(in_use, capacity + 2)
        return s

    def add_inventory(self, content: tuple[int, ...], gets: tuple[int, int], puts: tuple[int, int]) -> int:
        """A new inventory, with the level and the tally of each side.

        content     the tally of the changes of an amount, or the level and the tally of the items of a store
        """
        d, inventory = self._new("inventory", self.inventory), self.inventory
        inventory.gets[d], inventory.puts[d] = self._add_line(*gets, d), self._add_line(*puts, d)
        is_amount = len(content) == 1
        inventory.items[d] = NONE if is_amount else self._add_line(content[0], content[1], d)
        inventory.changes[d] = content[0] if is_amount else NONE
        return d

    def _add_line(self, queue: int, waits: int, inventory: int = NONE) -> int:
        """A station, of which only the line is known yet."""
        s, station = self._new("station", self.station), self.station
        station.queue[s], station.waits[s], station.inventory[s] = queue, waits, inventory
        for links in (station.first, station.end, station.users, station.latest):
            links[s] = NONE
        return s

    def durations(self, l: int) -> dict[int, float]:  # noqa: E741  # as above
        """For how long a level had each value that it has left, in the order of leaving them."""
        views, order = self.views, self.level.order[l]
        values = [views.wholes[place] for place in range(order, order + self.level.seen[l])]
        return {value: views.reals[self.level.held[l] + value] for value in values}

    def change_sink(self, t: int, sink: Sink) -> None:
        """Let another function take the values of a tally."""
        self._sinks[t] = sink

    def flush(self, t: int) -> None:
        """Let the sink of a tally take its values."""
        start, count = self.tally.start[t], self.tally.count[t]
        self.tally.count[t] = 0
        if count:
            self._sinks[t](self._reals[start : start + count].copy())

    # --- growing --------------------------------------------------------------------------------------------------

    def grow(self) -> bool:
        """Something has no room: let all that is half full grow, and tallies give their values away.

        Returns False if it may be the line of a station that has no room, as more than MOST_WAITING wait there.
        """
        run = self.run
        free = sum(self.kind.spare[k] for k in range(self._counts["kind"]))
        if 2 * (run.used - free) >= run.row_room or 2 * run.used >= run.row_room:
            self._add_rows(max(FEWEST, run.row_room // 4))
        self._reserve_locals()
        if 2 * run.spare_requests <= len(self.request.ints):
            self._add_requests(max(FEWEST, len(self.request.ints) // 4))
        for t in range(self._counts["tally"]):
            if 2 * self.tally.count[t] >= self.tally.size[t]:
                self.flush(t)
                if self.tally.size[t] < MOST_VALUES:
                    self._make_room(t, 4 * self.tally.size[t])
        for s in range(self._counts["station"]):
            t, queue, most = self.station.waits[s], self.station.queue[s], self.station.waiting[s] + 2
            most += self.station.using[s] * self.station.preemptive[s]
            if (d := self.station.inventory[s]) >= 0 and self.inventory.items[d] == s:
                most = most_items(self.views, d) + 1
            self._widen_tally(t, most)
            if 2 * most >= self.level.size[queue]:
                self.widen_level(queue, 4 * most)
        for d in (d for d in range(self._counts["inventory"]) if self.inventory.items[d] < 0):
            self._widen_tally(self.inventory.changes[d], most_changes(self.views, d))
        is_too_long = any(self.station.waiting[s] > MOST_WAITING for s in range(self._counts["station"]))
        for l in range(self._counts["level"]):  # noqa: E741  # as above
            if 2 * (self.level.value[l] + 2) >= self.level.size[l]:
                self.widen_level(l, 4 * (self.level.value[l] + 2))
        return not is_too_long

    def _new(self, name: str, record: Record) -> int:
        number = self._counts[name]
        self._counts[name] = number + 1
        if number == len(record.ints):
            lengthen(record, 2 * number)
        self._outdate()
        return number

    def _add_rows(self, rows: int) -> None:
        run = self.run
        run.row_room = room = run.row_room + rows
        lengthen(self.activity, room)
        lengthen(self.process, room)
        run.notice_room = room + room // SPARE
        lengthen(self.notice, run.notice_room, 1)
        self._outdate()

    def _add_requests(self, rows: int) -> None:
        begin = len(self.request.ints) if hasattr(self.request, "ints") else 0
        lengthen(self.request, begin + rows)
        for q in reversed(range(begin, begin + rows)):
            self.request.next[q] = self.run.free_request
            self.run.free_request = q
        self.run.spare_requests += rows
        self._outdate()

    def _place_level(self, l: int, size: int) -> None:  # noqa: E741  # as above
        start, order = self.level.held[l], self.level.order[l]
        if size > self.level.size[l]:
            start, order = self._take_reals(size), self._take_wholes(size)
        self._reals[start : start + size] = UNSEEN
        self.level.size[l], self.level.held[l], self.level.order[l] = size, start, order
        self.level.seen[l] = 0

    def _enter_duration(self, l: int, value: int, lasted: float) -> None:  # noqa: E741  # as above
        self._reals[self.level.held[l] + value] = lasted
        self._wholes[self.level.order[l] + self.level.seen[l]] = value
        self.level.seen[l] += 1

    def widen_level(self, l: int, size: int) -> None:  # noqa: E741  # as above
        """Let a level have room for this many values."""
        if size > self.level.size[l]:
            held = self.durations(l)
            self._place_level(l, size)
            for value, lasted in held.items():
                self._enter_duration(l, value, lasted)

    def _widen_tally(self, t: int, most: int) -> None:
        """Let a tally have room for twice this many more values."""
        if 2 * most >= self.tally.size[t]:
            self.flush(t)
            self._make_room(t, 4 * most)

    def _make_room(self, t: int, size: int) -> None:
        """Let an empty tally have room for this many values."""
        self.tally.size[t], self.tally.start[t] = size, self._take_reals(size)

    def _reserve_locals(self) -> None:
        """Let there always be room for the local numbers of all rows that are not used yet."""
        kinds, rows = range(self._counts["kind"]), self.run.row_room - self.run.used
        self._reserve_reals(rows * max((self.kind.reals[k] for k in kinds), default=0))
        self._reserve_wholes(rows * max((self.kind.wholes[k] for k in kinds), default=0))

    def _take_reals(self, count: int) -> int:
        self._reserve_reals(count)
        start = self.run.reals_used
        self.run.reals_used = start + count
        self._reserve_locals()
        return start

    def _take_wholes(self, count: int) -> int:
        self._reserve_wholes(count)
        start = self.run.wholes_used
        self.run.wholes_used = start + count
        self._reserve_locals()
        return start

    def _reserve_reals(self, count: int) -> None:
        """Let there be room for this many more floats."""
        if (needed := self.run.reals_used + count) > len(self._reals):
            self._reals = _longer(self._reals, needed)
            self._outdate()

    def _reserve_wholes(self, count: int) -> None:
        if (needed := self.run.wholes_used + count) > len(self._wholes):
            self._wholes = _longer(self._wholes, needed)
            self._outdate()


def _longer(old: NDArray[Scalar], needed: int) -> NDArray[Scalar]:
    longer: NDArray[Scalar] = zeros((max(needed, len(old) * 5 // 4, 2 * FEWEST),), old.dtype.type)
    longer[: len(old)] = old
    return longer
