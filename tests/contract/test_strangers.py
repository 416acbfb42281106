"""Code that cannot be read may refer to objects of its own simulation only, as code that can be read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.level = 1.0


class Gauge(ev.Continuous):
    tank: Tank
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = sorted([self.tank.level, -1.0])[1]


class Listed(ev.Continuous):
    tanks: list
    y: ev.State = ev.state(0.0)

    def _levels(self) -> list[float]:
        return sorted(tank.level for tank in self.tanks)

    def equations(self) -> None:
        self.rate.y = self._levels()[0]


class Chained(ev.Continuous):
    """It refers to one that refers to a stranger."""

    gauge: Gauge
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = sorted([self.gauge.tank.level, -1.0])[1]


class Part:
    def __init__(self, inside: object) -> None:
        self.inside = inside


@dataclass(slots=True)
class Slotted:
    inside: object


class Boxed(ev.Continuous):
    """It refers to one in a plain object of a plain object."""

    box: object
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = sorted([self.box.inside.inside.level, -1.0])[1]  # type: ignore[attr-defined]


class Named(ev.Continuous):
    """It names what it refers to by a text."""

    box: object
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = float(getattr(self.box, "inside").level)  # noqa: B009  # this is what is tested


def is_full(tank: Tank) -> bool:
    return sorted([tank.level, -1.0])[1] > 3.0


def wait(sim: ev.Simulation, tank: Tank) -> None:
    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: is_full(tank))

    sim.process(story(), name="story")


def add(sim: ev.Simulation, tank: Tank) -> None:
    total = ev.Variable(sim, 0.0).start()
    ev.law(sim, lambda: total.set_rate(sorted([tank.level, -1.0])[1]), name="total").start()


def refer(kind: type[Any]) -> Any:
    return lambda sim, tank: kind(sim, name="gauge", tank=tank).start()


PLACES = {
    "equations of gauge": refer(Gauge),
    "equations of listed": lambda sim, tank: Listed(sim, name="listed", tanks=[tank]).start(),
    "equations of chained": lambda sim, tank: Chained(sim, name="chained", gauge=Gauge(sim, tank=tank)).start(),
    "equations of total": add,
    "equations of boxed": lambda sim, tank: Boxed(sim, name="boxed", box=Part(Slotted(tank))).start(),
    "equations of named": lambda sim, tank: Named(sim, name="named", box=Slotted(tank)).start(),
    "the condition of story": wait,
}


@pytest.mark.parametrize("place", PLACES)
def test_code_that_cannot_be_read_refers_to_no_other_simulation(place: str, simulate: Any) -> None:
    sim, tank = simulate(), Tank(ev.Simulation(), name="stranger")
    Tank(sim).start()
    PLACES[place](sim, tank)
    what = "belongs to another simulation: each object lives in the one it was made for"
    with pytest.raises(ev.ModelError, match=f"^{place} may not refer to stranger, which {what}$"):
        sim.run(until=1.0)


@pytest.mark.parametrize("place", PLACES)
def test_code_that_cannot_be_read_refers_to_its_own(place: str, simulate: Any) -> None:
    sim = simulate()
    tank = Tank(sim).start()
    PLACES[place](sim, tank)
    sim.run(until=1.0)
    assert tank.level == pytest.approx(2.0)


def test_what_is_bound_beforehand_is_looked_through(simulate: Any) -> None:
    sim, tank = simulate(), Tank(ev.Simulation(), name="stranger")
    Tank(sim, name="own").start()

    def story() -> ev.ProcessGenerator:
        yield ev.until(partial(is_full, tank))

    sim.process(story(), name="story")
    with pytest.raises(ev.ModelError, match="story may not refer to stranger"):
        sim.run(until=1.0)


class Bound(classmethod):
    """A class method that counts how often it is bound, which makes another object each time."""

    binds = 0

    def __get__(self, *place: Any) -> Any:
        Bound.binds += 1
        assert Bound.binds < 1000
        return super().__get__(*place)


def test_class_methods_are_looked_through_once(simulate: Any) -> None:
    """Each look bound another, so that there was something new without end: the run did not begin."""
    sim, Bound.binds = simulate(), 0

    class Limited(Tank):
        limit = Bound(lambda cls: 2.0)

    one = Limited(sim).start()
    times: list[float] = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: one.level >= type(one).limit())
        times.append(sim.time)

    sim.process(story(), name="story")
    sim.run(until=3.0)
    assert times == [pytest.approx(1.0)]


def test_a_stranger_is_found_in_class_methods(simulate: Any) -> None:
    sim, stranger = simulate(), Tank(ev.Simulation(), name="stranger")

    class Limited(Tank):
        limit = classmethod(lambda cls: stranger.level)

    one = Limited(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: one.level >= type(one).limit())

    sim.process(story(), name="story")
    with pytest.raises(ev.ModelError, match="story may not refer to stranger"):
        sim.run(until=1.0)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize("is_opaque", [False, True])
@pytest.mark.parametrize("compiled", ["auto", False])
def test_no_law_and_no_condition_reads_the_clock_of_another_simulation(compiled: Any, is_opaque: bool) -> None:
    sim, other = ev.Simulation(compile=compiled), ev.Simulation()

    class Late(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = max([other.time]) if is_opaque else other.time

    def story() -> ev.ProcessGenerator:
        yield ev.until((lambda: max([other.time]) > 1.0) if is_opaque else (lambda: other.time > 1.0))

    with pytest.raises(ev.ModelError, match="equations of Late 1 may not refer to a clock, which belongs to another"):
        Late(sim).start().sim.run(until=1.0)
    sim = ev.Simulation(compile=compiled)
    sim.process(story(), name="story")
    with pytest.raises(
        ev.ModelError, match="the condition of story may not refer to a clock, which belongs to another"
    ):
        sim.run(until=2.0)


@pytest.mark.parametrize("compiled", ["auto", False])
def test_what_is_observed_may_be_of_another_simulation(compiled: Any) -> None:
    sim, other = ev.Simulation(compile=compiled), ev.Simulation(compile=compiled)
    Tank(sim).start()
    tank = Tank(other, level=7.0).start()
    tanks = [tank]
    recording = sim.record(
        level=lambda: tank.level, sum=lambda: sum(one.level for one in tanks), clock=lambda: other.time, every=1.0
    )
    integral = sim.integral(lambda: tank.level)
    sim.run(until=2.0)
    other.run(until=3.0)
    sim.run(until=4.0)
    for name, before, after in (("level", 7.0, 10.0), ("sum", 7.0, 10.0), ("clock", 0.0, 3.0)):
        assert list(recording[name]) == [before] * 3 + [after] * 3
    assert integral.value == 2.0 * 7.0 + 2.0 * 10.0
