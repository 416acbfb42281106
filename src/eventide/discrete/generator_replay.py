"""Generators that go on where another one would stand: the code of a process has been run by other means meanwhile.

Where a generator stands at one of its yields nothing tells it but its local variables and the line. A new one of the
same function is given both, by a trace function, and makes the command of that yield; it is of the same code, so
whoever looks at it, or meets an error of it, finds it as it would have been.
Source: the Python language reference, 3.2.13.2, on writing to `f_lineno`
"""

from __future__ import annotations

import gc
import platform
import sys
from contextlib import suppress
from types import FrameType, FunctionType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from eventide.discrete.conditions import StateWait
    from eventide.discrete.process import Process


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


def closures_of(function: FunctionType) -> dict[str, Any]:
    """What a function closes over, as far as it has values."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    values: dict[str, Any] = {}
    for name, cell in cells:
        with suppress(ValueError):
            values[name] = cell.cell_contents
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


class Stand:
    """Stands for the generator of a process, which has come to another of its yields without it.

    generator   as it was left, at the stop of number `home`
    line, wait  where the process waits now
    real        the generator that stands there, once somebody has asked for it
    """

    __slots__ = ("generator", "home", "line", "process", "real", "wait")
    line: int
    wait: StateWait

    def __init__(self, process: Process, generator: Any, home: int) -> None:
        self.process = process
        self.generator = generator
        self.home = home
        self.real: Any = None

    @property
    def gi_suspended(self) -> bool:
        """As of a generator."""
        return self.real is None or self.real.gi_suspended

    def resolve(self) -> Any:
        """Give the process a generator that stands there; answers it."""
        if self.real is not None:
            return self.real
        process, function = self.process, function_of(self.generator)
        assert function is not None  # as was seen before
        generator, command = enter(function, locals_of(self.generator), self.line)
        generator.__name__ = self.generator.__name__
        generator.__qualname__ = self.generator.__qualname__
        self.wait.ask(command.condition)
        process._generator = self.real = generator
        if process._story is self:
            process._story = generator
        return generator

    def send(self, value: Any) -> Any:
        """As of a generator."""
        return self.resolve().send(value)

    def throw(self, error: BaseException) -> Any:
        """As of a generator."""
        return self.resolve().throw(error)

    def close(self) -> None:
        """As of a generator."""
        self.resolve().close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.resolve(), name)
