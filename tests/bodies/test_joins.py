"""Processes that wait for the end of others as native code are the same as in Python, wherever they are cut."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from random_bodies import hurry, made, simulation

import eventide as ev
from eventide import simulation as simulation_module


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def service(rng: Random) -> ev.ProcessGenerator:
    yield ev.hold(rng.expovariate(2.0))


def customer(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any], number: int) -> ev.ProcessGenerator:
    with desk.request() as place:
        yield place
        yield sim.process(service(rng))
    yield sim.process(service(rng))
    log.append((number, sim.time))


def by_name(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any], number: int) -> ev.ProcessGenerator:
    """The same, where the processes have names in between."""
    with desk.request() as place:
        yield place
        served = sim.process(service(rng))
        yield served
    paid = sim.process(service(rng), name=f"payment {number}")
    yield paid
    log.append((number, sim.time))


def in_pairs(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any], number: int) -> ev.ProcessGenerator:
    """Two at once, which are made before, and one beside a pause."""
    first = sim.process(service(rng))
    second = sim.process(customer(sim, rng, desk, log, -number), name=f"second {number}")
    yield ev.all_of(second=second, pause=ev.hold(0.25), one=first)
    if number % 3:
        first = sim.process(service(rng))
        yield first
    alone = sim.process(service(rng))
    yield ev.all_of(alone=alone, other=sim.process(service(rng)))
    log.append((number, sim.time))


def arrivals(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for number in range(150):
        yield ev.hold(rng.expovariate(1.5))
        sim.process(customer(sim, rng, desk, log, number))


def arrivals_by_name(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for number in range(150):
        yield ev.hold(rng.expovariate(1.5))
        sim.process(by_name(sim, rng, desk, log, number))


def arrivals_in_pairs(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any]) -> ev.ProcessGenerator:
    for number in range(75):
        yield ev.hold(rng.expovariate(0.75))
        sim.process(in_pairs(sim, rng, desk, log, number))


def run_desk(sim: ev.Simulation, stops: tuple[float, ...], story: Any) -> list[Any]:
    rng, desk, log = Random(5), ev.Resource(sim), []
    sim.process(story(sim, rng, desk, log))
    found: list[Any] = []
    for until in stops:
        sim.run(until=until)
        found.append([(p.name, p.idle or p.event_time, p.why_waiting(), p.terminated) for p in sim.processes])
    sim.run()
    return [log, found, list(desk.waits.values), sim.events, sim.time, rng.random()]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("story", [arrivals, arrivals_by_name, arrivals_in_pairs])
def test_who_waits_for_what_it_has_made_waits_in_its_row(native: bool, story: Any) -> None:
    stops = 20.0, 37.5, 38.0, 60.0
    expected = run_desk(simulation(False), stops, story)
    sim = simulation("auto", native=native)
    assert run_desk(sim, stops, story) == expected
    assert len(expected[0]) == 150
    assert any("waits for the end of" in why for alive in expected[1] for _, _, why, _ in alive)
    assert made(sim) > 300
    assert sim._migration is not None
    assert not sim._migration.exits


def run_crowd(sim: ev.Simulation, interrupts: bool) -> list[Any]:
    """Four wait for each of two that run over and over, and some are interrupted."""
    log: list[Any] = []
    current: list[ev.Process] = []

    def leader() -> ev.ProcessGenerator:
        for _ in range(6):
            yield ev.hold(1.0)

    def follower(name: str, pause: float) -> ev.ProcessGenerator:
        for turn in range(20):
            try:
                yield current[turn % 2]
                log.append((sim.time, name))
                yield ev.hold(pause)
            except ev.Interrupt as cut:
                log.append((sim.time, name, cut.cause, cut.left))

    def renewing(k: int) -> ev.ProcessGenerator:
        for _ in range(15):
            current[k] = sim.process(leader())
            yield current[k]
            log.append((sim.time, k))

    def meddler() -> ev.ProcessGenerator:
        for step in range(25):
            yield ev.hold(2.75)
            followers[step % 4].interrupt(step)

    current += [sim.process(leader()), sim.process(leader())]
    followers = [sim.process(follower(name, 0.5 * k)) for k, name in enumerate("abcd", 1)]
    for k in range(2):
        sim.process(renewing(k))
    if interrupts:
        sim.process(meddler())
    for until in (10.0, 30.5, 61.0):
        sim.run(until=until)
        log.append([(p.name, p.why_waiting()) for p in sim.processes])
    sim.run(until=200.0)
    return [log, sim.events, sim.time]


@pytest.mark.parametrize("interrupts", [False, True])
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_those_that_wait_for_one_process_go_on_in_the_order_in_which_they_have_come(
    native: bool, interrupts: bool
) -> None:
    expected = run_crowd(simulation(False), interrupts)
    assert run_crowd(simulation("auto", native=native), interrupts) == expected
    assert sum(len(entry) == 2 for entry in expected[0]) > 60


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_a_process_returns_comes_from_python(native: bool) -> None:
    def child(turn: int) -> ev.ProcessGenerator[int]:
        yield ev.hold(0.5)
        if turn % 10 == 9:
            return turn
        return None

    def parent(sim: ev.Simulation, log: list[Any]) -> ev.ProcessGenerator:
        for turn in range(60):
            yield sim.process(child(turn))
            if turn % 10 == 9:
                log.append((sim.time, sim.events))
            got = yield sim.process(child(turn))
            log.append(got)

    def run(sim: ev.Simulation) -> list[Any]:
        log: list[Any] = []
        for _ in range(2):
            sim.process(parent(sim, log))
        sim.run()
        return [log, sim.events, sim.time]

    assert run(simulation("auto", native=native)) == run(simulation(False))


def visit(sim: ev.Simulation, rng: Random, desk: ev.Resource, log: list[Any], number: int) -> ev.ProcessGenerator:
    """Three things at a time; some are cut short, as their desk opens to others."""
    for turn in range(3):
        pause = rng.random()
        try:
            yield ev.all_of(one=sim.process(service(rng)), pause=ev.hold(pause), other=sim.process(service(rng)))
            with desk.request() as place:
                yield place
                yield ev.all_of(only=sim.process(service(rng)))
            log.append((number, turn, sim.time))
        except ev.Interrupt as cut:
            log.append((number, turn, sim.time, cut.left is None))


def run_visits(sim: ev.Simulation, looks: bool, stops: tuple[float, ...]) -> list[Any]:
    rng, desk, log = Random(11), ev.Resource(sim, 2), []

    def doorman() -> ev.ProcessGenerator:
        for number in range(80):
            yield ev.hold(rng.expovariate(1.2))
            sim.process(visit(sim, rng, desk, log, number))

    def looker() -> ev.ProcessGenerator:
        for step in iter(range(40)):
            yield ev.hold(1.5)
            inside = [p for p in sim.processes if p.name.startswith("visit")]
            log.append([p.why_waiting() for p in inside])
            if inside and step % 3 == 0:
                inside[step % len(inside)].interrupt()

    sim.process(doorman())
    if looks:
        sim.process(looker())
    for until in stops:
        sim.run(until=until)
        log.append([(p.name, p.idle or p.event_time, p.why_waiting()) for p in sim.processes])
    sim.run()
    return [log, list(desk.waits.values), sim.events, sim.time, rng.random()]


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_waits_for_all_of_several_things_waits_in_its_row(native: bool, looks: bool) -> None:
    stops = 12.0, 12.25, 30.0, 31.0, 45.5
    expected = run_visits(simulation(False), looks, stops)
    sim = simulation("auto", native=native)
    assert run_visits(sim, looks, stops) == expected
    assert any("all of one (" in line[2] for entry in expected[0] if type(entry) is list for line in entry if line)
    assert made(sim) > 200
    if not looks:
        assert sim._migration is not None
        assert not sim._migration.exits


def run_interrupted(sim: ev.Simulation) -> list[Any]:
    rng, log = Random(2), []

    def victim() -> ev.ProcessGenerator:
        met = 0
        for _ in range(80):
            try:
                yield ev.all_of(served=sim.process(service(rng)), pause=ev.hold(0.5))
                yield sim.process(service(rng))
            except ev.Interrupt:
                met += 1
        log.append((sim.time, met))

    def interrupter(other: ev.Process) -> ev.ProcessGenerator:
        for _ in range(60):
            yield ev.hold(rng.uniform(0.1, 0.6))
            other.interrupt()

    for _ in range(3):
        sim.process(interrupter(sim.process(victim())))
    sim.run(until=10.0)
    log.append([(p.name, p.why_waiting()) for p in sim.processes])
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_interrupt_ends_what_a_row_waits_for(native: bool) -> None:
    expected = run_interrupted(simulation(False))
    sim = simulation("auto", native=native)
    assert run_interrupted(sim) == expected
    assert min(met for _, met in expected[0][1:]) > 30
    assert sim._migration is not None
    assert not sim._migration.exits


def run_late(sim: ev.Simulation) -> list[Any]:
    """Two that wait in rows, and one that comes later and stays in Python."""
    log: list[Any] = []

    def long() -> ev.ProcessGenerator:
        for _ in range(30):
            yield ev.hold(1.0)

    def early(name: str) -> ev.ProcessGenerator:
        yield awaited
        log.append((sim.time, name))
        yield ev.hold(1.0)

    def late() -> ev.ProcessGenerator:
        for _ in iter(range(3)):  # which rows do not know
            yield ev.hold(3.5)
        yield awaited
        log.append((sim.time, "late"))

    awaited = sim.process(long())
    for name in "ab":
        sim.process(early(name))
    sim.process(late())
    sim.run()
    return [log, sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_waits_in_python_goes_on_behind_those_that_wait_in_rows(native: bool) -> None:
    expected = run_late(simulation(False))
    sim = simulation("auto", native=native)
    assert run_late(sim) == expected
    assert expected[0] == [(30.0, "a"), (30.0, "b"), (30.0, "late")]
    assert sim._migration is not None
    assert sim._migration.taken > 15


def run_kept(sim: ev.Simulation) -> list[Any]:
    """What is made has a name that is read somewhere else as well, or belongs to others."""
    log: list[Any] = []
    shared: list[ev.Process] = []

    def long(number: float) -> ev.ProcessGenerator:
        yield ev.hold(0.5 + number % 3.0)
        return number

    def keeping() -> ev.ProcessGenerator:
        for k in range(20):
            child = sim.process(long(float(k)))
            yield child
            log.append((sim.time, child.result))

    def sharing() -> ev.ProcessGenerator:
        child = None
        for k in range(20):
            child = sim.process(long(0.25 * k))
            yield child
        shared.append(child)

    def telling() -> ev.ProcessGenerator:
        for k in range(20):
            other = sim.process(long(0.5 * k))
            yield other
            log.append([other.name for _ in range(2)])

    for story in (keeping, sharing, telling):
        sim.process(story())
    for until in (5.0, 11.25, 17.5):
        sim.run(until=until)
        log.append([(p.name, p.why_waiting()) for p in sim.processes])
    sim.run()
    return [log, [one.result for one in shared], sim.events]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_is_made_and_read_again_is_pythons(native: bool) -> None:
    expected = run_kept(simulation(False))
    assert run_kept(simulation("auto", native=native)) == expected
    assert expected[1] == [4.75]


def run_returning(sim: ev.Simulation, looks: bool, stops: tuple[float, ...]) -> list[Any]:
    """Processes that return numbers and tuples, which nobody uses unless somebody keeps the processes."""
    rng, log, desk = Random(2), list[Any](), ev.Resource(sim)

    def child(k: int) -> ev.ProcessGenerator[Any]:
        with desk.request() as place:
            yield place
            yield ev.hold(rng.expovariate(2.0))
            if k % 3 == 0:
                return k, sim.time
            if k % 3 == 1:
                return 60.0 / k
        return k

    def source() -> ev.ProcessGenerator:
        for k in range(120):
            yield ev.hold(rng.expovariate(0.5))
            sim.process(child(k))

    def parent() -> ev.ProcessGenerator:
        for k in range(20):
            yield ev.hold(rng.expovariate(0.1))
            sim.process(child(3 * k))
            yield sim.process(child(k + 1))
            last = sim.process(child(3 * k + 2))
            yield last

    def looker() -> ev.ProcessGenerator:
        kept = list[ev.Process]()
        for _ in iter(range(90)):
            yield ev.hold(3.3)
            log.append([(one.name, one.terminated, one.result) for one in kept])
            kept = [one for one in sim.processes if one.name[0] == "c"]

    sim.process(source())
    sim.process(parent())
    if looks:
        sim.process(looker())
    for until in stops:
        sim.run(until=until)
    return [log, rng.random(), sim.events, list(desk.waits.values)]


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_what_a_process_returns_is_kept_for_those_who_have_it(native: bool) -> None:
    for looks in (False, True):
        for stops in ((300.0,), (3.1, 30.0, 50.0, 77.7, 300.0)):
            expected = run_returning(simulation(False), looks, stops)
            sim = simulation("auto", native=native)
            assert run_returning(sim, looks, stops) == expected
            assert looks or made(sim) > 20


def test_who_goes_on_at_the_end_of_an_instant_goes_away_with_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else it would stay Python, and each process that it makes would give objects to all that rows have made."""

    def parent(sim: ev.Simulation, rng: Random) -> ev.ProcessGenerator:
        for _ in range(50):
            child = sim.process(service(rng))
            yield child

    def run(sim: ev.Simulation) -> list[Any]:
        rng = Random(5)
        for _ in range(10):
            sim.process(parent(sim, rng))
        sim.run()
        return [sim.events, sim.time, rng.random()]

    expected = run(simulation(False))
    for enough in range(40, 50):
        monkeypatch.setattr(simulation_module, "ENOUGH", enough)
        sim = simulation("auto", native=False)
        assert run(sim) == expected
        assert sim._migration is not None
        assert sim._migration._went in (19, 20)
