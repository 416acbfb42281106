"""Replications: runs of several inputs as one object, their tables, and how many are needed."""

from itertools import product
from math import exp, isnan
from random import Random

import numpy as np
import pandas as pd
import pytest

import eventide as ev
from eventide.statistics import sample_size


class Decay(ev.Continuous):
    """x' = -p x, whose square costs."""

    x: ev.State = ev.state(1.0, unit="m")
    p: float = 1.0

    def equations(self):
        self.rate.x = -self.p * self.x


@ev.model(until=2.0, rel_error=1e-9, time_unit="s")
def decay(sim, p: float = 1.0, x0: float = 1.0):
    state = Decay(sim, x=x0, p=p, name="decay").start()
    sim.record(state, every=0.25, name="states")
    sim.record(double=lambda: 2.0 * state.x, every=0.5, name="other")
    return {"cost": sim.integral(lambda: state.x**2, unit="m2"), "end": lambda: state.x}


TUPLES = [{"p": p, "x0": x0} for p, x0 in product([0.5, 1.0, 2.0], [1.0, 3.0])]


@ev.model(until=50.0)
def shop(sim, rate: float = 0.8):
    desk = ev.Resource(sim, 1, name="desk")

    def customer():
        with desk.request() as place:
            yield place
            yield ev.hold(sim.stream("service").negexp(1.0))

    def arrivals():
        while True:
            yield ev.hold(sim.stream("arrivals").negexp(rate))
            sim.process(customer())

    sim.process(arrivals())
    return {"waiting": desk.waits, "busy": desk.in_use}


@pytest.mark.slow
@pytest.mark.row("R-274")
def test_a_replication_holds_the_states_of_every_simulator_at_every_time_with_their_inputs():
    replication = decay.replicate(over=TUPLES)
    assert len(replication) == 6

    expected = pd.DataFrame(
        [{"point": k, "replication": 0, **given} for k, given in enumerate(TUPLES)], index=pd.RangeIndex(6, name="run")
    )
    pd.testing.assert_frame_equal(replication.inputs, expected)
    states = replication.states()
    assert states.index.names == ["run", "time"]
    assert states.attrs["units"] == {"time": "s", "decay.x": "m"}
    times = np.arange(9) * 0.25
    for run, given in enumerate(TUPLES):
        own = states.loc[run]
        assert own.index.to_list() == times.tolist()
        assert np.abs(own["decay.x"] - given["x0"] * np.exp(-given["p"] * times)).max() < 1e-7
    assert replication.states("other").loc[3].index.to_list() == [0.0, 0.5, 1.0, 1.5, 2.0]
    at = replication.at([0.0, 1.0])
    assert at.index.to_list() == [(run, time) for run in range(6) for time in (0.0, 1.0)]
    assert at.loc[5, "decay.x"].to_list() == states.loc[5]["decay.x"].loc[[0.0, 1.0]].to_list()
    assert [run.parameters["p"] for run in replication] == [0.5, 0.5, 1.0, 1.0, 2.0, 2.0]
    assert replication[-1].parameters == TUPLES[-1]


@pytest.mark.slow
@pytest.mark.row("R-276")
@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.db"])
def test_it_is_dumped_and_comes_back_equal(tmp_path, name):
    replication = decay.replicate(over=TUPLES)
    for table in (replication.inputs, replication.states(), replication.responses):
        ev.save(table, tmp_path / name)
        back = ev.load(tmp_path / name, **({"table": table.attrs["name"]} if name == "a.db" else {}))
        pd.testing.assert_frame_equal(back, table, check_exact=True)
        assert (back.attrs, back.index.names) == (table.attrs, table.index.names)


@pytest.mark.row("R-246")
def test_the_assessment_holds_the_cost_of_every_tuple_with_mean_covariance_and_quantiles():
    assessment = decay.replicate(over=TUPLES).responses

    exact = np.array([t["x0"] ** 2 * (1.0 - exp(-4.0 * t["p"])) / (2.0 * t["p"]) for t in TUPLES])
    ends = np.array([t["x0"] * exp(-2.0 * t["p"]) for t in TUPLES])
    assert assessment.attrs["units"] == {"cost": "m2 s", "end": ""}
    assert np.abs(assessment["cost"] - exact).max() < 1e-7
    assert assessment["cost"].mean() == pytest.approx(exact.mean(), abs=1e-7)
    assert assessment.cov().loc["cost", "end"] == pytest.approx(np.cov(exact, ends)[0, 1], abs=1e-6)
    assert assessment["cost"].quantile(0.25) == pytest.approx(np.quantile(exact, 0.25), abs=1e-7)


def test_replications_have_numbers_of_their_own_and_inputs_are_compared_under_the_same():
    both = shop.replicate(3, over=[{"rate": 0.5}, {"rate": 0.5000001}], entropy=7)
    waits = both.responses["waiting"].to_numpy()

    assert both.inputs["replication"].to_list() == [0, 0, 1, 1, 2, 2]
    assert both.inputs["point"].to_list() == [0, 1, 0, 1, 0, 1]
    assert np.abs(waits[::2] - waits[1::2]).max() < 1e-3
    assert len(set(np.round(waits[::2], 6))) == 3
    alone = shop(rate=0.5).run(entropy=7, replication=2)
    assert (alone.responses["waiting"], alone.replication) == (waits[4], 2)
    assert both[0].responses == shop(rate=0.5).run(entropy=7).responses


def test_more_of_them_go_on_with_the_numbers():
    whole = shop.replicate(5, entropy=3)
    grown = shop.replicate(2, entropy=3)
    grown.extend(3)
    pd.testing.assert_frame_equal(grown.responses, whole.responses)
    pd.testing.assert_frame_equal(grown.inputs, whole.inputs)
    fresh = shop.replicate(1)
    assert fresh.entropy != shop.replicate(1).entropy


@pytest.mark.row("R-275")
def test_a_plan_tells_estimate_interval_and_how_many_are_needed():
    pilot = shop.replicate(12, entropy=5)
    tally = pilot.tally("waiting")
    plan = pilot.plan("waiting", 0.4, level=0.9)

    assert (plan.mean, plan.count) == (tally.mean, 12)
    assert (plan.low, plan.high) == tally.confidence_interval(0.9)
    assert plan.needed == sample_size(tally.stdev, 0.4, level=0.9)
    assert plan.needed > 12
    assert 0.0 < plan.independence <= 1.0
    pilot.extend(plan.needed - plan.count)
    low, high = pilot.tally("waiting").confidence_interval(0.9)
    assert high - low < 2 * 0.4 * 1.25  # the spread was an estimate of twelve
    relative = pilot.plan("waiting", 0.1, relative=True)
    assert relative.needed == sample_size(pilot.tally("waiting").stdev, 0.1 / 1.1 * relative.mean)
    assert isnan(shop.replicate(3, entropy=1).plan("busy", 0.1).independence)


@pytest.mark.slow
@pytest.mark.row("R-287")
def test_intervals_of_replications_cover_the_mean_as_often_as_they_say():
    @ev.model
    def sums(sim):
        stream = sim.stream("x")
        yield ev.hold(1.0)
        return {"x": stream.negexp(1.0) + stream.negexp(1.0) + stream.normal(0.0, 1.0)}

    covered = 0
    for k in range(400):
        low, high = sums.replicate(20, entropy=k).tally("x").confidence_interval(0.95)
        covered += low <= 2.0 <= high
    assert abs(covered / 400 - 0.95) < 3 * (0.05 * 0.95 / 400) ** 0.5


def test_what_is_not_there_is_named():
    one = decay.replicate()
    with pytest.raises(ev.ModelError, match=r"decay has no recording 'x'; it has: states, other"):
        one.states("x")
    with pytest.raises(ev.ModelError, match=r"no response 'x'; it has: cost, end"):
        one.tally("x")
    with pytest.raises(ev.ModelError, match=r"no point 1: decay was run at 1"):
        one.tally("cost", point=1)
    with pytest.raises(ev.ModelError, match=r"two replications of a point at least, and there is 1"):
        one.plan("cost", 1.0)
    one.extend(1)
    with pytest.raises(ev.ModelError, match=r"half_width > 0, and got 0.0"):
        one.plan("cost", 0.0)
    with pytest.raises(ev.ModelError, match=r"a whole number of times from 1 on, and got 0"):
        decay.replicate(0)
    with pytest.raises(ev.ModelError, match=r"no points to be run for"):
        decay.replicate(over=[])
    with pytest.raises(ev.ParameterError, match=r"no parameter q"):
        decay.replicate(over=[{"q": 1.0}])


def test_an_error_tells_which_replication_it_was_and_leaves_those_before():
    @ev.model
    def fragile(sim, weight: float = 1.0):
        yield ev.hold(1.0)
        if sim.replication == 2:
            raise ValueError("broken")
        return {"x": 1.0}

    whole = fragile.replicate(2, entropy=4)
    with pytest.raises(ValueError, match="broken") as caught:
        whole.extend(2)
    assert "in a run of fragile(weight=1.0) with entropy 4, replication 2, at time 1.0" in caught.value.__notes__
    assert len(whole) == 2


def test_a_recording_of_a_class_has_rows_by_run_but_no_common_times():
    @ev.model(until=1.0)
    def many(sim, count: int = 2):
        for k in range(count):
            Decay(sim, name=f"d{k}").start()
        sim.record(Decay, every=0.5)

    both = many.replicate(over=[{"count": 1}, {"count": 2}])
    assert both.states().groupby("run").size().to_list() == [3, 6]
    with pytest.raises(ev.ModelError, match=r"the recording of a class"):
        both.at([0.5])


@ev.model
def errand(sim, *, stops: int = 3):
    length = 0.0
    for _ in range(stops):
        duration = sim.stream("way").uniform(0.0, 1.0)
        yield ev.hold(duration)
        length += duration
    return {"length": length}


def test_runs_that_ended_in_time_are_no_sample_of_all():
    runs = ev.Study(errand, over={"stops": [1, 3]}, replications=6, until=1.5, entropy=1).run(workers=1)
    means, cut = runs.summary(), [result.number for result in runs if not result.is_whole]

    assert 0 < len(cut) < 6
    assert {number % 2 for number in cut} == {1}
    assert means[["count", "stopped"]].to_numpy().tolist() == [[6, 0], [6 - len(cut), len(cut)]]
    assert means["length"].notna().tolist() == means["+- length"].notna().tolist() == [True, False]
    assert f"{len(cut)} of 12 runs were stopped before their main program had ended, first run {cut[0]}:" in str(runs)
    for ask in (lambda: runs.tally("length", point=1), lambda: runs.compare("length"), lambda: runs.plot("length")):
        with pytest.raises(
            ev.ModelError, match=rf"run {cut[0]} of errand has no responses: it was stopped at time 1.5"
        ):
            ask()
    assert runs.tally("length", point=0).count == 6


@ev.model(until=1.0)
def counter(sim, *, point: float = 2.0):
    return {"count": lambda: 5.0 * point, "failed": lambda: 7.0, "time": lambda: 9.0, "point": lambda: 4.0}


@pytest.mark.slow
def test_a_response_with_the_name_of_a_column_keeps_its_mean():
    runs = ev.Study(counter, over={"point": [1.0, 2.0]}, replications=3, entropy=1).run(workers=1)
    means = runs.summary()

    assert means["response count"].tolist() == [5.0, 10.0]
    assert means["count"].tolist() == [3, 3]
    assert means["response failed"].tolist() == [7.0, 7.0]
    assert "response count    5  10" in str(runs)
    assert runs.inputs["point"].tolist() == [0, 1] * 3
    assert runs.inputs["parameter point"].tolist() == [1.0, 2.0] * 3
    assert runs.to_xarray()["response point"].to_numpy().tolist() == [[4.0] * 3] * 2


@ev.model(until=1.0)
def seldom(sim):
    share = sim.stream("share").uniform(0.0, 1.0)
    return {"always": lambda: share} | ({"high": lambda: share} if share > 0.5 else {})


def test_a_mean_of_those_runs_alone_that_answered_is_told():
    runs = ev.Study(seldom, replications=8, entropy=1).run(workers=1)
    count = int(runs.table["high"].count())

    assert 0 < count < 8
    assert f"high was answered by {count} of 8 runs: its means are of these alone" in str(runs)
    assert "always was answered" not in str(runs)


@ev.model(until=5.0)
def seeded_within(sim, own: bool = True):
    draws, count = Random(3) if own else sim.stream("waits"), sim.tally()

    def waits():
        while True:
            yield ev.hold(draws.random())
            count.add(1.0)

    sim.process(waits())
    return {"waits": lambda: count.count}


@pytest.mark.parametrize("own", [True, False])
def test_replications_that_are_all_the_same_are_told(own):
    same = "all replications of a point gave the same: what they draw, if they do, does not depend on the entropy"
    runs = seeded_within(own=own).replicate(4, entropy=1)
    assert [len(runs), same in str(runs), same in runs._repr_html_()] == [4, own, own]
    assert same not in str(seeded_within(own=own).replicate(1, entropy=1))
