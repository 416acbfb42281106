"""The line that tells how far a run is."""

import io
import threading

import pytest
from rich.console import Console

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.angle = self.speed
        self.rate.speed = -self.angle


class Clock:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self):
        return self.now


def story():
    for _ in range(1000):
        yield ev.hold(1.0)


def test_the_line_tells_time_share_events_and_the_end():
    sim, clock = ev.Simulation(time_unit="h"), Clock()
    sim.process(story())
    progress = ev.Progress(sim, until=200.0, clock=clock)
    assert progress.line() == "t = 0 h (0 %) | 0 events"

    sim.run(until=50.0)
    clock.now += 2.0
    assert progress.line() == "t = 50 h (25 %) | 50 events, 25 a second | 6 s left"
    sim.run(until=200.0)
    clock.now += 6.0
    assert progress.line() == "t = 200 h (100 %) | 200 events, 25 a second"


def test_only_what_is_known_is_told():
    sim, clock = ev.Simulation(), Clock()
    Swing(sim).start()
    sim.process(story())
    progress = ev.Progress(sim, clock=clock)
    sim.run(until=10.5)
    clock.now += 0.5

    assert progress.line() == f"t = 10.5 | 11 events, 22 a second | {sim.monitor.steps} steps"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s left"), (59.4, "59 s left"), (61.0, "1 min 1 s left"), (7380.0, "2 h 3 min left")],
)
def test_what_is_left_is_told_in_two_numbers_at_most(seconds, told):
    sim, clock = ev.Simulation(), Clock()
    sim.process(story())
    progress = ev.Progress(sim, until=2.0, clock=clock)
    sim.run(until=1.0)
    clock.now += seconds

    assert progress.line().endswith(f"| {told}")


def test_a_progress_counts_from_its_beginning():
    sim, clock = ev.Simulation(), Clock()
    sim.process(story())
    sim.run(until=10.0)
    with ev.Progress(sim, until=20.0, clock=clock, console=Console(file=io.StringIO())) as progress:
        sim.run(until=15.0)
        clock.now += 1.0
        assert progress.line() == "t = 15 (50 %) | 5 events, 5 a second | 1 s left"


def test_a_terminal_shows_the_line_and_ends_clean():
    sim, shown = ev.Simulation(), io.StringIO()
    sim.process(story())
    console = Console(file=shown, force_terminal=True, width=100)

    with ev.Progress(sim, until=20.0, clock=Clock(), console=console):
        sim.run(until=5.0)
        [looker] = [thread for thread in threading.enumerate() if thread is not threading.current_thread()]

    looker.join(10.0)
    assert not looker.is_alive()
    assert "t = 5 (25 %)" in shown.getvalue()
    assert shown.getvalue().endswith("\x1b[2K")  # the line is wiped


def test_a_look_that_meets_a_change_keeps_the_line_before(monkeypatch):
    progress = ev.Progress(ev.Simulation(), clock=Clock())
    assert progress._text().plain == "t = 0 | 0 events"

    def changed():
        raise RuntimeError("dictionary changed size during iteration")

    monkeypatch.setattr(progress, "line", changed)
    assert progress._text().plain == "t = 0 | 0 events"


def test_without_a_terminal_nothing_is_written_and_no_thread_runs(capfd):
    sim = ev.Simulation()
    sim.process(story())

    with ev.Progress(sim, until=20.0):
        sim.run(until=20.0)
        assert threading.active_count() == 1

    assert capfd.readouterr() == ("", "")


def test_a_run_is_the_same_with_and_without_it():
    def run(*, watched):
        sim = ev.Simulation(rng=1)
        swing = Swing(sim).start()
        sim.process(story())
        console = Console(file=io.StringIO(), force_terminal=True)
        if watched:
            with ev.Progress(sim, until=30.0, console=console) as progress:
                sim.run(until=30.0)
                progress.line()
        else:
            sim.run(until=30.0)
        return swing.angle, swing.speed, sim.monitor.steps, sim.events

    assert run(watched=True) == run(watched=False)
