"""Who waited for what, and who had it, from when to when."""

from math import isnan

import pytest

import eventide as ev


@pytest.fixture
def sim():
    return ev.Simulation(time_unit="h")


def told(log):
    return [(s.where, s.who, s.state, s.units, s.start, "on" if isnan(s.end) else s.end) for s in log.stays]


def test_stays_tell_of_waiting_and_holding(sim):
    desk = ev.Resource(sim, 3, name="desk")
    log = ev.Occupancy(sim, desk)

    def customer(arrival, units, duration):
        yield ev.hold(arrival)
        yield from desk.use(duration, units=units)

    sim.process(customer(0.0, 2, 2.0), name="Ann")
    sim.process(customer(1.0, 2, 4.0), name="Bob")
    sim.process(customer(1.5, 1, 0.0), name="Cem")
    sim.run(until=5.0)

    assert told(log) == [
        ("desk", "Ann", "holds", 2, 0.0, 2.0),
        ("desk", "Bob", "waits", 2, 1.0, 2.0),
        ("desk", "Cem", "waits", 1, 1.5, 2.0),
        ("desk", "Bob", "holds", 2, 2.0, "on"),
    ]
    frame = log.to_pandas()
    assert list(frame.columns) == ["where", "who", "state", "units", "start", "end"]
    assert (len(frame), frame.attrs["units"]) == (4, {"start": "h", "end": "h"})


def test_members_of_a_queue_come_and_go(sim):
    row = ev.Queue(sim, name="row")
    log = ev.Occupancy(sim, row)

    def story():
        row.into("box")
        row.into(7)
        yield ev.hold(1.0)
        row.out("box")
        row.into("box")
        row.out(7)
        yield ev.hold(1.0)

    sim.process(story())
    sim.run()

    assert told(log) == [
        ("row", "box", "waits", 1, 0.0, 1.0),
        ("row", "7", "waits", 1, 0.0, 1.0),
        ("row", "box", "waits", 1, 1.0, "on"),
    ]


def test_one_who_is_preempted_and_goes_on_has_two_stays(sim):
    desk = ev.PreemptiveResource(sim, name="desk")
    log = ev.Occupancy(sim, desk)

    def customer(arrival, duration, priority):
        yield ev.hold(arrival)
        yield from desk.use(duration, priority=priority, resume=True)

    sim.process(customer(0.0, 3.0, 0.0), name="calm")
    sim.process(customer(1.0, 1.0, 1.0), name="urgent")
    sim.run()

    assert [row for row in told(log) if row[2] == "holds"] == [
        ("desk", "calm", "holds", 1, 0.0, 1.0),
        ("desk", "urgent", "holds", 1, 1.0, 2.0),
        ("desk", "calm", "holds", 1, 2.0, 4.0),
    ]


def test_one_whose_work_is_suspended_and_goes_on_has_two_stays(sim):
    desk = ev.Resource(sim, 1, name="desk")
    log = ev.Occupancy(sim, desk)

    def shift():
        yield ev.hold(1.0)
        desk.set_capacity(0, excess="suspend")
        yield ev.hold(4.0)
        desk.set_capacity(1)
        (request,) = desk.users
        assert request.since == 5.0

    sim.process(desk.use(3.0), name="Ann")
    sim.process(desk.use(2.0), name="Bob")
    sim.process(shift())
    sim.run()
    assert told(log) == [
        ("desk", "Ann", "holds", 1, 0.0, 1.0),
        ("desk", "Bob", "waits", 1, 0.0, 7.0),
        ("desk", "Ann", "holds", 1, 5.0, 7.0),
        ("desk", "Bob", "holds", 1, 7.0, 9.0),
    ]
    assert desk.in_use.integral == 5.0


def test_looking_changes_nothing():
    def run(*, watched):
        sim = ev.Simulation(rng=1)
        desk, order = ev.Resource(sim, 2, name="desk"), []
        if watched:
            ev.Occupancy(sim, desk)

        def customer(number):
            yield sim.stream("gaps").exponential(5.0)
            yield from desk.use(sim.stream("service").exponential(1.0))
            order.append((sim.time, number))

        for number in range(30):
            sim.process(customer(number))
        sim.run()
        return order, sim.events

    assert run(watched=True) == run(watched=False)


def test_what_cannot_be_looked_at_is_refused(sim):
    with pytest.raises(ev.ModelError, match="an Occupancy takes resources and queues, and got <Store"):
        ev.Occupancy(sim, ev.Store(sim))
    with pytest.raises(ev.ModelError, match="takes the resources and queues to look at, and got none"):
        ev.Occupancy(sim)


def test_it_shows_how_many_stays_there_are_and_where(sim):
    desk, row = ev.Resource(sim, 1, name="desk"), ev.Queue(sim, name="row")
    stays = ev.Occupancy(sim, desk, row)
    sim.process(desk.use(1.0))
    sim.process(desk.use(1.0))
    sim.run()
    assert repr(stays) == "<3 stays at desk, row>"
