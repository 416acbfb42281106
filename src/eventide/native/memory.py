"""The layout of the arrays as native code sees it: a table of addresses and widths, its only argument for them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.engine.codes import Coefficients
from eventide.engine.records import RECORDS, Arrays, Record, RunState
from eventide.native.values import Kind, Untranslatable, Value

if TYPE_CHECKING:
    from eventide.native.ir import Builder

ARRAYS: Final = (
    *(
        f"{name}.{kind}" if name in RECORDS else name
        for name in Arrays._fields[:-2]
        for kind in (RECORDS[name].widths if name in RECORDS else [""])
    ),
    *Coefficients._fields,
)
"""The arrays in the order of the table: the tables of a record apart, as `flow.ints` and `flow.floats`."""
FLOATS: Final = frozenset(
    [
        "rows",
        "constants",
        "keys",
        "models",
        "nodes",
        "table",
        "layers",
        "mixed",
        "bernstein",
        "blocks",
    ]
)
WIDTHS: Final = {
    "segments": 2,
    **{f"{name}.{kind}": width for name, record in RECORDS.items() for kind, width in record.widths.items()},
}
"""How many columns there are, where that never changes."""
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


def pack(arrays: Arrays, method: list[int]) -> tuple[int, Any]:
    """The address of the table, and what must live as long as it is used.

    method  the entries of the method's arrays
    """
    parts = tables_of(arrays[:-2])
    table = np.array(places_of(parts) + method, np.int64)
    return int(table.ctypes.data), (table, parts)


def tables_of(parts: Iterable[Any]) -> list[Any]:
    """The tables of which arrays are made, in the order of `ARRAYS`."""
    return [table for part in parts for table in (part.tables() if isinstance(part, Record) else [part])]


def places_of(parts: Iterable[Any]) -> list[int]:
    """The address of each table and how many columns it has."""
    flat: list[int] = []
    for part in parts:
        if isinstance(part, RunState):
            flat += [ctypes.addressof(part), 1]
        else:
            # As `array.ctypes.data`, in a tenth of the time; the address of an empty array is not used.
            flat += [ctypes.addressof(ctypes.c_char.from_buffer(part)) if part.size else 0, part.shape[-1]]
    return flat


def table_at(address: int) -> Any:
    """The table of addresses that the function at an address returns."""
    return ctypes.cast(ctypes.CFUNCTYPE(ctypes.c_void_p)(address)() or 0, ctypes.POINTER(ctypes.c_int64))


class Memory:
    """The arrays as one function reaches them."""

    def __init__(self, builder: Builder, table: str, sizes: Sequence[int] | None = None) -> None:
        self._builder = builder
        self._table = table
        self._sizes = sizes

    def base(self, name: str) -> str:
        """The address of an array."""
        return self._entry(2 * _place(name), "ptr")

    def width(self, name: str) -> Value:
        """How many columns an array has."""
        known = WIDTHS.get(name)
        return Value(str(known) if known else self._entry(2 * _place(name) + 1, "i64"), "i64")

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
        if name not in RunState.__annotations__:
            raise Untranslatable(f"a.run has no field {name}")
        kind: Kind = "double" if RunState.__annotations__[name] == "float" else "i64"
        return kind, self._builder.address("i8", self.base("run"), str(getattr(RunState, name).offset))

    def kind(self, name: str) -> Kind:
        """The kind of an array's items."""
        return "double" if name in FLOATS or name.endswith(".floats") else "i64"

    def address(self, name: str, index: str) -> str:
        """The address of an item."""
        base = self.base(name)
        return self._builder.value("getelementptr inbounds", self.kind(name), base, index)


def _place(name: str) -> int:
    try:
        return ARRAYS.index(name)
    except ValueError:
        raise Untranslatable(f"no array is called {name}") from None
