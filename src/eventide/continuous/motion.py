"""Everything that moves in one simulation: the arrays, the flows, and the way between Python and the stepper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from eventide.continuous import march
from eventide.continuous.analysis import Analyst, LawPlan, Plan
from eventide.continuous.checks import two_setters
from eventide.continuous.culprits import execute_law, is_condition_true
from eventide.continuous.engine import PLAIN, Engine
from eventide.continuous.flow import Flow, Still
from eventide.continuous.growing import Blocks, Runs, Table
from eventide.continuous.methods import ENGLAND, Method
from eventide.continuous.tables import (
    ABORTED,
    ADDRESS,
    ARMED,
    ARMS,
    CONDITION_FLOATS,
    CONDITION_INTS,
    CONSTANTS,
    DT_MAX,
    DT_MIN,
    DUE,
    END,
    EVALUATIONS,
    FIRST,
    FLOW,
    FLOW_FLOATS,
    FLOW_INTS,
    FOLLOWING,
    INDEX,
    KEY,
    LAND,
    NEEDS_LAWS,
    NEXT,
    NEXT_EVENT,
    PLACE,
    PRECEDING,
    PRIORITY,
    RANK,
    REFUSED,
    REST,
    SETTINGS,
    START,
    STEP,
    STEPS,
    STEPWISE,
    TRIGGER,
    TROUBLED,
    WORST,
    Arrays,
    R,
    Y,
)
from eventide.discrete.conditions import Condition
from eventide.errors import ModelError, SimulationError

if TYPE_CHECKING:
    from eventide.continuous.system import System
    from eventide.continuous.variable import Variable
    from eventide.simulation import Simulation


class Motion:
    """The flows of one simulation and the arrays in which they are computed.

    together    whether all is one flow that lands on every event, as the monitor of the manual does
    trouble     the last error of arithmetic that a law raised in a trial step; failure: what must go up at once
    """

    def __init__(self, sim: Simulation, system: System, engine: Engine = PLAIN, analyst: Analyst | None = None) -> None:
        self.sim = sim
        self.system = system
        self.arena = system.arena
        self.engine = engine
        self.analyst = analyst or Analyst()
        self.analyst.motion = self
        self.together = sim.stepping == "together"
        self.trouble: Exception | None = None
        self.failure: BaseException | None = None
        self.flow_floats = Table(FLOW_FLOATS, np.float64, self._outdate)
        self.flow_ints = Table(FLOW_INTS, np.int64, self._outdate)
        self.condition_ints = Table(CONDITION_INTS, np.int64, self._outdate)
        self.condition_floats = Table(CONDITION_FLOATS, np.float64, self._outdate)
        self.segments = Runs(2, self._outdate)
        self.chain = Runs(3, self._outdate)
        self.sums = Runs(2, self._outdate)
        self.index = Blocks(np.int64, self._outdate)
        self.lists = Blocks(np.int64, self._outdate)
        self.constants = Blocks(np.float64, self._outdate)
        self.settings = np.zeros(SETTINGS)
        self.settings[ARMS] = 1.0
        self.still = Still(self)
        self.flows: dict[int, Flow] = {}
        self.by_row: dict[int, Condition] = {}
        self.readers: dict[Any, dict[Flow, int]] = {}
        self._touchers: dict[Any, dict[Flow, int]] = {}
        self._changing: dict[Any, None] = {}
        self._writers: dict[int, dict[Any, Any]] = {}
        self.plans: dict[Any, LawPlan] = {}
        self.touched: list[Flow] = []
        self._joining: dict[Any, None] = {}
        self._arriving: dict[Condition, None] = {}
        self._seen: list[Flow] = []
        self._method: Method = ENGLAND
        self._past = [0, 0, 0]
        self._heap = np.zeros(0, np.int64)
        self._pending = np.zeros(0, np.int64)
        self._packed: Any = None
        self._kept: Any = None

    # --- arrays ---------------------------------------------------------------------------------------------------

    def _outdate(self) -> None:
        self._packed = None

    @property
    def arrays(self) -> Any:
        """The arrays as they are now, as the engine takes them."""
        if self._packed is None:
            self._packed, self._kept = self.engine.pack(self._gather_arrays())
        return self._packed

    def _gather_arrays(self) -> Arrays:
        flows = len(self.flow_floats.array)
        # They are replaced only to grow: what has been packed before goes on being used.
        if len(self._heap) < flows:
            self._heap = np.concatenate([self._heap, np.zeros(flows - len(self._heap), np.int64)])
            self._pending = np.concatenate([self._pending, np.zeros(2 * flows - len(self._pending), np.int64)])
        return Arrays(
            rows=self.arena.table,
            flow_floats=self.flow_floats.array,
            flow_ints=self.flow_ints.array,
            segments=self.segments.array,
            chain=self.chain.array,
            sums=self.sums.array,
            index=self.index.array,
            lists=self.lists.array,
            conditions=self.condition_ints.array,
            condition_floats=self.condition_floats.array,
            constants=self.constants.array,
            heap=self._heap,
            pending=self._pending,
            settings=self.settings,
            method=self._method.coefficients,
            host=self,
        )

    @property
    def method(self) -> Method:
        """The integration method."""
        return self._method

    @method.setter
    def method(self, method: Method) -> None:
        self._method = method
        self.touch_all()
        self._outdate()

    # --- counts ---------------------------------------------------------------------------------------------------

    def total(self, column: int) -> int:
        """The sum of a counter over all flows, past ones included."""
        past = self._past[(STEPS, REFUSED, EVALUATIONS).index(column)]
        return past + sum(int(self.flow_ints.array[number, column]) for number in self.flows)

    # --- flows ----------------------------------------------------------------------------------------------------

    def _new_flow(self) -> Flow:
        number = self.flow_floats.allocate()
        assert number == self.flow_ints.allocate()
        flow = self.flows[number] = Flow(self, number)
        row = self.flow_floats.array[number]
        row[START] = row[END] = row[KEY] = self.sim.time
        self.engine.enter(self.arrays, number)
        self._open(flow)
        return flow

    def _drop(self, flow: Flow) -> None:
        self.engine.leave(self.arrays, flow.number)
        for k, column in enumerate((STEPS, REFUSED, EVALUATIONS)):
            self._past[k] += int(self.flow_ints.array[flow.number, column])
        del self.flows[flow.number]
        self.touched = [f for f in self.touched if f is not flow]
        flow.drop()

    def _the_flow(self) -> Flow:
        """The one flow of a simulation that moves together."""
        return next(iter(self.flows.values()), None) or self._new_flow()

    def unite(self, kept: Flow | None = None) -> None:
        """From now on all is one flow: `kept`, or the first."""
        self.together = True
        kept = kept or next(iter(self.flows.values()), None)
        for flow in list(self.flows.values()):
            if kept is not None and flow is not kept:
                self._merge(kept, flow)

    def _merge(self, kept: Flow, given: Flow) -> None:
        """Move all members of one flow into another."""
        for flow in (kept, given):
            self._open(flow)
        for owner in given.owners():
            self._leave_flow(given, owner)
            self._enter_flow(kept, owner)
        for condition in list(given.conditions):
            self._unlink(condition)
            self._link(condition, kept)
        self._drop(given)
        self._restructured(kept)

    def _restructured(self, flow: Flow) -> None:
        """The set of states of a flow has changed: its next step is estimated anew."""
        if self.sim.dt_max == inf:
            self.flow_floats.array[flow.number, NEXT] = 0.0

    # --- members --------------------------------------------------------------------------------------------------

    def join(self, owner: Any) -> None:
        """A component has been started: it will be placed in a flow before time goes on."""
        self._joining[owner] = None

    def leave(self, owner: Any) -> None:
        """A component has been stopped."""
        if owner in self._joining:
            del self._joining[owner]
            return
        flow = owner._flow
        if flow is self.still:
            return
        self._open(flow)
        self._leave_flow(flow, owner)
        owner._flow = self.still
        plan = self.plans.pop(owner)
        self._forget_writer(owner, plan)
        self.analyst.release(plan)
        if flow.is_empty and not flow.conditions:
            self._drop(flow)
        elif not self.together:
            self._split(flow)

    def add_slot(self, owner: Any, slot: int) -> None:
        """One more slot of a member is integrated."""
        flow = owner._flow
        self._open(flow)
        flow.add_slots([slot])
        self._restructured(flow)

    def remove_slot(self, owner: Any, slot: int) -> None:
        """One slot of a member is integrated no longer."""
        flow = owner._flow
        if flow is not self.still and slot in flow.slots:
            self._open(flow)
            flow.remove_slots([slot])
            self._restructured(flow)

    def place_what_waits(self) -> None:
        """Place now what would be placed before time goes on."""
        if self._joining or self._arriving:
            self.regroup()

    def regroup(self) -> None:
        """Place what has been started or waited for since in flows."""
        joining, self._joining = self._joining, {}
        for owner in joining:
            plan = self.plans[owner] = self.analyst.law(owner)
            if plan.touches is None and not self.together:
                self.unite()
            flow = self._the_flow() if self.together else self._flow_for(plan, owner)
            self._open(flow)
            self._enter_flow(flow, owner)
            self._check_writers(owner, plan)
        arriving, self._arriving = self._arriving, {}
        for condition in arriving:
            self._admit(condition)

    def _flow_for(self, plan: Plan, newcomer: Any = None) -> Flow:
        """The flow of whatever is touched; those that are touched together become one, and where none is, a new one.

        newcomer    who is to be placed: those that touch it already are joined by it; what stands still joins nobody
        """
        met: dict[Flow, None] = {}
        for other in plan.touches or ():
            if other._flow is not self.still:
                met[other._flow] = None
            elif other is newcomer:
                met.update(dict.fromkeys(self._touchers.get(other, ())))
        flows = list(met) or [self._new_flow()]
        for flow in flows[1:]:
            self._merge(flows[0], flow)
        return flows[0]

    def _split(self, flow: Flow) -> None:
        """Give each part of a flow that has lost what held it together a flow of its own."""
        groups = self.analyst.groups(flow)
        for group in groups[1:]:
            fresh = self._new_flow()
            for owner in group:
                self._leave_flow(flow, owner)
                self._enter_flow(fresh, owner)
            for condition in [c for c in flow.conditions if self._belongs(c, fresh)]:
                self._unlink(condition)
                self._link(condition, fresh)

    def _belongs(self, condition: Condition, flow: Flow) -> bool:
        return any(o._flow is flow for o in condition.plan.touches or ())

    def _enter_flow(self, flow: Flow, owner: Any) -> None:
        owner._flow = flow
        plan = self.plans[owner]
        flow.add_owner(owner, plan)
        self._note_uses(flow, plan)
        if plan.assigns and not flow.assigns:
            flow.assigns = True
            for condition in flow.conditions:
                self.condition_ints.array[condition.row, NEEDS_LAWS] = 1
        if plan.signature is not None:
            self._changing[owner] = None
        slots = self.system.active_slots(owner)
        if slots:
            flow.add_slots(slots)
        self._restructured(flow)

    def _leave_flow(self, flow: Flow, owner: Any) -> None:
        flow.remove_owner(owner)
        self._forget_uses(flow, self.plans[owner])
        self._changing.pop(owner, None)
        slots = [slot for slot in self.system.slots_of(owner) if slot in flow.slots]
        if slots:
            flow.remove_slots(slots)
        self._restructured(flow)

    def _check_writers(self, owner: Any, plan: LawPlan) -> None:
        """Raise ModelError, naming both laws, if one sets a rate that an earlier one has written, unread."""
        key = (-owner._priority, owner._started) if plan.sets or plan.adds else None
        for slot in (*plan.sets, *plan.adds):
            writers = self._writers.setdefault(slot, {})
            writers[owner] = (key, slot in plan.sets)
            in_order = sorted(writers.items(), key=lambda item: item[1][0])
            for (first, _), (second, (_, sets)) in pairwise(in_order):
                if sets:
                    raise two_setters(second, first, self.system.variable_at(slot))

    def _forget_writer(self, owner: Any, plan: LawPlan) -> None:
        for slot in (*plan.sets, *plan.adds):
            self._writers[slot].pop(owner, None)

    def _note_uses(self, flow: Flow, plan: Plan) -> None:
        """A flow depends on what a plan reads and touches, also on what is not active yet."""
        for users, items in ((self.readers, plan.reads), (self._touchers, plan.touches or ())):
            for item in items:
                flows = users.setdefault(item, {})
                flows[flow] = flows.get(flow, 0) + 1

    def _forget_uses(self, flow: Flow, plan: Plan) -> None:
        for users, items in ((self.readers, plan.reads), (self._touchers, plan.touches or ())):
            for item in items:
                flows = users[item]
                flows[flow] -= 1
                if not flows[flow]:
                    del flows[flow]
                if not flows:
                    del users[item]

    def _renew_plans(self) -> None:
        """Plan anew what refers to other objects, lists or numbers than before."""
        for item in list(self._changing):
            if isinstance(item, Condition):
                if not self.analyst.is_condition_current(item, item.plan):
                    self._renew_condition(item)
            elif not self.analyst.is_law_current(item, self.plans[item]):
                self._renew_law(item)

    def _renew_condition(self, condition: Condition) -> None:
        """Watch a condition as what it is now; a trigger that was armed stays armed."""
        self._open(self.flow_of(condition))
        armed = int(self.condition_ints.array[condition.row, ARMED])
        self.remove_condition(condition)
        self._admit(condition)
        self.condition_ints.array[condition.row, ARMED] = armed

    def _renew_law(self, owner: Any) -> None:
        """Let a component touch what it refers to now; a flow whose states stay the same keeps its step."""
        flow = owner._flow
        self._open(flow)
        slots, following = set(flow.slots), float(self.flow_floats.array[flow.number, NEXT])
        self._leave_flow(flow, owner)
        self._forget_writer(owner, self.plans[owner])
        self.analyst.release(self.plans[owner])
        plan = self.plans[owner] = self.analyst.law(owner)
        self._enter_flow(flow, owner)
        if plan.touches is None and not self.together:
            self.unite(flow)
        elif not self.together:
            for other in dict.fromkeys(o._flow for o in plan.touches or () if o._flow is not self.still):
                if other is not flow:
                    self._merge(flow, other)
            self._split(flow)
        self._check_writers(owner, plan)
        if flow.slots.keys() == slots:
            self.flow_floats.array[flow.number, NEXT] = following

    # --- seeing and touching --------------------------------------------------------------------------------------

    def publish(self, flow: Flow) -> None:
        """Bring what is seen of a flow to the present time."""
        with self._between_events():
            self.engine.publish(self.arrays, flow.number, self.sim.time)
        self._show_to_python(flow, self.sim.time)
        self.raise_what_was_met()

    @contextmanager
    def _between_events(self) -> Iterator[None]:
        """While laws run because an event reads or changes a flow: they may write rates; the clock stays as it is."""
        sim = self.sim
        before = sim.active, sim.time, sim.dt, sim.last_time
        sim.active = True
        try:
            yield
        finally:
            sim.active, sim.time, sim.dt, sim.last_time = before

    def touch(self, flow: Flow) -> None:
        """End the step of a flow now, because an event changes it."""
        if not flow.is_open:
            self._open(flow)

    def _open(self, flow: Flow) -> None:
        if flow.is_open:
            return
        with self._between_events():
            self.engine.touch(self.arrays, flow.number, self.sim.time)
        self.engine.sift_up(self.arrays, int(self.flow_ints.array[flow.number, PLACE]))
        self._show_to_python(flow, self.sim.time)
        flow.is_open = True
        self.touched.append(flow)
        self.raise_what_was_met()

    def touch_all(self) -> None:
        """End the steps of all flows now."""
        for flow in self.flows.values():
            self.touch(flow)

    def written(self, slot: int) -> None:
        """A parameter, or a state that stands still, has been written: who reads it is touched."""
        for flow in self.readers.get(slot, ()):
            self.touch(flow)

    def settle(self, *, arms: bool = True) -> list[Flow]:
        """After an event: regroup, and take the states as they are now for the start of new steps.

        arms    whether conditions found false are armed
        Returns the flows that have been touched
        """
        self.settings[ARMS] = 1.0 if arms else 0.0
        limits = self.sim.dt_min, self.sim.dt_max
        if limits != (self.settings[DT_MIN], self.settings[DT_MAX]):
            self._take_limits()
            self.touch_all()
        if self._changing:
            self._renew_plans()
        self.place_what_waits()
        if self.together:
            self.touch_all()
        now = self.sim.time
        self.sim.dt, self.sim.last_time = 0.0, now
        for flow in self.touched:
            flow.is_open = False
        touched, self.touched = self.touched, []
        for flow in touched:
            self.engine.settle(self.arrays, flow.number, now)
            self.raise_what_was_met()
            self._show_to_python(flow, now)
        self.sim.time, self.sim.dt, self.sim.last_time = now, 0.0, now
        return touched

    def settle_for_now(self) -> None:
        """In a pause: as `settle`, but it arms nothing, and what the event has touched is settled again at its end."""
        self.touched = self.settle(arms=False)
        for flow in self.touched:
            flow.is_open = True

    def raise_what_was_met(self) -> None:
        """Raise what Python code called from within a step has raised, the same object."""
        failure = self.failure or self.trouble
        self.failure = self.trouble = None
        self.settings[ABORTED] = self.settings[TROUBLED] = 0.0
        if failure is not None:
            raise failure

    # --- marching -------------------------------------------------------------------------------------------------

    def march(self, stop: float, next_event: float, *, stepwise: bool) -> int:
        """Bring all flows to `stop` or to the first state event before it; answers a code of `tables.py`."""
        settings = self.settings
        settings[LAND] = next_event if self.together else inf
        settings[NEXT_EVENT] = next_event
        settings[STEPWISE] = 1.0 if stepwise else 0.0
        code = self.engine.march(self.arrays, stop)
        if settings[TROUBLED] == 0.0:
            self.trouble = None  # that of a trial step which has been mended since
        self._forget_what_was_seen()
        return code

    def force(self, number: int) -> None:
        """Accept the inaccurate smallest step of a flow, with whatever has been changed meanwhile."""
        self._take_limits()
        if self.touched:
            self.settle(arms=False)
        self.engine.force(self.arrays, number)
        self._forget_what_was_seen()

    def repeat(self, number: int) -> None:
        """Begin the step of a flow again, with whatever has been changed meanwhile."""
        self._take_limits()
        self.touch(self.flows[number])
        self.settle(arms=False)

    def _take_limits(self) -> None:
        """Let present limits hold for every flow's next step, without cutting one."""
        self.settings[DT_MIN], self.settings[DT_MAX] = self.sim.dt_min, self.sim.dt_max

    @property
    def start_of_root(self) -> float:
        """When the step of the flow at the root began."""
        return float(self.flow_floats.array[self.root, START])

    def replay(self) -> None:
        """Repeat the last attempt of the flow at the root in Python, so that its errors are met at the user's lines."""
        views, _ = PLAIN.pack(self._gather_arrays())
        flow, row = self.root, self.flow_floats.array[self.root]
        limit = min(float(self.settings[LAND]), march.LATEST)
        remaining = (limit - float(row[START])) - float(row[REST])
        self.evaluate(flow, float(row[START]), 0.0)
        if self.trouble is None and self.failure is None:
            march.try_step(views, flow, min(float(row[NEXT]), remaining), remaining, limit)
        march.return_to_start(views, flow)
        self._forget_what_was_seen()

    def worst_variable(self) -> Variable | None:
        """The variable whose error was worst in the last attempt of the flow at the root."""
        slot = int(self.flow_ints.array[self.root, WORST])
        return None if slot < 0 else self.system.variable_at(slot)

    def _forget_what_was_seen(self) -> None:
        for flow in self._seen:
            flow.at = nan
        self._seen.clear()

    @property
    def root(self) -> int:
        """The flow that has been brought least far."""
        return int(self._heap[0])

    @property
    def reach(self) -> float:
        """How far the flow at the root has been brought."""
        return float(self.flow_floats.array[self.root, KEY])

    def tell_step(self) -> None:
        """Set the simulation's dt and last_time to those of the flow at the root, at the present time."""
        if self.flows:
            row = self.flow_floats.array[self.root]
            self.sim.last_time = float(row[START])
            at_end = self.sim.time == row[END]
            self.sim.dt = float(row[STEP] if at_end else (self.sim.time - row[START]) - row[REST])

    def first_due(self) -> Condition | None:
        """The first condition that is due at this instant."""
        row = self.engine.choose(self.arrays, self.sim.time)
        return None if row < 0 else self.by_row[row]

    # --- conditions -----------------------------------------------------------------------------------------------

    def add_condition(self, condition: Condition) -> None:
        """Watch a condition from now on; it is looked at when the event is over and all that it refers to is there."""
        self._arriving[condition] = None

    def _admit(self, condition: Condition) -> None:
        """Give a condition its row and its place in a flow."""
        plan = condition.plan = self.analyst.condition(condition)
        if plan.touches is None and not self.together:
            self.unite()
        row = self.condition_ints.allocate()
        assert row == self.condition_floats.allocate()
        condition.row = row
        self.by_row[row] = condition
        ints, floats = self.condition_ints.array[row], self.condition_floats.array[row]
        ints[TRIGGER], ints[ARMED] = int(condition.is_trigger), int(condition.armed)
        ints[ADDRESS], ints[INDEX], ints[CONSTANTS] = plan.address, plan.index, plan.constants
        floats[PRIORITY], floats[RANK] = condition.priority, condition.rank
        if plan.signature is not None:
            self._changing[condition] = None
        self._link(condition, self._the_flow() if self.together else self._flow_of(plan))

    def _flow_of(self, plan: Plan) -> Flow:
        """The flow on which a condition depends; that of the clock if it depends on none."""
        moves = any(other._flow is not self.still for other in plan.touches or ())
        return self._flow_for(plan) if moves else self._clock()

    def flow_of(self, condition: Condition) -> Flow:
        """The flow in whose steps a condition is watched."""
        return self.flows[int(self.condition_ints.array[condition.row, FLOW])]

    def _clock(self) -> Flow:
        """The flow of conditions on time alone."""
        return next((f for f in self.flows.values() if f.is_empty), None) or self._new_flow()

    def _link(self, condition: Condition, flow: Flow) -> None:
        self._open(flow)
        self._note_uses(flow, condition.plan)
        flow.conditions[condition] = None
        ints = self.condition_ints.array
        first = int(self.flow_ints.array[flow.number, FIRST])
        ints[condition.row, FLOW] = flow.number
        ints[condition.row, NEEDS_LAWS] = int(condition.plan.needs_laws or flow.assigns)
        ints[condition.row, FOLLOWING], ints[condition.row, PRECEDING] = first, -1
        if first >= 0:
            ints[first, PRECEDING] = condition.row
        self.flow_ints.array[flow.number, FIRST] = condition.row

    def _unlink(self, condition: Condition) -> Flow:
        ints, flow = self.condition_ints.array, self.flow_of(condition)
        before, after = int(ints[condition.row, PRECEDING]), int(ints[condition.row, FOLLOWING])
        if before >= 0:
            ints[before, FOLLOWING] = after
        else:
            self.flow_ints.array[flow.number, FIRST] = after
        if after >= 0:
            ints[after, PRECEDING] = before
        del flow.conditions[condition]
        self._forget_uses(flow, condition.plan)
        return flow

    def remove_condition(self, condition: Condition) -> None:
        """Watch a condition no longer."""
        if condition in self._arriving:
            del self._arriving[condition]
            return
        flow = self._unlink(condition)
        self._open(flow)
        self._changing.pop(condition, None)
        self.analyst.release(condition.plan)
        del self.by_row[condition.row]
        self.condition_ints.release(condition.row)
        self.condition_floats.release(condition.row)
        condition.row = -1
        if flow.is_empty and not flow.conditions:
            self._drop(flow)

    def measure(self, condition: Condition) -> tuple[float, float] | None:
        """The guide of a condition now, 0 or more where it holds, and its rate; None if its code is not native."""
        if condition.row < 0:
            return None
        flow = self.flow_of(condition)
        if flow.at != self.sim.time:
            flow.show()
        return self.analyst.measure(condition)

    def consume(self, condition: Condition) -> None:
        """A trigger fires: it must be found false before it can fire again."""
        self._open(self.flow_of(condition))
        self.condition_ints.array[condition.row, ARMED] = 0
        self.condition_ints.array[condition.row, DUE] = 0

    # --- the host of the stepper ----------------------------------------------------------------------------------

    def evaluate(self, f: int, time: float, dt: float) -> None:
        """Execute the laws of a flow in Python, at the states in row Y."""
        if self._has_failed():
            return
        sim, flow, rows = self.sim, self.flows[f], self.arena.rows
        sim.time, sim.dt, sim.last_time = time, dt, self.flow_floats.view[f, START]
        self._show_to_python(flow, time)
        rates, states, zeros = rows[R], rows[Y], self.system.zeros
        for low, high in flow.segments.rows():
            rates[low:high] = zeros[: high - low]
        for low, count in flow.sums.items():
            states[low : low + count] = zeros[:count]
        self._guard(flow, flow.run_laws)

    def is_true(self, c: int, f: int, time: float, dt: float) -> bool:
        """Test a condition in Python."""
        sim = self.sim
        sim.time, sim.dt, sim.last_time = time, dt, self.flow_floats.view[f, START]
        self._show_to_python(self.flows[f], time)
        return self._test(self.by_row[c])

    def _test(self, condition: Condition) -> bool:
        try:
            return is_condition_true(condition, self.sim.time)
        except BaseException as error:  # noqa: BLE001  # it goes up as soon as the stepper has returned
            self.failure = error
            self.settings[ABORTED] = 1.0
            return False

    def call_law(self, owner: Any, law: Any, time: float, dt: float, last: float) -> None:
        """Execute one law that could not be compiled; called from compiled code."""
        if self._has_failed():
            return
        self.sim.time, self.sim.dt, self.sim.last_time = time, dt, last
        self._show_to_python(owner._flow, time)
        self._guard(owner._flow, lambda: execute_law(owner, law, time))

    def _has_failed(self) -> bool:
        """Whether a law has failed in this attempt: those after it would see what is not so."""
        return bool(self.settings[ABORTED] != 0.0 or self.settings[TROUBLED] != 0.0)

    def _guard(self, flow: Flow, call: Callable[[], None]) -> None:
        """Call Python code from within a step: what it raises is kept until the stepper has returned.

        Errors of arithmetic count as a failed step first; all others end the march at once.
        """
        was_open, flow.is_open = flow.is_open, True
        try:
            call()
        except (ArithmeticError, ValueError) as error:
            self.trouble = error
            self.settings[TROUBLED] = 1.0
        except BaseException as error:  # noqa: BLE001  # see above
            self.failure = error
            self.settings[ABORTED] = 1.0
        finally:
            flow.is_open = was_open

    def call_condition(self, condition: Condition, time: float, dt: float, last: float) -> int:
        """Test one condition that could not be compiled; called from compiled code."""
        flow = self.flow_of(condition)
        self.sim.time, self.sim.dt, self.sim.last_time = time, dt, last
        self._show_to_python(flow, time)
        return int(self._test(condition))

    def _show_to_python(self, flow: Flow, time: float) -> None:
        flow.at = time
        if not self._seen or self._seen[-1] is not flow:
            self._seen.append(flow)


def check_limits(sim: Simulation) -> None:
    """Raise SimulationError 4 or 5 if the limits of the step are no limits."""
    if not sim.dt_min >= 0.0:
        raise SimulationError(4, sim.time, f"dt_min is {sim.dt_min!r}; it must be at least 0.")
    if sim.dt_max == inf and "motion" in sim._continuum.__dict__ and sim.method.is_fixed:
        raise ModelError(
            f"{sim.method.name} has no error estimate and steps dt_max, which is infinite: "
            "give Simulation(dt_max=...) or set sim.dt_max"
        )
    if not sim.dt_min <= sim.dt_max:
        raise SimulationError(5, sim.time, f"dt_min is {sim.dt_min!r} and dt_max {sim.dt_max!r}.")
