"""Crossings of a level in one direction or either, by handlers and by processes, compiled and plain."""

from __future__ import annotations

from math import asin, pi, sin
from typing import Any

import pytest

import eventide as ev


@pytest.fixture(params=["auto", False], ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, rel_error=1e-10, abs_error=1e-10, compile=request.param)


class Swing(ev.Continuous):
    """x = sin(t) + offset."""

    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)
    level: float = 0.5
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    def note(self, what: str) -> None:
        self.log.append((what, round(self.sim.time, 7)))


UP, DOWN = asin(0.5), pi - asin(0.5)


def expected(*events: tuple[str, float]) -> list[tuple[str, float]]:
    return [(what, round(time, 7)) for what, time in events]


def test_each_direction_and_either_way(sim: ev.Simulation) -> None:
    class Crossed(Swing):
        @ev.when(ev.crosses(lambda self: self.x, 0.5, direction="up"))
        def rise(self) -> None:
            self.note("up")

        @ev.when(ev.crosses(lambda self: self.x, 0.5, direction="down"))
        def fall(self) -> None:
            self.note("down")

        @ev.when(ev.crosses(lambda self: self.x, lambda self: self.level))
        def cross(self) -> None:
            self.note("either")

    swing = Crossed(sim, name="swing").start()
    sim.run(until=8.0)
    assert swing.log == expected(
        ("up", UP), ("either", UP), ("down", DOWN), ("either", DOWN), ("up", UP + 2 * pi), ("either", UP + 2 * pi)
    )
    if sim.compile is not False:
        assert [note.is_compiled for note in sim.explain().conditions] == [True] * 4


def test_what_begins_on_its_level_has_crossed_nothing(sim: ev.Simulation) -> None:
    class Crossed(Swing):
        @ev.when(ev.crosses(lambda self: self.x))
        def cross(self) -> None:
            self.note("zero")

    swing = Crossed(sim).start()
    sim.run(until=7.0)
    assert swing.log == expected(("zero", pi), ("zero", 2 * pi))


def test_an_event_may_carry_a_number_through_its_level(sim: ev.Simulation) -> None:
    class Level(ev.Continuous):
        x: ev.State = ev.state(-1.0)
        log: list = ev.field(default_factory=list)

        @ev.when(ev.crosses(lambda self: self.x))
        def cross(self) -> None:
            self.log.append((self.sim.time, self.x))

    level = Level(sim).start()

    def clerk() -> ev.ProcessGenerator:
        for value in (1.0, 0.5, 0.0, -0.0, 2.0, -3.0):
            yield ev.hold(1.0)
            level.x = value

    sim.process(clerk())
    sim.run(until=10.0)
    assert level.log == [(1.0, 1.0), (3.0, 0.0), (6.0, -3.0)]


@pytest.mark.parametrize(("direction", "time"), [("up", 2 * pi + UP), ("down", DOWN), ("either", DOWN)])
def test_a_process_waits_for_a_passage_and_not_for_a_side(sim: ev.Simulation, direction: Any, time: float) -> None:
    swing = Swing(sim).start()
    log = []

    def watcher() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        assert swing.x > 0.5
        answer = yield ev.until(ev.crosses(lambda: swing.x, 0.5, direction=direction))
        log.append((answer, round(sim.time, 7), len(sim._conditions)))

    sim.process(watcher())
    sim.run(until=8.0)
    assert log == [(True, round(time, 7), 0)]


def test_who_gives_up_a_crossing_leaves_no_condition(sim: ev.Simulation) -> None:
    swing = Swing(sim).start()
    log = []

    def watcher() -> ev.ProcessGenerator:
        got = yield ev.first_of(low=ev.until(ev.crosses(lambda: swing.x, lambda: -sin(1.0))), late=ev.hold(1.0))
        log.append((got.name, len(sim._conditions)))
        log.append((yield ev.until(ev.crosses(lambda: swing.x, 2.0))))

    watching = sim.process(watcher(), name="watcher")

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        assert "until(crosses(lambda at" in watching.why_waiting()
        watching.activate()
        yield ev.hold(0.0)
        log.append(len(sim._conditions))

    sim.process(clerk())
    sim.run()
    assert log == [("late", 0), False, 0]


def test_a_crossing_is_asked_for_in_words_that_exist() -> None:
    with pytest.raises(ev.ModelError, match='"up", "down" or "either", and got \'left\''):
        ev.crosses(lambda self: self.x, direction="left")
    with pytest.raises(TypeError, match=r"takes a function of what is to cross, and got 1\.0"):
        ev.crosses(1.0)
    with pytest.raises(ev.ModelError, match="level of crosses must be a number, and got nan"):
        ev.crosses(lambda self: self.x, float("nan"))
    with pytest.raises(ev.ModelError, match="nothing crosses a level at the start"):
        ev.when(ev.crosses(lambda self: self.x), at_start=True)


@pytest.mark.parametrize("pokes", [0.3, 0.45, 0.49])
def test_what_a_step_would_have_found_beyond_the_event_that_cuts_it_arms_nothing(
    sim: ev.Simulation, pokes: float
) -> None:
    class Ramp(ev.Continuous):
        x: ev.State = ev.state(0.0)
        log: list = ev.field(default_factory=list)

        def equations(self) -> None:
            self.rate.x = 1.0

        @ev.when(lambda self: self.x <= 0.5)
        def low(self) -> None:
            self.log.append(self.sim.time)

    ramp = Ramp(sim).start()

    def poke() -> ev.ProcessGenerator:
        yield ev.hold(pokes)
        ramp.x += 0.001

    sim.process(poke())
    sim.run(until=5.0)
    assert ramp.log == []
