"""Promise 2: time events are exact, and periods do not drift."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev

Simulate = Callable[..., ev.Simulation]


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x


@pytest.mark.row("R-023")
def test_the_clock_is_the_float_of_the_event(simulate: Simulate) -> None:
    sim = simulate()
    Decay(sim).start()
    awkward = [5e-324, 1e-300, 0.1, 0.1 + 0.2, 1 / 3, 0.7, nextafter(0.7, 1.0), 1e3 / 7]
    log: list[Any] = []

    def story(time: float) -> ev.ProcessGenerator:
        log.append((time, sim.time, sim.dt, sim.last_time))
        yield ev.hold(0.0)

    for time in reversed(awkward):
        sim.process(story(time)).reactivate(at=time)
    sim.run()
    assert log == [(time, time, 0.0, time) for time in awkward]


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 10.0, allow_subnormal=True), min_size=1, max_size=6))
def test_whatever_the_times_events_are_at_them(times: list[float]) -> None:
    sim = ev.Simulation(rng=1, compile=False, rel_error=1e-2, abs_error=1.0)
    Decay(sim).start()
    log = []

    def story(time: float) -> ev.ProcessGenerator:
        log.append((time, sim.time))
        yield ev.hold(0.0)

    for time in times:
        sim.process(story(time)).reactivate(at=time)
    sim.run()
    assert log == [(time, time) for time in sorted(times)]


def test_two_clocks_meet_as_often_as_fractions_do(simulate: Simulate) -> None:
    sim = simulate()
    log: dict[str, list[float]] = {"fast": [], "slow": [], "tick": [], "report": []}

    class Clocks(Decay):
        @ev.every(hz=200)
        def fast(self) -> None:
            log["fast"].append(self.sim.time)

        @ev.every(hz=60)
        def slow(self) -> None:
            log["slow"].append(self.sim.time)

    class Look(ev.Reporter):
        def report(self) -> None:
            log["report"].append(self.sim.time)

    def ticking() -> ev.ProcessGenerator:
        while True:
            yield ev.tick(0.1)
            log["tick"].append(sim.time)

    Clocks(sim).start()
    Look(sim, every=0.1).start()
    sim.process(ticking())
    sim.run(until=2.0)
    assert {name: len(times) for name, times in log.items() if name != "report"} == {
        "fast": 400,
        "slow": 120,
        "tick": 19,
    }
    assert log["fast"] == [float(Fraction(k, 200)) for k in range(400)]
    assert log["slow"] == [float(Fraction(k, 60)) for k in range(120)]
    assert log["tick"] == [float(Fraction(k, 10)) for k in range(1, 20)]
    assert len(set(log["fast"]) & set(log["slow"])) == 40
    assert {float(Fraction(k, 10)) for k in range(21)} <= set(log["report"])


def test_a_run_ends_at_its_float_and_the_next_begins_there(simulate: Simulate) -> None:
    sim = simulate()
    decay = Decay(sim).start()
    log: list[Any] = []

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.3)
            log.append(sim.time)

    sim.process(story())
    for end in (0.3, 0.3, nextafter(0.3, inf), 0.6, 1.0):
        sim.run(until=end)
        log.append((end, sim.time, decay.x == pytest.approx(2.718281828459045**-end, rel=1e-5)))
    assert log == [
        (0.3, 0.3, True),
        (0.3, 0.3, True),
        0.3,
        (nextafter(0.3, inf), nextafter(0.3, inf), True),
        (0.6, 0.6, True),
        0.6,
        0.6 + 0.3,
        (1.0, 1.0, True),
    ]
