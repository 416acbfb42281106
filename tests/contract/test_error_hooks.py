"""What the hooks for errors are told, and what they may do."""

from __future__ import annotations

from typing import Any

import pytest
from worlds import COMPILE, Ramp

import eventide as ev


@pytest.fixture(params=COMPILE, ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, compile=request.param)


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.row("R-191", "R-192")
@pytest.mark.parametrize("steps", [False, True])
def test_simulation_error_is_called_once_before_the_error_goes_up(steps: bool) -> None:
    seen = []

    class Watched(ev.Simulation):
        def simulation_error(self, error: ev.SimulationError) -> None:
            seen.append((error.number, self.time, error.continuous))
            super().simulation_error(error)

    sim = Watched(rng=1, dt_max=0.25)
    ramp = Ramp(sim).start()
    ev.law(sim, lambda: ramp.stop() if sim.time > 1.0 else None).start()

    def clock() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.5)

    sim.process(clock())

    def go() -> None:
        while steps:
            sim.step()
        sim.run(until=2.0)

    with pytest.raises(ev.SimulationError) as caught:
        go()
    assert seen == [(13, sim.time, ramp)]
    assert sim.time <= caught.value.time <= 1.5
    notes = caught.value.__notes__
    assert notes[-1].startswith("dt = ")
    assert notes[-1].endswith("dt_min = 0.0, dt_max = 0.25")


def test_an_error_in_the_hook_goes_up_with_the_error_it_was_told() -> None:
    class Careless(ev.Simulation):
        def simulation_error(self, error: ev.SimulationError) -> None:
            raise KeyError("mine")

    sim = Careless(rng=1)
    Ramp(sim).start()
    with pytest.raises(KeyError) as caught:
        sim.run()
    assert isinstance(caught.value.__context__, ev.SimulationError)


class Stiff(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -1000.0 * (self.x - 1.0 - self.sim.time)


@pytest.mark.row("R-184", "R-185")
@pytest.mark.parametrize("compiles", COMPILE)
@pytest.mark.parametrize("change", ["dt_min", "tolerances", "method"])
def test_integration_error_repeats_the_step_after_a_change(compiles: Any, change: str) -> None:
    asked = []

    class Helping(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            asked.append((variable.name, self.time, variable.state))
            if change == "dt_min":
                self.dt_min /= 10.0
            elif change == "tolerances":
                self.set_tolerances(rel_error=1e9, abs_error=1e9)
            else:
                self.method, self.dt_max = ev.methods.EULER, 1e-4
                self.dt_min = 0.0
            return True

    sim = Helping(rng=1, dt_min=0.1, dt_max=0.5, compile=compiles)
    stiff = Stiff(sim, name="stiff").start()
    sim.run(until=0.01)
    assert 1 <= len(asked) <= 3
    assert all((name, time, state) == ("stiff.x", 0.0, 1.0) for name, time, state in asked)
    if change != "tolerances":
        assert stiff.x == pytest.approx(1.0 + 0.01 - 1e-3 * (1 - 2.718281828**-10), rel=1e-4)


class Wind(ev.Continuous):
    strength: float


class Sail(ev.Continuous):
    wind: Wind
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = self.wind.strength * self.x


@pytest.mark.row("R-184", "R-185")
@pytest.mark.parametrize("repeats", [True, False], ids=["repeat", "accept"])
@pytest.mark.parametrize("compiles", COMPILE)
def test_integration_error_may_let_a_law_refer_to_another_object(compiles: Any, repeats: bool) -> None:
    asked = []

    class Turning(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            asked.append((variable.name, self.time))
            sail.wind = calm
            return repeats

    sim = Turning(rng=1, dt_min=2.0**-10, dt_max=0.125, compile=compiles)
    storm, calm = Wind(sim, strength=1e9), Wind(sim, strength=0.0)
    sail = Sail(sim, wind=storm, name="sail").start()
    sim.run(until=1.0)
    assert (asked, sail.x) == ([("sail.x", 0.0)], 1.0)


@pytest.mark.row("R-184", "R-185")
def test_limits_are_checked_after_integration_error() -> None:
    class Confused(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            self.dt_min = -1.0
            return True

    sim = Confused(rng=1, dt_min=0.1)
    Stiff(sim).start()
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=1.0)
    assert caught.value.number == 4


@pytest.mark.slow
@pytest.mark.row("R-184")
@pytest.mark.parametrize("answer", [True, False])
def test_a_step_that_is_repeated_or_accepted_in_vain_ends_in_an_error(answer: bool) -> None:
    asked = []

    class Stubborn(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            asked.append(self.time)
            return answer

    sim = Stubborn(rng=1, rel_error=0.0, abs_error=0.0)
    x = ev.Variable(sim, 1.0, name="x").start()
    ev.law(sim, lambda: x.set_rate(-x.state * x.state)).start()
    with pytest.raises(ev.SimulationError, match="called 1000 times for x") as caught:
        sim.run(until=1.0)
    assert (caught.value.number, caught.value.variable) == (1, x)
    # Steps that are accepted halve, until they advance the time no longer.
    assert len(asked) >= 1000
    assert asked.count(asked[-1]) > 900
