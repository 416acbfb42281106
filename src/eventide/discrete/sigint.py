"""Ctrl-C during a run: the run stops where it can continue later, never in the middle of an event or a step.

The first press is recorded. Before the next event or step the run checks for it; nothing is half done there. A second
press raises KeyboardInterrupt wherever the run is, as in asyncio's runner. After that, and after any other error that
a signal handler or another thread has raised in a run, the simulation cannot continue.

Such an error may occur as native code calls Python back, before the first line there. ctypes drops it and reports it
only to `sys.unraisablehook`, which is ours during a run.
"""

from __future__ import annotations

# `signal` itself makes enumerations of what it takes and answers, which takes ten times as long as a short run.
import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import sys
from _thread import get_ident
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NoReturn

from eventide.errors import ModelError
from eventide.reading.asynchronous import is_asynchronous

if TYPE_CHECKING:
    from eventide.discrete.duties import Vigil
    from eventide.discrete.world import World


DROPPED: Final = "calling ctypes callback function"
"""The message for an error that ctypes drops, with "on" before it or, since CPython 3.14, "while". Source: CPython,
Modules/_ctypes/callbacks.c, _CallPythonObject.
"""


class Keyboard:
    """Listens for Ctrl-C during each run of a world, if Python's own handler would else be called.

    thread      the number of the thread that runs it now, 0 where none does
    """

    __slots__ = ("_before", "_hook", "_hook_before", "_missed", "_torn_by", "_world", "thread")

    def __init__(self, world: World) -> None:
        self._world = world
        self._before: Any = None
        self._torn_by = ""
        self._missed: BaseException | None = None
        self.thread = 0
        self._hook = self._hear
        self._hook_before: Any = None

    def check_thread(self) -> None:
        """Raise ModelError if another thread than this one runs the world."""
        if self.thread not in (0, get_ident()):
            raise ModelError(
                "another thread runs this simulation: read and change it in that thread, or when the run has ended; "
                "sim.watch() shows what it records meanwhile"
            )

    def refuse_torn(self) -> None:
        """Raise ModelError if an earlier run was torn down in the middle of something."""
        if self._torn_by:
            raise ModelError(
                f"{self._torn_by} has ended the run at time {self._world.time!r} in the middle of an event or a step, "
                "and it cannot continue: create a new simulation (after a single Ctrl-C it can continue)"
            )

    def note_error(self, error: BaseException) -> None:
        """An error has ended the run: it is torn if that may have come anywhere."""
        self._missed = None
        if not self._torn_by and is_asynchronous(error):
            self._torn_by = f"{type(error).__name__}, which a signal handler or another thread has raised,"

    def note_error_in_step(self, error: BaseException) -> None:
        """Code of the user's has raised an error in a step, which may well continue after it."""
        if is_asynchronous(error):
            self.note_error(error)
            self._missed = error

    def raise_missed(self) -> None:
        """The run has come to its end: raise the error that has torn it, if that has not been raised."""
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

    def leave(self) -> None:
        """The run has ended; deliver a Ctrl-C that came too late to stop it."""
        self.thread = 0
        if sys.unraisablehook is self._hook:  # else a run of another thread, which began later, passes on to ours
            sys.unraisablehook = self._hook_before
        if self._before is not None:
            _signal.signal(_signal.SIGINT, self._before)
            self._before = None
        if self._world._is_pressed:
            self._release()
            _signal.raise_signal(_signal.SIGINT)

    def stop(self) -> NoReturn:
        """Raise KeyboardInterrupt, where nothing is half done."""
        self._release()
        now, error = self._world.time, KeyboardInterrupt()
        error.add_note(f"the run has stopped at time {now!r}: the next sim.run(...) continues from there")
        actors = self._world._instant.actors_at(now)
        if actors:
            error.add_note(f"time has not gone on for long: {actors} acted at this instant")
        raise error

    def _hear(self, dropped: Any) -> None:
        """Somebody has dropped an error that he could not raise."""
        if get_ident() == self.thread and DROPPED in (dropped.err_msg or ""):
            self.note_error_in_step(dropped.exc_value)
            self._world._fail(dropped.exc_value)
        else:
            self._hook_before(dropped)

    def _press(self, number: int, frame: FrameType | None) -> None:
        world = self._world
        if world._is_pressed:
            self._torn_by = "a second Ctrl-C"
            raise KeyboardInterrupt
        ask_to_stop(world)

    def _release(self) -> None:
        world = self._world
        world._is_pressed = False
        if isinstance(world._vigil, Halt):
            world._vigil = world._vigil.inner


def ask_to_stop(world: World) -> None:
    """Let the present run end by KeyboardInterrupt where nothing is half done, as after one Ctrl-C."""
    world._is_pressed = True
    # The run loop asks nothing before an event, and so pays nothing: it meets this instead.
    world._vigil = Halt(world._keyboard, world._vigil)
    world._hurry()


class Halt:
    """Takes the place of what looks after the model between events, to stop the run before its next one."""

    def __init__(self, keyboard: Keyboard, inner: Vigil | None) -> None:
        self.keyboard = keyboard
        self.inner = inner

    def advance(self, horizon: float) -> NoReturn:
        """Stop here."""
        self.keyboard.stop()

    def refresh(self) -> None:
        """Pass on."""
        if self.inner is not None:
            self.inner.refresh()

    def come_to_rest(self) -> None:
        """Pass on."""
        if self.inner is not None:
            self.inner.come_to_rest()
