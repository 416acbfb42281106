"""Linear forms, eigenvalues, equilibria and the kinds of effects, beside what is known by hand."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin, sqrt

import numpy as np
import pytest

import eventide as ev
from eventide.experiment.systems import Dynamics, Stepped

PENDULUM = Dynamics(
    lambda t, x, u, p: [x[1], -p["g"] * sin(x[0]) - p["d"] * x[1] + u],
    output=lambda t, x, u, p: [sin(x[0]), x[1] + 2.0 * u],
)
VALUES = {"g": 9.0, "d": 1.0}


def test_a_linear_form_has_the_derivatives_of_rates_and_outputs() -> None:
    near = ev.linearize(PENDULUM, state=[0.5, 0.25], signal=lambda t: 3.0 * t, time=1.0, parameters=VALUES)
    assert np.allclose(near.rates, [0.25, -9.0 * sin(0.5) - 0.25 + 3.0], rtol=0.0, atol=1e-15)
    assert np.allclose(near.A, [[0.0, 1.0], [-9.0 * cos(0.5), -1.0]], rtol=0.0, atol=1e-15)
    assert near.B.tolist() == [[0.0], [1.0]]
    assert np.allclose(near.C, [[cos(0.5), 0.0], [0.0, 1.0]], rtol=0.0, atol=1e-15)
    assert near.D.tolist() == [[0.0], [2.0]]


def test_eigenvalues_of_a_pendulum_tell_which_way_up_it_stays() -> None:
    given = {"signal": lambda t: 0.0, "parameters": VALUES}
    down = ev.eigenvalues(PENDULUM, state=[0.0, 0.0], **given)
    assert np.allclose(down, [-0.5 - 1j * sqrt(35.0) / 2.0, -0.5 + 1j * sqrt(35.0) / 2.0])
    up = ev.linearize(PENDULUM, state=ev.equilibrium(PENDULUM, [3.0, 0.1], **given), **given)
    assert np.allclose(up.point, [np.pi, 0.0], rtol=0.0, atol=1e-12)
    assert np.allclose(up.eigenvalues, [(-1.0 - sqrt(37.0)) / 2.0, (-1.0 + sqrt(37.0)) / 2.0])
    assert not up.is_stable


def test_where_there_is_no_equilibrium_none_is_found() -> None:
    rising = Dynamics(lambda t, x, u, p: [1.0 + x[0] ** 2])
    with pytest.raises(ev.ModelError, match=r"no equilibrium was found from \[0\.5\]"):
        ev.equilibrium(rising, [0.5])


class Tank(ev.Continuous):
    level: ev.State = 1.0
    outflow: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.outflow = 2.0 * sqrt(self.level)
        self.rate.level = -self.outflow


class Basin(ev.Continuous):
    tank: Tank
    level: ev.State = 0.0

    def equations(self) -> None:
        self.rate.level = self.tank.outflow - 3.0 * self.level


@ev.model(until=1.0)
def tanks(sim: ev.Simulation, *, level: float = 4.0) -> dict[str, Callable[[], float]]:
    upper = Tank(sim, name="tank", level=level).start()
    lower = Basin(sim, name="basin", tank=upper).start()
    return {"level": lambda: lower.level}


def test_a_model_of_several_components_is_linearized_where_it_is() -> None:
    near = ev.linearize(tanks, time=0.5)  # level = (2 - t)**2
    assert near.names == ("tank.level", "basin.level")
    assert abs(near.point[0] - 2.25) < 1e-5
    slope = 1.0 / sqrt(near.point[0])
    assert np.allclose(near.A, [[-slope, 0.0], [slope, -3.0]], rtol=1e-14, atol=0.0)


@ev.model(until=1.0)
def observed(sim: ev.Simulation) -> dict[str, Callable[[], float]]:
    upper = Tank(sim, name="tank", level=4.0)
    sim.integral(lambda: abs(upper.level - 4.0))  # it has a kink where the run begins
    lower = Basin(sim, name="basin", tank=upper.start()).start()
    return {"level": lambda: lower.level}


def test_an_integral_that_looks_at_a_model_is_no_state_of_it() -> None:
    near, alone = ev.linearize(observed), ev.linearize(tanks)
    assert near.names == ("tank.level", "basin.level")
    assert near.rates.tolist() == alone.rates.tolist() == [-4.0, 4.0]
    assert near.A.tolist() == alone.A.tolist() == [[-0.5, 0.0], [0.5, -3.0]]
    assert near.is_stable


@pytest.mark.slow
@pytest.mark.row("R-293")
def test_the_effect_of_a_change_is_one_of_five_kinds() -> None:
    pitchfork = Stepped(Dynamics(lambda t, x, u, p: [p["r"] * x[0] - x[0] ** 3]))
    gain = Stepped(Dynamics(lambda t, x, u, p: [p["k"] - x[0] + 0.0 * p["idle"]]))
    swing = Stepped(Dynamics(lambda t, x, u, p: [x[1], -x[0] - p["d"] * x[1]]))

    def effect(simulator: Stepped, end: float, state: list[float], name: str, low: float, high: float) -> str:
        others = {} if simulator is not gain else {"k": 1.0, "idle": 1.0}
        found: str = ev.effect_of_change(simulator, {**others, name: low}, {**others, name: high}, end=end, state=state)
        return found

    assert effect(gain, 30.0, [0.0], "k", 1.0, 1.5) == "increasing"
    assert effect(gain, 30.0, [0.0], "k", 1.0, 0.5) == "decreasing"
    assert effect(gain, 30.0, [0.0], "idle", 1.0, 0.5) == "unchanged"
    assert effect(swing, 60.0, [1.0, 0.0], "d", 1.0, -0.1) == "structural"
    assert effect(pitchfork, 60.0, [0.1], "r", -1.0, 1.0) == "bifurcation"


def test_a_state_that_does_not_fit_the_laws_is_refused_in_words() -> None:
    swing = Dynamics(lambda t, x, u, p: [x[1], -x[0]])
    with pytest.raises(IndexError) as caught:
        ev.linearize(swing, state=[1.0])
    assert caught.value.__notes__ == ["the state given was [1.0], of 1 components: the laws may read more"]
    for state, error in (
        ([1.0, 2.0, 3.0], r"given was \[1.0, 2.0, 3.0\], of 3 components, and the laws answered 2 rates: give as many"),
        ("abc", r"linearize takes a state x \(n,\), as \[1.0, 0.0\], and got 'abc'"),
        ([[1.0, 2.0]], r"linearize takes a state x \(n,\), as \[1.0, 0.0\], and got \[\[1.0, 2.0\]\]"),
    ):
        with pytest.raises(ev.ModelError, match=error):
            ev.linearize(swing, state=state)
    with pytest.raises(ev.ModelError, match=r"equilibrium takes a state x \(n,\), .*, and got 'a'"):
        ev.equilibrium(swing, "a")  # type: ignore[arg-type]  # what is refused


def _root(x: float) -> float:
    if x < 0.0:
        raise ValueError("a level is not negative")
    return 2.0 * x


KINKS = {
    "branch": (lambda x: 3.0 * x if x > 0.0 else x, None, 3.0, 1.0),
    "max": (lambda x: max(2.0 * x, 0.0), None, 2.0, 0.0),
    "equal": (lambda x: 5.0 * x if x == 0.0 else x, None, 1.0, 1.0),
    "smooth": (lambda x: x * x if x > 0.0 else -x * x, 0.0, 0.2, 0.2),
    "guard": (_root, 2.0, 2.0, None),
}


@pytest.mark.parametrize("name", KINKS)
def test_where_laws_switch_there_is_no_linear_form_unless_they_meet_smoothly(name: str) -> None:
    law, at, above, below = KINKS[name]
    dynamics = Dynamics(lambda t, x, u, p: [law(x[0])])
    for state, slope in ((0.0, at), (0.1, above), (-0.1, below)):
        if slope is not None:
            assert ev.linearize(dynamics, state=[state]).A[0, 0] == pytest.approx(slope)
    if at is None:
        with pytest.raises(ev.ModelError, match=r"there is no linear form at the state \[0\.0\]"):
            ev.linearize(dynamics, state=[0.0])
        assert ev.equilibrium(dynamics, [0.5]) == pytest.approx([0.0])


class Valve(ev.Continuous):
    x: ev.State = ev.state(0.0)
    level: float = 0.0

    def equations(self) -> None:
        self.rate.x = self.level - self.x if self.x > self.level else 3.0 * (self.level - self.x)


class Floor(ev.Continuous):
    x: ev.State = ev.state(0.0)
    level: float = 0.0
    locate_branches = False

    def equations(self) -> None:
        self.rate.x = -max(self.x - self.level, 0.0)


@pytest.mark.parametrize("kind", [Valve, Floor])
@pytest.mark.parametrize("time", [0.0, 0.5])
def test_nor_is_there_one_of_a_model(kind: type[ev.Continuous], time: float) -> None:
    @ev.model(until=1.0)
    def still(sim: ev.Simulation, *, level: float = 0.0) -> None:
        kind(sim, level=level, name="one").start()

    with pytest.raises(
        ev.ModelError, match=rf"there is no linear form at time {time!r}: a comparison in a law changes"
    ):
        ev.linearize(still, time=time)
    assert ev.linearize(still(level=-0.5), time=0.0).A.tolist() == [[-1.0]]
    assert ev.linearize(still(level=0.5), time=0.0).A.tolist() == [[-3.0 if kind is Valve else 0.0]]


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_an_equilibrium_is_found_whatever_its_size_is(size: float) -> None:
    square = Dynamics(lambda t, x, u, p: [size * size - x[0] * x[0]])
    assert ev.equilibrium(square, [10.0 * size]) == pytest.approx([size])
    assert ev.equilibrium(Dynamics(lambda t, x, u, p: [sin(x[0]) - x[1], x[1]]), [size, size])[1] == 0.0


JUMPS = {"jump": lambda t, x, p: -1.0 if x > p else -2.0, "of time": lambda t, x, p: -1.0 if t < p else -2.0}


@pytest.mark.parametrize("name", JUMPS)
def test_derivatives_of_a_simulator_do_not_go_past_a_jump_of_its_law(name: str) -> None:
    law = JUMPS[name]
    simulator = Stepped(Dynamics(lambda t, x, u, p: [law(t, x[0], p["p"])]))
    given = {"at": 1.0, "state": [1.0], "parameters": {"p": 0.5}}
    with pytest.raises(ev.ModelError, match="a comparison in the law at which the rates jump"):
        ev.sensitivity(simulator, "p", **given)
    exact = -1.0 if name == "jump" else 1.0
    assert ev.sensitivity(simulator, "p", by="central", **given)["x[0]", "p"] == pytest.approx(exact, abs=0.02)


MEETING = {
    "max": lambda t, x, p: -max(x - p, 0.1),
    "a fixed time": lambda t, x, p: -p if t < 0.5 else -2.0 * p,
    "smooth": lambda t, x, p: -1.0 if x < 0.2 * p else -1.0 - (x - 0.2 * p) ** 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEETING)
def test_but_past_a_kink_and_a_jump_at_a_fixed_time(name: str) -> None:
    law = MEETING[name]
    simulator = Stepped(Dynamics(lambda t, x, u, p: [law(t, x[0], p["p"])]), rel_error=1e-9, abs_error=1e-9)
    given = {"at": 1.0, "state": [1.0], "parameters": {"p": 0.5}}
    found = ev.sensitivity(simulator, **given)
    other = ev.sensitivity(simulator, by="central", **given)
    for one in ("p", "state[0]"):
        assert found["x[0]", one] == pytest.approx(other["x[0]", one], rel=1e-4)
