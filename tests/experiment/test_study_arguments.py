"""What a study is asked for is checked in words: each error by its whole message."""

import enum
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import eventide as ev


@ev.model(until=2.0)
def draw(sim, *, weight: float = 1.0):
    sim.record(x=lambda: weight, every=0.5, name="level")
    return {"x": lambda: weight * sim.stream("x").normal(10.0, 1.0)}


@ev.model
def fragile(sim, *, weight: float = 1.0):
    yield ev.hold(weight)
    if sim.replication == 2:
        raise ValueError("broken")
    return {"x": sim.stream("x").uniform(0.0, 1.0)}


def _refusal(ask, kind=ev.ModelError):
    with pytest.raises(kind) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize("shard", ["1/2", 3, (1.0, 2), (1, 2, 3), (0, 2), (3, 2)])
def test_a_shard_is_a_pair_of_whole_numbers(shard):
    assert _refusal(lambda: ev.Study(draw).run(shard=shard, workers=1)) == (
        f"a shard is (3, 100), the third of a hundred parts, and got {shard!r}"
    )


@pytest.mark.parametrize("record", [3, [3], 1.5])
def test_recordings_have_names(record):
    assert _refusal(lambda: ev.Study(draw, record=record)) == (
        f'a study takes record= as the names of recordings, as ["level"], or True for all, and got {record!r}'
    )


def test_points_are_values_by_name():
    assert _refusal(lambda: ev.Study(draw, 5), ev.ParameterError) == (
        'a point of a study gives values by name, as {"pits": 8}, and got 5; for the product of several '
        'values write over={"pits": [8, 10]}'
    )


def test_times_are_those_that_a_run_has():
    assert _refusal(lambda: ev.Study(draw, at="abc")) == "a study takes at= as times, as [0.0, 0.5, 1.0], and got 'abc'"
    for time in (2.5, -0.5, float("nan"), float("inf")):
        assert _refusal(lambda time=time: ev.Study(draw, at=[0.0, time])) == (
            f"a study takes at= as times from 0 to 2.0, where its runs stop, and got {time!r}"
        )
    assert _refusal(lambda: ev.Study(fragile, at=[-1.0])) == "a study takes at= as times from 0 on, and got -1.0"
    states = ev.Study(draw, at=[0.0, 3.0], until=3.0, record="level", entropy=1).run(workers=1).states()
    assert states["x"].to_list() == [1.0, 1.0]


@pytest.mark.parametrize("until", ["x", float("nan"), -1.0, True])
def test_runs_stop_at_a_time(until):
    assert (
        _refusal(lambda: ev.Study(draw, until=until)) == f"a study takes until= as a time from 0 on, and got {until!r}"
    )
    assert _refusal(lambda: ev.model(until=until)) == f"@ev.model takes until= as a time from 0 on, and got {until!r}"


def test_a_store_is_a_path():
    assert _refusal(lambda: ev.Study(draw).run(store=3)) == "a study takes store= as the path of a folder, and got 3"


def test_a_folder_that_cannot_be_made_is_no_store(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    folder = tmp_path / "results"
    assert _refusal(lambda: ev.Study(draw).run(store=folder, workers=1), ev.InputError) == (
        f"{folder} cannot be a store: Permission denied; give a folder that can be written"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("over", "count"),
    [
        ({"weight": range(10**15)}, "1,000,001"),
        ({"weight": np.ones(10**4), "other": np.ones(10**6)}, "10,000,000,000"),
        (ev.designs.latin_hypercube(10**9, {"weight": (1.0, 2.0)}), "1,000,000,000"),
        (({"weight": 1.0} for _ in repeat(0)), "1,000,001"),
    ],
    ids=["values", "product", "design", "points"],
)
def test_points_that_nobody_could_keep_are_refused_at_once(over, count):
    assert _refusal(lambda: ev.Study(draw, over)).startswith(f"draw would be run for {count} points or more, and a ")


def test_who_interrupts_a_study_is_told_where_its_runs_are(tmp_path):
    @ev.model(until=1.0)
    def interrupted(sim):
        if sim.replication == 2:
            raise KeyboardInterrupt
        return {"x": 1.0}

    for store, where in (
        (None, "with store= a study goes on"),
        (tmp_path, f"they are in {tmp_path}; the same study goes on"),
    ):
        with pytest.raises(KeyboardInterrupt) as caught:
            ev.Study(interrupted, replications=3, entropy=1).run(workers=1, store=store)
        assert caught.value.__notes__[-1] == f"2 of 3 runs were made; {where} from there"


def test_statistics_of_runs_that_all_failed_tell_why():
    @ev.model(until=1.0)
    def broken(sim, *, weight: float = 1.0):
        return {"x": 1.0 / (weight - 1.0)}

    runs = ev.Study(broken, {"weight": [1.0, 2.0]}, replications=2, entropy=1).run(workers=1)
    with pytest.raises(ZeroDivisionError) as divided:
        float.__truediv__(1.0, 0.0)  # in the words of this Python
    told = f"all runs of broken at point 0 failed, the last with ZeroDivisionError: {divided.value}: .failures has"
    assert _refusal(lambda: runs.compare("x", 0, 1)).startswith(told)
    assert _refusal(lambda: runs.plan("x", 0.1)).startswith(told)
    alone = ev.Study(broken, entropy=1).run(workers=1)
    assert _refusal(lambda: alone.plot("x")) == (
        "broken has no responses to be drawn: all of its runs failed, as .failures tells"
    )


def test_points_levels_and_half_widths_are_numbers():
    runs = ev.Study(draw, replications=3, entropy=1).run(workers=1)
    assert _refusal(lambda: runs.compare("x", "a", "b")) == "there is no point 'a': draw was run at 1, from 0 on"
    assert _refusal(lambda: runs.plan("x", "0.1")) == "a plan takes half_width > 0, and got '0.1'"
    assert _refusal(lambda: runs.extend_until("x", "0.1")) == "a plan takes half_width > 0, and got '0.1'"
    for ask in (lambda: runs.plan("x", 0.1, level="a"), lambda: runs.compare("x", 0, 0, level="a")):
        assert _refusal(ask) == "a confidence interval takes a level between 0 and 1, as 0.95, and got 'a'"
    assert _refusal(lambda: runs.extend_until("x", 0.1, most=2.5)) == (
        "extend_until takes most= as a whole number of replications from 1 on, and got 2.5"
    )
    assert _refusal(lambda: runs.extend(1, worker=2)) == (
        "extend takes workers, executor, keep, progress besides, and got worker="
    )


def test_more_replications_keep_failed_runs_as_the_first_did():
    runs = ev.Study(fragile, entropy=4).run(workers=1)
    runs.extend(3)
    assert runs.table["error"].to_list() == ["", "", "ValueError: broken", ""]
    runs.extend_until("x", 0.4)
    assert len(runs) >= 5
    assert runs.failures.index.to_list() == [2]
    assert np.isfinite(runs.tally("x").mean)


class Sort(enum.Enum):
    A = "a"


@ev.model
def hold(sim, *, a: float = 1.0, sort: Sort = Sort.A):
    yield ev.hold(a)
    return {"odd": 1.0} if sim.replication % 2 else {"even": 2.0, "both": a}


DESIGN = 'a latin hypercube design takes ranges by name, as {"gap": (1.5, 3.0)}, after the count of its points'


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ev.Study(hold, seed=1), "a study takes no seed=; did you mean entropy=?"),
        (lambda: ev.Study(hold, replication=2), "a study takes no replication=; did you mean replications=?"),
        (lambda: ev.Study(hold).run(worker=2), "the run of a study takes no worker=; did you mean workers=?"),
        (lambda: ev.Study(hold, entropy=1.5), "a study takes entropy= as a whole number from 0 on, and got 1.5"),
        (lambda: ev.designs.latin_hypercube({"a": (1.0, 2.0)}, 4), DESIGN),
        (lambda: ev.Study(hold, {"sort": ["a"]}), "parameter sort of hold takes one of Sort.A, and got 'a'"),
        (lambda: ev.Study(hold).run(workers=1).states(), "the runs of hold kept no recordings: the study keeps those"),
    ],
)
def test_what_a_user_in_a_hurry_writes_is_answered_in_words(ask, said):
    with pytest.raises(ev.ModelError) as caught:
        ask()
    assert str(caught.value).startswith(said)


def test_responses_that_differ_from_run_to_run_are_all_in_the_tables():
    runs = ev.Study(hold, {"a": [1.0, 2.0]}, replications=4, entropy=1).run(workers=1)
    summary = runs.summary()
    assert summary[["odd", "even", "both"]].to_numpy().tolist() == [[1.0, 2.0, 1.0], [1.0, 2.0, 2.0]]
    assert list(summary["count"]) == [2, 2]
    assert "odd" in str(runs)
    data = runs.to_xarray()
    assert data["odd"].isel(point=0).isnull().to_numpy().tolist() == [True, False, True, False]
    alone = ev.Study(hold, entropy=1).run(workers=1)
    assert list(alone.answered) == ["even", "both"]
    alone.extend(1)
    assert list(alone.answered) == ["even", "both", "odd"]


@ev.model(until=1.0)
def weighed(sim, *, weights: object = (1.0,), gap: float = 1.0):
    return {"x": lambda: gap * float(np.sum(weights))}


@pytest.mark.slow
@pytest.mark.parametrize("values", [[np.ones(2), np.zeros(3)], [[1.0], [2.0]]], ids=["array", "list"])
def test_values_that_are_no_labels_are_shown_as_python_writes_them(values, tmp_path):
    runs = ev.Study(weighed, {"weights": values, "gap": [1.0, 2.0]}, replications=2, entropy=1).run(workers=1)
    written = [repr(value) for value in values]
    assert [label.get_text() for label in runs.plot(by="weights").get_xticklabels()] == written
    runs.to_html(tmp_path / "page.html")
    assert ", ".join(written) in (tmp_path / "page.html").read_text()
    assert runs.to_xarray()["weights"].to_numpy().tolist() == [written[0]] * 2 + [written[1]] * 2


@pytest.mark.slow
def test_a_recorded_quantity_is_drawn_by_the_end_of_its_name():
    class Tank(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.level = -self.level

    @ev.model(until=1.0)
    def tank(sim):
        sim.record(Tank(sim, name="tank").start(), every=0.5)

    runs = ev.Study(tank, replications=5, entropy=1, record=True, at=[0.0, 1.0]).run(workers=1)
    assert runs.plot("level").get_ylabel() == "tank.level"
    rows = ev.Study(tank_and_end, entropy=1, record=True).run(workers=1)
    assert _refusal(lambda: rows.plot("x")) == (
        "x was recorded at times that differ from run to run: give the study at=[...]"
    )


@ev.model(until=1.0)
def tank_and_end(sim):
    sim.record(x=lambda: 1.0, every=0.5, name="level")
    return {"end": lambda: sim.time}


def test_a_range_of_whole_numbers_has_whole_ends():
    counted = ev.model(until=1.0)(_counted)

    for ends in ((0.5, 2.7), (1, 2.5)):
        design = ev.designs.latin_hypercube(4, {"number": ends})
        with pytest.raises(ev.ModelError, match="number takes whole numbers, and so do the ends of its range"):
            ev.Study(counted, design)
    study = ev.Study(counted, ev.designs.latin_hypercube(4, {"number": (1.0, 4.0)}), entropy=1)
    assert sorted(point["number"] for point in study.points.values) == [1, 2, 3, 4]
    for points in (2.5, True, 0):
        with pytest.raises(ev.ModelError, match=r"drawn\(...\) takes points from 1 on"):
            ev.designs.drawn(stats.norm(), points)


def _counted(sim, *, number: int = 1):
    return {"number": lambda: number}


@ev.model(until=1.0)
def twofold(sim, *, gap: float = 1.0, kind: str = "a"):
    for every in (0.5, 0.25):
        sim.record(x=lambda: gap, every=every, name="level")
    return {"x": lambda: gap}


def test_two_recordings_of_one_name_are_not_taken_for_each_other():
    runs = ev.Study(twofold, record=True).run(workers=1)
    assert runs[0].failure.message.startswith("twofold has 2 recordings 'level': give each a name of its own")


def test_points_are_told_by_the_values_of_all_that_is_set_at_some():
    runs = ev.Study(twofold, [{"gap": 2.0}, {"kind": "b"}]).run(workers=1)
    assert runs.summary()["x"].to_dict() == {(2.0, "a"): 2.0, (1.0, "b"): 1.0}


@ev.model(until=1.0)
def measured(sim, *, gap: float = 1.0):
    x = gap + sim.stream("x").normal(0.0, 1.0)
    return {"x": lambda: x, "q": lambda: ev.Quantity(x, unit="m"), "r": lambda: ev.Quantity(2.0 * x, unit="m")}


def test_parameters_have_no_unit_and_refuse_numbers_that_have_one():
    fast = ev.Quantity(1.0, unit="km/h")
    told = (
        "parameter gap of measured takes a number, and got Quantity(1.0, unit='km/h'): it has no unit, so give a plain "
        "number"
    )
    for ask in (lambda: measured(gap=fast), lambda: ev.Study(measured, {"gap": [fast]})):
        assert _refusal(ask, ev.ParameterError) == told
    assert measured(gap=ev.Quantity(3.0)).values == {"gap": 3.0}
    design = ev.designs.latin_hypercube(4, {"gap": (fast, 2.0)})
    assert _refusal(lambda: ev.Study(measured, design)).startswith("the range of gap takes a plain number")


def test_what_is_asked_of_a_response_is_in_its_unit():
    pytest.importorskip("pint")
    runs = ev.Study(measured, {"gap": [0.0, 50.0]}, replications=10, entropy=1).run(workers=1)
    centimetres = ev.Quantity(10.0, unit="cm")
    assert runs.plan("q", centimetres) == runs.plan("q", 0.1)
    assert runs.controlled("q", {"r": ev.Quantity(100.0, unit="cm")}) == runs.controlled("q", {"r": 1.0})
    assert runs.select_best("q", ev.Quantity(300.0, unit="cm")).indifference == 3.0
    cases = ev.Scenarios(measured, base={"gap": 0.0}, worst={"gap": 9.0}, best={"gap": 5.0}, entropy=1)
    for limited in (cases.switching_values, cases.tolerable):
        assert str(limited("q", ev.Quantity(500.0, unit="cm"))) == str(limited("q", 5.0))
    assert _refusal(lambda: runs.plan("x", centimetres)).startswith("x has no unit, and got 10.0 cm")
    assert _refusal(lambda: runs.plan("q", centimetres, relative=True)).startswith("relative=True takes a plain number")


def test_a_study_keeps_its_points_when_what_they_were_told_by_is_changed():
    values, points = {"gap": [1.0, 2.0]}, [{"gap": 1.0}, {"gap": 2.0}]
    for over in (values, points, {"gap": iter([1.0, 2.0])}, iter(points)):
        runs = ev.Study(measured, over, entropy=1).run(workers=1)
        values["gap"].append(9.0)
        points.insert(0, {"gap": 9.0})
        runs.extend(1)
        assert runs.table["gap"].to_list() == [1.0, 2.0, 1.0, 2.0]
        values["gap"].pop()
        points.pop(0)


@ev.model(until=1.0)
def emptied(sim, *, jobs: list = [3.0, 2.0], cells: np.ndarray = np.ones(2)):  # noqa: B006, B008  # as users write
    cells *= 2.0
    return {"x": lambda: jobs.pop() + cells.sum()}


def test_a_run_that_changes_what_the_next_one_begins_with_is_refused():
    told = "{0} of emptied was changed by a run, and the next run would begin with what is left of it: let the model "
    told += "work on a copy, as {0} = copy.copy({0})"
    runs = ev.Study(emptied, {"jobs": [[1.0, 2.0]], "cells": [np.ones(2)]}, entropy=1).run(workers=1)
    assert runs[0].failure.message == told.format("jobs")
    assert emptied.run(entropy=1).responses == {"x": 6.0}
    assert _refusal(lambda: emptied.run(entropy=1)) == told.format("jobs")
    assert _refusal(lambda: emptied(jobs=[1.0]).run(entropy=1)) == told.format("cells")
    assert emptied(jobs=[1.0], cells=np.ones(2)).run(entropy=1).responses == {"x": 5.0}
