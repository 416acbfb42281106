"""Runs of slots and the laws of a flow, as the stepper keeps them: plain and native code do the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.flows.flow import Flow
from eventide.continuous.system import rank_of
from eventide.engine.codes import P

BLOCKS = st.lists(st.tuples(st.booleans(), st.integers(0, 11)), max_size=60)


class Slab(ev.Continuous):
    """Has so many slots that any may be asked for."""

    cells: ev.StateVector = ev.state_vector(0.0, size=24)


def two_flows(native: bool) -> tuple[Any, list[Flow]]:
    sim = ev.Simulation(compile=native)
    Slab(sim)
    motion = sim._continuum.integrator
    return motion, [motion.groups._new_flow() for _ in range(2)]


@pytest.mark.slow
@pytest.mark.parametrize("native", [False, True])
@given(BLOCKS)
def test_stretches_that_meet_are_one_whoever_comes_and_goes(native: bool, deeds: list[tuple[bool, int]]) -> None:
    _, flows = two_flows(native)
    inside: list[set[int]] = [set(), set()]
    for which, block in deeds:  # blocks of one to three numbers, side by side
        numbers = set(range(2 * block - block // 3, 2 * block - block // 3 + 1 + (block % 3 < 2)))
        flows[which].toggle_slots(min(numbers), max(numbers) + 1)
        inside[which] ^= numbers
    for flow, numbers in zip(flows, inside, strict=True):
        begins = [number for number in sorted(numbers) if number - 1 not in numbers]
        ends = [number + 1 for number in sorted(numbers) if number + 1 not in numbers]
        assert flow.segments.rows() == [list(row) for row in zip(begins, ends, strict=True)]
        assert [number for number in range(-1, 30) if number in flow.slots] == sorted(numbers) == list(flow.slots)


@pytest.mark.parametrize("native", [False, True])
def test_slots_that_begin_to_move_have_no_interpolant(native: bool) -> None:
    motion, (flow, _) = two_flows(native)
    rows = motion.storage.table[P]
    rows[:] = 1.0
    flow.toggle_slots(3, 5)
    assert np.isnan(rows).nonzero()[0].tolist() == [3, 4]


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_the_rank_of_a_priority_is_the_smaller_the_higher_it_is(one: float, other: float) -> None:
    assert (rank_of(one) < rank_of(other), rank_of(one) == rank_of(other)) == (one > other, one == other)
    assert -(2**63) <= rank_of(one) < 2**63
    assert rank_of(0.0) == 0
