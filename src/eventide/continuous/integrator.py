"""The integrator: everything that moves in one simulation, and the interface between Python and the stepper.

In: reads and writes of events, and changes of structure. Out: arrays that the stepper advances, and its located
events. A read advances a flow to the present; a write also ends its step. What may have changed is planned again
before time advances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf, nan
from typing import TYPE_CHECKING, Final

from eventide.continuous.checks import UnsoundLaw, check_limits
from eventide.continuous.components.member import flows_of
from eventide.continuous.failed_step import FailedStep
from eventide.continuous.flows.flow import Flow, Still
from eventide.continuous.flows.grouping import Grouping
from eventide.continuous.flows.observed_laws import ObservedLaw
from eventide.continuous.gc_tuning import FEWEST, Collector
from eventide.continuous.guards.guards import Guards
from eventide.continuous.guards.native_handlers import NativeHandlers
from eventide.continuous.linearization import Linearizations
from eventide.continuous.own_methods import OwnMethods
from eventide.continuous.pauses import Pauses
from eventide.continuous.python_callbacks import Host
from eventide.continuous.references import References
from eventide.continuous.storage.engine_memory import EngineMemory
from eventide.discrete.inside import changes_of, is_interrupted
from eventide.engine import step_control
from eventide.engine.codes import BROKEN, CHOICE, FOUND, LOCATED, PAUSED, REACHED, RECORDED, UNPLANNED
from eventide.engine.interface import PLAIN, Engine
from eventide.engine.zeno import note_firing
from eventide.errors import ModelError
from eventide.methods import ENGLAND, Method, Multistep, Newton
from eventide.methods.choice import method_of

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.plans import Analyst
    from eventide.continuous.system import System
    from eventide.discrete.conditions.condition import Condition
    from eventide.simulation import Simulation


CONTINUED: Final = (BROKEN, UNPLANNED, PAUSED)
"""Codes for which the march comes back in between."""


class Integrator:
    """The flows of one simulation and the arrays in which they are computed.

    together    whether all is one flow that lands on every event, as the monitor of the manual does
    groups      which member belongs to which flow; guards: the conditions; host: what the stepper calls back
    native_handlers     handlers that are native code
    memory      the arrays in which it is computed; references: what laws and conditions refer to
    chosen      the condition whose event is next; next_event: when that of the event list was due, as far as is known
    on_touch    is called with each flow that an event touches
    is_marching     whether the stepper runs: Python code that it calls back touches its own flow only, or meets another
    pauses      how long the stepper runs by itself
    seen        the flows that show the states of some time within a step
    changes     what the last events have changed of all this, and is to be taken up
    is_observed whether reporters and recordings are called now, which change nothing
    """

    # What every event touches is in slots: there are too many attributes for Python to find them all fast.
    __slots__ = (
        "_collector",
        "_method",
        "_shown",
        "analyst",
        "changes",
        "chosen",
        "engine",
        "failed_step",
        "flows",
        "groups",
        "guards",
        "host",
        "is_marching",
        "is_observed",
        "linearizations",
        "memory",
        "native_handlers",
        "next_event",
        "on_touch",
        "own_methods",
        "pauses",
        "references",
        "run",
        "seen",
        "sim",
        "still",
        "storage",
        "system",
        "together",
        "touched",
    )

    chosen: Condition

    def __init__(self, sim: Simulation, system: System, analyst: Analyst, engine: Engine = PLAIN) -> None:
        self.sim = sim
        self.system = system
        self.changes = changes_of(sim)
        self.storage = system.storage
        self.engine = engine
        self.analyst = analyst
        self.analyst.integrator = self
        self.together = sim.stepping == "together"
        self.memory = EngineMemory(self)
        self.run = self.memory.run
        self.run.laws_in_python = analyst.fallback
        self.still = Still(self)
        self.flows: dict[int, Flow] = {}
        self.own_methods = OwnMethods(self)
        self.is_marching = False
        self.is_observed = False
        self.references = References(self)
        self._collector = Collector()
        self.touched: list[Flow] = []
        self.next_event = -inf
        self.on_touch: Callable[[Flow], None] | None = None
        self._method: Method | Multistep | Newton = ENGLAND
        self.seen: list[Flow] = []
        self._shown: Flow | None = None
        self.host = Host(self)
        self.guards = Guards(self)
        self.groups = Grouping(self)
        self.native_handlers = NativeHandlers(self)
        self.linearizations = Linearizations(self)
        self.failed_step = FailedStep(self)
        self.pauses = Pauses(self)

    @property
    def method(self) -> Method | Multistep | Newton:
        """The integration method; raises ModelError if it is set to what is none."""
        return self._method

    @method.setter
    def method(self, method: Method | Multistep | Newton | str) -> None:
        found = method_of(method)
        self.linearizations.forget_all()
        self._method = found
        self.changes.note_limits()
        self.touch_all()
        for flow in self.flows.values():
            flow.fuse()
            self.groups.changed[flow] = None
        self.memory.outdate()

    def check_jumps(self, flow: Flow) -> None:
        """Raise ModelError if laws of a flow may jump unnoticed: neither located nor seen by the error estimate."""
        method = self._method
        if isinstance(method, Method) and not method.sees_jumps:
            raise ModelError(
                f"{method.name} does not see that a rate jumps inside a step, and among the laws of "
                f"{', '.join(str(owner.name) for owner in flow.owners())} some may, where it is not located "
                "(`sim.explain().branches` names them): take another method, as `sim.method = ev.methods.ENGLAND`, or "
                "write `smooth_laws = True` in a class whose laws are known to be smooth"
            )

    # --- flows ----------------------------------------------------------------------------------------------------

    def total(self, counter: str) -> int:
        """The sum of a counter over all flows, past ones included."""
        counts: memoryview[int] = getattr(self.memory.flow, counter)
        return sum(counts)  # mostly of a few flows, for which numpy takes ten times as long

    def forget(self, flow: Flow) -> None:
        """A flow is no more; what it has counted stays in its row."""
        if self.guards.returning is not None:
            self.guards.enter_returning()
        number = flow.number
        self.engine.leave(self.memory.arrays, number)
        if self.linearizations.of:
            self.linearizations.leave(flow)
        del self.flows[number]
        self.groups.asked.pop(flow, None)
        if flow in self.touched:
            self.touched.remove(flow)
        flow.end()
        self.memory.flow_rows.give_back(number)

    def place_what_waits(self) -> None:
        """Place now what would be placed before time goes on."""
        groups, guards = self.groups, self.guards
        are_many = len(groups.joining) + len(guards.arriving) >= FEWEST
        is_paused = are_many and self._collector.pause()
        try:
            if groups.joining or groups.doubted or groups.ordering.changed:
                groups.place()
            guards.place()
        finally:
            if is_paused:
                self._collector.resume()
        count = len(self.storage.occupants) + len(guards.at)
        if count >= self._collector.next:
            self._collector.note_growth(count)

    def place_what_can(self) -> str:
        """The same for readers that change nothing. Returns why laws are refused, which still wait, or ""."""
        try:
            self.place_what_waits()
        except UnsoundLaw as error:
            return str(error)
        return ""

    # --- seeing and touching --------------------------------------------------------------------------------------

    def call(self, function: Callable[..., object], f: int) -> None:
        """Call a function of the stepper because an event reads or changes a flow.

        Laws that run meanwhile may write rates; the clock stays as it is.
        """
        sim = self.sim
        if self.is_marching:
            self.pauses.check_thread()
        before = sim.active, sim.time, sim.dt, sim.last_time
        sim.active = True
        try:
            function(self.memory.arrays, f, sim.time)
        finally:
            sim.active, sim.time, sim.dt, sim.last_time = before

    def publish(self, flow: Flow) -> None:
        """Bring what is seen of a flow to the present time."""
        self.call(self.engine.publish, flow.number)
        self.show(flow, self.sim.time)
        self.host.raise_what_was_met()

    def publish_all(self, members: Iterable[Member]) -> None:
        """Bring what is seen of these members to the present time, between two steps."""
        now, publish, host = self.sim.time, self.engine.publish, self.host
        behind = [flow for flow in flows_of(members) if flow.at != now and isinstance(flow, Flow)]

        def publish_each(arrays: object, _: int, time: float) -> None:
            for flow in behind:
                publish(arrays, flow.number, time)
                flow.at = time
                host.raise_what_was_met()

        if behind:
            self.seen += behind
            self.call(publish_each, 0)

    def show(self, flow: Flow, time: float) -> None:
        """The states of a flow are shown at this time, until the stepper continues.

        Within a step they are those of no other flow: code that touches one meets it, whichever flow ran before.
        """
        shown, self._shown = self._shown, flow if self.is_marching else None
        if shown is not None and self._shown is not None:
            shown.at = nan
        flow.at = time
        if not self.seen or self.seen[-1] is not flow:
            self.seen.append(flow)

    def forget_what_was_seen(self) -> None:
        """The stepper continues: code that touches a flow which has been shown meets it, as any other.

        Otherwise reading flows would decide when they join. Errors that the stepper has got over are forgotten as well.
        """
        self._shown = None
        if self.host.law_error is not None or self.host.failure is not None:
            self.host.forget_errors()
        if self.seen:
            for flow in self.seen:
                flow.at = nan
            self.seen.clear()

    def touch(self, flow: Flow) -> None:
        """End the step of a flow now, because an event changes it."""
        if flow.is_open:
            return
        self.call(self.engine.touch, flow.number)
        self.note_touching(flow)
        if flow.sliding is not None:
            flow.sliding.note_opening()
        if self.host.failure is not None or self.host.law_error is not None or self.run.aborted != 0:
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
        """A parameter or a constant state was written: the flows that read it are touched."""
        for flow in self.groups.shared.readers(slot):
            self.memory.flow.stale[flow.number] = 1
            if not flow.is_open:
                self.touch(flow)

    def measure(self, condition: Condition) -> tuple[float, float] | None:
        """The guide of a condition now, 0 or more where it holds, and its rate; None if its code is not native."""
        if condition.row < 0:
            return None
        flow = condition.flow
        if flow.at != self.sim.time:
            flow.show()
        answer = self.analyst.answer(condition)
        return None if answer is None else (answer[0], answer[1])

    # --- from event to event --------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """After an event: pass its changes on to the stepper, except those of states.

        Raises SimulationError 4 or 5, or ModelError, if the limits of the step are no limits.
        """
        sim = self.sim
        if self.changes.limits:
            check_limits(sim)
            self.changes.limits = False
            if (sim.dt_min, sim.dt_max) != (self.run.dt_min, self.run.dt_max):
                self.take_limits()
                self.touch_all()
        self.take_up()
        if self.together:
            self.touch_all()
        elif self.groups.opaque:
            for flow in list(self.groups.opaque):
                self.touch(flow)  # what it depends on besides is not known
        if self.guards.armed_early:
            self.guards.disarm_exposed()

    def take_up(self) -> None:
        """Pass on to the stepper what moves, waits and refers to what by now."""
        if self.references.are_polled or self.changes.references:
            self.references.renew()
        if self.groups.joining or self.groups.doubted or self.guards.arriving or self.guards.switching:
            self.place_what_waits()
        if self.native_handlers.exposed:
            self.native_handlers.poll()
        if self.native_handlers.arriving:
            self.native_handlers.place()
        if self.own_methods.is_due:
            self.own_methods.adopt()
        if not self.references.stands():
            self.references.renew_code()
            if self.groups.doubted:
                self.place_what_waits()

    def complete_exposed(self) -> None:
        """An event begins: advance to it the flows whose laws may see its changes without notice."""
        flows: dict[Flow, None] = {}
        for flow in (*self.groups.exposed, *self.groups.asked):
            if not flow.is_open:
                flows[flow] = None
        if flows or self.guards.exposed:
            self.guards.arm_exposed(flows)
        for flow in flows:
            if flow.at != self.sim.time:
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
        if self.guards.returning is not None:
            self.guards.enter_returning()
        touched = self.close()
        self.forget_what_was_seen()
        run.arms = 1 if arms else 0
        self.is_marching = True
        is_settled = self.engine.settle_touched(self.memory.arrays, now)
        self.is_marching = False
        run.arms = 1
        sim.time, sim.dt, sim.last_time = now, 0.0, now
        if self.host.meeting is not None:
            self.join_what_met()
            return [*touched, *self.settle(arms=arms)]
        if not is_settled:
            self.host.raise_what_was_met()
        self._shown = None
        for flow in touched:
            flow.at = now
        self.seen += touched
        return touched

    def close(self) -> list[Flow]:
        """Python has no flow open any longer; returns those that it has touched."""
        if self.groups.changed:
            self.groups.note_changes()
        touched, self.touched = self.touched, []
        for flow in touched:
            flow.is_open, flow.at = False, nan
            if flow.needs_python:
                flow.begin_step(self.sim.time)
        return touched

    def settle_for_now(self) -> list[Flow]:
        """In a pause: as `settle`, but it arms nothing.

        Returns what the event has touched, to be touched again, as it is settled once more at the event's end
        """
        self.prepare()
        return self.settle(arms=False)

    def proceed(self, stop: float, next_event: float) -> int:
        """Settle, and bring all flows to `stop` or to the first state event before it; returns a code of `codes.py`.

        After CHOICE and LOCATED, or a result that is no code (see `native_events.py`), `chosen` is the condition whose
        event is next; PAUSED: a signal handler waits. Handlers that are native code may have run before.
        """
        sim, guards = self.sim, self.guards
        if next_event is not self.next_event:
            self.next_event = self.run.next_event = next_event
            if self.together:
                self.run.land = next_event
        self.close()
        if self.seen and not self.changes.are_seen:
            self.forget_what_was_seen()
        wait, guards.returning = guards.returning, None
        row, rank = (-1, 0.0) if wait is None else (wait.row, wait.rank)
        self.is_marching = True
        now, march_on = sim.time, self.engine.proceed
        answer: int = march_on(self.memory.arrays, now, stop, row, rank)
        if answer < 0 or self.seen:
            answer = self.come_back(answer, now, stop)
            if answer < 0:
                return answer
        self.is_marching = False
        sim.time = sim.last_time = now = self.run.event_time
        sim.dt = 0.0
        self.chosen = chosen = guards.at[answer]
        flow = chosen.flow
        self.touched.append(flow)
        flow.at, flow.is_open = now, True
        return answer

    def come_back(self, answer: int, now: float, stop: float) -> int:
        """The march has come back and there is more to do than to let an event be the next one."""
        if answer in CONTINUED:
            answer, now = self.continue_march(answer, now, stop)
        self.is_marching = False
        if self.seen:
            self.forget_what_was_seen()
        if answer < 0:
            run, sim = self.run, self.sim
            if self.native_handlers.plans and run.handled != 0 and self.native_handlers.count():
                sim.time = now = run.event_time
            if answer not in FOUND:
                sim.dt, sim.last_time = 0.0, now
                if answer == RECORDED:
                    sim.time = now  # laws in Python have left the time of their last stage
                return answer
            sim.time, is_open = run.event_time, run.looked_at == 0
            if not is_open:
                sim.last_time, sim.dt = run.event_start, run.event_dt
            self.chosen = self.guards.at[run.chosen]
            self.touched = []
            for k in range(run.touched):
                self.touched.append(flow := self.flows[self.memory.touched[k]])
                flow.at, flow.is_open = sim.time, is_open
                if is_open and flow.sliding is not None:
                    flow.sliding.note_opening()
        return answer

    def continue_march(self, code: int, now: float, stop: float) -> tuple[int, float]:
        """The march has returned: continue it where it only returned for what has to be found out in Python.

        Returns     its last result, and the time from which it was continued
        """
        run, sim = self.run, self.sim
        while code in CONTINUED:
            if code == BROKEN:
                sim.time = now = run.event_time
                for k in range(run.touched):
                    self.flows[self.memory.touched[k]].foresee(now)
                if now >= stop and now != run.look:
                    return REACHED, now  # a time event of this instant comes before what the input has made true
            elif code == PAUSED:
                if is_interrupted(sim):
                    self.pauses.end()
                    break
                code = self.pauses.go_on(now, stop)
                continue
            else:
                self.linearizations.plan(self.flows[self.root])
            is_new = code == BROKEN  # no event of this time has been seen by observers
            code = self.engine.proceed(self.memory.arrays, now, stop, -1, 0.0)
            if is_new and code == CHOICE:
                code = LOCATED
        return code, now

    def let_look(self, stepwise: int, *, at_events: bool) -> None:
        """Whether observers look at events; at each step's end (1), or before a state event cuts one as well (2).

        State events that are looked at begin by `open_reached`, others as soon as they are found.
        """
        self.run.stepwise, self.run.looked_at = stepwise, at_events

    def return_soon(self) -> None:
        """Let the march come back before its next step, also if it runs now and calls Python code."""
        self.run.work_limit = -1.0

    def note_firing(self, trigger: Condition) -> None:
        """A handler runs next although its condition was not chosen: that must become false again."""
        self.guards.disarm(trigger)
        note_firing(self.memory.views(), trigger.row, self.sim.time)

    def open_reached(self) -> None:
        """The event of the condition that was chosen begins: the flows that the stepper has brought to it are open."""
        for flow in self.touched:
            flow.is_open = True
            if flow.sliding is not None:
                flow.sliding.note_opening()

    def show_start(self, flow: Flow) -> None:
        """Let the rows that are seen of a flow be those of its step's start."""
        step_control.return_to_start(self.memory.views(), flow.number)

    def take_limits(self) -> None:
        """Let present limits hold for every flow's next step, without cutting one."""
        self.run.dt_min, self.run.dt_max = self.sim.dt_min, self.sim.dt_max

    def tell_step(self) -> None:
        """Set the simulation's dt and last_time to those of the flow at the root, at the present time."""
        if self.flows:
            row, known = self.root, self.memory.flow
            self.sim.last_time = known.start[row]
            at_end = self.sim.time == known.end[row]
            self.sim.dt = known.step[row] if at_end else (self.sim.time - known.start[row]) - known.start_rest[row]

    @property
    def root(self) -> int:
        """The flow that has advanced least."""
        return int(self.memory.heap[0])

    @property
    def reach(self) -> float:
        """How far the flow at the root has been brought."""
        return float(self.memory.flow.key[self.root])

    def join_what_met(self) -> None:
        """Code that cannot be read has touched another flow: both become one, and the step is repeated."""
        flow, other, condition = self.host.take_meeting()
        known, start = self.memory.flow, self.void_step(flow)
        for k in range(self.run.touched):  # those that were still to be settled
            waiting = self.flows[self.memory.touched[k]]
            waiting.is_open, waiting.at = True, start
            self.touched.append(waiting)
        self.touch(flow)
        if isinstance(other, ObservedLaw):
            self.groups.ordering.see(other)
            self.groups.changed[flow] = None
            return
        for each in (other,) if isinstance(other, Flow) else self.groups.possible_readers(other):
            known.at[each.number] = nan
            self.touch(each)
        if isinstance(other, Flow):
            self.groups.join(flow, other, condition)
        else:
            self.groups.receive(other, flow)
            self.references.note_code()

    def void_step(self, flow: Flow) -> float:
        """The step of a flow has been given up: put the flow back to where it began; returns that time."""
        row, known = flow.number, self.memory.flow
        start = float(known.start[row])
        self.show_start(flow)
        step_control.forget_arming(self.memory.views(), row)
        known.step[row], known.end[row], known.key[row] = 0.0, start, start
        known.event[row], known.at[row] = -1.0, nan
        self.sim.time = start
        return start

    @property
    def has_events(self) -> bool:
        """Whether state events are at the time to which all flows have been brought."""
        return bool(self.run.pending > 0)

    @property
    def is_cut(self) -> bool:
        """Whether a state event cuts the step of the flow at the root."""
        known = self.memory.flow
        return bool(known.event[self.root] >= 0.0 and known.turns[self.root] == 0.0)
