"""Pictures of studies: what stands on the axes is what was answered."""

import numpy as np
import pytest
from scipy import stats

import eventide as ev
from eventide.statistics import moving_average, mser5


@ev.model(until=2.0, time_unit="s")
def decay(sim, *, rate: float = 1.0, size: int = 1, kind: str = "a"):
    x = ev.Variable(sim, size * sim.stream("x").uniform(1.0, 2.0), name="x").start()
    ev.law(sim, lambda: setattr(x, "rate", -rate * x.state))
    sim.record(level=ev.Expression(lambda: x.state, unit="m"), every=0.5, name="level")
    return {"end": lambda: x.state, "size": ev.Quantity(size, unit="m")}


@pytest.fixture(scope="module")
def grid():
    study = ev.Study(decay, {"rate": [0.5, 1.0], "size": [1, 2, 3]}, replications=9, entropy=1)
    return study.run(workers=1)


@pytest.mark.slow
@pytest.mark.row("R-277")
def test_boxes_stand_at_the_values_of_a_parameter():
    runs = ev.Study(decay, {"rate": [1.0, 0.25]}, replications=9, entropy=1).run(workers=1)
    axes = runs.plot()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.25", "1"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate", "end")
    medians = sorted(runs.table.groupby("rate")["end"].median().to_list())
    drawn = {float(line.get_ydata()[0]) for line in axes.lines if len(set(line.get_ydata())) == 1}
    assert set(medians) <= drawn
    assert runs.plot("size").get_ylabel() == "size [m]"


@pytest.mark.slow
def test_a_map_has_the_means_in_its_cells(grid):
    axes = grid.plot("end")
    means = grid.table.pivot_table(index="parameter size", columns="rate", values="end")
    assert axes.collections[0].get_array().tolist() == means.to_numpy().tolist()
    assert [text.get_text() for text in axes.texts] == [f"{mean:.3g}" for mean in means.to_numpy().ravel()]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate", "parameter size")


@pytest.mark.slow
def test_main_effects_are_the_means_over_all_others(grid):
    axes = grid.plot("end", kind="effects")
    overall, rates, sizes = (line.get_ydata() for line in axes.lines)
    assert overall[0] == grid.table["end"].mean()
    assert rates.tolist() == pytest.approx(grid.table.groupby("rate")["end"].mean().to_list(), rel=1e-14)
    assert sizes.tolist() == pytest.approx(grid.table.groupby("parameter size")["end"].mean().to_list(), rel=1e-14)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.5", "1", "1", "2", "3"]
    many = ev.Study(decay, ev.designs.sobol(64, {"rate": (0.0, 1.0), "kind": ["a", "b"], "size": (1, 3)}), entropy=1)
    axes = many.run(workers=1).plot("end")
    assert [len(line.get_xdata()) for line in axes.lines[1:]] == [6, 2, 3]


@pytest.mark.slow
def test_a_fan_shows_the_median_and_the_bands_over_time():
    times = np.linspace(0.0, 2.0, 5)
    study = ev.Study(decay, {"rate": [0.5, 1.0]}, replications=9, entropy=1, record="level", at=times)
    runs = study.run(workers=1)
    axes = runs.plot("level")
    states = runs.states("level")
    first = states.loc[[number for number in states.index.levels[0] if number % 2 == 0], "level"]
    assert axes.lines[0].get_ydata().tolist() == first.groupby(level="time").median().to_list()
    assert len(axes.collections) == 4
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "level [m]")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["rate = 0.5", "rate = 1"]


@ev.model(until=3.0, time_unit="s")
def steps(sim, *, period: float = 1.0):
    """Something that is counted, at times that differ from run to run."""
    desk = ev.Resource(sim, 9, name="desk")

    def story():
        yield ev.hold(period * sim.stream("begin").uniform(0.5, 1.5))
        yield desk.request()
        yield ev.hold(9.0)

    sim.process(story())
    sim.record(desk, every="event", name="counts")
    return {}


@pytest.mark.slow
def test_a_fan_of_runs_that_were_kept_reads_their_recordings_at_common_times():
    runs = steps.replicate(9, over={"period": [1.0, 2.0]}, entropy=1)
    axes = runs.plot("in_use")
    times = axes.lines[0].get_xdata()
    assert (times[0], times[-1], len(times)) == (0.0, 3.0, 201)
    states = runs.at(times, "counts")["desk.in_use"].unstack("run")
    assert axes.lines[1].get_ydata().tolist() == states.iloc[:, 1::2].median(axis="columns").tolist()
    assert set(axes.lines[0].get_ydata()) == {0.0, 1.0}  # a count is kept from row to row
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "desk.in_use")
    with pytest.raises(ev.ModelError, match=r"no 'level' is recorded; there are: desk.in_use, desk.queue"):
        runs.plot("level", kind="fan")


@pytest.mark.slow
def test_what_cannot_be_drawn_is_told(grid):
    with pytest.raises(ev.ModelError, match=r"decay has no response 'y'; it has: end, size"):
        grid.plot("y")
    with pytest.raises(ev.ModelError, match=r"drawn as box, heat, effects, fan, warm-up, and got kind='pie'"):
        grid.plot(kind="pie")
    with pytest.raises(
        ev.ModelError, match=r"no parameter 'kind' differs in this study; there are: rate, parameter size"
    ):
        grid.plot("end", by=["kind"])
    with pytest.raises(ev.ModelError, match=r"a heat map is over two parameters, and got rate"):
        grid.plot("end", kind="heat", by="rate")
    with pytest.raises(ev.ModelError, match="a fan needs recordings at common times"):
        grid.plot(kind="fan")
    alone = ev.Study(decay, {"rate": stats.uniform(0, 1)}, replications=3, entropy=1).run(workers=1)
    assert alone.plot("end", kind="box", by=[]).get_ylabel() == "end"


@pytest.mark.slow
def test_welchs_plot_shows_the_mean_over_replications_its_moving_average_and_the_cut():
    times = np.linspace(0.0, 2.0, 41)
    study = ev.Study(decay, replications=9, entropy=1, record="level", at=times)
    runs = study.run(workers=1)
    axes = runs.plot("level", kind="warm-up")
    means = runs.states("level")["level"].groupby(level="time").mean()
    values, smooth, cut = axes.lines
    assert values.get_xdata().tolist() == times.tolist()
    assert values.get_ydata().tolist() == pytest.approx(means.to_list(), rel=1e-12)
    assert smooth.get_ydata().tolist() == pytest.approx(moving_average(means, 2).tolist(), rel=1e-12)
    assert cut.get_xdata()[0] == times[mser5(means)]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "level [m]")
    single = ev.view.plot_warm_up(means.to_numpy(), window=5, label="level")
    assert len(single.lines[1].get_xdata()) == 36
    assert single.get_xlabel() == "number of the value"
    with pytest.raises(ev.ModelError, match="ten values or more of each run"):
        ev.view.plot_warm_up([1.0, 2.0])
    with pytest.raises(ev.ModelError, match="Welch's plot needs recordings at common times"):
        ev.Study(decay, entropy=1).run(workers=1).plot(kind="warm-up")


@ev.model
def limited(sim, *, limit: float | None = None, kind: str = "a"):
    sim.record(x=lambda: sim.time, every=1.0, name="clock")
    yield ev.hold(2.5 if sim.replication else 1.5)
    return {"y": 9.0 if limit is None else limit}


@pytest.mark.slow
def test_none_is_a_value_of_a_parameter_like_others():
    runs = ev.Study(limited, {"limit": [None, 5.0]}, replications=2, entropy=1).run(workers=1)
    axes = runs.plot("y")
    assert [label.get_text() for label in axes.get_xticklabels()] == ["None", "5"]
    assert [line.get_ydata().tolist() for line in runs.plot("y", kind="effects").lines[1:]] == [[9.0, 5.0]]
    assert runs.summary()["y"].to_dict() == {("None",): 9.0, (5.0,): 5.0}
    both = ev.Study(limited, {"limit": [None, 5.0], "kind": ["a", "b"]}, entropy=1).run(workers=1)
    labels = [label.get_text() for label in both.plot("y", kind="box").get_xticklabels()]
    assert labels == ["None, a", "None, b", "5, a", "5, b"]
    assert both.to_xarray()["limit"].to_numpy().tolist() == [None, None, 5.0, 5.0]


@pytest.mark.slow
def test_a_fan_ends_with_the_first_run_and_is_asked_for_by_its_name():
    runs = ev.Study(limited, replications=3, entropy=1, until=9.0, record=True, at=[0.0, 1.0, 2.0]).run(workers=1)
    np.testing.assert_array_equal(runs.plot("x").lines[0].get_ydata(), [0.0, 1.0, np.nan])
    with pytest.raises(ev.ModelError, match=r"x is recorded over time: it is drawn by kind='fan' and kind='warm-up'"):
        runs.plot("x", kind="box")
