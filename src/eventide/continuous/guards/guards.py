"""Monitored conditions: a row of the guard record for each, in the flow on which it depends.

In: waits and handlers. Out: rows with kernel, certificate, addresses and history. A finished wait leaves its row in its
flow: a process that waits for the same line again, with the same objects, reuses it and writes only its numbers. The
past waits of a process are a ring, so that the next one is found at once. If the first discarded row of a condition
was used only once, later rows are freed at once instead of cached, until a process waits for that condition a second
time.
"""

from __future__ import annotations

from itertools import chain
from math import nan
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from eventide.continuous.components.switches import Switch
from eventide.continuous.guards.equalities import Doubts
from eventide.continuous.guards.firing_histories import FiringHistory
from eventide.declare.changes import Pending
from eventide.discrete.conditions.condition import conditions_of
from eventide.discrete.conditions.until import StateWait, keep_past
from eventide.discrete.conditions.when import Trigger
from eventide.engine.codes import AT_END
from eventide.engine.guard_screening import test_again
from eventide.engine.memory.buffers import view_of
from eventide.engine.memory.growable_arrays import float_table, int_table
from eventide.engine.records import GuardRecord, HistoryRecord
from eventide.inputs.base import reached_inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ConditionPlan, Pattern
    from eventide.discrete.conditions.condition import Condition

Kind: TypeAlias = Literal["certified", "sampled", "opaque"]
"""How closely a condition is monitored: by proofs, at points of a step, at its middle and end."""
OF_KERNEL: Final = list(map(GuardRecord.place_of, ("address", "fallback", "certificate", "can_be_screened")))
"""The places of what follows from the kernel."""
MOST_AT_REST: Final = 8
"""A flow keeps this many rows of past waits for processes that wait again, and as many as it has conditions."""
MOST_HISTORIES: Final = 4096
"""The most histories that are kept of conditions that are not waited for."""


class FiringHistories:
    """The histories of one simulation: how often each condition fired recently, a row for each.

    A history belongs to the name of the waiting process or object and the code of the condition. It continues when a
    process waits again for the same condition, and when another object takes the name.

    floats  the table; `history` names its columns
    """

    def __init__(self, on_growth: Callable[[], None]) -> None:
        self.history = HistoryRecord()
        self.floats = float_table(self.history, on_growth)
        # Code is compared by identity: to hash it takes long, and equal code may stand in several places.
        self._numbers: dict[int, dict[str | int, int]] = {}
        # By number; in lists, as what would be an object for each history is one more for the collector to visit.
        self._names: list[str | int] = []
        self._codes: list[object] = []
        self._users: list[int] = []
        self._unused: dict[int, None] = {}

    def follow(self, condition: Condition) -> int:
        """The history of a condition that is waited for from now on."""
        given, code = condition.identity
        name = given or condition.row
        numbers = self._numbers.get(id(code))
        if numbers is None:
            numbers = self._numbers[id(code)] = {}
        number = numbers.get(name)
        if number is None:
            number = numbers[name] = self.floats.allocate()
            if number == len(self._names):
                self._names.append(name)
                self._codes.append(code)
                self._users.append(1)
            else:
                self._names[number], self._codes[number], self._users[number] = name, code, 1
            return number
        if not self._users[number]:
            del self._unused[number]
        self._users[number] += 1
        return number

    def has(self, name: str, code: object) -> bool:
        """Whether there is a history of a name and some code."""
        return name in self._numbers.get(id(code), ())

    def renew(self, number: int, condition: Condition) -> int:
        """The history from now on of a condition that has another owner; it goes on with what is in that of a number.

        That ends. Of an owner without a name it begins anew.
        """
        renewed = self.follow(condition)
        if condition.name:
            self.floats.array[renewed] = self.floats.array[number]
        self.history.serial[number] = 0.0
        self.leave(number)
        return renewed

    def leave(self, number: int) -> None:
        """A condition with this history is waited for no longer."""
        self._users[number] -= 1
        if self._users[number]:
            return
        if self.history.serial[number] == 0.0:
            self._drop(number)
            return
        self._unused[number] = None
        if len(self._unused) > MOST_HISTORIES:
            for other in list(self._unused)[: MOST_HISTORIES // 2]:
                del self._unused[other]
                self._drop(other)

    def _drop(self, number: int) -> None:
        code = id(self._codes[number])
        numbers = self._numbers[code]
        del numbers[self._names[number]]
        if not numbers:
            del self._numbers[code]
        self._names[number], self._codes[number] = "", None
        self.floats.release(number)

    def has_gone_on(self, number: int) -> bool:
        """Whether a condition with this history has fired more than once."""
        history = self.history
        return bool(history.interval[number] > 0.0 or history.crowd[number] > 0.0)

    def at(self, number: int) -> FiringHistory:
        """The history of a number."""
        return FiringHistory(str(self._names[number]), self._codes[number], self.history, number)

    def all(self) -> list[FiringHistory]:
        """All that have fired, in the order in which they fired first."""
        histories = [self.at(number) for numbers in self._numbers.values() for number in numbers.values()]
        return sorted((history for history in histories if history.serial > 0.0), key=lambda history: history.serial)


class Guards:
    """The conditions of one simulation.

    at          the conditions by row
    histories   how often each has fired recently
    arriving    conditions that have been added since the last event and have no row yet
    switching   the same of comparisons in laws, for which no process waits
    returning   a wait for the same thing again since the last event, without an entry yet: it gets one as time advances
    counts      how many have been monitored so far: over the whole of each step by proofs; at points of it; and at its
                middle and end only, where their code cannot be read
    return_rows returns the processes to Python that are rows and wait by some guards, or by any, before what is kept of
                these changes
    exposed     those that are armed while they are false, and are tested in Python, where they may see without notice
                what an event changes
    armed_early conditions that were armed as this event began, and from when on they had been known to be false

    A process that waits for the same thing again and again takes up the row of its last wait, which rests meanwhile;
    once it has ended another one does that waits for the same on the same objects.
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.guard = GuardRecord()
        self.floats = float_table(self.guard, integrator.memory.outdate)
        self.ints = int_table(self.guard, integrator.memory.outdate)
        self.histories = FiringHistories(integrator.memory.outdate)
        untested = np.zeros(GuardRecord.widths["floats"])
        untested[[GuardRecord.place_of("value"), GuardRecord.place_of("slope")]] = nan
        self._untested = view_of(untested)
        self.at: dict[int, Condition] = {}
        self.arriving: Pending[Condition] = Pending(integrator.changes)
        self.switching: Pending[Condition] = Pending(integrator.changes)
        self.returning: Condition | None = None
        self.doubts = Doubts()
        self.counts: dict[Kind, int] = {"certified": 0, "sampled": 0, "opaque": 0}
        self.exposed: Pending[Condition] = Pending(integrator.changes)
        self.armed_early: list[tuple[Condition, float]] = []
        self.return_rows: Callable[[Iterable[Condition] | None], None] = lambda _: None
        self._resting_with: dict[Member, dict[StateWait, None]] = {}

    def place(self) -> None:
        """Give those that have come their rows."""
        coming = self.arriving.take()
        if self.switching:
            coming = self.switching.take() | coming
        for condition in coming:
            self._admit(condition)

    def _admit(self, condition: Condition) -> None:
        """Give a condition its row and its place in a flow."""
        integrator, plan = self.integrator, self.hold(condition)
        row, guard, groups = condition.row, self.guard, integrator.groups
        guard.history[row] = self.histories.follow(condition)
        is_wait = condition.__class__ is StateWait
        if is_wait:
            if plan.pattern.returns is False and self.histories.history.serial[guard.history[row]] > 0.0:
                plan.pattern.returns = True
        elif condition.is_trigger:
            guard.trigger[row], guard.armed[row] = 1, condition.armed
        elif isinstance(condition, Switch):
            guard.switch[row], guard.whole[row] = condition.slot + 1, condition.whole + 1
            guard.exact[row] = condition.branch.is_timed
        if plan.signature is not None:
            integrator.references.keep_current(condition, plan)
        flow = groups.the_flow() if integrator.together else groups.flow_of(plan)
        groups.count_uses(flow, plan, 1)
        self.link(condition, flow)
        if is_wait or not condition.is_switch:
            self.counts[self.kind_of(condition)] += 1
        if not is_wait and condition.is_handler:
            integrator.native_handlers.note_start(condition)  # type: ignore[arg-type]  # it is a Trigger
        if plan.equalities:
            self.doubts.tell(condition, integrator.groups)

    def hold(self, condition: Condition) -> ConditionPlan:
        """Give a condition a row only: it can be tested, and is not monitored until a flow has it."""
        plan = condition.plan = self.integrator.analyst.condition(condition)
        if isinstance(condition, Switch) and condition.component not in plan.touches:
            plan.touches = (condition.component, *plan.touches)  # it moves where the law does of which it is a part
        pattern = plan.pattern
        condition.row = row = self.ints.copy(pattern.row or _row_of(pattern))
        self.floats.write(row, self._untested)
        self.at[row] = condition
        self.guard.index[row], self.guard.constants[row] = plan.index, plan.constants
        return plan

    def let_go(self, condition: Condition) -> None:
        """Free the row and the memory of a condition that no flow monitors."""
        row = condition.row
        del self.at[row]
        self.integrator.analyst.release(condition.plan)
        self.ints.release(row)
        condition.row = -1

    def kind_of(self, condition: Condition) -> Kind:
        """How closely a condition is monitored; proofs are of the interpolant, and states may be assigned."""
        if condition.plan.is_opaque:
            return "opaque"
        return "certified" if condition.plan.pattern.certificate >= 0 and not condition.flow.assigns else "sampled"

    def link(self, condition: Condition, flow: Flow) -> None:
        """Let a flow watch a condition."""
        flow.conditions[condition] = None
        condition.flow = flow
        still = self.integrator.still
        for owner in condition.plan.touches:
            if owner._flow is not still:
                break
        else:
            self.guard.timed[condition.row] = 1
        # Where laws assign states already it is counted as sampled; where they begin to, as not proved.
        if flow.assigns:
            self.guard.certificate[condition.row], self.guard.can_be_screened[condition.row] = -1, 0
        self._put(condition, flow)

    def _link_again(self, condition: Condition, flow: Flow) -> None:
        """The same where a flow has watched it before."""
        row, guard, pattern = condition.row, self.guard, condition.plan.pattern
        guard.timed[row], guard.certificate[row], guard.can_be_screened[row] = 0, pattern.certificate, pattern.is_steady
        self.link(condition, flow)

    def _put(self, condition: Condition, flow: Flow) -> None:
        """Let the stepper watch a condition that belongs to a flow."""
        integrator = self.integrator
        if self.returning is not None:
            self.enter_returning()
        if not flow.is_open:
            integrator.touch(flow)
        plan = condition.plan
        if plan.pattern.is_exposed and condition.is_trigger:
            self.exposed[condition] = None
        if plan.inputs or plan.is_opaque:
            self._note_inputs(condition, flow)
        known, number = integrator.memory.flow, flow.number
        if known.entries_room[number] < max(known.entries[number] + 1, len(flow.conditions)):
            flow.make_room()  # waits at rest have a place, too
        link, needs_laws = integrator.engine.link, plan.pattern.needs_laws or flow.assigns
        link(
            integrator.memory.arrays,
            condition.row,
            number,
            condition.priority,
            condition.rank,
            needs_laws,
        )

    def note_assignments(self, flow: Flow) -> None:
        """The laws of a flow assign states from now on."""
        self.return_rows(flow.conditions)
        guard = self.guard
        for condition in flow.conditions:
            guard.needs_laws[condition.row] = 1
            guard.can_be_screened[condition.row] = 0
            if condition.is_over:
                guard.certificate[condition.row] = -1  # the next wait for it finds it so

    def unlink(self, condition: Condition) -> Flow:
        """Let its flow watch a condition no longer."""
        integrator = self.integrator
        if self.returning is not None:
            self.enter_returning()
        integrator.engine.unlink(integrator.memory.arrays, condition.row)
        self.exposed.pop(condition, None)
        flow: Flow = condition.flow
        if flow.inputs:
            flow.forget_inputs(condition)
        return flow

    def _note_inputs(self, condition: Condition, flow: Flow) -> None:
        inputs = condition.plan.inputs
        reached = reached_inputs((condition.function, *condition.arguments)) if inputs is None else inputs
        flow.note_inputs(condition, reached)

    def move(self, condition: Condition, flow: Flow) -> None:
        """Let another flow watch a condition."""
        groups = self.integrator.groups
        given = self.unlink(condition)
        del given.conditions[condition]
        groups.count_uses(given, condition.plan, -1)
        groups.count_uses(flow, condition.plan, 1)
        self._link_again(condition, flow)

    def remove(self, condition: Condition) -> bool:
        """Stop monitoring a condition; returns whether it is kept for the next wait of its kind."""
        for coming in (self.arriving, self.switching):
            if condition in coming:
                del coming[condition]
                return False
        flow = self.unlink(condition)
        self.integrator.touch(flow)
        return self._end_in(condition, flow)

    def end(self, condition: Condition) -> bool:
        """A wait ends: its condition has fired and its flow was touched; otherwise as `remove`."""
        flow: Flow = condition.flow
        if flow.inputs:
            flow.forget_inputs(condition)
        return self._end_in(condition, flow)

    def put_back(self, chosen: Condition) -> None:
        """A condition was chosen, and its event does not take place: it continues to wait."""
        if chosen.is_trigger:
            self.guard.armed[chosen.row] = 1
        else:
            self._link_again(chosen, chosen.flow)

    def disarm(self, trigger: Condition) -> None:
        """A handler runs next although its condition was not chosen: that must become false again."""
        self.integrator.touch(trigger.flow)
        test_again(self.integrator.memory.views(), trigger.row)
        self.guard.armed[trigger.row] = self.guard.due[trigger.row] = 0

    def _end_in(self, condition: Condition, flow: Flow) -> bool:
        self.exposed.pop(condition, None)
        if condition.plan.signature is not None:
            self.integrator.references.leave_alone(condition)
        plan = condition.plan
        if flow.members and isinstance(condition, StateWait) and plan.touches and not plan.is_opaque:
            condition.is_over = True
            if condition.plan.pattern.returns is not False and self._rest(condition, flow):
                return True
        self._release(condition, flow)
        self.integrator.groups.drop_if_empty(flow)
        return False

    def _release(self, condition: Condition, flow: Flow) -> None:
        """Give the row and the memory of a condition back."""
        if condition.rests and isinstance(condition, StateWait):
            self._drop_rest(condition)
        del flow.conditions[condition]
        if isinstance(condition, Trigger) and not condition.is_counted:
            self.integrator.native_handlers.leave(condition)
        self.integrator.groups.count_uses(flow, condition.plan, -1)
        self.histories.leave(self.guard.history[condition.row])
        self.let_go(condition)
        del condition.flow

    def renew(self, condition: Condition) -> None:
        """Plan a condition again; an armed trigger stays armed, and a wait at rest is dropped."""
        self.return_rows((condition,))
        if condition.is_over:
            self._discard(condition)
            return
        flow: Flow = condition.flow
        self.integrator.touch(flow)  # first: what was found beyond the end of the step now arms nothing
        armed = self.guard.armed[condition.row]
        self.unlink(condition)
        self.integrator.references.leave_alone(condition)
        self._release(condition, flow)
        self.integrator.groups.drop_if_empty(flow)
        self._admit(condition)
        self.guard.armed[condition.row] = armed

    def began_true(self, condition: Condition) -> bool:
        """Whether the condition of a handler has been true ever since it was first tested, so that it has never run."""
        if not isinstance(condition, Trigger) or condition.has_fired or condition.is_crossing:
            return False
        return self.guard.armed[condition.row] == 0 and not condition.flow.is_open

    def history_of(self, condition: Condition) -> FiringHistory:
        """How often a condition has fired of late."""
        return self.histories.at(self.guard.history[condition.row])

    # --- what an event may change unseen ------------------------------------------------------------------------------

    def arm_exposed(self, exposed: Iterable[Flow]) -> None:
        """An event begins: arm, in steps that it may cut, whose conditions are false by now; they may not be after it.

        Such a condition is tested in Python, or with laws that are executed in Python, which see without notice what
        the event changes.

        exposed     the flows with such laws
        """
        integrator, guard = self.integrator, self.guard
        conditions = dict.fromkeys(chain(self.exposed, *(flow.conditions for flow in exposed)))
        flows: dict[Flow, None] = {}
        self.armed_early.clear()
        for condition in conditions:
            if guard.armed[condition.row] == AT_END and not condition.flow.is_open:
                self.armed_early.append((condition, guard.low[condition.row]))
                flows[condition.flow] = None
        for flow in flows:
            integrator.call(integrator.engine.complete_to, flow.number)
            integrator.publish(flow)

    def disarm_exposed(self) -> None:
        """The event has cut its steps: in the others handlers are armed as before."""
        for condition, low in self.armed_early:
            if condition.row >= 0 and not condition.flow.is_open:
                self.guard.low[condition.row] = low
                self.integrator.memory.flow.tried[condition.flow.number] = nan
        self.armed_early.clear()

    # --- rows at rest ---------------------------------------------------------------------------------------------

    def _rest(self, condition: StateWait, flow: Flow) -> bool:
        """Keep a finished wait and its row for the next of its kind; False if one of its kind is kept already."""
        if condition.rests:
            return True
        if not keep_past(condition.activity, condition):
            return False
        condition.rests = True
        condition.is_plain = is_plain(condition)
        owners = flow.resting[condition] = condition.plan.touches
        for owner in owners:
            self._resting_with.setdefault(owner, {})[condition] = None
        if len(flow.resting) > MOST_AT_REST + len(flow.conditions) // 2:
            self._discard_oldest(flow)
        return True

    def resume(self, wait: StateWait) -> bool:
        """Let a wait at rest reuse its row; False if what it works on has changed: it is dropped then."""
        integrator, plan, flow = self.integrator, wait.plan, wait.flow
        bind = plan.pattern.bind
        if bind is None or bind(wait.function, wait.arguments) != plan.binding:
            renewed = integrator.analyst.resume(wait, plan)
            if renewed is None:
                self._discard(wait)
                return False
            wait.plan = plan = renewed
        if plan.signature is not None:
            integrator.references.keep_current(wait, plan)
        if wait.is_trigger:
            self.guard.armed[wait.row] = 0
        self._put(wait, flow)
        return True

    def fits(self, wait: StateWait) -> bool:
        """Whether a wait at rest can reuse its row for what it asks now."""
        return self.integrator.analyst.resume(wait, wait.plan) is not None

    def hand_over(self, wait: StateWait, taken: int = 1) -> None:
        """A wait at rest has another owner, of which it is the first for this condition: so many processes take it."""
        number = self.guard.history[wait.row]
        self.guard.history[wait.row] = self.histories.follow(wait)
        self.histories.leave(number)
        wait.plan.pattern.returns = True
        self.counts[self.kind_of(wait)] += taken

    def give(self, wait: StateWait, taken: int) -> None:
        """A wait is Python's again, after so many processes in rows have taken it."""
        if taken:
            self.guard.history[wait.row] = self.histories.renew(self.guard.history[wait.row], wait)
            self.counts[self.kind_of(wait)] += taken

    def enter_returning(self) -> None:
        """Enter the returning wait, as something is about to examine all waits."""
        wait, self.returning = self.returning, None
        assert wait is not None
        self._put(wait, wait.flow)

    def _drop_rest(self, condition: StateWait) -> None:
        """A wait is kept no longer when it is over."""
        conditions_of(self.integrator.sim).drop(condition)
        for owner in condition.flow.resting.pop(condition):
            others = self._resting_with[owner]
            del others[condition]
            if not others:
                del self._resting_with[owner]
        condition.rests = condition.is_plain = False

    def _discard(self, condition: Condition) -> None:
        """Keep a row at rest no longer."""
        pattern = condition.plan.pattern
        if pattern.returns is None:
            pattern.returns = self.histories.has_gone_on(self.guard.history[condition.row])
        self._release(condition, condition.flow)
        conditions_of(self.integrator.sim).forget(condition)

    def _discard_oldest(self, flow: Flow) -> None:
        oldest = next((condition for condition in flow.resting if condition.is_over), None)
        if oldest is not None:
            self._discard(oldest)

    def drop_resting(self, flow: Flow) -> None:
        """The members of a flow may change: it keeps no rows at rest."""
        if flow.resting:
            self._drop_all(list(flow.resting))

    def drop_resting_with(self, owner: Member) -> None:
        """A component leaves its flow: rows at rest that depend on it are dropped."""
        waits = self._resting_with.get(owner)
        if waits:
            self._drop_all(list(waits))

    def _drop_all(self, waits: list[StateWait]) -> None:
        self.return_rows(waits)
        for condition in [wait for wait in waits if wait.rests]:  # who has returned may wait by another row
            if condition.is_over:
                self._discard(condition)
            else:
                self._drop_rest(condition)


def _row_of(pattern: Pattern) -> memoryview[int]:
    """The whole numbers of a new guard, as far as they follow from its kernel."""
    numbers = np.zeros(GuardRecord.widths["ints"], np.int64)
    numbers[OF_KERNEL] = pattern.address, pattern.fallback, pattern.certificate, pattern.is_steady
    pattern.row = memoryview(numbers)  # type: ignore[arg-type]  # an array is a buffer
    return pattern.row


def is_plain(wait: StateWait) -> bool:
    """Whether only the rank of a wait changes when it is waited for again."""
    plan = wait.plan
    return plan.signature is None and not plan.inputs and not wait.is_trigger and not wait.is_timed
