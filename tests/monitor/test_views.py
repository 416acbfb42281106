"""What can be looked at: the lists of the monitor and the quantities of a step."""

from __future__ import annotations

from itertools import pairwise
from math import exp, isnan
from typing import Any

import pytest

import eventide as ev


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 50.0, priority=1.0)
    def overflow(self) -> None:
        pass

    @ev.every(4.0, offset=4.0)
    def look(self) -> None:
        pass


class Told(ev.Reporter):
    def report(self) -> None:
        pass


@pytest.mark.row("R-020", "R-149", "R-133", "R-134")
@pytest.mark.parametrize("native", ["auto", False])
def test_the_lists_of_the_monitor_can_be_seen_in_their_order(native: Any) -> None:
    sim = ev.Simulation(compile=native)
    ramp = Ramp(sim, name="ramp").start()
    seen: list[Any] = []

    def waiter(delay: float, **options: Any) -> ev.ProcessGenerator:
        yield ev.hold(delay)
        while True:
            yield ev.until(lambda: ramp.x >= 20.0, **options)
            yield ev.hold(30.0)

    def default() -> ev.ProcessGenerator:
        sim.until_priority, sim.until_prior = 2.0, True
        yield ev.until(lambda: ramp.x >= 21.0)

    def patient() -> ev.ProcessGenerator:
        yield ev.first_of(full=ev.until(lambda: ramp.x >= 22.0), late=ev.hold(7.0))

    def watcher() -> ev.ProcessGenerator:
        yield ev.hold(3.0)
        seen.append([(time, who and who.name, name) for time, who, name in sim.schedule])
        seen.append([(who and who.name, part and part.name, rank) for who, part, rank, _ in sim.waits])
        seen.append([reporter.name for reporter in sim.reporters])
        a.stop()
        seen.append([reporter.name for reporter in sim.reporters])

    assert (sim.reporters, sim.waits[0].component, sim.schedule[0].process) == ((), ramp, None)
    a = Told(sim, name="a").start()
    Told(sim, name="b", every=1.5).start()
    low = sim.process(waiter(0.5, priority=-1), name="low")
    sim.process(waiter(1.0), name="plain")
    sim.process(waiter(1.5, prior=True), name="prior")
    sim.process(waiter(2.0, priority=2.0, prior=False), name="high")
    sim.process(patient(), name="patient")
    late = sim.process(default(), name="default")
    late.reactivate(at=2.5)
    sim.process(watcher(), name="watcher")
    sim.run(until=5.0)
    assert seen == [
        [(4.0, None, "ramp.look"), (7.0, "patient", "patient")],
        [
            ("default", None, 2.0),
            ("high", None, 2.0),
            (None, "ramp", 1.0),
            ("prior", None, 0.0),
            ("patient", None, 0.0),
            ("plain", None, 0.0),
            ("low", None, -1.0),
        ],
        ["b", "a"],
        ["b"],
    ]
    assert (sim.variables, sim.laws) == ((ramp["x"],), (ramp,))
    assert sim.waits[-1].process is low
    assert sim.waits[-1].condition.startswith("lambda at ")


@pytest.mark.row("R-149")
def test_who_waits_again_stands_last_also_as_native_code() -> None:
    sim = ev.Simulation()
    ramp = Ramp(sim).start()

    class Stepper(ev.Continuous):
        goal: float = 0.0

        def run_to(self) -> ev.ProcessGenerator:
            while True:
                yield ev.until(lambda: ramp.x >= self.goal)
                self.goal += 0.5

    first, second = Stepper(sim, goal=0.25).start(), Stepper(sim, goal=0.5).start()
    a, b = sim.process(first.run_to(), name="a"), sim.process(second.run_to(), name="b")
    orders = []
    for end in range(1, 41):
        sim.run(until=end * 0.25 + 0.1)
        orders.append([wait.process for wait in sim.waits if wait.process is not None])
    assert orders == [[b, a], [a, b]] * 20


def england(x: float, length: float) -> tuple[float, float, float]:
    """Increments over half the step and the whole step, and the error estimate, for x' = -x in the manual's words."""
    h = length / 2  # the manual's H

    def f(y: float) -> float:
        return -h * y

    a1 = f(x)
    a2 = f(x + a1 / 2)
    a3 = f(x + (a1 + a2) / 4)
    a4 = f(x - a2 + 2 * a3)
    half = (a1 + 4 * a3 + a4) / 6
    b1 = f(x + half)
    b2 = f(x + half + b1 / 2)
    b3 = f(x + half + (b1 + b2) / 4)
    r = f(x + (-a1 - 96 * a2 + 92 * a3 - 121 * a4 + 144 * b1 + 6 * b2 - 12 * b3) / 6)
    b4 = f(x + half - b2 + 2 * b3)
    error = (-a1 + 4 * a3 + 17 * a4 - 23 * b1 + 4 * b3 - r) / 90
    return half, half + (b1 + 4 * b3 + b4) / 6 + error, error


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0, rel_error=1e-6, abs_error=1e-9)

    def equations(self) -> None:
        self.rate.x = -self.x


class Study(ev.Reporter):
    """Keeps what each step of a variable has come from."""

    variable: Any
    log: list[Any] = ev.field(default_factory=list)

    def report(self) -> None:
        self.log.append((self.sim.dt, self.variable.last_state, self.variable.step_quantities))


@pytest.mark.row("R-035", "R-095", "R-166", "R-167")
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("native", ["auto", False])
def test_the_quantities_of_a_step_are_those_of_the_manual_s_formulas(native: Any, stepping: Any) -> None:
    sim = ev.Simulation(compile=native, stepping=stepping)
    decay = Decay(sim).start()
    study = Study(sim, variable=decay["x"]).start()
    sim.run(until=1.0)
    steps = [(dt, x, step) for dt, x, step in study.log if dt > 0.0 and step is not None and step.length == dt]
    assert len(steps) == sim.monitor.steps - (stepping == "apart")  # apart, the last step goes beyond the end
    for (dt, x, step), (_, _, following) in pairwise(steps):
        half, whole, error = england(x, dt)
        assert (step.to_scale, step.increment) == (pytest.approx(half, rel=1e-13), pytest.approx(whole, rel=1e-13))
        assert step.error == pytest.approx(error, rel=1e-6)
        assert step.tolerance == pytest.approx(1e-9 + 1e-6 * (x + half), rel=1e-13)
        assert abs(step.error) <= step.tolerance
        assert step.proposed == pytest.approx(dt * min(2.0, (step.tolerance / abs(error) / 2) ** 0.2), rel=1e-6)
        assert following.length <= step.proposed
    assert sum(step.increment for _, _, step in steps[:-1]) == pytest.approx(
        exp(-sum(s[0] for s in steps[:-1])) - 1, rel=1e-5
    )


@pytest.mark.row("R-166", "R-167", "R-049")
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("native", ["auto", False])
@pytest.mark.parametrize("dt_min", [0.0, 0.2])
def test_a_step_is_halved_until_its_error_is_within_the_tolerance(native: Any, stepping: Any, dt_min: float) -> None:
    def is_accurate(length: float) -> bool:
        half, _, error = england(1.0, length)
        return abs(error) <= 1e-9 + 1e-6 * abs(1.0 + half)

    sim = ev.Simulation(compile=native, stepping=stepping, dt_min=dt_min, dt_max=10.0)
    decay = Decay(sim).start()
    study = Study(sim, variable=decay["x"]).start()
    sim.run(until=20.0)
    _, _, first = next(row for row in study.log if row[2] is not None)
    lengths = [10.0]
    while not is_accurate(lengths[-1]):
        lengths.append(max(lengths[-1] / 2, dt_min))
    assert lengths[-1] == (dt_min or 10.0 / 2**6)
    assert first.length == pytest.approx(lengths[-1], rel=1e-15)
    assert sim.monitor.refused >= len(lengths) - 1 >= 5


@pytest.mark.row("R-095")
def test_where_there_is_no_step_there_are_no_quantities() -> None:
    sim = ev.Simulation(dt_max=0.25)
    decay, still = Decay(sim).start(), ev.Variable(sim, 1.0)
    assert (decay["x"].step_quantities, still.step_quantities) == (None, None)
    kept = []
    for method in (ev.methods.RK4, ev.methods.ADAMS, ev.methods.RADAU, ev.methods.DORMAND_PRINCE):
        sim.method = method
        study = Study(sim, variable=decay["x"]).start()
        sim.run(until=sim.time + 0.5)
        study.stop()
        step = next(step for _, _, step in study.log if step is not None)
        kept.append([value is None for value in step])
        assert not any(isnan(value) for value in step if value is not None)
    fixed, implicit, explicit = [False] * 3 + [True] * 3, [False] * 4 + [True, False], [False] * 6
    assert kept == [fixed, fixed, implicit, explicit]


def test_a_vector_has_no_quantities_of_one_step() -> None:
    class Rod(ev.Continuous):
        u: ev.StateVector = ev.state_vector(0.0, size=2)

    rod = Rod(ev.Simulation()).start()
    with pytest.raises(ev.ModelError, match="step_quantities"):
        rod["u"].step_quantities  # noqa: B018  # it is refused
