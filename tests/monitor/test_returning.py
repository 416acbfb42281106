"""Who waits again for what it has waited for before: it is told of on the way to the next event, or at once."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev

COMPILED = pytest.mark.parametrize("compiled", ["auto", False])


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    slope: float = 1.0
    limit: float = 0.25

    def equations(self) -> None:
        self.rate.level = self.slope


def swing(tank: Tank, log: list[Any], name: str = "swing") -> ev.ProcessGenerator:
    """Full at 1, 2, 3, ...; empty half a unit later."""
    while True:
        yield ev.until(lambda: tank.level >= 1.0)
        tank.slope = -2.0
        log.append((name, "full", round(tank.sim.time, 9)))
        yield ev.until(lambda: tank.level <= 0.0)
        tank.slope = 2.0
        log.append((name, "empty", round(tank.sim.time, 9)))


def check_lists(sim: ev.Simulation) -> int:
    """How many conditions are waited for, which three have to agree on; who is at rest has a place in its flow."""
    motion = sim._continuum.integrator
    known = motion.memory.flow
    entries = sum(known.entries[f] - known.entries_left[f] for f in motion.flows)
    members = sum(1 for condition in sim._conditions if condition.row >= 0)
    assert entries == motion.run.listed == members - (motion.guards.returning is not None)
    assert motion.guards.returning is None or not motion.guards.returning.is_over
    for f, flow in motion.flows.items():
        assert known.entries_room[f] >= max(known.entries[f], len(flow.conditions))
    return members


@COMPILED
def test_who_returns_is_counted_at_once_and_listed_on_the_way(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log, counts = Tank(sim).start(), [], []
    sim.process(swing(tank, log))

    def look() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: tank.level >= 0.5)
            yield ev.until(lambda: tank.level <= 0.25)
            counts.append((len(sim._conditions), check_lists(sim)))

    sim.process(look())
    sim.run(until=4.9)
    assert [when for _, _, when in log] == [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5]
    assert counts == [(1, 1)] * 4
    assert check_lists(sim) == 2


@COMPILED
def test_what_is_true_already_is_due_at_the_time_itself_not_a_float_later(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def overflow() -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level >= 0.0)
        log.append(sim.time)
        yield ev.hold(1.0)
        yield ev.until(lambda: tank.level >= 0.5)
        log.append(sim.time)

    sim.process(overflow())
    sim.run(until=3.0)
    assert log == [0.0, 1.0]


@COMPILED
def test_what_is_true_already_is_due_although_another_event_comes_between(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def overflow() -> ev.ProcessGenerator:
        for _ in range(4):
            yield ev.until(lambda: tank.level >= 1.0)
            log.append(("over", sim.time))
            if len(log) == 2:  # who is next at this instant touches nothing
                sim.process(passing())

    def passing() -> ev.ProcessGenerator:
        log.append(("passing", sim.time))
        yield ev.hold(0.0)
        log.append(("passed", sim.time))

    sim.process(overflow())
    sim.run(until=3.0)
    (_, first), *_ = log
    assert first == pytest.approx(1.0, abs=1e-12)
    assert log == [(what, first) for what in ("over", "over", "passing", "passed", "over", "over")]


@COMPILED
def test_who_returns_may_be_interrupted_before_time_goes_on(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def waiting() -> ev.ProcessGenerator:
        while True:
            try:
                yield ev.until(lambda: tank.level >= 1.0)
                tank.level = 0.0
                sim.process(disturbing())
            except ev.Interrupt:
                log.append(("interrupted", round(sim.time, 9), len(sim._conditions), check_lists(sim)))
                yield ev.hold(0.25)

    def disturbing() -> ev.ProcessGenerator:
        log.append(("disturbing", round(sim.time, 9), len(sim._conditions), check_lists(sim)))
        process.interrupt()
        yield ev.hold(0.0)

    process = sim.process(waiting())
    sim.run(until=3.5)
    wanted = [(what, when, count, count) for when in (1.0, 2.0, 3.0) for what, count in STAGES]
    assert log == wanted


STAGES = (("disturbing", 1), ("interrupted", 0))


@COMPILED
def test_who_returns_may_leave_in_the_same_event(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def ended() -> ev.ProcessGenerator:
        yield ev.hold(0.0)

    def is_full() -> bool:
        return tank.level >= 1.0

    def waiting() -> ev.ProcessGenerator:
        over = sim.process(ended())
        for _ in range(3):
            yield ev.until(is_full)
            tank.level = 0.0
            got = yield ev.first_of(full=ev.until(is_full), over=over)
            log.append((round(sim.time, 9), got.name, len(sim._conditions), check_lists(sim)))

    sim.process(waiting())
    sim.run(until=3.5)
    assert log == [(float(k), "over", 0, 0) for k in (1, 2, 3)]


@COMPILED
def test_several_who_return_in_one_event_each_keep_their_place(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tanks = [Tank(sim, level=-0.125 * k).start() for k in range(3)]
    one, two, three = tanks
    log: list[Any] = []

    def waiting() -> ev.ProcessGenerator:
        for _ in range(4):
            yield ev.all_of(
                first=ev.until(lambda: one.level >= 1.0),
                second=ev.until(lambda: two.level >= 1.0),
                third=ev.until(lambda: three.level >= 1.0),
            )
            log.append((round(sim.time, 9), check_lists(sim)))
            for k, tank in enumerate(tanks):
                tank.level = -0.125 * k

    sim.process(waiting())
    sim.run(until=6.0)
    assert log == [(1.25 * k, 0) for k in range(1, 5)]
    assert len(sim.monitor.integrator.guards.at) == 3


@COMPILED
def test_who_is_at_rest_has_a_place(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def climb() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: tank.level >= 0.25)
            yield ev.until(lambda: tank.level >= 0.5)
            yield ev.until(lambda: tank.level >= 0.75)
            yield ev.until(lambda: tank.level >= 1.0)
            log.append((round(sim.time, 9), check_lists(sim)))
            tank.level = 0.0

    sim.process(climb())
    sim.run(until=3.5)
    assert log == [(1.0, 0), (2.0, 0), (3.0, 0)]


@COMPILED
def test_entries_of_those_who_have_left_make_room(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tank, log = Tank(sim).start(), []

    def climb() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: tank.level >= tank.limit)
            log.append((round(sim.time, 9), check_lists(sim)))
            tank.limit += 0.25

    def wait_long(level: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: tank.level >= level)
        log.append((round(sim.time, 9), check_lists(sim)))

    sim.process(climb())
    for level in (1.625, 1.75, 2.125):
        sim.process(wait_long(level))
    sim.run(until=1.9)
    wanted = [(0.25 * k, 3) for k in range(1, 7)] + [(1.625, 3), (1.75, 2), (1.75, 1)]
    assert log == wanted


def test_a_wait_of_another_kind_in_between_is_found_as_well() -> None:
    sim = ev.Simulation()
    tank, log = Tank(sim).start(), []

    def waiting() -> ev.ProcessGenerator:
        for number in range(9):
            if number % 3 == 2:
                yield ev.until(lambda: tank.level >= 0.75)
            yield ev.until(lambda: tank.level >= 1.0)
            log.append(round(sim.time, 9))
            tank.level = 0.0

    sim.process(waiting())
    sim.run(until=20.0)
    assert log == [float(k) for k in range(1, 10)]
    assert (sim.report().certified, len(sim.monitor.integrator.guards.at)) == (2, 2)


@COMPILED
def test_events_of_two_flows_at_one_instant_touch_both(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    tanks, log = [Tank(sim, name=name).start() for name in ("one", "other")], []

    def turn(tank: Tank) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: tank.level >= 1.0)
            opened = len(sim.monitor.integrator.touched)
            log.append((tank.name, round(sim.time, 9), [round(each.level, 9) for each in tanks], opened))
            tank.level = 0.0

    for tank in tanks:
        sim.process(turn(tank))
    sim.run(until=3.5)
    first, second = ("one", [1, 1], 2), ("other", [0, 1], 1)
    assert log == [(name, when, *rest) for when in (1.0, 2.0, 3.0) for name, *rest in (first, second)]
