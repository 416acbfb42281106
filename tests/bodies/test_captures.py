"""Functions that a model makes within itself are read once for all its simulations, which reach their own objects."""

from __future__ import annotations

import gc
from collections.abc import Callable
from math import copysign
from typing import Any
from weakref import ref

import hypothesis.strategies as st
import pytest
from bodies.reads import read_anew
from hypothesis import given
from random_bodies import simulation, taken

import eventide as ev
from eventide.reading.common import bounds_by_size

Told = list[Any]
Made = Callable[[ev.Simulation, Told], object]


@pytest.fixture(autouse=True)
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions whose bodies are read, where nothing is known at first."""
    return read_anew(monkeypatch)


def outcome(make: Made, compiles: Any = "auto") -> tuple[Told, int]:
    """What a model tells, and how many of its events were those of rows."""
    sim, told = simulation(compiles), []
    make(sim, told)
    sim.run(until=40.0)
    return [*told, sim.time, sim.events], taken(sim)


def same_each_time(*makes: Made) -> None:
    """Each leaves what it leaves in Python, and its processes are rows."""
    for make in makes:
        told, rows = outcome(make)
        assert told == outcome(make, False)[0]
        assert rows > 8


# --- what is read once ------------------------------------------------------------------------------------------------


def queue(mean: float = 0.75, places: int = 1) -> Made:
    def make(sim: ev.Simulation, told: Told) -> None:
        desk, draws = ev.Resource(sim, places), sim.stream("draws")

        def half(pause: float) -> float:
            return 0.5 * pause * mean

        def customer(kind: int) -> ev.ProcessGenerator:
            with desk.request() as place:
                yield place
                yield ev.hold(half(draws.exponential(1.0)))
            told.append((sim.time, kind))

        def source() -> ev.ProcessGenerator:
            number = 0
            while True:
                yield ev.hold(draws.exponential(mean))
                number += 1
                sim.process(customer(number))

        sim.process(source())

    return make


class Room(ev.Continuous):
    temperature: ev.State = ev.state(18.0)
    heating: float = 0.0

    def equations(self) -> None:
        self.rate.temperature = self.heating - 0.25 * (self.temperature - 10.0)


class Basin(ev.Continuous):
    level: ev.State = 0.0
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.inflow


def rooms(high: float = 22.0) -> Made:
    def make(sim: ev.Simulation, told: Told) -> None:
        room = Room(sim).start()

        def is_cold() -> bool:
            return room.temperature <= 18.0

        def control() -> ev.ProcessGenerator:
            while True:
                room.heating = 4.0
                yield ev.until(lambda: room.temperature >= high)
                told.append(sim.time)
                room.heating = 0.0
                yield ev.until(is_cold)

        sim.process(control())

    return make


def stores(sim: ev.Simulation, told: Told) -> None:
    shelf, tank = ev.Store(sim, capacity=3), ev.Container(sim, capacity=4.0)

    def fill() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.5)
            yield shelf.put(sim.time)
            yield tank.put(0.75)

    def drain() -> ev.ProcessGenerator:
        while True:
            yield shelf.get()
            yield tank.get(0.75)
            told.append((sim.time, tank.level.value))
            yield ev.hold(0.625)

    sim.process(fill())
    sim.process(drain())


def choice(sim: ev.Simulation, told: Told) -> None:
    desks = [ev.Resource(sim, name=f"desk {k}") for k in range(3)]

    def choose() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.25)
            with min(desks, key=lambda desk: desk.in_use.value).request() as place:
                yield place
                yield ev.hold(0.75)
            told.append(sim.time)

    for _ in range(4):
        sim.process(choose())


def patience(sim: ev.Simulation, told: Told) -> None:
    desk, limit = ev.Resource(sim), 0.875

    def customer() -> ev.ProcessGenerator:
        request = desk.request()
        outcome = yield ev.first_of(served=request, gave_up=ev.hold(limit))
        told.append((sim.time, outcome.name))
        if outcome.name == "served":
            yield ev.hold(0.75)
            request.release()

    def source() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.5)
            sim.process(customer())

    sim.process(source())


ONCE: dict[str, tuple[Made, list[str]]] = {
    "a queue": (queue(), ["customer", "source"]),
    "conditions": (rooms(), ["control"]),
    "stores": (stores, ["drain", "fill"]),
    "a choice among several": (choice, ["choose"]),
}


@pytest.mark.slow
@pytest.mark.parametrize(("make", "functions"), ONCE.values(), ids=ONCE)
def test_a_function_that_a_model_makes_is_read_once(make: Made, functions: list[str], reads: list[str]) -> None:
    same_each_time(make, make, make)
    assert sorted(reads) == functions


def test_those_of_one_code_in_one_simulation_reach_objects_of_their_own(reads: list[str]) -> None:
    def both(sim: ev.Simulation, told: Told) -> None:
        for _ in range(2):
            queue()(sim, told)

    same_each_time(both)
    before = [*reads]
    same_each_time(both, queue())
    assert reads == before


def test_two_simulations_that_take_turns_reach_their_own_objects() -> None:
    plain, found = outcome(queue(), False)[0], []
    sims = [(simulation("auto"), []) for _ in range(2)]
    for sim, told in sims:
        queue()(sim, told)
    for k in range(1, 41):
        for sim, _ in sims:
            sim.run(until=float(k))
    for sim, told in sims:
        found.append([*told, sim.time, sim.events])
        assert taken(sim) > 20
    assert found == [plain, plain]


# --- what is another one ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "others", [(queue(0.5), queue(0.625), queue()), (queue(places=2), queue(mean=1)), (rooms(21.0), rooms(23))],
    ids=["numbers", "a resource and a type", "limits"],
)  # fmt: skip
def test_numbers_of_another_simulation_are_its_own(others: tuple[Made, ...]) -> None:
    same_each_time(queue(), rooms(), *others)


def test_a_body_serves_numbers_of_about_one_size(reads: list[str]) -> None:
    same_each_time(*(queue(1.0 - 0.125 * k) for k in range(4)))
    assert sorted(reads) == ["customer", "source"]


@pytest.mark.slow
@pytest.mark.parametrize("first", [0.5, -0.0, 1e308, 3, -2, 2**53 + 1])
def test_a_number_of_another_sign_type_or_size_is_computed_as_in_python(first: float) -> None:
    def steps(by: float) -> Made:
        def make(sim: ev.Simulation, told: Told) -> None:
            scale = 0.5

            def tick() -> ev.ProcessGenerator:
                total = 0
                while True:
                    yield ev.hold(scale)
                    total = by * 2 + scale
                    told.append(repr((total, by, by * scale, by // 3 if by else 0)))

            sim.process(tick())

        return make

    for by in (first, 0.0, 0, 2.5, -1.5, 7, -7, 1e300, first, True):
        told, _ = outcome(steps(by))
        assert told == outcome(steps(by), False)[0]


@pytest.mark.slow
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**54), 2**54))
def test_the_bounds_of_a_number_are_its_own_or_the_powers_of_two_around_it(value: float) -> None:
    bounds = bounds_by_size(value)
    assert bounds.low <= value <= bounds.high
    assert bounds.is_negative == (copysign(1.0, value) < 0.0)
    assert bounds.low == bounds.high or 0.0 < min(map(abs, bounds[:2])) * 2.0 >= max(map(abs, bounds[:2]))
    for end in bounds[:2]:
        assert bounds_by_size(type(value)(end)) == bounds


@pytest.mark.slow
def test_a_number_of_another_sign_may_be_an_error() -> None:
    def run(share: float, compiles: Any) -> tuple[Told, int]:
        sim, told = simulation(compiles, native=True), []

        def tick() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                if sim.time > 20.0:  # when it is a row
                    told.append(1.0 / share)

        sim.process(tick())
        sim.run(until=40.0)
        return told, taken(sim)

    for share in (0.5, 3.0, -1.5):
        told, rows = run(share, "auto")
        assert told == run(share, False)[0]
        assert rows > 20
    for compiles in ("auto", False):
        with pytest.raises(ZeroDivisionError):
            run(0.0, compiles)


def slow(desk: Any, told: Told) -> Callable[[], ev.ProcessGenerator]:
    def serve() -> ev.ProcessGenerator:
        while True:
            with desk.request() as place:
                yield place
                yield ev.hold(0.5)
            told.append(desk.queue.value)

    return serve


def test_a_cell_may_have_an_object_of_another_class(reads: list[str]) -> None:
    def with_one(kind: type[ev.Resource]) -> Made:
        return lambda sim, told: [sim.process(slow(desk, told)()) for desk in [kind(sim)] for _ in range(2)]

    same_each_time(with_one(ev.Resource), with_one(ev.PreemptiveResource), with_one(ev.Resource))
    assert reads == ["serve", "serve"]


def test_a_cell_may_have_a_function_of_another_code() -> None:
    def with_pause(is_long: bool) -> Made:
        def make(sim: ev.Simulation, told: Told) -> None:
            if is_long:

                def pause() -> float:
                    return 0.75 + float(len(told) % 2)

            else:

                def pause() -> float:
                    return 0.5

            def tick() -> ev.ProcessGenerator:
                while True:
                    yield ev.hold(pause())
                    told.append(sim.time)

            sim.process(tick())

        return make

    for is_long in (False, True, False, True):
        told, _ = outcome(with_pause(is_long))
        assert told == outcome(with_pause(is_long), False)[0]


def test_a_cell_that_others_set_is_left_when_they_do() -> None:
    def make(sim: ev.Simulation, told: Told) -> None:
        pause, desk = 0.5, ev.Resource(sim)

        def serve() -> ev.ProcessGenerator:
            while True:
                with desk.request() as place:
                    yield place
                    yield ev.hold(pause)
                told.append((sim.time, desk.queue.value))

        def change() -> ev.ProcessGenerator:
            nonlocal pause, desk
            while True:
                yield ev.hold(5.25)
                pause = 1.25 - pause
                desk = ev.Resource(sim)
                told.append(str(pause))

        for _ in range(2):
            sim.process(serve())
        sim.process(change())

    same_each_time(make, make)


def basins(sim: ev.Simulation, told: Told) -> None:
    basin, limit = Basin(sim).start(), 2.0

    def drain() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: basin.level >= limit)
            basin.level = 0.0
            told.append(sim.time)
            basin.inflow = 1.0 + 0.25 * (len(told) % 4)

    def change() -> ev.ProcessGenerator:
        nonlocal limit, basin
        while True:
            yield ev.hold(7.3)
            limit = 4.5 - limit
            yield ev.hold(3.1)
            basin = Basin(sim).start()

    sim.process(drain())
    sim.process(change())


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(40.0,), (9.0, 20.0, 33.3, 60.0)], ids=["one run", "several"])
def test_a_wait_for_a_state_sees_what_others_set_in_its_cells(ends: tuple[float, ...]) -> None:
    found = []
    for compiles in ("auto", False):
        sim, told = simulation(compiles), []
        basins(sim, told)
        for end in ends:
            sim.run(until=end)
        found.append([*told, sim.events])
        assert taken(sim) > 5 or not compiles
    assert found[0] == found[1]


class Pace:
    def __init__(self, gap: float) -> None:
        self.gap = gap

    def next_gap(self) -> float:
        return self.gap


class Slow(Pace):
    def next_gap(self) -> float:
        return 2.0 * self.gap


def walk(sim: ev.Simulation, pace: Pace, told: Told) -> ev.ProcessGenerator:
    while True:
        yield ev.hold(pace.next_gap())
        told.append(sim.time)


@pytest.mark.parametrize("is_captured", [True, False])
def test_an_object_that_gets_another_class_has_the_methods_of_that(is_captured: bool) -> None:
    def make(sim: ev.Simulation, told: Told) -> None:
        pace = Pace(0.5)

        def step() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(pace.next_gap())
                told.append(sim.time)

        def change() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(5.25)
                pace.__class__ = Slow if type(pace) is Pace else Pace

        sim.process(step() if is_captured else walk(sim, pace, told))
        sim.process(change())

    same_each_time(make, make)


def test_a_cell_may_have_an_object_of_another_simulation() -> None:
    other = simulation(False)
    strange = ev.Resource(other)

    def make(sim: ev.Simulation, told: Told) -> None:
        desk = strange if told else ev.Resource(sim)
        sim.process(slow(desk, told)())

    same_each_time(make)
    for compiles in ("auto", False):
        sim, told = simulation(compiles), [0]
        make(sim, told)
        with pytest.raises(ev.ModelError, match="another simulation"):
            sim.run(until=40.0)


def by_default(sim: ev.Simulation, told: Told) -> None:
    desk = ev.Resource(sim)

    def serve(pause: float = 0.25 + len(told)) -> float:
        return pause

    def tick() -> ev.ProcessGenerator:
        while True:
            with desk.request() as place:
                yield place
                yield ev.hold(serve())
            told.append(sim.time)

    sim.process(tick())


def by_class(sim: ev.Simulation, told: Told) -> None:
    class Part:
        def __init__(self) -> None:
            self.used = 0

        def __repr__(self) -> str:  # by which the class has the simulation
            return f"a part at {sim.time}"

    part = Part()

    def tick() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.5)
            part.used += 1
            told.append((sim.time, part.used))

    sim.process(tick())


def by_generators(sim: ev.Simulation, told: Told) -> None:
    desk = ev.Resource(sim)

    def served(pause: float) -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            yield ev.hold(pause)

    def tick() -> ev.ProcessGenerator:
        while True:
            yield from served(0.5)
            told.append(sim.time)

    for _ in range(2):
        sim.process(tick())


@pytest.mark.parametrize("make", [by_default, by_class, by_generators])
def test_what_each_simulation_makes_otherwise_is_read_in_each(make: Made, reads: list[str]) -> None:
    same_each_time(make, make)
    assert reads == ["tick", "tick"]


KEPT = {
    **{name: make for name, (make, _) in ONCE.items()},
    "defaults": by_default,
    "a class": by_class,
    "yield from": by_generators,
}


@pytest.mark.parametrize("make", KEPT.values(), ids=KEPT)
def test_what_is_kept_keeps_no_simulation(make: Made) -> None:
    sim, told = simulation("auto"), []
    make(sim, told)
    sim.run(until=40.0)
    assert taken(sim) > 10
    known = ref(sim)
    del sim, told
    gc.collect()
    assert known() is None


@pytest.mark.slow
def test_a_recorded_function_reaches_objects_of_its_simulation() -> None:
    def recorded(compiles: Any, scale: float) -> tuple[Told, list[float]]:
        sim, told = simulation(compiles), []
        room = Room(sim, heating=4.0).start()

        def scaled() -> float:
            return scale * room.temperature

        queue()(sim, told)
        recording = sim.record(every="event", x=lambda: scaled() + room.heating)
        sim.run(until=40.0)
        assert taken(sim) > 10 or not compiles
        return told, list(recording["x"])

    for scale in (2.0, 3.0, 2.0):
        assert recorded("auto", scale) == recorded(False, scale)
