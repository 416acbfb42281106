"""The native engine of processes: the functions of `rows/`, and the kernels of generator functions.

In: the functions that `rows/interface.py` lists, and kernels in the same language. Out: a `RowEngine` of native
functions, compiled once for an installation, and addresses of kernels. A kernel is a module of its own, with copies of
the functions of `rows/` that it calls, so that they are inlined.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eventide.native import row_overrides
from eventide.native.engine import NEEDED, SOURCES, functions_at, key_of, program
from eventide.native.gathering import OUTSIDE, gathered
from eventide.native.locking import locked
from eventide.native.memory import MARKS, pack_rows, table_at
from eventide.native.method_kernels import table_of
from eventide.rows import records
from eventide.rows.interface import ENTRIES, PLAIN, RowEngine

if TYPE_CHECKING:
    from types import FunctionType

    from eventide.native.store import Store

ROW_SOURCES: Final = (*SOURCES, Path(records.__file__).parent)
"""Folders of the source on which the native engine depends."""


class NativeRows:
    """The engine of native processes as native code, from a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def engine(self) -> RowEngine:
        """The functions that Python calls."""
        table = self._store.load(rows_text, NEEDED, key=self._key)
        return RowEngine(pack_rows, *functions_at(table, ENTRIES))

    @cached_property
    def _key(self) -> str:
        return key_of(ROW_SOURCES)

    @locked
    def kernel(self, function: FunctionType, source: str = "") -> int:
        """The address of a kernel, a function `(a: Rows, i: int) -> int` whose source can be found.

        source  what its text depends on besides that of the engine; where it is given and known, nothing is translated
        Raises Untranslatable.
        """
        key = hashlib.sha256(f"{self._key}\n{source}".encode()).hexdigest() if source else ""
        table = self._store.load(_Text(function), OUTSIDE, key=key) if key else self._made(function)
        return int(table_at(table)[0])

    def _made(self, function: FunctionType) -> int:
        return self._store.load(kernels_text({function.__name__: function}), OUTSIDE)


class _Text:
    """Makes the text of a kernel when it is needed."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    def __call__(self) -> str:
        return kernels_text({self._function.__name__: self._function})


def rows_text() -> str:
    """The whole engine as assembly; its entries are `ENTRIES`."""
    return program({name: getattr(PLAIN, name) for name in ENTRIES}, row_overrides)


def kernels_text(kernels: Mapping[str, FunctionType]) -> str:
    """Kernels as assembly; its function `@kernel` returns a table of their addresses."""
    known: dict[str, FunctionType] = dict(kernels)
    return "\n".join([*gathered(known, row_overrides), table_of([f"@{name}" for name in known]), MARKS])
