"""Processes that choose among resources as native code leave the same as in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import random_queues
from bodies.holders import both
from random_bodies import hurry, load, made, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def compare(seed: int, acts: int, looks: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(random_queues.program_choosing(seed, acts, looks), folder, f"choosing{seed}")
    expected = random_queues.outcome(simulation(False), module, seed, acts, looks)
    sim = simulation("auto", native=native)
    assert repr(random_queues.outcome(sim, module, seed, acts, looks)) == repr(expected), seed
    return taken(sim)


LOOKED_AT = {"alone": (0, 0), "looked at": (6, 4), "meddled with": (14, 10)}


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_choosing_rows_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=False) for seed in range(20)) > 300


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_choosing_native_rows_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=True) for seed in (4, 13, 18)) > 300


def length(counter: ev.Resource) -> float:
    return counter.in_use.value + counter.queue.value


class Hall:
    """Counters, and what became of customers."""

    def __init__(self, sim: ev.Simulation, policy: str, counters: int) -> None:
        self.sim = sim
        self.policy = policy
        self.counters = [ev.Resource(sim, name=f"counter {number}") for number in range(counters)]
        self.waits = ev.Tally()
        self.at_once = self.gave_up = 0
        self.log: list[Any] = []

    def customer(self) -> ev.ProcessGenerator:
        sim, arrived = self.sim, self.sim.time
        with min(self.counters, key=length).request() as place:
            if self.policy == "renege":
                outcome = yield ev.first_of(served=place, gave_up=ev.hold(2.0))
                if outcome.name == "gave_up":
                    self.gave_up += 1
                    return
            else:
                yield place
            self.waits.add(sim.time - arrived)
            self.at_once += sim.time == arrived
            yield ev.hold(sim.stream("services").exponential(1.0))
            counter = place.resource
        self.log.append((sim.time, counter))

    def door(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(self.sim.stream("gaps").exponential(0.4))
            self.sim.process(self.customer())


def told(hall: Hall) -> list[Any]:
    counters = [(one.counts, list(one.waits.values), list(one.queue._held.items())) for one in hall.counters]
    log = [(time, counter.name) for time, counter in hall.log]
    return [log, hall.at_once, hall.gave_up, list(hall.waits.values), counters, hall.sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("policy", ["stay", "renege"])
def test_who_joins_the_shortest_line_is_native_as_a_whole(policy: str, native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        hall = Hall(sim, policy, 3)
        sim.process(hall.door())
        sim.run(until=30.0)
        middle = told(hall)
        sim.run(until=60.0)
        return [middle, told(hall)]

    found, sim = both(run, native=native)
    assert {name for _, name in found[1][0]} == {"counter 0", "counter 1", "counter 2"}
    assert taken(sim) > 0.8 * sim.events
    assert made(sim) > 100
    assert sim._migration is not None
    assert not sim._migration.exits


def test_who_comes_later_chooses_among_the_lines_of_then() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        hall = Hall(sim, "stay", 2)
        sim.process(hall.door())

        def builder() -> ev.ProcessGenerator:
            for step in iter(range(3)):
                yield ev.hold(10.0)
                if step == 0:
                    hall.counters.append(ev.Resource(sim, name=f"counter {step + 2}"))
                elif step == 1:
                    hall.counters[0] = ev.Resource(sim, name="another")
                else:
                    hall.counters = hall.counters[::-1]

        sim.process(builder())
        sim.run(until=50.0)
        return told(hall)

    found, sim = both(run)
    assert {name for _, name in found[0]} == {"counter 0", "counter 1", "counter 2", "another"}
    assert taken(sim) > 0.6 * sim.events


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_was_chosen_may_have_a_variable(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desks = (ev.Resource(sim, 2, name="two"), ev.Resource(sim, 1, name="one"))
        log: list[Any] = []

        def user(rank: int) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(sim.stream("gaps").exponential(1.0))
                best = max(desks, key=lambda desk: desk.available * 2 - rank)
                with best.request(rank) as unit:
                    yield unit
                    yield ev.hold(sim.stream("work").uniform(0.5, 1.0))
                    log.append((sim.time, best))

        for rank in range(4):
            sim.process(user(rank))
        for until in (9.0, 30.0):
            sim.run(until=until)
            log.append((until, *(p._generator.gi_frame.f_locals.get("best", desks[0]) for p in sim.processes)))  # type: ignore[attr-defined]
        return [[(time, [one.name for one in some]) for time, *some in log], [desk.counts for desk in desks]]

    found, sim = both(run, native=native)
    assert {name for _, names in found[0] for name in names} == {"one", "two"}
    assert taken(sim) > 0.8 * sim.events
    assert sim._migration is not None
    assert not sim._migration.exits


def test_a_variable_that_has_no_value_yet_keeps_nobody_from_becoming_a_row() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []

        def user(number: int) -> ev.ProcessGenerator:
            if number < 2:
                word = [str(number)]
            for turn in range(40):
                yield ev.hold(0.5 + 0.25 * number)
                if turn == 10 and number == 2:
                    word = ["late"]
                if turn >= 10 or number < 2:
                    log.append(word)

        for number in range(3):
            sim.process(user(number))
        sim.run()
        return log

    found, sim = both(run)
    assert len(found) == 40 + 40 + 30
    assert taken(sim) > 20


def test_a_variable_is_the_object_that_it_was_given() -> None:
    class Shop:
        def __init__(self, *desks: ev.Resource) -> None:
            self.desk = desks[0]
            self.desks = desks

        def user(self, sim: ev.Simulation, number: int, log: list[Any]) -> ev.ProcessGenerator:
            for turn in range(30):
                desk = self.desk
                yield ev.hold(0.75 + 0.125 * number)
                with desk.request() as unit:
                    yield unit
                    yield ev.hold(0.25)
                if turn % 2:
                    other = self.desks[0]
                else:
                    other = self.desks[1]
                log.append((sim.time, number, desk))
                yield ev.hold(0.125)
                with other.request() as unit:
                    yield unit
                    log.append((sim.time, number, other))

    def run(sim: ev.Simulation) -> list[Any]:
        shop, log = Shop(ev.Resource(sim, name="one"), ev.Resource(sim, name="other")), list[Any]()

        def changer() -> ev.ProcessGenerator:
            for step in iter(range(20)):
                yield ev.hold(2.5)
                shop.desk = shop.desks[step % 2]

        for number in range(3):
            sim.process(shop.user(sim, number, log))
        sim.process(changer())
        for until in (5.1, 7.6, 20.1, 60.0):
            sim.run(until=until)
        return [[(time, number, desk.name) for time, number, desk in log], [desk.counts for desk in shop.desks]]

    found, sim = both(run)
    assert len(found[0]) == 180
    assert taken(sim) > 100


@pytest.mark.parametrize("first", [0, 1])
def test_of_resources_of_both_kinds_those_that_preempt_do_so(first: int) -> None:
    """Whichever of them comes first."""

    def run(sim: ev.Simulation) -> list[Any]:
        kinds, log = (ev.Resource, ev.PreemptiveResource, ev.Resource), list[Any]()
        desks = [kind(sim) for kind in kinds[first:]]

        def customer(number: int) -> ev.ProcessGenerator:
            with desks[number % 2].request(number % 3) as place:
                yield place
                try:
                    yield ev.hold(4.0)
                except ev.Interrupt:
                    yield ev.hold(0.25)
            log.append((sim.time, number))

        def door() -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(1.0)
                sim.process(customer(number))

        sim.process(door())
        sim.run()
        return [log, [(desk.counts, desk.waits.mean) for desk in desks], sim.events]

    found, sim = both(run)
    assert [counts.preempted > 0 for counts, _ in found[1]][:2] == [first == 1, first == 0]
    assert taken(sim) > 0.6 * sim.events
