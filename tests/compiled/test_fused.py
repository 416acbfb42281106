"""Steps of small flows, which have functions of their own, beside the plain ones: the same bits, the same counts."""

from __future__ import annotations

import math
from contextlib import nullcontext
from math import sin
from typing import Any

import numpy as np
import pytest

import eventide as ev
from eventide.compilation.fused_steps import MOST_SLOTS
from eventide.engine.codes import K

METHODS = {
    name: getattr(ev.methods, name)
    for name in ("ENGLAND", "ENGLAND_PLAIN", "DORMAND_PRINCE", "BOGACKI_SHAMPINE", "FEHLBERG", "DOP853", "RK4", "EULER")
}


class Oscillator(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)
    damping: float = 0.25

    def equations(self) -> None:
        self.rate.angle = self.speed
        self.rate.speed = -self.damping * self.speed - 3.0 * sin(self.angle) / (1.0 + self.sim.time * self.sim.time)


class Drag(ev.Continuous):
    of: Oscillator

    def equations(self) -> None:
        self.of.rate.speed -= 0.125 * self.of.speed * abs(self.of.speed)


class Chain(ev.Continuous):
    size: int = 4
    u: ev.StateVector = ev.state_vector(size="size")

    def equations(self) -> None:
        for i in range(self.size):
            self.rate.u[i] = self.u[i - 1] - 1.5 * self.u[i]


def is_fused(sim: ev.Simulation) -> list[bool]:
    """Of each flow whether its steps are functions of their own."""
    motion = sim._continuum.integrator
    known = motion.memory.flow
    pairs = [(known.attempt[number], known.complete_step[number]) for number in motion.flows]
    assert all((one == 0) == (other == 0) for one, other in pairs)
    return [bool(one != 0) for one, _ in pairs]


def outcome(sim: ev.Simulation) -> tuple[Any, ...]:
    monitor = sim.monitor
    values = [value for variable in sim.variables for value in np.atleast_1d(variable.state).tolist()]
    rates = [value for variable in sim.variables for value in np.atleast_1d(variable.rate).tolist()]
    return monitor.steps, monitor.refused, monitor.system.evaluations, values, rates


def both(build: Any, method: Any, until: float = 1.0) -> tuple[ev.Simulation, ev.Simulation]:
    sims = []
    for compile_ in (True, False):
        settings: dict[str, Any] = {"dt_max": 0.05} if method.is_fixed else {"rel_error": 1e-6, "abs_error": 1e-6}
        sim = ev.Simulation(compile=compile_, stepping="together", **settings)
        sim.method = method
        build(sim)
        sim.run(until=until)
        sims.append(sim)
    return sims[0], sims[1]


@pytest.mark.parametrize("name", METHODS)
def test_a_small_flow_steps_as_the_plain_functions_do(name: str) -> None:
    native, plain = both(lambda sim: Oscillator(sim).start(), METHODS[name])
    assert (is_fused(native), is_fused(plain)) == ([True], [False])
    assert outcome(native) == outcome(plain)


@pytest.mark.parametrize("size", [1, 2, MOST_SLOTS, MOST_SLOTS + 1])
def test_up_to_some_states_a_step_is_a_function_of_its_own(size: int) -> None:
    start = [1.0 / (1 + i) for i in range(size)]
    native, plain = both(lambda sim: Chain(sim, size=size, u=start).start(), ev.methods.ENGLAND)
    assert is_fused(native) == [size <= MOST_SLOTS]
    assert outcome(native) == outcome(plain)


def test_laws_of_a_small_flow_run_in_their_order() -> None:
    def build(sim: ev.Simulation) -> None:
        one = Oscillator(sim).start()
        Drag(sim, of=one).start()

    native, plain = both(build, ev.methods.ENGLAND)
    # Laws that read rates go by way of the row that users see, which functions for small flows do not.
    assert is_fused(native) == [False]
    assert outcome(native) == outcome(plain)


def test_two_components_that_read_each_other() -> None:
    class Follower(ev.Continuous):
        x: ev.State = ev.state(2.0)
        other: Any = None

        def equations(self) -> None:
            self.rate.x = (self.other.x if self.other.x > self.x else 0.5 * self.x) - 1.25 * self.x

    def build(sim: ev.Simulation) -> None:
        one, other = Follower(sim), Follower(sim, x=0.75)
        one.other, other.other = other, one
        other.start()
        one.start()

    native, plain = both(build, ev.methods.ENGLAND)
    assert is_fused(native) == [True]
    assert outcome(native) == outcome(plain)


def test_what_joins_and_leaves_a_flow_changes_its_functions() -> None:
    sim = ev.Simulation(compile=True, stepping="together")
    chain = Chain(sim, size=MOST_SLOTS, u=1.0).start()
    one = Oscillator(sim).start()
    sim.run(until=1.0)
    assert is_fused(sim) == [False]
    one.stop()
    sim.run(until=2.0)
    assert is_fused(sim) == [True]
    chain["u"][2].stop()
    sim.run(until=3.0)
    assert is_fused(sim) == [False]
    chain["u"][2].start()
    sim.run(until=4.0)
    assert is_fused(sim) == [True]
    sim.dt_max = 0.125
    sim.method = ev.methods.ADAMS
    sim.run(until=5.0)
    assert is_fused(sim) == [False]


def test_rates_of_the_stages_are_where_the_interpolant_looks() -> None:
    native, plain = both(lambda sim: Oscillator(sim).start(), ev.methods.ENGLAND, until=2.5)
    tables = [sim._continuum.storage.table[K : K + 10, :2] for sim in (native, plain)]
    assert (tables[0] == tables[1]).all()


def test_a_law_that_gives_no_number_is_met_in_python_at_its_line() -> None:
    class Falls(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = -1.0 / (self.x - self.x)

    sim = ev.Simulation(compile=True)
    Falls(sim).start()
    with pytest.raises(ZeroDivisionError):
        sim.run(until=1.0)


@pytest.mark.parametrize("name", ["ENGLAND", "DORMAND_PRINCE"])
def test_a_step_that_is_taken_although_it_is_not_accurate_is_the_same(name: str) -> None:
    class Forgiving(ev.Simulation):
        def integration_error(self, variable: ev.Variable) -> bool:
            asked.append(self.time)
            return False

    asked: list[float] = []
    results = []
    for compile_ in (True, False):
        sim = Forgiving(compile=compile_, rel_error=1e-13, abs_error=0.0, dt_min=0.125, dt_max=0.25)
        sim.method = getattr(ev.methods, name)
        Oscillator(sim).start()
        sim.run(until=1.0)
        assert is_fused(sim) == [compile_]
        results.append((outcome(sim), asked[:]))
        asked.clear()
    assert results[0] == results[1]
    assert len(results[0][1]) == 8


def test_rates_that_are_not_finite_at_the_end_of_an_accurate_step_refuse_it() -> None:
    class Walled(ev.Continuous):
        x: ev.State = ev.state(1.0)
        wall: float = 1e9

        def equations(self) -> None:
            self.rate.x = 1e305 if self.x == self.wall else self.x

    def run(compile_: bool, wall: float) -> tuple[ev.Simulation, Walled]:
        sim = ev.Simulation(compile=compile_, rel_error=1e-3, abs_error=1e-3, dt_min=0.25, dt_max=0.25)
        body = Walled(sim, wall=wall).start()
        with nullcontext() if wall == 1e9 else pytest.raises(ev.SimulationError, match="not finite"):
            sim.run(until=0.25)
        return sim, body

    sim, body = run(False, 1e9)
    before = sim.monitor.system.evaluations
    assert (sim.monitor.steps, body.x) == (1, pytest.approx(math.exp(0.25), rel=1e-6))
    wall = body.x
    native, plain = run(True, wall)[0], run(False, wall)[0]
    assert is_fused(native) == [True]
    assert outcome(native) == outcome(plain)
    assert (plain.monitor.steps, plain.monitor.system.evaluations) == (0, 2 * before - 1)  # to the end, twice
