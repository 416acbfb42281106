"""The monitor: advances the model from one event to the next.

In: the time of the next event in the event list. Out: the event that comes first; before it every quantity has its
left value x-. Invariant: after an event the monitor rechecks structure (active objects, references, waits, observers,
step limits) only if a change was announced, or while the model contains something that announces no changes.

Ctrl-C: the first press is recorded. The run loop then finds another object in place of the monitor, so an event pays
nothing for it, and `march` returns (PAUSED) before its next step. It also returns after a certain amount of work
(states times steps), because Python runs signal handlers only in its own loop. Rejected: KeyboardInterrupt wherever
Python raises it (a process that was active is lost, and the clock is left behind the states), and polling from native
code (the user's handlers would run within a step).

Source: Helsgaun, COMBINEDSIMULATION manual, section 2 and appendix C, whose two versions differ; see the step in
DESIGN.md.
"""

from __future__ import annotations

import sys
from math import inf
from typing import TYPE_CHECKING, Final

from eventide.continuous import Integrator, System, check_limits
from eventide.discrete.calendar import AT_END, Calendar
from eventide.discrete.conditions.condition import begin_monitoring, conditions_of, keep_conditions
from eventide.discrete.inside import (
    is_interrupted,
    is_stepped,
    is_without_end,
    keyboard_of,
    notice_of,
    set_hook,
    streams_of,
)
from eventide.discrete.trace import Tracer
from eventide.engine.codes import CHATTERS, FAILED, FOUND, LOCATED, PAUSED, REACHED, RECORDED, STEPPED, STUCK, UNSETTLED
from eventide.engine.step_control import LATEST
from eventide.errors import SimulationError
from eventide.monitor.cascade import Cascade
from eventide.monitor.guarded_conditions import WatchedConditions
from eventide.monitor.observers import Observer, Observers, Phase
from eventide.monitor.retry_limit import RetryLimit
from eventide.monitor.row_driver import HybridDriver
from eventide.monitor.sliding import Slides
from eventide.monitor.stiffness import MANY, Stiffness
from eventide.monitor.tape import Tape

if TYPE_CHECKING:
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.when import Trigger
    from eventide.simulation import Simulation


UNDECIDED: Final = object()
"""What comes next is not known yet."""
TOOLS: Final = 6
"""How many tools `sys.monitoring` has room for."""


class Monitor:
    """What a simulation does between two events.

    state_events    how many state events have taken place
    row_driver      rows of processes that have events of their own meanwhile
    """

    def __init__(self, sim: Simulation, system: System) -> None:
        self.sim = sim
        self.system = system
        self.integrator: Integrator = system.integrator
        self.observers = Observers(self.integrator, streams_of(sim))
        self.state_events = 0
        self._instant = inf
        self.is_broken_off = False
        """Whether a signal handler has ended the run between two steps, by an error."""
        self._stopped_at = -inf
        """When a signal handler has ended a run."""
        self._has_stepped = False
        """Whether observers have last seen a step: what ends with it at the same instant is still to be found."""
        self._forced: Trigger | None = None
        """The handler whose event is next because of sliding, until observers have seen the event before it."""
        self._calendar = sim._calendar
        self._cascade = Cascade(sim, self.integrator)
        self._retry_limit = RetryLimit()
        self._stiffness = Stiffness(self.integrator)
        self._slides = Slides(sim, self.integrator)
        self.row_driver = HybridDriver(self)
        self._lent = self.row_driver.guards.of
        self.watched = WatchedConditions(self, conditions_of(sim))
        self._discrete = self.watched.discrete
        keep_conditions(sim, self.watched)

    @property
    def steps(self) -> int:
        """How many steps have been completed, all flows together."""
        return self.integrator.total("steps")

    @property
    def refused(self) -> int:
        """How many attempts at a step were refused."""
        return self.integrator.total("refused")

    # --- from event to event --------------------------------------------------------------------------------------

    def advance(self, horizon: float) -> object:
        """Bring the model to its next event.

        Returns     the owner of the event of a condition; None for the first event of the list; AT_END if there is none
                    before `horizon`
        """
        sim, integrator, system, changes = self.sim, self.integrator, self.system, self.integrator.changes
        calendar = self._calendar
        due, _, _, activity = notice = calendar.heap[0]
        if calendar.front or calendar.ready or notice_of(activity) is not notice:
            first = Calendar.first(calendar)  # rows that share the list do not count here
            due = inf if first is None else first[0]
        if not integrator.flows and (called := self._advance_at_rest(due, is_due=due < horizon)) is not UNDECIDED:
            return called
        sim.active = True
        sim.current = None
        next_event = due if due < horizon else horizon  # noqa: FURB136  # faster than a call of min
        try:
            chosen: Condition | None = (
                None if changes.are_seen and integrator.references.stands() else self._look_around()
            )
            while chosen is None:
                if sim.time >= next_event and not self._has_stepped:
                    integrator.settle()
                    if not changes.are_seen:
                        integrator.complete_exposed()
                    return None if due <= sim.time else AT_END
                if self._discrete.waits and (chosen := self._first_discrete()) is not None:
                    break
                if next_event == inf:
                    # A repeated wait is for something that moves.
                    is_awaited = integrator.guards.returning is not None or (integrator.run.listed and system.active)
                    if not is_awaited and not self._has_prospect():
                        if not self._is_anything_due():
                            return self._at_end()
                        chosen = integrator.chosen
                        break
                    next_event = LATEST
                stop = next_event if changes.are_seen else self._look_ahead(next_event)
                answer = integrator.proceed(stop, next_event)
                if answer >= 0 or self._is_event(answer):
                    chosen = integrator.chosen
                elif answer == REACHED and changes.are_seen and stop < LATEST:
                    sim.time, self._has_stepped = stop, False  # there are no observers
                else:
                    self._attend(answer, stop, next_event)
            self.state_events += 1
            self._has_stepped = False
            if not changes.are_seen:
                integrator.complete_exposed()
            if chosen.partner is not None:
                self._slides.note(chosen)  # type: ignore[arg-type]  # only a Trigger has a partner
            if self._lent:
                self.row_driver.guards.return_owner(chosen)
            return chosen.fire(sim)
        except KeyboardInterrupt:
            self._stiffness.look()  # it may explain why that took so long
            raise
        finally:
            sim.active = False

    def _advance_at_rest(self, due: float, *, is_due: bool) -> object:
        """The same where the stepper has no flows.

        Returns     as `advance`; UNDECIDED if it takes more: where anything has changed, or a condition has read the
                    clock, or nothing of the list is due
        """
        sim, integrator, chosen = self.sim, self.integrator, None
        if not self._discrete.waits:
            return None if self._has_nothing_to_do(due, is_due=is_due) else UNDECIDED
        if not (is_due and integrator.changes.are_seen and integrator.references.stands()):
            return UNDECIDED
        if due > sim.time:
            sim.active, sim.current = True, None
            try:
                chosen = self._first_discrete()
            finally:
                sim.active = False
        if chosen is None:
            return UNDECIDED if integrator.flows else None
        self.state_events += 1
        if self._lent:
            self.row_driver.guards.return_owner(chosen)
        return chosen.fire(sim)

    def _look_around(self, *, calls_observers: bool = True) -> Trigger | None:
        """After an event that may have changed more than states and numbers: determine what it has changed.

        calls_observers     at what it has left, unless rows have looked at that for them
        Returns     the handler whose event is next because of sliding; None if there is none
        """
        sim, integrator, slides, instants = self.sim, self.integrator, self._slides, self.watched.instants
        looks = self.row_driver.looks
        has_looked, looks.has_looked = looks.has_looked, False
        if self.row_driver.reached is not None:
            self._attend(*self.row_driver.take_reached())
        goes_on, self.is_broken_off = has_looked or (self.is_broken_off and not integrator.touched), False
        if self._discrete.waits and not self.system.is_at_rest:
            self.watched.give_moving()
        is_rebound = slides.has_work and (integrator.changes.references or not integrator.references.stands())
        integrator.prepare()
        integrator.run.look = inf
        if instants.varying:
            instants.renew()
        self._forced = self._forced or (slides.look(is_rebound=is_rebound) if slides.has_work else None)
        is_observed = self.observers.count and calls_observers
        if is_observed or self._forced is not None:  # steps do not depend on whether somebody looks between two events
            integrator.settle()
        if is_observed and not goes_on:
            self.observers.observe_all(Phase.AFTER, sim.time)
        forced, self._forced = self._forced, None
        has_native, are_polled = integrator.native_handlers.plans, integrator.references.are_polled
        is_asked = has_native or integrator.together or are_polled or self.observers.count
        integrator.changes.are_seen = not (is_asked or instants.varying or instants.heap) and self.is_undisturbed()
        if forced is not None:
            self._force(forced)
        return forced

    def is_undisturbed(self, *, but_for_observers: bool = False) -> bool:
        """Whether Python has nothing to do but at events and known times, and no unreadable code sees what they do."""
        instants, observers = self.watched.instants, self.observers
        groups, guards = self.integrator.groups, self.integrator.guards
        is_timed = self._slides.has_work or instants.exposed
        is_exposed = groups.opaque or groups.exposed or groups.asked or guards.exposed
        is_observed = observers.count or observers.at_will or observers.taped
        return not (is_timed or is_exposed or (is_observed and not but_for_observers))

    def refresh(self) -> None:
        """Evaluate all laws and run all reporters at the present instant; arms no condition."""
        self.sim.active = True
        try:
            self.row_driver.guards.return_components()
            touched = self.integrator.settle_for_now()
            self.observers.observe_all(Phase.AFTER, self.sim.time)
            for flow in touched:
                self.integrator.touch(flow)
        finally:
            self.sim.active = False

    def _look_ahead(self, next_event: float) -> float:
        """The next time of an observer or of a condition on time alone; at latest the next event."""
        is_at_instant = self._has_stepped and self._instant == self.sim.time  # seen is the step that ends there
        look, self._instant = inf, self._instant if is_at_instant else inf
        observers, instants = self.observers, self.watched.instants
        if observers.periodic or observers.taped or observers.at_will:
            look, tapes = observers.look_ahead()
            Tape.put_on(self.integrator, tapes)
        if instants.heap and not is_at_instant:
            self._instant = instants.next_after(self.sim.time)
        if self.integrator.native_handlers.plans:
            self.integrator.native_handlers.allow(self._reacts())
        due = min(next_event, self._instant)
        self.integrator.run.look = look if look < due else inf
        return min(look, due)

    def _attend(self, code: int, stop: float, next_event: float) -> None:
        """Handle a stop of the stepper other than a state event, by its code (see `engine/codes.py`).

        That is an observer's time, the end of a step, the next event, or the time of a condition on time alone.
        """
        sim, integrator, observers = self.sim, self.integrator, self.observers
        for taped in observers.taped:
            taped._fetch()
        self._has_stepped = code == STEPPED
        if code in (REACHED, STEPPED, PAUSED):
            try:
                self._show(code, stop, next_event)
            except BaseException:  # of an observer, or Ctrl-C: what follows may change what laws refer to
                integrator.complete_exposed()
                raise
        elif code != RECORDED:
            self._resolve(code)
        if sim.time >= LATEST:
            raise SimulationError(7, sim.time, "No condition has become true.")

    def _show(self, code: int, stop: float, next_event: float) -> None:
        """Let observers look at a time to which all flows have been brought, or at the end of a step."""
        sim, integrator, observers = self.sim, self.integrator, self.observers
        if code == REACHED:
            self._arrive(stop)
            if stop in (self._instant, next_event) or integrator.has_events:
                observers.observe_all(Phase.BEFORE, stop)
                self._touch_at(self._instant)
            elif is_interrupted(sim):
                self._hear()
                observers.observe_grid(stop)
            else:
                observers.observe_grid(stop)
        else:
            self._arrive(integrator.reach)
            if is_interrupted(sim):
                self._hear()
            observers.observe_spans(Phase.SPAN)
            if not integrator.is_cut and sim.time not in (self._instant, next_event):  # where all look
                observers.observe_step()

    def _reacts(self) -> int:
        """Which handlers may run as native code: none where an observer would notice."""
        sim = self.sim
        is_looked_at = self.observers.count or isinstance(self._calendar.tracer, Tracer) or is_stepped(sim)
        if is_looked_at or is_traced() or self._slides.has_work or self.watched.instants.varying:
            return 0
        return 0 if self._discrete.waits else self.integrator.native_handlers.level()

    def _count_reactions(self) -> None:
        """Handlers have run as native code: their events count as any."""
        native_handlers = self.integrator.native_handlers
        self.state_events += native_handlers.fresh
        self._calendar.count_events(native_handlers.fresh)
        native_handlers.fresh = 0

    def _hear(self) -> None:
        """Call signal handlers, which change nothing and may end the run; Ctrl-C ends it regularly.

        Not twice at one time: a flow whose law is Python code begins its step anew with each run, and time would stand.
        """
        if self.sim.time == self._stopped_at:
            return
        self.integrator.is_observed = True
        try:
            keyboard_of(self.sim).attend()
        except KeyboardInterrupt:
            self._stopped_at = self.sim.time
            self.observers.observe_all(Phase.BEFORE, self.sim.time)
            raise
        except BaseException:
            self._stopped_at = self.sim.time
            self.is_broken_off = True  # when that comes is no part of the model, nor of what is recorded of it
            raise
        finally:
            self.integrator.is_observed = False

    def _first_discrete(self) -> Condition | None:
        """The condition whose event is next at this instant, if one is true that only events change; else None."""
        sim, integrator = self.sim, self.integrator
        if self._has_stepped:  # what ends with a step, and time events, come first
            return None
        wait = self._discrete.first()
        if self._discrete.has_read and self.watched.give_moving():
            self._look_around(calls_observers=False)
        if wait is None or not wait.is_discrete:
            return None
        if integrator.flows and self._is_anything_due():
            other = integrator.chosen
            if (-other.priority, other.rank) < (-wait.priority, wait.rank):
                return other
            integrator.guards.put_back(other)
        self._discrete.note_firing(wait)
        sim.dt, sim.last_time = 0.0, sim.time
        return wait

    def _is_anything_due(self) -> bool:
        """Whether a condition that the stepper monitors is true now; the first one is chosen."""
        self.integrator.native_handlers.allow(0)
        answer = self.integrator.proceed(self.sim.time, self.sim.time)
        if answer >= 0 or self._is_event(answer):
            return True
        if answer != REACHED:
            self._resolve(answer)
        return False

    def _is_event(self, code: int) -> bool:
        """Whether a state event was reached; then observers have seen it, and it is no cascade."""
        integrator = self.integrator
        if integrator.native_handlers.fresh:
            self._count_reactions()
        if code not in FOUND:
            return False
        try:
            if integrator.run.looked_at != 0:
                for taped in self.observers.taped:
                    taped._fetch()
                try:
                    if code == LOCATED:
                        self.observers.observe_all(Phase.BEFORE, self.sim.time)
                finally:
                    integrator.open_reached()
            if integrator.run.alert != 0:
                integrator.chosen = self._cascade.judge(integrator.chosen)
        except BaseException:  # of an observer, or a warning as error: the next run begins with the event
            integrator.complete_exposed()
            integrator.guards.put_back(integrator.chosen)
            integrator.changes.note()
            raise
        self.sim.dt, self.sim.last_time = 0.0, self.sim.time
        return True

    def _force(self, trigger: Trigger) -> None:
        """The event of a handler is the next one because of what slides."""
        if trigger.partner is not None:
            self.integrator.note_firing(trigger)
            if self.integrator.run.alert != 0:
                self._cascade.judge(trigger)
        self.sim.dt, self.sim.last_time = 0.0, self.sim.time

    def _touch_at(self, instant: float) -> None:
        """Test the conditions on time alone that become true now."""
        if instant == self.sim.time:
            for condition in self.watched.instants.at(instant):
                self.integrator.touch(condition.flow)

    def _arrive(self, time: float) -> None:
        self.sim.time = time
        self.integrator.tell_step()

    def _resolve(self, code: int) -> None:
        """A step could not be made: raise what the model raised, or call its `integration_error`."""
        sim, integrator = self.sim, self.integrator
        if integrator.host.meeting is not None:
            integrator.join_what_met()
            return
        if code == UNSETTLED:
            integrator.host.raise_what_was_met()
        if code == CHATTERS:
            sim.time = sim.last_time = integrator.run.event_time
            self._cascade.judge_switch(integrator.guards.at[integrator.run.chosen])
            return
        root, start = integrator.root, integrator.failed_step.start
        sim.time = start
        if code == STUCK:
            raise SimulationError(2, sim.time, "The next step cannot be seen at this time.")
        integrator.failed_step.raise_what_was_met()
        assert code == FAILED, code
        integrator.failed_step.replay()
        sim.time, sim.dt = start, 0.0
        integrator.failed_step.raise_what_was_met()
        variable = integrator.failed_step.worst_variable()
        if variable is None:
            raise SimulationError(1, start, integrator.failed_step.what_is_not_finite())
        self._retry_limit.spend(variable, start, sim)
        repeat = sim.integration_error(variable)
        check_limits(sim)
        if repeat:
            integrator.failed_step.repeat(root)
        else:
            integrator.failed_step.force(root)
        self.observers.observe_spans(Phase.AFTER)  # the model may have changed its states or parameters

    # --- whether anything can happen ------------------------------------------------------------------------------

    def _has_nothing_to_do(self, due: float, *, is_due: bool) -> bool:
        """Whether nothing is to be done before the next event; if that is permanent, the hook is removed.

        Where nothing moves and no condition is waited for, observers alone have something to do, which is done then.
        """
        if not self.system.is_empty or len(self.watched) or self.integrator.groups.doubted:
            return False
        if self.observers.count:
            return is_due and self._only_observes(due)
        if not self.observers.at_will:
            if self._calendar.tracer is None:  # else the tracer is the hook
                set_hook(self.sim, None)
            return True
        return is_due and due < self.observers.will

    def _only_observes(self, due: float) -> bool:
        """Observers look after the last event and before the next one; returns whether nothing else is to be done."""
        sim, observers, driver = self.sim, self.observers, self.row_driver
        has_more = driver.reached is not None or driver.looks.has_looked or self.is_broken_off
        if has_more or self._slides.has_work or self.integrator.changes.limits:
            return False
        sim.active, sim.current = True, None
        try:
            sim.dt, sim.last_time = 0.0, sim.time
            observers.observe_all(Phase.AFTER, sim.time)
            if due > sim.time:
                if observers.next_time() <= due:
                    driver.looks.has_looked = True
                    return False
                sim.time = due
                observers.observe_all(Phase.BEFORE, due)
                sim.last_time = due
        finally:
            sim.active = False
        return True

    def come_to_rest(self, *, has_acted: bool) -> bool:
        """A run has ended; changes until the next run are found as that begins.

        has_acted   whether code of the user has run in it, as an event
        Returns     the same with what has run between the events, as reporters and laws that cannot be read
        """
        changes = self.integrator.changes
        has_acted = has_acted or not changes.are_seen
        self.integrator.own_methods.check(has_acted=has_acted)
        changes.note()
        self.row_driver.reached, self.row_driver.looks.has_looked = None, False
        if self.observers.at_will:
            self.observers.observe_rest()
        if self.steps >= MANY:
            self._stiffness.look()
        return has_acted

    def _has_prospect(self) -> bool:
        """Whether a condition may become true although no time event is due and no end is set."""
        conditions = self.watched
        if not self.system.is_empty:
            return len(conditions) > 0
        return any(_reads_time(condition.test) for condition in conditions)

    def _at_end(self) -> object:
        """Nothing can ever happen; returns AT_END.

        Raises SimulationError 7 if a run begins with active states and nothing that could ever end it.
        """
        if not self.system.is_empty and is_without_end(self.sim):
            raise SimulationError(
                7, self.sim.time, "States are active, and no event can end this run: give run(until=...) a time."
            )
        return AT_END

    # --- observers ------------------------------------------------------------------------------------------------

    def add_observer(self, observer: Observer) -> None:
        """Add an observer."""
        self.observers.add(observer, self.sim.time)
        begin_monitoring(self.sim)


def is_traced() -> bool:
    """Whether a debugger, a coverage tool or a profiler follows the lines or calls of this thread."""
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    return monitoring is not None and any(map(monitoring.get_tool, range(TOOLS)))


def _reads_time(test: object) -> bool:
    """Whether a condition's code mentions the time, so that it may become true as time goes by."""
    code = getattr(test, "__code__", None)
    return code is None or "time" in code.co_names
