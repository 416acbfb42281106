"""What code refers to outside itself: numbers and functions of modules, what classes have by a name, defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import copysign
from typing import Any, Final


class _Absent:
    """Nothing stands there."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
PARTS: Final = ("__code__", "__defaults__", "__kwdefaults__")
"""What may become another in a function that stays the same."""


@dataclass(frozen=True)
class Constant:
    """What code refers to outside itself, and what it found there when it was lowered.

    A number or function of a module, what a class has by a name, the defaults of a function.
    where           the module, class or function, for people
    value           ABSENT where there was nothing by that name, as in a module that shadows no builtin
    holder          where to look again: a dict of names, or an object whose attribute is meant
    is_attribute    which of the two
    """

    where: str
    name: str
    value: object
    holder: Any = field(repr=False, compare=False)
    is_attribute: bool = field(default=False, repr=False, compare=False)

    @property
    def present(self) -> object:
        """What is found there now."""
        return getattr(self.holder, self.name, ABSENT) if self.is_attribute else self.holder.get(self.name, ABSENT)

    @property
    def is_current(self) -> bool:
        """Whether it still stands like that."""
        now = self.present
        return now is self.value or same_number(now, self.value)


def same_number(value: object, other: object) -> bool:
    """Whether two values are numbers of one type and equal; NaN equals NaN, and 0.0 is not -0.0."""
    if type(value) is not type(other) or not isinstance(value, int | float):
        return False
    if value == 0 == other:
        return copysign(1.0, value) == copysign(1.0, other)
    return bool(value == other or (value != value and other != other))
