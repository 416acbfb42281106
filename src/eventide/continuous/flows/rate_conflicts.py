"""Rates that several laws write: no law may set a rate that another has written and it has not read.

This is an error in the first pass after each change of the chain; for compiled laws it is known before. Rejected: the
last one wins, as in the manual. It is nearly always a forgotten `+=`, and would be silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.continuous.checks import two_setters
from eventide.engine.codes import SEVERAL

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator


class RateConflicts:
    """The objects that write such rates; where a single object writes one, the slot says which.

    met     the rates that have been recorded since the last check
    """

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self._writers: dict[int, SlotWriters] = {}
        self.met: list[int] = []

    def note(self, slot: int, slab: int, *, sets: bool) -> None:
        """Laws of the object in a slab write a rate that others write as well.

        sets    whether they set it without having read it
        """
        storage = self._integrator.storage
        writers = self._writers.get(slot)
        if writers is None:
            writers = self._writers[slot] = SlotWriters()
            first = storage.slot.writer[slot]
            writers.add(storage.owner_at(first // 2), sets=bool(first & 1))
            storage.slot.writer[slot] = SEVERAL
        writers.add(storage.owner_at(slab), sets=sets)
        self.met.append(slot)

    def forget(self, slot: int, slab: int) -> None:
        """They write it no longer."""
        storage, writers = self._integrator.storage, self._writers[slot]
        writers.remove(storage.owner_at(slab))
        last, sets = writers.only()
        if last is not None:
            storage.slot.writer[slot] = 2 * last._slab.number + sets
            del self._writers[slot]

    def check(self, owner: Member) -> None:
        """Members were added. Raise ModelError, naming both laws, if one sets a rate that an earlier one wrote."""
        met, self.met = self.met, []
        for slot in met:
            clash = self._writers[slot].clash(owner) if slot in self._writers else None
            if clash is not None:
                raise two_setters(*clash, self._integrator.system.variable_at(slot))


class SlotWriters:
    """The objects whose laws write one rate."""

    def __init__(self) -> None:
        self._all: dict[Member, bool] = {}

    def add(self, owner: Member, *, sets: bool) -> None:
        """One sets the rate without having read it, or adds to it."""
        self._all[owner] = sets

    def remove(self, owner: Member) -> None:
        """One writes it no longer."""
        del self._all[owner]

    def only(self) -> tuple[Member | None, bool]:
        """The only one that is left, and whether it sets the rate; None if there are several."""
        return next(iter(self._all.items())) if len(self._all) == 1 else (None, False)

    def clash(self, newcomer: Member) -> tuple[Member, Member] | None:
        """A writer that sets what another wrote before it, and that other; None if there is none.

        newcomer    the member that has been added since there was no conflict
        """
        for setter in (owner for owner, sets in self._all.items() if sets):
            earlier = self._all if setter is newcomer else (newcomer,)
            for other in earlier:
                if other is not setter and _order(other) < _order(setter):
                    return setter, other
        return None


def _order(owner: Member) -> tuple[float, int]:
    return -owner._priority, owner._started
