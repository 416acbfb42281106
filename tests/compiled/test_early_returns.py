"""Helpers of conditions that return early: the same as one expression of choices, proved over whole steps."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from compiled.harness import new_registry, run_condition, table_of

import eventide as ev

if TYPE_CHECKING:
    from pathlib import Path

LOW, HIGH = 0.4997, 0.5003


class Way(Enum):
    UP = 1
    DOWN = 2


def inside(value: float) -> bool:
    if value <= LOW:
        return False
    return value < HIGH


def outside(value: float) -> bool:
    if value <= LOW:
        return True
    if value >= HIGH:
        return True
    return value > 7.0


def share(value: float) -> float:
    if value < LOW:
        return 0.0
    if value > HIGH:
        return 0.0
    return 1.0


def limits(value: float) -> tuple[float, float]:
    if value > 2.0:
        return 7.0, 8.0
    return LOW, HIGH


class Swing(ev.Continuous):
    """x is the sine of the time: it is between LOW and HIGH for less than a thousandth of a second."""

    x: ev.State = ev.state(0.0)
    c: ev.State = ev.state(1.0)
    flow: ev.Computed = ev.computed()
    mode: str = "open"
    count: int = 1
    way: Way = Way.UP

    def equations(self) -> None:
        self.rate.x = self.c
        self.rate.c = -self.x
        self.set_flow()
        if self.x < LOW:
            self.flow = 0.0
            return
        self.flow = 1.0 if self.x < HIGH else 0.0

    def set_flow(self) -> None:
        self.flow = 5.0

    @property
    def valve(self) -> float:
        if self.mode == "open":
            return share(self.x)
        return 0.0

    def index(self) -> int:
        if self.x < LOW:
            return 0
        elif self.x < HIGH:
            return 1
        else:
            return 2

    def in_turn(self) -> bool:
        for low, high in ((7.0, 8.0), (LOW, HIGH)):  # noqa: SIM110  # as people write it
            if low < self.x < high:
                return True
        return False

    def nested(self) -> bool:
        if self.c > 0.0:
            if self.x < LOW:
                return False
            limit = HIGH
        else:
            if self.x > HIGH:
                return False
            return self.x > LOW
        return self.x < limit

    def of_a_text(self) -> bool:
        match self.mode:
            case "closed" | "broken":
                return self.x > 2.0
            case "open" if self.x > LOW:
                return self.x < HIGH
        return False

    def of_a_member(self) -> bool:
        match self.way:
            case Way.UP:
                low = LOW
            case Way.DOWN:
                low = 7.0
        return low < self.x < HIGH

    def of_a_number(self) -> float:
        match self.index():
            case 0:
                return 0.0
            case 1:
                return 1.0
            case _:
                return 0.0

    def unpacked(self) -> bool:
        low, high = limits(self.x)
        return low < self.x < high


SPELLED: dict[str, Callable[[Swing], Any]] = {
    "function": lambda s: inside(s.x),
    "opposite": lambda s: not outside(s.x),
    "number": lambda s: share(s.x) > 0.5,
    "property": lambda s: s.valve > 0.5,
    "whole number": lambda s: s.index() == 1,
    "loop": lambda s: s.in_turn(),
    "nested": lambda s: s.nested(),
    "match of a text": lambda s: s.of_a_text(),
    "match of a member": lambda s: s.of_a_member(),
    "match of a number": lambda s: s.of_a_number(),
    "tuple": lambda s: s.unpacked(),
    "several": lambda s: max(share(s.x), 0.1) + share(s.x - 9.0) > 0.5,
    "any": lambda s: any(inside(v) for v in (s.x, 0.0)),
    "law": lambda s: s.flow > 0.5,
}


@pytest.mark.slow
@pytest.mark.parametrize("compiles", ["auto", False])
def test_helpers_that_return_early_are_proved_over_whole_steps(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    swing, found = Swing(sim).start(), {name: list[float]() for name in SPELLED}

    def watch(name: str, condition: Callable[[Swing], Any]) -> Any:
        yield ev.hold(1.0)
        while True:
            yield ev.until(lambda: condition(swing))
            found[name].append(sim.time)
            yield ev.until(lambda: not condition(swing))

    for name, condition in SPELLED.items():
        sim.process(watch(name, condition))
    sim.run(until=10.0)
    assert [note.kind for note in sim.explain().conditions] == ["certified"] * len(SPELLED)
    turns = [
        t
        for k in range(2)
        for t in (math.pi - math.asin(HIGH) + 2 * k * math.pi, math.asin(LOW) + 2 * (k + 1) * math.pi)
    ]
    for name, times in found.items():
        assert times == pytest.approx([t for t in turns if t < 10.0], abs=1e-4), name


def late(value: float) -> bool:
    if value <= 0.0:
        return False
    if value > 1.0:
        return True
    return 1.0 / math.sqrt(value) > 1.1


def test_what_stands_behind_a_return_raises_only_where_python_comes() -> None:
    registry, sim = new_registry(), ev.Simulation()
    swing = Swing(sim)
    bound = registry.condition(lambda: late(swing.x))
    for swing.x in (-1.0, 0.0, 0.25, 0.9, 1.0, 1.5):
        answer = run_condition(bound, table_of(sim))
        assert (answer.holds, answer.raises) == (late(swing.x), False)


def going_on(value: float) -> bool:
    for low, high in ((0.0, 0.2), (0.3, 0.5), (0.7, 0.8)):
        if value < -0.5:
            return True
        if value < low:
            continue
        if value < high:
            return True
        if value == 0.9:
            break
    return value > 0.95


def test_a_loop_that_goes_on_before_it_returns_is_what_python_says() -> None:
    registry, sim = new_registry(), ev.Simulation()
    swing = Swing(sim)
    bound = registry.condition(lambda: going_on(swing.x))
    for k in range(-10, 11):
        swing.x = k / 10
        assert run_condition(bound, table_of(sim)).holds == going_on(swing.x)


class Matched(ev.Continuous):
    """A rate that a mode and a comparison within it choose."""

    x: ev.State = ev.state(0.0)
    mode: str = "fast"

    def equations(self) -> None:
        match self.mode:
            case "fast" if self.x < 0.5:
                self.rate.x = 2.0
            case "fast" | "slow":
                self.rate.x = 1.0
            case _:
                self.rate.x = 0.0


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_match_in_a_law_is_located(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    matched = Matched(sim).start()
    sim.run(until=1.0)
    assert matched.x == pytest.approx(1.25, abs=1e-12)
    matched.mode = "off"
    sim.run(until=2.0)
    assert matched.x == pytest.approx(1.25, abs=1e-12)
    assert sim.report().switches == 1
    assert all(note.is_compiled for note in sim.explain().laws) == (compiles == "auto")


# --- random functions -------------------------------------------------------------------------------------------------


class Texts:
    """Random functions of two numbers, of nested `if`, `match`, `for`, `return` and assignments."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def number(self) -> str:
        names = ["v", "w", "a", "b", "v", "w", repr(round(self.random.uniform(-1.0, 1.0), 2))]
        one, other = self.random.choice(names), self.random.choice(names)
        return self.random.choice([one, f"{one} - {other}", f"{one} * {other}", f"abs({one})", f"1.0 / ({one} + 2.0)"])

    def test(self) -> str:
        one = f"{self.number()} {self.random.choice('<>')} {self.number()}"
        return self.random.choice([one, one, f"{one} and {self.number()} < {self.number()}", f"not ({one})"])

    def value(self) -> str:
        return self.random.choice([self.test(), self.test(), "True", "False"])

    def block(self, depth: int, *, ends: bool) -> list[str]:
        made: list[str] = []
        for _ in range(self.random.randint(1, 2)):
            made += self.statement(depth)
        return [*made, f"return {self.value()}"] if ends else made

    def inner(self, depth: int, *, ends: bool) -> list[str]:
        return [f"    {line}" for line in self.block(depth - 1, ends=ends)]

    def statement(self, depth: int) -> list[str]:
        ends = [self.random.random() < 0.5 for _ in range(3)]
        roll = self.random.randrange(6) if depth else 0
        if roll == 0:
            return [f"{self.random.choice('ab')} = {self.number()}"]
        if roll == 1:
            return [f"for k in ({self.number()}, {self.number()}):", f"    if k > {self.number()}:", *self.far(depth)]
        if roll == 2:
            cases = [f"    case {k if k < 2 else '_'}:" for k in range(3)]
            bodies = [[f"    {line}" for line in self.inner(depth, ends=end)] for end in ends]
            match = f"match int({self.number()} > 0.0):"
            return [match, *(line for case, body in zip(cases, bodies, strict=True) for line in (case, *body))]
        made = [f"if {self.test()}:", *self.inner(depth, ends=ends[0])]
        if roll > 3:
            made += [f"elif {self.test()}:", *self.inner(depth, ends=ends[1])]
        return [*made, "else:", *self.inner(depth, ends=ends[2])] if roll > 4 else made

    def far(self, depth: int) -> list[str]:
        last = self.random.choice([f"return {self.value()}", "continue", "break", "a = k"])
        before = self.inner(depth - 1, ends=False) if depth > 1 else []
        return [*(f"    {line}" for line in before), f"        {last}"]

    def function(self, name: str, depth: int) -> str:
        lines = ["a, b = v, 0.25", *self.block(depth, ends=True)]
        return "\n".join([f"def {name}(v, w):", *(f"    {line}" for line in lines)]) + "\n\n\n"


def made_functions(seed: int, count: int, depth: int, folder: Path) -> list[Callable[[float, float], bool]]:
    texts = Texts(Random(seed))
    place = folder / f"early_returns_{seed}.py"
    place.write_text("".join(texts.function(f"f{k}", depth) for k in range(count)))
    spec = importlib.util.spec_from_file_location(place.stem, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"f{k}") for k in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 0)) for seed in range(12)])
def test_random_functions_that_return_early_are_what_python_says(seed: int, tmp_path: Path) -> None:
    registry, sim, random = new_registry(), ev.Simulation(), Random(seed)
    swing = Swing(sim)
    for function in made_functions(seed, 8, 3, tmp_path):
        bound = registry.condition(lambda f=function: f(swing.x, swing.c))
        for _ in range(60):
            swing.x, swing.c = (round(random.uniform(-1.0, 1.0), 2) for _ in range(2))
            answer = run_condition(bound, table_of(sim))
            holds = function(swing.x, swing.c)
            assert (answer.holds, answer.raises) == (holds, False)
            assert math.isnan(answer.guide) or (answer.guide >= 0.0 if holds else answer.guide <= 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("seed", range(20, 26))
def test_every_moment_of_random_functions_that_return_early_is_found(seed: int, compiles: Any, tmp_path: Path) -> None:
    functions = made_functions(seed, 12, 2, tmp_path)
    sim = ev.Simulation(compile=compiles, rel_error=1e-9)
    swing, found = Swing(sim).start(), [list[float]() for _ in functions]

    def watch(function: Callable[[float, float], bool], times: list[float]) -> Any:
        while True:
            yield ev.until(lambda: function(swing.x, swing.c))
            times.append(sim.time)
            yield ev.until(lambda: not function(swing.x, swing.c))

    for function, times in zip(functions, found, strict=True):
        sim.process(watch(function, times))
    sim.run(until=6.5)
    kinds = [note.kind for note in sim.explain().conditions]
    assert kinds.count("certified") >= 7
    grid = np.linspace(0.0, 6.5, 65_001)
    for function, events, kind in zip(functions, found, kinds, strict=True):
        if kind != "certified":  # it leaves a loop, or is too long
            continue
        holds = np.array([function(math.sin(t), math.cos(t)) for t in grid])
        rises = grid[1:-1][holds[2:] & holds[1:-1] & ~holds[:-2]]
        for rise in rises:
            assert any(abs(event - rise) < 2e-4 for event in events), (function.__name__, rise)
