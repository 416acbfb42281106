"""Priorities of time events: among those of one time the higher comes first, and without any the order is as it was."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


class Clock(ev.Continuous):
    """Two handlers of one period, the later one in the class with a priority."""

    log: list

    @ev.every(1.0, offset=1.0)
    def ticks(self) -> None:
        self.log.append((self.sim.time, "ticks"))

    @ev.every(1.0, offset=1.0, priority=3.0)
    def strikes(self) -> None:
        self.log.append((self.sim.time, "strikes"))


class Told(ev.Process):
    log: list

    def run(self) -> ev.ProcessGenerator:
        self.log.append((self.sim.time, self.name))
        yield ev.hold(0.0)


@pytest.mark.row("R-003")
def test_one_instant_in_the_order_of_its_priorities(simulate: Simulate) -> None:
    sim = simulate()
    ramp = Ramp(sim).start()
    log: list[Any] = []

    def story(name: str, priority: float | None) -> ev.ProcessGenerator:
        yield ev.hold(1.0) if priority is None else ev.hold(1.0, priority)
        log.append((sim.time, name))
        if name == "high":
            sim.process(begun())  # in front of the instant, before all priorities

    def begun() -> ev.ProcessGenerator:
        log.append((sim.time, "in front"))
        yield ev.hold(0.0, priority=-1.0)
        log.append((sim.time, "lower than all at this time but the lowest"))

    def ticking() -> ev.ProcessGenerator:
        yield ev.tick(1.0, priority=2.0)
        log.append((sim.time, "tick"))

    def state() -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 1.0 and sim.time >= 1.0, priority=99.0)
        log.append((sim.time, "a state event, after all of them"))

    sim.process(state())
    for name, priority in (("lowest", -2.0), ("plain", None), ("zero", 0.0), ("high", 5.0), ("higher", 6.0)):
        sim.process(story(name, priority))
    sim.process(ticking())
    Clock(sim, log=log).start()
    Told(sim, log=log, name="delayed").activate(delay=1.0, priority=4.0)
    Told(sim, log=log, name="at").activate(at=1.0, priority=1.0)
    moved = Told(sim, log=log, name="moved").activate(at=0.5)
    moved.reactivate(at=1.0, priority=2.0)
    Told(sim, log=log, name="prior").activate(at=1.0, prior=True)
    sim.run(until=1.5)

    assert log == [
        (1.0, "prior"),
        (1.0, "higher"),
        (1.0, "high"),
        (1.0, "in front"),
        (1.0, "delayed"),
        (1.0, "strikes"),
        (1.0, "moved"),
        (1.0, "tick"),
        (1.0, "at"),
        (1.0, "ticks"),
        (1.0, "plain"),
        (1.0, "zero"),
        (1.0, "lower than all at this time but the lowest"),
        (1.0, "lowest"),
        (1.0, "a state event, after all of them"),
    ]


def test_equal_priorities_keep_the_order_in_which_they_were_scheduled() -> None:
    sim = ev.Simulation()
    log: list[Any] = []

    def story(name: str, first: float, then: float) -> ev.ProcessGenerator:
        yield ev.hold(first)
        yield ev.hold(then, 1.0)
        log.append((sim.time, name))

    sim.process(story("scheduled third", 3.0, 1.0))
    sim.process(story("scheduled first", 1.0, 3.0))
    sim.process(story("scheduled second", 2.0, 2.0))
    sim.run()

    assert log == [(4.0, "scheduled first"), (4.0, "scheduled second"), (4.0, "scheduled third")]


def test_the_present_instant_has_priorities_too() -> None:
    """Grants and what holds for 0 stand at its end, with priority 0."""
    sim = ev.Simulation()
    log: list[Any] = []

    def last(name: str, priority: float) -> ev.ProcessGenerator:
        yield ev.hold(0.0, priority)
        log.append(name)

    def plain() -> ev.ProcessGenerator:
        yield ev.hold(0.0)
        log.append("plain")

    sim.process(last("low", -1.0))
    sim.process(plain())
    sim.process(last("high", 1.0))
    sim.process(last("endless", inf))
    sim.run(until=0.0)
    assert log == []
    sim.run()

    assert log == ["endless", "high", "plain", "low"]


def test_who_stands_beside_an_event_has_its_place() -> None:
    sim = ev.Simulation()
    log: list[Any] = []
    high = Told(sim, log=log, name="high").activate(at=1.0, priority=1.0)
    Told(sim, log=log, name="plain").activate(at=1.0)
    Told(sim, log=log, name="after high").activate(after=high)
    Told(sim, log=log, name="before high").activate(before=high)
    sim.run()

    assert log == [(1.0, "before high"), (1.0, "high"), (1.0, "after high"), (1.0, "plain")]
    assert [entry.name for entry in sim.schedule] == []


def test_a_log_a_trace_and_the_event_list_tell_of_them() -> None:
    sim = ev.Simulation()
    log = sim.log()

    def story(name: str, priority: float) -> ev.ProcessGenerator:
        yield ev.hold(1.0, priority)
        yield ev.first_of(a=ev.hold(1.0, priority), b=ev.hold(5.0))

    for name, priority in (("low", -1.0), ("high", 1.0)):
        sim.process(story(name, priority), name=name)
    sim.run(until=0.5)
    assert [(entry.time, entry.name) for entry in sim.schedule] == [(1.0, "high"), (1.0, "low")]
    sim.run(until=3.0)

    assert [(entry.time, entry.who, entry.why) for entry in log] == [
        (0.0, "low", "activated by whoever runs the model"),
        (0.0, "high", "activated by whoever runs the model"),
        (1.0, "high", "hold ended"),
        (1.0, "low", "hold ended"),
        (2.0, "high", "a (first_of): hold ended"),
        (2.0, "low", "a (first_of): hold ended"),
    ]


def test_a_hold_that_was_suspended_goes_on_with_its_priority() -> None:
    sim = ev.Simulation()
    desk = ev.Resource(sim, 1)
    log: list[Any] = []

    def user() -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            yield ev.hold(3.0, priority=1.0)
            log.append((sim.time, "user"))

    def closing() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        desk.set_capacity(0, excess="suspend")
        yield ev.hold(1.0)
        desk.set_capacity(1)

    def rival() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        yield ev.hold(2.5)  # scheduled before the other goes on
        log.append((sim.time, "rival"))

    for part in (user(), closing(), rival()):
        sim.process(part)
    sim.run()

    assert log == [(4.0, "user"), (4.0, "rival")]


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        (lambda p: ev.hold(1.0, "x"), TypeError, "the priority of hold is a number, high first, and got 'x'"),
        (lambda p: ev.hold(1.0, nan), ev.ModelError, "the priority of hold must be a number, and got nan"),
        (lambda p: ev.tick(1.0, priority="x"), TypeError, "the priority of tick is a number, high first, and got 'x'"),
        (lambda p: ev.every(1.0, priority=nan), ev.ModelError, "the priority of every must be a number, and got nan"),
        (
            lambda p: p.activate(priority=nan),
            ev.ModelError,
            "the priority of activate() of told must be a number, and got",
        ),
        (
            lambda p: p.activate(at=1.0, prior=True, priority=1.0),
            ev.ModelError,
            "activate takes one of before=, after=, prior= and priority=, which each tell a place",
        ),
        (lambda p: ev.hold("x", 1.0), TypeError, "hold takes a number of time units, and got 'x'"),
    ],
    ids=["text", "nan", "tick", "every", "activate", "two places", "duration"],
)
def test_what_is_no_priority_is_refused(act: Callable[[Any], Any], kind: type[Exception], message: str) -> None:
    told = Told(ev.Simulation(), log=[], name="told")
    with pytest.raises(kind) as info:
        act(told)

    assert str(info.value).startswith(message)
    assert told.idle


def test_a_negative_hold_with_a_priority_is_refused_as_any() -> None:
    sim = ev.Simulation()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(-1.0, 1.0)

    sim.process(story(), name="story")
    with pytest.raises(ev.ModelError, match=r"^story cannot hold for -1.0: a duration is at least 0"):
        sim.run()


@pytest.mark.parametrize("priority", [0.0, 1.0, -1.0])
def test_its_derivatives_are_those_of_a_plain_hold(priority: float) -> None:
    @ev.model(until=3.0)
    def doubled(sim: ev.Simulation, pause: float = 1.0) -> dict[str, Any]:
        ramp = Ramp(sim).start()

        def story() -> ev.ProcessGenerator:
            yield ev.hold(pause, priority)
            ramp.x *= 2.0

        sim.process(story())
        return {"x": lambda: ramp.x}

    found = ev.sensitivity(doubled, "pause")
    assert found["x", "pause"] == pytest.approx(1.0, abs=1e-9)
