"""Events of rows of processes in a model with flows: native code goes from event to event, and returns where it must.

In: the events of rows, in order (`migration/row_migration.py`). Out: these, with all flows brought to each, or
the first state event before. Rows do so while Python has nothing to do between two events: no observer but recordings
for which native code can look (`native_looks.py`), nothing that slides, no code that is monitored for changes. Before
the time of a condition on time alone they return to Python; where that may depend on what native code sets they have no
events. What an event of a row sets is settled before the next one. A state event for which a row waits is its own,
unless it fires so often that Python judges it first. Waits for what only events change are tested before the clock goes
on; rows go on where these read what no row sets.
"""

from __future__ import annotations

from math import inf, nan, nextafter
from typing import TYPE_CHECKING, Final, cast

from eventide.bodies.items import ITEMS
from eventide.continuous.integrator import CONTINUED
from eventide.discrete.same_time_limit import BESIDE_FLOWS, EARLY_BESIDE_FLOWS
from eventide.engine.codes import CHOICE, FOUND, LOCATED, PAUSED, REACHED, RECORDED
from eventide.engine.step_control import LATEST
from eventide.monitor.lent_guards import LentGuards
from eventide.monitor.native_looks import NativeLooks
from eventide.rows.codes import DONE, FAILED, HAS_STOPPED, SPENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.discrete.calendar import Entry
    from eventide.monitor.monitor import Monitor
    from eventide.rows.memory import RowMemory
    from eventide.rows.records import RowState


class HybridDriver:
    """Drives the events of rows where states are integrated.

    cost        an event in Python takes as long as this many of a model without flows
    early       after this many events processes may go of which bodies are kept
    least_share of the events are those of rows while it pays: fewer than without flows, as an event in Python takes ten
                times as long as that of a row even where there are no rows; but recordings take over before each what
                rows have noted, which takes as long as three events
    reached     what stopped them that is Python's: a code of `proceed`, and the time to be reached; None without
    """

    cost: Final = BESIDE_FLOWS
    early: Final = EARLY_BESIDE_FLOWS

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.guards = LentGuards(monitor)
        self.looks = NativeLooks(monitor)
        self.reached: tuple[int, float] | None = None
        self._found = REACHED  # else a state event of a row with which it may go on, a code of the march

    @property
    def least_share(self) -> float:
        """As above; where nothing moves, and waits are tested, an event in Python is as cheap as without a monitor."""
        if self._monitor.watched.discrete.latest is not None and not self._monitor.integrator.flows:
            return 0.95
        return 0.8 if self._monitor.observers.count else 0.57

    @property
    def names(self) -> frozenset[str]:
        """The attributes of plain objects that laws or conditions read: native code would not tell them of a change.

        They may read the items of any container.
        """
        monitor = self._monitor
        return frozenset({*monitor.integrator.references.names, *monitor.watched.discrete.names_read, ITEMS})

    @property
    def functions(self) -> list[Callable[[], object]]:
        """What recordings call at events and at regular times."""
        return self.looks.functions

    def may_proceed(self, memory: RowMemory | None) -> bool:
        """Whether rows may have the next events; afterwards the changes of the last event in Python are known."""
        return self._monitor.watched.discrete.are_rare and self._may_proceed(memory)

    def _may_proceed(self, memory: RowMemory | None) -> bool:
        monitor, sim = self._monitor, self._monitor.sim
        integrator, changes = monitor.integrator, monitor.integrator.changes
        if monitor.watched.discrete.waits and not self._may_pass_waits():
            return False  # Python tests these after each event
        if not (monitor.is_undisturbed(but_for_observers=True) and integrator.analyst.compiles):
            return False
        if not (changes.are_seen and integrator.references.stands()):
            sim.active = True
            try:
                self.guards.return_components()
                monitor._look_around(calls_observers=False)
            finally:
                sim.active = False
            if not monitor.is_undisturbed(but_for_observers=True):
                return False
        if not self.looks.are_possible():
            return False
        if integrator.together and (
            monitor.watched.instants.heap or any(flow.needs_python for flow in integrator.flows.values())
        ):
            return False
        references = integrator.references
        if references.looks_at_lists or (memory is not None and not references.names.isdisjoint(memory.changed)):
            return False
        if memory is not None and not monitor.watched.discrete.names_read.isdisjoint(memory.changed):
            return False
        if integrator.native_handlers.plans:
            integrator.native_handlers.allow(monitor._reacts())
        return True

    def _may_pass_waits(self) -> bool:
        """Whether events of rows leave what the waits for discrete state read, and no others are waited for."""
        return not self._monitor.integrator.flows and self._monitor.watched.discrete.are_plain()

    def waits_of_python(self) -> list[str]:
        """Who waits for discrete state so that rows have no events meanwhile."""
        waits = self._monitor.watched.discrete.waits
        return [] if not waits or self._may_pass_waits() else [wait.name for *_, wait in waits]

    def may_stay(self, memory: RowMemory | None) -> bool:
        """The same of those that are away, with what they have."""
        return self._may_proceed(memory) and (memory is None or self.looks.are_known(memory))

    @property
    def calls_python(self) -> bool:
        """Whether processes stay in their rows while they call Python: not where each event is looked at."""
        return not self._monitor.observers.count

    def may_go_on(self, memory: RowMemory | None) -> bool:
        """Whether a row may go on within its event, in which it has called Python: not if that has changed a flow."""
        integrator = self._monitor.integrator
        is_same = (
            self.calls_python
            and integrator.changes.are_seen
            and integrator.references.stands()
            and not integrator.run.touched
        )
        return is_same and self.may_stay(memory)

    def proceed(self, memory: RowMemory, *turn: float) -> int:
        """Let rows have their events, with all flows brought to each: `proceed_rows`, of which `turn` are arguments."""
        time, discrete = self._monitor.sim.time, self._monitor.watched.discrete
        if not discrete.waits or min(turn[0], turn[3]) <= time:
            return self._proceed(memory, turn)
        if is_due(memory, time):
            code = self._proceed(memory, (nextafter(time, inf), 0.0, 0, *turn[3:]))
            return SPENT if code == DONE and not memory.run.leaves and self.reached is None else code
        return DONE if discrete.is_any_true() else self._proceed(memory, turn)

    def _proceed(self, memory: RowMemory, turn: tuple[float, ...]) -> int:
        monitor, clock = self._monitor, memory.run
        sim, integrator = monitor.sim, monitor.integrator
        run, guards, current = integrator.run, integrator.guards, sim.current
        if not self.looks.begin(memory):
            clock.leaves = 1
            return DONE
        sim.active, sim.current = True, None
        try:
            if run.touched and self._found == REACHED and is_due(memory, sim.time):
                integrator.settle()
            if guards.returning is not None:
                guards.enter_returning()  # before, as it touches a flow
            integrator.close()
            if integrator.together:  # events of rows end its steps, also where Python has made none, or had no event
                run.land = sim.time
            run.work, run.arrivals = 0.0, monitor.watched.arrivals
            self._connect(memory)
            instant = monitor.watched.instants.next_after(sim.time)
            code = self._go(memory, (*turn[:3], min(instant, self._end_of_march(turn[3])), turn[4]))
            is_next = code == DONE and instant < inf and instant <= min(turn[0], turn[3])
            if clock.leaves and clock.looked == HAS_STOPPED:
                self.reached = (REACHED, clock.time)
            elif is_next and not is_due(memory, nextafter(instant, -inf)):
                self._stop_at(instant, clock)
        finally:
            integrator.is_marching = sim.active = False
            sim.current, clock.arrays = current, 0
            self._note_changes(memory)
        if code == FAILED:
            integrator.host.raise_what_was_met()
        return code

    def _stop_at(self, instant: float, clock: RowState) -> None:
        """Rows have no events before a condition on time alone: Python comes to its time, or has its event there."""
        if clock.reached == REACHED:
            clock.leaves = 1
            if clock.time == instant:
                self.reached, self._monitor._instant = (REACHED, instant), instant

    def _end_of_march(self, horizon: float) -> float:
        """How far what moves goes if no time event comes: a wait by a kept guard is for something that moves."""
        return LATEST if horizon == inf and self._monitor.system.active else horizon

    def _connect(self, memory: RowMemory) -> None:
        """Let rows know the functions of the stepper that they may call."""
        integrator, clock, host = self._monitor.integrator, memory.run, memory.host
        engine, known = integrator.engine, integrator.memory
        clock.wrote = 0
        if engine.places:
            clock.marching, clock.looking, clock.asking, clock.changing, clock.breaking, *others = engine.places
            (
                clock.admitting,
                clock.closing,
                clock.entering,
                clock.withdrawing,
                clock.naming,
                clock.timing,
                clock.sloping,
                clock.forgetting,
            ) = others
        host.march = lambda *given: engine.advance_to_row(known.arrays, *given)
        host.look = lambda *given: engine.look(known.arrays, *given)
        host.slope = lambda *given: engine.slope(known.arrays, *given)
        host.may_change = lambda *given: engine.may_change(known.arrays, *given)
        host.change = lambda *given: engine.change(known.arrays, *given)
        host.has_broken = lambda: engine.has_broken(known.arrays)
        host.may_watch = lambda *given: engine.may_watch(known.arrays, *given)
        host.close_over = lambda *given: engine.close_over(known.arrays, *given)
        host.watch = lambda *given: engine.watch(known.arrays, *given)
        host.unwatch = lambda *given: engine.unwatch(known.arrays, *given)
        host.begin_history = lambda *given: engine.begin_history(known.arrays, *given)
        host.waiter = lambda: engine.waiter(known.arrays)
        host.found_at = lambda: engine.found_at(known.arrays)

    def _note_changes(self, memory: RowMemory) -> None:
        """Python continues after events of rows: note what these have changed."""
        clock = memory.run
        self.looks.end(memory)
        monitor, sim, integrator = self._monitor, self._monitor.sim, self._monitor.integrator
        run = integrator.run
        monitor.watched.arrivals = run.arrivals
        monitor.state_events += clock.fired
        clock.fired = 0
        if clock.reached != REACHED:
            self.reached = None if clock.reached == PAUSED else (clock.reached, run.next_event)
        elif integrator.seen:
            integrator.forget_what_was_seen()
        integrator.next_event = nan
        sim.time = sim.last_time = clock.time
        sim.dt = 0.0
        if run.handled and clock.reached not in FOUND and integrator.native_handlers.count():
            monitor._count_reactions()
        if self.reached is None:
            for k in range(run.touched):
                integrator.note_touching(integrator.flows[integrator.memory.touched[k]])

    def _go(self, memory: RowMemory, turn: tuple[float, ...]) -> int:
        clock, integrator = memory.run, self._monitor.integrator
        found, self._found = self._found, REACHED
        chunks, before = clock.chunks, clock.turn
        while True:
            clock.reached, integrator.is_marching = REACHED, True
            clock.arrays = cast("int", integrator.memory.arrays)  # their address, as laws are compiled
            if found != REACHED:  # while Python was asked
                clock.reached, clock.found, found = found, 1, REACHED
            left = turn[-1] + (chunks - clock.chunks) * clock.chunk - (clock.turn - before)
            code = memory.engine.proceed_rows(memory.arrays, *turn[:-1], left)
            if clock.found:  # their turn has ended before it
                clock.found = 0
                return code
            is_regular = integrator.run.look < integrator.run.next_event
            stop, answer = min(integrator.run.look, integrator.run.next_event), clock.reached
            if answer in CONTINUED:
                answer, _ = integrator.continue_march(clock.reached, clock.time, stop)
                clock.arrays = cast("int", integrator.memory.arrays)  # which Python may have made anew
                if answer == REACHED and is_regular and integrator.has_events:
                    integrator.engine.proceed(integrator.memory.arrays, stop, stop, -1, 0.0)
                    answer = LOCATED  # it comes in place of the look, as in `advance_to_row`
            elif answer != RECORDED:
                return code
            if answer == RECORDED:
                if self.looks.go_on(memory):
                    continue
                clock.reached, clock.leaves = REACHED, 1
                return code
            if answer != REACHED:
                clock.reached = found = CHOICE if answer >= 0 else answer
                if found in FOUND and self.guards.are_lent:
                    continue
                return code
            self._monitor.sim.time = clock.time = stop
            if is_regular:
                memory.engine.look_regularly(memory.arrays)
            else:
                memory.engine.arrive(memory.arrays)
            if integrator.run.touched:
                integrator.settle()

    @property
    def has_state_event(self) -> bool:
        """Whether a state event stopped them."""
        return self._found != REACHED or (self.reached is not None and self.reached[0] in FOUND)

    def begin(self, *, may_go_on: bool) -> Entry | None:
        """The state event that stopped them takes place in Python; returns its owner.

        Where it is that of a row, and rows may go on, they go on with it; returns None then.
        """
        monitor, sim = self._monitor, self._monitor.sim
        integrator = monitor.integrator
        sim.active, sim.current = True, None
        try:
            self.looks.has_looked = False
            code, found = self._found, self._found
            self._found = REACHED
            if code == REACHED:
                code, _, _ = self.take_reached()
                found = CHOICE if code >= 0 else code
                if integrator.run.alert:
                    self.guards.return_sharers()
                monitor._is_event(code)
            chosen = integrator.chosen
            if may_go_on and self.guards.has(chosen):
                integrator.run.chosen, integrator.run.alert, self._found = chosen.row, 0, found
                return None
            self.guards.return_owner(chosen)
            monitor.state_events += 1
            if chosen.partner is not None:
                monitor._slides.note(chosen)  # type: ignore[arg-type]  # only a Trigger has a partner
            return chosen.fire(sim)  # type: ignore[return-value]  # who has it can be listed
        finally:
            sim.active = False

    def take_reached(self) -> tuple[int, float, float]:
        """What stopped them, as `Integrator.proceed` would say it: its code, and twice the time to be reached."""
        assert self.reached is not None
        (code, stop), self.reached = self.reached, None
        integrator = self._monitor.integrator
        integrator.is_marching = True
        return integrator.come_back(code, self._monitor.sim.time, stop), stop, stop


def is_due(memory: RowMemory, time: float) -> bool:
    """Whether a row has an event at a time, or before it."""
    i = memory.engine.first(memory.arrays)
    return i >= 0 and memory.activity.due[i] <= time
