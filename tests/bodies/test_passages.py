"""Processes that go through other generator functions by `yield from` leave the same as rows as in Python."""

from __future__ import annotations

import traceback
from pathlib import Path
from random import Random
from types import GeneratorType
from typing import Any

import pytest
import random_interrupts
import random_queues
from random_bodies import hurry, load, made, simulation, taken

import eventide as ev
from eventide.reading.generators import chain_of


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(of: Any, seed: int, mode: tuple[int, int], folder: Path, *, native: bool = False) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(of.program_through(seed, *mode), folder, f"passages{seed}")
    expected = of.outcome(simulation(False), module, seed, *mode)
    sim = simulation("auto", native=native)
    assert of.outcome(sim, module, seed, *mode) == expected, seed
    return taken(sim)


MODES = {"alone": (0, 0), "looked at": (6, 3), "meddled with": (13, 10)}
KINDS = {"queues": random_queues, "interrupts": random_interrupts}
SEEDS = {"queues": (3, 14), "interrupts": (14, 28)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_rows_that_run_as_python_leave_the_same(kind: str, mode: tuple[int, int], tmp_path: Path) -> None:
    assert sum(compare(KINDS[kind], seed, mode, tmp_path) for seed in SEEDS[kind]) > 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_rows_leave_the_same_in_many_models(kind: str, mode: tuple[int, int], tmp_path: Path) -> None:
    assert sum(compare(KINDS[kind], seed, mode, tmp_path) for seed in range(40, 52)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_native_rows_leave_the_same(kind: str, mode: tuple[int, int], tmp_path: Path) -> None:
    seed = {"queues": 4, "interrupts": 7}[kind]
    assert compare(KINDS[kind], seed, mode, tmp_path, native=True) > 20


class Shop:
    """Two desks, of which another can take the place of one, and what has been done there."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.desk, self.spare, self.share = ev.Resource(sim, 2, name="desk"), ev.Resource(sim, name="spare"), 0.75
        self.visits = 0

    def visit(self, sim: ev.Simulation, length: float, *, times: int = 1) -> ev.ProcessGenerator[float]:
        begun = sim.time
        for k in range(times):
            self.visits += 1
            yield from self.desk.use(length * self.share + k)
        return sim.time - begun


def later(sim: ev.Simulation, desk: ev.Resource, length: float) -> ev.ProcessGenerator:
    yield ev.hold(0.5)
    yield from desk.use(length)


def customer(sim: ev.Simulation, shop: Shop, rng: Random, seen: list[float]) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(rng.expovariate(1.0))
        length = yield from shop.visit(sim, rng.expovariate(2.0), times=2)
        seen.append(length)
        yield from later(sim, shop.desk, 0.25)


def both(run: Any) -> tuple[Any, ev.Simulation]:
    """What a model leaves, the same in Python and in rows."""
    expected = run(simulation(False))
    sim = simulation("auto")
    assert repr(run(sim)) == repr(expected)
    return expected, sim


def open_shop(sim: ev.Simulation, count: int = 6) -> tuple[Shop, list[ev.Process], list[float]]:
    shop, rng, seen = Shop(sim), Random(3), list[float]()
    return shop, [sim.process(customer(sim, shop, rng, seen)) for _ in range(count)], seen


def frames_of(process: ev.Process) -> list[Any]:
    """The frames of its generators, the innermost last."""
    return [] if process._generator is None else [one.gi_frame for one in chain_of(process._generator)]


def standing(process: ev.Process) -> list[Any]:
    """Where a process stands, and with which variables."""
    frames = frames_of(process)
    values = [{**frame.f_locals} for frame in frames]
    shown = [[one.get(name) for name in ("length", "times", "k", "begun", "duration", "left")] for one in values]
    lines = [(frame.f_code.co_name, frame.f_lineno) for frame in frames]
    return [[process.why_waiting(), lines, [sorted(one.keys() - {".entry", ".given"}) for one in values]], *shown]


def desk_of(process: ev.Process) -> str:
    """The name of the desk that a process uses, "" for none."""
    seen = frames_of(process)[-1].f_locals
    return getattr(seen.get("self", seen.get("desk")), "name", "")


@pytest.mark.slow
def test_who_comes_home_stands_in_the_functions_that_it_goes_through() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shop, processes, seen = open_shop(sim)
        log: list[Any] = []
        for k in range(30):
            sim.run(until=4.0 * k + 0.25)
            for process in processes:
                log += standing(process)
        return [log, seen, shop.visits, list(shop.desk.waits.values)]

    expected, sim = both(run)
    depths = [len(entry[1]) for entry in expected[0] if len(entry) == 3]
    assert [depths.count(depth) for depth in (1, 3)] == [44, 118]
    assert taken(sim) > 100


def test_an_interrupt_amid_a_use_gives_the_unit_back_and_reaches_the_handler_around_it() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, rng, log = ev.Resource(sim, 2), Random(4), list[Any]()

        def patient(number: int) -> ev.ProcessGenerator:
            for k in range(8):
                try:
                    yield from desk.use(rng.expovariate(1.0), number % 2)
                    log.append((number, k, sim.time))
                    yield ev.hold(0.5)
                except ev.Interrupt as cut:
                    log.append((number, cut.cause, cut.left, desk.available, sim.time))

        processes = [sim.process(patient(k)) for k in range(6)]
        for step in range(14):
            sim.run(until=1.0 * step + 0.5)
            who = processes[step % 6]
            if not who.terminated:
                who.interrupt(step)
        sim.run()
        return [log, desk.counts, list(desk.waits.values), sim.events]

    expected, sim = both(run)
    assert len([entry for entry in expected[0] if len(entry) == 5]) == 13
    assert taken(sim) > 10


def plainly(sim: ev.Simulation, desk: ev.Resource, length: float) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(length)


def told(cut: ev.Interrupt) -> list[Any]:
    """Where an interrupt was raised."""
    frames = traceback.extract_tb(cut.__traceback__)
    return [cut.cause, cut.left, *((frame.name, frame.lineno, frame.colno) for frame in frames)]


def test_an_interrupt_that_a_function_does_not_handle_reaches_the_handler_around_it() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, rng, log = ev.Resource(sim, 2), Random(4), list[Any]()

        def patient(number: int) -> ev.ProcessGenerator:
            while True:
                try:
                    yield from plainly(sim, desk, rng.expovariate(1.0))
                except ev.Interrupt as cut:
                    yield ev.hold(0.25)
                    log.append((number, desk.available, *told(cut)))

        def breaker(victim: ev.Process) -> ev.ProcessGenerator:
            for step in range(30):
                yield ev.hold(1.0)
                victim.interrupt(step)

        processes = [sim.process(patient(k)) for k in range(4)]
        sim.process(breaker(processes[0]))
        sim.run(until=40.0)
        return [log, desk.counts, list(desk.waits.values), sim.events]

    expected, sim = both(run)
    assert len(expected[0]) == 30
    assert taken(sim) > 10


def exchange(sim: ev.Simulation, shop: Shop, processes: list[ev.Process], desks: list[str]) -> ev.ProcessGenerator:
    for _ in iter(range(20)):
        yield ev.hold(3.0)
        shop.desk, shop.spare = shop.spare, shop.desk
        desks += [desk_of(process) for process in processes]


@pytest.mark.slow
def test_the_object_with_which_a_function_was_called_stays_that_object() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shop, processes, seen = open_shop(sim)
        desks = []
        for k in range(20):
            sim.run(until=1.5 * k)
            shop.desk, shop.spare = shop.spare, shop.desk
            shop.share = 1.25 - shop.share
            desks += [desk_of(process) for process in processes]
        sim.process(exchange(sim, shop, processes, desks))
        sim.run(until=90.0)
        return [desks, seen, sim.events, shop.desk.counts, shop.spare.counts]

    expected, sim = both(run)
    assert [expected[0].count(name) for name in ("desk", "spare")] == [60, 134]
    assert taken(sim) > 20


def served(sim: ev.Simulation, desk: ev.Resource, n: int, told: list[Any]) -> ev.ProcessGenerator:
    if n % 5 == 0:
        word = f"turn {n}"
    if n % 3 > 0:
        rest = 0.25 * n
        yield ev.hold(0.5)
    yield ev.hold(0.5)
    yield from desk.use(0.5)
    if n % 5 == 0:
        told.append(word)
    if n % 7 == 0:
        try:
            told.append(rest)
        except UnboundLocalError:
            told.append("no rest")


def client(sim: ev.Simulation, desk: ev.Resource, told: list[Any]) -> ev.ProcessGenerator:
    for n in range(30):
        yield from served(sim, desk, n, told)


def variables_of(process: ev.Process) -> list[Any]:
    """Those of the functions that it goes through."""
    frames = frames_of(process)
    return [sorted((name, repr(frame.f_locals.get(name))) for name in ("word", "rest", "n")) for frame in frames]


def test_what_native_code_does_not_know_of_a_function_is_kept() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, told = ev.Resource(sim, 2), list[Any]()
        processes = [sim.process(client(sim, desk, told)) for _ in range(3)]
        log = []
        for k in range(20):
            sim.run(until=3.25 * k)
            log += [variables_of(process) for process in processes]
        return [log, told, sim.events]

    expected, sim = both(run)
    assert len(expected[1]) == 33
    assert taken(sim) > 20


class Guest(ev.Process):
    """Is made in a row, and goes through its own methods."""

    shop: Any
    size: float = 1.0

    def served(self, bonus: float) -> ev.ProcessGenerator[float]:
        yield from self.shop.desk.use(self.size * 0.5, bonus)
        return self.sim.time + bonus

    def run(self) -> ev.ProcessGenerator:
        left = yield from self.served(1.0)
        left = yield from self.served(0.1 * left)
        self.shop.spare_times.append(left)


def test_methods_of_objects_that_are_made_in_rows_are_gone_through() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shop, rng = Shop(sim), Random(5)
        vars(shop)["spare_times"] = times = list[float]()

        def arrivals() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(rng.expovariate(2.0))
                Guest(sim, shop=shop, size=rng.uniform(0.5, 1.5)).activate()

        sim.process(arrivals())
        log = []
        for k in range(5):
            sim.run(until=10.0 * k + 5.0)
            log += [(process.name, process.why_waiting()) for process in sim.processes]
        return [log, times, shop.desk.counts, sim.events]

    expected, sim = both(run)
    assert len(expected[1]) > 70
    assert made(sim) > 50


def test_a_function_in_the_middle_of_which_somebody_has_its_generator_stays_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        _, processes, seen = open_shop(sim)
        sim.run(until=10.0)
        inner = [chain_of(process._generator)[-1] for process in processes]
        sim.run(until=11.0)
        lines = [one.gi_frame and one.gi_frame.f_lineno for one in inner if type(one) is GeneratorType]
        sim.run(until=30.0)
        return [lines, seen, sim.events]

    _, sim = both(run)
    assert taken(sim) > 20


def recursive(sim: ev.Simulation, desk: ev.Resource, depth: int) -> ev.ProcessGenerator:
    yield from desk.use(0.25)
    if depth > 0:
        yield from recursive(sim, desk, depth - 1)


def other_desk(sim: ev.Simulation, desk: Any) -> ev.ProcessGenerator:
    desk = desk or None
    yield from desk.use(0.25)


def sharing(sim: ev.Simulation, length: float) -> ev.ProcessGenerator[object]:
    length *= 1.0
    yield ev.hold(length)
    return lambda: length


def sometimes(sim: ev.Simulation, length: float) -> ev.ProcessGenerator[float | str]:
    yield ev.hold(0.5)
    return length if length > 1.0 else "short"


def visitor(sim: ev.Simulation, desk: ev.Resource, seen: list[Any]) -> ev.ProcessGenerator:
    generator = None
    for k in range(8):
        yield from recursive(sim, desk, 2)
        yield from other_desk(sim, desk)
        yield from sharing(sim, 0.25)
        length = yield from sometimes(sim, k * 0.5)
        seen.append(length)
        generator = desk.use(0.25)
        yield from generator
        yield ev.hold(0.25)
        yield ev.hold(0.25)
        yield ev.hold(0.25)
        yield ev.hold(0.25)


def test_what_cannot_be_gone_through_is_left_to_python_and_told() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, seen = ev.Resource(sim), list[Any]()
        for _ in range(2):
            sim.process(visitor(sim, desk, seen))
        sim.run()
        return [seen, list(desk.waits.values), sim.events]

    _, sim = both(run)
    assert taken(sim) > 10
    text = str(sim.explain())
    for why in (
        "a function that goes through itself is left to Python",
        "an argument that is an object gets another value in the function that it goes through",
        "others may see the variables of the function that it goes through",
        "what the function that it goes through returns is left to Python",
        "only calls of generator functions are gone through by native code",
    ):
        assert why in text, why
    assert "resource.py" not in text
