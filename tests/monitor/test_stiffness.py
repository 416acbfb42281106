"""A hint at the end of a run where an explicit method is held up by stability; none where it is not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import eventide as ev


class VanDerPol(ev.Continuous):
    x: ev.State = ev.state(2.0)
    v: ev.State = ev.state(0.0)
    mu: float = 1e4

    def equations(self):
        self.rate.x = self.v
        self.rate.v = self.mu * (1.0 - self.x**2) * self.v - self.x


class Decay(ev.Continuous):
    x: ev.State = ev.state(0.0)
    frequency: float = 0.0
    damping: float = 1.0

    def equations(self):
        self.rate.x = -self.damping * (self.x - np.cos(self.frequency * self.sim.time))


class Oscillator(ev.Continuous):
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.x = self.v
        self.rate.v = -self.x

    @ev.every(0.02)
    def tick(self):
        self.v += 0.0


def told(sim: ev.Simulation, *untils: float) -> list[str]:
    """The hints of some runs, one after the other."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for until in untils:
            sim.run(until=until)
    assert [(one.category, one.filename) for one in caught] == [(ev.StiffnessWarning, __file__)] * len(caught)
    return [str(one.message) for one in caught]


@pytest.mark.parametrize("compiles", [True, "auto"])
def test_a_stiff_problem_is_named_once_with_its_remedy(compiles):
    sim = ev.Simulation(compile=compiles)
    VanDerPol(sim, name="pol").start()
    (message,) = told(sim, 3.5, 4.0)
    assert message == (
        "pol: 23800 steps, of 0.000147 on the mean, which are as short as something that decays at the rate 3e+04 "
        'demands, and not accuracy. The problem is stiff: try Simulation(method="radau")'
    )


@pytest.mark.parametrize("method", ["dormand_prince", "dop853"])
def test_other_explicit_methods_get_the_hint_as_well(method):
    sim = ev.Simulation(method=method)
    Decay(sim, damping=1e5).start()
    assert len(told(sim, 2.0)) == 1


@pytest.mark.parametrize(
    ("make", "until"),
    [
        (lambda sim: VanDerPol(sim, mu=5.0), 1500.0),
        (Oscillator, 500.0),
        (lambda sim: Decay(sim, damping=2.0, frequency=3.0), 3000.0),
    ],
    ids=["relaxation", "events", "driven"],
)
def test_many_steps_that_accuracy_or_events_demand_are_no_hint(make, until):
    sim = ev.Simulation()
    make(sim).start()
    assert told(sim, until) == []
    assert sim.report().steps > 20_000


def test_to_look_changes_no_bit(monkeypatch):
    ends = []
    for many in (20_000, 10**9):
        monkeypatch.setattr("eventide.monitor.monitor.MANY", many)
        sim = ev.Simulation()
        pol = VanDerPol(sim).start()
        assert len(told(sim, 3.5)) == (1 if many == 20_000 else 0)
        sim.run(until=4.0)
        ends.append((pol.x, pol.v, sim.report()))
    assert ends[0] == ends[1]
