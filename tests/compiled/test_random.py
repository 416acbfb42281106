"""Laws and conditions that nobody wrote: random programs, to the last bit."""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterator

import numpy as np
import pytest
from compiled.harness import (
    REFUSED_BY_PYTHON,
    Moment,
    compare_law,
    new_registry,
    run_condition,
    set_clock,
    shake,
    table_of,
)
from compiled.test_laws import House, Probe
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eventide as ev

QUANTITIES = [
    "self.x", "self.y", "self.z", "self.gain", "self.q", "self.house.warmth", "self.house.loss", "self.twin.x",
    "self.twin.gain", "self.last.x", "self.rate.y", "self.sim.time", "self.sim.dt", "G", "2.5", "-0.5", "1e-3", "0.0",
    "float(self.flag)", "self.house.comfort",
]  # fmt: skip
WHOLES = ["self.count", "3", "-2", "0", "N", "self.house.rooms", "int(self.flag)", "len(self.guests)", "True"]
FUNCTIONS = [
    "math.sin({})", "math.cos({})", "math.tanh({})", "math.exp(min({}, 20.0))", "math.sqrt(abs({}))", "abs({})",
    "math.log(abs({}) + 1)", "math.atan({})", "float({})", "helper({})", "self.method({})", "-{}", "+{}", "cube({})",
    "math.floor(min(max({}, -9.0), 9.0)) * 0.5", "sum(g.x * {} for g in self.guests)", "math.fabs({})", "math.exp({})",
    "max(g.y for g in self.guests if g.x < {}) if any(g.x < {} for g in self.guests) else 1.5", "math.log({})",
]  # fmt: skip
OPERATORS = ["+", "-", "*", "/", "//", "%"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]

HEAD = """
import math
G = 9.81
N = 5

def cube(value):
    return value**3

def helper(value, scale=0.5):
    if value > 1.0:
        return value * scale
    elif value != value:
        return 0
    return helped(value) - 1

def helped(value):
    return value % 3 + min(value, 2)
"""


@st.composite
def number(draw, names: tuple[str, ...], depth: int) -> str:
    """An expression for a number; `names` are locals that have one."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([*QUANTITIES, *names]))
    kind = draw(st.integers(0, 9))
    deeper = number(names, depth - 1)
    if kind <= 4:
        return f"({draw(deeper)} {draw(st.sampled_from(OPERATORS))} {draw(deeper | whole(1))})"
    if kind <= 6:
        inner = f"({draw(deeper)})"
        form = draw(st.sampled_from(FUNCTIONS))
        return f"({form.format(*[inner] * form.count('{}'))})"
    if kind == 7:
        return f"({draw(deeper)} if {draw(truth(names, depth - 1))} else {draw(deeper)})"
    if kind == 8:
        word = draw(st.sampled_from(["min", "max"]))
        return f"{word}({draw(deeper)}, {draw(deeper | whole(1))}, {draw(deeper)})"
    return f"(abs({draw(deeper)}) + 0.25) ** {draw(st.sampled_from(['2', '-1', '0.5', 'self.count', '2.5', '0', '3']))}"


@st.composite
def whole(draw, depth: int) -> str:
    """An expression for a small whole number."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(WHOLES))
    one, other = draw(whole(depth - 1)), draw(whole(depth - 1))
    forms = ["({} + {})", "({} - {})", "({} * {})", "({} // {})", "({} % {})", "({} ** 2 - {})", "abs({} - {})"]
    return draw(st.sampled_from(forms)).format(one, other)


@st.composite
def truth(draw, names: tuple[str, ...], depth: int) -> str:
    """An expression for a truth."""
    inner = number(names, max(0, depth - 1))
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind <= 2:
        return f"({draw(inner)} {draw(st.sampled_from(COMPARISONS))} {draw(inner | whole(1))})"
    if kind == 3:
        signs = draw(st.sampled_from(COMPARISONS)), draw(st.sampled_from(COMPARISONS))
        return f"({draw(inner)} {signs[0]} {draw(inner)} {signs[1]} {draw(inner)})"
    if kind == 4:
        return f"(not {draw(truth(names, depth - 1))})"
    word = draw(st.sampled_from(["and", "or", "&", "|"]))
    return f"({draw(truth(names, depth - 1))} {word} {draw(truth(names, depth - 1))})"


TARGETS = ["self.rate.x", "self.rate.y", "self.rate.z", "self.q", "self.x", "self.total", "self.twin.rate.x"]


@st.composite
def block(draw, names: tuple[str, ...], depth: int, *, in_loop: bool = False, writes: bool = True) -> list[str]:
    """Some statements, indented by nothing."""
    lines: list[str] = []
    targets = TARGETS if writes else ["a", "b"]
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 9 if depth else 4))
        if kind <= 1:
            name = draw(st.sampled_from(["a", "b", "c"]))
            lines.append(f"{name} = {draw(number(names, 2) | whole(2))}")
            names = tuple(dict.fromkeys((*names, name)))
        elif kind == 2:
            lines.append(f"{draw(st.sampled_from(targets))} = {draw(number(names, 2) | whole(2))}")
        elif kind == 3:
            changeable = [name for name in names if name in ("a", "b", "c", "guest.x")]
            target = draw(st.sampled_from([*targets, *changeable]))
            lines.append(f"{target} {draw(st.sampled_from(['+', '-', '*', '/']))}= {draw(number(names, 2))}")
        elif kind == 4:
            lines += ["a, b = 1, " + draw(number(names, 1)), "b, a = a, b"]
            names = tuple(dict.fromkeys((*names, "a", "b")))
        elif kind <= 7:
            lines.append(f"if {draw(truth(names, 2))}:")
            lines += indented(draw(block(names, depth - 1, in_loop=in_loop, writes=writes)))
            if draw(st.booleans()):
                returns = ["return"] if writes else ["return 1.5", "return a"]
                ending = ["continue", "break", *returns] if in_loop else returns
                lines.append("    " + draw(st.sampled_from([*ending, "pass"])))
            if draw(st.booleans()):
                lines += [
                    f"elif {draw(truth(names, 1))}:",
                    *indented(draw(block(names, depth - 1, in_loop=in_loop, writes=writes))),
                ]
            if draw(st.booleans()):
                lines += ["else:", *indented(draw(block(names, depth - 1, in_loop=in_loop, writes=writes)))]
        elif kind == 8 or "guest.x" in names:
            counter = draw(st.sampled_from(["k", "j"]))
            lines.append(
                f"for {counter} in range({draw(st.sampled_from(['3', 'self.count', '2, 9, 3', '4, 0, -1']))}):"
            )
            lines += indented(draw(block((*names, counter), depth - 1, in_loop=True, writes=writes)))
        else:
            lines.append("for guest in self.guests:")
            lines += indented(draw(block((*names, "guest.x", "guest.gain"), depth - 1, in_loop=True, writes=writes)))
    return lines


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@st.composite
def program(draw) -> str:
    """A module with one law."""
    body = draw(block(("a", "b"), 3))
    method = [without_itself(line) for line in draw(block(("value", "a", "b"), 1, writes=False))]
    answer = without_itself(draw(number(("value",), 2)))
    return "\n".join([
        HEAD,
        "def method(self, value):",
        *indented(["a = 2", "b = value", *method]),
        f"    return {answer}",
        "def law(self):",
        *indented(["a = 1.0", "b = 2", *body]),
        "",
    ])  # fmt: skip


def without_itself(text: str) -> str:
    """The text of a method in which it does not call itself."""
    return text.replace("self.method(", "helper(")


def made(text: str, counter: Iterator[int] = iter(range(10**9))) -> dict:  # noqa: B008  # one counter for all
    """The names of a module that exists in memory only, with a source all the same."""
    name = f"<random program {next(counter)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict = {"__name__": name}
    exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102  # it was made here
    return names


# Between the tests of one run kernels are shared; each test is a new text.
REGISTRY = new_registry()
LIMITS = {"suppress_health_check": list(HealthCheck), "deadline": None}


def new_subject(names: dict) -> Probe:
    class Subject(Probe):
        method = names.get("method")

    sim = ev.Simulation(rng=1)
    house, other = House(sim), House(sim, loss=0.5, rooms=7, is_open=False)
    guests = [Subject(sim, house=(house, other)[k % 2], count=k, flag=k == 2, gain=0.5 + k) for k in range(3)]
    return Subject(sim, house=house, twin=guests[1], guests=guests)


def check_law(text: str) -> None:
    names = made(text)
    compare_law(REGISTRY, new_subject(names), names["law"], shakes=8, seed=3)


def check_condition(text: str) -> None:
    names = made(HEAD + f"def method(self, value):\n    return value / 2\ndef test(self):\n    return {text}\n")
    subject = new_subject(names)
    bound = REGISTRY.condition(names["test"], subject)
    rng = np.random.default_rng(5)
    for _ in range(8):
        shake(subject.sim, rng)
        moment = Moment(*rng.normal(0.0, 2.0, 3).tolist())
        set_clock(subject.sim, moment)
        answer = run_condition(bound, table_of(subject.sim), moment)
        try:
            expected = bool(names["test"](subject))
        except REFUSED_BY_PYTHON:
            assert answer.raises
            continue
        assert not answer.raises
        assert answer.holds is expected
        assert answer.guide >= 0.0 if expected else answer.guide <= 0.0
        assert not math.isinf(answer.guide)


@pytest.mark.slow
@settings(max_examples=25, **LIMITS)
@given(program())
def test_random_laws(text: str) -> None:
    check_law(text)


@pytest.mark.slow
@settings(max_examples=25, **LIMITS)
@given(truth((), 3))
def test_random_conditions(text: str) -> None:
    check_condition(text)


@pytest.mark.slow
@settings(max_examples=100, **LIMITS)
@given(program())
def test_many_random_laws(text: str) -> None:
    check_law(text)


@pytest.mark.slow
@settings(max_examples=160, **LIMITS)
@given(truth((), 4))
def test_many_random_conditions(text: str) -> None:
    check_condition(text)
