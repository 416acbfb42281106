"""Levels that processes change as native code are the same as in Python, wherever somebody looks at them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from random_bodies import hurry, simulation

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def kept(level: ev.Level) -> str:
    """All that a level has, the types of its values included."""
    return repr((list(level._held.items()), level._value, level._changed, level.mean, level.maximum))


def both(run: Any, *, native: bool = False) -> tuple[Any, ev.Simulation]:
    """What a model leaves in rows, which is what it leaves in Python."""
    expected, sim = run(simulation(False)), simulation("auto", native=native)
    assert run(sim) == expected
    return expected, sim


def taken(sim: ev.Simulation) -> int:
    """How many events of rows there were."""
    return 0 if sim._migration is None else sim._migration.taken


class Machine(ev.Process):
    """Runs, breaks down and is repaired."""

    repairers: ev.Resource
    running: ev.Level
    rng: Random

    def run(self) -> ev.ProcessGenerator:
        while True:
            yield self.rng.expovariate(1.0)
            self.running.change(-1)
            yield from self.repairers.use(self.rng.expovariate(2.0))
            self.running.change(+1)


def visitor(sim: ev.Simulation, inside: ev.Level, rng: Random, most: list[Any]) -> ev.ProcessGenerator:
    for _ in range(8):
        yield ev.hold(rng.expovariate(1.0))
        inside.change(1.0)
        most.append(inside.value)
        yield ev.hold(rng.expovariate(0.25))
        inside.change(-1.0)


def stock(sim: ev.Simulation, store: ev.Level, rng: Random, low: list[Any]) -> ev.ProcessGenerator:
    for k in range(40):
        yield ev.hold(rng.expovariate(1.0))
        if store.value >= 5:
            store.change(-5)
        else:
            low.append(sim.time)
            store.set(100 + k)


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_levels_that_rows_change_have_the_statistics_of_python_at_any_cut(native: bool) -> None:
    def run(sim: ev.Simulation, cuts: int) -> list[Any]:
        rng, crew, log = Random(3), ev.Resource(sim, 2), list[Any]()
        running, inside, store = ev.Level(5, clock=sim), ev.Level(clock=sim), ev.Level(20, clock=sim)
        for _ in range(5):
            Machine(sim, repairers=crew, running=running, rng=rng).activate()
        for _ in range(20):
            sim.process(visitor(sim, inside, rng, log))
        for _ in range(2):
            sim.process(stock(sim, store, rng, log))
        looks = []
        for cut in range(cuts):
            sim.run(until=2.0 * (cut + 1))
            looks.append((running.mean, inside.value, store.maximum))
            if cut == 5:
                sim.reset_statistics()
        sim.run(until=60.0)
        return [log, looks, kept(running), kept(inside), kept(store), sim.events, rng.random()]

    found, sim = both(lambda sim: run(sim, 0), native=native)
    assert taken(sim) > 0.85 * sim.events
    assert sim._migration is not None
    assert sum(sim._migration.exits.values()) < 4
    assert "1.0" in found[3].partition(",")[2]
    _, sim = both(lambda sim: run(sim, 20), native=native)
    assert taken(sim) > 0.3 * sim.events


def counter(sim: ev.Simulation, level: ev.Level, difference: float) -> ev.ProcessGenerator:
    for k in range(30):
        yield ev.hold(0.5)
        level.change(difference if k % 2 else -difference)


KINDS = {
    "halves": (0, 0.5),
    "floats of whole numbers": (3, 1.0),
    "whole numbers of floats": (3.0, 1),
    "below 0": (0, 2),
}


@pytest.mark.parametrize(("initial", "difference"), KINDS.values(), ids=KINDS)
def test_levels_of_other_values_and_types_are_right(initial: float, difference: float) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        level = ev.Level(initial, clock=sim)
        for _ in range(3):
            sim.process(counter(sim, level, difference))
        sim.run()
        return [kept(level), sim.events]

    both(run)


def test_a_level_that_is_a_resources_own_stays_its() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk = ev.Resource(sim)

        def client(desk: ev.Resource, line: ev.Level, seen: list[float]) -> ev.ProcessGenerator:
            for _ in range(20):
                yield ev.hold(0.75)
                seen.append(1.0 * line.value)
                yield from desk.use(0.5)

        seen = list[float]()
        for _ in range(3):
            sim.process(client(desk, desk.queue, seen))
        sim.run()
        return [seen, kept(desk.queue), kept(desk.in_use), desk.counts, sim.events]

    both(run)


def test_a_level_that_is_a_resources_own_is_not_set_by_rows() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk = ev.Resource(sim, name="desk")

        def worker(level: ev.Level, begin: float) -> ev.ProcessGenerator:
            yield ev.hold(begin)
            while True:
                yield ev.hold(0.75)
                level.set(1)

        own = sim.level(initial=0)
        for level in (own, own, own, desk.in_use):
            sim.process(worker(level, 0.0 if level is own else 20.5))
        with pytest.raises(ev.ModelError, match=r"^level 'desk in use' cannot be set to 1: desk keeps it itself"):
            sim.run(until=40.0)
        return [kept(own), kept(desk.in_use), sim.time]

    both(run)


def test_what_a_process_in_python_sees_of_a_level_is_its_value() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        level, rng, log = ev.Level(4, clock=sim), Random(1), list[Any]()

        def looker() -> ev.ProcessGenerator:
            for _ in iter(range(30)):
                yield ev.hold(0.75)
                log.append((level.value, type(level.value), level.mean, repr(level)))

        for _ in range(3):
            sim.process(stock(sim, level, rng, log))
        sim.process(looker())
        sim.run()
        return [log, kept(level), sim.events]

    _, sim = both(run)
    assert taken(sim) > 20
