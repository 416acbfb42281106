"""What conditions of waits read is exchanged while processes wait in rows, and while their guards rest."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


class Tank(ev.Continuous):
    level: ev.State = ev.state(10.0)
    low: float = 5.0

    def equations(self) -> None:
        self.rate.level = -0.1 * self.level

    def is_low(self) -> bool:
        return self.level <= self.low


LIMIT = 5.0
BOX = SimpleNamespace(tank=None, low=5.0)


def is_low() -> bool:
    return bool(BOX.tank.level <= LIMIT)


def is_low_or_far() -> bool:
    return bool(BOX.tank.level <= LIMIT + 0.5)


KINDS = "variable number module both function box field method"


def run(kind: str, compiles: Any, *, once: bool) -> tuple[ev.Simulation, list[Any]]:
    """Processes that wait once and go, or again and again, beside who exchanges what they wait for."""
    global LIMIT, is_low  # that is what is tested
    sim, told = simulation(compiles), list[Any]()
    tanks = [Tank(sim, name=f"tank {k}").start() for k in range(2)]
    tank, place, limit, box = tanks[0], tanks[0], 5.0, SimpleNamespace(tank=tanks[0], low=5.0)
    LIMIT, BOX.tank, is_low = 5.0, tanks[0], FUNCTION

    def variable(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: place.level <= 5.0 + x)

    def number(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level <= limit + x)

    def module(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level <= LIMIT)

    def both(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: BOX.tank.level <= LIMIT + x)

    def function(x: float) -> ev.ProcessGenerator:
        yield ev.until(is_low)

    def of_box(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: box.tank.level <= box.low + x)

    def field(x: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level <= tank.low + x)

    def method(x: float) -> ev.ProcessGenerator:
        yield ev.until(tank.is_low)

    waits: tuple[Callable[[float], ev.ProcessGenerator], ...]
    waits = (variable, number, module, both, function, of_box, field, method)
    wait = dict(zip(KINDS.split(), waits, strict=True))[kind]

    def visit(k: int, x: float) -> ev.ProcessGenerator:
        yield from wait(x)
        told.append((k, sim.time))
        yield ev.hold(0.25)

    def again(k: int, x: float) -> ev.ProcessGenerator:
        while True:
            yield from wait(x)
            told.append((k, sim.time))
            yield ev.hold(0.25)

    def source() -> ev.ProcessGenerator:
        for k in range(70):
            yield ev.hold(0.5)
            sim.process(visit(k, 0.125 * (k % 3)))

    def stir(which: int) -> ev.ProcessGenerator:
        rng = Random(which)
        while True:
            tanks[which].level = 9.0
            yield ev.hold(rng.expovariate(0.5))
            tanks[which].level = 4.0
            yield ev.hold(rng.expovariate(1.0))

    def exchange() -> ev.ProcessGenerator:
        global LIMIT, is_low  # noqa: PLW0603  # as above
        nonlocal place, limit
        for k in range(40):
            yield ev.hold(1.3)
            LIMIT = limit = box.low = tanks[0].low = 4.5 + k % 4
            place = tanks[k % 2]
            BOX.tank = box.tank = tanks[(k // 2) % 2]
            if k % 5 == 0:
                is_low = [FUNCTION, is_low_or_far][k % 2]
            if k % 7 == 3:
                tanks[1].stop()
            if k % 7 == 5:
                tanks[1].start()

    if once:
        sim.process(source())
    else:
        for k in range(3):
            sim.process(again(k, 0.125 * k))
    for process in (stir(0), stir(1), exchange()):
        sim.process(process)
    for end in (13.0, 27.0, 40.0):
        sim.run(until=end)
    return sim, [*told, sim.events, *[one.level for one in tanks], str(sim.report())]


FUNCTION = is_low


@pytest.mark.parametrize("once", [True, False], ids=["once", "again"])
@pytest.mark.parametrize("kind", KINDS.split())
def test_what_conditions_read_is_exchanged(kind: str, once: bool) -> None:
    sim, told = run(kind, "auto", once=once)
    assert told == run(kind, False, once=once)[1]
    assert taken(sim) > 100 or (kind, once) == ("function", False)  # where a function is waited for that was exchanged
