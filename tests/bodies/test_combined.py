"""Processes that are native code beside what moves leave the same as in Python, wherever they are cut."""

from __future__ import annotations

import signal
from dataclasses import replace
from functools import partial
from itertools import accumulate, repeat
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken
from random_combined import combined_outcome, combined_program

import eventide as ev
from eventide.continuous import pauses
from eventide.monitor.row_driver import HybridDriver
from eventide.rows.memory import RowMemory


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def compare(seed: int, acts: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows, in some pieces; how many events of rows there were."""
    module = random_bodies.load(combined_program(seed, acts), folder, f"combined{seed}")
    expected = combined_outcome(simulation(False, native=native), module, seed, acts, seed % 3)
    sim = simulation("auto", native=native)
    assert combined_outcome(sim, module, seed, acts, seed % 3) == expected, seed
    return taken(sim)


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_rows_beside_what_moves_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=False) for seed in range(12)) > 200


@pytest.mark.slow
@pytest.mark.parametrize("acts", random_bodies.ACTS.values(), ids=random_bodies.ACTS)
def test_native_rows_beside_what_moves_leave_the_same(acts: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, tmp_path, native=True) for seed in range(30, 35)) > 100


class Swing(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    passed: int = 0
    push: Any = ev.inputs.Pulse(period=4.0, width=1.5, high=0.25, low=-0.25)

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = self.push(self.sim.time) - self.x if self.x < 0.75 else -self.x


class Bell(Swing):
    @ev.when(lambda self: self.x > 0.5)
    def ring(self) -> None:
        self.passed += 1


def holder(sim: ev.Simulation, rng: Random, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(2.0))
        told.append(sim.time)


def ticker(sim: ev.Simulation, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        told.append(sim.time)


def watcher(swing: Swing, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: swing.x < -0.5)
        told.append(swing.v)
        yield ev.until(lambda: swing.x > 0.0)


def begin(compiles: Any, kind: type[Swing]) -> tuple[ev.Simulation, Swing, list[float]]:
    sim, told, rng = simulation(compiles, native=True), [], Random(5)
    swing = kind(sim, name="swing").start()
    for _ in range(6):
        sim.process(holder(sim, rng, told))
    sim.process(ticker(sim, told))  # it acts where the input jumps
    sim.process(watcher(swing, told))
    return sim, swing, told


def seen(sim: ev.Simulation, swing: Swing, told: list[float]) -> list[Any]:
    monitor = sim.monitor
    return [sim.time, sim.events, told, swing.x, swing.v, swing.passed, monitor.steps, monitor.state_events]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Swing, Bell])
def test_events_of_rows_beside_a_flow_with_state_events_inputs_and_handlers_are_native(kind: type[Swing]) -> None:
    made = begin("auto", kind), begin(False, kind)
    for sim, _, _ in made:
        sim.run(until=60.0)
    assert seen(*made[0]) == seen(*made[1])
    assert taken(made[0][0]) > 500


@pytest.mark.slow
def test_a_march_that_pauses_beside_rows_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "HELD", 2.0)
    paused: list[float] = []
    go_on = pauses.Pauses.go_on

    def note(one: pauses.Pauses, now: float, stop: float) -> int:
        paused.append(now)
        one._most = one._held = 2.0
        return go_on(one, now, stop)

    monkeypatch.setattr(pauses.Pauses, "go_on", note)
    made = begin("auto", Swing), begin(False, Swing)
    for sim, _, _ in made:
        sim.run(until=30.0)
    assert seen(*made[0]) == seen(*made[1])
    assert taken(made[0][0]) > 200
    assert len(paused) > 20


def test_looks_of_rows_find_what_python_has_made_anew_amid_a_march(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "HELD", 2.0)
    go_on, looks = pauses.Pauses.go_on, list[bool]()

    def note(one: pauses.Pauses, now: float, stop: float) -> int:
        code, one._integrator.run.work_limit = go_on(one, now, stop), 2.0
        one._integrator.memory.outdate()  # as where a law's linearization needs room
        return code

    def go(driver: HybridDriver, memory: RowMemory, turn: tuple[float, ...]) -> int:
        engine, integrator = memory.engine, driver._monitor.integrator

        def look(arrays: object) -> object:
            looks.append(memory.run.arrays == integrator.memory.arrays)
            return engine.look_regularly(arrays)

        memory.engine = replace(engine, look_regularly=look)
        try:
            return march(driver, memory, turn)
        finally:
            memory.engine = engine

    march = HybridDriver._go
    monkeypatch.setattr(HybridDriver, "_go", go)
    monkeypatch.setattr(pauses.Pauses, "go_on", note)
    sim, swing, _ = begin("auto", Swing)
    sim.record(shifted=lambda: swing.x + 1.0, every=0.37)
    sim.run(until=30.0)
    assert looks
    assert all(looks)


@pytest.mark.parametrize(("seconds", "rest"), [(1e-4, [409.6]), (1.0, [64.0] * 8)])
def test_pauses_are_rare_where_much_is_done_from_one_to_the_next_though_events_cut_all_stretches(
    monkeypatch: pytest.MonkeyPatch, seconds: float, rest: list[float]
) -> None:
    monkeypatch.setattr(pauses, "UNKNOWN", 64.0)
    monkeypatch.setattr(pauses, "perf_counter", partial(next, accumulate(repeat(seconds))))
    go_on, limits = pauses.Pauses.go_on, []

    def note(one: pauses.Pauses, now: float, stop: float) -> int:
        code = go_on(one, now, stop)
        limits.append(one._integrator.run.work_limit)
        return code

    monkeypatch.setattr(pauses.Pauses, "go_on", note)
    sim, *_ = begin("auto", Swing)
    sim.run(until=60.0)
    assert limits == [64.0, *rest]  # of the first it is not known how long it took


@pytest.mark.slow
def test_ctrl_c_amid_a_march_beside_rows_stops_the_run_which_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "HELD", 2.0)
    go_on, stops = pauses.Pauses.go_on, []

    def press(one: pauses.Pauses, now: float, stop: float) -> int:
        one._most = one._held = 2.0
        if 10.0 < now < 11.0 and not stops and one._integrator.run.stepwise == 0:
            stops.append(now)
            signal.raise_signal(signal.SIGINT)
        return go_on(one, now, stop)

    monkeypatch.setattr(pauses.Pauses, "go_on", press)
    sim, swing, told = begin("auto", Bell)
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=30.0)
    assert 10.0 < sim.time < 12.0
    sim.run(until=30.0)
    monkeypatch.undo()
    expected = begin(False, Bell)
    expected[0].run(until=30.0)
    assert seen(sim, swing, told) == seen(*expected)


@pytest.mark.slow
def test_a_signal_handler_that_looks_after_a_march_beside_rows_changes_no_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pauses, "HELD", 2.0)
    go_on, rung, found = pauses.Pauses.go_on, [], []

    def ring(one: pauses.Pauses, now: float, stop: float) -> int:
        one._most = one._held = 2.0
        rung.append(now)
        signal.raise_signal(signal.SIGUSR1)
        return go_on(one, now, stop)

    monkeypatch.setattr(pauses.Pauses, "go_on", ring)
    before = signal.signal(signal.SIGUSR1, lambda *_: found.append(sim.time))
    try:
        sim, swing, told = begin("auto", Bell)
        sim.process(holder(sim, Random(7), told))
        sim.run(until=30.0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    monkeypatch.undo()
    expected = begin(False, Bell)
    expected[0].process(holder(expected[0], Random(7), expected[2]))
    expected[0].run(until=30.0)
    assert seen(sim, swing, told) == seen(*expected)
    assert len(found) == len(rung) > 20


@pytest.mark.slow
def test_rows_stay_beside_a_component_that_starts_and_a_wait_that_begins() -> None:
    def late(sim: ev.Simulation, told: list[float]) -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.hold(6.0)
            swing = Swing(sim).start()
            yield ev.until(lambda swing=swing: swing.x < 0.25)
            told.append(swing.v)

    made = begin("auto", Swing), begin(False, Swing)
    for sim, _, told in made:
        sim.process(late(sim, told))
        sim.run(until=40.0)
    assert seen(*made[0]) == seen(*made[1])
    assert made[0][0]._migration is not None
    assert taken(made[0][0]) > 300


@pytest.mark.slow
@pytest.mark.parametrize("every", ["event", 0.25])
def test_a_recording_sees_the_events_of_rows_where_inputs_jump_and_processes_wait_for_states(every: Any) -> None:
    made = begin("auto", Swing), begin(False, Swing)
    rows = []
    for sim, swing, _ in made:
        recording = sim.record(swing, every=every)
        sim.run(until=20.0)
        rows.append((list(recording.times), list(recording.sides), list(recording["swing.x"])))
    assert rows[0] == rows[1]
    assert seen(*made[0]) == seen(*made[1])
    assert taken(made[0][0]) > 100


class Dial:
    def __init__(self) -> None:
        self.pull = 1.0


class Pulled(Swing):
    dial: Any = None

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = -self.dial.pull * self.x


def turner(dial: Dial, rng: Random) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(2.0))
        dial.pull = 0.5 + rng.random()


@pytest.mark.slow
def test_rows_that_set_what_laws_read_without_notice_are_in_python() -> None:
    found = []
    for compiles in ("auto", False):
        sim, dial, rng = simulation(compiles, native=True), Dial(), Random(5)
        swing = Pulled(sim, dial=dial).start()
        for _ in range(4):
            sim.process(turner(dial, rng))
        sim.run(until=30.0)
        found.append([*seen(sim, swing, []), dial.pull, rng.random()])
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_wait_that_begins_again_leaves_no_flow_open() -> None:
    def teller(swing: Swing, told: list[float]) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: swing.x < -0.25)
            told.append(float(str(swing.v)))  # Python's
            yield ev.until(lambda: swing.x > 0.25)
            told.append(float(str(swing.v)))

    def writer(swing: Swing) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.25)
            swing.v = sum([swing.v]) * 1.0625  # Python's

    found = []
    for compiles in ("auto", False):
        sim, swing, told = begin(compiles, Bell)
        for _ in range(2):
            sim.process(teller(swing, told))
            sim.process(writer(swing))
        sim.run(until=40.0)
        found.append(seen(sim, swing, told))
        if compiles:
            assert taken(sim) > 200
    assert found[0] == found[1]


# --- statements that read and change what moves -----------------------------------------------------------------------


class Spring(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    force: ev.Computed = ev.computed()
    k: float = 2.0
    turns: int = 0
    is_stiff: bool = False

    def equations(self) -> None:
        self.force = -self.k * self.x
        self.rate.x = self.v
        self.rate.v = self.force


class Pushed(Spring):
    push: Any = ev.inputs.Pulse(period=4.0, width=1.5, high=0.25, low=-0.25)

    def equations(self) -> None:
        self.force = self.push(self.sim.time) - self.k * self.x
        self.rate.x = self.v
        self.rate.v = self.force


def reader(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(1.0))
        told.append(spring.x)
        told.append(spring.force + spring.k)
        if spring.x > 0.5 and spring.turns > 3 and not spring.is_stiff:
            told.append(float(spring.turns))


def changer(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(0.5))
        spring.v *= -0.875 + 0.25 * rng.random()
        told.append(spring.force)
        spring.k = 1.0 + rng.random()
        spring.turns += 1
        spring.is_stiff = spring.k > 1.5
        spring.x, spring.v = spring.x * 0.5 + rng.random(), spring.v + 0.125
        told.append(spring.x)


def followed(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    for _ in range(12):
        for _ in range(4):
            yield ev.hold(0.75)
            spring.v += 0.125
        told.append(sum(sorted([spring.x, spring.v])))  # Python's, after a change in the same event
        spring.x *= 0.75


def sprung(kind: type[Spring], compiles: Any, *stories: Any, native: bool = True) -> tuple[ev.Simulation, list[Any]]:
    sim, rng, told, log = simulation(compiles, native=native), Random(5), [], []
    spring, other = kind(sim, name="spring").start(), Spring(sim, x=0.5)
    for story in stories:
        for one in (spring, spring, other):
            sim.process(story(sim, rng, one, told))
    sim.process(ticker(sim, told))
    try:
        sim.run(until=40.0)
    except ZeroDivisionError as error:
        log.append((repr(error), [line for line in error.__notes__ if "active" in line]))
    monitor = sim.monitor
    held = [spring.x, spring.v, spring.force, spring.k, spring.turns, spring.is_stiff, other.x]
    return sim, [sim.time, sim.events, told, rng.random(), held, log, monitor.steps, monitor.state_events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, True], ids=["plain", "native"])
@pytest.mark.parametrize("kind", [Spring, Pushed])
def test_statements_that_read_and_change_what_moves_are_native(kind: type[Spring], native: bool) -> None:
    sim, found = sprung(kind, "auto", reader, changer, native=native)
    assert found == sprung(kind, False, reader, changer)[1]
    assert taken(sim) > 200
    assert sim._migration is not None
    assert (sum(sim._migration.exits.values()) == 0) is (kind is Spring)  # where inputs are Python looks at each change


@pytest.mark.slow
def test_python_goes_on_in_an_event_in_which_native_code_has_changed_what_moves() -> None:
    sim, found = sprung(Spring, "auto", followed, reader)
    assert found == sprung(Spring, False, followed, reader)[1]
    assert taken(sim) > 100
    assert sim._migration is not None
    assert sum(sim._migration.exits.values()) > 3


class Singular(Spring):
    def equations(self) -> None:
        self.force = -self.k * self.x / (self.sim.time - 30.5)
        self.rate.x = self.v
        self.rate.v = -self.k * self.x


def steady(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        told.append(spring.force)


@pytest.mark.slow
def test_what_laws_raise_where_native_code_reads_what_they_compute_is_raised_in_the_process() -> None:
    sim, found = sprung(Singular, "auto", steady)
    assert repr(found) == repr(sprung(Singular, False, steady)[1])  # there is NaN in it
    assert found[0] == 30.5
    assert "division by zero" in found[5][0][0]
    assert taken(sim) > 100


def leader(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        spring.k = 1.0 + rng.random()


def follower(sim: ev.Simulation, rng: Random, spring: Spring, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        told.append(spring.force)


@pytest.mark.slow
def test_what_an_event_has_changed_is_settled_before_the_next_of_its_instant() -> None:
    sim, found = sprung(Spring, "auto", leader, follower)
    assert found == sprung(Spring, False, leader, follower)[1]
    assert taken(sim) > 300


class Plant:
    """What opens and closes."""

    def __init__(self) -> None:
        self.is_open, self.served = True, 0


def weather(rng: Random, plant: Plant, pause: float) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(1.0 / pause))
        plant.is_open = False
        yield ev.hold(rng.expovariate(1.0 / pause))
        plant.is_open = True


def valve(sim: ev.Simulation, swing: Swing, plant: Plant, told: list[float]) -> ev.ProcessGenerator:
    while sim.time < 30.0:
        yield ev.until(lambda: swing.x > 0.25)
        told.append(sim.time)
        yield ev.until(lambda: swing.x < 0.0)
    while True:
        yield ev.until(lambda: plant.is_open and swing.x > 0.25)
        told.append(-sim.time)
        yield ev.until(lambda: swing.x < 0.0)


def served(rng: Random, plant: Plant, told: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(4.0))
        plant.served += 1
        told.append(plant.served if plant.is_open else -0.5)


@pytest.mark.slow
def test_what_conditions_come_to_read_is_set_by_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        swing, rng, plant, told = Swing(sim).start(), Random(5), Plant(), list[float]()
        sim.process(valve(sim, swing, plant, told))
        for _ in range(3):
            sim.process(served(rng, plant, told))
        sim.process(weather(rng, plant, 9.0))
        shown = list[Any]()
        for end in (29.0, 100.0):
            sim.run(until=end)
            shown += [sim.events, swing.x, taken(sim), str(sim.explain())]
        return [told, shown]

    (expected, there), (found, shown) = run(simulation(False)), run(simulation("auto"))
    assert found == expected
    assert (shown[0::4], shown[1::4]) == (there[0::4], there[1::4])
    assert shown[2] > 250
    assert shown[6] - shown[2] > 300
    assert "`plant.is_open = False`: laws or conditions read it" in shown[7]
    assert "`plant.is_open = False`" not in shown[3]
