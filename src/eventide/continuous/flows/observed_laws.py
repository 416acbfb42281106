"""Observation of laws whose code cannot be read: what they read and set while they run, so that they can be sorted.

Observed are rates, single computed values, sums and assigned states, where steps begin; where something new is found
that may concern other laws, the flow is settled again. What such a law does only later, within a step, is not observed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from eventide.continuous.components.variable import Variable
from eventide.continuous.flows.ordering import LawAccess
from eventide.engine.codes import VALUES

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.flows.ordering import Sort
    from eventide.continuous.integrator import Integrator


class ObservedLaw(NamedTuple):
    """Whose law it is, of which stage, and what it deals with.

    writes  the slots of the rates that it writes, and VALUES more of the single computed values that it sets unread,
            each with whether it sets it unread
    """

    owner: Member
    stage: int
    accesses: tuple[LawAccess, ...]
    writes: dict[int, bool]


def observe_law(integrator: Integrator, flow: Flow, owner: Member, stage: int, call: Callable[[], None]) -> ObservedLaw:
    """Execute a law; returns which quantities that laws set it reads and sets in its flow."""
    book = _Book()
    watched = flow.look_up().computing
    rows, rates = [one.__dict__["_row"] for one in watched], _Book()
    for one, row in zip(watched, rows, strict=True):
        one.__dict__["_row"] = _Row(row, book)
    flow.recorder = rates
    try:
        call()
    finally:
        flow.recorder = None
        for one, row in zip(watched, rows, strict=True):
            one.__dict__["_row"] = row
    owner_of = integrator.storage.owner_of
    found = [_access(owner_of(slot), slot, book) for slot in {**book.reads, **book.sets}]
    accesses = [access for access in found if access is not None]
    writes = {VALUES + one.slot: True for one in accesses if one.sets and not one.reads and one.sort[1] != "sum"}
    writes.update({slot: slot not in rates.reads for slot in rates.sets})
    accesses += _accesses_of_rates(owner_of, rates)
    return ObservedLaw(owner, stage, tuple(accesses), writes)


def _accesses_of_rates(owner_of: Callable[[int], Member], book: _Book) -> list[LawAccess]:
    """What is done with rates: with those of a vector as with one."""
    sorts: dict[int, Sort] = {}
    first_of: dict[int, int] = {}
    for slot in {**book.reads, **book.sets}:
        owner, first, name = owner_of(slot), slot, "state"
        if not isinstance(owner, Variable):
            name, _ = owner._layout.name_of(owner, slot)
            first = owner._layout.slot(owner, name)
        first_of[slot], sorts[first] = first, (type(owner), "rate", name)
    reads, sets = ({first_of[slot]: None for slot in some} for some in (book.reads, book.sets))
    return [LawAccess(first, sort, first in reads, first in sets) for first, sort in sorts.items()]


def _access(owner: Member, slot: int, book: _Book) -> LawAccess | None:
    assert not isinstance(owner, Variable)  # its states are not read by their slots here
    name, _ = owner._layout.name_of(owner, slot)
    spec = owner._layout.fields[name]
    if spec.role not in ("computed", "sum") and not spec.assigned:
        return None
    return LawAccess(slot, (type(owner), spec.role, name), slot in book.reads, slot in book.sets)


class _Book:
    """The slots that are read before they are set, and those that are set, in their order."""

    def __init__(self) -> None:
        self.reads: dict[int, None] = {}
        self.sets: dict[int, None] = {}

    def note_read(self, slot: int) -> None:
        """It is read."""
        if slot not in self.sets:
            self.reads[slot] = None

    def note_written(self, slot: int) -> None:
        """It is set."""
        self.sets[slot] = None


class _Row:
    """Stands for the row that users read while a law runs."""

    __slots__ = ("_book", "_row")

    def __init__(self, row: memoryview[float], book: _Book) -> None:
        self._row = row
        self._book = book

    def __getitem__(self, slot: int) -> float:
        self._book.note_read(slot)
        return self._row[slot]

    def __setitem__(self, slot: int, value: float) -> None:
        self._row[slot] = value
        self._book.note_written(slot)
