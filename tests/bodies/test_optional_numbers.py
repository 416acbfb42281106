"""Variables and attributes that are a number or None: a row keeps which it is, and leaves errors to Python."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Machine:
    """What is down since some time, or is not."""

    def __init__(self) -> None:
        self.since: Any = None
        self.repairs: Any = None
        self.is_fast: Any = None
        self.down = 0.0

    def age(self, sim: ev.Simulation) -> float:
        """How long it has been down."""
        return 0.0 if self.since is None else sim.time - self.since


def breaking(sim: ev.Simulation, machine: Machine, log: list[Any], turns: int) -> ev.ProcessGenerator:
    last, most, least = None, None, None
    for k in range(turns):
        yield ev.hold(0.75)
        machine.since = sim.time
        if last is not None:
            log.append(sim.time - last)
        if most is None or k % 7 > most:
            most = k % 7
        least = 0.5 if k % 5 == 0 else least
        last, machine.is_fast = sim.time, k % 3 == 0
        yield ev.hold(0.25 * (k % 3))
        if machine.since is not None:
            machine.down += sim.time - machine.since
        machine.repairs = 1 if machine.repairs is None else machine.repairs + 1
        log.append((last, most, least, machine.since, machine.repairs, machine.is_fast))
        machine.since = machine.is_fast = None
        if k % 4 == 3:
            last = machine.repairs = None


def watching(sim: ev.Simulation, machine: Machine, log: list[Any]) -> ev.ProcessGenerator:
    longest = None
    while True:
        yield ev.hold(0.5)
        if machine.since is not None and not machine.is_fast:
            log.append(machine.age(sim))
        if machine.repairs is not None and machine.repairs > 2:
            longest = machine.repairs
        if longest:
            log.append((longest, machine.repairs))


def variables_of(process: Any) -> list[Any]:
    """Those of a process that may be None."""
    found = process._generator.gi_frame.f_locals
    return [found.get(name) for name in ("last", "most", "least", "longest")]


def shop(sim: ev.Simulation) -> list[Any]:
    machines, log = [Machine() for _ in range(3)], list[Any]()
    for machine in machines:
        sim.process(breaking(sim, machine, log, 40))
        sim.process(watching(sim, machine, log))
    for horizon in (7.3, 19.9, 60.0):
        sim.run(until=horizon)
        log.append([variables_of(entry.process) for entry in sim.schedule])
        log.append([vars(machine).copy() for machine in machines])
    return log


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_is_a_number_or_none_stays_in_rows(native: bool) -> None:
    log, sim = both(shop, native=native)
    assert len(log) > 300
    assert taken(sim) > 400
    assert "but for" not in str(sim.explain())


def set_by_others(sim: ev.Simulation, machine: Machine, log: list[Any], turns: int = 40) -> ev.ProcessGenerator:
    last = None
    for k in range(turns):
        yield ev.hold(0.5)
        if machine.since is not None:
            log.append((sim.time - machine.since, machine.since, machine.since == 2))
        last = machine.since
        yield ev.hold(0.5)
        log.append((k, last, machine.since is None, not last))


@pytest.mark.parametrize("value", [None, 2, 2.0, 2.5, True, "two", 2**60, -(2**70), float("nan"), -0.0])
def test_others_set_it_to_anything(value: Any) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        machine, log = Machine(), list[Any]()
        sim.process(set_by_others(sim, machine, log))
        sim.run(until=20.2)
        for since in (0.25, value, None, 0.25):
            machine.since = since
            try:
                sim.run(until=sim.time + 3.0)
            except TypeError as error:
                where = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
                return [*log, repr(error), where[-1], error.__notes__]
        return log

    log, sim = both(run)
    assert len(log) > 20
    assert taken(sim) > 30


def without_a_start(sim: ev.Simulation, machine: Machine, log: list[Any]) -> ev.ProcessGenerator:
    since = None
    for k in range(60):
        yield ev.hold(0.5)
        if k == 40:
            since = None
        if k % 8 or k < 40:
            since = sim.time if k < 40 else since
        log.append(since)
        if k > 3:
            machine.down += sim.time - since  # type: ignore[operator]  # which is what is tried


def kept(sim: ev.Simulation, machine: Machine, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(60):
        yield ev.hold(0.5)
        machine.repairs = k if k < 40 else None
        log.append(machine.repairs)
        machine.repairs += 1


@pytest.mark.parametrize("body", [without_a_start, kept])
def test_none_that_is_no_number_is_an_error_of_python(body: Callable[..., ev.ProcessGenerator]) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        machine, log = Machine(), list[Any]()
        sim.process(body(sim, machine, log))
        try:
            sim.run()
        except TypeError as error:
            frames = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
            log.append((repr(error), frames[-1], error.__notes__))
        return [log, sim.time, vars(machine)]

    (log, *_), sim = both(run)
    assert len(log) == 42
    assert "TypeError" in log[-1][0]
    assert taken(sim) > 30


def of_two_types(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    x, y = None, None
    for k in range(40):
        log.append((x, y))
        yield ev.hold(0.5)
        x = k if k % 3 else 0.5 * k
        if k % 5 == 4:
            x = None
        x, y = y, x
        if y is not None:
            y += 1


def test_it_may_be_whole_as_well_and_change_places() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(of_two_types(sim, log))
        for horizon in (3.1, 6.2, 9.3, 30.0):
            sim.run(until=horizon)
            log.append([entry.process._generator.gi_frame.f_locals["y"] for entry in sim.schedule])
        return log

    log, sim = both(run)
    assert {type(one) for one, _ in filter(lambda one: isinstance(one, tuple), log)} == {int, float, type(None)}
    assert taken(sim) > 20


def drawn(sim: ev.Simulation, k: int) -> ev.ProcessGenerator[float | None]:
    yield ev.hold(0.25)
    if k % 4 == 1:
        return None
    x: float = k if k % 3 else 0.5 * k
    return x


def least(k: int) -> float | None:
    if k % 3 == 0:
        return 0.25 * k
    if k % 7 == 0:
        k += 1
    for _ in range(k % 2):
        return None
    return float(k)


def nothing_left(sim: ev.Simulation, k: int) -> ev.ProcessGenerator[float | None]:
    if k % 2:
        return 0.5 * k
    yield ev.hold(0.25)


def asking(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    x = 0.0
    for k in range(60):
        yield ev.hold(0.25)
        found = yield from drawn(sim, k)
        low = least(k)
        if found is not None and low is not None:
            x += found + low
        left = yield from nothing_left(sim, k)
        log.append((found, low, left, x))


def test_functions_may_return_numbers_of_several_types_or_none() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(asking(sim, log))
        for horizon in (3.1, 3.4, 9.3, 60.0):
            sim.run(until=horizon)
            log.append([(one := entry.process) and one._generator.gi_frame.f_locals["x"] for entry in sim.schedule])
        return log

    log, sim = both(run)
    assert len(log) == 64
    assert taken(sim) > 100
    assert "but for" not in str(sim.explain())


def of_other_types(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    x, y = 1, 1
    for k in range(40):
        yield ev.hold(0.5)
        x = k if k % 3 else 0.5 * k
        y = k if k % 3 else 0.5 * k
        if k % 5 == 4:
            x = True
        if k % 5 == 3:
            y = "late"
        log.append((x, y))


def worded(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
    state = None
    for k in range(40):
        yield ev.hold(0.5)
        state = (None, "busy", k)[k % 3] if k < 20 else 3
        log.append((state, state is None))


@pytest.mark.parametrize("body", [worded, of_other_types])
def test_what_has_other_types_as_well_is_left_to_python(body: Callable[..., ev.ProcessGenerator]) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()
        sim.process(body(sim, log))
        sim.run()
        return log

    log, _ = both(run)
    assert len(log) == 40
