"""Preemption: what happens to a process whose unit is taken away: an interrupt, or a suspended hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from eventide.discrete.calendar import priority_of
from eventide.discrete.commands import NOTHING
from eventide.discrete.processes.endings import Interruption

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.discrete.resources.resource import Resource

PREEMPTED: Final = "preempted"


@dataclass(frozen=True, slots=True)
class Preemption:
    """The cause of the interrupt of a process whose unit was taken away.

    by          the process that has it now; None if the capacity was lowered
    resource    whose unit it was
    request     the request that held it
    since       since when
    """

    by: Process | None
    resource: Resource
    request: Request
    since: float


class Preempting(Interruption):
    """The event that interrupts a process whose unit was taken away, unless it has released it by then."""

    __slots__ = ("request",)

    def __init__(self, request: Request, by: Process | None) -> None:
        super().__init__(request.process, Preemption(by, request.resource, request, request.since))
        self.request = request

    def _resume(self) -> object:
        request = self.request
        if request._loss is not self:
            return NOTHING
        request._loss = None
        return super()._resume()


class DueSuspension:
    """The event that suspends a hold whose end was due at the instant in which its unit was taken.

    It comes behind that end: a process that holds once more with the unit is suspended in that hold.
    """

    __slots__ = ("_notice", "request")
    _receiver = _value = _wait = None
    reason = "a hold ended as its unit went"
    _notice: Notice | None

    def __init__(self, request: Request) -> None:
        self.request = request
        self._notice = None

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return f"the suspension of {self.request.process.name}"

    def _resume(self) -> object:
        if self.request in self.request.resource._suspended:
            suspend_hold(self.request)
        return NOTHING


class Suspension:
    """The wait of a process whose hold is suspended: the units that it needs to continue.

    left        what is left of the hold
    priority    of the event at its end
    """

    __slots__ = ("left", "priority", "process", "requests")
    is_state_event = False

    def __init__(self, process: Process, left: float, priority: float) -> None:
        self.process = process
        self.left = left
        self.priority = priority
        self.requests: list[Request] = []

    def withdraw(self) -> None:
        """Go on with the hold no more."""
        self.requests.clear()

    def describe(self) -> str:
        """What is waited for."""
        resources = " and ".join(request.resource.name for request in self.requests)
        return f"capacity of {resources} to finish its hold, of which {self.left!r} is left"


def suspend_hold(request: Request) -> None:
    """Suspend the hold of the process that has the unit; its other waits continue.

    A hold that is due now has ended: what comes after it is suspended.
    """
    process = request.process
    wait, sim = process._wait, process.sim
    if isinstance(wait, Suspension):
        if request not in wait.requests:
            wait.requests.append(request)
    elif wait is None and process._notice is not None and process._notice[0] <= sim.time:
        sim._calendar.schedule_after(process._notice, DueSuspension(request))
    elif wait is None and process._notice is not None:
        process._wait = wait = Suspension(process, process._notice[0] - process.sim.time, priority_of(process._notice))
        process._notice = None
        wait.requests.append(request)


def resume_hold(request: Request) -> None:
    """Resume a suspended hold, unless another request keeps it suspended."""
    process = request.process
    wait = process._wait
    if isinstance(wait, Suspension) and request in wait.requests:
        wait.requests.remove(request)
        if not wait.requests:
            process._wait = None
            now = process.sim.time
            process.sim._calendar.schedule_ranked(now + wait.left, now, wait.priority, process)
