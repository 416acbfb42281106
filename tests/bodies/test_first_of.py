"""Processes that wait for the first of several things as native code leave the same as in Python, at any cut."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import random_queues
from random_bodies import hurry, load

import eventide as ev
from eventide.migration.bodies import Bodies


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def in_rows(*, native: bool = False) -> ev.Simulation:
    """A simulation whose rows run as native code, or as Python."""
    sim = ev.Simulation(rng=7)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    return sim


def taken(sim: ev.Simulation) -> int:
    """How many events of rows there were."""
    return 0 if sim._migration is None else sim._migration.taken


def both(run: Any, *, native: bool = False) -> tuple[Any, ev.Simulation]:
    """What a model leaves in rows, which is what it leaves in Python."""
    expected, sim = run(ev.Simulation(rng=7, compile=False)), in_rows(native=native)
    assert run(sim) == expected
    return expected, sim


def statistics(desk: ev.Resource) -> list[Any]:
    """All that a resource has kept."""
    levels = [(list(level._held.items()), level._value, level._changed) for level in (desk.in_use, desk.queue)]
    return [desk.counts, list(desk.waits.values), *levels, desk.queue.mean]


# --- random models ----------------------------------------------------------------------------------------------------


def compare(seed: int, acts: int, looks: int, folder: Path, *, native: bool) -> int:
    """Run a random model in Python and in rows; how many events of rows there were."""
    module = load(random_queues.program_leaving(seed, acts, looks), folder, f"leaving{seed}")
    expected = random_queues.outcome(ev.Simulation(rng=7, compile=False), module, seed, acts, looks)
    sim = in_rows(native=native)
    assert random_queues.outcome(sim, module, seed, acts, looks) == expected, seed
    return taken(sim)


LOOKED_AT = {"alone": (0, 0), "looked at": (6, 3), "meddled with": (13, 10)}


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_rows_that_give_up_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=False) for seed in (1, 5, 9, 12)) > 50


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_rows_that_give_up_leave_the_same_in_many_models(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=False) for seed in range(20)) > 500


@pytest.mark.slow
@pytest.mark.parametrize(("acts", "looks"), LOOKED_AT.values(), ids=LOOKED_AT)
def test_native_rows_that_give_up_leave_the_same(acts: int, looks: int, tmp_path: Path) -> None:
    assert sum(compare(seed, acts, looks, tmp_path, native=True) for seed in (1, 5, 21)) > 100


# --- models as they are written ---------------------------------------------------------------------------------------


def caller(sim: ev.Simulation, desk: ev.Resource, rng: Random, log: list[Any], n: int) -> ev.ProcessGenerator:
    for _ in range(30):
        yield ev.hold(rng.expovariate(1.0))
        with desk.request() as place:
            outcome = yield ev.first_of(served=place, gave_up=ev.hold(0.75))
            if outcome.name == "gave_up":
                continue
            yield ev.hold(rng.expovariate(1.0))
    log.append(sim.time + n)


class Guest(ev.Process):
    """Takes what its outcome has."""

    desk: ev.Resource
    log: list[Any]
    patience: float

    def run(self) -> ev.ProcessGenerator:
        arrived = self.sim.time
        outcome = yield ev.first_of(turn=self.desk.request(), patience=ev.hold(self.patience))
        if outcome.name == "patience":
            self.log.append(-self.sim.time)
            return
        with outcome.value:
            self.log.append(self.sim.time - arrived)
            yield ev.hold(self.sim.stream("service").exponential(2.0))


def door(sim: ev.Simulation, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(100):
        yield ev.hold(sim.stream("gaps").exponential(1.2))
        Guest(sim, desk=desk, log=log, patience=2.0 + k * 0.01).activate()


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_gives_up_does_so_in_rows_at_any_cut(native: bool) -> None:
    def run(sim: ev.Simulation, cuts: int) -> list[Any]:
        desk, rng, log = ev.Resource(sim, 2), Random(3), list[Any]()
        for n in range(4):
            sim.process(caller(sim, desk, rng, log, n))
        sim.process(door(sim, desk, log))
        for cut in range(cuts):
            sim.run(until=3.0 * (cut + 1))
            log.append([process.why_waiting() for process in sim.processes])
        sim.run(until=150.0)
        return [log, statistics(desk), sim.events, rng.random(), sim.stream("service").random()]

    found, sim = both(lambda sim: run(sim, 0), native=native)
    assert len([one for one in found[0] if type(one) is float and one < 0.0]) > 10
    assert taken(sim) > 0.9 * sim.events
    assert "left to Python" not in str(sim.explain())
    assert sim._migration is not None
    assert sim._migration.exits == {}
    cut, sim = both(lambda sim: run(sim, 40), native=native)
    assert [one for one in cut[0] if type(one) is not list] == found[0]
    assert any("the first of served (" in text for one in cut[0] if type(one) is list for text in one)
    assert taken(sim) > 100


def patient(sim: ev.Simulation, desk: ev.Resource, log: list[Any], n: int) -> ev.ProcessGenerator:
    for _ in range(12):
        yield ev.hold(0.5)
        with desk.request() as place:
            got = yield ev.first_of(served=place, gave_up=ev.hold(1.0))
            log.append(sim.time if got.name == "served" else -sim.time)
            if place.granted:
                yield ev.hold(1.0)


def hasty(sim: ev.Simulation, desk: ev.Resource, log: list[Any], n: int) -> ev.ProcessGenerator:
    for _ in range(12):
        yield ev.hold(0.25 * n)
        got = yield ev.first_of(gave_up=ev.hold(0.0 if n == 4 else 0.75), served=desk.request())
        log.append(sim.time if got.name == "served" else -sim.time)
        if got.name == "served":
            with got.value:
                yield ev.hold(0.25)


AT_FIRST = [0.5, -1.0, -1.25, -1.5, -1.5, 1.75, -2.0]
"""When somebody was served or, below zero, gave up: at 1.5 a unit is free, and two give up before they know."""


def test_where_a_unit_comes_as_patience_ends_what_was_scheduled_first_is_first() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, log = ev.Resource(sim), list[Any]()
        for n in range(2):
            sim.process(patient(sim, desk, log, n))
        for n in range(2, 5):
            sim.process(hasty(sim, desk, log, n))
        sim.run()
        return [log, statistics(desk), sim.events]

    found, sim = both(run)
    assert found[0][:7] == AT_FIRST
    assert found[1][0].reneged == sum(time < 0.0 for time in found[0])
    assert found[1][0].asked == len(found[0]) == 60
    assert taken(sim) > 100


def disturbed(sim: ev.Simulation, desk: ev.Resource, log: list[Any], n: int) -> ev.ProcessGenerator:
    for k in range(40):
        yield ev.hold(0.25)
        try:
            if k % 2 == n % 2:
                with desk.request() as place:
                    yield ev.first_of(served=place, gave_up=ev.hold(2.0))
                    if place.granted:
                        yield ev.hold(0.5)
            else:
                got = yield ev.first_of(gave_up=ev.hold(2.0), served=desk.request())
                if got.name == "served":
                    with got.value:
                        yield ev.hold(0.5)
        except ev.Interrupt:
            log.append(-sim.time)
        log.append(sim.time)


def disturber(sim: ev.Simulation, one: ev.Process, other: ev.Process, third: ev.Process) -> ev.ProcessGenerator:
    for _ in range(12):
        yield ev.hold(0.7)
        one.interrupt()
        other.interrupt()
        yield ev.hold(0.3)
        third.interrupt()


def test_an_interrupt_withdraws_all_that_was_waited_for() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, log = ev.Resource(sim), list[Any]()
        stories = [sim.process(disturbed(sim, desk, log, n)) for n in range(4)]
        sim.process(disturber(sim, *stories[:3]))
        sim.run(until=30.0)
        return [log, statistics(desk), sim.events, [process.name for process in sim.processes]]

    found, sim = both(run)
    assert sum(time < 0.0 for time in found[0]) > 15
    assert found[1][0].reneged > 8
    assert taken(sim) > 0.7 * sim.events


def steady(sim: ev.Simulation, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    yield ev.hold(0.5)
    for _ in range(20):
        got = yield ev.first_of(served=desk.request(), gave_up=ev.hold(20.0))
        if got.name == "served":
            with got.value:
                log.append(sim.time)
                yield ev.hold(1.0)


def test_who_does_not_know_yet_that_he_has_his_unit_learns_it_in_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, log = ev.Resource(sim), list[Any]()
        stories = [sim.process(steady(sim, desk, log)) for _ in range(3)]

        def looker() -> ev.ProcessGenerator:
            yield ev.hold(2.0)
            for k in iter(range(40)):  # each second time somebody has just given his unit back
                yield ev.hold(2.5 if k % 2 else 0.5)
                log.append(stories[k % 3].why_waiting())

        sim.process(looker())
        sim.run()
        return [log, statistics(desk), sim.events]

    found, sim = both(run)
    assert any("served (its turn at time" in one for one in found[0] if type(one) is str)
    assert taken(sim) > 20


def drawing(sim: ev.Simulation, desk: ev.Resource, rng: Random, log: list[Any]) -> ev.ProcessGenerator:
    for _ in range(20):
        yield ev.hold(rng.expovariate(1.0))
        with desk.request() as place:
            yield ev.first_of(served=place, late=ev.hold(rng.expovariate(2.0)), never=sim.stream("x").exponential(3.0))
            if place.granted:
                yield ev.hold(0.75)
        log.append(sim.time)


def test_patience_may_be_drawn() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, rng, log = ev.Resource(sim), Random(4), list[Any]()
        for _ in range(4):
            sim.process(drawing(sim, desk, rng, log))
        sim.run()
        return [log, statistics(desk), sim.events, rng.random()]

    found, sim = both(run)
    assert found[1][0].reneged > 10
    assert taken(sim) > 150
    assert "left to Python" not in str(sim.explain())
    assert sim._migration is not None
    assert sim._migration.exits == {}


def urgent(sim: ev.Simulation, desk: ev.PreemptiveResource, rng: Random, log: list[Any], n: int) -> ev.ProcessGenerator:
    for _ in range(25):
        yield ev.hold(rng.expovariate(1.0))
        rank = rng.random() + 0.25 * n
        with desk.request(priority=rank) as place:
            try:
                got = yield ev.first_of(served=place, gave_up=ev.hold(0.5))
                if got.name == "served":
                    yield ev.hold(rng.expovariate(2.0))
                    log.append(sim.time + n)
            except ev.Interrupt as cut:
                log.append(cut.left or -sim.time)
                if n == 0:
                    log.append(cut.cause.by.name)


def test_units_may_be_taken_away_from_and_by_who_would_give_up() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, rng, log = ev.PreemptiveResource(sim, 2), Random(4), list[Any]()
        for n in range(5):
            sim.process(urgent(sim, desk, rng, log, n))
        sim.run()
        return [log, statistics(desk), sim.events, rng.random()]

    found, sim = both(run)
    assert found[1][0].preempted > 5
    assert {"urgent 4", "urgent 5"} < {*found[0]}
    assert taken(sim) > 120


def undecided(sim: ev.Simulation, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for k in range(20):
        yield ev.hold(0.25)
        got = yield ev.first_of(served=desk.request(), gave_up=ev.hold(0.5))
        if got.name == "served" and k % 3 == 1:
            yield ev.hold(0.25)
        if k == 18:
            return
        if got.name == "served":
            log.append((k, sim.time))
            with got.value:
                yield ev.hold(0.5)


def test_a_request_that_only_an_outcome_has_is_waited_with_and_kept_in_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, log = ev.Resource(sim, 2), list[Any]()
        for _ in range(4):
            sim.process(undecided(sim, desk, log))
        sim.run(until=60.0)
        return [log, statistics(desk), sim.events, [(unit.state, unit.since, unit.process.name) for unit in desk.users]]

    found, sim = both(run)
    assert len(found[3]) == 2
    assert taken(sim) > 20


# --- what is left to Python -------------------------------------------------------------------------------------------


def of_two(sim: ev.Simulation, one: ev.Resource, other: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for _ in range(10):
        yield ev.hold(0.5)
        got = yield ev.first_of(one=one.request(), other=other.request())
        with got.value:
            yield ev.hold(0.75)


def told_whole(sim: ev.Simulation, one: ev.Resource, other: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for _ in range(10):
        yield ev.hold(0.5)
        got = yield ev.first_of(one=one.request(), other=ev.hold(0.5))
        log.append(got.name)
        if got.name == "one":
            with got.value as unit:
                yield ev.hold(0.75)
                log.append(unit.state)


def read_later(sim: ev.Simulation, one: ev.Resource, other: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for _ in range(10):
        yield ev.hold(0.5)
        with one.request() as unit:
            got = yield ev.first_of(one=unit, other=ev.hold(0.25))
            yield ev.hold(0.25)
        log.append(got.name)


REASONS = {
    of_two: "several requests in one wait are left to Python",
    told_whole: "no one block gives back what it requests",
    read_later: "its outcome is used for something else than its name, or elsewhere",
}


@pytest.mark.parametrize("story", REASONS, ids=lambda story: story.__name__)
def test_what_is_not_exactly_known_is_left_to_python_and_told(story: Any) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        one, other, log = ev.Resource(sim), ev.Resource(sim), list[Any]()
        for _ in range(3):
            sim.process(story(sim, one, other, log))
        try:
            sim.run()
        except ev.ModelError as error:
            log.append(str(error))
        return [log, statistics(one), statistics(other), sim.events]

    _, sim = both(run)
    assert REASONS[story] in str(sim.explain())


def teller(sim: ev.Simulation, desk: ev.Resource, kept: list[Any], log: list[Any], n: int) -> ev.ProcessGenerator:
    for k in range(n):
        yield ev.hold(1.0)
        with desk.request() as unit:
            got = yield ev.first_of(served=unit, gave_up=ev.hold(1.5))
            if k % 7 == 3:
                kept.append(unit)
            if got.name == "served":
                yield ev.hold(0.75)
                yield ev.hold(0.5)
        log.append([(one.state, one.since) for one in kept])


def test_a_request_that_somebody_else_has_stays_python_there_too() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, kept, log = ev.Resource(sim), list[Any](), list[Any]()
        for n in (20, 30, 40):
            sim.process(teller(sim, desk, kept, log, n))
        sim.run()
        return [log, statistics(desk), sim.events]

    _, sim = both(run)
    assert taken(sim) > 20
