"""Promise 1: one total order of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


@pytest.mark.row("R-046", "R-132")
def test_one_instant_in_its_whole_order(simulate: Simulate) -> None:
    """Fronts, time events in list order, the end of the instant, then conditions, each an event of its own."""
    sim = simulate()
    ramp = Ramp(sim).start()
    desk, bell = ev.Resource(sim, 1), ev.Signal(sim)
    log: list[Any] = []

    def told(name: str, *then: Callable[[], Any]) -> ev.ProcessGenerator:
        log.append(name)
        for act in then:
            act()
        yield ev.hold(0.0)
        log.append(f"{name} again")

    def start(name: str, *then: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: sim.process(told(name, *then), name=name)

    def at_one(name: str, *then: Callable[[], Any]) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        log.append(name)
        for act in then:
            act()

    def holder() -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            yield ev.hold(1.0)
            log.append("holder releases")

    def wisher() -> ev.ProcessGenerator:
        with desk.request() as place:
            yield place
            log.append("granted")

    def hearer() -> ev.ProcessGenerator:
        yield bell
        log.append("heard")

    def waiter(name: str, priority: float) -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 1.0 and ramp.x > 0.0, priority=priority)
        log.append(name)

    for name, priority in (("low", -1.0), ("plain", 0.0), ("high", 1.0)):
        sim.process(waiter(name, priority), name=name)
    sim.process(holder())
    sim.process(wisher())
    sim.process(hearer())
    sim.process(at_one("A", start("B", start("D")), start("C")))
    sim.process(at_one("E", bell.send))
    last = sim.process(at_one("F"))
    early = sim.process(at_one("G"))

    def schedule() -> ev.ProcessGenerator:
        early.reactivate(at=1.0, prior=True)
        sim.process(told("H"), name="H").reactivate(before=last)
        yield ev.hold(0.5)

    sim.process(schedule())
    sim.run(until=1.5)
    assert log == [
        *("G", "holder releases", "A", "B", "D", "C", "E", "H", "F"),
        *("granted", "B again", "D again", "C again", "heard", "H again"),
        *("high", "plain", "low"),
    ]


@pytest.mark.row("R-135", "R-148")
def test_after_each_state_event_the_list_is_tested_from_its_start(simulate: Simulate) -> None:
    sim = simulate()
    ramp = Ramp(sim).start()
    log: list[Any] = []

    def waiter(name: str, priority: float, *then: Callable[[], Any]) -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 1.0, priority=priority)
        log.append((name, round(sim.time, 9)))
        for act in then:
            act()

    sim.process(waiter("third", 0.0))
    sim.process(waiter("second", 1.0, lambda: setattr(ramp, "x", 0.75)))
    sim.process(waiter("first", 2.0, lambda: sim.process(waiter("newcomer", 3.0))))
    sim.run()
    assert log == [("first", 1.0), ("newcomer", 1.0), ("second", 1.0), ("third", 1.25)]


def test_state_events_of_several_flows_at_one_float_stand_in_list_order(simulate: Simulate) -> None:
    sim = simulate()
    log: list[Any] = []

    class Timed(Ramp):
        rank: float = 0.0

        @ev.when(lambda self: self.x >= 0.5)
        def half(self) -> None:
            log.append((self.name, self.sim.time))

    def waiter(ramp: Timed) -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 0.5, priority=ramp.rank)
        log.append((ramp.rank, sim.time))

    ramps = [Timed(sim, name=f"ramp {k}", rank=float(k % 3)) for k in range(6)]
    for ramp in reversed(ramps):
        ramp.start()
        sim.process(waiter(ramp))
    sim.run(until=1.0)
    assert len({time for _, time in log}) == 1
    handlers = [f"ramp {k}" for k in range(5, -1, -1)]
    assert [who for who, _ in log] == [2.0, 2.0, 1.0, 1.0, *handlers, 0.0, 0.0]


@pytest.mark.parametrize("count", [2, 5])
def test_handlers_and_processes_of_equal_priority_stand_by_arrival(simulate: Simulate, count: int) -> None:
    sim = simulate()
    log: list[str] = []

    class Timed(ev.Continuous):
        @ev.when(lambda self: self.sim.time >= 1.0)
        def due(self) -> None:
            log.append(self.name)

    def waiter(name: str) -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time >= 1.0)
        log.append(name)

    def story() -> ev.ProcessGenerator:
        for k in range(count):
            Timed(sim, name=f"handler {k}").start()
            yield ev.hold(0.01)
            sim.process(waiter(f"process {k}"))
            yield ev.hold(0.01)

    sim.process(story())
    sim.run(until=2.0)
    assert log == [f"{kind} {k}" for k in range(count) for kind in ("handler", "process")]


def test_state_events_at_a_jump_of_an_input_stand_by_priority_in_whatever_flows(simulate: Simulate) -> None:
    sim = simulate()
    log: list[Any] = []
    rises = ev.inputs.Step(0.5, 1.0, -1.0)

    class Beside(Ramp):
        @ev.when(lambda self: self.x <= rises(self.sim.time))
        def late(self) -> None:
            log.append((self.name, "late", self.sim.time))

        @ev.when(lambda self: self.x <= rises(self.sim.time), priority=1.0)
        def soon(self) -> None:
            log.append((self.name, "soon", self.sim.time))

    class Alone(ev.Continuous):
        @ev.when(lambda self: rises(self.sim.time) >= 0.0, priority=2.0)
        def first(self) -> None:
            log.append((self.name, "first", self.sim.time))

    for name in ("a", "b"):
        Beside(sim, name=name).start()
        Alone(sim, name=name).start()
    sim.run(until=1.0)
    assert log == [(name, word, 0.5) for word in ("first", "soon", "late") for name in ("a", "b")]


class Driven(ev.Continuous):
    """Its handler waits for an input that jumps at an instant at which a process acts as well."""

    x: ev.State = ev.state(0.0)
    drive: ev.inputs.Pulse
    log: list[str]

    def equations(self) -> None:
        self.rate.x = self.drive(self.sim.time)

    @ev.when(lambda self: self.drive(self.sim.time) > 0.5)
    def rises(self) -> None:
        self.log.append(self.name)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 3])
def test_time_events_come_before_what_an_input_makes_true_at_their_instant(
    simulate: Callable[..., ev.Simulation], count: int
) -> None:
    log: list[str] = []
    sim, drive = simulate(), ev.inputs.Pulse(10.0, 5.0, width=1.0)
    names = [f"d{k}" for k in range(count)]
    for name in names:
        Driven(sim, name=name, drive=drive, log=log).start()

    def process() -> ev.ProcessGenerator:
        for _ in range(2):
            yield ev.tick(5.0)
            log.append("process")
            yield ev.hold(0.0)
            log.append("again")

    sim.process(process())
    sim.run(until=7.0)
    assert log == ["process", "again", *names]
