"""Jumps of laws that are not located, and estimates that do not see them.

England's is zero where its stage at 3/4 alone is beyond a jump; Radau's where the start moved by the error is.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from functools import partial
from math import log, sqrt
from typing import Any

import numpy as np
import pytest

import eventide as ev


class Row(ev.Continuous):
    """Three that rise at speed 1 below a level, and at speed 0.1 above it."""

    u: ev.StateVector = ev.state_vector(0.0, size=3)
    level: float = 0.5

    def equations(self) -> None:
        self.rate.u = np.where(self.u < self.level, 1.0, 0.1)

    @property
    def risen(self) -> float:
        return float(self.u[0])


class Opaque(ev.Continuous):
    """The same for one, in a law that native code refuses."""

    x: ev.State = ev.state(0.0)
    level: float = 0.5

    def equations(self) -> None:
        try:
            self.rate.x = 1.0 if self.x < self.level else 0.1
        finally:
            pass

    @property
    def risen(self) -> float:
        return self.x


def speed(level: float, x: float) -> float:
    return 1.0 if x < level else 0.1


def speed_by_another(level: float, x: float) -> float:
    return speed(level, x)


class Calls(ev.Continuous):
    """The same, in a function that another function calls."""

    x: ev.State = ev.state(0.0)
    level: float = 0.5

    def equations(self) -> None:
        self.rate.x = speed_by_another(self.level, self.x)

    @property
    def risen(self) -> float:
        return self.x


class Method(Calls):
    """In a method that is given nothing."""

    def equations(self) -> None:
        self.rate.x = self.speed()

    def speed(self) -> float:
        return speed_by_another(self.level, self.x)


class Property(Calls):
    """In a property."""

    def equations(self) -> None:
        self.rate.x = self.speed

    @property
    def speed(self) -> float:
        return speed_by_another(self.level, self.x)


def speed_of_all(*given: float) -> float:
    return speed_by_another(given[0], given[1])


class OfAll(Calls):
    """In a function that takes whatever it is given, in which nothing is located."""

    def equations(self) -> None:
        self.rate.x = speed_of_all(self.level, self.x)


class MethodOfAll(Calls):
    """In such a method, which is given nothing."""

    def equations(self) -> None:
        self.rate.x = self.speed()

    def speed(self, *given: float) -> float:
        return speed_by_another(self.level, self.x)


class Private(Calls):
    """In a property that uses a private name of its class."""

    def equations(self) -> None:
        self.rate.x = self.speed

    @property
    def speed(self) -> float:
        return self.__speed()

    def __speed(self) -> float:
        return speed_by_another(self.level, self.x)


class Library(Calls):
    """In a function whose text is not known."""

    def equations(self) -> None:
        self.rate.x = (1.0, 0.1)[bisect((self.level,), self.x)]


class Field(Calls):
    """In what a field refers to."""

    speed: Callable[[float], float]

    def equations(self) -> None:
        self.rate.x = self.speed(self.x)


class Loop(Calls):
    """In a function that is called in a loop."""

    def equations(self) -> None:
        for _ in range(1):
            self.rate.x += speed(self.level, self.x)


class Loose(Calls):
    """In a class that says that nothing is to be located."""

    locate_branches = False

    def equations(self) -> None:
        self.rate.x = self.speed()

    def speed(self) -> float:
        return speed_by_another(self.level, self.x)


class Above(Calls):
    """A class with smooth methods and a number, whose law those below it have."""

    height: float = 0.0

    def equations(self) -> None:
        self.rate.x = self.speed() + (0.0 if self.height < self.level else -0.9)

    def speed(self) -> float:
        return self.factor()

    def factor(self) -> float:
        return 1.0


class Below(Above):
    """In a method in the place of one that a method of the class above calls."""

    def factor(self) -> float:
        return speed_by_another(self.level, self.x)


class AboveOfAll(Above):
    """A class whose law calls a method that takes whatever it is given."""

    def speed(self, *given: float) -> float:
        return self.factor()


class BelowOfAll(AboveOfAll):
    """In a method in the place of one that this method calls."""

    def factor(self) -> float:
        return speed_by_another(self.level, self.x)


class Moving(Above):
    """In the law of the class above, by a number that is a state here."""

    height: ev.State = ev.state(0.0)

    def equations(self) -> None:
        super().equations()
        self.rate.height = 1.0


class Lorenz(ev.Continuous):
    """Lorenz's equations, in a law that is not looked into for its comparison."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(1.0)
    z: ev.State = ev.state(1.0)

    def equations(self) -> None:
        try:
            self.rate.x = 10.0 * (self.y - self.x) if self.z >= -1e9 else 0.0
        finally:
            pass
        self.rate.y = self.x * (28.0 - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z


KINDS = [
    Row,
    Opaque,
    Calls,
    Method,
    Property,
    OfAll,
    MethodOfAll,
    Private,
    Library,
    Field,
    Loop,
    Loose,
    Below,
    BelowOfAll,
    Moving,
]
METHODS = [pytest.param(method, id=method.name) for method in (ev.methods.ENGLAND, ev.methods.RADAU)]


def rise(kind: type[Any], level: float, compiles: Any, method: Any = ev.methods.ENGLAND) -> tuple[float, int, int]:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12, compile=compiles, method=method)
    given = {"speed": partial(speed, level)} if kind is Field else {}
    AboveOfAll(sim).start()
    Above(sim).start()  # what its methods are is not what those of the classes below it are
    model = kind(sim, level=level, **given).start()
    sim.run(until=1.0)
    report = sim.report()
    return model.risen, report.evaluations, report.refused


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_jump_that_the_estimate_does_not_see_is_not_stepped_over(kind: type[Any], method: Any) -> None:
    levels = [0.205 + 0.06 * k for k in range(10)] + [0.2306, 0.4754, 0.7967]
    found = [rise(kind, level, "auto", method)[0] for level in levels]
    assert found == pytest.approx([level + 0.1 * (1.0 - level) for level in levels], rel=0.0, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_native_and_plain_runs_refuse_the_same_steps(kind: type[Any], method: Any) -> None:
    assert rise(kind, 0.4754, "auto", method) == rise(kind, 0.4754, False, method)


class Pump(ev.Continuous):
    power: float = 1.0

    def flow(self, x: float) -> float:
        return self.power * np.exp(-x)


def decay(depth: float, x: float) -> float:
    return decay(depth - 1.0, x) if depth else np.sqrt(1.0 + x * x)


class Smooth(ev.Continuous):
    """What is called is known to be smooth."""

    pump: Pump
    drive: ev.inputs.Sine
    x: ev.State = ev.state(0.0)
    u: ev.StateVector = ev.state_vector(0.0, size=3)

    @property
    def area(self) -> float:
        return 2.0 * self.pump.flow(self.x)

    def equations(self) -> None:
        items = self.u
        self.rate.x = self.area + self.drive(self.sim.time) + float(items.sum()) + decay(2.0, self.x)
        self.rate.u = np.cumsum(self.u) * len(self.u)


def test_what_is_smooth_is_not_named() -> None:
    sim = ev.Simulation()
    smooth = Smooth(sim, pump=Pump(sim), drive=ev.inputs.Sine(frequency=1.0)).start()
    loose = ev.Variable(sim, 1.0).start()
    ev.law(sim, lambda: loose.set_rate(-loose.state)).start()
    sim.run(until=0.5)
    assert [(b.law, b.text, b.why) for b in sim.explain().branches] == []
    assert smooth.x > 0.0


def test_what_is_called_and_may_branch_is_named() -> None:
    sim = ev.Simulation()
    for kind in (Calls, Method, Property, OfAll, MethodOfAll, Private, Library, Field, Loop, Loose):
        kind(sim, **({"speed": partial(speed, 0.5)} if kind is Field else {})).start()
    all_given = "arguments are followed one by one, without * and **"
    private = "it has private names of its class, or names of outer functions that it sets"
    unknown = "it is not known whether what is called branches"
    assert [(b.text, b.why) for b in sim.explain().branches] == [
        ("x < level", ""),
        ("x < level", ""),
        ("x < level", ""),
        ("speed_of_all(self.level, self.x)", all_given),
        ("self.speed()", all_given),
        ("self.speed", private),
        ("bisect((self.level,), self.x)", unknown),
        ("x < level", "a field refers to the function, which may be another for each object"),
        ("speed(self.level, self.x)", "it is in a loop"),
        ("equations", "as `Loose.locate_branches` says"),
    ]


def test_what_moves_only_in_a_class_below_is_named() -> None:
    sim = ev.Simulation()
    Above(sim).start()
    Moving(sim).start()
    assert [(note.law, note.why) for note in sim.explain().branches] == [
        ("Moving 1.equations", "it is of Above, and fields or methods of Moving are others")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("precision", [1e-3, 1e-6])
def test_a_smooth_law_makes_the_steps_that_it_makes_when_it_is_looked_into(precision: float) -> None:
    class Known(Lorenz):
        def equations(self) -> None:
            self.rate.x = 10.0 * (self.y - self.x)
            self.rate.y = self.x * (28.0 - self.z) - self.y
            self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z

    def run(kind: type[Lorenz]) -> tuple[list[float], int, int, int]:
        sim = ev.Simulation(rel_error=precision, abs_error=precision, compile=False)
        model = kind(sim).start()
        sim.run(until=10.0)
        monitor = sim.monitor
        return [model.x, model.y, model.z], monitor.steps, monitor.refused, monitor.system.evaluations

    looked_into, known = run(Lorenz), run(Known)
    assert looked_into[:3] == known[:3]
    assert looked_into[3] == known[3] + known[1]  # one more for each step


class Pushed(ev.Continuous):
    """An oscillator, which is pushed harder below a level."""

    x: ev.State = ev.state(0.0)
    v: ev.State = ev.state(1.0)
    level: float = 9.0

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = (0.5 if self.x < self.level else 0.1) - 4.0 * self.x


class PushedInALoop(Pushed):
    """The same where it is not located."""

    def equations(self) -> None:
        for _ in range(1):
            push = 0.5 if self.x < self.level else 0.1
        self.rate.x = self.v
        self.rate.v = push - 4.0 * self.x


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ENGLAND", "DORMAND_PRINCE", "FEHLBERG", "FEHLBERG_EXTRAPOLATED"])
def test_a_jump_near_the_end_of_a_step_costs_few_tolerances(name: str) -> None:
    def ends(kind: type[Pushed], level: float, precision: float) -> tuple[float, float]:
        sim = ev.Simulation(method=getattr(ev.methods, name), rel_error=0.0, abs_error=precision)
        model = kind(sim, level=level).start()
        sim.run(until=0.6)
        return model.x, model.v

    sim = ev.Simulation(method=getattr(ev.methods, name), rel_error=0.0, abs_error=1e-6)
    model = PushedInALoop(sim).start()
    steps = sim.record(x=lambda: model.x, every="step")
    sim.run(until=0.6)
    apart, offsets = [], [0.0, *(sign * 10.0**-k for k in range(3, 12) for sign in (1.0, -1.0))]
    for level in (float(steps["x"][k]) + offset for k in (3, 5, 6) for offset in offsets):
        pairs = zip(ends(PushedInALoop, level, 1e-6), ends(Pushed, level, 1e-10), strict=True)
        apart.append(max(abs(got - right) for got, right in pairs))
    assert max(apart) < 3.5e-5


def test_only_an_estimate_of_rates_at_the_end_sees_no_jump() -> None:
    known = {name: getattr(ev.methods, name) for name in ev.methods.__all__}
    methods = {name: method for name, method in known.items() if isinstance(method, ev.methods.Method)}
    assert len(methods) > 10
    assert [name for name, method in methods.items() if not method.sees_jumps] == ["RK43"]


def test_a_method_that_sees_no_jump_is_refused_where_one_may_be_hidden() -> None:
    told = (
        r"Runge-Kutta 4\(3\) does not see that a rate jumps .* the laws of Opaque 1 some may, .*: take another method"
    )
    sim = ev.Simulation(method="rk43")
    law = Opaque(sim).start()
    with pytest.raises(ev.ModelError, match=told):
        sim.run(until=1.0)
    sim.method = "dormand_prince"
    sim.run(until=0.2)
    sim.method = "rk43"
    with pytest.raises(ev.ModelError, match=told):
        sim.run(until=1.0)
    law.stop()
    sim.run(until=0.5)
    law.start()
    with pytest.raises(ev.ModelError, match=told):
        sim.run(until=1.0)


def test_a_jump_that_is_located_may_be_met_by_any_method() -> None:
    class Located(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0 if self.x < 0.5 else 0.1

    sim = ev.Simulation(method="rk43", abs_error=1e-10, rel_error=1e-10)
    law = Located(sim).start()
    sim.run(until=1.0)
    assert law.x == pytest.approx(0.55, abs=1e-10)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_class_may_say_that_its_laws_are_smooth(compiles: Any) -> None:
    class Smooth(Opaque):
        smooth_laws = True

    class Derived(Smooth):
        def equations(self) -> None:
            for _ in range(1):
                self.rate.x = speed(self.level, self.x)

    class Jumps(Smooth):
        smooth_laws = False

    def simulation() -> ev.Simulation:
        return ev.Simulation(method="rk43", compile=compiles)

    sim = simulation()
    Smooth(sim, name="smooth").start()
    loose = ev.Variable(sim, 1.0, name="loose").start()
    ev.law(sim, lambda: loose.set_rate(-max([loose.state]) if loose.state > -9.0 else 0.0), smooth=True).start()
    sim.run(until=0.25)
    assert loose.state == pytest.approx(np.exp(-0.25), abs=1e-5)
    notes = [(b.law, b.is_smooth, b.looks) for b in sim.explain().branches]
    assert notes == [("smooth.equations", True, "not located"), ("<lambda>.<lambda>", True, "not located")]
    assert "smooth, as `smooth_laws` says: no step is checked for jumps there" in str(sim.explain())
    for kind in (Derived, Jumps):
        sim = simulation()
        kind(sim).start()
        with pytest.raises(ev.ModelError, match="write `smooth_laws = True` in a class"):
            sim.run(until=1.0)


# --- functions that are replaced --------------------------------------------------------------------------------------


def constant_speed(level: float, x: float) -> float:
    return 1.0


called = constant_speed
bent = abs


def replace_names(**names: Any) -> None:
    globals().update(names)


class CallsByName(Calls):
    def equations(self) -> None:
        self.rate.x = called(self.level, self.x)


class UnreadByName(Calls):
    def equations(self) -> None:
        try:
            self.rate.x = called(self.level, self.x)
        finally:
            pass


class Bent(Calls):
    def equations(self) -> None:
        self.rate.x = 1.0 + bent(self.x - 9.0)


@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("kind", [CallsByName, UnreadByName, "law"])
def test_a_function_that_is_replaced_by_one_that_branches_is_seen(kind: Any, compiles: Any, *, within: bool) -> None:
    replace_names(called=constant_speed)
    sim = ev.Simulation(method="rk43", compile=compiles)
    if kind == "law":
        loose = ev.Variable(sim, 0.0).start()
        ev.law(sim, lambda: loose.set_rate(called(0.5, loose.state))).start()
    else:
        kind(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        replace_names(called=speed)

    if within:
        sim.process(story())
    else:
        sim.run(until=0.25)
        assert [b.why for b in sim.explain().branches] == []
        replace_names(called=speed)
    with pytest.raises(ev.ModelError, match="does not see that a rate jumps"):
        sim.run(until=1.0)
    assert len(sim.explain().branches) == 1
    replace_names(called=constant_speed)
    sim.run(until=1.0)


@pytest.mark.parametrize("compiles", ["auto", False])
def test_where_what_is_located_becomes_something_else_the_law_goes_as_it_is_written(compiles: Any) -> None:
    replace_names(bent=abs)
    sim = ev.Simulation(compile=compiles, method="rk43")
    model = Bent(sim).start()
    sim.run(until=0.5)
    replace_names(bent=lambda x: -1.0)
    sim.run(until=0.75)
    assert sim.explain().branches == ()
    sim.method = "england"
    replace_names(bent=lambda x: max([-1.0, x]))
    sim.run(until=1.0)
    assert model.x == pytest.approx(10.0 * (1.0 - np.exp(-0.5)), abs=1e-5)
    told = f"`bent` of {__name__} has become something else, and objects of the class had been made"
    assert [(b.text, b.why) for b in sim.explain().branches] == [("equations", told)]
    other = ev.Simulation(compile=compiles)
    Bent(other).start()
    other.run(until=1.0)
    replace_names(bent=abs)
    sim.run(until=1.5)
    assert model.x == pytest.approx(10.0 * (1.0 - np.exp(-1.0)), abs=1e-5)
    assert [b.text for b in sim.explain().branches] == ["bent(self.x - 9.0)"]


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_jump_that_is_met_by_the_shortest_step_is_error_one(compiled: Any) -> None:
    """Its last stage alone is beyond the jump, so that the error is estimated as zero."""
    sim = ev.Simulation(compile=compiled, method="england", rel_error=0.0, abs_error=1e-6, dt_min=0.02, dt_max=0.02)
    model = PushedInALoop(sim).start()
    sim.run(until=0.02)
    end, asked = model.x, list[float]()
    sim = ev.Simulation(compile=compiled, method="england", rel_error=0.0, abs_error=1e-6, dt_min=0.02, dt_max=0.02)
    sim.integration_error = lambda variable: asked.append(sim.time)  # type: ignore[assignment,method-assign,return-value,func-returns-value]
    PushedInALoop(sim, level=end - 1e-9).start()
    sim.run(until=0.04)
    assert asked == [0.0]


class Drains(ev.Continuous):
    """By the root of its level, and a little slower below another level, where that is not located."""

    x: ev.State = ev.state(0.842)
    level: float = 0.113

    def equations(self) -> None:
        for _ in range(1):
            self.rate.x = -2.34 * sqrt(self.x) + (0.0348 if self.x < self.level else 0.0307)


def test_a_jump_whose_estimates_cancel_costs_few_tolerances() -> None:
    """The stages behind a jump are moved by it, which for some lengths of a step hides it in the estimate."""
    sim = ev.Simulation(method=ev.methods.DOP853, abs_error=1e-9, rel_error=1e-9, dt_max=0.5)
    drains = [Drains(sim, level=0.1 + k * 1e-4).start() for k in range(300)]
    sim.run(until=0.609)
    assert len(drains) == 300
    for one in drains:
        passed = time_of(0.842, one.level, 0.0307) + time_of(one.level, one.x, 0.0348)
        assert passed == pytest.approx(0.609, abs=7e-8)  # 35 tolerances at a speed of 0.5


def time_of(high: float, low: float, feed: float) -> float:
    """How long it takes from one level to another, in closed form."""
    ends = [sqrt(x) + feed / 2.34 * log(2.34 * sqrt(x) - feed) for x in (high, low)]
    return 2.0 / 2.34 * (ends[0] - ends[1])
