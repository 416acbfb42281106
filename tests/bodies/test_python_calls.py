"""Processes stay in their rows while Python makes a call of theirs, and leave the same as in Python."""

from __future__ import annotations

import functools
import sys
import traceback
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import load, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


HEAD = """
from functools import partial


def _told(sim, log, *what):
    log.append((sim.time, sim.current.name, sim.events, *what))


def _looked(sim, log):
    who = sim.current
    log.append((who.name, who.idle, who.event_time, who.terminated, who.why_waiting().rpartition("/")[2]))
    log.append([p.name for p in sim.processes])


def _cut(sim, log, number):
    for other in list(sim.processes)[number % 4 : number % 4 + 1]:
        try:
            other.interrupt(number)
        except ev.ModelError as error:
            log.append(str(error).partition("/")[0])


def _begun(sim, log, number):
    def guest():
        log.append(("guest begins", sim.time))
        yield ev.hold(0.25)
        log.append(("guest ends", sim.time))

    sim.process(guest(), name=f"guest {number % 3}").activate if number % 5 == 4 else sim.process(guest())


def _failed(log, x):
    log.append(x)
    if x > 1.5:
        raise ValueError(f"{x} is too much")


def _changed(x):
    global RATE
    RATE = 1.0 + abs(x) % 0.5


def _asked(sim, log):
    log.append((sim.peek(), [(entry.time, entry.name) for entry in sim.schedule]))


told, looked, cut_off, begun, failed, changed, asked = map(
    partial, (_told, _looked, _cut, _begun, _failed, _changed, _asked)
)

"""
CALLS = (
    "told(sim, log, {n}, {x})",
    "told(sim, log, {n}, what={x})",
    "seen.extend([{x}, {n} * 0.5])",
    "log.append(str({n}))",
    "log.append(f'{{{x}:.3f}}')",
    "print({n}, {x}, end='', file=NOWHERE)",
    "looked(sim, log)",
    "cut_off(sim, log, {n})",
    "begun(sim, log, {n})",
    "failed(log, {x})",
    "changed({x})",
    "asked(sim, log)",
    "log.append(sim.current.name.upper())",
    "PARTS.sort(key=repr)",
    "sim.current.interrupt({n})",
    "sim.stop() if {x} > 2.0 else None",
    "log.append(unknown_name)",
)
"""What a process calls that only Python knows."""


class Writer(random_bodies.Writer):
    """Writes processes that call what only Python knows."""

    def statement(self) -> list[str]:
        c = self.chance
        if c.random() < 0.2:
            return [c.choice(CALLS).format(n=c.choice(self.wholes), x=c.choice(self.floats))]
        return super().statement()


def program(seed: int, acts: int) -> str:
    """The text of a model."""
    chance = Random(seed)
    parts = [Writer(chance, f"story{k}").text() for k in range(3)]
    head = HEAD + "class Nowhere:\n    def write(self, text):\n        pass\n\n\nNOWHERE = Nowhere()\n"
    return "\n\n".join([random_bodies.HEAD + head, *parts, f"ACTS = {acts}", random_bodies.MEDDLER])


def compare(seed: int, acts: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(program(seed, acts), folder, f"python_calls{seed}")
    found = []
    for compiles in (False, "auto"):
        vars(module)["RATE"] = 1.25
        sim = simulation(compiles, native=native)
        found.append(random_bodies.outcome(sim, module, seed, acts, 40.0))
    assert found[0] == found[1], seed
    return taken(sim)


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_that_run_as_python_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=False) for seed in range(30)) > 500


@pytest.mark.slow
def test_native_rows_leave_the_same(tmp_path: Path) -> None:
    assert sum(compare(seed, 14, tmp_path, native=True) for seed in range(6)) > 100


NATIVE = pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
LIMIT = 3.0


class Noting:
    """What a process calls that native code does not know."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.sim, self.log = sim, list[Any]()

    def __call__(self, *what: Any) -> None:
        self.log.append((self.sim.time, *what))


class Failing(Noting):
    """One that fails now and then."""

    def __call__(self, *what: Any) -> None:
        super().__call__(*what)
        if what[0] % 10 == 9:
            raise ValueError(f"{what[0]} is too much")


class Looking(Noting):
    """One that looks at the process that calls, and at others."""

    def __call__(self, *what: Any) -> None:
        who = self.sim.current
        assert isinstance(who, ev.Process)
        message = ""
        try:  # `pytest.raises` would keep the frame, and the process would not become a row again
            who.interrupt()
        except ev.ModelError as error:
            message = str(error)
        self.log.append((who.name, who.idle, who.event_time, message))
        if what[0] % 4 == 3:
            self.log.append([p.name for p in self.sim.processes])


class Meddling(Noting):
    """One that exchanges what native code relies on."""

    def __call__(self, *what: Any) -> None:
        super().__call__(*what, LIMIT)
        globals()["LIMIT"] = 3.0 + what[0] % 3


class Stopping(Noting):
    """One that stops the run."""

    def __call__(self, *what: Any) -> None:
        super().__call__(*what)
        if what[0] % 10 == 9:
            self.sim.stop()


def caller(sim: ev.Simulation, call: Noting, log: list[Any]) -> ev.ProcessGenerator:
    k = 0
    while True:
        yield ev.hold(0.5 * LIMIT)
        call(k, sim.time)
        log.append((k, LIMIT * 2.0, sim.time))
        k += 1
        yield ev.hold(0.25)


def told(compiles: Any, kind: type[Noting], *, native: bool) -> tuple[list[Any], ev.Simulation]:
    """What three such processes leave, and how each error is told."""
    globals()["LIMIT"] = 3.0
    sim, log = simulation(compiles, native=native), list[Any]()
    call = kind(sim)
    for _ in range(3):
        sim.process(caller(sim, call, log))
    for _ in range(60):
        try:
            sim.run(until=90.0)
        except ValueError as error:
            frames = traceback.extract_tb(error.__traceback__)
            log.append((str(error), [(f.name, f.lineno) for f in frames if f.filename == __file__], error.__notes__))
        log.append(sim.events)
    return [log, call.log, sim.time, sim.events], sim


def compared(kind: type[Noting], *, native: bool) -> tuple[list[Any], ev.Simulation]:
    expected, _ = told(False, kind, native=native)
    found, sim = told("auto", kind, native=native)
    assert found == expected
    return found, sim


@NATIVE
def test_who_calls_python_stays_in_its_row(native: bool) -> None:
    found, sim = compared(Noting, native=native)
    assert len(found[1]) > 100
    assert taken(sim) > 0.9 * sim.events


@NATIVE
def test_an_error_in_such_a_call_is_raised_where_it_stands(native: bool) -> None:
    found, sim = compared(Failing, native=native)
    errors = [line for line in found[0] if isinstance(line, tuple) and line[0] == "9 is too much"]
    assert [[name for name, _ in frames] for _, frames, _ in errors] == [["told", "caller", "__call__"]] * 3
    assert taken(sim) > 20


@NATIVE
def test_who_looks_at_itself_in_such_a_call_is_the_current_one(native: bool) -> None:
    found, sim = compared(Looking, native=native)
    assert len(found[1]) > 100
    assert sum(line[3].startswith("caller") for line in found[1] if isinstance(line, tuple)) > 100
    assert taken(sim) > 20


@NATIVE
def test_what_such_a_call_changes_counts_behind_it(native: bool) -> None:
    found, sim = compared(Meddling, native=native)
    assert {limit for line in found[0] if isinstance(line, tuple) for limit in [line[1]]} == {6.0, 8.0, 10.0}
    assert taken(sim) > 20


@NATIVE
def test_a_run_that_such_a_call_stops_ends_with_its_event(native: bool) -> None:
    found, sim = compared(Stopping, native=native)
    stops = [line for line in found[0] if isinstance(line, int)]
    assert len(set(stops)) > 8
    assert taken(sim) > 20


class Deep:
    """One whose process has a private name, and what is called looks at the variables of its caller."""

    def __init__(self, sim: ev.Simulation, log: list[Any]) -> None:
        self.sim, self.log = sim, log
        self.look = functools.partial(self._look)
        sim.process(self.story(3))

    def _look(self, *what: Any) -> None:
        found = sys._getframe(1).f_locals
        self.log.append((what, sorted((k, v) for k, v in found.items() if isinstance(v, int | float))))

    def story(self, __share: int, /) -> ev.ProcessGenerator:
        k, total = 0, 0.5
        while True:
            yield ev.hold(1.0)
            k += 1
            total += 0.25
            self.look(__share)


def peek(log: list[Any], rng: Random, *things: Any) -> None:
    """Look at all there is, and draw."""
    desk, tank, store, level, tally, stream = things
    seen = [desk.in_use.mean, desk.waits.count, desk.queue.value, tank.amount, len(store.items), level.mean, tally.mean]
    log.append((*seen, tally.count, rng.random(), stream.uniform(0.0, 1.0)))


def state_of(log: list[Any], unit: ev.Request) -> None:
    """Look at a request."""
    log.append((unit.state, unit.since))


def shop(sim: ev.Simulation, log: list[Any]) -> None:
    """Processes amid their requests look at what others use, and change it."""
    rng, stream, told, enlarge = Random(3), sim.stream("s"), functools.partial(peek), ev.Resource.set_capacity
    note = functools.partial(state_of)
    desk, tank, store = ev.Resource(sim, 2), ev.Container(sim, 20.0, 5.0), ev.Store(sim)
    level, tally = sim.level("level", initial=0), sim.tally("tally")

    def user(n: int) -> ev.ProcessGenerator:
        k = 0
        while True:
            yield ev.hold(rng.expovariate(1.0))
            with desk.request() as unit:
                yield unit
                k += 1
                level.change(1)
                if k % 3 == 0:
                    told(log, rng, desk, tank, store, level, tally, stream)
                yield ev.hold(stream.uniform(0.1, 0.9))
                level.change(-1)
                note(log, unit)
            tally.add(sim.time)
            yield tank.put(0.5)
            if k % 5 == n:
                told(log, rng, desk, tank, store, level, tally, stream)
            yield tank.get(0.5)
            if k % 11 == 10:
                enlarge(desk, 1 + k % 2)

    for n in range(4):
        sim.process(user(n))


def watched(sim: ev.Simulation, log: list[Any]) -> None:
    """Processes that begin amid a call to trace, or to record what moves."""
    tank, traced = Tank(sim).start(), list[str]()
    recordings = list[Any]()

    def begin(k: int) -> None:
        if k == 5:
            recordings.append(sim.record(tank, every="event"))
        sim.trace = traced.append if k % 9 == 8 else None

    call = functools.partial(begin)

    def story(n: int) -> ev.ProcessGenerator:
        k = 0
        while True:
            yield ev.hold(0.37 * n)
            k += 1
            call(k)
            tank.level *= 0.9375
            log.append((n, k, tank.level, len(traced)))
            if k % 40 == 39:
                log.append([*recordings[0].times])

    for n in (1, 2):
        sim.process(story(n))


MODELS = {"its caller": Deep, "resources": shop, "what it begins": watched}


@pytest.mark.slow
@NATIVE
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_such_calls_find_and_leave_all_as_in_python(model: Any, native: bool) -> None:
    found = []
    for compiles in (False, "auto"):
        sim, log = simulation(compiles, native=native), list[Any]()
        model(sim, log)
        for until in (30.0, 120.0):
            sim.run(until=until)
        found.append([log, sim.time, sim.events])
    assert found[0] == found[1]
    assert len(found[0][0]) > 100
    assert taken(sim) > 50


class Tank(ev.Continuous):
    """What such processes look at and change."""

    level: ev.State = ev.state(1.0)
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.inflow - 0.3 * self.level


class Handling(Noting):
    """One that changes what moves."""

    def __init__(self, sim: ev.Simulation, tank: Tank) -> None:
        super().__init__(sim)
        self.tank, self.more = tank, list[Tank]()

    def __call__(self, *what: Any) -> None:
        super().__call__(*what)
        if what[0] % 3 == 2:
            self.tank.level += 0.125
        if what[0] % 5 == 4:
            self.tank.inflow += 0.0625
        if what[0] % 7 == 6:
            self.sim.process(gap for gap in (0.5, 0.25))
        if what[0] % 11 == 3:
            (self.tank.stop if self.tank.active else self.tank.start)()
        if what[0] % 13 == 5:
            self.more += [Tank(self.sim, inflow=0.5).start() for _ in range(9)]


def keeper(tank: Tank, call: Noting) -> ev.ProcessGenerator:
    k = 0
    while True:
        yield ev.until(lambda: tank.level >= 2.0)
        call(k, tank.level)
        tank.inflow = 0.0
        call(k + 1, tank.inflow)
        yield ev.until(lambda: tank.level <= 0.5)
        tank.inflow = 1.0
        call(k, tank.level)
        k += 1


def clock(tank: Tank, call: Noting) -> ev.ProcessGenerator:
    k = 0
    while True:
        yield ev.hold(0.37)
        call(k, "clock")
        tank.level *= 0.9375
        call(k + 1, tank.level)
        k += 1


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("cuts", [(30.0,), (3.3, 3.3, 11.0, 17.75, 30.0)], ids=["at once", "in parts"])
def test_such_calls_beside_flows_leave_the_same(stepping: str, cuts: tuple[float, ...]) -> None:
    def run(compiles: Any) -> tuple[list[Any], ev.Simulation]:
        sim = simulation(compiles, stepping=stepping)
        tanks = [Tank(sim, inflow=inflow).start() for inflow in (1.0, 0.75)]
        calls = [Handling(sim, tank) for tank in tanks]
        for tank, call in zip(tanks, calls, strict=True):
            sim.process(keeper(tank, call))
            sim.process(clock(tank, call))
        for cut in cuts:
            sim.run(until=cut)
        return [[call.log for call in calls], [tank.level for tank in tanks], sim.time, sim.events], sim

    (expected, _), (found, sim) = run(False), run("auto")
    assert found == expected
    assert taken(sim) > 50
