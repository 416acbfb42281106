"""Rows have events while others wait for what only events change, where these read what no row sets."""

from __future__ import annotations

import enum
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import random_bodies
from bodies.holders import both
from random_bodies import taken

import eventide as ev
from eventide.monitor.row_driver import HybridDriver


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)
    monkeypatch.setattr(HybridDriver, "least_share", 0.0)


class Mode(enum.Enum):
    """Of a plant."""

    OFF = 1
    ON = 2


class Plant:
    """What Python sets, and rows: `made`."""

    limit = 2

    def __init__(self) -> None:
        self.orders, self.made, self.size, self.mode, self.note = 0, 0, 1, Mode.OFF, SimpleNamespace(is_late=False)
        self.told: list[float] = []

    @property
    def behind(self) -> int:
        """Depends on what rows set."""
        return self.orders - self.made


ORDERS = 2


def conditions(sim: ev.Simulation, plant: Plant, desk: ev.Resource) -> list[Any]:
    """What may be waited for: all but the last four read plain attributes that Python sets."""
    return [
        lambda: plant.orders > 1,
        lambda: plant.orders % 3 == 2 and not plant.note.is_late,
        lambda: plant.size > ORDERS or plant.orders >= plant.limit + 1,
        lambda: plant.mode is Mode.ON,
        lambda: plant.mode == Mode.OFF and plant.orders - 2 * plant.size > -3,
        lambda: len(plant.told) % 5 == 4,
        lambda: plant.behind < 0,
        lambda: plant.made % 4 == 3,
        lambda: desk.available == 0,
    ]


def change(plant: Plant, rng: Random) -> None:
    """What Python does to it."""
    kind = rng.randrange(6)
    if kind < 2:
        plant.orders = 0 if kind and plant.orders > 4 else plant.orders + 1
    elif kind < 4:
        plant.size += 2 * kind - 5
    elif kind == 4:
        plant.mode = Mode.OFF if plant.mode is Mode.ON else Mode.ON
    else:
        plant.note = SimpleNamespace(is_late=not plant.note.is_late)


def clerk(sim: ev.Simulation, rng: Random, plant: Plant, rounds: int) -> ev.ProcessGenerator:
    for _ in range(rounds):
        yield ev.hold(rng.choice((0.5, 1.0, 2.25)))
        change(plant, rng)


def waiter(sim: ev.Simulation, rng: Random, tests: list[Any], log: list[Any], plant: Plant) -> ev.ProcessGenerator:
    while True:
        test = tests[rng.randrange(len(tests))]
        if rng.random() < 0.3:
            found = yield ev.first_of(seen=ev.until(test), late=ev.hold(3.0))
            log.append((sim.current.name, sim.time, found.name, plant.made, sim.events))
        else:
            yield ev.until(test, priority=rng.choice((0, 0, 1)))
            log.append((sim.current.name, sim.time, plant.made, sim.events))
        yield ev.hold(rng.choice((0.25, 0.5, 1.5)))


def holding(sim: ev.Simulation, rng: Random, level: ev.Level, rounds: int) -> ev.ProcessGenerator:
    for _ in range(rounds):
        try:
            yield ev.hold(rng.expovariate(2.0))
            level.change(1.0)
            yield ev.hold(0.25)
            level.change(-1.0)
        except ev.Interrupt:
            level.set(0.0)


def maker(sim: ev.Simulation, plant: Plant, step: float, rounds: int) -> ev.ProcessGenerator:
    for _ in range(rounds):
        yield ev.hold(step)
        plant.made += 1
        plant.told.append(sim.time)


def caller(sim: ev.Simulation, plant: Plant, step: float, rounds: int) -> ev.ProcessGenerator:
    for k in range(rounds):
        yield ev.hold(step)
        if k % 4 == 3:
            tell(plant, k)
        yield ev.hold(0.0)


def tell(plant: Plant, k: int) -> None:
    """Only Python can do that."""
    plant.size = max({k % 3, plant.size % 2})
    plant.orders += k % 2


def guest(sim: ev.Simulation, desk: ev.Resource, step: float, rounds: int) -> ev.ProcessGenerator:
    for _ in range(rounds):
        with desk.request() as request:
            yield request
            yield ev.hold(step)
        yield ev.hold(0.25)


def model(seed: int, *, is_plain: bool) -> Any:
    """A model of which rows may have most events.

    is_plain    whether all that is waited for reads plain attributes that Python sets
    """

    def run(sim: ev.Simulation) -> Any:
        rng, plant, desk, log = Random(seed), Plant(), ev.Resource(sim, 2, name="desk"), []
        level, own = sim.level("busy"), Random(seed + 1)
        tests = conditions(sim, plant, desk)
        tests = tests[:-4] if is_plain else tests
        processes = [
            *(holding(sim, own, level, 40) for _ in range(rng.randrange(3))),
            *(maker(sim, plant, rng.choice((0.5, 0.75)), 40) for _ in range(rng.randrange(3))),
            *(guest(sim, desk, rng.choice((0.5, 1.25)), 25) for _ in range(rng.randrange(4))),
            *(caller(sim, plant, rng.choice((0.5, 1.25)), 30) for _ in range(rng.randrange(2))),
            *(clerk(sim, Random(rng.random()), plant, 20) for _ in range(rng.randrange(1, 3))),
            *(waiter(sim, Random(rng.random()), tests, log, plant) for _ in range(rng.randrange(1, 4))),
        ]
        rng.shuffle(processes)
        seen = sim.record(level, every=rng.choice(("event", 0.75))) if rng.random() < 0.4 else None
        while processes:  # a row has nothing that others hold
            sim.process(processes.pop())
        first = sim.process(holding(sim, own, level, 200))
        for time in (4.0, 4.25, 11.0, 60.0):
            sim.run(until=time)
            log.append((sim.time, sim.events, plant.made, level.value, level.mean, desk.in_use, len(sim.processes)))
            if rng.random() < 0.3 and not first.terminated:
                first.interrupt("away")
        return log, None if seen is None else seen.to_pandas(sides=True).to_csv()

    return run


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("is_plain", [True, False])
def test_random_models_are_as_in_python(seed: int, is_plain: bool) -> None:
    (_, recorded), sim = both(model(seed, is_plain=is_plain))
    assert taken(sim) or recorded is not None or not is_plain


def test_what_is_waited_for_is_set_by_python_and_all_else_in_rows() -> None:
    def run(sim: ev.Simulation) -> Any:
        plant, log, level = Plant(), [], sim.level("busy")

        def wait() -> ev.ProcessGenerator:
            while True:
                yield ev.until(lambda: plant.made % 2 == 1)
                log.append((sim.time, plant.made, level.value))
                yield ev.hold(15.0)

        sim.process(maker(sim, plant, 20.0, 5))
        sim.process(wait())
        sim.process(holding(sim, Random(1), level, 200))
        sim.run(until=100.0)
        return log, level.mean

    _, sim = both(run)
    assert taken(sim) > 0.8 * sim.events


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1600, 60))
def test_many_random_models_are_as_in_python(start: int) -> None:
    for seed in range(start, start + 60):
        both(model(seed, is_plain=seed % 3 > 0), native=seed % 2 > 0)
