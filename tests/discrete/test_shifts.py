"""Shifts: hours that repeat without drift, and what becomes of work at the end of one."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev

OFFICE = [(8, 12), (13, 17)]


def job(desk, log, name, time, duration):
    yield ev.hold(time)
    with desk.request() as place:
        yield place
        log(name, "begins")
        try:
            yield ev.hold(duration)
            log(name, "ends")
        except ev.Interrupt as interrupt:
            log(name, "is cut off with", interrupt.left, "left")


def capacities(sim, desk, until):
    """(time, capacity) at the start and whenever it changes."""
    found = [(sim.time, desk.capacity)]
    while sim.peek() < until:
        sim.step()
        if desk.capacity != found[-1][1]:
            found.append((sim.time, desk.capacity))
    return found


def test_hours_repeat(sim):
    desk = ev.Resource(sim, 2)
    ev.Shifts(sim, desk, OFFICE, period=24)

    assert capacities(sim, desk, 60.0) == [
        (0.0, 0),
        (8.0, 2),
        (12.0, 0),
        (13.0, 2),
        (17.0, 0),
        (32.0, 2),
        (36.0, 0),
        (37.0, 2),
        (41.0, 0),
        (56.0, 2),
    ]


def test_work_finishes_in_overtime(sim, log):
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, OFFICE, period=24)
    for name, duration in [("A", 3.0), ("B", 3.0), ("C", 1.0)]:
        sim.process(job(desk, log, name, 0.0, duration))
    sim.run(until=24.0)

    assert log == [
        (8.0, "A begins"),
        (11.0, "A ends"),
        (11.0, "B begins"),
        (14.0, "B ends"),
        (14.0, "C begins"),
        (15.0, "C ends"),
    ]
    assert desk.utilisation == 7.0 / 8.0


def test_work_is_suspended(sim, log):
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, OFFICE, period=24, on_close="suspend")
    for name, duration in [("A", 3.0), ("B", 7.0), ("C", 1.0)]:
        sim.process(job(desk, log, name, 0.0, duration))
    sim.run(until=48.0)

    assert log == [
        (8.0, "A begins"),
        (11.0, "A ends"),
        (11.0, "B begins"),
        (34.0, "B ends"),  # 1 before noon, 4 in the afternoon, 2 the next morning
        (34.0, "C begins"),
        (35.0, "C ends"),
    ]
    assert desk.utilisation == 11.0 / 16.0


def test_work_that_is_done_at_the_close_is_not_suspended(sim, log):
    """The close stands before the end of the work at that instant; what is begun after it is suspended."""
    desks = [ev.Resource(sim, name=name) for name in ("desk", "bench")]
    for desk in desks:
        ev.Shifts(sim, desk, [(0, 10)], period=24, on_close="suspend")

    def work(name, start, lengths):
        yield ev.hold(start)
        with desks[0].request() as desk, desks[1].request() as bench:
            yield desk
            yield bench
            for length in lengths:
                yield ev.hold(length)
                log(name, "has held", length)

    seen = []
    sim.trace = lambda occurrence: seen.append((occurrence.time, occurrence.who, occurrence.why))
    sim.process(work("A", 0.0, [3.0, 7.0]))
    sim.process(work("B", 30.0, [4.0, 2.0, 0.0]), name="B")
    sim.run(until=72.0)

    assert log == [(3.0, "A has held 3.0"), (10.0, "A has held 7.0")] + [
        (time, f"B has held {length}") for time, length in [(34.0, 4.0), (50.0, 2.0), (50.0, 0.0)]
    ]
    assert [what for what in seen if what[0] == 34.0] == [
        (34.0, "Shifts 1", "a shift has ended or begun"),
        (34.0, "Shifts 2", "a shift has ended or begun"),
        (34.0, "B", "hold ended"),
        (34.0, "the suspension of B", "a hold ended as its unit went"),
        (34.0, "the suspension of B", "a hold ended as its unit went"),
    ]


def test_work_is_preempted(sim, log):
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, OFFICE, period=24, on_close="preempt")
    sim.process(job(desk, log, "A", 11.0, 3.0))

    def patient():
        yield from desk.use(6.0, resume=True)
        log("patient is done")

    sim.process(patient())
    sim.run(until=48.0)

    # the patient one works from 8 to 12 and from 13 to 15, at its old place in the line
    assert log == [(15.0, "patient is done"), (15.0, "A begins"), (17.0, "A is cut off with 1.0 left")]


def test_crew_that_changes(sim, log):
    """Less capacity in a shift suspends the latest; more lets it go on."""
    crew = ev.Resource(sim, 9)
    ev.Shifts(sim, crew, [(0, 8, 2), (8, 16), (16, 24, 1)], period=24, capacity=3, on_close="suspend")
    assert capacities(sim, crew, 30.0) == [(0.0, 2), (8.0, 3), (16.0, 1), (24.0, 2)]
    for name in "ABC":
        sim.process(job(crew, log, name, 8.0, 9.0))
    sim.run(until=96.0)

    assert log == [
        (32.0, "A begins"),
        (32.0, "B begins"),
        (32.0, "C begins"),
        (41.0, "A ends"),
        (42.0, "B ends"),
        (43.0, "C ends"),
    ]


def test_shift_past_the_end_of_the_period(sim):
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, [(22, 30)], period=24)

    assert capacities(sim, desk, 60.0) == [(0.0, 1), (6.0, 0), (22.0, 1), (30.0, 0), (46.0, 1), (54.0, 0)]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (0, [(0.0, 0), (2.0, 1), (5.0, 0)]),
        (1, [(0.0, 0), (3.0, 1), (6.0, 0)]),
        (6, [(0.0, 1), (1.0, 0), (8.0, 1)]),
        (-2, [(0.0, 1), (3.0, 0)]),
        (22, [(0.0, 0), (4.0, 1), (7.0, 0)]),
    ],
)
def test_start_of_the_period(sim, start, expected):
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, [(2, 5)], period=10, start=start)

    assert capacities(sim, desk, 9.0) == expected


def test_shifts_that_begin_during_the_run(sim):
    desk = ev.Resource(sim, 2)
    sim.run(until=9.5)
    shifts = ev.Shifts(sim, desk, OFFICE, period=24)
    assert (desk.capacity, shifts.is_open, shifts.next_change) == (2, True, 12.0)
    sim.run(until=12.0)
    late = ev.Shifts(sim, ev.Resource(sim), OFFICE, period=24)
    assert (late.is_open, late.next_change) == (False, 13.0)


def test_no_drift(sim):
    """Three shifts of 0.1 in a period of 0.3: each change is at its own fraction, rounded once."""
    desk = ev.Resource(sim, 3)
    ev.Shifts(sim, desk, [(0, 0.1, 1), (0.1, 0.2, 2), (0.2, 0.3)], period=0.3)
    found = capacities(sim, desk, 100.0)

    assert len(found) == 1000
    assert found == [(float(Fraction(k, 10)), k % 3 + 1) for k in range(1000)]


def test_always_open(sim):
    desk = ev.Resource(sim, 2)
    shifts = ev.Shifts(sim, desk, [(0, 12), (12, 24)], period=24)
    sim.run()

    assert (sim.events, desk.capacity, shifts.next_change) == (0, 2, math.inf)


def test_order_at_the_hour_itself(sim, log):
    """The change stands in the list since the change before."""
    desk = ev.Resource(sim)

    def early():
        yield ev.hold(2.0)
        log("early", desk.capacity)

    sim.process(early())
    sim.run(until=0.5)
    ev.Shifts(sim, desk, [(2, 3)], period=10)

    def late():
        yield ev.hold(1.5)
        log("late", desk.capacity)

    sim.process(late())
    sim.run(until=5.0)

    assert log == [(2.0, "early 0"), (2.0, "late 1")]


def test_stop(sim):
    desk = ev.Resource(sim)
    shifts = ev.Shifts(sim, desk, OFFICE, period=24, name="office")
    assert repr(shifts) == f"<office of {desk.name}: closed until 8.0>"
    sim.run(until=9.0)
    assert repr(shifts) == f"<office of {desk.name}: open until 12.0>"
    shifts.stop()
    sim.run()

    assert (sim.time, desk.capacity, shifts.next_change) == (9.0, 1, math.inf)


@pytest.mark.parametrize(
    ("hours", "message"),
    [
        ([], "Shifts takes the hours at which a resource is open, .* and got none"),
        ([(8, 12), (11, 13)], "the shift from 8 to 12 overlaps the one from 11: give one shift"),
        ([(8, 12), (8, 10)], "the shift from 8 to 12 overlaps the one from 8"),
        ([(2, 5), (22, 27)], "the shift from 22 to 27 overlaps the one from 26"),
        ([(12, 8)], r"a shift begins in a period, .* got \(12, 8\): write one that goes past the end .* as \(22, 30\)"),
        ([(24, 26)], r"a shift begins in a period, from 0 on and before 24, .* got \(24, 26\)"),
        ([(1, 26)], r"lasts no longer than one; got \(1, 26\)"),
        ([(-1, 6)], r"got \(-1, 6\)"),
        ([8], r"a shift is \(from, to\) or \(from, to, units\), and got 8"),
        ([(8,)], r"a shift is \(from, to\) .* got \(8,\)"),
        ([(8, "noon")], "a shift takes finite numbers, and got 'noon'"),
        ([(8, math.inf)], "a shift takes finite numbers, and got inf"),
        ([(8, 12, 1.5)], "the capacity of a shift is a whole number of units, 0 or more, and got 1.5"),
    ],
)
def test_hours_that_cannot_be(sim, hours, message):
    desk = ev.Resource(sim)
    with pytest.raises(ev.ModelError, match=message):
        ev.Shifts(sim, desk, hours, period=24)
    assert desk.capacity == 1


def test_other_refusals(sim):
    desk = ev.Resource(sim, name="desk")
    with pytest.raises(ev.ModelError, match=r"Shifts\(on_close=\.\.\.\) of desk takes one of finish, suspend, preempt"):
        ev.Shifts(sim, desk, OFFICE, period=24, on_close="stop")
    with pytest.raises(ev.ModelError, match="a period is a positive number, and got 0"):
        ev.Shifts(sim, desk, OFFICE, period=0)
    with pytest.raises(ev.ModelError, match="desk belongs to another simulation"):
        ev.Shifts(ev.Simulation(rng=1), desk, OFFICE, period=24)
    sim.run(until=1e17)
    ev.Shifts(sim, desk, OFFICE, period=24)
    with pytest.raises(ev.ModelError, match=r"the hours of .* are too short to advance time beyond 1\.0+2e\+17"):
        sim.run(until=2e17)


# --- laws -------------------------------------------------------------------------------------------------------------


@st.composite
def plans(draw):
    """A period of 12, a plan of shifts in it, and who comes when for how long."""
    points = sorted(draw(st.sets(st.integers(0, 11), min_size=2, max_size=6)))
    hours = [(a, b, draw(st.integers(1, 3))) for a, b in zip(points[::2], points[1::2], strict=False)]
    jobs = draw(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=4))
    return hours, jobs


def capacity_at(hours, time):
    return next((units for a, b, units in hours if a <= time % 12 < b), 0)


@pytest.mark.slow
@settings(max_examples=30)
@given(plans())
def test_suspended_work_is_done_in_open_hours_alone(plan):
    """No unit works that is not there; every job is served for exactly its time."""
    hours, jobs = plan
    sim = ev.Simulation(rng=1)
    desk = ev.Resource(sim)
    ev.Shifts(sim, desk, hours, period=12, on_close="suspend")
    ended = []

    def worker(number, time, duration):
        yield ev.hold(time)
        yield from desk.use(duration)
        ended.append(number)

    for number, (time, duration) in enumerate(jobs):
        sim.process(worker(number, time, duration))
    samples = []
    for hour in range(320):
        sim.run(until=hour + 0.5)
        samples.append((desk.in_use.value, desk.queue.value, len(desk.suspended)))

    assert sorted(ended) == list(range(len(jobs)))
    assert sum(used for used, _, _ in samples) == sum(duration for _, duration in jobs) == desk.in_use.integral
    for hour, (used, waiting, suspended) in enumerate(samples):
        there = capacity_at(hours, hour)
        assert used == min(there, used + waiting + suspended)
