"""Guards by which processes in rows wait for states: those that the stepper has kept of their waits in Python.

In: a process that goes away to a row, or returns to Python. Out: its waits as they would be had it never been away.
While it is away all of them count as waits that are not over, so that none is given up in favour of another; whatever
frees a guard, or looks at the list of waits, returns the processes to Python before.
"""

from __future__ import annotations

from array import array
from itertools import chain
from types import CellType, FunctionType, GeneratorType
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
    from collections.abc import Callable, Iterable, Mapping

    from eventide.bodies.operands import Kind
    from eventide.bodies.waits.states import Awaited
    from eventide.continuous.plans import ConditionPlan
    from eventide.discrete.conditions.condition import Condition
    from eventide.migration.shared_guards import GuardUser
    from eventide.monitor.monitor import Monitor
    from eventide.reading.generators import Suspended

_NOTHING: Final = object()
"""What a variable has that has none."""


class LentGuards:
    """The waits of processes that are away, in one simulation.

    of      by process, those by which it waits, or will
    shared  by their guards, those that ended processes have left, of which any row may take one
    """

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self.of: dict[Process, list[StateWait]] = {}
        self.shared: dict[int, StateWait] = {}
        self._return_all: Callable[[], None] = lambda: None
        self._components: dict[Process, None] = {}  # the processes that have laws
        self._unsettled: list[StateWait] = []
        monitor.integrator.guards.return_rows = self.return_rows

    @property
    def are_lent(self) -> bool:
        """Whether rows have any."""
        return bool(self.of or self.shared)

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
        kept = (wait for wait in past_waits(process) if self._is_for(wait, awaited))
        found = next(kept, None)
        return found if found is not None and self._serves(found, awaited, objects) else None

    def share(
        self, users: list[GuardUser], own: list[StateWait], return_all: Callable[[], None]
    ) -> list[tuple[list[StateWait], list[GuardUser]]]:
        """Rows without guards of their own may take some from now on: lists of these, and which rows each is for.

        own         what rows that have guards wait by, or will
        return_all  returns all to Python, which is called before what is kept of a shared guard changes
        """
        self._return_all, guards = return_all, self._monitor.integrator.guards
        groups: dict[tuple[object, ...], tuple[list[StateWait], list[GuardUser]]] = {}
        kept: dict[tuple[object, ...], dict[tuple[int, ...], list[StateWait]]] = {}
        for user in users:
            awaited, ids = user.awaited, tuple(map(id, user.objects.values()))
            sort = id(awaited.code), self._priority_of(awaited), *awaited.closure.kinds.items(), *user.objects
            group = groups.get((sort, ids))
            if group is None:
                if sort not in kept:
                    kept[sort] = self._by_objects(user, own)
                waits = [wait for wait in kept[sort].get(ids, ()) if self._serves(wait, awaited, user.objects)]
                group = groups[sort, ids] = waits, []
            if not guards.histories.has(user.name, awaited.code):  # a guard that is taken begins one
                group[1].append(user)
        found = [group for group in groups.values() if group[0] and group[1]]
        for wait in chain.from_iterable(waits for waits, _ in found):
            self.shared[wait.row] = wait
            if wait.is_over:
                wait.is_over = False
                self._monitor.integrator.references.keep_current(wait, wait.plan)
                guards.hand_over(wait, 0)
        return found

    def _by_objects(self, user: GuardUser, own: list[StateWait]) -> dict[tuple[int, ...], list[StateWait]]:
        """The waits of ended processes and of rows by guards for a condition, by what this closes over."""
        found: dict[tuple[int, ...], list[StateWait]] = {}
        for wait in (*self._monitor.watched.left_for(user.awaited.code), *own):
            if self._is_for(wait, user.awaited) and not _has_defaults(wait.function):
                held = _held_by(wait)
                found.setdefault(tuple(id(held[name]) for name in user.objects), []).append(wait)
        return found

    def _priority_of(self, awaited: Awaited) -> float:
        return self._monitor.sim.until_priority if awaited.priority is None else awaited.priority

    def _is_for(self, wait: StateWait, awaited: Awaited) -> bool:
        """Whether the stepper keeps the guard of a wait, for a condition of that code."""
        is_it = wait.code is awaited.code and wait.crossed is None and wait.priority == self._priority_of(awaited)
        return is_it and wait.rests and not wait.is_trigger and not _is_python(wait)

    def _serves(self, wait: StateWait, awaited: Awaited, objects: Mapping[str, object]) -> bool:
        """Whether such a guard tests what is waited for."""
        kinds, analyst = awaited.closure.kinds, self._monitor.integrator.analyst
        is_same = _fits(wait, objects, kinds) if objects or kinds else True
        if not kinds:
            is_same = is_same and analyst.is_condition_current(wait, wait.plan)
        elif wait.is_over:  # a row tells it its own numbers only: others may have changed while it has rested
            is_same = is_same and analyst.resume(wait, wait.plan) is not None
        return is_same and (not wait.plan.is_polled or bool(analyst.comparison(wait)))

    def end_sharing(self, taken: Mapping[int, int]) -> None:
        """All rows have returned; how often each guard has been taken."""
        guards = self._monitor.integrator.guards
        for wait in self.shared.values():
            wait.is_over = True
            self._monitor.integrator.references.leave_alone(wait)
            self._tell_again(wait)
            guards.give(wait, taken[wait.row])
        self.shared.clear()

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

    def take_back(self, process: Process, i: int, taken: Mapping[int, int]) -> None:
        """The process of a row is in Python again: it waits by a guard, its branches by some, or for something else.

        taken   the shared guards that are its own from now on, and how often each has been taken: 0 if it always was
        """
        guards = self._monitor.integrator.guards
        guard = guards.guard
        self._components.pop(process, None)
        kept = [self.shared.pop(c) for c in taken]
        given = [wait for wait in kept if taken[wait.row]]
        for wait in given:
            self._monitor.watched.give(wait, process)
            guards.give(wait, taken[wait.row])
        for wait in (*self.of.pop(process, ()), *given):
            if self.shared.get(wait.row) is wait:  # the process has ended
                self._monitor.watched.leave(wait)
                continue
            waiter, guard.waiter[wait.row] = guard.waiter[wait.row], 0
            wait.is_over = waiter == 0
            if wait.is_over:
                self._monitor.integrator.references.leave_alone(wait)
            elif wait is not guards.returning:  # that has its rank, and the stepper has not
                wait.rank = guard.rank[wait.row]
            if self._tell_again(wait) and not wait.is_over:
                self._unsettled.append(wait)
            if waiter == i + 1:
                wait_again(process, wait)

    def _tell_again(self, wait: StateWait) -> bool:
        """A guard closes over the numbers that its condition has in Python; whether there are any."""
        consts, begin = wait.plan.binding.consts, wait.plan.constants
        if consts:
            self._monitor.integrator.memory.constants.view[begin : begin + len(consts)] = array("d", consts)
        return bool(consts)

    def settle(self, generator: object) -> None:
        """A generator stands where a process does that has just returned to Python: its waits close over its cells."""
        waits, self._unsettled = self._unsettled, []
        integrator = self._monitor.integrator
        for wait in waits:
            assert isinstance(generator, GeneratorType)
            cells = cells_at(generator)
            test = wait.test
            if not isinstance(test, FunctionType) or not cells.keys() >= {*test.__code__.co_freevars}:
                continue  # it is no lambda of the process
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
        """The numbers of a guard that are no variables of its process: of functions around it, and of modules."""
        function = function_of(chain_of(generator)[-1])
        own = () if function is None else function.__code__.co_cellvars
        names = wait.plan.kept[0].kernel.lowered.closed_over
        numbers = zip(names, wait.plan.binding.consts, strict=True)
        return [number for name, number in numbers if name[0] not in own]

    def return_owner(self, condition: Condition) -> None:
        """The event of a condition takes place in Python: its process returns to it, if it is a row."""
        self.return_rows((condition,))

    def return_rows(self, conditions: Iterable[Condition] | None) -> None:
        """Guards are about to be freed, or looked at: those of some conditions, or all."""
        if not self.are_lent:
            return
        each = [*chain.from_iterable(self.of.values()), *self.shared.values()] if conditions is None else [*conditions]
        owners = dict.fromkeys(who_waits(one.owner) for one in each)
        if any(self.shared.get(one.row) is one and who_waits(one.owner) not in self.of for one in each):
            self._return_all()  # whoever may have taken it
            return
        for process in owners:
            if process in self.of:
                to_python(process)

    def return_sharers(self) -> None:
        """All return to Python that may have a shared guard: what has fired of late is told with their names."""
        if self.shared:
            self._return_all()

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
    held = _held_by(wait)
    if any(held[name] is not one for name, one in objects.items()):
        return False
    if not kinds:
        return True
    kernel, known = wait.plan.kept[0].kernel, wait.plan.binding
    if any(
        (name,) not in kernel.lowered.closed_over or KINDS.get(type(held[name])) != kind for name, kind in kinds.items()
    ):
        return False
    if wait.plan.pattern.fallback or not kernel.is_current:  # where Python is asked it sees the cells
        return False
    binding = kernel.lowered.bind(wait.function, wait.arguments)
    return binding is not None and binding._replace(consts=()) == known._replace(consts=())


def _content(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _held_by(wait: StateWait) -> dict[str, object]:
    """What the condition of a wait closes over, by name."""
    test = wait.function
    assert isinstance(test, FunctionType)
    held: dict[str, object] = dict(zip(test.__code__.co_freevars, map(_content, test.__closure__ or ()), strict=True))
    return held | {FUNCTION: test, OWNER: wait.arguments[0] if wait.arguments else None}


def _has_defaults(function: object) -> bool:
    """Whether what a condition works on may be in its defaults."""
    return bool(getattr(function, "__defaults__", None) or getattr(function, "__kwdefaults__", None))


def _is_python(wait: StateWait) -> bool:
    """Whether Python tests a condition, solves its time, or evaluates the inputs that it calls."""
    plan: ConditionPlan | None = getattr(wait, "plan", None)
    return plan is None or plan.is_opaque or wait.is_timed or plan.inputs != ()
