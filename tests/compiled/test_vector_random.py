"""Random laws of vectors: whatever they are, a kernel gives the bits of numpy."""

from __future__ import annotations

import linecache
from collections.abc import Iterator

import pytest
from compiled.harness import compare_law, new_registry
from compiled.test_vector_laws import new_rod
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CELLS = 7
NUMBERS = [
    "self.x",
    "self.k",
    "2.5",
    "-0.5",
    "0.0",
    "3",
    "self.u[2]",
    "self.v[-1]",
    "self.few[i % 3]",
    "a",
    "self.sim.time",
]
SINGLE = ["{} + {}", "{} * {}", "{} - {}", "min({}, {})", "({} if {} > 0.5 else 1.0)"]
GATHERED = [
    "{}.sum()",
    "np.max({})",
    "({}).min()",
    "sum({})",
    "max({})",
    "np.mean({})",
    "np.exp({})[1]",
    "({} > 0.5).any() * 1.0",
]
VECTORS = ["self.u", "self.v", "self.flux", "self.rate.u", "self.last.v", "self.weights", "w", "self.u[::-1]"]
SHORTER = {
    3: ["self.few", "self.u[2:5]", "self.v[1::2]", "w[-3:]", "ENDS", "self.rate.few"],
    5: ["self.u[1:-1]", "self.v[2:]", "w[:5]", "self.flux[-2:-7:-1]", "self.second(self.u)", "np.diff(self.v)[1:]"],
}
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "np.maximum({}, {})", "np.arctan2({}, {})"]
UNARY = [
    "-{}", "abs({})", "np.exp({})", "np.tanh({})", "np.sqrt({})", "{}**2", "{}**0.5", "{}**3", "{}**-1", "np.sin({})",
    "np.where({} > 0.25, 1.5, self.x)", "np.clip({}, -1.0, 2.0)", "{}[::-1]", "np.roll({}, 2)", "{}.copy()", "2.0**{}",
]  # fmt: skip

HEAD = """
import numpy as np
ENDS = np.array([0.5, -1.5, 2.0])
"""


@st.composite
def number(draw, depth: int) -> str:
    kind = draw(st.integers(0, 5)) if depth else 0
    if kind <= 2:
        return draw(st.sampled_from(NUMBERS))
    if kind <= 4:
        parts = draw(number(depth - 1)), draw(number(depth - 1))
        return f"({draw(st.sampled_from(SINGLE)).format(*parts)})"
    return draw(st.sampled_from(GATHERED)).format(f"({draw(vector(CELLS, depth - 1))})")


@st.composite
def vector(draw, size: int, depth: int) -> str:
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind <= 1:
        return draw(st.sampled_from(VECTORS if size == CELLS else SHORTER[size]))
    if kind <= 3:
        return draw(st.sampled_from(UNARY)).format(f"({draw(vector(size, depth - 1))})")
    one = draw(vector(size, depth - 1))
    other = draw(st.one_of(vector(size, depth - 1), number(depth - 1)))
    pair = (one, other) if draw(st.booleans()) else (other, one)
    return draw(st.sampled_from(BINARY)).format(f"({pair[0]})", f"({pair[1]})")


@st.composite
def statement(draw, depth: int) -> list[str]:
    kind = draw(st.integers(0, 8)) if depth else draw(st.integers(0, 5))
    operator = draw(st.sampled_from(["=", "+=", "-=", "*="]))
    if kind <= 1:
        target = draw(st.sampled_from(["self.rate.u", "self.rate.v[:]", "self.flux", "w[:]", "self.u", "w[::-1]"]))
        return [f"{target} {operator} {draw(vector(CELLS, 3))}"]
    if kind == 2:
        size = draw(st.sampled_from([3, 5]))
        target = draw(st.sampled_from(SHORTER[size][:4] if size == 5 else ["self.rate.few", "self.u[2:5]", "w[-3:]"]))
        return [f"{target} {operator} {draw(vector(size, 2))}"]
    if kind == 3:
        place = draw(
            st.sampled_from(["0", "-1", "i", "i - 3", "(i + 1) % 7", "max(i - 1, 0)", "int(min(abs(a), 6.0))"])
        )
        target = draw(st.sampled_from(["self.rate.u", "self.flux", "w", "self.v"]))
        return [f"{target}[{place}] {operator} {draw(number(2))}"]
    if kind == 4:
        return [f"w = {draw(vector(CELLS, 3))} + 0.0"]
    if kind == 5:
        return [f"a = {draw(number(3))}"]
    body = draw(block(depth - 1))
    if kind == 6:
        loop = draw(st.sampled_from(["range(7)", "range(1, len(self.u) - 1)", "range(self.cells - 1, -1, -2)"]))
        return [f"for i in {loop}:", *indented(body), "i = 4"]
    if kind == 7:
        return [f"for a in {draw(vector(CELLS, 1))}:", *indented(body), "a = 0.5"]
    test = f"if {draw(number(2))} > {draw(number(1))}:"
    return [test, *indented(body), "else:", *indented(draw(block(depth - 1)))]


@st.composite
def block(draw, depth: int) -> list[str]:
    statements = draw(st.lists(statement(depth), min_size=1, max_size=3))
    return [line for lines in statements for line in lines]


@st.composite
def program(draw) -> str:
    body = ["a = 1.0", "i = 2", "w = self.u * 1.5", *draw(block(2)), *draw(block(1))]
    # A name that is a vector on one way of a branch only, or made anew in a loop, is refused: written into instead.
    fixed = [line.replace(" w = ", " w[:] = ") if line.startswith(" ") else line for line in body]
    return "\n".join([HEAD, "def law(self):", *indented(fixed), ""])


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def made(text: str, counter: Iterator[int] = iter(range(10**9))) -> dict:  # noqa: B008  # one counter for all
    """The names of a module that exists in memory only, with a source all the same."""
    name = f"<random vectors {next(counter)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict = {"__name__": name}
    exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102  # it was made here
    return names


REGISTRY = new_registry()
LIMITS = {"suppress_health_check": list(HealthCheck), "deadline": None}


def check(text: str) -> None:
    counts = compare_law(REGISTRY, new_rod(), made(text)["law"], shakes=8, seed=3)
    assert counts.equal + counts.raised == 8
    assert counts.equal > 0 or "int(" in text  # Python refuses to make a whole number of NaN


@pytest.mark.slow
@settings(max_examples=30, **LIMITS)
@given(program())
def test_random_laws_of_vectors(text: str) -> None:
    check(text)
