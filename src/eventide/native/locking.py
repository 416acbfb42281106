"""One lock for everything that simulations of a process share: kernels, the stepper, code that has been read.

Invariant: what is made is published once and complete, and stays at its place. So readers need no lock.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Final, Generic, ParamSpec, Self, TypeVar, overload

LOCK: Final = RLock()
"""Held while something shared is made or loaded. One lock for all of it: a kernel is made in several rooms, and two
locks could be taken in two orders. It may be taken again by its thread, as to make a handler may need to make a law.
"""

if hasattr(os, "register_at_fork"):
    # A child has only the thread that forked: what another was making would stay half made, and the lock held.
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
Owner = TypeVar("Owner")


def locked(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """The same function, for one thread at a time."""

    @wraps(function)
    def wrapped(*args: Parameters.args, **options: Parameters.kwargs) -> Answer:
        with LOCK:
            return function(*args, **options)

    return wrapped


@locked
def parsed(text: str) -> ast.Module:
    """The syntax tree of a module. Raises SyntaxError or ValueError.

    CPython 3.11 has one count for all threads of how deep it is in a tree, and a collector's callback may let another
    thread go on amid one: SystemError.
    """
    return ast.parse(text)


class cached_property(Generic[Owner, Answer]):  # noqa: N801  # as that of functools
    """What is found when it is first asked for; all threads get what the first one has found.

    That of `functools` has one lock for all objects of a class in Python 3.11, which a thread would hold while it waits
    for LOCK; later ones have none, and give each thread what it has found itself.
    """

    def __init__(self, find: Callable[[Owner], Answer]) -> None:
        self._find, self._name, self.__doc__ = find, find.__name__, find.__doc__

    @overload
    def __get__(self, owner: None, kind: type | None = None) -> Self: ...
    @overload
    def __get__(self, owner: Owner, kind: type | None = None) -> Answer: ...
    def __get__(self, owner: Owner | None, kind: type | None = None) -> Answer | Self:
        """It is asked once: then it stands among the attributes of its owner, where Python looks before."""
        if owner is None:
            return self
        answer: Answer = vars(owner).setdefault(self._name, self._find(owner))
        return answer
