"""Tuples and lists that are written with constants: they are chosen from, indexed and handed on as in Python."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def part_of(items: tuple[float, ...], share: float) -> float:
    return items[int(share * len(items))]


def machinist(sim: ev.Simulation, gen: Any, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(gen.choice([0.5, 1.0, 2.5]))
        kind = gen.choice(("fast", "slow"))
        yield ev.hold([0.25, 0.75][gen.randint(0, 1)] if kind == "fast" else (1.5, 0.5)[gen.randint(0, 1)])
        yield ev.hold(part_of((0.5, 1.5), gen.random()))
        log.append((kind, gen.choice([1, 2, 3]), gen.choice(["a", "b"]), sim.time))


def outcome(way: Any, gen: Any, *, native: bool) -> tuple[list[Any], ev.Simulation]:
    sim, log = simulation(way, native=native), list[Any]()
    for _ in range(3):
        sim.process(machinist(sim, gen, log))
    for k in range(1, 9):
        sim.run(until=20.0 * k)
        log.append(gen.random())
    return log, sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("make", [lambda: Random(3), lambda: ev.Stream.named(3, "kinds")], ids=["Random", "Stream"])
def test_what_is_written_is_chosen_from_as_in_python(make: Any, native: bool) -> None:
    (expected, _), (found, sim) = (outcome(way, make(), native=native) for way in (False, "auto"))
    assert found == expected
    assert taken(sim) > 0.9 * sim.events
