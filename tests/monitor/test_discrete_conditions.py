"""Waits for conditions that only events change: in which order they come, and when they are the stepper's after all."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

import eventide as ev


@pytest.fixture(params=["auto", False])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(compile=request.param, rel_error=1e-9, abs_error=1e-9)


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: float = 1.0

    def equations(self) -> None:
        self.rate.level = self.inflow


def told(log: list[Any], sim: ev.Simulation, name: str, command: Any) -> ev.ProcessGenerator:
    yield command
    log.append((name, sim.time))


def at(time: float, act: Any) -> ev.ProcessGenerator:
    yield ev.hold(time)
    act()


def test_those_true_at_once_come_by_priority_then_prior_then_arrival(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(count=0), []
    for name, given in {"a": {}, "b": {}, "first": {"prior": True}, "high": {"priority": 1}}.items():
        sim.process(told(log, sim, name, ev.until(lambda: box.count > 0, **given)))
    sim.process(told(log, sim, "low", ev.until(lambda: box.count > 0, priority=-1)))
    sim.process(told(log, sim, "two", ev.until(lambda: box.count > 1)))
    sim.process(at(2.0, lambda: setattr(box, "count", 1)))
    sim.process(at(3.0, lambda: setattr(box, "count", 2)))
    sim.run()
    assert log == [("high", 2.0), ("first", 2.0), ("a", 2.0), ("b", 2.0), ("low", 2.0), ("two", 3.0)]


def test_one_that_an_event_makes_false_again_does_not_come(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(free=0), []

    def take(name: str) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: box.free > 0)
            box.free -= 1
            log.append((name, sim.time))
            yield ev.hold(1.0)

    def flash() -> None:
        box.free = 1
        box.free = 0

    for name in ("a", "b", "c"):
        sim.process(take(name))
    sim.process(at(1.0, flash))
    sim.process(at(2.0, lambda: setattr(box, "free", 2)))
    sim.process(at(2.5, lambda: setattr(box, "free", 1)))
    sim.process(at(4.0, lambda: setattr(box, "free", 1)))
    sim.run(until=5.0)
    assert log == [("a", 2.0), ("b", 2.0), ("c", 2.5), ("a", 4.0)]


def test_time_events_of_the_instant_come_before_it_and_the_end_of_the_run_does(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(is_on=False), []

    def switch() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        box.is_on = True
        sim.process(told(log, sim, "made", ev.hold(0.0)))
        log.append(("switch", sim.time))

    sim.process(told(log, sim, "wait", ev.until(lambda: box.is_on)))
    sim.process(switch())
    sim.process(told(log, sim, "hold", ev.hold(1.0)))
    sim.run(until=1.0)
    assert log == []
    box.is_on = False
    sim.run(until=2.0)
    assert log == [("switch", 1.0), ("hold", 1.0), ("made", 1.0), ("wait", 1.0)]


@pytest.mark.parametrize("reads", ["directly", "by a function", "by a statistic"])
def test_one_that_reads_the_clock_comes_as_time_goes_on(sim: ev.Simulation, reads: str) -> None:
    level, log = sim.level("queue", initial=4.0), []

    def late() -> bool:
        return sim.time >= 3.0

    conditions: dict[str, Any] = {
        "directly": lambda: level.value > 8.0 or sim.time >= 3.0,
        "by a function": lambda: level.value > 8.0 or late(),
        "by a statistic": lambda: level.mean <= 1.0,
    }
    sim.dt_max = 0.25  # one that cannot be read is tested at steps
    sim.process(told(log, sim, reads, ev.until(conditions[reads])))
    sim.process(told(log, sim, "other", ev.until(lambda: level.value == 0.0)))
    sim.process(at(1.0, lambda: level.set(0.0)))
    sim.run(until=10.0)
    assert log == [("other", 1.0), (reads, pytest.approx({"by a statistic": 4.0}.get(reads, 3.0)))]


def test_one_that_came_to_read_the_clock_is_found(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(is_open=False), []
    sim.process(told(log, sim, "wait", ev.until(lambda: box.is_open and sim.time >= 5.0)))
    sim.process(at(1.0, lambda: setattr(box, "is_open", True)))
    sim.run(until=10.0)
    assert log == [("wait", 5.0)]


def test_once_something_moves_all_are_monitored_within_steps(sim: ev.Simulation) -> None:
    tank, box, log = Tank(sim), SimpleNamespace(count=0), []
    sim.process(told(log, sim, "level", ev.until(lambda: tank.level >= 1.5)))
    sim.process(told(log, sim, "count", ev.until(lambda: box.count > 0, priority=3)))
    sim.process(at(1.0, tank.start))
    sim.process(at(2.5, lambda: setattr(box, "count", 1)))
    sim.process(at(3.0, tank.stop))
    sim.process(at(4.0, lambda: sim.process(told(log, sim, "again", ev.until(lambda: box.count > 1)))))
    sim.process(at(5.0, lambda: setattr(box, "count", 2)))
    sim.run()
    assert log == [("level", pytest.approx(2.5)), ("count", 2.5), ("again", 5.0)] or log == [
        ("count", 2.5),
        ("level", pytest.approx(2.5)),
        ("again", 5.0),
    ]
    report = sim.report()
    assert report.certified == 3  # two, and one anew as `count` has changed; `again` began when nothing moved


@pytest.mark.parametrize("start", [0.0, 0.5])
def test_the_stepper_keeps_a_wait_that_was_tested_at_events_before(sim: ev.Simulation, start: float) -> None:
    tank, log = Tank(sim, inflow=-1.0), []

    def wait() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: tank.inflow < 0.0 or tank.level >= 1.0)
            log.append(sim.time)
            tank.inflow, tank.level = 1.0, 0.0
            if not start and not tank.active:
                tank.start()

    sim.process(wait())
    if start:
        sim.process(at(start, tank.start))
    sim.run(until=30.75)
    assert log == pytest.approx([0.0, *[start + number for number in range(1, 31)]])
    assert sim.report().certified <= 2


class Lamp(ev.Continuous):
    is_on: bool = False
    log: list[Any] = ev.field(default_factory=list)

    @ev.when(lambda self: self.is_on)
    def shine(self) -> None:
        self.log.append(("lamp", self.sim.time))


@pytest.mark.parametrize("priority", [-1.0, 1.0])
def test_they_stand_in_one_order_with_handlers(sim: ev.Simulation, priority: float) -> None:
    log: list[Any] = []
    lamp = Lamp(sim, log=log).start()

    def blink() -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.hold(1.0)
            lamp.is_on = True
            yield ev.hold(0.5)
            lamp.is_on = False

    def see() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: lamp.is_on, priority=priority)
            log.append(("see", sim.time))
            yield ev.until(lambda: not lamp.is_on)

    sim.process(see())
    sim.process(blink())
    sim.run(until=5.0)
    names = ["see", "lamp"] if priority > 0.0 else ["lamp", "see"]
    assert log == [(name, time) for time in (1.0, 2.5, 4.0) for name in names]


def test_a_wait_that_comes_after_nothing_was_waited_for_is_tested(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(free=1), []

    def work(pause: float) -> ev.ProcessGenerator:
        for _ in range(3):
            yield ev.until(lambda: box.free > 0)
            box.free -= 1
            log.append(sim.time)
            yield ev.hold(1.0)
            box.free += 1
            yield ev.hold(pause)

    sim.process(work(1.0))
    sim.run()
    assert log == [0.0, 2.0, 4.0]


def test_an_interrupt_withdraws_it_and_it_can_be_waited_for_again(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(count=0), []

    def wait() -> ev.ProcessGenerator:
        while True:
            try:
                yield ev.until(lambda: box.count > 0)
                box.count = 0
                log.append(("count", sim.time))
            except ev.Interrupt as interrupt:
                log.append((interrupt.cause, sim.time))

    process = sim.process(wait())
    sim.process(at(1.0, lambda: process.interrupt("stop")))
    sim.process(at(2.0, lambda: setattr(box, "count", 1)))
    sim.process(told(log, sim, "either", ev.first_of(none=ev.until(lambda: box.count > 7), time=ev.hold(3.0))))
    sim.run(until=5.0)
    assert log == [("stop", 1.0), ("count", 2.0), ("either", 3.0)]
    assert [wait.condition[:6] for wait in sim.waits] == ["lambda"]


def test_an_error_of_a_condition_is_told_and_it_goes_on_waiting(sim: ev.Simulation) -> None:
    box, log = SimpleNamespace(items=[1]), []
    sim.process(told(log, sim, "wait", ev.until(lambda: box.items[0] > 3)), name="one")
    sim.process(at(1.0, box.items.clear))
    with pytest.raises(IndexError) as error:
        sim.run()
    assert error.value.__notes__[0] == "in the condition of one at time 1.0"
    assert type(sim) is ev.Simulation
    box.items.append(4)
    sim.run()
    assert log == [("wait", 1.0)]


def test_it_may_not_be_true_without_end_at_one_instant(sim: ev.Simulation) -> None:
    box = SimpleNamespace(count=0)

    def loop() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: box.count >= 0)
            box.count += 1

    sim.process(loop(), name="loop")
    with pytest.raises(ev.ModelError, match=r"time does not go beyond 0.0: loop \(1001 times\) fired at this instant"):
        sim.run()
    assert box.count == 1000


def test_one_that_is_true_at_many_instants_goes_on(sim: ev.Simulation) -> None:
    box = SimpleNamespace(count=0)

    def loop() -> ev.ProcessGenerator:
        while box.count < 1500:
            yield ev.until(lambda: box.count >= 0)
            box.count += 1
            yield ev.hold(0.5)

    sim.process(loop())
    sim.run()
    assert sim.time == 750.0


class Counter(ev.Continuous):
    """Whose handler is native code after some events."""

    beats: int = 0
    is_up: bool = False

    @ev.when(lambda self: self.is_up)
    def count(self) -> None:
        self.beats += 1


def test_handlers_that_are_native_code_tell_them(sim: ev.Simulation) -> None:
    counter, log = Counter(sim).start(), []

    def beat() -> ev.ProcessGenerator:
        for _ in range(200):
            yield ev.hold(1.0)
            counter.is_up = True
            yield ev.hold(0.5)
            counter.is_up = False

    def look() -> ev.ProcessGenerator:
        for number in range(10, 200, 10):
            yield ev.until(lambda: counter.beats >= number)  # noqa: B023  # it waits for it at once
            log.append((counter.beats, sim.time))

    sim.process(beat())
    sim.process(look())
    sim.run(until=400.0)
    assert log == [(number, 1.5 * number - 0.5) for number in range(10, 200, 10)]


class Box(ev.Component):
    count: int = 0


@pytest.mark.slow
def test_what_rows_change_makes_them_true() -> None:
    def run(**options: Any) -> tuple[list[Any], int]:
        sim, log = ev.Simulation(**options), []
        box = Box(sim)

        def make() -> ev.ProcessGenerator:
            for _ in range(60_000):
                yield ev.hold(0.5)
                box.count += 1

        def take() -> ev.ProcessGenerator:
            yield ev.hold(500.25)
            for number in range(59_000, 59_010):
                yield ev.until(lambda: box.count > number)  # noqa: B023  # it waits for it at once
                log.append((number, sim.time))

        sim.process(make())
        sim.process(take())
        sim.run()
        return log, sim.events

    assert run() == run(compile=False)


def test_each_is_tested_once_after_the_events_of_an_instant() -> None:
    sim, tests, box = ev.Simulation(compile=False), count(), SimpleNamespace(count=0)

    def many() -> bool:
        return next(tests) >= 0 and box.count >= 5

    log: list[Any] = []
    sim.process(told(log, sim, "many", ev.until(many)))
    for time in (1.0, 1.0, 1.0, 2.0, 3.0):
        sim.process(at(time, lambda: setattr(box, "count", box.count + 1)))
    sim.run()
    assert (log, next(tests)) == ([("many", 3.0)], 4)


class Clock(ev.Simulation):
    """With an attribute of its own and a method that a condition calls; no class can be made of it."""

    count = 0

    def __init_subclass__(cls, *, what: str) -> None:
        raise AssertionError(what)

    def is_full(self) -> bool:
        return self.count > 1 and type(self).__name__ == "Clock"


def test_the_simulation_may_be_of_a_class_of_its_own(sim: ev.Simulation) -> None:
    clock, log = Clock(compile=sim.compile), []
    clock.process(told(log, clock, "full", ev.until(clock.is_full)))
    for time in (1.0, 2.0):
        clock.process(at(time, lambda: setattr(clock, "count", clock.count + 1)))
    clock.run()
    assert (log, type(clock)) == ([("full", 2.0)], Clock)


def test_what_closes_over_an_object_of_another_simulation_later_is_refused(sim: ev.Simulation) -> None:
    tanks = [Tank(sim), Tank(ev.Simulation(), name="foreign")]

    def wait() -> ev.ProcessGenerator:
        for tank in tanks:
            yield ev.until(lambda: tank.inflow > 0.0)  # noqa: B023  # it is what is tried

    sim.process(wait(), name="wait")
    with pytest.raises(ev.ModelError, match="condition of wait may not refer to foreign, which belongs to another"):
        sim.run()


def test_who_waits_so_that_all_is_python_is_told() -> None:
    sim, box, told = ev.Simulation(), SimpleNamespace(count=0), []

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: max(box.count, 0) > 3)

    for _ in range(6):
        sim.process(wait())
    sim.process(at(1.0, lambda: told.append(str(sim.explain()).splitlines()[-1])))
    sim.process(at(2.0, lambda: setattr(box, "count", 4)))
    sim.run()
    assert told == [
        (
            "processes are Python while wait 1 ... wait 6 (6) wait for what only events change; native code goes on "
            "beside conditions that compare numbers, words and modes of plain objects, and itself waits for resources, "
            "stores, signals and ends of processes"
        )
    ]
    assert "only events change" not in str(sim.explain())


def test_one_that_cannot_be_read_is_told_of_where_native_code_is_asked_for() -> None:
    sim = ev.Simulation(compile=True)
    stock = sim.level("stock")

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: stock.value > 3.0)

    sim.process(wait(), name="buyer")
    with pytest.warns(ev.IdleWarning, match="nothing can happen any more, and buyer waits for until"):
        sim.run(until=5.0)
    assert [wait.process.name for wait in sim.waits if wait.process] == ["buyer"]
