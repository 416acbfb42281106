"""Quotients rounded down, remainders, and what is equal but not the same, are those of Python in native processes."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev

ODD = (0.0, -0.0, 1.0, -1.0, 3.0, 0.1, -0.3, 7.5, 3600.0, 5e-324, -1e-310, 1e16, -(2.0**53), 1e300, -1.7e308)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def divider(sim: ev.Simulation, log: list[Any], xs: list[float], ys: list[float], whole: int) -> ev.ProcessGenerator:
    for k in range(len(xs)):
        yield ev.hold(0.5)
        log.append((xs[k] // ys[k], xs[k] % ys[k]))
        log.append((whole // ys[k], xs[k] % 7, int(sim.time // 3.0) % 4))
        x = xs[k]
        x //= 0.25
        log.append(x)


def pairs(seed: int) -> list[tuple[float, float]]:
    if not seed:
        return [(x, y) for x, y in product(ODD, ODD) if y != 0.0]
    choose = Random(seed)
    drawn = [(choose.gauss(0.0, 10.0 ** choose.randint(-3, 17)), choose.gauss(0.0, 4.0)) for _ in range(200)]
    return drawn + [(y * choose.randint(-9, 9), y) for _, y in drawn]  # where a quotient is whole, or almost


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_quotients_and_remainders_of_floats_are_pythons(seed: int, native: bool) -> None:
    xs, ys = map(list, zip(*pairs(seed), strict=True))

    def run(sim: ev.Simulation) -> Any:
        log = list[Any]()
        for number in range(2):
            sim.process(divider(sim, log, xs, ys, 17 - 40 * number))
        sim.run()
        return repr(log), sim.events

    (log, events), sim = both(run, native=native)
    assert log.count("(") == 4 * len(xs)
    assert taken(sim) > 0.9 * events


@pytest.mark.parametrize("bad", [0.0, -0.0, float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("is_left", [True, False])
def test_what_has_no_plain_quotient_is_pythons_with_its_error(bad: float, is_left: bool) -> None:
    xs, ys = [2.0] * 20, [3.0] * 20
    (xs if is_left else ys)[12] = bad

    def run(sim: ev.Simulation) -> Any:
        log, errors = list[Any](), list[Any]()
        for number in range(3):
            sim.process(divider(sim, log, xs, ys, 2**60 if number == 2 else number))
        for _ in range(4):
            try:
                sim.run()
            except ZeroDivisionError as error:
                errors.append((repr(error), sim.time, getattr(error, "__notes__", None)))
        return repr(log), errors, sim.events

    (_, errors, _), _ = both(run)
    assert len(errors) == (0 if is_left or bad != 0.0 else 3)


@pytest.mark.parametrize("numbers", [(0.0, -0.0, 0), (0, 0.0, -0.0), (-0.0, 0.0, 0.0), (1.0, 1, 1)])
def test_variables_of_enclosing_functions_that_are_equal_keep_their_types_and_signs(numbers: tuple[float, ...]) -> None:
    one, two, three = numbers

    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []

        def story() -> ev.ProcessGenerator:
            for _ in range(30):
                yield ev.hold(0.25)
                log.append((one, two, three))
                log.append((one * 3, two * 3, three * 3))

        sim.process(story())
        sim.run()
        return log

    found, sim = both(run)
    assert repr(found[-2]) == repr(numbers)
    assert taken(sim) > 20


class Callable:
    """What is called, and compares with nothing."""

    def __call__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        raise ValueError(other)

    __hash__ = object.__hash__


def test_what_is_called_is_compared_with_nothing() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        function, log = Callable(), list[Any]()

        def story() -> ev.ProcessGenerator:
            for number in range(20):
                yield ev.hold(0.5)
                yield ev.hold(0.25)
                log.append(number)
                log.append(function())

        sim.process(story())
        sim.run()
        return log

    _, sim = both(run)
    assert taken(sim) > 5
