"""What was read of a process in one simulation serves others, as far as all is in them as it was read."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any
from weakref import ref

import pytest
from bodies.reads import MODELS, read_anew
from random_bodies import load, simulation, taken

import eventide as ev
from eventide.migration import bodies, row_migration
from eventide.migration.learned import Learned
from eventide.rows import loading

Told = list[Any]
PAUSE = 0.5
STEPS = [0.5, 0.25]


@pytest.fixture(autouse=True)
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions whose bodies are read, where nothing is known at first."""
    return read_anew(monkeypatch)


class Room(ev.Continuous):
    temperature: ev.State = ev.state(18.0)
    heating: float = 0.0

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0)


class Desk:
    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.served = 0

    def next_pause(self) -> float:
        return self.pause

    def step(self) -> int:
        return 1


class Worker(ev.Process):
    desk: Desk
    told: Told

    def run(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(self.desk.next_pause() + PAUSE)
            self.desk.served += self.desk.step()
            self.told.append((self.sim.time, self.desk.served, "served"))


def control(sim: ev.Simulation, room: Room, told: Told) -> ev.ProcessGenerator:
    while True:
        room.heating = 4.0
        yield ev.until(lambda: room.temperature >= 22.0)
        told.append((sim.time, "off"))
        room.heating = 0.0
        yield ev.hold(0.25)
        yield ev.until(lambda: room.temperature <= 18.0)


def visit(sim: ev.Simulation, desk: ev.Resource, told: Told, pause: float) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(pause)
    told.append(sim.time)


def arrive(sim: ev.Simulation, desk: ev.Resource, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        sim.process(visit(sim, desk, told, 0.75))


def draw(sim: ev.Simulation, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(sim.stream("pauses").exponential(STEPS[int(sim.time) % 2]))
        told.append((sim.time, sim.stream("sizes").random()))


def rooms(sim: ev.Simulation, told: Told) -> None:
    sim.process(control(sim, Room(sim).start(), told))


def workers(sim: ev.Simulation, told: Told, pause: float = 0.25) -> None:
    Worker(sim, desk=Desk(pause), told=told).activate()


def draws(sim: ev.Simulation, told: Told) -> None:
    sim.process(draw(sim, told))


def draws_others(sim: ev.Simulation, told: Told) -> None:
    named = sim.stream
    vars(sim)["stream"] = lambda name: named(name[::-1])
    sim.process(draw(sim, told))


def visits(sim: ev.Simulation, told: Told) -> None:
    sim.process(arrive(sim, ev.Resource(sim, 2), told))


def refused(sim: ev.Simulation, told: Told) -> None:
    def look() -> ev.ProcessGenerator:
        for k in iter(range(9)):
            yield ev.hold(4.25)
            told.append((sim.time, k))

    workers(sim, told)
    sim.process(look())


def outcome(make: Callable[[ev.Simulation, Told], object], compiles: Any = "auto") -> tuple[Told, int]:
    """What a model tells, and how many of its events were those of rows."""
    sim, told = simulation(compiles), []
    make(sim, told)
    sim.run(until=40.0)
    return [*told, sim.time, sim.events], taken(sim)


@pytest.mark.parametrize(
    ("make", "functions"), [(rooms, ["control"]), (workers, ["run"]), (visits, ["visit", "arrive"]), (draws, ["draw"])]
)
def test_a_body_is_read_once_for_several_simulations(
    make: Callable[[ev.Simulation, Told], None], functions: list[str], reads: list[str]
) -> None:
    plain = outcome(make, False)[0]
    for _ in range(3):
        told, rows = outcome(make)
        assert told == plain
        assert rows > 20
    assert reads == functions


def test_a_function_with_a_call_that_was_made_partial_is_read_once(reads: list[str]) -> None:
    def make(sim: ev.Simulation, told: Told) -> None:
        def rounds() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.37)
                told.append((sim.time, round(sim.time, 1)))

        sim.process(rounds())

    plain = outcome(make, False)[0]
    for _ in range(3):
        assert outcome(make)[0] == plain
    assert reads == ["rounds"]


def test_streams_of_a_simulation_that_gives_others_are_those(reads: list[str]) -> None:
    outcome(draws)
    assert outcome(draws_others)[0] == outcome(draws_others, False)[0] != outcome(draws, False)[0]
    assert reads[0] == "draw"


def _other_constant(monkeypatch: pytest.MonkeyPatch) -> Callable[[ev.Simulation, Told], None]:
    monkeypatch.setitem(globals(), "PAUSE", 0.75)
    return workers


def _other_method(monkeypatch: pytest.MonkeyPatch) -> Callable[[ev.Simulation, Told], None]:
    monkeypatch.setattr(Desk, "next_pause", lambda self: 2.0 * self.pause)
    return workers


def _method_of_its_own(_: pytest.MonkeyPatch) -> Callable[[ev.Simulation, Told], None]:
    def make(sim: ev.Simulation, told: Told) -> None:
        worker = Worker(sim, desk=Desk(0.25), told=told)
        vars(worker.desk)["next_pause"] = lambda: 1.5
        worker.activate()

    return make


def _other_type(_: pytest.MonkeyPatch) -> Callable[[ev.Simulation, Told], None]:
    return lambda sim, told: workers(sim, told, 1)


def _other_class(_: pytest.MonkeyPatch) -> Callable[[ev.Simulation, Told], None]:
    class Slow(Desk):
        def next_pause(self) -> float:
            return 3.0 * self.pause

    def make(sim: ev.Simulation, told: Told) -> None:
        Worker(sim, desk=Slow(0.25), told=told).activate()

    return make


CHANGES = [_other_constant, _other_method, _method_of_its_own, _other_type, _other_class]


@pytest.mark.parametrize("change", CHANGES, ids=[change.__name__[1:] for change in CHANGES])
def test_what_has_changed_between_two_simulations_is_noticed(
    change: Callable[[pytest.MonkeyPatch], Callable[[ev.Simulation, Told], None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = outcome(workers)[0]
    make = change(monkeypatch)
    plain = outcome(make, False)[0]
    assert plain != before
    told, rows = outcome(make)
    assert told == plain
    assert rows > 20 or change is _method_of_its_own


def test_the_priority_of_waits_may_be_another_one(reads: list[str]) -> None:
    def make(sim: ev.Simulation, told: Told) -> None:
        sim.until_priority = 2.0
        rooms(sim, told)

    outcome(rooms)
    assert outcome(make)[0] == outcome(make, False)[0]
    assert reads == ["control", "control"]


def _stepping(_: Desk) -> int:
    steps = 0
    while steps < 1:
        steps += 1
    return steps


def test_a_statement_that_was_left_to_python_may_be_native_in_another_simulation(
    monkeypatch: pytest.MonkeyPatch, reads: list[str]
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Desk, "step", _stepping)
        told, rows = outcome(workers)
    again, more = outcome(workers)
    assert again == told
    assert more > rows
    assert reads == ["run", "run"]


def fetch(sim: ev.Simulation, shelf: ev.Store, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.5)
        yield shelf.put(sim.time)
        yield shelf.get()
        told.append((sim.time, shelf.level.value))


def choose(sim: ev.Simulation, desks: list[ev.Resource], told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(0.25)
        with min(desks, key=lambda desk: desk.in_use.value).request() as place:
            yield place
            yield ev.hold(0.75)
            desk = place.resource
        told.append((sim.time, desk))


def test_what_a_store_has_in_another_simulation_decides_what_is_native_there() -> None:
    many = (1,) * 200, ("word",) * 200
    for items, is_native in ((many[0], False), ((0.5, 0.25), True), ((), True), (many[1], False), ((1.5,), True)):
        told: dict[object, Told] = {}
        for compiles in ("auto", False):
            sim, told[compiles] = simulation(compiles), []
            sim.process(fetch(sim, ev.Store(sim, items=items), told[compiles]))
            sim.run(until=40.0)
            if compiles:
                assert sim._migration is not None
                assert (not sim._migration.exits) == is_native
                assert taken(sim) > 10
        assert told["auto"] == told[False]


def test_a_choice_is_among_the_resources_of_its_simulation() -> None:
    for number in (2, 3, 2, 1):

        def make(sim: ev.Simulation, told: Told, number: int = number) -> None:
            desks = [ev.Resource(sim, name=f"desk {k}") for k in range(number)]
            for _ in range(3):
                sim.process(choose(sim, desks, told))

        found = []
        for compiles in ("auto", False):
            told, rows = outcome(make, compiles)
            found.append([(entry[0], entry[1].name) if isinstance(entry, tuple) else entry for entry in told])
            assert rows > 20 or not compiles
        assert found[0] == found[1]


def test_entries_of_one_simulation_are_not_those_of_another_that_runs_within() -> None:
    def make(sim: ev.Simulation, told: Told) -> None:
        def look() -> ev.ProcessGenerator:
            yield ev.hold(20.1)
            told.append(outcome(workers)[0])

        workers(sim, told)
        sim.process(look())

    outcome(workers)
    assert outcome(make)[0] == outcome(make, False)[0]


@pytest.mark.parametrize("make", [rooms, workers, visits, draws, refused])
def test_what_is_kept_keeps_no_simulation(make: Callable[[ev.Simulation, Told], None]) -> None:
    sim, told = simulation("auto"), []
    make(sim, told)
    sim.run(until=40.0)
    assert taken(sim) > 20
    known = ref(sim)
    del sim
    gc.collect()
    assert known() is None


@pytest.mark.slow
def test_processes_of_which_bodies_are_kept_become_rows_after_fewer_events(monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[int] = []

    def make_kinds(migration: Any, found: Any) -> None:
        went.append(migration.world.events)
        make_kinds_of(migration, found)

    def run(until: float = 1600.0) -> None:
        sim = simulation("auto")
        workers(sim, [])
        sim.run(until=until)

    monkeypatch.undo()
    known, make_kinds_of = Learned(), row_migration.RowMigration._make_kinds
    monkeypatch.setattr(bodies, "learned", lambda: known)
    monkeypatch.setattr(loading, "_PAST", loading._Past(is_loaded=True))
    monkeypatch.setattr(row_migration.RowMigration, "_make_kinds", make_kinds)
    for until in (1600.0, 1600.0, 800.0, 800.0):  # 1,100 events are too few to go early
        run(until)
    monkeypatch.setattr(bodies, "learned", Learned)
    run()
    assert went == [2048, 512, 512, 2048]


class Pond(ev.Continuous):
    depth: ev.State = ev.state(0.0)
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.depth = self.inflow


def tide(pond: Pond, high: float) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: pond.depth >= high)
        pond.inflow = -1.0
        yield ev.until(lambda: pond.depth <= 0.0)
        pond.inflow = 1.0


@pytest.mark.slow
def test_beside_flows_processes_are_rows_after_few_events_unless_that_has_not_paid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(count: int, until: float) -> int:
        sim = simulation("auto")
        for k in range(count):
            sim.process(tide(Pond(sim).start(), 1.0 + k / 64))
        sim.run(until=until)
        return sim.events - taken(sim)

    monkeypatch.undo()
    known = Learned()
    monkeypatch.setattr(bodies, "learned", lambda: known)
    monkeypatch.setattr(loading, "_PAST", loading._Past(is_loaded=True))
    assert [run(1, until) for until in (1000.0, 1000.0, 100.0, 100.0, 1000.0, 1000.0)] == [512, 32, 32, 100, 512, 32]
    # Two each, as it has paid; of 63 fewer than half wait by guards that are kept then, as each waits for two things.
    assert [run(count, 70.0) for count in (10, 63)] == [32, 256]


@pytest.mark.slow
def test_many_short_runs_pay_for_what_one_long_run_would(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(tide: Callable[[Pond, float], ev.ProcessGenerator]) -> int:
        sim = simulation("auto")
        sim.process(tide(Pond(sim).start(), 1.0))
        sim.run(until=400.0)
        return sim.events - taken(sim)

    def tide_of(inflow: float) -> Callable[[Pond, float], ev.ProcessGenerator]:
        class Gate:
            flow = inflow

        def ebb(pond: Pond, high: float) -> ev.ProcessGenerator:
            gate = Gate()
            while True:
                yield ev.until(lambda: pond.depth >= high)
                pond.inflow = -1.0
                yield ev.until(lambda: pond.depth <= 0.0)
                pond.inflow = gate.flow

        return ebb

    monkeypatch.undo()
    known = Learned()
    monkeypatch.setattr(bodies, "learned", lambda: known)
    monkeypatch.setattr(loading, "_PAST", loading._Past())
    enough = (loading.LOADING + loading.KERNEL) // (4 * 400)
    assert [run(tide) for _ in range(enough + 1)] == [400] * (enough + 1)
    assert [run(tide) for _ in range(3)] == [32, 32, 32]
    loading.note(loading.LOADING + loading.KERNEL)  # what each simulation makes anew is read early once
    assert [run(tide_of(1.0)) for _ in range(3)] == [32, 400, 400]


def test_threads_share_what_is_kept() -> None:
    plain, found = outcome(workers, False)[0], []
    threads = [Thread(target=lambda: found.append(outcome(workers)[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [plain] * 4


def repeat(name: str, seed: int, folder: Path, reads: list[str]) -> int:
    """Run a random model three times, with other events each time; how many of its bodies were not read again."""
    program, run = MODELS[name]
    module = load(program(seed), folder, f"{name}{seed}")
    before = len(reads)
    counts = []
    for k in range(3):
        expected = run(simulation(False), module, seed + k)
        assert run(simulation("auto"), module, seed + k) == expected, (seed, k)
        counts.append(len(reads))
    return counts[0] - before - (counts[2] - counts[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_random_models_leave_the_same_in_each_simulation(name: str, tmp_path: Path, reads: list[str]) -> None:
    assert sum(repeat(name, seed, tmp_path, reads) for seed in range(6)) > 6
