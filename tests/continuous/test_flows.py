"""Flows: what touches each other steps together, and the rest by itself; nobody sees the difference."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from continuous.decays import Decay, Drain, Root, each_way, flows, make, wait_for

import eventide as ev


def test_what_one_object_has_held_together_falls_apart_when_it_leaves() -> None:
    class Link(ev.Continuous):
        one: Decay
        other: Decay
        y: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.y = self.one.x - self.other.x

    sim = make(compile=True)
    a, b = Decay(sim, name="a").start(), Decay(sim, name="b").start()
    link = Link(sim, name="link", one=a, other=b).start()
    sim.run(until=1.0)
    assert flows(sim) == [["a", "b", "link"]]
    link.stop()
    sim.run(until=2.0)
    assert sorted(flows(sim)) == [["a"], ["b"]]


def test_what_touches_nothing_else_is_a_flow_of_its_own() -> None:
    sim = make(compile=True)
    a, b = Decay(sim, name="a").start(), Decay(sim, name="b").start()
    drain = Drain(sim, name="drain", source=a).start()
    sim.run(until=1.0)
    assert flows(sim) == [["a", "drain"], ["b"]]
    drain.source = b
    sim.run(until=2.0)
    assert sorted(flows(sim)) == [["a"], ["b", "drain"]]
    b.stop()
    sim.run(until=3.0)
    assert sorted(flows(sim)) == [["a"], ["drain"]]
    drain.stop()
    b.start()
    sim.run(until=4.0)
    assert sorted(flows(sim)) == [["a"], ["b"]]
    assert a.x == pytest.approx(math.exp(-4.0), rel=1e-7)
    assert b.x == pytest.approx(math.exp(-3.0), rel=1e-7)
    assert drain.y == pytest.approx((1 - math.exp(-1.0)) + (math.exp(-1.0) - math.exp(-2.0)) + math.exp(-2.0), rel=1e-7)


def test_what_stands_still_joins_nobody() -> None:
    sim = make(compile=True)
    still = Decay(sim, name="still", x=2.0)
    one, two = (Drain(sim, name=n, source=still).start() for n in ("one", "two"))
    sim.run(until=1.0)
    assert flows(sim) == [["one"], ["two"]]
    still.start()
    sim.run(until=2.0)
    assert len(flows(sim)) == 1
    assert one.y == two.y == pytest.approx(2.0 + 2.0 * (1 - math.exp(-1.0)), rel=1e-7)


@each_way
def test_a_stopped_state_that_is_written_changes_who_reads_it(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    still = Decay(sim, x=2.0)
    drain = Drain(sim, source=still).start()
    sim.run(until=1.0)
    still.x = 3.0
    sim.run(until=2.0)
    still["x"].state = 4.0
    sim.run(until=3.0)
    assert drain.y == pytest.approx(9.0, rel=1e-9)


@each_way
def test_a_parameter_that_is_written_counts_from_then_on(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    decay = Decay(sim).start()
    sim.run(until=1.0)
    decay.speed = 0.5
    sim.run(until=3.0)
    decay.speed = 0.0
    sim.run(until=4.0)
    assert decay.x == pytest.approx(math.exp(-2.0), rel=1e-7)


@each_way
def test_looking_at_twins_at_every_step_shows_each_at_that_time(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    twins = [Decay(sim, name=f"twin {k}").start() for k in range(3)]
    trace = sim.record(*twins, every="step")
    sim.run(until=3.0)
    assert len(trace.times) > 5
    for time, *values in zip(trace.times, *(trace[f"twin {k}.x"] for k in range(3)), strict=True):
        assert values == pytest.approx([math.exp(-time)] * 3, rel=1e-6)


@each_way
def test_looking_changes_neither_steps_nor_events(settings: dict[str, Any]) -> None:
    def go(*, looks: bool) -> tuple[Any, ...]:
        sim = make(**settings)
        a, b = Decay(sim, name="a").start(), Decay(sim, name="b", speed=0.3).start()
        drain = Drain(sim, name="drain", source=a).start()
        log: list[Any] = []

        def story() -> ev.ProcessGenerator:
            for limit in (0.7, 0.5, 0.1):
                yield ev.until(lambda limit=limit: b.x < limit)
                log.append((sim.time, b.x))
                drain.y = 0.0

        def curious() -> ev.ProcessGenerator:
            while True:
                yield ev.hold(0.37)
                if looks:
                    _ = a.x, a.rate.x, b.rate.x, drain.y, b["x"].last_state

        if looks:
            for every in (0.1, "step", "event"):
                sim.record(a, b, drain, every=every)
        sim.process(story())
        sim.process(curious())
        sim.run(until=9.0)
        return log, sim.monitor.steps, sim.monitor.refused, sim._continuum.evaluations, a.x, b.x, drain.y

    assert go(looks=True) == go(looks=False)


@each_way
def test_in_an_event_dt_is_zero_and_in_equations_it_is_the_steps(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    decay = Decay(sim).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        log.append((sim.time, sim.dt, sim.last_time))
        _ = decay.rate.x
        log.append((sim.time, sim.dt, sim.last_time))
        yield ev.until(lambda: decay.x < 0.5)
        log.append((sim.dt, sim.last_time - sim.time))
        yield ev.pause()
        log.append((sim.dt, sim.last_time - sim.time))

    sim.process(story())
    sim.run(until=2.0)
    assert log == [(0.5, 0.0, 0.5), (0.5, 0.0, 0.5), (0.0, 0.0), (0.0, 0.0)]


class Clocked(ev.Continuous):
    """Integrates what the clock says in its equations."""

    log: list[Any]
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0
        self.log.append((self.sim.time, self.sim.dt, self.sim.last_time, self.last.x))


def test_in_equations_the_clock_is_that_of_the_step() -> None:
    sim = make()
    log: list[Any] = []
    Clocked(sim, log=log).start()
    Decay(sim).start()
    sim.run(until=3.0)
    assert len(log) > 10
    for time, dt, last_time, last in log:
        assert time == pytest.approx(last_time + dt, abs=1e-15)
        assert last == pytest.approx(last_time, abs=1e-12)


@each_way
def test_a_read_at_an_event_at_the_very_time_of_a_condition(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    decay = Decay(sim).start()
    log = []

    def timed() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append(("timed", decay.rate.x, decay.x))

    def waiting() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 1.0)
        log.append(("waiting", decay.rate.x, decay.x))

    sim.process(timed())
    sim.process(waiting())
    sim.run(until=2.0)
    assert [who for who, *_ in log] == ["timed", "waiting"]
    for _, rate, x in log:
        assert (rate, x) == pytest.approx((-math.exp(-1.0), math.exp(-1.0)), rel=1e-7)


class Chaser(ev.Continuous):
    target: Any
    plan: str = "a name that the library uses as well"
    x: ev.State = ev.state(0.0)
    log: list[Any]

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= self.target.x, at_start=True)
    def reach(self) -> None:
        self.log.append((self.sim.time, self.target.name))


@each_way
def test_a_trigger_stays_armed_or_not_when_it_refers_to_something_else(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    log: list[Any] = []
    low, high, far = (Decay(sim, name=n, x=x, speed=0.0) for n, x in (("low", 0.5), ("high", 3.0), ("far", 9.0)))
    chaser = Chaser(sim, target=low, log=log).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        chaser.target = Decay(sim, name="lower", x=0.25)  # still true: it has fired
        yield ev.hold(0.5)
        chaser.target = high  # false: armed
        yield ev.hold(0.5)
        chaser.target = low  # true at once
        yield ev.hold(0.5)
        chaser.target = far

    sim.process(story())
    sim.run(until=4.0)
    assert log == [(pytest.approx(0.5), "low"), (2.0, "low")]


def test_a_reference_to_what_cannot_be_followed_is_called_back_in_python() -> None:
    class Other:
        name = "other"
        x = 2.5

    sim = make()
    log: list[Any] = []
    chaser = Chaser(sim, target=Decay(sim, x=1.0), log=log).start()
    drain = Drain(sim, source=Decay(sim)).start()
    sim.run(until=1.5)
    chaser.target = Other()
    drain.source = Other()
    sim.run(until=4.0)
    assert [name for _, name in log] == ["Decay 1", "other"]
    assert log[1][0] == pytest.approx(2.5)
    assert drain.y == pytest.approx(1.5 + 2.5 * 2.5)


def test_references_may_be_set_after_the_start_in_the_same_event() -> None:
    sim = make(compile=True)
    log: list[Any] = []
    chaser = Chaser(sim, target=None, log=log).start()
    sim.process(wait_for(lambda: chaser.x > chaser.target.x + 1.0, log, sim))
    chaser.target = Decay(sim, name="far", speed=0.0)
    sim.run(until=3.0)
    assert log == [(pytest.approx(1.0), "far"), (pytest.approx(2.0), "woken")]


@pytest.mark.parametrize("compiled", ["auto", False])
def test_an_error_of_a_trial_step_that_was_mended_is_forgotten(compiled: Any) -> None:
    sim = make(compile=compiled)
    root = Root(sim).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: root.x < 1e-4)
        log.append(sim.time)
        root.stop()
        yield ev.hold(1.0)
        log.append(sim.time)

    sim.process(story())
    Decay(sim).start()
    sim.run(until=5.0)
    assert log == pytest.approx([1.9999, 2.9999], rel=1e-7)
    assert len(root.errors) > 0
    assert max(len(error.__notes__) for error in root.errors) == 1


class Broken(ev.Continuous):
    locate_branches = False  # its stages are to meet the error
    x: ev.State = ev.state(0.0)
    table: dict[str, float] = ev.field(default_factory=dict)
    runs: list[str] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.runs.append("fails" if self.x >= 0.5 else "works")
        self.rate.x = 1.0 if self.x < 0.5 else self.table["missing"]


class Spy(Decay):
    """Another law that is called back, and must not run when one before it has failed."""

    runs: list[str] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.runs.append("spies")
        self.rate.x = 1.0


@pytest.mark.parametrize("compiled", ["auto", False])
def test_an_error_of_a_law_goes_up_once_with_its_law(compiled: Any) -> None:
    sim = make(compile=compiled, stepping="together")
    runs: list[str] = []
    Broken(sim, name="broken", runs=runs).start()
    Spy(sim, runs=runs).start()
    with pytest.raises(KeyError, match="missing") as caught:
        sim.run(until=5.0)
    assert len(caught.value.__notes__) == 1
    assert caught.value.__notes__[0].startswith("in the equations of broken at time 0.")
    assert {before for before, run in pairwise(runs) if run == "spies"} == {"works"}
    assert runs[-1] == "fails"


@pytest.mark.parametrize("compiled", ["auto", False])
def test_an_error_of_a_condition_goes_up_with_its_name(compiled: Any) -> None:
    sim = make(compile=compiled)
    decay = Decay(sim).start()
    sim.process(wait_for(lambda: decay.x < 0.5 and {}["missing"], [], sim), name="waiter")
    with pytest.raises(KeyError, match="missing") as caught:
        sim.run(until=5.0)
    assert caught.value.__notes__[0].startswith("in the condition of waiter at time ")


class Jumpy(ev.Continuous):
    """Its rate jumps where no step may be short enough."""

    locate_branches = False
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0 if self.x < 1.0 else 50.0


class Forgiving(ev.Simulation):
    """Answers every failure by what its test says."""

    answer: Any = None

    def integration_error(self, variable: ev.Variable) -> bool:
        return bool(self.answer(variable))


@each_way
@pytest.mark.parametrize("change", ["nothing", "tolerances", "method"])
def test_a_step_that_is_accepted_although_inaccurate(settings: dict[str, Any], change: str) -> None:
    sim = Forgiving(rng=1, rel_error=1e-9, abs_error=1e-9, dt_min=1e-3, **settings)
    others = [Decay(sim, name=f"other {k}", speed=0.5 + 0.1 * k).start() for k in range(4)]
    jumpy = Jumpy(sim, name="jumpy").start()
    asked = []

    def answer(variable: ev.Variable) -> bool:
        asked.append((sim.time, variable.name))
        if change == "tolerances":
            sim.set_tolerances(rel_error=1e-8)
        elif change == "method":
            sim.method = ev.methods.ENGLAND_PLAIN
        return False

    sim.answer = answer
    sim.run(until=1.5)
    assert 0 < len(asked) < 10
    assert {name for _, name in asked} == {"jumpy.x"}
    assert asked[0][0] == pytest.approx(1.0, abs=2e-3)
    assert jumpy.x == pytest.approx(26.0, abs=0.1)
    for other in others:
        assert other.x == pytest.approx(math.exp(-1.5 * other.speed), rel=1e-5)


@each_way
def test_a_step_that_is_repeated_with_a_smaller_dt_min(settings: dict[str, Any]) -> None:
    sim = Forgiving(rng=1, rel_error=1e-9, abs_error=1e-9, dt_min=1e-3, **settings)
    others = [Decay(sim, name=f"other {k}", speed=0.5 + 0.1 * k).start() for k in range(4)]
    jumpy = Jumpy(sim, name="jumpy").start()
    asked = []

    def answer(variable: ev.Variable) -> bool:
        asked.append(variable.name)
        sim.dt_min = 0.0
        return True

    sim.answer = answer
    log: list[float] = []

    def watch(other: Decay) -> ev.ProcessGenerator:
        for part in (0.9, 0.6, 0.5):
            yield ev.until(lambda: other.x < part)  # noqa: B023  # it waits for each in turn
            log.append(sim.time * other.speed + math.log(part))

    for other in others:
        sim.process(watch(other))
    sim.run(until=1.5)
    assert asked == ["jumpy.x"]
    assert log == pytest.approx([0.0] * 12, abs=1e-3)  # dt_min is the width of locating
    assert jumpy.x == pytest.approx(26.0, abs=1e-6)
    for other in others:
        assert other.x == pytest.approx(math.exp(-1.5 * other.speed), rel=1e-7)


@each_way
def test_limits_and_methods_that_change_at_an_event_hold_from_there(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    decays = [Decay(sim, speed=0.01 * (k + 1)).start() for k in range(3)]
    sim.run(until=1.0)
    before = sim.monitor.steps
    sim.dt_max = 0.01
    sim.run(until=2.0)
    motion = sim._continuum.integrator
    assert sim.monitor.steps - before >= 99 * len(motion.flows)
    sim.method = ev.methods.ENGLAND_PLAIN
    sim.run(until=3.0)
    assert sim.method is ev.methods.ENGLAND_PLAIN
    for decay in decays:
        assert decay.x == pytest.approx(math.exp(-3.0 * decay.speed), rel=1e-9)


@each_way
def test_a_tolerance_that_changes_at_an_event_holds_from_there(settings: dict[str, Any]) -> None:
    sim = ev.Simulation(rng=1, rel_error=1e-3, abs_error=1e-3, **settings)
    decay = Decay(sim, speed=0.1).start()
    sim.run(until=0.5)
    step_began = decay["x"].last_state
    decay["x"].abs_error = decay["x"].rel_error = 1e-12
    sim.run(until=0.5 + 1e-6)
    assert step_began > math.exp(-0.05) + 1e-3
    assert decay["x"].last_state == pytest.approx(math.exp(-0.05), rel=1e-4)
    sim.run(until=2.0)
    assert sim.monitor.steps > 10


@each_way
def test_a_pause_evaluates_and_arms_nothing_and_the_event_goes_on(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    log: list[Any] = []
    target = Decay(sim, name="target", x=0.5, speed=0.0)
    chaser = Chaser(sim, target=target, log=log).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        chaser.x = 0.0  # found false in a pause: nothing is armed
        yield ev.pause()
        chaser.x = 1.0
        yield ev.hold(1.0)
        chaser.x = 0.0  # found false when the event is over
        yield ev.pause()
        yield ev.hold(0.25)

    sim.process(story())
    sim.run(until=4.0)
    assert log == [(pytest.approx(0.5), "target"), (pytest.approx(2.5), "target")]


@pytest.mark.slow
@each_way
def test_many_flows_come_and_go(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    log: list[Any] = []
    alive: list[Decay] = []

    def one(number: int) -> ev.ProcessGenerator:
        decay = Decay(sim, name=f"decay {number}", speed=1.0 + number % 7)
        yield ev.hold(0.01 * number)
        decay.start()
        alive.append(decay)
        begun = sim.time
        yield ev.until(lambda: decay.x <= 0.5)
        decay.stop()
        log.append((sim.time - begun) * decay.speed)

    for number in range(60):
        sim.process(one(number))
    sim.run()
    assert len(log) == len(alive) == 60
    assert log == pytest.approx([math.log(2.0)] * 60, rel=1e-6)
    assert {round(decay.x, 8) for decay in alive} == {0.5}
    assert flows(sim) == []
    assert len(sim._continuum.integrator.flows) <= 1


def test_a_law_that_cannot_be_compiled_is_an_error_if_it_has_to_be() -> None:
    from eventide.lowering import CannotLower

    sim = make(compile=True)
    Root(sim).start()
    with pytest.raises(CannotLower, match=r"decays\.py") as caught:
        sim.run(until=1.0)
    assert caught.value.line > 0
    assert sim.time == 0.0


def test_a_condition_that_cannot_be_compiled_is_an_error_if_it_has_to_be() -> None:
    from eventide.lowering import CannotLower

    sim = make(compile=True)
    Decay(sim).start()
    limits = {"x": 0.5}
    sim.process(wait_for(lambda: limits.get("x", 0.5) < 0.1, [], sim))
    with pytest.raises(CannotLower, match=r"test_flows\.py"):
        sim.run(until=1.0)
