"""Waiting for the first of several things, or for all of them."""

from __future__ import annotations

import pytest

import eventide as ev


@pytest.fixture
def log():
    return []


def after(sim, duration, result=None):
    def story():
        yield ev.hold(duration)
        return result

    return sim.process(story(), name=f"after {duration}")


def waits(sim, log, make, *, name="A"):
    """A process that yields one command and keeps its answer."""

    def story():
        answer = yield make()
        log.append((sim.time, answer))

    return sim.process(story(), name=name)


def won(name, value=None):
    return ev.Outcome(name, value)


# --- the first of several --------------------------------------------------------------------------------------------


def test_the_first_answers_with_its_name_and_value(sim, log):
    waits(sim, log, lambda: ev.first_of(early=after(sim, 2.0, "x"), late=ev.hold(3.0)))
    waits(sim, log, lambda: ev.first_of(early=after(sim, 5.0, "x"), late=ev.hold(3.0)))
    sim.run()

    assert log == [(2.0, won("early", "x")), (3.0, won("late"))]


def test_the_others_are_withdrawn_at_once(sim, log):
    door, desk = ev.Signal(sim), ev.Resource(sim)
    line = ev.Queue(sim)
    idle = after(sim, 9.0)

    def holder():
        with desk.request() as unit:
            yield unit
            yield ev.hold(4.0)

    sim.process(holder())
    waits(
        sim,
        log,
        lambda: ev.first_of(
            end=idle,
            sent=door,
            served=desk.request(),
            called=ev.wait(line),
            true=ev.until(lambda: sim.time >= 8.0),
            late=ev.hold(7.0),
            gone=ev.hold(1.0),
        ),
    )
    sim.run(until=0.5)
    assert (door.waiting, desk.queue.value, len(line)) == (1, 1, 1)
    sim.run(until=1.5)

    assert log == [(1.0, won("gone"))]
    assert (door.waiting, desk.queue.value, len(line)) == (0, 0, 0)
    sim.run()
    assert (len(log), sim.time, desk.counts.reneged) == (1, 9.0, 1)


def test_what_is_there_already_needs_no_event(sim, log):
    desk = ev.Resource(sim)
    ended = after(sim, 0.0, "x")
    sim.run()
    events = sim.events
    waits(sim, log, lambda: ev.first_of(late=ev.hold(1.0), served=desk.request(), end=ended))
    sim.run()

    [(time, outcome)] = log
    assert (time, outcome.name, outcome.value.granted) == (0.0, "served", True)
    assert sim.events == events + 1
    assert desk.queue.value == 0


def test_ties_are_decided_by_the_event_list(sim, log):
    """The hold was scheduled first; the signal is sent at the end of the instant."""
    door = ev.Signal(sim)

    def sender():
        yield ev.hold(2.0)
        door.send()

    sim.process(sender())
    waits(sim, log, lambda: ev.first_of(sent=door, held=ev.hold(2.0)))
    waits(sim, log, lambda: ev.first_of(one=ev.hold(2.0), two=ev.hold(2.0)))
    sim.run()

    assert log == [(2.0, won("held")), (2.0, won("one"))]
    assert door.waiting == 0


def test_a_unit_granted_too_late_is_given_back(sim, log):
    """The release grants the unit at the end of the instant; the hold of the same instant comes before that."""
    desk = ev.Resource(sim)

    def holder():
        with desk.request() as unit:
            yield unit
            yield ev.hold(2.0)

    sim.process(holder())
    waits(sim, log, lambda: ev.first_of(served=desk.request(), gone=ev.hold(2.0)))
    sim.run()

    assert log == [(2.0, won("gone"))]
    assert (desk.in_use.value, desk.queue.value) == (0, 0)


def test_a_tick_in_a_branch_has_the_grid_of_the_process(sim, log):
    sim.run(until=0.25)
    waits(sim, log, lambda: ev.first_of(tick=ev.tick(1.0), late=ev.hold(9.0)))
    sim.run()

    assert log == [(1.25, won("tick"))]


def test_a_passive_branch_is_won_by_an_activation(sim, log):
    sleeper = waits(sim, log, lambda: ev.first_of(woken=ev.passivate(), late=ev.hold(9.0)))
    sim.run(until=1.0)
    sleeper.activate()
    sleeper.activate()
    sim.run()

    assert log == [(1.0, won("woken"))]


def test_a_passive_branch_may_be_activated_later_or_at_once(sim, log):
    sleepers = [
        waits(sim, log, lambda: ev.first_of(deep=ev.all_of(a=ev.hold(1.0), b=ev.passivate()))) for _ in range(3)
    ]
    sim.run(until=2.0)
    sleepers[0].activate(delay=2.0)
    sleepers[0].reactivate(delay=3.0)
    sleepers[1].activate(at=4.0)

    def waker():
        yield ev.activate(sleepers[2])
        log.append("waker")

    sim.process(waker())
    sim.run()

    answer = won("deep", {"a": None, "b": None})
    assert log == [(2.0, answer), "waker", (4.0, answer), (5.0, answer)]


def test_who_waits_in_a_composite_is_not_activated_without_a_passive_branch(sim, log):
    process = waits(sim, log, lambda: ev.first_of(late=ev.hold(9.0), door=ev.Signal(sim, name="door")))
    sim.run(until=1.0)
    with pytest.raises(
        ev.ModelError,
        match=r"^A cannot be activated, it waits for the first of late \(time 9\.0\), door \(door since 0\.0\): use i",
    ):
        process.activate()
    with pytest.raises(ev.ModelError, match=r"^A has no event to cancel, it waits for the first of late"):
        process.cancel()


def test_until_answers_true_in_a_branch(sim, log):
    waits(sim, log, lambda: ev.first_of(true=ev.until(lambda: sim.time >= 2.0), late=ev.hold(9.0)))
    sim.process(iter_holds([2.5]))
    sim.run()

    assert log == [(2.0, won("true", True))]


def iter_holds(durations):
    yield from durations


# --- all of several --------------------------------------------------------------------------------------------------


def test_all_answers_a_dict_in_the_order_of_the_names(sim, log):
    door = ev.Signal(sim)

    def sender():
        yield ev.hold(1.0)
        door.send("open")

    sim.process(sender())
    waits(sim, log, lambda: ev.all_of(end=after(sim, 3.0, "x"), held=ev.hold(2.0), sent=door))
    sim.run()

    [(time, answer)] = log
    assert time == 3.0
    assert list(answer.items()) == [("end", "x"), ("held", None), ("sent", "open")]


def test_all_that_is_there_already_needs_no_event(sim, log):
    ended = after(sim, 0.0, "x")
    sim.run()
    events = sim.events
    waits(sim, log, lambda: ev.all_of(end=ended, again=ended))
    sim.run()

    assert log == [(0.0, {"end": "x", "again": "x"})]
    assert sim.events == events + 1


def test_who_is_interrupted_gives_back_what_had_come(sim, log):
    free, busy = ev.Resource(sim, name="free"), ev.Resource(sim, name="busy")
    late = ev.Resource(sim, name="late")

    def holder(resource, duration):
        with resource.request() as unit:
            yield unit
            yield ev.hold(duration)

    def story():
        try:
            yield ev.all_of(a=free.request(), b=busy.request(), c=late.request(), d=ev.hold(0.5))
        except ev.Interrupt as interrupt:
            log.append((sim.time, interrupt.left, free.in_use.value, busy.queue.value, late.in_use.value))

    sim.process(holder(busy, 9.0))
    sim.process(holder(late, 1.0))
    victim = sim.process(story())
    sim.run(until=2.0)
    assert (free.in_use.value, late.in_use.value) == (1, 1)
    victim.interrupt()
    sim.run()

    assert log == [(2.0, None, 0, 0, 0)]


def test_who_is_ended_gives_back_what_had_come(sim):
    desk = ev.Resource(sim)

    def story():
        yield ev.all_of(served=desk.request(), never=ev.passivate())

    victim = sim.process(story())
    sim.run(until=1.0)
    assert desk.in_use.value == 1
    victim.end()
    sim.run()

    assert (desk.in_use.value, victim.terminated) == (0, True)


# --- one in the other ------------------------------------------------------------------------------------------------


def test_composites_inside_each_other(sim, log):
    def make():
        return ev.first_of(
            all=ev.all_of(a=after(sim, 1.0, "a"), b=ev.first_of(c=ev.hold(2.0), d=after(sim, 4.0))),
            late=ev.hold(3.0),
        )

    waits(sim, log, make)
    sim.run()

    assert log == [(2.0, won("all", {"a": "a", "b": won("c")}))]


def test_a_lost_composite_withdraws_what_is_inside(sim, log):
    door, desk = ev.Signal(sim), ev.Resource(sim)
    waits(
        sim,
        log,
        lambda: ev.first_of(
            all=ev.all_of(served=desk.request(), sent=door, first=ev.first_of(x=ev.hold(5.0), y=door)),
            late=ev.hold(3.0),
        ),
    )
    sim.run(until=1.0)
    assert (desk.in_use.value, door.waiting) == (1, 2)
    sim.run()

    assert log == [(3.0, won("late"))]
    assert (desk.in_use.value, door.waiting, sim.time) == (0, 0, 3.0)


def test_a_composite_that_is_there_at_once_is_answered_at_once(sim, log):
    ended = after(sim, 0.0, "x")
    sim.run()
    waits(sim, log, lambda: ev.first_of(all=ev.all_of(a=ended, b=ev.first_of(c=ev.hold(1.0), d=ended))))
    sim.run()

    assert log == [(0.0, won("all", {"a": "x", "b": won("d", "x")}))]
    assert sim.time == 0.0


# --- what is refused -------------------------------------------------------------------------------------------------


def generator():
    yield ev.hold(1.0)


@pytest.mark.parametrize("word", [ev.first_of, ev.all_of], ids=["first_of", "all_of"])
@pytest.mark.parametrize(
    ("arguments", "named", "error", "message"),
    [
        ((1.0, 2.0), {}, TypeError, r"^(\w+) takes its commands by name, .* got 2 without one: write \1\(served="),
        ((), {}, ev.ModelError, r"^(\w+) needs something to wait for: \1\(served=request, gave_up=hold\(5\.0\)\)$"),
        ((), {"a": "x"}, TypeError, r"^(\w+)\(a=\.\.\.\) takes a command, as hold\(\.\.\.\) or a request, and got 'x'"),
        ((), {"a": generator()}, TypeError, r"^(\w+)\(a=\.\.\.\) got a generator: make it a process, a=sim\.process"),
        ((), {"a": ev.pause()}, TypeError, r"^(\w+)\(a=\.\.\.\) got a command that does not wait: yield it by itself$"),
        ((), {"a": ev.activate(None)}, TypeError, r"^(\w+)\(a=\.\.\.\) got a command that does not wait"),
    ],
    ids=["positional", "nothing", "nonsense", "generator", "pause", "activate"],
)
def test_refusals(word, arguments, named, error, message):
    with pytest.raises(error, match=message):
        word(*arguments, **named)


def test_a_composite_is_yielded_once(sim):
    def story():
        both = ev.first_of(a=ev.hold(1.0), b=ev.hold(2.0))
        yield both
        yield both

    sim.process(story())
    with pytest.raises(ev.ModelError, match=r"^this first_of\(\.\.\.\) was yielded already: make a new one for each w"):
        sim.run()


def test_a_command_that_fails_takes_the_others_back(sim, log):
    door = ev.Signal(sim)
    stranger = ev.Signal(ev.Simulation(rng=1), name="stranger")

    def story():
        try:
            yield ev.first_of(a=ev.hold(1.0), b=door, c=stranger)
        except ev.ModelError:
            log.append((sim.time, door.waiting))
        yield ev.hold(5.0)
        log.append(sim.time)

    sim.process(story())
    sim.run()

    assert log == [(0.0, 0), 5.0]
    assert sim.events == 2
