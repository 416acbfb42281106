"""A process that holds, states of a machine, and a run beside Python's, as several files of these tests use them."""

from __future__ import annotations

import enum
from random import Random
from typing import Any

from random_bodies import simulation

import eventide as ev


class State(enum.Enum):
    """What a machine does."""

    IDLE = 1
    BUSY = 2
    DOWN = 3


def holder(sim: ev.Simulation, rng: Random, holds: int, ended: list[float], rate: float = 1.0) -> ev.ProcessGenerator:
    for _ in range(holds):
        yield ev.hold(rng.expovariate(rate))
    ended.append(sim.time)


def both(run: Any, *, native: bool = False) -> tuple[Any, ev.Simulation]:
    """What a model leaves in rows, which is what it leaves in Python, types included."""
    sim = simulation("auto", native=native)
    expected = run(simulation(False))
    found = run(sim)
    assert repr(found) == repr(expected)
    return found, sim


def numbers_of(sim: ev.Simulation) -> list[dict[str, float]]:
    """The variables that are numbers of all processes, in their order."""
    found = [process._generator.gi_frame.f_locals for process in sim.processes]  # type: ignore[attr-defined]
    return [{name: value for name, value in one.items() if type(value) in (int, float)} for one in found]
