"""Handlers as native code: when they run without Python, and that nobody can tell by what they leave."""

from __future__ import annotations

import gc
import signal
import sys
import traceback
from dataclasses import replace
from typing import Any

import pytest

import eventide as ev
from eventide.continuous import pauses
from eventide.continuous.guards import native_handlers
from eventide.engine.codes import FOUND, PAUSED, REACHED

FACTOR = 2.0


class Tank(ev.Continuous):
    """A level that swings between 0 and 1; the handlers tell what they see."""

    level: ev.State = ev.state(0.5)
    flow: float = 1.0
    turns: int = 0
    seen: float = 0.0
    limit: int = 1000
    log: list[Any] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = self.flow

    @ev.when(lambda self: self.level >= 1.0)
    def full(self) -> None:
        self.turns += 1
        self.flow = -FACTOR / 2.0
        self.log.append(self.sim.time)
        self.seen = 1.0 / (self.limit - self.turns)

    @ev.when(lambda self: self.level <= 0.0)
    def empty(self) -> None:
        self.turns += 1
        self.flow = 1.0
        self.log.append((self.turns, self, "empty", self.level <= 0.0))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Handlers are native code from their second event on."""
    monkeypatch.setattr(native_handlers, "ENOUGH", 1)


def handled(sim: ev.Simulation) -> int:
    return sim.monitor.integrator.native_handlers.handled


def counts(sim: ev.Simulation) -> tuple[Any, ...]:
    monitor = sim.monitor
    return sim.time, sim.events, monitor.state_events, monitor.steps, monitor.refused, sim._continuum.evaluations


def left(tank: Tank) -> tuple[Any, ...]:
    log = [entry if isinstance(entry, float) else (entry[0], entry[1].name, *entry[2:]) for entry in tank.log]
    return tank.level, tank.flow, tank.turns, tank.seen, log


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_all_but_the_first_event_of_each_handler_are_native_and_leave_the_same(stepping: Any) -> None:
    results = []
    for compile_ in (False, "auto"):
        sim = ev.Simulation(compile=compile_, stepping=stepping)
        tank = Tank(sim, name="tank").start()
        sim.run(until=20.25)
        results.append((counts(sim), left(tank)))
        assert handled(sim) == (18 if compile_ == "auto" else 0)
    assert results[0] == results[1]
    assert results[0][1][2] == 20


def test_what_is_not_native_for_one_object_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Careful):
        @ev.when(lambda self: self.phase >= 1.0)
        def tick(self) -> None:
            self.phase -= 1.0
            self.memory = self.phase

    sim = ev.Simulation()
    for _ in range(5):
        Odd(sim).start()
    analyst, asked = sim._continuum.integrator.analyst, []
    reaction = analyst.reaction
    monkeypatch.setattr(analyst, "reaction", lambda trigger: asked.append(trigger) or reaction(trigger))
    sim.run(until=8.5)
    assert (len(asked), handled(sim), sim.events) == (1, 0, 40)


class Looks(ev.Reporter):
    def report(self) -> None:
        pass


def look(tank: Tank, how: str) -> None:
    sim = tank.sim
    if how == "recording":
        sim.record(tank, every=0.25)
    elif how == "reporter":
        Looks(sim).start()
    elif how == "integral":
        sim.integral(lambda: tank.level)
    elif how == "trace":
        sim.trace = lambda occurrence: None
    elif how == "log":
        sim.log()
    elif how == "law":
        ev.law(sim, lambda: tank.__dict__.get("nothing")).start()


@pytest.mark.parametrize("how", ["recording", "reporter", "integral", "trace", "log", "law"])
def test_where_somebody_looks_at_each_event_handlers_run_in_python(how: str) -> None:
    sim, free = ev.Simulation(), ev.Simulation()
    tank, other = Tank(sim, name="tank").start(), Tank(free, name="tank").start()
    look(tank, how)
    sim.run(until=10.25)
    free.run(until=10.25)
    assert (handled(sim), handled(free)) == (0, 8)
    assert left(tank) == left(other)


def test_step_lets_one_event_take_place() -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.run(until=4.25)
    assert (tank.turns, handled(sim)) == (4, 2)
    assert sim.step()
    assert (tank.turns, handled(sim), sim.events) == (5, 2, 5)


def test_a_run_of_many_handlers_is_one_call() -> None:
    sim = ev.Simulation()
    tanks = [Tank(sim, limit=-1).start() for _ in range(5)]
    calls = []
    motion = sim._continuum.integrator
    proceed = motion.engine.proceed

    def note(*arguments: Any) -> int:
        calls.append(proceed(*arguments))
        return calls[-1]

    motion.engine = replace(motion.engine, proceed=note, proceed_away=lambda a, now, stop: note(a, now, stop, -1, 0.0))
    sim.run(until=900.25)
    assert [tank.turns for tank in tanks] == [900] * 5
    assert [code for code in calls if code < 0 and code not in (*FOUND, PAUSED)] == [REACHED]
    assert (sim.events, sim.monitor.state_events, handled(sim)) == (4500, 4500, 4498)


def test_ctrl_c_stops_between_native_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "MOST", 100.0)
    sim, whole = ev.Simulation(), ev.Simulation()
    tank, other = Tank(sim, name="tank").start(), Tank(whole, name="tank").start()
    motion, before = sim._continuum.integrator, signal.signal(signal.SIGINT, signal.default_int_handler)
    motion.run.work_limit = pauses.MOST
    proceed, codes = motion.engine.proceed, []

    def pressed(*arguments: Any) -> int:
        codes.append(proceed(*arguments))
        if codes.count(PAUSED) == 3:
            signal.raise_signal(signal.SIGINT)
        return codes[-1]

    motion.engine = replace(
        motion.engine, proceed=pressed, proceed_away=lambda a, now, stop: pressed(a, now, stop, -1, 0.0)
    )
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.run(until=200.25)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 0 < tank.turns == sim.events == sim.monitor.state_events < 200
    assert handled(sim) == tank.turns - 2
    motion.engine = replace(
        motion.engine, proceed=proceed, proceed_away=lambda a, now, stop: proceed(a, now, stop, -1, 0.0)
    )
    sim.run(until=200.25)
    whole.run(until=200.25)
    assert (left(tank), counts(sim)[:3]) == (left(other), counts(whole)[:3])


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compile_", [False, "auto"])
def test_what_python_raises_is_met_at_the_users_line_with_everything_as_it_was(compile_: Any) -> None:
    sim = ev.Simulation(compile=compile_)
    tank = Tank(sim, name="tank", limit=7).start()
    with pytest.raises(ZeroDivisionError) as met:
        sim.run(until=20.0)
    assert traceback.extract_tb(met.value.__traceback__)[-1].line == "self.seen = 1.0 / (self.limit - self.turns)"
    # The line is the last of the handler's: what stands before it has been done once.
    assert (tank.turns, tank.seen, tank.flow, len(tank.log)) == (7, 0.5, -1.0, 7)
    assert (sim.events, sim.monitor.state_events) == (7, 7)
    assert handled(sim) == (4 if compile_ == "auto" else 0)


class Careful(ev.Continuous):
    """A handler of several ways, some of which are Python's."""

    phase: ev.State = ev.state(0.0)
    count: int = 0
    marks: list[int] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.phase = 1.0

    @ev.when(lambda self: self.phase >= 1.0)
    def tick(self) -> None:
        self.phase -= 1.0
        self.count += 1
        self.marks.append(self.count)
        if self.count % 5 == 0:
            self.remember()
        elif self.count == 13:
            self.stop()

    def remember(self) -> None:
        self.memory: int = self.count


def test_a_way_that_only_python_goes_is_gone_in_python_from_the_beginning() -> None:
    sim = ev.Simulation()
    careful = Careful(sim).start()
    sim.run(until=20.0)
    assert (careful.count, careful.marks, careful.memory) == (13, list(range(1, 14)), 10)
    assert not careful.active
    assert handled(sim) == 13 - 4  # the first, the fifth, the tenth and the last are Python's


def test_a_handler_is_native_code_once_its_class_has_had_enough_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_handlers, "ENOUGH", 16)

    class Fresh(Careful):
        @ev.when(lambda self: self.phase >= 1.0)
        def tick(self) -> None:
            self.phase -= 1.0
            self.count += 1

    sim, other = ev.Simulation(), ev.Simulation()
    fresh = [Fresh(sim).start() for _ in range(4)]
    sim.run(until=4.25)
    assert (handled(sim), [tank.count for tank in fresh]) == (0, [4] * 4)
    sim.run(until=20.25)
    assert (handled(sim), [tank.count for tank in fresh]) == (64, [20] * 4)
    late = Fresh(sim).start()
    sim.run(until=24.125)
    assert (handled(sim), late.count) == (64 + 16 + 3, 3)
    one = Fresh(other).start()  # it has been lowered for a simulation before
    other.run(until=20.25)
    assert (handled(other), one.count) == (19, 20)


# --- other objects ---------------------------------------------------------------------------------------------------


class Hub(ev.Continuous):
    drive: float = 1.0
    number: float = 0.0


class Driven(ev.Continuous):
    hub: Hub
    level: ev.State = ev.state(0.0)
    output: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.output = 3.0 * self.hub.drive
        self.rate.level = self.hub.drive - 0.5 * self.level


class Driver(ev.Continuous):
    hub: Hub
    driven: Driven
    phase: ev.State = ev.state(0.0)
    seen: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.phase = 1.0


class Steers(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def steer(self) -> None:
        self.phase -= 1.0
        self.hub.drive = -self.hub.drive


class Reads(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def read(self) -> None:
        self.phase -= 1.0
        self.seen.append(self.driven.level + self.driven.output)


class Shoves(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def shove(self) -> None:
        self.phase -= 1.0
        if self.driven.level > 0.75:
            self.driven.level = 0.25


class WritesFirst(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def write(self) -> None:
        self.phase -= 1.0
        self.hub.drive = 1.0 + self.phase + 0.125 * self.sim.time
        self.seen.append(self.driven.output)


@pytest.mark.parametrize(("kind", "natively"), [(Steers, 8), (Reads, 8), (Shoves, 8), (WritesFirst, 8)])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_handlers_see_and_touch_other_flows_as_in_python(kind: Any, natively: int, stepping: Any) -> None:
    results = []
    for compile_ in (False, "auto"):
        sim = ev.Simulation(compile=compile_, stepping=stepping)
        hub = Hub(sim)
        driven = Driven(sim, hub=hub).start()
        driver = kind(sim, hub=hub, driven=driven).start()
        sim.run(until=9.5)
        results.append((counts(sim), driver.seen, driven.level, driven.output, hub.drive, driver.phase))
    assert results[0] == results[1]
    assert handled(sim) == (natively if stepping == "apart" else 8)


def test_what_several_flows_depend_on_is_written_in_python() -> None:
    sim = ev.Simulation()
    hub = Hub(sim)
    driven, other = Driven(sim, hub=hub).start(), Driven(sim, hub=hub).start()
    Steers(sim, hub=hub, driven=driven).start()
    sim.run(until=5.5)
    assert handled(sim) == 0
    other.stop()
    sim.run(until=9.5)
    assert handled(sim) == 4


class Heard(ev.Continuous):
    wind: ev.inputs.Step
    phase: ev.State = ev.state(0.0)
    count: int = 0

    def equations(self) -> None:
        self.rate.phase = self.wind(self.sim.time)

    @ev.when(lambda self: self.phase >= 1.0)
    def tick(self) -> None:
        self.phase -= 1.0
        self.count += 1


def test_flows_with_inputs_are_looked_after_by_python() -> None:
    sim = ev.Simulation()
    heard = Heard(sim, wind=ev.inputs.Step(at=2.5, height=2.0, before=1.0)).start()
    sim.run(until=5.1)
    assert (heard.count, handled(sim)) == (7, 0)


def test_a_field_that_comes_to_refer_to_another_object_is_followed() -> None:
    sim = ev.Simulation()
    hub, other = Hub(sim), Hub(sim, number=100.0)

    class Counts(Driver):
        @ev.when(lambda self: self.phase >= 1.0)
        def count(self) -> None:
            self.phase -= 1.0
            self.hub.number += 1.0
            self.seen.append(self.hub.number)

    driver = Counts(sim, hub=hub, driven=None).start()

    def exchanges() -> ev.ProcessGenerator:
        yield ev.hold(4.5)
        driver.hub = other
        yield ev.hold(2.0)
        driver.seen = []

    sim.process(exchanges())
    sim.run(until=8.5)
    assert (hub.number, other.number, driver.seen) == (4.0, 104.0, [103.0, 104.0])
    assert handled(sim) == 7


def test_a_number_of_a_module_that_changes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()

    def changes() -> ev.ProcessGenerator:
        yield ev.hold(5.25)
        monkeypatch.setattr(sys.modules[__name__], "FACTOR", 4.0)

    sim.process(changes())
    sim.run(until=6.75)
    assert tank.flow == -2.0
    assert handled(sim) == 5


LOG: list[float] = []


class Tells(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def tell(self) -> None:
        self.phase -= 1.0
        LOG.append(self.phase)


def test_an_object_of_a_module_that_is_exchanged_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = [], []
    monkeypatch.setattr(sys.modules[__name__], "LOG", first)
    sim = ev.Simulation()
    Tells(sim, hub=None, driven=None).start()

    def changes() -> ev.ProcessGenerator:
        yield ev.hold(5.5)
        monkeypatch.setattr(sys.modules[__name__], "LOG", second)

    sim.process(changes())
    sim.run(until=9.5)
    assert (len(first), len(second), handled(sim)) == (5, 4, 8)


# --- lists -----------------------------------------------------------------------------------------------------------


def test_what_is_put_into_lists_is_counted_right() -> None:
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.run(until=3.25)
    references = sys.getrefcount(tank), sys.getrefcount(None)
    sim.run(until=203.25)
    assert sys.getrefcount(tank) - references[0] == 100
    tank.log.clear()
    assert sys.getrefcount(tank) - references[0] == -1


def test_the_collector_does_not_run_between_native_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    for most in ("UNKNOWN", "HELD", "MOST"):  # a pause, in which Python may collect, comes when time has passed
        monkeypatch.setattr(pauses, most, 2.0**60)
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.run(until=3.25)
    motion, thresholds, seen = sim._continuum.integrator, gc.get_threshold(), []

    def note(phase: str, info: dict[str, int]) -> None:
        seen.append(motion.is_marching)

    gc.callbacks.append(note)
    gc.set_threshold(1)
    try:
        sim.run(until=203.25)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert gc.isenabled()
    assert seen
    assert not any(seen)
    assert tank.turns == 203


class Notes(Driver):
    @ev.when(lambda self: self.phase >= 1.0)
    def note(self) -> None:
        self.phase -= 1.0
        self.seen.append(self.phase)


def test_handlers_that_fill_lists_run_in_python_where_lists_are_read() -> None:
    sim = ev.Simulation()
    notes = Notes(sim, hub=None, driven=None).start()
    woken = []

    def waits() -> ev.ProcessGenerator:
        yield ev.until(lambda: len(notes.seen) >= 5)
        woken.append((round(sim.time, 9), len(notes.seen), handled(sim)))

    sim.process(waits())
    sim.run(until=9.5)
    assert woken == [(5.0, 5, 0)]
    assert handled(sim) == 4


class Watched(Tank):
    """Its equations read a list that grows with each event."""

    def equations(self) -> None:
        self.rate.level = self.flow * (1.0 + 0.125 * len(self.log))


def test_equations_see_what_handlers_put_into_a_list() -> None:
    results = []
    for compile_ in (False, "auto"):
        sim = ev.Simulation(compile=compile_)
        tank = Watched(sim, name="tank").start()
        sim.run(until=5.25)
        results.append((counts(sim), left(tank)))
        assert handled(sim) == 0
    assert results[0] == results[1]
    assert results[0][1][2] == 7


# --- what is told ----------------------------------------------------------------------------------------------------


class Sliding(ev.Continuous):
    level: ev.State = ev.state(0.5)
    flow: float = -1.0

    def equations(self) -> None:
        self.rate.level = self.flow

    @ev.when(lambda self: self.level >= 0.0)
    def above(self) -> None:
        self.flow = -1.0

    @ev.when(lambda self: self.level < 0.0)
    def below(self) -> None:
        self.flow = 1.0

    sliding = above.slides(below)


def test_the_explanation_tells_which_handlers_are_native_and_what_they_leave_to_python() -> None:
    sim = ev.Simulation()
    Tank(sim, name="tank").start()
    Careful(sim, name="careful").start()
    Sliding(sim, name="slider").start()
    notes = sim.explain().handlers
    assert [(note.name, note.is_compiled, [ask.construct for ask in note.asks]) for note in notes] == [
        ("tank.full", True, []),
        ("tank.empty", True, []),
        ("careful.tick", True, ["self.memory: int = self.count", "self.stop()"]),
        ("slider.above", False, []),
        ("slider.below", False, []),
    ]
    text = str(sim.explain())
    assert "handlers, unless each event is observed\n  tank.full: native code\n" in text
    assert f"    but for {__file__}:" in text
    assert "`self.stop()`: Continuous.stop is done in Python" in text
    plain = ev.Simulation(compile=False)
    Tank(plain, name="tank").start()
    assert "  tank.full: Python, as compile=False says" in str(plain.explain())


@pytest.mark.parametrize("kind", ["whole", "true"])
@pytest.mark.parametrize("compile_", ["auto", False])
def test_what_a_whole_number_or_a_truth_cannot_hold_is_refused_in_native_code(compile_: Any, kind: str) -> None:
    """In the 40th event, long after the first one; what was set before stays."""

    class Counter(ev.Continuous):
        x: ev.State = ev.state(0.0)
        events: float = 0.0
        count: int = 0
        is_odd: bool = False
        is_whole: bool = True

        def equations(self) -> None:
            self.rate.x = 1.0

        @ev.when(lambda self: self.x >= 1.0)
        def step(self) -> None:
            self.x -= 1.0
            self.events += 1.0
            if self.is_whole:
                self.count = self.events / 2.0 if self.events > 39.5 and self.events % 2.0 > 0.5 else self.count + 1.0
            self.is_odd = self.events / 100.0 if self.events > 39.5 and not self.is_whole else self.events % 2.0

    counter = Counter(ev.Simulation(compile=compile_), is_whole=kind == "whole").start()
    name, value = ("count", 20.5) if kind == "whole" else ("is_odd", 0.4)
    with pytest.raises(ValueError, match=rf"^Counter\.{name} cannot hold {value} exactly: it is declared as"):
        counter.sim.run(until=60.0)
    end = 41 if kind == "whole" else 40
    assert (counter.sim.time, counter.events) == (pytest.approx(end), end)
    assert (counter.count, counter.is_odd) == ((40, False) if kind == "whole" else (0, True))
