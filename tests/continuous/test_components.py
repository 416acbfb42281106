"""Continuous components: start, stop, order, and what may be written when."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, nan
from typing import Any

import numpy as np
import pytest

import eventide as ev
from eventide.declare import fields_of


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0, unit="kg")
    speed: float = 1.0

    def equations(self) -> None:
        self.rate.x = -self.speed * self.x


class Noted(ev.Continuous):
    """Writes its name to a log whenever its equations run."""

    log: list[str]

    def equations(self) -> None:
        self.log.append(self.name)


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


@pytest.mark.row("R-060", "R-065", "R-074")
def test_equations_hold_from_start_to_stop(sim: ev.Simulation) -> None:
    decay = Decay(sim)
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append((sim.time, decay.x, decay.active))
        decay.start()
        yield ev.hold(1.0)
        log.append((sim.time, round(decay.x, 6), decay.active))
        decay.stop()
        decay.stop()
        yield ev.hold(1.0)
        log.append((sim.time, round(decay.x, 6), decay.active))

    sim.process(story())
    sim.run()
    assert log == [(1.0, 1.0, False), (2.0, 0.367879, True), (3.0, 0.367879, False)]


@pytest.mark.row("R-061")
def test_prelude_is_called_once_when_the_fields_are_set(sim: ev.Simulation) -> None:
    seen = []

    class Eager(Decay):
        def prelude(self) -> None:
            seen.append((self.x, self.speed, self.active))

    Eager(sim, x=3.0, speed=2.0).start()
    sim.run(until=0.5)
    assert seen == [(3.0, 2.0, False)]


@pytest.mark.row("R-062", "R-063", "R-068", "R-069", "R-071", "R-072")
def test_order_is_priority_then_start() -> None:
    sim = ev.Simulation(stepping="together")  # apart, each of these laws would run by itself
    log: list[str] = []
    a, b, c, d = (Noted(sim, name=n, log=log) for n in "abcd")
    assert a.priority == 0.0
    assert a.start() is a
    b.start()
    c.set_priority(2).start()
    d.set_priority(-1).start()
    a.start()
    assert [law.name for law in sim.laws] == ["c", "a", "b", "d"]
    assert a.set_priority(0) is a
    assert [law.name for law in sim.laws] == ["c", "b", "a", "d"]
    d.set_priority(5)
    assert d.active
    sim.run(until=1.0)
    assert log[:4] == ["d", "c", "b", "a"]
    assert log == ["d", "c", "b", "a"] * (len(log) // 4)


@pytest.mark.row("R-068")
def test_set_priority_leaves_an_inactive_one_inactive(sim: ev.Simulation) -> None:
    a = Noted(sim, log=[])
    a.set_priority(3)
    assert (a.active, a.priority) == (False, 3.0)


@pytest.mark.row("R-067", "R-073")
def test_neighbours_in_the_chain(sim: ev.Simulation) -> None:
    a, b, c = (Noted(sim, name=n, log=[]).start() for n in "abc")
    assert [(x.predecessor, x.successor) for x in (a, b, c)] == [(None, b), (a, c), (b, None)]
    assert [x.active for x in (a, b, c)] == [True, True, True]
    b.stop()
    assert [(x.predecessor, x.successor) for x in (a, b, c)] == [(None, c), (None, None), (a, None)]
    assert b.active is False


@pytest.mark.parametrize(
    ("number", "call"),
    [
        pytest.param(12, lambda other: other.start(), marks=pytest.mark.row("R-064", "R-205")),
        pytest.param(13, lambda other: other.stop(), marks=pytest.mark.row("R-066", "R-206")),
        pytest.param(11, lambda other: other.set_priority(1), marks=pytest.mark.row("R-070", "R-204")),
    ],
)
def test_calls_that_are_illegal_between_events(sim: ev.Simulation, number: int, call) -> None:
    other = Decay(sim, name="victim").start()

    class Rogue(ev.Continuous):
        def equations(self) -> None:
            if self.sim.time > 0.5:
                call(other)

    Rogue(sim).start()
    with pytest.raises(ev.SimulationError, match="victim") as caught:
        sim.run(until=1.0)
    assert (caught.value.number, caught.value.continuous) == (number, other)
    assert caught.value.time > 0.5


def test_states_start_at_their_defaults_or_as_given(sim: ev.Simulation) -> None:
    assert Decay(sim).x == 1.0
    assert Decay(sim, x=4).x == 4.0
    with pytest.raises(TypeError, match="speeed"):
        Decay(sim, speeed=1.0)


def test_sums_are_zero_before_contributions_and_these_come_before_equations(sim: ev.Simulation) -> None:
    class Grid(ev.Continuous):
        demand: ev.Summed = ev.summed(unit="kW")
        excess: ev.Computed = ev.computed(unit="kW")

        def equations(self) -> None:
            self.excess = self.demand - 10.0

    class Load(ev.Continuous):
        grid: Grid
        power: float

        def contributions(self) -> None:
            self.grid.demand += self.power

    grid = Grid(sim).start()
    for power in (3.0, 4.0, 5.0):
        Load(sim, grid=grid, power=power).start()
    sim.run(until=1.0)
    assert (grid.demand, grid.excess) == (12.0, 2.0)


@pytest.mark.row("R-026")
def test_contributions_to_the_rate_of_another_add_up(sim: ev.Simulation) -> None:
    class Tank(ev.Continuous):
        level: ev.State = ev.state(0.0)

    class Pipe(ev.Continuous):
        tank: Tank

        def equations(self) -> None:
            self.tank.rate.level += 2.0

    tank = Tank(sim).start()
    for _ in range(3):
        Pipe(sim, tank=tank).start()
    sim.run(until=1.0)
    assert tank.level == pytest.approx(6.0, abs=1e-12)


def test_two_laws_that_set_one_rate_are_named(sim: ev.Simulation) -> None:
    class Thief(ev.Continuous):
        victim: Decay

        def equations(self) -> None:
            self.victim.rate.x = 3.0

    victim = Decay(sim, name="victim").start()
    Thief(sim, victim=victim, name="thief").start()
    with pytest.raises(ev.ModelError, match=r"thief sets the rate of victim\.x, which victim has set"):
        sim.run(until=1.0)


def test_who_comes_before_a_law_that_sets_a_rate_may_not_write_it(sim: ev.Simulation) -> None:
    class Thief(ev.Continuous):
        victim: Decay

        def equations(self) -> None:
            self.victim.rate.x += 3.0

    victim = Decay(sim, name="victim").start()
    sim.run(until=1.0)
    Thief(sim, victim=victim, name="thief").set_priority(1.0).start()
    with pytest.raises(ev.ModelError, match=r"victim sets the rate of victim\.x, which thief has"):
        sim.run(until=2.0)


def test_who_writes_a_rate_may_stop_and_others_come(sim: ev.Simulation) -> None:
    class Tank(ev.Continuous):
        level: ev.State = ev.state(0.0)

    class Tap(ev.Continuous):
        tank: Tank

        def equations(self) -> None:
            self.tank.rate.level = 1.0

    class Rain(ev.Continuous):
        tank: Tank

        def equations(self) -> None:
            self.tank.rate.level += 2.0

    tank = Tank(sim, name="tank").start()
    first, second, rain = Tap(sim, tank=tank, name="first"), Tap(sim, tank=tank, name="second"), Rain(sim, tank=tank)
    for together, level in (((first, rain), 3.0), ((rain,), 5.0), ((second, rain), 8.0), ((second,), 9.0)):
        for law in together:
            law.start()
        sim.run(until=sim.time + 1.0)
        assert tank.level == pytest.approx(level, abs=1e-12)
        for law in together:
            law.stop()
    first.start()
    second.start()
    with pytest.raises(ev.ModelError, match=r"second sets the rate of tank\.level, which first has set"):
        sim.run(until=sim.time + 1.0)


def test_a_plain_field_cannot_be_set_by_equations(sim: ev.Simulation) -> None:
    class Wrong(ev.Continuous):
        x: ev.State = ev.state(0.0)
        power: float = 1.0

        def equations(self) -> None:
            self.power = 2.0

    with pytest.raises(ev.ModelError, match=r"'power' \(.*test_components.py:\d+\).*Computed"):
        Wrong(sim).start()


def test_a_rate_is_only_read_in_an_event(sim: ev.Simulation) -> None:
    decay = Decay(sim).start()
    seen = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        seen.append(decay.rate.x == -decay.x)
        decay.rate.x = 1.0

    sim.process(story())
    with pytest.raises(AttributeError, match="x cannot be set here"):
        sim.run()
    assert seen == [True]


def test_a_misspelt_rate_or_state_is_refused(sim: ev.Simulation) -> None:
    class Typo(Decay):
        def equations(self) -> None:
            self.rate.xx = 1.0

    Typo(sim).start()
    with pytest.raises(AttributeError, match="xx"):
        sim.run(until=1.0)
    with pytest.raises(KeyError, match="it has: x"):
        Decay(sim)["y"]


def test_a_difference_equation_follows_the_steps(sim: ev.Simulation) -> None:
    class Sampler(ev.Continuous):
        total: ev.State = ev.state(0.0, assigned=True)

        def equations(self) -> None:
            self.total = self.last.total + 2.0 * self.sim.dt

    sampler = Sampler(sim).start()
    Decay(sim).start()
    trace = sim.record(sampler, every=0.25)
    sim.run(until=1.0)
    assert list(trace.times) == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert list(trace[f"{sampler.name}.total"]) == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0], abs=1e-12)


@pytest.mark.slow
def test_objects_come_and_go_by_the_thousand(sim: ev.Simulation) -> None:
    ends = []

    class Mayfly(ev.Process, ev.Continuous):
        age: ev.State = ev.state(0.0)
        span: float

        def equations(self) -> None:
            self.rate.age = 1.0

        def run(self) -> ev.ProcessGenerator:
            self.start()
            yield ev.until(lambda: self.age >= self.span)
            ends.append((self.sim.time, self.age))
            self.stop()

    def births() -> ev.ProcessGenerator:
        for k in range(2000):
            Mayfly(sim, span=1.0 + (k % 7) / 8).activate()
            yield ev.hold(0.25)

    sim.process(births())
    sim.run()
    expected = sorted(0.25 * k + 1.0 + (k % 7) / 8 for k in range(2000))
    assert len(ends) == 2000
    assert [time for time, _ in ends] == pytest.approx(expected, abs=1e-9)
    assert sim._continuum.storage.table.shape[1] <= 1024


def test_who_comes_and_goes_compiles_nothing() -> None:
    """What the first lives of a class have needed serves all the others, whose numbers are their own."""

    class House(ev.Continuous):
        warmth: ev.State = ev.state(20.0)

        def equations(self) -> None:
            self.rate.warmth = -0.1 * self.warmth

    class Guest(ev.Process, ev.Continuous):
        house: House
        heat: ev.State = ev.state(0.0)
        limit: float

        def equations(self) -> None:
            self.rate.heat = self.house.warmth
            self.house.rate.warmth += 0.01

        def run(self) -> ev.ProcessGenerator:
            self.start()
            yield ev.until(lambda: self.heat >= self.limit)
            self.stop()

    sim = ev.Simulation(compile=True)
    house = House(sim).start()

    def visits(count: int) -> ev.ProcessGenerator:
        for k in range(count):
            Guest(sim, house=house, limit=1.0 + k % 7).activate()
            yield ev.hold(0.02)

    def made() -> tuple[int, int]:
        registry = sim._continuum.integrator.analyst.registry
        return registry.lowered, registry.store.compiled

    sim.process(visits(100))
    sim.run(until=5.0)
    before = made()
    sim.process(visits(200))
    sim.run(until=20.0)
    assert made() == before
    assert before[0] > 0


def test_a_stopped_object_keeps_its_values_when_memory_grows(sim: ev.Simulation) -> None:
    first = Decay(sim, x=7.0)
    others = [Decay(sim, x=float(k)) for k in range(500)]
    assert first.x == 7.0
    first.x = 8.0
    first.start()
    sim.run(until=1.0)
    assert first.x == pytest.approx(8.0 * 0.36787944117, rel=1e-6)
    assert [other.x for other in others] == [float(k) for k in range(500)]


@pytest.mark.slow
def test_many_small_components_stand_in_one_long_run_of_slots() -> None:
    class Lone(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = -self.x

    sim = ev.Simulation(compile=False)
    decays = [Lone(sim).start() for _ in range(200)]

    def stop_one() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        decays[0].stop()

    sim.process(stop_one())
    sim.run(until=1.0)
    assert (decays[0].x, decays[199].x) == (pytest.approx(exp(-0.5), rel=1e-5), pytest.approx(exp(-1.0), rel=1e-5))


class Cup(ev.Continuous):
    """Fields of every kind that a constructor takes; in the constructor's own names, too."""

    row: ev.State = ev.state(1.0)
    side: float = 2.0
    base: int = 3
    is_full: bool = False
    own: object = None
    notes: list[str] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.row = -self.side


ANYTHING = (
    *(0.5, -0.0, nan, inf, np.float64(2.5), 3, 2**53, 2**53 + 1, 10**400, np.int64(4)),
    *(True, Fraction(1, 2), Fraction(1, 3), 1j, "1.5", None),
)


def kept_in(cup: Cup) -> dict[str, str]:
    return {name: repr(getattr(cup, name)) for name in fields_of(Cup)}


def set_one_by_one(sim: ev.Simulation, values: dict[str, Any]) -> Cup:
    cup = Cup(sim, name="cup")
    for name in fields_of(Cup):
        if name in values:
            setattr(cup, name, values[name])
    return cup


def outcome(make: Callable[[ev.Simulation], Cup]) -> dict[str, str]:
    """What an object keeps, or the error with which it is refused."""
    try:
        return kept_in(make(ev.Simulation()))
    except (TypeError, ValueError, OverflowError, ev.InputError) as error:
        return {type(error).__name__: str(error)}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["row", "side", "base", "is_full", "own"])
def test_a_constructor_keeps_and_refuses_what_setting_does(name: str) -> None:
    refused = 0
    for value in ANYTHING:
        given: dict[str, Any] = {name: value}
        made = outcome(lambda sim, given=given: Cup(sim, name="cup", **given))  # type: ignore[misc]
        assert made == outcome(lambda sim, given=given: set_one_by_one(sim, given))  # type: ignore[misc]
        refused += len(made) == 1
    assert refused == {"row": 4, "side": 6, "base": 11, "is_full": 14, "own": 0}[name]


def test_what_a_constructor_keeps_is_of_the_field_s_kind(sim: ev.Simulation) -> None:
    cup = Cup(sim, row=Fraction(1, 2), side=4, base=5.0, is_full=1.0)
    assert kept_in(cup) == {"row": "0.5", "side": "4.0", "base": "5", "is_full": "True", "own": "None", "notes": "[]"}


@pytest.mark.parametrize("values", [{}, {"row": 2.0}, {"side": 1}])
def test_a_reporter_makes_no_object_with_numbers(sim: ev.Simulation, values: dict[str, Any]) -> None:
    class Potter(ev.Reporter):
        def report(self) -> None:
            Cup(self.sim, name="new", **values)

    Cup(sim).start()
    Potter(sim).start()
    with pytest.raises(ev.ModelError, match=r"new\.row cannot be changed now"):
        sim.run(until=1.0)


def test_a_class_with_its_own_setattr_sees_what_its_constructor_sets(sim: ev.Simulation) -> None:
    seen = []

    class Watched(ev.Continuous):
        level: ev.State = ev.state(1.0)
        size: float = 2.0
        other: object = None

        def __setattr__(self, name: str, value: object) -> None:
            seen.append((name, value))
            super().__setattr__(name, value)

    Watched(sim, level=3.0, other="it")
    assert [item for item in seen if item[0] in fields_of(Watched)] == [("level", 3.0), ("size", 2.0), ("other", "it")]


class Counted(ev.Continuous):
    x: ev.State = ev.state(0.0)
    count: int = 0
    is_open: bool = False

    def equations(self) -> None:
        self.rate.x = 1.0 + self.count

    @ev.every(1.0)
    def halve(self) -> None:
        self.count = self.count / 2  # type: ignore[assignment]  # that is the point


@pytest.mark.parametrize(
    ("name", "value", "kind"), [("count", 2.5, "int"), ("count", np.float64(0.1), "int"), ("is_open", 2, "bool")]
)
def test_a_whole_number_or_truth_holds_nothing_else(name: str, value: float, kind: str) -> None:
    """2.5 was read as 2, in silence; and what was refused had been written before, rounded."""
    one = Counted(ev.Simulation())
    message = (
        rf"^Counted\.{name} cannot hold .* exactly: it is declared as {kind}\. Write `{name}: float` in the class$"
    )
    with pytest.raises(ValueError, match=message):
        setattr(one, name, value)
    with pytest.raises(ValueError, match=message):
        Counted(ev.Simulation(), **{name: value})
    with pytest.raises(ValueError, match=r"^Counted\.count cannot hold 9007199254740993 exactly: numeric fields of a"):
        one.count = 2**53 + 1
    with pytest.raises(TypeError, match=r"^Counted\.count is a parameter and takes a number, and got nan$"):
        one.count = np.nan
    assert (one.count, one.is_open) == (0, False)
    one.count, one.is_open = 3.0, 1  # type: ignore[assignment]  # numbers that are whole, or truths
    assert (repr(one.count), repr(one.is_open)) == ("3", "True")


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_handler_that_leaves_a_part_in_a_whole_number_is_told(compiles: Any) -> None:
    one = Counted(ev.Simulation(compile=compiles), count=8).start()
    with pytest.raises(ValueError, match=r"^Counted\.count cannot hold 0\.5 exactly"):
        one.sim.run(until=9.0)
    assert (one.sim.time, one.count) == (3.0, 1)
