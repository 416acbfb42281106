"""A store: single things, put in by some processes and taken out by others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import heapify, heappop, heappush
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

from eventide.declare import fix
from eventide.discrete.commands import command
from eventide.discrete.resources.station import KEPT
from eventide.discrete.resources.transfer import Inventory, Side, Transfer
from eventide.errors import ModelError
from eventide.statistics import Tally
from eventide.statistics.level import set_at
from eventide.statistics.ownership import kept
from eventide.statistics.tally import adder_of

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.resources.transfer import Amount
    from eventide.simulation import Simulation
    from eventide.statistics.restarts import HasReset

Filter = Callable[[Any], object]


Entry: TypeAlias = tuple[Any, int, float, object]
"""A thing in a store: its key (zero without one), the number of its coming, the time of it, the thing itself."""


class ItemQueue:
    """Things in the order in which they came.

    entries     all of them
    add         puts in one that is new
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = deque(entries)
        self.add: Callable[[Entry], None] = self.entries.append

    def restore(self, entry: Entry) -> None:
        """Put one that was taken where it was: among the first, as a rule."""
        row, place = self.entries, 0
        while place < len(row) and row[place][1] < entry[1]:
            place += 1
        row.insert(place, entry)

    def take(self, accepts: Filter | None) -> Entry | None:
        """Take out the first thing that is accepted; None if there is none."""
        row = self.entries
        if accepts is None:
            return row.popleft() if row else None
        for place, entry in enumerate(row):
            if accepts(entry[3]):
                del row[place]
                return entry
        return None

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)


class ItemHeap:
    """Things by key, the least first; equal ones in the order in which they came. Otherwise as a `ItemQueue`."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)
        heapify(self.entries)
        self.add: Callable[[Entry], None] = partial(heappush, self.entries)
        self.restore = self.add

    def take(self, accepts: Filter | None) -> Entry | None:
        """Take out the first thing that is accepted; None if there is none."""
        heap = self.entries
        if accepts is None:
            return heappop(heap) if heap else None
        for entry in self:
            if accepts(entry[3]):
                heap.remove(entry)
                heapify(heap)
                return entry
        return None

    def __iter__(self) -> Iterator[Entry]:
        return iter(sorted(self.entries))


class ItemTransfer(Transfer):
    """A put into a store or a get from it."""

    __slots__ = ()
    amount = 1
    """So much space it takes."""

    station: Store


class ItemPut(ItemTransfer):
    """A put into a store, to be yielded.

    item        what is put
    """

    __slots__ = ("item",)
    _what = "put into"

    item: Any

    def describe(self) -> str:
        """What is waited for."""
        return f"a place for {self.item!r} in {self.station.name} since {self.since!r}"

    @property
    def _side(self) -> Side[ItemPut]:
        return self.station._puts

    def _is_done_at_once(self, activity: Activity) -> bool:
        station = self.station
        side = station._puts
        if side.line.count or len(station._entries) + station._kept >= station._capacity:
            return False
        activity._value = self.item
        side.add_wait(0.0)
        station._bring(self.item)
        return True

    def _take(self) -> bool:
        station = self.station
        if len(station._entries) + station._kept >= station._capacity:
            return False
        station._keep(1)
        return True

    def _carry_out(self) -> None:
        self.station._bring(self.item)

    def _answer(self) -> object:
        return self.item


class ItemGet(ItemTransfer):
    """A get from a store, to be yielded; the `yield` returns the item."""

    __slots__ = ("_entry", "_filter")
    _what = "get from"

    _entry: Entry
    _filter: Filter | None

    def describe(self) -> str:
        """What is waited for."""
        which = "" if self._filter is None else " that its filter accepts"
        return f"a thing from {self.station.name}{which} since {self.since!r}"

    def accepts(self, item: object) -> bool:
        """Whether a thing will do."""
        try:
            return self._filter is None or bool(self._filter(item))
        except Exception as error:
            error.add_note(f"raised by the filter of {self.name} for {item!r}")
            raise

    @property
    def _side(self) -> Side[ItemGet]:
        return self.station._gets

    def _is_done_at_once(self, activity: Activity) -> bool:
        # No waiting get accepts anything of what is there: none is passed over.
        station = self.station
        entry = station._content.take(self._filter and self.accepts)
        if entry is None:
            return False
        self._entry = entry
        activity._value = entry[3]
        now = station.sim.time
        set_at(station._level, len(station._entries), now)
        station._add_stay(now - entry[2])
        station._gets.add_wait(0.0)
        if station._puts.line.count:
            station._serve()
        return True

    def _take(self) -> bool:
        return False  # it was tried already

    def _promise(self, entry: Entry) -> None:
        """Carry it out with this item, which is in no store."""
        self._entry = entry
        self.station._keep(1)
        self._grant()

    def _carry_out(self) -> None:
        station = self.station
        station._add_stay(station.sim.time - self._entry[2])

    def _undo(self) -> None:
        # It may be one more than there are places by now: then nothing is put in until one has been taken out.
        self.station._return(self._entry)

    def _answer(self) -> object:
        return self._entry[3]


class Store(Inventory):
    """Single things, such as parts on a shelf or messages.

    items       what is in it, in the order in which a get takes it
    level       a `Level`: their number, over time; what was granted to a get has left
    stays       a `Tally`: how long each thing was in it
    puts, gets  the puts and the gets: each with `queue` (a `Level`), `waits` (a `Tally`) and `waiting`

    A get takes the thing that came first, or with `key` the one of the least key (of equal ones, the first). With a
    filter it takes the first that will do. A thing that comes goes to the first get, by priority (high first) and
    the order of asking, that accepts it, so that one with a filter delays no other. A filter looks at the thing alone:
    it is asked when the get is yielded and when a thing comes. Puts have their turn by priority and asking.
    """

    _from_start = "Store(sim, capacity, items)"

    def __init__(
        self,
        sim: Simulation,
        capacity: float = inf,
        items: Iterable[object] = (),
        *,
        key: Callable[[Any], object] | None = None,
        name: str = "",
    ) -> None:
        self._attach(sim, name)
        self._capacity = self._check_capacity(capacity)
        self._key = key
        self._arrived = 0
        """The number of items that have arrived, which numbers them."""
        self._item_type: type | None = None
        """The type of the item that has arrived last, which is:"""
        self._last_item: object = None
        entries = [self._entry(item) for item in items]
        if len(entries) > self._capacity:
            raise ModelError(f"{self.name} holds {self._capacity!r} things, and got {len(entries)} at the start")
        self._content: ItemQueue | ItemHeap = ItemQueue(entries) if key is None else ItemHeap(entries)
        self._entries: deque[Entry] | list[Entry] = self._content.entries
        self._stays = kept(Tally(f"{self.name} stays", sim.time_unit), self.name)
        self._add_stay = adder_of(self._stays)
        if TYPE_CHECKING:  # see `fix`
            self.key, self.stays = key, self._stays
        self._open(sim, len(entries))

    @property
    def _items(self) -> tuple[Any, ...]:
        return tuple([entry[3] for entry in self._content])

    if TYPE_CHECKING:

        @property
        def items(self) -> tuple[Any, ...]:
            """What is in it, in the order in which a get takes it."""

    def _check_capacity(self, capacity: Amount) -> Amount:
        if capacity == inf:
            return inf
        try:
            whole = index(capacity)  # type: ignore[arg-type]  # a float is refused here
        except TypeError:
            whole = 0
        if whole < 1 or isinstance(capacity, bool):
            raise ModelError(
                f"the capacity of {self.name} is a whole number of things, 1 or more, or inf, and got {capacity!r}"
            )
        return whole

    @command
    def put(self, item: object, priority: float = 0.0) -> ItemPut:
        """Command: put an item in, once there is a place; the `yield` returns the item."""
        put = ItemPut()
        put.item = item
        return self._make(put, priority)

    @command
    def get(self, filter: Filter | None = None, priority: float = 0.0) -> ItemGet:  # noqa: A002  # what others call it
        """Command: take the next item out, once there is one; the `yield` returns it.

        filter      a function of a thing: whether it will do
        """
        if filter is not None and not callable(filter):
            raise TypeError(
                f"a get from {self.name} takes a function of a thing that says whether it will do, "
                f"and got {filter!r}: write `get(lambda item: ...)`"
            )
        get = ItemGet()
        get._filter = filter
        return self._make(get, priority)

    def _entry(self, item: object) -> Entry:
        self._arrived = number = self._arrived + 1
        self._last_item, self._item_type = item, type(item)
        return (0 if self._key is None else self._key(item), number, self.sim.time, item)

    def _bring(self, item: object) -> None:
        """A thing has come."""
        entry = self._entry(item)
        if not (self._gets.line.count and self._is_wanted(entry)):
            self._content.add(entry)
            set_at(self._level, len(self._entries), entry[2])

    def _return(self, entry: Entry) -> None:
        """A thing comes back that was taken."""
        if not self._is_wanted(entry):
            self._content.restore(entry)
            set_at(self._level, len(self._entries), self.sim.time)

    def _is_wanted(self, entry: Entry) -> bool:
        """Reserve an item for the first get that accepts it; returns whether there is one."""
        for get in self._gets.line:
            if get.accepts(entry[3]):
                get._promise(entry)
                return True
        return False

    def _serve(self) -> None:
        line = self._puts.line
        while (put := line.first()) is not None and put._take():
            put._grant()

    def _statistics(self) -> Iterable[HasReset]:
        return (*super()._statistics(), self.stays)

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self._entries)} of {self.capacity!r} things, {self._waiting_text()}>"


fix(
    Store,
    items="let a process yield its put(item) or get(), or give it items=[...] from the start",
    key="give it as Store(sim, key=...) from the start",
    stays=KEPT,
)
