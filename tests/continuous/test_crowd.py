"""What an event reads where thousands of flows stand side by side."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

import eventide as ev
from eventide.engine.interface import PLAIN
from eventide.engine.records import Arrays, FlowRecord


class Ball(ev.Continuous):
    height: ev.State
    velocity: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8


class Watched:
    """A column of which it is noted whose rows are read or written."""

    def __init__(self, column: Any, rows: set[int]) -> None:
        self._view, self._rows = column, rows

    def __getitem__(self, row: int) -> Any:
        self._rows.add(row)
        return self._view[row]

    def __setitem__(self, row: int, number: float) -> None:
        self._rows.add(row)
        self._view[row] = number


def flows_of_each_event(sim: ev.Simulation, until: float) -> list[tuple[int, int]]:
    """For each event how many flows make a step on the way to it, and of how many anything is read or written."""
    moves = sim._continuum.integrator
    rows: set[int] = set()
    counts = []

    def pack(arrays: Arrays) -> tuple[Arrays, None]:
        views, _ = PLAIN.pack(arrays)
        flow: Any = SimpleNamespace(**{name: Watched(getattr(arrays.flow, name), rows) for name in FlowRecord.columns})
        return views._replace(flow=flow), None

    def proceed(*arguments: Any) -> int:
        before = np.array(moves.memory.flow.steps)
        rows.clear()
        code = PLAIN.proceed(*arguments)
        counts.append((int(np.count_nonzero(np.array(moves.memory.flow.steps) != before)), len(rows)))
        return code

    moves.engine = replace(PLAIN, pack=pack, proceed=proceed)
    moves.memory.outdate()
    sim.run(until=until)
    return counts


def test_an_event_reads_of_the_flows_that_make_a_step_and_of_its_own() -> None:
    sim = ev.Simulation(compile=True)
    for k in range(200):
        Ball(sim, height=10.0 + 0.1 * k).start()
    sim.run(until=4.0)
    counts = flows_of_each_event(sim, until=4.04)
    assert sum(steps for steps, _ in counts) > 5
    assert all(read <= steps + 1 for steps, read in counts)
