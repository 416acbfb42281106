"""Promise 5: output never changes the run."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Prey(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.5)
    share: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.share = self.x / (self.x + self.y)
        self.rate.x = self.x * (1.0 - self.y)
        self.rate.y = self.y * (self.x - 1.0)

    @ev.when(lambda self: self.x >= 1.2)
    def many(self) -> None:
        self.log.append((self.sim.time, self.x, self.y, self.share))
        self.x -= 0.1


class Look(ev.Reporter):
    prey: Prey
    seen: list = ev.field(default_factory=list)

    def report(self) -> None:
        self.seen.append((self.prey.x, self.prey.rate.y, self.prey.share, self.sim.dt))


Watch = Callable[[ev.Simulation, Prey], Callable[[], int]]
"""Begins to look, and answers how to ask how often it has."""


def run(simulate: Simulate, watch: Watch | None = None) -> list[Any]:
    sim = simulate()
    prey = Prey(sim).start()
    looks = watch(sim, prey) if watch is not None else lambda: 1

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(sim.stream("gaps").exponential(0.7))
            prey.log.append(("event", sim.time, prey.y))
            prey.y += 0.01

    sim.process(story())
    sim.run(until=20.0)
    assert looks() > 0
    report = sim.report()
    return [*prey.log, sim.time, prey.x, prey.y, report.steps, report.refused, report.evaluations, report.state_events]


def recorded(**options: Any) -> Watch:
    def watch(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
        recording = sim.record(prey, **options)
        return lambda: len(recording.times)

    return watch


def reported(every: Any) -> Watch:
    def watch(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
        seen = Look(sim, prey=prey, every=every).start().seen
        return lambda: len(seen)

    return watch


def traced(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
    told: list[ev.Occurrence] = []
    sim.trace = told.append
    return lambda: len(told)


def logged(sim: ev.Simulation, prey: Prey) -> Callable[[], int]:
    log = sim.log()
    return lambda: len(log)


WATCHING: dict[str, Watch] = {
    "grid": recorded(every=0.013),
    "steps": recorded(every="step"),
    "events": recorded(every="event"),
    "grid without events": recorded(every=0.1, events=False),
    "reporter": reported(0.07),
    "reporter of steps": reported("step"),
    "trace": traced,
    "log": logged,
}


@pytest.mark.row("R-042", "R-114")
@pytest.mark.parametrize("what", WATCHING)
def test_whoever_looks_changes_no_bit(simulate: Simulate, what: str) -> None:
    plain = run(simulate)
    assert len(plain) > 30
    assert run(simulate, WATCHING[what]) == plain


def run_with_waits(simulate: Simulate, seed: int, watch: Watch | None = None) -> list[Any]:
    """Processes wait for conditions of which it is found out as they run whom they touch: these join flows."""
    sim, log = simulate(), []
    preys = [Prey(sim, x=1.0 + 0.1 * k, y=0.5 + 0.2 * k).start() for k in range(4)]
    if watch is not None:
        watch(sim, preys[0])
        watch(sim, preys[3])

    def waits(number: int) -> ev.ProcessGenerator:
        draws = Random(f"{seed} {number}")
        while True:
            i, j, level = draws.randrange(4), draws.randrange(4), draws.uniform(-0.5, 0.5)
            yield ev.until(lambda: preys[i].x - preys[j].y > level)  # noqa: B023  # over before they change
            log.append((number, sim.time))
            yield ev.hold(draws.uniform(0.05, 1.5))

    for number in range(2):
        sim.process(waits(number))
    sim.run(until=4.0)
    return [*log, *[prey.log for prey in preys], *[(prey.x, prey.y) for prey in preys]]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["grid", "steps", "events", "reporter"])
def test_whoever_looks_changes_no_bit_where_flows_join_as_conditions_run(simulate: Simulate, what: str) -> None:
    for seed in range(2):
        assert run_with_waits(simulate, seed, WATCHING[what]) == run_with_waits(simulate, seed)
