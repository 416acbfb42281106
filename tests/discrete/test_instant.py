"""A model that stays at one instant says so, and one that does much at an instant is left in peace."""

from __future__ import annotations

import traceback
import weakref

import pytest

import eventide as ev
from eventide.discrete import same_time_limit
from eventide.discrete.same_time_limit import CHUNK, MOST_AT_ONE_INSTANT
from eventide.rows import loading


@pytest.fixture
def sim(monkeypatch):
    """A simulation that has no patience beyond a thousand times, so that the tests are short."""
    monkeypatch.setattr(same_time_limit, "EVENTS_AT_ONE_INSTANT", 0)
    return ev.Simulation(rng=1)


def exchange(sim, turns):
    """Two who pass on `turns` things at one instant, through a place for one; what the second has got."""
    place, got = ev.Store(sim, 1), []

    def giver():
        for thing in range(turns):
            yield place.put(thing)

    def taker():
        for _ in range(turns):
            thing = yield place.get()
            got.append(thing)

    sim.process(giver(), name="giver")
    sim.process(taker(), name="taker")
    return got


@pytest.mark.slow
def test_a_long_exchange_at_one_instant_comes_to_its_end():
    sim = ev.Simulation(rng=1)
    got = exchange(sim, 20_000)
    sim.run()
    assert (sim.time, got) == (0.0, list(range(20_000)))


@pytest.mark.slow
def test_an_exchange_without_end_is_named_after_so_many_events(monkeypatch):
    monkeypatch.setattr(same_time_limit, "EVENTS_AT_ONE_INSTANT", most := 100_000)
    sim = ev.Simulation(rng=1)
    exchange(sim, most)
    with pytest.raises(
        ev.ModelError, match=r"beyond 0\.0: (giver|taker) \(5000\d times\), \w+ \((5000|4999)\d times\)"
    ):
        sim.run()
    assert most < sim.events <= most + 2 * CHUNK + 2


class Player(ev.Process):
    """Activates the other and lies down, again and again."""

    other: Player | None = None

    def run(self):
        while True:
            self.other.activate()
            yield ev.passivate()


def spinner(holds=None, duration=0.0):
    yield ev.hold(2.0)
    done = 0
    while done != holds:
        done += 1
        yield ev.hold(duration)


def at_once():
    yield from ()


def test_one_that_holds_for_no_time_without_end_is_named_with_instant_and_remedy(sim):
    sim.process(spinner(), name="clock")
    sim.process(spinner(holds=3), name="guest")
    with pytest.raises(ev.ModelError) as caught:
        sim.run()
    assert str(caught.value) == (
        "time does not go beyond 2.0: clock (1001 times) acted at this instant. A process that repeats must let "
        "time pass: hold(...) for more than 0, or wait for something that is yet to come"
    )
    assert sim.time == 2.0


def test_two_that_activate_each_other_are_both_named(sim):
    ping, pong = Player(sim, name="ping"), Player(sim, name="pong")
    ping.other, pong.other = pong, ping
    ping.activate()
    with pytest.raises(
        ev.ModelError, match=r"beyond 0\.0: (pong \(1001 times\), ping|ping \(1001 times\), pong) \(1000 "
    ):
        sim.run()


def test_of_a_long_cycle_five_are_named(sim):
    ring = [Player(sim, name=f"player {number}") for number in range(7)]
    for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
        one.other = other
    ring[0].activate()
    with pytest.raises(ev.ModelError) as caught:
        sim.run()
    assert str(caught.value).count("times)") == 5
    assert " and 2 more acted at this instant" in str(caught.value)


def test_two_that_interrupt_each_other_without_end_are_named(sim):
    pair = []

    def fighter(number):
        while True:
            try:
                yield ev.hold(5.0)
            except ev.Interrupt:
                pair[1 - number].interrupt()

    def referee():
        yield ev.hold(1.0)
        pair[0].interrupt()

    pair += [sim.process(fighter(number), name=f"fighter {number}") for number in range(2)]
    sim.process(referee())
    with pytest.raises(ev.ModelError, match=r"beyond 1\.0: fighter 1 \(1001 times\), fighter 0 \(1000 times\)"):
        sim.run(until=4.0)


def test_two_that_hand_a_unit_to_each_other_without_end_are_named(sim):
    desk = ev.Resource(sim)

    def clerk():
        while True:
            with desk.request() as place:
                yield place
                yield 0

    for _ in range(2):
        sim.process(clerk())
    with pytest.raises(ev.ModelError, match=r"beyond 0\.0: clerk 2 \(1001 times\), clerk 1 \(1000 times\)"):
        sim.run()


def test_holds_too_short_for_the_clock_to_move_are_found_too(sim):
    sim.process(spinner(duration=1e-300))
    with pytest.raises(ev.ModelError, match=r"time does not go beyond 2\.0: spinner 1 \(1001 times\)"):
        sim.run()


def test_it_is_told_within_two_spells_and_a_thousand_events(sim):
    sim.process(spinner())
    with pytest.raises(ev.ModelError):
        sim.run()
    assert MOST_AT_ONE_INSTANT < sim.events <= 2 * CHUNK + MOST_AT_ONE_INSTANT + 2


def test_a_thousand_times_at_an_instant_are_allowed_and_at_the_next_again(sim):
    log = []

    def busy():
        for _ in range(3):
            for _ in range(MOST_AT_ONE_INSTANT - 1):
                yield ev.hold(0.0)
            log.append(sim.time)
            yield ev.hold(1.0)

    for _ in range(4):
        sim.process(busy())
    sim.run()
    assert log == [0.0] * 4 + [1.0] * 4 + [2.0] * 4
    assert sim.events == 4 * 3 * MOST_AT_ONE_INSTANT + 4


def test_what_is_due_when_the_clock_is_compared_takes_place_in_batches(sim, monkeypatch):
    spells, numbers = [], type(sim)._numbers

    def noted(world, horizon, count):
        spells.append(count)
        return numbers(world, horizon, count)

    monkeypatch.setattr(type(sim), "_numbers", noted)
    monkeypatch.setattr(loading, "_PAST", loading._Past())  # no process may become a row yet
    for _ in range(4 * CHUNK):
        sim.process(at_once())
    sim.run()
    assert sim.events == 4 * CHUNK
    assert len(spells) <= 8


def test_processes_that_begin_together_beside_flows_begin_in_batches(sim, monkeypatch):
    class Tank(ev.Continuous):
        level: ev.State = ev.state(0.0)

    batches, next_chunk = [], same_time_limit.Instant.next_chunk

    def noted(*given):
        batches.append(next_chunk(*given))
        return batches[-1]

    monkeypatch.setattr(same_time_limit.Instant, "next_chunk", noted)
    Tank(sim).start()
    assert sim.monitor.steps == 0
    for _ in range(200):
        sim.process(spinner(holds=2))
    sim.run()
    assert sim.events == 200 * 4
    assert 1 not in batches


@pytest.mark.slow
def test_many_processes_at_one_instant_may_act_a_few_times_each(sim):
    for _ in range(20_000):
        sim.process(spinner(holds=4))
    sim.run()
    assert sim.events == 20_000 * 6
    assert sim.time == 2.0


@pytest.mark.slow
def test_thousands_of_cancelled_events_in_a_row_are_no_events(sim):
    """Those that end at 1.0 leave a stretch of the event list in which nothing takes place."""

    def sleeper(duration):
        yield ev.hold(duration)

    def closing():
        yield ev.hold(1.0)
        for one in short:
            one.end()

    short = [sim.process(sleeper(10.0)) for _ in range(4_000)]
    for _ in range(6_000):
        sim.process(sleeper(100.0))
    sim.process(closing())
    sim.run()

    assert sim.time == 100.0
    assert sim.events == 10_001 + 1 + 4_000 + 6_000


def test_a_run_can_go_on_after_the_culprit_was_ended(sim):
    culprit = sim.process(spinner())
    with pytest.raises(ev.ModelError):
        sim.run()
    culprit.end()
    sim.process(spinner(holds=2))
    sim.run()
    assert culprit.terminated
    assert sim.time == 4.0


def test_after_it_was_told_counting_begins_anew(sim):
    has_been_told = []

    def learner():
        while not has_been_told:
            yield ev.hold(0.0)
        for _ in range(MOST_AT_ONE_INSTANT - 10):
            yield ev.hold(0.0)

    learning = sim.process(learner())
    with pytest.raises(ev.ModelError):
        sim.run()
    has_been_told.append(True)
    sim.run()
    assert learning.terminated


@pytest.mark.slow
def test_a_process_that_has_ended_is_not_kept(sim):
    def visitor():
        yield ev.hold(1.0)

    def door():
        for _ in range(10_000):
            sim.process(visitor())
            yield ev.hold(0.5)

    keeper = sim.process(door())
    sim.run(until=4_999.0)
    assert sim.processes == (keeper, *sim.processes[1:])
    assert len(sim.processes) == 3
    assert len(list(sim._processes)) == 3


def test_what_acted_at_the_last_instant_of_a_run_is_not_kept(sim):
    ended = []

    def door():
        for _ in range(CHUNK + 500):
            ended.append(weakref.ref(sim.process(at_once())))
            yield ev.hold(0.0)

    sim.process(door())
    sim.run()
    assert [one() for one in ended if one() is not None] == []


def test_what_was_put_in_front_and_cancelled_leaves_the_order_of_the_others(sim):
    log = []

    class Caller(ev.Process):
        def run(self):
            log.append(self.name)
            yield ev.passivate()

    names = [Caller(sim, name=name) for name in "ABCDE"]
    a, b, c, d, e = names

    def starter():
        yield ev.hold(1.0)
        a.activate()
        b.activate()
        c.activate(after=a)
        a.cancel()
        assert sim.peek() == 1.0
        d.activate()
        e.activate(before=b)
        c.cancel()
        assert sim.peek() == 1.0
        c.activate()

    sim.process(starter())
    sim.run()
    assert log == ["E", "B", "D", "C"]


def test_the_only_one_in_front_may_be_cancelled_and_others_follow(sim):
    log = []

    class Caller(ev.Process):
        def run(self):
            log.append(self.name)
            yield ev.passivate()

    a, b, c = (Caller(sim, name=name) for name in "ABC")

    def starter():
        yield ev.hold(1.0)
        a.activate()
        a.cancel()
        assert sim.peek() == float("inf")
        b.activate()
        c.activate(prior=True)
        a.activate(after=c)

    sim.process(starter())
    sim.run()
    assert log == ["C", "A", "B"]


def test_what_stands_beside_an_older_one_comes_after_all_that_is_put_in_front_later(sim):
    log = []

    class Caller(ev.Process):
        def run(self):
            log.append(self.name)
            yield ev.passivate()

    class Leader(Caller):
        def run(self):
            x.activate()
            y.activate(before=old)
            z.activate()
            w.activate(after=old)
            v.activate()
            yield from super().run()

    v, w, x, y, z, old = (Caller(sim, name=name) for name in ("V", "W", "X", "Y", "Z", "old"))
    Leader(sim, name="leader").activate()
    old.activate()
    sim.run()
    assert log == ["leader", "X", "Z", "V", "Y", "old", "W"]


def test_a_step_is_one_event_whatever_was_cancelled_before(sim):
    log = []

    class Caller(ev.Process):
        def run(self):
            log.append((sim.time, self.name))
            yield ev.hold(1.0)

    a, b, c = (Caller(sim, name=name) for name in "ABC")
    for caller in (a, b):
        caller.activate()
        caller.cancel()
    a.activate(at=0.5)
    a.cancel()
    c.activate(delay=1.0)
    assert [sim.step(), list(log), sim.step(), sim.step(), log] == [True, [(1.0, "C")], True, False, [(1.0, "C")]]
    assert sim.events == 2


def test_one_that_goes_on_and_on_within_an_event_is_told_so_at_its_line(sim, monkeypatch):
    monkeypatch.setattr("eventide.discrete.world.MOST_IN_ONE_EVENT", 1_000)
    desk, rounds = ev.Resource(sim), [0]

    def clerk():
        yield ev.hold(2.0)
        while True:
            with desk.request() as place:
                yield place
                rounds[0] += 1

    sim.process(clerk(), name="clerk")
    with pytest.raises(
        ev.ModelError, match=r"^time does not go beyond 2\.0: clerk has yielded 1,000,000 comm"
    ) as caught:
        sim.run()
    assert rounds[0] == 1_001
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "yield place"
    assert caught.value.__notes__[0].startswith("clerk was active at time 2.0, at ")


def test_what_is_done_at_once_is_counted_anew_in_each_event(sim, monkeypatch):
    monkeypatch.setattr("eventide.discrete.world.MOST_IN_ONE_EVENT", 100)
    shelf = ev.Store(sim)

    def stock():
        for _ in range(5):
            for item in range(100):
                yield shelf.put(item)
            yield 0

    sim.process(stock())
    sim.run()
    assert len(shelf.items) == 500
