"""Stands for the generator of a process whose code has been run by other means meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.discrete.processes.process import Process
    from eventide.reading.generators import Successor, Suspended


class GeneratorStandIn:
    """Stands for the generator of a process, which has come to another of its yields without it.

    generator   as it was left, at the wait point of number `wait_point`
    place       where the process waits now, as a place of its twin; successor: what makes a generator there
    real        the generator that stands there, once it has been asked for
    """

    __slots__ = ("generator", "place", "process", "real", "successor", "wait_point")
    place: int

    def __init__(self, process: Process, generator: Suspended, wait_point: int, successor: Successor) -> None:
        self.process = process
        self.generator = generator
        self.wait_point = wait_point
        self.successor = successor
        self.real: Suspended | None = None

    @property
    def gi_suspended(self) -> bool:
        """As of a generator."""
        return self.real is None or self.real.gi_suspended

    def resolve(self) -> Suspended:
        """Give the process a generator that stands there; returns it."""
        if self.real is not None:
            return self.real
        process, generator = self.process, self.successor.at(self.place, self.generator)
        process._generator = self.real = generator
        if process._receiver is self:
            process._receiver = generator
        return generator

    def send(self, value: object) -> object:
        """As of a generator."""
        return self.resolve().send(value)

    def throw(self, error: BaseException) -> object:
        """As of a generator."""
        return self.resolve().throw(error)

    def close(self) -> None:
        """As of a generator."""
        self.resolve().close()

    def __getattr__(self, name: str) -> object:
        return getattr(self.resolve(), name)
