"""What is known of the code of generator functions, for all simulations of a process.

A body is kept with the facts by which it was read, and nothing of the simulation in which that was: it serves another
one where these hold, and is bound to its objects by the paths that lead to them from the variables of its processes and
from the cells of its function. One that refers to objects in other ways is read in each simulation.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from eventide.native.locking import locked
from eventide.reading.common import is_common
from eventide.reading.source import SourceBook
from eventide.reading.twins import Twin
from eventide.rows import loading

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType, FunctionType

    from eventide.migration.crossing.body import Body
    from eventide.reading.source import CannotLower


MOST: Final = 256
"""The functions, by the types of their variables, whose bodies are kept; those that were read first make room."""
REST: Final = 2**17
"""The events in Python for which processes rest that have returned to it too often: twice as many each time ..."""
MOST_RESTS: Final = 6
"""... up to this one."""
MOST_ALIKE: Final = 4
"""The bodies that are kept of one function for the same types of variables."""


class Learned:
    """What is known of code, for all simulations: its text, its twins, its bodies, and why it stays Python."""

    def __init__(self) -> None:
        self.book = SourceBook()
        self.twins: dict[int, tuple[CodeType, Twin]] = {}
        self.refused: dict[int, dict[tuple[object, ...], tuple[CodeType, CannotLower]]] = {}
        """By code, what its first argument is like, and what only Python may set; under () for whatever that is."""
        self._bodies: dict[tuple[object, ...], tuple[Body, ...]] = {}
        self._rests: dict[int, tuple[CodeType, int, int]] = {}
        """By code, how often it was noted that it does not pay, and after how many events they may go again."""
        self._codes: set[int] = set()  # the ids of those of which there has been one; asked for membership only
        self._late: set[int] = set()  # those whose last run was too short to go early, or of which none was kept

    def bodies_of(self, function: FunctionType, values: Mapping[str, object]) -> tuple[Body, ...]:
        """The bodies of a function for variables of these types that no simulation has to itself, the latest first."""
        return self._bodies.get(_key(function, values), ())

    @locked
    def go_early(self, codes: list[CodeType]) -> bool:
        """Whether processes of these codes may go early: their last runs were long enough for that to pay, and of each
        there is a body, for whatever types, or one may be read. That is tried once; what is not kept then goes late.
        """
        fresh = {*map(id, codes)} - self._codes
        if not self._late.isdisjoint(map(id, codes)) or (fresh and not loading.may_read_early()):
            return False
        self._late |= fresh
        return True

    @locked
    def note_run(self, codes: Iterable[CodeType], *, is_short: bool) -> None:
        """Processes of these codes were rows in a run, which had too few events to go early, or not."""
        change = self._late.update if is_short else self._late.difference_update
        change(self._codes.intersection(map(id, codes)))

    def rests(self, code: CodeType) -> bool:
        """Whether processes of this code have returned to Python too often, not many events ago."""
        return id(code) in self._rests and loading.seen() < self._rests[id(code)][2]

    @locked
    def note_return(self, code: CodeType) -> None:
        """Processes of this code have returned to Python too often to pay as rows."""
        times = self._rests[id(code)][1] if id(code) in self._rests else 0
        self._rests[id(code)] = code, min(times + 1, MOST_RESTS), loading.seen() + REST * 2**times

    @locked
    def keep(self, function: FunctionType, values: Mapping[str, object], body: Body) -> None:
        """Keep a body, if the types of all variables are common."""
        key = _key(function, values)
        if all(is_common(type(value)) for value in values.values()):
            kept = self._bodies.pop(key, ())
            if len(self._bodies) >= MOST:
                del self._bodies[next(iter(self._bodies))]
            self._codes.add(id(function.__code__))
            self._late.discard(id(function.__code__))
            loading.note_kept()
            self._bodies[key] = (body, *kept[: MOST_ALIKE - 1])

    def twin_of(self, function: FunctionType) -> Twin:
        """What makes twins of a generator function. Raises CannotLower if it has none."""
        code = function.__code__
        known = self.twins.get(id(code))
        if known is None:  # as definitions, one for all threads
            made = Twin(self.book.definition(function, yields=True), function)
            known = self.twins.setdefault(id(code), (code, made))
        return known[1]


def _key(function: FunctionType, values: Mapping[str, object]) -> tuple[object, ...]:
    """A body that is kept has the function, so that the ids of its parts stay their own."""
    kinds = ((name, type(value)) for name, value in values.items())
    return id(function.__code__), id(function.__globals__), *kinds


@locked
@cache
def learned() -> Learned:
    """What is known by now."""
    return Learned()
