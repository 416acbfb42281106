"""The events that cut into a process, an interrupt or its end, and the wait for that end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.discrete.commands import NOTHING
from eventide.errors import Ended, Interrupt, ModelError
from eventide.reading.lines import line_of

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.processes.process import Process


class End:
    """A wait for the end of a process."""

    __slots__ = ("activity", "process")
    is_state_event = False

    def __init__(self, process: Process, activity: Activity) -> None:
        self.process = process
        self.activity = activity

    @classmethod
    def begin(cls, process: Process, activity: Activity) -> None:
        """Let an activity be the last that waits for the end of a process."""
        activity._wait = wait = cls(process, activity)
        process._await_end().append(wait)

    @property
    def is_first(self) -> bool:
        """Whether nobody waits for that end before it."""
        waiters = self.process._end_waiters
        return waiters is not None and waiters[0] is self

    def withdraw(self) -> None:
        """Stop waiting."""
        waiters = self.process._end_waiters
        if waiters and self in waiters:
            waiters.remove(self)

    def describe(self) -> str:
        """What is waited for."""
        return f"the end of {self.process.name}"


class _Error:
    """Stands for an error among the values that a process is sent."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class Interruption:
    """The event in which an interrupt reaches its process."""

    __slots__ = ("_notice", "activity", "cause")
    _receiver = _value = _wait = None

    activity: Process
    """The process that is interrupted."""
    cause: object
    _notice: Notice | None

    def __init__(self, process: Process, cause: object) -> None:
        self.activity = process
        self.cause = cause
        self._notice = None

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"the interrupt of {self.activity.name}"

    def _schedule(self) -> None:
        sim = self.activity.sim
        sim._calendar.schedule_front(sim.time, self)

    def _resume(self) -> object:
        process = self.activity
        generator = process._generator
        if generator is None:  # it has ended meanwhile
            return NOTHING
        interrupt = Interrupt(self.cause, process._let_go())
        process.sim.current = process
        process._receiver = generator
        return generator.throw(interrupt)


class _Interruption(Interruption):
    """One made without a call of `__init__`, which would take as long as the rest of `Process.interrupt`."""

    __slots__ = ()
    __init__ = object.__init__  # its maker sets what there is to set


class Ending(Interruption):
    """The event in which a process is ended by another."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"the end of {self.activity.name}"

    def _resume(self) -> object:
        process = self.activity
        if process.terminated:
            return NOTHING
        process._let_go()
        process.sim.current = process
        process._receiver = generator = process._generator
        if generator is None:
            raise Ended
        command, place = generator.throw(Ended()), line_of(generator)
        process._abandon()
        raise ModelError(
            f"{process.name} yielded {command!r} at {place} while it was being ended: clean up without waiting"
        )
