"""A process in `until` that has a time event too, pauses, and what follows what in the event list."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev


@pytest.fixture(params=["auto", False], ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, compile=request.param)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)
    twice: ev.Computed = ev.computed()
    limit: float = 2.0

    def equations(self) -> None:
        self.rate.x = 1.0
        self.twice = 2.0 * self.x


@pytest.fixture
def ramp(sim: ev.Simulation) -> Ramp:
    return Ramp(sim, name="ramp").start()


def waiter(sim: ev.Simulation, ramp: Ramp, limit: float, log: list[Any]) -> ev.ProcessGenerator:
    log.append(((yield ev.until(lambda: ramp.x >= 0.0 and sim.time >= limit)), sim.time))
    log.append(((yield ev.hold(1.0)), sim.time))


@pytest.mark.row("R-136")
@pytest.mark.parametrize(
    ("at", "woken"),
    [(2.0, (True, 1.0)), (0.5, (False, 0.5)), (1.0, (False, 1.0))],
    ids=["condition first", "time first", "both at once"],
)
def test_whichever_comes_first_cancels_the_other(
    sim: ev.Simulation, ramp: Ramp, at: float, woken: tuple[bool, float]
) -> None:
    log: list[Any] = []
    waiting = sim.process(waiter(sim, ramp, 1.0, log))

    def clerk() -> ev.ProcessGenerator:
        waiting.activate(at=at)
        assert (waiting.idle, waiting.event_time) == (False, at)
        yield ev.hold(0.0)

    sim.process(clerk())
    sim.run(until=4.0)
    assert log == [(woken[0], pytest.approx(woken[1])), (None, pytest.approx(woken[1] + 1.0))]
    assert (len(sim._conditions), waiting.terminated, sim.peek()) == (0, True, float("inf"))


@pytest.mark.row("R-136")
def test_cancel_takes_the_time_event_and_leaves_the_condition(sim: ev.Simulation, ramp: Ramp) -> None:
    log: list[Any] = []
    waiting = sim.process(waiter(sim, ramp, 1.0, log))

    def clerk() -> ev.ProcessGenerator:
        waiting.activate(at=0.5)
        waiting.cancel()
        assert waiting.idle
        yield ev.hold(0.0)

    sim.process(clerk())
    sim.run(until=4.0)
    assert log[0] == (True, pytest.approx(1.0))


@pytest.mark.row("R-139")
@pytest.mark.parametrize("at", [None, 2.0])
def test_cancel_state_event_leaves_the_time_event_and_until_answers_false(
    sim: ev.Simulation, ramp: Ramp, at: float | None
) -> None:
    log: list[Any] = []
    waiting = sim.process(waiter(sim, ramp, 1.0, log))

    def clerk() -> ev.ProcessGenerator:
        if at is not None:
            waiting.activate(at=at)
        waiting.cancel_state_event()
        assert (waiting.idle, len(sim._conditions)) == (at is None, 0)
        yield ev.hold(3.0)
        waiting.activate()

    sim.process(clerk())
    sim.run(until=6.0)
    assert log[0] == (False, 3.0 if at is None else at)


@pytest.mark.row("R-137")
def test_direct_activation_wakes_it_now(sim: ev.Simulation, ramp: Ramp) -> None:
    log: list[Any] = []
    waiting = sim.process(waiter(sim, ramp, 1.0, log))

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        yield ev.activate(waiting)
        log.append("clerk")
        assert len(sim._conditions) == 0

    sim.process(clerk())
    sim.run(until=4.0)
    assert log == [(False, 0.25), "clerk", (None, 1.25)]


@pytest.mark.row("R-050")
def test_a_pause_brings_laws_and_reporters_up_to_date_and_arms_nothing(sim: ev.Simulation) -> None:
    log: list[Any] = []

    class Armed(Ramp):
        @ev.when(lambda self: self.x >= 1.0, at_start=False)
        def high(self) -> None:
            log.append(("high", self.sim.time))

    ramp = Armed(sim, x=2.0).start()

    class Look(ev.Reporter):
        def report(self) -> None:
            log.append(("report", self.sim.time, self.sim.dt, ramp.twice))

    Look(sim, every="event").start()

    def story() -> ev.ProcessGenerator:
        ramp.x = 0.0
        answer = yield ev.pause()
        log.append(("paused", answer, ramp.twice, ramp.rate.x))
        ramp.x = 3.0
        yield ev.hold(1.0)

    sim.process(story())
    sim.run(until=2.0)
    looked = ("report", 0.0, 0.0, 4.0), ("report", 0.0, 0.0, 0.0), ("report", 0.0, 0.0, 6.0)
    assert log[:4] == [looked[0], looked[1], ("paused", None, 0.0, 1.0), looked[2]]
    assert [entry for entry in log if entry[0] == "high"] == []


def test_what_is_started_before_a_pause_takes_part_in_it(sim: ev.Simulation) -> None:
    late = Ramp(sim, x=4.0)
    log: list[Any] = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        late.start()
        yield ev.pause()
        log.append((late.twice, late.rate.x, sim.time))
        late.stop()
        yield ev.pause()
        log.append((late.rate.x, sim.time))

    sim.process(story())
    sim.run()
    assert log == [(8.0, 1.0, 1.0), (0.0, 1.0)]


def test_a_pause_in_a_model_without_states_goes_straight_on() -> None:
    sim = ev.Simulation(rng=1)
    log = []

    def story(name: str) -> ev.ProcessGenerator:
        log.append(name)
        yield ev.pause()
        log.append(name)
        yield ev.hold(1.0)

    sim.process(story("a"))
    sim.process(story("b"))
    sim.run()
    assert log == ["a", "a", "b", "b"]


@pytest.mark.row("R-052")
def test_the_next_time_event_hides_what_is_no_process(sim: ev.Simulation, ramp: Ramp) -> None:
    class Beat(ev.Continuous):
        @ev.every(1.0, offset=0.5)
        def beat(self) -> None:
            pass

    Beat(sim).start()
    log: list[Any] = []
    waiting = sim.process(waiter(sim, ramp, 9.0, log), name="waiting")

    def holds(duration: float) -> ev.ProcessGenerator:
        yield ev.hold(duration)

    near, far = (sim.process(holds(duration), name=str(duration)) for duration in (0.75, 2.0))

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        log.append([sim.next_time_event(p) for p in (None, sim.current, near, far, waiting)])
        waiting.activate(at=1.5)
        log.append([sim.next_time_event(p) for p in (sim.current, near, waiting)])

    sim.process(clerk())
    sim.run(until=1.0)
    assert log == [[None, near, far, None, None], [near, waiting, far]]


@pytest.mark.parametrize("compile_", ["auto", False])
def test_who_waits_for_what_was_never_started_is_told(compile_: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compile_)
    ramp = Ramp(sim, name="ramp")

    def waiting() -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 3.0)

    process = sim.process(waiting(), name="waiting")
    sim.run(until=1.0)
    told = [(process.why_waiting().partition(" (")[2], sim.explain().conditions[0].resting)]
    assert "reads ramp, which was never started: ramp stands still" in str(sim.explain())
    ramp.start()
    sim.run(until=2.0)
    ramp.stop()
    told.append((process.why_waiting().partition(" (")[2], sim.explain().conditions[0].resting))
    assert told == [
        ("3 short of it, which does not change; ramp was never started)", ("ramp",)),
        ("2 short of it, which does not change)", ()),
    ]


@pytest.mark.parametrize(
    ("test", "words"),
    [
        (lambda ramp: ramp.x >= 3.0, "(2 short of it and coming nearer by 1 per unit of time)"),
        (lambda ramp: ramp.x <= -1.0, "(2 short of it and going away by 1 per unit of time)"),
        (lambda ramp: ramp.rate.x > 2.5, "(1.5 short of it, which does not change)"),
        (lambda ramp: ramp.limit > 2.5, "(0.5 short of it, which does not change)"),
        (lambda ramp: ramp.x > 2.0 and ramp.x < 5.0, "(1 short of it and coming nearer by 1 per unit of time)"),
        (lambda ramp: ramp.twice + ramp.sim.time >= 9.0, "(6 short of it"),
    ],
)
def test_why_waiting_tells_how_far_a_condition_is(test: Any, words: str) -> None:
    sim = ev.Simulation(rng=1)
    ramp = Ramp(sim).start()
    asked = []

    def waiting() -> ev.ProcessGenerator:
        yield ev.until(lambda: test(ramp))

    process = sim.process(waiting(), name="waiting")

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        steps = sim.monitor.steps
        asked.append((process.why_waiting(), sim.monitor.steps - steps))

    sim.process(clerk())
    sim.run(until=1.5)
    (sentence, steps), *_ = asked
    assert sentence.startswith("waiting waits for until(lambda at ")
    assert words in sentence
    assert steps == 0


def test_how_far_is_not_known_of_conditions_that_cannot_be_read() -> None:
    sim = ev.Simulation(rng=1)
    ramp = Ramp(sim).start()
    names = ["x"]

    def waiting() -> ev.ProcessGenerator:
        yield ev.until(lambda: getattr(ramp, names[0]) >= 3.0)

    process = sim.process(waiting(), name="waiting")
    sim.run(until=1.0)
    assert process.why_waiting().endswith(f"test_waiting.py:{waiting.__code__.co_firstlineno + 1}")
