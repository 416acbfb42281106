"""Guards by which processes in rows wait for states: those that the stepper has kept of their waits in Python.

In: a process that goes away to a row, or returns to Python. Out: its waits as they would be had it never been away.
While it is away all of them count as waits that are not over, so that none is given up in favour of another; whatever
frees a guard, or looks at the list of waits, returns the processes to Python before.
"""

from __future__ import annotations

from array import array
from operator import attrgetter
from types import FunctionType, GeneratorType
from typing import TYPE_CHECKING, Final

from eventide.bodies.operands import KINDS
from eventide.bodies.waits.closures import FUNCTION, OWNER
from eventide.continuous import Continuous
from eventide.discrete.conditions.until import StateWait, past_waits, wait_again
from eventide.discrete.inside import to_python, wait_of
from eventide.discrete.processes.composite import who_waits
from eventide.discrete.processes.process import Process
from eventide.reading.generators import cells_at, chain_of, function_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from eventide.bodies.operands import Kind
    from eventide.bodies.waits.states import Awaited
    from eventide.continuous.plans import ConditionPlan
    from eventide.discrete.conditions.condition import Condition
    from eventide.monitor.monitor import Monitor
    from eventide.reading.generators import Suspended

_content: Final = attrgetter("cell_contents")


class LentGuards:
    """The waits of processes that are away, in one simulation.

    of      by process, those by which it waits, or will
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.of: dict[Process, list[StateWait]] = {}
        self._components: dict[Process, None] = {}  # the processes that have laws
        self._unsettled: list[StateWait] = []
        monitor.integrator.guards.return_rows = self.return_rows

    def has(self, condition: Condition) -> bool:
        """Whether a process that is a row waits by a condition."""
        return condition.row >= 0 and self._monitor.integrator.guards.guard.waiter[condition.row] != 0

    def waiting(self) -> list[StateWait]:
        """The waits of processes; where one `rests` its guard is kept."""
        waits = [wait for wait in self._monitor.watched if type(wait) is StateWait]
        return [one for one in waits if isinstance(who_waits(one.owner), Process) and wait_of(one.owner) is one]

    def guard_of(self, process: Process, awaited: Awaited, objects: Mapping[str, object]) -> StateWait | None:
        """The wait of a process by the guard that is kept of what is waited for; None without.

        objects     that its condition closes over, by name
        """
        sim, analyst = self._monitor.sim, self._monitor.integrator.analyst
        priority = sim.until_priority if awaited.priority is None else awaited.priority
        for wait in past_waits(process):
            is_it = wait.code is awaited.code and wait.crossed is None and wait.priority == priority
            if is_it and wait.rests and not wait.is_trigger and not _is_python(wait):
                kinds = awaited.closure.kinds
                is_same = _fits(wait, objects, kinds) if objects or kinds else True
                is_same = is_same and (bool(kinds) or analyst.is_condition_current(wait, wait.plan))
                return wait if is_same and (not wait.plan.is_polled or analyst.comparison(wait)) else None
        return None

    def lend(self, process: Process, waits: list[StateWait], rows: Mapping[int, int]) -> None:
        """A process is in a row from now on, which will wait by these guards; by some of them these rows wait now."""
        if isinstance(process, Continuous):
            self._components[process] = None
        if not waits:
            return
        self.of[process] = waits
        for wait in waits:
            wait.is_over = False
            self._monitor.integrator.references.keep_current(wait, wait.plan)
        for c, i in rows.items():
            self._monitor.integrator.guards.guard.waiter[c] = i + 1

    def wait_at(self, c: int) -> StateWait:
        """The wait that has a guard, a number."""
        wait: StateWait = self._monitor.integrator.guards.at[c]  # type: ignore[assignment]  # as it was lent
        return wait

    @staticmethod
    def place_in(wait: StateWait, name: str) -> int:
        """The place of a number among those that the condition of a wait closes over."""
        found: int = wait.plan.kept[0].kernel.lowered.closed_over.index((name,))
        return found

    def take_back(self, process: Process, i: int) -> None:
        """The process of a row is in Python again: it waits by a guard, its branches by some, or for something else."""
        guards = self._monitor.integrator.guards
        guard = guards.guard
        self._components.pop(process, None)
        for wait in self.of.pop(process, ()):
            waiter, guard.waiter[wait.row] = guard.waiter[wait.row], 0
            wait.is_over = waiter == 0
            if wait.is_over:
                self._monitor.integrator.references.leave_alone(wait)
            elif wait is not guards.returning:  # that has its rank, and the stepper has not
                wait.rank = guard.rank[wait.row]
            if consts := wait.plan.binding.consts:  # the row has told it others
                begin = wait.plan.constants
                self._monitor.integrator.memory.constants.view[begin : begin + len(consts)] = array("d", consts)
                self._unsettled += [] if wait.is_over else [wait]
            if waiter == i + 1:
                wait_again(process, wait)

    def settle(self, generator: object) -> None:
        """A generator stands where a process does that has just returned to Python: its waits close over its cells."""
        waits, self._unsettled = self._unsettled, []
        integrator = self._monitor.integrator
        for wait in waits:
            assert isinstance(generator, GeneratorType)
            cells = cells_at(generator)
            test = wait.test
            assert isinstance(test, FunctionType)
            code = test.__code__
            closure = tuple(cells[name] for name in code.co_freevars)
            made = FunctionType(code, test.__globals__, test.__name__, test.__defaults__, closure)
            made.__kwdefaults__, made.__qualname__ = test.__kwdefaults__, test.__qualname__
            wait.ask(made)
            before = self._numbers_outside(wait, generator)
            is_it = integrator.analyst.resume(wait, wait.plan) is not None
            if not is_it or self._numbers_outside(wait, generator) != before:
                integrator.guards.renew(wait)  # which touches its flow, as in Python
            else:
                integrator.references.keep_current(wait, wait.plan)

    @staticmethod
    def _numbers_outside(wait: StateWait, generator: Suspended) -> list[float]:
        """The numbers of a guard that are in cells which its process shares with others."""
        function = function_of(chain_of(generator)[-1])
        outside = () if function is None else function.__code__.co_freevars
        names = wait.plan.kept[0].kernel.lowered.closed_over
        numbers = zip(names, wait.plan.binding.consts, strict=True)
        return [number for name, number in numbers if name[0] in outside]

    def return_owner(self, condition: Condition) -> None:
        """The event of a condition takes place in Python: its process returns to it, if it is a row."""
        if self.of and isinstance(process := who_waits(condition.owner), Process):
            to_python(process)

    def return_rows(self, conditions: Iterable[Condition] | None) -> None:
        """Guards are about to be freed, or looked at: those of some conditions, or all."""
        if not self.of:
            return
        owners = self.of if conditions is None else (who_waits(one.owner) for one in conditions)
        for process in list(dict.fromkeys(owners)):
            if process in self.of:
                to_python(process)

    def return_components(self) -> None:
        """Plans may be about to be made, which look at classes: processes with laws are of theirs again."""
        integrator = self._monitor.integrator
        groups, guards = integrator.groups, integrator.guards
        is_coming = groups.joining or groups.doubted or guards.arriving or guards.switching
        if is_coming or integrator.changes.references:
            for process in list(self._components):
                to_python(process)


def _fits(wait: StateWait, objects: Mapping[str, object], kinds: Mapping[str, Kind]) -> bool:
    """Whether a guard serves a condition that closes over some objects, and numbers of some types."""
    test = wait.function
    assert isinstance(test, FunctionType)
    held: dict[str, object] = dict(zip(test.__code__.co_freevars, map(_content, test.__closure__ or ()), strict=True))
    held |= {FUNCTION: test, OWNER: wait.arguments[0] if wait.arguments else None}
    if any(held[name] is not one for name, one in objects.items()):
        return False
    if not kinds:
        return True
    kernel, known = wait.plan.kept[0].kernel, wait.plan.binding
    if any(
        (name,) not in kernel.lowered.closed_over or KINDS[type(held[name])] != kind for name, kind in kinds.items()
    ):
        return False
    if wait.plan.pattern.fallback or not kernel.is_current:  # where Python is asked it sees the cells
        return False
    binding = kernel.lowered.bind(wait.function, wait.arguments)
    return binding is not None and binding._replace(consts=()) == known._replace(consts=())


def _is_python(wait: StateWait) -> bool:
    """Whether Python tests a condition, solves its time, or evaluates the inputs that it calls."""
    plan: ConditionPlan | None = getattr(wait, "plan", None)
    return plan is None or plan.is_opaque or wait.is_timed or plan.inputs != ()
