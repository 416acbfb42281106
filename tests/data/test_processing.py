"""Data processing: sorted, summarised, checked, sampled."""

import numpy as np
import pandas as pd
import pytest
from observe.example_dump import example, example_sorted
from scipy import stats

import eventide as ev
from eventide.data import fence, find_faults, sample, summarise, tail_means

# --- the example of the lecture notes ---------------------------------------------------------------------------------


@pytest.mark.row("R-280")
def test_the_example_dump_sorts_to_the_sorted_one():
    found = example().sort_index()

    assert len(found) == 26
    pd.testing.assert_frame_equal(found, example_sorted())
    assert found.attrs == example().attrs


@pytest.mark.row("R-286", "R-287", "R-288", "R-289")
def test_the_example_dump_is_summarised():
    summary = ev.data.summarise(example())

    x2 = example()["x2"]
    assert summary.loc["x2", ["count", "missing", "minimum", "q1", "median", "q3", "maximum", "outliers"]].tolist() == [
        26,
        0,
        -4.0,
        -3.0,
        -2.0,
        -1.0,
        5.0,
        2,
    ]
    assert sorted(x2[ev.data.outliers(x2)]) == [3.0, 5.0]
    assert fence(x2) == (-6.0, 2.0)
    assert summary.loc["x1", "mean"] == pytest.approx(np.mean(example()["x1"]), rel=1e-14)
    assert summary.loc["x1", "variance"] == pytest.approx(np.var(example()["x1"], ddof=1), rel=1e-14)
    # The half width from the standard deviation, not from the variance, which would be 4.55.
    assert (summary.loc["x1", "high"] - summary.loc["x1", "low"]) / 2.0 == pytest.approx(1.36, abs=0.005)
    assert summary.attrs == example().attrs


@pytest.mark.row("R-288")
def test_means_of_tails_go_by_another_name_and_are_no_quartiles():
    low, high = tail_means(example()["x2"])

    assert (low, high) == (pytest.approx(-19.0 / 6.0), pytest.approx(10.0 / 6.0))
    for share, values in ((0.0, [1.0, 2.0]), (0.6, [1.0, 2.0]), (0.25, [1.0, 2.0, 3.0])):
        with pytest.raises(ev.ModelError, match=r"tail_means takes a share in \(0, 0.5\] that is one value at least"):
            tail_means(values, share=share)


@pytest.mark.row("R-278", "R-279")
def test_the_steps_of_data_processing_from_the_dump_to_the_report(tmp_path):
    ev.save(example(), tmp_path / "example.parquet")
    data = ev.load(tmp_path / "example.parquet")
    ev.data.validate(data, limits={"x1": (-10.0, 10.0), "t": (0.0, 25.0)})
    assert ev.data.find_faults(data, increasing=["t"])["fault"].tolist() == ["falls"]
    data = data.sort_index()
    ev.data.validate(data, increasing=["t"])
    data["phase"] = pd.cut(data["x1"], [-np.inf, 0.0, np.inf], labels=["left", "right"]).astype(str)
    groups = data.groupby("phase")["x3"].mean()
    data.loc[3.0, "x1"] = np.nan
    data["x1"] = data["x1"].interpolate(method="index")

    assert groups.to_dict() == {"left": pytest.approx(166.0 / 18.0), "right": pytest.approx(9.75)}
    assert data.loc[3.0, "x1"] == 1.5
    assert data.attrs["units"]["x1"] == "m"
    assert ev.data.summarise(data).round(2).to_string().splitlines()[2].split()[:4] == ["x1", "26", "0", "-1.87"]


@pytest.mark.row("R-279")
def test_a_law_is_found_again_in_the_data_of_its_run(tmp_path):
    class Cooling(ev.Continuous):
        warmth: ev.State = ev.state(80.0, unit="K")

        def equations(self):
            self.rate.warmth = -0.25 * self.warmth

    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-10, time_unit="h")
    trace = sim.record(Cooling(sim, name="pot").start(), every=0.5)
    sim.run(until=10.0)
    ev.save(trace, tmp_path / "pot.csv")

    data = ev.load(tmp_path / "pot.csv").drop(columns="side")
    data.iloc[7] = np.nan  # a reading that was lost
    assert ev.data.find_faults(data)[["column", "fault", "count", "first"]].to_numpy().tolist() == [
        ["pot.warmth", "missing", 1, 7]
    ]
    data = data.dropna().assign(logarithm=lambda frame: np.log(frame["pot.warmth"]))
    slope, height = np.polyfit(data.index, data["logarithm"], 1)

    assert len(data) == 20
    assert (slope, np.exp(height)) == (pytest.approx(-0.25, abs=1e-8), pytest.approx(80.0, rel=1e-8))
    assert data.attrs["units"]["pot.warmth"] == "K"


# --- statistics -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.row("R-287")
@pytest.mark.parametrize("spread", [5.0, 0.2])
def test_the_confidence_interval_covers_the_mean_as_often_as_it_says(spread):
    trials, size = 1000, 10
    data = pd.DataFrame(np.random.default_rng(4).normal(3.0, spread, (size, trials))).rename(columns=str)

    summary = ev.data.summarise(data, level=0.95)

    covered = int(((summary["low"] <= 3.0) & (summary["high"] >= 3.0)).sum())
    # Four standard deviations of a binomial count.
    assert abs(covered - 0.95 * trials) <= 4.0 * np.sqrt(trials * 0.95 * 0.05)


def test_a_summary_is_that_of_scipy_and_leaves_out_what_is_missing():
    values = [1.0, 2.0, 4.0, 8.0, np.nan, 16.0, np.inf]
    frame = pd.DataFrame({"x": values, "name": list("abcdefg")})

    summary = ev.data.summarise(frame, level=0.9)

    finite = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    low, high = stats.t.interval(0.9, 4, finite.mean(), stats.sem(finite))
    assert list(summary.index) == ["x"]
    assert summary.loc["x"].to_dict() == pytest.approx(
        {
            "count": 5,
            "missing": 2,
            "mean": 6.2,
            "variance": np.var(finite, ddof=1),
            "stdev": np.std(finite, ddof=1),
            "low": low,
            "high": high,
            "minimum": 1.0,
            "q1": 2.0,
            "median": 4.0,
            "q3": 8.0,
            "maximum": 16.0,
            "outliers": 0,
        },
        rel=1e-12,
    )


def test_what_the_data_do_not_settle_is_not_a_number():
    summary = ev.data.summarise(pd.DataFrame({"none": [np.nan], "one": [2.0]}))

    assert summary.loc["none", "count"] == 0
    assert summary.loc["none", ["mean", "q1", "low"]].isna().all()
    assert summary.loc["one", "mean"] == 2.0
    assert summary.loc["one", ["variance", "low", "high"]].isna().all()


def test_infinite_values_are_outliers_and_missing_ones_are_not():
    assert ev.data.outliers([0.0, 1.0, 2.0, 3.0, np.inf, np.nan, -np.inf, 9.0]).tolist() == [
        *4 * [False],
        *[True, False, True, True],
    ]
    assert ev.data.outliers([np.inf, np.nan]).tolist() == [True, False]
    assert ev.data.outliers([0.0, 1.0, 2.0, 3.0, 9.0], k=5.0).tolist() == 5 * [False]
    with pytest.raises(ev.ModelError, match=r"a fence takes k > 0, as 1.5 or 3, and got 0"):
        ev.data.outliers([1.0], k=0)


# --- checks -----------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-279")
def test_faults_are_found_with_their_first_row():
    frame = pd.DataFrame(
        {"t": [0.0, 1.0, 0.5, 0.5, 2.0], "x": [1.0, np.nan, 3.0, 3.0, np.inf], "s": ["a", None, "b", "b", "c"]}
    )

    faults = ev.data.find_faults(frame, limits={"x": (0.0, 2.0)}, increasing=["t"])

    assert list(faults.itertuples(index=False, name=None)) == [
        ("", "repeated row", 1, 3),
        ("t", "falls", 1, 2),
        ("x", "missing", 1, 1),
        ("x", "infinite", 1, 4),
        ("x", "outside 0.0 to 2.0", 3, 2),
        ("s", "missing", 1, 1),
    ]
    with pytest.raises(ev.InputError, match=r"cannot be used as they are: the table: repeated row, 1 of them, the fir"):
        ev.data.validate(frame)


def test_sound_data_have_no_faults():
    frame = pd.DataFrame({"t": [0.0, 1.0, 1.0], "x": [1.0, 2.0, 3.0]}).set_index("t")

    assert ev.data.find_faults(frame, limits={"x": (1.0, 3.0)}, increasing=["t"]).empty
    ev.data.validate(frame, increasing=["t"])
    with pytest.raises(ev.ModelError, match=r"there is no column 'y' to check, or more than one; the columns are t, x"):
        ev.data.validate(frame, increasing=["y"])


# --- other instants ---------------------------------------------------------------------------------------------------

TIMES, VALUES = [0.0, 1.0, 1.0, 3.0], [0.0, 2.0, 5.0, 7.0]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [np.nan, 0.0, 1.0, 5.0, 6.0, 7.0, np.nan]),
        ({"before": True}, [np.nan, 0.0, 1.0, 2.0, 6.0, 7.0, np.nan]),
        ({"held": True}, [np.nan, 0.0, 0.0, 5.0, 5.0, 7.0, np.nan]),
        ({"held": True, "before": True}, [np.nan, 0.0, 0.0, 2.0, 5.0, 7.0, np.nan]),
    ],
)
def test_a_curve_is_sampled_between_its_rows_and_at_its_jumps(options, expected):
    found = sample(TIMES, VALUES, [-0.1, 0.0, 0.5, 1.0, 2.0, 3.0, 3.1], **options)

    np.testing.assert_array_equal(found, expected)


def test_a_curve_that_is_broken_stays_broken_and_an_empty_one_has_no_values():
    np.testing.assert_array_equal(sample([0.0, 1.0, 1.0, 2.0], [1.0, np.nan, 3.0, 4.0], [0.5, 1.5]), [np.nan, 3.5])
    np.testing.assert_array_equal(sample([], [], [0.5]), [np.nan])
    np.testing.assert_array_equal(sample([0.0, 1.0], [5.0, np.nan], [0.5], held=True), [5.0])
    np.testing.assert_array_equal(sample([0.0, 1.0], [np.inf, 1.0], [0.0]), [np.inf])


def test_a_recording_is_read_at_any_time():
    sim = ev.Simulation(time_unit="s")
    stock = sim.level("stock", initial=1.0)

    def story():
        yield ev.hold(1.0)
        stock.set(4.0)

    sim.process(story())
    trace = sim.record(stock, double=lambda: 2.0 * sim.time, every="event", name="trace")
    coarse = sim.record(stock, every=1.0, events=False)
    sim.run(until=2.0)

    found = trace.at([0.5, 1.0, 1.5])

    assert found.to_dict("list") == {"stock": [1.0, 4.0, 4.0], "double": [1.0, 2.0, 3.0]}
    assert found.index.tolist() == [0.5, 1.0, 1.5]
    assert coarse.at([0.5, 1.0])["stock"].tolist() == [1.0, 4.0]
    assert trace.at(1.0 * np.ones(1), before=True)["stock"].tolist() == [1.0]
    assert found.attrs["units"]["time"] == "s"


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0.0, 2.0, 1.0], [0.0, 2.0, 1.0], "takes times that do not fall"),
        ([0.0, np.nan, 1.0], [0.0, 2.0, 1.0], "or some are NaN: sort them"),
        ([0.0, 1.0], [0.0, 2.0, 1.0], r"one value for each time, and got arrays of shapes \(2,\) and \(3,\)"),
        ([0.0, 1.0], [[0.0, 2.0], [1.0, 1.0]], r"and got arrays of shapes \(2,\) and \(2, 2\)"),
    ],
)
def test_what_is_no_curve_is_not_sampled(times, values, message):
    with pytest.raises(ev.ModelError, match=message):
        sample(times, values, [0.5, 0.75])


@pytest.mark.parametrize(
    ("column", "found"),
    [
        ([1.0, 5.0, np.nan, 2.0], [("missing", 1, 2), ("falls", 1, 3)]),
        (np.array([5, 3], dtype=np.uint8), [("falls", 1, 1)]),
        ([True, False], [("falls", 1, 1)]),
        (pd.array([3, None, 1], dtype="Int64"), [("missing", 1, 1), ("falls", 1, 2)]),
        (pd.to_datetime(["2021-01-01", "2020-01-01"]), [("falls", 1, 1)]),
        (pd.Series([1, np.inf, 2.0], dtype=object), [("infinite", 1, 1), ("falls", 1, 2)]),
    ],
)
def test_what_falls_is_found_behind_a_gap_and_in_columns_of_every_kind(column, found):
    faults = ev.data.find_faults(pd.DataFrame({"long": column}), increasing="long")

    assert list(zip(faults["fault"], faults["count"], faults["first"], strict=True)) == found


def test_limits_and_columns_that_are_none_are_refused():
    numbers, texts = pd.DataFrame({"a": pd.array([3, None, 9], dtype="Int64")}), pd.DataFrame({"a": ["10", "9"]})
    twice = pd.DataFrame([[1.0, 4.0], [2.0, 3.0]], columns=["a", "a"])

    assert ev.data.find_faults(numbers, limits={"a": (2, 5)}).to_numpy().tolist() == [
        ["a", "missing", 1, 1],
        ["a", "outside 2 to 5", 1, 2],
    ]
    for limits in ((5, 2), (0, np.nan), (0, None)):
        with pytest.raises(ev.ModelError, match="limits of 'a' are its least and its greatest value, and got"):
            ev.data.find_faults(numbers, limits={"a": limits})
    with pytest.raises(ev.ModelError, match="column 'a' holds the text '10'"):
        ev.data.find_faults(texts, increasing=["a"])
    with pytest.raises(ev.ModelError, match="no column 'a' to check, or more than one"):
        ev.data.find_faults(twice, increasing=["a"])
    with pytest.raises(ev.ModelError, match="some are NaN"):
        tail_means([1.0, 2.0, np.nan, 4.0])


def test_columns_of_one_name_are_summarised_each_and_durations_are_no_numbers():
    frame = pd.DataFrame([[1.0, 4.0], [2.0, 6.0]], columns=["a", "a"]).assign(b=pd.to_timedelta([1, 2], unit="s"))

    assert ev.data.summarise(frame)[["count", "missing", "mean"]].to_numpy().tolist() == [[2, 0, 1.5], [2, 0, 5.0]]


@pytest.mark.parametrize("data", [[1.0, 2.0], None, np.array([1.0, 2.0])])
def test_what_is_no_table_is_refused(data):
    for look in (summarise, find_faults):
        with pytest.raises(ev.ModelError, match=r"^a table is a recording or a DataFrame, and got a "):
            look(data)


def test_a_curve_that_stays_infinite_is_so_between_its_rows():
    assert sample([0.0, 1.0, 2.0], [np.inf, np.inf, 1.0], [0.5, 1.0]).tolist() == [np.inf, np.inf]
