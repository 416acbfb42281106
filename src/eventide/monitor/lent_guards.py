"""Guards by which processes in rows wait for states: those that the stepper has kept of their waits in Python.

In: a process that goes away to a row, or returns to Python. Out: its waits as they would be had it never been away.
While it is away all of them count as waits that are not over, so that none is given up in favour of another; whatever
frees a guard, or looks at the list of waits, returns the processes to Python before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.continuous.guards.native_processes import NativeProcess, obstacle
from eventide.discrete.conditions.until import StateWait, past_waits, wait_again
from eventide.discrete.inside import generator_of, to_python, wait_of
from eventide.discrete.processes.generator_stand_in import GeneratorStandIn
from eventide.discrete.processes.process import Process

if TYPE_CHECKING:
    from eventide.bodies.waits.states import Awaited
    from eventide.discrete.conditions.condition import Condition
    from eventide.monitor.monitor import Monitor


class LentGuards:
    """The waits of processes that are away, in one simulation.

    of      by process, those by which it waits, or will
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.of: dict[Process, list[StateWait]] = {}
        monitor.integrator.guards.return_rows = self.return_all

    def has(self, condition: Condition) -> bool:
        """Whether a process that is a row waits by a condition."""
        return condition.row >= 0 and self._monitor.integrator.guards.guard.waiter[condition.row] != 0

    def waiting(self) -> list[StateWait]:
        """The waits of processes by guards that are kept, but for those that wait for states alone in native code."""
        native = self._monitor.integrator.native_processes
        found = []
        for wait in self._monitor.watched:
            process = wait.owner
            is_kept = type(wait) is StateWait and wait.rests and isinstance(process, Process)
            if is_kept and wait_of(process) is wait and not _is_whole(native.of.get(process)):
                found.append(wait)
        return found

    def release(self, wait: StateWait) -> None:
        """A process that waits is to be looked at: no other native code runs it, and its generator stands there."""
        process = wait.owner
        assert isinstance(process, Process)
        self._monitor.integrator.native_processes.leave(process)
        generator = generator_of(process)
        if type(generator) is GeneratorStandIn:
            generator.resolve()

    def guard_of(self, process: Process, awaited: Awaited) -> StateWait | None:
        """The wait of a process by the guard that is kept of what is waited for; None without."""
        sim, analyst = self._monitor.sim, self._monitor.integrator.analyst
        priority = sim.until_priority if awaited.priority is None else awaited.priority
        for wait in past_waits(process):
            is_it = wait.code is awaited.code and wait.crossed is None and wait.priority == priority
            if is_it and wait.rests and not wait.is_trigger and not obstacle(wait):
                is_same = analyst.is_condition_current(wait, wait.plan)
                return wait if is_same and (not wait.plan.is_polled or analyst.comparison(wait)) else None
        return None

    def lend(self, process: Process, i: int, waits: list[StateWait]) -> None:
        """A process is in a row from now on, which waits by these guards, or will."""
        self._monitor.integrator.native_processes.leave(process)
        if not waits:
            return
        guards, present = self._monitor.integrator.guards, wait_of(process)
        self.of[process] = waits
        for wait in waits:
            wait.is_over = False
            self._monitor.integrator.references.keep_current(wait, wait.plan)
        if present in waits:
            guards.guard.waiter[present.row] = i + 1

    def take_back(self, process: Process, c: int) -> None:
        """It is in Python again, and waits by a guard, a number; NONE for another wait."""
        guard = self._monitor.integrator.guards.guard
        for wait in self.of.pop(process, ()):
            wait.is_over = wait.row != c
            guard.waiter[wait.row] = 0
            if wait.is_over:
                self._monitor.integrator.references.leave_alone(wait)
            else:
                wait.rank = guard.rank[c]
                wait_again(process, wait)

    def return_owner(self, condition: Condition) -> None:
        """The event of a condition takes place in Python: its process returns to it, if it is a row."""
        if self.of and isinstance(condition.owner, Process):
            to_python(condition.owner)

    def return_all(self) -> None:
        """Guards are about to be freed, or looked at."""
        for process in list(self.of):
            to_python(process)


def _is_whole(native: NativeProcess | None) -> bool:
    """Whether other native code runs a process, and never needs Python."""
    return native is not None and None not in native.waits and len(native.segments) == len(native.waits)
