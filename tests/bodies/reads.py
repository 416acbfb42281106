"""What tests of bodies that several simulations have in common begin with."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import random_bodies
import random_interrupts
import random_methods
import random_queues
import random_spawning
import random_transfers
from random_combined import combined_outcome, combined_program

import eventide as ev
from eventide.migration import bodies
from eventide.migration.learned import Learned


def read_anew(patch: pytest.MonkeyPatch) -> list[str]:
    """The functions whose bodies are read from now on: nothing is known of code, and processes become rows soon."""
    random_bodies.hurry(patch)
    known, names, read = Learned(), [], bodies.read

    def reading(function: Any, *others: Any) -> Any:
        names.append(function.__name__)
        return read(function, *others)

    patch.setattr(bodies, "learned", lambda: known)
    patch.setattr(bodies, "read", reading)
    return names


MODELS: dict[str, tuple[Callable[[int], str], Callable[[ev.Simulation, ModuleType, int], Any]]] = {
    "bodies": (
        lambda seed: random_bodies.program(seed, 6),
        lambda sim, module, seed: random_bodies.outcome(sim, module, seed, 6),
    ),
    "methods": (
        lambda seed: random_methods.program(seed, 6, 4),
        lambda sim, module, seed: random_methods.outcome(sim, module, seed, 6, 4),
    ),
    "queues": (
        lambda seed: random_queues.program(seed, 6, 3),
        lambda sim, module, seed: random_queues.outcome(sim, module, seed, 6, 3),
    ),
    "interrupts": (
        lambda seed: random_interrupts.program(seed, 6, 3),
        lambda sim, module, seed: random_interrupts.outcome(sim, module, seed, 6, 3),
    ),
    "spawning": (
        lambda seed: random_spawning.program(seed, 6, 3, 3),
        lambda sim, module, seed: random_spawning.outcome(sim, module, seed, 6, 3, 3),
    ),
    "transfers": (
        lambda seed: random_transfers.program(seed, 6, 4),
        lambda sim, module, seed: random_transfers.outcome(sim, module, seed, 6, 4),
    ),
    "choosing": (
        lambda seed: random_queues.program_choosing(seed, 6, 3),
        lambda sim, module, seed: repr(random_queues.outcome(sim, module, seed, 6, 3)),
    ),
    "combined": (
        lambda seed: combined_program(seed, 6),
        lambda sim, module, seed: combined_outcome(sim, module, seed, 6, seed % 3),
    ),
}
"""Random programs by their seeds, and all that is left by a run of one."""
