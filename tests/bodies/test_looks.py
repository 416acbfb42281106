"""Signal handlers and threads that look at processes in rows are served or refused, and the run goes on as it would."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.discrete.processes.process_list import ProcessList
from eventide.migration import row_migration
from eventide.migration.assumptions import Assumptions
from eventide.migration.row_driver import DiscreteDriver
from eventide.rows import undisturbed
from eventide.rows.undisturbed import LOOKED_AT
from eventide.streams.uniforms import Uniforms

RINGS = signal.SIGUSR1


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


@pytest.fixture
def handlers() -> Iterator[None]:
    """What was set in a test is gone after it."""
    before = signal.getsignal(RINGS)
    yield
    signal.signal(RINGS, before)


class Model:
    """Processes that hold, queue, make others and end; what they leave, and what somebody saw who looked."""

    def __init__(self, compiles: Any) -> None:
        self.sim = simulation(compiles)
        self.desk = ev.Resource(self.sim, 2, name="desk")
        self.rng = Random(5)
        self.log: list[Any] = []
        self.seen: list[Any] = []
        self.all = [self.sim.process(self.works(k), name=f"worker{k}") for k in range(4)]
        self.sim.process(self.makes(), name="maker")
        self.sim.process(self.meddles(), name="meddler")

    def works(self, number: int) -> ev.ProcessGenerator:
        for _ in range(25):
            yield ev.hold(self.rng.expovariate(1.0))
            with self.desk.request() as unit:
                yield unit
                yield ev.hold(0.25)
        self.log.append((number, self.sim.time))

    def makes(self) -> ev.ProcessGenerator:
        for _ in range(25):
            yield ev.hold(1.5)
            self.sim.process(self.visits())

    def meddles(self) -> ev.ProcessGenerator:
        for _ in range(12):
            yield ev.hold(3.25)
            list(map(self.sim.process, [self.visits()]))  # which no native code is made of
            self.log.append([one.idle for one in self.all])

    def visits(self) -> ev.ProcessGenerator:
        yield ev.hold(self.rng.expovariate(0.5))
        self.log.append(self.sim.time)

    def look(self, *_: object) -> None:
        """Everything that a display of progress shows."""
        sim = self.sim
        self.seen.append(
            (sim.time, sim.events, [one.name for one in sim.processes], len(self.desk.users), self.desk.queue.mean)
        )
        assert all(one.why_waiting() for one in self.all)

    def run(self) -> list[Any]:
        self.sim.run()
        desk = self.desk
        return [self.log, self.sim.time, self.sim.events, desk.waits.mean, desk.in_use.mean, self.rng.random()]


def disturbed(
    patch: pytest.MonkeyPatch, name: str, disturb: Callable[[], object], kind: type = row_migration.RowMigration
) -> None:
    """Let `disturb` be called as a method begins and as it ends, in the middle of what calls it."""
    act = getattr(kind, name)

    def disturbed_one(*arguments: Any) -> Any:
        disturb()
        answer = act(*arguments)
        disturb()
        return answer

    patch.setattr(kind, name, disturbed_one)


AMID = ["_proceed", "_new_row", "_fetch", "_settle", "_end", "_go_on", "bring", "_bring", "consider"]


@pytest.mark.slow
@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("amid", AMID)
def test_a_signal_handler_looks_at_any_time_and_the_run_goes_on(amid: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, model, calls = Model(False), Model("auto"), list[float]()
    expected = plain.run()
    chance = Random(1)

    def ring() -> None:
        if chance.random() < 0.15:
            calls.append(model.sim.time)
            signal.raise_signal(RINGS)

    disturbed(monkeypatch, amid, ring)
    signal.signal(RINGS, look := model.look)
    assert model.run() == expected
    assert calls
    assert len(model.seen) == len(calls)
    if amid == "_fetch":
        assert [seen[0] for seen in model.seen] == calls
    assert taken(model.sim) > 10
    assert signal.getsignal(RINGS) == look
    for time, _, names, users, _ in model.seen:
        assert time <= model.sim.time
        assert len(set(names)) == len(names)
        assert 0 <= users <= 2


@pytest.mark.usefixtures("handlers")
def test_a_signal_handler_is_called_once_all_that_go_away_have_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, model, callers, rings = Model(False), Model("auto"), list[list[str]](), count()
    expected = plain.run()

    def note(*_: object) -> None:
        callers.append([one.name for one in traceback.extract_stack()])
        model.look()

    disturbed(monkeypatch, "_new_row", lambda: signal.raise_signal(RINGS) if next(rings) == 4 else None)
    signal.signal(RINGS, note)
    assert model.run() == expected
    assert taken(model.sim) > 10
    assert ["_depart" in names for names in callers] == [False]


def test_what_is_to_be_attended_to_and_was_displaced_changes_no_order(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, model = Model(False), Model("auto")
    expected = plain.run()
    disturbed(monkeypatch, "_fetch", lambda: setattr(model.sim, "_is_interrupted", True))
    assert model.run() == expected
    assert taken(model.sim) > 10


@pytest.mark.usefixtures("handlers")
def test_who_looks_as_an_event_has_just_begun_looks_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, model, rang = Model(False), Model("auto"), list[float]()
    expected, proceed = plain.run(), row_migration.RowMigration._proceed

    def ringing(away: row_migration.RowMigration, horizon: float, most: int) -> int:
        taken = proceed(away, horizon, most)
        if away._called is not None and len(rang) < 9:
            rang.append(model.sim.time)
            signal.raise_signal(RINGS)
        return taken

    monkeypatch.setattr(row_migration.RowMigration, "_proceed", ringing)
    signal.signal(RINGS, model.look)
    assert model.run() == expected
    assert [seen[0] for seen in model.seen] == rang
    assert len(rang) == 9


@pytest.mark.usefixtures("handlers")
def test_who_looks_as_objects_are_made_sees_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(RINGS, lambda *_: models[-1].look())
    disturbed(monkeypatch, "enter", lambda: signal.raise_signal(RINGS) if models else None, ProcessList)
    models, found = list[Model](), []
    for compiles in (False, "auto"):
        models.clear()
        models.append(model := Model(compiles))
        model.run()
        meddled = [3.25 * k for k in range(1, 12) if k % 6]  # where nobody else makes processes
        found.append([{len(seen[2]) for seen in model.seen if seen[0] == time} for time in meddled])
    assert taken(models[-1].sim) > 10
    assert found[0] == found[1]
    assert {len(numbers) for numbers in found[0]} == {2}


@pytest.mark.usefixtures("handlers")
def test_who_rings_as_processes_come_home_at_the_end_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model("auto")
    signal.signal(RINGS, model.look)
    model.sim.run(until=14.0)
    model.sim.run(until=15.0)
    disturbed(monkeypatch, "_settle", lambda: None if model.sim._is_running else signal.raise_signal(RINGS))
    model.sim.run(until=16.0)
    assert [seen[0] for seen in model.seen] == [16.0] * len(model.seen)
    assert model.seen


@pytest.mark.slow
@pytest.mark.usefixtures("handlers")
def test_random_models_are_the_same_whoever_looks_by_signals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, found, rows = Random(3), list[int](), 0
    sims: list[ev.Simulation] = []

    def ring() -> None:
        if rng.random() < 0.2:
            signal.raise_signal(RINGS)

    def look(*_: object) -> None:
        found.append(sum(process.idle for process in sims[-1].processes))

    signal.signal(RINGS, look)
    for seed in range(8):
        module = random_bodies.load(random_bodies.program(seed, 6), tmp_path, f"looked{seed}")
        expected = random_bodies.outcome(simulation(False), module, seed, 6)
        sims.append(simulation("auto"))
        with monkeypatch.context() as patch:
            for name in AMID:
                disturbed(patch, name, ring)
            assert random_bodies.outcome(sims[-1], module, seed, 6) == expected, seed
        rows += taken(sims[-1])
    assert rows > 50
    assert len(found) > 100


@pytest.mark.usefixtures("handlers")
def test_what_a_handler_that_waited_raises_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model("auto")

    def limit(*_: object) -> None:
        assert not model.sim._migration.is_busy  # type: ignore[union-attr]  # processes are away
        raise TimeoutError("too long")

    disturbed(monkeypatch, "_fetch", lambda: signal.raise_signal(RINGS))
    signal.signal(RINGS, limit)
    with pytest.raises(TimeoutError, match="too long"):
        model.run()
    assert signal.getsignal(RINGS) is limit
    with pytest.raises(ev.ModelError, match="TimeoutError, which a signal handler"):
        model.sim.run()


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("amid", ["proceed", "_go_on"])
def test_what_a_handler_raises_that_waited_while_rows_went_on_stops_the_run_and_the_next_goes_on(
    amid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, model, rung, stops = Model(False).run(), Model("auto"), list[int](), list[float]()

    def limit(*_: object) -> None:
        raise TimeoutError("too long")

    def ring() -> None:
        rung.append(1)
        if len(rung) % 7 == 0:
            signal.raise_signal(RINGS)

    monkeypatch.setattr(undisturbed, "PATIENCE", 5.0)  # none waits so long, also where others use the machine
    disturbed(monkeypatch, amid, ring, DiscreteDriver if amid == "proceed" else row_migration.RowMigration)
    signal.signal(RINGS, limit)
    while True:
        try:
            found = model.run()
            break
        except TimeoutError:
            stops.append(model.sim.time)
    assert len(stops) > 2
    assert found == expected


@pytest.mark.usefixtures("handlers")
def test_a_handler_that_has_taken_another_s_place_in_the_run_stays() -> None:
    model = Model("auto")
    signal.signal(RINGS, model.look)

    def changes() -> ev.ProcessGenerator:
        yield ev.hold(20.0)
        signal.signal(RINGS, signal.SIG_IGN)

    model.sim.process(changes())
    model.run()
    assert taken(model.sim) > 10
    assert signal.getsignal(RINGS) == signal.SIG_IGN


def test_another_thread_that_looks_is_refused_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, model, told = Model(False), Model("auto"), list[str]()

    def look() -> None:
        try:
            model.look()
        except ev.ModelError as error:
            told.append(str(error))

    def visit() -> None:
        if len(told) < 20:
            thread = threading.Thread(target=look)
            thread.start()
            thread.join()

    expected = plain.run()
    disturbed(monkeypatch, "stands", visit, Assumptions)  # between two events, when nobody is busy
    disturbed(monkeypatch, "_go_on", visit)
    assert model.run() == expected
    advice = "read and change it in that thread, or when the run has ended; sim.watch() shows what it records meanwhile"
    assert set(told) == {f"another thread runs this simulation: {advice}"}
    assert taken(model.sim) > 10


def test_a_source_of_random_numbers_that_is_refused_a_look_may_go_on() -> None:
    found, refused = [], list[str]()
    for compiles in (False, "auto"):
        sim, log = simulation(compiles), list[float]()
        stream = sim.stream("drawn")

        def numbers(sim: ev.Simulation = sim) -> Any:
            for k in range(100_000):
                try:
                    assert len(sim.processes) <= 4
                except ev.ModelError as error:
                    refused.append(str(error))
                yield 0.25 if k % 3 else 0.75

        def worker(sim: ev.Simulation = sim, stream: Any = stream, log: Any = log) -> ev.ProcessGenerator:
            for _ in range(30):
                yield ev.hold(stream.uniform(0.5, 1.5))
            log.append(sim.time)

        stream.random = Uniforms.from_iterable([numbers()]).__next__
        for _ in range(4):
            sim.process(worker())
        sim.run()
        found.append([sim.events, sim.time, log])
    assert found[0] == found[1]
    assert len(refused) > 20
    assert set(refused) == {LOOKED_AT}
