"""Predictions beside exact quantiles."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eventide as ev


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0, unit="m")
    k: float = 1.0

    def equations(self):
        self.rate.x = -self.k * self.x


@ev.model(until=3.0, time_unit="s", rel_error=1e-8, abs_error=1e-8)
def decay(sim, *, k: float = 1.0, kind: str = "a"):
    one = Decay(sim, name="tank", k=k).start()
    sim.record(one, every=1.0)
    return {"end": lambda: one.x}


CHANCE = stats.norm(1.0, 0.2)


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_bands_are_quantiles_of_the_curves_at_each_time(tmp_path):
    found = ev.predict(decay, {"k": CHANCE}, runs=400, entropy=1, workers=1)
    drawn = found.runs.table["k"].to_numpy()
    bands = found.bands("x", levels=(0.9, 0.5))
    assert [*bands.columns] == [0.05, 0.25, 0.5, 0.75, 0.95]
    assert bands.index.to_list() == np.linspace(0.0, 3.0, 101).tolist()
    curves = np.exp(-np.outer(bands.index, drawn))
    exact = np.quantile(curves, [0.05, 0.25, 0.5, 0.75, 0.95], axis=1).T
    assert bands.to_numpy().ravel() == pytest.approx(exact.ravel(), abs=1e-7)
    # And the draws are those of the distribution.
    assert bands.loc[1.5].to_list() == pytest.approx(np.exp(-1.5 * CHANCE.ppf([0.95, 0.75, 0.5, 0.25, 0.05])), rel=0.05)
    assert bands.attrs == {"name": "tank.x", "unit": "m"}
    assert found.quantities == ["tank.x"]
    table = found.table(levels=(0.9,))
    assert table.loc["end"].to_list() == pytest.approx(
        [np.exp(-3.0 * drawn).mean(), *np.quantile(np.exp(-3.0 * drawn), [0.05, 0.5, 0.95])], abs=1e-7
    )
    axes = found.plot()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "tank.x [m]")
    assert str(found).startswith("decay with k drawn: 400 runs, entropy 1\n")


@pytest.mark.slow
def test_a_store_without_an_entropy_of_its_own_goes_on(tmp_path):
    asked = {"runs": 5, "at": [0.0, 1.0, 2.5], "workers": 1, "store": tmp_path / "store"}
    first = ev.predict(decay, {"k": CHANCE}, **asked)
    second = ev.predict(decay, {"k": CHANCE}, **asked)
    pd.testing.assert_frame_equal(first.bands(), second.bands(), check_exact=True)
    with pytest.raises(ev.ModelError, match="holds another study: its readings is"):
        ev.predict(decay, {"k": CHANCE}, **{**asked, "at": [0.0, 1.0]})


@ev.model
def program(sim, *, k: float = 1.0):
    yield ev.hold(k)
    if k > 1.2:
        raise ValueError("too much")
    return {"k": k}


def test_failures_are_told_and_what_has_no_end_beforehand_has_responses_alone():
    found = ev.predict(program, {"k": CHANCE}, runs=40, entropy=1, workers=1)
    assert f"{len(found.runs.failures)} runs failed, one of them with ValueError: too much" in str(found)
    with pytest.raises(ev.ModelError, match=r"was not read over time: .* give predict\(at=...\)"):
        found.bands()


WRONG = {
    "nothing": ({}, {}, "predict takes distributions by name, one at least, and got {}"),
    "value": ({"k": 1.0}, {}, "k is given as a distribution, as scipy.stats.norm(2.0, 0.1), and got 1.0"),
    "name": ({"z": CHANCE}, {}, "decay has no parameter z"),
    "runs": ({"k": CHANCE}, {"runs": 1}, "a whole number of runs from 2 on, and got 1"),
    "times": ({"k": CHANCE}, {"at": [9.0]}, "at= as times from 0 to 3.0, where its runs stop, and got 9.0"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_predicted_is_refused_in_words(case):
    uncertain, options, message = WRONG[case]
    with pytest.raises((ev.ModelError, ev.ParameterError)) as refused:
        ev.predict(decay, uncertain, **{"entropy": 1, **options})
    assert message in str(refused.value)


def test_quantities_and_levels_that_are_none_are_refused():
    found = ev.predict(decay, {"k": CHANCE}, runs=2, entropy=1, at=[1.0], workers=1)
    with pytest.raises(ev.ModelError, match=r"'y' is no recorded quantity of decay; it records: tank\.x"):
        found.bands("y")
    with pytest.raises(ev.ModelError, match="a level between 0 and 1"):
        found.bands("x", levels=(1.0,))


@ev.model(time_unit="s")
def ending(sim, *, k: float = 1.0):
    one = Decay(sim, name="tank", k=k).start()
    sim.record(one, every=1.0)
    yield ev.until(lambda: one.x <= 0.5)
    if k > 2.0:
        raise ValueError("too fast")
    return {"slow": k if k < 1.0 else np.nan, "end": sim.time * k}


def test_runs_that_have_ended_leave_no_bands_of_the_others_and_what_is_no_number_no_mean():
    found = ev.predict(ending, {"k": stats.uniform(0.5, 2.0)}, runs=12, at=[0.0, 0.2, 1.0], entropy=1, workers=1)
    drawn = found.runs.table["k"]
    assert 0 < len(found.runs.failures) < 12
    slow = drawn[drawn < 2.0]
    bands = found.bands("x", levels=[0.5])
    assert bands.loc[0.2].to_list() == pytest.approx(np.quantile(np.exp(-0.2 * slow), [0.25, 0.5, 0.75]), rel=1e-5)
    assert bands.loc[1.0].isna().all()
    table = found.table()
    assert table.loc["end"].to_list() == pytest.approx([np.log(2.0)] * 6, rel=1e-5)
    assert table.loc["slow"].isna().all()


@ev.model(until=2.0)
def tanks(sim, *, count: int = 1):
    for number in range(count):
        sim.record(Decay(sim, name=f"tank{number}").start(), every=1.0)


@pytest.mark.slow
def test_what_some_runs_do_not_record_has_no_bands():
    found = ev.predict(tanks, {"count": stats.randint(1, 3)}, runs=10, at=[0.0, 1.0], entropy=1, workers=1)
    assert set(found.runs.inputs["count"]) == {1, 2}
    assert found.quantities == ["tank0.x", "tank1.x"]
    assert found.bands("tank0.x").notna().all(axis=None)
    missing = found.bands("tank1.x")
    assert missing.shape == (2, 5)
    assert missing.isna().all(axis=None)
    assert missing.attrs == {"name": "tank1.x", "unit": "m"}
