"""Jobs that go through desks by routes, chosen by a number or a word, while somebody in Python changes these."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from bodies.holders import both, numbers_of
from random_bodies import hurry, taken

import eventide as ev

Route = list[tuple[ev.Resource, float]]
WORKS = (1.0, 0.5, 2.0, 0.25)
LISTS: list[Route] = []
NAMED: dict[str, Route] = {}
DESKS: list[ev.Resource] = []


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Visitor(ev.Process):
    desk: ev.Resource
    service: float

    def run(self) -> ev.ProcessGenerator:
        with self.desk.request() as place:
            yield place
            yield ev.hold(self.service)


class Shop:
    """What has the routes: a model's own object, or the module."""

    def __init__(self, lists: list[Route], named: dict[str, Route], desks: list[ev.Resource]) -> None:
        self.lists, self.named, self.desks = lists, named, desks


def walk(sim: ev.Simulation, route: Route, number: int, log: list[Any], rng: Random) -> ev.ProcessGenerator:
    for desk, work in route:
        with desk.request() as place:
            yield place
            yield ev.hold(work * rng.random())
        log.append((sim.time, number, work))


def visit(
    sim: ev.Simulation, desk: ev.Resource, other: ev.Resource, number: int, log: list[Any]
) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield ev.hold(0.7)
    with other.request() as place:
        yield place
        yield ev.hold(0.2)
    log.append((sim.time, number))


def of_module(sim: ev.Simulation, _: Shop, log: list[Any], rng: Random) -> dict[str, Any]:
    """Sources of jobs whose routes the module has."""

    def by_word(kind: str) -> ev.ProcessGenerator:
        for step, (desk, work) in enumerate(NAMED[kind]):
            with desk.request() as place:
                yield place
                yield ev.hold(work * rng.random())
            log.append((sim.time, step, work))

    def by_number() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(walk(sim, LISTS[number % 3], number, log, rng))

    def by_words() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            word = "a"
            if number % 3 == 0:
                word = "b"
            sim.process(by_word(word))

    def by_desk() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(visit(sim, DESKS[number % 4], DESKS[(number + 1) % 2], number, log))

    return {"number": by_number, "word": by_words, "desk": by_desk}


def of_cells(sim: ev.Simulation, shop: Shop, log: list[Any], rng: Random) -> dict[str, Any]:
    """Those of jobs whose routes are variables of a function around them."""
    lists, named, desks = shop.lists, shop.named, shop.desks
    first = desks[0]

    def by_number() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            step = number
            for desk, _ in lists[int(3 * rng.random())]:
                step += 1
                child = sim.process(visit(sim, desk, first, step, log))
                yield child

    def by_words() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            route = named["a" if number % 3 == 0 else "c"]
            sim.process(walk(sim, route, number, log, rng))

    def by_desk() -> ev.ProcessGenerator:
        for _ in range(120):
            yield ev.hold(rng.expovariate(0.5))
            desk = min(desks, key=lambda one: one.queue.value)
            Visitor(sim, desk=desk, service=rng.random()).activate()

    return {"number": by_number, "word": by_words, "desk": by_desk}


def of_object(sim: ev.Simulation, shop: Shop, log: list[Any], rng: Random) -> dict[str, Any]:
    """Those of jobs whose routes an object has."""

    def by_number() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            route = shop.lists[number % 3]
            yield sim.process(walk(sim, route, number, log, rng))

    def by_word(kind: str) -> ev.ProcessGenerator:
        for desk, work in shop.named[kind]:
            yield from desk.use(work * rng.random())
            log.append((sim.time, work))

    def by_words() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            if number % 3:
                sim.process(by_word("b"))
            else:
                sim.process(by_word("c"))

    def by_desk() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(visit(sim, shop.desks[rng.randrange(4)], shop.desks[1], number, log), name=f"visit {number}")

    return {"number": by_number, "word": by_words, "desk": by_desk}


def changer(shop: Shop, every: float, rng: Random) -> ev.ProcessGenerator:
    """Routes become others, or other objects with the same steps, while jobs are on them."""
    while True:
        yield ev.hold(every)
        new = [(rng.choice(shop.desks), rng.choice(WORKS)) for _ in range(rng.randrange(1, 5))]
        which = rng.randrange(8)
        if which == 0:
            shop.lists[rng.randrange(3)] = new
        elif which == 1:
            shop.named[rng.choice("abc")] = new
        elif which == 2:
            shop.lists[rng.randrange(3)][:] = new
        elif which == 3:
            shop.named[rng.choice("abc")][:] = new
        elif which == 4:
            shop.lists.reverse()
        elif which == 5:
            shop.named["d"] = new
        elif which == 6:
            shop.desks[rng.randrange(4)] = shop.desks[rng.randrange(4)]
        elif shop.lists is not LISTS:
            shop.named, shop.lists = {**shop.named}, [*shop.lists]


def jobs(sim: ev.Simulation, where: Any, how: str, every: float, stops: tuple[float, ...], seed: int) -> list[Any]:
    log, desks = list[Any](), [ev.Resource(sim, 1 + k % 2, name=f"desk {k}") for k in range(4)]
    first: Route = [*zip(desks, WORKS, strict=True)]
    lists, named = [first, first[::-1], first[1:3] + first[:1]], {"a": first, "b": first[::-1], "c": first[1:3]}
    shop = Shop(lists, named, [*desks])
    if where is of_module:
        LISTS[:], DESKS[:] = lists, desks
        NAMED.clear()
        NAMED.update(named)
        shop = Shop(LISTS, NAMED, DESKS)
    sim.process(where(sim, shop, log, Random(seed))[how]())
    if every:
        sim.process(changer(shop, every, Random(seed + 1)))
    for until in stops:
        sim.run(until=until)
        log.append(numbers_of(sim))
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in desks], sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["number", "word", "desk"])
@pytest.mark.parametrize("where", [of_module, of_cells, of_object])
def test_jobs_with_routes_are_native_and_go_by_what_the_routes_are(where: Any, how: str, native: bool) -> None:
    for seed, stops in enumerate([(250.0,), (31.0, 100.5, 101.0, 250.0)]):
        for every in (0.0, 3.7, 37.0):
            _, sim = both(lambda sim, at=stops, e=every, s=seed: jobs(sim, where, how, e, at, s), native=native)  # type: ignore[misc]
            assert sim._migration is not None
            assert taken(sim) > (0.02 if every else 0.9) * sim.events
            if not every:
                assert sim._migration.exits == {}


@pytest.mark.slow
@pytest.mark.parametrize("where", [of_module, of_cells, of_object])
def test_random_changes_of_routes(where: Any) -> None:
    for seed in range(2, 8):
        for how in ("number", "word", "desk"):
            every, stops = 2.0 + 5.0 * seed, (50.0 + seed, 250.0)
            _, sim = both(lambda sim, s=seed, w=how, e=every, at=stops: jobs(sim, where, w, e, at, s))  # type: ignore[misc]
            assert taken(sim) > 0


def test_a_desk_that_stands_in_two_places_makes_one_process() -> None:
    """Of several places that have the chosen desk the first counts: each made a process."""

    def run(sim: ev.Simulation) -> list[Any]:
        one, other, log = ev.Resource(sim), ev.Resource(sim), list[Any]()
        desks = [one, other, one, one]

        def source() -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(2.0)
                sim.process(visit(sim, desks[number % 4], desks[1], number, log))

        sim.process(source())
        sim.run()
        return [log, sim.events]

    found, sim = both(run)
    assert len(found[0]) == 60
    assert taken(sim) > 100


def at_once(sim: ev.Simulation, seed: int, stops: tuple[float, ...], every: float) -> list[Any]:
    """Processes go through desks and works at once, of which somebody changes these, those and their lists."""
    desks, log, rng = [ev.Resource(sim, name=f"desk {k}") for k in range(3)], list[Any](), Random(seed)
    shop, chance = (
        SimpleNamespace(desks=[*desks], works=[1, 0.5, 0.25, 2.0], steps=[("a", 0.25), ("b", 1)]),
        Random(seed + 1),
    )
    names = ("first", "second", "third", "fourth")

    def visitor(number: int) -> ev.ProcessGenerator:
        for desk, work, name in zip(shop.desks, shop.works, names):  # noqa: B905  # the shorter ends it
            try:
                with desk.request() as place:
                    yield place
                    yield ev.hold(work)
            except ev.Interrupt as cut:
                log.append(("cut", sim.time, cut.left))
            log.append((sim.time, name, work))
        for step, share in shop.steps:
            try:
                yield ev.hold(share)
            except ev.Interrupt as cut:
                log.append(("cut", step, cut.left))
            log.append((number, step, share))

    def source() -> ev.ProcessGenerator:
        for number in range(90):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(visitor(number))

    def changer() -> ev.ProcessGenerator:
        for step in iter(range(60)):
            yield ev.hold(every)
            which, alive = chance.randrange(6), [one for one in sim.processes if one.name[0] == "v"]
            if which == 0:
                shop.works.append(0.75) if len(shop.works) < 4 else shop.works.pop()
            elif which == 1:
                shop.works[chance.randrange(2)] = chance.choice(WORKS)
            elif which == 2:
                shop.desks[chance.randrange(3)] = chance.choice(desks)
            elif which == 3:
                shop.works, shop.desks = shop.works[::-1], [*shop.desks]
                shop.steps[step % 2] = f"step {step}", chance.choice(WORKS)
            elif which == 4 and alive:
                alive[step % len(alive)].interrupt(step)
            elif alive:
                log.append(alive[-1].why_waiting().rpartition("/")[2])

    sim.process(source())
    if every:
        sim.process(changer())
    for until in stops:
        sim.run(until=until)
        log.append([sorted(one.items()) for one in numbers_of(sim)])
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in desks], sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_loop_goes_through_several_lists_at_once(native: bool) -> None:
    for seed in range(3):
        for stops in ((250.0,), (11.0, 33.3, 34.0, 101.5, 250.0)):
            for every in (0.0, 3.7, 23.0):
                _, sim = both(lambda sim, at=stops, s=seed, e=every: at_once(sim, s, at, e), native=native)  # type: ignore[misc]
                assert taken(sim) > (0.05 if every else 0.6) * sim.events


def used(sim: ev.Simulation, seed: int, stops: tuple[float, ...], *, preempts: bool) -> list[Any]:
    """Processes use desks one after the other, somebody cuts their work."""
    kind = ev.PreemptiveResource if preempts else ev.Resource
    desks, log, rng = [kind(sim, name=f"desk {k}") for k in range(3)], list[Any](), Random(seed)

    def visitor(number: int) -> ev.ProcessGenerator:
        for desk in desks:
            try:
                yield from desk.use(2.0 * rng.random(), float(number % 4), resume=number % 2 == 0)
            except ev.Interrupt as cut:
                log.append(("cut", sim.time, cut.left))
        log.append((sim.time, number))

    def source() -> ev.ProcessGenerator:
        for number in range(120):
            yield ev.hold(rng.expovariate(0.7))
            sim.process(visitor(number))

    def cutter() -> ev.ProcessGenerator:
        for step in iter(range(40)):
            yield ev.hold(3.3)
            alive = [one for one in sim.processes if one.name[0] == "v"]
            if alive and seed % 2:
                alive[step % len(alive)].interrupt(step)
            elif alive:
                log.append(alive[-1].why_waiting().rpartition("/")[2])

    sim.process(source())
    sim.process(cutter())
    for until in stops:
        sim.run(until=until)
        log.append(numbers_of(sim))
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in desks], sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("preempts", [False, True])
def test_the_method_of_a_desk_that_was_chosen_is_gone_through(preempts: bool, native: bool) -> None:
    for seed in range(3):
        for stops in ((300.0,), (11.0, 33.3, 34.0, 101.5, 300.0)):
            _, sim = both(lambda sim, at=stops, s=seed: used(sim, s, at, preempts=preempts), native=native)  # type: ignore[misc]
            assert taken(sim) > 0.3 * sim.events
