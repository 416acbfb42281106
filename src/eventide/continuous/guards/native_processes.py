"""Native processes: processes that continue from wait to wait as native code, and what Python has to know of them.

In: segments of a process (`compilation/processes`) that waits by `until` alone. Others would need a new generator at
each other wait, which takes longer than what is saved between those: they are rows. Out: waits that begin without
Python. The generator stays where it was. When the march returns, a chain of moved processes says which of them waits
where. If Python has to continue at another yield than the generator's (an event that Python handles, an interrupt, a
look at its line), a new generator of the same function stands there, a twin (`reading/twins.py`). A process is Python's
again once it is activated in another way, priorities of waits change, its row is freed, a field that it reads refers to
another object, or its generator is known to others.
"""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING, Any, Final

from eventide.declare.changes import Pending
from eventide.discrete.conditions.condition import conditions_of
from eventide.discrete.conditions.until import StateWait, past_waits, wait_again
from eventide.discrete.inside import is_at_yield, resume_with, wait_of
from eventide.discrete.processes.generator_stand_in import GeneratorStandIn
from eventide.discrete.processes.process import Process
from eventide.engine.codes import FOLLOWER, STANDS_AT, UNMOVED
from eventide.reading.generators import Successor, function_of, is_held_elsewhere

if TYPE_CHECKING:
    from types import CodeType

    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ConditionPlan, ProcessPlan, ReactionPlan, WaitPointPlan
    from eventide.discrete.conditions.condition import Condition
    from eventide.engine.memory.growable_arrays import Allocation

ENOUGH: Final = 16
"""The code of a process is lowered after this many of its events, as lowering takes as long as hundreds of them."""
EACH: Final = 4
"""After this many events of one of its waits it is checked whether a process can continue as native code."""
REST: Final = 64
"""The same after it could no longer continue so."""


def obstacle(wait: StateWait) -> str:
    """Why native code cannot let a process wait so; empty if it can."""
    plan: ConditionPlan | None = getattr(wait, "plan", None)
    if plan is None or plan.is_opaque:
        return "what it waits for is tested in Python"
    if wait.is_timed:
        return "it waits for a time, whose instant Python solves"
    if plan.inputs != ():
        return "what it waits for calls inputs, which Python evaluates"
    return ""


class NativeProcess:
    """One process that runs as native code.

    waits       by the numbers of its wait points
    segments    by the number of the wait point behind which each comes
    allocation  of its place in `lists`
    successor   makes its generators
    """

    __slots__ = ("allocation", "process", "process_code", "segments", "successor", "waits")

    def __init__(
        self,
        process: Process,
        process_code: ProcessPlan,
        waits: list[StateWait],
        allocation: Allocation,
        successor: Successor,
    ) -> None:
        self.process = process
        self.process_code = process_code
        self.waits = waits
        self.allocation = allocation
        self.successor = successor
        self.segments: dict[int, ReactionPlan] = {}

    def move(self, wait_point: int, rank: float) -> None:
        """The process has come to a wait point by itself."""
        process, waits = self.process, self.waits
        wait = waits[wait_point]
        wait.rank = rank
        past: Any = wait_of(process)
        generator = process._generator
        if past is wait and type(generator) is not GeneratorStandIn and waits.index(past) == wait_point:
            return  # its generator stands there already
        past.is_over, wait.is_over = True, False
        wait_again(process, wait)
        if type(generator) is not GeneratorStandIn:
            generator = GeneratorStandIn(process, generator, waits.index(past), self.successor)
        if generator.wait_point == wait_point:
            generator = generator.generator
        else:
            generator.place = self.process_code.wait_points[wait_point].place
        resume_with(process, generator)


class NativeProcesses:
    """The processes of one simulation that run as native code.

    of          by process; at: by place in `lists`
    arriving    those of whose code there have been enough events, of which it is to be found out whether they can
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.of: dict[Process, NativeProcess] = {}
        self.at: dict[int, NativeProcess] = {}
        self.arriving: Pending[Process] = Pending(integrator.changes)
        self._counts: dict[int, int] = {}
        self._refused: dict[int, object] = {}
        self._priority = 0.0

    # --- processes that become native -----------------------------------------------------------------------------

    def count_event(self, wait: StateWait) -> None:
        """A wait of a process has ended often enough for the process to become native."""
        process: object = wait.activity
        generator = getattr(process, "_generator", None)
        if type(wait) is not StateWait or not isinstance(process, Process) or type(generator) is not GeneratorType:
            return
        code = _code_of(generator)
        if not self.integrator.analyst.compiles or id(code) in self._refused:
            return
        count = self._counts[id(code)] = self._counts.get(id(code), 0) + EACH
        if count < ENOUGH and not self.integrator.analyst.knows_process(code):
            wait.countdown = EACH
            return
        self.arriving.add(process)

    def place(self) -> None:
        """Find out which of the new ones can be native."""
        arriving = self.arriving.take()
        while arriving:
            process, _ = arriving.popitem()
            if not self._is_free(process):
                continue
            process_code = self.integrator.analyst.process_plan(process)
            if process_code is None:
                code = _code_of(process._generator)
                self._refused[id(code)] = code
            elif not self._admit(process, process_code):
                for wait in past_waits(process):
                    wait.countdown = REST

    def _is_free(self, process: Process) -> bool:
        """Whether nothing else moves a process, or has its generator."""
        wait = wait_of(process)
        is_waiting = type(wait) is StateWait and wait.activity is process and not wait.is_over
        if not is_waiting or process in self.of or type(process._generator) is not GeneratorType:
            return False
        return is_at_yield(process) and not is_held_elsewhere(process, is_handling=False)

    def _admit(self, process: Process, process_code: ProcessPlan) -> bool:
        """Let a process run as native code, if it can wait at each of its wait points so; returns whether it does."""
        sim, integrator = self.integrator.sim, self.integrator
        if sim.until_prior or (self.of and sim.until_priority != self._priority):
            return False
        self._priority = sim.until_priority
        found = [self._wait_at(process, wait_point) for wait_point in process_code.wait_points]
        waits = [wait for wait in found if wait is not None]
        if len(waits) < len(found) or wait_of(process) not in waits:
            return False
        try:
            successor = Successor(process._generator, process_code.twin)
        except ValueError:
            return False
        rows = [wait.row for wait in waits]
        allocation = integrator.memory.lists.put((0, UNMOVED, len(rows), *rows))
        running = NativeProcess(process, process_code, waits, allocation, successor)
        for number in range(len(waits)):
            segment = process_code.bind(number, allocation[1])
            if segment is not None:
                running.segments[number] = segment
        if not running.segments:
            _release(allocation)
            return False
        self._join_class(running)
        return True

    def _wait_at(self, process: Process, wait_point: WaitPointPlan) -> StateWait | None:
        """The wait of a process at one of its wait points, if its row is kept between waits."""
        wanted = self.integrator.sim.until_priority if wait_point.priority is None else wait_point.priority
        for wait in past_waits(process):
            is_it = wait.code is wait_point.condition and wait.crossed is None and wait.priority == wanted
            if is_it and wait.rests and wait.plan.signature is None and not obstacle(wait):
                return wait
        return None

    def _join_class(self, running: NativeProcess) -> None:
        self.of[running.process] = self.at[running.allocation[1]] = running
        guard = self.integrator.guards.guard
        for number, segment in running.segments.items():
            row = running.waits[number].row
            guard.handler[row], guard.effects[row] = segment.address, segment.effects

    # --- processes that return to Python --------------------------------------------------------------------------

    def leave(self, process: Process, rest: int = REST) -> None:
        """Let Python execute a process again, at least for this many of its events."""
        self.arriving.pop(process, None)
        running = self.of.pop(process, None)
        if running is None:
            return
        analyst, guard = self.integrator.analyst, self.integrator.guards.guard
        del self.at[running.allocation[1]]
        for number, segment in running.segments.items():
            guard.handler[running.waits[number].row] = 0
            analyst.release(segment)
        _release(running.allocation)
        for wait in running.waits:
            wait.countdown = rest

    def leave_all(self) -> None:
        """All are Python's again."""
        for process in list(self.of):
            self.leave(process, EACH)

    def renew(self) -> None:
        """Plan again those that may refer to other objects than before."""
        for process, running in list(self.of.items()):
            if any(segment.signature is not None for segment in running.segments.values()):
                self.leave(process, EACH)

    # --- what Python is to know -----------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Before they may run: tell how many waits there have been."""
        sim = self.integrator.sim
        if sim.until_prior or sim.until_priority != self._priority:
            self.leave_all()
        self.integrator.run.arrivals = conditions_of(sim).arrivals

    def catch_up(self) -> None:
        """Take up where those that have moved wait now."""
        integrator = self.integrator
        run, lists = integrator.run, integrator.memory.lists.view
        conditions_of(integrator.sim).arrivals = run.arrivals
        place, run.moved = run.moved, -1
        known, ranks = self.at, integrator.guards.guard.rank
        while place >= 0:
            running, wait_point = known[place], lists[place + STANDS_AT]
            running.move(wait_point, ranks[running.waits[wait_point].row])
            following = lists[place + FOLLOWER]
            lists[place + FOLLOWER] = UNMOVED
            place = following

    def ready(self, condition: Condition) -> None:
        """The event of a condition takes place in Python: move the waiting process's generator to that point."""
        generator = getattr(getattr(condition, "activity", None), "_generator", None)
        if type(generator) is GeneratorStandIn:
            generator.resolve()


def _code_of(generator: GeneratorType[object, object, object]) -> CodeType:
    """The code of the user's function of which there is a generator."""
    function = function_of(generator)
    return generator.gi_code if function is None else function.__code__


def _release(allocation: Allocation) -> None:
    """Memory is not used any longer."""
    allocation[0].append(allocation[1])
