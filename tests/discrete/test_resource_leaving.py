"""Resources: processes that leave the line, give back early, or are interrupted."""

import gc

import pytest
from discrete.shared import job

import eventide as ev


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
