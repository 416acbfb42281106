"""Processes: stories told in order, run as generators between the commands that they yield."""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING, Any, Self

from eventide.declare import Component, check_same_simulation
from eventide.discrete.calendar import check_time
from eventide.discrete.commands import Handover, Life, Wait
from eventide.errors import Ended, Interrupt, ModelError

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.world import World
    from eventide.simulation import Simulation


class _Agenda:
    """The run's own data about a process; a plain base, so that none of it counts as a declared field."""

    _notice: Notice | None = None
    _value: Any = None
    _wait: Wait | None = None
    _resume: Any = None
    _generator: Any = None
    _mourners: list[End] | None = None
    _anchor: float = 0.0
    terminated: bool = False
    """Whether the process has ended."""
    result: Any = None
    """What `run` returned; None before that."""


class Process(_Agenda, Component):
    """An active object: its `run` is a generator that yields commands (`hold`, `until`, a request, ...).

    A new process is passive; `activate()` begins its story.
    """

    def run(self) -> Life:
        """The story of the process, as a generator of commands."""
        raise NotImplementedError(f"{type(self).__name__} has no run(): write `def run(self): ... yield ev.hold(1.0)`")

    # --- scheduling -----------------------------------------------------------------------------------------------

    def activate(
        self,
        *,
        at: float | None = None,
        delay: float | None = None,
        before: Process | None = None,
        after: Process | None = None,
        prior: bool = False,
    ) -> Self:
        """Schedule an idle process; no effect on one that is scheduled already or has ended.

        Without arguments it comes in front of the present instant, after what this event activated before.
        at, delay       when (a past time counts as now), after all that stand at that time; `prior=True`: before them
        before, after   immediately before or after another process's event
        On a process in `until` this adds a time event beside the condition (`at`, `delay`) or wakes it.
        Raises ModelError if it waits for something else, SimulationError 17 between events.
        """
        if self._may_be_activated():
            self._leave()
            self._place(at, delay, before, after, prior)
        return self

    def reactivate(
        self,
        *,
        at: float | None = None,
        delay: float | None = None,
        before: Process | None = None,
        after: Process | None = None,
        prior: bool = False,
    ) -> Self:
        """As `activate`, but one that is scheduled already is moved."""
        if not self.terminated:
            if self._wait is None or self._wait.is_state_event:
                self._notice = None
            self.activate(at=at, delay=delay, before=before, after=after, prior=prior)
        return self

    def cancel(self) -> None:
        """Take the process's event from the list: it is idle until activated again.

        Raises ModelError on the current process and on one that waits for more than a time, SimulationError 20
        between events.
        """
        self.sim._forbid(20, f"cancel() of {self.name}")
        if self is self.sim.current:
            raise ModelError(
                f"{self.name} is the current process and has no event to cancel: write `yield passivate()`"
            )
        if self._wait is not None and not (self._wait.is_state_event and self._notice is not None):
            raise ModelError(
                f"{self.name} has no event to cancel, it waits for {self._wait.describe()}: "
                "use interrupt(cause), end() or cancel_state_event()"
            )
        self._notice = None

    def interrupt(self, cause: Any = None) -> None:
        """Throw `Interrupt(cause)` into the process at its `yield`, in front of the present instant.

        What it was waiting for is withdrawn. Raises ModelError if it has not begun, has ended or is the current one.
        """
        self._must_be_waiting("interrupt")
        Interruption(self, cause)._schedule()

    def end(self) -> None:
        """End the process where it stands: `Ended` is thrown at its `yield`, `with` blocks release what they hold."""
        if self._generator is None and not self.terminated:
            self._notice = None
            self.terminated = True
            return
        self._must_be_waiting("end")
        Ending(self)._schedule()

    def cancel_state_event(self) -> None:
        """Withdraw the process from its `until`: it is idle then; no effect if it is in none.

        Raises SimulationError 9 between events.
        """
        self.sim._forbid(9, f"cancel_state_event() of {self.name}")
        if self._wait is not None and self._wait.is_state_event:
            self._wait.withdraw()
            self._wait = None

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
        """The process whose event follows in the list; None if there is none or this one is idle."""
        calendar = self.sim._calendar
        if self is self.sim.current:
            notice = calendar.first()
            following = None if notice is None else notice[3]
        else:
            following = calendar.after_activity(self)
        return following

    # --- kernel ---------------------------------------------------------------------------------------------------

    def _may_be_activated(self) -> bool:
        self.sim._forbid(17, f"activate() of {self.name}")
        if self.terminated or self._notice is not None or self is self.sim.current:
            return False
        if self._wait is not None and not self._wait.is_state_event:
            raise ModelError(
                f"{self.name} cannot be activated, it waits for {self._wait.describe()}: use interrupt(cause)"
            )
        return True

    def _leave(self) -> None:
        """Begin the story if it has not begun; a process in `until` will learn that its condition did not wake it."""
        if self._wait is not None:
            self._resume = _LeaveWait(self)
        elif self._generator is None:
            self._begin(self.run())

    def _begin(self, generator: Any) -> None:
        if type(generator) is not GeneratorType:
            raise ModelError(
                f"the run() of {self.name} is no generator (it returned {generator!r}): "
                "a process needs at least one `yield`"
            )
        self._generator = generator
        self._resume = generator.send
        # On the object itself, as the run loop reads them at every event: a default of the class is found more slowly.
        self._value = self._wait = None
        self.sim._alive[self] = None

    def _place(
        self, at: float | None, delay: float | None, before: Process | None, after: Process | None, prior: bool
    ) -> None:
        calendar, now = self.sim._calendar, self.sim.time
        if sum(word is not None for word in (at, delay, before, after)) > 1:
            raise ModelError("activate takes one of at=, delay=, before= and after=")
        if before is not None or after is not None:
            self._place_beside(before, after)
        elif at is None and delay is None:
            if prior:
                calendar.schedule_prior(now, now, self)
            else:
                calendar.schedule_front(now, self)
        else:
            time = check_time(at, "at=") if at is not None else now + check_time(delay, "delay=")  # type: ignore[arg-type]
            (calendar.schedule_prior if prior else calendar.schedule)(time, now, self)
        if not self._generator.gi_suspended:
            self._anchor = self._notice[0]  # type: ignore[index]  # it has just been placed

    def _place_beside(self, before: Process | None, after: Process | None) -> None:
        neighbour = before or after
        assert neighbour is not None
        check_same_simulation(self.sim, neighbour)
        calendar, sim = self.sim._calendar, self.sim
        if neighbour is sim.current:
            if before is not None:
                raise ModelError(
                    f"nothing can come before the current process {neighbour.name}: write `yield activate(p)`"
                )
            calendar.schedule_prior(sim.time, sim.time, self)
        elif neighbour._notice is None:
            raise ModelError(
                f"{neighbour.name} is idle: {self.name} cannot be placed beside an event that is not there"
            )
        elif before is not None:
            calendar.schedule_before(neighbour._notice, self)
        else:
            calendar.schedule_after(neighbour._notice, self)

    def _must_be_waiting(self, verb: str) -> None:
        self.sim._forbid(17, f"{verb}() of {self.name}")
        if self.terminated:
            raise ModelError(f"{self.name} has ended: there is nothing to {verb}")
        if self._generator is None:
            raise ModelError(f"{self.name} has not begun: there is nothing to {verb}")
        if self is self.sim.current:
            raise ModelError(
                f"{self.name} is the current process and cannot {verb} itself: raise an exception or return"
            )

    def _finish(self, result: Any) -> None:
        """The story is over: let go of it and wake those who waited for its end."""
        self.terminated = True
        self.result = result
        self._generator = self._resume = None
        sim = self.sim
        del sim._alive[self]
        if self is sim.main or self is sim._goal:
            sim._is_halted = True
        if self._mourners:
            for wait in self._mourners:
                sim._wake(wait.activity, result)
            self._mourners = None

    def _execute(self, sim: World, activity: Any, /) -> Any:
        """`yield process` waits for its end and answers what its `run` returned."""
        check_same_simulation(sim, self)  # type: ignore[arg-type]  # every World is a Simulation
        if self.terminated:
            activity._value = self.result
            return activity
        wait = End(self, activity)
        if self._mourners is None:
            self._mourners = []
        self._mourners.append(wait)
        activity._wait = wait
        return None


class Story(Process):
    """A process made of a plain generator: `sim.process(customer(sim, counter))`."""

    def __init__(self, sim: Simulation, generator: Any, name: str = "") -> None:
        if type(generator) is not GeneratorType:
            what = f"the function {generator.__name__}" if callable(generator) else repr(generator)
            raise TypeError(f"sim.process takes a generator, and got {what}: call a function that yields, as f(sim)")
        # What `_attach` and `_begin` do, without the calls: models make one story for each customer.
        self._label = label = generator.__name__
        self.sim = sim
        counts = sim._counts
        counts[label] = self._number = counts.get(label, 0) + 1
        if name:
            self._name = name
        self._generator = generator
        self._resume = generator.send
        self._value = self._wait = None
        self._anchor = sim.time
        sim._alive[self] = None

    def _default_name(self) -> str:
        return f"{self._label} {self._number}"


class End:
    """A wait for the end of a process."""

    __slots__ = ("activity", "process")
    is_state_event = False

    def __init__(self, process: Process, activity: Any) -> None:
        self.process = process
        self.activity = activity

    def withdraw(self) -> None:
        """Stop waiting."""
        if self.process._mourners:
            self.process._mourners.remove(self)

    def describe(self) -> str:
        """What is waited for."""
        return f"the end of {self.process.name}"


class _LeaveWait:
    """Stands in for a process's next step when a time event, not its condition, ends its `until`."""

    __slots__ = ("process",)

    def __init__(self, process: Process) -> None:
        self.process = process

    def __call__(self, value: Any) -> Any:
        process = self.process
        process._resume = process._generator.send
        if process._wait is None:
            return process._resume(value)
        process._wait.withdraw()
        process._wait = None
        return process._resume(False)


class _Throw:
    """Stands in for a process's next step: raises an exception at its `yield`."""

    __slots__ = ("error", "process")

    def __init__(self, process: Process, error: BaseException) -> None:
        self.process = process
        self.error = error

    def __call__(self, value: Any) -> Any:
        generator = self.process._generator
        self.process._resume = generator.send
        command = generator.throw(self.error)
        if isinstance(self.error, Ended):
            line = f"{generator.gi_code.co_filename}:{generator.gi_frame.f_lineno}"
            raise ModelError(
                f"{self.process.name} yielded {command!r} at {line} while it was being ended: clean up without waiting"
            )
        return command


class Interruption:
    """The event in which an interrupt reaches its process."""

    _notice: Notice | None = None
    _value: Any = None
    _wait: Wait | None = None

    def __init__(self, process: Process, cause: Any) -> None:
        self.process = process
        self.cause = cause

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"the interrupt of {self.process.name}"

    def _schedule(self) -> None:
        sim = self.process.sim
        sim._calendar.schedule_front(sim.time, self)

    def _error(self, left: float | None) -> BaseException:
        return Interrupt(self.cause, left)

    def _resume(self, value: Any, /) -> Any:
        process = self.process
        if process.terminated:
            return Handover(None)
        left = None
        wait = process._wait
        if wait is not None:
            left = getattr(wait, "left", None)
            process._wait = None
            wait.withdraw()
        elif process._notice is not None:
            left = process._notice[0] - process.sim.time
        process._notice = process._value = None
        process._resume = _Throw(process, self._error(left))
        return Handover(process)


class Ending(Interruption):
    """The event in which a process is ended by another."""

    def __init__(self, process: Process) -> None:
        super().__init__(process, None)

    def _error(self, left: float | None) -> BaseException:
        return Ended()
