"""Methods of fixed step: their order, their cost, and that they step dt_max whatever the tolerances are."""

from __future__ import annotations

from math import cos, exp, log2, sin, ulp

import pytest
from continuous.test_stepper import unmet_conditions

import eventide as ev
from eventide.declare.periods import exact_period
from eventide.methods import Method

METHODS = [ev.methods.EULER, ev.methods.TRAPEZOID, ev.methods.KUTTA_SIMPSON, ev.methods.RK4]


def name_of(method: Method) -> str:
    return method.name


class Wave(ev.Continuous):
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = self.y * cos(self.sim.time)


def run(method: Method, step: float, **options: object) -> tuple[ev.Simulation, float]:
    sim = ev.Simulation(dt_max=step, rng=1, **options)
    wave = Wave(sim).start()
    sim.method = method
    sim.run(until=2.0)
    return sim, wave.y


@pytest.mark.row("R-170", "R-171", "R-174", "R-252", "R-256")
@pytest.mark.parametrize(("method", "conditions"), list(zip(METHODS, [1, 2, 4, 8], strict=True)), ids=str)
def test_order_conditions_hold_exactly_and_no_more(method: Method, conditions: int) -> None:
    assert unmet_conditions(method, method.weights, method.order) == (conditions, [])
    assert unmet_conditions(method, method.weights, method.order + 1)[1] != []


@pytest.mark.row("R-170", "R-171", "R-174", "R-254")
@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_error_falls_with_the_order(method: Method) -> None:
    errors = [abs(run(method, step)[1] - exp(sin(2.0))) for step in (2.0**-5, 2.0**-6)]
    assert log2(errors[0] / errors[1]) == pytest.approx(method.order, abs=0.25)


@pytest.mark.row("R-170", "R-171", "R-174")
@pytest.mark.parametrize(("method", "cost"), list(zip(METHODS, [1, 2, 3, 4], strict=True)), ids=str)
def test_evaluations_a_step(method: Method, cost: int) -> None:
    sim, _ = run(method, 0.25)
    assert sim.monitor.steps == 8
    assert sim._continuum.evaluations - 1 == 8 * cost


@pytest.mark.row("R-089", "R-177")
@pytest.mark.parametrize("method", METHODS, ids=name_of)
def test_tolerances_are_ignored(method: Method) -> None:
    tight, loose = (run(method, 0.125, rel_error=t, abs_error=t) for t in (1e-14, 1.0))
    assert tight[1] == loose[1]
    assert (tight[0].monitor.steps, tight[0].monitor.refused) == (16, 0)


@pytest.mark.row("R-177")
def test_an_event_cuts_a_step_and_the_next_is_whole_again() -> None:
    sim = ev.Simulation(dt_max=0.5, rng=1, stepping="together")
    Wave(sim).start()
    sim.method = ev.methods.EULER
    seen: list[float] = []

    class Look(ev.Reporter):
        def report(self) -> None:
            seen.append(self.sim.dt)

    Look(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.75)

    sim.process(story())
    sim.run(until=2.0)
    assert [dt for dt in seen if dt > 0.0] == [0.5, 0.25, 0.5, 0.5, 0.25]


@pytest.mark.row("R-162")
def test_the_method_may_be_exchanged_at_an_event() -> None:
    sim = ev.Simulation(dt_max=0.25, rng=1)
    wave = Wave(sim).start()
    sim.method = ev.methods.EULER
    sim.run(until=1.0)
    sim.method = ev.methods.RK4
    assert sim.method is ev.methods.RK4
    sim.run(until=2.0)
    euler = 1.0
    for k in range(4):
        euler += 0.25 * euler * cos(0.25 * k)
    assert wave.y == pytest.approx(euler * exp(sin(2.0) - sin(1.0)), rel=1e-4)


@pytest.mark.row("R-179")
def test_interpolant_is_exact_for_cubics() -> None:
    class Cubic(ev.Continuous):
        y: ev.State = ev.state(1.0)

        def equations(self) -> None:
            t = self.sim.time
            self.rate.y = 2.0 - 2.0 * t + 3.0 * t * t

    sim = ev.Simulation(dt_max=1.0, rng=1)
    cubic = Cubic(sim, name="c").start()
    sim.method = ev.methods.KUTTA_SIMPSON
    trace = sim.record(cubic, every=0.125)
    sim.run(until=2.0)
    exact = [1.0 + 2.0 * t - t * t + t**3 for t in trace.times]
    assert len(exact) == 17
    assert list(trace["c.y"]) == pytest.approx(exact, abs=1e-13)


def test_a_fixed_step_needs_dt_max() -> None:
    sim = ev.Simulation()
    Wave(sim).start()
    sim.method = ev.methods.RK4
    with pytest.raises(ev.ModelError, match=r"Classical Runge-Kutta has no error estimate.*dt_max"):
        sim.run(until=1.0)


@pytest.mark.row("R-255")
def test_a_tableau_that_is_not_explicit_is_refused() -> None:
    from fractions import Fraction

    from eventide.methods import fixed

    one = Fraction(1)
    with pytest.raises(ev.ModelError, match="no explicit tableau"):
        fixed("implicit", 1, ((one,),), (one,), "")


@pytest.mark.row("R-093")
def test_the_order_in_which_variables_are_started_changes_no_bit() -> None:
    def result(order: int) -> list[float]:
        sim = ev.Simulation(rng=1)
        pair = [ev.Variable(sim, 1.0), ev.Variable(sim, 2.0)]
        for variable in pair[::order]:
            variable.start()

        def rates() -> None:
            pair[0].rate = -pair[1].state
            pair[1].rate = 100.0 * (pair[0].state - pair[1].state)

        ev.law(sim, rates).start()
        sim.run(until=3.0)
        return [variable.state for variable in pair]

    assert result(1) == result(-1)


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x


@pytest.mark.row("R-264")
@pytest.mark.parametrize("period", [0.1, 0.3, 0.7, 1.0, 0.123])
@pytest.mark.parametrize("parts", [1, 3, 7, 10])
def test_a_sampling_period_in_equal_steps_is_so_many_steps(period: float, parts: int) -> None:
    # Of 0.7 in seven parts the last falls short of the next instant by a rounding: no step is so small.
    sim = ev.Simulation(rng=1, dt_max=period / parts, stepping="together", compile=False)
    sim.method = ev.methods.RK4
    Decay(sim).start()
    instants: list[float] = []

    def sampler() -> ev.ProcessGenerator:
        while True:
            instants.append(sim.time)
            yield ev.tick(period)

    sim.process(sampler())
    sim.run(until=float(40 * exact_period(period)))
    assert instants == [float(k * exact_period(period)) for k in range(40)]
    assert sim.monitor.steps == 40 * parts


class Clock(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


@pytest.mark.slow
@pytest.mark.row("R-181", "R-092")
def test_ten_million_steps_of_a_ten_millionth_end_at_one() -> None:
    # Naive sums of time miss by 1e-10 here. The run goes on to the middle of the step after, and lands nowhere.
    sim = ev.Simulation(dt_max=1e-7, rng=1, compile=True)
    sim.method = ev.methods.EULER
    clock = Clock(sim).start()
    sim.run(until=1.0 + 5e-8)
    assert sim.monitor.steps == 10_000_001
    flow = sim._continuum.integrator.memory.flow
    assert abs(flow.start[clock._flow.number] - 1.0) <= ulp(1.0)
    assert abs(clock.x - (1.0 + 5e-8)) <= ulp(1.0)
