"""Promise 7: both sides of an event are visible, to reporters and in recordings."""

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


class Look(ev.Reporter):
    ramp: Ramp
    log: list

    def report(self) -> None:
        self.log.append((round(self.sim.time, 9), round(self.ramp.x, 9)))


def story(sim: ev.Simulation, ramp: Ramp) -> ev.ProcessGenerator:
    yield ev.hold(0.75)
    ramp.x = 10.0
    yield ev.until(lambda: ramp.x >= 10.6)
    ramp.x = 0.0


@pytest.mark.row("R-028", "R-029", "R-100", "R-101", "R-102", "R-103", "R-111")
@pytest.mark.parametrize("every", ["event", 0.5])
def test_reporters_run_just_before_and_just_after_every_event(simulate: Simulate, every: Any) -> None:
    sim = simulate()
    ramp = Ramp(sim).start()
    look = Look(sim, ramp=ramp, log=[], every=every).start()
    sim.process(story(sim, ramp))
    sim.run(until=1.75)
    begun = [(0.0, 0.0), (0.0, 0.0)]
    first, second = [(0.75, 0.75), (0.75, 10.0)], [(1.35, 10.6), (1.35, 0.0)]
    between = [] if every == "event" else [(0.5, 0.5)], [] if every == "event" else [(1.0, 10.25)]
    later = [] if every == "event" else [(1.5, 0.15)]
    assert look.log == [*begun, *between[0], *first, *between[1], *second, *later, (1.75, 0.4)]


@pytest.mark.row("R-042", "R-113")
@pytest.mark.parametrize(
    ("options", "grid"),
    [
        ({"every": 0.25}, [0.25, 0.5, 1.0, 1.25, 1.5]),
        ({"every": "event"}, []),
        ({"every": 0.25, "events": False}, None),
    ],
    ids=["grid", "events", "grid without events"],
)
def test_a_recording_keeps_two_rows_where_an_event_changed_what_it_reads(
    simulate: Simulate, options: dict[str, Any], grid: list[float] | None
) -> None:
    sim = simulate()
    ramp = Ramp(sim, name="ramp").start()
    recording = sim.record(ramp, **options)
    sim.process(story(sim, ramp))
    sim.run(until=1.75)
    rows = [(round(t, 9), round(x, 9)) for t, x in zip(recording.times, recording["ramp.x"], strict=True)]
    value = {0.25: 0.25, 0.5: 0.5, 1.0: 10.25, 1.25: 10.5, 1.5: 0.15}
    both = {0.75: [(0.75, 0.75), (0.75, 10.0)], 1.35: [(1.35, 10.6), (1.35, 0.0)]}
    if grid is None:
        assert rows == [
            *[(0.25 * k, 0.25 * k) for k in range(3)],
            *[(0.75, 10.0), (1.0, 10.25), (1.25, 10.5), (1.5, 0.15), (1.75, 0.4)],
        ]
        return
    inner = sorted([*grid, *both])
    expected = [row for time in inner for row in both.get(time, [(time, value.get(time, 0.0))])]
    starts = [row for row in rows if row[0] == 0.0]
    assert set(starts) == {(0.0, 0.0)}
    assert rows[len(starts) :] == [*expected, (1.75, 0.4)]


def test_states_rates_and_computed_values_in_an_event_are_those_of_its_instant(simulate: Simulate) -> None:
    sim = simulate(rel_error=1e-10, abs_error=1e-12)
    log: list[Any] = []

    class Swing(ev.Continuous):
        x: ev.State = ev.state(0.0)
        y: ev.State = ev.state(1.0)
        power: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.rate.x = self.y
            self.rate.y = -self.x
            self.power = self.x * self.y

        @ev.when(lambda self: self.x >= 0.6)
        def high(self) -> None:
            log.append([round(v, 8) for v in (self.x, self.y, self.rate.x, self.rate.y, self.power)])
            self.x = 0.0
            log.append([round(v, 8) for v in (self.x, self.rate.y, self.power)])

    Swing(sim).start()
    sim.run(until=0.7)
    assert log == [[0.6, 0.8, 0.8, -0.6, 0.48], [0.0, -0.6, 0.48]]
