"""The native engine of processes as assembly: it is needed where it has not been compiled yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from eventide.native import row_overrides
from eventide.native.engine import program
from eventide.native.gathering import gathered
from eventide.native.memory import MARKS
from eventide.native.method_kernels import table_of
from eventide.rows.interface import ENTRIES, PLAIN

if TYPE_CHECKING:
    from types import FunctionType


def rows_text() -> str:
    """The whole engine as assembly; its entries are `ENTRIES`."""
    return program({name: getattr(PLAIN, name) for name in ENTRIES}, row_overrides)


def kernels_text(kernels: Mapping[str, FunctionType]) -> str:
    """Kernels as assembly; its function `@kernel` returns a table of their addresses."""
    known: dict[str, FunctionType] = dict(kernels)
    return "\n".join([*gathered(known, row_overrides), table_of([f"@{name}" for name in known]), MARKS])
