"""Preemption: who loses a unit, what its process is told, how it goes on."""

import pytest

import eventide as ev


def job(machine, log, name, priority, duration, **wish):
    """Works once, and is told if it loses its unit."""
    with machine.request(priority, **wish) as place:
        yield place
        log(name, "begins")
        try:
            yield ev.hold(duration)
            log(name, "ends")
        except ev.Interrupt as interrupt:
            cause = interrupt.cause
            assert (cause.resource, cause.request, place.state) == (machine, place, "preempted")
            log(name, "loses to", cause.by.name, interrupt.left, "left, had it since", cause.since)


def later(time, generator):
    yield ev.hold(time)
    yield from generator


def start(sim, *jobs):
    for name, time, generator in jobs:
        sim.process(later(time, generator), name=name)


def test_higher_priority_takes_the_unit(sim, log):
    machine = ev.PreemptiveResource(sim, name="machine")
    start(
        sim,
        ("A", 0.0, job(machine, log, "A", 1, 5.0)),
        ("B", 1.0, job(machine, log, "B", 1, 5.0)),
        ("C", 2.0, job(machine, log, "C", 2, 1.0)),
    )
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (2.0, "C begins"),
        (2.0, "A loses to C 3.0 left, had it since 0.0"),
        (3.0, "C ends"),
        (3.0, "B begins"),
        (8.0, "B ends"),
    ]
    assert (machine.counts.served, machine.counts.preempted, machine.in_use.integral) == (2, 1, 8.0)
    assert list(machine.waits.values) == [0.0, 0.0, 2.0]


def test_lowest_priority_and_latest_user_loses(sim, log):
    machine = ev.PreemptiveResource(sim, 4)
    start(
        sim,
        *[(name, 0.1 * k, job(machine, log, name, priority, 9.0)) for k, (name, priority) in enumerate(
            [("A", 2), ("B", 1), ("C", 1), ("D", 3)]
        )],
        *[(name, 1.0, job(machine, log, name, 3, 9.0)) for name in "EFGH"],
    )  # fmt: skip
    sim.run(until=5.0)

    assert [what for time, what in log if time == 1.0] == [
        "E begins",
        "C loses to E 8.2 left, had it since 0.2",
        "F begins",
        "B loses to F 8.1 left, had it since 0.1",
        "G begins",
        "A loses to G 8.0 left, had it since 0.0",
    ]
    assert [place.process.name for place in machine.waiting] == ["H"]


def test_equal_priority_waits(sim, log):
    machine = ev.PreemptiveResource(sim)
    start(sim, ("A", 0.0, job(machine, log, "A", 1, 2.0)), ("B", 1.0, job(machine, log, "B", 1, 1.0)))
    sim.run()

    assert log == [(0.0, "A begins"), (2.0, "A ends"), (2.0, "B begins"), (3.0, "B ends")]


def test_preempt_false_waits_for_its_turn(sim, log):
    """And while it is first in the line, those behind it take nothing away either."""
    machine = ev.PreemptiveResource(sim)
    start(
        sim,
        ("A", 0.0, job(machine, log, "A", 0, 3.0)),
        ("B", 1.0, job(machine, log, "B", 2, 1.0, preempt=False)),
        ("C", 2.0, job(machine, log, "C", 1, 1.0)),
    )
    sim.run()

    assert [(time, what) for time, what in log if "begins" in what] == [
        (0.0, "A begins"),
        (3.0, "B begins"),
        (4.0, "C begins"),
    ]


def test_who_comes_to_be_first_in_line_takes_a_unit_away(sim, log):
    """As one that takes nothing away stood before it, and got a unit that was given back."""
    machine = ev.PreemptiveResource(sim, 2)
    start(
        sim,
        ("A", 0.0, job(machine, log, "A", 0, 9.0)),
        ("B", 0.5, job(machine, log, "B", 0, 2.5)),
        ("C", 1.0, job(machine, log, "C", 2, 4.0, preempt=False)),
        ("D", 2.0, job(machine, log, "D", 2, 1.0)),
    )
    sim.run()

    assert [(time, what) for time, what in log if "begins" in what] == [
        (0.0, "A begins"),
        (0.5, "B begins"),
        (3.0, "C begins"),
        (3.0, "D begins"),
    ]
    assert machine.counts.preempted == 1


def test_units_of_several_users_or_of_nobody(sim, log):
    machine = ev.PreemptiveResource(sim, 3)
    start(
        sim,
        ("A", 0.0, job(machine, log, "A", 1, 9.0)),
        ("B", 0.5, job(machine, log, "B", 0, 9.0)),
        ("C", 0.5, job(machine, log, "C", 2, 3.5)),
        ("D", 1.0, job(machine, log, "D", 1, 1.0, units=2)),
        ("E", 2.0, job(machine, log, "E", 2, 1.0, units=2)),
    )
    sim.run(until=7.0)

    assert log == [
        (0.0, "A begins"),
        (0.5, "B begins"),
        (0.5, "C begins"),
        (2.0, "E begins"),
        (2.0, "B loses to E 7.5 left, had it since 0.5"),
        (2.0, "A loses to E 7.0 left, had it since 0.0"),
        (3.0, "E ends"),
        (3.0, "D begins"),
        (4.0, "C ends"),
        (4.0, "D ends"),
    ]


def test_use_that_resumes(sim, log):
    machine = ev.PreemptiveResource(sim)

    def patient(name, duration):
        yield from machine.use(duration, resume=True)
        log(name, "is done")

    start(
        sim,
        ("A", 0.0, patient("A", 5.0)),
        ("B", 1.0, patient("B", 2.0)),
        ("C", 2.0, job(machine, log, "C", 1, 1.0)),
        ("D", 4.0, job(machine, log, "D", 1, 1.0)),
    )
    sim.run()

    # A goes on before B, which came later
    assert log == [
        (2.0, "C begins"),
        (3.0, "C ends"),
        (4.0, "D begins"),
        (5.0, "D ends"),
        (7.0, "A is done"),
        (9.0, "B is done"),
    ]
    assert (machine.counts.asked, machine.counts.served, machine.counts.preempted) == (6, 4, 2)


def test_use_that_does_not_resume(sim, log):
    machine = ev.PreemptiveResource(sim)

    def impatient():
        try:
            yield from machine.use(5.0)
        except ev.Interrupt as interrupt:
            log(type(interrupt.cause).__name__, interrupt.left)

    start(sim, ("A", 0.0, impatient()), ("B", 2.0, job(machine, log, "B", 1, 1.0)))
    sim.run()

    assert log == [(2.0, "B begins"), (2.0, "Preemption 3.0"), (3.0, "B ends")]


def test_use_that_resumes_lets_other_interrupts_through(sim, log):
    machine, other = ev.PreemptiveResource(sim), ev.PreemptiveResource(sim)

    def nested():
        with other.request() as place:
            yield place
            try:
                yield from machine.use(5.0, resume=True)
            except ev.Interrupt as interrupt:
                log(interrupt.cause.resource is other, machine.available)

    start(sim, ("A", 0.0, nested()), ("B", 2.0, job(other, log, "B", 1, 1.0)))
    sim.run()

    assert log == [(2.0, "B begins"), (2.0, "True 1"), (3.0, "B ends")]


def test_preempted_at_the_instant_of_the_end(sim, log):
    """Its event is still in the list: nothing is left, and `use(resume=True)` does not ask again."""
    machine = ev.PreemptiveResource(sim)

    def patient():
        yield from machine.use(2.0, resume=True)
        log("patient is done")

    sim.process(later(0.0, job(machine, log, "B", 1, 1.0)))
    start(sim, ("C", 2.0, job(machine, log, "C", 1, 1.0)), ("A", 1.0, patient()))
    sim.run(until=2.0)
    assert log == [(0.0, "B begins"), (1.0, "B ends")]
    log.clear()
    sim.run()
    assert log == [(2.0, "C begins"), (3.0, "C ends"), (4.0, "patient is done")]

    log.clear()
    start(sim, ("D", 1.0, patient()), ("E", 3.0, job(machine, log, "E", 1, 1.0)))
    sim.run()
    assert log == [(7.0, "E begins"), (7.0, "patient is done"), (8.0, "E ends")]


def test_request_yielded_again_stands_where_it_stood(sim, log):
    machine = ev.PreemptiveResource(sim)

    def patient(name, left):
        with machine.request() as place:
            while left:
                yield place
                log(name, "works")
                try:
                    yield ev.hold(left)
                    left = 0.0
                except ev.Interrupt as interrupt:
                    left = interrupt.left
        log(name, "is done")

    start(
        sim,
        ("A", 0.0, patient("A", 2.0)),
        ("B", 0.5, patient("B", 2.0)),
        ("C", 1.0, job(machine, log, "C", 1, 1.0)),
    )
    sim.run()

    assert log == [
        (0.0, "A works"),
        (1.0, "C begins"),
        (2.0, "C ends"),
        (2.0, "A works"),
        (3.0, "A is done"),
        (3.0, "B works"),
        (5.0, "B is done"),
    ]


def test_interrupt_reaches_every_kind_of_wait(sim, log):
    machine, other = ev.PreemptiveResource(sim, 4), ev.Resource(sim, 0, name="other")

    def victim(name, command):
        with machine.request() as place:
            yield ev.first_of(place=place, never=ev.hold(99.0))
            try:
                yield command
            except ev.Interrupt as interrupt:
                log(name, interrupt.left, place.state)
            yield ev.hold(1.0)
            log(name, "goes on")

    for name, command in [
        ("holds", ev.hold(3.0)),
        ("waits", other.request()),
        ("passive", ev.passivate()),
        ("first", ev.first_of(a=ev.hold(3.0), b=other.request())),
    ]:
        sim.process(victim(name, command), name=name)
    start(sim, ("boss", 1.0, job(machine, log, "boss", 1, 1.0, units=4)))
    sim.run()

    assert log == [
        (1.0, "boss begins"),
        (1.0, "first None preempted"),
        (1.0, "passive None preempted"),
        (1.0, "waits None preempted"),
        (1.0, "holds 2.0 preempted"),
        (2.0, "boss ends"),
        (2.0, "first goes on"),
        (2.0, "passive goes on"),
        (2.0, "waits goes on"),
        (2.0, "holds goes on"),
    ]
    assert (other.queue.value, other.counts.reneged) == (0, 2)


def test_who_has_let_go_is_not_told(sim, log):
    """An interrupt from elsewhere comes first, and makes the victim leave: the preemption is no news any more."""
    machine = ev.PreemptiveResource(sim)

    def victim():
        try:
            with machine.request() as place:
                yield place
                yield ev.hold(9.0)
        except ev.Interrupt as interrupt:
            log("victim", interrupt.cause)
        yield ev.hold(1.0)
        log("victim is elsewhere")

    first = sim.process(victim(), name="victim")

    def boss():
        yield ev.hold(1.0)
        first.interrupt("fire")
        with machine.request(1) as place:
            yield place
            log("boss")

    sim.process(boss())
    sim.run()

    assert log == [(1.0, "boss"), (1.0, "victim fire"), (2.0, "victim is elsewhere")]


def test_ended_victim_is_not_told(sim, log):
    machine = ev.PreemptiveResource(sim)

    def keeper():
        place = machine.request()
        yield place
        log("keeper ends and keeps its unit")

    start(sim, ("A", 0.0, keeper()), ("B", 1.0, job(machine, log, "B", 1, 1.0)))
    sim.run()

    assert log == [(0.0, "keeper ends and keeps its unit"), (1.0, "B begins"), (2.0, "B ends")]


def test_grant_that_was_not_delivered_is_taken_back_in_silence(sim, log):
    """C comes at the instant at which B gets the unit, before B knows of it: B stays first in its line."""
    machine = ev.PreemptiveResource(sim)

    def generous():
        with machine.request() as place:
            yield place
            yield ev.hold(1.0)
        sim.process(job(machine, log, "C", 1, 2.0), name="C")

    sim.process(generous())
    start(sim, ("B", 0.5, job(machine, log, "B", 0, 1.0)), ("D", 0.6, job(machine, log, "D", 0, 1.0)))
    sim.run()

    assert log == [
        (1.0, "C begins"),
        (3.0, "C ends"),
        (3.0, "B begins"),
        (4.0, "B ends"),
        (4.0, "D begins"),
        (5.0, "D ends"),
    ]
    assert (machine.counts.preempted, machine.counts.served) == (0, 4)
    # B's wait is counted up to the grant, and again from there
    assert list(machine.waits.values) == [0.0, 0.5, 0.0, 2.0, 3.4]
    assert machine.queue.integral == sum(machine.waits.values)


def test_process_takes_nothing_from_itself(sim, log):
    machine = ev.PreemptiveResource(sim)

    def greedy():
        with machine.request() as mine, machine.request(1) as more:
            yield mine
            got = yield ev.first_of(more=more, nothing=ev.hold(1.0))
            log(got.name, mine.state)

    sim.process(greedy())
    sim.run()

    assert log == [(1.0, "nothing granted")]


def test_priority_of_users_and_of_those_who_wait(sim, log):
    machine = ev.PreemptiveResource(sim)
    start(
        sim,
        ("A", 0.0, job(machine, log, "A", 2, 9.0)),
        ("B", 0.5, job(machine, log, "B", 1, 4.0)),
        ("C", 0.5, job(machine, log, "C", 0, 1.0)),
    )

    def manager():
        yield ev.hold(1.0)
        machine.users[0].priority = 0.5
        yield ev.hold(1.0)
        machine.waiting[0].priority = 3.0

    sim.process(manager())
    sim.run()

    assert log == [
        (0.0, "A begins"),
        (1.0, "A loses to B 8.0 left, had it since 0.0"),
        (1.0, "B begins"),
        (2.0, "B loses to C 3.0 left, had it since 1.0"),
        (2.0, "C begins"),
        (3.0, "C ends"),
    ]


def test_current_process_is_told_at_its_next_yield(sim, log):
    """It lowers the capacity of what it uses itself."""
    machine = ev.Resource(sim, 2)

    def self_critical(lets_go):
        with machine.request() as place:
            yield place
            machine.set_capacity(0, excess="preempt")
            log(place.state)
            if not lets_go:
                try:
                    yield ev.hold(5.0)
                except ev.Interrupt as interrupt:
                    log(interrupt.left, place.state)
        yield ev.hold(1.0)
        log("goes on")
        machine.capacity = 1

    def both():
        yield sim.process(self_critical(True))
        yield sim.process(self_critical(False))

    sim.process(both())
    sim.run()

    assert log == [
        (0.0, "preempted"),
        (1.0, "goes on"),
        (1.0, "preempted"),
        (1.0, "5.0 preempted"),
        (2.0, "goes on"),
    ]


def test_preemption_is_a_value(sim):
    machine = ev.Resource(sim)
    place = machine.request()
    cause = ev.Preemption(None, machine, place, 0.0)

    assert cause == ev.Preemption(by=None, resource=machine, request=place, since=0.0)
    with pytest.raises(AttributeError):
        cause.by = place
