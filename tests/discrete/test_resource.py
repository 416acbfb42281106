"""Resources: who is served when, what changes it, what is counted."""

import pytest
from discrete.shared import job

import eventide as ev


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
