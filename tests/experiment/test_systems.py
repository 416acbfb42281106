"""Systems as mathematics has them: dynamics, exchangeable simulators, simulations over sets, costs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import cos, exp, inf, log2, nan, sin, sqrt
from pathlib import Path
from statistics import covariance, mean

import numpy as np
import pandas as pd
import pytest
import scipy.integrate  # noqa: F401  # takes half a second to load, which no test should

import eventide as ev
from eventide.experiment.systems import (
    Analytic,
    Case,
    Dynamics,
    InitialValueProblem,
    Numeric,
    Simulations,
    Simulator,
    Stepped,
    TimeSet,
    disturbance,
    squared_deviation,
)
from eventide.methods import DORMAND_PRINCE, EULER, RK4, Adaptive, Explicit, Multiscale, SolutionMethod

GROWTH = Dynamics(lambda t, x, u, p: x)
EXACT = Analytic(GROWTH, lambda t, t0, x0, u, p: x0 * exp(t - t0))

LAG = Dynamics(
    lambda t, x, u, p: p["k"] * (u - x), output=lambda t, x, u, p: {"level": x[0], "error": u - x[0]}, name="lag"
)
"""A filter with an input and a parameter."""


def held(t: float, t0: float, x0: np.ndarray, u: object, p: dict[str, float]) -> np.ndarray:
    """Its solution for a step at 1."""
    x = np.asarray(x0)
    for low, high in ((t0, min(t, 1.0)), (max(t0, 1.0), t)):
        if low < high:
            level = u(low)
            x = level + (x - level) * exp(-p["k"] * (high - low))
    return x


LAG_SIMULATORS: dict[str, Simulator] = {
    "closed form": Analytic(LAG, held),
    "fixed steps": Numeric(LAG, Explicit(RK4, 0.01)),
    "to a tolerance": Numeric(LAG, Adaptive(DORMAND_PRINCE, 1e-9)),
    "sampling periods": Numeric(LAG, Multiscale(RK4, 0.1, 10)),
    "simulation": Stepped(LAG, rel_error=1e-9, abs_error=1e-9),
}
STEP = ev.inputs.Step(1.0, height=2.0, before=0.5)


# --- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-240")
def test_times_are_all_numbers_or_multiples_of_a_period() -> None:
    assert 0.123 in TimeSet()
    assert not any(time in TimeSet(period) for time in (inf, -inf, nan) for period in (None, 0.1))
    tenths = TimeSet(0.1)
    assert all(t in tenths for t in (0.0, 0.1, 0.3, -0.7, 12.3))
    assert 0.25 not in tenths
    assert "0.1" not in tenths
    assert tenths.grid(0.0, 3) == [0.0, 0.1, 0.2, 0.3]
    assert TimeSet(Fraction(1, 3)).grid(1.0, 3)[-1] == 2.0
    with pytest.raises(ev.ModelError, match="all real numbers has no grid"):
        TimeSet().grid(0.0, 1)


@pytest.mark.row("R-240", "R-241")
def test_what_a_model_leaves_out_is_a_disturbance() -> None:
    simulator = LAG_SIMULATORS["closed form"]
    model = Analytic(Dynamics(LAG.rate), held).system(0.0, [1.0], {"k": 2.0})
    wind = disturbance(lambda u: lambda t: model(u)(t) + sin(t), model, STEP)
    assert [float(wind(t)[0]) for t in (0.5, 2.0)] == pytest.approx([sin(0.5), sin(2.0)])
    # The output of a model is a function of time, state, input and parameters.
    outputs = simulator.system(0.0, [1.0], {"k": 2.0})(STEP)
    x = float(simulator(1.5, 0.0, [1.0], STEP, {"k": 2.0})[0])
    assert outputs(1.5) == {"level": x, "error": 2.0 - x}


@pytest.mark.row("R-248")
def test_a_law_of_second_order_sees_positions_and_velocities() -> None:
    # Damped: q'' = -q - q'/5. A law that is given velocities alone could not say this.
    seen: list[int] = []

    def acceleration(t: float, x: np.ndarray, u: object, p: object) -> np.ndarray:
        seen.append(len(x))
        return -x[:2] - 0.2 * x[2:]

    swing = Dynamics.of_second_order(acceleration)
    w = sqrt(1.0 - 0.01)
    end = Numeric(swing, Adaptive(DORMAND_PRINCE, 1e-11))(3.0, 0.0, [1.0, 2.0, 0.0, 0.0])
    position = exp(-0.3) * (cos(3.0 * w) + 0.1 / w * sin(3.0 * w))
    velocity = -exp(-0.3) * sin(3.0 * w) / w
    assert end == pytest.approx([position, 2.0 * position, velocity, 2.0 * velocity], abs=1e-9)
    assert set(seen) == {4}
    problem = swing.from_state(0.0, [1.0, 2.0, 0.0, 0.0])
    assert problem == InitialValueProblem(swing, 0.0, (1.0, 2.0, 0.0, 0.0))


# --- simulators ------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-242", "R-241", "R-266", "R-270")
@pytest.mark.parametrize("name", LAG_SIMULATORS)
def test_simulators_of_one_model_can_be_exchanged(name: str) -> None:
    simulator = LAG_SIMULATORS[name]
    assert simulator.dynamics is LAG
    cases = list(product((0.7, 1.0, 2.0), (0.0, 0.3), ([3.0],), (STEP,), ({"k": 5.0},)))
    for case in cases:
        assert simulator(*case) == pytest.approx(held(*case), abs=3e-7), case
    several = simulator.states([0.5, 0.5, 1.0, 1.5], 0.5, [3.0], STEP, {"k": 1.0})
    assert several.shape == (4, 1)
    assert several[0, 0] == 3.0
    assert several[-1, 0] == pytest.approx(held(1.5, 0.5, np.array([3.0]), STEP, {"k": 1.0})[0], abs=3e-7)
    with pytest.raises(ev.ModelError, match="times must not decrease or precede the start"):
        simulator(0.0, 1.0, [0.0], STEP, {"k": 1.0})


@pytest.mark.row("R-266")
def test_a_numeric_simulator_has_a_model_and_a_method() -> None:
    simulator = LAG_SIMULATORS["sampling periods"]
    assert isinstance(simulator, Numeric)
    assert (simulator.dynamics, isinstance(simulator.method, SolutionMethod)) == (LAG, True)


@pytest.mark.row("R-243")
def test_the_analytic_and_the_euler_simulator_agree_to_first_order() -> None:
    steps = [0.1 / 2**k for k in range(6)]
    errors = [abs(Numeric(GROWTH, Explicit(EULER, h))(1.0, 0.0, 1.0) - EXACT(1.0, 0.0, 1.0))[0] for h in steps]
    # Euler's error of e at 1 is h e / 2 to first order.
    assert errors[-1] == pytest.approx(steps[-1] * exp(1.0) / 2.0, rel=0.01)
    assert log2(errors[-2] / errors[-1]) == pytest.approx(1.0, abs=0.01)
    # One step over the whole interval is x0 + (t - t0) x0.
    assert Numeric(GROWTH, Explicit(EULER, 9.0))(0.5, 0.2, 2.0)[0] == pytest.approx(2.0 + 0.3 * 2.0, rel=1e-15)


def test_numeric_simulators_stop_where_the_input_jumps() -> None:
    rough = Numeric(LAG, Explicit(RK4, 0.3))
    parameters = {"k": 1.0}
    cut = abs(rough(2.0, 0.0, [0.0], STEP, parameters) - held(2.0, 0.0, np.zeros(1), STEP, parameters))[0]

    def unknown(t: float) -> float:
        return 2.0 if t >= 1.0 else 0.5  # as STEP, but nobody knows where it jumps

    over = abs(rough(2.0, 0.0, [0.0], unknown, parameters) - held(2.0, 0.0, np.zeros(1), STEP, parameters))
    assert cut < 1e-4
    assert over[0] > 1e-2


@pytest.mark.row("R-242", "R-266")
@pytest.mark.parametrize("simulator", ["fixed", "to a tolerance", "stepped"])
def test_several_inputs_as_one_signal_keep_their_jumps(simulator: str) -> None:
    first, second = ev.inputs.Step(at=0.31), ev.inputs.Step(at=0.52, height=2.0)

    def both(t: float) -> tuple[float, float]:
        return first(t), second(t)

    model = Dynamics(lambda t, x, u, p: [u[0] + 3.0 * u[1]])
    simulators = {
        "fixed": Numeric(model, Explicit(RK4, 0.4)),
        "to a tolerance": Numeric(model, Adaptive(DORMAND_PRINCE, 1e-3)),
        "stepped": Stepped(model, rel_error=1e-3),
    }
    assert simulators[simulator](1.0, 0.0, [0.0], both)[0] == pytest.approx(0.69 + 6.0 * 0.48, rel=1e-14)


# --- simulations -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.row("R-244", "R-266", "R-271", "R-274")
def test_a_simulation_goes_through_the_product_and_leaves_out_ends_before_starts() -> None:
    simulators = {name: LAG_SIMULATORS[name] for name in ("closed form", "simulation")}
    simulation = Simulations(
        simulators,
        ends=[0.5, 2.0],
        starts=[0.0, 1.5],
        states=[[0.0], [3.0]],
        signals=[STEP, ev.inputs.Step(9.0)],
        parameters=[{"k": 1.0}],
        period=0.4,
    )
    found = simulation.run()
    # Of two ends and two starts three go together.
    assert len(found) == len(list(simulation.cases())) == 2 * 3 * 2 * 2
    assert found.cases[0] == Case("closed form", 0.5, 0.0, [0.0], STEP, {"k": 1.0})
    assert not any(case.end < case.start for case in found.cases)
    grids = {(case.start, case.end): times.tolist() for case, times in zip(found.cases, found.times, strict=True)}
    assert grids == {
        (0.0, 0.5): [0.0, 0.4, 0.5],
        (0.0, 2.0): [0.0, 0.4, 0.8, 1.2, 1.6, 2.0],
        (1.5, 2.0): [1.5, 1.9, 2.0],
    }
    for case, times, states in zip(found.cases, found.times, found.trajectories, strict=True):
        assert states.shape == (len(times), 1)
        assert states[0].tolist() == case.state
        for time, state in zip(times, states, strict=True):
            expected = held(float(time), case.start, np.array(case.state), case.signal, dict(case.parameters))
            assert state == pytest.approx(expected, abs=1e-7)
    assert [end.tolist() for end in found.ends] == [states[-1].tolist() for states in found.trajectories]


def test_a_replication_of_systems_has_tables_that_are_saved_and_come_back(tmp_path: Path) -> None:
    simulation = Simulations({"exact": EXACT}, [1.0, 2.0], [0.0], [[1.0], [3.0]], parameters=[{"k": 2.0}], period=0.5)
    found = simulation.run()
    assert found.inputs.to_dict("records") == [
        {"simulator": "exact", "start": 0.0, "end": end, "signal": "", "x0[0]": x0, "k": 2.0}
        for end in (1.0, 2.0)
        for x0 in (1.0, 3.0)
    ]
    states = found.states()
    assert states.index.names == ["run", "time"]
    assert states.loc[3].index.to_list() == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert states.loc[3, "x[0]"].to_list() == found.trajectories[3][:, 0].tolist()
    for table in (found.inputs, states):
        ev.save(table, tmp_path / "table.csv")
        pd.testing.assert_frame_equal(ev.load(tmp_path / "table.csv"), table, check_exact=True)


def test_a_simulation_without_a_period_keeps_start_and_end() -> None:
    found = Simulations({"exact": EXACT}, ends=[1.0, 2.0], starts=[1.0], states=[1.0]).run()
    assert [times.tolist() for times in found.times] == [[1.0], [1.0, 2.0]]
    with pytest.raises(ev.ModelError, match="a simulation over no starts"):
        Simulations({"exact": EXACT}, ends=[1.0], starts=[], states=[1.0])


@pytest.mark.slow
@pytest.mark.row("R-246")
@pytest.mark.parametrize("kind", ["closed form", "numeric", "simulation"])
def test_an_assessment_has_the_costs_of_all_cases(kind: str) -> None:
    simulator: Simulator = {
        "closed form": EXACT,
        "numeric": Numeric(GROWTH, Adaptive(DORMAND_PRINCE, 1e-10)),
        "simulation": Stepped(GROWTH, rel_error=1e-10, abs_error=1e-10),
    }[kind]
    simulation = Simulations({"any": simulator}, ends=[1.0, 2.0], starts=[0.0, 0.5], states=[1.0, 2.0])
    assessment = simulation.run().assess(square=squared_deviation(0.0), size=lambda x: float(abs(x[0])))
    # The integrals of x0**2 e**2s and x0 e**s.
    lengths = [(e - s, x) for e, s, x in product((1.0, 2.0), (0.0, 0.5), (1.0, 2.0))]
    squares = [x * x * (exp(2.0 * t) - 1.0) / 2.0 for t, x in lengths]
    sizes = [x * (exp(t) - 1.0) for t, x in lengths]
    assert assessment["square"] == pytest.approx(squares, rel=1e-8)
    assert assessment["size"] == pytest.approx(sizes, rel=1e-8)
    assert assessment.mean == pytest.approx([mean(squares), mean(sizes)], rel=1e-8)
    assert assessment.covariance[0] == pytest.approx(
        [covariance(squares, squares), covariance(squares, sizes)], rel=1e-8
    )
    # Of eight the quartile is between the second and the third, three quarters on.
    low = sorted(squares)
    assert assessment.quantile([0.0, 0.25])[:, 0] == pytest.approx(
        [low[0], low[1] + 0.75 * (low[2] - low[1])], rel=1e-8
    )
    with pytest.raises(ev.ModelError, match="there is no cost 'speed'; there are square, size"):
        assessment["speed"]


@pytest.mark.row("R-245")
@pytest.mark.parametrize("kind", LAG_SIMULATORS)
@pytest.mark.parametrize("value", [-1e-9, float("nan")])
def test_a_cost_is_never_negative(kind: str, value: float) -> None:
    def reward(x: np.ndarray) -> float:
        return value if abs(x[0]) > 0.75 else 1.0

    with pytest.raises(
        ev.ModelError, match=r"the cost .*reward of the state \[.*\] is (-1e-09|nan): a cost is a number"
    ):
        LAG_SIMULATORS[kind].cost(reward, 2.0, 0.0, [0.5], STEP, {"k": 4.0})
    state = np.array([1.0, -2.0, 4.0])
    assert squared_deviation([0.5, 1.0, 2.0])(state) == 0.25 + 9.0 + 4.0


@pytest.mark.row("R-246")
def test_costs_along_an_input_that_jumps_are_exact() -> None:
    # x = u from the start on, so that the cost is of u alone: 0.25 until 1, then 4 less what the lag takes.
    parameters = {"k": 4.0}
    costs = [
        simulator.cost(squared_deviation(0.0), 2.0, 0.0, [0.5], STEP, parameters)
        for name, simulator in LAG_SIMULATORS.items()
        if name != "fixed steps"
    ]
    d = -1.5
    after = 4.0 + 2.0 * 2.0 * d * (1.0 - exp(-4.0)) / 4.0 + d * d * (1.0 - exp(-8.0)) / 8.0
    assert costs == pytest.approx([0.25 + after] * len(costs), rel=1e-5)
    assert costs[0] == pytest.approx(0.25 + after, rel=1e-9)


@pytest.mark.parametrize("times", [{"ends": [1.0, np.inf]}, {"starts": [0.0, -np.inf]}, {"ends": [np.nan]}])
def test_ends_and_starts_are_finite_times(times):
    (name,) = times
    with pytest.raises(ev.ModelError, match=rf"takes {name} that are finite times, and got (-?inf|nan)"):
        Simulations({"exact": EXACT}, **{"ends": [1.0], "starts": [0.0], "states": [1.0], **times})
