"""The study of the soaking pit: it runs, and says what the model says."""

import pytest


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_a_known_scenario_is_understood_and_improved_and_an_unknown_one_predicted(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend("examples")
    import pit_study

    monkeypatch.setattr(pit_study, "HOURS", 60.0)
    monkeypatch.setattr(pit_study, "REPLICATIONS", 6)
    monkeypatch.setattr(pit_study, "POINTS", 16)
    known = pit_study.compare_places(tmp_path)
    waiting = known.summary()["waiting time"].to_list()
    assert waiting == sorted(waiting, reverse=True)
    assert waiting[0] > 2 * waiting[-1]
    again = pit_study.compare_places(tmp_path)  # from the store
    assert again.table.equals(known.table)

    effects = pit_study.find_what_matters(tmp_path).table
    assert len(effects) == 16
    assert effects["pits"].corr(effects["waiting time"]) < -0.2

    unknown = pit_study.predict(tmp_path).table
    low, high = unknown[unknown["pits"] == 12]["waiting time"].quantile([0.05, 0.95])
    assert 0.0 <= low < high < unknown[unknown["pits"] == 10]["waiting time"].quantile(0.95)
    assert unknown["gap"].nunique() == 12
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("places.png", "effects.png", "prediction.png"))
