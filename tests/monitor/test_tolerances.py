"""Tolerances and rates with which no step succeeds."""

from __future__ import annotations

from math import cos, sin

import pytest

import eventide as ev


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
def test_a_rate_that_is_not_finite_ends_in_error_one(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 1.0, name="x").start()
    ev.law(sim, lambda: x.set_rate(float("nan") if sim.time > 0.5 else 1.0)).start()
    with pytest.raises(ev.SimulationError, match="x needs steps shorter") as caught:
        sim.run(until=2.0)
    assert caught.value.time == pytest.approx(0.5, abs=1e-12)


def test_zero_tolerances_end_in_error_one(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 1.0, name="x", rel_error=0.0, abs_error=0.0).start()
    ev.law(sim, lambda: x.set_rate(-x.state * x.state)).start()
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=2.0)
    assert caught.value.number == 1


@pytest.mark.parametrize("tolerances", [(0.0, 0.0), (0.0, 1e-300), (1e-290, 0.0)])
def test_tolerances_below_all_rounding_end_in_error_one(sim: ev.Simulation, tolerances: tuple[float, float]) -> None:
    # Of short steps the error is rounded to zero now and then, so that steps would go on, of 1e-10 and less.
    relative, absolute = tolerances
    x = ev.Variable(sim, 1.0, name="x", rel_error=relative, abs_error=absolute).start()
    ev.law(sim, lambda: x.set_rate(cos(7.0 * x.state + sim.time))).start()
    words = "x has tolerances of zero, and no step" if tolerances == (0.0, 0.0) else "x needs steps shorter than"
    with pytest.raises(ev.SimulationError, match=words) as caught:
        sim.run(until=2.0)
    assert (caught.value.number, caught.value.variable) == (1, x)
    assert sim.monitor.refused < 100


def test_a_relative_tolerance_alone_does_where_a_state_is_zero(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 0.0, name="x", rel_error=1e-6, abs_error=0.0).start()
    ev.law(sim, lambda: x.set_rate(cos(sim.time))).start()
    sim.run(until=6.0)
    assert x.state == pytest.approx(sin(6.0), rel=1e-5)
