"""The table of addresses and widths of arrays, from which native code takes them, and tables that it gives."""

from __future__ import annotations

import ctypes
from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.engine.records import Arrays, Record, address_of
from eventide.native import calls
from eventide.rows.records import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eventide.engine.codes import NumberTable

PLAIN: Final = Arrays._fields.index("slot")
"""The number of the stepper's arrays that come before its records."""
FLAT: Final = Rows._fields.index("activity")
"""The same for native processes."""


def pack(arrays: Arrays, method: tuple[int, ...]) -> tuple[int, object]:
    """The address of the table, and what must live as long as it is used.

    method  the entries of the method's arrays
    """
    whole: tuple[Any, ...] = arrays
    return _table([placed(whole[:PLAIN]), *map(_placed, whole[PLAIN:-2]), (method, ())])


def pack_rows(rows: Rows) -> tuple[int, object]:
    """The same for the tables of native processes."""
    flat = [np.asarray(view) for view in rows[:FLAT]]
    whole: tuple[Any, ...] = rows
    return _table([placed(flat), *map(_placed, whole[FLAT:-1])])


def placed(arrays: Iterable[Any]) -> tuple[tuple[int, ...], tuple[NumberTable, ...]]:
    """The address and the width of each array, one after the other, and the arrays, which have to live as long."""
    places: list[int] = []
    for one in arrays:
        places += address_of(one) if one.size else 0, one.shape[-1]  # that of an empty array is not used
    return tuple(places), tuple(arrays)


def _placed(record: Record | ctypes.Structure) -> tuple[tuple[int, ...], tuple[object, ...]]:
    """The same of the tables of a record, or of the record of a run."""
    return placed(record.tables()) if isinstance(record, Record) else ((ctypes.addressof(record), 1), (record,))


def _table(parts: list[tuple[tuple[int, ...], tuple[object, ...]]]) -> tuple[int, object]:
    table = array("q", chain.from_iterable([places for places, _ in parts]))
    return table.buffer_info()[0], (table, parts)


def table_at(address: int) -> Any:
    """The table of addresses that the function at an address returns."""
    return ctypes.cast(ctypes.CFUNCTYPE(ctypes.c_void_p)(address)() or 0, ctypes.POINTER(ctypes.c_int64))


def functions_at(table: int, names: Iterable[str]) -> list[Callable[..., Any]]:
    """The entries of a program, as Python calls them."""
    addresses = table_at(table)
    return [calls.builtin(name, addresses[k]) for k, name in enumerate(names)]
