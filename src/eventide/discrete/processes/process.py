"""Processes: activities written as generators, which run from one yielded command to the next."""

from __future__ import annotations

from heapq import heappop
from inspect import isgeneratorfunction
from types import GeneratorType
from typing import TYPE_CHECKING, Any, Self

from eventide.declare import Component, check_same_simulation
from eventide.discrete.calendar import check_time
from eventide.discrete.commands import ProcessGenerator, Sleep, Wait, refuse_past
from eventide.discrete.conditions.condition import check_priority
from eventide.discrete.processes.endings import End, Ending, _Error, _Interruption
from eventide.discrete.processes.reasons import why_waiting
from eventide.errors import ModelError
from eventide.reading.dropped_commands import KNOWN, refuse_dropped_commands
from eventide.reading.used_generators import GIVEN, _what_to_write, refuse_used

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.world import World
    from eventide.simulation import Simulation


class _Agenda:
    """The run's own data about a process; a plain base, so that none of it counts as a declared field.

    _notice     its place in the event list
    _value      the result of its present `yield`
    _wait       what it waits for, other than a time
    _receiver   its generator, to be sent `_value`; None if its next step is something else, which `_resume` does
    _generator  its generator, from its beginning to its end
    _end_waiters    what waits for its end; a list, if only an empty one, when the run may end with it
    _anchor     when its generator began
    _past       of the past waits of `until` that are kept, the one most likely to be reused next, or None
    _before, _after     its neighbours in the list of the run's processes; None when it has left the list
    """

    # In slots, as the run loop reads them for every event: with 100,000 processes each line of memory counts. No other
    # base of components has slots, so that a class may be a process and more.
    __slots__ = (
        "_after",
        "_anchor",
        "_before",
        "_end_waiters",
        "_generator",
        "_notice",
        "_past",
        "_receiver",
        "_value",
        "_wait",
        "result",
        "terminated",
    )

    _notice: Notice | None
    _value: object
    _wait: Wait | None
    _receiver: Any
    _generator: Any
    _end_waiters: list[End] | None
    _anchor: float
    _past: StateWait | None
    _before: Any
    _after: Any
    terminated: bool
    """Whether the process has ended."""
    result: Any
    """What `run` returned; None before that."""


class Process(_Agenda, Component):
    """An active object: its `run` is a generator that yields commands (`hold`, `until`, a request, ...).

    A new process is passive; `activate()` starts it.
    """

    def run(self) -> ProcessGenerator:
        """What the process does: a generator of commands."""
        cls = type(self)
        yielding = [name for name in dir(cls) if isgeneratorfunction(getattr(cls, name))]
        advice = (
            f"rename `{yielding[0]}` to `run`" if len(yielding) == 1 else "write `def run(self): ... yield ev.hold(1)`"
        )
        raise NotImplementedError(f"{cls.__name__} has no run(): {advice}")

    # --- scheduling -----------------------------------------------------------------------------------------------

    def activate(
        self,
        *,
        at: float | None = None,
        delay: float | None = None,
        before: Process | None = None,
        after: Process | None = None,
        prior: bool = False,
        priority: float = 0.0,
    ) -> Self:
        """Schedule an idle process; no effect on one that is scheduled already or has ended.

        Without arguments it comes in front of the present instant, after what this event activated before.
        at, delay       when, after all that stand at that time; `prior=True`: before them. A past time is an error, or
                        counts as now with `Simulation(negative_hold="zero")`
        before, after   immediately before or after another process's event
        priority        among the events of that time, the present one without `at` and `delay`: high first, 0 without
                        one; what stands in front of the instant comes before them all
        On a process in `until` this adds a time event beside the condition (`at`, `delay`) or wakes it; one that waits
        in a queue stays a member.
        Raises ModelError if it waits for something else, SimulationError 17 between events.
        """
        if at is None and delay is None and before is None and after is None and not prior and not priority:
            sim = self.sim
            if self._generator is None and not self.terminated and not sim.active:
                self._begin(self.run())  # most activations are the first, and plain
                self._anchor = now = sim.time
                sim._calendar.schedule_front(now, self)
                return self
        activity = self._target()
        if activity is not None and activity._notice is None:
            self._place(activity, at, delay, before, after, prior, priority)
        return self

    def reactivate(
        self,
        *,
        at: float | None = None,
        delay: float | None = None,
        before: Process | None = None,
        after: Process | None = None,
        prior: bool = False,
        priority: float = 0.0,
    ) -> Self:
        """As `activate`, but one that is scheduled already is moved."""
        activity = self._target()
        if activity is not None:
            notice, activity._notice = activity._notice, None  # so that it cannot be placed beside itself
            try:
                self._place(activity, at, delay, before, after, prior, priority)
            except BaseException:
                activity._notice = notice
                raise
        elif self is self.sim.current:
            raise ModelError(f"{self.name} is the current process and cannot be moved: let it yield hold(...)")
        return self

    def cancel(self) -> None:
        """Take the process's event from the list: it is idle until activated again; no effect on an idle one.

        Raises ModelError on the current process and on one that waits for a resource or the like, SimulationError 20
        between events.
        """
        sim = self.sim
        if sim.active:
            sim._forbid(20, f"cancel() of {self.name}")
        if self is sim.current:
            raise ModelError(
                f"{self.name} is the current process and has no event to cancel: write `yield passivate()`"
            )
        wait = self._wait
        if wait is not None and not wait.is_state_event and not (isinstance(wait, Sleep) and wait.sleeper() is self):
            raise ModelError(
                f"{self.name} has no event to cancel, it waits for {wait.describe()}: use interrupt(cause) or end()"
            )
        self._notice = None

    def interrupt(self, cause: object = None) -> None:
        """Throw `Interrupt(cause)` into the process at its `yield`, in front of the present instant.

        What it was waiting for is withdrawn. Raises ModelError if it has not begun, has ended or is the current one,
        SimulationError 17 between events.
        """
        generator, sim = self._generator, self.sim
        if sim.active or generator is None or not generator.gi_suspended:
            self._refuse("interrupt")
        interruption = _Interruption()
        interruption.activity = self
        interruption.cause = cause
        sim._calendar.schedule_front(sim.time, interruption)

    def end(self) -> None:
        """End the process where it stands: `Ended` is thrown at its `yield`, `with` blocks release what they hold.

        This is an event of its own, in front of the present instant. Raises ModelError if the process has ended or is
        the current one, SimulationError 17 between events.
        """
        if self.sim.active or self.terminated or self is self.sim.current:
            self._refuse("end")
        Ending(self, None)._schedule()

    def cancel_state_event(self) -> None:
        """Withdraw the process from its `until`: it is idle then; no effect if it is in none.

        Raises SimulationError 9 between events.
        """
        if self.sim.active:
            self.sim._forbid(9, f"cancel_state_event() of {self.name}")
        if self._wait is not None and self._wait.is_state_event:
            self._wait.withdraw()
            self._wait, self._value = None, False

    # --- what can be asked ----------------------------------------------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether the process has no event in the list and is not the current one."""
        return self._notice is None and self is not self.sim.current

    @property
    def event_time(self) -> float:
        """When its event is due; the present time for the current process.

        Raises ModelError if it is idle.
        """
        if self._notice is not None:
            return float(self._notice[0])
        if self is self.sim.current:
            now: float = self.sim.time
            return now
        raise ModelError(f"{self.name} is idle and has no event time")

    @property
    def next_event(self) -> Process | None:
        """The process whose event follows in the list; None if there is none or this one is idle.

        Events of what is no process, such as an `@every` handler, are passed over.
        """
        calendar = self.sim._calendar
        if self._notice is None and self is not self.sim.current:
            return None
        owners = (owner_of(notice[3]) for notice in calendar.after(self._notice))
        return next((owner for owner in owners if owner is not None), None)

    def why_waiting(self) -> str:
        """A sentence that says what the process waits for, and at which line."""
        return why_waiting(self)

    # --- kernel ---------------------------------------------------------------------------------------------------

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        # What `super()._attach` means in this class, looked up once and not for every process.
        bases = cls.__mro__[cls.__mro__.index(Process) + 1 :]
        cls._attach_further = next(vars(base)["_attach"] for base in bases if "_attach" in vars(base))

    _attach_further = Component._attach

    def _attach(self, sim: Simulation, name: str) -> None:
        self._attach_further(sim, name)
        self._notice = self._value = self._wait = self._past = None
        self._generator = self._end_waiters = self.result = None
        self.terminated, self._anchor = False, 0.0
        sim._processes.enter(self)

    def _target(self) -> Activity | None:
        """The activity to schedule if this process is activated; None if it is the current one or has ended.

        That is the process itself, or the branch of a composite wait that stands for a passive process.
        """
        sim = self.sim
        if sim.active:
            sim._forbid(17, f"activate() of {self.name}")
        if self.terminated or self is sim.current:
            return None
        wait = self._wait
        if wait is None or wait.is_state_event or self._notice is not None:
            return self
        sleeper = wait.sleeper() if isinstance(wait, Sleep) else None
        if sleeper is None:
            raise ModelError(f"{self.name} cannot be activated, it waits for {wait.describe()}: use interrupt(cause)")
        return sleeper

    def _wake(self, activity: Activity) -> None:
        """`activity` is to be scheduled: begin its generator or end its wait; that of `until` ends later."""
        wait = activity._wait
        if wait is None:
            if self._generator is None:
                self._begin(self.run())
        elif wait.is_state_event:
            self._receiver = None
        elif isinstance(wait, Sleep):
            activity._wait = None

    def _begin(self, generator: object) -> None:
        if type(generator) is not GeneratorType:
            raise ModelError(
                f"the run() of {self.name} is not a generator (it returned {generator!r}): {_what_to_write(generator)}"
            )
        is_known = id(generator.gi_code) in KNOWN
        if generator.gi_suspended or generator.__name__ == GIVEN or not (is_known or generator.gi_frame):
            refuse_used(f"the run() of {self.name} has to return", generator)
        if not is_known:
            refuse_dropped_commands(generator)
        generator.__name__ = GIVEN
        self._generator = self._receiver = generator

    def _resume(self) -> object:
        """The next step after an error in carrying out a command, or of one that was activated in its `until`."""
        self._receiver = self._generator
        value, self._value = self._value, None
        if type(value) is _Error:
            return self._generator.throw(value.error)
        if self._wait is not None:
            self._wait.withdraw()
            self._wait, value = None, False
        return self._generator.send(value)

    def _throw(self, error: Exception) -> None:
        """Raise an error at the `yield` in the next step."""
        self._let_go()
        self._receiver, self._value = None, _Error(error)

    def _place(
        self,
        activity: Any,
        at: float | None,
        delay: float | None,
        before: Process | None,
        after: Process | None,
        prior: bool,
        priority: float,
    ) -> None:
        sim = self.sim
        calendar, now = sim._calendar, sim.time
        if at is None and delay is None and before is None and after is None and not prior and not priority:
            self._wake(activity)
            calendar.schedule_front(now, activity)
        else:
            if sum(word is not None for word in (at, delay, before, after)) > 1:
                raise ModelError("activate takes one of at=, delay=, before= and after=")
            if priority:
                check_priority(f"activate() of {self.name}", priority)
                if before is not None or after is not None or prior:
                    raise ModelError(
                        "activate takes one of before=, after=, prior= and priority=, which each tell a place"
                    )
            if before is not None or after is not None:
                self._place_beside(activity, before, after)
            else:
                time = now if at is None else check_time(at, "at=", sim.time_unit)
                if delay is not None:
                    time = now + check_time(delay, "delay=", sim.time_unit)
                if time < now and sim.negative_hold == "raise":
                    refuse_past(self, time, now)
                self._wake(activity)
                if prior:
                    calendar.schedule_prior(time, now, activity)
                else:
                    calendar.schedule_ranked(time, now, float(priority), activity)
        if not self._generator.gi_suspended:
            self._anchor = activity._notice[0]

    def _place_beside(self, activity: Activity, before: Process | None, after: Process | None) -> None:
        neighbour = after if before is None else before
        assert neighbour is not None
        check_same_simulation(self.sim, neighbour)
        calendar, sim = self.sim._calendar, self.sim
        notice = neighbour._notice
        if neighbour is sim.current:
            if before is not None:
                raise ModelError(
                    f"nothing can come before the current process {neighbour.name}: write `yield activate(p)`"
                )
            self._wake(activity)
            calendar.schedule_prior(sim.time, sim.time, activity)
        elif notice is None:
            raise ModelError(
                f"{self.name} cannot be placed beside an event of {neighbour.name}, which has none but is idle"
            )
        else:
            self._wake(activity)
            (calendar.schedule_after if before is None else calendar.schedule_before)(notice, activity)

    def _refuse(self, verb: str) -> None:
        """Say why the process cannot be interrupted or ended."""
        self.sim._forbid(17, f"{verb}() of {self.name}")
        if self.terminated:
            raise ModelError(f"{self.name} has ended: there is nothing to {verb}")
        if self is self.sim.current:
            raise ModelError(
                f"{self.name} is the current process and cannot {verb} itself: raise an exception or return"
            )
        raise ModelError(f"{self.name} has not begun: there is nothing to {verb}")

    def _let_go(self) -> float | None:
        """End what the process waits for; what was left of its hold, None if it was not holding."""
        left: float | None = None
        wait, notice = self._wait, self._notice
        if wait is not None:
            left = getattr(wait, "left", None)
            self._wait = None
            wait.withdraw()
        elif notice is not None:
            left = notice[0] - self.sim.time
        self._notice = self._value = None
        return left

    def _finish(self, result: object) -> bool:
        """The generator has ended: drop it and wake those that wait for its end; returns whether the run is over."""
        self.terminated = True
        self.result = result
        self._generator = self._receiver = None
        sim = self.sim
        before, after = self._before, self._after
        if before is not None:  # what `leave` of the list of processes does, without the call
            before._after, after._before = after, before
            self._before = self._after = None
        if self._past is not None:
            sim._conditions.leave_to_others(self)
        heap = sim._calendar.heap
        if heap[0][3] is self:
            heappop(heap)
        if self._end_waiters is not None:
            if self is sim.main or self is sim._goal:
                sim._is_halted = True
            for wait in self._end_waiters:
                sim._wake(wait.activity, result)
            self._end_waiters = None
            return sim._is_halted
        return False

    def _abandon(self) -> None:
        """The generator has ended, and none is notified."""
        self._let_go()
        self.terminated = True
        generator = self._generator
        if generator is not None:
            try:
                generator.close()
            except RuntimeError:
                if not generator.gi_suspended:  # else it has caught everything and waits again
                    raise
        self._generator = self._receiver = None
        self.sim._processes.leave(self)

    def _await_end(self) -> list[End]:
        """Those that wait for the end; the list is created when it is first used."""
        if self._end_waiters is None:
            self._end_waiters = []
        return self._end_waiters

    def _execute(self, sim: World, activity: Activity, /) -> object:
        """`yield process` waits for its end and returns what its `run` returned."""
        check_same_simulation(sim, self)
        if self.terminated:
            activity._value = self.result
            return activity
        if owner_of(activity) is self:
            raise ModelError(f"{self.name} cannot wait for its own end")
        End.begin(self, activity)
        return None


def owner_of(activity: object) -> Process | None:
    """The process that an activity is or works for; None if there is none."""
    while activity is not None and not isinstance(activity, Process):
        activity = getattr(activity, "activity", None) or getattr(activity, "_activity", None)
    return activity
