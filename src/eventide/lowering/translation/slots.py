"""Reading and writing the table of slots in a kernel, and the book of what was read and written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.enclosures.guard_expressions import GuardExpression
from eventide.engine.codes import ELAPSED, STATE, TIME
from eventide.lowering.kernels.index_rows import entry
from eventide.lowering.kernels.lowered import Access, Anchor, Row
from eventide.lowering.names.paths import ITEMS
from eventide.lowering.translation.values import (
    COUNTABLE,
    Boolean,
    Kind,
    Number,
    Path,
    Ref,
    Span,
    Stored,
    Table,
)
from eventide.native.ir import NAN, ONE, ZERO, Builder, Instruction

if TYPE_CHECKING:
    from collections.abc import Hashable

    from eventide.lowering.names.found import ClosureNumber, PassedNumber, Place

ROWS: Final[dict[Row, str]] = {
    "state": "%Y",
    "rate": "%R",
    "computed": "%Y",
    "sum": "%Y",
    "parameter": "%Y",
    "last": "%Y0",
}
"""The argument of the kernel in which each kind of quantity stands."""
CLOCK: Final = {"time": ("%t", ONE), "dt": ("%dt", ONE), "last_time": ("%last", None)}
"""For each name of the clock the argument of the kernel, and its slope within a step."""


class SlotAccess(NamedTuple):
    """A read or a write of a single quantity: its value, the instruction, and where that quantity stands."""

    access: Access
    value: str
    instruction: Instruction
    base: str
    offset: int


class Slots:
    """Writes loads and stores.

    loads, stores   those of single quantities so far
    """

    def __init__(self, builder: Builder, *, is_guided: bool) -> None:
        self.builder = builder
        self.is_guided = is_guided
        self.paths: dict[Anchor, str] = {}
        self.lists: dict[Anchor, str] = {}
        self.tables: dict[Path, str] = {}
        self.objects: dict[Path, str] = {}
        self.literals: dict[object, str] = {}
        self.reads: dict[Access, None] = {}
        self.writes: dict[Access, None] = {}
        self.ranges: dict[Access, dict[Span, None]] = {}
        self.clock: dict[str, None] = {}
        self.loads: list[SlotAccess] = []
        self.stores: list[SlotAccess] = []

    # --- where things stand ---------------------------------------------------------------------------------------

    def count(self, path: Path) -> str:
        """How many items a list has."""
        known = Anchor(path, is_aside=True)
        return self.builder.load("i64", "%lists", self._list(known if known in self.lists else Anchor(path)))

    def _list(self, anchor: Anchor) -> str:
        return self.lists.setdefault(anchor, f"%list{len(self.lists)}")

    def _base(self, ref: Ref, name: str) -> str:
        """The first slot of the block in which a quantity stands."""
        layout = getattr(ref.sample, "_layout", None)
        anchor = Anchor(ref.path, is_aside=layout is not None and name in layout.aside)
        if ITEMS not in ref.path:
            return self.paths.setdefault(anchor, f"%base{len(self.paths)}")
        assert ref.element is not None
        first = self.builder.value("add", "i64", self._list(anchor), 1)
        return self.builder.load("i64", "%lists", self.builder.value("add", "i64", first, ref.element))

    def _index(self, place: Place | Stored, item: str | None = None) -> str:
        index = self.builder.value("add", "i64", self._base(place.owner, place.name), place.offset)
        if item is not None:
            index = self.builder.value("add", "i64", index, item)
        return index

    def base_of(self, place: Place) -> str:
        """The operand with the first slot of the block in which a quantity stands, of an object that is no item."""
        return self._base(place.owner, place.name)

    # --- access ---------------------------------------------------------------------------------------------------

    def read(self, place: Place, written: frozenset[Access]) -> Number | Boolean:
        """The quantity at a place."""
        access = Access(place.owner.path, place.row, place.name)
        if access not in written:
            self.reads[access] = None
        index = self._index(place)
        value = self.builder.load("double", ROWS[place.row], index)
        self.loads.append(self._touch(place, access, value))
        slope = self._slope(place, index)
        if place.kind is bool:
            return replace(self.truth(value), slope=slope)
        if place.kind is int:
            # What is no whole number, or one that no double holds, is refused where it is set.
            return Number(self.builder.value("fadd", "double", value, ZERO), "whole", slope)  # no -0.0
        return Number(value, "float", slope, form=self._form(place, place.offset))

    def _slope(self, place: Place | Stored, index: str) -> str | None:
        if not self.is_guided or place.row in ("parameter", "last"):
            return None
        # Of rates, computed values and sums no law tells the derivative.
        return self.builder.load("double", "%R", index) if place.row == "state" else NAN

    def _form(self, place: Place | Stored, offset: int) -> GuardExpression | None:
        """How a state moves, if it is told by its object's place in the index row."""
        anchor = Anchor(place.owner.path)
        if not self.is_guided or place.row != "state" or anchor not in self.paths:
            return None
        return GuardExpression(STATE, numbers=(list(self.paths).index(anchor), offset))

    def note_read(self, stored: Stored, written: frozenset[Access]) -> None:
        """A vector is read, or a part of it."""
        access = Access(stored.owner.path, stored.row, stored.name)
        if access not in written:
            self.reads[access] = None

    def item(self, stored: Stored, item: str) -> Number:
        """One item of a vector."""
        index = self._index(stored, item)
        value = self.builder.load("double", ROWS[stored.row], index)
        form = self._form(stored, stored.offset + int(item)) if item.isdigit() else None
        return Number(value, "float", self._slope(stored, index), is_numpy=True, form=form)

    def address(self, stored: Stored, item: str) -> str:
        """Where an item of a vector stands."""
        return self.builder.address("double", ROWS[stored.row], self._index(stored, item))

    def set_item(self, stored: Stored, item: str, value: str) -> None:
        """Set one item of a vector."""
        self.builder.store("double", value, ROWS[stored.row], self._index(stored, item))

    def note_write(self, stored: Stored, items: Span) -> Access:
        """Items of a vector are written, from one to before another; returns which vector it was."""
        access = Access(stored.owner.path, stored.row, stored.name)
        self.writes[access] = None
        self.ranges.setdefault(access, {})[items] = None
        return access

    def truth(self, value: str) -> Boolean:
        """A double that holds 0 or 1 as a Boolean."""
        return Boolean(self.builder.value("fcmp une", "double", value, "0.0"))

    def write(self, place: Place, value: str) -> Access:
        """Set the quantity at a place; returns which one it was."""
        access = Access(place.owner.path, place.row, place.name)
        self.writes[access] = None
        self.builder.store("double", value, ROWS[place.row], self._index(place))
        self.stores.append(self._touch(place, access, value))
        return access

    def _touch(self, place: Place, access: Access, value: str) -> SlotAccess:
        """What has just been written."""
        assert self.builder.current is not None
        instruction = self.builder.current.lines[-1]
        return SlotAccess(access, value, instruction, self._base(place.owner, place.name), place.offset)

    def tell(self, name: str) -> Number:
        """A name of the clock."""
        self.clock[name] = None
        argument, slope = CLOCK[name]
        form = GuardExpression(TIME if name == "time" else ELAPSED) if self.is_guided and slope else None
        return Number(argument, "float", slope if self.is_guided else None, form=form)

    def passed(self, passed: PassedNumber) -> Number | Boolean:
        """A number that is passed as it stands."""
        row = self._table(passed.path)
        place = self.builder.value("add", "i64", row, 1)
        if passed.element is not None:
            place = self.builder.value("add", "i64", place, passed.element)
        if passed.kind is float:
            return Number(self.builder.load("double", "%lists", place), "float", is_numpy=passed.is_numpy)
        whole = self.builder.load("i64", "%lists", place)
        return Number(whole, "int") if passed.kind is int else Boolean(self.builder.value("icmp ne", "i64", whole, 0))

    def size(self, table: Table) -> Number:
        """How many numbers a table has."""
        return Number(self.builder.load("i64", "%lists", self._table(table.path)), "int", span=(0, COUNTABLE[1]))

    def array_item(self, table: Table, index: str) -> Number:
        """One number of an array, which is known to be there."""
        behind = self.builder.value("add", "i64", self._table(table.path), 1)
        place = self.builder.value("add", "i64", behind, index)
        return Number(self.builder.load("double", "%lists", place), "float", is_numpy=True)

    def array_address(self, table: Table, index: str) -> str:
        """Where one number of an array stands."""
        behind = self.builder.value("add", "i64", self._table(table.path), 1)
        return self.builder.address("double", "%lists", self.builder.value("add", "i64", behind, index))

    def cell(self, table: Table, index: str) -> Number:
        """One number of a table, NaN where Python raises."""
        builder, row = self.builder, self._table(table.path)
        size = builder.load("i64", "%lists", row)
        is_from_end = builder.value("icmp slt", "i64", index, 0)
        place = builder.select(is_from_end, "i64", builder.value("add", "i64", index, size), index)
        is_inside = builder.value("icmp ult", "i64", place, size)
        behind = builder.value("add", "i64", builder.value("add", "i64", row, 1), place)
        value = builder.load("double", "%lists", builder.select(is_inside, "i64", behind, row))
        self.builder.note_trap(self.builder.value("xor", "i1", is_inside, "true") if self.builder.traps else "")
        kind: Kind = "whole" if table.kind is int else "float"
        if kind == "whole":
            self.builder.note_inexact(value)
        is_numpy = table.array_size is not None
        return Number(builder.select(is_inside, "double", value, NAN), kind, is_numpy=is_numpy)

    def _table(self, path: Path) -> str:
        return self.tables.setdefault(path, f"%table{len(self.tables)}")

    def const(self, const: ClosureNumber) -> Number | Boolean:
        """A number that a condition closes over."""
        value = self.builder.load("double", "%consts", str(const.index))
        if const.kind is bool:
            return self.truth(value)
        if const.kind is int:
            self.builder.note_inexact(value)
            return Number(value, "whole")
        return Number(value, "float", is_numpy=const.is_numpy)

    # --- objects of Python ------------------------------------------------------------------------------------------

    def object(self, path: Path) -> str:
        """The address of an object itself, as a whole number."""
        return self.objects.setdefault(path, f"%object{len(self.objects)}")

    def literal(self, value: Hashable) -> str:
        """The same of a text or a member of an enumeration in the code, or of None."""
        return self.literals.setdefault(value, f"%literal{len(self.literals)}")

    # --- the index row --------------------------------------------------------------------------------------------

    @property
    def entries(self) -> list[str]:
        """The operands of the index row's entries, in the order of `Lowered.width`."""
        kinds = (self.paths, self.lists, self.tables, self.objects, self.literals)
        return [name for kind in kinds for name in kind.values()]

    def prologue(self, row: str) -> list[Instruction]:
        """Loads of the index row's entries, which begin at `row`."""
        return [one for place, name in enumerate(self.entries) for one in entry(name, row, place)]
