"""Functions of `rows/` that differ in native code: kernels are called at their addresses, not through Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.native.instructions import kernel

if TYPE_CHECKING:
    from eventide.rows.records import Rows


def run_kernel(a: Rows, i: int) -> int:
    """Let a process run to its next wait; returns what its kernel does."""
    return kernel(a.kind.address[a.activity.kind[i]], i)
