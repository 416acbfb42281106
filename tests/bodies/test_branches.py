"""What is evaluated only sometimes, and what fails after a draw, is in rows as it is in Python, to the bit.

Random statements with `and`, `or`, conditional expressions, chains of comparisons, functions that take several ways, and
draws, of which some fail in the middle: numbers, errors with their lines, and the states of the generators are the same.
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
        options = ["n", "n", "2", "rg.randint(1, 4)", "rg.randrange(n + 1)", "whole(rg, n)", "len(SEEN) % 3"]
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
        return ["k = 0", f"while k < 3 and {self.test()}:", "    k += 1", *(f"    {line}" for line in self.statement())]

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


def test_rows_that_run_as_python_take_the_same_ways(tmp_path: Path) -> None:
    counts = [compare(seed, tmp_path, native=False) for seed in range(12)]
    assert sum(events for events, _ in counts) > 2000
    assert sum(rows for _, rows in counts) > 500


@pytest.mark.slow
def test_native_rows_take_the_same_ways(tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path, native=True)[1] for seed in range(6)) > 200
