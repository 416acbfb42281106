"""What several laws write: none may set a rate, a computed value or an assigned state unread that another has written.

The text of the laws tells, before they run; of laws that cannot be read it is seen as they run. A state that one law
assigns and another moves is definite: each evaluation assigns it. A slot stands for its rate; VALUES more, for the
computed value or assigned state there. Rejected: the last one wins, as in the manual. It is nearly always a forgotten
`+=`, and would be silent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.continuous.checks import UnsoundLaw
from eventide.engine.codes import SEVERAL, VALUES

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.observed_laws import ObservedLaw
    from eventide.continuous.integrator import Integrator


NOBODY: Final = -1
"""In `slot.writer`."""


class RateConflicts:
    """The objects that write such values; where a single object writes one, the slot says which.

    met     the slots that have been recorded since the last check
    _ran    the laws that cannot be read and have run in the present pass; _seen: the objects of those that wrote a slot
    """

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self._writers: dict[int, SlotWriters] = {}
        self.met: list[int] = []
        self._ran: dict[tuple[Member, int], None] = {}
        self._seen: dict[int, list[Member]] = {}
        self._pass: float | None = None

    def note(self, slot: int, slab: int, *, sets: bool) -> None:
        """Laws of the object in a slab write what others write as well.

        sets    whether they set it without having read it
        """
        storage = self._integrator.storage
        writers = self._writers.get(slot)
        if writers is None:
            writers = self._writers[slot] = SlotWriters()
            first = storage.slot.writer[_place(slot)]
            writers.add(storage.owner_at(first // 2), sets=bool(first & 1))
            storage.slot.writer[_place(slot)] = SEVERAL
        writers.add(storage.owner_at(slab), sets=sets)
        self.met.append(slot)

    def forget(self, slot: int, slab: int) -> None:
        """They write it no longer."""
        storage, writers = self._integrator.storage, self._writers[slot]
        writers.remove(storage.owner_at(slab))
        last, sets = writers.only()
        if last is not None:
            storage.slot.writer[_place(slot)] = 2 * last._slab.number + sets
            del self._writers[slot]

    def check(self, owner: Member) -> None:
        """Members were added. Raise UnsoundLaw, naming both laws, if one sets what an earlier one wrote."""
        met, self.met = self.met, []
        for slot in met:
            clash = self._writers[slot].clash(owner) if slot in self._writers else None
            if clash is not None:
                raise self._two_setters(*clash, slot)

    def see(self, law: ObservedLaw) -> None:
        """A law that cannot be read has run. Raise UnsoundLaw if it, or a law after it, sets what another wrote."""
        time, owner, key = self._integrator.sim.time, law.owner, (law.owner, law.stage)
        if time != self._pass or key in self._ran:
            self._pass = time
            self._ran.clear()
            self._seen.clear()
        self._ran[key] = None
        writer = self._integrator.storage.slot.writer
        for slot, sets in law.writes.items():
            before = [one for one in self._seen.get(slot, ()) if one is not owner]
            clash = (owner, before[-1]) if sets and before else None
            if writer[_place(slot)] != NOBODY:
                clash = self._known_writers(slot, owner, sets=sets).clash(owner) or clash
            if clash is not None:
                raise self._two_setters(*clash, slot)
            self._seen[slot] = [*before, owner]

    def _known_writers(self, slot: int, owner: Member, *, sets: bool) -> SlotWriters:
        """Those whose text tells that they write a slot, and one besides."""
        storage, found = self._integrator.storage, SlotWriters()
        first = storage.slot.writer[_place(slot)]
        if first == SEVERAL:
            found.all.update(self._writers[slot].all)
        else:
            found.add(storage.owner_at(first // 2), sets=bool(first & 1))
        found.add(owner, sets=sets)
        return found

    def unmoved(self) -> list[str]:
        """The active states that no law moves or assigns, as far as its text tells."""
        system, writers = self._integrator.system, self._integrator.storage.slot.writer
        return [system.name_of(slot) for slot in system.active if writers[slot, 0] == writers[slot, 1] == NOBODY]

    def _two_setters(self, law: Member, other: Member, slot: int) -> UnsoundLaw:
        """The error of two laws that set one value."""
        what = self._integrator.system.name_of(slot % VALUES)
        advice = "let one of them set it, or declare it an `ev.Summed`, to which any `contributions` may add by `+=`"
        if slot < VALUES:
            what, advice = f"the rate of {what}", "write `+=` to add to it, or let one of them set it"
        return UnsoundLaw(f"{law.name} sets {what}, which {other.name} has set already: {advice}")


class SlotWriters:
    """The objects whose laws write one rate or computed value."""

    def __init__(self) -> None:
        self.all: dict[Member, bool] = {}

    def add(self, owner: Member, *, sets: bool) -> None:
        """One sets it without having read it, or adds to it."""
        self.all[owner] = sets

    def remove(self, owner: Member) -> None:
        """One writes it no longer."""
        del self.all[owner]

    def only(self) -> tuple[Member | None, bool]:
        """The only one that is left, and whether it sets it; None if there are several."""
        return next(iter(self.all.items())) if len(self.all) == 1 else (None, False)

    def clash(self, newcomer: Member) -> tuple[Member, Member] | None:
        """A writer that sets what another wrote before it, and that other; None if there is none.

        newcomer    the member that has been added since there was no conflict
        """
        for setter in (owner for owner, sets in self.all.items() if sets):
            earlier = self.all if setter is newcomer else (newcomer,)
            for other in earlier:
                if other is not setter and _order(other) < _order(setter):
                    return setter, other
        return None


def _place(slot: int) -> tuple[int, int]:
    """Where `slot.writer` tells who writes it."""
    return slot % VALUES, slot // VALUES


def _order(owner: Member) -> tuple[float, int]:
    return -owner._priority, owner._started
