"""The log of events: why each came, what it wrote, whom it released; and as a trace file."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import eventide as ev
from eventide.observe.log import Change


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    energy: ev.Computed = ev.computed()
    gravity: float = 9.81
    bell: ev.Signal | None = None

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -self.gravity
        self.energy = self.gravity * self.height + 0.5 * self.velocity**2

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        if self.bell is not None:
            self.bell.send()


def listener(sim: ev.Simulation, bell: ev.Signal, desk: ev.Resource) -> ev.ProcessGenerator:
    while True:
        yield bell
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)


def watcher(sim: ev.Simulation, ball: Ball, spare: Ball) -> ev.ProcessGenerator:
    yield ev.until(lambda: ball.height < 5.0)
    ball.gravity = 5.0
    spare.height = 3.0
    yield ev.hold(0.25)
    assert ball.height + ball.energy > 0.0  # reading writes nothing
    yield ev.hold(0.25)
    fresh = Ball(sim, name="fresh", height=50.0).start()
    yield ev.hold(2.0)
    fresh.velocity = 1.0
    sim.process(passer(ball), name="passer")


def passer(ball: Ball) -> ev.ProcessGenerator:
    yield ev.hold(0.0)


def build(**options: Any) -> tuple[ev.Simulation, Ball]:
    sim = ev.Simulation(rng=1, **options)
    bell, desk = ev.Signal(sim, name="bell"), ev.Resource(sim, 1, name="desk")
    ball = Ball(sim, name="ball", bell=bell).start()
    for name in ("first", "second"):
        sim.process(listener(sim, bell, desk), name=name)
    sim.process(watcher(sim, ball, Ball(sim, name="spare")), name="watcher")
    return sim, ball


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_the_whole_log(compiles: Any, stepping: Any) -> None:
    sim, _ = build(compile=compiles, stepping=stepping)
    log = sim.log()
    assert sim.log() is log
    sim.run(until=3.6)
    story = [
        (e.kind, e.who, e.why, [(c.name, round(c.before, 3), round(c.after, 3)) for c in e.wrote], e.released, e.cause)
        for e in log
    ]
    begun, hold = "scheduled before the trace began", "hold ended"
    assert story == [
        ("activation", "first", begun, [], (), None),
        ("activation", "second", begun, [], (), None),
        ("activation", "watcher", begun, [], (), None),
        (
            "state event",
            "watcher",
            "condition true",
            [("ball.gravity", 9.81, 5.0), ("spare.height", 10.0, 3.0)],
            (),
            None,
        ),
        ("hold", "watcher", hold, [], (), None),
        (
            "handler",
            "ball.bounce",
            "condition true",
            [("ball.velocity", -12.17, 9.736)],
            ("first", "second"),
            None,
        ),
        ("grant", "first", "got bell", [], (), 5),
        ("grant", "second", "got bell", [], (), 5),
        ("hold", "watcher", hold, [], (), None),
        ("hold", "first", hold, [], ("second",), None),
        ("grant", "second", "got a unit of desk", [], (), 9),
        ("hold", "second", hold, [], (), None),
        ("hold", "watcher", hold, [("fresh.velocity", -19.62, 1.0)], ("passer",), None),
        ("activation", "passer", "activated by watcher", [], (), 12),
        ("hold", "passer", hold, [], (), None),
    ]
    assert [e.condition.partition(" at ")[0] for e in log if e.condition] == ["until(lambda", "lambda"]
    assert str(log[5]).endswith("ball.velocity: -12.1696 -> 9.73571; released first, second")


class Heat(Enum):
    UP = 1
    DOWN = 2


class Oven(ev.Continuous):
    degrees: ev.State = ev.state(0.0)
    way: Heat = Heat.UP
    lamp: str = "off"

    def equations(self) -> None:
        self.rate.degrees = 1.0 if self.way is Heat.UP else -1.0

    @ev.when(lambda self: self.degrees > 1.0)
    def cool(self) -> None:
        self.way, self.degrees = Heat.DOWN, 0.75


@pytest.mark.parametrize("compiles", ["auto", False])
def test_modes_that_an_event_sets_are_told(compiles: Any, tmp_path: Path) -> None:
    sim = ev.Simulation(compile=compiles)
    oven = Oven(sim, name="oven").start()
    log = sim.log()

    def cook() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        oven.lamp, oven.way = "on", Heat.UP  # which it is
        new = Oven(sim, name="new").start()
        new.lamp = "on"  # no change: it came in this event
        yield ev.hold(0.25)
        new.lamp = "off"
        new.stop()

    sim.process(cook(), name="cook")
    sim.run(until=1.5)
    oven.lamp = "between"  # by whoever runs the model: no event
    sim.run(until=1.6)
    assert [list(map(str, entry.wrote)) for entry in log] == [
        [],
        ["oven.lamp: 'off' -> 'on'"],
        ["new.lamp: 'on' -> 'off'"],
        ["oven.degrees: 1 -> 0.75", "oven.way: Heat.UP -> Heat.DOWN"],
    ]
    assert log[3].wrote[1] == Change("oven.way", Heat.UP, Heat.DOWN)
    log.to_perfetto(tmp_path / "oven.json")
    events = json.loads((tmp_path / "oven.json").read_text())["traceEvents"]
    wrote = [one["args"]["wrote"] for one in events if "wrote" in one.get("args", {})]
    assert wrote[-1]["oven.way"] == ["Heat.UP", "Heat.DOWN"]
    assert wrote[0] == {"oven.lamp": ["off", "on"]}


def test_values_that_hardly_differ_are_told_apart() -> None:
    changes = Change("x", 0.25, 1.0), Change("x", 1.0 - 2.0**-53, 1.0), Change("x", 1.0, 1.0000001)
    assert [str(change) for change in changes] == [
        "x: 0.25 -> 1",
        "x: 0.9999999999999999 -> 1",
        "x: 1 -> 1.0000001",
    ]


def test_the_log_changes_nothing_and_a_trace_goes_on_beside_it() -> None:
    def run(*, logged: bool, traced: bool) -> list[Any]:
        sim, ball = build()
        told: list[ev.Occurrence] = []
        if traced:
            sim.trace = told.append
        log = sim.log() if logged else []
        if logged and traced:
            sim.trace = told.append
        sim.run(until=8.0)
        assert len(told) == (sim.events if traced else 0)
        assert len(log) == (sim.events if logged else 0)
        return [sim.events, sim.monitor.steps, ball.height, ball.velocity, sim._continuum.evaluations]

    plain = run(logged=False, traced=False)
    assert [run(logged=True, traced=t) for t in (False, True)] == [plain, plain]


def test_conditions_that_are_no_functions_are_told_by_what_they_call_and_by_no_address() -> None:
    class Door:
        is_open = False

        def __call__(self) -> bool:
            return self.is_open

    def opener() -> ev.ProcessGenerator:
        for condition in (door, partial(getattr, door, "is_open"), partial(lambda it: it.is_open, door), bell.is_set):
            yield ev.hold(1.0)
            door.is_open, waiter = False, sim.process(caller(condition))
            yield ev.hold(1.0)
            door.is_open = True
            bell.set()
            yield waiter

    def caller(condition: Callable[[], bool]) -> ev.ProcessGenerator:
        yield ev.until(condition)

    sim, door, bell = ev.Simulation(), Door(), Event()
    sim.process(opener())
    log = sim.log()
    sim.run()
    assert [entry.condition for entry in log if entry.condition] == [
        f"until({Door.__qualname__}.__call__)",
        "until(partial of getattr)",
        f"until(partial of lambda at {__file__}:{opener.__code__.co_firstlineno + 1})",
        "until(Event.is_set)",
    ]


def test_an_unlogged_run_has_nothing_in_its_way() -> None:
    sim, _ = build()
    assert (sim._tracer, sim._hook is sim.monitor) == (None, True)
    assert sim._continuum.integrator.on_touch is None
    assert not {"_wake", "_open"} & {*vars(sim)}


def test_direct_activation_interrupts_and_ends_are_told() -> None:
    sim = ev.Simulation(rng=1)
    log = sim.log()

    def sleeper() -> ev.ProcessGenerator:
        while True:
            try:
                yield ev.passivate()
            except ev.Interrupt:
                yield ev.hold(5.0)

    one, two = (sim.process(sleeper(), name=name) for name in ("one", "two"))

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        yield ev.activate(one)
        two.interrupt("now")
        yield ev.hold(1.0)
        two.end()

    sim.process(clerk(), name="clerk")
    sim.run()
    assert [(e.kind, e.who, e.released, e.cause) for e in log][3:] == [
        ("hold", "clerk", ("one",), None),
        ("activation", "clerk", ("two",), None),
        ("interrupt", "two", (), 4),
        ("hold", "clerk", ("two",), None),
        ("end", "two", (), 6),
    ]
    assert [(w.who, w.start, w.end, w.what) for w in log.waits] == [
        ("clerk", 0.0, 1.0, "hold until 1.0"),
        ("one", 0.0, 1.0, "its activation by another process"),
        ("two", 0.0, 1.0, "its activation by another process"),
        ("clerk", 1.0, 2.0, "hold until 2.0"),
        ("two", 1.0, 2.0, "hold until 6.0"),
    ]


def test_a_period_releases_nobody_when_it_goes_on() -> None:
    class Beat(ev.Continuous):
        total: ev.State = ev.state(0.0)

        @ev.every(1.0)
        def beat(self) -> None:
            self.total += 2.0

    sim = ev.Simulation(rng=1)
    Beat(sim, name="drum").start()
    log = sim.log()
    sim.run(until=1.5)
    assert [(e.kind, e.who, e.wrote, e.released, e.cause) for e in log] == [
        ("period", "drum.beat", (("drum.total", 2.0 * k, 2.0 * k + 2.0),), (), None) for k in range(2)
    ]


def test_a_trace_file_for_a_browser(tmp_path: Path) -> None:
    sim, _ = build()
    log = sim.log()
    sim.run(until=3.6)
    path = tmp_path / "trace.json"
    log.to_perfetto(path)
    events = json.loads(path.read_text())["traceEvents"]
    tracks = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M"}
    assert list(tracks.values()) == ["first", "second", "watcher", "ball.bounce", "passer"]
    assert len([e for e in events if e["ph"] == "i"]) == len(log) == 15
    slices = [(tracks[e["tid"]], e["ts"], e["dur"]) for e in events if e["ph"] == "X"]
    assert slices == [(w.who, w.start * 1e6, (w.end - w.start) * 1e6) for w in log.waits]
    arrows = [(e["ph"], e["id"], tracks[e["tid"]]) for e in events if e["ph"] in "sf"]
    assert arrows[:4] == [("s", 6, "ball.bounce"), ("f", 6, "first"), ("s", 7, "ball.bounce"), ("f", 7, "second")]
    bounce = next(e for e in events if e["ph"] == "i" and e["cat"] == "handler")
    assert list(bounce["args"]) == ["event", "condition", "wrote", "released"]
    log.to_perfetto(path, microseconds=1.0)
    assert max(e.get("ts", 0.0) for e in json.loads(path.read_text())["traceEvents"]) < 4.0
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]


def test_a_log_without_events_says_since_when() -> None:
    sim = ev.Simulation()
    sim.run(until=30.0)

    assert str(sim.log()) == "no events since this log began, at time 30"


@pytest.mark.parametrize("length", [0.0, -1.0, float("nan"), float("inf")])
def test_a_unit_of_time_without_a_length_is_refused(tmp_path: Path, length: float) -> None:
    log = ev.Simulation().log()
    with pytest.raises(ev.ModelError, match=r"^microseconds= takes the length of a unit of time"):
        log.to_perfetto(tmp_path / "log.json", microseconds=length)
    with pytest.raises(ev.ModelError, match=r"^seconds= takes the length of a unit of time"):
        log.to_xes(tmp_path / "log.xes", seconds=length)
    assert list(tmp_path.iterdir()) == []
