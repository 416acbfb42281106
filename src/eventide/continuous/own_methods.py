"""Methods that single objects have in place of those of their class; searched for between runs.

Compiled code of a class announces no such change. Where the same file sets an attribute with the name of a method,
objects are checked at each event instead, and this search is not needed. What is given and taken back within one run in
another file, or by a computed name, is refused: as the attribute is deleted, or, if the function of the class has been
set in its place, at the end of the run. Another file that changes its dict (`vars`) itself goes unnoticed.
"""

from __future__ import annotations

from operator import attrgetter, call
from typing import TYPE_CHECKING, Final

from eventide.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.condition import Condition

LAWS: Final = frozenset(("contributions", "equations"))
_ATTRIBUTES: Final = attrgetter("__dict__")


class OwnMethods:
    """Looks for them as a run begins, and as it ends.

    is_due      whether a run has ended since they were looked for, or none has begun
    """

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self.is_due = True
        self._restored: list[Member] = []  # what had a function of its class as its own when this run began

    def adopt(self) -> None:
        """A run begins: check again the laws, conditions and handlers that call such methods."""
        self.is_due = False
        integrator = self._integrator
        owners = self._owners()
        self._restored = [one for one in owners if self._is_restored(one)]
        if owners:
            integrator.groups.renew(self._stale_members())
            for condition in self._stale_conditions():
                integrator.guards.renew(condition)
            integrator.native_handlers.renew_all()

    def check(self, *, has_acted: bool) -> None:
        """A run has ended, in which code of the user has acted: raise ModelError if some has not used such a method."""
        self.is_due = True
        if not has_acted or not (owners := self._owners()):
            return
        integrator = self._integrator
        integrator.references.catch_up()  # what the last event has announced is no method
        overlaid = [t.component for t in integrator.native_handlers.plans if t.method in t.component.__dict__]
        restored = [one for one in owners if self._is_restored(one) and not any(one is old for old in self._restored)]
        members, conditions = [*self._stale_members(), *overlaid, *restored], self._stale_conditions()
        if members or conditions or not integrator.native_handlers.are_current():
            met = [*members, *(one for condition in conditions for one in condition.plan.touches)]
            owner = next((owner for owner in owners if any(owner is one for one in met)), owners[-1])
            name = min(integrator.analyst.methods.intersection(owner.__dict__))
            raise ModelError(
                f"{owner.name} was given its own {name!r} while the run went on, and its laws, conditions or handlers "
                f"may have gone on with that of {type(owner).__name__}: give it between two runs, or let a field refer "
                "to the function and set that"
            )

    def take_back(self, name: str) -> None:
        """An object loses an attribute: raise ModelError if that is a method which the present run has not used."""
        if not self.is_due and name in self._integrator.analyst.methods:
            self.check(has_acted=True)
            self.is_due = False

    def _is_restored(self, owner: Member) -> bool:
        """Whether an object has a function of its class as its own, as after an exchange in a run."""
        names = self._integrator.analyst.methods.intersection(own := owner.__dict__)
        return any(getattr(own[name], "__func__", own[name]) is getattr(type(owner), name, None) for name in names)

    def _owners(self) -> list[Member]:
        """The objects with methods of their own where compiled code has taken those of a class.

        Whether they are in a flow or not, as code of others may call them.
        """
        names, storage = self._integrator.analyst.methods, self._integrator.storage
        storage.take_back()
        try:  # without a list of objects, as these are thousands
            has_any = _is_any_in(names, map(call, storage.occupants.values()))
        except AttributeError:  # one has just gone, and None stands in its place
            has_any = _is_any_in(names, storage.owners())
        return [one for one in storage.owners() if not one.__dict__.keys().isdisjoint(names)] if has_any else []

    def _stale_members(self) -> list[Member]:
        """The members of flows whose laws would be read in another way now."""
        integrator = self._integrator
        return [owner for owner in integrator.groups.members() if not integrator.analyst.is_law_current(owner)]

    def _stale_conditions(self) -> list[Condition]:
        """The conditions that would."""
        analyst, known = self._integrator.analyst, self._integrator.guards.at.values()
        return [c for c in list(known) if c.row >= 0 and not analyst.is_condition_current(c, c.plan)]


def _is_any_in(names: frozenset[str], objects: Iterable[object]) -> bool:
    """Whether any object has an attribute of its own by one of the names, of which there are two or more."""
    first, second, *others = names
    more = frozenset(others)
    for space in map(_ATTRIBUTES, objects):
        if first in space or second in space or (more and not space.keys().isdisjoint(more)):
            return True
    return False
