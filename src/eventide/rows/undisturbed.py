"""Who looks: amid some methods nobody may, as half of the processes would be in rows, half in Python.

A signal handler would, which Python may call between any two instructions. While processes are away handlers pass
through here: one that is called amid such a method waits until it is over, mostly for less than a millisecond, and
looks between two events then. And while a debugger looks at Python code, no process goes away.
"""

from __future__ import annotations

# `signal` itself makes enumerations of what it takes and answers, which takes ten times as long as a short run.
import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import sys
from collections.abc import Callable
from functools import partial, wraps
from types import FrameType
from typing import Any, Final, Protocol, TypeVar

from eventide.errors import ModelError

LOOKED_AT: Final = (
    "a finalizer, a source of random numbers or a signal handler that was set in the run has looked at a process or a "
    "resource amid an event in native code: let a process look at it, or give the simulation compile=False"
)
Result = TypeVar("Result")


class Signals:
    """The signal handlers that are written in Python, while processes are away.

    waiting     those that were called when they had to wait, with what they were given
    """

    __slots__ = ("_must_wait", "_passing", "waiting")

    def __init__(self, must_wait: Callable[[], bool]) -> None:
        self._must_wait = must_wait
        self._passing: dict[int, partial[None]] = {}
        """What stands in the place of each."""
        self.waiting: list[tuple[Callable[..., object], int, FrameType | None]] = []

    def pass_through(self) -> None:
        """Processes go away: all handlers that there are now may have to wait."""
        for number in range(1, _signal.NSIG):
            handler: Any = _signal.getsignal(number)
            is_own = handler is self._passing.get(number) or getattr(handler, "__module__", "").startswith("eventide.")
            if callable(handler) and not is_own:
                passing = partial(self._hear, handler)
                try:
                    _signal.signal(number, passing)
                except ValueError:  # only the main thread is ever interrupted
                    return
                self._passing[number] = passing

    def give_back(self) -> None:
        """The run is over: the handlers are what they were, unless others have taken their place."""
        for number, passing in self._passing.items():
            if _signal.getsignal(number) is passing:
                _signal.signal(number, passing.args[0])
        self._passing.clear()

    def deliver(self) -> None:
        """Call the handlers that wait, in the order in which they were called."""
        while self.waiting:
            self._hear(*self.waiting.pop(0))

    def _hear(self, handler: Callable[..., object], number: int, frame: FrameType | None) -> None:
        if self._must_wait():
            self.waiting.append((handler, number, frame))
        else:
            handler(number, frame)


class _Busy(Protocol):
    is_busy: bool
    signals: Signals

    def check_thread(self) -> None: ...

    def must_wait(self) -> bool: ...


def undisturbed(act: Callable[..., Result]) -> Callable[..., Result]:
    """A method amid which nobody looks at who is away: a finalizer would, or another thread; signal handlers wait."""

    @wraps(act)
    def alone(homes: _Busy, *arguments: object) -> Result:
        homes.check_thread()
        if homes.is_busy:
            raise ModelError(LOOKED_AT)
        homes.is_busy = True
        try:
            return act(homes, *arguments)
        finally:
            homes.is_busy = False
            if homes.signals.waiting and not homes.must_wait():
                homes.signals.deliver()

    return alone


def is_watched() -> bool:
    """Whether a debugger, a profiler or a measurement of coverage looks at Python code."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and any(monitoring.get_tool(number) is not None for number in range(6)):
        return True
    return sys.gettrace() is not None or sys.getprofile() is not None
