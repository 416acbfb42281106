"""Ctrl-C during a run: it stops between two events, and goes on from there."""

from __future__ import annotations

import re
import signal
import threading
from typing import Any

import pytest

import eventide as ev


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.fixture(autouse=True)
def python_listens() -> Any:
    """As in a terminal; whoever starts a program in the background lets it ignore the key."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def story(
    sim: ev.Simulation, log: list[Any], pressed_at: tuple[float, ...] = (), name: str = "a"
) -> ev.ProcessGenerator:
    """Three events, in some of which the key is pressed halfway."""
    for time in (1.0, 2.0, 3.0):
        yield ev.hold(1.0)
        log.append((name, "begins", sim.time))
        if time in pressed_at:
            press()
        log.append((name, "ends", sim.time))


def events(*times: float, name: str = "a") -> list[Any]:
    return [(name, word, time) for time in times for word in ("begins", "ends")]


def test_a_run_stops_before_its_next_event_and_goes_on_there(sim: ev.Simulation) -> None:
    log: list[Any] = []
    process = sim.process(story(sim, log, (2.0,)))
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run(until=10.0)
    assert log == events(1.0, 2.0)
    assert (sim.time, sim.current, sim.active, sim.events) == (2.0, None, False, 3)
    assert caught.value.__notes__ == ["the run has stopped at time 2.0: the next sim.run(...) continues from there"]
    assert process.why_waiting().startswith("story 1 waits for time 3.0, at ")
    sim.run(until=10.0)
    assert log == events(1.0, 2.0, 3.0)
    assert (sim.time, sim.events, process.terminated) == (10.0, 4, True)


def test_what_is_due_at_the_same_instant_waits_for_the_next_run(sim: ev.Simulation) -> None:
    log: list[Any] = []
    sim.process(story(sim, log, (1.0,), "a"))
    sim.process(story(sim, log, (), "b"))
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert log == events(1.0, name="a")
    sim.run()
    assert log == [entry for time in (1.0, 2.0, 3.0) for name in "ab" for entry in events(time, name=name)]


def test_step_stops_too(sim: ev.Simulation) -> None:
    log: list[Any] = []
    sim.process(story(sim, log, (1.0, 2.0)))
    steps = []
    for _ in range(4):
        try:
            steps.append(sim.step())
        except KeyboardInterrupt:
            steps.append("stopped")
    assert steps == [True, "stopped", "stopped", True]
    assert log == events(1.0, 2.0, 3.0)


@pytest.mark.parametrize("until", ["process", "condition"])
def test_what_a_run_is_for_can_be_waited_for_again(sim: ev.Simulation, until: str) -> None:
    log: list[Any] = []
    process = sim.process(story(sim, log, (1.0,)))
    goal: Any = process if until == "process" else lambda: sim.time >= 2.5
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=goal)
    assert [p.name for p in sim.processes] == ["story 1"]
    sim.run(until=goal)
    assert sim.time == (3.0 if until == "process" else 2.5)


def test_a_trace_goes_on(sim: ev.Simulation) -> None:
    log: list[Any] = []
    told: list[Any] = []
    sim.trace = told.append
    sim.process(story(sim, log, (1.0, 3.0)))
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert [occurrence.time for occurrence in told] == [0.0, 1.0]
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    sim.run()
    assert [occurrence.time for occurrence in told] == [0.0, 1.0, 2.0, 3.0]
    sim.trace = None
    assert sim._hook is None


def test_who_begins_to_wait_for_a_condition_in_the_same_event_does_not_hide_it(sim: ev.Simulation) -> None:
    log: list[float] = []

    def life() -> ev.ProcessGenerator:
        for limit in (1.0, 2.0, 3.0):
            if limit == 2.0:
                press()
            yield ev.until(lambda limit=limit: sim.time >= limit)
            log.append(sim.time)

    sim.process(life())
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert (log, sim.time) == ([1.0], 1.0)
    sim.run()
    assert log == [1.0, 2.0, 3.0]


def test_what_displaces_the_halt_is_asked_at_the_end_of_the_spell(sim: ev.Simulation) -> None:
    def life() -> ev.ProcessGenerator:
        for k in range(5000):
            yield ev.hold(1.0)
            if k == 10:
                press()
                sim._hook = None

    sim.process(life())
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert 10.0 < sim.time <= 1024.0
    sim.run()
    assert (sim.time, sim.events) == (5000.0, 5001)


@pytest.mark.slow
def test_who_acts_while_time_stands_still_is_named(sim: ev.Simulation) -> None:
    there, back = ev.Store(sim), ev.Store(sim)

    def player(give: ev.Store[int], take: ev.Store[int]) -> ev.ProcessGenerator:
        for k in range(10_000):
            yield give.put(k)
            yield take.get()
            if k == 5000 and give is there:
                press()

    sim.process(player(there, back), name="one")
    sim.process(player(back, there), name="other")
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run()
    told, who = caught.value.__notes__
    assert told == "the run has stopped at time 0.0: the next sim.run(...) continues from there"
    counts = re.fullmatch(
        r"time has not advanced for a while: (one|other) \((\d+) times\), (one|other) \((\d+) times\) acted at this.*",
        who,
    )
    assert counts is not None
    assert {counts[1], counts[3]} == {"one", "other"}
    assert 1000 < int(counts[4]) <= int(counts[2]) <= 5001
    sim.process(story(sim, [], (1.0,)))
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run()
    assert caught.value.__notes__ == ["the run has stopped at time 1.0: the next sim.run(...) continues from there"]


def test_a_second_press_tears_the_run_and_it_does_not_go_on(sim: ev.Simulation) -> None:
    log: list[Any] = []

    def impatient() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        press()
        log.append("once")
        press()
        log.append("twice")

    sim.process(impatient())
    with pytest.raises(KeyboardInterrupt):
        sim.run()
    assert log == ["once"]
    for goes_on in (sim.run, sim.step):
        with pytest.raises(ev.ModelError, match=r"^a second Ctrl-C has ended the run at time 1\.0 in the middle of an"):
            goes_on()


def test_who_presses_as_the_run_ends_is_heard_behind_it(sim: ev.Simulation) -> None:
    log: list[Any] = []

    class Late(ev.Reporter):
        def report(self) -> None:
            if sim.time == 2.5 and not log:
                press()
                log.append(sim.time)

    sim.process(story(sim, []))
    Late(sim, every="event").start()
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run(until=2.5)
    assert (log, sim.time, sim.events) == ([2.5], 2.5, 3)
    assert not hasattr(caught.value, "__notes__")
    sim.run()
    assert (sim.time, sim.events) == (3.0, 4)


def test_a_handler_of_somebody_else_stays(sim: ev.Simulation) -> None:
    heard = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(sim.time))
    try:
        sim.process(story(sim, [], (1.0, 2.0)))
        sim.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (heard, sim.time) == ([1.0, 2.0], 3.0)


def test_a_run_in_a_thread_listens_to_nothing(sim: ev.Simulation) -> None:
    found = []

    def work() -> None:
        sim.run()
        found.append((sim.time, signal.getsignal(signal.SIGINT) is signal.default_int_handler))

    sim.process(story(sim, []))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(3.0, True)]


def test_of_two_simulations_one_inside_the_other_the_inner_one_stops(sim: ev.Simulation) -> None:
    inner = ev.Simulation(rng=1)
    log: list[Any] = []
    inner.process(story(inner, log, (1.0,)))

    def outer() -> ev.ProcessGenerator:
        yield ev.hold(7.0)
        inner.run()
        raise AssertionError

    sim.process(outer())
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run()
    assert (inner.time, sim.time, log) == (1.0, 7.0, events(1.0))
    assert caught.value.__notes__[0] == "the run has stopped at time 1.0: the next sim.run(...) continues from there"
    assert caught.value.__notes__[1].startswith("outer 1 was active at time 7.0")
    inner.run()
    assert log == events(1.0, 2.0, 3.0)


def test_an_error_gives_the_key_back(sim: ev.Simulation) -> None:
    def fails() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        raise ValueError("mine")

    sim.process(fails())
    with pytest.raises(ValueError, match="mine"):
        sim.run()
