"""Numbers that rows read from lists and tuples are those that are there, and errors come where they come in Python."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev

RATES = [0.5, 1.0, 2.0, 4.0]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Plan:
    """What is done when."""

    def __init__(self, steps: tuple[int, ...]) -> None:
        self.steps = steps


def arrivals(sim: ev.Simulation, gaps: list[float], plan: Plan, log: list[Any], rng: Random) -> ev.ProcessGenerator:
    for k in range(len(gaps)):
        yield ev.hold(gaps[k])
        rate = RATES[int(sim.time) % len(RATES)]
        if rng.random() * 4.0 < rate:
            log.append((sim.time, plan.steps[k % len(plan.steps)], gaps[-1]))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_tables_and_traces_are_read_in_rows(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        log, rng = list[Any](), Random(4)
        for number in range(3):
            gaps = [rng.expovariate(1.0) for _ in range(60 + number)]
            sim.process(arrivals(sim, gaps, Plan((1, 2, 3 + number)), log, rng))
        sim.run()
        return log, sim.events, rng.random()

    found, sim = both(run, native=native)
    assert len(found[0]) > 50
    assert taken(sim) > 0.9 * sim.events
    assert sim._migration is not None
    assert sim._migration.exits == {}


def reader(sim: ev.Simulation, table: list[Any], log: list[Any], rng: Random) -> ev.ProcessGenerator:
    for k in range(30):
        yield ev.hold(0.5)
        log.append((k, table[k % 4]))
        x = table[int(4.0 * rng.random())]
        log.append(x)
        yield ev.hold(0.25)


def changer(table: list[Any]) -> ev.ProcessGenerator:
    for what in iter([1.5, 2, "word", True, None]):
        yield ev.hold(3.1)
        table[2] = what
    del table[2:]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_items_that_have_changed_or_are_gone_are_pythons(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        table, log, rng, errors = [0.25, 0.5, 0.75, 1.0], list[Any](), Random(4), list[Any]()
        for _ in range(3):
            sim.process(reader(sim, table, log, rng))
        sim.process(changer(table))
        for _ in range(4):
            try:
                sim.run()
            except IndexError as error:
                errors.append((repr(error), sim.time, getattr(error, "__notes__", None)))
        return repr(log), errors, sim.events, rng.random()

    found, sim = both(run, native=native)
    assert len(found[1]) == 3
    assert "word" in found[0]
    assert taken(sim) > 20
