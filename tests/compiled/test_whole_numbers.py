"""Whole numbers are Python's, however large: a kernel counts in 64 bits or doubles where that is exact, or asks."""

from __future__ import annotations

import linecache
from itertools import count
from typing import Any

import numpy as np
import pytest
from compiled.harness import REFUSED_BY_PYTHON, run_condition, run_law, same_bits, table_of
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.compilation import Registry
from eventide.engine.stepper import R, Y
from eventide.lowering import CannotLower

NUMBERS = [
    "3",
    "7",
    "(-2)",
    "(10**9)",
    "(2**31)",
    "(2**53 - 1)",
    "(2**53)",
    "(-(2**62))",
    "(10**17)",
    "self.n",
    "self.m",
    "j",
    "k",
]
NUMBERS += [
    "self.n",
    "self.m",
    "j",
    "k",
    "int(self.x)",
    "round(self.x * 1e6)",
    "True",
    "len(TABLE)",
    "TABLE[2]",
    "(self.x < 2.5)",
]
SERIAL = count()
TABLE = [1, 2**52 + 1, 2**40, -5]


def expression(depth: int) -> st.SearchStrategy[str]:
    """An expression for a whole number, mostly, that may be large."""
    if depth == 0:
        return st.sampled_from(NUMBERS)
    inner = expression(depth - 1)
    pairs = st.tuples(inner, st.sampled_from(["+", "-", "*", "*", "//", "%"]), inner)
    return st.one_of(
        st.sampled_from(NUMBERS),
        pairs.map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        inner.map(lambda one: f"(-{one})"),
        inner.map(lambda one: f"abs({one})"),
        st.tuples(inner, st.sampled_from(["2", "3", "5", "self.n"])).map(lambda p: f"({p[0]} ** {p[1]} % 1000003)"),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"({p[0]} if {p[1]} < {p[2]} else 4)"),
    )


def program(draw: Any) -> list[str]:
    """The body of a law."""
    lines = ["k, total = 1, 0", f"for j in range({draw(st.sampled_from(['5', '12', 'self.n', '2 * self.n + 1']))}):"]
    lines.append(f"    k = {draw(expression(2))}")
    lines.append(f"    total {draw(st.sampled_from(['+', '*', '-']))}= {draw(expression(1))}")
    lines.append("j = 3")
    lines.append(f"self.q = 1.0 if k {draw(st.sampled_from(['<', '>=', '==']))} {draw(expression(2))} else 0.5")
    lines.append(f"self.rate.x = {draw(expression(2))} / ({draw(expression(1))})")
    lines.append(f"self.rate.y = 1.0 if total {draw(st.sampled_from(['<', '==']))} 9007199254740992.0 else k * 1.0")
    return lines


def class_of(lines: list[str], condition: str = "True") -> type[Any]:
    text = "\n".join([
        "class Made(ev.Continuous):",
        "    x: ev.State = ev.state(2.25)",
        "    y: ev.State = ev.state(0.0)",
        "    q: ev.Computed = ev.computed()",
        "    n: int = 4",
        "    m: int = 2**53 - 3",
        "    def equations(self):",
        *(f"        {line}" for line in lines),
        "    def test(self):",
        "        k, j = 2, 5",
        f"        return {condition}",
        "",
    ])  # fmt: skip
    name = f"<whole numbers {next(SERIAL)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"ev": ev, "TABLE": TABLE, "__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), scope)  # noqa: S102  # our own text
    made: type[Any] = scope["Made"]
    return made


def asks(registry: Registry, made: Any) -> bool:
    """Whether the law's kernel asks Python; AssertionError if it does not and is not the same to the last bit."""
    sim = made.sim
    kernel, binding = registry.law(made, type(made).equations)
    native = table_of(sim).copy()
    is_asked = run_law(kernel, [binding], native)
    still = sim._continuum.integrator.still
    sim.active, still.is_open = True, True
    try:
        made.equations()
    except REFUSED_BY_PYTHON:
        assert is_asked or not np.isfinite(native[R]).all()
        return True
    finally:
        sim.active = still.is_open = False
    assert is_asked or same_bits(table_of(sim)[Y : R + 1], native[Y : R + 1])
    return is_asked


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_a_kernel_gives_pythons_whole_numbers_or_asks(data: Any) -> None:
    registry = Registry(exact_pow=True)
    word = data.draw(st.sampled_from(["<", ">=", "==", "!="]))
    condition = f"{data.draw(expression(2))} {word} {data.draw(expression(1))}"
    made = class_of(program(data.draw), condition)(ev.Simulation(rng=1, compile=False))
    try:
        asks(registry, made)
        bound = registry.condition(made.test)
    except CannotLower:
        return  # a number is written that no double holds
    answer = run_condition(bound, table_of(made.sim))
    try:
        holds = made.test()
    except REFUSED_BY_PYTHON:
        assert answer.raises
    else:
        assert answer.raises or answer.holds == holds


@pytest.mark.parametrize(
    ("lines", "is_asked"),
    [
        (["self.q = sum(j * j for j in range(1, 100))", "self.rate.x = 1.0"], False),
        (["k = 1", "for j in range(9): k = (1103515245 * k + 12345) % 2**31", "self.rate.x = k / 2**31"], True),
        (["self.rate.x = 1.0 if (2 * self.n + 1) % 3 == 0 else -self.n ** 2 / 7"], False),
        (["k = 1", "for j in range(1, self.m): k *= j", "    if j > 25: break", "self.rate.x = 1.0 / k"], True),
        (["self.rate.x = self.n * 10**18 * 100"], True),
        (["self.rate.x = 1.0 if self.m + self.n > 9007199254740992.0 else 0.0"], True),
        (["self.rate.x = (self.m * 3) / (self.m - 1)"], True),
        (["self.rate.x = 1.0 if 2**self.n % 7 == 2 else 0.0"], False),
        (["self.rate.x = 1.0 if 3 ** (10 * self.n) % 7 == 4 else 0.0"], True),
        (["self.rate.x = -(-(2**62) * self.n) * 1.0"], True),
        (["k = 0.0", "for j in range(4): k = (j * 2**55 + 1) / 3", "self.rate.x = k"], True),
        (["self.rate.x = abs(-(2**62) - 2**62) * 1.0"], False),
        (["self.rate.x = int(self.x * 1e19) * 2.0"], False),
        (["self.rate.x = int(self.x * 1e19) % 1000 * 1.0"], True),
    ],
)
def test_python_is_asked_where_a_number_is_too_large_and_only_there(lines: list[str], is_asked: bool) -> None:
    lines = [part for line in lines for part in line.replace(": k", ":\n    k").split("\n")]
    assert asks(Registry(exact_pow=True), class_of(lines)(ev.Simulation(rng=1, compile=False))) == is_asked


class Series(ev.Continuous):
    x: ev.State = ev.state(0.0)
    argument: float = 12.0
    n: int = 0
    q: ev.Computed = ev.computed()

    def equations(self) -> None:
        total, factorial = 1.0, 1
        for j in range(1, 60):
            factorial = factorial * j
            total += self.argument**j / factorial
        self.q = total
        self.rate.x = total / 162754.79141900392

    def power(self) -> int:
        m = 1
        for _ in range(64):
            m = m * 2
        return m

    @ev.when(lambda self: self.x > 0.5 and self.power() > 1000)
    def reset(self) -> None:
        self.n += 1
        self.x = 0.0


@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiled", ["auto", False])
def test_factorials_and_powers_of_two_are_themselves_in_laws_and_conditions(compiled: Any, stepping: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiled, stepping=stepping)
    series = Series(sim).start()
    sim.run(until=2.2)
    assert series.n == 4
    assert series.q == pytest.approx(162754.79141900392, rel=1e-14)
    assert series.x == pytest.approx(0.2, rel=1e-9)
    assert sim.report().unproved == 0
