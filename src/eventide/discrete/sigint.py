"""Ctrl-C during a run: the run stops where it can continue later, never in the middle of an event or a step.

The first press is recorded. Before the next event or step the run checks for it; nothing is half done there. A second
press raises KeyboardInterrupt wherever the run is, as in asyncio's runner. After that, and after any other error that
a signal handler or another thread has raised in a run, the simulation cannot continue. Other signal handlers that are
called amid a step wait until it has been made, and look there (see `rows/undisturbed.py`).

Such an error may occur as native code calls Python back, before the first line there. ctypes drops it and reports it
only to `sys.unraisablehook`, which is ours during a run.
"""

from __future__ import annotations

# `signal` itself makes enumerations of its arguments and results, which takes ten times as long as a short run.
import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import sys
from _thread import get_ident
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

from eventide.discrete.hook import OuterHook
from eventide.errors import ModelError
from eventide.reading.asynchronous import is_asynchronous

if TYPE_CHECKING:
    from eventide.discrete.hook import Hook
    from eventide.discrete.world import World
    from eventide.rows.undisturbed import Signals


DROPPED: Final = "calling ctypes callback function"
"""The message for an error that ctypes drops, with "on" before it or, since CPython 3.14, "while". Source: CPython,
Modules/_ctypes/callbacks.c, _CallPythonObject.
"""

OTHERS: Final = tuple(number for number in range(1, _signal.NSIG) if number != _signal.SIGINT)
"""The signals but for that of Ctrl-C."""
NO_HANDLERS: Final = [None if callable(one) else one for one in map(_signal.getsignal, OTHERS)]
"""What is found for them where no handler has been set, so that mostly one comparison tells."""


class Keyboard:
    """Listens for Ctrl-C during each run of a world, if Python's own handler would else be called.

    thread      the number of the thread that runs it now, 0 where none does
    is_pressed  whether Ctrl-C was pressed in the present run, which is to stop where it can continue later
    """

    __slots__ = (
        "_are_asked", "_before", "_hook", "_hook_before", "_missed", "_signals", "_torn_by", "_world", "is_pressed",
        "thread",
    )  # fmt: skip

    def __init__(self, world: World) -> None:
        self._world = world
        self._before: object = None
        self._missed: BaseException | None = None
        self.thread, self._torn_by = 0, ""
        self.is_pressed = self._are_asked = False
        self._signals: Signals | None = None
        self._hook = self._hear
        self._hook_before = sys.unraisablehook

    @property
    def signals(self) -> Signals:
        """The handlers of other signals."""
        if self._signals is None:
            from eventide.rows.undisturbed import Signals

            self._signals = Signals(self._must_wait, self._begin_to_wait, self._world._hidden)
        return self._signals

    @property
    def has_others(self) -> bool:
        """Whether handlers of other signals may have run."""
        return self._signals is not None

    def check_thread(self) -> None:
        """Raise ModelError if another thread than this one runs the world."""
        if self.thread not in (0, get_ident()):
            raise ModelError(
                "another thread runs this simulation: read and change it in that thread, or when the run has ended; "
                "sim.watch() shows what it records meanwhile"
            )

    def refuse_torn(self) -> None:
        """Raise ModelError if an earlier run was aborted amid an event or a step."""
        if self._torn_by:
            raise ModelError(
                f"{self._torn_by} has ended the run at time {self._world.time!r} in the middle of an event or a step, "
                "and it cannot continue: create a new simulation (after a single Ctrl-C it can continue)"
            )

    def note_error(self, error: BaseException) -> None:
        """An error has ended the run: it is torn if that may have come anywhere."""
        self._missed = None
        met = error if self._signals is None else self._signals.beyond_what_was_raised(error)
        if not self._torn_by and met is not None and is_asynchronous(met):
            self._torn_by = f"{type(error).__name__}, which a signal handler or another thread has raised,"

    def note_error_in_step(self, error: BaseException) -> None:
        """The user's code has raised an error within a step, which may continue after it."""
        if is_asynchronous(error):
            self.note_error(error)
            self._missed = error

    def raise_missed(self) -> None:
        """The run has ended: raise the error that aborted it, if that has not been raised."""
        missed, self._missed = self._missed, None
        if missed is not None:
            raise missed

    def listen(self) -> None:
        """A run begins."""
        self.thread = get_ident()
        if sys.unraisablehook is not self._hook:
            self._hook_before, sys.unraisablehook = sys.unraisablehook, self._hook
        before = _signal.getsignal(_signal.SIGINT)
        if before is _signal.default_int_handler or isinstance(getattr(before, "__self__", None), Keyboard):
            try:
                _signal.signal(_signal.SIGINT, self._press)
            except ValueError:  # only the main thread is ever interrupted
                return
            self._before = before
        if self._world._hook is not None:
            self.let_others_wait()

    def let_others_wait(self) -> None:
        """States are integrated from now on: other signal handlers wait while a step is under way."""
        if self._are_asked:
            return
        self._are_asked = True
        others = list(map(_signal.getsignal, OTHERS))
        if (others != NO_HANDLERS and any(map(callable, others))) or self._before is None:
            self.signals.pass_through()

    def leave(self) -> None:
        """The run has ended; deliver a Ctrl-C that came too late to stop it."""
        self.thread = 0
        if sys.unraisablehook is self._hook:  # else a run of another thread, which began later, passes on to ours
            sys.unraisablehook = self._hook_before
        if self._before is not None:
            _signal.signal(_signal.SIGINT, self._before)
            self._before = None
        self._release()
        self._are_asked = False
        if self._signals is not None:
            self._signals.give_back()
            self._signals.deliver()
        if self.is_pressed:
            self.is_pressed = False
            _signal.raise_signal(_signal.SIGINT)

    def attend(self) -> None:
        """Nothing is half done here: call the signal handlers that wait; raise KeyboardInterrupt after Ctrl-C."""
        self._release()
        if self._signals is not None:
            self._signals.deliver()
        if self.is_pressed:
            self._stop()

    def _stop(self) -> NoReturn:
        self.is_pressed = False
        now, error = self._world.time, KeyboardInterrupt()
        error.add_note(f"the run has stopped at time {now!r}: the next sim.run(...) continues from there")
        actors = self._world._instant.actors_at(now)
        if actors:
            error.add_note(f"time has not advanced for a while: {actors} acted at this instant")
        raise error

    def _hear(self, dropped: sys.UnraisableHookArgs) -> None:
        """An error was dropped where none can be raised."""
        if get_ident() == self.thread and DROPPED in (dropped.err_msg or "") and dropped.exc_value is not None:
            self.note_error_in_step(dropped.exc_value)
            self._world._fail(dropped.exc_value)
        else:
            self._hook_before(dropped)

    def _press(self, number: int, frame: FrameType | None) -> None:
        if self.is_pressed:
            self._torn_by = "a second Ctrl-C"
            raise KeyboardInterrupt
        ask_to_stop(self._world)

    def _must_wait(self) -> bool:
        world = self._world
        return world.active or (world._migration is not None and world._migration.must_wait())

    def _begin_to_wait(self) -> None:
        if self._world.active:
            ask_to_attend(self._world)

    def _release(self) -> None:
        world = self._world
        world._is_interrupted = False
        while isinstance(world._hook, SignalHook):
            world._hook = world._hook.inner


def ask_to_stop(world: World) -> None:
    """End the present run by KeyboardInterrupt once nothing is half done, as after one Ctrl-C."""
    world._keyboard.is_pressed = True
    ask_to_attend(world)


def ask_to_attend(world: World) -> None:
    """Let `attend` be called where nothing is half done."""
    world._is_interrupted = True
    # The run loop tests no flag before an event, which would cost time: it calls this hook instead.
    world._hook = SignalHook(world, world._hook)
    world._return_soon()


class SignalHook(OuterHook):
    """Acts in place of another hook, to attend to signals before the next event."""

    def __init__(self, world: World, inner: Hook | None) -> None:
        self.world = world
        self.inner = inner

    def advance(self, horizon: float) -> object:
        """Attend to them; the run goes on if it does not stop here."""
        self.world._keyboard.attend()
        hook = self.world._hook
        return None if hook is None else hook.advance(horizon)
