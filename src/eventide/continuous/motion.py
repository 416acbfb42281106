"""Everything that moves in one simulation: the arrays, the flows, and the way between Python and the stepper."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.continuous.checks import UnsoundLaw, check_limits
from eventide.continuous.flow import Flow, Still
from eventide.continuous.flow_rows import Berths
from eventide.continuous.gc_tuning import FEWEST, Collector
from eventide.continuous.grouping import Grouping
from eventide.continuous.growable_arrays import Blocks
from eventide.continuous.guards import Watches
from eventide.continuous.linearization import Linearizations
from eventide.continuous.native_handlers import Reactions
from eventide.continuous.native_processes import Journeys
from eventide.continuous.own_methods import OwnMethods
from eventide.continuous.python_callbacks import Host
from eventide.continuous.sights import Sight
from eventide.discrete.changes import Pending
from eventide.discrete.conditions.condition import Condition
from eventide.engine import step_control
from eventide.engine.codes import BROKEN, FOUND, MODELS, PAUSED, RECORDED, UNPLANNED, K
from eventide.engine.interface import PLAIN, Engine
from eventide.engine.records import Arrays, RunState, view_of
from eventide.engine.zeno import note_firing
from eventide.methods import ENGLAND, Method, Multistep, Newton
from eventide.methods.choice import method_of

if TYPE_CHECKING:
    from eventide.continuous.plans import Analyst, Cohort, Plan
    from eventide.continuous.system import System
    from eventide.continuous.variable import Variable
    from eventide.simulation import Simulation


TENDING: Final = (BROKEN, UNPLANNED, PAUSED)
"""Codes for which the march comes back in between."""
FLOW_LISTS: Final = (np.int64, np.float64, np.int64, np.int64, np.int64)
"""What the lists hold that are as long as there are flows: `heap`, `keys`, `places`, `pending`, `touched`."""
MOST_WORK: Final = 2.0**17
"""So many states times steps, some hundredths of a second of native code, pass before Ctrl-C can be heard."""
ROOM: Final = 1024
"""So many numbers have room from the start: the matrices of ten states, so that none are moved for them."""


class Motion:
    """The flows of one simulation and the arrays in which they are computed.

    together    whether all is one flow that lands on every event, as the monitor of the manual does
    groups      who belongs to which flow; watches: the conditions; host: what the stepper calls back
    reactions   handlers that are native code; journeys: processes that are
    packed      the arrays as the engine takes them; None if they are to be gathered again, as `arrays` does
    chosen      the condition whose event is next
    on_touch    is told of each flow that an event touches
    is_marching     whether the stepper runs: Python code that it calls back touches its own flow only, or meets another
    changes     what the last events have changed of all this, and is to be taken up
    is_observed whether reporters and recordings look now, who change nothing
    stands      sees whether all stands that code was made with and Python code may change
    """

    # What every event touches is in slots: there are too many attributes for Python to find them all fast.
    __slots__ = (
        "_collector",
        "_flow_lists",
        "_heap",
        "_kept",
        "_limits",
        "_listing",
        "_method",
        "_models",
        "_next_event",
        "_polled",
        "_told",
        "_touched",
        "analyst",
        "arena",
        "berths",
        "chain",
        "changes",
        "chosen",
        "constants",
        "engine",
        "flow",
        "flows",
        "groups",
        "host",
        "index",
        "is_marching",
        "is_observed",
        "journeys",
        "linearizations",
        "lists",
        "on_touch",
        "own_methods",
        "packed",
        "reactions",
        "run",
        "segments",
        "sim",
        "stands",
        "still",
        "system",
        "together",
        "touched",
        "watches",
    )

    chosen: Condition

    def __init__(self, sim: Simulation, system: System, analyst: Analyst, engine: Engine = PLAIN) -> None:
        self.sim = sim
        self.system = system
        self.changes = sim._changes
        self.arena = system.arena
        self.engine = engine
        self.analyst = analyst
        self.analyst.motion = self
        self.together = sim.stepping == "together"
        self.index = Blocks(np.int64, self.outdate)
        self.lists = Blocks(np.int64, self.outdate, ROOM)
        self.constants = Blocks(np.float64, self.outdate, ROOM)
        self.berths = berths = Berths(self.constants, self.outdate)
        self.flow = berths.flow
        self.segments, self.chain = berths.segments, berths.chain
        self.run = RunState()
        self._models = np.zeros(MODELS)
        self.run.arms = 1
        self.run.moved = -1
        self.run.tape, self.run.upcoming, self.run.land = -1, inf, inf
        self.run.joined = -1
        self.run.patience = MOST_WORK
        self.run.laws_in_python = analyst.recourse
        self.still = Still(self)
        self.flows: dict[int, Flow] = {}
        self.own_methods = OwnMethods(self)
        self.is_marching = False
        self.is_observed = False
        self._polled: Pending[Any] = Pending(self.changes)
        self._told: Pending[Any] = Pending(self.changes)
        self._listing: dict[Any, None] = {}
        self.stands: Callable[[], bool] = _always
        self._collector = Collector()
        self.touched: list[Flow] = []
        self._next_event = -inf
        self.on_touch: Callable[[Flow], None] | None = None
        self._method: Method | Multistep | Newton = ENGLAND
        self._limits: tuple[Any, Any] = (None, None)
        self._flow_lists = [np.zeros(0, dtype) for dtype in FLOW_LISTS]
        self._heap = self._touched = memoryview(b"")
        self._reserve(len(self.flow.ints))
        self.packed: Any = None
        self._kept: Any = None
        self.host = Host(self)
        self.watches = Watches(self)
        self.groups = Grouping(self)
        self.reactions = Reactions(self)
        self.journeys = Journeys(self)
        self.linearizations = Linearizations(self)

    # --- arrays ---------------------------------------------------------------------------------------------------

    def outdate(self) -> None:
        """An array has been replaced."""
        self.packed = None

    @property
    def arrays(self) -> Any:
        """The arrays as they are now, as the engine takes them."""
        if self.packed is None:
            self.packed, self._kept = self.engine.pack(self._gather_arrays())
        return self.packed

    def views(self) -> Arrays:
        """The arrays for a function of the stepper that Python runs."""
        arrays: Arrays = PLAIN.pack(self._gather_arrays())[0]
        return arrays

    def _gather_arrays(self) -> Arrays:
        self._reserve(len(self.flow.ints))
        heap, keys, places, pending, touched = self._flow_lists
        return Arrays(
            rows=self.arena.table,
            slot=self.arena.slot,
            flow=self.flow,
            seat=self.arena.seat,
            segments=self.segments.array,
            law=self.berths.law,
            index=self.index.array,
            lists=self.lists.array,
            guard=self.watches.guard,
            trail=self.watches.trails.trail,
            constants=self.constants.array,
            heap=heap,
            keys=keys,
            places=places,
            pending=pending,
            touched=touched,
            run=self.run,
            models=self._models,
            method=self._method.coefficients,
            host=self.host,
        )

    def _reserve(self, flows: int) -> None:
        """Let the lists of flows be long enough. They are replaced only to grow: what was packed goes on being used."""
        if len(self._flow_lists[0]) < flows:
            longer = [np.full(flows, -1, dtype) for dtype in FLOW_LISTS]
            for old, new in zip(self._flow_lists, longer, strict=True):
                new[: len(old)] = old
            self._flow_lists = longer
            self._heap, self._touched = view_of(longer[0]), view_of(longer[-1])

    @property
    def method(self) -> Method | Multistep | Newton:
        """The integration method; raises ModelError if it is set to what is none."""
        return self._method

    @method.setter
    def method(self, method: Method | Multistep | Newton | str) -> None:
        found = method_of(method)
        self.linearizations.forget_all()
        self._method = found
        self._limits = (None, None)
        self.changes.note()
        self.touch_all()
        for flow in self.flows.values():
            flow.fuse()
        self.outdate()

    # --- flows ----------------------------------------------------------------------------------------------------

    def total(self, counter: str) -> int:
        """The sum of a counter over all flows, past ones included."""
        return int(self.flow.ints[:, self.flow.place_of(counter)].sum())

    def forget(self, flow: Flow) -> None:
        """A flow is no more; what it has counted stays in its row."""
        if self.watches.returning is not None:
            self.watches.seat_returning()
        number = flow.number
        self.engine.leave(self.packed or self.arrays, number)
        if self.linearizations.of:
            self.linearizations.leave(flow)
        del self.flows[number]
        if flow in self.touched:
            self.touched.remove(flow)
        flow.end()
        self.berths.give_back(number)

    def place_what_waits(self) -> None:
        """Place now what would be placed before time goes on."""
        if len(self.groups.joining) + len(self.watches.arriving) < FEWEST:
            self._place()
        else:
            with self._collector.at_rest():
                self._place()

    def place_what_can(self) -> str:
        """The same for who only looks; why laws are refused, so that who has them still waits: empty if none are."""
        try:
            self.place_what_waits()
        except UnsoundLaw as error:
            return str(error)
        return ""

    def _place(self) -> None:
        self.groups.place()
        self.watches.place()
        self._collector.note_growth(len(self.arena.tenancies) + len(self.watches.at))

    def keep_current(self, item: Any, plan: Plan | Cohort) -> None:
        """Look after a member or condition that may come to refer to something else."""
        if plan.signature is not None:
            (self._polled if plan.is_polled else self._told).add(item)
            if plan.is_polled and self.analyst.looks_at_lists(plan):
                self._listing[item] = None

    def leave_alone(self, item: Any) -> None:
        """Look after it no longer."""
        self._polled.pop(item, None)
        self._told.pop(item, None)
        self._listing.pop(item, None)

    @property
    def looks_at_lists(self) -> bool:
        """Whether it is to be looked after every event whether lists that laws or conditions read have changed."""
        return bool(self._listing)

    def note_rebinding(self) -> None:
        """A component has come to refer to another object."""
        self.changes.note_reference()

    def _renew_code(self) -> None:
        """If something has changed that code was made with, plan anew all that depends on it."""
        analyst, watches = self.analyst, self.watches
        if not analyst.forget_constants():
            return
        self.journeys.leave_all()
        self.groups.renew([owner for owner in self.groups.members() if not analyst.is_law_current(owner)])
        for condition in list(watches.at.values()):
            if condition.row >= 0 and not analyst.is_condition_current(condition, condition.plan):
                watches.renew(condition)
        self.reactions.renew_all()

    def _renew_plans(self) -> None:
        """Plan anew what refers to other objects, lists or numbers than before."""
        items = list(self._polled)
        if self.changes.references:
            members = list(self.groups.members())
            told = [owner for owner in members if owner._cohort.signature and not owner._cohort.is_polled]
            items += [*told, *self._told]
            for owner in members:
                if owner._cohort.unread:
                    self.groups.ordering.forget_sight(owner)
        if self.changes.references:
            self.reactions.renew()
        self.changes.references = False
        owners = [item for item in items if not isinstance(item, Condition)]
        self.groups.renew([owner for owner in owners if not self.analyst.is_law_current(owner)])
        for item in items:
            if isinstance(item, Condition) and not self.analyst.is_condition_current(item, item.plan):
                self.watches.renew(item)

    # --- seeing and touching --------------------------------------------------------------------------------------

    def publish(self, flow: Flow) -> None:
        """Bring what is seen of a flow to the present time."""
        self.host.call(self.engine.publish, flow.number)
        self.host.show(flow, self.sim.time)
        self.host.raise_what_was_met()

    def touch(self, flow: Flow) -> None:
        """End the step of a flow now, because an event changes it."""
        if flow.is_open:
            return
        self.host.call(self.engine.touch, flow.number)
        self.note_touching(flow)
        if flow.sliding is not None:
            flow.sliding.note_opening()
        self.host.raise_what_was_met()

    def note_touching(self, flow: Flow) -> None:
        """The stepper has ended the step of a flow now."""
        flow.is_open, flow.at = True, self.sim.time
        self.touched.append(flow)
        if self.on_touch is not None:
            self.on_touch(flow)

    def touch_all(self) -> None:
        """End the steps of all flows now."""
        for flow in self.flows.values():
            self.touch(flow)

    def written(self, slot: int) -> None:
        """A parameter, or a state that stands still, has been written: who reads it is touched."""
        for flow in self.groups.readers_of(slot):
            self.flow.stale[flow.number] = 1
            if not flow.is_open:
                self.touch(flow)

    def measure(self, condition: Condition) -> tuple[float, float] | None:
        """The guide of a condition now, 0 or more where it holds, and its rate; None if its code is not native."""
        if condition.row < 0:
            return None
        flow = condition.flow
        if flow.at != self.sim.time:
            flow.show()
        return self.analyst.measure(condition)

    # --- from event to event --------------------------------------------------------------------------------------

    @property
    def is_steady(self) -> bool:
        """Whether `prepare` has nothing to do after an event, unless a change is noted."""
        groups = self.groups
        is_looked_after = self.together or self._polled or groups.opaque or groups.exposed
        return not (is_looked_after or self.reactions.plans or self.journeys.of)

    def prepare(self) -> None:
        """After an event: let what it has changed be known to the stepper, but for the states.

        Raises SimulationError 4 or 5, or ModelError, if the limits of the step are no limits.
        """
        sim = self.sim
        if sim.dt_min is not self._limits[0] or sim.dt_max is not self._limits[1]:
            check_limits(sim)
            self._limits = sim.dt_min, sim.dt_max
            if (sim.dt_min, sim.dt_max) != (self.run.dt_min, self.run.dt_max):
                self._take_limits()
                self.touch_all()
        self._take_up()
        if self.together:
            self.touch_all()
        elif self.groups.opaque:
            for flow in list(self.groups.opaque):
                self.touch(flow)  # what it depends on besides is not known

    def _take_up(self) -> None:
        """Let it be known to the stepper what moves, waits and refers to what by now."""
        if self._polled or self.changes.references:
            self._renew_plans()
        if self.groups.joining or self.groups.doubted or self.watches.arriving or self.watches.switching:
            self.place_what_waits()
        if self.reactions.arriving:
            self.reactions.place()
        if self.journeys.arriving:
            self.journeys.place()
        if self.own_methods.is_due:
            self.own_methods.adopt()
        if not self.stands():
            self._renew_code()
            if self.groups.doubted:
                self.place_what_waits()

    def complete_exposed(self) -> None:
        """An event begins: bring the flows to it whose laws may see what it changes and nobody tells before it does."""
        for flow in list(self.groups.exposed):
            if flow.at != self.sim.time and not flow.is_open:
                self.publish(flow)

    def settle(self, *, arms: bool = True) -> list[Flow]:
        """Take the states as they are now for the start of new steps.

        arms    whether conditions found false are armed
        Returns the flows that have been touched
        """
        sim, run = self.sim, self.run
        now = sim.time
        if run.touched == 0:
            sim.dt, sim.last_time = 0.0, now
            return []
        if self.watches.returning is not None:
            self.watches.seat_returning()
        touched = self._close()
        self.host.forget_what_was_seen()
        run.arms = 1 if arms else 0
        self.is_marching = True
        is_settled = self.engine.settle_touched(self.packed or self.arrays, now)
        self.is_marching = False
        run.arms = 1
        sim.time, sim.dt, sim.last_time = now, 0.0, now
        if self.host.has_met:
            self.join_what_met()
            return [*touched, *self.settle(arms=arms)]
        if not is_settled:
            self.host.raise_what_was_met()
        for flow in touched:
            self.host.show(flow, now)
        return touched

    def _close(self) -> list[Flow]:
        if self.groups.changed:
            self.groups.note_changes()
        touched, self.touched = self.touched, []
        for flow in touched:
            flow.is_open, flow.at = False, nan
            if flow.is_tended:
                flow.tend(self.sim.time)
        return touched

    def settle_for_now(self) -> list[Flow]:
        """In a pause: as `settle`, but it arms nothing.

        Returns what the event has touched, to be touched again, as it is settled once more at the event's end
        """
        self.prepare()
        return self.settle(arms=False)

    def proceed(self, stop: float, next_event: float) -> int:
        """Settle, and bring all flows to `stop` or to the first state event before it; answers a code of `tables.py`.

        After CHOICE and LOCATED, or an answer that is no code (see `reacting.proceed`), `chosen` is the condition whose
        event is next; PAUSED: the run is to stop here. Handlers that are native code may have run before.
        """
        sim, watches = self.sim, self.watches
        if next_event is not self._next_event:
            self._tell_next_event(next_event)
        self._close()
        if self.host.seen and not self.changes.are_seen:
            self.host.forget_what_was_seen()
        wait, watches.returning = watches.returning, None
        row, rank = (-1, 0.0) if wait is None else (wait.row, wait.rank)
        self.is_marching = True
        now, march_on = sim.time, self.engine.proceed
        answer: int = march_on(self.packed or self.arrays, now, stop, row, rank)
        if answer < 0 or self.host.seen:
            answer = self._come_back(answer, now, stop)
            if answer < 0:
                return answer
        self.is_marching = False
        sim.time = sim.last_time = now = self.run.event_time
        sim.dt = 0.0
        self.chosen = chosen = watches.at[answer]
        flow = chosen.flow
        self.touched.append(flow)
        flow.at, flow.is_open = now, True
        return answer

    def _come_back(self, answer: int, now: float, stop: float) -> int:
        """The march has come back and there is more to do than to let an event be the next one."""
        if answer in TENDING:
            answer, now = self._tend(answer, now, stop)
        self.is_marching = False
        if self.host.seen:
            self.host.forget_what_was_seen()
        if answer < 0:
            self._note(answer, now)
        return answer

    def _tell_next_event(self, next_event: float) -> None:
        self._next_event = self.run.next_event = next_event
        if self.together:
            self.run.land = next_event

    def _tend(self, code: int, now: float, stop: float) -> tuple[int, float]:
        """The march has come back: let it go on where that was only for what has to be found out in Python.

        Returns     what it answers at last, and the time from which it has gone on
        """
        run, sim = self.run, self.sim
        while code in TENDING:
            if code == BROKEN:
                sim.time = now = run.event_time
                self.flows[self._touched[0]].foresee(now)
            elif code == PAUSED:
                run.work, run.patience = 0.0, MOST_WORK
                if sim._is_pressed:
                    break
            else:
                self.linearizations.plan(self.flows[self.root])
            code = self.engine.proceed(self.packed or self.arrays, now, stop, -1, 0.0)
        return code, now

    def _note(self, code: int, now: float) -> None:
        """Let be known to Python what the march has come to, if that is more than the event of a condition."""
        run, sim = self.run, self.sim
        if (self.reactions.plans or self.journeys.of) and run.handled != 0 and self.reactions.count():
            sim.time = now = run.event_time
        if code not in FOUND:
            sim.dt, sim.last_time = 0.0, now
            if code == RECORDED:
                sim.time = now  # laws in Python have left the time of their last stage
            return
        sim.time, is_open = run.event_time, not self.is_looked_at
        if not is_open:
            sim.last_time, sim.dt = run.event_start, run.event_dt
        self.chosen = self.watches.at[run.chosen]
        self.touched = [self.flows[self._touched[k]] for k in range(run.touched)]
        for flow in self.touched:
            flow.at, flow.is_open = sim.time, is_open

    @property
    def is_looked_at(self) -> bool:
        """Whether somebody looks at state events: then they begin by `open_reached`, else as soon as they are found."""
        return bool(self.run.looked_at)

    def let_look(self, stepwise: int, *, at_events: bool) -> None:
        """Whether somebody looks at events; at each step's end (1), or before a state event cuts one as well (2)."""
        self.run.stepwise, self.run.looked_at = stepwise, at_events

    def hurry(self) -> None:
        """Let the march come back before its next step, also if it runs now and calls Python code."""
        self.run.patience = -1.0

    def note_firing(self, trigger: Condition) -> None:
        """A handler is next although its condition was not chosen: that must become false again."""
        self.watches.disarm(trigger)
        note_firing(self.views(), trigger.row, self.sim.time)

    def open_reached(self) -> None:
        """The event of the condition that was chosen begins: the flows that the stepper has brought to it are open."""
        for flow in self.touched:
            flow.is_open = True
            if flow.sliding is not None:
                flow.sliding.note_opening()

    def show_start(self, flow: Flow) -> None:
        """Let the rows that are seen of a flow be those of its step's start."""
        step_control.return_to_start(self.views(), flow.number)

    def _take_limits(self) -> None:
        """Let present limits hold for every flow's next step, without cutting one."""
        self.run.dt_min, self.run.dt_max = self.sim.dt_min, self.sim.dt_max

    def tell_step(self) -> None:
        """Set the simulation's dt and last_time to those of the flow at the root, at the present time."""
        if self.flows:
            row, known = self.root, self.flow
            self.sim.last_time = known.start[row]
            at_end = self.sim.time == known.end[row]
            self.sim.dt = known.step[row] if at_end else (self.sim.time - known.start[row]) - known.start_rest[row]

    @property
    def root(self) -> int:
        """The flow that has been brought least far."""
        return int(self._heap[0])

    @property
    def reach(self) -> float:
        """How far the flow at the root has been brought."""
        return float(self.flow.key[self.root])

    def join_what_met(self) -> None:
        """Code that cannot be read has touched another flow: both become one, and the step is repeated."""
        flow, other, condition = self.host.take_meeting()
        known, start = self.flow, self._void_step(flow)
        for k in range(self.run.touched):  # those that were still to be settled
            waiting = self.flows[self._touched[k]]
            waiting.is_open, waiting.at = True, start
            self.touched.append(waiting)
        self.touch(flow)
        if isinstance(other, Sight):
            self.groups.ordering.see(other)
            self.groups.changed[flow] = None
            return
        for each in (other,) if isinstance(other, Flow) else self.groups.lookers(other):
            known.at[each.number] = nan
            self.touch(each)
        if isinstance(other, Flow):
            self.groups.join(flow, other, condition)
        else:
            self.groups.receive(other, flow)

    def _void_step(self, flow: Flow) -> float:
        """The step of a flow has not come to pass: let it stand where that began; answers when that was."""
        row, known = flow.number, self.flow
        start = float(known.start[row])
        self.show_start(flow)
        step_control.forget_arming(self.views(), row)
        known.step[row], known.end[row], known.key[row] = 0.0, start, start
        known.event[row], known.at[row] = -1.0, nan
        self.sim.time = start
        return start

    def raise_from_step(self) -> None:
        """Raise what code of the user's has raised in a step of the flow at the root, which the next run makes anew."""
        if self.host.has_failed:
            flow = self.flows[self.root]
            self._void_step(flow)
            self.touch(flow)
            self.sim.dt = 0.0
        self.host.raise_what_was_met()

    @property
    def has_events(self) -> bool:
        """Whether state events are at the time to which all flows have been brought."""
        return bool(self.run.pending > 0)

    @property
    def is_cut(self) -> bool:
        """Whether a state event cuts the step of the flow at the root."""
        known = self.flow
        return bool(known.event[self.root] >= 0.0 and known.turns[self.root] == 0.0)

    # --- a step that cannot be made -------------------------------------------------------------------------------

    @property
    def start_of_root(self) -> float:
        """When the step of the flow at the root began."""
        return float(self.flow.start[self.root])

    def force(self, number: int) -> None:
        """Accept the inaccurate smallest step of a flow, with whatever has been changed meanwhile."""
        self._take_limits()
        flow = self.flows[number]
        self._take_up()
        if self.touched:
            self.settle(arms=False)
        if self.flows.get(number) is not flow:
            return  # it has become a part of another, whose step may be accurate
        if self.flow.system[number] < 0 and isinstance(self._method, Newton):
            self.linearizations.plan(flow)
        self.engine.force(self.arrays, number)
        self.host.forget_what_was_seen()

    def repeat(self, number: int) -> None:
        """Begin the step of a flow again, with whatever has been changed meanwhile."""
        self._take_limits()
        self.touch(self.flows[number])
        self._take_up()
        self.settle(arms=False)

    def replay(self) -> None:
        """Repeat the last attempt of the flow at the root in Python, so that its errors are met at the user's lines."""
        views = self.views()
        flow, known = self.root, self.flow
        limit = step_control.limit_of(views, flow)
        remaining = (limit - known.start[flow]) - known.start_rest[flow]
        self.host.evaluate(flow, known.start[flow], 0.0)
        if self.host.trouble is None and self.host.failure is None:
            step_control.try_step(views, flow, min(known.next_step[flow], remaining), remaining, limit)
        step_control.return_to_start(views, flow)
        self.host.forget_what_was_seen()

    def what_is_not_finite(self) -> str:
        """In words, which rate keeps the flow at the root from making a step."""
        rates = self.arena.rows[K]
        for low, high in self.flows[self.root].segments.rows():
            for slot in range(low, high):
                if not isfinite(rates[slot]):
                    name = self.system.variable_at(slot).name
                    return (
                        f"The rate of {name} is {rates[slot]!r} where the step begins: look in its equation for a "
                        "division by 0, or for a parameter or state that is not finite."
                    )
        return "However short the step, a rate at its end is not finite."

    def worst_variable(self) -> Variable | None:
        """The variable whose error was worst in the last attempt of the flow at the root."""
        slot = int(self.flow.worst[self.root])
        return None if slot < 0 else self.system.variable_at(slot)


def _always() -> bool:
    return True
