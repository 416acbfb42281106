"""Resources, stores and containers that dictionaries have for words, whole numbers and members of enumerations."""

from __future__ import annotations

import enum
from random import Random
from typing import Any

import pytest
from bodies.holders import both, numbers_of
from random_bodies import hurry, taken

import eventide as ev


class Kind(enum.Enum):
    RED = "red"
    BLUE = "blue"
    GREEN = "green"


KEYS: dict[str, tuple[Any, Any, Any]] = {
    "words": ("a", "another one", "b"),
    "numbers": (3, -1, 700),
    "members": (Kind.RED, Kind.BLUE, Kind.GREEN),
}
DESKS: dict[Any, ev.Resource] = {}
WORK: dict[Any, float] = {}
SHELVES: dict[Any, ev.Store] = {}
TANKS: dict[Any, ev.Container] = {}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Shop:
    """What has the dictionaries: a model's own object, or the module."""

    def __init__(self, desks: dict[Any, ev.Resource], work: dict[Any, float], shelves: dict[Any, ev.Store]) -> None:
        self.desks, self.work, self.shelves = desks, work, shelves


def visit(sim: ev.Simulation, desk: ev.Resource, number: int, log: list[Any]) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(0.7)
    log.append((sim.time, number))


def of_module(sim: ev.Simulation, _: Shop, keys: Any, log: list[Any], rng: Random) -> list[Any]:
    """Sources of jobs of which the module has the dictionaries."""

    def job(kind: Any) -> ev.ProcessGenerator:
        queue = len(DESKS[kind].waiting)
        with DESKS[kind].request() as place:
            yield place
            yield ev.hold(WORK[kind] * rng.random())
        yield SHELVES[kind].put(sim.time)
        log.append((sim.time, queue))

    def source() -> ev.ProcessGenerator:
        for number in range(90):
            yield ev.hold(rng.expovariate(0.8))
            sim.process(job(keys[number % 3]))

    def taker(kind: Any) -> ev.ProcessGenerator:
        for _ in range(90):
            begun = yield SHELVES[kind].get()
            yield ev.hold(0.5 * rng.random())
            log.append((sim.time, begun))

    return [source(), *map(taker, keys)]


def of_cells(sim: ev.Simulation, shop: Shop, keys: Any, log: list[Any], rng: Random) -> list[Any]:
    """Those of jobs whose dictionaries are variables of a function around them."""
    desks, work, shelves = shop.desks, shop.work, shop.shelves
    first, other, last = keys

    def source() -> ev.ProcessGenerator:
        for number in range(90):
            yield ev.hold(rng.expovariate(0.8))
            kind = first if number % 3 == 0 else last
            sim.process(visit(sim, desks[kind], number, log))
            yield from desks[other].use(work[kind] * rng.random())
            yield shelves[kind].put(sim.time)

    def taker(kind: Any) -> ev.ProcessGenerator:
        for _ in range(90):
            outcome = yield ev.first_of(gone=shelves[kind].get(), late=ev.hold(3.0))
            log.append((sim.time, outcome.name))

    return [source(), taker(first), taker(last)]


def of_object(sim: ev.Simulation, shop: Shop, keys: Any, log: list[Any], rng: Random) -> list[Any]:
    """Those of jobs whose dictionaries an object has, or that are given them."""

    def job(desks: dict[Any, ev.Resource], kind: Any, number: int) -> ev.ProcessGenerator:
        with desks[kind].request() as place:
            yield place
            yield ev.hold(shop.work[kind] * rng.random())
        child = sim.process(visit(sim, desks[kind], number, log))
        yield child

    def source() -> ev.ProcessGenerator:
        for number in range(90):
            yield ev.hold(rng.expovariate(0.8))
            sim.process(job(shop.desks, keys[int(3 * rng.random())], number))

    return [source()]


def changer(shop: Shop, keys: Any, every: float, rng: Random) -> ev.ProcessGenerator:
    """Others are found in the dictionaries, or these are others, while jobs wait at what was there."""
    while True:
        yield ev.hold(every)
        which, kind = rng.randrange(6), rng.choice(keys)
        if which == 0:
            shop.desks[kind] = shop.desks[rng.choice(keys)]
        elif which == 1:
            shop.work[kind] = rng.choice([0.5, 1.5])
        elif which == 2:
            shop.shelves[keys[0]], shop.shelves[keys[1]] = shop.shelves[keys[1]], shop.shelves[keys[0]]
        elif which == 3:
            shop.desks[9999 if type(kind) is int else "new"] = shop.desks[kind]
        elif which == 4:
            shop.desks[kind] = shop.desks.pop(kind)
        elif shop.desks is not DESKS:
            shop.desks, shop.work = {**shop.desks}, {**shop.work}


def jobs(sim: ev.Simulation, where: Any, kind: str, every: float, stops: tuple[float, ...], seed: int) -> list[Any]:
    log, keys = list[Any](), KEYS[kind]
    desks = {key: ev.Resource(sim, 1 + k % 2, name=f"desk {k}") for k, key in enumerate(keys)}
    shelves = {key: ev.Store(sim, name=f"shelf {k}") for k, key in enumerate(keys)}
    for one in shelves.values():
        sim.process(put_first(one))
    all_desks = [*desks.values()]
    shop = Shop(desks, dict(zip(keys, (1.0, 0.5, 2.0), strict=True)), shelves)
    if where is of_module:
        for mine, one in ((DESKS, shop.desks), (WORK, shop.work), (SHELVES, shop.shelves)):
            mine.clear()
            mine.update(one)
        shop = Shop(DESKS, WORK, SHELVES)
    assert all(map(sim.process, where(sim, shop, keys, log, Random(seed))))
    if every:
        sim.process(changer(shop, keys, every, Random(seed + 1)))
    for until in stops:
        sim.run(until=until)
        log.append(numbers_of(sim))
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in all_desks], sim.events]


def put_first(shelf: ev.Store) -> ev.ProcessGenerator:
    yield shelf.put(0.25)


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", [*KEYS])
@pytest.mark.parametrize("where", [of_module, of_cells, of_object])
def test_what_a_dictionary_has_for_a_key_is_native(where: Any, kind: str, native: bool) -> None:
    for seed, stops in enumerate([(150.0,), (31.0, 50.5, 51.0, 150.0)]):
        for every in (0.0, 4.3, 23.0):
            _, sim = both(lambda sim, at=stops, e=every, s=seed: jobs(sim, where, kind, e, at, s), native=native)  # type: ignore[misc]
            assert sim._migration is not None
            assert taken(sim) > (0.02 if every else 0.8) * sim.events


def test_a_key_that_a_dictionary_does_not_have_is_an_error_of_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desks, log = {"a": ev.Resource(sim), "b": ev.Resource(sim)}, list[Any]()
        numbered = {1: desks["a"], 2: desks["b"]}

        def job(kind: str, number: int) -> ev.ProcessGenerator:
            try:
                yield from desks[kind].use(0.5)
                yield from numbered[number].use(0.25)
            except KeyError as error:
                log.append((sim.time, repr(error)))

        def source() -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(2.0)
                sim.process(job("a" if number % 7 else "c", number % 4))

        sim.process(source())
        sim.run()
        return [log, sim.events]

    found, sim = both(run)
    assert len(found[0]) > 20
    assert taken(sim) > 50


def test_what_a_dictionary_has_may_be_other_things_in_another_simulation() -> None:
    """A text was left to Python in all simulations that had met a dictionary with other things."""

    def run(sim: ev.Simulation, others: bool) -> list[Any]:
        desks: dict[str, Any] = {"a": ev.Resource(sim), "b": sim if others else ev.Resource(sim)}

        def job() -> ev.ProcessGenerator:
            for _ in range(90):
                yield ev.hold(0.5)
                with desks["a"].request() as place:
                    yield place
                    yield ev.hold(0.5)

        sim.process(job())
        sim.run()
        return [sim.events]

    for others in (True, False):
        _, sim = both(lambda sim, o=others: run(sim, o))  # type: ignore[misc]
    assert taken(sim) > 100


def test_a_dictionary_of_a_module_may_have_a_container_twice() -> None:
    """That ended the run with an error of eventide's."""

    def run(sim: ev.Simulation) -> list[Any]:
        one, other, log = ev.Container(sim, 9.0, 1.0), ev.Container(sim, 9.0, 1.0), list[Any]()
        TANKS.update({"a": one, "b": one, "c": other})

        def user(keys: tuple[str, ...], amount: float) -> ev.ProcessGenerator:
            for number in range(60):
                yield TANKS[keys[number % 3]].put(amount)
                yield ev.hold(0.5)
                yield TANKS[keys[number % 3]].get(amount)
                log.append((sim.time, number))

        for k in range(3):
            sim.process(user(("a", "b", "c"), 0.5 + k))
        sim.run()
        return [log, one.level.mean, other.level.mean, sim.events]

    found, sim = both(run)
    assert len(found[0]) == 180
    assert taken(sim) > 0.7 * sim.events
