"""What an event changes besides states and numbers is seen, though nobody looks for it while nothing of the kind is.

A run is compared with one in which it is looked for after every event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev
from eventide.declare.changes import Changes
from eventide.errors import ModelError, SimulationError


class Unseen(Changes):
    """Is never seen, whoever has looked."""

    @property
    def are_seen(self) -> bool:
        return False

    @are_seen.setter
    def are_seen(self, seen: bool) -> None:
        pass


class Attentive(ev.Simulation):
    """Looks after every event for whatever it may have changed."""

    def __init__(self, kept: str = "_changes") -> None:
        super().__init__()
        setattr(self, kept, Unseen())  # no class of a model's may set it, and so by a name in a variable


class Spring(ev.Continuous):
    height: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(1.0)
    due: float = 0.0
    neighbour: Any = None

    def equations(self) -> None:
        self.rate.height = self.speed
        self.rate.speed = -self.height if self.neighbour is None else self.neighbour.height - self.height


Change = Callable[["Model"], None]


class Model:
    """A spring whose process counts its swings, and changes something at the fifth."""

    def __init__(self, sim: ev.Simulation, change: Change) -> None:
        self.sim = sim
        self.spring, self.other, self.third = Spring(sim).start(), Spring(sim, height=2.0).start(), Spring(sim)
        self.level = 10.0
        self.log: list[Any] = []
        self.change = change
        sim.process(self.swing())

    def swing(self) -> ev.ProcessGenerator:
        spring, sim = self.spring, self.sim
        for number in range(10):
            yield ev.until(lambda: spring.height > 0.5 and spring.speed > 0.0)
            self.note("up")
            if number == 5:
                assert sim._changes.are_seen is not isinstance(sim, Attentive)
                self.change(self)
            yield ev.until(lambda: spring.height < -0.5 and spring.speed < 0.0)
            self.note("down")

    def note(self, what: str) -> None:
        sim = self.sim
        self.log.append((what, sim.time, self.spring.height, self.third.height, sim.monitor.steps))

    def wait(self, condition: Callable[[], Any]) -> ev.ProcessGenerator:
        yield ev.until(condition)
        self.note("a wait is over")

    def wait_thrice(self, condition: Callable[[], Any], then: Callable[[], Any]) -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.until(condition)
            self.note("one of three waits is over")
            then()
            yield ev.hold(7.0)

    def delay(self) -> None:
        self.spring.due = self.sim.time + 9.5

    def meddle(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        self.level = 0.0


class Looking(ev.Reporter):
    model: Model

    def report(self) -> None:
        self.model.note("look")


def start_another(model: Model) -> None:
    model.third.start()


def refer_to_another(model: Model) -> None:
    model.spring.neighbour = model.other


def take_short_steps(model: Model) -> None:
    model.sim.dt_max = 0.01


def locate_coarsely(model: Model) -> None:
    model.sim.dt_min = 0.01


def take_another_method(model: Model) -> None:
    model.sim.method = ev.methods.DORMAND_PRINCE


def wait_for_a_time(model: Model) -> None:
    due = model.sim.time + 1.25
    model.sim.process(model.wait(lambda: model.sim.time >= due))


def wait_for_a_state(model: Model) -> None:
    model.sim.process(model.wait(lambda: model.spring.height < 0.125))


def wait_for_what_nobody_tells(model: Model) -> None:
    model.sim.process(model.wait(lambda: model.spring.height > model.level))
    model.sim.process(model.meddle())


def wait_thrice_for_a_time(model: Model) -> None:
    model.delay()
    model.sim.process(model.wait_thrice(lambda: model.sim.time >= model.spring.due, model.delay))


def wait_thrice_for_what_nobody_tells(model: Model) -> None:
    spring, level = model.spring, 10.0

    def lower(pause: float) -> ev.ProcessGenerator:
        nonlocal level
        yield ev.hold(pause)
        level = 0.0

    def raise_again() -> None:
        nonlocal level
        level = 10.0
        model.sim.process(lower(8.0))

    model.sim.process(model.wait_thrice(lambda: spring.height > level, raise_again))
    model.sim.process(lower(1.0))


def wait_for_what_cannot_be_read(model: Model) -> None:
    model.sim.process(model.wait(lambda: str(model.spring.height > 0.25) == "False"))


def look_regularly(model: Model) -> None:
    Looking(model.sim, model=model, every=0.5).start()


def look_at_events(model: Model) -> None:
    Looking(model.sim, model=model, every="event").start()


CHANGES = [
    start_another,
    refer_to_another,
    take_short_steps,
    locate_coarsely,
    take_another_method,
    wait_for_a_time,
    wait_for_a_state,
    wait_for_what_nobody_tells,
    wait_thrice_for_a_time,
    wait_thrice_for_what_nobody_tells,
    wait_for_what_cannot_be_read,
    look_regularly,
    look_at_events,
]


def nothing(model: Model) -> None:
    """Change nothing."""


def log_of(sim: ev.Simulation, change: Change) -> list[Any]:
    model = Model(sim, change)
    sim.run(until=90.0)
    return model.log


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_an_event_changes_is_seen_at_once(change: Change) -> None:
    wanted = log_of(Attentive(), change)
    assert wanted != log_of(Attentive(), nothing)
    assert log_of(ev.Simulation(), change) == wanted


def test_a_method_that_cannot_be_used_is_refused_at_that_event() -> None:
    def take_a_method_of_fixed_steps(model: Model) -> None:
        model.sim.method = ev.methods.EULER

    sim = ev.Simulation()
    model = Model(sim, take_a_method_of_fixed_steps)
    with pytest.raises(ModelError, match="has no error estimate"):
        sim.run(until=90.0)
    assert len(model.log) == 11


def test_limits_that_become_none_are_refused_at_that_event() -> None:
    def cross_limits(model: Model) -> None:
        model.sim.dt_min = 2.0
        model.sim.dt_max = 1.0

    sim = ev.Simulation()
    model = Model(sim, cross_limits)
    with pytest.raises(SimulationError, match=r"dt_min is 2\.0 and dt_max 1\.0") as met:
        sim.run(until=90.0)
    assert (met.value.number, len(model.log)) == (5, 11)
