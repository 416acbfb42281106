"""Levels and tallies kept by rows: reading one gives what Python would have.

To look at a statistic returns no process to Python. It has its state and its class again until rows go on; then rows
take it over as it is by then. A level whose values are whole numbers, of one type, goes away; rows keep it by the same
sums in the same order as `statistics/` does.
"""

from __future__ import annotations

from math import copysign
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.bodies.operands import KINDS
from eventide.discrete.resources.away_inventories import has_plain_amount, item_type
from eventide.discrete.resources.container import Container
from eventide.discrete.resources.store import Store
from eventide.statistics import Level
from eventide.statistics.level import state_of
from eventide.statistics.ownership import is_kept

if TYPE_CHECKING:
    from eventide.bodies.operands import Kind
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.resources.transfer import Inventory
    from eventide.discrete.world import World

Kept: TypeAlias = "Resource | Inventory | Level"
"""What rows may keep."""
MOST: Final = 2048
"""Values from here on are Python's."""


def kind_of(level: Level) -> Kind | None:
    """The type of the values of a level, if rows can keep them; None if not."""
    state = state_of(level)
    if state is None or len(state.held) >= MOST:
        return None
    values = [state.value, *state.held]
    if all(type(value) is int for value in values):
        kind: Kind = "int"
    elif all(type(value) is float and value.is_integer() and copysign(1.0, value) > 0.0 for value in values):
        kind = "float"
    else:
        return None
    return kind if all(0 <= value < MOST for value in values) else None


def kind_of_content(inventory: Container | Store) -> Kind | None:
    """The type of the amount of a container or of the items of a store, if rows can have these; None if not."""
    if isinstance(inventory, Store):
        found = item_type(inventory)
        return None if found is None else KINDS.get(found, "object")
    if not has_plain_amount(inventory):
        return None
    return "int" if type(inventory.amount) is int else "float"


def is_of(level: object, kind: Kind, world: World) -> bool:
    """Whether something is a level of a simulation with values of a type, or an inventory with such a content.

    A level that a resource or an inventory keeps is none: others may not set it.
    """
    if isinstance(level, Container | Store):
        return level.sim is world and kind_of_content(level) == kind
    is_like = type(level) is Level and kind_of(level) == kind and not is_kept(level)
    return is_like and object.__getattribute__(level, "_clock") is world
