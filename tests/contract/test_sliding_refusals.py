"""What cannot slide, and what is said of it."""

from __future__ import annotations

from math import copysign
from typing import Any

import pytest
from relays import TIGHT, Make, Relay

import eventide as ev


def test_equations_that_test_the_sign_themselves_are_refused(simulate: Make) -> None:
    class Signed(ev.Continuous):
        locate_branches = False
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = -1.0 if self.x > 0.0 else 1.0

        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None: ...

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None: ...

        sliding = above.slides(below)

    class Located(Signed):
        locate_branches = True

        def equations(self) -> None:
            self.rate.x = -1.0 if self.x > 0.0 else 1.0

    sim = simulate(**TIGHT)
    Located(sim, name="located").start()
    with pytest.raises(ev.ModelError, match=r"located\.\w+ leads back .* sets no number .* in place of the sign"):
        sim.run(until=2.0)
    sim = simulate(**TIGHT)
    Signed(sim, name="signed").start()
    with pytest.raises(ev.ModelError, match=r"signed\.below leads back .* sets no number .* in place of the sign"):
        sim.run(until=2.0)


def test_handlers_that_set_a_state_are_refused(simulate: Make) -> None:
    class Setter(Relay):
        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            self.side = 1.0

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side, self.clock = -1.0, 0.0

        sliding = above.slides(below)

    sim = simulate(**TIGHT)
    Setter(sim, name="setter").start()
    with pytest.raises(ev.ModelError, match=r"setter\.above sets the state setter\.clock, and slides"):
        sim.run(until=2.0)


def test_handlers_that_set_a_field_from_a_state_are_refused(simulate: Make) -> None:
    class Follower(Relay):
        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            size = 1.0 + self.clock
            self.side = size

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side = copysign(1.0, -self.x)

        sliding = above.slides(below)

    sim = simulate(**TIGHT)
    Follower(sim, name="follower").start()
    with pytest.raises(ev.ModelError, match=r"follower\.below sets side from clock, but what handlers set is constant"):
        sim.run(until=2.0)


def test_a_handler_that_sets_another_number_at_the_end_is_found(simulate: Make) -> None:
    class Ageing(Relay):
        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            self.side = 1.0

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side = -1.0 - self.sim.time

        sliding = above.slides(below)

    sim = simulate(**TIGHT)
    Ageing(sim, name="ageing", drift=0.25).start()
    with pytest.raises(ev.ModelError, match=r"ageing\.above sets ageing\.side to -9\.6\d+ at the end .* it was -2\.17"):
        sim.run(until=9.0)


@pytest.mark.parametrize(
    "condition",
    [lambda self: self.x > 0.0 and self.clock > 0.0, lambda self: self.side + self.rate.x > 0.0],
    ids=["two", "rate"],
)
def test_an_edge_that_is_not_one_comparison_of_states_is_refused(simulate: Make, condition: Any) -> None:
    class Edged(Relay):
        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            self.side = 1.0

        @ev.when(condition)
        def above(self) -> None:
            self.side = -1.0

        sliding = above.slides(below)

    sim = simulate(**TIGHT)
    Edged(sim, name="edged").start()
    with pytest.raises(
        ev.ModelError, match=r"edged\.above cannot slide along the edge of \[lambda at .*one comparison"
    ):
        sim.run(until=2.0)


def test_a_band_slides_nowhere(simulate: Make) -> None:
    class Banded(Relay):
        @ev.when(lambda self: self.x < -0.25)
        def below(self) -> None:
            self.side = 1.0
            self.switches += 1

        @ev.when(lambda self: self.x > 0.25)
        def above(self) -> None:
            self.side = -1.0
            self.switches += 1

        sliding = above.slides(below)

    sim = simulate(**TIGHT)
    relay = Banded(sim, name="banded").start()
    sim.run(until=4.0)
    assert (relay.switches, relay.sliding) == (6, None)


def test_slides_is_said_of_the_handlers_of_one_surface() -> None:
    @ev.when(lambda self: self.x > 0.0)
    def above(self: Any) -> None: ...

    @ev.when(lambda self: self.x < 0.0)
    def below(self: Any) -> None: ...

    @ev.when(ev.crosses(lambda self: self.x))
    def crosses(self: Any) -> None: ...

    with pytest.raises(TypeError, match=r"above\.slides takes the handler of the other side.*got <function"):
        above.slides(lambda self: None)
    with pytest.raises(TypeError, match=r"above\.slides\(\) is for one handler of `crosses"):
        above.slides()
    with pytest.raises(TypeError, match=r"slides\(other\) for two handlers of one condition each"):
        above.slides(crosses)
    above.slides(below)
    with pytest.raises(TypeError, match=r"above slides along two surfaces"):
        above.slides(below)


def test_a_subclass_with_another_handler_says_anew_which_slide() -> None:
    class Other(Relay):
        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side = -1.0

    sim = ev.Simulation()
    with pytest.raises(ev.ModelError, match=r"other replaces the handler above or below: say again"):
        Other(sim, name="other").start()


class Slope(ev.Continuous):
    """x slides along x + y = 1/2; its law gives a rate to y as well."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.0)
    z: ev.State = ev.state(0.0)
    side: float = 1.0

    def equations(self) -> None:
        self.rate.x = 0.2 - self.side
        self.rate.y = 0.3
        self.rate.z = self.side

    @ev.when(lambda self: self.x + self.y < 0.5)
    def below(self) -> None:
        self.side = -1.0

    @ev.when(lambda self: self.x + self.y > 0.5)
    def above(self) -> None:
        self.side = 1.0

    sliding = above.slides(below)


@pytest.mark.parametrize("method", [ev.methods.ENGLAND, ev.methods.DOP853], ids=lambda method: method.name)
def test_a_state_that_is_stopped_alone_does_not_move_the_surface(simulate: Make, method: Any) -> None:
    sim = simulate(method=method, **TIGHT)
    slope = Slope(sim).start()
    slope["y"].stop()
    sim.run(until=3.0)
    begin = 0.5 / 0.8
    assert (slope.x, slope.y, slope.rate.y) == (pytest.approx(0.5, abs=1e-12), 0.0, 0.3)
    assert slope.z == pytest.approx(begin + 0.2 * (3.0 - begin), abs=1e-9)
    assert sim.monitor.steps < 100
