"""Promise 8, where two handlers lead back to one surface: the state slides along it, or is held there."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from math import asin, atan, atan2, copysign, cos, exp, pi, remainder, sin, sqrt
from typing import Any

import pytest
from relays import TIGHT, Follower, Make, Relay, close, story

import eventide as ev


def test_a_relay_slides_until_one_field_leads_away(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", drift=0.25).start()
    log = sim.log()
    sim.run(until=3.0)
    # While x stays 0, -s + (1 - s) + t / 4 = 0.
    assert (relay.x, relay.sliding) == (0.0, pytest.approx((1.0 + 3.0 / 4.0) / 2.0, abs=1e-12))
    sim.run(until=6.0)
    meets = 4.0 - sqrt(8.0)  # 1 - t + t**2 / 8 = 0
    assert story(log) == close(
        (meets, "relay.below"),
        (meets, "relay.above"),
        (meets, "relay.sliding.begins"),
        (4.0, "relay.sliding.ends_above"),
        (4.0, "relay.above"),
    )
    assert (relay.sliding, relay.switches) == (None, 3)
    assert relay.x == pytest.approx(0.5, abs=1e-9)  # the integral of t / 4 - 1 from 4 to 6


@pytest.mark.parametrize("is_observed", [False, True])
def test_a_state_event_that_moves_what_slides_ends_it(simulate: Make, is_observed: bool) -> None:
    """A relay that slides is thrown off its surface by a handler of another object, whether somebody looks or not."""

    class Ramp(ev.Continuous):
        y: ev.State = ev.state(0.0)
        relay: Relay

        def equations(self) -> None:
            self.rate.y = 1.0 + 0.0 * self.relay.x

        @ev.when(lambda self: self.y >= 2.0)
        def throws(self) -> None:
            self.y -= 2.0
            self.relay.x += 0.5

    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", x=0.5).start()
    ramp = Ramp(sim, name="ramp", relay=relay).start()
    if is_observed:
        sim.record(relay, every=0.125)
    seen = []
    for until in (1.0, 2.25, 3.0, 4.125):
        sim.run(until=until)
        seen.append((relay.x, relay.sliding is not None))
    assert seen == [
        (0.0, True),
        (pytest.approx(0.25, abs=1e-9), False),
        (0.0, True),
        (pytest.approx(0.375, abs=1e-9), False),
    ]
    assert ramp.y == pytest.approx(0.125, abs=1e-9)


@pytest.mark.parametrize("dt_min", [1e-9, 1e-4])
def test_what_a_search_leaves_is_brought_to_the_surface(simulate: Make, dt_min: float) -> None:
    sim = simulate(**TIGHT, dt_min=dt_min)
    relay = Relay(sim, name="relay", drift=0.25).start()
    log = sim.log()
    sim.run(until=3.0)
    assert [who for _, who in story(log)] == ["relay.below", "relay.above", "relay.sliding.begins"]
    assert abs(relay.x) < 1e-15
    assert log[0].time == pytest.approx(4.0 - sqrt(8.0), abs=max(1e-9, dt_min))


class Block(ev.Continuous):
    """A block on a belt of speed 1, on a spring of stiffness 1: Coulomb friction of size 1."""

    x: ev.State = ev.state(-2.0)
    v: ev.State = ev.state(0.0)
    side: int = 1
    friction: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.friction = float(self.side)
        self.rate.x = self.v
        self.rate.v = self.friction - self.x

    @ev.when(ev.crosses(lambda self: self.v, 1.0, direction="up"))
    def overtakes(self) -> None:
        self.side = -1

    @ev.when(ev.crosses(lambda self: self.v, 1.0, direction="down"))
    def falls_behind(self) -> None:
        self.side = 1

    sticks = overtakes.slides(falls_behind)


def test_a_block_sticks_to_its_belt_and_slips(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    block = Block(sim, name="block").start()
    log = sim.log()
    trace = sim.record(block, every=0.125, friction=lambda: block.friction, sticks=lambda: block.sticks is not None)
    sim.run(until=6.0)
    # First x = 1 - 3 cos t; then x = -1 + (x1 + 1) cos s + sin s, which has speed 1 again when tan(s / 2) = -(x1 + 1).
    faster = asin(1.0 / 3.0)
    x1 = 1.0 - sqrt(8.0)
    sticks = faster + 2.0 * atan(-(x1 + 1.0))
    slips = sticks + 1.0 - (-2.0 - x1)
    assert story(log) == close(
        (faster, "block.overtakes"),
        (sticks, "block.falls_behind"),
        (sticks, "block.overtakes"),
        (sticks, "block.sticks.begins"),
        (slips, "block.sticks.ends_below"),
        (slips, "block.falls_behind"),
    )
    assert (block.x, block.v) == (
        pytest.approx(1.0 + sin(6.0 - slips), abs=1e-8),
        pytest.approx(cos(6.0 - slips), abs=1e-8),
    )
    rows = [row for row in trace.to_pandas().reset_index().to_numpy().tolist() if sticks + 1e-9 < row[0] < slips - 1e-9]
    assert len(rows) > 8
    # While it sticks, friction is what the spring pulls, not what either side says.
    assert [(v, own, told, on) for _, _, v, own, told, on in rows] == [
        (pytest.approx(1.0, abs=1e-10), pytest.approx(x, abs=1e-10), own, True) for _, x, _, own, _, _ in rows
    ]


class Pendulum(ev.Continuous):
    """x1' = x2, x2' = u + 0.3 sin t, with a controller that switches on the line x2 + 2 x1 = 0."""

    a: ev.State = ev.state(1.0)
    b: ev.State = ev.state(0.0)
    u: float = -2.0

    def equations(self) -> None:
        self.rate.a = self.b
        self.rate.b = self.u + 0.3 * sin(self.sim.time)

    @ev.when(lambda self: self.b + 2.0 * self.a > 0.0)
    def over(self) -> None:
        self.u = -2.0

    @ev.when(lambda self: self.b + 2.0 * self.a < 0.0)
    def under(self) -> None:
        self.u = 2.0

    mode = over.slides(under)


def test_a_sliding_controller_leads_to_the_origin(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    plant = Pendulum(sim, name="plant").start()
    log = sim.log()
    sim.run(until=1.0)
    assert [who for _, who in story(log)] == ["plant.under", "plant.over", "plant.under", "plant.mode.begins"]
    begun = plant.a
    sim.run(until=5.0)
    assert plant.a == pytest.approx(begun * exp(-8.0), abs=1e-9)
    assert abs(plant.b + 2.0 * plant.a) < 1e-14
    # The equivalent control: -2 s + 2 (1 - s) = -2 x2 - 0.3 sin t.
    assert 2.0 - 4.0 * (plant.mode or 0.0) == pytest.approx(-2.0 * plant.b - 0.3 * sin(5.0), abs=1e-9)


class Ring(ev.Continuous):
    """A turn around the origin, drawn outwards inside the unit circle and inwards outside of it."""

    x: ev.State = ev.state(2.0)
    y: ev.State = ev.state(0.0)
    side: float = -1.0

    def equations(self) -> None:
        r = sqrt(self.x**2 + self.y**2)
        self.rate.x = -self.y + self.side * self.x / r
        self.rate.y = self.x + self.side * self.y / r

    @ev.when(lambda self: self.x**2 + self.y**2 > 1.0)
    def out(self) -> None:
        self.side = -1.0

    @ev.when(lambda self: self.x**2 + self.y**2 < 1.0)
    def within(self) -> None:
        self.side = 1.0

    circle = out.slides(within)


@pytest.mark.slow
def test_a_curved_surface_is_kept_without_drift() -> None:
    sim = ev.Simulation(abs_error=1e-7, rel_error=1e-7)
    ring = Ring(sim).start()
    offs = []
    for k in range(1, 21):
        sim.run(until=50.0 * k)
        offs.append(abs(sqrt(ring.x**2 + ring.y**2) - 1.0))
    assert sim.report().steps > 5000
    assert max(offs) < 1e-7
    assert remainder(atan2(ring.y, ring.x) - 1000.0, 2.0 * pi) == pytest.approx(0.0, abs=1e-3)


class Tank(ev.Continuous):
    """A tank at its edge: what is too much runs over."""

    level: ev.State = ev.state(0.0)
    spilled: ev.State = ev.state(0.0)
    is_full: bool = False

    def equations(self) -> None:
        over = 100.0 if self.is_full else 0.0
        self.rate.level = sin(self.sim.time) - over
        self.rate.spilled = over

    @ev.when(lambda self: self.level > 1.0)
    def overflows(self) -> None:
        self.is_full = True

    @ev.when(lambda self: self.level < 1.0)
    def ebbs(self) -> None:
        self.is_full = False

    edge = overflows.slides(ebbs)


def test_a_tank_spills_what_is_too_much(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    tank = Tank(sim, name="tank").start()
    log = sim.log()
    sim.run(until=2.0 * pi)
    assert story(log) == close(
        (pi / 2.0, "tank.overflows"),
        (pi / 2.0, "tank.ebbs"),
        (pi / 2.0, "tank.edge.begins"),
        (pi, "tank.edge.ends_below"),
        (pi, "tank.ebbs"),
    )
    assert (tank.level, tank.spilled) == (pytest.approx(-1.0, abs=1e-9), pytest.approx(1.0, abs=1e-9))


class Turncoat(Relay):
    @ev.when(ev.crosses(lambda self: self.x))
    def switch(self) -> None:
        self.side = -self.side

    @ev.when(lambda self: False)
    def below(self) -> None: ...

    @ev.when(lambda self: False)
    def above(self) -> None: ...

    along = switch.slides()


def test_one_handler_of_a_crossing_slides_by_itself(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relay = Turncoat(sim, name="relay", drift=0.25).start()
    log = sim.log()
    sim.run(until=6.0)
    meets = 4.0 - sqrt(8.0)
    assert story(log) == close(
        (meets, "relay.switch"),
        (meets, "relay.switch"),
        (meets, "relay.along.begins"),
        (4.0, "relay.along.ends_above"),
        (4.0, "relay.switch"),
    )
    assert (relay.x, relay.side) == (pytest.approx(0.5, abs=1e-9), -1.0)


# --- what happens meanwhile -------------------------------------------------------------------------------------------


def test_an_event_that_changes_the_model_asks_the_handlers_again(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", load=0.25).start()
    seen: list[Any] = []

    def process() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        relay.gain = 2.0  # which only the handlers read
        yield ev.hold(1.0)
        seen.append((relay.sliding, relay.switches))
        relay.load = 5.0  # more than either side can hold: it goes up
        yield ev.hold(1.0)
        seen.append((relay.sliding, relay.switches, relay.x))
        relay.load = 0.5  # and comes back, with x' = -1.5
        yield ev.hold(3.0)
        seen.append((relay.sliding, relay.switches, relay.x))
        relay.x = -1.0
        yield ev.hold(0.25)
        seen.append((relay.sliding, relay.switches, relay.side))
        yield ev.hold(1.0)
        seen.append((relay.sliding, relay.switches))

    sim.process(process(), name="process")
    sim.run(until=20.0)
    # Each time both handlers run once; the state that was set below leads to the one there alone, then to both.
    assert seen == [
        (pytest.approx(0.5625), 4),
        (None, 4, pytest.approx(3.0)),
        (pytest.approx(0.625), 6, pytest.approx(0.0, abs=1e-15)),
        (None, 7, 2.0),
        (pytest.approx(0.625), 9),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("is_observed", [False, True])
@pytest.mark.parametrize("by", ["handler", "process"])
def test_the_least_move_off_a_surface_ends_the_sliding(simulate: Make, by: str, is_observed: bool) -> None:
    class Kicks(ev.Continuous):
        y: ev.State = ev.state(0.0)
        relay: Relay
        size: float = 0.0

        def equations(self) -> None:
            self.rate.y = 1.0 + 0.0 * self.relay.x

        @ev.when(lambda self: self.y >= 2.0)
        def kicks(self) -> None:
            self.relay.x += self.size

    def process() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        relay.x += 2e-3

    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", x=0.5).start()
    Kicks(sim, relay=relay, size=2e-3 if by == "handler" else 0.0).start()
    if by == "process":
        sim.process(process())
    if is_observed:
        sim.record(relay, every=0.125)
    sim.run(until=2.001)
    assert (relay.x, relay.sliding) == (pytest.approx(1e-3, abs=1e-9), None)
    sim.run(until=2.003)
    assert (relay.x, relay.sliding is None) == (0.0, False)


class Ripple(Relay):
    """The weight of its sides leaves [0, 1] for a hundredth, again and again, while its state is at rest."""

    def equations(self) -> None:
        time = self.sim.time
        self.rate.x = self.side + 1.005 * (0.9 * sin(time) + 0.1 * sin(20.3 * time))


@pytest.mark.parametrize("method", ["ENGLAND", "DORMAND_PRINCE", "DOP853", "RADAU"])
def test_steps_see_that_the_weight_leaves_while_states_are_at_rest(method: str) -> None:
    times = [k * 2e-4 for k in range(100_000)]
    is_out = [abs(1.005 * (0.9 * sin(t) + 0.1 * sin(20.3 * t))) > 1.0 for t in times]
    expected = sum(now and not before for before, now in pairwise(is_out))
    sim = ev.Simulation(method=getattr(ev.methods, method), abs_error=1e-9, rel_error=1e-9)
    Ripple(sim, name="ripple", x=0.5).start()
    log = sim.log()
    sim.run(until=20.0)
    assert sum("sliding.ends" in entry.who for entry in log) == expected > 3


@pytest.mark.parametrize("by", [-0.015625, 0.015625])
@pytest.mark.parametrize("before", [0.25, 0.75])
def test_one_that_is_moved_goes_on_at_once_beside_one_that_slides_on(simulate: Make, before: float, by: float) -> None:
    sim = simulate(**TIGHT)
    moved = Relay(sim, name="moved", load=0.25, x=0.5).start()
    stays = Relay(sim, name="stays", load=0.25, x=before).start()
    desk = ev.Resource(sim)

    def process() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        moved.x += by
        with desk.request() as place:
            yield place
        stays.load = 0.125

    sim.process(process())
    sim.run(until=2.0 + 2.0**-8)
    assert moved.x == pytest.approx(by + 2.0**-8 * (0.25 - copysign(1.0, by)), abs=1e-9)
    assert stays.sliding == pytest.approx((1.0 + 0.125) / 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("news", [False, True])
@pytest.mark.parametrize("level", [0.1 + k / 64.0 for k in range(0, 12, 3)])
def test_an_event_that_lets_a_state_slide_on_leaves_it_where_it_is(simulate: Make, level: float, news: bool) -> None:
    sim = simulate(**TIGHT)
    follower = Follower(sim, name="relay", drift=0.03125, load=0.25, level=level, news=news).start()
    seen: list[tuple[int, float | None]] = []

    def process() -> ev.ProcessGenerator:
        yield ev.hold(2.5)
        for _ in range(10):
            before = follower.x, sim.time
            follower.drift = -follower.drift
            yield ev.hold(0.0)
            assert (follower.x, sim.time) == before
            yield ev.hold(0.25)
        seen.append((follower.fired, follower.sliding))

    sim.process(process())
    sim.run(until=6.0)
    assert [count for count, _ in seen] == [1]
    assert seen[0][1] is not None


def test_what_stops_slides_no_longer(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", load=0.25).start()
    other = Relay(sim, name="other", load=0.25, x=2.0).start()

    def process() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        relay.stop()
        yield ev.hold(2.0)
        relay.x, relay.side = 1.0, -1.0
        relay.start()

    sim.process(process(), name="process")
    sim.run(until=3.0)
    assert (relay.sliding, relay.switches, other.sliding) == (None, 2, pytest.approx(0.625))
    sim.run(until=8.0)
    assert (relay.sliding, relay.switches, other.sliding) == (
        pytest.approx(0.625),
        4,
        pytest.approx(0.625),
    )


def run_relay(**options: Any) -> tuple[list[Any], list[float]]:
    """The log and the numbers of one run."""
    records = options.pop("records", False)
    sim = ev.Simulation(**TIGHT, **options)
    relay, block = Relay(sim, name="relay", drift=0.25).start(), Block(sim, name="block").start()
    if records:
        sim.record(relay, block, every=0.01, sliding=lambda: relay.sliding or 0.0)
    log = sim.log()
    sim.run(until=6.0)
    return [(*entry[:3], entry.wrote) for entry in log], [relay.x, relay.clock, block.x, block.v]


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_plain_and_native_give_the_same_bits(stepping: str) -> None:
    assert run_relay(compile=False, stepping=stepping) == run_relay(stepping=stepping)


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_recordings_leave_the_motion_as_it_is(stepping: str) -> None:
    assert run_relay(stepping=stepping) == run_relay(stepping=stepping, records=True)


@pytest.mark.parametrize("method", [ev.methods.DORMAND_PRINCE, ev.methods.DOP853, ev.methods.ADAMS, ev.methods.RK4])
def test_any_method_slides(method: Any) -> None:
    options = {"dt_max": 1.0 / 256.0} if method in (ev.methods.RK4, ev.methods.ADAMS) else {}
    sim = ev.Simulation(**TIGHT, **options)
    sim.method = method
    relay = Relay(sim, name="relay", drift=0.25).start()
    log = sim.log()
    sim.run(until=6.0)
    assert len(log) == 5
    assert (log[-1].time, relay.x) == (pytest.approx(4.0, abs=1e-8), pytest.approx(0.5, abs=1e-8))


class Opaque(Relay):
    """The relay with equations that cannot be compiled."""

    def equations(self) -> None:
        terms = {"side": self.side, "drift": self.slope() * self.clock}
        self.rate.clock = 1.0
        self.rate.x = terms["side"] + terms["drift"] + self.load

    def slope(self) -> float:
        return float(str(self.drift))


def test_equations_that_cannot_be_compiled_slide_alike(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relay = Opaque(sim, name="relay", drift=0.25).start()
    sim.run(until=6.0)
    # `switches`, which no equation reads, is no mode: it counts on.
    assert (relay.x, relay.switches, relay.side) == (pytest.approx(0.5, abs=1e-9), 3, -1.0)


# --- to hold ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_chatter_may_end_in_a_rest(simulate: Make) -> None:
    class Held(Relay):
        @ev.when(lambda self: self.x < 0.0)
        def below(self) -> None:
            self.side = 1.0
            self.switches += 1

        @ev.when(lambda self: self.x > 0.0)
        def above(self) -> None:
            self.side = -1.0
            self.switches += 1

        hold = above.accumulates(ev.rest(x=0.0))

    sim = simulate(**TIGHT)
    relay = Held(sim, name="held", load=0.25).start()
    sim.run(until=3.0)
    assert (relay.x, relay["x"].active, relay.clock) == (0.0, False, 3.0)
    assert 1000 < relay.switches < 4100
    relay.x = 1.0
    relay["x"].start()
    sim.run(until=3.5)
    assert relay.x == pytest.approx(1.0 + 0.5 * (relay.side + 0.25))


class Failing(ev.Reporter):
    every: ev.observe.Every = "event"
    calls: int = 0

    def report(self) -> None:
        self.calls += 1
        if self.calls % 2:
            raise KeyError


def test_an_observer_that_fails_at_an_event_keeps_nothing_from_sliding(simulate: Make) -> None:
    """The handler on the other side of the surface was left out, and the state went away from it in silence."""
    sim = simulate(**TIGHT)
    relay = Relay(sim, name="relay", drift=0.25).start()
    Failing(sim).start()
    log = sim.log()
    while sim.time < 3.0:
        with suppress(KeyError):
            sim.run(until=3.0)
    assert (relay.x, relay.sliding) == (0.0, pytest.approx((1.0 + 3.0 / 4.0) / 2.0, abs=1e-12))
    meets = 4.0 - sqrt(8.0)
    assert story(log) == close((meets, "relay.below"), (meets, "relay.above"), (meets, "relay.sliding.begins"))


class Dragged(ev.Continuous):
    """Dry friction against a sine, and what follows it fast."""

    v: ev.State = ev.state(0.5)
    w: ev.State = ev.state(0.0)
    side: float = 1.0

    def equations(self) -> None:
        self.rate.v = 1.6 * sin(2.0 * self.sim.time) - self.side
        self.rate.w = 30.0 * (self.v - self.w)

    @ev.when(lambda self: self.v > 0.0)
    def above(self) -> None:
        self.side = 1.0

    @ev.when(lambda self: self.v < 0.0)
    def below(self) -> None:
        self.side = -1.0

    sliding = above.slides(below)


@pytest.mark.slow
def test_steps_after_sliding_are_the_same_whether_somebody_looks_or_not(simulate: Make) -> None:
    def states(*, is_observed: bool) -> list[float]:
        sim = simulate(method=ev.methods.RADAU, **TIGHT)
        one = Dragged(sim).start()
        if is_observed:
            sim.integral(lambda: one.v)
        seen = []
        for k in range(1, 12):
            sim.run(until=0.5 * k)
            seen += [one.v, one.w]
        return seen

    assert states(is_observed=True) == states(is_observed=False)
