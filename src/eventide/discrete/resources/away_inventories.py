"""Containers and stores whose transfers are rows of native processes, as `away.py` has resources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import TYPE_CHECKING, Final

from eventide.discrete.resources.away import MOST, WORDS, Part, away_class, chain_of, change_away, fill_line
from eventide.discrete.resources.container import AmountGet, AmountPut, AmountTransfer, Container
from eventide.discrete.resources.line import WAITING
from eventide.discrete.resources.store import ItemGet, ItemPut, Store
from eventide.discrete.resources.transfer import AnySide, Inventory, Side, Transfer
from eventide.rows import codes
from eventide.rows.allocation import owner_of
from eventide.rows.inventories import granted, is_open
from eventide.rows.stations import drop, line_up, new_request
from eventide.statistics import Level, Tally

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.resources.store import Entry
    from eventide.rows.memory import RowMemory

_STAYS: Final = frozenset(
    [
        *("puts", "gets", "level", "stays", "key", "capacity"),
        *("_puts", "_gets", "_level", "_stays", "_key", "_capacity"),
        *("reset_statistics", "_statistics", "sim", "name", "_name"),
    ]
)
"""What is the same while a container or a store is away, or is computed from that and from statistics."""
_SIDE_STAYS: Final = frozenset(["queue", "waits", "reset", "_clock"])
"""The same of one side of it."""
_LOOKED_AT: Final[dict[type, str]] = {Container: "amount", Store: "items"}
"""What rows are asked for."""
LARGEST: Final = 2**53
"""Whole amounts up to it are floats without rounding."""
WIDE: Final = 2**62
"""Whole numbers of rows are smaller."""
_AMOUNTS: Final = (int, float)
_NUMBERS: Final = (int, float, bool)


class AwayInventory:
    """A container or a store that is away, or was.

    row     its row
    parts   its statistics that rows keep: those of its content, and of each side how many wait, and waits
    """

    resource: Inventory
    _classes: tuple[type[Transfer], type[Transfer]]
    """Of gets, and of puts."""

    def __init__(self, inventory: Inventory, memory: RowMemory, parts: Sequence[Part]) -> None:
        self.resource = inventory
        self._memory = memory
        self.parts = parts
        *content, gets, got, puts, put = (part.row for part in parts)
        self.row = memory.add_inventory(tuple(content), (gets, got), (puts, put))

    def go(self, rows: Mapping[StationRequest, int]) -> dict[Transfer, int]:
        """Take over the state of the inventory; the rows of its transfers, by these of their processes."""
        resource, inventory, d = self.resource, self._memory.inventory, self.row
        inventory.capacity[d], inventory.kept[d] = float(resource.capacity), 0.0
        for part in self.parts:
            part.go()
        self._go()
        made = {}
        for side, s in self._sides():
            self._memory.station.asked[s] = side._joined
            for moved in side.line:
                made[moved] = q = self._new_request(s, rows[moved], moved._priority)
                request = self._memory.views.request
                request.state[q], request.since[q], request.number[q] = codes.WAITING, moved.since, moved._number
                self._fill(q, moved)
                line_up(self._memory.views, s, q)
            object.__setattr__(side, "__class__", _SIDE_AWAY)
        object.__setattr__(resource, "__class__", _AWAY[type(resource)])
        return made

    def _sides(self) -> Iterable[tuple[AnySide, int]]:
        resource, inventory, d = self.resource, self._memory.inventory, self.row
        return (resource.gets, inventory.gets[d]), (resource.puts, inventory.puts[d])

    def _new_request(self, s: int, i: int, priority: float) -> int:
        while not is_open(self._memory.views, self.row):
            self._memory.grow()
        return new_request(self._memory.views, s, i, float(priority), 1, False)

    def come(self, processes: Callable[[int], Process | None]) -> dict[int, Transfer]:
        """The inventory has its state again; returns its transfers by their rows."""
        resource, inventory, d = self.resource, self._memory.inventory, self.row
        object.__setattr__(resource, "__class__", type(resource).__base__)
        resource._kept, resource._promises = inventory.kept[d] or 0, granted(self._memory.views, d)
        for side, _ in self._sides():
            object.__setattr__(side, "__class__", Side)
        for part in self.parts:
            part.come()
        found: dict[int, Transfer] = {}
        for side, s in self._sides():
            found |= self._take_back(side, s, processes)
        self._come()
        return found

    def _take_back(self, side: AnySide, s: int, processes: Callable[[int], Process | None]) -> dict[int, Transfer]:
        """The transfers of one side, by their rows; the others of its processes are over."""
        a = self._memory.views
        found: dict[int, Transfer] = {}
        for q in (*chain_of(a, a.station.users[s]), *chain_of(a, a.station.first[s])):
            moved = found[q] = self._classes[s == a.inventory.puts[self.row]]()
            moved.station, moved.state, moved.since = self.resource, WORDS[a.request.state[q]], a.request.since[q]
            moved._priority, moved._number = a.request.priority[q], a.request.number[q]
            moved._activity, moved._notice = processes(owner_of(a, a.request.activity[q])), None
            self._give(moved, q)
            drop(a, q)
        side._joined = a.station.asked[s]
        fill_line(side.line, [moved for moved in found.values() if moved.state == WAITING])
        self._clear(s)
        return found

    def _clear(self, s: int) -> None:
        """Nothing is in the lists of a station any more."""
        a = self._memory.views
        a.station.users[s] = a.station.latest[s] = a.station.first[s] = a.station.end[s] = codes.NONE
        a.station.using[s] = a.station.waiting[s] = 0

    def look(self, name: str) -> object:
        """What is in it while it is away."""
        raise NotImplementedError

    def _go(self) -> None:
        """Take over what is in it."""
        raise NotImplementedError

    def _come(self) -> None:
        """It has its content again."""
        raise NotImplementedError

    def _fill(self, q: int, moved: Transfer) -> None:
        """Let a row have what is put, or is to be got."""
        raise NotImplementedError

    def _give(self, moved: Transfer, q: int) -> None:
        """The other way round."""
        raise NotImplementedError


class AwayContainer(AwayInventory):
    """A container that is away, or was."""

    resource: Container
    _classes = AmountGet, AmountPut

    def _go(self) -> None:
        inventory, d, amount = self._memory.inventory, self.row, self.resource.amount
        inventory.amount[d], inventory.whole[d] = float(amount), int(type(amount) is int)

    def _come(self) -> None:
        self.resource._amount = self.look("amount")

    def _fill(self, q: int, moved: Transfer) -> None:
        request, amount = self._memory.request, moved.amount
        request.amount[q], request.whole[q] = float(amount), int(type(amount) is int)

    def _give(self, moved: Transfer, q: int) -> None:
        request, amount = self._memory.request, self._memory.request.amount[q]
        assert isinstance(moved, AmountTransfer)
        moved.amount = int(amount) if request.whole[q] else amount

    def look(self, _: str) -> float:
        """How much is in it while it is away."""
        amount = self._memory.inventory.amount[self.row]
        return int(amount) if self._memory.inventory.whole[self.row] else amount


class AwayStore(AwayInventory):
    """A store that is away, or was: each item is a row of requests."""

    resource: Store
    _classes = ItemGet, ItemPut

    @property
    def _line_of_items(self) -> int:
        return int(self._memory.inventory.items[self.row])

    def _go(self) -> None:
        store, memory = self.resource, self._memory
        self._type = item_type(store)
        memory.station.asked[self._line_of_items] = store._arrived
        for _, number, since, item in store._entries:
            q = self._new_request(self._line_of_items, codes.NONE, 0.0)
            memory.request.number[q], memory.request.since[q] = number, since
            self._write(q, item)
            line_up(memory.views, self._line_of_items, q)
        memory.inventory.amount[self.row] = float(len(store._entries))

    def _come(self) -> None:
        store, a = self.resource, self._memory.views
        store._kept, store._arrived = int(store._kept), a.station.asked[self._line_of_items]
        rows = chain_of(a, a.station.first[self._line_of_items])
        store._entries.clear()
        store._entries.extend(map(self._entry, rows))
        for q in rows:
            drop(a, q)
        self._clear(self._line_of_items)

    def _write(self, q: int, item: object) -> None:
        request, memory = self._memory.request, self._memory
        request.amount[q] = 1.0
        if self._type is float and isinstance(item, float):
            request.real[q] = item
        elif self._type in _NUMBERS and isinstance(item, int):
            request.item[q] = int(item)
        else:
            memory.objects[id(item)] = item
            request.item[q] = id(item)

    def _entry(self, q: int) -> Entry:
        request = self._memory.views.request
        item: object = request.real[q] if self._type is float else request.item[q]
        if self._type in (bool, object):
            item = bool(item) if self._type is bool else self._memory.object_of(request.item[q])
        return 0, request.number[q], request.since[q], item

    def _fill(self, q: int, moved: Transfer) -> None:
        if isinstance(moved, ItemPut):
            self._write(q, moved.item)
        else:
            self._memory.request.amount[q] = 1.0

    def _give(self, moved: Transfer, q: int) -> None:
        if isinstance(moved, ItemPut):
            moved.item = self._entry(q)[3]
            return
        assert isinstance(moved, ItemGet)
        moved._filter = None
        if moved.state != WAITING:
            entry = self._memory.request.entry[q]
            moved._entry = self._entry(entry)
            drop(self._memory.views, entry)

    def look(self, _: str) -> tuple[object, ...]:
        """The items while it is away."""
        a = self._memory.views
        return tuple(self._entry(q)[3] for q in chain_of(a, a.station.first[self._line_of_items]))


# --- whether they can go away -----------------------------------------------------------------------------------------


def has_plain_amount(container: Container) -> bool:
    """Whether rows can have the amount and the capacity of a container."""
    amount, capacity = container.amount, container.capacity
    if type(container) is not Container or type(amount) not in _AMOUNTS or type(capacity) not in _AMOUNTS:
        return False
    if type(amount) is float and type(capacity) is float:
        return True
    return amount <= LARGEST and (capacity <= LARGEST or capacity == inf)


def item_type(store: Store) -> type | None:
    """The type of all items of a store, if rows can have them: of numbers, or `object` for others; None if not.

    An empty one has the type of the item that has come last.
    """
    kind = store._item_type
    if type(store) is not Store or store.key is not None or kind is None:
        return None
    items = [*(entry[3] for entry in store._entries), *(put.item for put in store.puts.line)]
    if kind not in _NUMBERS:
        return None if any(type(item) in _NUMBERS for item in items) else object
    is_plain = all(type(item) is kind for item in items) and (kind is not int or all(-WIDE < n < WIDE for n in items))
    return kind if is_plain else None


def sample_item(store: Store) -> object:
    """An item that a store has, or has had; None if it never had any."""
    return store._entries[0][3] if store._entries else store._last_item


def can_go(inventory: Inventory) -> bool:
    """Whether a container or a store can go away, but for the levels of its sides: nothing is granted there."""
    if inventory._promises or type(inventory.level) is not Level:
        return False
    if any(type(tally) is not Tally or not tally.keep for tally in tallies_of(inventory)):
        return False
    if any(side.line.count >= MOST for side in (inventory.puts, inventory.gets)):
        return False
    if isinstance(inventory, Store):
        number = len(inventory._entries)
        is_known = item_type(inventory) is not None and all(get._filter is None for get in inventory.gets.line)
        return is_known and number < MOST and inventory.level.value == number
    if (
        not isinstance(inventory, Container)
        or inventory.level.value != inventory.amount
        or not has_plain_amount(inventory)
    ):
        return False
    kinds = _AMOUNTS if type(inventory.amount) is float else (int,)
    return all(
        type(one.amount) in kinds and one.amount <= LARGEST for one in (*inventory.puts.line, *inventory.gets.line)
    )


def tallies_of(inventory: Inventory) -> list[Tally]:
    """The tallies that a container or a store keeps."""
    return [*([inventory.stays] if isinstance(inventory, Store) else []), inventory.puts.waits, inventory.gets.waits]


# --- the classes of what is away --------------------------------------------------------------------------------------


def _look(inventory: Inventory, name: str) -> object:
    """What a container or a store that is away has by a name."""
    if name in _STAYS:
        return object.__getattribute__(inventory, name)
    migration = inventory.sim._migration
    assert migration is not None
    if name == _LOOKED_AT[type(inventory).__mro__[1]]:
        return migration.look(inventory, name)
    migration.leave()
    return getattr(inventory, name)


def _look_at_side(side: AnySide, name: str) -> object:
    """What one side of it has."""
    if name not in _SIDE_STAYS:
        object.__getattribute__(side, "_clock")._migration.leave()
    return object.__getattribute__(side, name)


def _change_side(side: AnySide, name: str, value: object) -> None:
    _look_at_side(side, "line")
    setattr(side, name, value)


_AWAY: Final[dict[type, type]] = {known: away_class(known, _look, change_away) for known in (Container, Store)}
_SIDE_AWAY: Final = away_class(Side, _look_at_side, _change_side)
