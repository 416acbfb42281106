"""Stiff models, as several files of these tests use them."""

from __future__ import annotations

from typing import Any

import eventide as ev


def make(**settings: Any) -> ev.Simulation:
    sim = ev.Simulation(**({"rng": 1} | settings))
    sim.method = ev.methods.RADAU
    return sim


def kinds(sim: ev.Simulation) -> list[ev.continuous.Derivatives | None]:
    return [flow.derivatives for flow in sim.explain().flows]


class Kinetics(ev.Continuous):
    """Robertson's reaction."""

    a: ev.State = ev.state(1.0, abs_error=1e-10)
    b: ev.State = ev.state(0.0, abs_error=1e-12)
    c: ev.State = ev.state(0.0, abs_error=1e-10)

    def equations(self) -> None:
        first, last = 0.04 * self.a - 1e4 * self.b * self.c, 3e7 * self.b * self.b
        self.rate.a = -first
        self.rate.b = first - last
        self.rate.c = last


class Rod(ev.Continuous):
    """Heat in a rod whose ends are kept at zero."""

    cells: int = 40
    u: ev.StateVector = ev.state_vector(1.0, size="cells")

    def equations(self) -> None:
        u, rate, scale = self.u, self.rate.u, float(self.cells) ** 2
        rate[1:-1] = scale * (u[:-2] - 2.0 * u[1:-1] + u[2:])
        rate[0] = scale * (u[1] - 2.0 * u[0])
        rate[-1] = scale * (u[-2] - 2.0 * u[-1])


class Follower(ev.Continuous):
    """Follows a reaction, which knows nothing of it."""

    leader: Kinetics
    x: ev.State = ev.state(0.0, abs_error=1e3)

    def equations(self) -> None:
        self.rate.x = 50.0 * (self.leader.a - self.x)


def counts(sim: ev.Simulation) -> tuple[int, int]:
    report = sim.report()
    return report.jacobians, report.evaluations
