"""What rows do with dictionaries, sets, lists and deques is what Python would have done, or Python does it."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from random import Random
from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, simulation, taken

import eventide as ev
from eventide.native import objects

SERVED = {"a": 0}
KINDS = ("a", "b", "c")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Shop:
    """Where customers are counted."""

    def __init__(self) -> None:
        self.counts, self.late, self.waits = {"a": 0, "b": 0.5, "c": True}, set[Any](), defaultdict[Any, Any](list)
        self.line, self.totals, self.levels = deque[Any](), Counter[Any](), [0, 1.5, 2]
        self.outcomes = {"served": 0, "gave_up": 0}


def customer(sim: ev.Simulation, shop: Shop, desk: ev.Resource, rng: Random, number: int) -> ev.ProcessGenerator:
    kind, begin = KINDS[number % 3], sim.time
    shop.counts[kind] += 1
    shop.counts[kind] *= 1.25
    shop.counts["last"] = number
    with desk.request() as place:
        outcome = yield ev.first_of(served=place, gave_up=ev.hold(1.5))
        shop.outcomes[outcome.name] += 1
        if outcome.name == "gave_up":
            shop.late.add((kind, number % 4))
            return
        shop.waits[kind].append((sim.time - begin, number))
        yield ev.hold(rng.expovariate(1.0))
    shop.late.discard((kind, number % 3))
    shop.line.append(number)
    shop.line.appendleft((kind, sim.time))
    shop.totals[number % 5] -= 1
    shop.levels[number % 3] = -0.0
    shop.levels[number % 3] -= 0
    if number % 7 in shop.totals and kind not in SERVED:
        shop.totals["odd"] = shop.totals.get("odd", 0) + len(shop.late) + len(shop.line)
    SERVED["a"] += shop.totals[number % 6]


def arrivals(sim: ev.Simulation, shop: Shop, desk: ev.Resource, rng: Random) -> ev.ProcessGenerator:
    number = 0
    while number < 150:
        yield ev.hold(rng.expovariate(1.2))
        sim.process(customer(sim, shop, desk, rng, number))
        number += 1


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_customers_are_counted_as_in_python(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        shop, rng = Shop(), Random(3)
        SERVED["a"] = 0
        desk = ev.Resource(sim, 1)
        sim.process(arrivals(sim, shop, desk, rng))
        sim.run()
        made = {**vars(shop), "late": sorted(shop.late)}
        return made, SERVED, sim.events, rng.random(), desk.waits.mean

    found, sim = both(run, native=native)
    assert sum(found[0]["outcomes"].values()) == 150
    assert found[0]["outcomes"]["gave_up"] > 20
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    # The first wait of each kind is Python's, as it makes a list.
    assert sum(sim._migration.exits.values()) <= 6


class Loud(dict[Any, Any]):
    """A dictionary that tells what is set."""

    told: list[Any]

    def __setitem__(self, key: object, value: object) -> None:
        self.told.append((key, value))
        super().__setitem__(key, value)


class Key:
    """A key with a way of its own to be compared."""

    def __init__(self, told: list[Any]) -> None:
        self.told = told

    def __hash__(self) -> int:
        self.told.append("hash")
        return 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key)

    def __repr__(self) -> str:
        return "key"


class Last:
    """Tells when it is let go."""

    def __init__(self, told: list[Any], sim: ev.Simulation) -> None:
        self.told, self.sim = told, sim

    def __del__(self) -> None:
        self.told.append(("gone", self.sim.time))


@pytest.mark.parametrize("case", ["class", "key", "value", "missing", "type", "text", "full", "short", "made"])
def test_what_may_run_code_of_the_users_is_pythons(case: str) -> None:
    def counting(sim: ev.Simulation, box: Any, key: Any, told: list[Any]) -> ev.ProcessGenerator:
        for k in range(40):
            yield ev.hold(0.5)
            try:
                box[key] += 1
            except (LookupError, TypeError) as error:
                told.append(repr(error))
            try:
                box[key] = k
            except (LookupError, TypeError) as error:
                told.append(repr(error))
            told.append(sim.time)

    def meddling(sim: ev.Simulation, box: Any, key: Any, told: list[Any]) -> ev.ProcessGenerator:
        yield ev.hold(6.25)
        if case == "value":
            box[key] = Last(told, sim)
        elif case == "missing":
            del box[key]
        elif case == "type":
            box[key] = 2.5
        elif case == "text":
            box[key] = "text"
        elif case == "short":
            box.clear()
        elif case == "made":
            box.default_factory = lambda: told.append(("made", sim.time)) or 7
            del box[key]

    def run(sim: ev.Simulation) -> Any:
        told = list[Any]()
        key: Any = Key(told) if case == "key" else ("a", 1)
        box: Any = {key: 0}
        if case == "class":
            box = Loud(box)
            box.told = told
        elif case == "made":
            box = defaultdict(int, box)
        elif case in ("short", "full"):
            box, key = [0, 1, 2], 1 if case == "short" else 3
        sim.process(counting(sim, box, key, told))
        sim.process(counting(sim, box, key, told))
        sim.process(meddling(sim, box, key, told))
        sim.run()
        return told, [*box.items()] if isinstance(box, dict) else box, sim.events

    found, sim = both(run)
    assert len(found[0]) >= 80
    assert taken(sim) > 20


def test_an_error_is_raised_where_the_process_stands() -> None:
    def process(counts: dict[str, int]) -> ev.ProcessGenerator:
        for k in range(30):
            yield ev.hold(1.0)
            counts[KINDS[k // 20]] += 1

    lines = []
    for compiles in (False, "auto"):
        sim = simulation(compiles)
        sim.process(process({"a": 0}))
        with pytest.raises(KeyError, match="'b'") as caught:
            sim.run()
        frames = [(entry.name, entry.lineno) for entry in caught.traceback if str(entry.path) == __file__]
        lines.append((frames, sim.time, caught.value.__notes__))
    assert lines[0] == lines[1]


def test_a_body_with_containers_serves_another_simulation() -> None:
    def process(counts: dict[str, int]) -> ev.ProcessGenerator:
        for _ in range(60):
            yield ev.hold(1.0)
            counts["a"] += 1
            counts["b"] = 2 * counts["a"]

    found = []
    for begin in range(3):
        sim, counts = simulation("auto"), {"a": begin, "b": 0}
        sim.process(process(counts))
        sim.process(process(counts))
        sim.run()
        found.append((counts, taken(sim) > 90))
    assert found == [({"a": begin + 120, "b": 2 * (begin + 120)}, True) for begin in range(3)]


def test_a_resource_at_a_place_of_a_list_is_requested() -> None:
    def caller(sim: ev.Simulation, desks: list[ev.Resource], log: list[Any], k: int, other: int) -> ev.ProcessGenerator:
        desk = desks[k % 3]
        with desk.request() as place:
            yield place
            log.append((k, sim.time))
            yield ev.hold(0.75)
        with desks[other].request() as place:
            yield place
            yield ev.hold(0.25)

    def run(sim: ev.Simulation) -> Any:
        log, desks = list[Any](), [ev.Resource(sim, 1 + k % 2) for k in range(3)]

        def calls() -> ev.ProcessGenerator:
            for k in range(100):
                yield ev.hold(0.5)
                sim.process(caller(sim, desks, log, k, k % 4 - 1 if k < 80 else k - 77))

        sim.process(calls())
        try:
            sim.run()
        except IndexError as error:
            log.append(repr(error))
        return log, [desk.counts for desk in desks], sim.time, sim.events

    found, sim = both(run)
    assert len(found[0]) == 83
    assert found[0][-1] == "IndexError('list index out of range')"
    assert taken(sim) > 200


def test_conditions_that_read_a_container_see_what_processes_set() -> None:
    def worker(shelf: dict[str, float]) -> ev.ProcessGenerator:
        for _ in range(40):
            yield ev.hold(0.5)
            shelf["parts"] += 1.0

    def buyer(sim: ev.Simulation, shelf: dict[str, float], log: list[float]) -> ev.ProcessGenerator:
        for _ in range(8):
            yield ev.until(lambda: shelf["parts"] >= 4.0)
            shelf["parts"] -= 4.0
            log.append(sim.time)

    def run(sim: ev.Simulation) -> Any:
        shelf, log = {"parts": 0.0}, list[float]()
        sim.process(worker(shelf))
        sim.process(buyer(sim, shelf, log))
        sim.run(until=30.0)
        return log, shelf, sim.events

    assert both(run)[0][0] == [2.0 * (k + 1) for k in range(8)]


def test_only_what_runs_no_code_of_the_users_is_done() -> None:
    key = Key([])
    full: deque[int] = deque([1], maxlen=1)
    assert objects.do(full, "append", 2) is objects.do(set(), "add", key) is objects.do(set(), "add", (1, key)) is None
    assert objects.put({}, key, 1) is objects.put([key], 0, 1) is objects.put([1], True, 1) is None
    assert objects.put(Loud(), 1, 1) is objects.change((1,), 0, "+", 1) is objects.change({1: "a"}, 1, "+", 1) is None
    assert objects.change(Loud({1: 0}), 1, "+", 1) is objects.at(Loud({1: 0}), 1) is None
    assert objects.get({1: 2}, key, 0) is objects.has({1: 2}, key) is objects.at({1: 2}, key) is None
    assert objects.at(defaultdict(int), 1) is objects.count(Loud()) is objects.has([1], 1) is None
    assert key.told == []
    assert full == deque([1])
