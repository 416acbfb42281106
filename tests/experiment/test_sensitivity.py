"""Sensitivities beside closed forms, differentiated by complex steps, which are exact to rounding."""

from __future__ import annotations

from cmath import sqrt as csqrt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import exp, sin, sqrt
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from experiment.slopes import close, slopes
from scipy.linalg import expm

import eventide as ev
from eventide.experiment.systems import Analytic, Dynamics, Numeric, Simulator, Stepped, TimeSet
from eventide.methods.solution import Adaptive

# --- the bouncing ball ------------------------------------------------------------------------------------------------


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m")
    velocity: ev.State = ev.state(0.0, unit="m/s")
    restitution: float = 0.9
    gravity: float = 9.81
    landings: list[float] = ev.field(default_factory=list)
    tops: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -self.gravity

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -self.restitution
        self.landings.append(self.sim.time)

    @ev.when(lambda self: self.velocity <= 0.0)
    def turn(self) -> None:
        self.tops.append(self.height)


@ev.model(until=18.0, rel_error=1e-11, abs_error=1e-12)
def ball(
    sim: ev.Simulation, *, height: float = 10.0, restitution: float = 0.9, gravity: float = 9.81
) -> dict[str, Callable[[], float]]:
    one = Ball(sim, name="ball", height=height, restitution=restitution, gravity=gravity).start()
    return {
        "landing": lambda: ev.Quantity(one.landings[9], unit="s"),
        "top": lambda: one.tops[9],
        "height": lambda: one.height,
        "bounces": lambda: len(one.landings),
    }


def landing(height: complex, restitution: complex, gravity: complex) -> complex:
    return csqrt(2.0 * height / gravity) * (1.0 + 2.0 * sum(restitution**k for k in range(1, 10)))


def top(height: complex, restitution: complex, gravity: complex) -> complex:
    return height * restitution**20


def height_at_end(height: complex, restitution: complex, gravity: complex) -> complex:
    elapsed = 18.0 - landing(height, restitution, gravity)
    return restitution**10 * csqrt(2.0 * gravity * height) * elapsed - gravity / 2.0 * elapsed**2


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_landing_and_height_after_the_tenth_bounce_have_the_derivatives_of_the_closed_form() -> None:
    found, values = ev.sensitivity(ball), {"height": 10.0, "restitution": 0.9, "gravity": 9.81}
    for output, closed in {"landing": landing, "top": top, "height": height_at_end}.items():
        for name, slope in slopes(closed, **values).items():
            assert close(found[output, name], slope), (output, name, found[output, name], slope)
    assert [found["bounces", name] for name in values] == [0.0, 0.0, 0.0]
    assert found.units["landing"] == "s"


@pytest.mark.slow
@pytest.mark.row("R-291")
def test_differences_agree_with_the_variational_equations() -> None:
    exact = ev.sensitivity(ball, at=[1.0, 17.4])
    for by, step, tolerance in (("central", 1e-5, 1e-5), ("one-sided", 1e-7, 1e-3)):
        near = ev.sensitivity(ball, at=[1.0, 17.4], by=by, step=step)  # type: ignore[arg-type]  # one of the two
        assert [(one.output, one.time, one.input) for one in near.entries] == [
            (one.output, one.time, one.input) for one in exact.entries
        ]
        for one, other in zip(exact.entries, near.entries, strict=True):
            assert close(other.sensitivity, one.sensitivity, tolerance), (by, one, other)


# --- laws -------------------------------------------------------------------------------------------------------------


SHRINKING = Dynamics(lambda t, x, u, p: [-p["p"] * x[0] ** 2], name="shrinking")


@pytest.mark.row("R-290")
@pytest.mark.parametrize(
    "simulator",
    [
        Stepped(SHRINKING, rel_error=1e-12, abs_error=1e-14),
        Numeric(SHRINKING, Adaptive(ev.methods.DORMAND_PRINCE, tolerance=1e-12)),
        Analytic(SHRINKING, lambda t, t0, x, u, p: x[0] / (1.0 + p["p"] * x[0] * (t - t0))),
    ],
    ids=["stepped", "numeric", "analytic"],
)
def test_a_law_with_a_closed_solution_has_its_derivatives(simulator: Simulator) -> None:
    found = ev.sensitivity(simulator, at=[1.0, 2.0], start=0.5, state=[0.5], parameters={"p": 1.5})
    for time in (1.0, 2.0):
        part = 1.0 + 1.5 * 0.5 * (time - 0.5)
        x = 0.5 / part
        expected = {"start": 1.5 * x * x, "state[0]": 1.0 / part**2, "p": -0.25 * (time - 0.5) / part**2}
        for name, slope in expected.items():
            assert close(found.entry("x[0]", name, time).sensitivity, slope, 1e-10), (name, time)


@pytest.mark.row("R-290")
@pytest.mark.row("R-291")
def test_an_input_is_varied_in_a_direction() -> None:
    driven = Dynamics(lambda t, x, u, p: [u - p["rate"] * x[0]])
    simulator = Stepped(driven, rel_error=1e-11, abs_error=1e-13)
    given: dict[str, Any] = {"at": 2.0, "state": [0.0], "parameters": {"rate": 1.5}, "signal": sin}
    # x = integral of exp(-1.5 (2 - s)) (u + e s) ds, so its derivative is that of s alone.
    expected = (1.5 * 2.0 - 1.0 + exp(-3.0)) / 1.5**2
    found = ev.sensitivity(simulator, "signal", direction=lambda t: t, **given)
    near = ev.sensitivity(simulator, "signal", direction=lambda t: t, by="central", **given)
    assert found.inputs == near.inputs == ("signal",)
    assert close(found["x[0]", "signal"], expected, 1e-10)
    assert close(near["x[0]", "signal"], expected, 1e-6)


# --- the quarter car --------------------------------------------------------------------------------------------------

MASSES = {"body": 300.0, "wheel": 60.0}
CAR = {"spring": 16000.0, "damper": 1000.0, "tyre": 190000.0}


def matrix(spring: Any, damper: Any, tyre: Any) -> Any:
    """X' = A x for positions of body and wheel, then their speeds, on a level road."""
    strut = np.array([-spring, spring, -damper, damper])
    return np.array(
        [[0, 0, 1, 0], [0, 0, 0, 1], strut / MASSES["body"], (-strut + np.array([0, -tyre, 0, 0])) / MASSES["wheel"]]
    )


def cost_of_car(spring: complex, damper: complex, tyre: complex) -> complex:
    """The integral over half a second of y1**2 + y2**2: products of states obey a linear equation as well."""
    a = matrix(spring, damper, tyre)
    both = np.kron(a, np.eye(4)) + np.kron(np.eye(4), a)
    whole = np.zeros((17, 17), dtype=complex)
    whole[:16, :16], whole[16, 0], whole[16, 5] = both, 1.0, 1.0
    first = np.array([0.1, 0.05, 0.0, 0.0])
    return complex((expm(0.5 * whole) @ np.append(np.kron(first, first), 0.0))[16])


class Car(ev.Continuous):
    body: ev.State = 0.1
    wheel: ev.State = 0.05
    body_speed: ev.State = 0.0
    wheel_speed: ev.State = 0.0
    cost: ev.State = 0.0
    spring: float = 16000.0
    damper: float = 1000.0
    tyre: float = 190000.0
    strut: ev.Computed = ev.computed(unit="N")

    def equations(self) -> None:
        self.strut = self.spring * (self.body - self.wheel) + self.damper * (self.body_speed - self.wheel_speed)
        self.rate.body = self.body_speed
        self.rate.wheel = self.wheel_speed
        self.rate.body_speed = -self.strut / MASSES["body"]
        self.rate.wheel_speed = (self.strut - self.tyre * self.wheel) / MASSES["wheel"]
        self.rate.cost = self.body**2 + self.wheel**2


@ev.model(until=0.5, rel_error=1e-10, abs_error=1e-12)
def car(
    sim: ev.Simulation, *, spring: float = 16000.0, damper: float = 1000.0, tyre: float = 190000.0
) -> dict[str, Callable[[], float]]:
    one = Car(sim, spring=spring, damper=damper, tyre=tyre).start()
    return {"cost": lambda: one.cost}


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_the_cost_of_the_quarter_car_has_the_derivatives_of_the_closed_form() -> None:
    expected = slopes(cost_of_car, **CAR)
    found = ev.sensitivity(car)
    dynamics = Dynamics(lambda t, x, u, p: matrix(**p) @ x)
    stepped = Stepped(dynamics, ev.methods.DOP853, rel_error=1e-11, abs_error=1e-13)
    other = ev.sensitivity(
        stepped, list(CAR), at=0.5, state=[0.1, 0.05, 0.0, 0.0], parameters=CAR, cost=lambda x: x[0] ** 2 + x[1] ** 2
    )
    for name, slope in expected.items():
        # In parts of the derivative: it is as small as 1e-9 for the tyre's spring.
        assert abs(found["cost", name] / slope - 1.0) <= 1e-8, name
        assert abs(other["cost", name] / slope - 1.0) <= 1e-8, name


# --- events -----------------------------------------------------------------------------------------------------------


class Pendulum(ev.Continuous):
    angle: ev.State = 0.3
    speed: ev.State = 0.0
    length: float = 1.0

    def equations(self) -> None:
        self.rate.angle = self.speed
        self.rate.speed = -9.81 / self.length * sin(self.angle)


@ev.model(rel_error=1e-10, abs_error=1e-12)
def strokes(
    sim: ev.Simulation, *, length: float = 1.0, angle: float = 0.3, pause: float = 0.5
) -> ev.ProcessGenerator[dict[str, float]]:
    swing = Pendulum(sim, angle=angle, length=length).start()
    yield ev.until(lambda: swing.angle <= -angle / 2.0)
    reached = sim.time
    yield ev.hold(pause)
    seen = swing.angle
    swing.speed += 0.1 * pause
    yield ev.until(lambda: swing.angle >= 0.1)
    return {"reached": reached, "seen": seen, "end": sim.time, "pace": sqrt(swing.speed**2)}


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_waits_pauses_and_jumps_of_a_process_carry_derivatives_of_their_times() -> None:
    found, near = ev.sensitivity(strokes), ev.sensitivity(strokes, by="central", step=1e-5)
    assert near.warnings == ()
    for one, other in zip(found.entries, near.entries, strict=True):
        assert close(one.sensitivity, other.sensitivity, 1e-6), (one, other)
    assert found["reached", "pause"] == 0.0
    assert abs(found["end", "length"]) > 0.1


class Arc(ev.Continuous):
    height: ev.State = 0.0
    speed: ev.State = 4.0

    def equations(self) -> None:
        self.rate.height = self.speed
        self.rate.speed = -8.0


@ev.model(rel_error=1e-9, abs_error=1e-11)
def thrown(sim: ev.Simulation, *, level: float = 1.0) -> ev.ProcessGenerator[dict[str, float]]:
    arc = Arc(sim, name="arc").start()
    yield ev.first_of(there=ev.until(lambda: arc.height >= level), over=ev.until(lambda: arc.speed <= -1e-3))
    return {"time": sim.time}


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_a_condition_that_only_touches_its_level_is_refused_by_name() -> None:
    assert close(ev.sensitivity(thrown(level=0.75))["time", "level"], 0.5)  # 4 t - 4 t**2 = level
    with pytest.raises(ev.UndifferentiableError, match=r"\(there\) grazes at time 0\.49999"):
        ev.sensitivity(thrown(level=1.0 - 1e-10))


@ev.model(until=5.0)
def shop(sim: ev.Simulation, *, mean: float = 2.0, desks: int = 2) -> dict[str, Callable[[], float]]:
    gaps = sim.stream("gaps")
    arrivals: list[float] = []

    def source() -> ev.ProcessGenerator:
        while len(arrivals) < 3:
            yield ev.hold(mean * gaps.exponential(0.2))
            arrivals.append(sim.time)

    def clock() -> ev.ProcessGenerator:
        yield ev.hold(1.0)

    sim.process(source(), name="source")
    sim.process(clock(), name="clock")
    return {"third": lambda: arrivals[2] if len(arrivals) == 3 else 0.0}


@pytest.mark.row("R-291")
def test_differences_have_common_random_numbers_and_tell_of_another_order_of_events() -> None:
    found = ev.sensitivity(shop, "mean", by="central", entropy=1)
    value = found.entry("third", "mean").output_value
    assert close(found["third", "mean"], value / 2.0, 1e-9)
    assert found.warnings == ()
    wide = ev.sensitivity(shop, "mean", by="central", entropy=1, step=0.9)
    assert len(wide.warnings) == 1
    assert "order" in wide.warnings[0]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.row("R-295")
def test_inputs_of_discrete_values_are_refused() -> None:
    with pytest.raises(ev.ModelError, match="desks does not exist: it takes a whole number"):
        ev.sensitivity(shop, "desks", by="central", entropy=1)
    simulator = Stepped(SHRINKING)
    with pytest.raises(ev.ModelError, match="its value 2 is no float"):
        ev.sensitivity(simulator, "p", at=1.0, state=[1.0], parameters={"p": 2})
    sampled = Stepped(Dynamics(SHRINKING.rate, times=TimeSet(0.5)))
    with pytest.raises(ev.ModelError, match="times are multiples of a period"):
        ev.sensitivity(sampled, "start", at=1.0, state=[1.0], parameters={"p": 2.0})
    with pytest.raises(ev.ModelError, match="has no input 'weight' to vary; it has mean"):
        ev.sensitivity(shop, "weight", by="central", entropy=1)


class Rod(ev.Continuous):
    u: ev.StateVector = ev.state_vector(1.0, size=3)

    def equations(self) -> None:
        self.rate.u = -self.u


class Braked(ev.Continuous):
    x: ev.State = 1.0
    drag: float = 1.0

    def equations(self) -> None:
        self.rate.x = -self.drag if self.x > 0.5 else -2.0 * self.drag


class Unread(ev.Continuous):
    x: ev.State = 1.0
    drag: float = 1.0
    locate_branches = False

    def equations(self) -> None:
        self.rate.x = -self.drag if self.x > 0.5 else -2.0 * self.drag


@ev.model
def odd(sim: ev.Simulation, *, part: str = "vector", drag: float = 1.0) -> dict[str, Callable[[], float]]:
    if part == "vector":
        rod = Rod(sim).start()
        return {"u": lambda: rod.u[0]}
    if part == "rounded":
        round(drag)
    one = (Unread if part == "branch" else Braked)(sim, drag=drag).start()
    if part == "loose":
        ev.Variable(sim, 1.0, name="y").start()
    if part == "behind":
        return {"x": lambda: one["x"].state}
    if part == "level":
        queue = sim.level("queue")

        def count() -> ev.ProcessGenerator[None]:
            yield ev.until(lambda: one.x <= 0.8)
            queue.set(1.0)

        sim.process(count())
        return {"queue": lambda: queue.mean}
    return {"x": lambda: one.x}


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("vector", "vectors of states, as Rod has them"),
        ("rounded", r"round\(\): it got 1.0, which depends on what is varied"),
        ("loose", "loose variables"),
        ("behind", "Braked.x.state, read through component"),
        ("level", "averages over time"),
        ("branch", "a comparison in a law that is not located and has changed by time 1.0"),
    ],
)
def test_what_variational_equations_do_not_go_through_is_refused_by_name(part: str, words: str) -> None:
    with pytest.raises(ev.UndifferentiableError, match=words):
        ev.sensitivity(odd(part=part), until=1.0 if part == "branch" else 0.4)


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.row("R-292")
def test_results_are_tables_a_dump_and_a_figure(tmp_path: Path) -> None:
    found = ev.sensitivity(thrown(level=0.75), at=[0.05, 0.1])
    assert found.table.loc["time", "level"] == found["time", "level"]
    along = found.over_time("arc.height")
    assert along.index.tolist() == [0.05, 0.1]
    assert along["level"].tolist() == [0.0, 0.0]
    ev.save(found, tmp_path / "found.csv")
    assert ev.load(tmp_path / "found.csv").equals(found.to_pandas())
    axes = found.plot()
    assert [label.get_text() for label in axes.get_xticklabels()] == ["level"]
    bars = [bar.get_height() for bar in axes.patches]
    assert bars == pytest.approx([found.entry(name, "level").elasticity for name in found.outputs])
    line = found.plot("arc.height").lines[0]
    assert line.get_xdata() == pytest.approx([0.05, 0.1])


def test_effects_are_classified_by_their_direction() -> None:
    simulator = Stepped(SHRINKING)
    found = ev.sensitivity(simulator, at=1.0, state=[0.5], parameters={"p": 1.5, "idle": 2.0})
    effects = {name: found.entry("x[0]", name).effect for name in found.inputs}
    assert effects == {"start": "increasing", "state[0]": "increasing", "p": "decreasing", "idle": "unchanged"}


# --- what is asked for wrongly ----------------------------------------------------------------------------------------


@ev.model(until=2.0)
def unreached(sim: ev.Simulation, *, rate: float = 1.0) -> dict[str, Callable[[], float]]:
    one = Decay(sim, name="decay", rate_of=rate).start()
    return {"x": lambda: one.x, "never": lambda: float("nan")}


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)
    rate_of: float = 1.0

    def equations(self) -> None:
        self.rate.x = -self.rate_of * self.x


@pytest.mark.parametrize("by", ["variational", "central"])
def test_times_behind_the_end_and_steps_that_are_none_are_refused_and_nan_has_no_sensitivity(by: Any) -> None:
    for at, error in (([1.0, 3.0], "up to the end of the run, which is 2.0, and got 3.0"), (1.0, "takes times, as"),
                      ([2.0, 1.0], "that grow"), ([float("nan")], "that grow")):  # fmt: skip
        with pytest.raises(ev.ModelError, match=error):
            ev.sensitivity(unreached, by=by, at=at)  # type: ignore[call-overload]  # a float is what is refused
    for step in (0.0, -1.0, 1.0, float("nan"), "small"):
        with pytest.raises(ev.ModelError, match="greater than 0 and below 1, and got"):
            ev.sensitivity(unreached, by=by, step=step)
    found = ev.sensitivity(unreached, by=by, at=[1.0, 3.0], until=3.0)
    assert close(found["x", "rate"], -3.0 * exp(-3.0), 1e-4)
    assert np.isnan(found["never", "rate"])


def test_equilibria_of_a_model_are_refused_in_words() -> None:
    with pytest.raises(ev.ModelError, match=r"equilibrium takes Dynamics of .*, and got unreached\(rate=1.0\)"):
        ev.equilibrium(unreached, [0.0])  # type: ignore[arg-type]  # what is refused


@ev.model(until=2.0)
def counted(sim: ev.Simulation, *, rate: float = 1.0) -> dict[str, Any]:
    Decay(sim, name="decay", rate_of=rate).start()
    tally = sim.tally("heights")
    tally.add(rate)
    return {"x": tally}


def test_statistics_that_keep_plain_numbers_are_refused_by_name() -> None:
    with pytest.raises(ev.UndifferentiableError) as caught:
        ev.sensitivity(counted)
    assert str(caught.value) == (
        "variational equations do not go through a Tally (its mean is a sum divided by a count): it got 1.0, which "
        'depends on what is varied; write it by arithmetic and functions of math, or ask for by="central"'
    )


@ev.model(until=1.0)
def falling(sim: ev.Simulation, *, angle: float = 0.7) -> dict[str, Callable[[], float]]:
    one = Pendulum(sim, angle=angle).start()
    return {"angle": lambda: sin(one.angle)}


@pytest.mark.slow
def test_two_threads_may_ask_at_once_and_another_may_run_the_same_laws() -> None:
    alone, plain = ev.sensitivity(falling), falling.run(entropy=1).responses
    with ThreadPoolExecutor(3) as threads:
        asked = [threads.submit(ev.sensitivity, falling) for _ in range(4)]
        runs = [threads.submit(falling.run, entropy=1) for _ in range(20)]
        assert [one.result().entries for one in asked] == [alone.entries] * 4
        assert [one.result().responses for one in runs] == [plain] * 20
    assert sin.__module__ == "math"


@ev.model(until=0.5, rel_error=1e-9, abs_error=1e-12)
def dropped(sim: ev.Simulation, *, gravity: float = 9.81) -> dict[str, Callable[[], float]]:
    one = Ball(sim, gravity=gravity).start()
    return {"height": lambda: one.height}


def test_a_module_that_names_the_class_of_functions_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose `__globals__` is a descriptor and no namespace."""
    monkeypatch.setitem(globals(), "FunctionType", FunctionType)
    assert close(ev.sensitivity(dropped)["height", "gravity"], -0.125)


@pytest.mark.slow
@pytest.mark.row("R-290")
def test_a_condition_that_just_misses_its_level_is_noted_with_its_margin() -> None:
    found = ev.sensitivity(thrown(level=1.0 + 1e-8))  # the height comes to 1
    assert found.warnings == (
        (
            "the condition of thrown (there) comes within 1e-08 of its change at about time 0.5, and turns back: the "
            "tolerances cannot tell this from touching, and where an input is varied the event may take place"
        ),
    )
    assert f"note: {found.warnings[0]}" in str(found)
    assert found["time", "level"] == 0.0
    for clear in (1.01, 0.75):
        assert ev.sensitivity(thrown(level=clear)).warnings == ()


# --- a response without derivatives -----------------------------------------------------------------------------------


@ev.model(until=1.0)
def measured(sim: ev.Simulation, *, rate: float = 1.0) -> dict[str, Callable[[], float]]:
    one = Decay(sim, name="decay", rate_of=rate).start()
    most = sim.integral(lambda: one.x, name="x")
    return {"most": lambda: most.maximum, "x": lambda: one.x}


@ev.model(until=1.0)
def most_alone(sim: ev.Simulation, *, rate: float = 1.0) -> dict[str, Callable[[], float]]:
    most = sim.integral(lambda: rate, name="rate")
    return {"most": lambda: most.maximum}


@pytest.mark.slow
def test_a_response_without_derivatives_hides_no_other() -> None:
    found = ev.sensitivity(measured)
    why = 'variational equations do not go through the maximum of sim.integral: ask for by="central"'

    assert found.outputs == ("most", "x")
    assert close(found["x", "rate"], -exp(-1.0), 1e-5)
    assert (found.entry("most", "rate").output_value, found.entry("most", "rate").effect) == (1.0, "unknown")
    assert np.isnan(found["most", "rate"])
    assert str(found).splitlines()[-1] == f"note: most has no derivatives here: {why}"
    with pytest.raises(ev.UndifferentiableError, match="the maximum of"):
        ev.sensitivity(most_alone)


def test_what_a_sensitivity_does_not_take_is_told() -> None:
    for subject, unknown, told in (
        (measured, {"seed": 1}, "of a model takes no seed=; did you mean entropy="),
        (measured, {"state": [1.0]}, "of a model takes no state=; did you mean step="),
        (Stepped(SHRINKING), {"until": 1.0}, "of a simulator takes no until=; it takes simulator, wrt, at, state"),
    ):
        with pytest.raises(ev.ParameterError, match=told):
            ev.sensitivity(subject, **unknown)  # type: ignore[call-overload]  # what is refused
