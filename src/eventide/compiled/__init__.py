"""Laws and conditions, which are plain Python, as native functions over the table of slots.

May import: continuous, discrete, declare, errors. Start reading at `registry.py`, then `lower.py` and `statements.py`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from eventide.compiled.binder import Binding
from eventide.compiled.locking import locked
from eventide.compiled.lower import lower_condition, lower_law
from eventide.compiled.lowered import Access, Anchor, Constant, Kernel, Lowered
from eventide.compiled.refusal import CannotLower
from eventide.compiled.registry import Bound, Registry
from eventide.compiled.store import Store, compile_kernel

if TYPE_CHECKING:
    from eventide.compiled.stepping.engine import NativeEngine
    from eventide.continuous import Motion, System
    from eventide.simulation import Simulation


@locked
@cache
def _shared_registry() -> Registry:
    """One registry for all simulations of this process: it keeps classes and code, no object of theirs."""
    return Registry()


@locked
@cache
def _shared_engine() -> NativeEngine:
    """One stepper for all simulations of this process."""
    from eventide.compiled.stepping.engine import NativeEngine

    return NativeEngine(_shared_registry().store)


def native_motion(sim: Simulation, system: System) -> Motion:
    """The motion of a simulation as native code, as far as its laws can be compiled."""
    from eventide.compiled.analyst import Compiler
    from eventide.continuous import Motion

    registry = _shared_registry()
    registry.renew()
    return Motion(sim, system, Compiler(registry, is_strict=sim.compile is True), _shared_engine().engine)


def plain_motion(sim: Simulation, system: System) -> Motion:
    """The motion of a simulation as plain Python; only the event functions of its conditions are compiled."""
    from eventide.compiled.analyst import Guide
    from eventide.continuous import Motion

    registry = _shared_registry()
    registry.renew()
    return Motion(sim, system, Guide(registry, is_strict=False))


__all__ = [
    "Access",
    "Anchor",
    "Binding",
    "Bound",
    "CannotLower",
    "Constant",
    "Kernel",
    "Lowered",
    "Registry",
    "Store",
    "compile_kernel",
    "lower_condition",
    "lower_law",
    "native_motion",
    "plain_motion",
]
