"""What is drawn from a few resources, lists and tuples, and what is unpacked: `kind, mean = rng.choice(KINDS)`."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bodies.holders import both, numbers_of
from random_bodies import hurry, taken

import eventide as ev

KINDS: list[tuple[Any, ...]] = []
WEIGHTS: list[float] = []
SHARES: list[float] = []
FIRST = [("a", 0.5, 1), ("b", 1, 2), ("another", 0.25, 3)]


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Shop:
    def __init__(self, desks: list[ev.Resource]) -> None:
        self.desks = desks
        self.route = [(desks[0], 1), (desks[1], 0.5), (desks[2], 0.25)]
        self.since = (("x", None), ("y", 0.5), ("z", 2.5))


def models(sim: ev.Simulation, shop: Shop, rng: Random, log: list[Any]) -> dict[str, Any]:
    desks, counts = shop.desks, {"a": 0, "b": 0, "another": 0}

    def words(number: int) -> ev.ProcessGenerator:
        kind, mean, weight = rng.choice(KINDS)
        yield ev.hold(mean * rng.random())
        counts[kind] += weight
        log.append((sim.time, kind, mean, weight))

    def visit(desk: ev.Resource, work: float) -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            yield ev.hold(work)

    def resources(number: int) -> ev.ProcessGenerator:
        desk, work = shop.route[number % 3]
        yield sim.process(visit(desk, work))
        other = rng.choice(desks)
        with other.request() as place:
            yield place
            yield ev.hold(0.25)
        yield from rng.choice(shop.desks).use(0.125)
        log.append((sim.time, work))

    def others(number: int) -> ev.ProcessGenerator:
        word, since = shop.since[int(3 * rng.random())]
        yield ev.hold(0.25)
        if since is not None and word != "y":
            yield ev.hold(since)
        [kind, mean, weight] = KINDS[number % 3]
        log.append((word, since, kind, mean, weight))
        kind, mean, weight = sim.stream("kinds").choice(KINDS)
        yield ev.hold(weight)

    def weighted(number: int) -> ev.ProcessGenerator:
        kind = rng.choices(["a", "b", "another"], [5, 3, 2])[0]
        counts[kind] += 1
        pause = rng.choices((0.5, 1.5, 0.25), weights=WEIGHTS)[0]
        yield ev.hold(pause)
        word, mean, _ = rng.choices(KINDS, weights=SHARES, k=1)[0]
        yield ev.hold(mean)
        yield from rng.choices(population=desks)[0].use(0.25)
        place = rng.choices([1, 2, 3], WEIGHTS)[0]
        if place == 2:
            log.append((sim.time, kind, word))

    return {"weighted": weighted, "words": words, "resources": resources, "others": others}


def run(sim: ev.Simulation, how: str, stops: tuple[float, ...], every: float, seed: int) -> list[Any]:
    rng, log = Random(seed), list[Any]()
    desks = [ev.Resource(sim, name=f"desk {k}") for k in range(3)]
    shop, chance = Shop([*desks]), Random(seed + 1)
    KINDS[:], WEIGHTS[:], SHARES[:] = FIRST, [1, 0.5, 2], [3, 2, 1]
    story = models(sim, shop, rng, log)[how]

    def source() -> ev.ProcessGenerator:
        for number in range(90):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(story(number))

    def changer() -> ev.ProcessGenerator:
        for step in iter(range(60)):
            yield ev.hold(every)
            which = chance.randrange(8)
            if which == 0:
                KINDS[chance.randrange(3)] = chance.choice(FIRST)
            elif which == 1:
                shop.route[chance.randrange(3)] = chance.choice(desks), chance.choice([2, 0.5])
            elif which == 2:
                shop.desks[chance.randrange(3)] = chance.choice(desks)
            elif which == 3:
                shop.route = shop.route[::-1]
            elif which == 4:
                shop.since = shop.since[1:] + shop.since[:1]
            elif which == 5:
                WEIGHTS[chance.randrange(3)] = chance.choice([0.0, 2, 1.25, 10.0])
            elif which == 6:
                SHARES[:] = chance.choice([[1, 2, 3], [0.5, 0.25, 0.5], [1, 0, 0]])
            else:
                KINDS.append(chance.choice(FIRST)) if len(KINDS) < 5 else KINDS.pop()
            alive = [one for one in sim.processes if one.name[0] not in "sc"]
            if alive:
                log.append(alive[step % len(alive)].why_waiting().rpartition("/")[2])

    sim.process(source())
    if every:
        sim.process(changer())
    for until in stops:
        while sim.time < until:
            try:
                sim.run(until=until)
            except ValueError as error:
                log.append((sim.time, repr(error)))
        log.append([sorted(one.items()) for one in numbers_of(sim)])
    return [log, [(one.waits.count, one.waits.mean, one.queue.mean) for one in desks], rng.random(), sim.events]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("how", ["words", "resources", "others", "weighted"])
def test_what_was_drawn_is_unpacked(how: str, native: bool) -> None:
    for seed, stops in enumerate([(250.0,), (31.0, 50.5, 70.0, 101.0, 101.0, 250.0)]):
        for every in (0.0, 4.3, 21.0):
            _, sim = both(lambda sim, at=stops, e=every, s=seed: run(sim, how, at, e, s), native=native)  # type: ignore[misc]
            assert sim._migration is not None
            assert taken(sim) > (0.02 if every else 0.8) * sim.events
            if not every:
                assert sim._migration.exits == {}


def test_weights_that_are_all_zero_are_an_error_of_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, weights, log = Random(1), [1.0, 2.0], list[Any]()

        def drawer() -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(0.5)
                if number % 20 == 19:
                    weights[0] = 0.0
                    weights[1] = 0.0
                try:
                    drawn = rng.choices(["d", "e"], weights)[0]
                    yield ev.hold(0.25 if drawn == "d" else 0.5)
                except ValueError as error:
                    log.append((sim.time, repr(error)))
                weights[0] = 0.5

        sim.process(drawer())
        sim.run()
        return [log, rng.random(), sim.time, sim.events]

    found, sim = both(run)
    assert len(found[0]) == 3
    assert taken(sim) > 80


def kind_of(rng: Random, kinds: list[str]) -> str:
    return rng.choices(kinds, [1, 2, 3])[0]


def test_a_function_draws_with_weights_from_the_generator_that_it_is_given() -> None:
    """Its argument is called like a variable of the process."""

    def run(sim: ev.Simulation) -> list[Any]:
        rng, other, kinds, log = Random(1), Random(2), ["a", "b", "c"], list[Any]()

        def drawer() -> ev.ProcessGenerator:
            for _ in range(60):
                yield ev.hold(0.5)
                kind = kind_of(other, kinds)
                log.append(kind)
                yield ev.hold(rng.random())

        sim.process(drawer())
        sim.run()
        return [log, rng.random(), other.random(), sim.events]

    _, sim = both(run)
    assert taken(sim) > 40


def test_choices_that_were_exchanged_before_all_else_are_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    def others(self: Random, *_: object) -> list[float]:
        return [2.5, self.random()]

    def run(sim: ev.Simulation) -> list[Any]:
        rng, log = Random(1), list[float]()

        def drawer() -> ev.ProcessGenerator:
            for _ in range(60):
                yield ev.hold(0.5)
                drawn = rng.choices([1.0, 2.0], [3, 4])[0]
                log.append(drawn)

        sim.process(drawer())
        sim.run()
        return [log, rng.random(), sim.events]

    monkeypatch.setattr(Random, "choices", others)
    assert both(run)[0][0] == [2.5] * 60
