"""Observation of laws whose code cannot be read: what they read and set while they run, so that they can be sorted.

Observed are rates, single computed values, sums and assigned states, where steps begin; where something new is found
that may concern other laws, the flow is settled again. What such a law does only later, within a step, is not observed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from eventide.continuous.components.variable import Variable
from eventide.continuous.flows.ordering import LawAccess

if TYPE_CHECKING:
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.integrator import Integrator


class ObservedLaw(NamedTuple):
    """Whose law it is, of which stage, and what it deals with."""

    owner: Member
    stage: int
    accesses: tuple[LawAccess, ...]


def observe_law(integrator: Integrator, flow: Flow, owner: Member, stage: int, call: Callable[[], None]) -> ObservedLaw:
    """Execute a law; returns which quantities that laws set it reads and sets in its flow."""
    book = _Book()
    watched = flow.look_up().computing
    rows, rates = [one.__dict__["_row"] for one in watched], _Rates()
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
    found += [_access_of_rate(owner_of(slot), slot, rates) for slot in {**rates.reads, **rates.sets}]
    return ObservedLaw(owner, stage, tuple(access for access in found if access is not None))


def _access_of_rate(owner: Member, slot: int, book: _Book) -> LawAccess:
    first, name = slot, "state"
    if not isinstance(owner, Variable):
        name, _ = owner._layout.name_of(owner, slot)
        first = owner._layout.slot(owner, name)
    return LawAccess(first, (type(owner), "rate", name), slot in book.reads, slot in book.sets)


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


class _Rates(_Book):
    """The same of rates; of a vector by its first slot."""

    def note_read(self, owner: Continuous, quantity: tuple[str, int | None]) -> None:
        """The rate of an object's state is read."""
        self.note_read_slot(owner._layout.slot(owner, quantity[0]))

    def note_write(self, owner: Continuous, quantity: tuple[str, int | None]) -> None:
        """It is written."""
        self.note_written_slot(owner._layout.slot(owner, quantity[0]))

    def note_read_slot(self, slot: int) -> None:
        """The rate of the state in a slot is read."""
        if slot not in self.sets:
            self.reads[slot] = None

    def note_written_slot(self, slot: int) -> None:
        """It is written."""
        self.sets[slot] = None


class _Row:
    """Stands for the row that users read while a law runs."""

    __slots__ = ("_book", "_row")

    def __init__(self, row: memoryview[float], book: _Book) -> None:
        self._row = row
        self._book = book

    def __getitem__(self, slot: int) -> float:
        if slot not in self._book.sets:
            self._book.reads[slot] = None
        return self._row[slot]

    def __setitem__(self, slot: int, value: float) -> None:
        self._row[slot] = value
        self._book.sets[slot] = None
