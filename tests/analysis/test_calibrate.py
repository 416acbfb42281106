"""Calibration beside certified values, scipy's own least squares and data of the model itself."""

from __future__ import annotations

from math import exp, inf, isinf

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import curve_fit, least_squares

import eventide as ev
from eventide.analysis.fits import estimated
from eventide.analysis.space import Axis, Space

# --- NIST Statistical Reference Datasets, nonlinear regression: Misra1a -----------------------------------------------

MISRA = pd.DataFrame(
    {"y": [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78]},
    index=[77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
)


class Adsorption(ev.Continuous):
    """Its solution from 0 is b1 (1 - exp(-b2 x))."""

    y: ev.State = ev.state(0.0)
    b1: float = 500.0
    b2: float = 1e-4

    def equations(self):
        self.rate.y = self.b2 * (self.b1 - self.y)


@ev.model(until=760.0, rel_error=1e-11, abs_error=1e-11)
def misra(sim, *, b1: float = 500.0, b2: float = 1e-4):
    sim.record(Adsorption(sim, b1=b1, b2=b2, name="gas").start(), every=100.0)


@pytest.mark.slow
@pytest.mark.row("R-290")
@pytest.mark.parametrize("by", ["variational", "central"])
def test_misra1a_has_its_certified_values(by):
    found = ev.calibrate(misra, MISRA, {"b1": (100.0, 600.0), "b2": (5e-5, 1e-3)}, by=by, entropy=1)
    table = found.table
    assert table["value"].to_list() == pytest.approx([2.3894212918e02, 5.5015643181e-04], rel=1e-6)
    assert table["standard error"].to_list() == pytest.approx([2.7070075241e00, 7.2668688436e-06], rel=1e-4)
    assert found.estimate.sum_of_squares == pytest.approx(1.2455138894e-01, rel=1e-7)
    assert found.estimate.residual_error == pytest.approx(1.0187876330e-01, rel=1e-7)
    assert (found.estimate.freedom, found.by, found.note, found.unidentified) == (12, by, "", ())
    assert found.curves(MISRA.index)["y"].to_list() == pytest.approx(found.fitted["y"].to_list(), rel=1e-9)
    assert found.residuals["y"].to_list() == pytest.approx((found.fitted - MISRA)["y"].to_list())


# --- Hudson's Bay: hares and lynxes of 1900 to 1920, in thousands of pelts --------------------------------------------

HARES = [
    30,
    47.2,
    70.2,
    77.4,
    36.3,
    20.6,
    18.1,
    21.4,
    22,
    25.4,
    27.1,
    40.3,
    57,
    76.6,
    52.3,
    19.5,
    11.2,
    7.6,
    14.6,
    16.2,
    24.7,
]
LYNXES = [
    4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4,
    8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6,
]  # fmt: skip
YEARS = np.arange(21.0)
RANGES = {"a": (0.1, 1.5), "b": (0.005, 0.1), "c": (0.1, 2.0), "d": (0.005, 0.1), "h": (10.0, 60.0), "l": (1.0, 20.0)}


class Pelts(ev.Continuous):
    hares: ev.State = ev.state(30.0)
    lynxes: ev.State = ev.state(4.0)
    a: float = 0.5
    b: float = 0.03
    c: float = 0.9
    d: float = 0.03

    def equations(self):
        self.rate.hares = (self.a - self.b * self.lynxes) * self.hares
        self.rate.lynxes = (self.d * self.hares - self.c) * self.lynxes


@ev.model(rel_error=1e-9, abs_error=1e-9)
def pelts(sim, *, a: float = 0.5, b: float = 0.03, c: float = 0.9, d: float = 0.03, h: float = 30.0, l: float = 4.0):  # noqa: E741
    sim.record(Pelts(sim, hares=h, lynxes=l, a=a, b=b, c=c, d=d, name="pelts").start(), every="event")


@pytest.mark.slow
def test_hares_and_lynxes_have_the_optimum_that_scipy_finds_by_itself():
    data = pd.DataFrame({"time": YEARS, "hares": HARES, "lynxes": LYNXES})
    found = ev.calibrate(pelts, data, RANGES, entropy=1)

    def residuals(p):
        def rates(_, y):
            return [(p[0] - p[1] * y[1]) * y[0], (p[3] * y[0] - p[2]) * y[1]]

        curves = solve_ivp(rates, (0.0, 20.0), p[4:], t_eval=YEARS, rtol=1e-10, atol=1e-10).y
        return np.concatenate([curves[0] - HARES, curves[1] - LYNXES])

    start = [0.5, 0.03, 0.9, 0.03, 30.0, 4.0]
    other = least_squares(residuals, start, x_scale=[0.1, 0.01, 0.1, 0.01, 10.0, 1.0], xtol=1e-12, ftol=1e-12)
    errors = np.sqrt(np.diag(np.linalg.inv(other.jac.T @ other.jac)) * 2.0 * other.cost / 36)
    assert found.table["value"].to_list() == pytest.approx(other.x.tolist(), rel=1e-4)
    assert found.table["standard error"].to_list() == pytest.approx(errors.tolist(), rel=1e-4)
    assert found.estimate.sum_of_squares == pytest.approx(2.0 * other.cost, rel=1e-7)
    assert found.by == "variational"


# --- a decay, whose curve is known ------------------------------------------------------------------------------------


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    k: float = 1.0

    def equations(self):
        self.rate.x = -self.k * self.x


@ev.model(rel_error=1e-10, abs_error=1e-10)
def decay(sim, *, first: float = 1.0, k: float = 1.0, other: float = 1.0, noise: float = 0.0):
    one = Decay(sim, name="tank", k=k * other, x=first * (1.0 + noise * sim.stream("start").normal(0.0, 1.0))).start()
    sim.record(one, every=5.0, twice=lambda: 2.0 * one.x)
    yield ev.hold(5.0)


TIMES = np.array([0.5, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5])
MEASURED = 2.0 * np.exp(-0.7 * TIMES) + np.array([0.02, -0.03, 0.01, 0.0, -0.02, 0.01, 0.015, -0.01])


def curve(t, first, k):
    return first * np.exp(-k * t)


@pytest.mark.slow
@pytest.mark.parametrize(("column", "scale", "by"), [("tank.x", 1.0, "variational"), ("twice", 2.0, "central")])
def test_values_and_covariance_are_those_of_a_weighted_fit_of_the_curve(column, scale, by):
    sigma = np.array([1.0, 2.0, 1.0, 1.0, 0.5, 1.0, 1.0, 3.0])
    data = pd.DataFrame({column: scale * MEASURED}, index=TIMES)
    data.loc[2.5] = np.nan
    data = data.sort_index(kind="stable")
    weights = np.insert(1.0 / sigma, 5, 1.0)
    found = ev.calibrate(decay, data, {"first": (0.5, 5.0), "k": (0.1, 3.0)}, weights={column: weights}, entropy=1)
    values, covariance = curve_fit(curve, TIMES, MEASURED, [1.0, 1.0], sigma=sigma, xtol=1e-12, ftol=1e-12)
    assert found.table["value"].to_list() == pytest.approx(values.tolist(), rel=1e-6)
    assert found.covariance.to_numpy().ravel() == pytest.approx(covariance.ravel(), rel=1e-3)
    assert (found.by, found.estimate.freedom, found.unidentified) == (by, 6, ())
    assert (found.note == "") == (by == "variational")
    half = 2.4469118511 * np.sqrt(np.diag(covariance))  # Student's quantile of 97.5 % with 6 degrees of freedom
    assert (found.table["high"] - values).to_list() == pytest.approx(half.tolist(), rel=1e-3)


@pytest.mark.slow
def test_a_model_finds_the_values_that_its_own_recording_was_made_with():
    sim_run = decay(first=3.0, k=0.4).run(entropy=1)
    found = ev.calibrate(decay, sim_run.recordings[0].to_pandas()[["tank.x"]], {"first": (1.0, 9.0), "k": (0.1, 1.0)})
    assert found.best == pytest.approx({"first": 3.0, "k": 0.4}, rel=1e-6)
    dense = decay(first=3.0, k=0.4).run(entropy=1).recordings[0]
    assert ev.calibrate(decay, dense, {"k": (0.1, 1.0)}, start={"k": 0.9}).data.shape == (2, 2)


@ev.model(until=3.0, rel_error=1e-9, abs_error=1e-9)
def kicked(sim, *, k: float = 1.0, kick: float = 2.0):
    one = Decay(sim, name="tank", k=k).start()
    sim.record(one, every="event")
    yield ev.hold(2.0)
    one.x += kick
    yield ev.hold(5.0)


@pytest.mark.slow
def test_several_values_for_the_time_of_a_jump_are_refused():
    recording = kicked(k=0.5, kick=1.5).run(entropy=1).recordings[0]
    both = recording.to_pandas()
    assert list(both.index) == [0.0, 2.0, 2.0, 3.0]
    with pytest.raises(
        ev.ModelError, match=r"kicked has an event at 2\.0 that changes tank\.x, and the data have several"
    ):
        ev.calibrate(kicked(kick=1.5), both, {"k": (0.1, 2.0)}, entropy=1)
    for data in (recording, both[~both.index.duplicated()]):
        found = ev.calibrate(kicked(kick=1.5), data, {"k": (0.1, 2.0)}, entropy=1)
        assert found.best["k"] == pytest.approx(0.5, rel=1e-6)


@pytest.mark.slow
def test_several_values_where_nothing_jumps_are_all_compared():
    data = pd.DataFrame({"x": [exp(-0.5) + 0.01, exp(-0.5) - 0.01, exp(-1.0)]}, index=[1.0, 1.0, 2.0])
    found = ev.calibrate(kicked, data, {"k": (0.1, 2.0)}, entropy=1)
    assert found.best["k"] == pytest.approx(0.5, rel=1e-4)
    assert found.residuals["x"].to_list() == pytest.approx([-0.01, 0.01, 0.0], abs=1e-5)
    twice = data.set_axis([1.0, 2.0, 2.0])  # the last time: the event there is looked at, too
    with pytest.raises(ev.ModelError, match=r"kicked has an event at 2\.0 that changes x"):
        ev.calibrate(kicked, twice, {"k": (0.1, 2.0)}, entropy=1)


@pytest.mark.slow
@pytest.mark.parametrize("is_exact", [False, True])
def test_what_the_data_do_not_settle_is_named(is_exact):
    data = pd.DataFrame({"x": curve(TIMES, 2.0, 0.7) if is_exact else MEASURED}, index=TIMES)
    over = {"first": (0.5, 5.0), "k": (0.1, 3.0), "other": (0.1, 3.0)}
    found = ev.calibrate(decay, data, over, entropy=1)
    assert found.unidentified == (("k", "other"),)
    assert found.best["k"] * found.best["other"] == pytest.approx(0.7, rel=0.05)
    errors = found.table["standard error"]
    assert [isinf(error) for error in errors] == [False, True, True]
    assert "the data do not settle k and other: only a combination of them changes the curves" in str(found)
    with pytest.raises(ev.ModelError, match="the data do not settle k and other: nothing can be drawn"):
        _ = found.uncertain


WAVE = np.sin(np.arange(1.0, 13.0))
SLOPE = np.arange(1.0, 13.0) / 12.0
AWAY = 0.01 * np.cos(7.0 * np.arange(12.0))


def told_of(columns, widths, noise):
    """The estimate for parameters of these widths, whose derivatives by themselves are the columns."""
    space = Space(tuple(Axis(name, 0.0, width) for name, width in zip("abc", widths, strict=False)))
    slopes = np.column_stack(columns) * np.array(widths)
    return estimated(space, dict.fromkeys("abc", 0.5), AWAY, slopes, 0.95, noise, float(np.linalg.norm(WAVE)))


@pytest.mark.parametrize("wide", [1.0, 5.0, 1e4])
def test_a_combination_is_named_whatever_the_ranges_of_its_parameters_are(wide):
    found = told_of([WAVE, WAVE, SLOPE], [1.0, wide, 1.0], 1e-7)
    assert found.unidentified == (("a", "b"),)
    assert [isinf(error) for error in found.table["standard error"]] == [True, True, False]


def test_a_parameter_with_a_small_part_in_a_combination_is_named():
    found = told_of([WAVE, SLOPE, WAVE + 0.05 * SLOPE], [1.0, 1.0, 1.0], 1e-7)
    assert found.unidentified == (("a", "b", "c"),)
    assert found.table["standard error"].to_list() == [inf, inf, inf]


@pytest.mark.parametrize("wide", [1e-2, 1.0, 1e6])
@pytest.mark.parametrize("noise", [1e-7, 1e-3])
def test_standard_errors_do_not_depend_on_the_ranges(wide, noise):
    found = told_of([WAVE, SLOPE], [wide, 1.0], noise)
    design = np.column_stack([WAVE, SLOPE])
    covariance = float(AWAY @ AWAY) / 10.0 * np.linalg.inv(design.T @ design)
    assert found.covariance.to_numpy().ravel() == pytest.approx(covariance.ravel(), rel=1e-9)
    assert found.unidentified == ()


@pytest.mark.slow
def test_differences_suit_a_parameter_that_is_small_beside_its_range():
    data = pd.DataFrame({"twice": 2.0 * MEASURED}, index=TIMES)
    exact, found = (
        ev.calibrate(decay, data, {"first": (0.5, 5.0), "k": (0.1, end)}, by="central", entropy=1) for end in (1.0, 1e4)
    )
    assert found.covariance.to_numpy().ravel() == pytest.approx(exact.covariance.to_numpy().ravel(), rel=1e-3)
    assert found.best == pytest.approx(exact.best, rel=1e-4)


@pytest.mark.slow
def test_a_parameter_without_effect_is_named():
    found = ev.calibrate(still, pd.DataFrame({"x": MEASURED}, index=TIMES), {"k": (0.1, 3.0), "idle": (0.0, 1.0)})
    assert found.unidentified == (("idle",),)
    assert "the data do not settle idle: its interval is longer than its range" in str(found)


@ev.model(rel_error=1e-8, abs_error=1e-8)
def still(sim, *, k: float = 1.0, idle: float = 0.5):
    sim.record(Decay(sim, name="tank", k=k, x=2.0 + 1e-5 * idle).start(), every=5.0)


@pytest.mark.slow
def test_a_wide_search_comes_before_the_least_squares():
    data = pd.DataFrame({"x": MEASURED}, index=TIMES)
    found = ev.calibrate(
        decay, data, {"first": (0.5, 5.0), "k": (0.1, 3.0)}, method="differential evolution", evaluations=40, entropy=1
    )
    assert found.table["value"].to_list() == pytest.approx(curve_fit(curve, TIMES, MEASURED)[0].tolist(), rel=1e-5)
    assert found.method == "differential evolution, least squares"
    assert found.evaluations > 40


@pytest.mark.slow
def test_a_random_model_is_averaged_over_its_replications():
    starts = [
        1.0 + 0.2 * ev.Simulation(rng=6, replication=k).stream("start").normal(0.0, 1.0) for k in range(4)
    ]  # fmt: skip
    data = pd.DataFrame({"x": np.mean(starts) * 3.0 * np.exp(-0.4 * TIMES)}, index=TIMES)
    found = ev.calibrate(
        decay(noise=0.2), data, {"first": (1.0, 9.0), "k": (0.1, 1.0)}, replications=4, entropy=6, workers=1
    )
    assert found.best == pytest.approx({"first": 3.0, "k": 0.4}, rel=1e-5)
    assert (found.by, found.note) == ("central", "the curves are means over replications")


@pytest.mark.slow
def test_parameters_are_drawn_as_they_are_known():
    found = ev.calibrate(decay, pd.DataFrame({"x": MEASURED}, index=TIMES), {"first": (0.5, 5.0), "k": (0.1, 3.0)})
    study = ev.Study(decay, found.uncertain, replications=500, entropy=1)
    drawn = np.array([[study.task(k).values[name] for name in ("first", "k")] for k in range(500)])
    assert drawn.mean(axis=0) == pytest.approx(list(found.best.values()), rel=5e-3)
    assert np.cov(drawn.T).ravel() == pytest.approx(found.covariance.to_numpy().ravel(), rel=0.15)


# --- several experiments ----------------------------------------------------------------------------------------------


class Filled(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: float = 1.0
    gain: float = 1.0
    leak: float = 1.0

    def equations(self):
        self.rate.level = self.gain * self.inflow - self.leak * self.level


@ev.model(rel_error=1e-10, abs_error=1e-10)
def filled(sim, *, inflow: float = 1.0, start: float = 0.0, gain: float = 1.0, leak: float = 1.0, length: float = 9.0):
    tank = Filled(sim, inflow=inflow, gain=gain, leak=leak, level=start, name="tank").start()
    sim.record(tank, every=1.0, name="tank")
    yield ev.hold(length)


def level_at(t, inflow, start, gain, leak):
    return gain * inflow / leak + (start - gain * inflow / leak) * np.exp(-leak * t)


FIRST, SECOND = np.array([0.5, 1.0, 2.0, 3.0]), np.array([0.25, 1.5, 1.5, 2.5, 5.0])
NOISE = np.array([0.01, -0.02, 0.015, -0.005, 0.02, -0.01, 0.01, 0.03, -0.025])
CASES = {"empty": (2.0, 0.0, FIRST), "full": (0.0, 4.0, SECOND)}
SIGMA = {"empty": 0.02, "full": 0.05}


def experiments():
    noise = {"empty": NOISE[:4], "full": NOISE[4:]}
    return [
        ev.Experiment(
            pd.DataFrame({"level": level_at(times, inflow, start, 1.5, 0.6) + noise[name]}, index=times),
            {"inflow": inflow, "start": start, "length": times[-1]},
            deviations={"level": SIGMA[name]},
            name=name,
        )
        for name, (inflow, start, times) in CASES.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("by", ["variational", "central"])
def test_several_experiments_share_what_is_calibrated(by):
    found = ev.calibrate(filled, experiments(), {"gain": (0.1, 5.0), "leak": (0.1, 3.0)}, by=by, entropy=1)

    def both(_, gain, leak):
        return np.concatenate([level_at(times, inflow, start, gain, leak) for inflow, start, times in CASES.values()])

    sigma = np.repeat([0.02, 0.05], [4, 5])
    data = np.concatenate([one.data["level"] for one in experiments()])
    values, covariance = curve_fit(both, np.zeros(9), data, [1.0, 1.0], sigma=sigma, xtol=1e-12, ftol=1e-12)
    assert found.table["value"].to_list() == pytest.approx(values.tolist(), rel=1e-6)
    assert found.covariance.to_numpy().ravel() == pytest.approx(covariance.ravel(), rel=1e-3)
    assert (found.by, found.note, found.estimate.freedom) == (by, "", 7)
    assert found.fitted["level"].to_list() == pytest.approx(both(0, *values).tolist(), rel=1e-6)
    assert found.data.index.names == ["experiment", "time"]
    assert found.residuals.loc["full"].index.to_list() == SECOND.tolist()
    assert found.weights.ravel().tolist() == (1.0 / sigma).tolist()
    curve = level_at(np.array([1.0, 4.0]), 0.0, 4.0, *values)
    assert found.curves([1.0, 4.0], "full")["level"].to_list() == pytest.approx(curve.tolist(), rel=1e-6)
    assert str(found).startswith("filled against 9 values of 2 experiments:")
    figure = found.plot().figure
    [legend] = [*figure.legends, *(one.get_legend() for one in figure.axes)]
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["empty", "full"]
    with pytest.raises(ev.ModelError, match="there is no experiment 'half'; there is: empty, full"):
        found.curves([1.0], "half")


@pytest.mark.slow
def test_workers_and_a_store_give_the_same_and_one_experiment_alone_settles_less(tmp_path):
    pytest.importorskip("pyarrow")
    over = {"gain": (0.1, 5.0), "leak": (0.1, 3.0)}
    found = [
        ev.calibrate(filled, experiments(), over, by="central", entropy=1, workers=workers, store=store)
        for workers, store in ((1, None), (2, tmp_path), (1, tmp_path))
    ]
    assert len({str(one.best) for one in found}) == 1
    alone = ev.calibrate(filled, experiments()[1:], over, entropy=1)
    assert alone.unidentified == (("gain",),)


EMPTY, FULL = experiments()
MISTAKES = {
    "name": ([EMPTY, EMPTY], "experiments have names of their own, and got empty, empty"),
    "both": (
        [ev.Experiment(EMPTY.data, {"gain": 2.0}), FULL],
        "gain is calibrated, and the experiment 0 sets it to 2.0: leave out one of the two",
    ),
    "parameter": ([ev.Experiment(EMPTY.data, {"flow": 2.0})], "filled has no parameter flow"),
    "list": (
        [EMPTY.data, FULL.data],
        "data are a DataFrame of columns against times, or a recording, or several",
    ),
    "parameters": ([ev.Experiment(EMPTY.data, 2.0)], "an experiment takes parameters by name"),
    "weighted twice": (
        [ev.Experiment(EMPTY.data, weights={"level": 1.0}, deviations={"level": 1.0})],
        "level has weights and deviations: give one of them",
    ),
    "exact": ([ev.Experiment(EMPTY.data, deviations={"level": 0.0})], "a deviation is above 0"),
}


@pytest.mark.parametrize("case", MISTAKES.values(), ids=MISTAKES)
def test_what_are_no_experiments_is_refused_in_words(case):
    told, message = case
    with pytest.raises(ev.ModelError) as caught:
        ev.calibrate(filled, told, {"gain": (0.1, 5.0)}, entropy=1)
    assert str(caught.value).startswith(message)


ONE = pd.DataFrame({"x": [1.0, 0.5]}, index=[0.0, 1.0])
WRONG = {
    "column": (
        pd.DataFrame({"y": [1.0, 0.5]}, index=[0.0, 1.0]),
        {},
        "'y' is no recorded quantity of decay; it records: tank.x, twice. Record",
    ),
    "late": (pd.DataFrame({"x": [1.0, 2.0]}, index=[1.0, 9.0]), {}, "a run of decay ended before 9.0"),
    "empty": (pd.DataFrame({"x": []}), {}, "there are no data"),
    "no times": (pd.DataFrame({"x": [1.0, 0.5]}), {}, "the numbers of its rows alone, not their times"),
    "dates": (
        pd.DataFrame({"x": [1.0]}, index=pd.to_datetime(["2020-01-01"])),
        {},
        "times of this table are datetime64",
    ),
    "durations": (pd.DataFrame({"x": [1.0]}, index=pd.to_timedelta([1], unit="s")), {}, "are timedelta64"),
    "order": (ONE[::-1], {"weights": {"x": [1.0, 2.0]}}, "in the order of the times, and the rows of the data"),
    "text": (pd.DataFrame({"x": ["a"]}, index=[1.0]), {}, "data are numbers against times"),
    "infinite": (pd.DataFrame({"x": [inf]}, index=[1.0]), {}, "the data have infinite values"),
    "list": ([1.0, 2.0], {}, "data are a DataFrame of columns against times, or a recording, or several ev.Exp"),
    "early": (pd.DataFrame({"x": [1.0, 0.5]}, index=[-1.0, 1.0]), {}, "data have a time from 0 on in each row"),
    "few": (pd.DataFrame({"x": [1.0]}, index=[1.0]), {}, "1 measured values do not settle 2 parameters"),
    "weights": (ONE, {"weights": {"z": 1.0}}, "weights= names 'z', and the data have x"),
    "weight": (ONE, {"weights": {"x": -1.0}}, "weights are finite numbers from 0 on"),
    "shape": (ONE, {"weights": {"x": [1.0, 2.0, 3.0]}}, "weights of x are one number, or one for each of the 2 rows"),
    "by": (ONE, {"by": "exact"}, "by= takes 'variational' or 'central', and got 'exact'"),
    "method": (ONE, {"method": "newton"}, "method= takes 'nelder-mead'"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_calibrated_is_refused_in_words(case):
    data, options, message = WRONG[case]
    with pytest.raises(ev.ModelError) as refused:
        ev.calibrate(decay, data, {"first": (0.5, 5.0), "k": (0.1, 3.0)}, entropy=1, **options)
    assert message in str(refused.value)


def test_whole_numbers_are_not_calibrated():
    with pytest.raises(ev.ModelError, match="cells is no real number with a range"):
        ev.calibrate(cells, ONE, {"cells": (1, 3)})


@ev.model
def cells(sim, *, cells: int = 1):
    yield ev.hold(float(cells))


@ev.model
def fragile(sim, *, k: float = 1.0):
    sim.record(Decay(sim, name="tank", k=k).start(), every=5.0)
    yield ev.hold(exp(0.0))
    raise ValueError("broken")


def test_a_model_that_fails_at_the_start_says_so():
    with pytest.raises(ev.ModelError, match=r"the first 1 points of the search have all failed|fails at the start"):
        ev.calibrate(fragile, pd.DataFrame({"x": [0.5]}, index=[2.0]), {"k": (0.1, 3.0)})


class Filling(ev.Continuous):
    level: ev.State = ev.state(0.0, unit="m")
    inflow: float = 1.0

    def equations(self):
        self.rate.level = self.inflow


@ev.model(until=2.0, time_unit="h")
def filling(sim, *, inflow: float = 1.0):
    sim.record(Filling(sim, inflow=inflow, name="tank").start(), every=1.0)


@pytest.mark.slow
def test_data_in_other_units_than_the_model_are_refused():
    data = pd.DataFrame({"level": [1.5, 3.0]}, index=[1.0, 2.0])
    for units in (None, {"level": "m"}, {"time": "h", "level": ""}):
        data.attrs["units"] = units
        assert ev.calibrate(filling, data, {"inflow": (0.1, 9.0)}, entropy=1).best["inflow"] == pytest.approx(1.5)
    for units, told in (
        ({"time": "min"}, r"time of the data is in min, and of the model in h: convert it, and set data.attrs"),
        ({"level": "cm"}, r"level of the data is in cm, and of the model in m: convert it, and set data.attrs"),
    ):
        data.attrs["units"] = units
        with pytest.raises(ev.ModelError, match=told):
            ev.calibrate(filling, data, {"inflow": (0.1, 9.0)}, entropy=1)
