"""The layout of the arrays as native code sees it: a table of addresses and widths, its only argument for them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eventide.engine import records as engine_records
from eventide.engine.codes import Coefficients
from eventide.engine.records import Arrays, Record, RunState
from eventide.native.values import Kind, Untranslatable, Value
from eventide.rows import records as row_records
from eventide.rows.records import Rows, RowState

if TYPE_CHECKING:
    from eventide.native.ir import Builder


@dataclass(frozen=True)
class Layout:
    """The arrays of an engine, in the order of their table of addresses and widths.

    names       of the arrays; the tables of a record apart, as `flow.ints` and `flow.floats`
    records     the records among them
    floats      the arrays of real numbers
    widths      how many columns there are, where that never changes
    state       the record of the run
    """

    names: tuple[str, ...]
    records: Mapping[str, type[Record]]
    floats: frozenset[str]
    widths: Mapping[str, int]
    state: type[ctypes.Structure]

    def place(self, name: str) -> int:
        """The place of an array."""
        try:
            return self.names.index(name)
        except ValueError:
            raise Untranslatable(f"no array is called {name}") from None


def _layout(
    arrays: tuple[str, ...],
    records: Mapping[str, type[Record]],
    state: type[ctypes.Structure],
    floats: Iterable[str],
    widths: Mapping[str, int],
) -> Layout:
    kinds = [(name, records[name].widths if name in records else [""]) for name in arrays]
    return Layout(
        names=tuple(f"{name}.{kind}" if kind else name for name, known in kinds for kind in known),
        records=records,
        floats=frozenset(floats),
        widths={
            **widths,
            **{f"{name}.{kind}": width for name, record in records.items() for kind, width in record.widths.items()},
        },
        state=state,
    )


STEPPER: Final = _layout(
    (*Arrays._fields[:-2], *Coefficients._fields),
    engine_records.RECORDS,
    RunState,
    ["rows", "constants", "keys", "models", "nodes", "table", "layers", "mixed", "bernstein", "blocks"],
    {"segments": 2},
)
ROWS: Final = _layout(Rows._fields[:-1], row_records.RECORDS, RowState, ["reals"], {})
LAYOUTS: Final[Mapping[str, Layout]] = {"Arrays": STEPPER, "Rows": ROWS}
"""The layouts by the annotation of the first argument of the functions that they are for."""
STANDING: Final = frozenset(["sizes", "nodes", "table", "layers", "bernstein", "blocks", "kernels"])
"""Arrays that are not written while native code runs."""
INVARIANT: Final = "!invariant.load !0"
"""The mark of a load that gives the same however often it is made; `!0` is an empty node."""
AS_IT_STANDS: Final = "!llvm.loop !1"
"""The mark of a loop that is not unrolled: most turn a few times, and take the longer to compile."""
MARKS: Final = """!0 = !{}
!1 = distinct !{!1, !2, !3}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = !{!"llvm.loop.interleave.count", i32 1}
"""
"""What a text that has these marks ends with."""


class Memory:
    """The arrays as one function reaches them."""

    def __init__(
        self, builder: Builder, table: str, sizes: Sequence[int] | None = None, layout: Layout = STEPPER
    ) -> None:
        self.layout = layout
        self._builder = builder
        self._table = table
        self._sizes = sizes

    def base(self, name: str) -> str:
        """The address of an array."""
        return self._entry(2 * self.layout.place(name), "ptr")

    def width(self, name: str) -> Value:
        """How many columns an array has."""
        known = self.layout.widths.get(name)
        return Value(str(known) if known else self._entry(2 * self.layout.place(name) + 1, "i64"), "i64")

    def _entry(self, place: int, kind: Kind) -> str:
        address = self._builder.address("i64", self._table, str(place))
        return self._builder.get(kind, address, INVARIANT)

    def load(self, name: str, index: str) -> Value:
        """An item."""
        if name == "sizes" and self._sizes is not None:
            return Value(str(int(self._sizes[int(index)])), "i64")
        kind, address = self.kind(name), self.address(name, index)
        mark = INVARIANT if name in STANDING else ""
        return Value(self._builder.get(kind, address, mark), kind)

    def store(self, name: str, index: str, value: Value) -> None:
        """Set an item, whose kind the value already has."""
        kind, address = self.kind(name), self.address(name, index)
        self._builder.put(kind, value.text, address)

    def field(self, name: str) -> tuple[Kind, str]:
        """The kind of a field of `a.run`, and its address."""
        state = self.layout.state
        if name not in state.__annotations__:
            raise Untranslatable(f"a.run has no field {name}")
        kind: Kind = "double" if state.__annotations__[name] == "float" else "i64"
        return kind, self._builder.address("i8", self.base("run"), str(getattr(state, name).offset))

    def kind(self, name: str) -> Kind:
        """The kind of an array's items."""
        return "double" if name in self.layout.floats or name.endswith(".floats") else "i64"

    def address(self, name: str, index: str) -> str:
        """The address of an item."""
        base = self.base(name)
        return self._builder.value("getelementptr inbounds", self.kind(name), base, index)
