"""Recordings that the stepper takes down by itself: the rows are those of a recorder that is called each time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.declare.periods import Grid
from eventide.monitor.tape import MOST, instants


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
    warmth: ev.StateVector = ev.state_vector(size=3)
    load: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.warmth = -self.warmth
        self.rate.load = 1.0


class Doubling(ev.Continuous):
    """Its law assigns a state, so that the interpolant does not say what it is."""

    clock: ev.State = ev.state(0.0)
    double: ev.State = ev.state(0.0, assigned=True)

    def equations(self):
        self.rate.clock = 1.0
        self.double = 2.0 * self.clock


class Plant(ev.Continuous):
    """What laws compute, from its own states and those of another."""

    level: ev.State = ev.state(1.0)
    share: ev.Computed = ev.computed()
    spread: ev.ComputedVector = ev.computed_vector(size=2)
    inflow: ev.Summed = ev.summed()
    gain: float = 0.5
    other: Ball | None = None

    def contributions(self):
        self.inflow += self.gain * self.level

    def equations(self):
        self.share = self.level / (1.0 + self.other.height**2)
        self.spread[:] = self.level
        self.spread[1] = self.inflow
        self.rate.level = self.inflow - self.share


SCALE = 3.0


def rows(recording):
    block = recording._block()
    return [block.times.tobytes(), block.sides.tobytes(), *(column.tobytes() for column in block.data)]


def without_tape(recording):
    recording._tape = None
    return recording


@pytest.fixture(params=[False, True], ids=["plain", "native"])
def compiles(request):
    return request.param


@pytest.mark.slow
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
        motion = sim.monitor.system.integrator
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


def calls_of(recording):
    """A list that grows as a recording looks for itself."""
    looks = []
    recording._observe = lambda phase, observe=recording._observe: (looks.append(phase.value), observe(phase))
    return looks


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_what_laws_compute_and_functions_answer_is_what_a_recorder_sees_that_is_called(compiles, stepping):
    def run(*, tapes):
        sim = ev.Simulation(compile=compiles, stepping=stepping)
        ball, swing = Ball(sim, name="ball").start(), Swing(sim, name="swing").start()
        spare = Ball(sim, name="spare", height=3.0).start()
        plant = Plant(sim, name="plant", other=ball).start()
        line = ev.Resource(sim, 1, name="line")
        factor = 2.0

        def answer():
            return factor * swing.angle if swing.angle > 0.0 else -(ball.height**1.5) * math.sin(sim.time)

        recordings = [
            sim.record(plant, every=0.01),
            sim.record(swing, rate=lambda: plant.rate.level + ball.rate.height, every=0.07),
            sim.record(
                {"answer": answer, "is high": lambda: swing.angle > 0.5}, line, gain=lambda: plant.gain, every=0.1
            ),
            sim.record(scaled=lambda: SCALE * plant.other.height, count=lambda: 3, every=0.05, events=False),
            sim.record(dt=lambda: sim.dt, every=0.037),  # is called, and seldom where the others are due
        ]
        if not tapes:
            recordings = [without_tape(recording) for recording in recordings]

        def story():
            nonlocal factor
            yield ev.hold(0.31)
            plant.gain = 1.0
            yield line.request()
            yield ev.hold(0.4)
            plant.other = spare
            factor = 5.0
            yield ev.hold(0.4)
            swing.stop()

        sim.process(story())
        sim.run(until=1.7)
        sim.run(until=2.5)
        return [rows(r) for r in recordings], [len(r) for r in recordings], sim.report(), ball.height, plant.level

    taped, called = run(tapes=True), run(tapes=False)
    assert taped[1] == called[1]
    assert taped == called


@pytest.mark.parametrize("subject", ["computed", "sum", "vector", "function", "level", "streamed"])
def test_the_stepper_takes_down_what_laws_compute_and_functions_answer(subject):
    sim = ev.Simulation()
    ball = Ball(sim, name="ball").start()
    plant = Plant(sim, name="plant", other=ball).start()
    ball.stop()
    line = ev.Queue(sim, name="line")
    subjects = {
        "computed": [plant["share"]],
        "sum": [plant["inflow"]],
        "vector": [plant["spread"]],
        "level": [line, plant["level"]],
    }
    expressions = {"function": {"x": lambda: plant.level + plant.rate.level}}
    trace = sim.record(*subjects.get(subject, [plant]), **expressions.get(subject, {}), every=1e-4)
    looks, received = calls_of(trace), []
    if subject == "streamed":
        with trace.drain(lambda frame: received.append(len(frame)), rows=1000):
            sim.run(until=1.0)
        assert sum(received) == 10_001
        assert max(received) < 1000 + 2 * MOST
        assert len(looks) <= 3 + len(received)
    else:
        sim.run(until=1.0)
        assert len(trace) == 10_001
        assert looks == ["after", "before"]


def test_a_value_that_changes_from_outside_between_runs_is_seen(monkeypatch):
    sim = ev.Simulation()
    swing = Swing(sim, name="swing").start()
    trace = sim.record(x=lambda: SCALE + 0.0 * swing.angle, every=0.25)
    sim.run(until=1.0)
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    sim.run(until=2.0)
    assert trace["x"].tolist() == [3.0] * 5 + [4.0] * 5


@pytest.mark.parametrize("wrong", ["division", "root", "none", "unknown"])
def test_an_error_of_a_function_goes_up_at_its_instant(compiles, wrong):
    sim = ev.Simulation(compile=compiles)
    swing = Swing(sim, name="swing").start()
    functions = {
        "division": lambda: 1.0 / (0.0 if sim.time > 0.65 else swing.angle),
        "root": lambda: math.sqrt(0.65 - sim.time),
        "none": lambda: swing.angle if sim.time < 0.65 else None,
        "unknown": lambda: swing.angle if sim.time < 0.65 else swing.nothing,
    }
    trace = sim.record(x=functions[wrong], every=0.1)
    kinds = {"division": ZeroDivisionError, "root": ValueError, "none": ev.ModelError, "unknown": AttributeError}
    with pytest.raises(kinds[wrong]):
        sim.run(until=2.0)
    assert sim.time == 0.7
    assert trace.times.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def test_what_only_looks_like_an_error_does_not_stop_a_recording():
    sim = ev.Simulation()
    swing = Swing(sim, name="swing").start()

    def careful():
        try:
            return 1.0 / (0.0 if sim.time == 0.5 else 1.0 + swing.angle)
        except ZeroDivisionError:
            return -1.0

    trace = sim.record(x=careful, every=0.25)
    sim.run(until=1.0)
    assert trace["x"][2] == -1.0
    assert len(trace) == 5


def test_laws_that_are_called_back_in_python_are_recorded_as_ever():
    class Odd(ev.Continuous):
        x: ev.State = ev.state(1.0)
        y: ev.Computed = ev.computed()

        def equations(self):
            self.y = float(str(self.x))
            self.rate.x = -self.x

    sim = ev.Simulation()
    odd = Odd(sim, name="odd").start()
    trace = sim.record(odd, every=0.1)
    looks = calls_of(trace)
    sim.run(until=1.0)
    assert looks.count("grid") == 9
    assert np.abs(trace["odd.y"] - np.exp(-trace.times)).max() < 1e-6


@pytest.mark.parametrize("subject", ["assigned", "expression", "streamed"])
def test_states_that_laws_assign_are_recorded(compiles, subject):
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
        sim.method = ev.methods.EULER  # whose steps of 1/4 are exact here

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
    sim._rested = sim.time, 0.0
    trace = sim.record(rod["load"], every=1.0)
    with pytest.raises(ev.SimulationError, match="cannot be seen at this time") as caught:
        sim.run(until=2.0**53 + 1000.0)
    assert caught.value.time == 2.0**53
    assert len(trace) == 100


@pytest.mark.slow
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


@pytest.mark.parametrize("period", [0.07, 0.0703])
def test_the_clock_stands_where_a_full_tape_was_fetched_not_where_a_law_last_looked(period):
    class Still(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self):
            pass

    def story(still):
        for _ in range(3):
            for duration in (0.191, 0.381, 0.524, 1.132):
                yield ev.hold(duration)
            still.x += 1.0

    tables = []
    for native in ("auto", False):
        sim = ev.Simulation(compile=native)
        still = Still(sim).start()
        sim.process(story(still))
        recording = sim.record(still, every=period)
        sim.run(until=6.0)
        tables.append(recording.to_pandas())
    regular = int(6.0 / period) + 1
    assert len(tables[0]) >= regular
    assert tables[0].equals(tables[1])


class Dated(ev.Continuous):
    """Its law looks at the step."""

    x: ev.State = ev.state(0.0)
    dt: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.x = 1.0 - self.x
        self.dt = self.sim.dt


@pytest.mark.parametrize("dt_max", [0.05, 0.1, 0.2])
def test_a_row_where_a_step_ends_is_of_that_step(dt_max: float) -> None:
    def rows(*, compiled: bool) -> list[list[float]]:
        sim = ev.Simulation(compile=compiled, dt_max=dt_max)
        sim.method = ev.methods.DOP853
        dated = Dated(sim).start()
        recording = sim.record(dated, every=0.1)
        sim.run(until=1.65)
        found: list[list[float]] = recording.to_pandas().to_numpy().tolist()
        return found

    found = rows(compiled=True)
    assert found == rows(compiled=False)
    assert [dt for _, dt in found[1:17]] == pytest.approx([min(dt_max, 0.1 + 0.1 * (k % 2)) for k in range(16)])


class Counter(ev.Continuous):
    """Its law assigns a state by what that was at the beginning of the step."""

    total: ev.State = ev.state(0.0, assigned=True)

    def equations(self) -> None:
        self.total = self.last.total + self.sim.dt


class Change(ev.Continuous):
    """What its law computes looks back to the beginning of the step."""

    level: ev.State = ev.state(0.0)
    slope: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.level = 1.0
        self.slope = self.level - self.last.level


class Span(ev.Continuous):
    """What its law computes looks back to when the step began."""

    level: ev.State = ev.state(0.0)
    span: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.level = 1.0
        self.span = self.sim.time - self.sim.last_time


@pytest.mark.parametrize("every", [0.5, 0.25, 1.0, 0.0625])
@pytest.mark.parametrize(
    ("kind", "column"), [(Counter, "total"), (Change, "slope"), (Span, "span")], ids=["total", "change", "span"]
)
def test_what_looks_back_over_a_step_is_recorded_at_its_end_as_it_was_there(
    every: float, kind: type[ev.Continuous], column: str
) -> None:
    sim = ev.Simulation(dt_max=0.5)
    recording = sim.record(kind(sim, name="one").start(), every=every)
    sim.run(until=8.0)
    since = [(k * every - 1e-9) % 0.5 + 1e-9 if k else 0.0 for k in range(int(8.0 / every) + 1)]  # the step began
    wanted = [k * every for k in range(len(since))] if kind is Counter else since
    assert recording[f"one.{column}"].tolist() == pytest.approx(wanted, abs=1e-12)
