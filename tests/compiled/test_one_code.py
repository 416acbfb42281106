"""One code in several functions, which have other globals: each goes by its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev

LIMIT = 1.0


def read_limit(_time: float) -> float:
    return LIMIT


def scaled(x: float) -> float:
    return LIMIT * x


def ask_scaled(time: float) -> float:
    return scaled(1.0) + 0.0 * time


def wait_for_limit(tank: Tank) -> Iterator[object]:
    while True:
        yield ev.until(lambda: tank.x >= LIMIT * (tank.count + 1.0))
        tank.count += 1.0
        tank.found += LIMIT


def wait_for_scaled(tank: Tank) -> Iterator[object]:
    yield ev.until(lambda: scaled(tank.x) >= 1.0)
    tank.found = tank.sim.time


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    count: float = 0.0
    found: float = 0.0

    def equations(self) -> None:
        self.rate.x = 1.0


class Driven(Tank):
    rate_of: Any = None

    def equations(self) -> None:
        self.rate.x = self.rate_of(self.sim.time)


def with_limit(function: Callable[..., Any], limit: float) -> FunctionType:
    """The same code among globals of which one is another."""
    space = {**globals(), "LIMIT": limit}
    space["scaled"] = FunctionType(scaled.__code__, space, "scaled")
    return FunctionType(function.__code__, space, function.__name__)


def by_law(sim: ev.Simulation, function: FunctionType) -> Callable[[], float]:
    tank = Driven(sim, rate_of=function).start()
    return lambda: tank.x


def by_process(sim: ev.Simulation, function: FunctionType) -> Callable[[], float]:
    tank = Tank(sim).start()
    sim.process(function(tank))
    return lambda: tank.found


def by_recording(sim: ev.Simulation, function: FunctionType) -> Callable[[], float]:
    recording = sim.record(limit=FunctionType(function.__code__, function.__globals__, "limit", (0.0,)), every=1.0)
    return lambda: float(recording["limit"][-1])


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize(
    ("build", "function", "expected"),
    [
        pytest.param(by_law, read_limit, [5.85, 0.975, 1.95], id="a law"),
        pytest.param(by_law, ask_scaled, [5.85, 0.975, 1.95], id="a law that calls another"),
        pytest.param(by_process, wait_for_limit, [3.0, 3.75, 3.5], id="a condition"),
        pytest.param(by_process, wait_for_scaled, [2.0 / 3.0, 0.0, 2.0], id="a condition that calls another"),
        pytest.param(by_recording, read_limit, [1.5, 0.25, 0.5], id="a recording"),
    ],
)
def test_functions_of_one_code_go_each_by_its_own_globals(build, function, expected, compiled) -> None:
    sim = ev.Simulation(compile=compiled)
    found = [build(sim, with_limit(function, limit)) for limit in (1.5, 0.25, 0.5)]
    sim.run(until=3.9)
    assert [read() for read in found] == pytest.approx(expected, rel=1e-6)


def test_processes_of_one_code_are_rows_by_their_own_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)
    sim = simulation("auto")
    found = [by_process(sim, with_limit(wait_for_limit, limit)) for limit in (1.5, 0.25, 0.5)]
    sim.run(until=15.9)
    assert [read() for read in found] == [15.0, 15.75, 15.5]
    assert taken(sim) > 50


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_condition_that_calls_what_can_be_read_is_proved_after_one_of_its_code_that_calls_what_cannot(
    compiled: Any,
) -> None:
    """It was tested at samples as the first one is, and missed what is true for a short time."""
    sim = ev.Simulation(compile=compiled, dt_max=1e3)
    tank, found = Tank(sim).start(), list[float]()

    def opened(near: Callable[[], float]) -> ev.ProcessGenerator:
        yield ev.until(lambda: near() < 1e-4)
        found.append(sim.time)

    sim.process(opened(lambda: next(map(abs, [tank.x + 1.0]))))
    sim.process(opened(lambda: abs(tank.x - 7.7)))
    sim.run(until=20.0)
    assert found == [pytest.approx(7.6999)]
