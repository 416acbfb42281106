"""Grouping of components, conditions and slots into flows: flows are joined and split as their connections change.

In: objects that start or stop, and what their laws and conditions read and touch. Out: flows, each a connected set
with a step and an interpolant of its own. Invariant: a law or condition and everything that it uses are in one flow.
An object that is not active may still be a member: laws of others set its sums, rates, computed values or states. It
then has no laws of its own there, its rates are zeroed before each pass, and all laws that contribute to it are in one
flow. What cannot be read is observed when it runs, and its flow joins others when it touches them, after which the
step is repeated with all of them. Rejected: one such law makes the whole simulation one flow.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from eventide.continuous.components.component import Continuous
from eventide.continuous.flows.flow import Flow, coalesce, moving_flow
from eventide.continuous.flows.ordering import Ordering
from eventide.continuous.flows.rate_conflicts import RateConflicts
from eventide.continuous.flows.readers import Readers
from eventide.declare.changes import Pending
from eventide.engine.codes import MAYBE, NO_ROOM, SEVERAL, SUM_COUNT, R, Y
from eventide.inputs.base import reached_inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ConditionPlan, LawPlan, Plan
    from eventide.discrete.conditions.condition import Condition


class Grouping:
    """The members of the flows of one simulation.

    opaque      flows with laws or conditions whose code cannot be read, and the number of these
    exposed     flows with laws that may see without notice what an event changes, and the number of these
    asked       flows with native laws that had to be left to Python, which sees such changes too
    joining     components that have been started since the last event and are in no flow yet
    doubted     objects to which laws may have begun, or ceased, to add: see `_decide`
    receivers   objects for which that was found out while laws ran that cannot be read
    shared      what several flows depend on or touch
    writers     rates that laws of more than one object write
    ordering    which laws wait for which
    has_assigned  whether there are states that laws may assign, as difference equations do
    changed     flows whose laws or states have changed since functions were last chosen for their steps
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.opaque: dict[Flow, int] = {}
        self.exposed: dict[Flow, int] = {}
        self.asked: Pending[Flow] = Pending(integrator.changes)
        self.joining: Pending[Member] = Pending(integrator.changes)
        self.doubted: Pending[Member] = Pending(integrator.changes)
        self.receivers: dict[Member, None] = {}
        self.writers = RateConflicts(integrator)
        self.shared = Readers(integrator, self.writers, self.doubt)
        self.changed: dict[Flow, None] = {}
        self.ordering = Ordering(integrator)
        self.has_assigned = False
        self._clock: Flow | None = None
        self._most_fused = integrator.analyst.most_fused

    def members(self) -> Iterator[Member]:
        """All members, one flow after the other."""
        return (owner for flow in self.integrator.flows.values() for owner in flow.members)

    def plan_of(self, owner: Member) -> LawPlan:
        """What is known of a member's laws."""
        return owner._class_plan.plan(owner)

    # --- flows ----------------------------------------------------------------------------------------------------

    def _new_flow(self) -> Flow:
        integrator = self.integrator
        now, number = integrator.sim.time, integrator.memory.flow_rows.take()
        flow = integrator.flows[number] = Flow(integrator, number)
        integrator.engine.enter(integrator.memory.arrays, number, now)
        integrator.note_touching(flow)
        return flow

    def drop_if_empty(self, flow: Flow) -> bool:
        """Forget a flow that has neither members nor conditions."""
        if flow.members or flow.conditions:
            return False
        self._drop(flow)
        return True

    def _drop(self, flow: Flow) -> None:
        self.integrator.guards.drop_resting(flow)
        self.integrator.forget(flow)
        self.changed.pop(flow, None)

    def the_flow(self) -> Flow:
        """The one flow of a simulation that moves together."""
        return next(iter(self.integrator.flows.values()), None) or self._new_flow()

    def flow_of(self, plan: Plan) -> Flow:
        """The flow on which a condition depends; that of the clock if it depends on none."""
        found: Flow | None = None
        for other in plan.touches:
            flow = other._flow
            if isinstance(flow, Flow) and flow is not found:
                if found is not None:
                    return self._flow_for(plan)
                found = flow
        if found is not None:
            return found
        clock = self._clock
        if clock is None or not clock.is_empty or self.integrator.flows.get(clock.number) is not clock:
            self._clock = clock = self._new_flow()
        return clock

    def _flow_for(self, plan: Plan, newcomer: Member | None = None) -> Flow:
        """The flow of what is touched; flows touched together are joined, and without any a new one is made.

        newcomer    the member to be placed; it joins the flows that touch it already. What stands still joins no flow
        """
        met: dict[Flow, None] = {}
        for other in plan.touches:
            flow = other._flow
            if isinstance(flow, Flow):
                met[flow] = None
            elif newcomer is not None and other is newcomer:
                met.update(dict.fromkeys(self.shared.flows_touching(other)))
        flows = list(met) or [self._new_flow()]
        for flow in flows[1:]:
            self.merge(flows[0], flow)
        return flows[0]

    def join(self, kept: Flow, given: Flow, condition: Condition | None) -> None:
        """Code of one flow touches another: they are joined; a condition on time alone so far moves over.

        condition   which touches it; None if a law does
        """
        if condition is not None and kept.is_empty:
            self.integrator.touch(given)
            self.integrator.guards.move(condition, given)
            self.drop_if_empty(kept)
        else:
            self.merge(kept, given)

    def merge(self, kept: Flow, given: Flow) -> None:
        """Move all members of one flow into another."""
        for flow in (kept, given):
            self.integrator.touch(flow)
            self.integrator.guards.drop_resting(flow)
        known = self.integrator.memory.flow.next_step
        following = [known[flow.number] for flow in (kept, given) if flow.segments.count]
        for owner in given.owners():
            self._leave_flow(given, owner)
            self._enter_flow(kept, owner)
        for condition in list(given.conditions):
            self.integrator.guards.move(condition, kept)
        self._drop(given)
        if following and self.integrator.memory.flow.next_step[kept.number] > 0.0:
            self.integrator.memory.flow.next_step[kept.number] = min(following)

    def _split(self, flow: Flow) -> None:
        """Split a flow whose parts are no longer connected."""
        self.integrator.guards.drop_resting(flow)
        groups = self.integrator.analyst.groups(flow)
        for group in groups[1:]:
            fresh = self._new_flow()
            for owner in group:
                self._leave_flow(flow, owner)
                self._enter_flow(fresh, owner)
            for condition in [c for c in flow.conditions if _belongs(c, fresh)]:
                self.integrator.guards.move(condition, fresh)

    def note_changes(self) -> None:
        """Use functions made for the present laws and states of flows, for derivatives as well."""
        if self.ordering.changed:
            self.ordering.arrange()
        integrator = self.integrator
        known, most = integrator.memory.flow, self._most_fused
        for flow in self.changed:
            number = flow.number
            if known.unseen[number] > 0.0:
                integrator.check_jumps(flow)
            laws = known.chain_hi[number] - known.chain_lo[number]
            if flow.is_fused or laws <= most or laws >= flow.crowd:
                flow.fuse()
            if integrator.linearizations.of:
                integrator.linearizations.leave(flow)
        self.changed.clear()

    # --- members --------------------------------------------------------------------------------------------------

    def enter(self, owner: Member) -> None:
        """A component or loose variable has started: it is placed in a flow before time advances."""
        self.joining.add(owner)

    def leave(self, owner: Member) -> None:
        """A component has been stopped."""
        if owner in self.joining:
            del self.joining[owner]
            self.doubt(owner)
            return
        integrator = self.integrator
        if owner._flow is integrator.still:
            return
        self._part(owner)
        is_given = integrator.storage.slab.given[owner._slab.number]
        if is_given or integrator.memory.lists.view[owner._class_plan.record + SUM_COUNT]:
            self.doubt(owner)
        if owner._class_plan.is_opaque:
            self._doubt_receivers()

    def _part(self, owner: Member) -> None:
        """Let a member be one no longer, and stand still."""
        integrator, flow = self.integrator, moving_flow(owner)
        if not flow.is_open:
            integrator.touch(flow)
        integrator.guards.drop_resting_with(owner)
        answer = integrator.engine.may_fall_apart(integrator.memory.arrays, flow.number, owner._slab.number)
        holds_together = answer == 1 or (answer == MAYBE and flow in self.shared.flows_touching(owner))
        self._leave_flow(flow, owner)
        owner._flow = integrator.still
        if owner._class_plan.memory:
            integrator.analyst.leave_class(owner._class_plan)
        if not flow.members:
            integrator.guards.drop_resting(flow)
            if not self.drop_if_empty(flow):
                self._clock = flow
        elif holds_together and not integrator.together:
            self._split(flow)

    # --- which objects others add to ------------------------------------------------------------------------------

    def doubt(self, owner: Member) -> None:
        """Laws may have begun, or ceased, to add to an object, or its own laws no longer hold."""
        self.doubted.add(owner)

    def _doubt_receivers(self) -> None:
        """Unreadable laws have stopped: to which objects the others still add is found as they run."""
        receivers, self.receivers = self.receivers, {}
        for owner in receivers:
            self.doubt(owner)

    def possible_readers(self, owner: Member) -> list[Flow]:
        """The flows that may have read a constant object: also those with unreadable code."""
        return list(dict.fromkeys((*self.shared.flows_touching(owner), *self.opaque)))

    def receive(self, owner: Member, flow: Flow | None) -> None:
        """An unreadable law adds to a constant object.

        flow    in which the law is; None if it runs between steps
        """
        self.receivers[owner] = None
        if flow is None:
            self.doubt(owner)
            return
        self._place((owner,))
        if owner._flow is not flow:
            self.merge(flow, moving_flow(owner))

    def _decide(self) -> None:
        """Let inactive objects move with laws that add to them, and no others.

        What laws set there is of the time of their flow, as if it were their own, and sums are set to zero before each
        pass. To what stands still none has added.
        """
        integrator = self.integrator
        while self.doubted:
            owner = next(iter(self.doubted))
            if not owner._is_active:
                is_given = integrator.storage.slab.given[owner._slab.number] > 0 or owner in self.receivers
                stands = owner._flow is integrator.still
                if stands and is_given:
                    self._place((owner,))
                elif not is_given and not owner._going:
                    if not stands:
                        self._part(owner)
                    self._empty(owner)
            del self.doubted[owner]

    def _empty(self, owner: Member) -> None:
        """No law adds to the sums and rates of an object that stands still."""
        rows, slab, layout = self.integrator.storage.rows, owner._slab, owner._slab.layout
        found = [(Y, layout.slot(owner, name)) for name in layout.sums] if isinstance(owner, Continuous) else []
        found += [(R, slot) for slot in range(slab.base, slab.base + layout.moving)]
        for row, slot in found:
            if rows[row][slot] != 0.0:
                self.integrator.written(slot)
                rows[row][slot] = 0.0

    def change_slots(self, owner: Member, slots: list[int]) -> None:
        """Slots of a member are integrated from now on, or no longer."""
        flow = moving_flow(owner)
        self.integrator.touch(flow)
        self._toggle(flow, runs := coalesce(slots))
        for low, high in runs:
            flow.toggle_rests(low, high)

    def place(self) -> None:
        """Place in flows what has started since; after an error, that member and all after it still wait."""
        joining = self.joining.take()
        try:
            self._place(joining)
            if self.doubted:
                self._decide()
            self.ordering.arrange()
        except BaseException:
            still = self.integrator.still
            self.joining.put_back(owner for owner in joining if owner._flow is still)
            raise

    def _place(self, joining: Iterable[Member]) -> None:
        integrator = self.integrator
        flow_met, analyst = integrator.engine.flow_met, integrator.analyst
        for owner in joining:
            slab = owner._slab
            owner._class_plan = analyst.join_class(owner, slab) if owner._is_active else analyst.join_idle_class(slab)
            number = flow_met(integrator.memory.arrays, slab.number)
            if integrator.together:
                flow = self.the_flow()
            elif number >= 0:
                flow = integrator.flows[number]
            else:
                flow = self._flow_for(self.plan_of(owner), owner) if number == SEVERAL else self._new_flow()
            if not flow.is_open:
                integrator.touch(flow)
            self._enter_flow(flow, owner)
            if self.writers.met:
                self.writers.check(owner)

    def _enter_flow(self, flow: Flow, owner: Member) -> None:
        """Let a component or loose variable be a member of a flow."""
        integrator, class_plan, going, slab = self.integrator, owner._class_plan, owner._going, owner._slab
        low, high = going[0] if going else (0, 0)
        owner._flow = flow
        flow.members[owner] = None
        is_active, come, number = owner._is_active, integrator.engine.come, flow.number
        first = come(integrator.memory.arrays, number, slab.number, is_active, low, high)
        if first == NO_ROOM:
            flow.grow()
            first = come(integrator.memory.arrays, number, slab.number, is_active, low, high)
        if first < class_plan.uses:
            self._count_uses_of_laws(flow, owner, first, 1)
        flow.looked_up = None
        self.changed[flow] = None
        if high - low < slab.layout.moving:
            self._toggle_more(flow, owner)
        if class_plan.is_special or owner._slide is not None:
            self._note_what_is_special(flow, owner)
        if class_plan.dependencies in self.ordering.ordered:
            self.ordering.note(owner)
        if class_plan.is_polled:
            integrator.references.keep_current(owner, class_plan)
        if class_plan.is_exposed:
            _count(self.exposed, flow, 1)

    def _note_what_is_special(self, flow: Flow, owner: Member) -> None:
        """A component slides, calls inputs, may assign states, or has laws that cannot be read."""
        class_plan = owner._class_plan
        if owner._slide is not None:
            flow.note_slide(owner, owner._slide)
        if class_plan.inputs != () and isinstance(owner, Continuous) and owner._is_active:
            flow.note_inputs(
                owner, reached_inputs(owner._laws(), owner) if class_plan.inputs is None else class_plan.inputs
            )
        if class_plan.is_opaque:
            _count(self.opaque, flow, 1)
        if class_plan.assigns and self.has_assigned:
            self._note_assignments(flow)

    def expect_assignments(self) -> None:
        """There is a state that laws may assign; of laws that cannot be read it is not known whether they do."""
        if not self.has_assigned:
            self.has_assigned = True
            for flow in self.opaque:
                self._note_assignments(flow)

    def _note_assignments(self, flow: Flow) -> None:
        if flow.note_assignments():
            self.integrator.guards.note_assignments(flow)

    def _leave_flow(self, flow: Flow, owner: Member) -> None:
        """Let it be one no longer."""
        integrator, class_plan, going, slab = self.integrator, owner._class_plan, owner._going, owner._slab
        low, high = going[0] if going else (0, 0)
        del flow.members[owner]
        is_active, depart, number = owner._is_active, integrator.engine.depart, flow.number
        first = depart(integrator.memory.arrays, number, slab.number, is_active, low, high)
        if first == NO_ROOM:
            flow.grow()
            first = depart(integrator.memory.arrays, number, slab.number, is_active, low, high)
        if first < class_plan.uses:
            self._count_uses_of_laws(flow, owner, first, -1)
        flow.looked_up = None
        self.changed[flow] = None
        if high - low < slab.layout.moving:
            self._toggle_more(flow, owner)
        if flow.sliding is not None:
            flow.sliding.slides.pop(owner, None)
        if flow.inputs and is_active:
            flow.forget_inputs(owner)
        if class_plan.is_opaque:
            _count(self.opaque, flow, -1)
        if class_plan.dependencies in self.ordering.ordered or class_plan.unread:
            self.ordering.forget(owner)
        if class_plan.is_polled:
            integrator.references.leave_alone(owner)
        if class_plan.is_exposed:
            _count(self.exposed, flow, -1)

    def _toggle(self, flow: Flow, runs: Iterable[tuple[int, int]]) -> None:
        """Let slots be integrated with a flow that are not, or stand still."""
        for low, high in runs:
            flow.toggle_slots(low, high)
        self.changed[flow] = None

    def _toggle_more(self, flow: Flow, owner: Member) -> None:
        """The same for what a member has besides one run of integrated states."""
        slab, going = owner._slab, owner._going
        self._toggle(flow, going[1:])
        ends = [slab.base, *chain.from_iterable(going), slab.base + slab.layout.moving]
        for low, high in zip(ends[::2], ends[1::2], strict=True):
            if low < high:
                flow.toggle_rests(low, high)

    def renew(self, owners: Iterable[Member]) -> None:
        """Let components touch what they refer to now."""
        flows: dict[Flow, list[Member]] = {}
        for owner in owners:
            flows.setdefault(moving_flow(owner), []).append(owner)
        for flow, group in flows.items():
            if all(owner._flow is flow for owner in group):
                self._renew(group)
            else:
                self.renew(group)  # what came before has merged or split their flow

    def _renew(self, owners: list[Member]) -> None:
        """Renew components of one flow; it keeps its step if its states are the same."""
        integrator, flow = self.integrator, moving_flow(owners[0])
        integrator.touch(flow)
        integrator.guards.drop_resting(flow)
        slots, following = list(flow.slots), integrator.memory.flow.next_step[flow.number]
        if any(owner._class_plan.is_opaque for owner in owners):
            self._doubt_receivers()
        for owner in owners:
            self._leave_flow(flow, owner)
            integrator.analyst.leave_class(owner._class_plan)
            owner._class_plan = (
                integrator.analyst.join_class(owner, owner._slab)
                if owner._is_active
                else integrator.analyst.join_idle_class(owner._slab)
            )
            self._enter_flow(flow, owner)
        if not integrator.together:
            touched = [other._flow for owner in owners for other in self.plan_of(owner).touches]
            for other in dict.fromkeys(touched):
                if isinstance(other, Flow) and other is not flow:
                    self.merge(flow, other)
            self._split(flow)
        for owner in owners:
            self.writers.check(owner)
        if list(flow.slots) == slots:
            integrator.memory.flow.next_step[flow.number] = following

    # --- which member depends on what -----------------------------------------------------------------------------

    def _count_uses_of_laws(self, flow: Flow, owner: Member, first: int, by: int) -> None:
        number, record = owner._slab.number, owner._class_plan.record
        self.shared.count(flow, record, self.integrator.storage.slab.row_of_laws[number], number, first, by)

    def count_uses(self, flow: Flow, plan: ConditionPlan, by: int) -> None:
        """A flow depends on what a condition reads and touches, also on what is not active yet.

        by      1; -1 if it does so no longer
        """
        if plan.is_opaque:
            _count(self.opaque, flow, by)
            return
        integrator, record, row = self.integrator, plan.record, plan.index
        use = integrator.engine.use
        first = use(integrator.memory.arrays, flow.number, record, row, -1, 0, by)
        if first < plan.uses:
            self.shared.count(flow, record, row, -1, first, by)


def _count(counts: dict[Flow, int], flow: Flow, by: int) -> None:
    counts[flow] = counts.get(flow, 0) + by
    if not counts[flow]:
        del counts[flow]


def _belongs(condition: Condition, flow: Flow) -> bool:
    return any(o._flow is flow for o in condition.plan.touches)
