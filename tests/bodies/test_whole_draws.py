"""Whole numbers that are drawn in rows are those of Python, where there are effects before and errors after."""

from __future__ import annotations

from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev

FAR, NEAR = 2**60 + 1, 2**60


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def customer(sim: ev.Simulation, log: list[Any], wanted: ev.Stream) -> ev.ProcessGenerator:
    for k in range(40):
        yield ev.hold(sim.stream("gaps").exponential(0.1))
        log.append((sim.time, wanted.randint(1, 4), k.__class__ is int))
        first, other = wanted.randint(-3, 7), wanted.randint(0, 0)
        log.append(first - 2 * other)
        log.append((FAR - NEAR > 0, wanted.randint(0, 1) + 1))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_whole_numbers_between_constants_are_drawn_in_rows(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        log = list[Any]()
        for number in range(3):
            sim.process(customer(sim, log, sim.stream(f"wanted {number}")))
        sim.run()
        return log, sim.events, sim.stream("wanted 1").random()

    found, sim = both(run, native=native)
    assert len(found[0]) == 360
    assert taken(sim) > 0.9 * sim.events


def other(sim: ev.Simulation, log: list[Any], wanted: ev.Stream, low: int, most: Any) -> ev.ProcessGenerator:
    for k in range(12):
        yield ev.hold(0.5)
        if k > 8:
            log.append(wanted.randint(4, 1))
        log.append(k)
        log.append(wanted.randint(low - k, most))


@pytest.mark.parametrize("most", [6, 2.5, -7, True, 2**52])
def test_limits_that_are_no_constants_are_pythons_with_their_errors(most: Any) -> None:
    def run(sim: ev.Simulation) -> Any:
        log, errors = list[Any](), list[Any]()
        for number in range(3):
            sim.process(other(sim, log, sim.stream(f"wanted {number}"), number, most))
        for _ in range(4):
            try:
                sim.run()
            except (TypeError, ValueError) as error:
                errors.append((repr(error), sim.time, getattr(error, "__notes__", None)))
        return repr(log), errors, sim.events

    both(run)


def extreme(sim: ev.Simulation, log: list[Any], drawn: ev.Stream, scales: list[float], shape: float) -> Any:
    for scale in scales:
        yield ev.hold(0.5)
        log.append(drawn.exponential(scale))
        log.append(drawn.normal(0.0, scale))
        log.append(drawn.weibull(shape, scale))
        log.append(drawn.negexp(1.0 / scale))


@pytest.mark.parametrize("shape", [0.5, 0.002])
def test_draws_that_would_not_be_finite_are_refused_in_rows_as_in_python(shape: float) -> None:
    def run(sim: ev.Simulation) -> Any:
        log, errors = list[Any](), list[Any]()
        for number in range(3):
            scales = [1.0] * 20 + [1e290, [1e307, 5e306, 1e308][number]]
            sim.process(extreme(sim, log, sim.stream(f"drawn {number}"), scales, shape))
        for _ in range(4):
            try:
                sim.run()
            except ValueError as error:
                errors.append((repr(error), sim.time, getattr(error, "__notes__", None)))
        return log, errors, sim.events

    found, _ = both(run)
    assert len(found[1]) == 3
    assert all("inf" not in repr(number) for number in found[0])
