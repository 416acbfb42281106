"""Waits for the first of several things of which some are states are native code, and leave the same as in Python."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.discrete.processes.composite import Outcome
from eventide.monitor.row_driver import HybridDriver


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)
    monkeypatch.setattr(HybridDriver, "least_share", 0.9)  # those that wait by new guards come soon


class Room(ev.Continuous):
    temperature: ev.State = ev.state(18.0)
    heating: float = 0.0

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0)


class Draughty(Room):
    draught: Any = ev.inputs.Pulse(period=4.0, width=1.5, high=0.25, low=-0.25)

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0) + self.draught(self.sim.time)


Told = list[Any]
Story = Callable[[ev.Simulation, Room, Told], ev.ProcessGenerator]


def control(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        room.heating = 4.0
        first = yield ev.first_of(hot=ev.until(lambda: room.temperature >= 22.0), late=ev.hold(1.25))
        told.append(1.0 if first.name == "hot" else 2.0)
        told.append(sim.time)
        room.heating = 0.0
        yield ev.hold(0.25)
        first = yield ev.first_of(
            cold=ev.until(lambda: room.temperature <= 18.0),
            cool=ev.until(lambda: room.temperature <= 19.0, priority=-1),
            late=ev.hold(0.5),
        )
        if first.name != "cool":
            told.append(3.0 if first.name == "cold" else 4.0)


def patient(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.first_of(never=ev.until(lambda: room.temperature >= 90.0), late=ev.hold(0.3125))
        yield ev.hold(0.1875)


def ticker(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        told.append(room.temperature)


def outcome(
    compiles: Any, *stories: Story, kind: type[Room] = Room, until: float = 60.0, native: bool = False
) -> tuple[ev.Simulation, Told]:
    """A run of some processes, and what can be seen of it."""
    sim, told = simulation(compiles, native=native), []
    room = kind(sim, name="room").start()
    made = [sim.process(story(sim, room, told)) for story in stories]
    sim.run(until=until)
    told += [(process.why_waiting(), process.idle) for process in made if not process.terminated]
    told += [(str(wait.process), wait.condition, wait.priority) for wait in sim.waits]
    told += [sim.time, sim.events, room.temperature, sim.monitor.steps, sim.monitor.state_events]
    return sim, told


def same(*stories: Story, **options: Any) -> ev.Simulation:
    """Run some processes in rows, and in Python, and compare; returns the simulation with rows."""
    sim, told = outcome("auto", *stories, **options)
    assert told == outcome(False, *stories, **options)[1]
    return sim


@pytest.mark.slow
def test_whichever_comes_first_is_native() -> None:
    for stories in ((control, ticker), (patient,)):
        sim = same(*stories)
        assert taken(sim) > 0.9 * sim.events


@pytest.mark.slow
def test_kernels_as_native_code_wait_for_the_first() -> None:
    sim = same(control, ticker, until=300.0, native=True)
    assert taken(sim) > 0.97 * sim.events


@pytest.mark.slow
def test_who_lists_the_waits_sees_those_of_branches() -> None:
    def lister(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(5.25)
            told.append([(str(wait.process), wait.condition, wait.priority) for wait in sim.waits])

    assert taken(same(control, control, lister, ticker, until=120.0)) > 200


@pytest.mark.slow
def test_what_is_withdrawn_beside_inputs_is_withdrawn_in_python() -> None:
    assert taken(same(control, ticker, kind=Draughty)) > 20

    def visitor(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
        desk = ev.Resource(sim, 1, name="desk")
        while True:
            with desk.request() as place:
                yield place
                yield ev.first_of(cold=ev.until(lambda: room.temperature <= 20.0), late=ev.hold(3.0))
                told.append(sim.time)
            yield ev.hold(0.5)

    same(control, visitor, kind=Draughty)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_wait_for_states_are_interrupted_in_rows(seed: int) -> None:
    def run(compiles: Any) -> Told:
        sim, told, rng = simulation(compiles), [], Random(seed)
        room = Room(sim, name="room").start()

        def patient() -> ev.ProcessGenerator:
            while True:
                try:
                    yield ev.until(lambda: room.temperature >= 21.5)
                    yield ev.first_of(cold=ev.until(lambda: room.temperature <= 18.5), late=ev.hold(3.0))
                    yield ev.hold(0.125)
                except ev.Interrupt:
                    told.append(sim.time)
                    yield ev.hold(0.75)

        def waker(other: ev.Process) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0 + rng.expovariate(1.0))
                other.interrupt(7)

        sim.process(waker(sim.process(patient())))
        sim.process(control(sim, room, told))
        sim.process(ticker(sim, room, told))
        sim.run(until=100.0)
        if compiles:
            assert taken(sim) > 0.9 * sim.events
        return [*told, sim.events, room.temperature, sim.monitor.steps]

    assert run("auto") == run(False)


@pytest.mark.slow
def test_a_process_that_comes_home_knows_what_came_first() -> None:
    def teller(room: Room) -> ev.ProcessGenerator:
        while True:
            found = yield ev.first_of(hot=ev.until(lambda: room.temperature >= 20.0), late=ev.hold(4.0))
            if found.name == "hot":
                yield ev.hold(1.0)
            yield ev.hold(0.5)

    def told_of(compiles: Any) -> Told:
        sim, told = simulation(compiles), []
        room = Room(sim, name="room").start()
        process = sim.process(teller(room))

        def looker() -> ev.ProcessGenerator:
            for _ in iter(range(30)):  # Python's
                yield ev.hold(5.25)
                if "first of" not in process.why_waiting():
                    told.append(process._generator.gi_frame.f_locals["found"])  # type: ignore[union-attr]  # it waits

        sim.process(control(sim, room, []))
        sim.process(ticker(sim, room, []))
        sim.process(looker())
        sim.run(until=150.0)
        if compiles:
            assert taken(sim) > 200
        return told

    told = told_of("auto")
    assert told == told_of(False)
    assert told.count(Outcome("hot", value=True)) > 10
