"""Objects that processes make while they are rows: Python makes them, and the rows go on."""

from __future__ import annotations

import ast
import gc
import itertools
import random
import weakref
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Final

import pytest
import random_bodies
import random_entities
from random_bodies import load, simulation, taken

import eventide as ev
from eventide.migration import row_migration
from eventide.reading.constructors import NotPlain, constructor_of

NUMBERS = itertools.count()
LIMIT = 2.5


class State(Enum):
    NEW = 1
    DONE = 2


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


class Part:
    ids = itertools.count(10)

    def __init__(self, number: int, size: float, kind: str = "a") -> None:
        """What is made."""
        self.number, self.size = number, size
        self.kind = kind
        self.serial = next(NUMBERS)
        self.own = next(self.ids)
        self.state = State.NEW
        self.done: float | None = None
        self.parts: list[object] = []
        self.queue = deque()  # type: ignore[var-annotated]  # as users write it
        if size > LIMIT:
            self.weight = round(size * 2.0 + abs(number), 6)
        else:
            self.weight = -1.0


@dataclass
class Order:
    number: int
    at: float
    kind: str
    weight: float = 2.0
    served: float = -1.0
    items: list[int] = field(default_factory=list)


class Timed:
    __slots__ = ("desk", "start", "twice")

    def __init__(self, sim: ev.Simulation, desk: object, twice: float) -> None:
        self.start = sim.time
        self.desk = desk
        self.twice = 2.0 * twice


def shop(sim: ev.Simulation, rng: random.Random, told: list[Any], kept: list[Any]) -> None:
    """Parts go through stores, orders are handed to processes, and who is timed is looked at later."""
    raw, ready = ev.Store(sim, capacity=4), ev.Store(sim)
    desks = {"a": ev.Resource(sim, 1), "b": ev.Resource(sim, 2)}

    def feed() -> ev.ProcessGenerator:
        number = 0
        while True:
            yield ev.hold(rng.expovariate(1.0))
            number += 1
            part = Part(number, rng.uniform(1.0, 4.0), kind="a" if rng.random() < 0.5 else "b")
            yield raw.put(part)

    def work(speed: float) -> ev.ProcessGenerator:
        while True:
            part = yield raw.get()
            yield ev.hold(part.size / speed)
            part.done = sim.time
            yield ready.put(part)

    def pack() -> ev.ProcessGenerator:
        while True:
            one = yield ready.get()
            told.append((one.number, one.serial, one.own, one.weight, one.done, one.kind))
            yield ev.hold(0.25)

    def serve(order: Order) -> ev.ProcessGenerator:
        with desks[order.kind].request() as turn:
            yield turn
            order.served = sim.time
            yield ev.hold(order.weight)
        told.append((order.number, order.at, sim.time - order.served))
        kept.append(order)

    def orders() -> ev.ProcessGenerator:
        number = 0
        while True:
            yield ev.hold(rng.expovariate(0.7))
            number += 1
            sim.process(serve(Order(number, sim.time, "b" if number % 3 else "a", weight=0.5)))
            timed = Timed(sim, desks["a"], rng.random())
            told.append((timed.start, timed.twice))
            kept.append(timed)
            spare = Order(number, 0.5, "a") if number % 3 else None
            if spare is not None:
                told.append(spare.at)

    for process in (feed(), work(2.5), work(4.0), pack(), orders()):
        sim.process(process)


def outcome(compiles: Any, until: float, *, native: bool = False, cuts: int = 1) -> tuple[ev.Simulation, list[Any]]:
    global NUMBERS  # it begins anew
    NUMBERS, Part.ids = itertools.count(), itertools.count(10)
    sim, told, kept = simulation(compiles, native=native), list[Any](), list[Any]()
    shop(sim, random.Random(3), told, kept)
    for k in range(cuts):
        sim.run(until=until * (k + 1) / cuts)
        told.append([(p.name, p.idle) for p in sim.processes])
    seen = [vars(one) if isinstance(one, Order) else (one.start, one.twice, one.desk.name) for one in kept]
    return sim, [*told, seen, sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("cuts", [1, 7])
def test_what_processes_make_is_what_python_makes(native: bool, cuts: int) -> None:
    """Parts, orders and what is timed have what their constructors set, and counters go on in the same order."""
    _, right = outcome(False, 300.0, cuts=cuts)
    sim, found = outcome("auto", 300.0, native=native, cuts=cuts)
    assert found == right
    assert taken(sim) > 0.95 * sim.events
    assert "but for" not in str(sim.explain())


def test_what_rows_have_made_is_given_up_while_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """All return to Python once they have made so many objects; only those live on that something has."""
    monkeypatch.setattr(row_migration, "MOST_MADE", 100)
    monkeypatch.setattr(row_migration, "BACK", 1)
    alive = weakref.WeakSet[Any]()
    most = 0

    class Seen(Part):
        pass

    sim, rng = simulation("auto"), random.Random(1)
    shelf = ev.Store(sim)

    def feed() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.5)
            yield shelf.put(Seen(1, rng.random()))

    def use() -> ev.ProcessGenerator:
        while True:
            part = yield shelf.get()
            yield ev.hold(part.size)

    def look() -> ev.ProcessGenerator:
        nonlocal most
        while True:
            yield ev.hold(100.0)
            for one in gc.get_objects():
                if type(one) is Seen:
                    alive.add(one)
            most = max(most, len(alive))

    for process in (feed(), use(), look()):
        sim.process(process)
    sim.run(until=2000.0)
    assert taken(sim) > 0.5 * sim.events
    assert 0 < most < 1000


class Failing:
    def __init__(self, size: float) -> None:
        self.share = 1.0 / (size - 3.0)


def test_an_error_in_a_constructor_is_raised_where_it_is_called() -> None:
    """The process meets it, at the line of the call, and may go on."""

    def run(compiles: Any) -> tuple[int, list[Any]]:
        sim, told = simulation(compiles), list[Any]()

        def body() -> ev.ProcessGenerator:
            number = 0
            while True:
                yield ev.hold(1.0)
                number += 1
                made = Failing((number + 10) % 40 + 1.0)
                told.append(made.share)

        sim.process(body())
        for _ in range(4):
            try:
                sim.run(until=170.0)
            except ZeroDivisionError as error:
                trace = error.__traceback__
                lines = []
                while trace is not None:
                    lines.append((trace.tb_frame.f_code.co_name, trace.tb_lineno - body.__code__.co_firstlineno))
                    trace = trace.tb_next
                told.append((sim.time, error.__notes__, [one for one in lines if one[0] in ("body", "__init__")]))
        return taken(sim), told

    (_, right), (rows, found) = run(False), run("auto")
    assert found == right
    assert rows > 0


class Meddling:
    """Its constructor does more than set attributes."""

    log: ClassVar[list[float]] = []

    def __init__(self, sim: ev.Simulation) -> None:
        self.log.append(sim.time)


class Counting:
    made = 0

    def __init__(self, number: int) -> None:
        Counting.made = number


class Setting:
    def __init__(self, size: float) -> None:
        self.size = size

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, 2.0 * value)  # type: ignore[operator]  # a number


class Watched:
    def __init__(self, size: float) -> None:
        self.size = size

    @property
    def size(self) -> float:
        return self._size

    @size.setter
    def size(self, value: float) -> None:
        self._size = value
        MEDDLED.append(value)


@dataclass
class After:
    size: float

    def __post_init__(self) -> None:
        MEDDLED.append(RUNNING[0].time)


class Adding:
    def __init__(self, one: Any, other: Any) -> None:
        self.sum = one + other


class Defaulting:
    def __init__(self, one: float, other: Any = None) -> None:
        self.sum = one if other is None else other + one


class Given:
    def __init__(self, *sizes: float) -> None:
        self.sizes = sizes


class Ending:
    def __init__(self, size: float) -> None:
        self.size = size

    def __del__(self) -> None:
        MEDDLED.append(self.size)


class Summand:
    def __add__(self, other: object) -> float:
        MEDDLED.append(RUNNING[0].time)
        return 1.0


MEDDLED: list[float] = []
RUNNING: list[ev.Simulation] = []
SUMMAND = Summand()
Defaulting.__init__.__defaults__ = (SUMMAND,)  # made later than the class
OTHERS: Final = {
    "calls": ("Meddling(sim)", "0.0"),
    "counts": ("Counting(number)", "made.made"),
    "sets": ("Setting(1.5)", "made.size"),
    "property": ("Watched(1.5)", "made.size"),
    "after": ("After(1.5)", "(made.size, sum(MEDDLED))"),
    "adds": ("Adding(SUMMAND, 1.0)", "made.sum"),
    "default": ("Defaulting(1.0)", "made.sum"),
    "any": ("Given(1.0, 2.0)", "made.sizes"),
    "ends": ("Ending(1.5)", "0.0"),
}
"""How an object is made, and what is told of it."""
MAKING: Final = """def body(sim, told):
    number = 0
    while True:
        yield ev.hold(0.5)
        number += 1
        made = {}
        told.append({})
"""


def of_kind(kind: str, compiles: Any, folder: Path) -> tuple[ev.Simulation, list[Any]]:
    """A process that makes objects of a class again and again, and somebody who tells what there is."""
    MEDDLED.clear()
    Meddling.log.clear()
    Counting.made = 0
    module = load(MAKING.format(*OTHERS[kind]), folder, f"making_{kind}")
    vars(module).update((name, value) for name, value in globals().items() if name[:2] != "__")
    sim, told = simulation(compiles), list[Any]()
    RUNNING[:] = [sim]

    def look() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.25)
            told.append((sim.time, len(MEDDLED), len(Meddling.log), Counting.made))

    sim.process(module.body(sim, told))
    sim.process(look())
    sim.run(until=60.0)
    return sim, told


@pytest.mark.parametrize("kind", OTHERS)
def test_constructors_that_may_do_more_are_left_to_python(kind: str, tmp_path: Path) -> None:
    """What they do takes place in its order, and `explain()` tells why Python makes these objects."""
    _, right = of_kind(kind, False, tmp_path)
    sim, found = of_kind(kind, "auto", tmp_path)
    assert found == right
    text = sim.explain()
    assert "but for" in str(text) or "Python, because of" in str(text)


class Changing:
    def __init__(self, size: float) -> None:
        self.size = size


def test_a_constructor_that_is_exchanged_counts_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code asks at each event of Python whether it is the same."""
    plain = Changing.__init__

    def other(self: Changing, size: float) -> None:
        MEDDLED.append(RUNNING[0].time)
        self.size = 10.0 * size

    def run(compiles: Any) -> tuple[int, list[Any]]:
        MEDDLED.clear()
        Changing.__init__ = plain  # type: ignore[method-assign]  # as a test's mock would
        sim, told = simulation(compiles), list[Any]()
        RUNNING[:] = [sim]

        def body() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                made = Changing(1.5)
                told.append(made.size)

        def exchange() -> ev.ProcessGenerator:
            yield ev.hold(40.2)
            Changing.__init__ = other  # type: ignore[method-assign]  # as above

        sim.process(body())
        sim.process(exchange())
        sim.run(until=60.0)
        return taken(sim), [*told, *MEDDLED]

    (_, right), (rows, found) = run(False), run("auto")
    monkeypatch.setattr(Changing, "__init__", plain)
    assert found == right
    assert rows > 50


def test_a_constructor_that_a_dataclass_keeps_is_read() -> None:
    """One of `python -c` stands in a file of the same name as those that are generated."""
    names: dict[str, Any] = {"dataclass": dataclass, "log": MEDDLED}
    text = """@dataclass(init=False)
class Kept:
    size: float
    def __init__(self, size):
        log.append(size)
        self.size = size
"""
    exec(text, names)  # noqa: S102  # as `python -c` does
    with pytest.raises(NotPlain, match="does more than set attributes"):
        constructor_of(names["Kept"], lambda _: ast.parse(text).body[0].body[1])  # type: ignore[attr-defined]  # it has


# --- random programs --------------------------------------------------------------------------------------------------


def told_by(module: ModuleType, compiles: Any, *, native: bool = False) -> tuple[int, list[Any]]:
    """What a random model tells, and what the objects have that it keeps; how many events were of rows."""
    module.reset()
    sim, told, kept = simulation(compiles, native=native), list[Any](), list[Any]()
    module.model(sim, random.Random(5), told, kept)
    for end in (20.0, 50.0, 70.0):
        while sim.time < end:
            try:
                sim.run(until=end)
            except Exception as error:  # noqa: BLE001  # whatever the program raises
                told.append((repr(error), sim.time))
    told += [sorted((name, repr(value)) for name, value in vars(one).items() if name != "place") for one in kept]
    return taken(sim), [*told, sim.events]


def check_program(seed: int, folder: Path, *, native: bool) -> int:
    module = load(random_entities.program(seed, 0 if seed % 3 == 0 else 12), folder, f"entities{seed}")
    _, right = told_by(module, False)
    rows, found = told_by(module, "auto", native=native)
    assert found == right
    return rows


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_that_make_objects(seed: int, tmp_path: Path) -> None:
    """They tell the same, in rows of Python, as without rows."""
    assert check_program(seed, tmp_path, native=False) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_random_programs_that_make_objects_natively(seed: int, tmp_path: Path) -> None:
    """The same of native code."""
    assert check_program(seed, tmp_path, native=True) > 0
