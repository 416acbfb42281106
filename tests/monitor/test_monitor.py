"""The monitor: time, events, steps and who looks when."""

from __future__ import annotations

from math import nextafter

import pytest

import eventide as ev


class Ramp(ev.Continuous):
    """Rises with slope one."""

    x: ev.State = ev.state(0.0)
    slope: float = 1.0

    def equations(self) -> None:
        self.rate.x = self.slope


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x


class Watch(ev.Reporter):
    """Notes what `note` answers each time it reports."""

    log: list

    def report(self) -> None:
        self.log.append((self.sim.time, self.sim.dt, self.sim.active))


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


def holds(*durations: float) -> ev.ProcessGenerator:
    for duration in durations:
        yield ev.hold(duration)


@pytest.mark.row("R-020")
def test_the_lists_of_the_monitor_can_be_looked_at(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    watch = Watch(sim, log=[]).start()

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x > 5.0)

    waiting = sim.process(waiter(), name="waiter")
    holding = sim.process(holds(9.0), name="holder")
    sim.run(until=1.0)
    assert [notice[3] for notice in sim._calendar] == [holding]
    assert [condition.name for condition in sim._conditions] == [waiting.name]
    assert sim.laws == (ramp,)
    assert sim.variables == (ramp["x"],)
    assert watch.active


@pytest.mark.row("R-021")
def test_active_is_true_between_events_only(sim: ev.Simulation) -> None:
    seen = []

    class Spy(ev.Continuous):
        def equations(self) -> None:
            seen.append(("equations", self.sim.active))

    def story() -> ev.ProcessGenerator:
        seen.append(("event", sim.active))
        yield ev.until(lambda: seen.append(("condition", sim.active)) or sim.time >= 1.0)
        seen.append(("event", sim.active))

    Spy(sim).start()
    sim.process(story())
    sim.run()
    assert sim.active is False
    assert set(seen) == {("equations", True), ("event", False), ("condition", True)}
    assert seen.count(("event", False)) == 2


@pytest.mark.row("R-022", "R-025", "R-027", "R-028", "R-036")
def test_after_every_event_laws_and_reporters_run_with_dt_zero(sim: ev.Simulation) -> None:
    log = []

    class Law(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0
            if self.sim.dt == 0.0:
                log.append(("law", self.sim.time, self.sim.last_time, self.last.x == self.x))

    law = Law(sim).start()

    class Look(ev.Reporter):
        def report(self) -> None:
            log.append(("report", self.sim.time, self.sim.dt, law.rate.x))

    Look(sim, every="event").start()

    def event(name: str) -> ev.ProcessGenerator:
        log.append((name, sim.time, sim.dt))
        law.x += 1.0
        yield ev.hold(2.0)

    sim.process(event("A"))
    sim.process(event("B"))
    sim.run(until=1.0)
    around = [("law", 0.0, 0.0, True), ("report", 0.0, 0.0, 1.0)]
    start = [*around, ("A", 0.0, 0.0), *around, ("B", 0.0, 0.0), *around]
    assert log == [*start, ("report", 1.0, pytest.approx(log[-1][2]), 1.0)]
    assert log[-1][2] > 0.0


@pytest.mark.row("R-023")
def test_time_events_take_place_exactly_at_their_time(sim: ev.Simulation) -> None:
    Decay(sim).start()
    awkward = [0.1, 0.2, 0.3, 1 / 3, 0.7, nextafter(0.7, 1.0), 1e-3 + 0.7, 2.0]
    log = []

    def sleeper(time: float) -> ev.ProcessGenerator:
        log.append((time, sim.time, sim.dt >= 0.0))
        yield ev.hold(0.0)

    for time in awkward:
        process = sim.process(sleeper(time))
        process.reactivate(at=time)
    sim.run()
    assert log == [(time, time, True) for time in sorted(awkward)]


@pytest.mark.row("R-024", "R-141", "R-142")
@pytest.mark.parametrize("dt_min", [1e-2, 1e-5, 0.0])
def test_state_events_are_located_to_dt_min(dt_min: float) -> None:
    sim = ev.Simulation(rng=1, dt_min=dt_min, rel_error=1e-10, abs_error=1e-10)
    decay = Decay(sim).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: decay.x <= 0.5)
        log.append(sim.time)
        assert decay.x <= 0.5

    sim.process(story())
    sim.run()
    assert len(log) == 1
    assert -1e-9 <= log[0] - 0.6931471805599453 <= dt_min + 1e-9


@pytest.mark.row("R-143")
def test_with_dt_min_zero_the_event_is_at_the_first_float_where_the_condition_holds(sim: ev.Simulation) -> None:
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 0.3)
        log.append(sim.time)

    sim.process(story())
    sim.process(holds(1.0))
    sim.run()
    assert log == [0.3]


@pytest.mark.row("R-029")
def test_before_each_event_every_reporter_runs_once(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    logs: dict[str, list] = {"step": [], "event": [], "period": []}
    for name, every in (("step", "step"), ("event", "event"), ("period", 0.25)):
        Watch(sim, log=logs[name], every=every).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.6)
        ramp.x = 10.0
        yield ev.hold(0.0)

    sim.process(story())
    sim.run(until=1.0)
    at_event = [(time, dt > 0.0) for time, dt, _ in logs["event"]]
    start = [(0.0, False), (0.0, False)]
    assert at_event == [*start, (0.6, True), (0.6, False), (0.6, False), (1.0, True)]
    assert [(time, dt > 0.0) for time, dt, _ in logs["step"] if time in (0.0, 0.6, 1.0)] == at_event
    grid = [(0.25, True), (0.5, True), (0.6, True), (0.6, False), (0.6, False), (0.75, True), (1.0, True)]
    assert [(time, dt > 0.0) for time, dt, _ in logs["period"]] == [*start, *grid]


@pytest.mark.row("R-035")
def test_a_step_ends_at_the_next_event_or_earlier() -> None:
    sim = ev.Simulation(rng=1, dt_max=0.4, stepping="together")
    Ramp(sim).start()
    log: list = []

    class Steps(ev.Reporter):
        def report(self) -> None:
            log.append((self.sim.last_time, self.sim.dt, self.sim.time))

    Steps(sim).start()
    sim.process(holds(1.0))
    sim.run(until=1.25)
    steps = [entry for entry in log if entry[1] > 0.0]
    assert [round(dt, 12) for _, dt, _ in steps] == [0.4, 0.4, 0.2, 0.25]
    assert all(time == pytest.approx(last + dt, abs=1e-15) for last, dt, time in steps)


@pytest.mark.row("R-031")
@pytest.mark.filterwarnings("ignore:the run has ended at time:UserWarning")  # nothing but the test changes what is read
def test_without_laws_conditions_are_tested_every_dt_max(sim: ev.Simulation) -> None:
    sim.dt_max = 0.25
    tested = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: tested.append(sim.time) or False)

    sim.process(story())
    sim.process(holds(0.6))
    sim.run(until=0.9)
    assert {0.0, 0.25, 0.5, 0.6, 0.85, 0.9} <= set(tested)
    assert sorted(set(tested)) == [0.0, 0.125, 0.25, 0.375, 0.5, 0.55, 0.6, 0.725, 0.85, 0.875, 0.9]


@pytest.mark.row("R-032")
def test_without_laws_and_conditions_time_goes_straight_to_the_event(sim: ev.Simulation) -> None:
    sim.dt_max = 0.25
    log: list = []
    Watch(sim, log=log).start()
    sim.process(holds(3.0))
    sim.run()
    assert [time for time, _, _ in log] == [0.0, 0.0, 3.0, 3.0]


@pytest.mark.row("R-038")
def test_with_finite_dt_max_the_first_step_has_that_length(sim: ev.Simulation) -> None:
    sim.dt_max = 0.125
    log: list = []
    Decay(sim).start()
    Watch(sim, log=log).start()
    sim.run(until=10.0)
    assert next(dt for _, dt, _ in log if dt > 0.0) == 0.125


def test_with_infinite_dt_max_the_first_step_is_estimated(sim: ev.Simulation) -> None:
    log: list = []
    Decay(sim).start()
    Watch(sim, log=log).start()
    sim.run(until=10.0)
    assert 1e-4 < next(dt for _, dt, _ in log if dt > 0.0) < 1.0
    assert sim.monitor.refused == 0


@pytest.mark.row("R-039", "R-049", "R-167")
@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
def test_steps_are_shorter_than_dt_min_only_before_events() -> None:
    class Rough(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            return False

    sim = Rough(rng=1, dt_min=0.01, dt_max=0.5)
    fast = ev.Variable(sim, 1.0).start()
    ev.law(sim, lambda: fast.set_rate(-300.0 * (fast.state - 1.0 - (sim.time % 0.2)))).start()
    log: list = []
    Watch(sim, log=log).start()
    sim.process(holds(0.333, 0.004, 0.4))
    sim.run()
    events = (0.333, 0.333 + 0.004, 0.333 + 0.004 + 0.4)
    short = [time for time, dt, _ in log if 0.0 < dt < 0.01]
    assert len(log) > 20
    assert short
    assert all(any(time == pytest.approx(event, abs=1e-12) for event in events) for time in short)
    assert all(dt <= 0.5 for _, dt, _ in log)


@pytest.mark.row("R-041", "R-197", "R-198")
@pytest.mark.parametrize(("number", "low", "high"), [(4, -1.0, 1.0), (5, 2.0, 1.0)])
def test_limits_that_are_no_limits(sim: ev.Simulation, number: int, low: float, high: float) -> None:
    Ramp(sim).start()
    sim.run(until=1.0)
    sim.dt_min, sim.dt_max = low, high
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=2.0)
    assert (caught.value.number, caught.value.time) == (number, 1.0)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.row("R-182", "R-183", "R-194")
def test_accuracy_that_cannot_be_had_is_error_one_and_names_the_variable() -> None:
    sim = ev.Simulation(rng=1, dt_min=0.1)
    good = ev.Variable(sim, 1.0, name="good").start()
    bad = ev.Variable(sim, 1.0, name="bad").start()

    def rates() -> None:
        good.rate = 1.0
        bad.rate = -1000.0 * bad.state * (sim.time > 0.5)

    ev.law(sim, rates).start()
    with pytest.raises(ev.SimulationError, match="bad needs steps shorter") as caught:
        sim.run(until=2.0)
    assert (caught.value.number, caught.value.variable) == (1, bad)
    assert caught.value.time <= 0.6


def test_an_error_of_arithmetic_in_a_trial_stage_shortens_the_step(sim: ev.Simulation) -> None:
    from math import sqrt

    x = ev.Variable(sim, 1.0, name="x").start()
    ev.law(sim, lambda: x.set_rate(-2.0 * sqrt(x.state))).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: x.state <= 1e-3)
        log.append(sim.time)
        x.stop()

    sim.process(story())
    sim.run()
    assert log == [pytest.approx(1.0 - 1e-3**0.5, abs=1e-6)]


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
def test_an_error_of_arithmetic_that_stays_goes_up_as_the_users_own(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 1.0, name="x").start()
    ev.law(sim, lambda: x.set_rate(1.0 if sim.time < 0.5 else 1.0 / 0.0)).start()
    with pytest.raises(ZeroDivisionError):
        sim.run(until=1.0)
    assert sim.time == pytest.approx(0.5, abs=1e-9)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.slow
def test_any_other_error_in_a_law_goes_up_at_once(sim: ev.Simulation) -> None:
    problem = KeyError("mine")

    def rates() -> None:
        if sim.time > 0.0:
            raise problem

    ev.law(sim, rates).start()
    with pytest.raises(KeyError) as caught:
        sim.run(until=1.0)
    assert caught.value is problem


@pytest.mark.row("R-044", "R-200")
def test_a_run_that_nothing_can_end_is_error_seven(sim: ev.Simulation) -> None:
    Ramp(sim).start()
    with pytest.raises(ev.SimulationError, match=r"run\(until=") as caught:
        sim.run()
    assert (caught.value.number, caught.value.time) == (7, 0.0)


def test_a_condition_that_never_comes_true_is_error_seven(sim: ev.Simulation) -> None:
    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time < 0)

    sim.process(story())
    with pytest.raises(ev.SimulationError) as caught:
        sim.run()
    assert caught.value.number == 7


@pytest.mark.row("R-045", "R-196")
def test_nothing_left_while_the_goal_is_unfinished_is_error_three(sim: ev.Simulation) -> None:
    def story() -> ev.ProcessGenerator:
        yield ev.passivate()

    sleeper = sim.process(story(), name="sleeper")
    with pytest.raises(ev.SimulationError, match="sleeper waits for its activation") as caught:
        sim.run(until=sleeper)
    assert caught.value.number == 3


@pytest.mark.row("R-046", "R-135", "R-148")
def test_one_event_a_turn_and_then_everything_again(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    log = []

    def waiter(name: str, resets: bool) -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 1.0)
        log.append((name, sim.time))
        if resets:
            ramp.x = 0.5

    for name, resets in (("first", False), ("second", True), ("third", False)):
        sim.process(waiter(name, resets))
    sim.run()
    time = pytest.approx(1.0, abs=1e-12)
    assert log == [("first", time), ("second", time), ("third", pytest.approx(1.5, abs=1e-12))]


@pytest.mark.row("R-050")
def test_pause_brings_everything_up_to_date_within_the_event(sim: ev.Simulation) -> None:
    class Scaled(ev.Continuous):
        x: ev.State = ev.state(1.0)
        twice: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = 0.0
            self.twice = 2.0 * self.x

    scaled = Scaled(sim).start()
    log: list = []
    watch = Watch(sim, log=log, every="event").start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        sim.process(other())
        scaled.x = 5.0
        before, reports = scaled.twice, len(watch.log)
        yield ev.pause()
        log.append(("paused", before, scaled.twice, len(watch.log) - reports, sim.dt))

    def other() -> ev.ProcessGenerator:
        log.append("other")
        yield ev.hold(0.0)

    sim.process(story())
    sim.run()
    assert ("paused", 2.0, 10.0, 1, 0.0) in log
    assert log.index("other") > log.index(("paused", 2.0, 10.0, 1, 0.0))


@pytest.mark.row("R-130", "R-132", "R-145")
def test_time_events_come_before_state_events_of_their_instant(sim: ev.Simulation) -> None:
    log = []

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 1.0)
        log.append("state")

    def timer(name: str) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append(name)

    sim.process(waiter())
    sim.process(timer("time 1"))
    sim.process(timer("time 2"))
    sim.run()
    assert log == ["time 1", "time 2", "state"]


@pytest.mark.row("R-133", "R-134", "R-149")
def test_conditions_stand_by_priority_then_prior_then_arrival(sim: ev.Simulation) -> None:
    log = []

    def waiter(name: str, **options) -> ev.ProcessGenerator:
        answer = yield ev.until(lambda: sim.time >= 1.0, **options)
        log.append((name, answer))

    for name, options in {
        "plain": {},
        "high": {"priority": 2},
        "low": {"priority": -1},
        "second": {},
        "prior": {"prior": True},
        "high prior": {"priority": 2, "prior": True},
    }.items():
        sim.process(waiter(name, **options))
    sim.run()
    assert log == [(n, True) for n in ("high prior", "high", "prior", "plain", "second", "low")]


@pytest.mark.row("R-136", "R-137")
def test_a_waiting_process_may_hold_a_time_event_too(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    log = []

    def waiter(limit: float) -> ev.ProcessGenerator:
        log.append((limit, (yield ev.until(lambda: ramp.x >= limit)), sim.time))

    late, early, woken = (sim.process(waiter(limit), name=str(limit)) for limit in (3.0, 0.5, 9.0))

    def clerk() -> ev.ProcessGenerator:
        for process in (late, early):
            process.activate(at=1.0)
        yield ev.hold(0.25)
        woken.activate()
        yield ev.hold(0.0)

    sim.process(clerk())
    sim.run()
    assert log == [(9.0, False, 0.25), (0.5, True, pytest.approx(0.5)), (3.0, False, 1.0)]
    assert len(sim._conditions) == 0


@pytest.mark.row("R-139")
def test_cancel_state_event_leaves_the_process_passive(sim: ev.Simulation) -> None:
    log = []

    def waiter() -> ev.ProcessGenerator:
        log.append((yield ev.until(lambda: sim.time >= 1.0)))

    waiting = sim.process(waiter())

    def clerk() -> ev.ProcessGenerator:
        waiting.cancel_state_event()
        waiting.cancel_state_event()
        log.append((waiting.idle, len(sim._conditions)))
        yield ev.hold(2.0)

    sim.process(clerk())
    sim.run()
    assert log == [(True, 0)]


@pytest.mark.row("R-150")
def test_conditions_on_time_alone_need_no_continuous(sim: ev.Simulation) -> None:
    log = []

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 17.3)
        log.append(sim.time)

    sim.process(waiter())
    sim.run()
    assert log == [17.3]


def test_run_stops_before_events_at_its_end_and_the_next_begins_with_them(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append((sim.time, ramp.x))

    sim.process(story())
    sim.run(until=1.0)
    assert (sim.time, ramp.x, log) == (1.0, pytest.approx(1.0), [])
    sim.run(until=1.5)
    assert (sim.time, ramp.x, log) == (1.5, pytest.approx(1.5), [(1.0, pytest.approx(1.0))])


def test_run_until_a_condition_or_a_process(sim: ev.Simulation) -> None:
    ramp = Ramp(sim).start()
    sim.run(until=lambda: ramp.x >= 0.75)
    assert sim.time == pytest.approx(0.75, abs=1e-12)
    sim.run(until=sim.process(holds(2.0, 3.0)))
    assert sim.time == pytest.approx(5.75, abs=1e-12)


def test_the_past_cannot_be_run_to(sim: ev.Simulation) -> None:
    sim.run(until=2.0)
    with pytest.raises(ev.ModelError, match="lies in the past"):
        sim.run(until=1.0)


@pytest.mark.row("R-042")
def test_reporters_and_recordings_do_not_change_a_step() -> None:
    def steps(looked_at: bool) -> list:
        sim = ev.Simulation(rng=1)
        decay = Decay(sim).start()
        log: list = []

        def story() -> ev.ProcessGenerator:
            while True:
                yield ev.until(lambda: decay.x < 0.3)
                log.append((sim.time, decay.x, sim.monitor.steps, sim.monitor.steps))
                decay.x = 1.0

        sim.process(story())
        if looked_at:
            Watch(sim, log=[], every=0.013).start()
            sim.record(decay, every=0.01)
            sim.record(decay, every="event")
        sim.run(until=20.0)
        log.append((sim.time, decay.x))
        return log

    assert len(steps(False)) > 10
    assert steps(True) == steps(False)
