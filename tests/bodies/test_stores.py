"""Processes that put items into stores and get them as native code leave the same as in Python, at any cut.

Random programs of stores are those of `test_containers.py`.
"""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import random_transfers
from bodies.holders import both
from random_bodies import hurry, taken

import eventide as ev
from eventide.discrete.resources.away_inventories import can_go
from eventide.migration.crossing.branches import gets


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Part:
    """Something without a value of its own."""


def moving(sim: ev.Simulation, store: ev.Store, stops: tuple[float, ...]) -> list[Any]:
    """Producers and consumers at a store of items of the type that it has, until each of some times."""
    rng, log = Random(3), []
    known = store.items[0]
    kind = type(known).__name__

    def producer(rank: int) -> ev.ProcessGenerator:
        count = 0
        while True:
            yield ev.hold(rng.expovariate(1.2))
            count += 1
            if kind == "float":
                yield store.put(sim.time)
            elif kind == "int":
                yield store.put(count, rank)
            elif kind == "bool":
                yield store.put(count % 3 == 0, priority=rank)
            else:
                yield store.put(known)

    def consumer(number: int) -> ev.ProcessGenerator:
        while True:
            item = yield store.get(priority=number % 2)
            log.append((number, item, sim.time, len(store.items), store.level.value, store.capacity))
            yield ev.hold(rng.uniform(0.2, 1.5))

    for number in range(3):
        sim.process(producer(number))
        sim.process(consumer(number))
    for until in stops:
        sim.run(until=until)
        log.append([(p.name, p.why_waiting().rpartition("/")[2]) for p in sim.processes])
        log.append(random_transfers.kept_by(store))
    return [log, sim.events, repr(store), rng.random()]


ITEMS = {"floats": 0.5, "whole numbers": 7, "Booleans": True, "words": "word", "nothing": None}


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("capacity", [2, float("inf")])
@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_who_puts_items_into_a_store_and_gets_them_is_native_as_a_whole(
    item: object, capacity: float, native: bool
) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        return moving(sim, ev.Store(sim, capacity, [item], name="shelf"), (5.0, 12.5, 30.0))

    _, sim = both(run, native=native)
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    assert not sim._migration.exits


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_objects_go_round_in_rows_and_stay_the_same(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        parts = [Part() for _ in range(4)]
        here, there, log = ev.Store(sim, items=parts), ev.Store(sim, 2, [None]), list[Any]()
        drawn = sim.stream("drawn")

        def mover(source: ev.Store, target: ev.Store) -> ev.ProcessGenerator:
            while True:
                part = yield source.get()
                yield ev.hold(drawn.exponential(1.0))
                if part is None:
                    log.append((sim.time, "nothing"))
                else:
                    log.append((sim.time, part))
                yield target.put(part)

        for one, other in ((here, there), (there, here), (here, there), (there, here)):
            sim.process(mover(one, other))
        del one, other
        for until in (8.0, 30.0):
            sim.run(until=until)
            held = [process._generator.gi_frame.f_locals.get("part") for process in sim.processes]  # type: ignore[attr-defined]
            log.append((until, [*here.items, *there.items, *held]))
        told = {id(part): f"part {number}" for number, part in enumerate(parts)}
        found = [(time, [told.get(id(p), p) for p in (what if type(what) is list else [what])]) for time, what in log]
        return [found, random_transfers.kept_by(here)[1:], sim.events, drawn.random()]

    found, sim = both(run, native=native)
    assert {name for _, names in found[0] for name in names} >= {"part 0", "part 1", "part 2", "part 3", "nothing"}
    assert taken(sim) > 0.8 * sim.events


class Place:
    """A part of a line: the first makes what the others hand on."""

    def __init__(self, sim: ev.Simulation, source: ev.Store | None, sink: ev.Store, log: list[Any]) -> None:
        self.sim, self.source, self.sink, self.log = sim, source, sink, log

    def run(self) -> ev.ProcessGenerator:
        work = self.sim.stream("work")
        while True:
            part = (yield self.source.get()) if self.source is not None else object()
            duration = work.uniform(0.5, 1.5)
            yield ev.hold(duration)
            self.log.append((self.sim.time, part is None))
            yield self.sink.put(part)
            None if duration < 1.0 else (yield ev.hold(0.25))


def as_they_come(parts: list[Any]) -> list[int]:
    """The same numbers for the same objects."""
    known: dict[int, int] = {}
    return [known.setdefault(id(part), len(known)) for part in parts]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_plain_objects_made_in_rows_are_objects_where_they_are_looked_at_and_stay_the_same(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log, seen, kept = list[Any](), list[Any](), list[Any]()
        stores = [ev.Store(sim, room, [None]) for room in (2, 3, float("inf"))]
        for source, sink in zip((None, *stores[:2]), stores, strict=True):
            sim.process(Place(sim, source, sink, log).run())

        def looker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(7.0)
                seen.append([*stores[0].items, *stores[1].items, *stores[2].items])

        def taker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(6.5)
                kept.append((yield stores[2].get()) if stores[2].level.value > 0 else None)

        sim.process(looker())
        sim.process(taker())
        for until in (20.0, 33.3, 60.0):
            sim.run(until=until)
            held = [process._generator.gi_frame.f_locals.get("part") for process in sim.processes]  # type: ignore[attr-defined]
            seen.append([*stores[1].items, *held])
        every = [part for parts in (*seen, kept) for part in parts]
        return [log, as_they_come(every), [type(part).__name__ for part in every], sim.events]

    found, sim = both(run, native=native)
    assert len(found[1]) > 150
    assert {*found[2]} == {"object", "NoneType"}
    assert taken(sim) > 0.7 * sim.events


def test_a_plain_object_that_a_list_gets_is_made_by_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, kept = ev.Store(sim, items=[None]), list[Any]()

        def user() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                part = object()
                yield ev.hold(0.5)
                kept.append(part)
                yield shelf.put(part)

        sim.process(user())
        sim.run(until=20.5)
        return [as_they_come([*kept, *shelf.items]), [type(part).__name__ for part in kept]]

    found, sim = both(run)
    assert found[0] == [*range(20), 20, *range(20)]
    assert taken(sim) > 5


class Job:
    """What is handed on, with numbers of its own."""

    late = False

    def __init__(self, number: int) -> None:
        self.number, self.work, self.begun = number, 0.25 + number % 3, -1.0


class Curious(Job):
    """One that looks at a process when it is looked at."""

    seen: list[str]
    other: ev.Process

    def __getattribute__(self, name: str) -> Any:
        if name == "work":
            Curious.seen.append(Curious.other.why_waiting())
        return super().__getattribute__(name)


class Visitor(ev.Process):
    """A process that is handed on."""

    work: float
    number: int
    begun: float = -1.0
    late: bool = False

    def run(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(self.work)


def handing_on(sim: ev.Simulation, items: list[Any]) -> list[Any]:
    """Items go round between two stores."""
    log = list[Any]()
    here, there = ev.Store(sim, items=items), ev.Store(sim, items=[items[0]])

    def mover(source: ev.Store, target: ev.Store) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        while True:
            job = yield source.get()
            job.begun = sim.time
            yield ev.hold(job.work * 0.5)
            job.number, job.late = job.number + 1, sim.time - job.begun > 0.6
            log.append((sim.time, job.number, job.work))
            yield target.put(job)

    for one, other in ((here, there), (there, here), (here, there)):
        Curious.other = sim.process(mover(one, other))
    for until in (20.0, 33.3, 60.0):
        sim.run(until=until)
        log.append([(job.number, job.begun, job.late) for job in (*here.items, *there.items)])
    return [log, sim.events]


KINDS: dict[str, tuple[Any, float]] = {
    "of one class": (lambda sim: [Job(k) for k in range(5)], 0.9),
    "of two": (lambda sim: [*[Job(k) for k in range(5)], *[Curious(k) for k in range(5)]], 0.0),
    "processes": (lambda sim: [Visitor(sim, work=0.3 + 0.2 * k, number=k).activate() for k in range(3)], 0.1),
}


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("items", "share"), KINDS.values(), ids=KINDS)
def test_numbers_of_objects_that_a_variable_holds_in_turn_are_native(items: Any, share: float, native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        Curious.seen = []
        return [handing_on(sim, items(sim)), Curious.seen]

    _, sim = both(run, native=native)
    assert taken(sim) >= share * sim.events


def test_a_wait_that_a_test_with_a_draw_chooses_is_left_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, shelf, log = Random(3), ev.Store(sim, items=[1, 2, 3]), list[Any]()

        def user() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                item = (yield shelf.get()) if rng.random() < 0.5 else 7
                log.append((sim.time, item))
                yield shelf.put(item)

        sim.process(user())
        sim.process(user())
        sim.run(until=30.0)
        return [log, rng.random()]

    _, sim = both(run)
    assert "a test that draws, before a wait in its own statement, is left to Python" in str(sim.explain())


def test_an_object_that_only_a_row_has_lives_on() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, log = ev.Store(sim, items=[[n] for n in range(58)]), list[Any]()

        def giver(item: object) -> ev.ProcessGenerator:
            yield ev.hold(15.25)
            yield shelf.put(item)

        def taker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.25)
                item = yield shelf.get()
                if item is None:
                    log.append(sim.time)

        for n in range(3):
            sim.process(giver([f"of its own {n}"]))
        last = sim.process(taker())
        for until in (6.0, 12.0, 15.3, 17.0):
            sim.run(until=until)
            log.append(repr((shelf.items, last._generator.gi_frame.f_locals.get("item"))))
        return log

    found, sim = both(run)
    assert "['of its own 2']" in found[-1]
    assert taken(sim) > 0.6 * sim.events


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_put", [False, True], ids=["get", "put"])
def test_who_is_called_away_once_an_item_is_kept_for_it_leaves_it_to_others(is_put: bool, native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, log = ev.Store(sim, 3, [1, 2, 3] if is_put else [1]), list[Any]()

        def taker(number: int) -> ev.ProcessGenerator:
            item = 0
            while True:
                try:
                    if is_put:
                        yield shelf.put(number)
                    else:
                        item = yield shelf.get()
                    log.append((sim.time, item))
                except ev.Interrupt:
                    yield ev.hold(0.25)

        def giver(other: ev.Process) -> ev.ProcessGenerator:
            item = 0
            for turn in range(60):
                yield ev.hold(1.0)
                if is_put:
                    item = yield shelf.get()
                else:
                    yield shelf.put(100 + turn)
                if turn % 3:
                    other.interrupt(turn)
            log.append(item)

        sim.process(giver(sim.process(taker(0))))
        sim.process(taker(1))
        sim.run(until=70.0)
        return [log, random_transfers.kept_by(shelf), sim.events]

    found, sim = both(run, native=native)
    assert len(found[0]) > 30
    assert taken(sim) > 0.8 * sim.events


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_gives_up_at_a_store_is_native(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, drawn, log = ev.Store(sim, 2, [0.5]), sim.stream("drawn"), list[Any]()

        def caller(number: int) -> ev.ProcessGenerator:
            for _ in range(40):
                yield ev.hold(drawn.exponential(1.0))
                outcome = yield ev.first_of(got=shelf.get(), patience=ev.hold(0.5))
                log.append((number, outcome.name == "got", sim.time))
                if number % 2:
                    yield ev.first_of(late=0.25, back=shelf.put(sim.time))

        for number in range(6):
            sim.process(caller(number))
        for until in (3.0, 7.5, 20.0):
            sim.run(until=until)
            log.append([(p.name, p.why_waiting()) for p in sim.processes])
        return [log, random_transfers.kept_by(shelf), sim.events, drawn.random()]

    found, sim = both(run, native=native)
    assert {entry[1] for entry in found[0] if len(entry) == 3} == {True, False}
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    assert not sim._migration.exits


def test_an_argument_becomes_an_item_beside_numbers() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, log = ev.Store(sim, items=["a", "b"]), list[Any]()

        def visitor(item: str, begun: int) -> ev.ProcessGenerator:
            yield ev.hold(0.5 * begun)
            item = yield shelf.get()
            yield shelf.put(item)
            log.append((item, begun, sim.time))

        def door() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                sim.process(visitor("none", int(sim.time)))

        sim.process(door())
        sim.run(until=30.0)
        return log

    found, sim = both(run)
    assert len(found) > 15
    assert found[:3] == [("a", 1, 1.5), ("b", 2, 3.0), ("a", 3, 4.5)]
    assert taken(sim) > 0.5 * sim.events


def test_to_look_at_a_store_returns_no_process_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, seen = ev.Store(sim, 5, [0.5]), list[Any]()

        def looker() -> ev.ProcessGenerator:
            for step in iter(range(20)):
                yield ev.hold(1.0)
                seen.append((shelf.items, shelf.level.mean, shelf.gets.queue.mean, shelf.stays.mean, shelf.capacity))
                if step % 5 == 4:
                    sim.reset_statistics()

        sim.process(looker())
        return [moving(sim, shelf, (20.0,))[0][:-2], seen]

    found, sim = both(run)
    assert len(found[1]) == 19
    assert sim._migration is not None
    assert not sim._migration.exits
    assert taken(sim) > 0.7 * sim.events


def test_what_rows_cannot_have_of_a_store_is_left_to_python_and_named() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, ranked = ev.Store(sim, items=[1, 2, 3]), ev.Store(sim, items=[3, 2, 1], key=lambda item: item)
        log = list[Any]()

        def user() -> ev.ProcessGenerator:
            for turn in range(25):
                yield ev.hold(0.5)
                got = yield shelf.get()
                yield shelf.put(got + 1)
                least = yield ranked.get()
                yield ranked.put(least + 5 * (turn % 2))
                log.append(least)
                if turn == 20:
                    yield shelf.put(0.5)
                    log.append((yield shelf.get(lambda item: item != 0.5)))

        sim.process(user())
        sim.process(user())
        sim.run(until=40.0)
        return [log, random_transfers.kept_by(shelf)]

    _, sim = both(run)
    text = str(sim.explain())
    assert "`0.5`: a store whose items have been of type int is left to Python" in text
    assert "a store of such items, or a key, is left to Python" in text
    assert taken(sim) > 0


@pytest.mark.slow
def test_there_is_room_for_whatever_becomes_of_all_that_wait_at_a_store() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, seen = ev.Store(sim, items=[7]), list[Any]()

        def taker() -> ev.ProcessGenerator:
            for _ in range(4):
                item = yield shelf.get()
                yield ev.hold(0.5 + item % 3)

        def truck() -> ev.ProcessGenerator:
            for turn in range(8):
                yield ev.hold(1.0)
                for number in range(300):
                    yield shelf.put(number + turn)
                seen.append(shelf.level.value)

        for _ in range(500):
            sim.process(taker())
        sim.process(truck())
        sim.run()
        return [seen, random_transfers.kept_by(shelf), sim.events]

    _, sim = both(run)
    assert taken(sim) > 3000


def test_an_item_that_is_kept_for_a_get_takes_its_place_meanwhile() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, log = ev.Store(sim, 1, [0]), list[Any]()

        def taker() -> ev.ProcessGenerator:
            while True:
                item = yield shelf.get()
                log.append((sim.time, item))

        def giver(number: int) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                yield shelf.put(number)
                log.append((sim.time, -number))

        sim.process(taker())
        for number in (1, 2):
            sim.process(giver(number))
        sim.run(until=30.5)
        return log

    found, sim = both(run)
    assert found[-4:] == [(30.0, -1), (30.0, 1), (30.0, -2), (30.0, 2)]
    assert taken(sim) > 0.5 * sim.events


def test_a_store_stays_in_python_while_a_get_with_a_filter_waits_there() -> None:
    sim = ev.Simulation()
    shelf, got = ev.Store(sim, items=[1]), list[Any]()

    def taker() -> ev.ProcessGenerator:
        got.append((yield shelf.get(lambda item: item > 5)))

    def giver() -> ev.ProcessGenerator:
        yield shelf.put(7)

    sim.process(taker())
    sim.run(until=1.0)
    assert not can_go(shelf)
    sim.process(giver())
    sim.run(until=2.0)
    assert (got, can_go(shelf)) == ([7], True)


def test_a_row_begins_where_an_item_comes_from_the_store_that_it_knows_and_nowhere_else() -> None:
    sim = ev.Simulation()
    shelf, other = ev.Store(sim), ev.Store(sim)

    def taker(store: ev.Store) -> ev.ProcessGenerator:
        yield store.get()

    one, two = sim.process(taker(shelf)), sim.process(taker(other))
    sim.run(until=1.0)
    reading = SimpleNamespace(points=[SimpleNamespace(got=("place",))])
    body: Any = SimpleNamespace(reading=reading, layout=SimpleNamespace(places={"place": 0}))
    row_start: Any = SimpleNamespace(at=0, stations=[shelf])
    assert [gets(body, row_start, wait) for wait in (one._wait, two._wait, None)] == [True, False, False]


class Same:
    """What is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


@pytest.mark.parametrize("part", [Same(), np.array([1.0, 2.0])], ids=["equal to all", "array"])
def test_an_object_that_is_equal_to_a_method_is_not_taken_for_it(part: object) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        shelf, log, got = ev.Store(sim), [], []

        def story() -> ev.ProcessGenerator:
            for number in range(30):
                yield ev.hold(0.5)
                log.append((number, number + 1))
                yield shelf.put(part)
                found = yield shelf.get()
                got.append(found)

        sim.process(story())
        sim.run()
        return [log, [one is part for one in got]]

    found, sim = both(run)
    assert found[1] == [True] * 30
    assert taken(sim) > 20
