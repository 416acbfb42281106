"""Recordings that the stepper takes down by itself: the rows are those of a recorder that is called each time."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.tape import MOST, instants
from eventide.discrete.periodic import Grid


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


class Ball(ev.Continuous):
    height: ev.State = ev.state(5.0)
    velocity: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -10.0

    @ev.when(lambda self: self.height <= 0.0)
    def bounce(self):
        self.height = 0.0
        self.velocity = -0.9 * self.velocity


class Rod(ev.Continuous):
    warmth: ev.VectorState = ev.vector(size=3)
    load: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.warmth = -self.warmth
        self.rate.load = 1.0


class Doubling(ev.Continuous):
    """Its law assigns a state, so that the interpolant does not say what it is."""

    clock: ev.State = ev.state(0.0)
    double: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.clock = 1.0
        self.double = 2.0 * self.clock


def rows(recording):
    block = recording._block()
    return [block.times.tobytes(), block.sides.tobytes(), *(column.tobytes() for column in block.data)]


def without_tape(recording):
    recording._tape = None
    return recording


@pytest.fixture(params=[False, True], ids=["plain", "native"])
def compiles(request):
    return request.param


@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize("every", [0.003, 0.1, 0.77, Fraction(1, 3)])
def test_rows_are_those_of_a_recorder_that_is_called(compiles, stepping, events, every):
    def run(*, tapes):
        sim = ev.Simulation(compile=compiles, stepping=stepping)
        ball, swing, rod = Ball(sim, name="ball").start(), Swing(sim, name="swing").start(), Rod(sim, name="rod")
        rod.warmth = [1.0, 2.0, 3.0]
        recordings = [
            sim.record(swing, ball, every=every, events=events),
            sim.record(rod, swing["speed"], every=0.25, events=events),
        ]
        counts = sim.record(n=lambda: len(recordings[0]), every=0.5)
        if not tapes:
            recordings = [without_tape(recording) for recording in recordings]

        def story():
            yield ev.hold(0.5)
            rod.start()
            yield ev.hold(0.6)
            swing.angle += 0.5
            rod.warmth = [4.0, 5.0, 6.0]
            yield ev.hold(0.9)
            swing.stop()
            late = sim.record(swing, rod, every=every, events=events)
            recordings.append(late if tapes else without_tape(late))
            yield ev.hold(0.5)
            recordings[0].stop()

        sim.process(story())
        sim.run(until=1.75)
        sim.run(until=4.0)
        motion = sim.monitor.system.motion
        return [rows(r) for r in [*recordings, counts]], [len(r) for r in recordings], sim.monitor.steps, motion

    taped, called = run(tapes=True), run(tapes=False)

    assert taped[1] == called[1]
    assert taped[:3] == called[:3]


def test_the_stepper_takes_down_whole_tapes_and_python_is_called_no_more(compiles):
    sim = ev.Simulation(compile=compiles)
    swing = Swing(sim, name="swing").start()
    trace = sim.record(swing, every=1e-3)
    looks = []
    trace._observe = lambda phase, observe=trace._observe: (looks.append(phase.value), observe(phase))

    sim.run(until=12.0)

    assert looks == ["after", "before"]
    assert trace.times.tolist() == [k / 1000 for k in range(12001)]
    assert len(trace) > 2 * MOST
    assert np.abs(trace["swing.angle"] - np.cos(trace.times)).max() < 1e-4


@pytest.mark.parametrize("subject", ["assigned", "expression", "streamed"])
def test_what_the_stepper_cannot_take_down_is_recorded_as_ever(compiles, subject):
    sim = ev.Simulation(compile=compiles)
    doubling = Doubling(sim, name="d").start()
    received = []
    if subject == "expression":
        trace = sim.record(x=lambda: doubling.double, every=0.25)
    else:
        trace = sim.record(x=doubling["double"], every=0.25)
    if subject == "streamed":
        with trace.drain(lambda frame: received.extend(frame["x"]), rows=2):
            sim.run(until=1.0)
    else:
        sim.run(until=1.0)
        received = trace["x"].tolist()

    assert received == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0], abs=1e-12)


def test_a_state_event_at_a_regular_instant_has_its_two_sides_and_no_third_row(compiles):
    def run(*, tapes):
        sim = ev.Simulation(compile=compiles, dt_max=0.25)
        sim.method = ev.EULER  # whose steps of 1/4 are exact here

        class Tank(ev.Continuous):
            level: ev.State = ev.state(0.0)

            def equations(self):
                self.rate.level = 1.0

            @ev.when(lambda self: self.sim.time >= 1.0 and self.level > 0.25)
            def empty(self):
                self.level = 0.0

        tank = Tank(sim, name="tank").start()
        trace = sim.record(tank, every=0.5)
        if not tapes:
            without_tape(trace)
        sim.run(until=1.25)
        levels = trace["tank.level"].round(9).tolist()
        return list(zip(trace.times.tolist(), trace.sides.tolist(), levels, strict=True))

    expected = [(0.0, 1, 0.0), (0.5, 0, 0.5), (1.0, -1, 1.0), (1.0, 1, 0.0), (1.25, -1, 0.25)]
    assert run(tapes=True) == expected
    assert run(tapes=False) == expected


def test_a_period_that_becomes_too_small_is_refused_when_it_does(compiles):
    sim = ev.Simulation(compile=compiles, dt_max=1000.0)
    rod = Rod(sim).start()
    sim.time = 2.0**53 - 100.0
    trace = sim.record(rod["load"], every=1.0)
    with pytest.raises(ev.SimulationError, match="cannot be seen at this time") as caught:
        sim.run(until=2.0**53 + 1000.0)
    assert caught.value.time == 2.0**53
    assert len(trace) == 100


@given(
    anchor=st.floats(0.0, 1e12),
    period=st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**7),
    index=st.integers(0, 10**9),
)
def test_instants_are_those_of_the_grid_each_rounded_once(anchor, period, index):
    grid = Grid(anchor, period)

    assert instants(grid, index, 5).tolist() == [grid.time(index + k) for k in range(5)]


def test_instants_of_short_fractions_are_exact_at_any_length():
    grid = Grid(0.0, Fraction(1, 1000))
    far = 2**53 - 3

    assert instants(grid, far, 6).tolist() == [grid.time(far + k) for k in range(6)]
    assert instants(grid, 0, 3).tolist() == [0.0, 0.001, 0.002]
