"""Stands for the generator of a process whose code has been run by other means meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventide.reading.generators import enter, function_of, locals_of

if TYPE_CHECKING:
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.process import Process


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
