"""The condition list of a simulation with a monitor: its conditions are also monitored inside steps.

In: waits and handlers as they begin and end. Out: rows of the guard record. A wait that is over may leave its row,
kernel and addresses in its flow; a process that waits for the same line again, with the same objects, reuses them and
writes only its numbers. If only its rank is new, that goes along with the call that proceeds to the next event.
Conditions on time alone become true at the float at which they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count, islice
from math import inf
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final, TypeVar, cast

from eventide.continuous.plans import never_started
from eventide.discrete.conditions.condition import ConditionList, begin_monitoring
from eventide.discrete.conditions.until import drop_past, keep_past, past_waits
from eventide.errors import ModelError
from eventide.monitor.discrete_conditions import DiscreteConditions
from eventide.reading.time_conditions import solve, straight_steps

if TYPE_CHECKING:
    from eventide.declare.changes import Changes
    from eventide.discrete.commands import Activity
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.until import StateWait, Until
    from eventide.discrete.conditions.when import Trigger
    from eventide.monitor.monitor import Monitor
    from eventide.reading.time_conditions import Source, Steps
    from eventide.simulation import Simulation

T = TypeVar("T")
MOST_TRIED: Final = 8
"""Of the waits that ended processes have left this many are tried, which may work on other objects."""


class Instants:
    """The times at which conditions on time alone become true.

    varying     those that read what an event may change; exposed: those that read numbers that native code may set
    heap        their times; it may still hold past ones and those of removed conditions
    """

    def __init__(self, sim: Simulation, changes: Changes) -> None:
        self.sim = sim
        self.changes = changes
        self._steps: dict[int, tuple[CodeType, Steps | None]] = {}
        self._due: dict[Condition, float] = {}
        self.varying: dict[Condition, tuple[Source, ...]] = {}
        self.exposed: dict[Condition, None] = {}
        self.heap: list[tuple[float, int, Condition]] = []
        self._serial = count()

    def add(self, condition: Condition) -> bool:
        """Examine a new condition; returns whether it may be on time alone."""
        code = getattr(condition.function, "__code__", None)
        if code is None or "time" not in code.co_names:
            return False
        known = self._steps.get(id(code))
        if known is None:
            known = self._steps[id(code)] = code, straight_steps(code)
        if known[1] is None:
            return False
        self.changes.note()
        self._solve(condition)
        return True

    def remove(self, condition: Condition) -> None:
        """A condition is not waited for any longer."""
        self._due.pop(condition, None)
        self.varying.pop(condition, None)
        self.exposed.pop(condition, None)

    def renew(self) -> None:
        """Solve again those that read what an event may have changed."""
        for condition, sources in list(self.varying.items()):
            for read, value in sources:
                now = read()
                if now is not value and not (type(now) is float and now == value):
                    self._solve(condition)
                    break

    def _solve(self, condition: Condition) -> None:
        steps = self._steps[id(condition.function.__code__)][1]
        assert steps is not None
        solution = solve(condition.function, condition.arguments, self.sim, steps)
        self.remove(condition)
        if solution.sources:
            self.varying[condition] = solution.sources
        if solution.reads_fields:
            self.exposed[condition] = None
        if solution.time is not None:
            self._due[condition] = solution.time
            heappush(self.heap, (solution.time, next(self._serial), condition))

    def next_after(self, time: float) -> float:
        """The next instant after `time` at which one becomes true; infinity if there is none."""
        heap = self.heap
        while heap and (heap[0][0] <= time or self._due.get(heap[0][2]) != heap[0][0]):
            heappop(heap)
        return heap[0][0] if heap else inf

    def at(self, time: float) -> Iterator[Condition]:
        """Those that become true at an instant."""
        return (condition for condition, due in self._due.items() if due == time)


class _EndedProcesses:
    """Stands for the processes that have ended, in the waits that these have left to others."""

    name = ""


_ENDED: Final = cast("Activity", _EndedProcesses())  # as far as that is looked at


class WatchedConditions(ConditionList):
    """A `ConditionList` that passes every change on to the stepper. Finished waits may stay among the members.

    instants    the times at which those on time alone become true
    discrete    those that only events change, which the stepper does not know
    """

    __slots__ = ("_integrator", "_watches", "discrete", "instants", "monitor")

    def __init__(self, monitor: Monitor, before: ConditionList) -> None:
        super().__init__()
        self.monitor, integrator = monitor, monitor.integrator
        self._integrator = integrator
        self.instants = Instants(integrator.sim, integrator.changes)
        self.discrete = DiscreteConditions(integrator.sim, integrator.analyst)
        self._watches = integrator.guards
        self.arrivals = before.arrivals
        for condition in before:
            self._members[condition] = None
            self._watch(condition)

    def __len__(self) -> int:
        integrator, guards = self._integrator, self._watches
        stepped = integrator.run.listed + len(guards.arriving) + (guards.returning is not None)
        return stepped + len(self.discrete.waits)

    def __iter__(self) -> Iterator[Condition]:
        self._watches.return_rows(None)
        return (condition for condition in super().__iter__() if not condition.is_over)

    def _watch(self, condition: Condition) -> None:
        """Monitor a new condition, perhaps one that was withdrawn before."""
        condition.is_over = False
        system = self._integrator.system
        is_moving = system.active or system.moving  # without a call, as each wait asks
        if not is_moving and self.discrete.takes(condition):
            self.discrete.add(condition)  # type: ignore[arg-type]  # it takes waits only
        else:
            self._give(condition)

    def _is_at_rest(self) -> bool:
        """Whether nothing moves, so that only events and the clock change what conditions read."""
        return self._integrator.system.is_at_rest

    def _give(self, condition: Condition) -> None:
        """Let the stepper monitor a condition."""
        self._watches.arriving.add(condition)
        condition.is_timed = self.instants.add(condition)

    def give_moving(self) -> bool:
        """Let the stepper monitor what no longer changes at events only; returns whether there is such a wait."""
        waits = self.discrete.has_read if self._is_at_rest() else [wait for *_, wait in self.discrete.waits]
        waits = list(waits)
        self.discrete.has_read.clear()
        for wait in waits:
            self.discrete.give(wait)
            self._give(wait)
        return bool(waits)

    def remove(self, condition: Condition) -> None:
        """Take a condition out and watch it no longer."""
        if condition.is_discrete:
            self._end_discrete(condition)  # type: ignore[arg-type]  # it has waits only
        elif condition in self._members and not condition.is_over:
            self.instants.remove(condition)
            if not self._watches.remove(condition):
                del self._members[condition]

    def end(self, condition: Condition) -> None:
        """A wait is over: its condition has fired."""
        if condition.is_discrete:
            self._end_discrete(condition)  # type: ignore[arg-type]  # it has waits only
            return
        if condition.is_timed:
            self.instants.remove(condition)
        if not self._watches.end(condition):
            del self._members[condition]

    def _end_discrete(self, wait: StateWait) -> None:
        """The stepper knows nothing of the wait, which is kept for the next of its kind."""
        self.discrete.remove(wait)
        del self._members[wait]
        wait.is_over = True
        if wait.following is None:
            keep_past(wait.activity, wait)

    def forget(self, condition: Condition) -> None:
        """A wait that rested is not kept any longer."""
        self._members.pop(condition, None)

    def drop(self, wait: StateWait) -> None:
        """A wait is kept no longer when it is over."""
        if wait.following is None:
            del self.left[id(wait.code)][wait]
        else:
            drop_past(wait.activity, wait)

    def count_event(self, trigger: Trigger) -> None:
        """A handler runs: once its code has run often enough, it may become native code."""
        self._integrator.native_handlers.count_event(trigger)

    def resume(self, wait: StateWait, test: Callable[[], object], priority: float, prior: bool) -> bool:
        """Wait again for a finished wait; False if it is no longer kept."""
        wait.ask(test)
        self.arrivals = arrival = self.arrivals + 1.0
        wait.rank, wait.priority = -arrival if prior else arrival, priority
        if wait.row < 0:
            if not (self._is_at_rest() and self.discrete.takes(wait)):
                drop_past(wait.activity, wait)  # the stepper keeps one of its own
                return False
            begin_monitoring(wait.world)  # which may have ended, as no guard is kept
            self._members[wait] = None
            self._watch(wait)
            return True
        if not self._watches.resume(wait):
            return False
        if wait.is_timed:
            self.instants.add(wait)
        wait.is_over = False
        return True

    def leave_to_others(self, process: Activity) -> None:
        """A process has ended: its waits are for the next one that waits for a condition of the same code."""
        for wait in list(past_waits(process)):
            if wait.is_over and wait.rests and wait.crossed is None and wait.code is not None:
                self.leave(wait)

    def leave(self, wait: StateWait) -> None:
        """A wait of a process that has ended is for others."""
        drop_past(wait.activity, wait)
        wait.activity = _ENDED
        self.left.setdefault(id(wait.code), {})[wait] = None

    def give(self, wait: StateWait, activity: Activity) -> None:
        """Such a wait is one of an activity."""
        del self.left[id(wait.code)][wait]
        wait.activity = activity
        keep_past(activity, wait, is_given=True)

    def left_for(self, code: object) -> Iterable[StateWait]:
        """The waits for conditions of a code that are kept of processes that have ended."""
        return self.left.get(id(code), ())

    def take_over(self, activity: Activity, test: Callable[[], object]) -> StateWait | None:
        """A wait of a process that has ended, for a condition of the same code that works on the same objects."""
        kept = (wait for wait in self.left_for(getattr(test, "__code__", None)) if wait.is_over)  # no row may take it
        for wait in islice(kept, MOST_TRIED):
            before = wait.test
            wait.ask(test)
            if self._watches.fits(wait):
                self.give(wait, activity)
                self._watches.hand_over(wait)
                return wait
            wait.ask(before)
        return None

    def take_up(self, wait: StateWait, until: Until) -> bool:
        """The same if only its rank is new: the next call of the stepper takes it. Returns whether that was so."""
        sim, guards, test = wait.world, self._watches, until.condition
        priority = sim.until_priority if until.priority is None else until.priority
        if not (wait.is_plain and wait.is_over and guards.returning is None) or priority is not wait.priority:
            return False
        plan = wait.plan
        if test.__class__ is FunctionType:
            wait.test = wait.function = test  # as `ask` does; it is known to be called without arguments
        else:
            wait.ask(test)  # type: ignore[arg-type]  # no crossing has the code of a plain wait
        bind = plan.pattern.bind
        if not wait.flow.is_open or bind is None or bind(test, wait.arguments) != plan.binding:
            return False
        self.arrivals = arrival = self.arrivals + 1.0
        wait.rank = -arrival if (sim.until_prior if until.prior is None else until.prior) else arrival
        guards.returning = wait
        wait.is_over = False
        return True

    def progress(self, condition: Condition) -> tuple[float, float] | None:
        """The number that is 0 or more where a condition holds, and its rate; None if it is not native code."""
        if condition.is_discrete:
            return self._as_monitored(condition, self._integrator.measure, None)
        waits = condition in self._members and not condition.is_over
        return self._integrator.measure(condition) if waits else None

    def resting(self, condition: Condition) -> tuple[str, ...]:
        """The names of objects with laws that a condition reads, and that have never been started."""
        if condition.is_discrete:
            return self._as_monitored(condition, never_started, ())
        return never_started(condition)

    def _as_monitored(self, condition: Condition, look: Callable[[Condition], T], otherwise: T) -> T:
        """What is seen of a condition that only events change while it has a guard; `otherwise` if it can have none."""
        guards = self._watches
        try:
            guards.hold(condition)
        except ModelError:  # `compile=True` refuses what cannot be read
            return otherwise
        try:
            condition.flow = self._integrator.still
            return look(condition)
        finally:
            guards.let_go(condition)
            del condition.plan, condition.flow
