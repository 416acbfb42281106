"""Processes that put into containers and get from them as native code leave the same as in Python, at any cut."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_transfers
from bodies.holders import both
from random_bodies import hurry, load, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


# --- random models ----------------------------------------------------------------------------------------------------


def compare(seed: int, acts: int, looks: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(random_transfers.program(seed, acts, looks), folder, f"transfers{seed}")
    expected = random_transfers.outcome(simulation(False), module, seed, acts, looks)
    sim = simulation("auto", native=native)
    assert random_transfers.outcome(sim, module, seed, acts, looks) == expected, seed
    return taken(sim)


LOOKED_AT = {"alone": (0, 0), "looked at": (6, 4), "meddled with": (14, 13)}


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_transfers_of_rows_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=False) for seed in range(22)) > 500


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_transfers_of_native_rows_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=True) for seed in (1, 4, 7)) > 100


# --- models -----------------------------------------------------------------------------------------------------------


def filling(
    sim: ev.Simulation, tank: ev.Container, amount: float, stops: tuple[float, ...], look: Any = None, cut: float = 0.0
) -> list[Any]:
    """Cars that fetch fuel and may be called away, and a truck that brings some, until each of some times."""
    rng, log = Random(3), []

    def car(number: int) -> ev.ProcessGenerator:
        for turn in range(30):
            try:
                yield ev.hold(rng.expovariate(1.0))
                yield tank.get(amount, turn % 2)
            except ev.Interrupt:
                log.append((number, 7))
            log.append((sim.time, tank.amount, tank.level.value))

    def truck() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(rng.uniform(0.5, 1.5))
            yield tank.put(4 * amount)

    def caller(other: ev.Process) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(cut)
            other.interrupt(7)

    cars = [sim.process(car(number)) for number in range(6)]
    sim.process(truck())
    if cut:
        sim.process(caller(cars[0]))
    for until in stops:
        sim.run(until=until)
        log.append([(p.name, p.why_waiting().rpartition("/")[2]) for p in sim.processes] if look is None else look())
    return [log, sim.events, random_transfers.seen_of(tank), repr(tank), rng.random()]


AMOUNTS = {"floats": (20.0, 8.0, 2.5), "whole numbers": (20, 8, 2), "without end": (float("inf"), 0, 3)}


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("capacity", "initial", "amount"), AMOUNTS.values(), ids=AMOUNTS)
def test_who_fills_and_empties_a_container_is_native_as_a_whole(
    capacity: float, initial: float, amount: float, native: bool
) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        return filling(sim, ev.Container(sim, capacity, initial), amount, (4.0, 9.5, 20.0))

    _, sim = both(run, native=native)
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    assert not sim._migration.exits


def test_who_is_called_away_from_a_container_leaves_its_line_or_gives_back_what_was_granted() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        return filling(sim, ev.Container(sim, 20.0, 0.0), 2.5, (10.0,), cut=0.375)

    found, sim = both(run)
    assert sum(entry == (0, 7) for entry in found[0]) > 10
    assert taken(sim) > 0.8 * sim.events


def test_to_look_at_a_container_returns_no_process_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank = ev.Container(sim, 20.0, 8.0)
        seen: list[Any] = []

        def looker() -> ev.ProcessGenerator:
            for step in iter(range(20)):
                yield ev.hold(1.0)
                seen.append((tank.amount, tank.level.mean, tank.gets.queue.mean, tank.puts.waits.count, tank.capacity))
                if step % 5 == 4:
                    sim.reset_statistics()

        sim.process(looker())
        return [filling(sim, tank, 2.5, (20.0,), look=lambda: None), seen]

    found, sim = both(run)
    assert len(found[1]) == 19
    assert sim._migration is not None
    assert not sim._migration.exits
    assert taken(sim) > 0.8 * sim.events


def test_what_rows_cannot_have_of_a_container_is_left_to_python_and_named() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, log = ev.Container(sim, 100, 50), []

        def user() -> ev.ProcessGenerator:
            for turn in range(25):
                yield ev.hold(0.5)
                got = yield tank.get(1)
                log.append((got, tank.amount))
                if turn == 20:
                    yield tank.put(0.5)
                yield ev.hold(0.5)

        for _ in range(4):
            sim.process(user())
        sim.run(until=40.0)
        return [log, random_transfers.seen_of(tank)]

    _, sim = both(run)
    text = str(sim.explain())
    assert "`tank.put(0.5)`: a container whose amount becomes a float is left to Python" in text


@pytest.mark.slow
def test_there_is_room_for_the_changes_of_all_that_wait() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, seen = ev.Container(sim, 1000.0, 0.0), []

        def taker() -> ev.ProcessGenerator:
            for _ in range(4):
                yield tank.get(1.25)
                yield ev.hold(0.5)

        def truck() -> ev.ProcessGenerator:
            for turn in range(8):
                yield ev.hold(1.0)
                yield tank.put(600.0 + turn)
                seen.append(tank.level.value)

        for _ in range(500):
            sim.process(taker())
        sim.process(truck())
        sim.run()
        return [seen, random_transfers.seen_of(tank), sim.events]

    found, sim = both(run)
    assert sum(wait > 0.0 for wait in found[1][6]) > 1000
    assert taken(sim) > 3000


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_put", [False, True], ids=["get", "put"])
def test_who_is_called_away_once_it_was_granted_gives_back_what_it_got(is_put: bool, native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, log = ev.Container(sim, 10.0, 10.0 if is_put else 0.0), []

        def taker() -> ev.ProcessGenerator:
            while True:
                try:
                    if is_put:
                        yield tank.put(2.5)
                    else:
                        yield tank.get(2.5)
                    log.append(sim.time)
                except ev.Interrupt:
                    yield ev.hold(0.25)

        def giver(other: ev.Process) -> ev.ProcessGenerator:
            for turn in range(60):
                yield ev.hold(1.0)
                if is_put:
                    yield tank.get(3.0)
                else:
                    yield tank.put(3.0)
                if turn % 2:
                    other.interrupt(turn)

        sim.process(giver(sim.process(taker())))
        sim.run(until=70.0)
        return [log, random_transfers.seen_of(tank), sim.events]

    found, sim = both(run, native=native)
    assert len(found[0]) > 30
    assert taken(sim) > 0.8 * sim.events


@pytest.mark.parametrize("most", [4.0, 12.0], ids=["fits", "may be too much"])
def test_an_amount_that_is_drawn_there_is_native_where_the_container_can_hold_it(most: float) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, drawn = ev.Container(sim, 10.0, 5.0), sim.stream("drawn")

        def taker() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                yield tank.get(drawn.uniform(1.0, most))

        def giver() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(drawn.uniform(0.25, 0.75))
                yield tank.put(drawn.uniform(0.0, 4.0))

        sim.process(taker())
        sim.process(giver())
        try:
            sim.run(until=60.0)
        except ev.ModelError as error:
            return [repr(error), sim.time, random_transfers.seen_of(tank)]
        return [random_transfers.seen_of(tank), sim.events, drawn.random()]

    found, sim = both(run)
    assert ("would wait for ever" in str(found[0])) == (most > 10.0)
    assert most > 10.0 or taken(sim) > 0.8 * sim.events


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_gives_up_at_a_container_is_native(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, drawn, log = ev.Container(sim, 12.0, 3.0), sim.stream("drawn"), []

        def car(number: int) -> ev.ProcessGenerator:
            for _ in range(40):
                yield ev.hold(drawn.exponential(1.0))
                outcome = yield ev.first_of(fuel=tank.get(2.5), patience=ev.hold(0.5))
                if outcome.name == "fuel":
                    log.append((number, sim.time))
                yield ev.first_of(late=0.25, back=tank.put(0.5))

        def truck() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(drawn.uniform(1.0, 2.0))
                yield tank.put(4.0)

        for number in range(6):
            sim.process(car(number))
        sim.process(truck())
        for until in (3.0, 7.5, 20.0):
            sim.run(until=until)
            log.append([(p.name, p.why_waiting()) for p in sim.processes])
        return [log, random_transfers.seen_of(tank), sim.events, drawn.random()]

    found, sim = both(run, native=native)
    assert any("of 2.5 since" in why for alive in found[0] if isinstance(alive, list) for _, why in alive)
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    assert not sim._migration.exits


def test_the_priority_of_a_put_or_a_get_is_a_float_wherever_it_waits() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank = ev.Container(sim, 4.0, 0.0)

        def taker(rank: float) -> ev.ProcessGenerator:
            for _ in range(20):
                yield ev.hold(0.25)
                yield tank.get(1.0, rank)

        def giver() -> ev.ProcessGenerator:
            for _ in range(40):
                yield ev.hold(0.5)
                yield tank.put(1.0, 0)

        for rank in (0, 1, -0.0, 2.5):
            sim.process(taker(rank))
        sim.process(giver())
        found = []
        for until in (4.0, 9.0):
            sim.run(until=until)
            found.append([(transfer.process.name, transfer.priority) for transfer in tank.gets.waiting])
        return found

    found, sim = both(run)
    assert {repr(rank) for waiting in found for _, rank in waiting} == {"0.0", "1.0", "2.5"}
    assert taken(sim) > 0.6 * sim.events


def test_a_capacity_that_becomes_a_float_is_one_in_rows() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        tank, log = ev.Container(sim, 20, 10.0), []

        def keeper() -> ev.ProcessGenerator:
            for _ in range(60):
                yield ev.hold(0.5)
                log.append(tank.capacity)
                if tank.amount < 0.75 * tank.capacity:
                    yield tank.put(1.0)
                else:
                    yield tank.get(2.5)

        def changer() -> ev.ProcessGenerator:
            for capacity in [20.5, 8, 12.25]:
                yield ev.hold(7.25)
                tank.capacity = capacity

        sim.process(keeper())
        sim.process(changer())
        sim.run()
        return [log, random_transfers.seen_of(tank)]

    found, sim = both(run)
    assert len(set(found[0])) == 4
    assert taken(sim) > 0.8 * sim.events


# --- waits for what is in one -----------------------------------------------------------------------------------------


def watched(compiles: Any, what: str, *, native: bool) -> tuple[list[Any], ev.Simulation]:
    """A tank that is filled and drawn from, and a process that waits again and again for something of it."""
    sim = simulation(compiles, native=native)
    tank, seen = ev.Container(sim, 100.0, 50.0, name="tank"), []
    asked = {
        "amount": lambda: tank.amount > 60.0,
        "amount and time": lambda: tank.amount > 60.0 and sim.time > 100.0,
        "level": lambda: tank.level.value > 60.0,
        "queue": lambda: tank.gets.queue.value > 0.0 or tank.amount > 70.0,
    }

    def fill() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.0)
            yield tank.put(1.0)
            if tank.amount > 90.0:
                yield tank.get(40.0)

    def draw() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.3)
            yield tank.get(1.2)

    def watch() -> ev.ProcessGenerator:
        while True:
            yield ev.until(asked[what])
            seen.append((sim.time, tank.amount))
            yield ev.hold(100.0)

    sim.process(fill())
    sim.process(draw())
    sim.process(watch())
    sim.run(until=900.0)
    return seen, sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("what", ["amount", "amount and time", "level", "queue"])
def test_a_wait_for_what_is_in_a_container_sees_what_rows_put_in(what: str, native: bool) -> None:
    """The amount was read once, as an attribute that Python sets, and the wait was missed while rows changed it."""
    seen, _ = watched("auto", what, native=native)
    assert seen == watched(False, what, native=native)[0]
    assert len(seen) > 3
