"""Conditions on time alone become true at the very float, whatever the search inside steps is asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nextafter
from typing import Any

import numpy as np
import pytest

import eventide as ev

LIMIT = 3.3


@pytest.fixture(params=["auto", False], ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, dt_min=1e-2, compile=request.param)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    limit: float = 2.5

    def equations(self) -> None:
        self.rate.x = 1.0


class Plain:
    due = 3.7


def conditions(sim: ev.Simulation, ramp: Ramp) -> dict[str, tuple[Callable[[], bool], float]]:
    start, steps, plain = 0.5, 7, Plain()
    whole, exact = 3, np.float64(1.9)
    return {
        "constant": (lambda: sim.time >= 3.3, 3.3),
        "beyond": (lambda: sim.time > 3.3, nextafter(3.3, inf)),
        "turned": (lambda: 3.3 <= sim.time, 3.3),  # noqa: SIM300  # so that the time stands on the right
        "turned beyond": (lambda: 3.3 < sim.time, nextafter(3.3, inf)),  # noqa: SIM300
        "global": (lambda: sim.time >= LIMIT, 3.3),
        "since": (lambda: sim.time - start >= 3.3, 3.8),
        "closure": (lambda: sim.time >= 0.1 * steps, 0.1 * 7),
        "default": (lambda k=1.1: sim.time >= 2 * k, 2.2),
        "whole": (lambda: sim.time >= whole, 3.0),
        "numpy": (lambda: sim.time >= exact, 1.9),
        "parameter": (lambda: ramp.sim.time > ramp.limit, nextafter(2.5, inf)),
        "attribute": (lambda: sim.time >= plain.due, 3.7),
        "doubled": (lambda: 2.0 * sim.time + 1.0 >= 4.0, 1.5),
        "falling": (lambda: 5.0 - sim.time <= 1.25, 3.75),
        "at": (lambda: sim.time == 2.25, 2.25),
        "half": (lambda: -sim.time / 2 <= -1.0, 2.0),
    }


@pytest.mark.row("R-131", "R-150")
@pytest.mark.parametrize("moves", [False, True])
def test_a_condition_on_time_alone_takes_place_at_its_float(sim: ev.Simulation, moves: bool) -> None:
    ramp = Ramp(sim)
    if moves:
        ramp.start()
    log: dict[str, Any] = {}

    def waiter(name: str, condition: Callable[[], bool]) -> ev.ProcessGenerator:
        yield ev.until(condition)
        log[name] = sim.time

    expected = {name: time for name, (_, time) in conditions(sim, ramp).items()}
    for name, (condition, _) in conditions(sim, ramp).items():
        sim.process(waiter(name, condition))
    sim.run(until=5.0)
    assert list(log) == sorted(expected, key=lambda name: expected[name])
    assert {name: time - expected[name] for name, time in log.items()} == dict.fromkeys(expected, 0.0)
    assert {type(time) for time in log.values()} == {float}


def test_a_limit_that_an_event_moves_is_followed(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    log = []

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= ramp.limit)
        log.append(sim.time)

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        ramp.limit = 1.7
        yield ev.hold(0.5)
        ramp.limit = 4.4

    sim.process(waiter())
    sim.process(clerk())
    sim.run(until=5.0)
    assert log == [4.4]


def test_handlers_of_time_fire_at_their_float_and_see_the_states_of_it(sim: ev.Simulation) -> None:
    log = []

    class Timed(Ramp):
        @ev.when(lambda self: self.sim.time > self.limit)
        def late(self) -> None:
            log.append((self.sim.time, round(self.x, 9)))
            self.limit += 1.0

    Timed(sim).start()
    sim.run(until=5.0)
    assert log == [(nextafter(limit, inf), limit) for limit in (2.5, 3.5, 4.5)]


def test_what_also_reads_a_state_is_searched_for(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    log = []

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 1.0 + ramp.x * 0.5)
        log.append(sim.time)

    sim.process(waiter())
    sim.run(until=5.0)
    assert len(log) == 1
    assert 2.0 <= log[0] <= 2.01


def test_reporters_see_both_sides_of_it(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    recording = sim.record(ramp, every="event")

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 3.3)
        ramp.x = 0.0

    sim.process(waiter())
    sim.run(until=4.0)
    rows = list(zip(recording.times, np.round(recording["Ramp 1.x"], 9), strict=True))
    assert rows[-3:] == [(3.3, 3.3), (3.3, 0.0), (4.0, 0.7)]


@pytest.mark.slow
def test_many_wait_for_their_times(sim: ev.Simulation) -> None:
    log = []

    def waiter(time: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= time)
        log.append(sim.time)

    times = [round(0.001 * (k * 7919 % 1000), 3) + 0.25 for k in range(60)]
    for time in times:
        sim.process(waiter(time))
    sim.run()
    assert log == sorted(times)


@pytest.mark.parametrize("compiled", ["auto", False])
def test_the_opposite_of_a_comparison_is_solved_as_well(compiled: Any) -> None:
    found = []
    for start in (0.71, 3.3, 12.9):
        sim, log = ev.Simulation(compile=compiled), []

        def story(start: float = start, sim: ev.Simulation = sim, log: list[float] = log) -> ev.ProcessGenerator:
            yield ev.hold(start)
            yield ev.until(lambda: not sim.time <= 30.1)
            log.append(sim.time)
            yield ev.until(lambda: not sim.time < 31.7)
            log.append(sim.time)

        sim.process(story())
        sim.run(until=90.0)
        found.append(log)
    assert found == [[nextafter(30.1, inf), 31.7]] * 3
