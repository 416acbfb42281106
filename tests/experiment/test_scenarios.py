"""Scenario analysis: cases, switching values and tolerable deviations, against closed forms."""

from __future__ import annotations

from math import inf, log, nan, sqrt

import numpy as np
import pytest
import scipy.stats

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    share: float = 0.0
    inflow: float = 0.0

    def equations(self) -> None:
        self.rate.level = self.inflow - self.share * self.level


@ev.model(until=1.0)
def draining(sim: ev.Simulation, *, share: float = 1.0, inflow: float = 0.0, name: str = "tank"):
    """level(1) = exp(-share) without inflow."""
    sim.rel_error = sim.abs_error = 1e-12
    tank = Tank(sim, share=share, inflow=inflow).start()
    return {"level": lambda: tank.level}


@ev.model(until=1.0)
def noisy(sim: ev.Simulation, *, x: float = 0.0):
    """X plus a normal error."""
    error = sim.stream("error").normal(0.0, 1.0)
    return {"y": lambda: x + error}


CASES = {"base": {"share": 1.0}, "worst": {"share": 3.0}, "best": {"share": 0.5}}


@pytest.mark.slow
@pytest.mark.row("R-294")
def test_the_switching_value_is_where_the_response_passes_the_limit() -> None:
    scenarios = ev.Scenarios(draining, **CASES)
    found = scenarios.switching_values("level", 0.2, tolerance=1e-9)
    assert [value.share for value in found] == pytest.approx([(log(5.0) - 1.0) / 2.0], abs=1e-9)
    assert found[0].values == {"share": pytest.approx(log(5.0), abs=1e-8)}
    assert np.isnan(found[0].interval).all()
    assert scenarios.switching_values("level", 0.2, towards="best") == []
    assert str(found[0]) == f"share={found[0].values['share']!r}, at 0.3047 of the way"


@pytest.mark.row("R-294")
def test_the_cases_are_a_table() -> None:
    table = ev.Scenarios(draining, **CASES).table
    assert table.index.tolist() == ["worst", "base", "best"]
    assert table["share"].tolist() == [3.0, 1.0, 0.5]
    np.testing.assert_allclose(table["level"], np.exp([-3.0, -1.0, -0.5]), rtol=1e-9)


def test_scenarios_show_themselves() -> None:
    scenarios = ev.Scenarios(draining, **CASES)
    assert repr(scenarios) == (
        "<Scenarios of draining(share=1.0, inflow=0.0, name='tank'); "
        "worst: share=3.0; base: share=1.0; best: share=0.5>"
    )
    assert str(scenarios).splitlines()[0] == "worst, base and best case"
    assert str(scenarios).splitlines()[3].split() == ["share", "3.0", "1.0", "0.5"]


@pytest.mark.slow
@pytest.mark.row("R-294")
def test_each_parameter_alone_may_deviate_so_far() -> None:
    """level(1) = (1 - inflow/share) exp(-share) + inflow/share."""
    scenarios = ev.Scenarios(
        draining,
        base={"share": 1.0, "inflow": 0.0},
        worst={"share": 3.0, "inflow": -0.1},
        best={"share": 0.5, "inflow": 1.0},
    )
    found = scenarios.tolerable("level", 0.25, tolerance=1e-9)
    assert found.loc["share", "deviation"] == pytest.approx(log(4.0) - 1.0, abs=1e-8)
    assert found.loc["inflow", "deviation"] == -inf  # at -0.1 alone the level is still 0.305
    assert found.loc["share", ["base", "worst"]].tolist() == [1.0, 3.0]


def test_several_switching_values_are_found() -> None:
    @ev.model(until=1.0)
    def wave(sim: ev.Simulation, *, x: float = 0.0):
        return {"y": lambda: float(np.sin(x))}

    scenarios = ev.Scenarios(wave, base={"x": 0.1}, worst={"x": 10.0}, best={"x": 0.1})
    found = scenarios.switching_values("y", 0.0, tolerance=1e-10)
    assert [value.values["x"] for value in found] == pytest.approx([np.pi, 2.0 * np.pi, 3.0 * np.pi], abs=1e-8)


@pytest.mark.slow
def test_the_interval_of_a_random_switching_value_is_that_of_the_mean() -> None:
    """Y = x + error under common random numbers: the mean passes 0 at -mean(error), its interval likewise."""
    scenarios = ev.Scenarios(
        noisy, base={"x": -2.0}, worst={"x": 2.0}, best={"x": -2.0}, replications=20, entropy=5, level=0.9
    )
    errors = np.asarray(scenarios.runs.tally("y", point=1).values) + 2.0
    half = scipy.stats.t.ppf(0.95, 19) * errors.std(ddof=1) / sqrt(20)
    (found,) = scenarios.switching_values("y", 0.0, tolerance=1e-9)
    assert found.values["x"] == pytest.approx(-errors.mean(), abs=1e-7)
    low, high = (-2.0 + 4.0 * share for share in found.interval)
    assert (low, high) == pytest.approx((-errors.mean() - half, -errors.mean() + half), abs=1e-7)
    assert str(found).endswith(f", between {found.interval[0]:.4g} and {found.interval[1]:.4g}")


def test_what_is_no_scenario_is_refused_in_words() -> None:
    with pytest.raises(ev.ModelError, match="the best case has values of nothing, and the base case of share: give"):
        ev.Scenarios(draining, base={"share": 1.0}, worst={"share": 2.0}, best={})
    named = ev.Scenarios(
        draining,
        base={"share": 1.0, "name": "a"},
        worst={"share": 1.0, "name": "b"},
        best={"share": 1.0, "name": "a"},
    )
    with pytest.raises(ev.ModelError, match="no way from the base case to the worst one: name is no real number"):
        named.switching_values("level", 0.5)
    with pytest.raises(ev.ModelError, match="no way from the base case to the best one: they do not differ"):
        named.tolerable("level", 0.5, towards="best")
    scenarios = ev.Scenarios(draining, **CASES)
    with pytest.raises(ev.ModelError, match='towards takes "worst" or "best", and got \'base\''):
        scenarios.switching_values("level", 0.5, towards="base")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ev.ModelError, match=r"a limit is a finite number.*got limit=nan"):
        scenarios.switching_values("level", nan)
    with pytest.raises(ev.ModelError, match="draining has no response 'volume'; it has: level"):
        scenarios.switching_values("volume", 0.5)


def test_a_response_that_is_no_number_in_one_replication_has_no_mean() -> None:
    @ev.model(until=1.0)
    def sometimes(sim: ev.Simulation, *, x: float = 0.0):
        return {"y": lambda: nan if sim.replication == 1 and x > 1.0 else x}

    table = ev.Scenarios(sometimes, base={"x": 1.0}, worst={"x": 0.5}, best={"x": 2.0}, replications=3, entropy=1).table
    assert table["y"].to_list() == pytest.approx([0.5, 1.0, nan], nan_ok=True)
