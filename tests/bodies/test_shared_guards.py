"""A process that waits for what another has waited for has its guard once that has ended, in Python and in rows."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


class Tank(ev.Continuous):
    level: ev.State = ev.state(10.0)
    inflow: float = 0.0

    def equations(self) -> None:
        self.rate.level = self.inflow - 0.1 * self.level


Told = list[Any]
Visit = Callable[..., ev.ProcessGenerator]


def is_low() -> bool:
    return PLACES[0].level <= 6.0


PLACES: list[Tank] = []


def coming(
    visit: Visit, tanks: list[Tank], told: Told, which: int, *, start: float, pause: float, most: int, name: str
) -> Visit:
    """Processes that make others, one after the other."""
    tank = tanks[which]

    def source(sim: ev.Simulation) -> ev.ProcessGenerator:
        yield ev.hold(start)
        for k in range(most):
            yield ev.hold(pause)
            sim.process(visit(sim, tank, tanks, told, k, 0.125 * (k % 3)))

    def named(sim: ev.Simulation) -> ev.ProcessGenerator:
        yield ev.hold(start)
        for k in range(most):
            yield ev.hold(pause)
            sim.process(visit(sim, tank, tanks, told, k, 0.125 * (k % 3)), name="visitor")

    return named if name else source


def stir(sim: ev.Simulation, tank: Tank, rng: Random) -> ev.ProcessGenerator:
    while True:
        tank.level = 9.0
        yield ev.hold(rng.expovariate(1.0))
        tank.level = 4.0
        yield ev.hold(rng.expovariate(1.0))


def outcome(
    compiles: Any, visit: Visit, *others: Callable[[ev.Simulation, Tank, Told], ev.ProcessGenerator], **given: Any
) -> tuple[ev.Simulation, Told]:
    """A run in which processes come, wait for states and go, and what can be seen of it."""
    sim, told = simulation(compiles), []
    tanks = [Tank(sim, name=f"tank {k}", level=10.0 - k).start() for k in range(2)]
    PLACES[:] = tanks
    plan = {"start": 0.0, "pause": 0.75, "most": 75, "name": "", **given}
    for which in range(2):
        sim.process(coming(visit, tanks, told, which, **plan)(sim))
    for k, tank in enumerate(tanks):
        sim.process(stir(sim, tank, Random(k)))
    for other in others:
        sim.process(other(sim, tanks[0], told))
    for end in (11.0, 23.5, 60.0):
        try:
            sim.run(until=end)
        except ev.EventideError as error:
            told.append(str(error))
        told += [(process.name, process.why_waiting()) for process in sim.processes]
        for k in range(6):  # Python makes these
            sim.process(visit(sim, tanks[0], tanks, told, 100 + k, 0.125 * (k % 3)), name=f"{k} made at {end}")
        told += [sim.time, sim.events, *[tank.level for tank in tanks], str(sim.report())]
    return sim, told


def same(visit: Visit, *others: Callable[[ev.Simulation, Tank, Told], ev.ProcessGenerator], **given: Any) -> int:
    """Compare such a run in rows and in Python; returns how often Python has gone on with processes of rows."""
    sim, told = outcome("auto", visit, *others, **given)
    assert told == outcome(False, visit, *others, **given)[1]
    assert taken(sim) > 9
    assert sim._migration is not None
    return sum(sim._migration.exits.values())


def low(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    yield ev.until(lambda: tank.level <= 6.0)
    tank.level += 0.125
    yield ev.hold(0.5 + x)
    told.append((k, sim.time))


def test_who_comes_waits_by_the_guard_of_who_has_gone() -> None:
    assert same(low) <= 20


def deep(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    yield ev.until(lambda: tank.level <= 6.0 + x)
    x += 0.25
    yield ev.until(lambda: tank.level >= 6.0 + x, priority=1)
    told.append((k, x, sim.time))


def test_each_tells_the_guard_numbers_of_its_own() -> None:
    assert same(deep) <= 24


def either(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    place = tanks[k % 2]
    yield ev.hold(0.125)
    yield ev.until(lambda: place.level <= 7.0)
    told.append((k, place.name, sim.time))
    yield ev.hold(0.25)


def test_a_guard_serves_who_waits_for_the_same_objects() -> None:
    same(either)


def asked(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    yield ev.until(lambda tank=tank: tank.level <= 7.0)
    yield ev.until(is_low)
    told.append((k, sim.time))


def test_what_a_lambda_has_as_its_default_is_not_looked_at() -> None:
    same(asked)


def first(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    got = yield ev.first_of(low=ev.until(lambda: tank.level <= 6.0), late=ev.hold(1.5 + x))
    told.append((k, got.name, sim.time))


def test_one_of_several_things_may_be_such_a_wait() -> None:
    assert same(first) <= 18


def cut(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    try:
        yield ev.until(lambda: tank.level <= 5.0)
        told.append((k, sim.time))
    except ev.Interrupt as found:
        told.append((k, found.cause, sim.time))
    yield ev.hold(0.5)


def test_who_is_interrupted_gives_its_guard_back() -> None:
    def wake(sim: ev.Simulation, tank: Tank, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.25)
            for process in sim.processes:
                if process.name.startswith("cut") and process is not sim.current:
                    process.interrupt("wake")
                    break

    same(cut, wake)


def test_who_is_looked_at_has_its_guard_in_python() -> None:
    def look(sim: ev.Simulation, tank: Tank, told: Told) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.75)
            told += [process.idle for process in sim.processes if process.name.startswith("low")][:1]

    same(low, look)


def gone(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
    yield ev.until(lambda: tank.level <= 6.0)
    told.append((k, sim.time))
    if k % 9 == 4:
        del tank
    elif k % 9 == 8:
        tank = tanks[1]


def test_variables_of_who_has_gone_may_have_other_values_or_none() -> None:
    same(gone)


@pytest.mark.parametrize("name", ["", "visitor"])
def test_a_firing_history_is_of_one_name(name: str) -> None:
    def eager(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level <= 11.0)
        told.append((k, sim.time))

    same(eager, start=8.0, pause=2e-15, most=1200, name=name)


def test_it_is_told_by_name_who_fires_ever_faster() -> None:
    def hasty(sim: ev.Simulation, tank: Tank, tanks: list[Tank], told: Told, k: int, x: float) -> ev.ProcessGenerator:
        pause = 0.125
        while True:
            yield ev.until(lambda: tank.level <= 20.0)
            if k != 31:
                return
            yield ev.hold(pause)
            pause *= 0.5

    told = outcome("auto", hasty, pause=0.25, most=32)[1]
    assert told == outcome(False, hasty, pause=0.25, most=32)[1]
    assert any("hasty 63 fires ever faster" in text for text in told if isinstance(text, str))


def test_what_moves_may_change_while_guards_are_shared() -> None:
    def rest(sim: ev.Simulation, tank: Tank, told: Told) -> ev.ProcessGenerator:
        yield ev.hold(18.0)
        tank.stop()
        yield ev.hold(1.0)
        tank.start()
        yield ev.hold(5.0)
        Tank(sim, name="third").start()

    same(low, rest)
