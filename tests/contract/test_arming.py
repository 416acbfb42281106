"""Promise 3: a handler is armed as soon as its condition has been found false, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]

METHODS = [ev.methods.ENGLAND, ev.methods.DORMAND_PRINCE, ev.methods.DOP853, ev.methods.RADAU]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


class Dive(ev.Continuous):
    """v is 1 - t until 2, and t - 3 from then on: `v < 0` from 1 to 3, in steps that grow long."""

    v: ev.State = ev.state(1.0)
    s: ev.State = ev.state(0.0)
    slope: float = -1.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.v = self.slope
        self.rate.s = 1.0

    @ev.when(lambda self: self.v < 0.0)
    def low(self) -> None:
        self.log.append(round(self.sim.time, 9))


class Kicked(Dive):
    """State events of its own turn it, and kick it below zero again."""

    moment: float = 3.1

    @ev.when(lambda self: self.s >= 2.0)
    def turn(self) -> None:
        self.slope = 1.0

    @ev.when(lambda self: self.s >= self.moment)
    def kick(self) -> None:
        self.v = -0.1


class Kicker(ev.Continuous):
    """State events of another object do."""

    dive: Dive
    moment: float = 3.1
    s: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.s = 1.0

    @ev.when(lambda self: self.s >= 2.0)
    def turn(self) -> None:
        self.dive.slope = 1.0

    @ev.when(lambda self: self.s >= self.moment)
    def kick(self) -> None:
        self.dive.v = -0.1


def kicked_by_time(sim: ev.Simulation, moment: float) -> Dive:
    """Time events do."""
    dive = Dive(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        dive.slope = 1.0
        yield ev.hold(moment - 2.0)
        dive.v = -0.1

    sim.process(story())
    return dive


def kicked_by_itself(sim: ev.Simulation, moment: float) -> Dive:
    return Kicked(sim, moment=moment).start()


def kicked_by_another(sim: ev.Simulation, moment: float) -> Dive:
    dive = Dive(sim).start()
    Kicker(sim, dive=dive, moment=moment).start()
    return dive


@pytest.mark.slow
@each_method
@pytest.mark.parametrize("begin", [kicked_by_time, kicked_by_itself, kicked_by_another])
def test_a_handler_is_armed_in_a_step_that_is_cut_soon_after_its_condition_is_false(
    simulate: Simulate, method: Any, begin: Any
) -> None:
    """False from 3 on, and true again by an event at a moment behind that, well inside the step."""
    logs = []
    for moment in (3.001, 3.05, 3.3, 5.0):
        sim = simulate()
        sim.method = method
        dive = begin(sim, moment)
        sim.run(until=9.0)
        logs.append(dive.log)
    assert logs == [[1.0, moment] for moment in (3.001, 3.05, 3.3, 5.0)]


class Node(ev.Continuous):
    """x = t."""

    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 1.0)
    def up(self) -> None:
        self.log.append(round(self.sim.time, 9))


class Unread(Node):
    """Python has to be asked for its condition: it goes by way of a list."""

    @ev.when(lambda self: sorted([self.x])[0] >= 1.0)  # noqa: FURB192  # what cannot be read
    def up(self) -> None:
        self.log.append(round(self.sim.time, 9))


@pytest.mark.parametrize("kind", [Node, Unread])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_condition_that_is_found_to_touch_another_flow_arms_nobody(
    simulate: Simulate, kind: type[Node], *, is_first: bool
) -> None:
    """While it is found out nobody is tested, so that nobody counts as false."""
    sim = simulate()
    nodes = [kind(sim).start() for _ in range(3)]
    pair = [nodes[2], nodes[1]] if is_first else [nodes[0], nodes[1]]

    def waits() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        i, j = 0, 1
        yield ev.until(lambda: pair[i].x + pair[j].x > 100.0)

    sim.process(waits())
    sim.run(until=3.0)
    assert [node.log for node in nodes] == [[1.0]] * 3


class Level(ev.Continuous):
    x: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    @ev.when(lambda self: self.x <= 2.0)
    def low(self) -> None:
        self.log.append(self.sim.time)


class Total(ev.Continuous):
    """Its law cannot be read."""

    x: ev.State = ev.state(0.0)
    levels: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = sum(getattr(level, "x") for level in self.levels)  # noqa: B009  # what cannot be read


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_law_that_is_found_to_touch_other_flows_arms_nobody(simulate: Simulate, count: int) -> None:
    """True from the start: such handlers do not fire."""
    sim = simulate()
    total, levels = Total(sim), [Level(sim) for _ in range(count)]
    total.levels = levels
    for one in (total, *levels):
        one.start()
    sim.run(until=1.0)
    assert ([level.log for level in levels], total.x) == ([[]] * count, pytest.approx(count))


class Tide(ev.Continuous):
    """x rises to 2 until 2, and falls: `x >= 1.5` from 1 to 3."""

    x: ev.State = ev.state(0.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 2.0 - self.sim.time

    @ev.when(lambda self: self.x >= 1.5)
    def up(self) -> None:
        self.log.append(round(self.sim.time, 9))


@pytest.mark.parametrize(("wait", "level", "dt_max"), [(1.5, 1.0, 4.0), (1.2, 1.45, 1.0), (0.0, -1.0, 2.0)])
def test_what_was_found_in_a_step_that_is_void_arms_nobody(
    simulate: Simulate, wait: float, level: float, dt_max: float
) -> None:
    """A condition touches another flow only late in a step, in which a handler's condition becomes false as well."""
    sim = simulate(dt_max=dt_max)
    tide, other = Tide(sim).start(), Node(sim).start()
    pair = [tide, other]

    def waits() -> ev.ProcessGenerator:
        yield ev.hold(wait)
        i, j = 0, 1
        yield ev.until(lambda: getattr(pair[i], "x") < level and getattr(pair[j], "x") > 100.0)  # noqa: B009

    sim.process(waits())
    sim.run(until=6.0)
    assert (tide.log, other.log) == ([1.0], [1.0])


class Rising(ev.Continuous):
    """v rises by 0.1 from just below zero on, and is pushed down before it gets there."""

    v: ev.State = ev.state(-0.105)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.v = 0.1

    @ev.when(lambda self: self.v < 0.0)
    def low(self) -> None:
        self.log.append(self.sim.time)


class Pushing(ev.Continuous):
    """Pushes once a second; from the 17th time on as native code."""

    rising: Rising
    s: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.s = 1.0

    @ev.when(lambda self: self.s >= 1.0)
    def push(self) -> None:
        self.s -= 1.0
        self.rising.v = -0.105


def test_native_code_may_write_what_a_handler_that_is_not_armed_depends_on(simulate: Simulate) -> None:
    sim = simulate()
    rising = Rising(sim).start()
    Pushing(sim, rising=rising).start()
    sim.run(until=30.5)
    assert (rising.log, rising.v) == ([], pytest.approx(-0.055, abs=1e-9))


LIMIT = 0.5


class Falling(ev.Continuous):
    """x falls from 1; its handler's condition is true as long as x is above a limit."""

    x: ev.State = ev.state(1.0)
    limits: list = ev.field(default_factory=lambda: [0.5])
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -1.0


class ByGlobal(Falling):
    @ev.when(lambda self: self.x >= LIMIT)
    def is_high(self) -> None:
        self.log.append(self.sim.time)


class ByList(Falling):
    @ev.when(lambda self: self.x >= self.limits[0])
    def is_high(self) -> None:
        self.log.append(self.sim.time)


@pytest.mark.parametrize("cls", [ByGlobal, ByList])
@pytest.mark.parametrize("at", [0.3, 0.45])
def test_what_a_condition_refers_to_is_exchanged_before_it_would_have_become_false(
    simulate: Simulate, monkeypatch: pytest.MonkeyPatch, cls: type[Falling], at: float
) -> None:
    """The condition is true throughout: only the part of the step that is cut off has it false."""
    monkeypatch.setitem(globals(), "LIMIT", 0.5)
    sim = simulate()
    falling = cls(sim).start()

    def lowers() -> ev.ProcessGenerator:
        global LIMIT  # what a user's model does
        yield ev.hold(at)
        LIMIT, falling.limits = 0.0, [0.0]
        yield ev.hold(2.0)
        falling.x = 3.0  # it was false from 1 on

    sim.process(lowers())
    sim.run(until=4.0)
    assert falling.log == [at + 2.0]


def test_a_sampled_trigger_that_is_false_only_just_before_an_input_jumps_is_armed(simulate: Simulate) -> None:
    sim = simulate()
    log: list[float] = []
    pulse = ev.inputs.Pulse(2.0, 1.0, width=0.5, high=5.0, low=0.0)

    class Falls(ev.Continuous):
        x: ev.State = ev.state(-0.995)

        def equations(self) -> None:
            self.rate.x = 1.0

        @ev.when(lambda self: pulse(self.sim.time) - self.x >= 0.0)
        def again(self) -> None:
            log.append(self.sim.time)

    Falls(sim).start()
    sim.run(until=1.4)
    assert log == [1.0]


class Gap(ev.Continuous):
    """x falls from 1; a condition that cannot be read is false between 0.5 and 0.27 only."""

    x: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -1.0

    @ev.when(lambda self: sorted([self.x])[0] <= 0.27 or self.x > 0.5)  # noqa: FURB192  # cannot be read
    def is_out(self) -> None:
        self.log.append(round(self.sim.time, 9))


def test_a_condition_that_cannot_be_read_is_taken_for_true_only_where_it_was_tested(simulate: Simulate) -> None:
    """It is false where a step begins and at the first sample, and true in the middle, where it is tested."""
    sim = simulate(dt_max=0.3)
    sim.method = ev.methods.RK4
    gap = Gap(sim).start()
    sim.run(until=1.0)
    assert gap.log == [0.73]


class Notch(ev.Continuous):
    """Its condition is false between times 0.08 and 0.12 alone."""

    x: ev.State = ev.state(0.6)
    log: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -1.0

    @ev.when(lambda self: sorted([self.x])[0] <= 0.48 or self.x >= 0.52)  # noqa: FURB192  # cannot be read
    def is_out(self) -> None:
        self.log.append(round(self.sim.time, 9))


def test_a_condition_that_cannot_be_read_is_tested_at_the_first_sample_of_a_step_in_which_it_may_be_armed(
    simulate: Simulate,
) -> None:
    sim = simulate(dt_max=0.3)
    sim.method = ev.methods.RK4
    notch = Notch(sim).start()
    sim.run(until=1.0)
    assert notch.log == [0.12]


# --- what an event changes is seen by conditions that are tested in Python --------------------------------------------

LEVEL = {"is": 0.5}
level = 0.5


def set_level(value: float) -> None:
    globals()["level"] = LEVEL["is"] = value


class Falls(ev.Continuous):
    x: ev.State = ev.state(1.0)
    others: list = ev.field(default_factory=list)
    fired: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = -1.0


class Limit(ev.Continuous):
    value: float = 0.5


class OfModule(Falls):
    @ev.when(lambda self: self.x >= level)
    def fires(self) -> None:
        self.fired.append(self.sim.time)


class Unread(Falls):
    @ev.when(lambda self: max([self.x]) >= LEVEL["is"])
    def fires(self) -> None:
        self.fired.append(self.sim.time)


class OfAnother(Falls):
    limit: Limit = ev.field(default=None)

    @ev.when(lambda self: self.x >= self.limit.value)
    def fires(self) -> None:
        self.fired.append(self.sim.time)


class LeftToPython(Falls):
    """19 ** 13 is beyond 2 ** 53: native code leaves the test to Python each time."""

    n: int = 19

    @ev.when(lambda self: self.x + (self.n**13 % 11 - 6) >= sum(one.value for one in self.others))
    def fires(self) -> None:
        self.fired.append(self.sim.time)


@pytest.mark.parametrize("kind", [OfModule, Unread, OfAnother, LeftToPython])
def test_what_arms_is_false_before_the_event_that_makes_it_true(kind: Any, simulate: Any) -> None:
    sim = simulate()
    set_level(0.5)
    falls, other = kind(sim).start(), Falls(sim, name="other").start()
    low, high = Limit(sim, value=0.2), Limit(sim, value=0.5)
    falls.limit = high
    others = falls.others = [high]

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.55)
        other.x = 1.0  # an event that does not touch the flow
        yield ev.hold(0.05)
        set_level(0.2)
        falls.limit = others[0] = low

    sim.process(story())
    sim.run(until=1.0)
    assert falls.fired == [0.55 + 0.05]


@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_handler_that_stays_disarmed_costs_a_few_tests_a_step(compiles: Any) -> None:
    """Its flight may be shorter than a step only where that begins with an event."""
    sim = ev.Simulation(rng=1, compile=compiles, dt_max=0.125)
    tested: list[float] = []

    class Decay(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = -self.x

        @ev.when(lambda self: sorted([tested.append(self.sim.time), self.x > -1.0], key=str)[1])
        def never(self) -> None:
            raise AssertionError

    Decay(sim).start()
    sim.run(until=8.0)
    steps = sim.report().steps
    assert steps >= 64
    assert len(tested) <= 6 * steps + 100


def rounded(x: float) -> float:
    """A number with an error as of rounding, which is not the same twice."""
    return x + 2e-14 * ((int(x * 2.0**50) * 2654435761 % 97) / 97.0 - 0.5)


class Wrapped(ev.Continuous):
    """Its condition becomes true where a number wraps, known but for its rounding."""

    locate_branches = False
    x: ev.State = ev.state(0.3)
    read: ev.Computed = ev.computed()
    times: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 0.125
        self.read = rounded(self.x)

    @ev.when(lambda self: self.read % 1.0 <= 0.3)
    def wraps(self) -> None:
        self.times.append(self.sim.time)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ENGLAND", "DORMAND_PRINCE", "RADAU"])
@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_is_false_by_rounding_right_after_its_event_fires_no_second_time(method: str, compiles: Any) -> None:
    sim = ev.Simulation(abs_error=1e-9, rel_error=1e-9, compile=compiles, dt_max=0.5)
    sim.method = getattr(ev.methods, method)
    wrapped = Wrapped(sim).start()
    sim.run(until=100.0)
    assert wrapped.times == pytest.approx([8.0 * (k + 0.7) for k in range(12)], abs=1e-9)
