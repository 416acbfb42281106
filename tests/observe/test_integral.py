"""Integrals, averages and extremes of quantities: against closed forms, and the run is the same without them."""

import math
import warnings
from math import cos, exp, isnan, pi, sin

import numpy as np
import pytest

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0, unit="rad")
    speed: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


class Decay(ev.Continuous):
    amount: ev.State = ev.state(1.0)
    factor: float = 1.0
    loss: ev.Computed = ev.computed()

    def equations(self):
        self.loss = self.factor * self.amount
        self.rate.amount = -self.loss


class Ball(ev.Continuous):
    height: ev.State = ev.state(5.0)
    velocity: ev.State = ev.state(0.0)
    elasticity: float = 0.5
    bounces: int = 0

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -10.0

    @ev.when(lambda self: self.height < 0.0)
    def bounce(self):
        self.height = 0.0
        self.velocity = -self.elasticity * self.velocity
        self.bounces += 1


@pytest.fixture(params=[False, True], ids=["plain", "native"])
def compiles(request):
    return request.param


@pytest.fixture
def sim(compiles):
    return ev.Simulation(compile=compiles, rel_error=1e-9, abs_error=1e-12)


def at(sim, time, action):
    """Let an event take place at a time."""

    def story():
        yield ev.hold(time)
        action()

    sim.process(story())


# --- what comes out --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.row("R-245")
def test_the_squared_deviation_from_a_reference_is_never_negative_and_its_integral_is_the_cost(sim):
    decay, swing = Decay(sim).start(), Swing(sim).start()
    deviation = sim.integral(lambda: (decay.amount - 0.5) ** 2 + (swing.angle - 0.25) ** 2)

    sim.run(until=7.0)

    t = 7.0
    of_decay = (1 - exp(-2 * t)) / 2 - (1 - exp(-t)) + 0.25 * t
    of_swing = t / 2 + sin(2 * t) / 4 - 0.5 * sin(t) + 0.0625 * t
    assert abs(deviation.value - (of_decay + of_swing)) < 1e-7
    assert abs(deviation.average - deviation.value / t) < 1e-15
    assert 0.0 <= deviation.minimum < deviation.maximum
    assert deviation.error < 1e-7


def test_extremes_lie_between_steps_at_their_times(sim):
    swing = Swing(sim).start()
    angle, both = sim.integral(swing["angle"]), sim.integral(lambda: swing.angle + swing.speed)

    sim.run(until=5.0)

    assert angle.unit == "rad"
    assert abs(angle.value - sin(5.0)) < 1e-8
    assert abs(angle.minimum + 1.0) < 1e-8
    assert abs(angle.time_of_minimum - pi) < 1e-6
    assert (angle.maximum, angle.time_of_maximum) == (1.0, 0.0)
    assert abs(both.minimum + 2**0.5) < 1e-8
    assert abs(both.time_of_minimum - 0.75 * pi) < 1e-6
    assert abs(both.maximum - (cos(5.0) - sin(5.0))) < 1e-8
    assert both.time_of_maximum == 5.0


def test_computed_values_and_rates_are_those_of_the_time(sim):
    decay = Decay(sim, factor=2.0).start()
    loss, rate = sim.integral(lambda: decay.loss), sim.integral(lambda: decay.rate.amount)

    sim.run(until=3.0)

    assert abs(loss.value - (1.0 - exp(-6.0))) < 1e-8
    assert abs(rate.value + loss.value) < 1e-12


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_an_interval_ends_where_a_state_event_cuts_a_step(compiles, stepping):
    sim = ev.Simulation(compile=compiles, rel_error=1e-9, abs_error=1e-12, stepping=stepping)
    ball = Ball(sim).start()
    swing = Swing(sim).start()  # another flow, with steps of its own
    height, mixed = sim.integral(lambda: ball.height), sim.integral(lambda: ball.velocity * swing.angle)
    speed = sim.integral(lambda: ball.velocity)

    sim.run(until=2.25)

    # It falls for 1, flies for 1 with velocities from 5 to -5, then rises for a quarter from 2.5 to 0.
    assert ball.bounces == 2
    assert abs(height.value - (5.0 - 5.0 / 3.0 + 5.0 / 6.0 + 2.5 / 32.0 - 5.0 / 3.0 / 64.0)) < 1e-8
    first = -10.0 * (sin(1.0) + cos(1.0) - 1.0)

    def flight(start, end, velocity):
        def antiderivative(t):
            return (velocity + 10.0 * start) * sin(t) - 10.0 * (t * sin(t) + cos(t))

        return antiderivative(end) - antiderivative(start)

    assert abs(mixed.value - (first + flight(1.0, 2.0, 5.0) + flight(2.0, 2.25, 2.5))) < 1e-7
    assert (speed.minimum, speed.maximum) == pytest.approx((-10.0, 5.0), abs=1e-8)
    assert (speed.time_of_minimum, speed.time_of_maximum) == pytest.approx((1.0, 1.0), abs=1e-8)


def test_discrete_quantities_are_constant_between_events(sim):
    swing, level = Swing(sim).start(), sim.level(initial=2.0)
    of_level, of_both = sim.integral(level), sim.integral(lambda: level.value * swing.angle)
    at(sim, 0.3, lambda: level.set(7.0))
    at(sim, 0.7, lambda: level.set(-1.0))
    at(sim, 0.7, lambda: level.set(3.0))

    sim.run(until=2.0)

    assert abs(of_level.value - level.integral) < 1e-14
    assert (of_level.minimum, of_level.time_of_minimum) == (-1.0, 0.7)
    assert (of_level.maximum, of_level.time_of_maximum) == (7.0, 0.3)
    expected = 2.0 * sin(0.3) + 7.0 * (sin(0.7) - sin(0.3)) + 3.0 * (sin(2.0) - sin(0.7))
    assert abs(of_both.value - expected) < 1e-8


def test_a_purely_discrete_model_has_integrals(sim):
    level = sim.level()
    integral = sim.integral(level)
    at(sim, 1.0, lambda: level.set(4.0))
    sim.run(until=3.0)

    assert (integral.value, integral.average, integral.elapsed, level.integral) == (8.0, 8.0 / 3.0, 3.0, 8.0)


def test_kinks_and_jumps_between_events_are_looked_for_to_tolerance(sim):
    swing = Swing(sim).start()
    rectified, sign = sim.integral(lambda: abs(swing.angle)), sim.integral(lambda: 1.0 if swing.angle > 0.0 else -1.0)

    sim.run(until=2.0)

    assert abs(rectified.value - (2.0 - sin(2.0))) < 1e-8
    assert rectified.minimum < 1e-9
    assert abs(rectified.time_of_minimum - pi / 2) < 1e-8
    assert abs(sign.value - (pi - 2.0)) < 1e-9
    assert sign.error < 1e-9


# --- the run is the same ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("method", [None, ev.methods.DORMAND_PRINCE, ev.methods.RK4], ids=["default", "pair", "fixed"])
def test_the_run_is_the_same_with_and_without_integrals(compiles, stepping, method):
    def run(*, integrates):
        sim = ev.Simulation(compile=compiles, stepping=stepping, rng=1, dt_max=0.1 if method else 1.0)
        if method:
            sim.method = method
        ball, swing, decay = Ball(sim, elasticity=0.9).start(), Swing(sim, name="swing").start(), Decay(sim).start()
        events, dts = [], []
        sim.trace = events.append
        if integrates:
            integrals = [
                sim.integral(lambda: ball.height * decay.loss),
                sim.integral(lambda: abs(swing.angle) + swing.rate.speed),
            ]
        steps = sim.record(swing, ball, dt=lambda: sim.dt, every="step")

        def story():
            for _ in range(6):
                yield ev.hold(0.37)
                decay.amount += 0.25
                dts.append((sim.dt, sim.last_time))

        sim.process(story())
        sim.run(until=3.0)
        if integrates:
            assert all(i.elapsed == 3.0 and i.value for i in integrals)
        counts = sim.monitor.steps, sim.monitor.refused, sim.monitor.system.evaluations, sim.events
        states = ball.height, ball.velocity, swing.angle, swing.speed, decay.amount
        return counts, states, events, dts, steps.to_pandas(sides=True).reset_index().to_numpy().tolist()

    plain = run(integrates=False)
    assert plain[0][3] == len(plain[2]) >= 8
    assert run(integrates=True) == plain


def test_reading_it_between_events_gives_the_integral_up_to_then_and_changes_none_of_its_bits(sim):
    def run(*, reads):
        sim = ev.Simulation()
        ball, swing = Ball(sim, elasticity=0.9).start(), Swing(sim).start()
        integral = sim.integral(lambda: swing.angle + 0.0 * ball.height)
        if reads:
            trace = sim.record(value=lambda: integral.value, least=lambda: integral.minimum, every=0.01, events=False)
        sim.run(until=4.0)
        end = integral.value, integral.minimum, integral.time_of_minimum, integral.error
        return (end, trace) if reads else end

    end, trace = run(reads=True)

    assert end == run(reads=False)
    assert len(trace) == 401
    assert max(abs(v - sin(t)) for t, v in zip(trace.times, trace["value"], strict=True)) < 1e-5
    least = [cos(t) if t < pi else -1.0 for t in trace.times]
    assert max(abs(v - m) for v, m in zip(trace["least"], least, strict=True)) < 1e-5


# --- beginning and ending --------------------------------------------------------------------------------------------


def test_it_begins_anew_with_the_statistics_and_where_it_was_made(sim):
    swing = Swing(sim).start()
    whole = sim.integral(lambda: swing.speed)
    late = []
    assert (whole.value, whole.elapsed) == (0.0, 0.0)
    assert all(map(isnan, (whole.average, whole.minimum, whole.maximum, whole.time_of_minimum)))

    at(sim, 2.0, sim.reset_statistics)
    at(sim, 3.0, lambda: late.append(sim.integral(lambda: swing.angle)))
    sim.run(until=2.5)
    assert abs(whole.value - (cos(2.5) - cos(2.0))) < 1e-8
    sim.run(until=6.0)

    assert abs(whole.value - (cos(6.0) - cos(2.0))) < 1e-8
    assert abs(whole.average - whole.value / 4.0) < 1e-15
    assert abs(whole.minimum + sin(2.0)) < 1e-8
    assert whole.time_of_minimum == 2.0
    assert abs(whole.time_of_maximum - 1.5 * pi) < 1e-6
    assert abs(late[0].value - (sin(6.0) - sin(3.0))) < 1e-8
    assert late[0].elapsed == 3.0


def test_a_reset_between_two_runs_begins_at_the_present_time(sim):
    swing = Swing(sim).start()
    integral = sim.integral(swing["angle"])
    sim.run(until=1.0)
    sim.reset_statistics()
    assert (integral.value, integral.elapsed) == (0.0, 0.0)
    sim.run(until=2.0)
    assert abs(integral.value - (sin(2.0) - sin(1.0))) < 1e-8


def test_a_stopped_one_keeps_what_it_knows(sim):
    swing = Swing(sim).start()
    integral = sim.integral(swing["angle"])
    at(sim, 1.0, integral.stop)
    sim.run(until=2.0)

    assert abs(integral.value - sin(1.0)) < 1e-8
    assert integral.elapsed == 1.0


def test_a_reporter_may_reset_or_stop_one_between_events(sim):
    swing = Swing(sim).start()
    reset, stopped = sim.integral(swing["angle"]), sim.integral(swing["angle"])

    class Operator(ev.Reporter):
        def report(self):
            if sim.time == 1.5:
                reset.reset()
                stopped.stop()

    Operator(sim, every=0.5).start()
    sim.run(until=4.0)

    assert abs(reset.value - (sin(4.0) - sin(1.5))) < 1e-8
    assert (reset.elapsed, stopped.elapsed) == (2.5, 1.5)
    assert abs(reset.maximum - cos(1.5)) < 1e-8
    assert abs(stopped.value - sin(1.5)) < 1e-8


def test_what_a_model_changes_when_a_step_fails_counts_from_then_on():
    class Yielding(ev.Simulation):
        def integration_error(self, variable):
            failed.append(self.time)
            decay.factor = 2.0
            self.set_tolerances(rel_error=1.0)
            return True

    failed = []
    sim = Yielding(rel_error=1e-12, abs_error=0.0, dt_min=0.25, dt_max=0.25)
    decay = Decay(sim, factor=1.0).start()
    factor = sim.integral(lambda: decay.factor)
    sim.run(until=1.0)

    assert failed == [0.0]
    assert (factor.value, factor.minimum, factor.maximum) == (pytest.approx(2.0, abs=1e-15), 1.0, 2.0)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_laws_and_conditions_cannot_read_it():
    sim = ev.Simulation()
    swing = Swing(sim).start()
    integral = sim.integral(swing["angle"], name="work")
    with pytest.raises(ev.ModelError, match="a law or condition reads work"):
        sim.run(until=lambda: integral.value > 0.5)

    class Meter(ev.Continuous):
        total: ev.State = ev.state(0.0)

        def equations(self):
            self.rate.total = second.value

    sim = ev.Simulation()
    swing = Swing(sim).start()
    second = sim.integral(swing["angle"])
    Meter(sim, name="meter").start()
    with pytest.raises(ev.ModelError, match="a law or condition reads integral 1") as caught:
        sim.run(until=1.0)
    assert "in the equations of meter" in "".join(caught.value.__notes__)


def test_what_is_no_finite_number_is_refused(sim):
    swing = Swing(sim).start()
    with pytest.raises(ev.ModelError, match=r"sim\.integral takes a function without arguments, .* and got 3\.0"):
        sim.integral(3.0)
    with pytest.raises(ev.ModelError, match="an integral is of one number, and swing would be of 2"):
        sim.integral(swing, name="swing")

    sim.integral(lambda: 1.0 / (1.0 if sim.time < 0.5 else 0.0), name="pole")
    with pytest.raises(ZeroDivisionError) as caught:
        sim.run(until=1.0)
    assert caught.value.__notes__[0] == "raised by the integrated expression pole"


def test_an_integral_of_what_is_not_finite_is_refused(sim):
    Swing(sim).start()
    sim.integral(lambda: float("inf") if sim.time > 0.25 else 0.0, name="load")
    with pytest.raises(ev.ModelError, match="load is an integral of finite numbers, and its quantity was inf at time"):
        sim.run(until=1.0)


def test_none_is_made_between_events(sim):
    swing = Swing(sim).start()
    sim.record(x=lambda: sim.integral(swing["angle"]).value, every=0.5)
    with pytest.raises(ev.ModelError, match="was called between events"):
        sim.run(until=1.0)


@pytest.mark.parametrize("compiles", [False, True], ids=["plain", "native"])
def test_an_integral_is_recorded_among_other_things(compiles):
    class Cooling(ev.Continuous):
        warmth: ev.State = ev.state(8.0, unit="K")

        def equations(self):
            self.rate.warmth = -self.warmth

        @ev.every(0.7)
        def heat(self):
            self.warmth += 1.0

    def run(*, records):
        sim = ev.Simulation(compile=compiles, rel_error=1e-9, time_unit="h")
        cooling = Cooling(sim, name="cooling").start()
        total = sim.integral(lambda: cooling.warmth, name="heat", unit="K")
        traces = []
        if records:
            traces = [sim.record(cooling, total, every=0.25), sim.record(work=total, every="event")]
        sim.run(until=2.0)
        return sim, cooling, total, traces

    sim, cooling, total, (trace, named) = run(records=True)
    other = run(records=False)
    assert (cooling.warmth, sim.report()) == (other[1].warmth, other[0].report())
    assert [(column.name, column.unit) for column in trace.columns] == [("cooling.warmth", "K"), ("heat", "K h")]
    assert [column.name for column in named.columns] == ["work"]
    # What came in is in it still or has flowed through: the integral of x is what x has lost.
    gained = 8.0 + 1.0 + np.floor((trace.times + (trace.sides > 0) * 1e-9 - 1e-12) / 0.7)
    assert len(trace) > 9
    assert np.abs(trace["heat"] - (gained - trace["cooling.warmth"]))[1:].max() < 1e-7
    assert trace["heat"][-1] == total.value
    assert named["work"][-1] == total.value


def test_a_quantity_that_is_not_finite_inside_a_step_is_refused():
    class Wave(ev.Continuous):
        locate_branches = False
        angle: ev.State = ev.state(0.0)
        load: ev.Computed = ev.computed()

        def equations(self):
            self.rate.angle = 1.0
            self.load = math.nan if 0.2 < self.angle < 2.8 else 1.0

    sim = ev.Simulation(dt_min=3.0, dt_max=3.0)
    wave = Wave(sim, name="wave").start()
    sim.integral(wave["load"], name="sum")
    with pytest.raises(ev.ModelError, match=r"sum is an integral of finite numbers, and its quantity was nan"):
        sim.run(until=3.0)


@pytest.mark.slow
@pytest.mark.parametrize("compiles", [False, True], ids=["plain", "native"])
def test_points_read_by_the_stepper_are_those_that_python_reads(compiles):
    class Pair(ev.Continuous):
        x: ev.State = ev.state(1.0)
        y: ev.State = ev.state(0.0)
        power: ev.Computed = ev.computed()

        def equations(self):
            self.power = self.x * self.y
            self.rate.x = self.y
            self.rate.y = -self.x

        @ev.every(1.3)
        def push(self):
            self.y += 0.25

    def run(*, natively):
        sim = ev.Simulation(compile=compiles)
        pair, other = Pair(sim, name="pair").start(), Pair(sim, name="other", x=0.3).start()
        scale = 3.0
        integrals = [
            sim.integral(pair["x"]),
            sim.integral(pair["power"]),
            sim.integral(lambda: scale * pair.x**1.5 if pair.x > 0.0 else other.y * math.sin(sim.time)),
        ]
        reads = []
        for integral in integrals:
            if natively:
                read = integral._probe.at
                integral._probe.at = lambda times, read=read: reads.append(read(times)) or reads[-1]
            else:
                integral._probe = None
        sim.run(until=9.0)
        integrals[0].stop()
        known = [(i.value, i.error, i.minimum, i.maximum, i.time_of_minimum, i.time_of_maximum) for i in integrals]
        return known, pair.x, sim.report(), reads

    (*one, reads), (*other, _) = run(natively=True), run(natively=False)
    assert one == other
    assert any(found is not None for found in reads)
    assert all(found is not None for found in reads) == compiles


class Driven(ev.Continuous):
    amount: ev.State = ev.state(1.0)
    level: ev.State = ev.state(0.0)
    drive: object = ev.inputs.LinearTable((0.0, 1.0, 2.0), (0.0, 1.0, 0.0))

    def equations(self):
        self.rate.amount = -self.amount
        self.rate.level = self.drive(self.sim.time) - self.level


def hold_until(sim, time):
    at(sim, time, lambda: None)


def report_at(sim, time):
    type("Looks", (ev.Reporter,), {"report": lambda self: None})(sim, every=time).start()


def run_to(sim, time):
    sim.run(until=time)


@pytest.mark.parametrize("end", [hold_until, report_at, run_to])
@pytest.mark.parametrize("method", ["england", "dop853", "radau"])
def test_what_lies_before_a_bend_of_an_input_is_seen_though_an_event_comes_there(sim, method, end):
    sim.method = method
    driven = Driven(sim).start()
    integral = sim.integral(lambda: driven.amount)
    end(sim, 1.0)
    sim.run(until=1.5)
    assert integral.value == pytest.approx(1.0 - exp(-1.5), abs=1e-9)


class Counted(ev.Continuous):
    """Its whole numbers are too large for native code, so that its law is Python's."""

    x: ev.State = ev.state(0.0)
    n: int = 3
    share: ev.Computed = ev.computed()

    def equations(self):
        self.share = self.n**70 % 11
        self.rate.x = 1.0


def test_the_clock_is_that_of_the_run_after_an_integral_for_which_python_has_run_laws():
    clocks = []
    for compiles in (False, "auto"):
        sim, clock = ev.Simulation(compile=compiles), []
        one, other = Counted(sim).start(), Counted(sim, n=2).start()
        integrals = [sim.integral(lambda: one.share), sim.integral(lambda: one.x**2), sim.integral(lambda: other.x)]  # noqa: B023  # of this run

        class Looks(ev.Reporter):
            def report(self):
                self.clock.append((self.sim.time, self.sim.dt, self.sim.last_time))

        looks = Looks(sim, every="step")
        looks.clock = clock
        looks.start()
        sim.run(until=3.0)
        assert [one.value for one in integrals] == pytest.approx([3.0 * (3**70 % 11), 9.0, 4.5], rel=1e-12)
        clocks.append(clock)
    assert clocks[0] == clocks[1]


SPIKES = ev.inputs.Pulse(1.0, width=0.01, start=0.3, high=100.0)
PRICES = ev.inputs.HeldTable([0.0, 3.33, 3.34, 7.0], [1.0, 500.0, 1.0, 2.0])


class Held:
    """What a quantity reads that cannot be compiled."""

    def __init__(self, signal):
        self.signals = [signal]

    def sum_at(self, time):
        return sum(signal(time) for signal in self.signals)


def test_an_input_that_no_law_calls_is_integrated_between_its_jumps(sim):
    decay, held = Decay(sim).start(), Held(SPIKES)
    spikes, prices = sim.integral(lambda: SPIKES(sim.time)), sim.integral(lambda: PRICES(sim.time) * decay.amount)
    python = sim.integral(lambda: held.sum_at(sim.time))
    reads = []
    at(sim, 0.3, lambda: reads.append(spikes.value))
    at(sim, 5.3, lambda: held.signals.append(ev.inputs.Pulse(9.0, width=0.005, start=7.77, high=1000.0)))
    sim.run(until=0.305)
    reads += [spikes.value, spikes.maximum, spikes.time_of_maximum, prices.maximum]
    sim.run(until=10.0)
    assert reads == pytest.approx([0.0, 0.5, 100.0, 0.3, 1.0], abs=1e-12)
    paid = (
        1.0 - exp(-3.33) + 500.0 * (exp(-3.33) - exp(-3.34)) + exp(-3.34) - exp(-7.0) + 2.0 * (exp(-7.0) - exp(-10.0))
    )
    assert [spikes.value, prices.value] == pytest.approx([10.0, paid], abs=1e-8)
    assert python.value == pytest.approx(10.0 + 5.0, abs=1e-8)
    assert [spikes.error, prices.maximum, prices.time_of_maximum] == pytest.approx([0.0, 500.0 * exp(-3.33), 3.33])


@pytest.mark.parametrize(
    ("quantity", "told"),
    [
        (lambda env: SPIKES(env.time), False),
        (lambda env: SPIKES(env.time - 0.5), True),
        (lambda env: 1.0 if 3.0 < env.time < 3.01 else 0.0, True),
        (lambda env: env.time % 24.0, True),
        (lambda env: math.floor(env.time), True),
        (lambda env: 1.0 if env.time > 3.0 else math.sin(env.time), False),
    ],
    ids=["input", "shifted", "window", "remainder", "floor", "smooth"],
)
def test_a_quantity_that_jumps_by_the_time_is_told(quantity, told):
    def made(**given):
        env = ev.Simulation(**given)
        Decay(env).start()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            env.integral(lambda: quantity(env))
        return [str(note.message).partition(" in the quantity of ")[0] for note in caught]

    assert (made(), made(dt_max=0.01)) == (["`quantity(env)`"] if told else [], [])
