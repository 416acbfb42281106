"""Flows of many states, and the lengths of their steps."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from arrays import blank
from continuous.decays import Decay, Drain, each_way, make
from scipy.linalg import expm

import eventide as ev
from eventide.engine import scheduler, step_control
from eventide.engine.interface import PLAIN
from eventide.engine.records import FlowRecord


class Coupled(ev.Continuous):
    """One of many: its rate is a weighted sum of all their states."""

    weights: tuple[float, ...] = ()
    others: list = ev.field(default_factory=list)
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        total = 0.0
        for k, other in enumerate(self.others):
            total += self.weights[k] * other.x
        self.rate.x = total


@pytest.mark.row("R-160")
@each_way
@pytest.mark.parametrize("count", [1, 2, 12])
def test_any_number_of_coupled_states_is_one_system(count: int, settings: dict[str, Any]) -> None:
    """Each law knows its own line of a random matrix: the solution is that of the whole, by its exponential."""
    matrix = np.random.default_rng(count).normal(size=(count, count)) / count
    sim = make(**(settings if settings["compile"] is False else {**settings, "compile": "auto"}))
    members = [Coupled(sim, weights=tuple(map(float, line))) for line in matrix]
    for member in members:
        member.others = members
    for member in members:
        member.start()
    sim.run(until=3.0)
    exact = expm(3.0 * matrix) @ np.ones(count)
    assert [member.x for member in members] == pytest.approx(exact.tolist(), rel=1e-6, abs=1e-7)


def lengths(sim: ev.Simulation, until: float) -> list[float]:
    """The lengths of the steps up to a time."""
    found: list[float] = []

    class Steps(ev.Reporter):
        def report(self) -> None:
            if self.sim.dt > 0.0:
                found.append(self.sim.dt)

    Steps(sim, every="step").start()
    sim.run(until=until)
    return found


@pytest.mark.row("R-168")
@pytest.mark.parametrize(
    ("step", "ratio", "factor"),
    [
        (0.5, 64.0, 2.0),
        (0.5, 2.0, 1.0),
        (0.5, 1.0, 0.5**0.2),
        (0.5, 20.0, 10.0**0.2),
        (0.5, 1.0 / 16.0, 0.5),  # the least after an error that was ignored
    ],
)
def test_the_step_that_is_proposed(step: float, ratio: float, factor: float) -> None:
    def propose(dt_min: float, dt_max: float, tried: float) -> float:
        arrays = blank()
        arrays.flow.next_step[0] = step
        arrays.run.dt_min, arrays.run.dt_max = dt_min, dt_max
        step_control.adapt(arrays, 0, tried, ratio)
        return arrays.flow.next_step[0]

    assert propose(0.0, math.inf, step) == pytest.approx(factor * step, rel=1e-15)
    assert propose(0.9, 2.0, step) == max(0.9, propose(0.0, math.inf, step))
    assert propose(0.0, 0.3, step) == min(0.3, propose(0.0, math.inf, step))
    assert propose(0.0, math.inf, 0.1) == step  # cut by an event


@pytest.mark.row("R-168")
@each_way
def test_without_an_error_each_step_is_twice_the_one_before(settings: dict[str, Any]) -> None:
    sim = make(**settings)
    Drain(sim, source=Decay(sim)).start()
    steps = lengths(sim, 1000.0)[:-1]
    assert len(steps) > 5
    assert [later / earlier for earlier, later in pairwise(steps)] == pytest.approx([2.0] * (len(steps) - 1), rel=1e-12)


@pytest.mark.row("R-169")
@pytest.mark.parametrize("compiles", [True, False])
@pytest.mark.parametrize(("method", "expected"), [(ev.methods.ENGLAND, 0.25), (ev.methods.EULER, 0.25)])
def test_a_step_that_an_event_cut_leaves_the_proposal_alone(
    method: ev.methods.Method, expected: float, compiles: bool
) -> None:
    sim = make(compile=compiles, stepping="together", dt_max=0.25)
    sim.method = method
    Drain(sim, source=Decay(sim)).start()

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(0.6)
        yield ev.hold(10.0)

    sim.process(clerk())
    steps = lengths(sim, 1.5)
    assert steps == pytest.approx([expected, expected, 0.1, expected, expected, expected, 0.15], rel=1e-9)


@pytest.mark.parametrize("comes", [True, False])
def test_who_comes_and_goes_leaves_the_step_as_it_was(comes: bool) -> None:
    """The next is tried as long as the last, which was cut perhaps, and not estimated anew."""
    sim = make(compile=False)
    source = Decay(sim, speed=0.5).start()
    other = Drain(sim, source=source)
    if not comes:
        other.start()
    sim.run(until=1.0)
    motion = sim._continuum.integrator
    (flow,) = motion.flows
    before = float(motion.memory.flow.next_step[flow])
    _ = other.start() if comes else other.stop()
    motion.place_what_waits()
    assert before / 2.0 < motion.memory.flow.next_step[flow] <= before


def proposals(sim: ev.Simulation) -> list[float]:
    """The next step of each flow."""
    motion = sim._continuum.integrator
    return [float(motion.memory.flow.next_step[flow]) for flow in motion.flows]


class Between(ev.Continuous):
    slow: Decay
    fast: Decay
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = self.slow.x - self.fast.x


def test_flows_that_join_go_on_with_the_shorter_step() -> None:
    sim = make(compile=False)
    slow, fast = Decay(sim, speed=0.01).start(), Decay(sim, speed=10.0).start()
    sim.run(until=0.5)
    before = proposals(sim)
    assert max(before) > 10.0 * min(before)
    Between(sim, slow=slow, fast=fast).start()
    sim._continuum.integrator.place_what_waits()
    (joined,) = proposals(sim)
    assert min(before) / 4.0 < joined <= min(before)


def test_who_refers_to_something_else_that_stands_still_keeps_its_step() -> None:
    sim = make(compile=False)
    drain = Drain(sim, source=Decay(sim)).start()
    sim.run(until=1.0)
    (before,) = proposals(sim)
    drain.source = Decay(sim)
    sim._continuum.integrator.prepare()
    (after,) = proposals(sim)
    assert before / 4.0 < after <= before


def test_a_row_that_is_taken_again_holds_nothing_of_the_flow_before() -> None:
    """All but counters and what there is room for is as in a row that nobody has had."""
    kept = {"steps", "evaluations", "refused", "jacobians", "factorizations", "entries_at", "entries_room", "laid_from"}
    kept |= {f"{runs}_{what}" for runs in ("segments", "chain", "sums", "rests") for what in ("lo", "hi", "room")}
    seen = []
    for before in (0, 7):
        arrays = PLAIN.pack(blank(flows=2))[0]
        arrays.flow.floats[0], arrays.flow.ints[0] = before + 0.5, before
        scheduler.enter(arrays, 0, 3.0)
        seen.append({name: getattr(arrays.flow, name)[0] for name in FlowRecord.columns if name not in kept})
    assert seen[0] == seen[1]
    assert seen[0]["start"] == seen[0]["at"] == 3.0
