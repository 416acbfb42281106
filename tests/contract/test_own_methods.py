"""Methods that one object is given in place of its class's, by code that does not say so in the class's file."""

from __future__ import annotations

from types import MethodType
from typing import Any

import pytest
import random_bodies

import eventide as ev


class Tank(ev.Continuous):
    x: ev.State = ev.state(0.0)
    emptied: int = 0

    def speed(self) -> float:
        return 1.0

    def is_full(self) -> bool:
        return self.x >= 2.0

    def equations(self) -> None:
        self.rate.x = self.speed()

    @ev.when(lambda self: self.is_full())
    def empty(self) -> None:
        self.x = 0.0
        self.emptied += 1


def faster(self: Any) -> None:
    self.rate.x = 4.0


OWN = {"speed": lambda: 4.0, "equations": faster, "is_full": lambda: False}


def lay(tank: Tank, name: str) -> None:
    function = OWN[name]
    setattr(tank, name, MethodType(function, tank) if name == "equations" else function)


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_between_two_runs_holds_from_the_next_on(name: str, simulate: Any) -> None:
    sim = simulate()
    tank, other = Tank(sim, name="tank").start(), Tank(sim, name="other").start()
    sim.run(until=1.0)
    lay(tank, name)
    sim.run(until=3.0 if name == "is_full" else 2.125)
    expected = (pytest.approx(3.0), 0) if name == "is_full" else (pytest.approx(1.5), 2)
    assert (tank.x, tank.emptied) == expected
    assert (other.emptied, other.x) == (1, pytest.approx(sim.time - 2.0))


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_before_it_starts_is_its_own(name: str, simulate: Any) -> None:
    sim = simulate()
    other, tank = Tank(sim, name="other").start(), Tank(sim, name="tank")
    lay(tank, name)
    tank.start()
    sim.run(until=2.125)
    assert (tank.x, tank.emptied) == ((pytest.approx(2.125), 0) if name == "is_full" else (pytest.approx(0.5), 4))
    assert other.x == pytest.approx(0.125)


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_is_given_while_a_run_goes_on_is_refused(name: str, simulate: Any) -> None:
    sim = simulate()
    tank = Tank(sim, name="tank").start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        lay(tank, name)

    sim.process(story())
    with pytest.raises(ev.ModelError, match=f"tank was given its own '{name}' while the run went on, and its laws, "):
        sim.run(until=1.5)


# --- methods of other objects -----------------------------------------------------------------------------------------


class Helper:
    """A plain object."""

    def gain(self) -> float:
        return 1.0


class Shared(ev.Component):
    """A component that is in no flow."""

    def gain(self) -> float:
        return 1.0


class Model(ev.Continuous):
    """A component with a state, which is started or not."""

    y: ev.State = ev.state(0.0)

    def gain(self) -> float:
        return 1.0


class Follower(ev.Continuous):
    x: ev.State = ev.state(0.0)
    n: float = 0.0
    of: Model = ev.field(default=None)


class ByLaw(Follower):
    def equations(self) -> None:
        self.rate.x = self.of.gain()


class ByCondition(Follower):
    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= self.of.gain())
    def count(self) -> None:
        self.n += 1.0
        self.x = 0.0


class ByHandler(Follower):
    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 1.0)
    def count(self) -> None:
        self.n += self.of.gain()
        self.x = 0.0


class ByHandlerToo(ByHandler):
    """As `ByHandler`, of which a refusal of what plain objects do says nothing."""


class ByProcess(Follower):
    def equations(self) -> None:
        self.rate.x = 1.0


def counting(follower: Follower, of: Any) -> ev.ProcessGenerator:
    while True:
        yield ev.until(lambda: follower.x >= 1.0)
        follower.n += of.gain()
        follower.x = 0.0


COUNTED = (0.9, 157.0)
RIGHT = {ByLaw: (158.7, 0.0), ByCondition: (0.9, 53.0), ByHandler: COUNTED, ByHandlerToo: COUNTED, ByProcess: COUNTED}
"""What there is at 79.9 if a gain of 1 becomes 3 at 40.5: the state and the count, which begins at x = 0."""


def follow(sim: Any, kind: type[Follower], of: Any) -> Follower:
    follower = kind(sim, of=of).start()
    if kind is ByProcess:
        sim.process(counting(follower, of))
    return follower


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ByLaw, ByCondition, ByHandlerToo, ByProcess])
@pytest.mark.parametrize("owner", [Helper, Shared])
def test_what_is_laid_over_a_method_of_an_object_in_no_flow_holds_at_once(
    owner: type, kind: type[Follower], simulate: Any
) -> None:
    sim = simulate()
    of = Helper() if owner is Helper else Shared(sim)
    follower = follow(sim, kind, of)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(40.5)
        setattr(of, "ga" + "in", lambda: 3.0)

    sim.process(story())
    sim.run(until=79.9)
    assert (follower.x, follower.n) == (pytest.approx(RIGHT[kind][0]), RIGHT[kind][1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ByLaw, ByCondition, ByHandler, ByProcess])
@pytest.mark.parametrize("is_started", [False, True])
def test_a_method_of_another_is_noticed_between_runs_and_refused_within_one(
    kind: type[Follower], is_started: bool, simulate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_bodies.hurry(monkeypatch)
    sim = simulate()
    model = Model(sim, name="model")
    if is_started:
        model.start()
    follower = follow(sim, kind, model)
    sim.run(until=40.5)
    setattr(model, "ga" + "in", lambda: 3.0)
    sim.run(until=79.9)
    assert (follower.x, follower.n) == (pytest.approx(RIGHT[kind][0]), RIGHT[kind][1])

    sim = simulate()
    model = Model(sim, name="model")
    follower = follow(sim, kind, model)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(40.5)
        setattr(model, "ga" + "in", lambda: 3.0)

    sim.process(story())
    if kind is ByProcess or (sim.compile is False and kind is ByHandler):
        sim.run(until=79.9)
        assert follower.n == RIGHT[kind][1]
        assert random_bodies.taken(sim) > (20 if kind is ByProcess and sim.compile else -1)  # rows notice it at once
        return
    with pytest.raises(ev.ModelError, match="model was given its own 'gain' while the run went on"):
        sim.run(until=79.9)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("how", ["deleted", "set"])
def test_what_an_object_is_given_and_loses_in_one_run_is_refused(how: str, name: str, simulate: Any) -> None:
    """Laws went on with the function of the class in between, in silence."""
    sim = simulate()
    tank = Tank(sim, name="tank").start()
    before = getattr(tank, name)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        lay(tank, name)
        yield ev.hold(0.5)
        if how == "deleted":
            delattr(tank, name)
        else:
            setattr(tank, name, before)

    sim.process(story())
    with pytest.raises(ev.ModelError, match=f"tank was given its own '{name}' while the run went on, and its laws, "):
        sim.run(until=1.75)
    assert sim.time == (1.5 if how == "deleted" else 1.75)


@pytest.mark.parametrize("name", OWN)
def test_what_an_object_has_between_two_runs_it_may_lose_there(name: str, simulate: Any) -> None:
    sim = simulate()
    tank, other = Tank(sim, name="tank").start(), Tank(sim, name="other").start()
    sim.run(until=0.5)
    lay(tank, name)
    delattr(tank, name)
    setattr(other, name, getattr(other, name))
    sim.process(ev.hold(0.25) for _ in range(1))
    sim.run(until=1.0)
    assert tank.x == pytest.approx(1.0)


def test_other_attributes_may_be_deleted(simulate: Any) -> None:
    sim = simulate()
    tank = Tank(sim).start()

    def story() -> ev.ProcessGenerator:
        tank.note = 1
        yield ev.hold(1.0)
        del tank.note

    sim.process(story())
    sim.run(until=1.5)
    assert not hasattr(tank, "note")
    with pytest.raises(AttributeError):
        del tank.note
