"""Components: named maps, what contains what, and what they return."""

import math

import numpy as np
import pytest

import eventide as ev
from eventide.experiment.systems import Analytic, Dynamics, Numeric, Simulations
from eventide.methods import RK4, Explicit
from eventide.verify import Component, kind_of


def architecture():
    law, method, output = (Component(name, abs) for name in ("law", "method", "output"))
    simulator = Component("simulator", abs, (law, method))
    return law, method, output, simulator, Component("simulation", abs, (simulator, output))


@pytest.mark.row("R-306")
def test_the_kind_follows_from_what_contains_what():
    law, method, output, simulator, whole = architecture()

    assert [kind_of(one, whole) for one in (law, method, output, simulator, whole)] == [
        "unit", "unit", "unit", "integration", "system",
    ]  # fmt: skip
    # The same component is the system where nothing larger is meant.
    assert [kind_of(one, simulator) for one in (law, simulator)] == ["unit", "system"]
    with pytest.raises(ev.ModelError, match="output is no part of simulator, which contains: law, method, simulator"):
        kind_of(output, simulator)


@pytest.mark.row("R-300")
def test_a_component_has_a_name_and_two_parts_or_none():
    law, *_, whole = architecture()

    assert [member.name for member in whole.members()] == ["law", "method", "simulator", "output", "simulation"]
    assert law in whole
    assert whole not in law
    with pytest.raises(ev.ModelError, match="has one part, law"):
        Component("alone", abs, (law,))
    with pytest.raises(ev.ModelError, match="contains two components law"):
        Component("both", abs, (law, Component("law", abs)))
    with pytest.raises(ev.ModelError, match="a model, a simulator or a method, and got 3"):
        Component("three", 3)


def decay(t, x, u, p):
    return -p["rate"] * np.asarray(x)


POINT = {"t": 0.0, "x": [2.0], "u": None, "p": {"rate": 0.5}}
EXACT = Analytic(Dynamics(decay), lambda t, t0, x, u, p: x * math.exp(-p["rate"] * (t - t0)))


@ev.model(until=4.0)
def counting(sim, *, step: float = 1.0):
    return {"twice": lambda: 2.0 * step, "end": lambda: sim.time}


@pytest.mark.row("R-304")
@pytest.mark.parametrize("inputs", [{"step": 3.0}, {"p": {"step": 3.0}}])
def test_a_model_is_measured_by_a_run_of_it(inputs):
    assert Component("model", counting).measure(inputs).responses == {"twice": 6.0, "end": 4.0}


@pytest.mark.row("R-304")
@pytest.mark.parametrize(
    ("what", "inputs", "expected"),
    [
        (lambda a, b: a - b, {"a": 5.0, "b": 3.0}, 2.0),
        (Dynamics(decay), POINT, [-1.0]),
        (EXACT, {**POINT, "end": 2.0}, [2.0 / math.e]),
        (RK4, {"law": lambda t, y: y, "time": 0.0, "state": [1.0], "step": 1.0}, [65.0 / 24.0]),
    ],
)
def test_a_measurement_is_what_the_map_returns(what, inputs, expected):
    assert np.allclose(Component("it", what).measure(inputs), expected, rtol=1e-15)


@pytest.mark.row("R-304")
def test_trajectories_of_simulators_simulations_and_methods_have_their_times():
    times = [0.0, 2.0, 4.0]
    expected = [2.0, 2.0 / math.e, 2.0 / math.e**2]
    simulated = Component("simulator", EXACT).measure({**POINT, "times": times})
    runs = Simulations({"exact": EXACT}, [4.0], [0.0], [[9.0]], [None], [{"rate": 9.0}], period=2.0)
    of_runs = Component("simulation", runs).measure(POINT)
    solved = Component("method", Explicit(RK4, 0.01)).measure(
        {"law": lambda t, x: -0.5 * x, "t": 0.0, "x": [2.0], "end": 4.0}
    )

    for found in (simulated, of_runs):
        assert found.times.tolist() == times
        assert np.allclose(found.states[:, 0], expected, rtol=1e-14)
    assert math.isclose(solved.end[0], expected[2], rel_tol=1e-9)
    stepped = Component("numeric", Numeric(Dynamics(decay), Explicit(RK4, 0.01))).measure({**POINT, "end": 4.0})
    assert math.isclose(stepped[0], expected[2], rel_tol=1e-9)
