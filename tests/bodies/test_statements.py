"""Small statements of processes that are native code leave the same as in Python."""

from __future__ import annotations

import ast
import math
import operator
from itertools import product
from random import Random
from typing import Any

import pytest
from random_bodies import hurry, made, taken

import eventide as ev
from eventide.bodies import arithmetic
from eventide.bodies.operands import Operand
from eventide.migration.bodies import Bodies


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def both(run: Any, *, native: bool = False) -> tuple[Any, ev.Simulation]:
    """What a model leaves, the same in Python and in rows."""
    expected = run(ev.Simulation(rng=7, compile=False))
    sim = ev.Simulation(rng=7)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert repr(run(sim)) == repr(expected)
    return expected, sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("room", [None, 0])
def test_a_resource_is_used_by_processes_that_do_nothing_else(native: bool, room: int | None) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, gone, rng, seen = ev.Resource(sim, 2), sim.tally("gone"), Random(1), list[float]()
        length = {"short": lambda: rng.expovariate(2.0), "long": lambda: rng.uniform(0.5, 1.0)}

        def arrivals(service: Any) -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(rng.expovariate(1.0))
                is_full = room is not None and desk.queue.value >= room
                gone.add(is_full)
                gone.add(number)
                if not is_full:
                    sim.process(desk.use(service(), number % 3, units=1))
                    sim.process(later(number, bonus=0.5, seen=seen))

        sim.process(arrivals(length["short"]))
        sim.process(arrivals(length["long"]))
        sim.run(until=30.0)
        alive = [(process.name, process.why_waiting()) for process in sim.processes]
        sim.run()
        return [alive, seen, list(desk.waits.values), list(gone.values), desk.counts, sim.events, rng.random()]

    def later(number: int, *, by: float = 0.25, bonus: float, seen: list[float]) -> ev.ProcessGenerator:
        yield ev.hold(by)
        seen.append(bonus + number)
        if number == 20:
            later.__kwdefaults__["by"] = 0.75
        yield ev.hold(by + bonus)

    assert later.__kwdefaults__ is not None
    expected, sim = both(lambda sim: (later.__kwdefaults__.update(by=0.25), run(sim)), native=native)
    assert len(expected[1][3]) == 240
    assert room is not None or made(sim) > 100


def test_a_negative_time_of_use_is_told_where_it_is_told_in_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, told = ev.Resource(sim), list[Any]()

        def arrivals() -> ev.ProcessGenerator:
            for number in range(40):
                yield ev.hold(1.0)
                sim.process(desk.use(30.5 - number))

        sim.process(arrivals())
        for _ in range(12):
            try:
                sim.run()
            except ev.ModelError as error:
                told.append((sim.time, str(error), error.__notes__))
        return [told, sim.events, desk.counts, list(desk.waits.values)]

    expected, _ = both(run)
    assert len(expected[0]) == 9


def test_functions_modules_and_methods_that_arguments_lead_to_are_those_of_each_process() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        one, other, seen, rng = sim.stream("one"), sim.stream("other"), list[float](), Random(2)

        def holder(number: int, draw: Any, shape: Any, tell: Any) -> ev.ProcessGenerator:
            for _ in range(25):
                yield ev.hold(draw(0.5, 1.0))
                yield ev.hold(0.125)
                tell(shape(1.0 + number))

        draws = [one.uniform, other.uniform, rng.uniform, lambda low, high: low, lambda low, high: high, one.uniform]
        shapes = [math.sqrt, math.exp, abs, float, lambda x: x * x, math.log]
        for number, (draw, shape) in enumerate(zip(draws, shapes, strict=True)):
            sim.process(holder(number, draw, shape, seen.append))
        sim.run()
        return [seen, sim.events, one.random(), other.random(), rng.random()]

    _, sim = both(run)
    assert sim._migration is not None
    print(sim.explain())
    assert sim._migration.taken > 50


def test_a_statement_that_is_left_to_python_asks_nothing_of_what_its_names_stand_for() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        seen: list[Any] = []

        def worker(tag: Any) -> ev.ProcessGenerator:
            for _ in range(20):
                yield ev.hold(1.0)
                yield ev.hold(0.5)
            if tag == ():
                seen.append(tag)

        for tag in ("", b"", [], {}, (), None):
            sim.process(worker(tag))
        sim.run()
        return [seen, sim.events]

    expected, sim = both(run)
    assert expected[0] == [()]
    assert sim._migration is not None
    assert sim._migration._bodies is not None
    assert [len(bodies) for bodies in sim._migration._bodies._known.values()] == [1]


LEVEL = 2.0


class Office:
    """A desk with a policy, which may be another one later."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.desk, self.policy, self.count = ev.Resource(sim, 2), "stay", 0


def limited(x: float) -> float:
    if 0.0 < x <= LEVEL:
        return 0.5 * x
    raise ValueError(f"{x} is not within 0 and {LEVEL}")


def caller(sim: ev.Simulation, office: Office, rng: Random, kind: str, seen: list[Any]) -> ev.ProcessGenerator:
    for k in range(40):
        length = limited(0.5 if rng.random() < 0.25 else 1.5) + int(rng.random() * 6.0) * 0.125
        if office.policy != "leave" and kind == "plain":
            yield from office.desk.use(length)
        elif kind == "other":
            yield ev.hold(length)
        else:
            office.count += 1
            yield ev.hold(0.25)
        yield ev.hold(0.25 if 1.0 <= length < 0.0 or (LEVEL > 0.5 and LEVEL != 7.0) else 7.0)
        seen.append(length + k)


def test_what_is_known_before_is_no_test_that_may_fail_after_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        office, rng, seen, log = Office(sim), Random(8), list[Any](), list[str]()
        for kind in ("plain", "plain", "other", "pla" + "in"[:2]):
            sim.process(caller(sim, office, rng, kind, seen))

        def change() -> ev.ProcessGenerator:
            for policy in iter(("leave", "stay", "leave", "stay")):
                yield ev.hold(6.0)
                office.policy = policy
            yield ev.hold(6.0)
            monkeypatch.setitem(globals(), "LEVEL", 1.0)

        sim.process(change())
        for _ in range(6):
            try:
                sim.run()
            except ValueError as error:
                log.append(str(error))
        monkeypatch.setitem(globals(), "LEVEL", 2.0)
        return [seen, log, office.count, office.desk.counts, sim.events, rng.random()]

    expected, sim = both(run)
    assert expected[1] == ["1.5 is not within 0 and 1.0"] * 4
    assert expected[2] > 20
    assert sim._migration is not None
    assert sim._migration.taken > 100
    assert "may fail" not in str(sim.explain())


def sorter(found: list[float]) -> ev.ProcessGenerator:
    yield ev.hold(1.0)
    found[:] = sorted([len(found), 1])


def sorting(found: list[float]) -> ev.ProcessGenerator:
    found[:] = sorted([2, 1])
    while True:
        yield from sorter(found)


def test_of_a_process_that_needs_python_at_each_event_the_statement_is_told() -> None:
    def run(sim: ev.Simulation) -> list[float]:
        sim.process(sorting(found := []))
        sim.run(until=50.0)
        return found

    _, sim = both(run)
    told = "`sorted([len(found), 1])`: each of its events needs Python, as what it calls is left to Python"
    assert told in str(sim.explain())


def rarely(rng: Random) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(limited(0.25 if rng.random() < 0.99 else 2.5))


def test_what_a_choice_gives_may_be_either_of_its_values() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        rng, log = Random(2), list[Any]()
        for _ in range(5):
            sim.process(rarely(rng))
        for _ in range(5):
            try:
                sim.run(until=100.0)
            except ValueError as error:
                log.append((str(error), sim.time))
        return [log, sim.events, rng.random()]

    expected, sim = both(run)
    assert [error for error, _ in expected[0]] == ["2.5 is not within 0 and 2.0"] * 5
    assert taken(sim) > 0.8 * sim.events


SIGNS: dict[str, tuple[ast.cmpop, Any]] = {
    "<": (ast.Lt(), operator.lt),
    "<=": (ast.LtE(), operator.le),
    ">": (ast.Gt(), operator.gt),
    ">=": (ast.GtE(), operator.ge),
    "==": (ast.Eq(), operator.eq),
    "!=": (ast.NotEq(), operator.ne),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_a_comparison_is_decided_before_only_where_all_values_decide_it_alike(sign: str) -> None:
    node, compare = SIGNS[sign]
    ranges = [(low, high) for low in range(4) for high in range(low, 4)]
    decided = 0
    for one, other in product(ranges, ranges):
        left, right = (Operand("t", "float", low=low, high=high, is_number=True) for low, high in (one, other))
        pairs = product(range(one[0], one[1] + 1), range(other[0], other[1] + 1))
        answers = {compare(*pair) for pair in pairs}
        found = arithmetic.decided(node, left, right)
        assert found is None or answers == {found}
        decided += found is not None
        assert arithmetic.decided(node, left, right._replace(is_number=False)) is None
    assert decided == (30 if sign in ("==", "!=") else 50)


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_loops_of_a_few_turns_in_what_is_called_are_native(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        stages, log = sim.stream("stages"), []

        def powers(base: float) -> float:
            total = 0.0
            for turn in range(4):
                total += base + turn
                total *= 0.5
            return total

        def story() -> ev.ProcessGenerator:
            while True:
                yield stages.erlang(1.0, 3)
                x = stages.erlang(mean=0.5, k=2) + stages.erlang(2.0, 1)
                log.append(x)
                yield ev.hold(powers(x))

        for _ in range(3):
            sim.process(story())
        sim.run(until=60.0)
        return [log, sim.events, stages.random()]

    _, sim = both(run, native=native)
    assert sim._migration is not None
    assert sim._migration.taken > 0.8 * sim.events
    assert not sim._migration.exits


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_boolean_is_a_whole_number_where_what_is_called_adds_it(native: bool) -> None:
    def raised(x: float, by: float) -> float:
        x += by > 3
        x *= True
        x -= by < 0
        return x

    def told(is_it: float) -> float:
        is_it += 1
        return is_it

    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []

        def story() -> ev.ProcessGenerator:
            for n in range(40):
                yield ev.hold(0.5)
                log.append((raised(n, n), raised(n * 0.5, n), told(n > 5)))

        sim.process(story())
        sim.run()
        return log

    _, sim = both(run, native=native)
    assert taken(sim) > 20
    assert sim._migration is not None
    assert not sim._migration.exits


def test_loops_that_end_early_or_of_many_turns_in_what_is_called_are_left_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        stages, log = sim.stream("stages"), []

        def nine(x: float) -> float:
            for _ in range(9):
                x = 0.5 + 0.5 * x
            return x

        def first(least: float) -> float:
            for turn in range(3):
                if turn > 3.0 * least:
                    return 0.25 * turn
            return 0.75

        def story() -> ev.ProcessGenerator:
            for _ in range(40):
                yield ev.hold(0.5)
                log.append(nine(1.0))
                yield ev.hold(0.5)
                log.append(first(stages.random()))

        sim.process(story())
        sim.run()
        return [log, sim.events]

    _, sim = both(run)
    assert sim._migration is not None
    assert {ask.why.partition(" (")[0] for _, _, asks in sim._migration.notes for ask in asks} == {
        "a loop in what it calls is left to Python",
        "it takes more than one way to its result",
    }


class Sleeper(ev.Process):
    pause: float = 1.0

    def run(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(self.pause)
            yield self.pause
            yield ev.first_of(one=ev.hold(self.pause), other=ev.hold(1e6))


@pytest.mark.slow  # pint reads its table of units
@pytest.mark.parametrize("native", [False, True])
def test_a_duration_with_a_unit_is_left_to_python(native: bool) -> None:
    pytest.importorskip("pint")
    hour = ev.Quantity(1.0, unit="h")

    def run(sim: ev.Simulation) -> list[Any]:
        sim.time_unit = "min"
        sleepers = [Sleeper(sim, pause=pause) for pause in (1.0, 2.0, hour)]
        for sleeper in sleepers:
            sleeper.activate()
        sim.run(until=200.5)
        sleepers[0].pause = hour
        sim.run(until=600.5)
        return [sim.events, [sleeper.event_time for sleeper in sleepers]]

    found, sim = both(run, native=native)
    assert found[1] == [621.0, 602.0, 660.0]
    assert taken(sim) > 0.8 * sim.events
