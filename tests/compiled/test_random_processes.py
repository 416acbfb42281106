"""Processes that nobody wrote: as native code they leave what they leave in Python, to the last bit."""

from __future__ import annotations

from typing import Any

import pytest
import random_bodies
from compiled.test_random import LIMITS, indented, made
from compiled.test_random_handlers import HEAD, _last_line, block, item, truth
from hypothesis import given, settings
from hypothesis import strategies as st
from random_bodies import simulation, taken

import eventide as ev
from eventide.continuous.guards import native_handlers

LEVELS = ["0.25", "0.5", "0.75", "level"]
ODD = ["line", "branch", "default", "kept", "told"]
"""What native code follows in a way of its own, or leaves to Python."""
STEPS = ["0.25", "0.5", "1.0", "1.25"]
DEEDS = ["interrupt", "end", "activate", "later", "cancel", "why", "priority", "prior", "exchange", "sample", "trace"]


@st.composite
def waiting(draw: Any, odd: str) -> list[str]:
    """A wait, and what makes its condition false."""
    who = draw(st.sampled_from(["self", "self", "other"]))
    level, back = draw(st.sampled_from(LEVELS)), draw(st.sampled_from(STEPS))
    extra = draw(st.sampled_from(["", "", "", " and self.count < 1000", " or self.x > 1e9"]))
    priority = draw(st.sampled_from([""] * 8 + [", priority=1.0", ", prior=True"]))
    default = draw(st.sampled_from(["", " one=self", f" one={who}.twin"])) if odd == "default" else ""
    kept = draw(st.sampled_from(["", "", "woken = ", "self.flag = "]))
    command = f"{kept}yield ev.until(lambda{default}: {who}.phase >= {level}{extra}" + f"{priority})"
    if odd == "line" and draw(st.booleans()):
        command = f"note('before'); {command}"
    if odd == "branch" and draw(st.booleans()):
        command = f"if note('asked') is None: {command}"
    lines = [command] if draw(st.integers(0, 9)) else ["yield ev.hold(0.25)"]
    if kept == "woken = " and draw(st.booleans()):
        lines += ["note(woken)"]
    return [*lines, f"{who}.phase -= {back}"]


@st.composite
def stretch(draw: Any, depth: int, odd: str, *, is_loop: bool) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 13 if depth else 6))
        if kind <= 1:
            lines += draw(block((), 1))
        elif kind == 2:
            lines.append(f"{draw(st.sampled_from(['note', 'log.append', 'keeper.notes.append']))}({draw(item(()))})")
        elif kind == 3:
            lines += ["here = self.sim.time", "note(here)"]
            if odd in ("kept", "told"):
                kept = "note(tell())" if odd == "told" else draw(st.sampled_from(["note(kept)", "return kept"]))
                lines += ["kept = self.count", "if len(log) > keeper.most:", f"    {kept}"]
        elif kind <= 5:
            lines += draw(waiting(odd))
        elif kind == 6:
            end = "return kept" if odd == "kept" else "return"
            way = draw(st.sampled_from(["break", "continue", end] if is_loop else [end]))
            lines += [f"if {draw(truth((), 0) | st.just('len(log) > keeper.most'))}:", f"    {way}"]
        elif kind <= 9:
            lines += [f"if {draw(truth((), 1))}:", *indented(draw(stretch(depth - 1, odd, is_loop=is_loop)))]
            if draw(st.booleans()):
                lines += ["else:", *indented(draw(stretch(depth - 1, odd, is_loop=is_loop)))]
        elif kind <= 11:
            lines += draw(loop(depth - 1, odd))
        else:
            lines += draw(trying(depth - 1, odd, is_loop=is_loop))
    return lines


@st.composite
def trying(draw: Any, depth: int, odd: str, *, is_loop: bool) -> list[str]:
    """Statements and waits whose errors, and interrupts, are handled."""
    kinds = draw(st.sampled_from(["ev.Interrupt", "(ev.Interrupt, ZeroDivisionError)", "Exception"]))
    lines = ["try:", *indented(draw(stretch(depth, odd, is_loop=is_loop)))]
    lines += [f"except {kinds} as met:", "    note(type(met).__name__)", *indented(draw(block((), 1)))]
    if draw(st.booleans()):
        lines += ["else:", *indented(draw(stretch(0, odd, is_loop=is_loop)))]
    if draw(st.integers(0, 4)) == 0:
        lines += ["finally:", "    here = 1.0"]
    return lines


@st.composite
def loop(draw: Any, depth: int, odd: str) -> list[str]:
    test = draw(st.sampled_from(["True", "self.count < 12", "len(log) < keeper.most", "len(keeper.notes) < 9"]))
    inside = [*draw(waiting(odd)), "self.count += 1", *draw(stretch(depth, odd, is_loop=True))]
    return [f"while {test}:", *indented(inside)]


@st.composite
def program(draw: Any) -> str:
    """A module with two processes of random bodies."""
    lines = [HEAD, "class Keeper:", "    pass", ""]
    for k in range(2):
        odd = draw(st.sampled_from([""] * len(ODD) + ODD))
        body = [
            "log = self.log",
            "note = LOG.append",
            f"level = {draw(st.sampled_from(['0.5', '0.625', '1']))}",
            "here = 0.0",
            "a = b = k = kept = woken = 0",
            *(["def tell():", "    return kept"] if odd == "told" else []),
            *draw(loop(2, odd)),
            *draw(stretch(1, odd, is_loop=False)),
            *(["return kept"] if odd == "kept" else []),
        ]
        lines += [f"def story_{k}(self, other, keeper):", *indented(body), ""]
    return "\n".join([*lines, ""])


@pytest.fixture(autouse=True, scope="module")
def soon() -> Any:
    """Handlers are native code from their second event on, and processes rows after a few events."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_handlers, "ENOUGH", 1)
        random_bodies.hurry(patch)
        yield


def outcome(
    names: dict[str, Any], deeds: list[tuple[float, str, int]], compiles: Any, stepping: str
) -> tuple[Any, int]:
    """Everything that a run leaves behind, in text, so that NaN is equal to NaN; and how many events were native."""
    log = names["LOG"]
    log.clear()
    sim = simulation(compiles, stepping=stepping)
    hub, keeper = names["Hub"](sim, name="hub"), names["Keeper"]()
    keeper.notes, keeper.most = [], 7
    one, other = (names["Subject"](sim, hub=hub, name=name, x=x) for name, x in (("one", 1.0), ("other", 2.0)))
    one.twin, other.twin = other, one
    for subject in (one, other):
        subject.start()
    stories = [
        sim.process(names["story_0"](one, other, keeper), name="first"),
        sim.process(names["story_1"](one, other, keeper), name="second"),
        sim.process(names["story_0"](other, one, keeper), name="third"),
    ]

    def disturbs() -> ev.ProcessGenerator:
        for time, deed, number in deeds:
            yield ev.hold(time)
            _do(deed, stories[number], keeper, log)

    sim.process(disturbs(), name="disturbs")
    errors = []
    for until in (2.1, 3.3, 6.2):
        try:
            sim.run(until=max(until, sim.time))
        except Exception as met:  # noqa: BLE001  # whatever it is, it is to be the same
            errors.append((type(met), str(met), getattr(met, "__notes__", None), _last_line(met)))
        errors.append([story.why_waiting() for story in stories])
        if until == 3.3 and not errors[0]:
            sim.step()
    fields = [[getattr(s, f) for f in ("phase", "x", "q", "gain", "count", "flag", "extra")] for s in (one, other)]
    left = [
        fields,
        [one.log, other.log, log, keeper.notes],
        [hub.total, hub.visits, hub.drive],
        [one.active, other.active, sorted(one.seen), sorted(other.seen)],
        [sim.time, sim.dt, sim.last_time, sim.events, sim.monitor.state_events, sim.monitor.steps],
        # Where all is one flow its laws are settled once more as rows come to the end of a run.
        [sim.monitor.refused, stepping == "together" or sim._continuum.evaluations],
        [sim._conditions.arrivals, len(sim._conditions)],
        [(c.name, c.priority, c.rank, c.describe()) for c in sim._conditions],
        [(p.name, p.terminated, p.result, p.idle, p._wait and p._wait.describe()) for p in stories],
        errors,
    ]
    return repr(left), taken(sim)


def _do(deed: str, story: Any, keeper: Any, log: list[Any]) -> None:
    sim = story.sim
    log.append((deed, story.why_waiting()))
    if story.terminated:
        return
    if deed == "interrupt":
        story.interrupt("why")
    elif deed == "end":
        story.end()
    elif deed == "activate":
        story.activate()
    elif deed == "later":
        story.activate(delay=0.125)
    elif deed == "cancel":
        story.cancel_state_event()
        story.activate(delay=0.25)
    elif deed == "priority":
        sim.until_priority = 2.0 - sim.until_priority
    elif deed == "prior":
        sim.until_prior = not sim.until_prior
    elif deed == "exchange":
        keeper.notes, keeper.most = [], keeper.most + 1
    elif deed == "sample":
        log.append([process.name for process in sim.processes])
    elif deed == "trace":
        sim.trace = None if sim.trace else lambda occurrence: log.append(str(occurrence))


def disturbances() -> Any:
    deed = st.tuples(st.sampled_from([0.0, 0.3, 0.7, 1.1]), st.sampled_from(DEEDS), st.integers(0, 2))
    return st.lists(deed, max_size=5)


def check(text: str, deeds: list[tuple[float, str, int]]) -> int:
    names, handled = made(text), 0
    for stepping in ("together", "apart"):
        plain, none = outcome(names, deeds, False, stepping)
        native, some = outcome(names, deeds, "auto", stepping)
        assert native == plain
        assert none == 0
        handled += some
    return handled


@pytest.mark.slow
def test_random_processes() -> None:
    handled = []

    @settings(max_examples=120, **LIMITS)
    @given(program(), disturbances())
    def run(text: str, deeds: list[tuple[float, str, int]]) -> None:
        handled.append(check(text, deeds))

    run()
    assert sum(handled) > 300  # events of rows
