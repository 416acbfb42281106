"""What names and attributes stand for, before they are read: slots of objects, numbers, properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.continuous.components.reference import slot_name
from eventide.lowering.translation.values import Function, Item, Path, Ref

if TYPE_CHECKING:
    from eventide.lowering.kernels.lowered import Row

ROLES: Final[dict[str, Row]] = {
    "state": "state",
    "computed": "computed",
    "sum": "sum",
    "field": "parameter",
    "vector": "state",
    "computed vector": "computed",
}


@dataclass(frozen=True)
class Place:
    """A slot of an object, in one of its rows."""

    owner: Ref
    row: Row
    name: str
    offset: int
    kind: type = float


@dataclass(frozen=True)
class ClosureNumber:
    """A number that a condition closes over, by its position among them."""

    index: int
    kind: type
    is_numpy: bool = False


@dataclass(frozen=True)
class PassedNumber:
    """A number that is stored in no slot, and is passed to the kernel with its value after each event.

    element     the operand that counts the items, if the path goes through a list
    """

    path: Path
    kind: type
    element: str | None
    is_numpy: bool = False


@dataclass(frozen=True)
class PropertyRead:
    """A property, to be followed like a method."""

    function: Function


@dataclass(frozen=True)
class ModePlace:
    """A field that holds a mode, with the slot of its number."""

    kind: type
    path: Path
    place: Place


Found: TypeAlias = Item | Place | ModePlace | ClosureNumber | PassedNumber | PropertyRead
"""What a name or attribute stands for, before it is read."""


def place_of(ref: Ref, name: str) -> Place:
    """The slot behind a declared name of a component."""
    layout = ref.sample._layout
    spec = layout.fields[name]
    kind = spec.annotation if spec.role == "field" else float
    return Place(ref, ROLES[spec.role], name, layout.offsets[name], kind)


def mode_of(ref: Ref, name: str) -> ModePlace:
    """A field that holds a mode."""
    kind: type = ref.sample._layout.fields[name].annotation
    return ModePlace(kind, (*ref.path, name), place_of(ref, slot_name(name)))
