"""Which components, conditions and slots move together: flows are joined and split as what touches what changes."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from eventide.continuous.checks import two_setters
from eventide.continuous.flow import Flow, Still, coalesce
from eventide.continuous.tables import ASSIGNS, END, HOME, KEY, NEXT, READER, SEVERAL, START

if TYPE_CHECKING:
    from eventide.continuous.analysis import LawPlan, Plan
    from eventide.continuous.motion import Motion
    from eventide.discrete.conditions import Condition


class Grouping:
    """The members of the flows of one simulation.

    plans       what is known of each member's laws
    opaque      flows with laws or conditions whose code cannot be read, and with how many
    joining     components that have been started since the last event and are in no flow yet
    readers     by slot that stands still: the flows that depend on it, and how often
    changed     flows whose laws or states are others than when functions were last chosen for their steps
    """

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.plans: dict[Any, LawPlan] = {}
        self.opaque: dict[Flow, int] = {}
        self.joining: dict[Any, None] = {}
        self.readers: dict[int, dict[Flow, int]] = {}
        self.changed: dict[Flow, None] = {}
        self._clock: Flow | None = None
        self._touchers: dict[Any, dict[Flow, int]] = {}
        self._writer: dict[int, Any] = {}
        self._rivals: dict[int, Writers] = {}

    # --- flows ----------------------------------------------------------------------------------------------------

    def _new_flow(self) -> Flow:
        motion = self.motion
        number = motion.flow_floats.allocate()
        same = motion.flow_ints.allocate()
        assert number == same
        flow = motion.flows[number] = Flow(motion, number)
        row = motion.flow_floats.array[number]
        row[START] = row[END] = row[KEY] = motion.sim.time
        motion.engine.enter(motion.arrays, number)
        motion.touch(flow)
        return flow

    def drop_if_empty(self, flow: Flow) -> bool:
        """Forget a flow that has neither members nor conditions."""
        if not flow.is_empty or flow.conditions:
            return False
        self._drop(flow)
        return True

    def _drop(self, flow: Flow) -> None:
        self.motion.watches.wake(flow)
        self.motion.forget(flow)
        self.changed.pop(flow, None)
        flow.drop()

    def the_flow(self) -> Flow:
        """The one flow of a simulation that moves together."""
        return next(iter(self.motion.flows.values()), None) or self._new_flow()

    def flow_of(self, plan: Plan) -> Flow:
        """The flow on which a condition depends; that of the clock if it depends on none."""
        still = self.motion.still
        flows = [other._flow for other in plan.touches if other._flow is not still]
        if flows:
            return flows[0] if len(flows) == 1 else self._flow_for(plan)
        clock = self._clock
        if clock is None or not clock.is_empty or self.motion.flows.get(clock.number) is not clock:
            self._clock = clock = self._new_flow()
        return clock

    def _flow_for(self, plan: Plan, newcomer: Any = None) -> Flow:
        """The flow of whatever is touched; those that are touched together become one, and where none is, a new one.

        newcomer    who is to be placed: those that touch it already are joined by it; what stands still joins nobody
        """
        met: dict[Flow, None] = {}
        still = self.motion.still
        for other in plan.touches:
            flow = other._flow
            if flow is not still:
                met[flow] = None
            elif other is newcomer and other in self._touchers:
                met.update(dict.fromkeys(self._touchers[other]))
        flows = list(met) or [self._new_flow()]
        for flow in flows[1:]:
            self._merge(flows[0], flow)
        return flows[0]

    def join(self, kept: Flow, given: Flow, condition: Condition | None) -> None:
        """What runs with one flow touches another: they become one; a condition on time alone so far goes over.

        condition   which touches it; None if a law does
        """
        if condition is not None and kept.is_empty:
            self.motion.touch(given)
            self.motion.watches.move(condition, given)
            self.drop_if_empty(kept)
        else:
            self._merge(kept, given)

    def _merge(self, kept: Flow, given: Flow) -> None:
        """Move all members of one flow into another."""
        for flow in (kept, given):
            self.motion.touch(flow)
            self.motion.watches.wake(flow)
        for owner in given.owners():
            self._leave_flow(given, owner)
            self._enter_flow(kept, owner)
        for condition in list(given.conditions):
            self.motion.watches.move(condition, kept)
        self._drop(given)

    def _split(self, flow: Flow) -> None:
        """Give each part of a flow that has lost what held it together a flow of its own."""
        self.motion.watches.wake(flow)
        groups = self.motion.analyst.groups(flow)
        for group in groups[1:]:
            fresh = self._new_flow()
            for owner in group:
                self._leave_flow(flow, owner)
                self._enter_flow(fresh, owner)
            for condition in [c for c in flow.conditions if _belongs(c, fresh)]:
                self.motion.watches.move(condition, fresh)

    def note_changes(self) -> None:
        """Use functions made for the laws and states of flows as they are now, and estimate their next steps anew."""
        motion = self.motion
        for flow in self.changed:
            flow.fuse()
            if motion.linearizations.of:
                motion.linearizations.leave(flow)
        self.changed.clear()

    # --- members --------------------------------------------------------------------------------------------------

    def enlist(self, owner: Any) -> None:
        """A component or loose variable has been started: it will be placed in a flow before time goes on."""
        self.joining[owner] = None
        self.motion.sim._is_steady = False

    def leave(self, owner: Any) -> None:
        """A component has been stopped."""
        if owner in self.joining:
            del self.joining[owner]
            return
        motion, flow = self.motion, owner._flow
        if flow is motion.still:
            return
        motion.touch(flow)
        motion.watches.wake_those_with(owner)
        plan = self.plans[owner]
        holds_together = not motion.together and self._holds_together(owner, plan, flow)
        self._leave_flow(flow, owner)
        self._house(owner, motion.still)
        del self.plans[owner]
        self._forget_writer(owner, plan)
        motion.analyst.release(plan)
        if flow.is_empty:
            motion.watches.wake(flow)
            if not self.drop_if_empty(flow):
                self._clock = flow
        elif holds_together:
            self._split(flow)

    def _holds_together(self, owner: Any, plan: LawPlan, flow: Flow) -> bool:
        """Whether a flow may fall apart without a member: not if that touches one other at most, and nobody it."""
        touches = plan.touches
        if self._touchers[owner].get(flow, 0) > touches.count(owner):
            return True
        return len(touches) > 2 and sum(other._flow is flow for other in touches if other is not owner) > 1

    def change_slots(self, owner: Any, slots: list[int]) -> None:
        """Slots of a member are integrated from now on, or no longer."""
        flow = owner._flow
        self.motion.touch(flow)
        for low, high in coalesce(slots):
            flow.segments.toggle(low, high)
        self._restructured(flow)

    def place(self) -> None:
        """Place what has been started since in flows."""
        joining, self.joining = self.joining, {}
        for owner in joining:
            plan = self.plans[owner] = self.motion.analyst.law(owner)
            flow = self.the_flow() if self.motion.together else self._flow_for(plan, owner)
            if not flow.is_open:
                self.motion.touch(flow)
            self._enter_flow(flow, owner)
            self._check_writers(owner, plan)

    def _enter_flow(self, flow: Flow, owner: Any) -> None:
        self._house(owner, flow)
        plan = self.plans[owner]
        flow.add_owner(owner, plan)
        self.note_uses(flow, plan)
        if plan.assigns and not flow.assigns:
            flow.assigns = True
            self.motion.flow_ints.view[flow.number, ASSIGNS] = 1
            self.motion.watches.note_assignments(flow)
        if plan.signature is not None:
            self.motion.keep_current(owner, plan)
        self._restructured(flow)

    def _house(self, owner: Any, flow: Flow | Still) -> None:
        """Let a component or loose variable belong to a flow, or to what stands still."""
        owner._flow = flow
        concerned, seat = self.motion.arena.concerned, owner._seat
        if seat.layout.moving:
            concerned[seat.base, HOME] = flow.number
        if seat.layout.standing:
            concerned[seat.side, HOME] = flow.number

    def _leave_flow(self, flow: Flow, owner: Any) -> None:
        plan = self.plans[owner]
        flow.remove_owner(owner)
        self.forget_uses(flow, plan)
        if plan.signature is not None:
            self.motion.leave_alone(owner)
        self._restructured(flow)

    def _restructured(self, flow: Flow) -> None:
        """The laws or states of a flow have changed: its next step is estimated anew."""
        self.changed[flow] = None
        if self.motion.sim.dt_max == inf:
            self.motion.flow_floats.view[flow.number, NEXT] = 0.0

    def renew(self, owner: Any) -> None:
        """Let a component touch what it refers to now; a flow whose states stay the same keeps its step."""
        motion, flow = self.motion, owner._flow
        motion.touch(flow)
        motion.watches.wake(flow)
        slots, following = list(flow.slots), motion.flow_floats.view[flow.number, NEXT]
        self._leave_flow(flow, owner)
        self._forget_writer(owner, self.plans[owner])
        motion.analyst.release(self.plans[owner])
        plan = self.plans[owner] = motion.analyst.law(owner)
        self._enter_flow(flow, owner)
        if not motion.together:
            for other in dict.fromkeys(o._flow for o in plan.touches if o._flow is not motion.still):
                if other is not flow:
                    self._merge(flow, other)
            self._split(flow)
        self._check_writers(owner, plan)
        if list(flow.slots) == slots:
            motion.flow_floats.view[flow.number, NEXT] = following

    # --- who sets which rate --------------------------------------------------------------------------------------

    def _check_writers(self, owner: Any, plan: LawPlan) -> None:
        """Raise ModelError, naming both laws, if one sets a rate that an earlier one has written, unread."""
        for slots in (plan.sets, plan.adds):
            for slot in slots:
                first = self._writer.setdefault(slot, owner)
                if first is not owner:
                    self._check_rivals(slot, first, owner)

    def _check_rivals(self, slot: int, first: Any, owner: Any) -> None:
        """As `_check_writers`, for a rate that another law writes as well."""
        rivals = self._rivals.get(slot)
        if rivals is None:
            rivals = self._rivals[slot] = Writers()
            rivals.add(first, sets=slot in self.plans[first].sets)
        rivals.add(owner, sets=slot in self.plans[owner].sets)
        clash = rivals.clash(owner)
        if clash is not None:
            raise two_setters(*clash, self.motion.system.variable_at(slot))

    def _forget_writer(self, owner: Any, plan: LawPlan) -> None:
        for slots in (plan.sets, plan.adds):
            for slot in slots:
                rivals = self._rivals.get(slot) if self._rivals else None
                if rivals is not None:
                    rivals.remove(owner)
                if self._writer.get(slot) is owner:
                    other = rivals.first() if rivals is not None else None
                    if other is not None:
                        self._writer[slot] = other
                    else:
                        del self._writer[slot]
                        self._rivals.pop(slot, None)

    # --- who depends on what --------------------------------------------------------------------------------------

    def note_uses(self, flow: Flow, plan: Plan) -> None:
        """A flow depends on what a plan reads and touches, also on what is not active yet."""
        if plan.is_opaque:
            self.opaque[flow] = self.opaque.get(flow, 0) + 1
        self._tell_readers(_add(self.readers, plan.reads, flow))
        _add(self._touchers, plan.touches, flow)

    def forget_uses(self, flow: Flow, plan: Plan) -> None:
        """It depends on them no longer."""
        if plan.is_opaque:
            self.opaque[flow] -= 1
            if not self.opaque[flow]:
                del self.opaque[flow]
        self._tell_readers(_take_off(self.readers, plan.reads, flow))
        _take_off(self._touchers, plan.touches, flow)

    def _tell_readers(self, slots: list[int]) -> None:
        """Let the stepper know which flow depends on these slots."""
        concerned, readers = self.motion.arena.concerned, self.readers
        for slot in slots:
            flows = readers.get(slot, ())
            concerned[slot, READER] = next(iter(flows)).number if len(flows) == 1 else SEVERAL if flows else -1


def _add(users: dict[Any, dict[Flow, int]], items: tuple[Any, ...], flow: Flow) -> list[Any]:
    """Count a flow once more among the users of each item; answers the items that it has not used before."""
    found: list[Any] = []
    for item in items:
        flows = users.get(item)
        if flows is None:
            users[item] = {flow: 1}
            found.append(item)
        elif flow in flows:
            flows[flow] += 1
        else:
            flows[flow] = 1
            found.append(item)
    return found


def _take_off(users: dict[Any, dict[Flow, int]], items: tuple[Any, ...], flow: Flow) -> list[Any]:
    """Count it once less; answers the items that it uses no longer."""
    lost: list[Any] = []
    for item in items:
        flows = users[item]
        count = flows[flow]
        if count > 1:
            flows[flow] = count - 1
            continue
        lost.append(item)
        if len(flows) > 1:
            del flows[flow]
        else:
            del users[item]
    return lost


class Writers:
    """The laws that write one rate."""

    def __init__(self) -> None:
        self._all: dict[Any, None] = {}
        self._setters: dict[Any, None] = {}

    def first(self) -> Any:
        """The law that has written it longest; None if none does."""
        return next(iter(self._all), None)

    def add(self, owner: Any, *, sets: bool) -> None:
        """A law sets the rate without having read it, or adds to it."""
        self._all[owner] = None
        if sets:
            self._setters[owner] = None

    def remove(self, owner: Any) -> None:
        """A law writes it no longer."""
        self._all.pop(owner, None)
        self._setters.pop(owner, None)

    def clash(self, newcomer: Any) -> tuple[Any, Any] | None:
        """A law that sets what another has written before it, and that other; None if there is none.

        newcomer    who has come since there was none
        """
        for setter in self._setters:
            earlier = self._all if setter is newcomer else (newcomer,)
            for other in earlier:
                if other is not setter and _order(other) < _order(setter):
                    return setter, other
        return None


def _order(owner: Any) -> tuple[float, int]:
    return -owner._priority, owner._started


def _belongs(condition: Condition, flow: Flow) -> bool:
    return any(o._flow is flow for o in condition.plan.touches)
