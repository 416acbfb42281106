"""Suspended generators: their code and variables, and new generators of the same function brought to the same line.

A new generator of the same function, cells and local variables is brought to a line by a trace function that sets
`f_lineno` (5 us), as debuggers do, in every supported Python. What is found there is the user's own code, so names,
lines and tracebacks are unchanged. That this leads to the very instruction is tested once for each code before.
Rejected: native code in whole rounds only, back to the yield of the generator (half of all events at best); rewritten
code that can be entered at each yield; changed bytecode.

Source: the Python language reference, 3.2.13.2, on writing to `f_lineno`
"""

from __future__ import annotations

import gc
import platform
import sys
from types import FrameType, FunctionType
from typing import Any, Final

TESTED: Final = ((3, 11), (3, 12), (3, 13))
"""The versions of CPython on which all of this was tried, and counts of references tell who else has a generator."""


def is_tested() -> tuple[bool, str]:
    """Whether what is done here was tried out with this Python; and its name."""
    name = f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if not has_lock:
        name += " without its global lock"
    return sys.implementation.name == "cpython" and sys.version_info[:2] in TESTED and has_lock, name


def function_of(generator: Any) -> FunctionType | None:
    """The function that a suspended generator executes; None if it is not to be had."""
    for item in gc.get_referents(generator):
        if type(item) is FunctionType and item.__code__ is generator.gi_code:
            return item
    return None


def locals_of(generator: Any) -> dict[str, Any]:
    """The local variables of a suspended generator that have values, without what it closes over."""
    frame, closed_over = generator.gi_frame, generator.gi_code.co_freevars
    seen = frame.f_locals
    values = {name: value for name, value in seen.items() if name not in closed_over}
    if type(seen) is dict:
        seen.clear()  # it would keep alive what it refers to
    return values


def enter(function: FunctionType, values: dict[str, Any], line: int) -> tuple[Any, Any]:
    """A generator of a function, with these local variables, that stands at the yield in a line; and what that yields.

    Raises ValueError if it cannot be brought there.
    """
    code = function.__code__
    only_by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    generator: Any = function(*[None] * code.co_argcount, **dict.fromkeys(only_by_name))
    frame, before = generator.gi_frame, sys.gettrace()

    # Two functions, as one that answered itself would be left to the collector, and with it all frames that call this.
    def place(here: FrameType, _: str, __: Any) -> None:
        here.f_lineno = line  # type: ignore[misc]  # of a trace function it may be set
        here.f_trace = None
        sys.settrace(None)

    def fill(here: FrameType, _: str, __: Any) -> Any:
        if here is not frame:
            return None
        here.f_locals.update(values)
        return place

    sys.settrace(fill)
    try:
        command = generator.send(None)
    finally:
        sys.settrace(before)
    if type(frame.f_locals) is dict:
        frame.f_locals.clear()
    return generator, command
