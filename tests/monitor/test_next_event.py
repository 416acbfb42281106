"""What the next event is, and that no step goes beyond it."""

from __future__ import annotations

import sys
from fractions import Fraction
from math import inf
from typing import Any

import pytest

import eventide as ev

MODES = [False, "auto"]
WAYS = ["apart", "together"]


class Ramp(ev.Continuous):
    """Rises with slope one."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


def holds(*durations: float) -> ev.ProcessGenerator:
    for duration in durations:
        yield ev.hold(duration)


@pytest.mark.row("R-030")
@pytest.mark.parametrize("compiles", MODES)
def test_the_step_before_an_event_is_what_remains_to_it_to_the_last_bit(compiles: Any) -> None:
    """Three tenths are no float: the clock stands at the one beside it, and what rounding took is made up for."""
    sim = ev.Simulation(rng=1, dt_max=0.1, stepping="together", compile=compiles)
    Ramp(sim).start()
    log: list[tuple[float, float, float]] = []

    class Steps(ev.Reporter):
        def report(self) -> None:
            if self.sim.dt > 0.0:
                log.append((self.sim.last_time, self.sim.dt, self.sim.time))

    Steps(sim).start()
    sim.process(holds(0.35))
    sim.run(until=0.5)
    tenth, event, end = Fraction(0.1), Fraction(0.35), Fraction(0.5)
    assert log == [
        (0.0, 0.1, 0.1),
        (0.1, 0.1, 0.2),
        (0.2, 0.1, float(3 * tenth)),
        (float(3 * tenth), float(event - 3 * tenth), 0.35),
        (0.35, 0.1, float(event + tenth)),
        (float(event + tenth), float(end - event - tenth), 0.5),
    ]
    assert float(3 * tenth) != 3 * tenth


@pytest.mark.row("R-033")
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiles", MODES)
def test_the_next_event_is_the_first_scheduled_or_a_state_event_before_it(compiles: Any, stepping: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles, stepping=stepping)
    ramp = Ramp(sim).start()
    log: list[Any] = []

    class Look(ev.Reporter):
        def report(self) -> None:
            log.append((round(self.sim.time, 12), "before" if self.sim.dt > 0.0 else "after", self.sim.peek()))

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: ramp.x >= 0.5)
        log.append("state event")
        yield ev.hold(0.75 - sim.time)
        log.append("time event")
        yield ev.until(lambda: ramp.x >= 2.5)
        log.append("state event")

    assert sim.peek() == inf
    Look(sim, every="event").start()
    sim.process(story())
    sim.process(holds(1.0))
    sim.run()
    assert log == [
        *[(0.0, "after", 0.0), (0.0, "after", 0.0), (0.0, "after", 1.0)],
        *[(0.5, "before", 1.0), "state event", (0.5, "after", 0.75)],
        *[(0.75, "before", 0.75), "time event", (0.75, "after", 1.0)],
        *[(1.0, "before", 1.0), (1.0, "after", inf)],
        *[(2.5, "before", inf), "state event", (2.5, "after", inf)],
    ]


@pytest.mark.row("R-033", "R-047")
@pytest.mark.parametrize("moves", [False, True], ids=["clock alone", "states"])
@pytest.mark.parametrize("compiles", MODES)
def test_where_nothing_is_scheduled_time_goes_to_the_largest_float(compiles: Any, moves: bool) -> None:
    sim = ev.Simulation(rng=1, compile=compiles)

    class Rests(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = 0.0

    rests = Rests(sim)
    if moves:
        rests.start()

    def waits() -> ev.ProcessGenerator:
        yield ev.until(lambda: rests.x < 0.0 or sim.time < 0.0)

    sim.process(waits())
    with pytest.raises(ev.SimulationError) as caught:
        sim.run()
    assert (caught.value.number, caught.value.time, sim.time) == (7, sys.float_info.max, sys.float_info.max)


@pytest.mark.row("R-034")
@pytest.mark.parametrize("compiles", MODES)
def test_together_no_event_lies_inside_a_step_and_no_law_looks_beyond_one(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, dt_max=0.25, stepping="together", compile=compiles)
    log: list[Any] = []
    looked: list[tuple[float, float]] = []

    class Looks(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            self.rate.x = 1.0
            looked.append((self.sim.time, self.sim.peek()))

    class Steps(ev.Reporter):
        def report(self) -> None:
            if self.sim.dt > 0.0:
                log.append((self.sim.last_time, self.sim.time))

    looks = Looks(sim).start()
    Steps(sim).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.375)
        log.append(("time event", sim.time))
        yield ev.until(lambda: looks.x >= 0.5)
        log.append(("state event", sim.time))
        yield ev.hold(0.75 - sim.time)
        log.append(("time event", sim.time))

    sim.process(story())
    sim.process(holds(0.875))
    sim.run(until=1.0)
    where = next(time for what, time in log if what == "state event")
    assert (sim.monitor.state_events, where) == (1, pytest.approx(0.5, abs=2e-16))
    assert log == [
        *[(0.0, 0.25), (0.25, 0.375), ("time event", 0.375)],
        *[(0.375, where), ("state event", where)],
        *[(where, 0.75), ("time event", 0.75)],
        *[(0.75, 0.875), (0.875, 1.0)],
    ]
    assert (len(looked) > 54, looked[-1]) == (True, (1.0, inf))
    assert [time for time, following in looked if time > following] == []
