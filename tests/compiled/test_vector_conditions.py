"""Conditions on vectors as kernels: numpy's truth, a guide on its side, and the guide's slope."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from compiled.harness import Answer, new_registry, run_condition, set_clock, shake, table_of
from compiled.test_vector_laws import Rod, new_rod

import eventide as ev
from eventide.engine.stepper import R, Y

SHAKES = 60


def total(rod: Rod) -> float:
    result = 0.0
    for i in range(1, len(rod.u) - 1):
        result += rod.u[i] * rod.v[i - 1]
    return result


def named(rod: Rod) -> Any:
    kept = rod.u * rod.v
    kept[0] = rod.x
    kept[1:3] += rod.u[0]
    return kept.sum() + np.zeros(3)[1]


CONDITIONS: dict[str, Any] = {
    "item": lambda rod: rod.u[3] > 0.5,
    "from the end": lambda rod: rod.u[-1] * rod.x < rod.v[0],
    "sum": lambda rod: rod.u.sum() >= 0.25,
    "sum of products": lambda rod: (rod.u * rod.v).sum() >= rod.x,
    "builtin sum": lambda rod: sum(rod.u) > 0.0,
    "mean of a slice": lambda rod: rod.u[1:-1].mean() < rod.u[0],
    "greatest": lambda rod: rod.u.max() > 2.5,
    "least of a formula": lambda rod: (rod.u - rod.v).min() < -3.0,
    "builtin max": lambda rod: max(rod.u) > 2.5,
    "loop": lambda rod: total(rod) > 0.0,
    "names": lambda rod: named(rod) > 0.0,
    "exp": lambda rod: np.exp(0.1 * rod.u).sum() > 7.0,
    "sin of an item": lambda rod: np.sin(rod.u)[2] > 0.1,
    "square": lambda rod: (rod.u**2).max() > 30.0,
    "generator": lambda rod: sum(value * value for value in rod.u) > 40.0,
    "where": lambda rod: np.where(rod.u > 0.0, rod.u, 0.5 * rod.v).sum() > 1.0,
    "diff": lambda rod: np.diff(rod.u).max() > 6.0,
    "running sums": lambda rod: np.cumsum(rod.u * rod.v).max() > 1.0,
    "roll": lambda rod: (np.roll(rod.u, 1) * rod.v).sum() > 1.0,
    "array": lambda rod: (rod.weights * rod.u).sum() > 0.5,
    "any": lambda rod: (rod.u > 3.5).any(),
    "all": lambda rod: (rod.u < 3.5).all() and rod.x > 0.0,
    "any in a generator": lambda rod: any(value > 3.5 for value in rod.u),
}
UNKNOWN: dict[str, Any] = {
    "cube": lambda rod: (rod.u**3).sum() > 1.0,
    "kept truths": lambda rod: (rod.u > 0.0).copy().all(),
    "computed": lambda rod: rod.flux[2] > 0.5,
    "rate": lambda rod: rod.rate.u[2] > 0.5,
}
STILL: dict[str, Any] = {
    "array alone": lambda rod: rod.weights.sum() > 0.5,
    "last": lambda rod: rod.last.u[1] > 0.5,
    "size": lambda rod: rod.u.size > 3,
}


@pytest.fixture(scope="module")
def registry():
    return new_registry()


def moved(bound: Any, rod: Rod, by: float) -> Answer:
    table = table_of(rod.sim).copy()
    table[Y] += by * table[R]
    return run_condition(bound, table)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*CONDITIONS, *UNKNOWN, *STILL])
def test_truth_guide_and_slope(registry, name) -> None:
    condition = {**CONDITIONS, **UNKNOWN, **STILL}[name]
    rod, rng, found = new_rod(), np.random.default_rng(7), []
    bound = registry.condition(condition, rod)
    smooth = 0
    for _ in range(SHAKES):
        shake(rod.sim, rng, share=0.0)
        set_clock(rod.sim, (0.0, 0.0, 0.0))
        answer = run_condition(bound, table_of(rod.sim))
        expected = bool(condition(rod))
        found.append(expected)
        assert answer.holds is expected
        assert answer.guide >= 0.0 if expected else answer.guide <= 0.0
        if name in UNKNOWN:
            assert math.isnan(answer.slope)
        elif name in STILL:
            assert answer.slope == 0.0
        else:
            step = 1e-6
            after, before = moved(bound, rod, step), moved(bound, rod, -step)
            numeric = (after.guide - before.guide) / (2.0 * step)
            smooth += answer.slope == pytest.approx(numeric, rel=1e-4, abs=1e-4)
    assert name in STILL or 0 < sum(found) < SHAKES
    # At a corner of `max`, `any` or `where` the two sides differ.
    assert name not in CONDITIONS or smooth >= SHAKES - 3


@pytest.mark.parametrize(("size", "kind"), [(4, "certified"), (32, "sampled")])
def test_loops_within_loops_over_vectors_are_written_out_as_long_as_they_are_short(size: int, kind: str) -> None:
    class Row(ev.Continuous):
        u: ev.StateVector = ev.state_vector(0.0, size=size)
        log: list[float] = ev.field(default_factory=list)

        def equations(self) -> None:
            self.rate.u = self.u

        def largest_difference(self) -> float:
            largest = 0.0
            for one in self.u:
                for other in self.u:
                    difference = one - other
                    if difference > largest:  # noqa: PLR1730  # as it is often written
                        largest = difference
            return largest

        @ev.when(lambda self: self.largest_difference() > 0.01 * size)
        def spread(self) -> None:
            self.log.append(self.sim.time)

    sim = ev.Simulation()
    row = Row(sim, u=[0.005 * k for k in range(size)]).start()
    sim.run(until=2.0)
    assert row.log == pytest.approx([np.log(2.0 * size / (size - 1))], abs=1e-5)
    assert [note.kind for note in sim.explain().conditions] == [kind]


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    log: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize(
    "condition",
    [
        lambda ramp: np.any(ramp.x > 0.5),
        lambda ramp: not np.all(ramp.x <= 0.5),
        lambda ramp: np.count_nonzero(ramp.x > 0.5) > 0,
        lambda ramp: np.sum(ramp.x) > 0.5,
        lambda ramp: np.max(ramp.x) > 0.5,
        lambda ramp: math.isclose(ramp.x, math.inf) or ramp.x > 0.5,
        lambda ramp: np.isclose(ramp.x, math.inf) or ramp.x > 0.5,
        lambda ramp: np.isclose(1.0 / (ramp.x - ramp.x + 1e-320), math.inf) and ramp.x > 0.5,
    ],
    ids=["any", "all", "count", "sum", "max", "isclose", "numpy's isclose", "infinite"],
)
def test_functions_of_vectors_of_one_number_and_of_infinity_are_as_numpy_has_them(
    condition: Any, compiles: Any
) -> None:
    class Watched(Ramp):
        @ev.when(condition)
        def pass_by(self) -> None:
            self.log.append(self.sim.time)

    sim = ev.Simulation(compile=compiles)
    ramp = Watched(sim).start()
    sim.run(until=1.0)
    assert ramp.log == pytest.approx([0.5], abs=1e-6)
