"""Slots that several flows use: these flows and the number of uses of each; a slot with one flow stores it itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from eventide.engine.codes import (
    BY_READING,
    BY_TOUCHING,
    GIVE_COUNT,
    READ_COUNT,
    RECORD_HEAD,
    SET_COUNT,
    SEVERAL,
    TOUCH_COUNT,
    USE,
    WRITE_COUNT,
)

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.flows.rate_conflicts import RateConflicts
    from eventide.continuous.integrator import Integrator

Counts: TypeAlias = "dict[int, dict[Flow, int]]"


class Readers:
    """What the stepper leaves to Python where flows come to use slots, or cease to: see `flow_members.py`.

    writers     records rates that several laws write
    doubt       is called with objects that stand still and to which laws begin, or cease, to add
    """

    def __init__(self, integrator: Integrator, writers: RateConflicts, doubt: Callable[[Member], None]) -> None:
        self._integrator = integrator
        self._writers = writers
        self._doubt = doubt
        self._readers: Counts = {}
        self._touching: Counts = {}

    def readers(self, slot: int) -> tuple[Flow, ...]:
        """The flows that depend on what stands in a slot."""
        return self._flows(self._readers, slot, BY_READING)

    def flows_touching(self, owner: Member) -> tuple[Flow, ...]:
        """The flows whose laws or conditions touch an object, not counting its own laws."""
        found = [flow for first, _ in owner._slab.blocks() for flow in self._flows(self._touching, first, BY_TOUCHING)]
        return tuple(dict.fromkeys(found))

    def _flows(self, counts: Counts, slot: int, kind: int) -> tuple[Flow, ...]:
        number = self._integrator.storage.slot.user[slot, kind]
        if number == SEVERAL:
            return tuple(counts[slot])
        return (self._integrator.flows[number],) if number >= 0 else ()

    def count(self, flow: Flow, record: int, row: int, slab: int, use: int, by: int) -> None:
        """A flow uses the slots of a record, or ceases to, from the use on that the stepper has left to Python.

        by      1; -1 if it does so no longer
        """
        integrator, numbers = self._integrator, self._integrator.memory.lists.view
        read = numbers[record + READ_COUNT]
        touched = read + numbers[record + TOUCH_COUNT]
        written = touched + numbers[record + WRITE_COUNT]
        end = written + numbers[record + GIVE_COUNT]
        while use < end:
            slot = self._slot(record, row, use)
            if use < read:
                self._count(self._readers, slot, BY_READING, flow, by)
            elif use < touched:
                self._count(self._touching, slot, BY_TOUCHING, flow, by)
            elif use >= written:
                self._doubt(integrator.storage.owner_of(slot))
            elif by > 0:
                self._writers.note(slot, slab, sets=use - touched < numbers[record + SET_COUNT])
            else:
                self._writers.forget(slot, slab)
            use = integrator.engine.use(integrator.memory.arrays, flow.number, record, row, slab, use + 1, by)

    def _slot(self, record: int, row: int, use: int) -> int:
        numbers, at = self._integrator.memory.lists.view, record + RECORD_HEAD + USE * use
        place, column = numbers[at], numbers[at + 1]
        return int(column if place < 0 else self._integrator.memory.index.view[row + place] + column)

    def _count(self, counts: Counts, slot: int, kind: int, flow: Flow, by: int) -> None:
        known, flows = self._integrator.storage.slot, counts.get(slot)
        if flows is None:
            flows = counts[slot] = {self._integrator.flows[known.user[slot, kind]]: known.uses[slot, kind]}
            known.user[slot, kind] = SEVERAL
        flows[flow] = flows.get(flow, 0) + by
        if not flows[flow]:
            del flows[flow]
        if len(flows) == 1:
            ((last, known.uses[slot, kind]),) = flows.items()
            known.user[slot, kind] = last.number
            del counts[slot]
