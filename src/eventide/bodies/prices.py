"""What native code of processes costs before it runs, told without making it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.rows.loading import ENGINE, KERNEL, LOADING, RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.bodies.body import Body
    from eventide.native.row_engine import NativeRows


def price_of(native: NativeRows, bodies: Iterable[Body]) -> int:
    """What it takes to load the engine, and the kernels of these bodies, in events of Python."""
    engine = 0 if native.is_loaded else LOADING if native.is_kept else LOADING + ENGINE
    cold = [body for body in bodies if not native.is_kernel_kept(body.text)]
    return engine + sum(KERNEL + RESOURCES * bool(body.naming.stations) for body in cold)
