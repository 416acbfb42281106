"""Functions with the objects that they are called with, and what the names of their text stand for."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType, MethodType


@dataclass(frozen=True)
class Entry:
    """A function and the objects it is called with."""

    function: FunctionType
    arguments: tuple[object, ...]

    @classmethod
    def of(cls, function: object, arguments: tuple[object, ...]) -> Entry:
        """The entry of a function or bound method.

        Raises TypeError for any other thing that can be called.
        """
        if isinstance(function, MethodType):
            return cls.of(function.__func__, (function.__self__, *arguments))
        if not isinstance(function, FunctionType):
            raise TypeError(f"{function!r} is no Python function")
        return cls(function, arguments)

    def root(self, name: str) -> object:
        """What a name stands for: an argument, its default, or what is closed over."""
        code = self.function.__code__
        parameters = code.co_varnames[: code.co_argcount]
        if name in parameters[: len(self.arguments)]:
            return self.arguments[parameters.index(name)]
        if name in code.co_freevars:
            return closed_over(self.function, name)
        return default_of(self.function, name)


def closed_over(function: FunctionType, name: str) -> object:
    """What a function closes over by a name.

    Raises ValueError if there is nothing.
    """
    cells = function.__closure__ or ()
    return cells[function.__code__.co_freevars.index(name)].cell_contents


def default_of(function: FunctionType, name: str) -> object:
    """The default of a parameter.

    Raises KeyError if it has none.
    """
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    defaults = dict(zip(positional[len(positional) - len(given) :], given, strict=True))
    return {**defaults, **(function.__kwdefaults__ or {})}[name]
