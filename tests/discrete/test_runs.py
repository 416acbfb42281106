"""Runs: where they end, and what one step is."""

from __future__ import annotations

import math

import pytest
from discrete.shared import Speaker, does, speakers

import eventide as ev


@pytest.fixture
def log():
    return []


def ticking(sim, log, name, period, count):
    for _ in range(count):
        yield ev.hold(period)
        log.append((sim.time, name))


def test_a_run_stops_before_the_events_at_its_end_and_goes_on_with_them(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 3))
    sim.run(until=2.0)
    assert (log, sim.time, sim.current) == ([(1.0, "A")], 2.0, None)

    sim.run(until=2.0)
    assert log == [(1.0, "A")]

    sim.run(until=2.5)
    assert (log, sim.time) == ([(1.0, "A"), (2.0, "A")], 2.5)


def test_what_is_activated_between_runs_comes_in_front_of_what_stands_there(sim, log):
    a, b, c = speakers(sim, log, "ABC")
    does(sim, lambda: c.activate(at=2.0, prior=True), lambda: ev.hold(1.0))
    sim.run(until=2.0)
    a.activate()
    b.activate()
    sim.run(until=3.0)

    assert log == [(2.0, "A"), (2.0, "B"), (2.0, "C")]


def test_a_run_until_a_process_stops_when_it_has_ended(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 9))
    goal = sim.process(ticking(sim, log, "B", 1.5, 2))
    sim.run(until=goal)

    assert log == [(1.0, "A"), (1.5, "B"), (2.0, "A"), (3.0, "B")]
    sim.run(until=goal)
    assert (len(log), sim.time) == (4, 3.0)


def test_a_run_until_a_condition_stops_when_it_is_true(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 9))
    sim.run(until=lambda: len(log) == 3)

    assert (len(log), sim.time) == (3, 3.0)
    sim.run(until=lambda: len(log) == 3)
    assert sim.time == 3.0


def test_a_condition_that_never_comes_true_leaves_no_trace(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 2), name="A")
    with pytest.raises(ev.SimulationError, match=r"run\(until=condition\) has not ended") as caught:
        sim.run(until=lambda: False)

    assert caught.value.number == 3
    assert sim.processes == ()
    assert sim.peek() == math.inf
    sim.run()


@pytest.mark.row("R-012")
def test_a_run_ends_with_the_main_program_even_if_events_are_left(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 9))
    sim.main = sim.process(ticking(sim, log, "main", 2.5, 1))
    sim.run()

    assert log == [(1.0, "A"), (2.0, "A"), (2.5, "main")]
    assert sim.peek() == 3.0


def test_a_run_after_the_main_program_has_ended_goes_on_to_the_last_event(sim, log):
    sim.process(ticking(sim, log, "A", 1.0, 3))
    sim.main = sim.process(ticking(sim, log, "main", 1.5, 1))
    sim.run()
    sim.run()

    assert log == [(1.0, "A"), (1.5, "main"), (2.0, "A"), (3.0, "A")]


def test_one_step_is_one_event(sim, log):
    a, b = speakers(sim, log, "AB")
    a.activate()
    b.activate(at=1.0)

    assert [sim.step(), sim.step(), sim.step()] == [True, True, False]
    assert log == [(0.0, "A"), (1.0, "B")]
    assert (sim.events, sim.current) == (2, None)


def test_steps_are_the_events_of_a_run(sim, log):
    def model(sim, log):
        partner = sim.process(ticking(sim, log, "A", 1.0, 3))
        sim.process(ticking(sim, log, "B", 1.5, 2))

        def story():
            yield ev.activate(Speaker(sim, log=log, name="C"))
            yield ev.first_of(over=partner, late=ev.hold(10.0))
            log.append((sim.time, "over"))

        sim.process(story())

    model(sim, log)
    sim.run()
    stepped, other = [], ev.Simulation(rng=1)
    model(other, stepped)
    steps = 0
    while other.step():
        steps += 1

    assert stepped == log
    assert steps == other.events == sim.events


def test_a_run_is_not_started_from_inside(sim):
    def story():
        yield ev.hold(1.0)
        sim.run(until=5.0)

    sim.process(story())
    with pytest.raises(ev.ModelError, match=r"^run\(\) was called from inside the run"):
        sim.run()


@pytest.mark.parametrize("end", [0.5, -1.0])
def test_a_run_does_not_go_back(sim, end):
    sim.run(until=1.0)
    with pytest.raises(ev.ModelError, match=r"lies in the past: the time is 1\.0$"):
        sim.run(until=end)


def test_infinity_never_comes(sim, log):
    def story():
        yield ev.hold(math.inf)
        log.append("never")

    sim.process(story())
    sim.process(ticking(sim, log, "A", 1.0, 2))
    sim.run()

    assert log == [(1.0, "A"), (2.0, "A")]
    assert sim.time == 2.0


@pytest.mark.row("R-001")
def test_one_object_is_the_whole_world(sim, log):
    """Processes, their list, the main program, the current process and the clock, on what also moves states."""

    class Tank(ev.Continuous):
        level: ev.State = 0.0

        def equations(self):
            self.rate.level = 1.0

    tank = Tank(sim).start()
    (a,) = speakers(sim, log, "A")

    def main():
        a.activate(at=2.0)
        log.append((sim.current is sim.main, sim.current.next_event is a))
        yield ev.until(lambda: tank.level >= 1.0)
        log.append((sim.time, round(tank.level, 9)))
        yield ev.hold(2.0)

    sim.main = sim.process(main())
    sim.run()

    assert log == [(True, True), (pytest.approx(1.0), 1.0), (2.0, "A")]
    assert sim.time == pytest.approx(3.0)


@pytest.mark.row("R-002")
def test_between_two_yields_nothing_else_runs(sim, log):
    class Tank(ev.Continuous):
        level: ev.State = 0.0

        def equations(self):
            log.append("law")
            self.rate.level = 1.0

    class Witness(ev.Reporter):
        def report(self):
            log.append("report")

    def watched():
        log.append("condition")
        return False

    def busy():
        for _ in range(3):
            log.append("begin")
            sim.process(idle())
            Tank(sim).start()
            log.append("end")
            yield ev.hold(1.0)

    def idle():
        log.append("idle")
        yield ev.until(watched)

    Witness(sim).start()
    sim.process(busy())
    sim.run(until=2.5)

    begins = [place for place, what in enumerate(log) if what == "begin"]
    assert len(begins) == 3
    assert [log[place + 1] for place in begins] == ["end"] * 3
    assert {"law", "report", "condition", "idle"} < set(log)
