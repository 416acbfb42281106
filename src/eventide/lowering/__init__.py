"""Laws and conditions, which are plain Python, as native functions over the table of slots.

May import: continuous, methods, inputs, discrete, native, engine, declare, errors.
Start reading at `plans/registry.py`, then `kernels/lowering.py` and `translation/context.py`.

names           what code refers to
branches        what branches in laws, located
processes       what processes do between waits, as segments
translation     code as instructions: the context, the rules, the dialects
kernels         whole functions, and what their callers know of them
plans           what laws, conditions, handlers and processes are for the stepper
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from eventide.lowering.kernels.lowered import Access, Anchor, Constant, Kernel, Lowered, compile_kernel
from eventide.lowering.kernels.lowering import lower_condition, lower_law
from eventide.lowering.names.binder import Binding
from eventide.lowering.not_compilable import CannotLower
from eventide.lowering.plans.registry import Bound, Registry
from eventide.native.locking import locked
from eventide.native.store import Store

if TYPE_CHECKING:
    from eventide.continuous import Integrator, System
    from eventide.native.engine import NativeEngine
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
    from eventide.native.engine import NativeEngine

    return NativeEngine(_shared_registry().store)


def native_integrator(sim: Simulation, system: System) -> Integrator:
    """The motion of a simulation as native code, as far as its laws can be compiled."""
    from eventide.continuous import Integrator
    from eventide.lowering.plans.planner import Compiler

    registry = _shared_registry()
    registry.renew()
    return Integrator(sim, system, Compiler(registry, is_strict=sim.compile is True), _shared_engine().engine)


def plain_integrator(sim: Simulation, system: System) -> Integrator:
    """The motion of a simulation as plain Python; only the event functions of its conditions are compiled."""
    from eventide.continuous import Integrator
    from eventide.lowering.plans.planner import GuardCompiler

    registry = _shared_registry()
    registry.renew()
    return Integrator(sim, system, GuardCompiler(registry, is_strict=False))


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
    "native_integrator",
    "plain_integrator",
]
