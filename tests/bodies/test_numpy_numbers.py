"""Whole numbers of numpy's own class in variables: what `rng.integers` draws, where it does what an int does."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def stay(log: list[Any], k: Any, unit: float) -> ev.ProcessGenerator[Any]:
    yield ev.hold(unit * k)
    log.append((k, unit))
    return k


def go(log: list[Any], k: Any, *, unit: float) -> ev.ProcessGenerator:
    yield ev.hold(unit * k)
    log.append((same(k), unit))


def same(k: Any) -> Any:
    return k


def models(sim: ev.Simulation, rng: np.random.Generator, log: list[Any]) -> dict[str, Any]:
    desks, table = [ev.Resource(sim, name=f"desk {k}") for k in range(3)], [0.25, 1.5, 0.5]
    named = dict(enumerate(desks))

    def holds() -> ev.ProcessGenerator:
        for number in range(60):
            k = rng.integers(1, 7)
            yield ev.hold(0.1 * k)
            yield ev.hold(k)
            if k % 3 == 1 and k > number % 5:
                yield ev.hold((k + 1) * 0.25 + k // 2)
            k = rng.integers(9)
            yield ev.hold(k / 3 - k / 4.0)

    def chooses() -> ev.ProcessGenerator:
        for _ in range(60):
            k = rng.integers(0, 3)
            other = k
            with desks[k].request() as place:
                yield place
                yield ev.hold(table[k])
            with named[other].request() as place:
                yield place
                for turn in range(k):
                    yield ev.hold(table[turn - 1])

    def hands() -> ev.ProcessGenerator:
        for number in range(60):
            k = rng.integers(1, 4)
            m = yield from stay(log, k, 0.25)
            yield sim.process(go(log, m, unit=0.5), name=f"stay {number}")
            if k != m:
                log.append("other")

    def divides() -> ev.ProcessGenerator:
        """By zero, which is infinite in numpy, with a warning, and by what has no such class."""
        for number in range(60):
            k, x = rng.integers(0, 3), float(number % 2)
            try:
                yield ev.hold(1e-310 * number * k / 3)
                yield ev.hold(1.0 / (1e308 * k + 1e308 * k + 1.0))
                if k or number == 59:
                    yield ev.hold(x / k)
                if number % 20 == 19:
                    yield ev.hold(1 / (k - 1))
            except (ev.ModelError, ArithmeticError) as error:
                log.append((sim.time, repr(error)))
            yield ev.hold(0.5)

    return {"held": holds, "chosen by": chooses, "handed on": hands, "divided": divides}


def types(sim: ev.Simulation) -> list[Any]:
    found = [process._generator.gi_frame.f_locals for process in sim.processes]  # type: ignore[attr-defined]
    return [
        sorted((k, type(v).__name__, v) for k, v in one.items() if isinstance(v, int | float | np.integer))
        for one in found
    ]


def run(sim: ev.Simulation, how: str, stops: tuple[float, ...], every: float) -> list[Any]:
    rng, log, chance = np.random.default_rng(5), list[Any](), Random(1)
    story = models(sim, rng, log)[how]

    def looker() -> ev.ProcessGenerator:
        for step in iter(range(40)):
            yield ev.hold(every)
            log.append(types(sim))
            alive = [one for one in sim.processes if one.name[:6] != "looker"]
            if alive and step % 3 == 0:
                log.append(chance.choice(alive).why_waiting().rpartition("/")[2])

    for _ in range(3):
        sim.process(story())
    if every:
        sim.process(looker())
    for until in stops:
        while sim.time < until:
            try:
                sim.run(until=until)
            except (ArithmeticError, ev.ModelError) as error:
                log.append((sim.time, repr(error)))
        log.append(types(sim))
    return [log, rng.random(), sim.events]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["held", "chosen by", "handed on", "divided"])
def test_a_whole_number_of_numpy_has_a_variable(how: str, native: bool) -> None:
    for stops in ((300.0,), (3.1, 7.7, 31.0, 31.0, 90.5, 300.0)):
        for every in (0.0, 3.3):
            _, sim = both(lambda sim, at=stops, e=every: run(sim, how, at, e), native=native)  # type: ignore[misc]
            assert taken(sim) > (0.02 if every or how == "divided" else 0.8) * sim.events


def test_what_numpy_makes_of_its_own_numbers_has_their_class() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, log = np.random.default_rng(2), list[Any]()

        def story() -> ev.ProcessGenerator:
            for _ in range(60):
                k = rng.integers(1, 4)
                m = k + 1
                yield ev.hold(0.5 * m)
                log.append(m)

        sim.process(story())
        sim.run()
        return [[(type(one), one) for one in log], sim.events]

    _, sim = both(run)
    assert taken(sim) > 40


def test_numpy_warns_as_in_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, found = np.random.default_rng(2), list[Any]()

        def story() -> ev.ProcessGenerator:
            for _ in range(60):
                k = rng.integers(0, 3)
                yield ev.hold(1.0 / (1e308 * k + 1e308 * k + 1.0))

        sim.process(story())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sim.run()
            found = [str(one.message) for one in caught]
        return [found, sim.time, sim.events]

    found, sim = both(run)
    assert len(found[0]) > 10
    assert taken(sim) > 5
