"""Fields of continuous components that refer to other objects: setting one announces the change to the flows.

So after an event only what may have changed is checked, not a thousand other objects.

Modes are fields that hold a text or a member of an enumeration, with a slot beside each by which native code knows it.
In: what such a field is set to. Out: the number in the slot. What is set stands among the object's own attributes, as
any; invariant: where native code reads the slot, it has the number of the token in code to which that is equal, or one
below zero where it is equal to none there. Native code compares the number, and sets both (`translation/handlers.py`).
Numbers follow from code alone, so that all simulations of a process share its kernels.
"""

from __future__ import annotations

from enum import Enum, Flag
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member

NUMBERS: Final[dict[object, float]] = {}
"""The number of each text with which code compares modes, or to which it sets them."""
_TEXTS: Final[dict[float, str]] = {}
"""These texts by their numbers."""


def is_mode(annotation: object) -> TypeGuard[type]:
    """Whether fields of an annotation hold modes: texts, or members of an enumeration, each equal to itself only."""
    if not isinstance(annotation, type):
        return False
    if issubclass(annotation, Flag):  # its members make others
        return False
    return annotation is str or (issubclass(annotation, Enum) and annotation.__eq__ is object.__eq__)


def slot_name(name: str) -> str:
    """By what name the slot beside a field is known; no name of a user's is like that."""
    return f"{name} as a number"


def number_of(token: object) -> float:
    """The number of a token in code, among those of its type: the same in all processes, but where texts clash.

    Kernels are kept in files by their texts, which have the numbers in them.
    """
    if isinstance(token, Enum):
        return _numbers_of(type(token))[token]
    assert isinstance(token, str)
    number = _digest(token)
    while _TEXTS.setdefault(number, token) != token:
        number += 1.0
    NUMBERS[token] = number
    return number


def _digest(token: object) -> float:
    """The number of a text, but where texts clash; below zero it is that of one which no code has."""
    return float(int.from_bytes(blake2b(str(token).encode(errors="replace"), digest_size=6).digest()) + 1)


def _numbers_of(enumeration: type[Enum]) -> dict[object, float]:
    """By their order: an enumeration that is made again, as in a notebook, has the same."""
    return {member: float(k) for k, member in enumerate(enumeration, start=1)}


class Reference:
    """A field of a class: its values stand among the object's own attributes, and only setting it comes by here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set__(self, owner: Member, value: object) -> None:
        """Set it; laws and conditions that refer to another object through it are planned again."""
        attributes = owner.__dict__
        if self.name in attributes and attributes[self.name] is not value:
            owner._system.integrator.changes.note_reference()
        attributes[self.name] = value

    def __delete__(self, owner: Member) -> None:
        """Delete it, as any attribute."""
        try:
            del owner.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None
        owner._system.integrator.changes.note_reference()


class Mode(Reference):
    """Such a field of a class."""

    def __init__(self, name: str, offset: int, annotation: type, tell: Callable[[Continuous, float], None]) -> None:
        super().__init__(name)
        self.offset = offset
        self.annotation = annotation
        self._numbers = NUMBERS if annotation is str else _numbers_of(annotation)
        self._tell = tell

    def fits(self, owner: Continuous) -> bool:
        """Whether native code may go by the number, which is that of the present mode then, however it was set."""
        value = owner.__dict__.get(self.name)
        if type(value) is not self.annotation:
            return False
        slot, row = owner._side + self.offset, owner._row
        number = self._numbers.get(value) or -_digest(value)
        if row[slot] == number:
            return True
        # Where the object is new, or code with this token, that of another simulation may be, nothing has changed.
        is_new = row[slot] == 0.0 or (row[slot] < 0.0 and (number < 0.0 or row[slot] == -_digest(value)))
        if is_new or owner._flow.integrator.is_observed:
            row[slot] = number
        else:
            self._tell(owner, number)
        return True
