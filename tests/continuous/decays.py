"""States that decay and follow others, as several files of these tests use them."""

from __future__ import annotations

import math
from typing import Any

import pytest

import eventide as ev


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    speed: float = 1.0

    def equations(self) -> None:
        self.rate.x = -self.speed * self.x


class Drain(ev.Continuous):
    """Follows another's state, or nothing's."""

    source: Decay
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = self.source.x


def make(**settings: Any) -> ev.Simulation:
    return ev.Simulation(rng=1, rel_error=1e-9, abs_error=1e-9, **settings)


def flows(sim: ev.Simulation) -> list[list[str]]:
    """The names of what moves, flow by flow."""
    return [sorted(o.name for o in flow.owners()) for flow in sim._continuum.integrator.flows.values() if flow.owners()]


each_way = pytest.mark.parametrize(
    "settings",
    [{"compile": True}, {"compile": True, "stepping": "together"}, {"compile": False}],
    ids=["apart", "together", "plain"],
)


def wait_for(condition: Any, log: list[Any], sim: ev.Simulation) -> ev.ProcessGenerator:
    yield ev.until(condition)
    log.append((sim.time, "woken"))


class Root(ev.Continuous):
    """Falls to zero, below which the square root is none: a trial step may go there."""

    x: ev.State = ev.state(2.0)
    table: dict[str, float] = ev.field(default_factory=lambda: {"k": -1.0})
    errors: list[Any] = ev.field(default_factory=list)

    def equations(self) -> None:
        try:
            self.rate.x = self.table["k"] + 0.0 * math.sqrt(self.x)
        except ValueError as error:
            self.errors.append(error)
            raise
