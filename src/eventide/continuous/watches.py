"""Conditions as the stepper watches them: a row of the arrays for each, in the flow on which it depends."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.continuous.growing import Table
from eventide.continuous.tables import (
    ADDRESS,
    ARMED,
    CERTIFICATE,
    CONDITION_FLOATS,
    CONDITION_INTS,
    CONSTANTS,
    DUE,
    FIRST,
    FLOW,
    FOLLOWING,
    GUARD,
    INDEX,
    NEEDS_LAWS,
    PRECEDING,
    PRIORITY,
    RANK,
    SLOPE,
    TRIGGER,
)

if TYPE_CHECKING:
    from eventide.continuous.analysis import ConditionPlan
    from eventide.continuous.flow import Flow
    from eventide.continuous.motion import Motion
    from eventide.discrete.conditions import Condition, StateWait

MOST_AT_REST: Final = 8
"""So many rows of past waits a flow keeps for those who come again, and as many as it has conditions."""


class Watches:
    """The conditions of one simulation.

    at          by row
    arriving    those that have come since the last event and have no row yet
    certified, sampled, opaque      how many have been watched so far: over the whole of each step by proofs, at points
                of it, and, as their code cannot be read, at its middle and its end

    A process that waits for the same thing again and again takes up the row of its last wait, which rests meanwhile.
    """

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.ints = Table(CONDITION_INTS, np.int64, motion.outdate)
        self.floats = Table(CONDITION_FLOATS, np.float64, motion.outdate)
        self.at: dict[int, Condition] = {}
        self.arriving: dict[Condition, None] = {}
        self.certified = self.sampled = self.opaque = 0
        self._resting: dict[tuple[int, int], Any] = {}

    def add(self, condition: Condition) -> None:
        """Watch a condition from now on; it is looked at when the event is over and all that it refers to is there."""
        self.arriving[condition] = None

    def place(self) -> None:
        """Give those that have come their rows."""
        arriving, self.arriving = self.arriving, {}
        for condition in arriving:
            if condition.row < 0 or not self._resume(condition):
                self._admit(condition)

    def _admit(self, condition: Condition) -> None:
        """Give a condition its row and its place in a flow."""
        motion = self.motion
        plan = condition.plan = motion.analyst.condition(condition)
        row = self.ints.allocate()
        same = self.floats.allocate()
        assert row == same
        condition.row = row
        self._count(plan)
        ints, floats = self.ints.view, self.floats.view
        ints[row, ADDRESS], ints[row, INDEX], ints[row, CONSTANTS] = plan.address, plan.index, plan.constants
        ints[row, CERTIFICATE] = plan.certificate
        floats[row, GUARD] = floats[row, SLOPE] = nan
        motion.keep_current(condition, plan)
        flow = motion.groups.the_flow() if motion.together else motion.groups.flow_of(plan)
        self._watch(condition)
        motion.groups.note_uses(flow, plan)
        self.link(condition, flow)

    def _count(self, plan: ConditionPlan) -> None:
        if plan.is_certified:
            self.certified += 1
        elif not plan.is_opaque:
            self.sampled += 1
        else:
            self.opaque += 1

    def _watch(self, condition: Condition) -> None:
        """Fill in what is the condition's own."""
        row, ints, floats = condition.row, self.ints.view, self.floats.view
        self.at[row] = condition
        ints[row, TRIGGER], ints[row, ARMED] = int(condition.is_trigger), int(condition.armed)
        floats[row, PRIORITY], floats[row, RANK] = condition.priority, condition.rank

    def flow_of(self, condition: Condition) -> Flow:
        """The flow in whose steps a condition is watched."""
        return self.motion.flows[self.ints.view[condition.row, FLOW]]

    def link(self, condition: Condition, flow: Flow) -> None:
        """Let a flow watch a condition."""
        motion, ints, row = self.motion, self.ints.view, condition.row
        motion.touch(flow)
        flow.conditions[condition] = None
        first = motion.flow_ints.view[flow.number, FIRST]
        ints[row, FLOW] = flow.number
        ints[row, NEEDS_LAWS] = int(condition.plan.needs_laws or flow.assigns)
        ints[row, FOLLOWING], ints[row, PRECEDING] = first, -1
        if first >= 0:
            ints[first, PRECEDING] = row
        motion.flow_ints.view[flow.number, FIRST] = row

    def unlink(self, condition: Condition) -> Flow:
        """Let its flow watch a condition no longer."""
        ints, flow, row = self.ints.view, self.flow_of(condition), condition.row
        before, after = ints[row, PRECEDING], ints[row, FOLLOWING]
        if before >= 0:
            ints[before, FOLLOWING] = after
        else:
            self.motion.flow_ints.view[flow.number, FIRST] = after
        if after >= 0:
            ints[after, PRECEDING] = before
        return flow

    def move(self, condition: Condition, flow: Flow) -> None:
        """Let another flow watch a condition."""
        groups = self.motion.groups
        given = self.unlink(condition)
        del given.conditions[condition]
        groups.forget_uses(given, condition.plan)
        groups.note_uses(flow, condition.plan)
        self.link(condition, flow)

    def remove(self, condition: Condition) -> bool:
        """Watch a condition no longer; whether it is kept for the next wait of its kind."""
        if condition in self.arriving:
            del self.arriving[condition]
            condition.is_over = condition.row >= 0
            return condition.is_over
        flow = self.unlink(condition)
        self.motion.touch(flow)
        return self._end_in(condition, flow)

    def end(self, condition: Condition) -> bool:
        """A wait is over: its condition has fired, and its flow has been touched and has let it go; as `remove`."""
        return self._end_in(condition, self.motion.flows[self.ints.view[condition.row, FLOW]])

    def exchange(self, chosen: Condition, other: Condition) -> None:
        """Another condition is to fire in the place of the one that was chosen, which goes on waiting."""
        if chosen.is_trigger:
            self.ints.view[chosen.row, ARMED] = 1
        else:
            self.link(chosen, self.flow_of(chosen))
        self.motion.touch(self.flow_of(other))
        self.ints.view[other.row, ARMED] = self.ints.view[other.row, DUE] = 0

    def _end_in(self, condition: Condition, flow: Flow) -> bool:
        if condition.plan.signature is not None:
            self.motion.leave_alone(condition)
        if condition.recurs and condition.plan.touches and not condition.plan.is_opaque and not flow.is_empty:
            condition.is_over = True
            self._rest(condition, flow)
            return True
        self._release(condition, flow)
        self.motion.groups.drop_if_empty(flow)
        return False

    def _release(self, condition: Condition, flow: Flow) -> None:
        """Give the row and the memory of a condition back."""
        del flow.conditions[condition], self.at[condition.row]
        self.motion.groups.forget_uses(flow, condition.plan)
        self.motion.analyst.release(condition.plan)
        self.ints.release(condition.row)
        self.floats.release(condition.row)
        condition.row = -1

    def renew(self, condition: Condition) -> None:
        """Watch a condition as what it is now; a trigger that was armed stays armed."""
        armed = self.ints.view[condition.row, ARMED]
        flow = self.unlink(condition)
        self.motion.touch(flow)
        self.motion.leave_alone(condition)
        self._release(condition, flow)
        self.motion.groups.drop_if_empty(flow)
        self._admit(condition)
        self.ints.view[condition.row, ARMED] = armed

    # --- rows at rest ---------------------------------------------------------------------------------------------

    def _rest(self, condition: Any, flow: Flow) -> None:
        """Keep a wait that is over, with its row, for the next of its kind."""
        key = id(condition.activity), id(condition.function.__code__)
        if key in flow.resting:
            return
        self._resting[key] = condition
        flow.resting[key] = None
        if len(flow.resting) > MOST_AT_REST + len(flow.conditions) // 2:
            self._discard_oldest(flow)

    def again(self, activity: Any, test: Any) -> StateWait | None:
        """The last wait of an activity for the same thing, to be used once more; None if there is none."""
        code = getattr(test, "__code__", None)
        return self._resting.get((id(activity), id(code)))

    def _resume(self, condition: Any) -> bool:
        """Let a wait that was made before take up its row; False if what it works on has changed."""
        plan = self.motion.analyst.resume(condition, condition.plan)
        if plan is None:
            self._discard((id(condition.activity), id(condition.function.__code__)))
            return False
        condition.plan = plan
        self.motion.keep_current(condition, plan)
        floats, row = self.floats.view, condition.row
        floats[row, PRIORITY], floats[row, RANK] = condition.priority, condition.rank
        self.link(condition, self.motion.flows[self.ints.view[row, FLOW]])
        return True

    def _discard(self, key: tuple[int, int]) -> None:
        """Keep a row at rest no longer; its wait may have been taken up and have arrived again."""
        condition = self._resting.pop(key)
        flow = self.flow_of(condition)
        del flow.resting[key]
        self._release(condition, flow)
        if condition.is_over:
            self.motion.sim._conditions.forget(condition)

    def _discard_oldest(self, flow: Flow) -> None:
        for key in flow.resting:
            if self._resting[key].is_over:
                self._discard(key)
                return

    def wake(self, flow: Flow) -> None:
        """A flow changes: it keeps no rows at rest."""
        for key in list(flow.resting):
            condition = self._resting[key]
            if condition.is_over or condition in self.arriving:
                self._discard(key)
            else:
                del self._resting[key], flow.resting[key]
