"""What is evaluated only sometimes, and what fails after a draw, is in rows as it is in Python, to the bit.

Random statements with `and`, `or`, conditional expressions, chains of comparisons, functions that take several ways,
and draws, of which some fail in the middle: numbers, errors with their lines, and the states of the generators agree.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import random_bodies
from random_bodies import load, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


HEAD = """import math

import eventide as ev

LOG, SEEN = [], []


class Shop:
    def __init__(self):
        self.count, self.total, self.late = 0, 1.0, False


SHOP = Shop()


def ways(rg, x, n):
    if n > 3:
        return x * 0.5
    return x + rg.random()


def several(rg, rng, x, n, y=0.25):
    z = x
    if n == 1:
        z = rg.random()
    elif n == 2:
        return z * 0.5
    else:
        z = rng.exponential(abs(x) % 2.0) if y > 0.5 and rg.random() < 0.5 else 0.125
    if z > 0.5 and rg.random() < 0.5:
        z -= y
    return z


def strict(rng, x, n):
    if x < 0.0:
        raise ValueError(f"{x} is below zero")
    if n > 2:
        return math.sqrt(x)
    return rng.uniform(0.0, x)


def whole(rg, n):
    return n if n < 3 else rg.randint(0, 4)


def noted(x):
    SEEN.append(x)
    return x


def counted(x):
    SHOP.count += 1
    if x > 1.0:
        SHOP.total = x
    return x


def unsure(rng, x):
    y = rng.normal(x, 0.5)
    if y < 0.25:
        return math.log(y + 0.25)
    return 1.0 / (y - x)
"""


class Writer:
    """Writes one generator function."""

    def __init__(self, chance: Random, number: int) -> None:
        self.chance = chance
        self.number = number
        self.loops = 0

    def one(self, *options: str) -> str:
        return self.chance.choice(options)

    def real(self, depth: int = 0) -> str:
        c = self.chance
        if depth > 2 or c.random() < 0.25:
            return self.one("x", "y", "0.5", "rg.random()", "rng.exponential(0.5)", "SHOP.total", "sim.time")
        one, other, test, whole = (
            self.real(depth + 1),
            self.real(depth + 1),
            self.test(depth + 1),
            self.whole(depth + 1),
        )
        return self.one(
            f"({one} {self.one('+', '-', '*')} {other})",
            f"{one} / ({whole} - 1)",
            f"rng.normal({one}, 0.5)",
            f"rng.exponential({one} / {whole})",
            f"rg.uniform({one}, {other})",
            f"math.log({one})",
            f"math.sqrt(0.125 + {one})",
            f"({one} if {test} else {other})",
            f"({one} if {test} else {other})",
            f"ways(rg, {one}, {whole})",
            f"several(rg, rng, {one}, {whole})",
            f"several(rg, rng, {one}, {whole}, {other})",
            f"strict(rng, {one}, {whole})",
            f"unsure(rng, {one})",
            f"noted({one})",
            f"counted({one})",
            f"abs({one})",
            f"max({one}, {other})",
        )

    def whole(self, depth: int = 0) -> str:
        options = ["n", "n", "2", "rg.randint(1, 4)", "int(rng.integers(1, 4))", "whole(rg, n)", "len(SEEN) % 3"]
        return self.one(*options, f"({self.whole(depth + 1)} if {self.test(depth + 1)} else 3)" if depth < 3 else "n")

    def test(self, depth: int = 0) -> str:
        if depth > 2:
            return self.one("n > 1", "x > y", "rg.random() < 0.5", "SHOP.late")
        one, other = self.test(depth + 1), self.test(depth + 1)
        return self.one(
            f"({one} and {other})",
            f"({one} or {other} or n > 3)",
            f"not {one}",
            f"{self.real(depth + 1)} < {self.real(depth + 1)}",
            f"0.0 <= {self.real(depth + 1)} < {self.real(depth + 1)} < 2.5",
            f"{self.whole(depth + 1)} {self.one('==', '>')} {self.whole(depth + 1)}",
            "n > 1 and rg.random() < 0.25",
            f"rng.integers(4) == {self.whole(depth + 1)}",
        )

    def statement(self) -> list[str]:
        c = self.chance
        kind = c.choice(
            ["set", "set", "both", "add", "if", "if", "while", "assert", "log", "hold", "hold", "move", "wait"]
        )
        return getattr(self, f"on_{kind}")()  # type: ignore[no-any-return]

    def on_set(self) -> list[str]:
        return [
            self.one(f"x = {self.real()}", f"y = {self.real()}", f"n = {self.whole()}", f"SHOP.late = {self.test()}")
        ]

    def on_both(self) -> list[str]:
        return [f"x, y = {self.real()}, {self.real()}"]

    def on_add(self) -> list[str]:
        return [f"{self.one('x', 'y', 'SHOP.total')} {self.one('+=', '-=')} {self.real()}"]

    def on_if(self) -> list[str]:
        return [f"if {self.test()}:", *(f"    {line}" for line in self.statement())]

    def on_while(self) -> list[str]:
        self.loops += 1
        k = f"k{self.loops}"
        inner = (f"    {line}" for line in self.statement())
        return [f"{k} = 0", f"while {k} < 3 and {self.test()}:", f"    {k} += 1", *inner]

    def on_assert(self) -> list[str]:
        return [f"assert {self.test()} or {self.test()} or n < 4"]

    def on_log(self) -> list[str]:
        return [f"LOG.append(({self.number}, sim.time, {self.real()}, {self.whole()}, {self.test()}))"]

    def on_hold(self) -> list[str]:
        return [
            self.one(
                f"yield ev.hold({self.real()})",
                f"yield ev.hold(abs({self.real()}))",
                f"yield ev.hold(max(0, {self.real()}))",
                f"yield {self.real()}",
                f"yield ev.hold(0.5) if {self.test()} else ev.hold({self.real()})",
                f"yield ev.first_of(one=ev.hold({self.real()}), other=ev.hold({self.real()}))",
            )
        ]

    def on_move(self) -> list[str]:
        return [
            self.one(
                f"yield tank.put({self.whole()})",
                f"yield tank.put({self.real()})",
                f"yield tank.get({self.real()})",
                f"yield store.put({self.real()})",
                f"y = yield store.get(priority={self.whole()})",
            )
        ]

    def on_wait(self) -> list[str]:
        inner = [f"    {line}" for line in self.statement()]
        text = self.one("", f"priority={self.whole()}", f"{self.whole()}")
        return [f"with desk.request({text}) as place:", "    yield place", *inner]

    def text(self) -> str:
        head = f"def story{self.number}(sim, rg, rng, tank, store, desk, x, y, n):"
        lines = ["while True:", "    yield ev.hold(0.25)", "    n = n % 4 + 1", "    x, y = x % 3.0, y % 2.0"]
        for _ in range(self.chance.randrange(2, 5)):
            lines += [f"    {line}" for line in self.statement()]
        return "\n".join(
            [head, *(f"    {line}" for line in [*lines, f"    LOG.append(({self.number}, sim.time, x, y, n))"])]
        )


def program(seed: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    return "\n\n\n".join([HEAD, *(Writer(chance, k).text() for k in range(3))]) + "\n"


def outcome(compiles: Any, module: ModuleType, *, native: bool) -> tuple[str, ev.Simulation]:
    """All that can be seen of a run: each error ends its process, and another one begins."""
    sim, rg, rng = simulation(compiles, native=native), Random(3), np.random.default_rng(4)
    module.LOG.clear()
    module.SEEN.clear()
    module.SHOP.__init__()
    tank = ev.Container(sim, capacity=50.0, initial=20.0)
    store, desk = ev.Store(sim, items=[0.5, 1.5, 2.5]), ev.Resource(sim, 2)

    def begin(number: int) -> None:
        made = getattr(module, f"story{number}")
        sim.process(made(sim, rg, rng, tank, store, desk, 0.5 * number, 1.0, number), name=f"story{number}")

    for k in range(6):
        begin(k % 3)
    for _ in range(60):
        try:
            sim.run(until=40.0)
        except Exception as error:  # noqa: BLE001  # whatever the program raises
            frames = traceback.extract_tb(error.__traceback__)
            lines = [(frame.name, frame.lineno) for frame in frames if frame.filename == module.__file__]
            module.LOG.append((repr(error), lines, getattr(error, "__notes__", None), sim.time))
            begin(int(lines[0][0][-1]))
        if sim.time >= 40.0:
            break
    rest = [tank.amount, store.items, desk.waits.count, rg.getstate(), rng.bit_generator.state, vars(module.SHOP)]
    return repr([module.LOG, module.SEEN, sim.time, sim.events, *rest]), sim


def compare(seed: int, folder: Path, *, native: bool) -> tuple[int, int]:
    """How many events there were, and how many of them in rows."""
    module = load(program(seed), folder, f"branches{seed}")
    (expected, _), (found, sim) = (outcome(way, module, native=native) for way in (False, "auto"))
    assert found == expected, seed
    return sim.events, taken(sim)


@pytest.mark.slow
def test_rows_that_run_as_python_take_the_same_ways(tmp_path: Path) -> None:
    counts = [compare(seed, tmp_path, native=False) for seed in range(12)]
    assert sum(events for events, _ in counts) > 2000
    assert sum(rows for _, rows in counts) > 500


@pytest.mark.slow
def test_native_rows_take_the_same_ways(tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path, native=True)[1] for seed in range(6)) > 200


class Shop:
    def __init__(self) -> None:
        self.count, self.limit = 0, 0.5


TIMES = [0.25, 0.5, 1.5]
SEEN: list[float] = []


def noted(x: float) -> float:
    SEEN.append(x)
    return x


def stocker(sim: Any, rng: Random, tank: Any, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield tank.put(rng.randint(-1, 3))
        log.append(("put", sim.time))
        yield ev.hold(0.5)


def logger(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        log.append((sim.time, rng.random() / (rng.randint(0, 3) - 1), rng.random() > shop.limit))


def picker(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(TIMES[rng.randrange(4)])
        log.append(sim.time)


def looper(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        n = 3
        yield ev.hold(0.5)
        while rng.random() < 1.0 / rng.randint(0, n):
            n += 1
        log.append((sim.time, n))


def counter(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        x = noted(0.5) + len(SEEN)
        log.append((sim.time, x))
        y = noted(rng.random()) / (rng.randint(0, 2) - 1)
        log.append((sim.time, y))


def chooser(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        x = (1 if rng.random() < 0.5 else 0.25) if rng.random() < 0.5 else 2
        yield ev.hold((x + 0.5) / rng.randint(0, 3))
        log.append((sim.time, x))
        log.append(0.5 * (2 if rng.random() < 0.5 else 0.25) / (1 if rng.random() < 0.5 else rng.randint(0, 2)))
        log.append((rng.random() < 0.5 or rng.random() < 0.25, 1 / rng.randint(0, 9)))


def large(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    """Python goes on without an error where numbers are too large for a row."""
    while True:
        n = 3
        yield ev.hold(0.5)
        while rng.random() < 0.9 and int(1e16 * rng.random()) % 3 != 1:
            n += 1
        log.append((sim.time, n))


def sized(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        x = len(SEEN) + noted(rng.random()) + int(1e16 * rng.random()) % 7
        log.append((sim.time, x))


def typed(sim: Any, rng: Random, shop: Shop, log: list[Any]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        log.append((rng.random() < 0.5 or rng.random() < 0.25, rng.randint(1, 6), int(1e16 * rng.random()) % 7))


def failing(story: Any, way: Any, *, native: bool) -> tuple[list[Any], ev.Simulation]:
    """What a process logs that fails now and then, as the others that take its place."""
    sim, rng, log, shop = simulation(way, native=native), Random(5), list[Any](), Shop()
    tank = ev.Container(sim, capacity=25)
    SEEN.clear()
    for _ in range(3):
        sim.process(story(sim, rng, tank if story is stocker else shop, log))
    for _ in range(100):
        try:
            sim.run(until=60.0)
            break
        except (ArithmeticError, LookupError, ValueError, ev.ModelError) as error:
            frames = traceback.extract_tb(error.__traceback__)
            log.append((repr(error), [(f.name, f.lineno, f.colno) for f in frames if f.filename == __file__], sim.time))
            sim.process(story(sim, rng, tank if story is stocker else shop, log))
    return [*log, *SEEN, sim.events, sim.time, rng.getstate()], sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("story", [stocker, logger, picker, looper, counter, chooser])
def test_what_fails_after_a_draw_fails_with_what_was_drawn(story: Any, native: bool) -> None:
    (expected, _), (found, sim) = (failing(story, way, native=native) for way in (False, "auto"))
    assert sum(type(one) is tuple and "Error" in str(one[0]) for one in expected) > 5
    assert found == expected
    assert taken(sim) > 0.1 * sim.events


@pytest.mark.parametrize("story", [large, sized, typed])
def test_a_twin_that_is_told_what_was_drawn_goes_on_with_that_once(story: Any) -> None:
    (expected, _), (found, sim) = (failing(story, way, native=False) for way in (False, "auto"))
    assert len(expected) > 100
    assert repr(found) == repr(expected)
    assert sim._migration is not None
    told = [count for (body, at), count in sim._migration.exits.items() if body.reading.points[at].told]
    assert (sum(told) > 10) == (story is not sized)
