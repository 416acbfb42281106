"""The native stepper: gather and translate its source, compile it once for an installation, and load it.

In: the functions that `engine/interface.py` lists. Out: an `Engine` of native functions, from the store if its source,
compiler and processor are known there. Each method of integration gets a table of functions of its own.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from eventide.engine.interface import DIRECT, ENTRIES, PLAIN, Engine
from eventide.native import calls, overrides
from eventide.native.expressions import signature
from eventide.native.gathering import gathered
from eventide.native.locking import cached_property, locked
from eventide.native.memory import MARKS
from eventide.native.method_kernels import kernels_of, method_text, table_of
from eventide.native.outside import NEEDED
from eventide.native.packing import Places, functions_at, pack, placed, table_at
from eventide.native.sources import SOURCES, key_of

if TYPE_CHECKING:
    from types import FunctionType

    from numpy.typing import NDArray

    from eventide.engine.codes import Coefficients
    from eventide.engine.records import Arrays
    from eventide.native.store import Store


class NativeEngine:
    """The stepper's functions as native code, from a store.

    engine      what the motion of a simulation calls
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kernels: dict[bytes, NDArray[np.int64]] = {}
        self._methods: dict[int, tuple[Coefficients, array[int]]] = {}

    @cached_property
    def engine(self) -> Engine:
        """The functions that Python calls."""
        engine = Engine(self._pack, *functions_at(self._table, ENTRIES))
        first = len(ENTRIES) + 1
        engine.places = tuple(table_at(self._table)[first : first + len(DIRECT)])
        return engine

    @cached_property
    def _table(self) -> int:
        return self._store.load(_told(stepper_text), NEEDED, key=key_of(SOURCES))

    @cached_property
    def _places(self) -> Places:
        return functions_at(self._table, (*ENTRIES, calls.PLACES))[-1]

    def _pack(self, arrays: Arrays) -> tuple[int, object]:
        method = arrays.method
        known = self._methods.get(id(method)) or self._add(method)
        return pack(arrays, known[1], self._places)

    @locked
    def _add(self, method: Coefficients) -> tuple[Coefficients, array[int]]:
        """A method and the addresses of its arrays. Native code works on these, so the first ones are kept for good."""
        key = id(method)
        if key not in self._methods:
            whole = method._replace(kernels=self._kernels_of(method))
            # Kept with its source object, whose id might otherwise be given to another object.
            self._methods[key] = method, placed([*map(np.asarray, whole)], self._places)
        return self._methods[key]

    def _kernels_of(self, method: Coefficients) -> NDArray[np.int64]:
        """The addresses of a method's functions."""
        key = bytes(method.sizes) + bytes(method.table)
        if key not in self._kernels:
            addresses = table_at(self._store.load(method_text(method)))
            self._kernels[key] = np.array(addresses[: len(kernels_of(method))], np.int64)
        return self._kernels[key]


def _told(make: Callable[[], str]) -> Callable[[], str]:
    """The same, with a message that it takes a moment."""

    def make_and_tell() -> str:
        sys.stderr.write("eventide: compiling its stepper, once for this installation (some seconds)\n")
        return make()

    return make_and_tell


def stepper_text() -> str:
    """The whole stepper as assembly; its entries are `ENTRIES`."""
    return program({name: getattr(PLAIN, name) for name in ENTRIES}, direct=DIRECT)


def program(entries: dict[str, FunctionType], replaced: object = overrides, direct: Sequence[str] = ()) -> str:
    """Functions of the stepper's language, and those that they call, as assembly.

    replaced    a module whose functions replace those of the same name
    direct      those that other native code calls, too
    Its function `@kernel` returns a table of the addresses of the entries for Python, of `calls.PLACES`, and of these
    for others.
    Raises Untranslatable.
    """
    calling = [calls.call_text(name, *signature(function)) for name, function in entries.items()]
    called = (*entries, calls.PLACES)
    table = table_of([*(f"@{calls.SECOND}{name}" for name in called), *(f"@{name}" for name in direct)])
    parts = [*calls.DECLARATIONS, calls.PLACES_TEXT, *gathered(entries, replaced), *calling, table]
    return "\n".join([*parts, MARKS])
