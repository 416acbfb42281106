"""Methods that single objects have in place of those of their class; searched for between runs.

Compiled code of a class announces no such change. Where the same file sets an attribute with the name of a method,
objects are checked at each event instead, and this search is not needed.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.condition import Condition

LAWS: Final = frozenset(("contributions", "equations"))


class OwnMethods:
    """Looks for them as a run begins, and as it ends.

    is_due      whether a run has ended since they were looked for
    """

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self._methods: dict[type, frozenset[str]] = {}
        self.is_due = False

    def adopt(self) -> None:
        """A run begins: let the laws and conditions of such objects be looked at anew, and handlers and processes."""
        self.is_due = False
        integrator, owners = self._integrator, self._owners()
        if owners:
            integrator.native_processes.leave_all()
            integrator.groups.renew([owner for owner in owners if not integrator.analyst.is_law_current(owner)])
            for condition in self._conditions(owners):
                integrator.guards.renew(condition)
            integrator.native_handlers.renew_all()

    def check(self) -> None:
        """A run has ended. Raises ModelError if an object has such a method that laws or conditions have not used."""
        self.is_due = True
        integrator, owners = self._integrator, self._owners()
        late = [owner for owner in owners if not integrator.analyst.is_law_current(owner)]
        late += [one for c in self._conditions(owners) for one in owners if any(one is o for o in c.plan.touches)]
        for owner in late:
            name = min(self._methods_of(type(owner)).intersection(owner.__dict__))
            raise ModelError(
                f"{owner.name} was given its own {name!r} while the run went on, and its laws or conditions may have "
                f"gone on with that of {type(owner).__name__}: give it between two runs, or let a field refer to the "
                "function and set that"
            )

    def _owners(self) -> list[Member]:
        """The members of flows that have such methods."""
        known, methods_of = self._methods, self._methods_of
        return [
            owner
            for flow in self._integrator.flows.values()
            for owner in flow.members
            if not (known.get(type(owner)) or methods_of(type(owner))).isdisjoint(owner.__dict__)
        ]

    def _conditions(self, owners: list[Member]) -> list[Condition]:
        """The conditions that touch one of some objects and would be read in another way now."""
        if not owners:
            return []  # as nearly always: conditions may be thousands
        analyst, known = self._integrator.analyst, self._integrator.guards.at.values()
        return [
            condition
            for condition in list(known)
            if condition.row >= 0
            and any(other is owner for other in condition.plan.touches for owner in owners)
            and not analyst.is_condition_current(condition, condition.plan)
        ]

    def _methods_of(self, cls: type) -> frozenset[str]:
        """The names of the functions that a class of the user's has."""
        spaces = [vars(base) for base in cls.__mro__ if not base.__module__.startswith("eventide.")]
        found = {name for space in spaces for name, value in space.items() if isinstance(value, FunctionType)}
        methods = self._methods[cls] = frozenset(found) | LAWS
        return methods
