"""Errors that come from outside, as from a handler of `signal.alarm`: no run goes on after one that has torn it."""

from __future__ import annotations

import copy
import ctypes
import pickle
import signal
import sys
import threading
import traceback
from collections import Counter
from functools import partial
from typing import Any

import pytest

import eventide as ev
from eventide.monitor import monitor
from eventide.reading.asynchronous import is_asynchronous


class Late(Exception):
    """A time limit."""


class LateValue(ValueError):
    """The same, of a kind that a law may raise where a step is too long."""


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -1.0
        self.bounces += 1


def walks(ball: Ball, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    """A process that catches whatever it is thrown."""
    while True:
        try:
            with desk.request() as place:
                yield place
                yield ev.until(lambda: ball.velocity < 0.0)
                yield ev.hold(0.125)
            log.append(ball.sim.time)
        except Exception as error:  # noqa: BLE001  # as such processes do
            log.append(repr(error))


@pytest.fixture(autouse=True)
def alarm() -> Any:
    """SIGALRM as it was; the tests give it handlers that raise."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.signal(signal.SIGALRM, before)


def rings(error: type[Exception], *_: Any) -> None:
    raise error


class Rings:
    def __call__(self, *_: Any) -> None:
        raise Late


class Nth:
    """A trace function that does something when the n-th line of eventide is executed."""

    def __init__(self, number: int, act: Any) -> None:
        self.left = number
        self.act = act

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        if not frame.f_globals.get("__name__", "").startswith("eventide."):
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                self.act()
        return self


def outcome(number: int, act: Any, **options: Any) -> tuple[str, int]:
    """What becomes of a run in which something happens at a line, and of the next; and how many lines there were."""
    sim = ev.Simulation(rng=1, **options)
    ball, desk, log = Ball(sim).start(), ev.Resource(sim), list[Any]()
    for _ in range(2):
        sim.process(walks(ball, desk, log))
    trace, before = Nth(number, act), sys.gettrace()
    sys.settrace(trace)
    try:
        sim.run(until=1.5)
        what = "whole"
    except Late:
        what = "whole"
    finally:
        sys.settrace(before)
    refusal = ""
    try:
        sim.run(until=1.5)
        sim.run(until=2.0)
    except ev.ModelError as error:
        refusal = str(error)
    if refusal:
        assert "Late, which a signal handler or another thread has raised, has ended the run" in refusal
        with pytest.raises(ev.ModelError, match="it cannot continue: create a new simulation"):
            sim.step()
        return "refused", number - trace.left
    return f"{what}: {(sim.time, ball.height, ball.velocity, ball.bounces, log)!r}", number - trace.left


def by_signal() -> None:
    signal.raise_signal(signal.SIGALRM)


def by_new_handler() -> None:
    """By one that is set within the run: it does not wait."""
    signal.signal(signal.SIGALRM, partial(rings, Late))
    by_signal()


@pytest.mark.slow
@pytest.mark.parametrize("act", [by_signal, by_new_handler])
@pytest.mark.parametrize("compile_", ["auto", False])
def test_after_an_error_that_came_at_any_line_a_run_is_refused_or_right(
    compile_: Any, act: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "is_traced", lambda: False)  # a trace function chooses the line
    signal.signal(signal.SIGALRM, partial(rings, Late))
    outcome(-1, None, compile=compile_)  # so that all that can be native code is
    right, lines = outcome(-1, None, compile=compile_)
    seen: Counter[str] = Counter()
    for number in range(7, lines, max(1, lines // 30)):
        what, _ = outcome(number, act, compile=compile_)
        seen["caught" if repr(Late()) in what else what] += 1
    assert seen.keys() <= {"refused", "caught", right}
    assert seen["refused" if act is by_new_handler else right] > 10


class Dark(Ball):
    """Native code calls Python back for its law and its condition."""

    def equations(self) -> None:
        self.rate.height = sum(sorted([self.velocity]))
        self.rate.velocity = -9.81

    @ev.when(lambda self: max(sorted([self.height, -1.0])) <= 0.25)
    def sink(self) -> None:
        """Nothing."""


CALLS_BACK = (
    "planner.call",
    "condition_plans.call",
    "python_callbacks.call_law",
    "python_callbacks.call_condition",
    "integrator.show",
    "python_callbacks._guard",
    "python_callbacks._test",
)


class Entry(Nth):
    """The same as such a call begins: ctypes drops what is raised there."""

    def __init__(self, name: str, act: Any) -> None:
        super().__init__(5, act)
        self.name = name

    def __call__(self, frame: Any, event: str, _: Any) -> Any:
        file = frame.f_globals.get("__name__", "").rpartition(".")[2]
        if event == "call" and f"{file}.{frame.f_code.co_name}" == self.name:
            self.left -= 1
            if self.left == 0:
                self.act()


@pytest.mark.parametrize("name", CALLS_BACK)
def test_an_error_that_comes_as_native_code_calls_python_back_tears_the_run(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "is_traced", lambda: False)  # a trace function chooses the place
    sim = ev.Simulation()
    Dark(sim).start()
    hook, before, trace = sys.unraisablehook, sys.gettrace(), Entry(name, by_new_handler)
    sys.settrace(trace)
    try:
        with pytest.raises(Late):
            sim.run(until=1.5)
    finally:
        sys.settrace(before)
    assert (sys.unraisablehook is hook, trace.left) == (True, 0)
    with pytest.raises(ev.ModelError, match="Late, which a signal handler or another thread has raised, has ended"):
        sim.run(until=1.5)


@pytest.mark.parametrize("handler", [Rings(), partial(rings, Late), lambda *_: rings(Late)])
def test_what_a_signal_handler_raises_in_code_of_the_users_tears_the_run(handler: Any) -> None:
    signal.signal(signal.SIGALRM, handler)
    sim = ev.Simulation()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        by_signal()
        yield ev.hold(1.0)

    sim.process(story())
    with pytest.raises(Late):
        sim.run()
    with pytest.raises(ev.ModelError, match=r"Late, which a signal handler or .* has ended the run at time 1\.0"):
        sim.run()


set_error = ctypes.pythonapi.PyThreadState_SetAsyncExc


@pytest.mark.slow
def test_what_another_thread_raises_in_lines_of_eventide_tears_the_run() -> None:
    warm, sim = ev.Simulation(compile=False), ev.Simulation(compile=False)
    Ball(warm).start()
    warm.run(until=1.0)  # which imports what it needs: not then is the error to come
    Ball(sim).start()
    who, what, begun = ctypes.c_ulong(threading.get_ident()), ctypes.py_object(Late), threading.Lock()
    begun.acquire()
    raiser = threading.Thread(target=lambda: begun.acquire() and set_error(who, what))
    raiser.start()
    # In the run, by one call of C: if another thread raises amid lines of `threading`, these are the model's.
    sim.process(begun.release() or 1.0 for _ in range(1))
    with pytest.raises(Late) as met:
        sim.run(until=1e6)
    raiser.join()
    is_ours = traceback.extract_tb(met.value.__traceback__)[-1].filename == __file__
    time = sim.time
    if is_ours:  # as if it had raised that itself
        sim.run(until=time)
    else:
        with pytest.raises(ev.ModelError, match="has ended the run"):
            sim.run(until=time)


@pytest.mark.parametrize(
    ("rooms", "expected"),
    [
        (["eventide.monitor.monitor"], True),
        (["eventide.monitor.monitor", "contextlib"], True),
        (["eventide.monitor.monitor", "numpy.linalg", "functools"], True),
        (["eventide.monitor.monitor", "__main__"], False),
        (["eventide.monitor.monitor", "my_model", "contextlib"], False),
    ],
)
def test_an_error_that_came_in_a_library_came_to_what_had_called_it(rooms: list[str], expected: bool) -> None:
    text, call = "def call():\n    raise Late", None
    for room in reversed(rooms):
        names: dict[str, Any] = {"__name__": room, "inner": call, "Late": Late}
        exec(text, names)  # noqa: S102  # our own text, in modules of these names
        text, call = "def call():\n    inner()", names["call"]
    with pytest.raises(Late) as met:
        call()
    assert is_asynchronous(met.value) is expected


class Odd(Ball):
    """Its laws do something when time comes by."""

    at: float = 0.7

    def equations(self) -> None:
        super().equations()
        DEEDS.pop()(self) if DEEDS and self.sim.time > self.at else None


DEEDS: list[Any] = []


@pytest.mark.parametrize("compile_", ["auto", False])
@pytest.mark.parametrize("error", [Late, LateValue])
def test_no_step_gets_over_what_a_signal_handler_raises(error: type[Exception], compile_: Any) -> None:
    def deed(_: Ball) -> None:
        signal.signal(signal.SIGALRM, partial(rings, error))
        by_signal()

    sim = ev.Simulation(compile=compile_)
    Odd(sim).start()
    DEEDS[:] = [deed]
    with pytest.raises(error):
        sim.run(until=2.0)
    with pytest.raises(ev.ModelError, match=f"{error.__name__}, which a signal handler"):
        sim.run(until=3.0)


def fails(ball: Ball) -> bool:
    if DEEDS and ball.sim.time > 0.7:
        DEEDS[-1](ball)
    return False


class Watched(Ball):
    @ev.when(fails)
    def seen(self) -> None:
        raise AssertionError


@pytest.mark.parametrize("error", [RuntimeError, ev.ModelError])
@pytest.mark.parametrize("stepping", ["together", "apart"])
@pytest.mark.parametrize("compile_", ["auto", False])
@pytest.mark.parametrize("kind", [Odd, Watched])
def test_after_an_error_in_a_step_the_next_run_makes_the_step_anew(
    kind: Any, compile_: Any, stepping: Any, error: Any
) -> None:
    def run(*deeds: Any) -> Any:
        sim = ev.Simulation(compile=compile_, stepping=stepping)
        ball = kind(sim).start()
        DEEDS[:] = deeds
        if deeds:
            with pytest.raises(error, match="broken"):
                sim.run(until=1.5)
            DEEDS.clear()
        sim.run(until=1.5)
        return (ball.bounces, sim.monitor.state_events), (ball.height, ball.velocity)

    def breaks(ball: Ball) -> None:
        DEEDS.append(breaks)
        raise error("broken")

    (counts, states), (found_counts, found_states) = run(), run(breaks)
    assert found_counts == counts
    assert found_states == pytest.approx(states, rel=1e-9)


class Climbs(ev.Continuous):
    """Rises as time does; when that has come by, its law or one of its conditions does something."""

    locate_branches = False
    x: ev.State = ev.state(0.0)
    place: str
    levels: list[tuple[float, float]] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.comes_by("law")

    @ev.when(lambda self: self.comes_by("condition"))
    def never(self) -> None:
        raise AssertionError

    @ev.when(lambda self: self.x >= 0.6875)
    def passes(self) -> None:
        self.levels.append((self.sim.time, self.x))

    def comes_by(self, place: str) -> bool:
        if DEEDS and place == self.place and self.sim.time > 0.7:
            DEEDS[0](self)
        return False


@pytest.mark.parametrize(
    ("place", "start", "ends"),
    [("law", 0.625, [0.5, 0.625, 0.75, 1.0]), ("condition", 0.5, [0.5, 0.6925, 1.0])],
)
@pytest.mark.parametrize("compile_", ["auto", False])
def test_an_error_in_a_step_leaves_what_was_at_its_start_and_that_step_is_none(
    compile_: Any, place: str, start: float, ends: list[float]
) -> None:
    """The event at 0.6875, located to dt_min, is still to come, and no step is shorter for what was not."""
    sim = ev.Simulation(compile=compile_, stepping="together", dt_min=0.125, dt_max=0.5)
    climbs = Climbs(sim, place=place).start()
    log: list[float] = []

    class Steps(ev.Reporter):
        def report(self) -> None:
            if self.sim.dt > 0.0:
                log.append(round(self.sim.time, 9))

    def breaks(_: Any) -> None:
        raise RuntimeError("broken")

    Steps(sim).start()
    DEEDS[:] = [breaks]
    with pytest.raises(RuntimeError, match="broken"):
        sim.run(until=1.0)
    DEEDS.clear()
    assert (sim.time, sim.dt, climbs.x, climbs.levels) == (start, 0.0, start, [])
    sim.run(until=1.0)
    assert (log, [round(time, 9) for time, _ in climbs.levels]) == (ends, [ends[-2]])
    assert climbs.x == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("compile_", ["auto", False])
def test_who_waits_for_an_object_of_another_simulation_is_told(compile_: Any) -> None:
    sim, other = ev.Simulation(compile=compile_), ev.Simulation(compile=compile_)
    ball = Ball(other, name="foreign").start()

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: ball.height < 0.5)

    sim.process(story(), name="story")
    with pytest.raises(ev.ModelError, match="condition of story may not refer to foreign, which belongs to another"):
        sim.run(until=1.0)


class Follower(ev.Continuous):
    """Its law refers to another object."""

    x: ev.State = ev.state(0.0)
    ball: Any = None

    def equations(self) -> None:
        self.rate.x = self.ball.height


class Asker(Follower):
    """Its condition refers to another object."""

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x > self.ball.height)
    def overtake(self) -> None:
        """Nothing."""


@pytest.mark.parametrize("when", ["from the start", "later"])
@pytest.mark.parametrize(("cls", "who"), [(Follower, "equations of one"), (Asker, "the condition of one.overtake")])
@pytest.mark.parametrize("compile_", ["auto", False])
def test_laws_and_conditions_that_refer_to_an_object_of_another_simulation_are_refused(
    compile_: Any, cls: type[Follower], who: str, when: str
) -> None:
    sim, other = ev.Simulation(compile=compile_), ev.Simulation(compile=compile_)
    foreign, home = Ball(other, name="foreign").start(), Ball(sim).start()
    one = cls(sim, name="one", ball=home if when == "later" else foreign)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        one.ball = foreign

    sim.process(story())

    def run() -> None:
        one.start()
        sim.run(until=1.0)

    with pytest.raises(ev.ModelError) as caught:
        run()
    told = "which belongs to another simulation: each object lives in the one it was made for"
    assert str(caught.value) == f"{who} may not refer to foreign, {told}"
    assert sim.time == (0.25 if when == "later" else 0.0)


@pytest.mark.parametrize("make", [Ball, ev.Resource, lambda sim: ev.Variable(sim, 1.0)])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_is_a_part_of_a_simulation_is_not_copied(make: Any, copied: Any) -> None:
    with pytest.raises(TypeError, match="is a part of its simulation and is neither copied nor pickled: make another"):
        copied(make(ev.Simulation()))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_simulation_and_what_it_records_are_not_copied(copied: Any) -> None:
    sim = ev.Simulation()
    trace = sim.record(now=lambda: sim.time)
    with pytest.raises(TypeError, match=r"^<Simulation at time 0: .*> is neither copied nor pickled: build its model"):
        copied(sim)
    with pytest.raises(TypeError, match=r"^recording 1 is a part of its simulation and is neither copied nor pickled"):
        copied(trace)
