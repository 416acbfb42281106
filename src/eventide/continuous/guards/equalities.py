"""Conditions that compare by == or != what moves between events: true, or false, at single floats only.

The clock almost never stops at one of these, so such a condition becomes true by chance, or where an event sets
exactly that number; a warning says so.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NamedTuple

from eventide.errors import EqualityWarning

if TYPE_CHECKING:
    from eventide.continuous.flows.grouping import Grouping
    from eventide.discrete.conditions.condition import Condition


class Equality(NamedTuple):
    """A comparison by == or !=, where it stands, and the slots of the states of which it is made."""

    file: str
    line: int
    text: str
    slots: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f"`{self.text}` compares what moves between events by == or !=: single floats make it equal, which a step "
            "meets by chance, unless an event sets them. Write `ev.crosses(lambda: ..., level)` for a passage, or "
            "compare by >= or <="
        )


def moving_equalities(condition: Condition, groups: Grouping) -> list[Equality]:
    """The comparisons of a condition, which is in its flow, that read a state whose rate some law there sets."""
    if not condition.plan.equalities:
        return []
    moves: set[int] = set()  # asked for membership only
    for owner in condition.flow.owners():
        moves.update(groups.plan_of(owner).moves)
    return [equality for equality in condition.plan.equalities if any(slot in moves for slot in equality.slots)]


class Doubts:
    """Warns of such comparisons, once for each place in the text."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, int], None] = {}

    def tell(self, condition: Condition, groups: Grouping) -> None:
        """Warn of the comparisons of a placed condition, each at the user's line."""
        for equality in moving_equalities(condition, groups):
            where = equality.file, equality.line
            if where not in self._told:
                self._told[where] = None
                warnings.warn_explicit(EqualityWarning(str(equality)), None, *where)
