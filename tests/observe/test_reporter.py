"""Reporters: when they run, how they are started, stopped and set to another period, and what they see."""

from fractions import Fraction
from math import cos, sin

import pytest

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)
    energy: ev.Computed = ev.computed()

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle
        self.energy = self.angle**2 + self.speed**2


class Eye(ev.Reporter):
    """Notes when it is called."""

    seen: list = ev.field(default_factory=list)
    made: int = 0

    def prelude(self):
        self.made += 1

    def report(self):
        self.seen.append(self.sim.time)


@pytest.fixture
def sim():
    # The manual's monitor: each event ends a step of all.
    return ev.Simulation(dt_max=1.0, stepping="together")


def at(sim, *times, act=lambda: None):
    """Let an event take place at each of some times."""

    def story():
        for time in times:
            yield ev.hold(time - sim.time)
            act()

    sim.process(story())


def kinds(sim):
    """The lists of the monitor: periodic, of each step, of events."""
    observers = sim.monitor.observers
    return [[o.name for o in kind] for kind in (observers.periodic, observers.at_steps, observers.at_events)]


@pytest.mark.row("R-100", "R-103", "R-111")
def test_a_period_counts_from_the_start_and_events_leave_it_where_it_is(sim):
    at(sim, 0.25, 0.75, 1.0)
    eye = Eye(sim, every=0.5)
    at(sim, 0.1, act=eye.start)

    sim.run(until=1.5)

    # After its start at 0.1, on both sides of each event, at 0.1 + 0.5 k, just before the end.
    assert [round(time, 9) for time in eye.seen] == [0.1, 0.25, 0.25, 0.6, 0.75, 0.75, 1.0, 1.0, 1.1, 1.5]


@pytest.mark.row("R-111")
def test_a_grid_point_on_an_event_causes_no_extra_report(sim):
    at(sim, 1.0)
    eye = Eye(sim, every=0.5).start()

    sim.run(until=1.25)

    assert eye.seen == [0.0, 0.0, 0.5, 1.0, 1.0, 1.25]


@pytest.mark.row("R-101", "R-104")
def test_a_reporter_without_a_period_runs_at_the_end_of_each_step(sim):
    at(sim, 0.75)
    Swing(sim).start()
    eye, steps = Eye(sim).start(), []
    sim.dt_max = 0.5

    class Steps(ev.Reporter):
        def report(self):
            if self.sim.dt > 0.0:
                steps.append(self.sim.last_time + self.sim.dt)

    Steps(sim, every="step").start()
    sim.run(until=2.0)

    assert eye.every == eye.frequency == "step"
    assert sorted(set(eye.seen)) == sorted({0.0, *steps})
    assert 0.75 in eye.seen
    assert len(steps) >= 5


@pytest.mark.row("R-102", "R-103")
def test_a_reporter_of_events_runs_twice_at_each_and_never_else(sim):
    Swing(sim).start()
    at(sim, 0.75, 2.0)
    eye = Eye(sim, every="event").start()

    sim.run(until=3.0)

    # The process of the events begins at 0; the run begins there too.
    assert eye.seen == [0.0, 0.0, 0.75, 0.75, 2.0, 2.0, 3.0]


@pytest.mark.row("R-105", "R-106", "R-118")
def test_start_enters_it_in_the_list_of_its_kind_and_stop_takes_it_out(sim):
    eyes = [Eye(sim, every=every, name=str(every)) for every in (0.5, "step", "event")]
    assert [eye.active for eye in eyes] == 3 * [False]

    for eye in eyes:
        assert eye.start() is eye
    assert (kinds(sim), [eye.active for eye in eyes]) == ([["0.5"], ["step"], ["event"]], 3 * [True])
    for eye in eyes:
        eye.start()
    assert kinds(sim) == [["0.5"], ["step"], ["event"]]

    for eye in eyes:
        eye.stop()
        eye.stop()
    assert (kinds(sim), [eye.active for eye in eyes]) == ([[], [], []], 3 * [False])
    sim.run(until=1.0)
    assert [eye.seen for eye in eyes] == [[], [], []]


@pytest.mark.row("R-105", "R-110")
def test_a_start_begins_the_grid_and_one_of_an_active_reporter_does_not(sim):
    eye = Eye(sim, every=1.0)
    at(sim, 0.25, act=eye.start)
    at(sim, 0.75, act=eye.start)

    sim.run(until=0.5)
    assert (eye.frequency, eye.report_time) == (1.0, 1.25)
    sim.run(until=2.0)
    assert eye.report_time == 2.25


@pytest.mark.row("R-107", "R-109")
@pytest.mark.parametrize(
    ("number", "call"),
    [
        (14, lambda eye: eye.set_frequency(2.0)),
        (15, lambda eye: eye.start()),
        (16, lambda eye: eye.stop()),
    ],
)
def test_changes_between_events_are_errors_that_name_the_reporter(sim, number, call):
    eye = Eye(sim, every=1.0, name="eye").start()

    class Meddler(ev.Reporter):
        def report(self):
            call(eye)

    Meddler(sim).start()
    with pytest.raises(ev.SimulationError, match="eye") as caught:
        sim.run(until=1.0)

    assert (caught.value.number, caught.value.reporter) == (number, eye)


@pytest.mark.row("R-108", "R-109", "R-110")
def test_a_new_period_restarts_the_grid_and_changes_lists_if_the_kind_changes(sim):
    eye = Eye(sim, every=1.0, name="eye")
    other = Eye(sim, every=1.0, name="other").start()
    idle = Eye(sim, every=1.0, name="idle")
    eye.start()
    found = []

    def change():
        assert eye.set_frequency(0.75) is eye
        found.append((kinds(sim), eye.report_time))
        eye.set_frequency("event")
        found.append((kinds(sim), eye.report_time))
        eye.set_frequency(0.25)
        idle.set_frequency(0.125)

    at(sim, 0.5, act=change)
    sim.run(until=0.8)

    assert found == [([["other", "eye"], [], []], 0.5), ([["other"], [], ["eye"]], float("inf"))]
    assert (eye.frequency, eye.report_time, eye.seen[-2:]) == (0.25, 1.0, [0.75, 0.8])
    assert (idle.active, idle.frequency, idle.seen) == (False, 0.125, [])
    assert other.report_time == 1.0


@pytest.mark.row("R-112")
def test_a_period_that_time_cannot_show_is_error_six(sim):
    sim = ev.Simulation()
    eye = Eye(sim, every=1e-3, name="eye")
    at(sim, 1e15, act=eye.start)

    with pytest.raises(ev.SimulationError, match="eye") as caught:
        sim.run(until=2e15)

    assert (caught.value.number, caught.value.reporter) == (6, eye)


@pytest.mark.row("R-113")
def test_report_times_do_not_drift(sim):
    eye = Eye(sim, every=0.1).start()
    sim.run(until=1000.05)

    assert len(eye.seen) == 10_000 + 2
    assert eye.seen[:-1] == [float(k * Fraction(1, 10)) for k in range(10_001)]


@pytest.mark.row("R-114")
def test_a_report_inside_a_step_sees_that_moment_and_leaves_the_step_as_it_was(sim):
    def run(*, watched):
        sim = ev.Simulation(dt_max=1.0, stepping="together")
        swing, seen, upcoming = Swing(sim).start(), [], []

        class Look(ev.Reporter):
            def report(self):
                seen.append((sim.time, sim.last_time + sim.dt, swing.angle, swing.energy, swing.rate.angle))
                upcoming.append((eye.report_time, sim.peek()))

        if watched:
            eye = Look(sim, every=0.01).start()
        at(sim, 2.005)
        sim.run(until=3.0)
        return (swing.angle, swing.speed, sim.monitor.steps), seen, upcoming

    end, seen, upcoming = run(watched=True)

    assert len(seen) > 300
    assert end == run(watched=False)[0]
    for time, moment, angle, energy, rate in seen:
        assert moment == pytest.approx(time, abs=1e-12)
        assert angle == pytest.approx(cos(time), abs=1e-5)
        assert rate == pytest.approx(-sin(time), abs=1e-5)
        assert energy == pytest.approx(angle**2 + rate**2, rel=1e-12)
    assert len(upcoming) == len(seen)
    assert all(report <= event + 0.01 for report, event in upcoming)


@pytest.mark.row("R-116")
def test_a_prelude_is_called_once_when_it_is_made(sim):
    assert Eye(sim).made == 1


@pytest.mark.row("R-117")
@pytest.mark.parametrize(
    "meddle",
    [
        lambda swing: swing.stop(),
        lambda swing: swing.sim.process(iter(())),
    ],
    ids=["stop", "process"],
)
def test_a_reporter_that_changes_the_model_is_stopped(sim, meddle):
    swing = Swing(sim).start()

    class Meddler(ev.Reporter):
        def report(self):
            if self.sim.time == 0.5:
                meddle(swing)

    Meddler(sim, every=0.5).start()
    with pytest.raises(ev.EventideError):
        sim.run(until=1.0)


@pytest.mark.row("R-119")
def test_a_reporter_may_write_anywhere_and_recordings_are_ready_made_ones(sim, tmp_path):
    swing = Swing(sim, name="swing").start()
    path = tmp_path / "log.txt"

    class Scribe(ev.Reporter):
        def report(self):
            with path.open("a") as file:
                file.write(f"{self.sim.time!r}\n")

    Scribe(sim, every=0.5).start()
    trace = sim.record(swing, every=0.5, events=False)
    sim.run(until=1.0)

    assert sorted(set(path.read_text().split())) == ["0.0", "0.5", "1.0"]
    assert trace.times.tolist() == [0.0, 0.5, 1.0]
