"""Laws that read rates, and laws that set them and cannot be read: they are sorted by what they are seen to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eventide as ev

WAYS = [(compiles, stepping) for compiles in ("auto", False) for stepping in ("apart", "together")]


@pytest.fixture(params=WAYS, ids=lambda way: f"{'plain' if way[0] is False else 'compiled'}-{way[1]}")
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    compiles, stepping = request.param
    return ev.Simulation(compile=compiles, stepping=stepping, dt_max=0.25)


class Source(ev.Continuous):
    """x is t + t^2/2."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0 + self.sim.time


class Unread(Source):
    def equations(self) -> None:
        try:
            self.rate.x = 1.0 + self.sim.time
        finally:
            pass


class Follows(ev.Continuous):
    """y is what the x of another is."""

    y: ev.State = ev.state(0.0)
    of: Source = ev.field(default=None)

    def equations(self) -> None:
        self.rate.y = self.of.rate.x


class FollowsUnread(Follows):
    def equations(self) -> None:
        try:
            self.rate.y = self.of.rate.x
        finally:
            pass


@pytest.mark.parametrize("first", ["source", "reader"])
@pytest.mark.parametrize("source", [Source, Unread])
@pytest.mark.parametrize("reader", [Follows, FollowsUnread])
def test_a_rate_is_read_after_it_is_set(source: Any, reader: Any, first: str, sim: ev.Simulation) -> None:
    known = source(sim)
    follows = reader(sim, of=known)
    for one in (known, follows) if first == "source" else (follows, known):
        one.start()
    sim.run(until=2.0)
    assert (known.x, follows.y) == (pytest.approx(4.0), pytest.approx(4.0))


def test_the_rates_of_another_object_are_waited_for_from_its_event_on(sim: ev.Simulation) -> None:
    follows = FollowsUnread(sim).start()
    early, late = Unread(sim), Unread(sim)
    follows.of = early
    early.start()
    late.start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        follows.of = late

    sim.process(story())
    sim.run(until=2.0)
    assert follows.y == pytest.approx(4.0)


def test_rates_of_vectors_and_of_loose_variables_are_waited_for(sim: ev.Simulation) -> None:
    class Row(ev.Continuous):
        u: ev.StateVector = ev.state_vector(0.0, size=2)

        def equations(self) -> None:
            try:
                self.rate.u = np.array([1.0, 2.0]) * self.sim.time
            finally:
                pass

    class Sum(ev.Continuous):
        y: ev.State = ev.state(0.0)
        z: ev.State = ev.state(0.0)
        of: Any = None

        def equations(self) -> None:
            try:
                self.rate.y = float(np.sum(self.of.rate.u))
                self.rate.z = self.of["u"][1].rate
            finally:
                pass

    reads = Sum(sim).start()
    reads.of = Row(sim).start()
    one, other = ev.Variable(sim, 0.0, name="one").start(), ev.Variable(sim, 0.0, name="other").start()
    ev.law(sim, lambda: one.set_rate([other.rate][0])).start()
    ev.law(sim, lambda: other.set_rate([3.0 * sim.time][0])).start()
    sim.run(until=2.0)
    assert [reads.y, reads.z, one.state, other.state] == pytest.approx([6.0, 4.0, 6.0, 6.0])


def test_those_that_add_to_rates_wait_for_nobody(sim: ev.Simulation) -> None:
    class Body(ev.Continuous):
        heat: ev.State = ev.state(0.0)
        u: ev.StateVector = ev.state_vector(0.0, size=2)
        other: Any = None

        def contributions(self) -> None:
            try:
                flow = self.heat - self.other.heat
                self.other.rate.heat += flow
                self.rate.heat -= flow
                self.other.rate.u[1:] += flow
                self.rate.u[0] -= flow
            finally:
                pass

    one, other = Body(sim, heat=1.0), Body(sim, heat=1.0)
    one.other, other.other = other, one
    one.start()
    other.start()
    sim.run(until=1.0)
    other.heat = 0.0
    sim.run(until=2.0)
    assert one.heat - other.heat == pytest.approx(np.exp(-4.0), abs=1e-5)
    assert one.heat + other.heat == pytest.approx(1.0)


def test_a_law_may_copy_and_reshape_the_rates_of_a_vector(sim: ev.Simulation) -> None:
    class Rod(ev.Continuous):
        u: ev.StateVector = ev.state_vector(1.0, size=3)

        def equations(self) -> None:
            self.rate.u = -self.u
            kept = self.rate.u.copy()
            kept[2] = 7.0  # which is no rate
            self.rate.u[0] = kept[0] + kept[1] + 0.0 * kept[2]
            self.rate.u[1] = 3.0 * self.rate.u.reshape(3, 1)[1, 0]

    class Doubles(ev.Continuous):
        y: ev.State = ev.state(0.0)
        rod: Rod = ev.field(default=None)

        def equations(self) -> None:
            try:  # so that it is watched, as it cannot be compiled
                self.rate.y = 1.0
                self.rod.rate.u = 2.0 * self.rod.rate.u.copy()
            finally:
                pass

    rod = Rod(sim).start()
    Doubles(sim, rod=rod).start()
    sim.run(until=1.0)
    first, second, third = rod.u.tolist()
    assert [second, third] == pytest.approx([np.exp(-6.0), np.exp(-2.0)], abs=1e-5)
    assert rod.rate.u.tolist() == [-2.0 * (first + second), -6.0 * second, -2.0 * third]


def test_laws_that_need_each_others_rates_are_refused(sim: ev.Simulation) -> None:
    one, other = FollowsUnread(sim, name="one"), Follows(sim, name="other")

    class Loop(ev.Continuous):
        x: ev.State = ev.state(0.0)
        of: Any = None

        def equations(self) -> None:
            try:
                self.rate.x = 1.0 + self.of.rate.y
            finally:
                pass

    loop = Loop(sim, name="loop", of=one)
    one.of, other.of = loop, loop
    for each in (one, loop, other):
        each.start()
    with pytest.raises(
        ev.ModelError, match=r"laws wait for each other, an algebraic loop: one\.equations reads loop\.rate\.x"
    ):
        sim.run(until=1.0)
