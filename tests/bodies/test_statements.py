"""Small statements of processes that are native code leave the same as in Python."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from random_bodies import hurry, made

import eventide as ev
from eventide.bodies.body import Bodies


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


def both(run: Any, *, native: bool = False) -> tuple[Any, ev.Simulation]:
    """What a model leaves, the same in Python and in rows."""
    expected = run(ev.Simulation(rng=7, compile=False))
    sim = ev.Simulation(rng=7)
    if not native:
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    assert repr(run(sim)) == repr(expected)
    return expected, sim


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("room", [None, 0])
def test_a_resource_is_used_by_processes_that_do_nothing_else(native: bool, room: int | None) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, gone, rng, seen = ev.Resource(sim, 2), sim.tally("gone"), Random(1), list[float]()
        length = {"short": lambda: rng.expovariate(2.0), "long": lambda: rng.uniform(0.5, 1.0)}

        def arrivals(service: Any) -> ev.ProcessGenerator:
            for number in range(60):
                yield ev.hold(rng.expovariate(1.0))
                is_full = room is not None and desk.queue.value >= room
                gone.add(is_full)
                gone.add(number)
                if not is_full:
                    sim.process(desk.use(service(), number % 3, units=1))
                    sim.process(later(number, bonus=0.5, seen=seen))

        sim.process(arrivals(length["short"]))
        sim.process(arrivals(length["long"]))
        sim.run(until=30.0)
        alive = [(process.name, process.why_waiting()) for process in sim.processes]
        sim.run()
        return [alive, seen, list(desk.waits.values), list(gone.values), desk.counts, sim.events, rng.random()]

    def later(number: int, *, by: float = 0.25, bonus: float, seen: list[float]) -> ev.ProcessGenerator:
        yield ev.hold(by)
        seen.append(bonus + number)
        if number == 20:
            later.__kwdefaults__["by"] = 0.75
        yield ev.hold(by + bonus)

    assert later.__kwdefaults__ is not None
    expected, sim = both(lambda sim: (later.__kwdefaults__.update(by=0.25), run(sim)), native=native)
    assert len(expected[1][3]) == 240
    assert room is not None or made(sim) > 100


def test_a_negative_time_of_use_is_told_where_it_is_told_in_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        desk, told = ev.Resource(sim), list[Any]()

        def arrivals() -> ev.ProcessGenerator:
            for number in range(40):
                yield ev.hold(1.0)
                sim.process(desk.use(30.5 - number))

        sim.process(arrivals())
        for _ in range(12):
            try:
                sim.run()
            except ev.ModelError as error:
                told.append((sim.time, str(error), error.__notes__))
        return [told, sim.events, desk.counts, list(desk.waits.values)]

    expected, _ = both(run)
    assert len(expected[0]) == 9


def test_functions_modules_and_methods_that_arguments_lead_to_are_those_of_each_process() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        one, other, seen, rng = sim.stream("one"), sim.stream("other"), list[float](), Random(2)

        def holder(number: int, draw: Any, shape: Any, tell: Any) -> ev.ProcessGenerator:
            for _ in range(25):
                yield ev.hold(draw(0.5, 1.0))
                yield ev.hold(0.125)
                tell(shape(1.0 + number))

        draws = [one.uniform, other.uniform, rng.uniform, lambda low, high: low, lambda low, high: high, one.uniform]
        shapes = [math.sqrt, math.exp, abs, float, lambda x: x * x, math.log]
        for number, (draw, shape) in enumerate(zip(draws, shapes, strict=True)):
            sim.process(holder(number, draw, shape, seen.append))
        sim.run()
        return [seen, sim.events, one.random(), other.random(), rng.random()]

    _, sim = both(run)
    assert sim._homes is not None
    assert sim._homes.taken > 50


def test_a_statement_that_is_left_to_python_asks_nothing_of_what_its_names_stand_for() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        seen: list[Any] = []

        def worker(tag: Any) -> ev.ProcessGenerator:
            for _ in range(20):
                yield ev.hold(1.0)
                yield ev.hold(0.5)
            if tag == ():
                seen.append(tag)

        for tag in ("", b"", [], {}, (), None):
            sim.process(worker(tag))
        sim.run()
        return [seen, sim.events]

    expected, sim = both(run)
    assert expected[0] == [()]
    assert sim._homes is not None
    assert sim._homes._bodies is not None
    assert [len(bodies) for bodies in sim._homes._bodies._known.values()] == [1]
