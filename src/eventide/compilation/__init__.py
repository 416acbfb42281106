"""What laws, conditions and handlers are for the stepper: plans, native kernels where code can be lowered.

May import: lowering, continuous, methods, inputs, discrete, reading, native, engine, declare, errors.
In: objects with laws, waits, handlers. Out: their plans, which the integrator places. Kernels, and what is
known of code, are kept for the process; no object of a simulation is. Start reading at `planner.py` and `registry.py`.

branches        what branches in laws, located
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from eventide.compilation.registry import Bound, Registry
from eventide.native.locking import locked

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


def _native_integrator(sim: Simulation, system: System) -> Integrator:
    """The motion of a simulation as native code, as far as its laws can be compiled."""
    from eventide.compilation.planner import Compiler
    from eventide.continuous import Integrator

    registry = _shared_registry()
    registry.renew()
    return Integrator(sim, system, Compiler(registry, is_strict=sim.compile is True), _shared_engine().engine)


def _plain_integrator(sim: Simulation, system: System) -> Integrator:
    """The motion of a simulation as plain Python; only the event functions of its conditions are compiled."""
    from eventide.compilation.planner import GuardCompiler
    from eventide.continuous import Integrator

    registry = _shared_registry()
    registry.renew()
    return Integrator(sim, system, GuardCompiler(registry, is_strict=False))


def make_integrator(sim: Simulation, system: System) -> Integrator:
    """What advances the states of a simulation, native or plain as `compile=` says."""
    return _plain_integrator(sim, system) if sim.compile is False else _native_integrator(sim, system)


__all__ = ["Bound", "Registry", "make_integrator"]
