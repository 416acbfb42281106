"""One lock for everything that simulations of a process share: kernels, the stepper, code that has been read.

Invariant: what is made is published once and complete, and stays at its place. So readers need no lock.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Final, ParamSpec, TypeVar

LOCK: Final = RLock()
"""Held while something shared is made or loaded. One lock for all of it: a kernel is made in several rooms, and two
locks could be taken in two orders. It may be taken again by its thread, as to make a handler may need to make a law.
"""

if hasattr(os, "register_at_fork"):
    # A child has only the thread that forked: what another was making would stay half made, and the lock held.
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


def locked(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """The same function, for one thread at a time."""

    @wraps(function)
    def wrapped(*args: Parameters.args, **options: Parameters.kwargs) -> Answer:
        with LOCK:
            return function(*args, **options)

    return wrapped
