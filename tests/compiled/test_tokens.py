"""Texts and members of enumerations that laws, conditions and handlers compare."""

from __future__ import annotations

import enum
from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from compiled.harness import new_registry
from compiled.modes import Way, built

import eventide as ev
from eventide.continuous.components.reference import NUMBERS

WARM = "warm"


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Word(enum.StrEnum):
    A = "a"
    B = "b"


class Label(ev.Component):
    text: str = "x"


class Room(ev.Continuous):
    """A temperature that rises, falls or rests, as texts and members of enumerations say."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    mode: str = "heat"
    way: Way = Way.UP
    label: Label | None = None
    log: list[tuple[float, str]] = ev.field(default_factory=list)

    def is_resting(self) -> bool:
        return self.way is Way.REST or self.mode == "off"

    def equations(self) -> None:
        if self.is_resting():
            self.rate.x = 0.0
        elif self.mode == "heat":
            self.rate.x = 1.0
        elif self.mode in ["cool", "cold"]:
            self.rate.x = -1.0
        else:
            self.rate.x = 0.25 if self.mode == WARM else 0.125
        self.rate.y = 2.0 if self.way == Way.UP else -1.0
        if self.label is not None and self.label.text not in ("x", "y"):
            self.rate.y += 1.0


def rate_of(room: Room) -> float:
    """The rate of x, by a table."""
    rates = {"heat": 1.0, "cool": -1.0, "cold": -1.0, "off": 0.0, WARM: 0.25}
    return 0.0 if room.way is Way.REST else rates.get(room.mode, 0.125)


def simulated(seed: int, steps: int, **settings: Any) -> tuple[list[tuple[float, str]], list[tuple[float, ...]], Any]:
    """A run of three rooms whose modes change at random times and where they are reached."""
    sim, random = ev.Simulation(**settings), Random(seed)
    labels = [Label(sim), Label(sim)]
    rooms = [Room(sim, label=random.choice([None, *labels])) for _ in range(3)]
    log: list[tuple[float, str]] = []
    exact = dict.fromkeys(range(3), (0.0, 0.0))  # of each room the time of its last change, and its x then

    def look() -> None:
        for number, room in enumerate(rooms):
            since, x = exact[number]
            exact[number] = sim.time, x + rate_of(room) * (sim.time - since)
            assert room.x == pytest.approx(exact[number][1], abs=1e-9)

    def change() -> Any:
        for _ in range(steps):
            yield ev.hold(random.uniform(0.05, 0.4))
            look()
            room = random.choice(rooms)
            match random.randrange(5):
                case 0:
                    room.mode = random.choice(["heat", "cool", "cold", "off", WARM, "other", built("heat")])
                case 1:
                    room.way = random.choice(list(Way))
                case 2:
                    random.choice(labels).text = random.choice(["x", "y", "z", built("x")])
                case 3:
                    room.label = random.choice([None, *labels])
                case 4:
                    room.mode = room.mode.upper().lower()

    def watch(room: Room, number: int) -> Any:
        while True:
            yield ev.until(lambda: (room.mode == "heat" and room.x > 1.0) or (room.mode == WARM and room.y > 3.0))
            look()
            log.append((sim.time, f"hot {number}"))
            room.mode = "cool"
            yield ev.until(lambda: room.mode != "cool" or room.x < 0.5)
            look()
            log.append((sim.time, f"cold {number}"))
            if room.mode in {"cool", "cold"}:
                room.mode = "heat"

    for number, room in enumerate(rooms):
        room.start()
        sim.process(watch(room, number))
    sim.process(change())
    sim.run(until=0.3 * steps)
    return log, [(room.x, room.y) for room in rooms], sim


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 1)) for seed in range(8)])
def test_compiled_and_plain_runs_with_random_modes_are_the_same(seed: int) -> None:
    log, ends, sim = simulated(seed, 40)
    plain, plain_ends, _ = simulated(seed, 40, compile=False)
    assert (log, ends) == (plain, plain_ends)
    assert len(log) > 4
    laws = sim.explain().laws
    assert laws
    assert all(note.is_compiled for note in laws)


def test_modes_of_an_object_of_ones_own_have_a_kernel_for_each_answer_and_not_for_each_text() -> None:
    registry, sim = new_registry(), ev.Simulation()
    label = Label(sim)
    room = Room(sim, label=label)
    for label.text in ["x", "y", "z", *(f"text {k}" for k in range(50)), "x"]:
        assert registry.law(room, Room.equations) is not None
    assert registry.lowered == 3


def test_all_modes_of_a_component_with_states_have_one_kernel() -> None:
    registry, sim = new_registry(), ev.Simulation()
    room = Room(sim)
    for room.mode in ["heat", "cool", "cold", "off", WARM, *(f"mode {k}" for k in range(50))]:
        assert registry.law(room, Room.equations) is not None
    assert registry.lowered == 1


@pytest.mark.parametrize("compiles", ["auto", False])
def test_laws_go_by_the_text_of_another_object(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    label = Label(sim)
    room = Room(sim, label=label).start()
    sim.run(until=1.0)
    for text, rate in (("z", 3.0), ("y", 2.0), ("zz", 3.0), ("x", 2.0)):
        label.text, before = text, room.y
        sim.run(until=sim.time + 1.0)
        assert room.y == pytest.approx(before + rate, abs=1e-9)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_moment_is_found_in_a_mode(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    room = Room(sim, mode="heat", way=Way.UP).start()
    times = []

    def watch() -> Any:
        yield ev.until(lambda: room.mode == "heat" and room.way is not Way.DOWN and 0.5 < room.x < 0.5001)
        times.append(sim.time)
        room.mode = "off"
        yield ev.until(lambda: room.mode == "off" and 3.0 < room.y < 3.0001)
        times.append(sim.time)

    sim.process(watch())
    sim.run(until=4.0)
    assert [note.kind for note in sim.explain().conditions] in ([], ["certified"])
    assert times == pytest.approx([0.5, 1.5], abs=1e-3)
    assert room.x == pytest.approx(0.5, abs=1e-3)


class Plain:
    kind = "a"

    def __init__(self) -> None:
        self.mode = "a"
        self.inner = SimpleNamespace(mode="a")


CHANGED: dict[str, tuple[Callable[[Any], bool], Callable[[Any, str], object]]] = {
    "component": (lambda o: o.room.mode == "b", lambda o, v: setattr(o.room, "mode", v)),
    "member": (lambda o: o.room.way is Way.DOWN, lambda o, v: setattr(o.room, "way", Way.DOWN if v == "b" else Way.UP)),
    "plain component": (lambda o: o.label.text == "b", lambda o, v: setattr(o.label, "text", v)),
    "object": (lambda o: o.plain.mode == "b", lambda o, v: setattr(o.plain, "mode", v)),
    "object in an object": (lambda o: o.plain.inner.mode == "b", lambda o, v: setattr(o.plain.inner, "mode", v)),
    "another object": (
        lambda o: o.plain.inner.mode == "b",
        lambda o, v: setattr(o.plain, "inner", SimpleNamespace(mode=v)),
    ),
    "class": (lambda o: o.plain.kind == "b", lambda _, v: setattr(Plain, "kind", v)),
    "object's own": (lambda o: o.plain.kind == "b", lambda o, v: setattr(o.plain, "kind", v)),
    "item of a list": (lambda o: o.modes[0] == "b", lambda o, v: o.modes.__setitem__(0, v)),
    "with a state": (lambda o: o.room.mode == "b" and o.room.x > -1.0, lambda o, v: setattr(o.room, "mode", v)),
    "one of two": (lambda o: o.room.x > -1.0 if o.room.mode == "b" else False, lambda o, v: setattr(o.room, "mode", v)),
    "in a set": (lambda o: o.room.mode in {"b", "d"}, lambda o, v: setattr(o.room, "mode", v)),
}


@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize(("condition", "change"), CHANGED.values(), ids=CHANGED)
def test_conditions_hear_of_a_mode_however_it_is_changed(
    condition: Callable[[Any], bool], change: Callable[[Any, str], object], moves: bool, compiles: Any
) -> None:
    sim = ev.Simulation(compile=compiles)
    objects = SimpleNamespace(room=Room(sim, mode="a").start(), label=Label(sim), plain=Plain(), modes=["a"])
    if moves:
        Room(sim).start()
    log: list[tuple[str, float]] = []

    def watch() -> Any:
        while True:
            yield ev.until(lambda: condition(objects))
            log.append(("on", sim.time))
            yield ev.until(lambda: not condition(objects))
            log.append(("off", sim.time))

    def work() -> Any:
        for value in ("b", "a", "c", "b", "b", "c", "a", built("b"), "a"):
            yield ev.hold(0.5)
            change(objects, value)

    change(objects, "a")
    sim.process(watch())
    sim.process(work())
    sim.run(until=5.0)
    change(objects, "b")
    sim.run(until=6.0)
    change(objects, "a")
    sim.run(until=7.0)
    times = [0.5, 1.0, 2.0, 3.0, 4.0, 4.5, 5.0, 6.0]
    assert [name for name, _ in log] == ["on", "off"] * 4
    assert [time for _, time in log] == pytest.approx(times, abs=1e-9)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_mode_that_is_set_in_the_dict_of_its_object_is_noticed(compiles: Any) -> None:
    sim, log = ev.Simulation(compile=compiles), []
    room = Room(sim, mode="a").start()

    def watch() -> Any:
        yield ev.until(lambda: room.mode == "b")
        log.append(sim.time)

    def work() -> Any:
        yield ev.hold(0.5)
        vars(room)["mode"] = "b"
        yield ev.hold(0.5)

    sim.process(watch())
    sim.process(work())
    sim.run(until=2.0)
    assert log == pytest.approx([0.5], abs=1e-9)


class Pendulum(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    mode: str = "as no code has it"

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = -4.0 * self.x if self.mode == "stiff" else -self.x


class Reader(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mode: str = "stiff"

    def equations(self) -> None:
        self.rate.x = 1.0 if self.mode == "as no code has it" else 2.0


def test_code_of_another_simulation_with_the_text_of_a_mode_changes_no_bit() -> None:
    """It may begin in another thread: a step ended where the text came to have a number."""

    def story(sim: ev.Simulation, pendulum: Pendulum) -> Any:
        while True:
            yield ev.until(lambda: pendulum.mode != "stiff" and pendulum.x < 0.0)
            yield ev.hold(0.37)

    def run(between: Callable[[], object]) -> tuple[float, float, int]:
        sim = ev.Simulation()
        pendulum = Pendulum(sim).start()
        sim.process(story(sim, pendulum))
        sim.process(other(between))
        sim.run(until=10.0)
        return pendulum.x, pendulum.v, sim.report().steps

    def other(between: Callable[[], object]) -> Any:
        yield ev.hold(3.33)
        between()

    def read() -> None:
        sim = ev.Simulation()
        Reader(sim).start()
        sim.run(until=0.5)

    before = run(lambda: None)
    assert "as no code has it" not in NUMBERS
    assert run(read) == before
    assert "as no code has it" in NUMBERS
    assert run(lambda: None) == before


def holds(style: int, mode: Any, other: Any, number: Any, word: Any) -> bool:
    """Comparisons of other kinds than those of tokens with what is written out."""
    match style:
        case 0:
            return mode == other
        case 1:
            return mode < "c"
        case 2:
            return mode in "abc"
        case 3:
            return number == 1
        case 4:
            return word == "a"
        case 5:
            return bool(mode)
        case 6:
            return mode[0] == "b"
    return mode is None


class Odd(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mode: Any = "b"
    other: Any = "a"
    number: Any = Number.ONE
    word: Any = Word.A
    style: int = 0

    def equations(self) -> None:
        self.rate.x = 1.0 if holds(self.style, self.mode, self.other, self.number, self.word) else 2.0


@pytest.mark.parametrize("style", range(8))
def test_what_cannot_be_compared_natively_is_compared_by_python(style: int) -> None:
    values = [("a", "a", Number.TWO, Word.B), ("c", "c", 1, "a"), ("bc", "d", 2, Word.A), ("b", "a", Number.ONE, "b")]
    exact = [1.0 if holds(style, *value) else 2.0 for value in values]
    for compiles in ("auto", False):
        sim = ev.Simulation(compile=compiles)
        odd, found = Odd(sim, style=style).start(), [0.0]
        for odd.mode, odd.other, odd.number, odd.word in values:
            sim.run(until=sim.time + 1.0)
            found.append(odd.x)
        assert np.diff(found) == pytest.approx(exact)


class Same:
    """An object that is equal to a text."""

    def __eq__(self, other: object) -> bool:
        return other == "heat"

    def __hash__(self) -> int:
        return hash("heat")


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize("value", [Same(), Text("heat"), np.str_("heat")], ids=["object", "subclass", "numpy"])
@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_mode_of_another_kind_is_compared_by_python(value: Any, compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    room = Room(sim, mode="off").start()
    sim.run(until=1.0)
    room.mode = value
    sim.run(until=2.0)
    assert room.x == pytest.approx(1.0, abs=1e-9)
    assert room.mode is value


class Group(ev.Continuous):
    """It reads the modes of several."""

    z: ev.State = ev.state(0.0)
    rooms: list[Room] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.z = sum(1.0 for room in self.rooms if room.mode == "heat")


@pytest.mark.parametrize("compiles", ["auto", False])
def test_modes_of_the_items_of_a_list_are_compared(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    rooms = [Room(sim, mode=mode) for mode in ("heat", "off", "heat")]
    group = Group(sim, rooms=rooms).start()
    sim.run(until=1.0)
    rooms[1].mode = built("heat")
    sim.run(until=2.0)
    rooms[0].mode = "cool"
    rooms[2].__dict__["mode"] = "off"
    sim.run(until=3.0)
    assert group.z == pytest.approx(2.0 + 3.0 + 1.0, abs=1e-9)
    assert all(note.is_compiled for note in sim.explain().laws) == (compiles == "auto")
