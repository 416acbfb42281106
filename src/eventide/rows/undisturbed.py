"""Who looks: amid some methods nobody may, as half of the processes would be in rows, half in Python.

And while a debugger looks at Python code, no process goes away.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Final, Protocol, TypeVar

from eventide.errors import ModelError


class _Busy(Protocol):
    is_busy: bool


LOOKED_AT: Final = (
    "a signal handler, a finalizer, a source of random numbers or another thread has looked at a process or a resource "
    "amid an event in native code: let a process look at it, or give the simulation compile=False"
)
Result = TypeVar("Result")


def undisturbed(act: Callable[..., Result]) -> Callable[..., Result]:
    """A method amid which nobody looks at who is away: a signal handler would, a finalizer, or another thread."""

    @wraps(act)
    def alone(homes: _Busy, *arguments: object) -> Result:
        if homes.is_busy:
            raise ModelError(LOOKED_AT)
        homes.is_busy = True
        try:
            return act(homes, *arguments)
        finally:
            homes.is_busy = False

    return alone


def is_watched() -> bool:
    """Whether a debugger, a profiler or a measurement of coverage looks at Python code."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is not None and any(monitoring.get_tool(number) is not None for number in range(6)):
        return True
    return sys.gettrace() is not None or sys.getprofile() is not None
