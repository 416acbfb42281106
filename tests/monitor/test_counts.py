"""What `sim.report()` counts."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import eventide as ev


class Swing(ev.Continuous):
    x: ev.State = ev.state(0.0)
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = self.y
        self.rate.y = -self.x

    @ev.when(lambda self: self.x > 0.5)
    def high(self) -> None:
        pass

    @ev.when(lambda self: self.sim.time > 2.0)
    def late(self) -> None:
        pass

    @ev.when(lambda self: self.x * self.x > 9.0)
    def far(self) -> None:
        pass

    @ev.when(lambda self: math.erf(self.x) > 9.0)
    def beyond(self) -> None:
        pass

    @ev.when(lambda self: str(self.x) == "far away")
    def said(self) -> None:
        pass


@pytest.mark.parametrize("compiles", ["auto", False])
def test_the_counts_of_a_run(compiles: Any) -> None:
    sim = ev.Simulation(rng=1, compile=compiles)
    swing = Swing(sim, name="swing").start()

    def waiter() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        yield ev.until(lambda: swing.x < -2.0)

    sim.process(waiter())
    sim.run(until=10.0)
    report = sim.report()
    assert (report.events, report.state_events) == (5, 3)
    assert (report.steps, report.refused) == (sim.monitor.steps, sim.monitor.refused)
    assert report.evaluations == sim._continuum.evaluations > report.steps > 10
    assert (report.certified, report.sampled, report.opaque, report.unproved) == (4, 1, 1, 0)
    assert report.passed_through == ("swing.late",)
    assert [re.sub("  +", "  ", line) for line in str(report).splitlines()] == [
        "events  5",
        "state events, of these  3",
        f"steps  {report.steps}",
        f"attempts at a step refused  {report.refused}",
        f"evaluations of the laws  {report.evaluations}",
        "conditions proved over whole steps  4",
        "conditions tested at samples  1",
        "conditions that cannot be read  1",
        "passed through, and true ever since: swing.late",
    ]


def test_a_model_without_states_has_events_only() -> None:
    sim = ev.Simulation(rng=1)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)

    sim.process(story())
    sim.run()
    assert sim.report() == type(sim.report())(2)
    assert "_the_monitor" not in vars(sim)
