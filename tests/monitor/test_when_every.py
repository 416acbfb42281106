"""Handlers of state events and of periodic ones; ticks; periods that do not drift."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import eventide as ev


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1, rel_error=1e-9, abs_error=1e-9)


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    restitution: float = 0.8
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81


def test_when_finds_a_flight_shorter_than_a_step(sim: ev.Simulation) -> None:
    class Bouncing(Ball):
        @ev.when(lambda self: self.height <= 0.0)
        def bounce(self) -> None:
            self.velocity = abs(self.velocity) * self.restitution
            self.log.append(self.sim.time)

    ball = Bouncing(sim).start()
    sim.run(until=12.0)
    first = (2 * 10.0 / 9.81) ** 0.5
    expected = [first]
    while (following := expected[-1] + 2 * first * 0.8 ** len(expected)) < 12.0:
        expected.append(following)
    assert len(expected) == 12
    assert len(ball.log) == 12
    assert ball.log == pytest.approx(expected, abs=1e-7)


def test_a_condition_true_at_the_start_does_not_fire_unless_asked(sim: ev.Simulation) -> None:
    class Tank(ev.Continuous):
        level: ev.State = ev.state(5.0)
        log: list = ev.field(default_factory=list)

        def equations(self) -> None:
            self.rate.level = -1.0 if self.sim.time < 3.0 or self.sim.time > 5.0 else 2.0

        @ev.when(lambda self: self.level >= 3.0)
        def plain(self) -> None:
            self.log.append(("plain", round(self.sim.time, 6)))

        @ev.when(lambda self: self.level >= 3.0, at_start=True)
        def eager(self) -> None:
            self.log.append(("eager", round(self.sim.time, 6)))

    tank = Tank(sim).start()
    sim.process(clock(sim, 3.0, 2.0, 2.0))
    sim.run(until=7.0)
    assert tank.log == [("eager", 0.0), ("plain", 3.5), ("eager", 3.5)]


def clock(sim: ev.Simulation, *durations: float) -> ev.ProcessGenerator:
    for duration in durations:
        yield ev.hold(duration)


def test_handlers_stand_by_priority_then_start_then_definition(sim: ev.Simulation) -> None:
    log = []

    class Pair(ev.Continuous):
        @ev.when(lambda self: self.sim.time >= 1.0)
        def first(self) -> None:
            log.append((self.name, "first"))

        @ev.when(lambda self: self.sim.time >= 1.0, priority=1)
        def urgent(self) -> None:
            log.append((self.name, "urgent"))

        @ev.when(lambda self: self.sim.time >= 1.0)
        def second(self) -> None:
            log.append((self.name, "second"))

    for name in "AB":
        Pair(sim, name=name).start()
    sim.run(until=2.0)
    assert log == [
        ("A", "urgent"),
        ("B", "urgent"),
        ("A", "first"),
        ("A", "second"),
        ("B", "first"),
        ("B", "second"),
    ]


def test_a_stopped_component_has_no_handlers(sim: ev.Simulation) -> None:
    log = []

    class Probe(ev.Continuous):
        @ev.every(1.0)
        def beat(self) -> None:
            log.append(("beat", self.sim.time))
            if self.sim.time >= 2.0:
                self.stop()

        @ev.when(lambda self: self.sim.time >= 2.5)
        def late(self) -> None:
            log.append(("late", self.sim.time))

    Probe(sim).start()
    sim.run(until=5.0)
    assert log == [("beat", 0.0), ("beat", 1.0), ("beat", 2.0)]


@pytest.mark.slow
def test_periods_do_not_drift(sim: ev.Simulation) -> None:
    log: dict[str, list[float]] = {"200": [], "60": [], "tenth": [], "tick": []}

    class Clocks(ev.Continuous):
        @ev.every(hz=200)
        def fast(self) -> None:
            log["200"].append(self.sim.time)

        @ev.every(hz=60)
        def slow(self) -> None:
            log["60"].append(self.sim.time)

        @ev.every(0.1, offset=0.1)
        def tenth(self) -> None:
            log["tenth"].append(self.sim.time)

    def ticking() -> ev.ProcessGenerator:
        while True:
            yield ev.tick(0.1)
            log["tick"].append(sim.time)

    Clocks(sim).start()
    sim.process(ticking())
    sim.run(until=10.0)
    assert {name: len(times) for name, times in log.items()} == {"200": 2000, "60": 600, "tenth": 99, "tick": 99}
    assert len(set(log["200"]) & set(log["60"])) == 200
    assert log["tenth"] == log["tick"] == [float(Fraction(k, 10)) for k in range(1, 100)]


def test_every_stands_at_ties_as_if_rescheduled_by_hold(sim: ev.Simulation) -> None:
    log = []

    class Beat(ev.Continuous):
        @ev.every(1.0)
        def beat(self) -> None:
            log.append(("beat", self.sim.time))

    def story() -> ev.ProcessGenerator:
        while True:
            log.append(("story", sim.time))
            yield ev.hold(1.0)

    Beat(sim).start()
    sim.process(story())
    sim.run(until=2.0)
    assert log == [("story", 0.0), ("beat", 0.0), ("story", 1.0), ("beat", 1.0)]


def test_a_handler_cannot_wait() -> None:
    with pytest.raises(TypeError, match="a handler cannot wait"):

        class Wrong(ev.Continuous):
            @ev.when(lambda self: True)
            def handler(self):
                yield ev.hold(1.0)


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), float("inf"), "often", "0.5", True, np.array([0.5])])
def test_a_period_is_a_positive_number(period) -> None:
    with pytest.raises(ev.ModelError, match="positive number"):
        ev.tick(period)


@pytest.mark.parametrize("number", [np.float64(0.1), np.float32(0.1), Decimal("0.1"), Fraction(1, 10)])
def test_a_period_of_any_sort_of_number_is_its_decimal_form(number) -> None:
    times: list[float] = []

    class Ticks(ev.Continuous):
        @ev.every(number, offset=number)
        def beat(self) -> None:
            times.append(self.sim.time)

    sim = ev.Simulation()
    Ticks(sim).start()
    rows = sim.record(now=lambda: sim.time, every=number)
    sim.run(until=1.0)
    assert times == [k / 10 for k in range(1, 10)]
    assert set(times) <= set(rows.times.tolist())


def test_one_of_period_and_hz() -> None:
    with pytest.raises(TypeError, match="one of them"):
        ev.tick(1.0, hz=1.0)
    with pytest.raises(TypeError, match="one of them"):
        ev.tick()
