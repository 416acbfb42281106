"""Conditions that read fields of their process and of other objects: rows wait for them, and changes are noticed."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.migration.returning import Returning


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


MARGIN = 0.0


class Room(ev.Continuous):
    t: ev.State = ev.state(18.0)
    heating: float = 0.0

    def equations(self) -> None:
        self.rate.t = self.heating - 0.25 * (self.t - 10.0)


class Limits:
    def __init__(self, high: float) -> None:
        self.high = high


class Thermostat(ev.Process):
    room: Room
    limits: Limits
    told: list[Any]
    low: float = 18.0

    def run(self) -> ev.ProcessGenerator:
        while True:
            self.room.heating = 4.0
            yield ev.until(lambda: self.room.t >= self.limits.high - MARGIN)
            self.told.append((self.sim.time, self.room.t))
            self.room.heating = 0.0
            yield ev.until(lambda: self.room.t <= self.low)
            self.told.append((self.sim.time, self.room.t))


class Counting(Thermostat):
    """One that sets in native code what its conditions read."""

    def run(self) -> ev.ProcessGenerator:
        while True:
            self.room.heating = 4.0
            yield ev.until(lambda: self.room.t >= self.limits.high)
            self.room.heating = 0.0
            self.low = self.low - 0.0625 if self.low > 16.0 else 18.0
            yield ev.until(lambda: self.room.t <= self.low)
            self.told.append((self.sim.time, self.room.t))


def field(one: Thermostat, spare: Room, value: float) -> None:
    one.low = 17.0 + value


def by_name(one: Thermostat, spare: Room, value: float) -> None:
    setattr(one, "low", 17.0 + value)  # noqa: B010  # the other way to set it


def attributes(one: Thermostat, spare: Room, value: float) -> None:
    one.__dict__["low"] = 17.0 + value


def inner(one: Thermostat, spare: Room, value: float) -> None:
    one.limits.high = 20.0 + value


def another(one: Thermostat, spare: Room, value: float) -> None:
    one.limits = Limits(20.0 + value)


def same_value(one: Thermostat, spare: Room, value: float) -> None:
    one.low = float(str(one.low))


def room(one: Thermostat, spare: Room, value: float) -> None:
    one.room.heating = 0.0
    one.room = spare


def of_another_class(one: Thermostat, spare: Room, value: float) -> None:
    class Higher(Limits):
        pass

    one.limits.__class__ = Higher


def number_of_module(one: Thermostat, spare: Room, value: float) -> None:
    globals()["MARGIN"] = 0.25 * value


CHANGES = number_of_module, field, by_name, attributes, inner, another, same_value, room, of_another_class


def outcome(
    compiles: Any, kind: type[Thermostat], change: Callable[..., None], *, native: bool = False
) -> tuple[ev.Simulation, list[Any]]:
    globals()["MARGIN"] = 0.0
    sim, told, rng = simulation(compiles, native=native), [], Random(7)
    rooms = [Room(sim, t=18.0 + k / 8, name=f"room {k}").start() for k in range(4)]
    made = [kind(sim, room=one, limits=Limits(22.0 + k / 16), told=told) for k, one in enumerate(rooms[:3])]
    for one in made:
        one.activate()

    def changer() -> ev.ProcessGenerator:
        for _ in range(5):
            yield ev.hold(40.0 + 10.0 * rng.random())
            change(rng.choice(made), rooms[3], rng.random())

    sim.process(changer())
    sim.run(until=300.0)
    told += [sim.events, sim.monitor.steps, sim.monitor.state_events, *[one.t for one in rooms]]
    told += [(one.low, one.limits.high) for one in made]
    return sim, told


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", [Thermostat, Counting])
def test_what_a_condition_of_a_row_refers_to_may_change(kind: type[Thermostat], change: Callable[..., None]) -> None:
    sim, told = outcome("auto", kind, change)
    assert told == outcome(False, kind, change)[1]
    assert kind is Counting or taken(sim) > 0.5 * sim.events


@pytest.mark.slow
def test_native_kernels_wait_for_what_fields_of_their_process_say() -> None:
    sim, told = outcome("auto", Thermostat, inner, native=True)
    assert told == outcome(False, Thermostat, inner)[1]
    assert taken(sim) > 0.5 * sim.events


@pytest.mark.slow
def test_a_field_that_is_set_while_rows_wait_is_noticed() -> None:
    sim, told = outcome("auto", Thermostat, field)
    assert told == outcome(False, Thermostat, field)[1]
    assert taken(sim) > 0.5 * sim.events


def test_conditions_that_refer_to_the_same_are_compared_only(monkeypatch: pytest.MonkeyPatch) -> None:
    globals()["MARGIN"] = 0.0
    sim = ev.Simulation(compile="auto")
    rooms = [Room(sim, t=18.0 + k / 8).start() for k in range(20)]
    for k, one in enumerate(rooms):
        Thermostat(sim, room=one, limits=Limits(22.0 + k / 16), told=[]).activate()
    sim.run(until=2.0)
    analyst, asked = type(sim._continuum.integrator.analyst), []
    plain = analyst.is_condition_current
    monkeypatch.setattr(analyst, "is_condition_current", lambda *given: asked.append(given) or plain(*given))
    before = sim.events
    sim.run(until=5.0)
    assert sim.events > before + 20
    assert len(asked) < 5 * 20  # of each a few times, before they are rows


# --- processes that are components themselves -----------------------------------------------------------------------


class Diver(ev.Process, ev.Continuous):
    depth: ev.State = ev.state(0.0)
    speed: float = 0.5
    turns: int = 0
    lowest: float = 1.0
    told: list[Any]
    pool: Pool

    def contributions(self) -> None:
        self.pool.stir += self.depth * 0.125

    def equations(self) -> None:
        self.rate.depth = self.speed - 0.0625 * self.pool.level

    def is_up(self) -> bool:
        return self.depth < 0.25

    def run(self) -> ev.ProcessGenerator:
        self.start()
        while True:
            self.speed = 0.5
            yield ev.until(lambda: self.depth > self.lowest)
            self.turns += 1
            self.told.append((self.sim.time, self.turns))
            yield ev.hold(0.25)
            self.speed = -0.5
            yield ev.until(self.is_up)


class Pool(ev.Continuous):
    level: ev.State = ev.state(1.0)
    stir: ev.Summed = ev.summed()

    def equations(self) -> None:
        self.rate.level = self.stir - 0.5 * self.level


def dived(compiles: Any, *others: Callable[..., ev.ProcessGenerator], native: bool = False) -> tuple[Any, list[Any]]:
    sim, told = simulation(compiles, native=native), list[Any]()
    pool = Pool(sim, name="pool").start()
    divers = [Diver(sim, name=f"diver {k}", told=told, pool=pool).activate(delay=0.5 * k) for k in range(3)]
    for other in others:
        sim.process(other(sim, divers, pool, told))
    for end in (23.0, 120.0):
        sim.run(until=end)
        told += [(one.name, one.depth, one.turns, one.idle, one.why_waiting()) for one in divers]
        told += [sim.time, sim.events, pool.level, sim.monitor.steps, sim.monitor.state_events]
        told += [(type(one).__name__, type(one) is Diver) for one in divers]
    told.append(re.findall(r"conditions .*", str(sim.report())))  # none is made anew as a class is another one
    return sim, told


@pytest.mark.slow
def test_processes_with_laws_are_native_as_a_whole() -> None:
    sim, told = dived("auto")
    assert told == dived(False)[1]
    assert taken(sim) > 0.6 * sim.events


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, True])
def test_who_starts_stops_and_watches_processes_with_laws_sees_what_they_are_in_python(native: bool) -> None:
    def meddler(sim: ev.Simulation, divers: list[Diver], pool: Pool, told: list[Any]) -> ev.ProcessGenerator:
        for k in iter(range(99)):  # Python's
            yield ev.hold(6.75)
            one = divers[k % 3]
            if k % 5 == 0:
                one.stop()
            elif k % 5 == 1:
                one.start()
            elif k % 5 == 2:
                Pool(sim, name=f"pool {k}", level=0.5).start()
            elif k % 5 == 3:
                divers[1].pool = pool if divers[1].pool is not pool else Pool(sim, name=f"other {k}").start()
            else:
                told.append((one.depth, one.turns, one.idle, one.active, repr(one)))

    def watcher(sim: ev.Simulation, divers: list[Diver], pool: Pool, told: list[Any]) -> ev.ProcessGenerator:
        yield ev.hold(30.0)
        for _ in iter(range(99)):  # Python's
            yield ev.until(lambda: divers[0].depth + divers[1].turns * 0.0 > 0.5 * pool.level + 0.25)
            told.append((sim.time, divers[0].depth))
            yield ev.hold(9.0)

    sim, told = dived("auto", meddler, watcher, native=native)
    assert told == dived(False, meddler, watcher)[1]
    assert taken(sim) > 50


class Ball(ev.Process, ev.Continuous):
    height: ev.State
    velocity: ev.State = ev.state(0.0)
    share: float
    told: list[Any]

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -8.0

    def run(self) -> ev.ProcessGenerator:
        self.start()
        while abs(self.velocity) > 0.25 or self.height > 0.0:
            yield ev.until(lambda: self.height <= 0.0 and self.velocity < 0.0)
            self.told.append(self.sim.time)
            self.velocity *= -self.share
        self.stop()


@pytest.mark.slow
def test_a_process_with_laws_that_ends_leaves_the_others_in_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    found, sims, brought, plain = [], [], [], Returning._bring
    monkeypatch.setattr(Returning, "_bring", lambda self, process: brought.append(process) or plain(self, process))
    for compiles in ("auto", False):
        sim, told = simulation(compiles), list[Any]()
        for k in range(6):
            Ball(sim, height=1.0 + k / 8, share=0.8 + k / 64, told=told).activate()
        sim.run(until=60.0)
        found.append([*told, sim.events, sim.monitor.steps])
        sims.append(sim)
    assert found[0] == found[1]
    assert taken(sims[0]) > 0.75 * sims[0].events
    assert len(brought) <= 3


@pytest.mark.slow
def test_who_waits_for_a_process_with_laws_for_the_first_time_waits_for_one_of_its_class() -> None:
    def watcher(sim: ev.Simulation, divers: list[Diver], pool: Pool, told: list[Any]) -> ev.ProcessGenerator:
        yield ev.hold(10.1)
        for _ in range(2):
            yield ev.until(lambda: divers[0].depth > 0.5 * pool.level + 0.25)
            told.append((sim.time, divers[0].depth))
            yield ev.hold(9.0)

    sim, told = dived("auto", watcher)
    assert told == dived(False, watcher)[1]
    assert taken(sim) > 5


def test_a_function_of_processes_is_told_once_and_how_much_of_a_run_was_native() -> None:
    def walk(told: list[Any], step: float) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(step)
            told.append(step)

    sim = simulation("auto")
    Thermostat(sim, room=Room(sim).start(), limits=Limits(22.0), told=[]).activate()
    for step in (1, 1.5):  # a body for each type
        sim.process(walk([], step))
    for until in (20.0, 40.0):
        sim.run(until=until)
    found = sim.explain()
    assert [(note.name, note.is_compiled) for note in found.processes] == [
        (walk.__qualname__, True),
        ("Thermostat.run", True),
    ]
    lines = str(found).splitlines()
    assert lines[0].endswith(", 2 of 2 processes")
    assert f"  {taken(sim)} of {sim.events} events up to now were native ones of these functions" in lines
    assert taken(sim) > 20
    assert found.rows is not None
    (none,) = found.rows._replace(taken=0).lines()
    assert none.startswith(f"  0 of {sim.events} events up to now were native ones of these functions: those begin")
