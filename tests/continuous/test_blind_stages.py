"""Jumps of laws that are not located: England's estimate is zero where its stage at 3/4 alone is beyond one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eventide as ev


class Row(ev.Continuous):
    """Three that rise at speed 1 below a level, and at speed 0.1 above it."""

    u: ev.VectorState = ev.vector(0.0, size=3)
    level: float = 0.5

    def equations(self) -> None:
        self.rate.u = np.where(self.u < self.level, 1.0, 0.1)

    @property
    def risen(self) -> float:
        return float(self.u[0])


class Opaque(ev.Continuous):
    """The same for one, in a law that native code refuses."""

    x: ev.State = ev.state(0.0)
    level: float = 0.5

    def equations(self) -> None:
        try:
            self.rate.x = 1.0 if self.x < self.level else 0.1
        finally:
            pass

    @property
    def risen(self) -> float:
        return self.x


class Lorenz(ev.Continuous):
    """Lorenz's equations, in a law that is not looked into for its comparison."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(1.0)
    z: ev.State = ev.state(1.0)

    def equations(self) -> None:
        try:
            self.rate.x = 10.0 * (self.y - self.x) if self.sim.time >= 0.0 else 0.0
        finally:
            pass
        self.rate.y = self.x * (28.0 - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z


def rise(kind: type[Any], level: float, compiles: Any) -> tuple[float, int, int]:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12, compile=compiles)
    model = kind(sim, level=level).start()
    sim.run(until=1.0)
    report = sim.report()
    return model.risen, report.evaluations, report.refused


@pytest.mark.parametrize("kind", [Row, Opaque])
def test_a_jump_that_the_estimate_does_not_see_is_not_stepped_over(kind: type[Any]) -> None:
    levels = [0.205 + 0.06 * k for k in range(10)]
    found = [rise(kind, level, "auto")[0] for level in levels]
    assert found == pytest.approx([level + 0.1 * (1.0 - level) for level in levels], rel=0.0, abs=1e-8)


@pytest.mark.parametrize("kind", [Row, Opaque])
def test_native_and_plain_runs_refuse_the_same_steps(kind: type[Any]) -> None:
    assert rise(kind, 0.42, "auto") == rise(kind, 0.42, False)


@pytest.mark.parametrize("precision", [1e-3, 1e-6])
def test_a_smooth_law_makes_the_steps_that_it_makes_when_it_is_looked_into(precision: float) -> None:
    class Known(Lorenz):
        def equations(self) -> None:
            self.rate.x = 10.0 * (self.y - self.x)
            self.rate.y = self.x * (28.0 - self.z) - self.y
            self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z

    def run(kind: type[Lorenz]) -> tuple[float, float, float, str]:
        sim = ev.Simulation(rel_error=precision, abs_error=precision, compile=False)
        model = kind(sim).start()
        sim.run(until=10.0)
        return model.x, model.y, model.z, str(sim.report())

    assert run(Lorenz) == run(Known)
