"""Processes that hold, and wait for states, are native code as a whole, and leave the same as in Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.monitor.row_driver import HybridDriver


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that wait by new guards become rows soon."""
    monkeypatch.setattr(HybridDriver, "least_share", 0.9)


class Room(ev.Continuous):
    temperature: ev.State = ev.state(18.0)
    heating: float = 0.0

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0)


Told = list[Any]
Story = Callable[[ev.Simulation, Room, Told], ev.ProcessGenerator]


def control(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    high = 22.0
    while True:
        room.heating = 4.0
        yield ev.until(lambda: room.temperature >= high)
        told.append((sim.time, "off"))
        room.heating = 0.0
        yield ev.hold(0.25)
        yield ev.until(lambda: room.temperature <= 18.0, priority=1)
        told.append((sim.time, "on"))


def ticker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        told.append(room.temperature)


def outcome(compiles: Any, *stories: Story, until: float = 60.0, **settings: Any) -> tuple[ev.Simulation, Told]:
    """A run of some processes, and what can be seen of it."""
    sim, told = simulation(compiles, **settings), []
    room = Room(sim, name="room").start()
    made = [sim.process(story(sim, room, told)) for story in stories]
    try:
        sim.run(until=until)
    except ev.EventideError as error:
        told.append(str(error))
    told += [(process.why_waiting(), process.idle) for process in made if not process.terminated]
    told += [(str(wait.process), wait.condition) for wait in sim.waits]
    told += [sim.time, sim.events, room.temperature, sim.monitor.steps, sim.monitor.state_events]
    return sim, told


def same(*stories: Story, until: float = 60.0, **settings: Any) -> ev.Simulation:
    """Run some processes in rows, and in Python, and compare; returns the simulation with rows."""
    sim, told = outcome("auto", *stories, until=until, **settings)
    assert told == outcome(False, *stories, until=until, **settings)[1]
    return sim


def homes(sim: ev.Simulation) -> Any:
    assert sim._migration is not None
    return sim._migration


def test_processes_that_hold_and_wait_for_states_are_native_as_a_whole() -> None:
    sim = same(control, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


def reach(room: Room, level: float) -> ev.ProcessGenerator:
    yield ev.until(lambda: room.temperature >= level)


def sink(sim: ev.Simulation, room: Room, told: Told, depth: float) -> ev.ProcessGenerator[float]:
    target = room.temperature - depth
    yield ev.until(lambda: room.temperature <= target)
    told.append((sim.time, target))
    target -= 0.25
    yield ev.until(lambda: room.temperature <= target, priority=1)
    return target


def helped(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    n = 0
    while True:
        n += 1
        room.heating = 4.0
        yield from reach(room, 21.0)
        told.append((sim.time, "warm"))
        yield from reach(room, 21.5 + 0.25 * (n % 3))
        told.append((sim.time, "hot"))
        room.heating = 0.0
        low = yield from sink(sim, room, told, 1.5 + 0.125 * (n % 2))
        told.append(low)


def test_waits_within_functions_that_are_gone_through_are_native_whatever_numbers_they_are_given() -> None:
    sim = same(helped, control, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.usefixtures("eager")
def test_a_guard_serves_the_objects_of_its_condition_alone() -> None:
    def switching(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        other = Room(sim, name="other", temperature=20.0, heating=4.0).start()
        while True:
            for _ in range(6):
                room.heating = 4.0
                yield from reach(room, 21.0)
                told.append(sim.time)
                room.heating = 0.0
                yield ev.hold(0.125)
            other.temperature = 19.0
            yield from reach(other, 21.0)
            told.append(sim.time)

    assert taken(same(switching, ticker)) > 20


class Warm(Room):
    high: float = 21.5

    def is_hot(self) -> bool:
        return self.temperature >= self.high


def told_by_results(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        room.heating = 4.0
        hot = yield ev.until(lambda: room.temperature >= 21.0)
        told.append((sim.time, hot))
        yield ev.hold(0.25)
        room.heating = 0.0
        if (yield ev.until(lambda: room.temperature <= 19.0)):
            told.append((sim.time, "cold"))
        else:
            told.append((sim.time, "roused"))


def first_of_equals(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: room.temperature >= 21.0, prior=True)
        told.append((sim.time, "prior"))
        yield ev.until(lambda: room.temperature <= 19.0, prior=False, priority=None)
        told.append((sim.time, "after"))


def last_of_equals(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: room.temperature >= 21.0)
        told.append((sim.time, "plain"))
        yield ev.first_of(cold=ev.until(lambda: room.temperature <= 19.0, prior=True), late=ev.hold(99.0))
        told.append((sim.time, "before"))


def by_methods(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    warm = Warm(sim, name="warm", heating=4.0).start()
    n = 0
    while True:
        yield ev.until(warm.is_hot)
        told.append((sim.time, "method"))
        warm.heating = 0.0
        n += 1
        warm.high = 21.0 + 0.125 * (n % 4)
        yield ev.hold(1.25)
        warm.heating = 4.0


def by_functions(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    def is_warm() -> bool:
        return room.temperature >= 19.0

    room.heating = 4.0
    return waiting_for(sim, room, told, is_warm)


def waiting_for(sim: ev.Simulation, room: Room, told: Told, test: Callable[[], bool]) -> ev.ProcessGenerator:
    while True:
        yield ev.until(test)
        told.append((sim.time, "function"))
        room.temperature = 18.0


@pytest.mark.usefixtures("eager")
def test_what_until_returns_and_tests_of_it_are_native() -> None:
    sim = same(told_by_results, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.usefixtures("eager")
def test_waits_that_come_before_their_equals_are_native() -> None:
    sim = same(told_by_results, first_of_equals, last_of_equals, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.usefixtures("eager")
def test_methods_and_functions_of_modules_are_conditions_of_rows() -> None:
    sim = same(by_methods, by_functions, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.usefixtures("eager")
def test_a_guard_serves_the_object_of_its_method_alone() -> None:
    def switching(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        one, other = (Warm(sim, name=name, heating=4.0).start() for name in ("one", "other"))
        while True:
            for _ in range(6):
                yield ev.until(one.is_hot)
                told.append(sim.time)
                one.temperature = 18.0
                yield ev.hold(0.125)
            other.temperature = 20.0
            yield ev.until(other.is_hot)
            told.append(sim.time)

    assert taken(same(switching, ticker)) > 20


@pytest.mark.usefixtures("eager")
@pytest.mark.slow
def test_who_is_roused_from_a_wait_whose_result_is_tested_is_in_python() -> None:
    def waker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        for _ in iter(range(99)):  # Python's
            yield ev.hold(3.25)
            for wait in list(sim.waits)[:1]:
                wait.process.activate(delay=0.5)

    sim = same(told_by_results, waker, ticker)
    assert taken(sim) > 10


def climbing(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    level, n = 20.0, 0
    while True:
        room.heating = 4.0
        yield ev.until(lambda: room.temperature >= level)  # noqa: B023  # as users write it
        told.append((sim.time, level))
        n = (n + 1) % 4
        level = 18.5 + 0.5 * n
        room.heating = 0.0
        found = yield ev.first_of(
            cold=ev.until(lambda: room.temperature <= level - n),  # noqa: B023  # as users write it
            late=ev.hold(2.0),
        )
        told.append((sim.time, 1 if found.name == "cold" else 2))
        level += 1.5


def test_variables_that_only_conditions_read_are_numbers_of_the_row() -> None:
    sim = same(climbing, ticker)
    assert not homes(sim).exits
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.usefixtures("eager")
@pytest.mark.slow
@pytest.mark.parametrize("story", [helped, climbing])
def test_who_returns_to_python_waits_with_the_numbers_of_its_row(story: Story) -> None:
    def looker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        for _ in iter(range(99)):  # Python's
            yield ev.hold(3.1875)
            told.append([(str(wait.process), wait.condition, wait.priority) for wait in sim.waits])
            told.append([entry.process.why_waiting() for entry in sim.waits])
            told.append(room.heating)

    for stories in ((story, looker, ticker, ticker), (story, story, looker, control)):
        assert taken(same(*stories)) > 10


@pytest.mark.usefixtures("eager")
def test_a_variable_that_anything_else_reads_is_set_in_python() -> None:
    readers: list[Callable[[], float]] = []

    def seen(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        level = 18.25
        readers[:] = [lambda: level]
        while True:
            yield ev.hold(0.125)
            level += 0.25
            yield ev.until(lambda: room.temperature >= level - 4.0)  # noqa: B023  # as users write it
            level -= 0.125

    def reader(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.0)
            told.append(readers[0]())

    sim = same(seen, reader, ticker)
    assert homes(sim).exits
    assert taken(sim) > 20


@pytest.mark.slow
def test_kernels_as_native_code_wait_for_states() -> None:
    sims = [outcome(compiles, control, ticker, native=True) for compiles in ("auto", False)]
    assert sims[0][1] == sims[1][1]
    assert taken(sims[0][0]) > 100


@pytest.mark.slow
def test_many_state_events_are_judged_in_python_and_rows_go_on() -> None:
    sim, _ = outcome("auto", control, until=6000.0, native=True)
    assert sim.monitor.state_events > 2500
    assert homes(sim)._came <= 3
    assert taken(sim) > 0.95 * sim.events


@pytest.mark.slow
def test_events_without_end_at_one_instant_are_the_error_that_they_are_in_python() -> None:
    def stuck(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        room.heating, n = 4.0, 0
        while True:
            n += 1
            yield ev.until(lambda: room.temperature >= 19.0)
            if n < 30:
                yield ev.hold(0.5)

    sim = same(stuck, ticker)
    assert any("time does not go beyond" in str(one) for one in outcome("auto", stuck, ticker)[1])
    assert taken(sim) > 1000


def test_a_row_that_waits_for_a_state_is_interrupted() -> None:
    def patient(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            try:
                yield ev.until(lambda: room.temperature >= 40.0)
            except ev.Interrupt as cut:
                told.append((sim.time, cut.cause))
            yield ev.hold(0.125)

    def waker(other: ev.Process) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.75)
            other.interrupt(7)

    found = []
    for compiles in ("auto", False):
        sim, told = simulation(compiles), []
        room = Room(sim, name="room").start()
        sim.process(waker(sim.process(patient(sim, room, told))))
        sim.process(control(sim, room, told))
        sim.process(ticker(sim, room, told))
        sim.run(until=40.0)
        found.append([*told, sim.events, room.temperature])
        if compiles:
            assert taken(sim) > 50
    assert found[0] == found[1]


def test_what_moves_leaves_while_rows_wait_for_it() -> None:
    def stopper(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        for k in range(6):
            yield ev.hold(7.25)
            told.append(str(k))  # Python's
            room.stop()
            yield ev.hold(1.0)
            room.start()

    assert taken(same(control, stopper, ticker)) > 50


def test_who_lists_the_waits_sees_those_of_rows() -> None:
    def lister(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(5.25)
            told.append([(str(wait.process), wait.condition, wait.priority) for wait in sim.waits])

    assert taken(same(control, control, lister, ticker)) > 100


@pytest.mark.slow
def test_what_a_condition_shares_with_the_body_is_set_in_python() -> None:
    def stairs(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        level = 18.25
        while True:
            yield ev.hold(0.125)
            yield ev.until(lambda: room.temperature >= level)  # noqa: B023  # as users write it
            told.append((sim.time, level))
            level = 18.25 + 0.25 * (sim.events % 8)

    sim = same(stairs, control, ticker)
    assert homes(sim).exits
    assert taken(sim) > 20


@pytest.mark.slow
def test_what_a_function_made_there_may_set_is_never_kept_in_a_row() -> None:
    setters: list[Callable[[], None]] = []

    def counted(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        level = 18.5

        def rise() -> None:
            nonlocal level
            level = 18.5 + 0.25 * (len(told) % 5)

        setters[:] = [rise]
        while True:
            for _ in range(40):
                yield ev.hold(0.125)
                told.append(level)
            yield ev.until(lambda: room.temperature >= level)

    def setter(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        for _ in iter(range(99)):  # Python's
            yield ev.hold(2.25)
            setters[0]()

    same(counted, control, ticker, setter)


def test_the_next_event_in_python_comes_before_later_state_events_of_rows() -> None:
    def looker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        for _ in iter(range(99)):  # Python's
            yield ev.hold(3.25)
            told.append((sim.time, room.temperature))

    def gentle(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: room.temperature >= 21.0)
            told.append(sim.time)
            yield ev.hold(0.0)
            yield ev.until(lambda: room.temperature <= 19.0)

    assert taken(same(control, gentle, looker)) > 50


@pytest.mark.slow
def test_the_priority_of_waits_may_change_while_rows_wait() -> None:
    def ranker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(4.75)
            sim.until_priority = 2.0 - sim.until_priority

    def rival(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: room.temperature <= 18.0)
            told.append((sim.time, "rival"))
            yield ev.hold(1.0)

    def other(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: room.temperature <= 18.0)
            told.append((sim.time, "other"))
            yield ev.hold(1.25)

    assert taken(same(control, ranker, rival, other)) > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_process_waits_for_states_while_it_has_units(seed: int) -> None:
    def run(compiles: Any) -> Told:
        sim, told, rng = simulation(compiles), [], Random(seed)
        room, desk = Room(sim, name="room").start(), ev.Resource(sim, 1, name="desk")

        def visitor(k: int) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(rng.expovariate(1.0))
                with desk.request() as place:
                    yield place
                    yield ev.until(lambda: room.temperature >= 20.0)
                    told.append((sim.time, k))

        for k in range(3):
            sim.process(visitor(k))
        sim.process(control(sim, room, told))
        sim.run(until=80.0)
        if compiles:
            assert taken(sim) > 60
        return [*told, desk.waits.mean, desk.utilisation, sim.events]

    assert run("auto") == run(False)


@pytest.mark.slow
def test_the_order_of_waits_at_one_instant_is_that_of_their_arrival() -> None:
    def waiter(word: str, pause: float) -> Story:
        def wait(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
            while True:
                yield ev.until(lambda: room.temperature >= 20.0)
                told.append((sim.time, word))
                yield ev.hold(pause)
                yield ev.until(lambda: room.temperature <= 19.0)
                told.append((sim.time, word))

        return wait

    def plain(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: room.temperature >= 20.0)
            told.append((sim.time, "plain", str(sim.time)))
            yield ev.hold(0.25)
            told.append((sim.time, "plain", str(sim.time)))
            yield ev.until(lambda: room.temperature <= 19.0)
            told.append((sim.time, "plain", str(sim.time)))

    assert taken(same(control, waiter("one", 0.5), plain, waiter("other", 0.125), ticker, ticker)) > 100


def rest_after(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    switches = 0
    while switches < 40:
        room.heating = 4.0
        yield ev.until(lambda: room.temperature >= 22.0)
        room.heating = 0.0
        yield ev.until(lambda: room.temperature <= 18.0)
        switches += 1
    told.append(sim.time)


def alone(compiles: Any) -> tuple[Any, Told]:
    """A run without an end of a process that waits for states alone, and what can be seen of it."""
    sim, told = simulation(compiles), []
    room = Room(sim, name="room").start()
    sim.process(rest_after(sim, room, told))
    sim.run()
    return sim, [*told, sim.time, sim.events, room.temperature, sim.monitor.steps, sim.monitor.state_events]


def test_a_run_that_no_time_ends_is_native_until_the_last_process_ends() -> None:
    sim, told = alone("auto")
    assert told == alone(False)[1]
    assert homes(sim).taken > 40
