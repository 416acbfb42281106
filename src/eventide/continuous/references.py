"""What laws and conditions refer to: objects, lists, numbers and code that may become others as a model runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.declare.changes import Pending
from eventide.discrete.conditions.condition import Condition

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ClassPlan, Plan


class References:
    """Which members and conditions are planned again when what they refer to has changed.

    are_polled  those whose changes are not announced, which are checked after every event; with what compares whatever
                they refer to with what that was, if there is such a function
    judges_modes    whether there has been code that fits one answer to a comparison of a mode
    names       all attributes, or the like, by which any has ever come to what may become another
    stands      returns whether all is unchanged that code was made with and Python code may change
    is_pending  whether there is new code for which that has not been noted yet
    """

    __slots__ = ("_integrator", "_listing", "_told", "are_polled", "is_pending", "judges_modes", "names", "stands")

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self.are_polled: dict[Member | Condition, Callable[[], bool] | None] = {}
        self.names: set[str] = set()  # asked for membership only
        self._told: Pending[Member | Condition] = Pending(integrator.changes)
        self._listing: dict[object, None] = {}
        self.stands: Callable[[], bool] = _always
        self.is_pending = self.judges_modes = False

    def keep_current(self, item: Member | Condition, plan: Plan | ClassPlan) -> None:
        """Note a member or condition that may come to refer to something else."""
        if plan.signature is not None:
            analyst = self._integrator.analyst
            self.names |= analyst.selectors_of(plan)
            if not plan.is_polled:
                self._told.add(item)
                return
            self._integrator.changes.note()
            self.are_polled[item] = analyst.comparison(item)
            if analyst.looks_at_lists(plan):
                self._listing[item] = None

    def leave_alone(self, item: Member | Condition) -> None:
        """Check it no longer."""
        self.are_polled.pop(item, None)
        self._told.pop(item, None)
        self._listing.pop(item, None)

    @property
    def looks_at_lists(self) -> bool:
        """Whether lists that laws or conditions read have to be checked for changes after every event."""
        return bool(self._listing)

    def catch_up(self) -> None:
        """Plan again whatever has changed, but for what only a search finds."""
        if self.are_polled or self._integrator.changes.references:
            self.renew()
        if not self.stands():
            self.renew_code()

    def note_code(self) -> None:
        """Note what new code was made with, before Python code continues, which may change that."""
        if self.is_pending:
            self.stands()

    def renew_code(self) -> None:
        """If something has changed that code was made with, plan again all that depends on it."""
        analyst, guards = self._integrator.analyst, self._integrator.guards
        if not analyst.forget_constants():
            return
        guards.return_rows(None)  # as below
        self._integrator.groups.renew(
            [owner for owner in self._integrator.groups.members() if not analyst.is_law_current(owner)]
        )
        for condition in list(guards.at.values()):
            if condition.row >= 0 and not analyst.is_condition_current(condition, condition.plan):
                guards.renew(condition)
        self._integrator.native_handlers.renew_all()
        self.note_code()

    def renew(self) -> None:
        """Plan again what refers to other objects, lists or numbers than before."""
        items = [item for item, stands in self.are_polled.items() if stands is None or not stands()]
        analyst, guards = self._integrator.analyst, self._integrator.guards
        if items:
            guards.return_rows(None)  # plans compare the classes of processes
        if self._integrator.changes.references:
            members = list(self._integrator.groups.members())
            told = [owner for owner in members if owner._class_plan.signature and not owner._class_plan.is_polled]
            items += [*told, *self._told]
            for owner in members:
                if owner._class_plan.unread:
                    self._integrator.groups.ordering.forget_observed(owner)
        if self._integrator.changes.references:
            self._integrator.native_handlers.renew()
        self._integrator.changes.references = False
        owners = [item for item in items if not isinstance(item, Condition)]
        self._integrator.groups.renew([owner for owner in owners if not analyst.is_law_current(owner)])
        for item in items:
            if isinstance(item, Condition) and (item in self.are_polled or item in self._told):
                if not analyst.is_condition_current(item, item.plan):
                    guards.renew(item)
                elif item in self.are_polled:
                    self.are_polled[item] = analyst.comparison(item)


def _always() -> bool:
    return True
