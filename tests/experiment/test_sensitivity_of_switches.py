"""Sensitivities through comparisons in laws, on time and on states, and of integrals, beside closed forms."""

from __future__ import annotations

from collections.abc import Callable
from math import asin, exp, pi, sin, sqrt
from typing import Any

import pytest

import eventide as ev

EXACT = {"rel_error": 1e-11, "abs_error": 1e-11}
START, END, LOSS, LAST = 0.3, 0.9, 1.5, 2.0


class Pulse(ev.Continuous):
    """A filter behind a pulse: its state is (exp(-k (t - b)) - exp(-k (t - a))) / k behind the pulse."""

    x: ev.State = ev.state(0.0)
    a: float = START
    b: float = END
    k: float = LOSS

    def equations(self) -> None:
        self.rate.x = (1.0 if self.a <= self.sim.time < self.b else 0.0) - self.k * self.x


def filtered(a: float, b: float, k: float) -> tuple[float, dict[str, float]]:
    """The state at LAST, and its derivatives."""
    late, early = exp(-k * (LAST - b)), exp(-k * (LAST - a))
    x = (late - early) / k
    by_loss = ((LAST - a) * early - (LAST - b) * late) / k - x / k
    return x, {"a": -early, "b": late, "k": by_loss}


@ev.model(until=LAST, **EXACT)
def pulse(
    sim: ev.Simulation, *, a: float = START, b: float = END, k: float = LOSS, held: bool = False
) -> dict[str, Any]:
    one = Pulse(sim, a=a, b=b, k=k, name="one").start()
    area = sim.integral(lambda: one.x, unit="m")

    def wait() -> ev.ProcessGenerator[None]:
        yield ev.hold(b)

    if held:
        sim.process(wait())
    return {"x": lambda: one.x, "area": area, "average": lambda: area.average, "energy": sim.integral(lambda: one.x**2)}


@pytest.mark.slow
@pytest.mark.parametrize("held", [False, True])
def test_a_pulse_that_depends_on_parameters_has_the_derivatives_of_the_closed_form(held: bool) -> None:
    found = ev.sensitivity(pulse(held=held), ["a", "b", "k"], at=[1.0])
    x, slopes = filtered(START, END, LOSS)
    area = (END - START - x) / LOSS
    by_area = {"a": (-1.0 - slopes["a"]) / LOSS, "b": (1.0 - slopes["b"]) / LOSS, "k": -(area + slopes["k"]) / LOSS}
    for name, slope in slopes.items():
        assert abs(found["x", name] - slope) < 1e-8
        assert abs(found["area", name] - by_area[name]) < 1e-8
        assert abs(found["average", name] - by_area[name] / LAST) < 1e-8
    assert found.outputs == ("one.x", "x", "area", "average", "energy")
    central = ev.sensitivity(pulse, ["a", "b", "k"], by="central")
    for name in slopes:
        assert found["energy", name] == pytest.approx(central["energy", name], abs=1e-6)


class Switched(ev.Continuous):
    """Sinks in proportion above a level, evenly below it; is on while a sine is high; is early until c t = 1."""

    x: ev.State = ev.state(2.0)
    on: ev.State = ev.state(0.0)
    early: ev.State = ev.state(0.0)
    level: float = 0.5
    w: float = 3.0
    c: float = 1.25

    def equations(self) -> None:
        self.rate.x = -self.x if self.x > self.level else -0.1
        self.rate.on = 1.0 if sin(self.w * self.sim.time) > 0.5 else 0.0
        self.rate.early = min(self.c * self.sim.time, 1.0)


@ev.model(until=4.0, **EXACT)
def switched(
    sim: ev.Simulation, *, first: float = 2.0, level: float = 0.5, w: float = 3.0, c: float = 1.25
) -> dict[str, Any]:
    one = Switched(sim, x=first, level=level, w=w, c=c).start()
    return {"x": lambda: one.x, "on": lambda: one.on, "early": lambda: one.early}


@pytest.mark.slow
def test_comparisons_of_states_and_of_functions_of_time_are_carried_through() -> None:
    found = ev.sensitivity(switched)
    # x = level - (4 - ln(first / level)) / 10; two whole windows of the sine; 4 - 1 / (2 c).
    assert abs(found["x", "first"] - 0.1 / 2.0) < 1e-8
    assert abs(found["x", "level"] - (1.0 - 0.1 / 0.5)) < 1e-8
    assert abs(found["on", "w"] + 2.0 * (pi - 2.0 * asin(0.5)) / 9.0) < 1e-8
    assert abs(found["early", "c"] - 0.5 / 1.25**2) < 1e-8
    assert [found[output, name] for output, name in (("x", "w"), ("on", "first"), ("early", "w"))] == [0.0] * 3


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    g: float = 9.81
    e: float = 0.8

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -self.g

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -self.e


@ev.model(until=0.8, **EXACT)
def ball(sim: ev.Simulation, *, g: float = 9.81, e: float = 0.8) -> dict[str, Any]:
    one = Ball(sim, g=g, e=e).start()
    area = sim.integral(lambda: one.height)

    def renew() -> ev.ProcessGenerator[None]:
        yield ev.until(lambda: one.height <= 0.0)
        area.reset()

    sim.process(renew())
    return {"whole": sim.integral(lambda: one.height), "since": area, "elapsed": lambda: area.elapsed}


def test_an_integral_is_carried_through_state_events_and_may_begin_at_one() -> None:
    g, e = 9.81, 0.8
    found = ev.sensitivity(ball)
    hit = sqrt(2.0 / g)
    by_g = -0.5 * hit / g
    rest, up = 0.8 - hit, e * g * hit
    # Since the bounce: up r^2 / 2 - g r^3 / 6 with r = 0.8 - hit; before it 2 hit / 3.
    by_rest = up * rest - 0.5 * g * rest**2
    since = -by_g * by_rest + e * (hit + g * by_g) * rest**2 / 2.0 - rest**3 / 6.0
    assert abs(found["since", "g"] - since) < 1e-8
    assert abs(found["whole", "g"] - (since + 2.0 * by_g / 3.0)) < 1e-8
    assert abs(found["whole", "e"] - g * hit * rest**2 / 2.0) < 1e-8
    assert abs(found["elapsed", "g"] + by_g) < 1e-8


class Two(ev.Continuous):
    x: ev.State = ev.state(0.0)
    a: float = 0.5
    b: float = 0.5

    def equations(self) -> None:
        self.rate.x = (1.0 if self.sim.time < self.a else 0.0) + (1.0 if self.sim.time < self.b else 0.0)


@ev.model(until=1.0)
def refused(sim: ev.Simulation, *, part: str = "two", a: float = 0.5) -> dict[str, Callable[[], Any]]:
    one = Two(sim, a=a, b=a if part == "integrand" else 0.5).start()
    cost = sim.integral(lambda: one.x if sim.time < 0.7 or part != "integrand" else 0.0)
    assert cost is not None
    return {"x": lambda: one.x}


@pytest.mark.slow
def test_an_event_at_the_time_of_a_switch_must_move_with_it() -> None:
    for asked in ({"at": [END]}, {"until": END}):
        with pytest.raises(ev.UndifferentiableError, match=r"at time 0.9, where `.*` in one.equations changes too"):
            ev.sensitivity(pulse, "b", **asked)
    assert abs(ev.sensitivity(pulse, "k", at=[END])["x", "k"] - filtered(START, END, LOSS)[1]["k"]) < 1e-8


class Jumping(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.0)
    p: float = 1.0

    def equations(self) -> None:
        self.rate.x = -1.0
        self.rate.y = 1.0 if self.x > 0.0 else 5.0

    @ev.when(lambda self: self.x <= self.p)
    def drop(self) -> None:
        self.x = -10.0


@ev.model(until=1.0, **EXACT)
def jumping(sim: ev.Simulation, *, p: float = 0.75) -> dict[str, Callable[[], Any]]:
    one = Jumping(sim, p=p).start()
    return {"y": lambda: one.y}


def test_an_event_after_which_a_law_goes_another_way_has_the_rates_of_both_ways() -> None:
    assert abs(ev.sensitivity(jumping)["y", "p"] - 4.0) < 1e-8  # y = (1 - p) + 5 p


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("two", "two comparisons in laws that change at time 0.5, and otherwise move apart"),
        ("integrand", "a comparison in the function of sim.integral that changes between events"),
    ],
)
def test_what_has_no_derivative_there_is_refused_by_name(part: str, words: str) -> None:
    with pytest.raises(ev.UndifferentiableError, match=words):
        ev.sensitivity(refused(part=part))


@ev.model(until=1.0)
def unknown(sim: ev.Simulation, *, part: str = "extreme", a: float = 0.5) -> dict[str, Any]:
    one = Pulse(sim, a=a).start()
    whole: Any = sim.integral(one["x"] if part == "variable" else lambda: one.x)
    return {"x": (lambda: whole.maximum) if part == "extreme" else whole}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "words"), [("extreme", "the maximum of sim.integral"), ("variable", "sim.integral of what is no function")]
)
def test_what_is_not_known_of_an_integral_is_refused_by_name(part: str, words: str) -> None:
    with pytest.raises(ev.UndifferentiableError, match=words):
        ev.sensitivity(unknown(part=part))


class Fed(ev.Continuous):
    x: ev.State = ev.state(0.2)
    f: Any = None

    def equations(self) -> None:
        self.rate.x = self.f(self)


def by_time(_sim: ev.Simulation, a: float, at: float) -> Any:
    return lambda one: a if one.sim.time > at else 0.0


def by_state(_sim: ev.Simulation, a: float, at: float) -> Any:
    return lambda one: a if one.x < at else 0.5 * a


@ev.model(until=1.75, **EXACT)
def fed(
    sim: ev.Simulation, *, a: float = 1.25, at: float = 0.5, kind: str = "by_time", is_exchanged: bool = False
) -> dict[str, Any]:
    make = {"by_time": by_time, "by_state": by_state}[kind]
    one = Fed(sim, f=(lambda me: a * me.sim.time) if is_exchanged else make(sim, a, at), name="one").start()

    def exchange() -> ev.ProcessGenerator[None]:
        yield ev.hold(0.75)
        one.f = lambda me: a * a if me.sim.time > 1.0 else at

    if is_exchanged:
        sim.process(exchange())
    return {"x": lambda: one.x}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "is_exchanged", "expected"),
    [
        pytest.param("by_time", False, (1.25, -1.25), id="a comparison of the time"),
        pytest.param("by_state", False, (0.875, 0.5), id="a comparison of a state"),
        pytest.param("by_time", True, (0.28125 + 2.0 * 1.25 * 0.75, 0.25), id="a function that an event exchanges"),
    ],
)
def test_sensitivities_go_through_functions_in_fields(
    kind: str, is_exchanged: bool, expected: tuple[float, float]
) -> None:
    found = ev.sensitivity(fed(kind=kind, is_exchanged=is_exchanged), ["a", "at"])
    assert (found["x", "a"], found["x", "at"]) == pytest.approx(expected, abs=1e-8)
