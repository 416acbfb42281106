"""Promise 4: nothing is skipped in silence. What the run looks at, and what it has not looked at, is told."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]


@pytest.mark.parametrize(
    "below",
    [lambda self: self.height <= 0.0, lambda self: math.erf(self.height) <= 0.0],
    ids=["proved", "sampled"],
)
def test_flights_far_shorter_than_a_step_are_found(simulate: Simulate, below: Callable[[Any], bool]) -> None:
    """A ball that bounces with restitution 0.9, whose flights are polynomials: steps would be as long as one likes."""
    sim = simulate(rel_error=1e-9, abs_error=1e-11)

    class Ball(ev.Continuous):
        height: ev.State = ev.state(1.0)
        velocity: ev.State = ev.state(0.0)
        log: list = ev.field(default_factory=list)

        def equations(self) -> None:
            self.rate.height = self.velocity
            self.rate.velocity = -2.0

        @ev.when(below)
        def bounce(self) -> None:
            self.log.append(self.sim.time)
            self.velocity = 0.9 * abs(self.velocity)

    ball = Ball(sim).start()
    sim.run(until=18.5)
    # Dropped from 1 with g = 2: it falls for 1, then flies for 2 * 0.9, 2 * 0.9**2, ...; it would end at 19.
    exact = [1.0 + sum(2.0 * 0.9**k for k in range(1, n + 1)) for n in range(40)]
    exact = [time for time in exact if time < 18.5]
    assert len(ball.log) == len(exact) == 35
    assert ball.log == pytest.approx(exact, abs=1e-6)


@pytest.mark.row("R-146")
def test_an_opaque_condition_is_counted_and_a_shorter_dt_max_finds_it() -> None:
    def run(dt_max: float) -> tuple[list[float], Any]:
        sim = ev.Simulation(rng=1, dt_max=dt_max)
        log: list[float] = []
        known: set[float] = set()

        class Spike(ev.Continuous):
            x: ev.State = ev.state(0.0)

            def equations(self) -> None:
                self.rate.x = 1.0

            @ev.when(lambda self: known.add(self.x) is None and 1.0 < self.x < 1.01)
            def inside(self) -> None:
                log.append(round(self.sim.time, 6))

        Spike(sim).start()
        sim.run(until=3.0)
        return log, sim.report()

    missed, report = run(0.7)
    assert (report.certified, report.sampled, report.opaque) == (0, 0, 1)
    found, _ = run(0.005)
    assert (missed, found) == ([], [1.0])


class Swing(ev.Continuous):
    """Its computed value is above the level for 9e-5 of each 6.28."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    shown: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.shown = 2.0 * self.x
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: self.shown >= 2.0 - 2e-9)
    def high(self) -> None:
        self.log.append(self.sim.time)


class Meddler(ev.Continuous):
    """Another law that changes the same."""

    swing: Swing

    def equations(self) -> None:
        self.swing.shown *= 0.25


class Keeper(ev.Continuous):
    """A law that assigns a state, which then is not what the interpolant says."""

    swing: Swing
    kept: ev.State = ev.state(0.0, assigned=True)

    def equations(self) -> None:
        self.kept = self.swing.x


@pytest.mark.row("R-146")
def test_a_computed_value_is_followed_into_the_law_that_sets_it(simulate: Simulate) -> None:
    sim = simulate(rel_error=1e-11, abs_error=1e-12)
    swing = Swing(sim).start()
    sim.run(until=10.0)
    report = sim.report()
    assert (report.certified, report.sampled, report.opaque, report.unproved) == (1, 0, 0, 0)
    first = math.acos(1.0 - 1e-9)
    assert len(swing.log) == 2
    assert swing.log == pytest.approx([0.5 * math.pi - first, 2.5 * math.pi - first], abs=1e-5)
    assert sim.explain().conditions[0].kind == "certified"
    assert "proved over whole steps" in str(sim.explain())


@pytest.mark.row("R-146")
def test_a_computed_value_that_another_law_changes_is_sampled_and_counted(simulate: Simulate) -> None:
    """What is read in the law is compared with what stands there at each step's end."""
    sim = simulate(rel_error=1e-9, abs_error=1e-11)
    swing = Swing(sim).start()
    Meddler(sim, swing=swing).start()
    sim.run(until=10.0)
    assert swing.log == []
    assert sim.report().unproved == sim.report().steps > 10


@pytest.mark.row("R-146")
def test_states_that_laws_assign_are_sampled(simulate: Simulate) -> None:
    sim = simulate(rel_error=1e-9, abs_error=1e-11)
    swing = Swing(sim)
    Keeper(sim, swing=swing).start()
    swing.start()
    sim.run(until=1.0)
    assert (sim.report().certified, sim.report().sampled) == (0, 1)
    assert sim.explain().conditions[0].kind == "sampled"


class Waves(ev.Continuous):
    """Three oscillations; the first passes the level 0.5, and only for moments some item is over 0.99999."""

    u: ev.StateVector = ev.state_vector(0.0, size=3)
    c: ev.StateVector = ev.state_vector(1.0, size=3)

    @property
    def top(self) -> float:
        return self.u.max()

    def over(self, level: float) -> bool:
        return np.any(self.u > level)

    def equations(self) -> None:
        for k in range(3):
            self.rate.u[k] = (1.0 + 0.3 * k) * self.c[k]
            self.rate.c[k] = -(1.0 + 0.3 * k) * self.u[k]


def largest(items: Any) -> float:
    best = items[0]
    for item in items:
        if best < item:  # noqa: PLR1730  # as it is often written
            best = item
    return best


HIGH: dict[str, Callable[[Waves], Any]] = {
    "each by itself": lambda w: w.u[0] > 0.99999 or w.u[1] > 0.99999 or w.u[2] > 0.99999,
    "max": lambda w: max(w.u) > 0.99999,
    "numpy's max": lambda w: np.max(w.u) > 0.99999,
    "a method": lambda w: w.u.max() > 0.99999,
    "a property": lambda w: w.top > 0.99999,
    "a part": lambda w: w.u[:2].max() > 0.99999 or w.u[2:].max() > 0.99999,
    "a function": lambda w: largest(w.u) > 0.99999,
    "any": lambda w: any(w.u > 0.99999),
    "any of numbers": lambda w: any(x > 0.99999 for x in w.u),
    "not all": lambda w: not all(w.u <= 0.99999),
    "a method any": lambda w: (w.u > 0.99999).any(),
    "numpy's all": lambda w: not np.all(w.u <= 0.99999),
    "a method of its own": lambda w: w.over(0.99999),
    "a sum of Booleans": lambda w: sum(w.u > 0.99999) >= 1,
    "a sum of ones": lambda w: sum(1 for _, x in enumerate(w.u) if x > 0.99999) > 0,
    "numpy's count": lambda w: np.count_nonzero(w.u > 0.99999) > 0,
    "numpy's where": lambda w: np.where(w.u > 0.99999, 1.0, 0.0).sum() > 0.5,
    "zip": lambda w: any(x > 0.99999 for x, _ in zip(w.u, w.c, strict=True)),
}
NEAR: dict[str, Callable[[Waves], Any]] = {
    "a chain": lambda w: 0.4997 < w.u[0] < 0.5003,
    "abs": lambda w: abs(w.u[0] - 0.5) < 0.0003,
    "isclose": lambda w: math.isclose(w.u[0], 0.5, abs_tol=0.0003, rel_tol=0.0),
    "isclose by tolerance": lambda w: math.isclose(w.u[0], 0.5, rel_tol=0.0006),
    "numpy's isclose": lambda w: np.isclose(w.u[0], 0.5, atol=0.0003, rtol=0.0),
    "isclose of items": lambda w: np.isclose(w.u, 0.5, 0.0, 0.0003)[0],
    "a conditional expression": lambda w: w.u[0] < 0.5003 if w.u[0] > 0.4997 else False,
    "the other way round": lambda w: False if w.u[0] <= 0.4997 else w.u[0] < 0.5003,
    "two that are equal": lambda w: (w.u[0] > 0.4997) == (w.u[0] < 0.5003),
    "two that differ": lambda w: (w.u[0] > 0.4997) != (w.u[0] >= 0.5003),
    "one of two": lambda w: (w.u[0] > 0.4997) ^ (w.u[0] >= 0.5003),
}


@pytest.mark.slow
@pytest.mark.parametrize("spelled", [HIGH, NEAR], ids=["high", "near"])
def test_however_a_condition_is_spelled_its_moments_are_found(
    simulate: Simulate, spelled: dict[str, Callable[[Waves], Any]]
) -> None:
    sim = simulate()
    waves, found = Waves(sim).start(), dict.fromkeys(spelled, 0.0)

    def watch(condition: Callable[[Waves], Any], name: str) -> Any:
        yield ev.hold(4.0)
        yield ev.until(lambda: condition(waves))
        found[name] = sim.time

    for name, condition in spelled.items():
        sim.process(watch(condition, name))
    sim.run(until=4.5)
    told = [note.kind for note in sim.explain().conditions]
    sim.run(until=10.0)
    assert told == ["certified"] * len(spelled)
    assert list(found.values()) == pytest.approx([found[next(iter(found))]] * len(found), abs=1e-9)
