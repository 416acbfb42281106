"""Promise 8: a model that stops advancing says so, and ends as it was asked to."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import pytest

import eventide as ev

BALL_ENDS = (2 * 10.0 / 9.81) ** 0.5 * 9.0
"""A ball dropped from 10 m with restitution 0.8: t1 (1 + 2 (e + e**2 + ...)), in closed form."""


def accurate(**options: Any) -> ev.Simulation:
    return ev.Simulation(**{"rng": 1, "rel_error": 1e-10, "abs_error": 1e-12, **options})


@pytest.fixture(params=["auto", pytest.param(False, marks=pytest.mark.slow)], ids=["compiled", "plain"])
def compiles(request: pytest.FixtureRequest) -> Any:
    return request.param


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        self.bounces += 1


class Resting(Ball):
    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        self.bounces += 1

    @bounce.accumulates
    def settle(self, time: float) -> None:
        self.log.append((time, self.sim.time))
        self["velocity"].stop()
        self.velocity = 0.0


class Ready(Ball):
    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        self.bounces += 1

    settle = bounce.accumulates(ev.rest("velocity", height=0.0))


def test_a_ball_that_nobody_told_what_to_do_raises_with_its_end(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    ball = Ball(sim, name="ball").start()
    with pytest.raises(ev.ModelError, match=r"ball\.bounce fires ever faster: .* factor 0\.8.*accumulates") as caught:
        sim.run(until=20.0)
    told = float(str(caught.value).split("end at time ")[1].split(" ")[0])
    assert (told, sim.time) == (pytest.approx(BALL_ENDS, abs=1e-6), pytest.approx(BALL_ENDS, abs=1e-6))
    assert ball.bounces > 60


def test_a_ball_comes_to_rest_when_its_bounces_accumulate(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    ball = Resting(sim).start()
    sim.run(until=20.0)
    assert len(ball.log) == 1
    assert ball.log[0] == (pytest.approx(BALL_ENDS, abs=1e-6), pytest.approx(BALL_ENDS, abs=1e-6))
    assert ball.log[0][1] < ball.log[0][0]
    assert ball.velocity == 0.0
    assert abs(ball.height) < 1e-12
    assert sim.time == 20.0


@pytest.mark.filterwarnings("ignore::eventide.EqualityWarning")  # an event sets the very number
def test_a_ready_made_rest_and_another_kick(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    ball = Ready(sim, height=1.0).start()
    first = (2 * 1.0 / 9.81) ** 0.5 * 9.0
    log = []

    def kicker() -> ev.ProcessGenerator:
        yield ev.until(lambda: ball.velocity == 0.0 and ball.height == 0.0 and sim.time > 1.0)
        log.append((sim.time, ball.height))
        yield ev.hold(1.0)
        ball["velocity"].start()
        ball["height"].start()
        ball.velocity = 9.81
        yield ev.hold(1.0)
        yield ev.until(lambda: ball.velocity == 0.0 and ball.height == 0.0)
        log.append((sim.time, ball.height))

    sim.process(kicker())
    sim.run(until=30.0)
    # A kick with 9.81 m/s: flights of 2, 2 * 0.8, 2 * 0.8**2, ... seconds.
    ends = [first, first + 1.0 + 2.0 / (1.0 - 0.8)]
    assert log == [(pytest.approx(end, abs=1e-6), 0.0) for end in ends]


def test_a_warning_is_given_once_and_the_run_goes_on_as_long_as_time_does(compiles: Any) -> None:
    sim = accurate(compile=compiles, cascades="warn")
    Ball(sim, name="ball").start()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sim.run(until=BALL_ENDS - 1e-10)
    assert [(w.category, "ball.bounce fires ever faster" in str(w.message)) for w in told] == [
        (ev.CascadeWarning, True)
    ]
    assert sim.time == BALL_ENDS - 1e-10


def test_cascades_are_raised_or_warned_of() -> None:
    with pytest.raises(ev.ModelError, match='cascades= takes "raise" or "warn", and got \'hold\''):
        ev.Simulation(cascades="hold")


class Tanks(ev.Continuous):
    """Two tanks that leak and one tap that fills the one that is empty. Source: Johansson and others (1999)."""

    first: ev.State = ev.state(0.0)
    second: ev.State = ev.state(1.0)
    tap: float = 1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.first = 0.75 * self.tap - 0.5
        self.rate.second = 0.75 * (1.0 - self.tap) - 0.5

    @ev.when(lambda self: self.second <= 0.0 and self.tap == 1.0)
    def fill_second(self) -> None:
        self.log.append(self.sim.time)
        self.tap = 0.0

    @ev.when(lambda self: self.first <= 0.0 and self.tap == 0.0)
    def fill_first(self) -> None:
        self.log.append(self.sim.time)
        self.tap = 1.0

    @fill_first.accumulates
    def run_dry(self, time: float) -> None:
        self.log.append(time)
        self.stop()


def test_two_tanks_run_dry_at_exactly_four(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    tanks = Tanks(sim).start()
    sim.run(until=5.0)
    assert len(tanks.log) > 20
    assert tanks.log[:5] == pytest.approx([2.0, 3.0, 3.5, 3.75, 3.875], abs=1e-9)
    assert tanks.log[-1] == pytest.approx(4.0, abs=1e-6)
    assert max(tanks.first, tanks.second) < 1e-6
    assert not tanks.active


class Beads(ev.Continuous):
    """Three equal beads on a wire that lose nearly all of their speed where they meet, by their gaps."""

    left: ev.State = ev.state(1.0)
    right: ev.State = ev.state(2.0)
    left_speed: ev.State = ev.state(-1.0)
    right_speed: ev.State = ev.state(-1.0)
    restitution: float = 0.05
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.left, self.rate.right = self.left_speed, self.right_speed

    @ev.when(lambda self: self.left <= 0.0 and self.left_speed < 0.0)
    def meet_left(self) -> None:
        self.log.append(self.sim.time)
        self.left_speed, self.right_speed = met(self.left_speed, self.right_speed, self.restitution)

    @ev.when(lambda self: self.right <= 0.0 and self.right_speed < 0.0)
    def meet_right(self) -> None:
        self.log.append(self.sim.time)
        self.right_speed, self.left_speed = met(self.right_speed, self.left_speed, self.restitution)

    @meet_left.accumulates
    def stick(self, time: float) -> None:
        self.log.append(time)
        self.left_speed = self.right_speed = 0.0


def met(own: Any, other: Any, restitution: Any) -> tuple[Any, Any]:
    """The speeds of the two gaps after one has closed: half of what changes there moves the bead between them."""
    return -restitution * own, other + (1 + restitution) * own / 2


def collapse(restitution: Fraction) -> list[float]:
    """When the beads meet, in exact fractions, until the interval is beyond all floats; last, the end."""
    gaps, speeds, time = [Fraction(1), Fraction(2)], [Fraction(-1), Fraction(-1)], Fraction(0)
    times: list[float] = []
    while True:
        wait, k = min((-gaps[k] / speeds[k], k) for k in (0, 1) if speeds[k] < 0)
        time += wait
        times.append(float(time))
        if wait < Fraction(1, 10**20):
            return times
        gaps = [gap + wait * speed for gap, speed in zip(gaps, speeds, strict=True)]
        speeds[k], speeds[1 - k] = met(speeds[k], speeds[1 - k], restitution)


@pytest.mark.parametrize("restitution", [0.01, 0.05, 0.07])
def test_beads_collapse_at_the_exact_time(compiles: Any, restitution: float) -> None:
    sim = accurate(compile=compiles)
    beads = Beads(sim, restitution=restitution).start()
    exact = collapse(Fraction(restitution))
    sim.run(until=5.0)
    assert len(beads.log) > 10
    assert beads.log[:10] == pytest.approx(exact[:10], abs=1e-9)
    assert beads.log[-1] == pytest.approx(exact[-1], abs=1e-6)
    assert max(beads.left, beads.right) < 1e-9


# --- no progress ------------------------------------------------------------------------------------------------------


class Relay(ev.Continuous):
    """x' = -sign(x), switched where x changes its sign: the motion is along the surface x = 0."""

    x: ev.State = ev.state(1.0)
    direction: float = -1.0
    band: float = 0.0
    switches: int = 0

    def equations(self) -> None:
        self.rate.x = self.direction

    @ev.when(lambda self: self.x < -self.band)
    def rise(self) -> None:
        self.direction = 1.0
        self.switches += 1

    @ev.when(lambda self: self.x > self.band)
    def fall(self) -> None:
        self.direction = -1.0
        self.switches += 1


def test_steps_that_events_cut_again_and_again_do_not_grow_without_end(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    relay = Relay(sim, band=1e-5).start()
    sim.run(until=1.03)
    assert relay.switches == 1500
    assert abs(relay.x) < 1.1e-5


@pytest.mark.parametrize("dt_min", [0.0, 1e-6])
def test_chatter_across_a_surface_is_named_as_such(compiles: Any, dt_min: float) -> None:
    sim = accurate(compile=compiles, dt_min=dt_min)
    relay = Relay(sim, name="relay").start()
    with pytest.raises(ev.ModelError, match=r"chatter across a surface: relay\.\w+ \[lambda at .*\] and relay\.\w+"):
        sim.run(until=2.0)
    assert sim.time == pytest.approx(1.0, abs=1e-2)
    assert 2000 <= relay.switches <= 2100


class Thermostat(Relay):
    """A relay around a level far from zero, where rounding of the state is much more than that of the time."""

    level: float = 100.0
    gain: float = 1.0

    @ev.when(lambda self: self.x < self.level)
    def rise(self) -> None:
        self.direction = self.gain
        self.switches += 1

    @ev.when(lambda self: self.x > self.level)
    def fall(self) -> None:
        self.direction = -1.0
        self.switches += 1


@pytest.mark.slow
@pytest.mark.parametrize(("level", "gain", "dt_min"), [(100.0, 1.0, 0.0), (1.0, 1e-4, 0.0), (100.0, 0.01, 1e-12)])
def test_chatter_is_named_at_the_scale_of_its_states(compiles: Any, level: float, gain: float, dt_min: float) -> None:
    sim = accurate(compile=compiles, dt_min=dt_min)
    relay = Thermostat(sim, name="relay", x=level + 0.25, level=level, gain=gain).start()
    with pytest.raises(ev.ModelError, match=r"chatter across a surface: relay\.\w+ \[lambda at .*\] and relay\.\w+"):
        sim.run(until=0.25 + (1e-8 if dt_min == 0.0 else 1e-6))
    assert 3000 < relay.switches < 4100


@pytest.mark.slow
def test_a_process_that_switches_to_and_fro_is_named(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    relay = Thermostat(sim, name="relay", x=100.25, band=1e9, level=0.0).start()

    def controller() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: relay.x < 100.0)
            relay.direction = 1.0
            yield ev.until(lambda: relay.x > 100.0)
            relay.direction = -1.0

    sim.process(controller(), name="controller")
    with pytest.raises(ev.ModelError, match=r"chatter across a surface: controller \[lambda at .*\] and controller"):
        sim.run(until=0.25 + 1e-9)


class Swing(ev.Continuous):
    """Many handlers at one level of a motion to and fro: they fire together, and time goes on."""

    x: ev.State = ev.state(0.25)
    rate_of_x: float = 1.0
    passes: int = 0

    def equations(self) -> None:
        self.rate.x = self.rate_of_x

    @ev.when(ev.crosses(lambda self: self.x, 1.0, direction="up"))
    def turns_at_the_top(self) -> None:
        self.rate_of_x = -1.0

    @ev.when(ev.crosses(lambda self: self.x, 0.0, direction="down"))
    def turns_at_the_bottom(self) -> None:
        self.rate_of_x = 1.0

    @ev.when(lambda self: self.x >= 0.5)
    def reaches(self) -> None:
        self.passes += 1

    @ev.when(lambda self: self.x > 0.5)
    def rises(self) -> None:
        self.passes += 1

    @ev.when(lambda self: self.x <= 0.5)
    def returns(self) -> None:
        self.passes += 1

    @ev.when(lambda self: self.x < 0.5)
    def falls(self) -> None:
        self.passes += 1


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_who_fires_together_again_and_again_does_not_chatter(stepping: Any) -> None:
    sim = ev.Simulation(stepping=stepping)
    swings = [Swing(sim).start() for _ in range(2)]
    sim.run(until=2.0 * 2100)
    assert [swing.passes for swing in swings] == [4 * 2100] * 2


def test_a_band_ends_the_chatter(compiles: Any) -> None:
    sim = accurate(compile=compiles)
    relay = Relay(sim, band=0.001).start()
    sim.run(until=2.0)
    assert relay.switches == 500
    assert abs(relay.x) < 0.00101


def test_a_condition_that_stays_true_is_told_at_its_instant(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles)
    ball = Ball(sim, height=1.0).start()

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: ball.height <= 0.5)

    sim.process(story(), name="watcher")
    with pytest.raises(ev.ModelError, match=r"time does not go beyond 0\.319.*watcher \(1001 times\)"):
        sim.run(until=1.0)


def test_the_end_at_one_instant_is_handled_as_well(compiles: Any) -> None:
    class Counter(ev.Continuous):
        count: int = 0
        log: list = ev.field(default_factory=list)

        @ev.when(lambda self: self.sim.time >= 1.0 and self.count % 2 == 0)
        def even(self) -> None:
            self.count += 1

        @ev.when(lambda self: self.sim.time >= 1.0 and self.count % 2 == 1)
        def odd(self) -> None:
            self.count += 1

        @odd.accumulates
        def enough(self, time: float) -> None:
            self.log.append((time, self.count))
            self.stop()

    sim = ev.Simulation(rng=1, compile=compiles)
    counter = Counter(sim).start()
    sim.run(until=2.0)
    assert counter.log == [(1.0, 2000)]


@pytest.mark.slow
def test_a_steady_clock_is_no_cascade(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles)
    log = []

    def story() -> ev.ProcessGenerator:
        for k in range(1, 2001):
            yield ev.until(lambda k=k: sim.time >= 0.5 * k)
            log.append(sim.time)

    sim.process(story())
    sim.run(until=1100.0)
    assert log == [0.5 * k for k in range(1, 2001)]


def test_what_accumulates_is_a_plain_function_given_once() -> None:
    @ev.when(lambda self: True)
    def handler(self: Any) -> None:
        pass

    def waits(self: Any, time: float) -> Any:
        yield ev.hold(1.0)

    with pytest.raises(TypeError, match="a handler cannot wait"):
        handler.accumulates(waits)
    handler.accumulates(lambda self, time: None)
    with pytest.raises(TypeError, match="two handlers by accumulates"):
        handler.accumulates(lambda self, time: None)


class Hopping(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = -9.81

    @ev.when(lambda self: self.x <= 0.0 and self.v < 0.0)
    def bounce(self) -> None:
        self.v *= -0.5


def derived() -> tuple[type[Hopping], ...]:
    class AtRest(Hopping):
        settle = Hopping.bounce.accumulates(ev.rest("v", x=0.0))

    class Rolling(AtRest):
        @Hopping.bounce.accumulates
        def roll(self, time: float) -> None:
            self.v, self.x = 0.0, 2.0 + 0.0 * time

    class Stopping(AtRest):
        """Has a handler of its own in that one's place, to which nothing has been said."""

        @ev.when(lambda self: self.x <= 0.0 and self.v < 0.0)
        def bounce(self) -> None:
            self.v *= -0.25

    return AtRest, Rolling, Stopping


@pytest.mark.slow
def test_what_a_derived_class_says_of_a_handler_holds_for_its_own_objects(simulate: Any) -> None:
    at_rest, rolls, stopping = derived()
    for kind in (Hopping, stopping):
        sim = simulate()
        kind(sim).start()
        with pytest.raises(ev.ModelError, match="fires ever faster"):
            sim.run(until=1.5)
    sim = simulate()
    resting, rolling = at_rest(sim).start(), rolls(sim).start()
    sim.run(until=1.4)
    assert (resting.x, resting.v) == pytest.approx((0.0, 0.0), abs=1e-6)
    assert rolling.x > 1.0
    rolling.settle(0.0)
    assert (rolling.x, rolling.v) == (0.0, 0.0)
