"""When the native code of rows is loaded: after many events of one run, or of several."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable, Iterator
from types import FunctionType

import pytest
import random_bodies

import eventide as ev
from eventide.migration import row_migration
from eventide.migration.bodies import Bodies
from eventide.migration.learned import REST, learned
from eventide.rows import loading
from eventide.rows.interface import PLAIN


def machine(sim: ev.Simulation) -> ev.ProcessGenerator[None]:
    for _ in range(20_000):
        yield ev.hold(1.0)


@pytest.fixture(autouse=True)
def past(monkeypatch: pytest.MonkeyPatch) -> loading._Past:
    """Nothing has been loaded, there have been no events, and no processes rest."""
    past = loading._Past()
    monkeypatch.setattr(learned(), "_rests", {})
    monkeypatch.setattr(loading, "_PAST", past)
    return past


class Kept:
    """Native rows that run as Python, of which some code is kept on disk."""

    def __init__(self, *kept: str, is_loaded: bool = False) -> None:
        self.kept, self.is_loaded, self.engine = kept, is_loaded, PLAIN

    @property
    def is_kept(self) -> bool:
        return "engine" in self.kept

    def is_kernel_kept(self, text: str) -> bool:
        return any(f"def body_{name}(" in text for name in self.kept)

    def kernel(self, make: Callable[[], FunctionType], _: str) -> FunctionType:
        return make()


def first_native_event(native: Kept, *made: Callable[[ev.Simulation], ev.ProcessGenerator[None]]) -> int:
    """How many events take place in Python before the first in a row."""
    sim = ev.Simulation()
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, lambda: native)  # type: ignore[arg-type]  # what is asked of it is there
    for make in made:
        sim.process(make(sim))
    sim.run()
    assert sim._migration is not None
    return sim.events - sim._migration.taken


def test_prices_are_paid_by_events_once() -> None:
    loading.note(loading.LOADING - 1)
    loading.note(0)
    assert (loading.may_pay(), loading.missing(loading.LOADING)) == (False, 1)
    loading.note(1)
    assert (loading.may_pay(), loading.pay(loading.LOADING, is_all=False)) == (True, 0)
    assert loading.pay(loading.LOADING + 5, is_all=True) == 5
    loading.note(7)
    assert loading.pay(loading.LOADING + 5, is_all=True) == 0
    assert (loading.may_pay(), loading.missing(10)) == (True, 8)


def customer(sim: ev.Simulation) -> ev.ProcessGenerator[None]:
    server = ev.Resource(sim)
    for _ in range(20_000):
        with server.request() as unit:
            yield unit
            yield ev.hold(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "price"),
    [
        pytest.param(["engine", "machine", "customer"], loading.LOADING, id="all is kept"),
        pytest.param(["engine", "customer"], loading.LOADING + loading.KERNEL, id="but a kernel"),
        pytest.param(
            ["engine", "machine"], loading.LOADING + loading.KERNEL + loading.RESOURCES, id="but one with a resource"
        ),
        pytest.param(["machine", "customer"], loading.LOADING + loading.ENGINE, id="but the engine"),
    ],
)
def test_processes_go_away_when_what_they_need_is_paid_for(
    kept: list[str], price: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "PATIENCE", 0.05)
    spent = first_native_event(Kept(*kept), machine, customer)
    assert price * 0.05 <= spent < price * 0.05 + 2 * row_migration.ENOUGH


def test_where_it_is_loaded_they_go_away_at_the_first_look(past: loading._Past) -> None:
    past.is_loaded = True
    assert first_native_event(Kept("machine", is_loaded=True), machine) < 2_048 + 1_024


def short(_: ev.Simulation) -> ev.ProcessGenerator[None]:
    yield ev.hold(0.25)


def arrivals(sim: ev.Simulation) -> ev.ProcessGenerator[None]:
    for _ in range(2_000):
        yield ev.hold(1.0)
        sim.process(short(sim))


def test_where_a_process_is_about_to_begin_at_a_look_the_next_comes_soon(past: loading._Past) -> None:
    past.is_loaded = True
    assert first_native_event(Kept("engine", "arrivals", "short", is_loaded=True), arrivals) == 2_048 + 2_048 // 16


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.level = 1.0


def filled(sim: ev.Simulation) -> ev.ProcessGenerator[None]:
    Tank(sim).start()
    return machine(sim)


@pytest.mark.slow
def test_beside_flows_an_event_in_python_counts_for_several(
    past: loading._Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    past.is_loaded = True
    assert first_native_event(Kept("machine", is_loaded=True), filled) == 512
    past.is_loaded = False
    assert first_native_event(Kept("engine", "machine"), filled) < loading.LOADING / 4 + 2_048
    loading._PAST.is_loaded, loading._PAST.events = False, 0
    monkeypatch.setattr(loading, "PATIENCE", 0.25)
    spent = first_native_event(Kept("engine"), filled)
    assert spent < 0.25 * (loading.LOADING + loading.KERNEL) / 4 + 2 * 2_048


def test_before_anything_may_pay_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_migration, "RowMigration", None)
    sim = ev.Simulation()
    sim.process(machine(sim))
    sim.run()
    assert sim.events == 20_001


def test_the_events_of_all_runs_count_once(past: loading._Past, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "may_pay", lambda: True)
    monkeypatch.setattr(row_migration.RowMigration, "_pays_to_load", lambda *_: False)
    for runs in (1, 2):
        sim = ev.Simulation()
        sim.process(machine(sim))
        sim.run(until=10_000.5)
        sim.run()
        assert runs * sim.events - runs * row_migration.ENOUGH < past.events <= runs * sim.events


class Counted(list[object]):
    """An event list that counts how often somebody goes through it."""

    looks = 0

    def __iter__(self) -> Iterator[object]:
        self.looks += 1
        return super().__iter__()


def test_many_processes_are_not_gone_through_before_their_events_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PATIENCE", 0)
    sim = ev.Simulation()
    for _ in range(2_000):
        sim.process(1.0 for _ in range(10))
    heap = sim._calendar.heap = Counted(sim._calendar.heap)
    sim.run()
    assert (sim.events, sim._calendar.heap is heap) == (22_000, True)
    assert heap.looks <= 2 + 5  # each time that there have been twice as many events, and not each time at all


def test_notices_of_holds_that_were_cut_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def patient() -> ev.ProcessGenerator:
        k = 0
        while k < 2_500:
            try:
                yield ev.hold(1e6 + k)
            except ev.Interrupt:
                k += 1

    def cutter(other: ev.Process) -> ev.ProcessGenerator:
        for _ in range(2_000):
            yield ev.hold(1.0)
            other.interrupt()

    monkeypatch.setattr(loading, "PATIENCE", 0)
    sim = ev.Simulation()
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    sim.process(cutter(sim.process(patient())))
    sim.run(until=5_000.5)
    assert sim._migration is not None
    assert sim._migration.taken > 0.3 * sim.events


@pytest.mark.slow
def test_no_pass_of_the_collector_falls_amid_the_going_away_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[tuple[str, bool]] = []

    def note(phase: str, _: object) -> None:
        passes.append((phase, any(frame.name == "made_of" for frame in traceback.extract_stack())))

    monkeypatch.setattr(loading, "PATIENCE", 0)
    sim = ev.Simulation()
    vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    for _ in range(300):
        sim.process(machine(sim))
    gc.callbacks.append(note)
    try:
        sim.run(until=60.0)
    finally:
        gc.callbacks.remove(note)
    assert sim._migration is not None
    assert sim._migration.taken > 0
    assert (any(is_amid for _, is_amid in passes), gc.isenabled()) == (False, True)


def clerk(told: list[float]) -> ev.ProcessGenerator[None]:
    """One that stays Python, with a fifth of the events."""
    while True:
        yield ev.hold(1.0)
        told[:] = sorted({*told[-9:], -told[-1]})


@pytest.mark.slow
@pytest.mark.parametrize("has_flow", [False, True])
def test_rows_stay_beside_a_process_in_python_while_that_pays(past: loading._Past, has_flow: bool) -> None:
    past.is_loaded = True
    sim = random_bodies.simulation("auto")
    if has_flow:
        Tank(sim).start()
    for _ in range(4):
        sim.process(machine(sim))
    sim.process(clerk([1.0]))
    sim.run(until=2000.0)
    share = random_bodies.taken(sim) / sim.events
    assert share > 0.7 if has_flow else share < 0.7


def user(desk: ev.Resource, pause: float) -> ev.ProcessGenerator[None]:
    while True:
        yield ev.hold(pause)
        with desk.request() as place:
            yield place
            yield ev.hold(0.7)


def plan(desk: ev.Resource) -> ev.ProcessGenerator[None]:
    """One that stays Python, and returns all to Python when it changes their resource."""
    for staff in [1, 2] * 3:
        yield ev.hold(240.1)
        desk.set_capacity(staff)


@pytest.mark.slow
def test_processes_that_return_for_one_event_go_again_soon(past: loading._Past) -> None:
    past.is_loaded = True
    told = []
    for compiles in ("auto", False):
        sim = random_bodies.simulation(compiles)
        desk = ev.Resource(sim, 2)
        for pause in (0.3, 0.41, 0.77):
            sim.process(user(desk, pause))
        sim.process(plan(desk))
        sim.run(until=1600.0)
        told.append((sim.events, desk.waits.mean, desk.in_use.mean))
        assert compiles is False or random_bodies.taken(sim) > 0.2 * sim.events
    assert told[0] == told[1]


def unlucky(told: list[float], often: int) -> ev.ProcessGenerator[None]:
    """One that needs Python once in so many events."""
    while True:
        for _ in range(often):
            yield ev.hold(0.5)
        told[:] = sorted({*told[-9:], -told[-1]})


@pytest.mark.parametrize(("often", "until"), [(2, 400.0), (50, 2000.0)])
def test_processes_that_returned_too_often_rest_in_further_simulations(
    often: int, until: float, past: loading._Past
) -> None:
    past.is_loaded = True
    known, taken, sim = learned(), [], ev.Simulation()
    for _ in range(4):
        sim = random_bodies.simulation("auto")
        for _ in range(8):
            sim.process(unlucky([1.0], often))
        sim.run(until=until)
        taken.append(random_bodies.taken(sim))
    assert taken[0] > 0
    assert taken[1:] == [0, 0, 0]
    assert "unlucky: Python, because of" in str(sim.explain())
    assert "its processes have returned to Python too often of late" in str(sim.explain())
    assert known.rests(unlucky.__code__)
    for went in range(1, 4):
        past.seen += 2 * REST**2
        assert not known.rests(unlucky.__code__)
        known.note_return(unlucky.__code__)
        past.seen += 2**went * REST - 1
        assert known.rests(unlucky.__code__)
        past.seen += 1
        assert not known.rests(unlucky.__code__)


def talker(told: list[str], often: int) -> ev.ProcessGenerator[None]:
    """One that calls Python once in so many events."""
    while True:
        for _ in range(often):
            yield ev.hold(0.5)
        told.extend(map(str, told[-1:]))


@pytest.mark.slow
@pytest.mark.parametrize(("often", "least", "most"), [(20, 0.01, 0.2), (200, 0.9, 1.0)])
def test_processes_that_call_python_too_often_return_to_it(
    often: int, least: float, most: float, past: loading._Past
) -> None:
    past.is_loaded = True
    sim, told = random_bodies.simulation("auto"), ["one"]
    for _ in range(8):
        sim.process(talker(told, often))
    sim.run(until=8000.0)
    assert (sim.events, len(told)) == (8 * 16_000, 1 + 8 * (15_999 // often))  # one event begins each
    assert least < random_bodies.taken(sim) / sim.events < most


def test_events_of_runs_that_end_before_the_first_look_count_as_well() -> None:
    for _ in range(3):
        sim = ev.Simulation()
        sim.process(machine(sim))
        sim.run(until=500.5)
    assert loading.seen() == 3 * 501
    ev.Simulation(compile=False).run(until=1.0)
    assert loading.seen() == 3 * 501


def test_processes_go_early_only_if_all_of_them_can(past: loading._Past) -> None:
    """One whose generator somebody holds cannot."""
    past.is_loaded = past.is_kept = True

    def taken_of(until: float, *, is_held: bool) -> int:
        sim, kept = random_bodies.simulation("auto"), list[object]()
        for _ in range(8):
            story = machine(sim)
            kept += [story] if is_held and not kept else []
            sim.process(story)
        del story
        sim.run(until=until)
        return random_bodies.taken(sim)

    assert taken_of(400.0, is_held=False) > 1000  # later, and their bodies are kept
    assert taken_of(150.0, is_held=True) == 0
    assert taken_of(150.0, is_held=False) > 400
    assert taken_of(400.0, is_held=True) > 500


@pytest.mark.slow
def test_many_processes_whose_runs_have_paid_go_after_an_eighth_of_the_events(past: loading._Past) -> None:
    past.is_loaded = past.is_kept = True

    def clock() -> ev.ProcessGenerator[None]:
        for _ in range(20_000):
            yield ev.hold(1.0)

    python = []
    for _ in range(3):
        sim = random_bodies.simulation("auto")
        for _ in range(300):
            sim.process(clock())
        sim.run(until=200.0)
        python.append(sim.events - random_bodies.taken(sim))
    assert python == [16 * 301, 2 * 301, 2 * 301]  # the end of the run is in the event list, too


class Ball(ev.Process, ev.Continuous):
    height: ev.State
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    def run(self) -> ev.ProcessGenerator[None]:
        self.start()
        while True:
            yield ev.until(lambda: self.height <= 0.0 and self.velocity < 0.0)
            self.bounces += 1
            self.velocity *= -1.0


def test_processes_that_start_states_go_early_once_each_of_them_has_waited(past: loading._Past) -> None:
    past.is_loaded = past.is_kept = True
    python = []
    for _ in range(3):
        sim = random_bodies.simulation("auto")
        for k in range(40):  # most wait for the first time when the others have had two events each
            Ball(sim, height=600.0 + k if k % 4 else 1.0).activate()
        sim.run(until=120.0)
        python.append(sim.events - random_bodies.taken(sim))
    assert python == [640, 256, 256]


@pytest.mark.slow
def test_many_processes_of_few_events_each_do_not_go_early_again(past: loading._Past) -> None:
    past.is_loaded = past.is_kept = True

    def brief(holds: int) -> ev.ProcessGenerator[None]:
        for _ in range(holds):
            yield ev.hold(1.0)

    python = []
    for holds in (400, 24, 24):
        sim = random_bodies.simulation("auto")
        for _ in range(300):
            sim.process(brief(holds))
        sim.run()
        python.append(sim.events - random_bodies.taken(sim))
    assert python == [16 * 301, 2 * 301, 16 * 301]


def waiter(store: ev.Store, pause: float) -> ev.ProcessGenerator[None]:
    while True:
        yield ev.hold(pause)
        yield store.put(1)


def asker(store: ev.Store, told: list[float]) -> ev.ProcessGenerator[None]:
    """One that stays Python, and looks at what the others use."""
    for _ in iter([told] * 9000):
        yield ev.hold(0.3)
        told[:] = sorted({*told[-9:], -store.level.mean, float(len(store.items))})


@pytest.mark.slow
def test_processes_that_neighbours_in_python_return_too_often_rest_as_well(past: loading._Past) -> None:
    past.is_loaded = True
    taken = []
    for _ in range(3):
        sim = random_bodies.simulation("auto")
        store = ev.Store(sim, items=[1])
        for pause in (0.7, 0.9, 1.3, 1.5):
            sim.process(waiter(store, pause))
        sim.process(asker(store, [0.5]))
        sim.run(until=1500.0)
        taken.append(random_bodies.taken(sim))
    assert taken[0] > 0
    assert taken[1:] == [0, 0]
