"""The three aims of experiments: a known scenario is understood, a known one improved, an unknown one predicted."""

import numpy as np
import pytest


@pytest.fixture
def example_module(monkeypatch):
    """A function: an example as a module, with some of its numbers changed."""

    def load(name, **numbers):
        from importlib import import_module

        monkeypatch.syspath_prepend("examples")
        module = import_module(name)
        for number, value in numbers.items():
            monkeypatch.setattr(module, number, value)
        return module

    return load


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_a_known_scenario_is_understood(example_module, tmp_path):
    found = example_module("hares_and_lynxes").understand(tmp_path)
    # As independent least squares with scipy have it: tests/analysis/test_calibrate.py.
    assert found.estimate.sum_of_squares == pytest.approx(594.7445606, rel=1e-6)
    assert found.best["growth"] == pytest.approx(0.48120, rel=1e-4)
    assert found.unidentified == ()
    assert (tmp_path / "hares_and_lynxes.png").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_a_known_scenario_is_improved(example_module, tmp_path):
    found = example_module("best_rate", MINUTES=1000.0, REPLICATIONS=6).improve(tmp_path)
    assert found.best["rate"] == pytest.approx(2.0, abs=0.15)
    assert found.value == pytest.approx(3.0, abs=3.0 * (found.high - found.low))
    assert found.history["value"].iloc[0] > found.value
    assert (tmp_path / "best_rate.png").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_an_unknown_scenario_is_predicted(example_module, tmp_path):
    found = example_module("epidemic", RUNS=30).predict(tmp_path)
    bands = found.bands("ill", levels=(0.9,))
    assert (np.diff(bands.to_numpy(), axis=1) >= 0.0).all()
    assert bands.loc[0.0].to_list() == [0.001] * 3
    assert bands[0.5].max() > 0.05
    table = found.table()
    assert 0.05 < table.loc["most ill at once", 0.5] < 0.4
    assert found.runs.failures.empty
    assert (tmp_path / "epidemic.png").stat().st_size > 10_000
