"""What rows append to lists is what Python would have appended, of the same types."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from bodies.holders import both
from random_bodies import hurry, simulation, taken

import eventide as ev


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


class Diary:
    """Where somebody writes."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.sim, self.lines, self.word = sim, list[Any](), "diary"

    def note(self, what: str, number: float) -> None:
        self.lines.append((self.sim.time, what, number))


def writer(sim: ev.Simulation, log: list[Any], diary: Diary, rng: Random, who: Any, n: int) -> ev.ProcessGenerator:
    late, x = False, 0.5
    while n < 60:
        n += 1
        log.append((sim.time, "begins", n, late, None, -1, True))
        log.append([n * 2, [x, ()], (rng.random(), rng.random(), n), round(x, 2), -x])
        yield ev.hold(rng.expovariate(1.0))
        late, x = x > 1.0, sim.time / 3.0
        log.append(f"{who} {n:3d} {x:.2f} {x!r} {late} {diary.word:>8} {{}}")
        log.append(n)
        log.append(late)
        log.append("word")
        log.append(x)
        log.append((who, x))
        log.append({"at": sim.time, "who": who, 3: [n], None: {"late": late, "x": rng.random()}})
        diary.note("writes", n * 0.5)
        diary.lines.append([diary.word, n % 2 == 1])


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_append_what_python_would_have(native: bool) -> None:
    def run(sim: ev.Simulation) -> Any:
        log, diary, rng = list[Any](), Diary(sim), Random(2)
        for number, who in enumerate(["one", "two", "three"]):
            sim.process(writer(sim, log, diary, rng, who, 10 * number))
        sim.run()
        return log, diary.lines, sim.events, rng.random()

    found, sim = both(run, native=native)
    assert len(found[0]) == 9 * (60 + 50 + 40)
    assert taken(sim) > 0.9 * sim.events
    assert sim._migration is not None
    assert sim._migration.exits == {}


def test_the_objects_are_the_same_whatever_they_are() -> None:
    things = [object(), 2, None, [1], Random(1), "word", 0.5]
    found: list[Any] = []

    def keeper(thing: Any) -> ev.ProcessGenerator:
        for k in range(30):
            yield ev.hold(1.0)
            found.append((thing, k, things))

    sim = simulation("auto")
    for thing in things:
        sim.process(keeper(thing))
    sim.run()
    assert len(found) == 7 * 30
    assert all(line[0] is things[k % 7] and line[1] == k // 7 and line[2] is things for k, line in enumerate(found))
    assert taken(sim) > 0.8 * sim.events


def strange(sim: ev.Simulation, log: list[Any], n: int, x: float) -> ev.ProcessGenerator:
    for k in range(40):
        yield ev.hold(0.5)
        log.append((n + k, x))
        if k == 20:
            n, x = 2**53 - 9, float("nan")
        try:
            log.append(f"{x:{'.1f'}}" if k == 30 else f"{k:d}")
            if k % 10 == 9:
                log.append(f"{x:d}")
        except ValueError as error:
            log.append(repr(error))
        log.append((-0.0 * x, {"time": sim.time}) if k == 35 else (k, -0.0 * x))


def test_what_numbers_cannot_have_is_left_to_python_and_errors_are_told() -> None:
    def run(sim: ev.Simulation) -> Any:
        log: list[Any] = []
        for n in range(3):
            sim.process(strange(sim, log, n, -0.5))
        sim.run()
        return log, sim.events

    found, sim = both(run)
    assert sum("format code 'd'" in str(line) for line in found[0]) == 12
    assert (found[0][-12][0], str(found[0][-12][1])) == (2**53 + 30, "nan")
    assert taken(sim) > 10


def test_a_process_that_has_ended_in_a_row_is_idle() -> None:
    def run(sim: ev.Simulation) -> Any:
        def worker() -> ev.ProcessGenerator:
            for _ in range(20):
                yield ev.hold(0.5)

        workers, seen = [sim.process(worker()) for _ in range(3)], []

        def reader() -> ev.ProcessGenerator:
            for _ in iter(range(3)):
                yield ev.hold(4.75)
                seen.append([(one.idle, one.terminated) for one in workers])

        sim.process(reader())
        sim.run()
        return seen, sim.events

    found, sim = both(run)
    assert found[0][-1] == [(True, True)] * 3
    assert taken(sim) > 10


def test_each_process_appends_to_its_own_list() -> None:
    def run(sim: ev.Simulation) -> Any:
        lists = [list[Any]() for _ in range(4)]

        def worker(own: list[Any], k: int) -> ev.ProcessGenerator:
            for step in range(30):
                yield ev.hold(0.5 + k)
                own.append((k, step))

        for k, own in enumerate(lists):
            sim.process(worker(own, k))
        sim.run()
        return lists, sim.events

    found, sim = both(run)
    assert [len(own) for own in found[0]] == [30] * 4
    assert taken(sim) > 0.8 * sim.events
