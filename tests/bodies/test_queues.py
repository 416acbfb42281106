"""Processes that queue for resources as native code leave the same as in Python, wherever they are cut."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_queues
from random_bodies import hurry, load

import eventide as ev
from eventide.bodies.stations import statistics
from eventide.migration.bodies import Bodies
from eventide.rows import memory


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(seed: int, acts: int, looks: int, folder: Path, *, native: bool) -> tuple[int, int]:
    """Run a random model in Python and in rows; how many events of rows there were, and how many trips of resources."""
    module = load(random_queues.program(seed, acts, looks), folder, f"queues{seed}")
    expected = random_queues.outcome(ev.Simulation(rng=7, compile=False), module, seed, acts, looks)
    sim = ev.Simulation(rng=7)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    found = random_queues.outcome(sim, module, seed, acts, looks)
    assert found == expected, seed
    return (
        (0, 0)
        if sim._migration is None or sim._migration._things is None
        else (sim._migration.taken, len(sim._migration._things.stations))
    )


LOOKED_AT = {"alone": (0, 0), "looked at": (6, 4), "meddled with": (13, 10)}


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_queueing_rows_that_run_as_python_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    done = [compare(seed, acts, looks, tmp_path, native=False) for seed in (1, 5, 9, 12)]
    assert sum(taken for taken, _ in done) > 50
    assert sum(stations for _, stations in done) > 2


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_queueing_rows_leave_the_same_in_many_models(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=False)[0] for seed in range(20)) > 500


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_native_queueing_rows_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=True)[0] for seed in (0, 1, 4, 6, 10, 21)) > 200


KEEPING = """
import eventide as ev


def user(sim, one, kept, n):
    for k in range(n):
        yield ev.hold(1.0)
        with one.request() as unit:
            yield unit
            if k % 7 == 3:
                kept.append(unit)
            yield ev.hold(0.75)
            yield ev.hold(0.5)


def reader(sim, kept, log):
    for k in iter(range(40)):
        yield ev.hold(2.5)
        log.append([(unit.state, unit.since, unit.process.name) for unit in kept])
"""


def test_a_request_that_somebody_else_has_stays_python(tmp_path: Path) -> None:
    module = load(KEEPING, tmp_path, "keeping")

    def run(sim: ev.Simulation) -> Any:
        one, kept, log = ev.Resource(sim), [], []
        for n in (20, 30, 40):
            sim.process(module.user(sim, one, kept, n))
        sim.process(module.reader(sim, kept, log))
        sim.run()
        return sim, log, [(unit.state, unit.since) for unit in kept]

    _, *expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim)[1:] == tuple(expected)
    assert sim._migration is not None
    assert sim._migration.taken > 20


MACHINES = """
import eventide as ev


def machine(sim, rng, crew, n):
    for _ in range(n):
        yield ev.hold(rng.expovariate(1.0))
        with crew.request(rng.random(), units=1) as who:
            yield who
            yield ev.hold(rng.expovariate(8.0))
"""


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_closed_model_stays_away_and_has_the_statistics_of_python(tmp_path: Path, native: bool) -> None:
    module = load(MACHINES, tmp_path, "machines")

    def run(sim: ev.Simulation) -> Any:
        rng, crew = Random(5), ev.Resource(sim, 2)
        for _ in range(20):
            sim.process(module.machine(sim, rng, crew, 60))
        sim.run()
        levels = [(list(level._held.items()), level._changed) for level in (crew.in_use, crew.queue)]
        return sim.events, sim.time, rng.random(), levels, list(crew.waits.values), crew.counts

    expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim) == expected
    assert sim._migration is not None
    assert sim._migration.taken > 0.9 * sim.events
    assert sim._migration.exits == {}


@pytest.mark.slow
def test_a_line_that_grows_without_end_comes_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(MACHINES, tmp_path, "overloaded")
    monkeypatch.setattr(memory, "MOST_WAITING", 3)
    monkeypatch.setattr(statistics, "MOST", 4)

    def run(sim: ev.Simulation) -> Any:
        rng, crew = Random(5), ev.Resource(sim)
        for _ in range(60):
            sim.process(module.machine(sim, rng, crew, 3))
        sim.run()
        return sim.events, rng.random(), list(crew.queue._held.items()), list(crew.waits.values)

    expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim) == expected
    assert max(dict(expected[2])) > 20
    assert sim._migration is not None
    assert (
        max(
            sim._migration._memory.level.size[station.parts[1].row]
            for station in sim._migration._things.stations.values()
        )
        < 60
    )


LEAVING = """
import eventide as ev


def leaving(sim, crew, other, n):
    for k in range(n):
        yield ev.hold(0.5 + 0.25 * n)
        while True:
            with crew.request() as who:
                yield who
                yield ev.hold(0.25)
                if k == 4:
                    k = 5
                    continue
                with other.request() as second:
                    yield second
                    if k == n - 2:
                        break
                    if k == n - 1:
                        return
                    yield ev.hold(0.125)
            break
    yield ev.hold(1.0)
"""


def test_whoever_leaves_a_block_on_any_way_gives_its_units_back(tmp_path: Path) -> None:
    module = load(LEAVING, tmp_path, "leaving")

    def run(sim: ev.Simulation) -> Any:
        resources = ev.Resource(sim, 2), ev.Resource(sim)
        for n in range(10, 16):
            sim.process(module.leaving(sim, *resources, n))
        sim.run()
        return sim.events, sim.time, [(one.counts, list(one.in_use._held.items()), one._held) for one in resources]

    expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim) == expected
    assert [held for *_, held in expected[2]] == [0, 0]
    assert sim._migration is not None
    assert sim._migration.taken > 0.8 * sim.events


STALE = """
import eventide as ev


def patient(sim, crew, log):
    try:
        yield ev.hold(10.0)
    except ev.Interrupt:
        pass
    for k in range(30):
        yield ev.hold(0.7)
        with crew.request() as who:
            yield who
            yield ev.hold(0.1)
    log.append(sim.time)


def impatient(sim, others):
    yield ev.hold(1.0)
    for other in iter(others):
        other.interrupt()
"""


def test_what_an_interrupted_hold_leaves_in_the_event_list_is_no_look_at_who_is_away(tmp_path: Path) -> None:
    module = load(STALE, tmp_path, "stale")

    def run(sim: ev.Simulation) -> Any:
        crew, log = ev.Resource(sim), []
        others = [sim.process(module.patient(sim, crew, log)) for _ in range(5)]
        sim.process(module.impatient(sim, others))
        sim.run(until=60.0)
        return sim.events, log, [other.terminated for other in others], crew.counts

    expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim) == expected
    assert len(expected[1]) == 5


BALKING = """
import eventide as ev


def length(desk):
    return desk.in_use.value + desk.queue.value


def customer(sim, desk, lost, seen):
    if desk.queue.value >= 2 or (not desk.available and len(desk.waiting) == desk.capacity + 1):
        lost.append(sim.time)
        return
    seen.append(length(desk) - len(desk.users) - len(desk.waiting) + 0.5 * desk.available)
    with desk.request() as place:
        yield place
        seen.append(desk.capacity - desk.available - desk.in_use.value + 0.25 * desk.queue.value)
        yield ev.hold(sim.stream("services").exponential(1.0))


def door(sim, desk, lost, seen):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(0.5))
        sim.process(customer(sim, desk, lost, seen))
"""


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_looks_at_the_line_does_so_in_its_row(tmp_path: Path, native: bool) -> None:
    module = load(BALKING, tmp_path, "balking")

    def run(sim: ev.Simulation) -> Any:
        desk, lost, seen = ev.Resource(sim, 2), [], []
        sim.process(module.door(sim, desk, lost, seen))
        sim.run(until=200.0)
        return sim.events, lost, seen, list(desk.waits.values), desk.counts

    expected = run(ev.Simulation(rng=1, compile=False))
    sim = ev.Simulation(rng=1)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert run(sim) == expected
    assert len(expected[1]) > 20
    assert sim._migration is not None
    assert sim._migration.taken > 0.9 * sim.events
    assert sim._migration.exits == {}


@pytest.mark.slow
@pytest.mark.parametrize("keeps", ["variable", "list", "two blocks"])
def test_a_line_with_requests_outside_blocks_stays_in_python(keeps: str) -> None:
    def blocks(sim: ev.Simulation, desk: ev.Resource, gap: float) -> ev.ProcessGenerator:
        for _ in range(30):
            yield ev.hold(gap)
            with desk.request() as place:
                yield place
                yield ev.hold(0.5)

    def others(sim: ev.Simulation, desk: ev.Resource, kept: list[ev.Request]) -> ev.ProcessGenerator:
        spare = ev.Resource(sim, 9)
        for _ in range(30):
            yield ev.hold(0.25)
            if keeps == "variable":
                place = desk.request()
                yield place
            elif keeps == "list":
                kept.append(desk.request())
                place = kept[-1]
                yield kept[-1]
            else:
                with desk.request() as place, spare.request() as own:
                    yield place
                    yield own
                    yield ev.hold(0.5)
                continue
            yield ev.hold(0.5)
            place.release()

    def run(sim: ev.Simulation) -> list[Any]:
        desk = ev.Resource(sim)
        for gap in (0.75, 1.0):
            sim.process(blocks(sim, desk, gap))
            sim.process(others(sim, desk, []))
        sim.run()
        return [sim.time, sim.events, desk.waits.values.tolist(), desk.queue.mean, desk.counts]

    assert run(ev.Simulation(rng=1)) == run(ev.Simulation(rng=1, compile=False))
