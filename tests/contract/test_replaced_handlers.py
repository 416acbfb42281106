"""Handlers that are replaced while there are objects of their class: what Python finds as they fire is called."""

from __future__ import annotations

from types import MethodType
from typing import Any

import pytest

import eventide as ev
from eventide.continuous.guards import native_handlers


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is found out at its first event whether a handler is native code."""
    monkeypatch.setattr(native_handlers, "ENOUGH", 1)


def made() -> tuple[type, type]:
    """A class of its own for each test, as these change it, and the mixin from which it has its handlers."""

    class Counting:
        @ev.when(lambda self: self.x >= 1.0)
        def turn(self: Any) -> None:
            self.x = 0.0
            self.n += 1.0

        @ev.every(1.0, offset=0.75)
        def tick(self: Any) -> None:
            self.k += 1.0

    class Clock(Counting, ev.Continuous):
        x: ev.State = ev.state(0.0)
        n: float = 0.0
        k: float = 0.0

        def equations(self) -> None:
            self.rate.x = 1.0

    return Clock, Counting


def turn_by_ten(self: Any) -> None:
    self.x = 0.0
    self.n += 10.0


def tick_by_ten(self: Any) -> None:
    self.k += 10.0


TEN = {"turn": turn_by_ten, "tick": tick_by_ten}


def replace(how: str, name: str, clock: Any, mixin: type) -> None:
    if how == "class":
        setattr(type(clock), name, TEN[name])
    elif how == "mixin":
        setattr(mixin, name, TEN[name])
    elif how == "code":
        getattr(mixin, name).__code__ = TEN[name].__code__
    else:
        setattr(clock, name, MethodType(TEN[name], clock))


def counts(clock: Any, name: str) -> float:
    return float(clock.n if name == "turn" else clock.k)


HOW = ("class", "mixin", "code", "object")


@pytest.mark.parametrize("name", TEN)
@pytest.mark.parametrize("how", HOW)
def test_what_replaces_a_handler_between_two_runs_is_called_from_then_on(how: str, name: str, simulate: Any) -> None:
    sim, (kind, mixin) = simulate(), made()
    clock, other = kind(sim).start(), kind(sim).start()
    sim.run(until=5.5)
    assert (counts(clock, name), counts(other, name)) == (5.0, 5.0)
    replace(how, name, clock, mixin)
    later = kind(sim).start()
    sim.run(until=8.625)
    expected = (35.0, 8.0, 3.0) if how == "object" else (35.0, 35.0, 30.0)
    assert (counts(clock, name), counts(other, name), counts(later, name)) == expected


@pytest.mark.parametrize("name", TEN)
@pytest.mark.parametrize("how", ["class", "mixin", "code"])
@pytest.mark.parametrize("first", [0.5, 5.5])
def test_what_replaces_a_handler_within_a_run_is_called_from_then_on(
    first: float, how: str, name: str, simulate: Any
) -> None:
    sim, (kind, mixin) = simulate(), made()
    clock = kind(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(first)
        replace(how, name, clock, mixin)

    sim.process(story())
    sim.run(until=8.625)
    assert counts(clock, name) == (80.0 if first < 1.0 else 35.0)


def test_what_an_object_is_given_within_a_run_is_called_or_refused(simulate: Any) -> None:
    sim, (kind, mixin) = simulate(), made()
    clock, other = kind(sim, name="clock").start(), kind(sim).start()
    is_native = sim.compile is not False

    def story() -> ev.ProcessGenerator:
        yield ev.hold(5.5)
        replace("object", "tick", clock, mixin)
        replace("object", "turn", clock, mixin)

    sim.process(story())
    if is_native:
        with pytest.raises(ev.ModelError, match="clock was given its own 'turn' while the run went on"):
            sim.run(until=8.625)
    else:
        sim.run(until=8.625)
        assert clock.n == 35.0
    assert (clock.k, other.k, other.n) == (35.0, 8.0, 8.0)


def test_what_an_object_has_lost_is_that_of_its_class_again(simulate: Any) -> None:
    sim, (kind, mixin) = simulate(), made()
    clock = kind(sim).start()
    replace("object", "turn", clock, mixin)
    replace("object", "tick", clock, mixin)
    sim.run(until=4.5)
    assert (clock.n, clock.k) == (40.0, 40.0)
    for name in TEN:
        delattr(clock, name)
    sim.run(until=8.625)
    assert (clock.n, clock.k) == (44.0, 44.0)


class Ball(ev.Continuous):
    """Bounces; comes to rest after infinitely many bounces."""

    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    falls: bool = True
    ended: str = ""

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -10.0 if self.falls else 0.0

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.5


def rest(self: Any, how: str) -> None:
    self.height = self.velocity = 0.0
    self.falls, self.ended = False, how


def made_with_rest() -> type[Ball]:
    class Resting(Ball):
        @Ball.bounce.accumulates
        def settle(self, time: float) -> None:
            rest(self, "as written")

    return Resting


@pytest.mark.parametrize("how", ["not", "class", "object", "derived"])
def test_what_replaces_the_handler_of_an_accumulation_is_called(how: str, simulate: Any) -> None:
    sim, kind = simulate(), made_with_rest()

    def settle(self: Any, time: float) -> None:
        rest(self, "otherwise")

    ball: Any = (type("Derived", (kind,), {"settle": settle}) if how == "derived" else kind)(sim).start()
    sim.run(until=0.5)
    if how == "class":
        kind.settle = settle  # type: ignore[attr-defined]
    elif how == "object":
        ball.settle = MethodType(settle, ball)
    sim.run(until=2.0)
    assert ball.ended == ("as written" if how == "not" else "otherwise")


@pytest.mark.parametrize("mark", [ev.when(lambda self: self.x >= 0.5), ev.every(0.5)], ids=["when", "every"])
@pytest.mark.parametrize("name", TEN)
@pytest.mark.parametrize("when", ["before it starts", "between runs", "within a run"])
def test_another_condition_or_period_for_a_handler_is_refused(mark: Any, name: str, when: str) -> None:
    sim, (kind, mixin) = ev.Simulation(), made()

    def again() -> None:
        setattr(mixin, name, mark(lambda self: None))

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        again()

    if when == "before it starts":
        again()
        with pytest.raises(
            ev.ModelError, match=rf"Clock\.{name} was given @ev\.(when|every)\(\.\.\.\) after the class"
        ):
            kind(sim).start()
        return
    kind(sim).start()
    if when == "between runs":
        sim.run(until=0.5)
        again()
    else:
        sim.process(story())
    with pytest.raises(ev.ModelError, match=rf"Clock\.{name} was given @ev\.(when|every)\(\.\.\.\) after the class"):
        sim.run(until=2.0)


def test_a_handler_has_the_name_by_which_its_class_has_it() -> None:
    class Named(ev.Continuous):
        x: ev.State = ev.state(0.0)
        log: list[str] = ev.field(default_factory=list)

        def equations(self) -> None:
            self.rate.x = 1.0

        @ev.when(lambda self: self.x >= 1.0)
        def one(self) -> None:
            self.log.append("one")

        other = one

    sim = ev.Simulation()
    named = Named(sim, name="named").start()
    Named.other = lambda self: self.log.append("other")  # type: ignore[attr-defined, method-assign, assignment]
    sim.run(until=2.0)
    assert named.log == ["one", "other"]
    assert [note.name for note in sim.explain().handlers] == ["named.one", "named.other"]


def by_its_name(self: Any) -> None:
    self.x = 0.0
    self.n += 10.0


@pytest.mark.parametrize("goes_on", [3.0, 0.0], ids=["later", "at once"])
def test_what_an_object_is_given_and_loses_within_one_run_is_called_meanwhile(goes_on: float, simulate: Any) -> None:
    """Objects are looked at after events, as an attribute `full` is set in this file."""

    class Tank(ev.Continuous):
        x: ev.State = ev.state(0.0)
        n: float = 0.0

        def equations(self) -> None:
            self.rate.x = 1.0

        @ev.when(lambda self: self.x >= 1.0)
        def full(self) -> None:
            self.x = 0.0
            self.n += 1.0

    sim = simulate()
    tank, other = Tank(sim).start(), Tank(sim).start()

    def story() -> ev.ProcessGenerator:
        for _ in range(2):
            yield ev.hold(3.25)
            tank.full = MethodType(by_its_name, tank)  # type: ignore[method-assign]
            yield ev.hold(goes_on)
            del tank.full
            yield ev.hold(3.0 - goes_on)

    sim.process(story())
    sim.run(until=12.875)
    assert (tank.n, other.n) == (66.0 if goes_on else 12.0, 12.0)
    handled = sim._continuum.integrator.native_handlers.handled
    assert handled > 0 or sim.compile is False


def three(self: Any) -> None:
    self.side = 3.0


def by_state(self: Any) -> None:
    self.side = 3.0 + self.y


def made_to_slide() -> type:
    class Relay(ev.Continuous):
        x: ev.State = ev.state(1.0)
        y: ev.State = ev.state(0.0)
        side: float = -1.0

        def equations(self) -> None:
            self.rate.x = 0.4 + self.side
            self.rate.y = self.side * self.side

        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            self.side = 1.0

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side = -1.0

        sliding = above.slides(below)

    return Relay


@pytest.mark.parametrize("how", ["class", "code", "object"])
@pytest.mark.parametrize("new", [three, by_state])
@pytest.mark.parametrize("is_within", [False, True], ids=["between runs", "within a run"])
def test_what_replaces_a_handler_while_the_state_slides_is_checked_and_slid_by(
    is_within: bool, new: Any, how: str, simulate: Any
) -> None:
    sim, kind = simulate(), made_to_slide()
    relay: Any = kind(sim).start()

    def replace_it() -> None:
        if how == "class":
            kind.below = new  # type: ignore[attr-defined]
        elif how == "code":
            kind.below.__code__ = new.__code__  # type: ignore[attr-defined]
        else:
            relay.below = MethodType(new, relay)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(3.0)
        replace_it()

    if is_within:
        sim.process(story())
    else:
        sim.run(until=3.0)
        assert (relay.sliding, relay.y) == (pytest.approx(0.7), pytest.approx(3.0))
        replace_it()
    if new is by_state:
        with pytest.raises(ev.ModelError, match="below sets side from y, but what handlers set is constant while"):
            sim.run(until=5.0)
        return
    sim.run(until=5.0)
    # -0.6 above and 3.4 below: of 4 parts 3.4 are above, where y rises by 1, and the rest below, where it rises by 9.
    assert (relay.sliding, relay.y) == (pytest.approx(0.85), pytest.approx(3.0 + 2.0 * (0.85 + 0.15 * 9.0)))
