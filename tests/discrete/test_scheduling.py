"""When processes go on: the order of the event list, the words that change it, the ends of a run."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from discrete.shared import Speaker, does, speakers

import eventide as ev


@pytest.fixture
def log():
    return []


# --- the order of one instant ----------------------------------------------------------------------------------------


def test_who_is_activated_comes_in_front_in_the_order_of_the_calls(sim, log):
    """A activates B and C; B activates D: B, D, C."""
    b, c, d = speakers(sim, log, "BCD")

    def story_of_b():
        log.append((sim.time, "B"))
        d.activate()
        yield ev.passivate()

    b.run = story_of_b
    does(sim, b.activate, c.activate)
    sim.run()

    assert log == [(0.0, "B"), (0.0, "D"), (0.0, "C")]


@pytest.mark.row("R-008")
def test_what_was_scheduled_for_an_instant_comes_in_that_order_after_its_front_and_before_its_end(sim, log):
    a, b, c, d, e = speakers(sim, log, "ABCDE")
    a.activate(at=1.0)
    b.activate(delay=1.0)
    does(
        sim,
        lambda: ev.hold(1.0),
        lambda: c.activate(delay=0.0),
        lambda: d.activate(at=1.0),
        e.activate,
    )
    sim.run()

    assert log == [(1.0, "A"), (1.0, "B"), (1.0, "E"), (1.0, "C"), (1.0, "D")]


@pytest.mark.row("R-003")
@pytest.mark.parametrize("duration", [0, 0.0, -1.0, -math.inf])
def test_to_hold_for_nothing_or_less_is_to_go_to_the_end_of_the_instant(log, duration):
    sim = ev.Simulation(rng=1, negative_hold="zero")
    first, second = speakers(sim, log, ["first", "second"])
    does(
        sim,
        lambda: first.activate(delay=0.0),
        second.activate,
        lambda: ev.hold(duration),
        lambda: log.append((sim.time, "main")),
    )
    sim.run()

    assert log == [(0.0, "second"), (0.0, "first"), (0.0, "main")]


@pytest.mark.parametrize("duration", [2, 2.0, Fraction(2), np.float64(2.0), np.int64(2)], ids=repr)
def test_any_number_may_be_yielded(sim, log, duration):
    def story():
        yield duration
        log.append(sim.time)

    sim.process(story())
    sim.run()

    assert log == [2.0]
    assert type(sim.time) is float


def test_prior_comes_before_all_that_stand_there(sim, log):
    a, b, c, d, e = speakers(sim, log, "ABCDE")
    does(
        sim,
        lambda: a.activate(at=1.0),
        lambda: b.activate(at=1.0, prior=True),
        lambda: c.activate(delay=1.0, prior=True),
        d.activate,
        lambda: e.activate(prior=True),
    )
    sim.run()

    assert log == [(0.0, "E"), (0.0, "D"), (1.0, "C"), (1.0, "B"), (1.0, "A")]


def test_beside_others(sim, log):
    a, b, c, d, e, f = speakers(sim, log, "ABCDEF")
    does(
        sim,
        lambda: a.activate(at=1.0),
        lambda: b.activate(at=1.0),
        lambda: c.activate(before=b),
        lambda: d.activate(after=a),
        lambda: e.activate(before=b),
        lambda: f.activate(after=a),
    )
    sim.run()

    assert [name for _, name in log] == ["A", "F", "D", "C", "E", "B"]
    assert {time for time, _ in log} == {1.0}


def test_after_the_current_process_is_first_of_all(sim, log):
    a, b = speakers(sim, log, "AB")
    main = does(sim, a.activate, lambda: b.activate(after=main))
    sim.run()

    assert log == [(0.0, "B"), (0.0, "A")]


def test_long_chains_of_neighbours_keep_their_order(sim, log):
    actors = speakers(sim, log, [str(number) for number in range(60)])
    actors[0].activate(at=1.0)
    for before, after in pairwise(actors):
        after.activate(after=before)
    sim.run()

    assert [name for _, name in log] == [str(number) for number in range(60)]


@pytest.mark.row("R-010")
def test_the_past_is_an_error_or_now(sim, log):
    (a,) = speakers(sim, log, "A")
    for when in ({"at": -1.0}, {"delay": -1.0}, {"at": -1.0, "prior": True}, {"delay": -math.inf}):
        for activate in (a.activate, a.reactivate):
            with pytest.raises(ev.ModelError, match=r"^A cannot be activated at -.*, as the time is 0.0: `at=` is"):
                activate(**when)
    with pytest.raises(TypeError, match=r"^delay= takes a number of time units, and got True$"):
        a.activate(delay=True)
    sim.negative_hold = "zero"
    does(sim, lambda: ev.hold(2.0), lambda: a.activate(at=1.0))
    sim.run()

    assert log == [(2.0, "A")]


# --- the words -------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-006")
def test_activate_leaves_a_scheduled_process_and_reactivate_moves_it(sim, log):
    a, b = speakers(sim, log, "AB")
    does(
        sim,
        lambda: a.activate(at=1.0),
        lambda: b.activate(at=1.0),
        lambda: a.activate(at=3.0),
        lambda: b.reactivate(at=3.0),
    )
    sim.run()

    assert log == [(1.0, "A"), (3.0, "B")]


def test_reactivate_at_the_same_time_moves_behind_the_others(sim, log):
    a, b = speakers(sim, log, "AB")
    does(sim, lambda: a.activate(at=1.0), lambda: b.activate(at=1.0), lambda: a.reactivate(at=1.0))
    sim.run()

    assert log == [(1.0, "B"), (1.0, "A")]


def test_activate_and_reactivate_answer_the_process_itself(sim, log):
    (a,) = speakers(sim, log, "A")

    assert a.activate(at=1.0) is a
    assert a.reactivate(at=2.0) is a


@pytest.mark.row("R-004")
def test_a_passive_process_is_idle_until_somebody_activates_it(sim, log):
    (a,) = speakers(sim, log, "A")
    asked = []
    does(
        sim,
        a.activate,
        lambda: ev.hold(1.0),
        lambda: asked.append((a.idle, a.terminated)),
        a.activate,
        lambda: asked.append((a.idle, a.event_time)),
    )
    sim.run()

    assert log == [(0.0, "A"), (1.0, "A")]
    assert asked == [(True, False), (False, 1.0)]


@pytest.mark.row("R-005")
def test_cancel_takes_the_event_away(sim, log):
    a, b = speakers(sim, log, "AB")
    does(
        sim,
        lambda: a.activate(at=1.0),
        lambda: b.activate(at=1.0),
        a.cancel,
        b.cancel,
        b.cancel,
        lambda: ev.hold(5.0),
        b.activate,
    )
    sim.run()

    assert log == [(5.0, "B")]
    assert a.idle


@pytest.mark.row("R-005")
def test_the_current_process_cancels_itself_by_passivate(sim):
    def story():
        yield ev.hold(1.0)
        sim.current.cancel()

    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError, match=r"^A is the current process and has no event to cancel: write `yield pas"):
        sim.run()


def test_the_current_process_cannot_be_moved(sim):
    def story():
        yield ev.hold(1.0)
        sim.current.reactivate(delay=1.0)

    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError, match=r"^A is the current process and cannot be moved: let it yield hold"):
        sim.run()


@pytest.mark.row("R-006", "R-007")
def test_a_direct_activation_passes_control_at_once(sim, log):
    """A goes on right after B, and before C, which was activated first but waits for its turn."""
    b, c = speakers(sim, log, "BC")
    does(sim, c.activate, lambda: ev.activate(b), lambda: log.append((sim.time, "main")))
    sim.run()

    assert log == [(0.0, "B"), (0.0, "main"), (0.0, "C")]


def test_what_a_directly_activated_process_activates_comes_before_who_activated_it(sim, log):
    b, c, d = speakers(sim, log, "BCD")

    def story_of_b():
        log.append((sim.time, "B"))
        d.activate()
        yield ev.passivate()

    b.run = story_of_b
    does(sim, c.activate, lambda: ev.activate(b), lambda: log.append((sim.time, "main")))
    sim.run()

    assert log == [(0.0, "B"), (0.0, "D"), (0.0, "main"), (0.0, "C")]
    assert sim.events == 4


def test_a_direct_activation_of_one_that_is_scheduled_or_has_ended_has_no_effect(sim, log):
    (a,) = speakers(sim, log, "A")

    def short():
        log.append((sim.time, "short"))
        return
        yield

    ended = sim.process(short())
    does(
        sim,
        lambda: a.activate(at=1.0),
        lambda: ev.activate(a),
        lambda: ev.activate(ended),
        lambda: log.append((sim.time, "main")),
    )
    sim.run()

    assert log == [(0.0, "short"), (0.0, "main"), (1.0, "A")]


@pytest.mark.row("R-007", "R-011")
def test_the_monitor_runs_after_every_event_and_not_within_a_direct_activation(sim, log):
    class Witness(ev.Reporter):
        def report(self):
            log.append((self.sim.time, "report"))

    Witness(sim, every="event").start()
    a, b = speakers(sim, log, "AB")

    def story():
        log.append((sim.time, "main"))
        a.activate()
        yield ev.activate(b)
        log.append((sim.time, "main again"))
        yield ev.hold(1.0)
        log.append((sim.time, "end"))

    sim.process(story())
    sim.run(until=0.5)

    within = [what for time, what in log if time == 0.0]
    assert within == ["report", "main", "B", "report", "main again", "report", "A", "report"]


@pytest.mark.row("R-009", "R-052")
def test_what_can_be_asked_of_the_event_list(sim, log):
    a, b, c = speakers(sim, log, "ABC")
    asked = []

    def main():
        a.activate(at=2.0)
        b.activate(at=1.0)
        me = sim.current
        asked.append((me.name, me.idle, me.event_time, me.next_event.name))
        asked.append((b.idle, b.event_time, b.next_event.name))
        asked.append((a.idle, a.event_time, a.next_event))
        asked.append((c.idle, c.terminated, c.next_event))
        asked.append((sim.next_time_event(b).name, sim.next_time_event(c), sim.next_time_event(None)))
        asked.append(sim.peek())
        yield ev.hold(5.0)

    process = sim.process(main(), name="main")
    sim.run()

    assert asked == [
        ("main", False, 0.0, "B"),
        (False, 1.0, "A"),
        (False, 2.0, None),
        (True, False, None),
        ("A", None, None),
        1.0,
    ]
    assert (process.terminated, process.idle, process.next_event) == (True, True, None)
    assert sim.peek() == math.inf
    with pytest.raises(ev.ModelError, match=r"^C is idle and has no event time$"):
        _ = c.event_time


def test_events_of_what_is_no_process_are_passed_over(sim, log):
    class Clock(ev.Continuous):
        @ev.every(1.0)
        def strike(self):
            log.append((self.sim.time, "clock"))

    (a,) = speakers(sim, log, "A")
    Clock(sim).start()
    a.activate(at=3.0)

    def main():
        log.append(sim.current.next_event.name)
        yield ev.hold(1.5)

    sim.process(main())
    sim.run(until=2.0)

    assert log == ["A", (0.0, "clock"), (1.0, "clock")]


def test_the_event_list_can_be_asked_outside_a_run_and_this_changes_nothing(sim, log):
    a, b = speakers(sim, log, "AB")
    a.activate()
    b.activate()

    assert (a.next_event, b.next_event, sim.peek(), sim.current) == (b, None, 0.0, None)
    sim.run()
    assert log == [(0.0, "A"), (0.0, "B")]


# --- what is refused -------------------------------------------------------------------------------------------------


def test_refusals_leave_everything_as_it_was(sim, log):
    a, b = speakers(sim, log, "AB")
    other = Speaker(ev.Simulation(rng=1), log=log, name="stranger")
    refused = []

    def attempt(**how):
        try:
            a.reactivate(**how)
        except (ev.ModelError, TypeError) as error:
            refused.append(str(error))

    def main():
        a.activate(at=1.0)
        attempt(before=b)
        attempt(after=a)
        attempt(before=sim.current)
        attempt(after=other)
        attempt(at=1.0, delay=1.0)
        attempt(at=math.nan)
        attempt(delay="3")
        yield ev.passivate()

    sim.process(main(), name="main")
    sim.run()

    assert refused == [
        "A cannot be placed beside an event of B, which has none but is idle",
        "A cannot be placed beside an event of A, which has none but is idle",
        "nothing can come before the current process main: write `yield activate(p)`",
        "stranger belongs to another simulation: each object lives in the one it was made for",
        "activate takes one of at=, delay=, before= and after=",
        "at= got NaN: a time must be a number",
        "delay= takes a number of time units, and got '3'",
    ]
    assert log == [(1.0, "A")]


def test_a_process_of_another_simulation_cannot_be_activated_at_once(sim, log):
    stranger = Speaker(ev.Simulation(rng=1), log=log, name="stranger")
    does(sim, lambda: ev.activate(stranger))
    with pytest.raises(ev.ModelError, match=r"^stranger belongs to another simulation"):
        sim.run()


@pytest.mark.parametrize(
    ("duration", "error", "message"),
    [
        ("3", TypeError, r"^hold takes a number of time units, and got '3'$"),
        (None, TypeError, r"^hold takes a number of time units, and got None$"),
        (True, TypeError, r"^hold takes a number of time units, and got True$"),
        (math.nan, ev.ModelError, r"^hold got NaN: a duration must be a number$"),
    ],
)
def test_a_duration_is_a_number(duration, error, message):
    with pytest.raises(error, match=message):
        ev.hold(duration)


def test_swept_notices_do_not_disturb_the_others(sim, log):
    """Thousands of events are cancelled; those that stay come in their order."""
    actors = speakers(sim, log, [str(number) for number in range(2000)])

    def main():
        for round_ in range(4):
            for number, actor in enumerate(actors):
                actor.reactivate(at=10.0 + (number * 7919 + round_) % 2000)
            yield ev.hold(1.0)
        for number, actor in enumerate(actors):
            if number % 100:
                actor.cancel()

    sim.process(main())
    sim.run()

    expected = sorted((10.0 + (number * 7919 + 3) % 2000, str(number)) for number in range(0, 2000, 100))
    assert len(log) == 20
    assert log == expected


def test_who_is_interrupted_again_and_again_leaves_nothing_behind(sim, log):
    """Stale notices of times far ahead do not fill the event list, and those that count stay in it."""

    def sleeper():
        for _ in range(10_000):
            with contextlib.suppress(ev.Interrupt):
                yield ev.hold(1e9)
        log.append((sim.time, "sleeper"))

    def watchman():
        for _ in range(10_000):
            yield ev.hold(1.0)
            longest.append(len(sim._calendar.heap))
            asleep.interrupt()

    longest: list[int] = []
    asleep = sim.process(sleeper())
    sim.process(watchman())
    speakers(sim, log, ["late", "early"])[0].activate(at=9_999.5)
    speakers(sim, log, ["first"])[0].activate(at=5_000.25)
    sim.run()

    assert log == [(5_000.25, "first"), (9_999.5, "late"), (10_000.0, "sleeper")]
    assert len(longest) == 10_000
    assert max(longest) < 2_000
