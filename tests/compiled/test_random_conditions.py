"""Random conditions over states, vectors and Booleans, beside what Python says of them along the exact solution."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import eventide as ev

SPEEDS = np.array([1.0, 1.3, 0.7, 1.9])
PHASES = np.array([0.0, 1.0, 2.0, 4.0])
END = 12.0
GRID = np.linspace(0.0, END, 12_001)
CLOSE = 1e-5
"""How far an event may be from that of the exact solution."""


class Oscillations(ev.Continuous):
    u: ev.StateVector = ev.state_vector(0.0, size=4)
    c: ev.StateVector = ev.state_vector(0.0, size=4)
    log: list[list[float]] = ev.field(default_factory=list)

    def equations(self) -> None:
        for k in range(4):
            self.rate.u[k] = SPEEDS[k] * self.c[k]
            self.rate.c[k] = -SPEEDS[k] * self.u[k]


class Conditions:
    """Writes random conditions."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def level(self) -> str:
        return repr(round(self.random.uniform(-1.1, 1.1), 3))

    def vector(self) -> str:
        name = self.random.choice("uc")
        return self.random.choice(
            [f"w.{name}", f"w.{name}", f"w.{name}[1:]", f"(w.u - 0.5 * w.{name})", f"(w.{name} ** 2)"]
        )

    def number(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return f"w.{self.random.choice('uc')}[{self.random.randrange(4)}]"
        one, other, v = self.number(depth - 1), self.number(depth - 1), self.vector()
        return self.random.choice([
            f"({one} + {other})", f"({one} - {other})", f"{one} * {other}", f"abs({one})", f"max({one}, {other})",
            f"max({v})", f"{v}.max()", f"np.min({v})", f"min({v})", f"{v}.sum()", f"sum({v})", f"{v}.mean()",
            f"sum(x * x for x in {v})", f"sum(x * y for x, y in zip({v}, {v}))",

            f"np.where({v} > {self.level()}, 1.0, {self.level()}).sum()",
            f"({one} if {self.truth(depth - 1)} else {other})",
        ])  # fmt: skip

    def truth(self, depth: int) -> str:
        sign, v = self.random.choice(["<", "<=", ">", ">="]), self.vector()
        if depth == 0 or self.random.random() < 0.25:
            return f"{self.number(0)} {sign} {self.level()}"
        items = f"{v} {sign} {self.level()}"
        one, other = f"({self.truth(depth - 1)})", f"({self.truth(depth - 1)})"
        return self.random.choice([
            f"{self.number(depth)} {sign} {self.number(depth - 1)}",

            f"{self.level()} < {self.number(depth)} {sign} 1.3",
            f"{one} and {other}", f"{one} or {other}", f"not {one}", f"{one} == {other}", f"{one} != {other}",
            f"bool({one}) ^ bool({other})", f"{one} if {other} else not {one}", f"False if {one} else {other}",
            f"any({items})", f"({items}).any()", f"np.any({items})", f"all({items})", f"not np.all({items})",
            f"any(x {sign} {self.level()} for x in {v})", f"sum({items}) >= {self.random.randint(1, 3)}",
            f"np.count_nonzero({items}) == {self.random.randint(1, 3)}",
            f"math.isclose({self.number(depth)}, {self.level()}, rel_tol=0.0, abs_tol=0.01)",
            f"np.isclose({v}, {self.level()}, 0.001, 0.02).any()",
        ])  # fmt: skip


def exact(condition: Any, time: float) -> bool:
    """What Python says of a condition at a time."""
    angles = SPEEDS * time + PHASES
    return bool(condition(SimpleNamespace(u=np.sin(angles), c=np.cos(angles))))


def changes(condition: Any) -> tuple[list[float], list[float]]:
    """Where a condition becomes true and where false, as far as a grid tells."""
    truths, found = [exact(condition, time) for time in GRID], ([], [])
    for k in range(1, len(GRID)):
        low, high = GRID[k - 1], GRID[k]
        if truths[k - 1] == truths[k]:
            continue
        while high - low > 1e-11:
            middle = (low + high) / 2.0
            low, high = (middle, high) if exact(condition, middle) == truths[k - 1] else (low, middle)
        found[0 if truths[k] else 1].append(high)
    return found


def becomes_true(condition: Any, time: float) -> bool:
    """Whether a condition that is true at a time, or all but, has been false shortly before."""
    near = [exact(condition, time + d) for d in np.linspace(-CLOSE, CLOSE, 41)]
    return any(not before and after for before, after in pairwise(near))


def logs(conditions: list[Any], **settings: Any) -> tuple[list[list[float]], list[str]]:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-11, **settings)
    waves = Oscillations(sim, u=np.sin(PHASES), c=np.cos(PHASES)).start()
    logs: list[list[float]] = [[] for _ in conditions]

    def watch(condition: Any, log: list[float]) -> Any:
        while True:
            yield ev.until(lambda: not condition(waves))
            yield ev.until(lambda: condition(waves))
            log.append(sim.time)

    for condition, log in zip(conditions, logs, strict=True):
        sim.process(watch(condition, log))
    sim.run(until=END)
    return logs, [note.kind for note in sim.explain().conditions]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_random_conditions_become_true_where_python_says(seed: int, tmp_path: Any) -> None:
    writer = Conditions(seed)
    texts = [writer.truth(2) for _ in range(6)]
    path = tmp_path / f"random_conditions_{seed}.py"
    path.write_text(
        "import math\nimport numpy as np\n" + "".join(f"def c{k}(w):\n    return {t}\n" for k, t in enumerate(texts)),
        encoding="utf-8",
    )
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)  # noqa: S102  # its source is read
    conditions = [names[f"c{k}"] for k in range(len(texts))]
    found, _ = logs(conditions)
    assert logs(conditions, compile=False)[0] == found
    for condition, text, times in zip(conditions, texts, found, strict=True):
        rises, falls = changes(condition)
        told = sorted([*rises, *falls])
        sure = [t for t in rises if all(abs(t - o) > 0.01 for o in told if o is not t) and t < END - 0.01]
        for time in sure:
            assert min((abs(time - t) for t in times), default=1.0) < CLOSE, (text, time, times)
        for time in times:
            assert becomes_true(condition, time), (text, time, rises)
