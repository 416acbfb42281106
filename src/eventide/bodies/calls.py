"""Builtin methods of Python that native code calls at their addresses, as they run no code of Python."""

from __future__ import annotations

from array import array
from random import Random
from types import BuiltinMethodType, MethodWrapperType
from typing import Final, Literal

from eventide.streams.streams import Stream

PLAIN: Final = (Random, Stream, list)
"""Classes of which exact instances have methods that are known."""


def addressed_call(function: object, path: tuple[str, ...]) -> Literal["draws", "draws inside", "takes"] | None:
    """What a call does: draw from [0, 1), or from (0, 1), or take a float; None if it is not known.

    path    the attributes by which the function was reached
    """
    if isinstance(function, BuiltinMethodType):
        owner = type(function.__self__)
        if function.__name__ == "random" and owner is Random:
            return "draws"
        if function.__name__ == "append" and (owner is list or is_array_of_floats(function.__self__)):
            return "takes"
    is_next = isinstance(function, MethodWrapperType) and function.__name__ == "__next__"
    if is_next and path[-1:] == ("random",):
        return "draws inside"
    return None


def is_array_of_floats(value: object) -> bool:
    """Whether it is an array that takes floats as they are."""
    return type(value) is array and value.typecode == "d"


def target_of(function: object) -> object:
    """What native code has the address of: the iterator of a stream, else the callable itself."""
    return function.__self__ if isinstance(function, MethodWrapperType) else function
