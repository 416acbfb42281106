"""The table of addresses and widths of arrays, from which native code takes them, and tables that it gives."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.engine.records import Arrays
from eventide.native import calls
from eventide.rows.records import Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLAIN: Final = Arrays._fields.index("slot")
"""The number of the stepper's arrays that come before its records."""
FLAT: Final = Rows._fields.index("activity")
"""The same for native processes."""
STATE: Final = Arrays._fields.index("run")
ROW_STATE: Final = Rows._fields.index("run")


Places: TypeAlias = Callable[..., object]
"""Writes addresses and widths of arrays to an address: `calls.PLACES`."""


def pack(arrays: Arrays, method: array[int], places: Places) -> tuple[int, object]:
    """The address of the table, and what must live as long as it is used.

    method  the entries of the method's arrays
    """
    return _table(arrays[:PLAIN], arrays[PLAIN:STATE], arrays.run, places, method)


def pack_rows(rows: Rows, places: Places) -> tuple[int, object]:
    """The same for the tables of native processes."""
    return _table(rows[:FLAT], rows[FLAT:ROW_STATE], rows.run, places, array("q"))


def _table(
    plain: Iterable[Any], records: Iterable[Any], run: ctypes.Structure, places: Places, method: array[int]
) -> tuple[int, object]:
    arrays = list(plain)
    for record in records:
        arrays += record.tables()
    table = placed(arrays, places)
    table.extend((ctypes.addressof(run), 1))
    table.extend(method)
    return table.buffer_info()[0], (table, arrays, run)


def placed(arrays: Sequence[Any], places: Places) -> array[int]:
    """The address and the width of each array, one after the other. The arrays have to live as long as it is used."""
    table = array("q", bytes(16 * len(arrays)))
    places(table.buffer_info()[0], *arrays)
    return table


def table_at(address: int) -> Any:
    """The table of addresses that the function at an address returns."""
    return ctypes.cast(ctypes.CFUNCTYPE(ctypes.c_void_p)(address)() or 0, ctypes.POINTER(ctypes.c_int64))


def functions_at(table: int, names: Iterable[str]) -> list[Callable[..., Any]]:
    """The entries of a program, as Python calls them."""
    addresses = table_at(table)
    return [calls.builtin(name, addresses[k]) for k, name in enumerate(names)]
