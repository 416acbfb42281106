"""Words of variables and attributes: what rows compare, set and hand on is the very object that Python has there."""

from __future__ import annotations

import enum
import traceback
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from bodies.holders import State, both
from random_bodies import hurry, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Colour(enum.StrEnum):
    """Words that are equal to strings."""

    RED = "red"
    BLUE = "blue"


class Weekday(enum.IntEnum):
    """Words that are numbers, which Python compares."""

    MONDAY = 0
    TUESDAY = 1


class Loud(str):
    """A string that says something when it is compared."""

    __slots__ = ()
    heard: ClassVar[list[str]] = []

    def __eq__(self, other: object) -> bool:
        self.heard.append(f"compared with {other}")
        return str.__eq__(self, str(other))

    __hash__ = str.__hash__


class Machine:
    """What has words."""

    def __init__(self, mode: Any = "idle") -> None:
        self.mode: Any = mode
        self.state: Any = State.IDLE
        self.job: Any = None
        self.count = 0


def fresh(text: str) -> str:
    """Another object of the same text."""
    return "".join([*text])


WORKING = (State.BUSY, State.DOWN)
CFG = SimpleNamespace(mean=0.5, kind="plain")


def worker(sim: ev.Simulation, machine: Machine, log: list[Any], turns: int = 30) -> ev.ProcessGenerator:
    kind, state, x = "a", State.IDLE, 0.0
    for _ in range(turns):
        yield ev.hold(CFG.mean)
        x += 0.3
        kind = "a" if x % 1.0 > 0.5 else "b"
        if machine.mode == "idle":
            machine.mode = "busy"
        elif machine.mode in ("busy", "late") and kind != "b":
            machine.mode = "idle"
        machine.state = State.BUSY if machine.state is State.IDLE else State.IDLE
        state = machine.state
        if state == State.BUSY and machine.state in WORKING and state not in (State.DOWN, State.IDLE):
            machine.count += 1
        machine.job = None if kind == "b" else "job"
        if machine.job:
            machine.count += 10
        if machine.job is not None and kind is not None and x != "a":
            machine.count += 100
        log.append((sim.time, kind, machine.mode, machine.state, state, machine.job, machine.count))


def run_of(machine: Callable[[], Machine], *, beside: Callable[[Machine, int], None] | None = None) -> Any:
    """What runs a machine with two workers, and with a process in Python that does something to it."""

    def run(sim: ev.Simulation) -> Any:
        one, log = machine(), list[Any]()
        for _ in range(2):
            sim.process(worker(sim, one, log))

        def meddle() -> None:
            if beside is not None:
                beside(one, len(log))

        def other() -> ev.ProcessGenerator:
            for _ in range(4):
                yield ev.hold(3.25)
                meddle()

        sim.process(other())
        sim.run()
        return log

    return run


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_words_are_compared_and_set_in_rows(native: bool) -> None:
    found, sim = both(run_of(Machine), native=native)
    assert len(found) == 60
    assert found[0] == (0.5, "b", "busy", State.BUSY, State.BUSY, None, 1)
    assert found[-1] == (15.0, "b", "busy", State.IDLE, State.IDLE, None, 3110)
    assert taken(sim) > 40
    assert "worker: native code\n" in f"{sim.explain()}\n"


def _join(machine: Machine, seen: int) -> None:
    machine.mode = fresh("idle") if seen % 2 else fresh("late")


def _leave_words(machine: Machine, _: int) -> None:
    machine.mode = Weekday.MONDAY if machine.mode == "busy" else ("busy",)


def _colour(machine: Machine, _: int) -> None:
    machine.mode = Colour.RED if machine.mode == "idle" else Colour("blue")


def _other_state(machine: Machine, _: int) -> None:
    machine.state, machine.job = State.DOWN, [machine.job]


def _remove(machine: Machine, seen: int) -> None:
    if seen > 20:
        del machine.job
    else:
        machine.mode = None


@pytest.mark.parametrize("beside", [_join, _leave_words, _colour, _other_state, _remove])
def test_what_python_sets_from_beside_is_met_by_rows(beside: Callable[[Machine, int], None]) -> None:
    found, sim = both(run_of(Machine, beside=beside))
    assert len(found) == 60
    assert taken(sim) > 10


def test_a_string_with_a_say_in_comparisons_is_asked_by_python_as_often_as_there() -> None:
    def run(sim: ev.Simulation) -> Any:
        Loud.heard = []

        def speak(machine: Machine, _: int) -> None:
            machine.mode = Loud("busy")

        return run_of(Machine, beside=speak)(sim), Loud.heard

    (log, heard), sim = both(run)
    assert len(log) == 60
    assert heard[:2] == ["compared with idle", "compared with busy"]
    assert taken(sim) > 10


def test_the_very_object_comes_back_to_python() -> None:
    words = [fresh("idle"), fresh("busy"), fresh("idle")]

    def run(sim: ev.Simulation) -> Any:
        machine, log, seen = Machine(words[0]), list[Any](), list[Any]()

        def keeper(kind: Any) -> ev.ProcessGenerator:
            word = kind
            while True:
                yield ev.hold(1.0)
                word, kind = kind, word
                machine.mode = word
                seen.append((word, kind))

        def reader() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(2.5)
                log.append((sim.time, [machine.mode is one for one in words]))
                if sim.time == 10.0:
                    machine.mode = words[2]

        process = sim.process(keeper(words[1]))
        sim.process(reader())
        for end in (7.25, 14.5, 20.25):
            sim.run(until=end)
            log.append((machine.mode is words[1], process._generator is None))
        return log, [[[one is word for one in words] for word in pair] for pair in seen]

    (_, found), sim = both(run)
    assert found[:2] == [[[False, True, False]] * 2, [[False, True, False]] * 2]
    assert len(found) == 20
    assert taken(sim) > 5


class Odd(enum.Enum):
    """Words of which one is false."""

    ONE = 1
    TWO = 2

    def __bool__(self) -> bool:
        return self.value == 1


class Equal(enum.Enum):
    """Words that are all equal."""

    ONE = 1
    TWO = 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal)

    __hash__ = enum.Enum.__hash__


def true_ones(log: list[Any], word: Any) -> ev.ProcessGenerator:
    for k in range(60):
        yield ev.hold(1.0)
        word = Odd.ONE if k % 3 else Odd.TWO
        if word:
            log.append(k)


def equal_ones(log: list[Any], word: Any) -> ev.ProcessGenerator:
    for k in range(60):
        yield ev.hold(1.0)
        word = Equal.ONE if k % 3 else Equal.TWO
        if word == Equal.TWO:
            log.append(k)


@pytest.mark.parametrize(("story", "expected"), [(true_ones, 40), (equal_ones, 60)])
def test_a_truth_and_a_comparison_that_a_class_decides_are_left_to_it(story: Any, expected: int) -> None:
    def run(sim: ev.Simulation) -> Any:
        log = list[Any]()
        sim.process(story(log, Odd.TWO))
        sim.run()
        return log

    found, _ = both(run)
    assert len(found) == expected


def test_a_class_of_words_that_gets_a_say_is_noticed() -> None:
    def run(sim: ev.Simulation) -> Any:
        class Level(enum.Enum):
            LOW = 1
            HIGH = 2

        log = list[Any]()

        def body(level: Any) -> ev.ProcessGenerator:
            for k in range(20):
                yield ev.hold(1.0)
                level = Level.LOW if k % 2 else Level.HIGH
                if level == Level.LOW:
                    log.append(k)

        def changing() -> ev.ProcessGenerator:
            yield ev.hold(10.5)
            Level.__eq__ = lambda self, other: True  # type: ignore[method-assign]
            yield ev.hold(5.0)

        sim.process(body(Level.HIGH))
        sim.process(body(Level.HIGH))
        sim.process(changing())
        sim.run()
        return log

    found, sim = both(run)
    assert found == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9] + [k for k in range(10, 20) for _ in range(2)]
    assert taken(sim) > 5


def test_a_word_of_the_text_is_the_object_that_its_code_has() -> None:
    def run(sim: ev.Simulation) -> Any:
        machine = Machine()

        def body() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                machine.mode = "in use"

        sim.process(body())
        sim.process(body())
        sim.run(until=30.5)
        return [machine.mode is one for one in body.__code__.co_consts]

    found, sim = both(run)
    assert sum(found) == 1
    assert taken(sim) > 5


GAPS, NAMES = [0.5, 0.25, 1.0], ["gold", "silver", "lead"]
TIMES = {"gold": 0.5, "silver": 1, "lead": 0.25}
BY_STATE = {State.IDLE: 0.5, State.BUSY: 1.5}


class Shop:
    """Where jobs of several kinds are done."""

    def __init__(self) -> None:
        self.kind, self.served = "gold", dict.fromkeys(NAMES, 0)
        self.times: dict[str, float] = dict(TIMES)
        self.names = list(NAMES)

    def job(self, sim: ev.Simulation, kind: str, number: int, log: list[Any]) -> ev.ProcessGenerator:
        yield ev.hold(TIMES[kind])
        self.served[kind] += 1
        if kind != "lead":
            yield ev.hold(self.times[kind])
        log.append((sim.time, kind, number))

    def source(self, sim: ev.Simulation, rng: Random, log: list[Any]) -> ev.ProcessGenerator:
        for number in range(40):
            yield ev.hold(rng.choice(GAPS))
            kind = rng.choice(NAMES)
            if number % 4:
                sim.process(self.job(sim, kind, number, log))
            else:
                sim.process(self.job(sim, "gold", number, log))
            self.kind = rng.choice(self.names)
            state = State.BUSY if kind == "gold" else State.IDLE
            log.append((sim.time, kind, self.kind, BY_STATE[state], TIMES[self.kind]))


def meddle_with_tables(shop: Shop, turn: int) -> None:
    """What Python does to tables meanwhile."""
    if turn == 1:
        shop.times["gold"] = 2.5
    elif turn == 2:
        shop.times, shop.names = {"gold": 0.125, "silver": 0.5}, [fresh("lead"), "gold", fresh("silver")]
    elif turn == 3:
        shop.names[1] = "silver"
    elif turn == 4:
        shop.names.append("gold")
    elif turn == 5:
        del shop.times["silver"]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("meddles", [False, True])
def test_tables_choices_and_processes_that_are_given_words(meddles: bool, native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        shop, log, rng = Shop(), list[Any](), Random(5)
        for _ in range(2):
            sim.process(shop.source(sim, rng, log))
        errors = []
        for turn in range(8):
            if meddles:
                meddle_with_tables(shop, turn)
            try:
                sim.run(until=4.0 * turn + 4.0)
            except KeyError as error:
                errors.append(
                    (sim.time, repr(error), [one.lineno for one in traceback.extract_tb(error.__traceback__)])
                )
        made = [p.name for p in sim.processes]
        return log, errors, shop.served, made, [k for k, one in enumerate(NAMES) if one is shop.kind], rng.random()

    (log, errors, served, *_), sim = both(run, native=native)
    assert bool(errors) == meddles
    assert sum(served.values()) == (79 if meddles else 80)
    assert {entry[1] for entry in log} == {*NAMES}
    assert taken(sim) > (40 if meddles else 100)


def test_a_word_that_a_function_returns_is_looked_for_before_it_does() -> None:
    def run(sim: ev.Simulation) -> Any:
        log, rng = list[Any](), Random(2)

        def pick() -> Any:
            yield ev.hold(1.0)
            if rng.random() < 0.5:
                return None
            return "picked"

        def chooser() -> ev.ProcessGenerator:
            while True:
                word = yield from pick()
                log.append((sim.time, word))

        process = sim.process(chooser())
        sim.process(chooser())
        for turn in range(40):
            sim.run(until=5.0 * turn + 4.5)
            log.append(process._generator is None)
        return log

    found, sim = both(run)
    assert len(found) == 438
    assert taken(sim) > 10


def test_rows_that_exchange_an_item_of_a_list_are_seen_by_those_that_choose() -> None:
    def run(sim: ev.Simulation) -> Any:
        words, log, rng = ["one", "two"], list[Any](), Random(2)

        def chooser() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(1.0)
                word = rng.choice(words)
                log.append(word)

        def changer() -> ev.ProcessGenerator:
            yield ev.hold(20.5)
            words[1] = "three"
            while True:
                yield ev.hold(1.0)

        sim.process(chooser())
        sim.process(changer())
        sim.run(until=40.0)
        return log

    found, sim = both(run)
    assert {*found[:20]} == {"one", "two"}
    assert {*found[20:]} == {"one", "three"}
    assert taken(sim) > 10


def test_a_string_with_a_say_is_asked_whether_it_equals_itself() -> None:
    def run(sim: ev.Simulation) -> Any:
        Loud.heard.clear()
        machine = Machine()

        def body() -> ev.ProcessGenerator:
            for _ in range(30):
                yield ev.hold(1.0)
                if machine.mode == machine.mode:  # it is asked
                    machine.count += 1

        def other() -> ev.ProcessGenerator:
            yield ev.hold(15.5)
            machine.mode = Loud("busy")

        sim.process(body())
        sim.process(other())
        sim.run()
        return machine.count, [*Loud.heard]

    (count, heard), _ = both(run)
    assert count == 30
    assert heard == ["compared with busy"] * 15


def test_constants_are_the_same_objects_in_rows_and_after_them() -> None:
    def outcome(compiles: Any) -> tuple[list[Any], int]:
        sim, log = simulation(compiles), list[Any]()

        def process() -> ev.ProcessGenerator:
            text, pair = "in the morning", (1, "to noon")
            while True:
                yield ev.hold(1.0)
                if sim.time > 20.0:
                    again, other = "in the morning", (1, "to noon")
                    log.extend([text is again, pair is other])  # which no native code is made of

        sim.process(process())
        sim.run(until=30.0)
        return log, taken(sim)

    plain, native = outcome(False), outcome("auto")
    assert native[0] == plain[0] == [True] * 18
    assert native[1] > 15
