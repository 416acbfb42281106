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


class Told(VanDerPol):
    """It computes something of the states."""

    q: ev.Computed = ev.computed()

    def equations(self):
        super().equations()
        self.q = self.x + self.v


def test_to_look_changes_no_bit(monkeypatch):
    ends = []
    for many in (20_000, 10**9):
        monkeypatch.setattr("eventide.monitor.monitor.MANY", many)
        sim = ev.Simulation()
        pol = Told(sim).start()
        assert len(told(sim, 3.5)) == (1 if many == 20_000 else 0)
        assert pol.q == pol.x + pol.v
        first = sim.time, sim.dt, sim.last_time, sim.active, pol.x, pol.v
        sim.run(until=4.0)
        ends.append((first, pol.x, pol.v, sim.report()))
    assert ends[0] == ends[1]


class Hidden(ev.Continuous):
    """It chatters at 0.5, in a loop of a function that it calls."""

    x: ev.State = ev.state(0.0)
    pull: float = 1.0

    def equations(self):
        self.rate.x = 0.2 - self.pull * pulled(self.x)


def pulled(x: float) -> float:
    pull = 0.0
    for _ in range(1):
        pull = 1.0 if x > 0.5 else 0.0
    return pull


@pytest.mark.slow
@pytest.mark.parametrize("method", ["england", "radau"])
def test_a_law_that_chatters_where_that_is_not_located_is_named(method, monkeypatch):
    for place in ("monitor", "stiffness"):
        monkeypatch.setattr(f"eventide.monitor.{place}.MANY", 2_000)
    sim = ev.Simulation(method=method, abs_error=1e-6, rel_error=1e-6)
    Hidden(sim, name="hidden").start()
    with pytest.warns(ev.SwitchWarning) as caught:
        sim.run(until=2.6 if method == "england" else 2.52)
    message = str(caught[0].message)
    assert message.startswith("hidden: ")
    assert "refused. The law seems to chatter where it branches" in message
    (branch,) = sim.explain().branches
    assert (branch.text, branch.why) == ("x > 0.5", "it is in a loop")


def test_a_law_that_branches_and_goes_on_is_not_named(monkeypatch):
    class Stairs(ev.Continuous):
        x: ev.State = ev.state(0.0)

        def equations(self):
            self.rate.x = slope(self.x)

    def slope(x: float) -> float:
        factor = 1.0
        for _ in range(1):
            factor = 1.0 if x % 0.02 < 0.01 else 0.1
        return factor

    for place in ("monitor", "stiffness"):
        monkeypatch.setattr(f"eventide.monitor.{place}.MANY", 100)
    sim = ev.Simulation(abs_error=1e-9, rel_error=1e-9)
    Stairs(sim, name="stairs").start()
    assert told(sim, 0.4) == []
    assert sim.report().steps > 100
    assert sim.report().refused > 50


@pytest.mark.slow
def test_who_interrupts_a_run_is_told_that_a_law_chatters(monkeypatch):
    monkeypatch.setattr("eventide.monitor.stiffness.MANY", 1000)
    left = [40_000]

    class Interrupted(Hidden):
        def equations(self):
            super().equations()
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

    sim = ev.Simulation(abs_error=1e-6, rel_error=1e-6, compile=False)
    Interrupted(sim, name="hidden").start()
    with pytest.raises(KeyboardInterrupt), pytest.warns(ev.SwitchWarning, match="hidden: .* seems to chatter"):
        sim.run(until=3.0)
