"""Where nothing moves and no condition is waited for, observers see the same as if the stepper were asked each time."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev
from eventide.continuous import Integrator
from eventide.monitor import Monitor


class Look(ev.Reporter):
    log: list[Any]

    def report(self) -> None:
        self.log.append((self.sim.time, self.sim.last_time, self.sim.dt, self.sim.active, self.sim.events))


def bring(sim: ev.Simulation, store: ev.Store, level: ev.Level) -> ev.ProcessGenerator:
    draws = sim.stream("bring")
    while True:
        yield ev.hold(0.25 * int(draws.uniform(0.0, 4.0)))
        level.set(level.value + 1)
        yield store.put(object())


def fetch(sim: ev.Simulation, store: ev.Store, desk: ev.Resource) -> ev.ProcessGenerator:
    draws = sim.stream("fetch")
    while True:
        yield store.get()
        with desk.request() as place:
            yield place
            yield ev.hold(draws.exponential(0.5))


def observed(seed: int) -> list[Any]:
    """What all kinds of observers have seen of a run in several parts, in which some begin and end."""
    sim = ev.Simulation(seed=seed, compile=False)
    store, desk, level = ev.Store(sim, 3, name="store"), ev.Resource(sim, 2, name="desk"), ev.Level(clock=sim)
    log: list[Any] = []
    looks = [Look(sim, log=log, every=every).start() for every in ("event", "step", 0.75)]
    things: dict[str, Any] = {"now": lambda: sim.time, "level": level}
    kept = [sim.record(store, desk, things, every=every) for every in ("event", "step", 0.5)]
    kept.append(sim.record(things, every=0.5, events=False))
    area = sim.integral(lambda: sim.time * level.value)
    sim.process(bring(sim, store, level))
    for _ in range(2):
        sim.process(fetch(sim, store, desk))
    sim.run(until=5.0)
    looks[0].stop()
    level.set(0.5)
    for _ in range(3):
        sim.step()
    kept.append(sim.record(store, every=0.4))
    sim.run(until=12.0)
    rows = [(one.times.tolist(), one.sides.tolist(), [one[c.name].tolist() for c in one.columns]) for one in kept]
    return [log, rows, area.value, area.maximum, sim.events]


@pytest.mark.parametrize("seed", range(8))
def test_observers_see_the_same_whether_or_not_the_stepper_is_asked(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = observed(seed)
    monkeypatch.setattr(Monitor, "_only_observes", lambda monitor, due: False)
    assert seen == observed(seed)


def test_the_stepper_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = ev.Simulation()
    store = ev.Store(sim, 3, name="store")
    recording = sim.record(store, every="event")
    asked: list[float] = []
    proceed = Integrator.proceed

    def note(integrator: Integrator, stop: float, next_event: float) -> int:
        asked.append(stop)
        return proceed(integrator, stop, next_event)

    monkeypatch.setattr(Integrator, "proceed", note)
    sim.process(bring(sim, store, ev.Level(clock=sim)))
    sim.run(until=1.5)
    assert asked == [1.5]
    assert len(recording) > 2


def test_a_count_that_no_column_can_tell_apart_has_not_changed() -> None:
    sim = ev.Simulation()
    level = ev.Level(2**53, clock=sim)
    recording = sim.record({"level": level}, every=1.0)

    def count() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        level.change(1)
        yield ev.hold(1.0)
        level.change(1)

    sim.process(count())
    sim.run(until=2.0)
    assert recording.times.tolist() == [0.0, 1.0, 1.5, 1.5, 2.0]
