"""Output analysis of studies: intervals, comparisons, the best point, antithetic pairs, control variates."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eventide as ev
from eventide.experiment import analysis
from eventide.experiment.workers import processes
from eventide.statistics import (
    KimNelson,
    batch_means,
    compare_several,
    controlled,
    mean_interval,
    mser5,
    quantile_interval,
    sample_size,
    variance_interval,
)


@ev.model
def noisy(sim, *, shift: float = 0.0):
    yield ev.hold(1.0)
    chance = sim.stream("x").normal(0.0, 1.0)
    own = sim.stream(f"own {shift}").normal(0.0, 1.0)
    return {"x": 10.0 + shift + chance + own, "chance": chance, "twice": 2.0 * chance}


@ev.model
def queue(sim, *, services: float = 1.0, customers: int = 40):
    """The first customers of an M/M/1 queue."""
    desk = ev.Resource(sim, 1, name="desk")
    times = sim.tally("service")

    def customer():
        with desk.request() as place:
            yield place
            times.add(sim.stream("service").exponential(services))
            yield ev.hold(times.values[-1])

    for _ in range(customers):
        sim.process(customer())
        yield ev.hold(sim.stream("arrivals").exponential(1.25))
    return {"wait": desk.waits, "service mean": times}


SHIFTS = {"shift": [0.0, 0.4, 0.5, 1.0]}


def test_intervals_of_a_study_are_those_of_its_replications():
    runs = ev.Study(noisy, SHIFTS, replications=40, entropy=3).run(workers=1)
    values = runs.tally("x", point=2).values
    for of, options, expected in (
        ("mean", {}, (values.mean(), *mean_interval(values, 0.9))),
        ("mean", {"is_normal": False}, (values.mean(), *mean_interval(values, 0.9, is_normal=False))),
        ("variance", {}, (values.var(ddof=1), *variance_interval(values, 0.9))),
        ("variance", {"is_normal": False}, (values.var(ddof=1), *variance_interval(values, 0.9, is_normal=False))),
        (0.8, {}, (np.quantile(values, 0.8), *quantile_interval(values, 0.8, 0.9))),
    ):
        table = runs.intervals("x", of, level=0.9, **options)
        assert table.index.names == ["shift"]
        assert table["count"].to_list() == [40] * 4
        assert table.iloc[2][["estimate", "low", "high"]].to_list() == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ev.ModelError, match=r'of the "mean", the "variance" or a share as 0\.9, and got of=\'median\''):
        runs.intervals("x", "median")
    with pytest.raises(ev.ModelError, match="got of=1"):
        runs.intervals("x", 1)


def test_several_points_are_compared_by_intervals_that_hold_together():
    runs = ev.Study(noisy, SHIFTS, replications=20, entropy=3).run(workers=1)
    samples = [runs.tally("x", point=point).values for point in range(4)]
    for against, is_paired in ((0, True), (2, False), (None, True)):
        table = runs.comparisons("x", against=against, is_paired=is_paired)
        expected = compare_several(samples, against=against, is_paired=is_paired)
        assert list(zip(table["first"], table["second"], strict=True)) == list(expected)
        assert table["low"].to_list() == [one.low for one in expected.values()]
        assert table["is_significant"].to_list() == [one.is_significant for one in expected.values()]
    for against in (4, "first", True):
        with pytest.raises(ev.ModelError, match=f"was run at 4, from 0 on, and got against={against!r}"):
            runs.comparisons("x", against=against)
    with pytest.raises(ev.ModelError, match="two points or more"):
        noisy.replicate(5).comparisons("x")


@pytest.mark.slow
@pytest.mark.row("R-275")
def test_the_best_point_is_selected_by_more_replications_of_those_that_may_be_it(tmp_path):
    pytest.importorskip("pyarrow")
    whole = ev.Study(noisy, SHIFTS, replications=120, entropy=3).run(workers=1)
    procedure = KimNelson(4, 0.5)
    rows = np.column_stack([whole.tally("x", point=point).values for point in range(4)])
    procedure.add(rows)
    assert (procedure.best, procedure.count) == (3, max(procedure.eliminated.values()))

    study = ev.Study(noisy, SHIFTS, replications=2, entropy=3)
    for store in (None, tmp_path / "store"):
        runs = study.run(workers=1, store=store)
        found = runs.select_best("x", 0.5)
        assert (found.point, found.values, found.probability) == (3, {"shift": 1.0}, 0.95)
        assert (found.replications, found.eliminated) == (procedure.count, procedure.eliminated)
        counts = runs.table["point"].value_counts()
        assert [counts[point] for point in range(3)] <= [count + 3 for count in procedure.eliminated.values()]
        assert counts[0] < counts[3]
        assert found.mean == runs.table.loc[runs.table["point"] == 3, "x"].mean()
    assert runs.select_best("x", 0.5) == found  # of what is there, without a run
    assert len(study.run(workers=1, store=tmp_path / "store")) == 8
    runs.extend(0)  # what the others lack is made now
    expected = whole.table[: len(runs)]
    pd.testing.assert_series_equal(runs.table["x"], expected["x"], check_exact=True)
    with pytest.raises(ev.ModelError, match=r"points .*3 are left after 12 replications, and most=12: allow more"):
        ev.Study(noisy, SHIFTS, replications=2, entropy=3).run(workers=1).select_best("x", 0.01, most=12)


@pytest.mark.slow
def test_an_executor_selects_the_same_point():
    study = ev.Study(noisy, SHIFTS, replications=2, entropy=3)
    alone, others = study.run(workers=1), study.run(workers=1)
    serial = alone.select_best("x", 0.5, maximise=False)
    with ThreadPoolExecutor(2) as threads:
        beside = others.select_best("x", 0.5, maximise=False, workers=50, executor=threads)
    assert serial == beside
    assert serial.point == 0
    pd.testing.assert_frame_equal(alone.table, others.table, check_exact=True)


@pytest.mark.slow
def test_processes_are_begun_once_for_a_selection(monkeypatch):
    begun = []
    monkeypatch.setattr(analysis, "processes", lambda count: begun.append(count) or processes(count))
    study = ev.Study(noisy, SHIFTS, replications=2, entropy=3)
    beside = study.run(workers=1).select_best("x", 0.8, workers=2)
    serial = study.run(workers=1).select_best("x", 0.8)
    assert (beside.point, beside.eliminated) == (serial.point, serial.eliminated)
    assert (begun, serial.replications > 10) == ([2], True)
    runs = study.run(workers=1)
    runs.extend_until("x", 0.4, workers=2)
    assert (begun, runs.study.replications > 20) == ([2, 2], True)


def test_a_selection_needs_every_run_and_arguments_that_mean_something():
    @ev.model
    def fragile(sim, *, shift: float = 0.0):
        yield ev.hold(1.0)
        if sim.replication == 4 and shift:
            raise ValueError("broken")
        return {"x": sim.stream("x").normal(0.0, 1.0)}

    runs = ev.Study(fragile, {"shift": [0.0, 1.0]}, replications=2, entropy=1).run(workers=1)
    with pytest.raises(
        ev.ModelError, match=r"point 1 of fragile has no x in replication 4, as a run failed: \.failures"
    ):
        runs.select_best("x", 0.5)
    for wrong in (
        {"indifference": 0.0},
        {"indifference": 0.5, "probability": 0.5},
        {"indifference": 0.5, "first": 1},
        {"indifference": "x"},
    ):
        with pytest.raises(ev.ModelError, match="the best of two points or more is selected, with indifference > 0"):
            runs.select_best("x", **wrong)
    with pytest.raises(ev.ModelError, match="extend takes workers, executor, keep, progress besides, and got worker="):
        runs.select_best("x", 0.5, worker=2)


# --- antithetic pairs -------------------------------------------------------------------------------------------------


def test_the_second_of_each_pair_mirrors_the_random_numbers_of_the_first():
    plain = ev.Study(noisy, replications=6, entropy=5).run(workers=1)
    pairs = ev.Study(noisy, replications=6, entropy=5, antithetic=True).run(workers=1)
    values = pairs.table["chance"].to_list()
    assert values[::2] == plain.table["chance"].to_list()[::2]
    assert values[1::2] == pytest.approx([-value for value in values[::2]], rel=1e-12)
    alone = noisy.run(entropy=5, replication=2, antithetic=True)
    assert (alone.responses["x"], alone.simulation.antithetic) == (pairs.table["x"][3], True)
    assert noisy.replicate(6, entropy=5, antithetic=True).responses["x"].to_list() == pairs.table["x"].to_list()
    assert pairs.table.attrs["provenance"]["antithetic"] == "pairs of replications"
    assert repr(pairs) == "<Replication of noisy: 1 point x 6, 6 runs, in antithetic pairs, entropy 5>"
    with pytest.raises(ev.ModelError, match="antithetic replications come in pairs, and 5 are no pairs"):
        ev.Study(noisy, replications=5, antithetic=True)
    with pytest.raises(ev.ModelError, match="antithetic replications come in pairs, and 7 are no pairs"):
        pairs.extend(1)
    with pytest.raises(ev.ModelError, match="antithetic= as True or False, and got 'yes'"):
        ev.Study(noisy, replications=6, antithetic="yes")
    with pytest.raises(ev.ModelError, match="antithetic= takes True or False, and got 1"):
        ev.Simulation(antithetic=1)


def test_parameters_that_are_drawn_are_mirrored_and_streams_of_numpy_are_independent():
    @ev.model
    def given(sim, *, shift: float = 0.0):
        yield ev.hold(1.0)
        return {"x": shift, "array": sim.stream("x").rng.normal()}

    study = ev.Study(given, {"shift": stats.uniform(0.0, 1.0)}, replications=8, entropy=5, antithetic=True)
    table = study.run(workers=1).table
    assert (table["x"][::2].to_numpy() + table["x"][1::2].to_numpy()).tolist() == pytest.approx([1.0] * 4, rel=1e-15)
    assert table["array"].nunique() == 8
    assert np.abs(table["array"][::2].to_numpy() + table["array"][1::2].to_numpy()).min() > 1e-3


def test_statistics_of_antithetic_pairs_are_of_their_means():
    runs = ev.Study(noisy, SHIFTS, replications=12, entropy=5, antithetic=True).run(workers=1)
    means = runs.table[runs.table["point"] == 1]["x"].to_numpy().reshape(6, 2).mean(axis=1)
    assert runs.tally("x", point=1).values.tolist() == pytest.approx(means.tolist(), rel=1e-15)
    low, high = mean_interval(means)
    summary = runs.summary()
    assert summary.iloc[1][["x", "+- x", "count"]].to_list() == pytest.approx([means.mean(), (high - low) / 2, 12])
    assert runs.intervals("x").iloc[1][["low", "high"]].to_list() == pytest.approx([low, high])
    plan = runs.plan("x", 0.01, point=1)
    assert (plan.count, plan.needed) == (12, 2 * sample_size(means.std(ddof=1), 0.01))
    other = runs.table[runs.table["point"] == 0]["x"].to_numpy().reshape(6, 2).mean(axis=1)
    assert runs.compare("x", 1, 0).difference == pytest.approx(means.mean() - other.mean())
    for of in ("variance", 0.5):
        with pytest.raises(ev.ModelError, match="the two of an antithetic pair depend on each other"):
            runs.intervals("x", of)
    best = runs.select_best("x", 0.5)
    assert (best.point, best.replications % 2) == (3, 0)


def test_a_failed_antithetic_run_tells_how_it_is_repeated_and_its_pair_is_left_out():
    @ev.model
    def fragile(sim):
        yield ev.hold(1.0)
        if sim.antithetic and sim.replication == 2:
            raise ValueError("broken")
        return {"x": sim.stream("x").uniform(0.0, 1.0)}

    runs = ev.Study(fragile, replications=6, entropy=4, antithetic=True).run(workers=1)
    assert runs.failures["replay"].to_list() == ["fragile().run(entropy=4, replication=2, antithetic=True)"]
    assert runs.tally("x").count == 2
    with pytest.raises(ValueError, match="broken") as caught:
        fragile.run(entropy=4, replication=2, antithetic=True)
    assert caught.value.__notes__[-1].endswith("with entropy 4, replication 2, antithetic, at time 1.0")


def test_a_store_of_pairs_is_another_one(tmp_path):
    pytest.importorskip("pyarrow")
    study = ev.Study(noisy, replications=4, entropy=5, antithetic=True)
    table = study.run(workers=1, store=tmp_path).table
    pd.testing.assert_frame_equal(study.run(workers=1, store=tmp_path).table, table, check_exact=True)
    with pytest.raises(ev.ModelError, match="holds another study: its antithetic is True, and here it is None"):
        ev.Study(noisy, replications=4, entropy=5).run(workers=1, store=tmp_path)
    plain = tmp_path / "plain"
    ev.Study(noisy, replications=4, entropy=5).run(workers=1, store=plain)
    with pytest.raises(ev.ModelError, match="its antithetic is None, and here it is True"):
        study.run(workers=1, store=plain)


# --- how closely ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_study_runs_until_its_means_are_known_as_closely_as_is_asked():
    for antithetic in (False, True):
        study = ev.Study(noisy, SHIFTS, replications=2, entropy=3, antithetic=antithetic)
        runs = study.run(workers=1, until_half_width={"x": 0.2, "chance": 0.5})
        grown = study.run(workers=1)
        grown.extend_until("x", 0.2)
        grown.extend_until("chance", 0.5)
        pd.testing.assert_frame_equal(runs.table, grown.table, check_exact=True)
        assert (runs.summary()["+- x"] <= 0.2).all()
        assert runs.study.replications % 2 == 0 or not antithetic
    few = noisy.replicate(2, entropy=3, until_half_width={"x": 0.05}, relative=True)
    assert few.summary()["+- x"].iloc[0] <= 0.05 / 1.05 * few.summary()["x"].iloc[0]
    assert few[0].run is not None
    study = ev.Study(noisy, SHIFTS, replications=2, entropy=3)
    with pytest.raises(ev.ModelError, match="most=20"):
        study.run(workers=1, until_half_width={"x": 0.001}, most=20)
    with pytest.raises(ev.ModelError, match="takes half widths by response"):
        study.run(workers=1, until_half_width=0.2)
    with pytest.raises(ev.ModelError, match="without shard="):
        study.run(workers=1, until_half_width={"x": 0.2}, shard=(1, 2))


@pytest.mark.slow
def test_a_mean_is_controlled_by_what_goes_with_it():
    runs = queue.replicate(100, entropy=2)
    waits, services = (runs.tally(name).values for name in ("wait", "service mean"))
    found = runs.controlled("wait", {"service mean": 1.0})
    assert found == controlled(waits, {"service mean": (services, 1.0)})
    assert found.coefficients["service mean"] > 0.0
    assert found.reduction > 0.2
    pairs = queue.replicate(100, entropy=2, antithetic=True)
    assert pairs.controlled("wait", {"service mean": 1.0}).count == 50
    # The correlation of -log(u) and -log(1 - u) is 1 - pi^2 / 6.
    ratio = pairs.tally("service mean").variance / runs.tally("service mean").variance
    assert ratio == pytest.approx((2.0 - np.pi**2 / 6.0) / 2.0, abs=4.0 * 0.18 * (2 / 50) ** 0.5)
    with pytest.raises(ev.ModelError, match="x of noisy cannot be controlled: the controls chance, twice"):
        noisy.replicate(9).controlled("x", {"chance": 0.0, "twice": 0.0})
    for wrong in (["service mean"], {"service mean": "one"}):
        with pytest.raises(ev.ModelError, match="controls are the true means of other responses"):
            runs.controlled("wait", wrong)
    with pytest.raises(ev.ModelError, match="wait is no control of itself"):
        runs.controlled("wait", {"wait": 1.0})
    with pytest.raises(ev.ModelError, match="queue has no response 'service'; it has: wait, service mean"):
        runs.controlled("wait", {"service": 1.0})


@pytest.mark.slow
def test_waits_of_a_run_are_those_of_lindleys_recurrence_by_which_intervals_are_checked():
    """The links of a chain: the coverage of intervals is measured by the recurrence, and runs give the same numbers."""
    run = queue(customers=3000).run(entropy=9, replication=2)
    services, gaps = (ev.Stream.named(9, name, 2) for name in ("service", "arrivals"))
    wait, expected = 0.0, []
    for _ in range(run.statistics["wait"].count):
        expected.append(wait)
        wait = max(0.0, wait + services.exponential(1.0) - gaps.exponential(1.25))
    waits = run.statistics["wait"].values
    assert len(waits) > 2900
    assert waits == pytest.approx(expected, abs=1e-9)
    found = batch_means(waits[mser5(waits) :])
    assert found.low < 0.8 / 0.2 < found.high  # the exact mean
    assert found.estimate == pytest.approx(batch_means(expected[mser5(expected) :]).estimate, rel=1e-9)


def test_a_text_for_a_choice_is_refused():
    runs = noisy.replicate(3, over={"shift": [0.0, 1.0]}, entropy=1)
    name = next(iter(runs[0].responses))

    for ask in (
        lambda: runs.select_best(name, 0.5, maximise="no"),
        lambda: runs.plan(name, 0.5, relative="no"),
        lambda: runs.compare(name, is_paired="no"),
        lambda: runs.comparisons(name, is_paired="no"),
        lambda: runs.intervals(name, is_normal="no"),
    ):
        with pytest.raises(TypeError, match="takes True or False, and got 'no'"):
            ask()
    assert len(runs) == 6


@ev.model
def waking(sim):
    """What is nearly still at first and what is not."""
    yield ev.hold(1.0)
    number = sim.stream("x").normal(0.0, 1.0)
    return {"late": number * (3.0 if sim.replication >= 10 else 0.01), "wide": sim.stream("y").normal(0.0, 1.0)}


def test_runs_for_one_response_are_no_end_of_those_for_another():
    runs = ev.Study(waking, replications=5, entropy=1).run(workers=1, until_half_width={"late": 0.4, "wide": 0.4})
    assert len(runs) > 100
    assert all(runs.plan(name, 0.4).needed <= len(runs) for name in ("late", "wide"))
