"""Handlers that nobody wrote: as native code they leave what they leave in Python, to the last bit."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from compiled.test_random import LIMITS, indented, made
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.guards import native_handlers

NUMBERS = [
    "self.x", "self.gain", "self.q", "self.twin.x", "self.twin.gain", "self.twin.q", "self.hub.total", "self.rate.x",
    "self.last.x", "self.sim.time", "self.sim.dt", "self.sim.last_time", "G", "2.5", "-0.5", "0.0", "float(self.flag)",
]  # fmt: skip
WHOLES = ["self.count", "self.hub.visits", "3", "-2", "0", "N", "True", "int(self.x)", "self.twin.count"]
FUNCTIONS = [
    "math.sin({})", "abs({})", "-{}", "float({})", "math.sqrt({})", "math.exp({})", "halved({})", "self.method({})",
    "math.floor({})", "round({})", "min({}, 1.5)", "max({}, self.count)",
]  # fmt: skip
TARGETS = [
    "self.x", "self.gain", "self.q", "self.count", "self.flag", "self.twin.x", "self.twin.gain", "self.hub.total",
    "self.hub.visits", "self.hub.drive", "self.twin.count",
]  # fmt: skip
LISTS = ["self.log", "self.twin.log", "LOG"]
ACTIONS = [
    "self.stop()", "self.twin.stop()", "self.twin.start()", "raise ValueError('no more')", "assert self.count < 4",
    "return", "self.seen.add(self.count)", "self.extra = self.x", "self.helped()", "pass",
]  # fmt: skip


@st.composite
def number(draw: Any, names: tuple[str, ...], depth: int) -> str:
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        return draw(st.sampled_from([*NUMBERS, *names]))
    kind = draw(st.integers(0, 5))
    deeper = number(names, depth - 1) | st.sampled_from(WHOLES)
    if kind <= 2:
        return f"({draw(deeper)} {draw(st.sampled_from(['+', '-', '*', '/', '//', '%']))} {draw(deeper)})"
    if kind <= 4:
        return draw(st.sampled_from(FUNCTIONS)).format(draw(deeper))
    return f"({draw(deeper)} if {draw(truth(names, depth - 1))} else {draw(deeper)})"


@st.composite
def whole(draw: Any) -> str:
    one, other = draw(st.sampled_from(WHOLES)), draw(st.sampled_from(WHOLES))
    forms = [
        "{0}",
        "({0} + {1})",
        "({0} * {1})",
        "({0} // {1})",
        "({0} - {1})",
        "{0} * 10**9 * {1} * 10**9",
        "{0} ** 2",
    ]
    return draw(st.sampled_from(forms)).format(one, other)


@st.composite
def truth(draw: Any, names: tuple[str, ...], depth: int) -> str:
    inner = number(names, depth) | st.sampled_from(WHOLES)
    text = f"{draw(inner)} {draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {draw(inner)}"
    if draw(st.integers(0, 3)) == 0:
        text = f"({text}) {draw(st.sampled_from(['and', 'or']))} {draw(truth(names, 0))}"
    return draw(st.sampled_from(["({})", "(not ({}))"])).format(text)


@st.composite
def item(draw: Any, names: tuple[str, ...]) -> str:
    """What goes into a list."""
    value = number(names, 1) | whole() | truth(names, 0) | st.sampled_from(["self", "'text'", "None", "self.twin"])
    if draw(st.booleans()):
        return draw(value)
    return f"({draw(value)}, {draw(value)}, ({draw(value)},))"


@st.composite
def block(draw: Any, names: tuple[str, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 11 if depth else 8))
        if kind <= 1:
            name = draw(st.sampled_from(["a", "b"]))
            lines.append(f"{name} = {draw(number(names, 2) | whole())}")
            names = tuple(dict.fromkeys((*names, name)))
        elif kind <= 3:
            lines.append(f"{draw(st.sampled_from(TARGETS))} = {draw(number(names, 2) | whole() | truth(names, 1))}")
        elif kind <= 5:
            operator = draw(st.sampled_from(["+", "-", "*", "/"]))
            lines.append(f"{draw(st.sampled_from(TARGETS))} {operator}= {draw(number(names, 1) | whole())}")
        elif kind <= 7:
            lines.append(f"{draw(st.sampled_from(LISTS))}.append({draw(item(names))})")
        elif kind == 8:
            lines += [f"if {draw(truth(names, 1))}:", "    " + draw(st.sampled_from(ACTIONS))]
        elif kind <= 10:
            lines += [f"if {draw(truth(names, 1))}:", *indented(draw(block(names, depth - 1)))]
            if draw(st.booleans()):
                lines += ["else:", *indented(draw(block(names, depth - 1)))]
        else:
            lines += ["for k in range(3):", *indented(draw(block((*names, "k"), depth - 1)))]
    return lines


HEAD = """
import math
import eventide as ev

G = 9.81
N = 5
LOG = []

def halved(value):
    return value / 2 if value > 1 else value - 1

class Hub(ev.Continuous):
    total: float = 0.0
    visits: int = 0
    drive: float = 0.25

class Subject(ev.Continuous):
    hub: Hub
    phase: ev.State = ev.state(0.0)
    x: ev.State = ev.state(1.0)
    q: ev.Computed = ev.computed()
    gain: float = 0.5
    count: int = 0
    flag: bool = False
    reads_hub: bool = False
    twin: "Subject" = None
    log: list = ev.field(default_factory=list)
    extra: float | None = None

    def prelude(self):
        self.seen = set()

    def equations(self):
        self.q = self.gain * 2.0
        self.rate.phase = 1.0
        self.rate.x = self.q - 0.1 * self.x

    def helped(self):
        self.gain += 0.125
        if self.count > 2:
            self.stop()

    def method(self, value):
        self.count += 1
        return value * 0.5
"""


@st.composite
def program(draw: Any) -> str:
    """A module with handlers of random bodies, all of which are due at about one instant or at one."""
    lines = [HEAD]
    third = draw(st.sampled_from(["", "math.sqrt(self.x) < 9.0 and ", "1.0 / (self.x - self.gain) < 9.0 and "]))
    halfway = f"{third}self.phase >= 0.5 and self.phase < 1.0"
    for k, condition in enumerate(["self.phase >= 1.0", "self.phase >= 1.0", halfway]):
        priority = draw(st.sampled_from(["0.0", "1.0", "-1.0"]))
        body = draw(block((), 2))
        ending = ["self.phase -= 1.0"] if k == 0 else []
        first = draw(st.booleans())
        lines += [
            f"    @ev.when(lambda self: {condition}, priority={priority})",
            f"    def handler_{k}(self):",
            *indented(indented([*(ending if first else []), *body, *([] if first else ending), "self.count += 1"])),
        ]
    return "\n".join([*lines, ""])


@pytest.fixture(autouse=True, scope="module")
def soon() -> Any:
    """Handlers are native code from their second event on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_handlers, "ENOUGH", 1)
        yield


def outcome(names: dict[str, Any], *, until: float = 6.2, **options: Any) -> tuple[Any, int]:
    """Everything that a run leaves behind, in text, so that NaN is equal to NaN; and how many handlers were native."""
    names["LOG"].clear()
    sim = ev.Simulation(rng=1, **options)
    hub = names["Hub"](sim, name="hub")
    one, other = (names["Subject"](sim, hub=hub, name=name, x=x) for name, x in (("one", 1.0), ("other", 2.0)))
    one.twin, other.twin = other, one
    for subject in (one, other):
        subject.start()

    def waits() -> ev.ProcessGenerator:
        for k in itertools.count():
            yield ev.until(lambda: one.count >= 2 * k + 3)  # noqa: B023  # it is over before k goes on
            names["LOG"].append(("waited", sim.time, one.x, one.gain, other.count))
            if k > 4:
                return

    def holds() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.0)
            names["LOG"].append(("held", sim.time, one.x, other.phase))

    sim.process(waits())
    sim.process(holds())
    error = None
    try:
        sim.run(until=until)
    except Exception as met:  # noqa: BLE001  # whatever it is, it is to be the same
        error = type(met), str(met), getattr(met, "__notes__", None), _last_line(met)
    fields = [[getattr(s, f) for f in ("phase", "x", "q", "gain", "count", "flag", "extra")] for s in (one, other)]
    left = [
        fields,
        [one.log, other.log, names["LOG"]],
        [hub.total, hub.visits, hub.drive],
        [one.active, other.active, sorted(one.seen), sorted(other.seen)],
        [sim.time, sim.dt, sim.last_time, sim.events, sim.monitor.state_events, sim.monitor.steps],
        [sim.monitor.refused, sim._continuum.evaluations],
        error,
    ]
    return repr(left), sim.monitor.integrator.native_handlers.handled


def _last_line(error: BaseException) -> tuple[str, int] | None:
    """The line of the text at which an error was met, the last that is of it."""
    met, traceback = None, error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename.startswith("<random"):
            met = code.co_name, traceback.tb_lineno
        traceback = traceback.tb_next
    return met


def check(text: str) -> int:
    names, handled = made(text), 0
    for stepping in ("together", "apart"):
        plain, none = outcome(names, stepping=stepping, compile=False)
        native, some = outcome(names, stepping=stepping)
        assert native == plain
        assert none == 0
        handled += some
    return handled


@pytest.mark.slow
def test_numbers_in_lists_are_of_the_kind_that_python_has() -> None:
    body = [
        "self.phase -= 1.0",
        "self.count += 1",
        "a = self.count if self.x > 0 else self.gain",
        "b = True if self.count > 2 else 1",
        "big = self.count * 2**50",
        "self.log.append((self.count / 1, self.count // 2, self.flag, int(self.x), -self.count))",
        "if self.count == 4:",
        "    self.twin.log.append(big * 3)",
        "if self.count == 5:",
        "    LOG.append(a)",
        "if self.count == 6:",
        "    LOG.append(b)",
        "LOG.append((max(self.count, 2), a + 0.5, self.count ** 2, self.sim.time))",
    ]
    head = ["    @ev.when(lambda self: self.phase >= 1.0)", "    def handler(self):"]
    assert check("\n".join([HEAD, *head, *indented(indented(body)), ""])) == 10


def check_programs(count: int) -> int:
    """Try that many programs; how many events of theirs were native."""
    handled = 0

    @settings(max_examples=count, **LIMITS)
    @given(program())
    def each(text: str) -> None:
        nonlocal handled
        handled += check(text)

    each()
    return handled


@pytest.mark.slow
def test_random_handlers() -> None:
    assert check_programs(20) > 50


@pytest.mark.slow
def test_many_random_handlers() -> None:
    assert check_programs(80) > 300
