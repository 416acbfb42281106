"""Resources: what is refused, and what is told."""

import math

import numpy as np
import pytest
from discrete.shared import job

import eventide as ev


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
