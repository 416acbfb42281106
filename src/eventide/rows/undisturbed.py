"""Methods amid which nobody looks at processes that are away: half of them would be in rows, half in Python."""

from __future__ import annotations

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
