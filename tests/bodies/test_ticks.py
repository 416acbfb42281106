"""Processes that wait for the instants of their own grids leave the same as rows as in Python."""

from __future__ import annotations

from fractions import Fraction
from math import isnan
from random import Random
from typing import Any

import pytest
import random_bodies
from random_bodies import simulation, taken

import eventide as ev
from eventide.bodies.waits.ticks import MOST
from eventide.declare.periods import Grid, exact_period
from eventide.monitor.row_driver import HybridDriver
from eventide.rows.activities import instant

STEP = 0.3
SHARE = HybridDriver.least_share  # which other tests have for less


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def period_of(rng: Random) -> Fraction:
    digits = rng.randrange(1, 6)
    return rng.choice(
        [exact_period(round(rng.uniform(0.1, 9.0), digits)), exact_period(hz=rng.randrange(1, 99)), exact_period(2e-05)]
    )


@pytest.mark.slow
def test_an_instant_is_rounded_once_or_left_to_python() -> None:
    rng, left = Random(4), 0
    for _ in range(6000):
        period = period_of(rng)
        begun = rng.choice([0.0, 7.0, rng.random() * 10.0 ** rng.randrange(-3, 7), rng.randrange(1000) / 8])
        k = rng.randrange(10 ** rng.randrange(1, 8))
        assert max(period.numerator, period.denominator) <= MOST
        found = instant(begun, k * period.numerator, period.denominator)
        left += found != found
        assert found != found or found == Grid(begun, period).time(k)
    assert left < 60


def test_a_tie_is_left_to_python() -> None:
    assert Grid(2.0**53, Fraction(3)).time(1) == 2.0**53 + 4.0
    assert isnan(instant(2.0**53, 3, 1))


@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["plain", "native"])
def test_ticks_are_native(native: bool) -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()

        def ticks(number: int) -> ev.ProcessGenerator:
            while sim.time < 40.0:
                yield ev.tick(0.1)
                log.append((number, sim.time))
                yield ev.hold(0.013)
                yield ev.tick(STEP)
                log.append((number, sim.time))

        def often() -> ev.ProcessGenerator:
            while True:
                yield ev.tick(hz=7)
                log.append((-1, sim.time))
                if len(log) % 40 == 0:
                    sim.process(ticks(len(log)))

        def holds() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.5)
                log.append((-2, sim.time))

        sim.process(often())
        sim.run(until=0.1)
        for story in (ticks(0), holds()):
            sim.process(story)
        sim.run(until=60.0)
        return [log, [(entry.time, entry.name) for entry in sim.schedule]]

    expected, sim = run(simulation(False)), simulation("auto", native=native)
    assert run(sim) == expected
    assert taken(sim) > 0.7 * sim.events


def test_periods_that_are_computed_are_left_to_python() -> None:
    def run(sim: ev.Simulation) -> list[Any]:
        log = list[Any]()

        def ticks(period: float) -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.25)
                yield ev.tick(period)
                log.append(sim.time)

        sim.process(ticks(0.7))
        sim.run(until=60.0)
        return log

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    assert "`ev.tick(period)`" in str(sim.explain()) or "its period is computed each time" in str(sim.explain())


class Saw(ev.Continuous):
    height: ev.State = ev.state(0.0)
    turns: int = 0

    def equations(self) -> None:
        self.rate.height = 1.0

    @ev.when(lambda self: self.height > 0.5)
    def falls(self) -> None:
        self.height = 0.0
        self.turns += 1


@pytest.mark.slow
@pytest.mark.parametrize("is_recorded", [False, True])
def test_rows_that_return_often_beside_recordings_stay_python(
    is_recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HybridDriver, "least_share", SHARE)

    def run(sim: ev.Simulation) -> list[Any]:
        saw, log = Saw(sim).start(), list[float]()

        def ticks() -> ev.ProcessGenerator:
            while True:
                yield ev.tick(0.25)
                log.append(saw.height)

        sim.process(ticks())
        curve = sim.record(saw, every=0.5) if is_recorded else None
        sim.run(until=200.0)
        return [log, saw.turns, sim.events, curve and list(curve["Saw 1.height"])]

    expected, sim = run(simulation(False)), simulation("auto")
    assert run(sim) == expected
    assert (taken(sim) > 700) is not is_recorded
