"""A limit to the wall time of a run: it ends as by Ctrl-C, where nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

from eventide.discrete.sigint import ask_to_stop

if TYPE_CHECKING:
    from eventide.simulation import Simulation

GRACE: Final = 1.0
"""Seconds after which a run that does not come to the end of an event is torn down wherever it is."""

SHARED: Final = ("importlib.", "eventide.compilation.", "eventide.lowering.", "eventide.native.")
"""Modules whose code is not torn down in the middle."""


@contextmanager
def time_limit(sim: Simulation, seconds: float | None) -> Iterator[None]:
    """Let the runs in the block take at most this many seconds; then TimeoutError is raised.

    In a thread that is not the main one an event that takes forever by itself is not ended.
    """
    if seconds is None:
        yield
        return
    limit = _Limit(sim)
    try:
        with limit.by_signal(seconds) if _has_signals() else limit.by_thread(seconds):
            yield
    except KeyboardInterrupt:
        if not limit.is_over:
            raise
        raise TimeoutError(
            f"the run took longer than time_limit={seconds!r} seconds: it was at time {sim.time!r}"
        ) from None


def _has_signals() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


class _Limit:
    """Ends the runs of a simulation.

    is_over     whether the time is up
    """

    def __init__(self, sim: Simulation) -> None:
        self.is_over = False
        self._sim = sim

    @contextmanager
    def by_signal(self, seconds: float) -> Iterator[None]:
        """A timer of the process, which also reaches code that does not come back."""
        before = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, GRACE)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)

    @contextmanager
    def by_thread(self, seconds: float) -> Iterator[None]:
        """A timer in a thread of its own."""
        timer = threading.Timer(seconds, self._end)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if not self.is_over:
            self._end()
        elif not _is_shared(frame):
            raise KeyboardInterrupt

    def _end(self) -> None:
        self.is_over = True
        ask_to_stop(self._sim)


def _is_shared(frame: FrameType | None) -> bool:
    """Whether code runs of which later runs have need whole: imports, and what makes native code."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(SHARED):
            return True
        frame = frame.f_back
    return False
