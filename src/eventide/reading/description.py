"""Conditions in words, names in a list, and where code stands: file and line, or the cell of a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from eventide.errors import Named

MOST: Final = 5
"""How many of some names are told."""


def location(file: str, line: int) -> str:
    """`model.py:12`; of a cell, whose file has a name of many digits, `cell In[3], line 12`."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", object)()
    told = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = told(file) if told is not None else None
    return f"{found[0].lower()} {found[1]}, line {line}" if found is not None else f"{file}:{line}"


def listed(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = len(names) - MOST
    return ", ".join(names[:MOST]) + (f" and {more} more" if more > 0 else "")


def who_were(objects: Sequence[Named]) -> str:
    """The first names of some objects, with the verb that follows them."""
    return f"{listed([str(one.name) for one in objects])} {'was' if len(objects) == 1 else 'were'}"


def describe_function(function: Callable[..., object]) -> str:
    """Where a condition stands: its name or, for a lambda, file and line."""
    crossing = getattr(function, "crossing_of", None)
    if crossing is not None:
        word = {"rises": "up", "falls": "down"}[function.__name__]
        return f"crosses({describe_function(crossing)}, {word})"
    return describe_code(getattr(function, "__code__", function))


def describe_code(code: object) -> str:
    """As `describe_function`, of the code of a condition; of what has none by what it calls, or by name.

    An address in memory, as in the text that Python has of most objects, would make logs of two runs differ.
    """
    if isinstance(code, partial):
        return f"partial of {describe_function(code.func)}"
    if not isinstance(code, CodeType):
        called = getattr(type(code).__call__, "__code__", None) if callable(code) else None
        named = getattr(code, "__qualname__", getattr(code, "__name__", type(code).__qualname__))
        return str(named) if called is None else describe_code(called)
    if code.co_name == "<lambda>":
        return f"lambda at {location(code.co_filename, code.co_firstlineno)}"
    return code.co_qualname


def describe_progress(guide: float, rate: float) -> str:
    """In words how far a condition is from coming true: its guide is 0 or more where it holds; at 0, `>` does not."""
    if guide > 0.0:
        return "it holds now"
    if guide == 0.0:
        return "it is just at its limit"
    if (guide, rate) == (-1.0, 0.0):
        return ""  # so answers one that has no number, as a truth that an event will change
    text = f"{-guide:.6g} short of it"
    if rate > 0.0:
        return f"{text} and coming nearer by {rate:.6g} per unit of time"
    if rate < 0.0:
        return f"{text} and going away by {-rate:.6g} per unit of time"
    return f"{text}, which does not change" if rate == 0.0 else text
