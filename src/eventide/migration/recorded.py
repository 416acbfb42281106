"""Functions that recordings read, as kernels: each is the body of a process that computes one number and ends.

In: the functions of the recordings of a simulation. Out: what rows begin with that compute the same numbers, to the
bit. A function that has an effect, or of which a part is left to Python, is Python's as a whole: an event at which a
kernel meets what only Python can do is looked at by Python from the start, and nothing may be done twice.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING

from eventide.bodies.naming import Naming
from eventide.bodies.operands import Unknown
from eventide.bodies.reader import Reading
from eventide.discrete.resources.away import users_of, waiting_at
from eventide.migration.crossing.body import Body
from eventide.migration.crossing.simulations import leave_simulation
from eventide.migration.learned import learned
from eventide.migration.things import can_go
from eventide.reading.source import CannotLower
from eventide.rows.codes import NONE
from eventide.statistics import Level

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterable, Sequence

    from eventide.bodies.operands import Kind
    from eventide.bodies.stations.statistics import Kept
    from eventide.discrete.commands import ProcessGenerator
    from eventide.discrete.world import World
    from eventide.migration.crossing.environment import RowStart
    from eventide.rows.memory import RowMemory

VALUE = "value"
"""The variable of `reading_of` that has the number."""


class RecordedFunction:
    """A function that a recording reads.

    place       of its number among the floats of its row
    row_start, children     as of a process that goes away; row: that it has, while processes are rows
    """

    def __init__(self, read: Callable[[], object], world: World) -> None:
        """Raises CannotLower."""
        self.read = read
        self.body = _body_of(read, world)
        self.place = self.body.layout.real_places[f"v_{VALUE}"]
        self.children: dict[int, None] = {}
        self.row = NONE
        self.row_start: RowStart

    def begins(self) -> bool:
        """Whether it may be read in rows from now on, as far as what it refers to is concerned."""
        self.body.environment.forget()
        row_start = self.body.begin({})
        if row_start is not None:
            self.row_start = row_start
        return row_start is not None

    def enter(self, memory: RowMemory, row: int) -> None:
        """It has a row."""
        self.row = row
        memory.functions[id(self.read)] = row, self.place


class RecordedFunctions:
    """The functions that the recordings of one simulation read.

    refused     why Python calls those that it calls, by their ids
    """

    def __init__(self, world: World) -> None:
        self.refused: dict[int, CannotLower] = {}
        self._world = world
        self._known: dict[int, tuple[object, RecordedFunction | None]] = {}
        """By their ids: this has them, so that the ids stay their own."""

    def found(self, reads: Sequence[Callable[[], object]], things: Iterable[Kept]) -> list[RecordedFunction] | None:
        """What some functions are in rows; None if Python has to call one of them.

        things      the resources and levels that are rows' from now on
        """
        each = [self._made_of(read) for read in reads]
        found = [one for one in each if one is not None and one.begins()]
        if len(found) < len(reads):
            return None
        kept = {id(thing): thing for thing in things}
        for thing in (thing for one in found for thing in one.row_start.stations.values()):
            if id(thing) not in kept:
                if not isinstance(thing, Level) and (users_of(thing) or waiting_at(thing) or not can_go(thing)):
                    return None
                kept[id(thing)] = thing
        return found

    def _made_of(self, read: Callable[[], object]) -> RecordedFunction | None:
        _, known = self._known.get(id(read), (None, None))
        if id(read) not in self._known or (known is not None and not known.body.is_current):
            try:
                known = RecordedFunction(read, self._world)
            except CannotLower as refusal:
                self.refused[id(read)] = refusal.untraced
                known = None
            self._known[id(read)] = read, known
        return known


def reading_of(read: Callable[[], float]) -> Callable[[], ProcessGenerator]:
    """A generator function that computes what a function gives."""

    def reading() -> ProcessGenerator:
        value = float(read())  # noqa: F841  # its row has it
        return
        yield 0.0  # type: ignore[unreachable]  # which makes it a generator function

    return reading


def _body_of(read: Callable[[], object], world: World) -> Body:
    """The body that computes what a function gives. Raises CannotLower."""
    function: FunctionType = reading_of(read)  # type: ignore[arg-type,assignment]  # a function, and what it returns
    book, twin_of = learned().book, learned().twin_of
    definition = book.definition(function, yields=True)
    tree: ast.FunctionDef = definition.tree  # type: ignore[assignment]  # as it yields
    kinds: dict[str, Kind | None] = {}
    try:
        reading = Reading(tree, twin_of, Naming(function, {}, kinds, book, world))
        while reading.changed:
            reading = Reading(tree, twin_of, Naming(function, {}, kinds, book, world))
    except Unknown as unknown:
        raise _refusal(read, str(unknown)) from None
    why = next((reason for _, reason in reading.asks.values()), "")
    if not why and (any(reading.naming.calls.values()) or reading.naming.changed):
        why = "it has an effect"
    if why:
        raise _refusal(read, why)
    leave_simulation(reading)
    return Body(reading, "body_reading").in_simulation(world, function)


def _refusal(read: Callable[[], object], why: str) -> CannotLower:
    """Why Python calls a function, or whatever else can be called."""
    function = getattr(read, "__func__", read)
    if not isinstance(function, FunctionType):
        return CannotLower("", 0, getattr(read, "__qualname__", type(read).__qualname__), why)
    given = learned().book.definition(function)
    return given.refusal(given.tree, why)
