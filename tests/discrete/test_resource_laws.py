"""Resources against slow, obvious models, and laws that hold whatever happens."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev

# --- slow models ------------------------------------------------------------------------------------------------------
#
# Times are whole numbers with a small part of their own for each job, so that no two events ever meet: what happens
# at one instant is told by the tests that write logs. All sums are exact in floats.


def spread(whole, number):
    """A time of job `number` that no sum of the times of others equals."""
    return whole + 2.0 ** -(8 + number)


class SlowResource:
    """Who has units at any time, found by looking at everything again after every event."""

    def __init__(self, jobs, changes):
        self.arrivals = list(jobs)
        self.changes = list(changes)
        self.waiting, self.working = [], []
        self.capacity = 0
        self.story = {}
        self.in_use = self.queue = self.supply = Fraction(0)

    def run(self):
        now = Fraction(0)
        while True:
            due = [Fraction(job["time"]) for job in self.arrivals]
            due += [Fraction(time) for time, _ in self.changes]
            due += [end for end, _ in self.working]
            due += [Fraction(job["time"]) + Fraction(job["patience"]) for job in self.waiting if job["patience"]]
            if not due:
                return
            then = min(due)
            self.in_use += (then - now) * sum(job["units"] for _, job in self.working)
            self.queue += (then - now) * len(self.waiting)
            self.supply += (then - now) * self.capacity
            now = then
            self.happen(now)
            self.serve(now)

    def happen(self, now):
        for job in [job for job in self.arrivals if job["time"] == now]:
            self.arrivals.remove(job)
            self.waiting.append(job)
        for time, capacity in self.changes:
            if time == now:
                self.capacity = capacity
        self.changes = [change for change in self.changes if change[0] != now]
        for end, job in list(self.working):
            if end == now:
                self.working.remove((end, job))
                self.story[job["number"]] += (end,)
        for job in list(self.waiting):
            if job["patience"] and Fraction(job["time"]) + Fraction(job["patience"]) == now:
                self.waiting.remove(job)
                self.story[job["number"]] = ("gave up", now)

    def serve(self, now):
        self.waiting.sort(key=lambda job: (-job["priority"], job["time"]))
        while self.waiting:
            job = self.waiting[0]
            if sum(other["units"] for _, other in self.working) + job["units"] > self.capacity:
                return
            self.working.append((now + Fraction(job["work"]), self.waiting.pop(0)))
            self.story[job["number"]] = ("served", now)


@st.composite
def job_lists(draw, *, units=3, patience=True):
    return [
        {
            "number": number,
            "time": spread(draw(st.integers(0, 12)), 3 * number),
            "work": spread(draw(st.integers(0, 6)), 3 * number + 1),
            "units": draw(st.integers(1, units)),
            "priority": draw(st.sampled_from([0, 0, 1, -1, 0.5])),
            "patience": patience and draw(st.booleans()) and spread(draw(st.integers(0, 6)), 3 * number + 2),
        }
        for number in range(draw(st.integers(1, 10)))
    ]


capacity_lists = st.lists(st.integers(0, 4), max_size=4).map(
    lambda levels: [(0.0, 3), *[(spread(3 * k + 2, 30 + k), level) for k, level in enumerate(levels)], (100.0, 3)]
)


def change_capacity(resource, changes, **options):
    now = 0.0
    for time, capacity in changes:
        yield ev.hold(time - now)
        now = time
        resource.set_capacity(capacity, **options)


@pytest.mark.slow
@given(job_lists(), capacity_lists)
def test_against_the_slow_model(jobs, changes):
    sim = ev.Simulation(rng=1)
    desk = ev.Resource(sim, 3)
    story = {}

    def customer(job):
        yield ev.hold(job["time"])
        with desk.request(job["priority"], job["units"]) as place:
            if not job["patience"]:
                yield place
            elif (yield ev.first_of(place=place, gave_up=ev.hold(job["patience"]))).name == "gave_up":
                story[job["number"]] = ("gave up", sim.time)
                return
            story[job["number"]] = ("served", sim.time)
            yield ev.hold(job["work"])
            story[job["number"]] += (sim.time,)

    for job in jobs:
        sim.process(customer(job))
    sim.process(change_capacity(desk, changes))
    sim.run()
    slow = SlowResource(jobs, changes)
    slow.run()

    assert story == slow.story
    assert desk.in_use.integral == pytest.approx(float(slow.in_use), rel=1e-12)
    assert desk.queue.integral == pytest.approx(float(slow.queue), rel=1e-12, abs=1e-12)
    assert desk.utilisation == pytest.approx(float(slow.in_use / slow.supply), rel=1e-12)
    served = [job for job in jobs if story[job["number"]][0] == "served"]
    assert sorted(desk.waits.values) == sorted(story[job["number"]][1] - job["time"] for job in served)
    assert (desk.counts.asked, desk.counts.served) == (len(jobs), len(served))


def slow_preemption(jobs, changes):
    """When each job is done if at any time those of highest priority work, among equals those who came first."""
    left = {job["number"]: Fraction(job["work"]) for job in jobs}
    ends, now, capacity = {}, Fraction(0), 0
    instants = sorted({Fraction(job["time"]) for job in jobs} | {Fraction(time) for time, _ in changes})
    while len(ends) < len(jobs):
        present = [job for job in jobs if job["time"] <= now and job["number"] not in ends]
        present.sort(key=lambda job: (-job["priority"], job["time"]))
        working = present[:capacity]
        following = [time for time in instants if time > now] + [now + left[job["number"]] for job in working]
        if now in instants:
            capacity = next((level for time, level in changes if time == now), capacity)
            working = present[:capacity]
            following = [time for time in instants if time > now] + [now + left[job["number"]] for job in working]
        then = min(following)
        for job in working:
            left[job["number"]] -= then - now
            if left[job["number"]] == 0:
                ends[job["number"]] = then
        now = then
    return ends


@pytest.mark.slow
@given(job_lists(units=1, patience=False), capacity_lists, st.booleans())
def test_preemption_against_the_slow_model(jobs, changes, by_hand):
    sim = ev.Simulation(rng=1)
    machine = ev.PreemptiveResource(sim, 3)
    ends = {}

    def worker(job):
        yield ev.hold(job["time"])
        if by_hand:
            with machine.request(job["priority"]) as place:
                left = job["work"]
                while left:
                    yield place
                    try:
                        yield ev.hold(left)
                        left = 0.0
                    except ev.Interrupt as interrupt:
                        left = interrupt.left
        else:
            yield from machine.use(job["work"], job["priority"], resume=True)
        ends[job["number"]] = sim.time

    for job in jobs:
        sim.process(worker(job))
    sim.process(change_capacity(machine, changes, excess="preempt"))
    sim.run()

    assert ends == slow_preemption(jobs, changes)
    assert machine.in_use.integral == sum(job["work"] for job in jobs)
    assert machine.counts.served == len(jobs)


# --- laws, with as many simultaneous events as can be -----------------------------------------------------------------

actions = st.tuples(
    st.integers(0, 6),  # when
    st.sampled_from(["interrupt", "end", "priority", "capacity", "move"]),
    st.integers(0, 7),  # whom, or to what
    st.sampled_from(["finish", "suspend", "preempt"]),
    st.integers(-1, 2),  # which priority
)
wishes = st.tuples(
    st.integers(0, 4),  # when
    st.integers(0, 3),  # for how long
    st.integers(1, 2),  # how many units
    st.integers(-1, 1),  # priority
    st.one_of(st.none(), st.integers(0, 3)),  # patience
)


def check_laws(resource, requests):
    """What is true after every event."""
    mine = [request for request in requests if request.resource is resource]
    states = {state: [request for request in mine if request.state == state] for state in ("granted", "waiting")}
    assert list(resource.users) == sorted(states["granted"], key=resource.users.index)
    assert resource.in_use.value == sum(user.units for user in resource.users)
    ranks = [(-place.priority, place._number) for place in resource.waiting]
    assert ranks == sorted(ranks)
    assert set(resource.waiting) == set(states["waiting"])
    assert resource.queue.value == len(ranks)
    counts = resource.counts
    standing = len(resource.users) + len(resource.waiting) + len(resource.suspended)
    assert counts.asked == counts.served + counts.reneged + counts.preempted + counts.moved + standing
    if resource.waiting and not resource.suspended:
        first = resource.waiting[0]
        assert resource.in_use.value + first.units > resource.capacity
        if resource.is_preemptive:
            spoils = [user for user in resource.users if user.priority < first.priority]
            need = resource.in_use.value + first.units - resource.capacity
            assert sum(user.units for user in spoils) < need
    if resource.suspended:
        assert resource.in_use.value + resource.suspended[0].units > resource.capacity


@pytest.mark.slow
@given(
    st.lists(wishes, max_size=8), st.lists(actions, max_size=8), st.sampled_from([ev.Resource, ev.PreemptiveResource])
)
def test_laws(wishes, actions, kind):
    sim = ev.Simulation(rng=1)
    desk, other = kind(sim, 2, name="desk"), kind(sim, 2, name="other")
    requests, processes = [], []

    def customer(time, duration, units, priority, patience):
        try:
            yield ev.hold(time)
            with desk.request(priority, units) as place:
                requests.append(place)
                if patience is None:
                    yield place
                else:
                    yield ev.first_of(place=place, gave_up=ev.hold(patience))
                assert place.state in ("granted", "withdrawn")
                yield ev.hold(duration)
        except ev.Interrupt:
            return

    def meddler(time, what, number, excess, priority):
        yield ev.hold(time)
        process = processes[number % len(processes)] if processes else None
        request = requests[number % len(requests)] if requests else None
        if what == "capacity":
            desk.set_capacity(number % 4, excess=excess)
        elif what == "priority" and request is not None:
            request.priority = priority
        elif what == "move" and request is not None and request.state == "waiting":
            request.move(desk if request.resource is other else other)
        elif what in ("interrupt", "end") and process is not None and not process.terminated:
            process.interrupt() if what == "interrupt" else process.end()

    processes += [sim.process(customer(*wish)) for wish in wishes]
    for action in actions:
        sim.process(meddler(*action))
    taken = 0
    while sim.step():
        check_laws(desk, requests)
        check_laws(other, requests)
        allowed = max(taken, desk.capacity)
        assert desk.in_use.value <= allowed
        taken = desk.in_use.value
    desk.set_capacity(4)
    other.set_capacity(4)
    while sim.step():
        check_laws(desk, requests)

    assert all(process.terminated for process in processes)
    assert {request.state for request in requests} <= {"released", "withdrawn", "preempted"}
    assert (desk.queue.value, desk.in_use.value, len(desk.suspended)) == (0, 0, 0)
    for resource in (desk, other):
        waited = resource.queue.integral
        assert waited >= resource.waits.total
        assert waited == pytest.approx(resource.waits.total) or resource.counts.reneged or resource.counts.moved


def test_long_lines_are_tidied():
    """Those who leave from the middle of a line leave no trace in memory, nor in its order."""
    sim = ev.Simulation(rng=1)
    desk = ev.Resource(sim, 0)

    def customer(number, patience):
        with desk.request(number % 2) as place:
            yield ev.first_of(place=place, gave_up=ev.hold(patience))

    for number in range(2000):
        sim.process(customer(number, 1.0 + (number % 100 == 0)))
    sim.run(until=1.5)

    assert desk.queue.value == 20
    assert len(desk._line.plain) + len(desk._line.heap) <= 2 * 20 + 64
    assert [place._number for place in desk.waiting] == sorted(place._number for place in desk.waiting)
