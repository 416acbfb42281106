"""The native engine of processes: the functions of `rows/`, and the kernels of generator functions.

In: the functions that `rows/interface.py` lists, and kernels in the same language. Out: a `RowEngine` of native
functions, compiled once for an installation, and addresses of kernels. A kernel is a module of its own, with copies of
the functions of `rows/` that it calls, so that they are inlined. What is kept in the store is loaded in a fraction of
the time that the translation alone takes to import, so that is imported where something is compiled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from eventide.native.calls import PLACES
from eventide.native.locking import cached_property, locked
from eventide.native.outside import NEEDED, OUTSIDE
from eventide.native.packing import functions_at, pack_rows, table_at
from eventide.native.sources import ROW_SOURCES, key_of
from eventide.rows.interface import ENTRIES, RowEngine

if TYPE_CHECKING:
    from types import FunctionType

    from eventide.native.store import Store

EFFORT: Final = 1
"""Of LLVM's passes: with 2 native code is 2 to 3 % faster, and takes twice as long to make."""


class NativeRows:
    """The engine of native processes as native code, from a store.

    is_loaded   whether it is there already
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._addresses: dict[str, int] = {}  # of the kernels that are loaded, by what their texts depend on

    @cached_property
    def engine(self) -> RowEngine:
        """The functions that Python calls."""
        table = self._store.load(_engine_text, NEEDED, key=self._key, effort=EFFORT)
        *functions, places = functions_at(table, (*ENTRIES, PLACES))
        return RowEngine(partial(pack_rows, places=places), *functions)

    @property
    def is_loaded(self) -> bool:
        """Whether the engine has been loaded."""
        return "engine" in self.__dict__

    @cached_property
    def _key(self) -> str:
        return key_of(ROW_SOURCES)

    @property
    def is_kept(self) -> bool:
        """Whether the store seems to have the engine: it may be that of another processor."""
        return self._store.seems_to_have(self._key)

    def is_kernel_kept(self, source: str) -> bool:
        """The same of a kernel."""
        return source in self._addresses or self._store.seems_to_have(self._key_of(source))

    def _key_of(self, source: str) -> str:
        return hashlib.sha256(f"{self._key}\n{source}".encode()).hexdigest()

    @locked
    def kernel(self, make: Callable[[], FunctionType], source: str = "") -> int:
        """The address of a kernel.

        make    what makes the kernel, a function `(a: Rows, i: int) -> int` whose source can be found
        source  what its text depends on besides that of the engine; where it is given and known, nothing is translated
        Raises Untranslatable.
        """
        if source in self._addresses:
            return self._addresses[source]
        text = _Text(make)
        given = text if source else text()
        table = self._store.load(given, OUTSIDE, key=self._key_of(source) if source else "", effort=EFFORT)
        address = int(table_at(table)[0])
        if source:
            self._addresses[source] = address
        return address


def _engine_text() -> str:
    from eventide.native.row_texts import rows_text

    return rows_text()


class _Text:
    """Makes the text of a kernel when it is needed."""

    def __init__(self, make: Callable[[], FunctionType]) -> None:
        self._make = make

    def __call__(self) -> str:
        from eventide.native.row_texts import kernels_text

        function = self._make()
        return kernels_text({function.__name__: function})
