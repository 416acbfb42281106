"""Studies: many points, each with replications, by several workers, as one table."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eventide as ev
from eventide.experiment.results import Task


class Tank(ev.Continuous):
    level: ev.State = ev.state(unit="m")
    loss: float = 1.0

    def equations(self):
        self.rate.level = -self.loss * self.level if self.level > 0.5 else -0.1


@ev.model(until=2.0, time_unit="s")
def tank(sim, *, loss: float = 1.0, cells: int = 1, kind: str = "round"):
    one = Tank(sim, loss=loss, level=sim.stream("start").uniform(1.0, 2.0), name="tank").start()
    sim.record(one, every=0.5, name="level")
    sim.record(double=lambda: 2.0 * one.level, every="event", name="double")
    return {"mass": sim.integral(lambda: cells * one.level, unit="m"), "end": lambda: one.level}


@ev.model
def fragile(sim, *, weight: float = 1.0):
    yield ev.hold(weight)
    if sim.replication == 1 and weight > 1.0:
        raise ValueError("broken")
    return {"x": sim.stream("x").uniform(0.0, 1.0)}


GRID = {"loss": [0.5, 1.0], "cells": [1, 2, 3]}


@pytest.fixture(scope="module")
def serial():
    return ev.Study(tank, GRID, replications=4, entropy=7, record=True).run(workers=1)


@pytest.mark.slow
def test_the_table_has_a_row_for_each_point_and_replication_and_each_is_the_run_by_itself(serial):
    table = serial.table
    assert list(table.columns) == ["point", "replication", "loss", "cells", "mass", "end"]
    assert table["point"].to_list() == [0, 1, 2, 3, 4, 5] * 4
    assert table["replication"].to_list() == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    assert table["cells"].to_list() == [1, 2, 3, 1, 2, 3] * 4
    assert table.attrs["units"] == {"mass": "m s", "end": ""}
    assert table.attrs["provenance"]["entropy"] == "7"
    assert table.attrs["provenance"]["until"] == "2.0"
    assert table.attrs["provenance"]["parameters"] == "kind='round'"
    for run in (0, 9, 23):
        alone = tank(loss=table["loss"][run], cells=table["cells"][run]).run(
            entropy=7, replication=table["replication"][run]
        )
        assert (table["mass"][run], table["end"][run]) == tuple(alone.responses.values())
        assert serial[run].account == alone.account
        pd.testing.assert_frame_equal(serial[run].tables["double"], alone.recordings[1].to_pandas())
    assert serial[3].run is None


@pytest.mark.slow
@pytest.mark.row("R-272")
def test_bits_and_order_do_not_depend_on_the_workers(serial):
    study = ev.Study(tank, GRID, replications=4, entropy=7, record=True)
    with ThreadPoolExecutor(2) as threads:
        others = [study.run(workers=2), study.run(workers=4), study.run(executor=threads, workers=2)]
    for other in others:
        pd.testing.assert_frame_equal(other.table, serial.table, check_exact=True)
        pd.testing.assert_frame_equal(other.states("double"), serial.states("double"), check_exact=True)
        assert other.table.attrs == serial.table.attrs
        assert [result.number for result in other] == list(range(24))
        assert [result.account for result in other] == [result.account for result in serial]


@pytest.mark.slow
def test_values_are_drawn_for_each_replication_or_for_each_point():
    chance = stats.uniform(1.0, 0.5)
    each = ev.Study(tank, {"cells": [1, 2], "loss": chance}, replications=3, entropy=5).run(workers=1).table
    assert each["loss"][:2].nunique() == 1  # points are compared under the same chance
    assert each["loss"].nunique() == 3
    assert each["loss"].between(1.0, 1.5).all()

    points = ev.Study(tank, {"loss": ev.designs.drawn(chance, points=3)}, replications=2, entropy=5)
    assert len(points) == 6
    table = points.run(workers=1).table
    assert table["loss"].to_list() == table["loss"].to_list()[:3] * 2
    assert table["loss"].nunique() == 3
    again = ev.Study(tank, {"loss": ev.designs.drawn(chance, points=3)}, entropy=5)
    assert again.points.values == points.points.values

    whole = ev.Study(tank, {"cells": stats.randint(3, 5)}, replications=20, entropy=1)
    values = [whole.task(k).values["cells"] for k in range(20)]
    assert {type(value) for value in values} == {int}
    assert set(values) == {3, 4}


def test_designs_fill_their_ranges():
    ranges = {"loss": (0.0, 8.0), "cells": (1, 4), "kind": ["round", "square"]}
    study = ev.Study(tank, ev.designs.latin_hypercube(8, ranges), entropy=3)
    points = study.points.values
    assert sorted(int(point["loss"]) for point in points) == list(range(8))
    assert sorted(point["cells"] for point in points) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert sorted(point["kind"] for point in points) == ["round"] * 4 + ["square"] * 4
    assert ev.Study(tank, ev.designs.latin_hypercube(8, ranges), entropy=3).points == study.points
    assert ev.Study(tank, ev.designs.latin_hypercube(8, ranges), entropy=4).points != study.points
    assert ev.Study(tank, ev.designs.latin_hypercube(8, ranges, rng=3), entropy=4).points == study.points

    even = ev.Study(tank, ev.designs.sobol(16, {"loss": (0.0, 16.0), "cells": stats.randint(0, 2)}), entropy=3)
    assert sorted(int(point["loss"]) for point in even.points.values) == list(range(16))
    assert sum(point["cells"] for point in even.points.values) == 8
    assert ev.designs.factorial(a=[1, 2], b="xy") == [
        {"a": 1, "b": "x"},
        {"a": 1, "b": "y"},
        {"a": 2, "b": "x"},
        {"a": 2, "b": "y"},
    ]


def test_points_may_be_given_one_by_one_and_runs_have_numbers_from_which_all_follows():
    study = ev.Study(tank, [{"loss": 2.0}, {"cells": 3, "kind": "square"}], replications=2, entropy=1)
    assert study.points.varied == ("loss", "cells", "kind")
    assert study.task(3) == Task(3, 1, 1, {"cells": 3, "kind": "square"})
    table = study.run(workers=1).table
    assert table["loss"].to_list() == [2.0, 1.0, 2.0, 1.0]
    assert table["kind"].to_list() == ["round", "square"] * 2
    assert str(study) == (
        "<Study of tank(loss=1.0, cells=1, kind='round'): 2 points x 2 replications = 4 runs, entropy 1>"
    )


@pytest.mark.slow
def test_a_dataset_has_points_replications_and_times_with_units():
    times = [0.0, 0.25, 2.0]
    runs = ev.Study(tank, {"loss": [0.5, 1.0]}, replications=3, entropy=2, record="level", at=times).run(workers=1)
    data = runs.to_xarray()
    assert dict(data.sizes) == {"point": 2, "replication": 3, "time": 3}
    assert data["mass"].attrs == {"units": "m s"}
    assert data["tank.level"].attrs == {"units": "m"}
    assert data["loss"].to_numpy().tolist() == [0.5, 1.0]
    assert data.attrs["model"] == "tank"
    alone = tank(loss=1.0).run(entropy=2, replication=1)
    assert float(data["end"][1, 1]) == alone.responses["end"]
    assert data["tank.level"][1, 1].to_numpy().tolist() == alone.recordings[0].at(times)["tank.level"].to_list()
    drawn = ev.Study(tank, {"loss": stats.uniform(1, 1)}, replications=3, entropy=2).run(workers=1).to_xarray()
    assert drawn["loss"].dims == ("point", "replication")
    assert np.unique(drawn["loss"]).size == 3


@pytest.mark.slow
def test_a_run_that_fails_is_a_row_with_its_error_and_the_line_that_repeats_it():
    study = ev.Study(fragile, {"weight": [1.0, 2.0]}, replications=3, entropy=4)
    found = [study.run(workers=1), study.run(workers=2)]
    for runs in found:
        assert runs.table["error"].to_list() == ["", "", "", "ValueError: broken", "", ""]
        assert np.isnan(runs.table["x"][3])
        assert runs.failures.index.to_list() == [3]
        assert runs.failures["replay"][3] == "fragile(weight=2.0).run(entropy=4, replication=1)"
        assert runs[3].failure.notes[1:] == (
            "in a run of fragile(weight=2.0) with entropy 4, replication 1, at time 2.0",
        )
        assert 'raise ValueError("broken")' in runs[3].failure.traceback
        assert runs.tally("x", point=1).count == 2
        assert "run 3 failed: ValueError: broken\n    fragile(weight=2.0).run(entropy=4, replication=1)" in str(runs)
        with pytest.raises(ValueError, match="broken"):
            eval(runs.failures["replay"][3], {"fragile": fragile})  # noqa: S307  # the line that it tells
    pd.testing.assert_frame_equal(found[0].table, found[1].table, check_exact=True)


def test_where_all_fail_the_study_ends_early():
    calls = []

    @ev.model
    def hopeless(sim):
        calls.append(sim.replication)
        yield ev.hold(1.0)
        raise LookupError("gone")

    with pytest.raises(ev.ModelError, match=r"first 10 runs of hopeless have all failed.*LookupError: gone") as caught:
        ev.Study(hopeless, replications=1000, entropy=1).run(workers=1)
    assert len(calls) == 10
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_summary_has_means_and_intervals(serial):
    summary = serial.summary(0.9)
    assert summary.index.names == ["loss", "cells"]
    tally = serial.tally("mass", point=4)
    low, high = tally.confidence_interval(0.9)
    assert summary.loc[(1.0, 2), "mass"] == tally.mean
    assert summary.loc[(1.0, 2), "+- mass"] == pytest.approx((high - low) / 2, rel=1e-12)
    assert summary["count"].to_list() == [4] * 6
    assert "mass [m s]" in str(serial)


@ev.model
def noisy(sim, *, shift: float = 0.0):
    yield ev.hold(1.0)
    return {"x": shift + sim.stream("x").normal(10.0, 1.0) + 0.1 * sim.stream(f"own {shift}").normal(0.0, 1.0)}


@pytest.mark.row("R-275")
def test_points_are_compared_in_pairs_and_otherwise_by_welch():
    runs = ev.Study(noisy, {"shift": [0.5, 0.0]}, replications=12, entropy=3).run(workers=1)
    first, second = (runs.tally("x", point=point).values for point in (0, 1))
    close = runs.compare("x")
    test = stats.ttest_rel(first, second)
    assert (close.low, close.high) == pytest.approx(tuple(test.confidence_interval(0.95)), rel=1e-10)
    assert close.is_significant
    assert close.difference == pytest.approx(0.5, abs=0.15)
    wide = runs.compare("x", 1, 0, is_paired=False, level=0.9)
    test = stats.ttest_ind(second, first, equal_var=False)
    assert (wide.low, wide.high) == pytest.approx(tuple(test.confidence_interval(0.9)), rel=1e-10)
    assert wide.high - wide.low > 3 * (close.high - close.low)


def test_replications_go_on_until_the_mean_is_known():
    runs = ev.Study(noisy, {"shift": [0.5, 0.0]}, replications=2, entropy=3).run(workers=1)
    runs.extend_until("x", 0.25)
    plans = [runs.plan("x", 0.25, point=point) for point in (0, 1)]
    assert all(plan.high - plan.low <= 0.5 for plan in plans)
    assert 40 < runs.study.replications < 140
    pd.testing.assert_frame_equal(runs.table, runs.study.run(workers=1).table, check_exact=True)
    with pytest.raises(ev.ModelError, match=r"it takes about \d+ replications to know x to 0.001, and most=200"):
        runs.extend_until("x", 0.001, most=200)


def test_mistakes_are_found_before_the_first_run():
    with pytest.raises(ev.ParameterError, match=r"tank has no parameter los; it has loss: float = 1.0"):
        ev.Study(tank, {"los": [1.0]})
    with pytest.raises(ev.ParameterError, match=r"parameter cells of tank takes a whole number, and got 1.5"):
        ev.Study(tank, {"cells": [1, 1.5]})
    with pytest.raises(ev.ParameterError, match=r"parameter cells of tank takes a whole number"):
        ev.Study(tank, {"cells": stats.norm(0.0, 1.0)}, entropy=1)
    with pytest.raises(ev.ParameterError, match=r"a point of a study gives values by name.*got 3"):
        ev.Study(tank, [3])
    with pytest.raises(ev.ModelError, match=r"a study is of a model, and got '<lambda>': write @ev.model above it"):
        ev.Study(lambda sim: None)
    with pytest.raises(ev.ModelError, match=r"sobol\(...\) takes a power of 2, as 64.*got 50"):
        ev.designs.sobol(50, {"loss": (0.0, 1.0)})
    with pytest.raises(ev.ModelError, match="a whole number of workers from 1 on, and got 0"):
        ev.Study(tank).run(workers=0)
    with pytest.raises(ev.ModelError, match=r"keep=True keeps the simulations.*workers=1"):
        ev.Study(tank).run(keep=True, workers=2)
    with pytest.raises(ev.ModelError, match=r"time_limit > 0 in seconds, and got 0"):
        ev.Study(tank, time_limit=0)
    with pytest.raises(ev.ModelError, match=r"range of loss is \(low, high\)"):
        ev.Study(tank, ev.designs.latin_hypercube(3, {"loss": (2.0, 1.0)}))
    with pytest.raises(ev.ModelError, match=r"the runs of tank kept no recordings: the study keeps those that record="):
        ev.Study(tank).run(workers=1).states("states")


@pytest.mark.slow
def test_a_run_that_takes_too_long_fails_and_the_others_do_not():
    @ev.model
    def stiff(sim, *, step: float = 1.0):
        Tank(sim, level=1.0, name="tank").start()
        sim.dt_max = step
        yield ev.hold(1e7 if step < 0.5 else 100.0)
        return {"x": 1.0}

    @ev.model
    def stuck(sim, *, step: float = 1.0):
        yield ev.hold(1.0)
        while step < 0.5:
            pass
        return {"x": 1.0}

    stiff(step=1e5).run()  # what is compiled is kept on disk, and takes a worker no time
    for model, workers in ((stiff, 2), (stuck, 1)):
        runs = ev.Study(model, {"step": [1e-7, 1e5]}, entropy=1, time_limit=2.0).run(workers=workers)
        assert [bool(result.failure) for result in runs] == [True, False]
        assert str(runs[0].failure).startswith("TimeoutError: the run took longer than time_limit=2.0 seconds")


@pytest.mark.slow
def test_dask_gives_the_same_by_its_executor(serial):
    distributed = pytest.importorskip("distributed")
    study = ev.Study(tank, GRID, replications=4, entropy=7, record=True)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        assert len(set(client.run(os.getpid).values()) - {os.getpid()}) == 2
        runs = study.run(executor=client.get_executor(), workers=2)
    pd.testing.assert_frame_equal(runs.table, serial.table, check_exact=True)
    pd.testing.assert_frame_equal(runs.states("double"), serial.states("double"), check_exact=True)


def test_counts_that_are_no_whole_numbers_and_ranges_without_an_end_are_refused_in_words():
    for replications in (0, 2.5, float("nan"), "3", True):
        with pytest.raises(ev.ModelError, match=f"a whole number of times from 1 on, and got {replications!r}"):
            ev.Study(tank, replications=replications)
    assert len(ev.Study(tank, replications=np.int64(3))) == 3
    study = ev.Study(tank, entropy=1)
    for workers in (0, 2.5, "2"):
        with pytest.raises(ev.ModelError, match=f"a whole number of workers from 1 on, and got {workers!r}"):
            study.run(workers=workers)
    with pytest.raises(ev.ModelError, match=r"takes an executor with submit.., as those of .*, and got 'dask'"):
        study.run(executor="dask")
    with pytest.raises(ev.ModelError, match="takes a time_limit > 0 in seconds, and got 'long'"):
        ev.Study(tank, time_limit="long")
    for count in (2.5, {"loss": (1.0, 2.0)}):
        with pytest.raises(ev.ModelError, match="takes a power of 2"):
            ev.designs.sobol(count, {"loss": (1.0, 2.0)})
        with pytest.raises(ev.ModelError, match="takes points and parameters, and got"):
            ev.designs.latin_hypercube(count, {"loss": (1.0, 2.0)})
    with pytest.raises(ev.ModelError, match=r"the range of loss is .low, high. .*; got .1.0, inf."):
        ev.Study(tank, ev.designs.latin_hypercube(4, {"loss": (1.0, float("inf"))}))


@ev.model(until=1.0)
def half_known(sim, *, size: float = 1.0):
    return {"size": size, "quotient": float("nan") if sim.replication == 1 and size > 1.0 else size}


def test_a_response_that_is_not_finite_in_some_runs_has_no_mean_there_and_the_study_is_told():
    runs = ev.Study(half_known, {"size": [1.0, 2.0]}, replications=3, entropy=1).run(workers=1)
    assert str(runs) == (
        "<Replication of half_known: 2 points x 3, 6 runs, entropy 1>\n\n"
        "size     1.0 2.0\n"
        "size       1   2\n"
        "quotient   1   -\n"
        "count      3   3\n\n"
        "quotient is not finite in 1 of 6 runs, first in run 3: it has no mean at their points; .table has all values"
    )
    assert "<p>quotient is not finite in 1 of 6 runs, first in run 3: it has" in runs._repr_html_()
    for ask in (lambda: runs.plan("quotient", 0.1, point=1), lambda: runs.compare("quotient")):
        with pytest.raises(ev.ModelError, match="quotient of half_known is nan in run 3, at point 1: statistics take"):
            ask()
    for count in (-1, 1.5):
        with pytest.raises(ev.ModelError, match=f"by a whole number of replications from 0 on, and got {count}"):
            runs.extend(count)
    assert len(runs) == len(runs.study) == 6


OWN_VALUES = """
import enum
import eventide as ev

class Kind(enum.Enum):
    ROUND = 1.0
    SQUARE = 2.0

class Price:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Price({self.value})"

@ev.model(until=1.0)
def sale(sim, *, kind: Kind = Kind.ROUND, price: object = None, rule: object = abs):
    return {"x": rule(price.value) + (10.0 if kind is Kind.ROUND else 0.0)}

over = {"kind": [Kind.ROUND, Kind.SQUARE], "price": [Price(-1.0)], "rule": [lambda x: 2.0 * x, abs]}
runs = ev.Study(sale, over, entropy=1).run(workers=2, progress=False)
print(runs.table["x"].to_list(), [run.parameters["kind"] is Kind.ROUND for run in runs])
try:
    ev.Study(sale, {"price": [(n for n in [1])]}, entropy=1).run(workers=2, progress=False)
except ev.ModelError as error:
    print(error)
"""


@pytest.mark.slow
def test_values_of_classes_of_a_script_are_sent_to_workers_and_what_cannot_be_sent_is_refused(tmp_path):
    (tmp_path / "sale.py").write_text(OWN_VALUES)
    done = subprocess.run([sys.executable, "sale.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    values, error = done.stdout.splitlines()
    assert values == "[8.0, 11.0, -2.0, 1.0] [True, True, False, False]"
    assert error.startswith("sale cannot be sent to another process: it refers to something that is not to be pickled")
    assert error.endswith("; give the parameter a value that can be, or run with workers=1")
