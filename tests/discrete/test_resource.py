"""Resources: who is served when, what changes it, what is counted."""

import gc
import math

import numpy as np
import pytest

import eventide as ev


def job(resource, log, name, duration, **wish):
    """Come now, wait for a unit, work for a while."""
    with resource.request(**wish) as place:
        yield place
        log(name, "begins")
        yield ev.hold(duration)
    log(name, "ends")


def at(sim, time, generator, name=""):
    """Let a generator begin later."""

    def later():
        yield ev.hold(time)
        yield from generator

    return sim.process(later(), name=name)


# --- the order of service ---------------------------------------------------------------------------------------------


def test_first_come_first_served(sim, log):
    desk = ev.Resource(sim, 2, name="desk")
    for name in "ABCD":
        sim.process(job(desk, log, name, 3.0))
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (0.0, "B begins"),
        (3.0, "A ends"),
        (3.0, "B ends"),
        (3.0, "C begins"),
        (3.0, "D begins"),
        (6.0, "C ends"),
        (6.0, "D ends"),
    ]


def test_priority_then_arrival(sim, log):
    desk = ev.Resource(sim)
    sim.process(job(desk, log, "first", 1.0))
    for name, priority in [("a", 0), ("b", 2), ("c", -1), ("d", 0), ("e", 2), ("f", -1), ("g", 1.5)]:
        sim.process(job(desk, log, name, 1.0, priority=priority))
    sim.run()

    assert [what for _, what in log if "begins" in what] == [f"{name} begins" for name in ["first", *"begadcf"]]


def test_free_unit_is_taken_without_an_event(sim, log):
    desk = ev.Resource(sim)
    sim.process(job(desk, log, "A", 1.0))
    sim.run()

    assert log == [(0.0, "A begins"), (1.0, "A ends")]
    assert sim.events == 2


def test_grant_comes_at_the_end_of_the_instant(sim, log):
    desk = ev.Resource(sim)

    def other(name):
        log(name)
        yield ev.hold(0.0)

    def first():
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)
        log("first has given back")
        sim.process(other("activated by first"))

    sim.process(first())
    sim.process(job(desk, log, "second", 0.0))
    at(sim, 1.0, other("held until now"))
    sim.run()

    assert log == [
        (1.0, "first has given back"),
        (1.0, "activated by first"),
        (1.0, "held until now"),
        (1.0, "second begins"),
        (1.0, "second ends"),
    ]


def test_unit_given_back_is_not_free_for_who_comes_at_the_same_time(sim, log):
    desk = ev.Resource(sim)
    sim.process(job(desk, log, "first", 1.0))
    sim.process(job(desk, log, "second", 1.0))
    at(sim, 1.0, job(desk, log, "third", 1.0))
    sim.run()

    assert log == [
        (0.0, "first begins"),
        (1.0, "first ends"),
        (1.0, "second begins"),
        (2.0, "second ends"),
        (2.0, "third begins"),
        (3.0, "third ends"),
    ]


def test_request_joins_when_it_is_yielded(sim, log):
    desk = ev.Resource(sim)

    def slow():
        place = desk.request()
        yield ev.hold(1.0)
        with place:
            yield place
            log("slow begins")

    sim.process(slow())
    at(sim, 0.5, job(desk, log, "quick", 1.0))
    sim.run()

    assert log == [(0.5, "quick begins"), (1.5, "quick ends"), (1.5, "slow begins")]


def test_several_units_and_nobody_overtakes(sim, log):
    crew = ev.Resource(sim, 3, name="crew")
    sim.process(job(crew, log, "A2", 2.0, units=2))
    sim.process(job(crew, log, "B3", 1.0, units=3))
    sim.process(job(crew, log, "C1", 1.0))
    at(sim, 1.0, job(crew, log, "D1", 1.0))
    sim.run()

    assert log == [
        (0.0, "A2 begins"),
        (2.0, "A2 ends"),
        (2.0, "B3 begins"),
        (3.0, "B3 ends"),
        (3.0, "C1 begins"),
        (3.0, "D1 begins"),
        (4.0, "C1 ends"),
        (4.0, "D1 ends"),
    ]


def test_higher_priority_passes_one_that_waits_for_several_units(sim, log):
    crew = ev.Resource(sim, 3)
    sim.process(job(crew, log, "A2", 2.0, units=2))
    sim.process(job(crew, log, "B3", 1.0, units=3))
    at(sim, 1.0, job(crew, log, "C1", 2.0, priority=1))
    sim.run()

    assert log == [
        (0.0, "A2 begins"),
        (1.0, "C1 begins"),
        (2.0, "A2 ends"),
        (3.0, "C1 ends"),
        (3.0, "B3 begins"),
        (4.0, "B3 ends"),
    ]


def test_units_given_back_serve_several(sim, log):
    crew = ev.Resource(sim, 4)
    sim.process(job(crew, log, "A4", 1.0, units=4))
    for name, units in [("B1", 1), ("C2", 2), ("D2", 2), ("E1", 1)]:
        sim.process(job(crew, log, name, 1.0, units=units))
    sim.run()

    assert log == [
        (0.0, "A4 begins"),
        (1.0, "A4 ends"),
        (1.0, "B1 begins"),
        (1.0, "C2 begins"),
        (2.0, "B1 ends"),
        (2.0, "C2 ends"),
        (2.0, "D2 begins"),
        (2.0, "E1 begins"),
        (3.0, "D2 ends"),
        (3.0, "E1 ends"),
    ]


def test_use(sim, log):
    desk = ev.Resource(sim)

    def customer(name, priority):
        yield from desk.use(2.0, priority)
        log(name)

    for name, priority in [("a", 0), ("b", 0), ("c", 1)]:
        sim.process(customer(name, priority))
    sim.run()

    assert log == [(2.0, "a"), (4.0, "c"), (6.0, "b")]


# --- those who do not wait to the end ---------------------------------------------------------------------------------


def test_reneging(sim, log):
    desk = ev.Resource(sim)

    def customer(name, patience):
        with desk.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(patience))
            log(name, got.name, place.state)
            if got.name == "place":
                yield ev.hold(4.0)

    for name, patience in [("A", 1.0), ("B", 2.0), ("C", 9.0)]:
        sim.process(customer(name, patience))
    sim.run()

    assert log == [(0.0, "A place granted"), (2.0, "B gave_up withdrawn"), (4.0, "C place granted")]
    assert desk.counts == desk.counts.__class__(asked=3, served=2, reneged=1)
    assert list(desk.waits.values) == [0.0, 4.0]


def test_reneging_at_the_instant_of_the_grant(sim, log):
    """The patience ends before the grant is delivered: the unit passes on to the next, at the same instant."""
    desk = ev.Resource(sim)

    def customer(name, patience):
        with desk.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(patience))
            log(name, got.name)
            if got.name == "place":
                yield ev.hold(4.0)

    sim.process(customer("A", 9.0))
    sim.process(customer("B", 4.0))
    sim.process(customer("C", 9.0))
    sim.run()

    assert log == [(0.0, "A place"), (4.0, "B gave_up"), (4.0, "C place")]
    assert sim.time == 8.0
    assert (desk.counts.served, desk.counts.reneged, desk.available) == (2, 1, 1)


def test_balking(sim, log):
    desk = ev.Resource(sim)

    def customer(name):
        if desk.queue.value >= 2:
            log(name, "does not even join")
            return
        yield from desk.use(1.0)
        log(name, "is served")

    for name in "ABCD":
        sim.process(customer(name))
    sim.run()

    assert log == [(0.0, "D does not even join"), (1.0, "A is served"), (2.0, "B is served"), (3.0, "C is served")]


def test_jockeying(sim, log):
    """When a place in the other line would be better, the last of the longer line changes over."""
    left, right = ev.Resource(sim, name="left"), ev.Resource(sim, name="right")

    def customer(name, desk, duration):
        with desk.request() as place:
            yield place
            log(name, place.resource.name)
            yield ev.hold(duration)
        if left.queue.value > right.queue.value:
            left.waiting[-1].move(right)

    for name, desk, duration in [("A", left, 5.0), ("B", right, 1.0), ("C", left, 1.0), ("D", left, 1.0)]:
        sim.process(customer(name, desk, duration), name=name)
    sim.run()

    assert log == [(0.0, "A left"), (0.0, "B right"), (1.0, "D right"), (2.0, "C right")]
    assert (left.counts.moved, left.counts.asked, left.counts.served) == (2, 3, 1)
    assert (right.counts.moved, right.counts.asked, right.counts.served) == (0, 3, 3)


def test_move_into_a_line_and_out_of_first_of(sim, log):
    left, right = ev.Resource(sim, name="left"), ev.Resource(sim, name="right")

    def customer(name, desk, **wish):
        with desk.request(**wish) as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(10.0))
            log(name, got.name, place.resource.name)
            yield ev.hold(3.0)

    def guide():
        yield ev.hold(1.0)
        assert [place.process.name for place in left.waiting] == ["B", "C"]
        left.waiting[1].move(right)
        left.waiting[0].move(right)
        assert [place.process.name for place in right.waiting] == ["D", "C", "B"]

    for name, desk in [("A", left), ("E", right), ("B", left), ("C", left), ("D", right)]:
        sim.process(customer(name, desk), name=name)
    sim.process(guide())
    sim.run()

    assert log == [
        (0.0, "A place left"),
        (0.0, "E place right"),
        (3.0, "D place right"),
        (6.0, "C place right"),
        (9.0, "B place right"),
    ]


def test_change_of_priority_in_the_line(sim, log):
    desk = ev.Resource(sim)
    places = {}

    def customer(name, priority):
        with desk.request(priority) as places[name]:
            yield places[name]
            log(name)
            yield ev.hold(2.0)

    def manager():
        yield ev.hold(1.0)
        order = []
        for name, priority in [("e", 1.0), ("b", -1.0), ("d", 1.0), ("b", 0.0), ("f", 0.0), ("c", 0.0)]:
            places[name].priority = priority
            order.append("".join(place.process.name for place in desk.waiting))
        log(*order)

    for name, priority in [("a", 0), ("b", 0), ("c", -2), ("d", 0), ("e", 0), ("f", -3)]:
        sim.process(customer(name, priority), name=name)
    sim.process(manager())
    sim.run()

    # among equals the order is that of asking, whenever the priority was given
    assert log == [
        (0.0, "a"),
        (1.0, "ebdcf edbcf debcf debcf debfc debcf"),
        (2.0, "d"),
        (4.0, "e"),
        (6.0, "b"),
        (8.0, "c"),
        (10.0, "f"),
    ]


def test_interrupted_in_the_line_and_after_the_grant(sim, log):
    """Who is interrupted between grant and delivery has not got the unit: it goes to the next."""
    desk = ev.Resource(sim)

    def customer(name):
        try:
            with desk.request() as place:
                yield place
                log(name, "begins")
                yield ev.hold(2.0)
                log(name, "ends")
        except ev.Interrupt as interrupt:
            log(name, interrupt.cause, interrupt.left, place.state)

    customers = {name: sim.process(customer(name), name=name) for name in "ABCD"}

    def meddler():
        yield ev.hold(1.0)
        customers["C"].interrupt("in the line")
        yield ev.hold(1.0)
        log(*[place.process.name for place in desk.waiting])
        customers["B"].interrupt("granted")

    sim.process(meddler())
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (1.0, "C in the line None withdrawn"),
        (2.0, "A ends"),
        (2.0, "D"),
        (2.0, "B granted None withdrawn"),
        (2.0, "D begins"),
        (4.0, "D ends"),
    ]
    assert (desk.counts.served, desk.counts.reneged) == (2, 2)


def test_ended_processes_give_back_what_they_hold_and_what_they_wait_for(sim, log):
    desk = ev.Resource(sim)
    jobs = {name: sim.process(job(desk, log, name, 5.0), name=name) for name in "ABC"}

    def killer():
        yield ev.hold(1.0)
        jobs["B"].end()
        yield ev.hold(1.0)
        jobs["A"].end()

    sim.process(killer())
    sim.run()

    assert log == [(0.0, "A begins"), (2.0, "C begins"), (7.0, "C ends")]


def test_errors_give_back_what_is_held(sim, log):
    desk = ev.Resource(sim)

    def careless():
        try:
            with desk.request() as place:
                yield place
                yield ev.hold(1.0)
                raise KeyError("lost")
        except KeyError:
            log("careless lost it")
        yield ev.hold(5.0)

    sim.process(careless())
    sim.process(job(desk, log, "B", 1.0))
    sim.run()

    assert log == [(1.0, "careless lost it"), (1.0, "B begins"), (2.0, "B ends")]


@pytest.mark.slow
def test_dropped_simulation_schedules_nothing(log):
    sim = ev.Simulation(rng=1)
    desk = ev.Resource(sim)

    def holder():
        with desk.request() as place:
            yield place
            yield ev.hold(5.0)

    generators = [holder(), holder()]
    for generator in generators:
        sim.process(generator)
    sim.run(until=1.0)
    events = len(list(sim._calendar))
    for generator in generators:
        generator.close()

    assert len(list(sim._calendar)) == events
    assert (desk.in_use.value, desk.queue.value) == (1, 1)
    gc.collect()


def test_release_before_the_block_ends(sim, log):
    desk = ev.Resource(sim)

    def early():
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)
            place.release()
            yield ev.hold(3.0)
            log("early", place.state)

    sim.process(early())
    sim.process(job(desk, log, "B", 1.0))
    sim.run()

    assert log == [(1.0, "B begins"), (2.0, "B ends"), (4.0, "early released")]


def test_withdrawn_by_its_own_process(sim, log):
    desk = ev.Resource(sim)

    def customer():
        with desk.request() as place:
            place.withdraw()
            yield place
            yield ev.hold(1.0)
            place.withdraw()
            place.withdraw()
            log(place.state)

    sim.process(customer())
    sim.run()

    assert log == [(1.0, "withdrawn")]
    assert (desk.counts.served, desk.counts.reneged, desk.available) == (0, 1, 1)


# --- capacity ---------------------------------------------------------------------------------------------------------


def test_raised_capacity_serves_those_who_wait(sim, log):
    desk = ev.Resource(sim, 1, name="desk")
    for name in "ABCD":
        sim.process(job(desk, log, name, 10.0))

    def manager():
        yield ev.hold(2.0)
        desk.capacity = 3
        log(repr(desk))

    sim.process(manager())
    sim.run(until=5.0)

    assert log == [
        (0.0, "A begins"),
        (2.0, "<desk: 3 of 3 in use, 1 waiting>"),
        (2.0, "B begins"),
        (2.0, "C begins"),
    ]


def test_lowered_capacity_lets_work_finish(sim, log):
    desk = ev.Resource(sim, 3, name="desk")
    for name, duration in [("A", 4.0), ("B", 5.0), ("C", 6.0), ("D", 1.0), ("E", 1.0)]:
        sim.process(job(desk, log, name, duration))

    def manager():
        yield ev.hold(2.0)
        desk.capacity = 1
        log(repr(desk), desk.available)

    sim.process(manager())
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (0.0, "B begins"),
        (0.0, "C begins"),
        (2.0, "<desk: 3 of 1 in use, 2 waiting> 0"),
        (4.0, "A ends"),
        (5.0, "B ends"),
        (6.0, "C ends"),
        (6.0, "D begins"),
        (7.0, "D ends"),
        (7.0, "E begins"),
        (8.0, "E ends"),
    ]


def test_lowered_capacity_takes_units_away(sim, log):
    """Lowest priority first, then the latest; the process is told, and what was left of its hold."""
    desk = ev.Resource(sim, 3, name="desk")

    def worker(name, priority):
        with desk.request(priority) as place:
            yield place
            try:
                yield ev.hold(5.0)
                log(name, "ends")
            except ev.Interrupt as interrupt:
                cause = interrupt.cause
                assert (cause.resource, cause.request, cause.by) == (desk, place, None)
                log(name, "loses its unit with", interrupt.left, "left, had it since", cause.since)

    for name, priority in [("A", 1), ("B", 2), ("C", 1)]:
        sim.process(worker(name, priority))

    def manager():
        yield ev.hold(2.0)
        desk.set_capacity(1, excess="preempt")

    sim.process(manager())
    sim.run()

    assert log == [
        (2.0, "C loses its unit with 3.0 left, had it since 0.0"),
        (2.0, "A loses its unit with 3.0 left, had it since 0.0"),
        (5.0, "B ends"),
    ]
    assert (desk.counts.served, desk.counts.preempted) == (1, 2)


def test_lowered_capacity_suspends_work(sim, log):
    desk = ev.Resource(sim, 2, name="desk")

    def manager():
        yield ev.hold(1.0)
        desk.set_capacity(0, excess="suspend")
        log(repr(desk), *[place.process.name for place in desk.suspended])
        yield ev.hold(10.0)
        desk.capacity = 1
        log(repr(desk))
        yield ev.hold(1.0)
        desk.capacity = 2

    for name, duration in [("A", 3.0), ("B", 5.0), ("C", 1.0)]:
        sim.process(job(desk, log, name, duration), name=name)
    sim.process(manager())
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (0.0, "B begins"),
        (1.0, "<desk: 0 of 0 in use, 2 suspended, 1 waiting> A B"),
        (11.0, "<desk: 1 of 1 in use, 1 suspended, 1 waiting>"),
        (13.0, "A ends"),
        (13.0, "C begins"),
        (14.0, "C ends"),
        (16.0, "B ends"),
    ]
    assert desk.in_use.integral == 9.0


def test_suspended_process_can_be_interrupted_and_ended(sim, log):
    desk = ev.Resource(sim, 2, name="desk")

    def worker(name):
        with desk.request() as place:
            yield place
            try:
                yield ev.hold(5.0)
            except ev.Interrupt as interrupt:
                log(name, interrupt.cause, interrupt.left, place.state)
        log(name, "has left", place.state)

    workers = [sim.process(worker(name), name=name) for name in "AB"]

    def manager():
        yield ev.hold(2.0)
        desk.set_capacity(0, excess="suspend")
        yield ev.hold(1.0)
        with pytest.raises(
            ev.ModelError, match=r"waits for capacity of desk to finish its hold, of which 3\.0 is left"
        ):
            workers[0].activate()
        workers[0].interrupt("enough")
        workers[1].end()
        yield ev.hold(1.0)
        desk.capacity = 2
        log(repr(desk))

    sim.process(manager())
    sim.run()

    assert log == [
        (3.0, "A enough 3.0 suspended"),
        (3.0, "A has left released"),
        (4.0, "<desk: 0 of 2 in use, 0 waiting>"),
    ]


def test_hold_with_two_units_goes_on_when_both_are_back(sim, log):
    press, crane = ev.Resource(sim, name="press"), ev.Resource(sim, name="crane")

    def worker():
        with press.request() as first, crane.request() as second:
            yield first
            yield second
            yield ev.hold(4.0)
            log("done")

    def manager():
        yield ev.hold(1.0)
        press.set_capacity(0, excess="suspend")
        crane.set_capacity(0, excess="suspend")
        yield ev.hold(1.0)
        press.capacity = 1
        yield ev.hold(1.0)
        crane.capacity = 1

    sim.process(worker())
    sim.process(manager())
    sim.run()

    assert log == [(6.0, "done")]


def test_what_is_granted_but_not_delivered_goes_back_to_its_place(sim, log):
    """Capacity that comes and goes within one instant: nobody is interrupted who has not begun."""
    desk = ev.Resource(sim, 1)
    for name in "ABC":
        sim.process(job(desk, log, name, 2.0))

    def manager(excess):
        yield ev.hold(1.0)
        desk.capacity = 3
        assert desk.queue.value == 0
        desk.set_capacity(1, excess=excess)
        log(excess, desk.queue.value, desk.in_use.value)

    sim.process(manager("preempt"))
    sim.process(manager("suspend"))
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (1.0, "preempt 2 1"),
        (1.0, "suspend 2 1"),
        (2.0, "A ends"),
        (2.0, "B begins"),
        (4.0, "B ends"),
        (4.0, "C begins"),
        (6.0, "C ends"),
    ]
    assert (desk.counts.served, desk.counts.preempted) == (3, 0)


# --- statistics -------------------------------------------------------------------------------------------------------


def test_statistics(sim):
    desk = ev.Resource(sim, 2, name="desk")
    for duration in (4.0, 2.0, 3.0, 1.0):
        sim.process(desk.use(duration))
    sim.run(until=10.0)

    # in use: 2 until 5, as one works from 0 to 4, 4 to 5, the other from 0 to 2, 2 to 5; queue: 2, 1 from 2, 0 from 4
    assert desk.in_use.mean == (2 * 5) / 10
    assert desk.queue.mean == (2 * 2 + 1 * 2) / 10
    assert desk.queue.maximum == 2
    assert list(desk.waits.values) == [0.0, 0.0, 2.0, 4.0]
    assert desk.utilisation == 10 / 20
    assert (desk.counts.asked, desk.counts.served) == (4, 4)


def test_utilisation_counts_the_capacity_that_there_was(sim):
    desk = ev.Resource(sim, 1)

    def manager():
        yield ev.hold(2.0)
        desk.capacity = 4
        yield ev.hold(2.0)
        desk.capacity = 0

    sim.process(manager())
    for _ in range(3):
        sim.process(desk.use(3.0))
    sim.run(until=6.0)

    # one works from 0 to 3, two from 2 to 5, the last hour of these in overtime
    assert desk.in_use.integral == 3.0 + 2 * 3.0
    assert desk.supply.integral == 2 * 1 + 2 * 4
    assert desk.utilisation == 9.0 / 10.0


def test_utilisation_of_nothing_is_nan(sim):
    desk = ev.Resource(sim, 0)
    sim.run(until=1.0)

    assert math.isnan(desk.utilisation)


def test_statistics_can_be_begun_anew(sim):
    desk = ev.Resource(sim, 2)
    for duration in (4.0, 4.0, 4.0, 1.0, 1.0):
        sim.process(desk.use(duration))
    sim.run(until=3.0)
    assert (desk.counts.asked, desk.counts.served) == (5, 0)
    sim.reset_statistics()
    assert (desk.counts.asked, desk.counts.served) == (0, 0)
    sim.run(until=7.0)

    assert desk.in_use.mean == (2 * 3 + 1) / 4
    assert desk.queue.integral == 3 * 1.0 + 1 * 1.0
    assert list(desk.waits.values) == [4.0, 4.0, 5.0]
    assert (desk.counts.asked, desk.counts.served) == (0, 4)


def test_representations(sim):
    desk = ev.Resource(sim, 2, name="counter")
    for name in "ABCDE":
        sim.process(desk.use(1.0), name=name)
    new = desk.request(units=2)
    sim.run(until=0.5)

    assert repr(desk) == "<counter: 2 of 2 in use, 3 waiting>"
    assert [repr(place) for place in desk.waiting[:1]] == ["<request of counter by C: waiting since 0.0>"]
    assert [repr(place) for place in desk.users[:1]] == ["<request of counter by A: granted since 0.0>"]
    assert repr(new) == "<request of counter: new>"
    assert desk.waiting[0].describe() == "a unit of counter since 0.0, held by A, B"
    assert new.describe() == "2 units of counter since 0.0, held by A, B"
    assert repr(ev.Resource(sim)) == "<Resource 2: 0 of 1 in use, 0 waiting>"


def test_few_of_many_holders_are_named(sim):
    desk = ev.Resource(sim, 8, name="desk")
    for name in "ABCDEFGHI":
        sim.process(desk.use(1.0), name=name)
    sim.run(until=0.5)

    assert desk.waiting[0].describe() == "a unit of desk since 0.0, held by A, B, C, D, E and 3 more"


def test_who_waits_for_whom_is_said_when_nothing_can_happen(sim):
    left, right = ev.Resource(sim, name="left"), ev.Resource(sim, name="right")

    def both(first, second):
        with first.request() as one, second.request() as two:
            yield one
            yield ev.hold(1.0)
            yield two

    last = sim.process(both(left, right), name="A")
    sim.process(both(right, left), name="B")
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=last)

    assert "A waits for a unit of right since 1.0, held by B" in str(caught.value)
    assert "B waits for a unit of left since 1.0, held by A" in str(caught.value)


class Machine(ev.Resource):
    """A resource with data of its own."""

    power: float
    tool: str = "drill"


class FastMachine(Machine):
    speed: float = 2.0


class Dock(ev.Resource):
    def prelude(self):
        self.ships = []


def test_subclasses(sim):
    """They take what a resource takes, and their own fields by keyword."""
    machine = FastMachine(sim, 3, power=5.0, speed=4.0, name="fast one")
    dock = Dock(sim, 2)

    assert (machine.capacity, machine.power, machine.tool, machine.speed) == (3, 5.0, "drill", 4.0)
    assert repr(machine) == "<fast one: 0 of 3 in use, 0 waiting>"
    assert (Machine(sim, power=1.0).name, Machine(sim, power=1.0).name) == ("Machine 1", "Machine 2")
    assert (dock.name, dock.capacity, dock.ships) == ("Dock 1", 2, [])
    with pytest.raises(TypeError, match=r"Machine\(\.\.\.\) is missing power="):
        Machine(sim, 2)
    with pytest.raises(TypeError, match="colour"):
        Machine(sim, 2, power=1.0, colour="red")


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [-1, 1.0, 2.5, True, "2", None, math.inf])
def test_capacity_is_a_whole_number(sim, capacity):
    message = rf"the capacity of desk is a whole number of units, 0 or more, and got {capacity!r}"
    with pytest.raises(ev.ModelError, match=message):
        ev.Resource(sim, capacity, name="desk")
    desk = ev.Resource(sim, name="desk")
    with pytest.raises(ev.ModelError, match=message):
        desk.capacity = capacity
    assert desk.capacity == 1


def test_numpy_numbers_are_numbers(sim):
    desk = ev.Resource(sim, np.int64(3))
    place = desk.request(priority=np.float64(1.0), units=np.int32(2))

    assert [type(value) for value in (desk.capacity, place.priority, place.units)] == [int, float, int]


@pytest.mark.parametrize("units", [0, -1, 1.5, None])
def test_units_are_a_whole_number(sim, units):
    desk = ev.Resource(sim, 2, name="desk")
    with pytest.raises(ev.ModelError, match=rf"a request of desk is for a whole number .* 1 or more, and got {units}"):
        desk.request(units=units)


def test_more_units_than_there_ever_were(sim):
    desk = ev.Resource(sim, 2, name="desk")
    message = "a request for 3 units of desk, which never had more than 2: ask for fewer, or raise its capacity first"
    with pytest.raises(ev.ModelError, match=message):
        desk.request(units=3)
    desk.capacity = 3
    desk.capacity = 0
    assert desk.request(units=3).units == 3


@pytest.mark.parametrize(("priority", "error"), [("high", TypeError), (None, TypeError), (math.nan, ev.ModelError)])
def test_priority_is_a_number(sim, priority, error):
    desk = ev.Resource(sim, name="desk")
    with pytest.raises(error, match=r"a priority at desk .*(nan|NaN|got 'high'|got None)"):
        desk.request(priority)
    place = desk.request()
    with pytest.raises(error, match="a priority at desk"):
        place.priority = priority
    assert place.priority == 0.0


def test_word_for_the_excess(sim):
    desk = ev.Resource(sim, name="desk")
    with pytest.raises(ev.ModelError, match=r"desk takes one of finish, suspend, preempt, and got 'stop'"):
        desk.set_capacity(0, excess="stop")
    assert desk.capacity == 1


def misuse(sim, story, *others):
    for generator in (*others, story):
        sim.process(generator)
    sim.run()


def test_request_is_yielded_once(sim):
    desk = ev.Resource(sim, name="desk")

    def twice():
        with desk.request() as place:
            yield place
            yield place

    with pytest.raises(ev.ModelError, match=r"desk was yielded that is granted already: make a new one"):
        misuse(sim, twice())


def test_release_of_what_is_not_held(sim):
    desk = ev.Resource(sim, name="desk")

    def hasty():
        place = desk.request()
        with pytest.raises(ev.ModelError, match=r"release\(\) of a request of desk that is new: only one"):
            place.release()
        yield place
        place.release()
        with pytest.raises(ev.ModelError, match=r"release\(\) of a request of desk that is released"):
            place.release()

    misuse(sim, hasty())


def test_request_of_another_process_is_left_alone(sim):
    desk = ev.Resource(sim, name="desk")

    def thief():
        yield ev.hold(0.5)
        with pytest.raises(ev.ModelError, match=r"withdraw\(\) of a request of desk for which B is waiting: interrupt"):
            desk.waiting[0].withdraw()
        with pytest.raises(ev.ModelError, match=r"release\(\) of a request of desk for which B is waiting"):
            desk.waiting[0].release()

    sim.process(desk.use(1.0), name="A")
    sim.process(desk.use(1.0), name="B")
    misuse(sim, thief())
    assert desk.counts.served == 2


def test_move_of_what_does_not_wait(sim):
    desk, other = ev.Resource(sim, name="desk"), ev.Resource(ev.Simulation(rng=1), name="other")

    def mover():
        with desk.request() as place:
            yield place
            with pytest.raises(
                ev.ModelError, match=r"move\(\) of a request of desk that is granted: only one that wai"
            ):
                place.move(desk)
            with desk.request() as second:
                yield ev.first_of(second=second, enough=ev.hold(1.0))
        yield from desk.use(1.0)

    def other_mover():
        yield ev.hold(0.5)
        with pytest.raises(ev.ModelError, match="other belongs to another simulation"):
            desk.waiting[0].move(other)

    misuse(sim, mover(), other_mover())


def test_resource_of_another_simulation(sim):
    desk = ev.Resource(ev.Simulation(rng=1), name="desk")
    with pytest.raises(ev.ModelError, match="desk belongs to another simulation"):
        misuse(sim, desk.use(1.0))


def test_forgotten_yield(sim):
    desk = ev.Resource(sim, name="desk")

    def careless():
        yield ev.hold(1.0)
        with desk.request():
            yield ev.hold(2.0)

    with pytest.raises(
        ev.ModelError, match=r"a request of desk was made at 1.0 and its `with` block ended at 3.0, but"
    ):
        misuse(sim, careless())


@pytest.mark.parametrize("kind", [ev.Resource, ev.PreemptiveResource])
def test_request_that_is_dropped(sim, kind):
    desk = kind(sim, name="desk")

    def careless():
        desk.request(1)
        yield ev.hold(2.0)

    with pytest.raises(
        ev.ModelError, match=r"desk\.request\(1\) at .* makes a command and drops it: write `yield desk"
    ):
        misuse(sim, careless())


def test_all_of(sim, log):
    """Who is interrupted before all has come gives back what it had."""
    desk, other = ev.Resource(sim, name="desk"), ev.Resource(sim, 0, name="other")

    def both():
        with desk.request() as one, other.request() as two:
            try:
                yield ev.all_of(one=one, two=two)
            except ev.Interrupt:
                log(one.state, two.state, repr(desk), repr(other))
                yield ev.hold(2.0)

    first = sim.process(both())

    def meddler():
        yield ev.hold(1.0)
        first.interrupt()

    sim.process(meddler())
    sim.process(job(desk, log, "B", 1.0))
    sim.run()

    assert log == [
        (1.0, "withdrawn withdrawn <desk: 1 of 1 in use, 0 waiting> <other: 0 of 0 in use, 0 waiting>"),
        (1.0, "B begins"),
        (2.0, "B ends"),
    ]


def test_request_that_is_made_and_dropped_at_once(sim, log):
    desk = ev.Resource(sim)

    def hesitant():
        yield ev.hold(1.0)
        with desk.request() as place:
            log(place.state)

    misuse(sim, hesitant())
    assert log == [(1.0, "new")]


def test_bad_durations_are_refused_before_the_line(sim):
    desk = ev.Resource(sim)
    with pytest.raises(ev.ModelError, match="hold got NaN"):
        misuse(sim, desk.use(math.nan))
    assert desk.counts.asked == 0


class Meddling(ev.Continuous):
    """Does in its equations what belongs into an event."""

    meddle: object
    level: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.level = 1.0
        self.meddle()


@pytest.mark.parametrize(
    "meddle",
    [
        lambda desk: desk.set_capacity(3),
        lambda desk: desk.users[0].release(),
        lambda desk: desk.users[0].withdraw(),
        lambda desk: desk.waiting[0].move(desk),
        lambda desk: setattr(desk.waiting[0], "priority", 1.0),
    ],
    ids=["capacity", "release", "withdraw", "move", "priority"],
)
def test_nothing_changes_between_events(sim, meddle):
    desk = ev.Resource(sim, name="desk")
    sim.dt_max = 0.1
    sim.process(desk.use(1.0))
    sim.process(desk.use(1.0))

    def start():
        yield ev.hold(0.5)
        Meddling(sim, meddle=lambda: meddle(desk) if sim.time > 0.5 else None).start()

    sim.process(start())
    with pytest.raises(ev.SimulationError, match="desk was called between events") as caught:
        sim.run(until=2.0)
    assert caught.value.number == 17


def test_a_unit_that_passes_from_hand_to_hand_is_in_use_all_the_time_whatever_the_priorities(sim):
    desk = ev.Resource(sim)

    def visitor(priority):
        with desk.request(priority=priority) as place:
            yield place
            yield ev.hold(2.0)

    def reset():
        yield ev.hold(1.0)
        sim.reset_statistics()

    for priority in (0.0, 1.0, 2.0):
        sim.process(visitor(priority))
    sim.process(reset())
    sim.run(until=5.0)
    assert desk.in_use.minimum == 1.0
    assert desk.in_use.time_at(0) == 0.0


def test_who_is_served_at_once_leaves_the_statistics_of_the_line_alone(sim):
    desk = ev.Resource(sim, capacity=2)

    def visitor(priority):
        with desk.request(priority=priority) as place:
            yield place

    instants = (1.2, 3.6)
    for instant in instants:
        sim.process(visitor(1.0)).reactivate(at=instant)
    sim.run(until=3.8)
    pieces = 0.0
    for begin, end in zip((0.0, *instants), (*instants, 3.8), strict=True):
        pieces += end - begin
    assert desk.waits.count == 2
    assert desk.queue.time_at(0) == 3.8 != pieces


def test_a_request_has_a_float_for_its_priority_and_a_whole_number_of_units() -> None:
    desk = ev.Resource(ev.Simulation(), 2)
    asked = [desk.request(0), desk.request(False, True), desk.request(2)]
    assert [(repr(one.priority), repr(one.units)) for one in asked] == [("0.0", "1"), ("0.0", "1"), ("2.0", "1")]
