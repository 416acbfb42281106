"""Processes that others make as native code are the same as in Python, wherever they are cut."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_spawning
from random_bodies import hurry, load, made, simulation

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(seed: int, mode: tuple[int, int, int], folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many processes were made in rows."""
    module = load(random_spawning.program(seed, *mode), folder, f"spawning{seed}")
    expected = random_spawning.outcome(simulation(False), module, seed, *mode)
    sim = simulation("auto", native=native)
    assert random_spawning.outcome(sim, module, seed, *mode) == expected, seed
    return made(sim)


SEEDS = (0, 9, 19)
MODES = {"alone": (0, 0, 0), "glanced at": (0, 0, 4), "looked at": (6, 3, 6), "meddled with": (14, 10, 11)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_processes_made_by_rows_that_run_as_python_are_the_same(mode: tuple[int, int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=False) for seed in SEEDS) > 20


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_processes_made_by_rows_are_the_same_in_many_models(mode: tuple[int, int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=False) for seed in (4, 7, 14, 25)) > 30


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_processes_made_by_native_code_are_the_same(mode: tuple[int, int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=True) for seed in SEEDS[:2]) > 20


def arrivals(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for number in range(200):
        yield ev.hold(rng.expovariate(1.0))
        sim.process(customer(sim, rng, desk, number, log))


def customer(
    sim: ev.Simulation, rng: Random, desk: ev.Resource, number: int, log: list[Any], rate: float = 1.0
) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(rng.expovariate(rate))
    if number % 50 == 49:
        log.append((number, sim.time, sim.current.name, [process.name for process in sim.processes]))


def run_desk(sim: ev.Simulation) -> list[Any]:
    rng, desk, log = Random(3), ev.Resource(sim), []
    sim.process(arrivals(sim, rng, desk, log))
    sim.run(until=140.0)
    alive = [(p.name, p._anchor, p.why_waiting()) for p in sim.processes]
    sim.run()
    waits = list(desk.waits.values)
    return [log, alive, waits, list(desk.queue._held.items()), sim.events, sim.time, rng.random(), desk.counts]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_customers_of_a_desk_begin_queue_and_end_in_rows(native: bool) -> None:
    expected = run_desk(simulation(False))
    sim = simulation("auto", native=native)
    assert run_desk(sim) == expected
    assert len(expected[0]) == 4
    assert len(expected[1]) > 2
    assert made(sim) > 100
    assert sim._migration is not None
    assert sim._migration._memory.run.alive == 0


def test_who_makes_what_stays_python_is_told() -> None:
    def source(sim: ev.Simulation) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.0)
            sim.process(looker(sim))
            kept = sim.process(holder())
            yield 0.0
            if kept.terminated:
                return

    def looker(sim: ev.Simulation) -> ev.ProcessGenerator:
        yield ev.hold(3.0)
        vars()

    def holder() -> ev.ProcessGenerator:
        yield ev.hold(3.0)

    sim = simulation("auto")
    sim.process(source(sim))
    sim.run(until=30.0)
    text = str(sim.explain())
    assert "`sim.process(looker(sim))`: it calls one of" in text
    assert "`sim.process(holder())`: a process to which something else refers is made by Python" in text


def test_processes_of_both_kinds_stand_in_the_order_in_which_they_were_made() -> None:
    def source(sim: ev.Simulation, name: str, gap: float) -> ev.ProcessGenerator:
        for _ in range(40):
            yield ev.hold(gap)
            sim.process(worker(2.5 * gap), name="known")
            sim.process(worker(1.5))

    def worker(duration: float) -> ev.ProcessGenerator:
        yield ev.hold(duration)
        yield 0.5

    def outsider(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
        for turn in iter(range(12)):
            yield ev.hold(2.5)
            sim.process(worker(4.0), name=f"made outside {turn}")
            if turn % 3 == 2:
                log.append([process.name for process in sim.processes])

    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []
        sim.process(source(sim, "one", 0.5))
        sim.process(source(sim, "two", 0.75))
        sim.process(outsider(sim, log))
        sim.run()
        return [log, sim.events, sim.time]

    sim = simulation("auto")
    assert run(sim) == run(simulation(False))
    assert made(sim) > 60


def test_what_comes_after_a_row_comes_after_it_also_when_that_has_gone_away_again() -> None:
    def worker(log: list[float], gap: float) -> ev.ProcessGenerator:
        for turn in range(60):
            yield ev.hold(gap)
            log.append(gap + turn)

    def late(log: list[float]) -> ev.ProcessGenerator:
        log.append(-1.0)
        yield 1.0

    def meddler(sim: ev.Simulation, log: list[float], one: ev.Process) -> ev.ProcessGenerator:
        for _ in iter(range(10)):
            one.reactivate(at=sim.time + 3.0)
            sim.process(late(log)).reactivate(after=one)
            yield ev.hold(5.0)

    def run(sim: ev.Simulation) -> list[Any]:
        log: list[float] = []
        one = sim.process(worker(log, 1.0))
        for gap in (0.25, 0.5):
            sim.process(worker(log, gap))
        sim.process(meddler(sim, log, one))
        sim.run()
        return [log, sim.events, sim.time]

    sim = simulation("auto")
    assert run(sim) == run(simulation(False))
    assert sim._migration is not None
    assert sim._migration.taken > 50


@pytest.mark.slow
def test_what_a_row_makes_comes_before_what_its_event_makes_in_python() -> None:
    def source(sim: ev.Simulation, seen: list[float], log: list[Any], first: float) -> ev.ProcessGenerator:
        for turn in range(60):
            yield ev.hold(1.0)
            sim.process(worker(seen, first))
            if turn % 8 == 3:
                log.append([(process.name, process._anchor) for process in sim.processes])
            elif turn % 8 == 7:
                log.append((turn, sim.time))
            sim.process(worker(seen, first + 0.25))
            sim.process(worker(seen, first + 0.5))

    def worker(seen: list[float], number: float) -> ev.ProcessGenerator:
        seen.append(number)
        yield ev.hold(2.5)
        seen.append(-number)

    def run(sim: ev.Simulation) -> list[Any]:
        seen: list[float] = []
        log: list[Any] = []
        for first in (1.0, 2.0):
            sim.process(source(sim, seen, log, first))
        sim.run()
        return [seen, log, sim.events]

    sim = simulation("auto")
    assert run(sim) == run(simulation(False))
    assert made(sim) > 60


def named(sim: ev.Simulation, rng: Random, desk: ev.Resource) -> ev.ProcessGenerator:
    for number in range(400):
        yield ev.hold(rng.expovariate(1.0))
        sim.process(visitor(rng, desk), name=f"visitor {number + 1} of {{all}}")


def visitor(rng: Random, desk: ev.Resource) -> ev.ProcessGenerator:
    yield from desk.use(rng.expovariate(0.9))


@pytest.mark.slow
def test_processes_have_the_names_with_the_numbers_that_they_were_given() -> None:
    def run(sim: ev.Simulation) -> Any:
        rng, desk, seen = Random(5), ev.Resource(sim), []
        sim.process(named(sim, rng, desk))
        for _ in range(4):
            sim.run(until=sim.time + 100.0)
            seen.append([(one.name, repr(one), one.why_waiting()) for one in sim.processes])
        return [sim.events, seen]

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    names = [name for turn in expected[1] for name, _, _ in turn if name != "named 1"]
    assert len(names) > 10
    assert all(name.startswith("visitor ") and name.endswith(" of {all}") for name in names)
    assert made(sim) > 200
    assert sim._migration.exits == {}


def drawn(sim: ev.Simulation, rng: Random, desk: ev.Resource) -> ev.ProcessGenerator:
    for _ in range(60):
        yield ev.hold(1.0)
        sim.process(late(rng.random(), desk), name=f"{int(9.0 * rng.random())} drawn")


def late(length: float, desk: ev.Resource) -> ev.ProcessGenerator:
    yield from desk.use(length)


def test_a_name_that_is_drawn_is_drawn_after_the_arguments() -> None:
    def run(sim: ev.Simulation) -> Any:
        desk, seen = ev.Resource(sim), []
        sim.process(drawn(sim, Random(5), desk))
        for _ in range(6):
            sim.run(until=sim.time + 10.125)
            seen.append([(one.name, one.why_waiting()) for one in sim.processes])
        return [sim.events, seen, desk.in_use.mean]

    assert run(simulation("auto")) == run(simulation(False))
