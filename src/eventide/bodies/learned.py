"""What is known of the code of generator functions, for all simulations of a process."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from eventide.native.locking import locked
from eventide.reading.source import SourceBook
from eventide.reading.twins import Twin

if TYPE_CHECKING:
    from types import CodeType, FunctionType

    from eventide.reading.source import CannotLower


class Learned:
    """What is known of code, for all simulations: its text, its twins, and why it stays Python."""

    def __init__(self) -> None:
        self.book = SourceBook()
        self.twins: dict[int, tuple[CodeType, Twin]] = {}
        self.refused: dict[int, dict[tuple[type, ...], tuple[CodeType, CannotLower]]] = {}
        """By code, and by what its first argument is like; under () for whatever that is."""

    def twin_of(self, function: FunctionType) -> Twin:
        """What makes twins of a generator function. Raises CannotLower if it has none."""
        code = function.__code__
        if id(code) not in self.twins:
            self.twins[id(code)] = code, Twin(self.book.definition(function, yields=True), function)
        return self.twins[id(code)][1]


@locked
@cache
def learned() -> Learned:
    """What is known by now."""
    return Learned()
