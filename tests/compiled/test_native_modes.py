"""Modes that native handlers, and processes, set: what Python reads, and what laws and conditions go by."""

from __future__ import annotations

import enum
import gc
import hashlib
import weakref
from random import Random
from typing import Any

import pytest
from compiled.modes import Way, built

import eventide as ev
from eventide.continuous.components import reference
from eventide.continuous.components.reference import number_of

WARM = "warm"


class Oven(ev.Continuous):
    """Two handlers set a mode, and one a member of an enumeration; all of them are native after some events."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(0.0)
    mode: str = "heat"
    way: Way = Way.UP
    count: int = 0
    other: Oven | None = None

    def equations(self) -> None:
        match self.mode:
            case "heat":
                self.rate.x = 1.0
            case "cool" | "cold":
                self.rate.x = -1.0
            case _:
                self.rate.x = 0.25
        self.rate.y = 1.5 if self.way is Way.UP else -1.0

    @ev.when(lambda self: self.mode == "heat" and self.x > 0.1)
    def cool(self) -> None:
        self.mode = "cold" if self.count % 3 == 0 else "cool"
        self.count += 1

    @ev.when(lambda self: self.mode not in ("heat", WARM) and self.x < 0.0)
    def heat(self) -> None:
        if self.count % 5 == 4:
            self.mode = WARM
            return
        self.mode = "cool"
        self.mode = "heat"

    @ev.when(lambda self: self.mode == WARM and self.x > 0.05)
    def go_on(self) -> None:
        self.mode = "heat"

    @ev.when(lambda self: self.way is Way.UP and self.y > 0.13)
    def turn(self) -> None:
        self.way = Way.DOWN
        if self.other is not None and self.other.mode == "cold":
            self.other.mode = "cool"

    @ev.when(lambda self: self.way is Way.DOWN and self.y < 0.0)
    def turn_back(self) -> None:
        self.way = Way.UP


def baked(seed: int, compiles: Any) -> tuple[list[tuple[Any, ...]], Any]:
    """A run of two ovens whose modes other code sets meanwhile, too, in every way."""
    sim, random = ev.Simulation(compile=compiles), Random(seed)
    ovens = [Oven(sim), Oven(sim)]
    ovens[0].other = ovens[1]
    log: list[tuple[Any, ...]] = []

    def disturb() -> Any:
        for _ in range(12):
            yield ev.hold(random.uniform(0.2, 2.5))
            log.extend((sim.time, oven.x, oven.y, oven.mode, oven.way, oven.count) for oven in ovens)
            oven = random.choice(ovens)
            match random.randrange(7):
                case 0:
                    oven.mode = random.choice(["heat", "cool", "other", built("heat"), built("cool")])
                case 1:
                    oven.mode = None  # type: ignore[assignment]  # as people do
                case 2:
                    oven.mode = 3  # type: ignore[assignment]
                case 3:
                    oven.mode = WARM
                case 4:
                    oven.way = random.choice([Way.UP, Way.DOWN, None])  # type: ignore[assignment]
                case 5:
                    oven.mode = built(str(oven.mode))
                case 6:
                    oven.count += 1
            if random.random() < 0.5:
                oven.mode = "heat"

    def wait(oven: Oven) -> Any:
        while True:
            yield ev.until(lambda: oven.mode == "cold")
            log.append((sim.time, "cold", oven.mode))
            yield ev.until(lambda: oven.mode != "cold" and oven.y > 0.0)
            log.append((sim.time, "not", oven.mode))

    def sway(oven: Oven) -> Any:
        while True:
            yield ev.until(lambda: oven.x > 0.08 and oven.way is Way.DOWN)
            oven.way = Way.REST
            yield ev.until(lambda: oven.way is Way.REST and oven.y < -0.2)
            oven.way = Way.UP

    for oven in ovens:
        oven.start()
    sim.process(disturb())
    if seed % 3 == 1:
        sim.process(wait(ovens[1]))
    if seed % 3 == 2:
        sim.process(sway(ovens[0]))
    sim.run(until=20.0)
    log.extend((sim.time, oven.x, oven.y, oven.mode, oven.way, oven.count) for oven in ovens)
    return log, sim


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed > 0)) for seed in range(20)])
def test_modes_that_native_handlers_set_are_those_of_python(seed: int) -> None:
    log, sim = baked(seed, "auto")
    assert log == baked(seed, False)[0]
    assert seed > 2 or sim._continuum.integrator.native_handlers.handled > 5  # not until they have had 16 events


def test_what_is_read_behind_a_native_handler_is_the_object_of_the_code() -> None:
    sim = ev.Simulation()
    oven, built_mode, handlers = Oven(sim, mode=built("heat")).start(), built("heat"), []
    seen: list[tuple[Any, Any]] = []

    def look() -> Any:
        for _ in range(120):
            yield ev.hold(0.07)
            handlers.append(sim._continuum.integrator.native_handlers.handled)
            seen.append((oven.mode, oven.way))

    sim.process(look())
    sim.run(until=9.0)
    texts = {one: one for code in (Oven.cool, Oven.heat) for one in code.__code__.co_consts if isinstance(one, str)}
    assert handlers[-1] > 50
    for mode, way in seen[60:]:
        assert any(mode is one for one in (*texts.values(), WARM, "heat"))
        assert way is Way.UP or way is Way.DOWN
    assert vars(oven)["mode"] is oven.mode
    oven.mode = built_mode
    assert oven.mode is built_mode


class Sorted(ev.Continuous):
    """What is done in one mode cannot be compiled."""

    x: ev.State = ev.state(0.0)
    mode: str = "up"
    count: int = 0

    def equations(self) -> None:
        if self.mode == "odd":
            self.rate.x = sorted([2.0, -0.5 * self.x, 3.0])[1]
        else:
            self.rate.x = 1.0 if self.mode == "up" else -1.0

    @ev.when(lambda self: self.mode == "up" and self.x > 0.1)
    def fall(self) -> None:
        self.mode = "down"
        self.count += 1

    @ev.when(lambda self: self.mode == "down" and self.x < 0.0)
    def rise(self) -> None:
        self.mode = "up"


@pytest.mark.slow
def test_a_law_of_which_one_mode_cannot_be_compiled_is_compiled_in_the_others() -> None:
    ends: list[tuple[Any, ...]] = []
    for compiles in ("auto", False):
        sim = ev.Simulation(compile=compiles)
        one = Sorted(sim).start()
        sim.run(until=12.03)
        assert all(note.is_compiled for note in sim.explain().laws) == (compiles == "auto")
        ends.append((one.x, one.mode, one.count))
        one.mode = "odd"
        sim.run(until=13.0)
        assert not any(note.is_compiled for note in sim.explain().laws)
        ends.append((one.x, one.mode, one.count))
    assert ends[:2] == ends[2:]


class Door(enum.Enum):
    """The members stand in the order of those of `Way`."""

    OPEN = 1
    SHUT = 2


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


ALL = Rights.READ | Rights.WRITE


class Shed(ev.Continuous):
    """Its door is compared with members of two enumerations, and rights with such that are made of others."""

    x: ev.State = ev.state(0.0)
    door: Door = Door.OPEN
    rights: Rights = ALL
    count: int = 0

    def equations(self) -> None:
        is_way = self.door is Way.UP or self.door == Way.DOWN  # type: ignore[comparison-overlap]  # as people do
        self.rate.x = (100.0 if is_way else 1.0) + (0.0 if self.rights == ALL else 0.5)

    @ev.when(lambda self: self.x > 0.1)
    def shut(self) -> None:
        self.x = 0.0
        self.count += 1
        self.door = Door.SHUT if self.door is Door.OPEN else Door.OPEN
        self.rights = Rights.WRITE if self.count % 2 else ALL


@pytest.mark.parametrize("compiled", ["auto", False])
def test_members_of_other_enumerations_and_those_made_of_others_are_told_apart(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled, dt_min=1e-9)
    shed = Shed(sim).start()
    sim.run(until=5.0)
    assert shed.count == 59  # 0.1 / 1 and 0.1 / 1.5 in turn
    assert shed.rights is Rights.WRITE
    assert shed.door is Door.SHUT


def test_an_enumeration_that_is_made_again_has_the_same_numbers_and_is_not_kept() -> None:
    def make() -> type[enum.Enum]:
        return enum.Enum("Made", ["ONE", "TWO"])

    first, second = make(), make()
    assert [number_of(one) for one in first] == [number_of(one) for one in second] == [1.0, 2.0]
    kept = weakref.ref(first)
    del first
    gc.collect()
    assert kept() is None


def test_texts_of_one_digest_have_numbers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "blake2b", lambda text, digest_size: hashlib.blake2b(b"", digest_size=digest_size))
    monkeypatch.setattr(reference, "_TEXTS", {})
    monkeypatch.setattr(reference, "NUMBERS", {})
    texts = ["a", "b", "a", "c", "b"]
    numbers = [number_of(text) for text in texts]
    assert [number - numbers[0] for number in numbers] == [0.0, 1.0, 0.0, 2.0, 1.0]
