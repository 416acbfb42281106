"""A store: single things, put in by some processes and taken out by others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush
from math import inf
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from eventide.discrete.commands import command
from eventide.discrete.resources.transfer import Depot, Side, Transfer
from eventide.errors import ModelError
from eventide.statistics import Tally

if TYPE_CHECKING:
    from eventide.simulation import Simulation
    from eventide.statistics import Level

Filter = Callable[[Any], Any]


class Entry(NamedTuple):
    """A thing in a store: its key (zero without one), the number of its coming, the time of it, the thing itself."""

    key: Any
    number: int
    time: float
    item: Any


class Shelf(Protocol):
    """Where a store keeps its things, in the order in which they are taken."""

    def add(self, entry: Entry) -> None:
        """Put a thing where its key and number say."""
        ...

    def take(self, accepts: Filter | None) -> Entry | None:
        """Take out the first thing that is accepted; None if there is none."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Entry]: ...


class RowShelf:
    """Things in the order in which they came."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._row = deque(entries)

    def add(self, entry: Entry) -> None:
        """Put a thing in: at the end, or where it was if it comes back."""
        row = self._row
        if not row or row[-1].number < entry.number:
            row.append(entry)
            return
        place = 0
        while row[place].number < entry.number:
            place += 1
        row.insert(place, entry)

    def take(self, accepts: Filter | None) -> Entry | None:
        """Take out the first thing that is accepted; None if there is none."""
        row = self._row
        if accepts is None:
            return row.popleft() if row else None
        for place, entry in enumerate(row):
            if accepts(entry.item):
                del row[place]
                return entry
        return None

    def __len__(self) -> int:
        return len(self._row)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._row)


class KeyShelf:
    """Things by key, the least first; equal ones in the order in which they came."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._heap = list(entries)
        heapify(self._heap)

    def add(self, entry: Entry) -> None:
        """Put a thing in."""
        heappush(self._heap, entry)

    def take(self, accepts: Filter | None) -> Entry | None:
        """Take out the first thing that is accepted; None if there is none."""
        heap = self._heap
        if accepts is None:
            return heappop(heap) if heap else None
        for entry in self:
            if accepts(entry.item):
                heap.remove(entry)
                heapify(heap)
                return entry
        return None

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Entry]:
        return iter(sorted(self._heap))


class ItemPut(Transfer):
    """A put into a store, to be yielded.

    item        what is put
    """

    __slots__ = ("item",)
    _what = "put into"

    station: Store

    def __init__(self, store: Store, item: Any, priority: float) -> None:
        self.item = item
        super().__init__(store, priority)

    def describe(self) -> str:
        """What is waited for."""
        return f"a place for {self.item!r} in {self.station.name} since {self.since!r}"

    @property
    def _side(self) -> Side[ItemPut]:
        return self.station.puts

    def _take(self) -> bool:
        station = self.station
        if station._count + station._kept >= station.capacity:
            return False
        station._keep(1)
        return True

    def _carry_out(self) -> Any:
        self.station._free(1)
        self.station._bring(self.item)
        return self.item

    def _give_up(self) -> None:
        self.station._free(1)


class ItemGet(Transfer):
    """A get from a store, to be yielded; answers the thing."""

    __slots__ = ("_entry", "_filter")
    _what = "get from"

    station: Store
    _entry: Entry

    def __init__(self, store: Store, accepts: Filter | None, priority: float) -> None:
        if not (accepts is None or callable(accepts)):
            raise TypeError(
                f"a get from {store.name} takes a function of a thing that says whether it will do, "
                f"and got {accepts!r}: write `get(lambda item: ...)`"
            )
        self._filter = accepts
        super().__init__(store, priority)

    def accepts(self, item: Any) -> bool:
        """Whether a thing will do."""
        try:
            return self._filter is None or bool(self._filter(item))
        except Exception as error:
            error.add_note(f"raised by the filter of {self.name} for {item!r}")
            raise

    def describe(self) -> str:
        """What is waited for."""
        which = "" if self._filter is None else " that its filter accepts"
        return f"a thing from {self.station.name}{which} since {self.since!r}"

    @property
    def _side(self) -> Side[ItemGet]:
        return self.station.gets

    def _is_next(self) -> bool:
        # Whoever waits accepts nothing of what is there.
        return True

    def _take(self) -> bool:
        entry = self.station._take(self)
        if entry is None:
            return False
        self._promise(entry)
        return True

    def _promise(self, entry: Entry) -> None:
        self._entry = entry
        self.station._keep(1)

    def _carry_out(self) -> Any:
        station, entry = self.station, self._entry
        station._free(1)
        station.stays.add(station.sim.time - entry.time)
        return entry.item

    def _give_up(self) -> None:
        self.station._free(1)
        self._undo()

    def _undo(self) -> None:
        # It may be one more than there are places by now: then nothing is put in until one has been taken out.
        self.station._offer(self._entry)


class Store(Depot):
    """Single things, such as parts on a shelf or messages.

    capacity    the most that it holds
    items       what is in it, in the order in which a get takes it
    level       a `Level`: their number, over time; what was granted to a get has left
    stays       a `Tally`: how long each thing was in it
    puts, gets  those who put and get: each with `queue` (a `Level`), `waits` (a `Tally`) and `waiting`

    A get takes the thing that came first, or with `key` the one of the least key (of equal ones, the first). With a
    filter it takes the first that will do. A thing that comes goes to the first get, by priority (high first) and
    the order of asking, that accepts it, so that one with a filter holds nobody up. A filter looks at the thing alone:
    it is asked when the get is yielded and when a thing comes. Puts have their turn by priority and asking.
    """

    def __init__(
        self,
        sim: Simulation,
        capacity: float = inf,
        items: Iterable[Any] = (),
        *,
        key: Callable[[Any], Any] | None = None,
        name: str = "",
    ) -> None:
        self._attach(sim, name)
        self.capacity = check_store_capacity(capacity, self.name)
        self.key = key
        self._number = 0
        entries = [self._entry(item) for item in items]
        if len(entries) > self.capacity:
            raise ModelError(f"{self.name} holds {self.capacity!r} things, and got {len(entries)} at the start")
        self._shelf: Shelf = RowShelf(entries) if key is None else KeyShelf(entries)
        self.stays = Tally(name=f"{self.name} stays")
        self._open(sim, len(entries))

    @property
    def items(self) -> tuple[Any, ...]:
        """What is in it, in the order in which a get takes it."""
        return tuple(entry.item for entry in self._shelf)

    @command
    def put(self, item: Any, priority: float = 0.0) -> ItemPut:
        """Command: put a thing in, once there is a place; answers the thing."""
        return ItemPut(self, item, priority)

    @command
    def get(self, filter: Filter | None = None, priority: float = 0.0) -> ItemGet:  # noqa: A002  # what others call it
        """Command: take the next thing out, once there is one; answers it.

        filter      a function of a thing: whether it will do
        """
        return ItemGet(self, filter, priority)

    @property
    def _count(self) -> int:
        return len(self._shelf)

    def _entry(self, item: Any) -> Entry:
        self._number += 1
        return Entry(0 if self.key is None else self.key(item), self._number, self.sim.time, item)

    def _bring(self, item: Any) -> None:
        self._offer(self._entry(item))

    def _offer(self, entry: Entry) -> None:
        """Give a thing to the first who waits for one like it, or keep it."""
        if self.gets.line.count:
            for get in self.gets.line:
                if get.accepts(entry.item):
                    get._promise(entry)
                    get._grant()
                    return
        self._shelf.add(entry)
        self.level.set(self._count)

    def _take(self, get: ItemGet) -> Entry | None:
        entry = self._shelf.take(None if get._filter is None else get.accepts)
        if entry is not None:
            self.level.set(self._count)
        return entry

    def _serve(self) -> None:
        line = self.puts.line
        while (put := line.first()) is not None and put._take():
            put._grant()

    def _statistics(self) -> Iterable[Side[Any] | Level | Tally]:
        return (*super()._statistics(), self.stays)

    def __repr__(self) -> str:
        return f"<{self.name}: {self._count} of {self.capacity!r} things, {self._waiting_text()}>"


def check_store_capacity(capacity: float, name: str) -> float:
    """A capacity; ModelError if it is not a whole number of at least 1, or infinite."""
    if capacity == inf:
        return inf
    try:
        whole = index(capacity)  # type: ignore[arg-type]  # a float is refused here
    except TypeError:
        whole = 0
    if whole < 1 or isinstance(capacity, bool):
        raise ModelError(f"the capacity of {name} is a whole number of things, 1 or more, or inf, and got {capacity!r}")
    return whole
