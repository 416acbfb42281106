"""What processes return reaches those that wait for them in rows as in Python, through variables, too."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import random_joins
import random_spawning
from random_bodies import hurry, load, made, simulation, taken

import eventide as ev
from eventide.discrete import same_time_limit, world


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


NATIVE = pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
MODES = ((0, 0, 0), (6, 0, 0), (14, 3, 0), (0, 0, 7), (0, 3, 11))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_random_programs_that_wait_for_what_they_have_made(tmp_path: Any, seed: int) -> None:
    for mode in MODES:
        module = load(random_joins.program(seed, *mode), tmp_path, f"joins{seed}_{mode[0]}_{mode[2]}")
        expected = random_spawning.outcome(simulation(False), module, seed, *mode)
        assert random_spawning.outcome(simulation("auto"), module, seed, *mode) == expected, mode


def work(rng: Random, k: int) -> ev.ProcessGenerator[float]:
    yield ev.hold(rng.expovariate(2.0))
    late = k * 0.25
    late += rng.random()
    return late


def count(rng: Random, k: int) -> ev.ProcessGenerator[int]:
    yield ev.hold(rng.expovariate(2.0))
    following = k + 1
    return following


def ask(rng: Random, k: int) -> ev.ProcessGenerator[bool]:
    yield ev.hold(rng.expovariate(2.0))
    return rng.random() < 0.5


def pause(rng: Random) -> ev.ProcessGenerator:
    yield ev.hold(rng.expovariate(2.0))


def perhaps(rng: Random, k: int) -> ev.ProcessGenerator[float | None]:
    yield ev.hold(rng.expovariate(2.0))
    if k % 3 == 0:
        return 0.5 * k
    return None


def either(rng: Random, k: int) -> ev.ProcessGenerator[float]:
    yield ev.hold(rng.expovariate(2.0))
    return 0.5 * k if k % 2 else k


def summing(sim: ev.Simulation, rng: Random, seen: list[float]) -> ev.ProcessGenerator:
    """Each kind of number."""
    for turn in range(40):
        late = yield sim.process(work(rng, turn))
        seen.append(late)
        number = yield sim.process(count(rng, turn))
        seen.append(number * 0.5)
        yes = yield sim.process(ask(rng, turn))
        seen.append(0.5 if yes else 1.5)
        nothing = yield sim.process(pause(rng))
        seen.append(2.5 if nothing is None else 3.5)
        some = yield sim.process(perhaps(rng, turn))
        seen.append(-1.0 if some is None else some)
        one = yield sim.process(either(rng, turn))
        seen.append(one * 0.25)


def pairing(sim: ev.Simulation, rng: Random, seen: list[float]) -> ev.ProcessGenerator:
    """Two at once, of which either may end before the other, and one that has ended long ago."""
    for turn in range(60):
        early = sim.process(work(rng, turn))
        late = sim.process(count(rng, turn), name=f"count {turn}")
        other = sim.process(pause(rng))
        yield other
        if turn % 3 == 0:
            yield ev.hold(5.0)
        x = yield early
        seen.append(x)
        yield early
        k = yield late
        seen.append(x + k)


NAMES = {"early", "late", "x", "k", "number", "yes", "nothing", "some", "one", "turn"}


def whole(value: object) -> object:
    """A number, or all that can be seen of a process."""
    return (value.name, value.terminated, value.result) if isinstance(value, ev.Process) else repr(value)


def run_sums(sim: ev.Simulation, story: Any, stops: tuple[float, ...] = ()) -> list[Any]:
    rng, seen, told = Random(3), list[float](), list[Any]()
    for _ in range(4):
        sim.process(story(sim, rng, seen))
    for until in stops:
        sim.run(until=until)
        told.append([(p.name, p.idle or p.event_time, p.why_waiting()) for p in sim.processes])
        seen_by = [p._generator.gi_frame.f_locals for p in sim.processes]
        told.append([[(name, whole(held[name])) for name in sorted(NAMES & held.keys())] for held in seen_by])
    sim.run()
    return [seen, told, sim.events, sim.time, rng.random(), [(k.label, k.count) for k in sim._kinds.values()]]


@NATIVE
@pytest.mark.parametrize("story", [summing, pairing])
def test_what_processes_return_reaches_those_that_wait_in_rows(native: bool, story: Any) -> None:
    expected = run_sums(simulation(False), story)
    sim = simulation("auto", native=native)
    assert run_sums(sim, story) == expected
    assert sim._migration is not None
    assert not sim._migration.exits
    assert taken(sim) > 0.9 * sim.events


@NATIVE
@pytest.mark.parametrize("story", [summing, pairing])
def test_variables_of_processes_are_these_wherever_a_run_stops(native: bool, story: Any) -> None:
    stops = tuple(0.75 * k for k in range(1, 60))
    expected = run_sums(simulation(False), story, stops)
    assert run_sums(simulation("auto", native=native), story, stops) == expected


def run_cut(sim: ev.Simulation, looks: bool) -> list[Any]:
    """Parents that are interrupted while they wait, and at the instant at which they have got their answer."""
    rng, log = Random(8), list[Any]()

    def exact(k: int) -> ev.ProcessGenerator[int]:
        yield ev.hold(1.0)
        return k

    def nothing() -> ev.ProcessGenerator:
        yield ev.hold(1.0)

    def parent(k: int) -> ev.ProcessGenerator:
        for turn in range(40):
            try:
                if turn % 3:
                    got = yield sim.process(exact(turn))
                    log.append(got)
                else:
                    yield sim.process(nothing())
            except ev.Interrupt as cut:
                log.append((sim.time, k, turn, cut.left))

    def interrupter(other: ev.Process) -> ev.ProcessGenerator:
        for _ in range(25):
            yield ev.hold(1.0)
            yield ev.hold(0.0)
            if looks:
                log.append(other.why_waiting())
            other.interrupt()

    for k in range(2):
        sim.process(interrupter(sim.process(parent(k))))
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


@NATIVE
@pytest.mark.parametrize("looks", [False, True])
def test_an_interrupt_at_the_instant_of_an_answer_drops_that(native: bool, looks: bool) -> None:
    expected = run_cut(simulation(False), looks)
    sim = simulation("auto", native=native)
    assert run_cut(sim, looks) == expected
    assert not looks or any("its turn at" in str(one) for one in expected[0])
    assert {one[3] for one in expected[0] if type(one) is tuple} == {None, 0.0}
    assert made(sim) > 20


def run_failing(sim: ev.Simulation, at: int) -> list[Any]:
    """A process that others wait for fails."""
    rng, log = Random(4), list[Any]()

    def child(k: int) -> ev.ProcessGenerator[float]:
        yield ev.hold(rng.random())
        if k == at:
            raise ValueError(f"no {k}")
        return 0.5 * k

    def parent(name: str) -> ev.ProcessGenerator:
        for k in range(30):
            one = sim.process(child(k))
            other = sim.process(child(k + 100))
            x = yield one
            y = yield other
            log.append((name, x, y))

    for name in "ab":
        sim.process(parent(name))
    for _ in range(4):
        try:
            sim.run()
        except ValueError as error:
            log.append((str(error), error.__notes__, sim.time, [p.why_waiting() for p in sim.processes]))
        except ev.SimulationError as error:
            log.append((error.number, sim.time))
    return [log, sim.events, sim.time, rng.random()]


@NATIVE
@pytest.mark.parametrize("at", [17, 117])
def test_a_process_that_fails_leaves_those_that_wait_for_it(native: bool, at: int) -> None:
    expected = run_failing(simulation(False), at)
    assert run_failing(simulation("auto", native=native), at) == expected
    assert sum(type(entry[0]) is str and entry[0].startswith("no") for entry in expected[0]) == 2


def run_others(sim: ev.Simulation) -> list[Any]:
    """Answers that rows do not have, of another type than before, and of processes that go on in Python."""
    rng, log = Random(4), list[Any]()

    def child(k: int) -> ev.ProcessGenerator[Any]:
        yield ev.hold(rng.random())
        if k == 20:
            return "a word"
        if k == 25:
            return k, 0.5
        if k == 30:
            yield ev.hold(0.5, priority=1)
            return 2**70
        if k > 40:
            return 0.5 * k
        one, other = k, 0.5 * k
        return one if k % 3 == 0 else other

    def parent() -> ev.ProcessGenerator:
        for k in range(45):
            one = sim.process(child(k))
            y = yield sim.process(child(k))
            x = yield one
            log.append((x, y, sim.time))

    for _ in range(3):
        sim.process(parent())
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


def run_pairs(sim: ev.Simulation) -> list[Any]:
    """Some return what rows do not have, and somebody uses it."""
    rng, log = Random(4), list[Any]()

    def child(k: int) -> ev.ProcessGenerator[Any]:
        yield ev.hold(rng.random())
        if k % 50 == 49:
            return k, 0.5
        return 0.5 * k

    def parent() -> ev.ProcessGenerator:
        for k in range(100):
            x = yield sim.process(child(k))
            log.append(x)

    for _ in range(3):
        sim.process(parent())
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


@NATIVE
def test_who_returns_what_a_row_does_not_have_ends_in_python(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (world, same_time_limit):  # else those of the end of a chunk get objects
        monkeypatch.setattr(room, "CHUNK", 64)
    expected = run_pairs(simulation(False))
    sim = simulation("auto", native=native)
    assert run_pairs(sim) == expected
    assert {type(x) for x in expected[0]} == {float, tuple}
    assert made(sim) > 200


@NATIVE
def test_answers_of_other_types_are_those_of_python(native: bool) -> None:
    expected = run_others(simulation(False))
    sim = simulation("auto", native=native)
    assert run_others(sim) == expected
    assert {type(x) for x, *_ in expected[0]} == {float, int, str, tuple}
    assert native or made(sim) > 20  # then it is known that a variable has words


def run_peeked(sim: ev.Simulation) -> list[Any]:
    """Somebody in Python waits for a process before the one that has made it does."""
    log: list[Any] = []

    def child() -> ev.ProcessGenerator:
        for _ in range(8):
            yield ev.hold(0.5)

    def parent() -> ev.ProcessGenerator:
        for _ in range(12):
            one = sim.process(child())
            yield ev.hold(2.0)
            yield ev.hold(0.5)
            yield one
            log.append(("parent", sim.time))

    def peeker() -> ev.ProcessGenerator:
        for step in iter(range(10)):
            yield ev.hold(0.25)
            found = [one for one in sim.processes if one.name.startswith("child")]
            yield found[0]
            log.append(("peeker", step, sim.time))

    sim.process(parent())
    sim.process(parent())
    sim.process(peeker())
    sim.run()
    return [log, sim.events]


@NATIVE
def test_who_waits_in_python_first_goes_on_first(native: bool) -> None:
    expected = run_peeked(simulation(False))
    sim = simulation("auto", native=native)
    assert run_peeked(sim) == expected
    assert taken(sim) > 100
    assert [line[0] for line in expected[0][:3]] == ["peeker", "parent", "parent"]


def test_what_a_row_has_made_is_kept_no_longer_than_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (world, same_time_limit):  # else those of the end of a chunk get objects
        monkeypatch.setattr(room, "CHUNK", 1024)

    def child() -> ev.ProcessGenerator[float]:
        yield ev.hold(0.5)
        return 0.25

    def parent(sim: ev.Simulation) -> ev.ProcessGenerator:
        one = sim.process(child())
        yield ev.hold(1.0)
        yield one
        for _ in range(4):
            one = sim.process(child())
            yield sim.process(child())
        yield ev.hold(1.0)

    def source(sim: ev.Simulation) -> ev.ProcessGenerator:
        for _ in range(200):
            sim.process(parent(sim))
            yield ev.hold(1.0)

    sim = simulation("auto", native=False)
    sim.process(source(sim))
    seen: list[int] = []

    def looker() -> ev.ProcessGenerator:
        for _ in iter(range(1)):
            yield ev.hold(190.25)
            assert sim._migration is not None
            memory = sim._migration._memory
            assert memory is not None
            seen.append(int(memory.run.used))

    sim.process(looker())
    sim.run()
    assert made(sim) > 1500
    assert seen[0] < 60
    assert sim._migration is not None
    assert not sim._migration._over


def run_drawn(sim: ev.Simulation) -> list[Any]:
    """Who holds for what is drawn in the same statement, which may be an error."""
    rng, log = Random(4), list[Any]()
    means = [0.5, 1.5, 2.5]

    def story() -> ev.ProcessGenerator:
        for k in range(60):
            try:
                yield ev.hold(rng.choices(means, weights=[5, 3, 1])[0])
                yield ev.hold(min([rng.random(), 0.5, rng.random()]) + sum([0.25, rng.random() * 1e-17, -0.25]))
                log.append(max((rng.random(), -rng.random())))
                log.append(0.5 * sum([k, 2, k]))
            except ev.ModelError as error:
                log.append((k, str(error), sim.time))

    def changer() -> ev.ProcessGenerator:
        yield ev.hold(20.0)
        means[1] = -1.0
        yield ev.hold(20.0)
        means[1] = 0.25

    for _ in range(3):
        sim.process(story())
    sim.process(changer())
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


@NATIVE
def test_who_holds_for_what_is_chosen_there_goes_on_with_that(native: bool) -> None:
    expected = run_drawn(simulation(False))
    sim = simulation("auto", native=native)
    assert run_drawn(sim) == expected
    assert sum(type(one) is tuple for one in expected[0]) > 3
    assert taken(sim) > 0.6 * sim.events


def test_sums_of_lists_are_those_of_python() -> None:
    """Also where rounding loses a part, as from Python 3.12 on that is added."""

    def story(rng: Random, seen: list[float]) -> ev.ProcessGenerator:
        while True:
            x = sum([1e17 * rng.random(), rng.uniform(-1e17, 1e17), rng.random(), rng.gauss(0.0, 1e16)])
            seen.append(x)
            seen.append(sum((1e308 * rng.random(), 1e308, 1e308 * rng.random())))
            seen.append(sum([-0.0, -0.0]))
            yield ev.hold(1.0)

    def run(sim: ev.Simulation) -> str:
        seen = list[float]()
        sim.process(story(Random(3), seen))
        sim.run(until=200.0)
        return repr(seen)

    sim = simulation("auto", native=False)
    assert run(sim) == run(simulation(False))
    assert taken(sim) > 150


def run_looked_at(sim: ev.Simulation, all_at_once: bool) -> list[Any]:
    """Somebody in Python waits for a process behind one in a row, which returns to Python before that ends."""
    log: list[Any] = []

    def child() -> ev.ProcessGenerator:
        for _ in range(8):
            yield ev.hold(0.5)

    def parent() -> ev.ProcessGenerator:
        for _ in range(6):
            if all_at_once:
                one = sim.process(child())
                yield ev.all_of(one=one, pause=ev.hold(0.5))
            else:
                yield sim.process(child())
            log.append(("parent", sim.time))

    def peeker() -> ev.ProcessGenerator:
        for step in iter(range(6)):
            yield ev.hold(1.125)
            found = [one for one in sim.processes if one.name.startswith("child")]
            yield found[0]
            log.append(("peeker", step, sim.time))

    def looker() -> ev.ProcessGenerator:
        for _ in iter(range(12)):
            yield ev.hold(1.5)
            log.append([one.why_waiting() for one in sim.processes])

    for story in (parent, peeker, looker):
        sim.process(story())
    sim.run()
    return [log, sim.events]


@NATIVE
@pytest.mark.parametrize("all_at_once", [False, True])
def test_who_waits_in_a_row_goes_on_before_python_also_where_it_has_returned(native: bool, all_at_once: bool) -> None:
    expected = run_looked_at(simulation(False), all_at_once)
    sim = simulation("auto", native=native)
    assert run_looked_at(sim, all_at_once) == expected
    assert taken(sim) > 15


def run_ended(sim: ev.Simulation, seed: int) -> list[Any]:
    """Processes are ended for whose answers others wait, which are about to go on with None as they become rows."""
    rng, log = Random(seed), list[Any]()

    def child(k: int) -> ev.ProcessGenerator[float]:
        yield ev.hold(rng.random())
        return 0.5 * k

    def parent() -> ev.ProcessGenerator:
        for k in range(40):
            one = sim.process(child(k))
            other = sim.process(child(k))
            yield other
            x = yield one
            log.append(-1.0 if x is None else x)

    def killer() -> ev.ProcessGenerator:
        for _ in iter(range(30)):
            yield ev.hold(0.3)
            found = [one for one in sim.processes if one.name.startswith("child") and one._generator.gi_suspended]
            for one in found[::2]:
                one.end()

    for _ in range(3):
        sim.process(parent())
    sim.process(killer())
    sim.run()
    return [log, sim.events, sim.time, rng.random()]


@NATIVE
def test_who_goes_on_with_none_as_it_becomes_a_row_gets_that(native: bool) -> None:
    for seed in range(5):
        expected = run_ended(simulation(False), seed)
        sim = simulation("auto", native=native)
        assert run_ended(sim, seed) == expected
        assert expected[0].count(-1.0) > 5
        assert taken(sim) > 50


def run_gathered(sim: ev.Simulation) -> list[Any]:
    """Somebody looks at the instant at which one of all things has come that others wait for."""
    log: list[Any] = []

    def exact(k: int) -> ev.ProcessGenerator[int]:
        yield ev.hold(1.0)
        return k

    def parent() -> ev.ProcessGenerator:
        for k in range(30):
            try:
                yield ev.all_of(one=sim.process(exact(k)), pause=ev.hold(2.0), other=sim.process(exact(-k)))
            except ev.Interrupt as cut:
                log.append((sim.time, cut.left))

    def looker(other: ev.Process) -> ev.ProcessGenerator:
        for k in iter(range(30)):
            yield ev.hold(1.0)
            yield ev.hold(0.0)
            log.append(other.why_waiting())
            if k % 5 == 4:
                other.interrupt()

    def cutter(other: ev.Process) -> ev.ProcessGenerator:
        for _ in range(15):
            yield ev.hold(1.0)
            yield ev.hold(0.0)
            other.interrupt()

    sim.process(looker(sim.process(parent())))
    sim.process(cutter(sim.process(parent())))
    sim.run()
    return [log, sim.events, sim.time]


@NATIVE
def test_of_all_that_is_awaited_what_has_come_waits_for_its_turn(native: bool) -> None:
    expected = run_gathered(simulation(False))
    sim = simulation("auto", native=native)
    assert run_gathered(sim) == expected
    assert any("one (its turn at" in str(one) for one in expected[0])
    assert taken(sim) > 50
