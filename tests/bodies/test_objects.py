"""Objects whose stories begin in rows are those that their constructors would have made."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_objects
import random_spawning
from random_bodies import hurry, load, made, simulation

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def shown(process: ev.Process) -> list[Any]:
    """What can be seen of an object."""
    numbers = [(key, value if type(value) in (int, float, bool, str) else "") for key, value in vars(process).items()]
    return [process.name, type(process).__name__, process._anchor, process.why_waiting(), numbers]


def outcome(sim: ev.Simulation, text: str, seed: int, mode: tuple[int, int, int], folder: Path) -> str:
    module = load(text, folder, f"objects{seed}")
    found = random_spawning.outcome(sim, module, seed, *mode, horizon=6.0)
    return repr([found, sim._counts.get(module.Guest), [shown(process) for process in sim.processes]])


def compare(seed: int, mode: tuple[int, int, int], folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many processes were made in rows."""
    text = random_objects.program(seed, *mode)
    expected = outcome(simulation(False), text, seed, mode, folder)
    sim = simulation("auto", native=native)
    assert outcome(sim, text, seed, mode, folder) == expected, seed
    return made(sim)


MODES = {"alone": (0, 0, 0), "glanced at": (0, 0, 4), "looked at": (6, 3, 6), "meddled with": (14, 10, 11)}


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_objects_made_by_rows_that_run_as_python_are_the_same(mode: tuple[int, int, int], tmp_path: Path) -> None:
    assert compare(3, mode, tmp_path, native=False) > -1


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_objects_made_by_native_code_are_the_same(mode: tuple[int, int, int], tmp_path: Path) -> None:
    assert sum(compare(seed, mode, tmp_path, native=True) for seed in (1, 2, 4)) > 10


class Guest(ev.Process):
    """Waits and is served."""

    number: int
    rng: Random
    desk: ev.Resource
    log: list[Any]
    rate: float = 1.25
    word: str = "guest"

    def run(self) -> ev.ProcessGenerator:
        with self.desk.request() as place:
            yield place
            yield ev.hold(self.duration())
        if self.number % 40 == 39:
            self.log.append((self.sim.time, shown(self), self is self.sim.current))

    def duration(self) -> float:
        return self.rng.expovariate(self.rate)


def door_of(kind: Any) -> Any:
    """A class that lets guests of a class in."""

    class Door(ev.Process):
        rng: Random
        desk: ev.Resource
        log: list[Any]

        def run(self) -> ev.ProcessGenerator:
            for number in range(100):
                yield ev.hold(self.rng.expovariate(1.0))
                kind(self.sim, rng=self.rng, desk=self.desk, log=self.log, number=number).activate()

    return Door


def run_door(sim: ev.Simulation, kind: type[Any], act: Any = None) -> list[Any]:
    """What a door and its guests leave."""
    rng, desk, log = Random(3), ev.Resource(sim), []
    door_of(kind)(sim, rng=rng, desk=desk, log=log).activate()
    if act is not None:
        sim.process(act(sim, log, desk))
    stops = []
    for until in (50.0, 80.0, 1_000.0):
        sim.run(until=until)
        stops.append([shown(process) for process in sim.processes])
        stops.append([(request.process.name, request.since) for request in (*desk.users, *desk.waiting)])
    counts = sorted((known.__name__, count) for known, count in sim._counts.items())
    return [log, stops, counts, list(desk.waits.values), sim.events, rng.random()]


def both(kind: type[Any], act: Any = None, *, native: bool = False) -> tuple[list[Any], ev.Simulation]:
    """The same in Python and in rows."""
    expected = run_door(simulation(False), kind, act)
    sim = simulation("auto", native=native)
    assert repr(run_door(sim, kind, act)) == repr(expected)
    return expected, sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_guests_of_a_class_begin_queue_and_end_in_rows(native: bool) -> None:
    found, sim = both(Guest, native=native)
    assert len(found[0]) == 2
    assert found[2] == [("Door", 1), ("Guest", 100), ("Resource", 1)]
    assert made(sim) > 60
    assert sim._migration is not None
    assert sum(sim._migration.exits.values()) == 2


class Named(Guest):
    """Finds out what it is called."""


Named._default_name = lambda self: f"number {self.number}"  # type: ignore[method-assign]  # no class of a model's defines it


class Made(Guest):
    """Has a constructor of its own."""

    def __init__(self, sim: ev.Simulation, **fields: Any) -> None:
        super().__init__(sim, **fields)
        self.rate = 1.5


class Prepared(Guest):
    """Does something when it has been made."""

    def prelude(self) -> None:
        self.log.append(self.number)


class Listed(Guest):
    """Has a list of its own."""

    seen: list[float] = ev.field(default_factory=list)

    def duration(self) -> float:
        self.seen.append(1.0)
        return 0.5


class Constant(Guest):
    """Has a number of its class."""

    SPEED = 2.0

    def duration(self) -> float:
        return self.rng.expovariate(self.SPEED)


class Noting(Guest):
    """Sets attributes in its story."""

    def run(self) -> ev.ProcessGenerator:
        self.arrived = self.sim.time
        with self.desk.request() as place:
            yield place
            self.rate = 0.5
            yield ev.hold(self.duration())
        self.log.append(self.sim.time - self.arrived)


class Own(Guest):
    """Is activated in its own way."""

    def activate(self, **options: Any) -> Any:
        return super().activate(delay=0.25)


class Handing(Guest):
    """Hands itself over."""

    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        self.sim.process(self.later())
        self.sim.process(served(self))
        yield ev.hold(self.duration())

    def later(self) -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        self.log.append(self.number)


def served(guest: Guest) -> ev.ProcessGenerator:
    yield ev.hold(0.25)
    guest.log.append(guest.name)


class Proper(Guest):
    """Has a property in the place of a number."""

    @property
    def slow(self) -> float:
        return 0.5

    def duration(self) -> float:
        return self.slow


KINDS = [Named, Made, Prepared, Listed, Constant, Noting, Own, Handing, Proper]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_classes_with_ways_of_their_own_are_the_same(kind: type[Guest]) -> None:
    sim = both(kind)[1]
    assert kind is not Constant or made(sim) > 60


ACTS = {
    "replaces the story": "Guest.run = lambda self: OTHER(self)",
    "replaces a helper": "Guest.duration = lambda self: 0.5",
    "adds a constructor": "Guest.__init__ = MAKE(Guest.__init__, log)",
    "adds __setattr__": "Guest.__setattr__ = lambda self, name, value: object.__setattr__(self, name, value)",
    "changes those that are there": "[setattr(one, 'rate', 0.5) for one in sim.processes if isinstance(one, Guest)]",
    "hands another desk over": "[setattr(one, 'desk', DESK(sim)) for one in sim.processes if 'Door' in one.name]",
    "sets the number": "[setattr(one, 'number', 39) for one in sim.processes if isinstance(one, Guest)]",
    "ends them": "[one.end() for one in sim.processes if isinstance(one, Guest)]",
    "makes one more": "Guest(sim, rng=Random(1), desk=desk, log=log, number=7, name='more').activate()",
    "looks at whom the desk serves": "log.append([shown(request.process) for request in desk.users])",
    "changes who is served": "[setattr(request.process, 'number', 39.0) for request in desk.users]",
}


def _other(guest: Guest) -> ev.ProcessGenerator:
    yield ev.hold(0.125)
    guest.log.append(guest.name)


def _make(plain: Any, log: list[Any]) -> Any:
    def construct(self: Guest, *arguments: Any, **options: Any) -> None:
        plain(self, *arguments, **options)
        log.append(self.name)

    return construct


@pytest.mark.slow
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_whatever_is_changed_is_seen_by_those_that_are_made_later(act: str) -> None:
    plain = dict(vars(Guest))
    seen = {**globals(), "OTHER": _other, "MAKE": _make, "DESK": ev.Resource}

    def acting(sim: ev.Simulation, log: list[Any], desk: ev.Resource) -> ev.ProcessGenerator:
        yield 40.0
        exec(act, {**seen, "sim": sim, "log": log, "desk": desk})  # noqa: S102  # of this test
        yield 30.0
        restore(plain)

    try:
        assert made(both(Guest, acting)[1]) > 20
    finally:
        restore(plain)


@pytest.mark.parametrize("value", [2.0, property(lambda _: 1.0, lambda _, value: None)], ids=["default", "property"])
def test_another_default_of_a_field_is_refused_though_guests_are_in_rows(value: object) -> None:
    plain = dict(vars(Guest))

    def acting(sim: ev.Simulation, log: list[Any], desk: ev.Resource) -> ev.ProcessGenerator:
        yield 40.0
        Guest.rate = value  # type: ignore[assignment]  # as a user might

    try:
        for sim in (simulation(False), simulation("auto")):
            with pytest.raises(ev.ModelError, match=r"Guest\.rate was set after the class was made"):
                run_door(sim, Guest, acting)
            restore(plain)
    finally:
        restore(plain)


def restore(plain: dict[str, Any]) -> None:
    """Give `Guest` back what it has had."""
    for name in [*vars(Guest)]:
        if name not in plain:
            delattr(Guest, name)
        elif vars(Guest)[name] is not plain[name]:
            setattr(Guest, name, plain[name])


class Remembering(Guest):
    """Keeps what it has met: in fields, and in an attribute that is none."""

    waited: float = 0.0
    visits: int = 0
    is_late: bool = False

    def run(self) -> ev.ProcessGenerator:
        self.arrived = self.sim.time
        while self.visits < 2:
            with self.desk.request() as place:
                yield place
                self.waited += self.sim.time - self.arrived
                self.visits += 1
                self.is_late = self.waited > 3.0
                yield ev.hold(self.duration())
        self.left = 2.0 * self.arrived
        if self.number % 40 == 39:
            self.log.append((self.sim.time, shown(self), self.arrived, self.left))


class Forgetful(Remembering):
    """Has attributes whose order its draws decide."""

    def run(self) -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.hold(self.duration())
            if self.rng.random() < 0.5:
                self.first = self.sim.time
            else:
                self.second = self.sim.time
        self.visits = 1.5  # type: ignore[assignment]  # of another type than the field
        yield ev.hold(0.25)
        self.visits = 2
        self.log.append(self.visits + 0.5)


def watching(sim: ev.Simulation, log: list[Any], desk: ev.Resource) -> ev.ProcessGenerator:
    """Looks at all processes, and what they have become."""
    for _ in iter(range(12)):
        yield ev.hold(9.25)
        log.append([shown(process) for process in sim.processes])
        log.append([shown(request.process) for request in desk.waiting])


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_attributes_of_objects_that_rows_set_are_there_when_they_are_made(native: bool) -> None:
    found, sim = both(Remembering, native=native)
    assert len(found[0]) == 2
    assert [name for name, _ in found[0][0][1][-1]][-5:] == ["waited", "visits", "is_late", "arrived", "left"]
    assert made(sim) > 60
    assert sim._migration is not None
    assert sum(sim._migration.exits.values()) == 2
    assert made(both(Remembering, watching, native=native)[1]) > 40


def test_attributes_have_the_order_in_which_they_were_set() -> None:
    found, sim = both(Forgetful)
    assert found[0].count(2.5) == 100
    assert made(sim) > 20
    reasons = [ask.why for _, _, asks in sim._migration.notes for ask in asks]  # type: ignore[union-attr]
    assert any("in no block sets it first" in why for why in reasons)


def test_who_reads_an_attribute_that_was_not_set_is_told() -> None:
    class Late(Guest):
        def run(self) -> ev.ProcessGenerator:
            if self.number % 7 == 3:
                try:
                    self.log.append(self.begun + 1.0)
                except AttributeError as error:
                    self.log.append(repr(error))
            self.begun = self.sim.time
            yield ev.hold(self.duration())
            self.log.append(self.begun + 1.0)

    found, sim = both(Late)
    assert sum(isinstance(line, str) for line in found[0]) == 14
    assert made(sim) > 40
