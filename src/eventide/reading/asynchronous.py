"""Errors that were not raised by the code in which they were met, but by a signal handler or by another thread.

Such an error may come between any two instructions. Where it ends a run, what was under way is half done.
"""

from __future__ import annotations

# `signal` itself makes enumerations of what it takes and answers, which takes ten times as long as a short run.
import _signal  # type: ignore[import-not-found]  # typeshed does not have it
import sys
from collections.abc import Iterator
from functools import partial
from types import CodeType, FrameType, FunctionType
from typing import Final

from eventide.errors import Ended, EventideError

ORDINARY: Final = (
    EventideError, Ended, Warning, ArithmeticError, AssertionError, AttributeError, EOFError, ImportError, LookupError,
    NameError, OSError, RuntimeError, StopIteration, SyntaxError, TypeError, ValueError,
)  # fmt: skip
"""What lines of eventide raise, or what they call in C; of OSError no TimeoutError."""


def is_asynchronous(error: BaseException) -> bool:
    """Whether an error, or one in whose handling it was raised, came from outside of the code that met it."""
    handlers = list(_handlers())
    met: BaseException | None = error
    while met is not None:
        if any(any(frame.f_code is code for code in handlers) for frame in _frames(met)) or _came_to_us(met):
            return True
        met = met.__cause__ or met.__context__
    return False


def _came_to_us(error: BaseException) -> bool:
    """Whether an error was met first by a line of eventide that raises none of its kind."""
    if isinstance(error, ORDINARY) and not isinstance(error, TimeoutError):
        return False
    # What we have written out ourselves, as the properties of states, is of no module.
    rooms = [str(frame.f_globals.get("__name__", "eventide.")) for frame in _frames(error)]
    if not rooms or (type(error) is KeyboardInterrupt and rooms[-1] == KEYBOARD):
        return False
    # Nor is what Python's own library was called for the model's: it may have been amid lines of ours.
    return next((room for room in reversed(rooms) if room.partition(".")[0] not in LIBRARIES), "").startswith(
        "eventide."
    )


LIBRARIES: Final = {*sys.stdlib_module_names, "numpy"} - {"__main__"}
"""What lines of eventide call, and lines of the model."""
KEYBOARD: Final = "eventide.discrete.sigint"
"""Where KeyboardInterrupt is raised when nothing is half done."""


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _handlers() -> Iterator[CodeType]:
    """The code of all signal handlers that are written in Python."""
    for number in range(1, _signal.NSIG):
        handler: object = _signal.getsignal(number)
        while isinstance(handler, partial):
            handler = handler.func
        handler = getattr(handler, "__func__", handler)
        for function in (handler, getattr(type(handler), "__call__", None)):  # noqa: B004  # of an object its class's
            if isinstance(function, FunctionType):
                yield function.__code__
