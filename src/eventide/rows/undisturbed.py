"""Methods that must not be observed midway: half of the processes would be in rows, half in Python.

A signal handler would, which Python may call between any two instructions; and amid a step it would see states that
never come to pass. While processes are away, or something moves, handlers pass through here: one that is called amid
such a method or a step waits until that is over, mostly for less than a millisecond, and looks between two events or
steps then. After half a second it waits no longer, so that a time limit ends a law that does not end by itself. And
while a debugger looks at Python code, no process goes away.
"""

from __future__ import annotations

# `signal` itself makes enumerations of what it takes and answers, which takes ten times as long as a short run.
import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import gc
import sys
from _thread import interrupt_main, start_new_thread
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial, wraps
from itertools import compress
from time import perf_counter, sleep
from types import FrameType
from typing import Final, NamedTuple, Protocol, TypeVar

from eventide.errors import ModelError

LOOKED_AT: Final = (
    "a finalizer, a source of random numbers or a signal handler that was set in the run has looked at a process or a "
    "resource amid an event in native code: let a process look at it, or give the simulation compile=False"
)
NUMBERS: Final = range(1, _signal.NSIG)
Result = TypeVar("Result")


_MONITORING: Final = getattr(sys, "monitoring", None)
"""It came with Python 3.12: to ask for it in vain takes as long as all else that is asked before an event."""
PATIENCE: Final = 0.5
"""How long a signal handler waits at most, in seconds."""


class Waiting(NamedTuple):
    """A signal handler that was called when it had to wait, with what it was given."""

    handler: Callable[..., object]
    number: int
    frame: FrameType | None
    since: float


class Signals:
    """The signal handlers that are written in Python, while processes are away or something moves.

    must_wait   whether a handler has to wait now; on_waiting: called when one begins to; hidden: what is half done
                cannot be looked at within
    waiting     those that wait
    is_amid     whether one is called although it had to wait: it has waited for long
    """

    __slots__ = (
        "_hidden", "_is_watched", "_must_wait", "_on_waiting", "_passing", "_raised",
        "is_amid", "waiting",
    )  # fmt: skip

    def __init__(
        self,
        must_wait: Callable[[], bool],
        on_waiting: Callable[[], None],
        hidden: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._must_wait = must_wait
        self._on_waiting = on_waiting
        self._hidden = hidden
        self._raised: list[BaseException] = []
        """What handlers have raised that had waited until nothing was half done."""
        self._passing: dict[int, partial[None]] = {}
        """What stands in the place of each."""
        self.waiting: list[Waiting] = []
        self.is_amid = self._is_watched = False

    def pass_through(self) -> None:
        """All handlers that there are now may have to wait from now on."""
        handlers = tuple(map(_signal.getsignal, NUMBERS))
        for number, handler in compress(zip(NUMBERS, handlers, strict=True), map(callable, handlers)):  # few have one
            is_own = handler is self._passing.get(number) or getattr(handler, "__module__", "").startswith("eventide.")
            if not is_own:
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
        """Call the handlers that wait, in the order in which they were called. Nothing is half done here."""
        while self.waiting:
            one = self.waiting.pop(0)
            try:
                one.handler(one.number, one.frame)
            except BaseException as error:
                self._raised.append(error)
                raise

    def beyond_what_was_raised(self, error: BaseException) -> BaseException | None:
        """An error, or that in whose handling it was raised by a handler that had waited till nothing was half done."""
        met: BaseException | None = error
        while any(met is one for one in self._raised) and met is not None:
            met = met.__context__
        self._raised.clear()
        return met

    def deliver_amid(self) -> None:
        """The same amid an event: an error that one raises is known for its own, as `_hear` is in its traceback."""
        while self.waiting:
            one = self.waiting.pop(0)
            self._hear(one.handler, one.number, one.frame)

    def _hear(self, handler: Callable[..., object], number: int, frame: FrameType | None) -> None:
        if not self._must_wait():
            handler(number, frame)
            return
        before = next((one for one in self.waiting if one.number == number), None)
        if before is not None and perf_counter() - before.since >= PATIENCE:
            self.waiting.remove(before)
            self.is_amid = True
            try:
                with self._hidden():
                    handler(number, frame)
            finally:
                self.is_amid = False
            return
        self.waiting.append(Waiting(handler, number, frame, perf_counter()))
        self._on_waiting()
        if not self._is_watched:
            self._is_watched = True
            start_new_thread(self._watch, ())

    def _watch(self) -> None:
        """In a thread: let those be heard once more that have waited for long."""
        while self.waiting and self._is_watched:
            sleep(PATIENCE)
            for one in tuple(self.waiting):
                if perf_counter() - one.since >= PATIENCE:
                    interrupt_main(one.number)  # type: ignore[arg-type]  # it takes numbers; without a handler nothing happens
            self._is_watched = False
            if self.waiting:  # one that has begun to wait just now
                self._is_watched = True


class _Busy(Protocol):
    is_busy: bool
    signals: Signals

    def check_thread(self) -> None: ...

    def must_wait(self) -> bool: ...


def uncollected(act: Callable[..., Result]) -> Callable[..., Result]:
    """The same method without a pass of the collector amid it: half of the time goes where many objects are made."""

    @wraps(act)
    def alone(*arguments: object) -> Result:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return act(*arguments)
        finally:
            if was_enabled:
                gc.enable()

    return alone


def busy(act: Callable[..., Result]) -> Callable[..., Result]:
    """A method amid which no process in a row is read, as a finalizer or thread would; signal handlers wait."""

    @wraps(act)
    def alone(owner: _Busy, *arguments: object) -> Result:
        owner.check_thread()
        if owner.is_busy:
            raise ModelError(LOOKED_AT)
        owner.is_busy = True
        try:
            return act(owner, *arguments)
        finally:
            owner.is_busy = False

    return alone


def undisturbed(act: Callable[..., Result]) -> Callable[..., Result]:
    """The same of a method that is called amid events: signal handlers wait until it is over."""
    alone = busy(act)

    @wraps(act)
    def and_deliver(owner: _Busy, *arguments: object) -> Result:
        try:
            return alone(owner, *arguments)
        finally:
            if owner.signals.waiting and not owner.must_wait():
                owner.signals.deliver_amid()

    return and_deliver


def is_watched() -> bool:
    """Whether a debugger, a profiler or a measurement of coverage looks at Python code."""
    if _MONITORING is not None and any(_MONITORING.get_tool(number) is not None for number in range(6)):
        return True
    return sys.gettrace() is not None or sys.getprofile() is not None
