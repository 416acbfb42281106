"""Rows where every event ends the step of all that moves, and beside conditions on time alone."""

from __future__ import annotations

from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


class Room(ev.Continuous):
    temperature: ev.State = ev.state(18.0)
    heating: float = 0.0
    opening: float = 40.0
    told: list[Any]

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0)


class Watched(Room):
    @ev.when(lambda self: self.sim.time >= 40.0)
    def note(self) -> None:
        self.told.append(("forty", self.sim.time, self.temperature))


class Opening(Room):
    @ev.when(lambda self: self.sim.time >= self.opening)
    def note(self) -> None:
        self.told.append(("open", self.sim.time, self.temperature))


def control(sim: ev.Simulation, room: Room) -> ev.ProcessGenerator:
    while True:
        room.heating = 4.0
        yield ev.until(lambda: room.temperature >= 22.0)
        room.told.append((sim.time, "off"))
        room.heating = 0.0
        yield ev.hold(0.25)
        yield ev.until(lambda: room.temperature <= 18.0, priority=1)
        room.told.append((sim.time, "on"))


def ticker(sim: ev.Simulation, room: Room) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        room.told.append(room.temperature)
        room.opening += 0.25
        yield ev.hold(0.0)


def punctual(sim: ev.Simulation, room: Room) -> ev.ProcessGenerator:
    yield ev.until(lambda: sim.time >= 5.0)
    room.told.append(("a time event's", sim.time, room.temperature))
    yield ev.until(lambda: 3.0 * sim.time >= 77.0)
    room.told.append(("between events", sim.time, room.temperature))
    yield ev.until(lambda: sim.time >= 60.0)
    room.told.append(("the end of a run", sim.time, room.temperature))
    yield ev.until(lambda: sim.time >= 60.0625)
    room.told.append(("early", sim.time, room.temperature))


def lived(compiles: Any, kind: type[Room], *stories: Any, **settings: Any) -> tuple[ev.Simulation, list[Any]]:
    sim, told = simulation(compiles, **settings), list[Any]()
    room = kind(sim, name="room", told=told).start()
    for story in stories:
        sim.process(story(sim, room))
    for end in (60.0, 90.0):
        sim.run(until=end)
        told += [sim.events, room.temperature, room.opening, sim.monitor.steps, sim.monitor.state_events]
    return sim, told


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_processes_are_rows_where_every_event_ends_the_step_of_all_that_moves(native: bool) -> None:
    sim, told = lived("auto", Room, control, ticker, stepping="together", native=native)
    assert told == lived(False, Room, control, ticker, stepping="together")[1]
    assert taken(sim) > 0.7 * sim.events


@pytest.mark.parametrize("count", [0, 10, 11])
def test_events_of_rows_end_the_first_step_of_all_that_moves(count: int) -> None:
    def begun(sim: ev.Simulation, room: Room) -> ev.ProcessGenerator:
        for _ in range(count):
            yield ev.hold(0.0)
        while True:
            yield ev.hold(0.5)
            room.told.append(room.temperature)

    told = lived("auto", Room, begun, stepping="together", native=False)[1]
    assert told == lived(False, Room, begun, stepping="together")[1]


@pytest.mark.slow
@pytest.mark.parametrize("stories", [(control, ticker, punctual), (control, punctual), (ticker, punctual)])
def test_rows_return_to_python_before_the_time_of_a_condition_on_time_alone(stories: tuple[Any, ...]) -> None:
    sim, told = lived("auto", Watched, *stories)
    assert told == lived(False, Watched, *stories)[1]
    assert sum(isinstance(one, tuple) and len(one) == 3 for one in told) == 5
    assert taken(sim) > 0.4 * sim.events


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"), [(Opening, {}), (Watched, {"stepping": "together"}), (Opening, {"stepping": "together"})]
)
def test_conditions_on_time_alone_beside_which_there_are_no_rows(kind: type[Room], settings: Any) -> None:
    sim, told = lived("auto", kind, control, ticker, **settings)
    assert told == lived(False, kind, control, ticker, **settings)[1]
    assert taken(sim) < 0.6 * sim.events  # after its time
