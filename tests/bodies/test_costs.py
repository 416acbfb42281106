"""Processes that return to Python seldom go again soon, and those that do so often stay there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from random_bodies import simulation, taken

import eventide as ev
from eventide.bodies.learned import learned
from eventide.rows import loading


@pytest.fixture(autouse=True)
def is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PATIENCE", 0)
    monkeypatch.setattr(learned(), "_rests", {})
    monkeypatch.setattr(loading, "_PAST", loading._Past(is_loaded=True))


def customer(sim: ev.Simulation, desk: ev.Resource) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(sim.stream("services").exponential(0.8))


def arrivals(sim: ev.Simulation, desk: ev.Resource, every: int) -> ev.ProcessGenerator:
    n = 0
    while True:
        yield ev.hold(sim.stream("gaps").exponential(1.0))
        n += 1
        if n % every == 0:
            print(end="")
        sim.process(customer(sim, desk))


def arriving(sim: ev.Simulation, every: int) -> list[Any]:
    desk = ev.Resource(sim)
    sim.process(arrivals(sim, desk, every))
    sim.run(until=20_000.0)
    return [sim.events, desk.waits.mean, desk.queue.mean]


def user(desk: ev.Resource, pause: float) -> ev.ProcessGenerator:
    while True:
        with desk.request() as place:
            yield place
            yield ev.hold(pause)
        yield ev.hold(0.25)


def plan(desk: ev.Resource) -> ev.ProcessGenerator:
    """What stays in Python, and returns all to Python as it changes their resource."""
    for staff in [1, 2] * 1000:
        yield ev.hold(60.1)
        desk.set_capacity(staff)


def planned(sim: ev.Simulation, _: int) -> list[Any]:
    desk = ev.Resource(sim, 2)
    for pause in (0.3, 0.41, 0.77):
        sim.process(user(desk, pause))
    sim.process(plan(desk))
    sim.run(until=20_000.0)
    return [sim.events, desk.waits.mean, desk.queue.mean]


def compare(run: Callable[[ev.Simulation, int], list[Any]], every: int = 0) -> list[float]:
    """Run a model in Python, and twice in rows, of which the second knows its processes: the shares that were rows'."""
    expected, shares = run(simulation(False), every), []
    for _ in range(2):
        sim = simulation("auto")
        assert run(sim, every) == expected
        shares.append(taken(sim) / sim.events)
    return shares


@pytest.mark.slow
def test_rows_that_return_often_stay_python() -> None:
    assert max(compare(arriving, 100)) < 0.04
    assert max(compare(planned)) < 0.1


@pytest.mark.slow
def test_rows_that_return_seldom_go_again_soon() -> None:
    assert compare(arriving, 1000)[1] > 0.75
