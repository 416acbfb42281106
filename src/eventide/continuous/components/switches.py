"""Comparisons of laws as monitored conditions: one for each located comparison of each object."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from eventide.discrete.conditions.condition import ComponentCondition

if TYPE_CHECKING:
    from types import FunctionType

    from eventide.continuous.components.component import Continuous
    from eventide.reading.constants import Constant


@dataclass(frozen=True)
class Branch:
    """A comparison in a law that is located.

    name        of the slot of its outcome
    condition   of an object: true where the comparison is not what the slot says
    file, line, text    where it stands; law: in which function
    is_timed    whether it reads nothing that moves but the time
    whole       of what jumps between whole numbers: the name of the slot of the present one
    """

    name: str
    condition: FunctionType
    file: str
    line: int
    text: str
    law: str
    is_timed: bool
    whole: str = ""

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of its slots."""
        return (self.name, self.whole) if self.whole else (self.name,)


@dataclass(frozen=True)
class Unlocated:
    """What branches, bends or jumps in a law and is not located, and why; `is_timed` if it may jump by the time."""

    file: str
    line: int
    text: str
    law: str
    why: str
    is_timed: bool = False


@dataclass(frozen=True)
class Branches:
    """What branches in the laws of a class.

    smooth  what may branch and is not located, and is smooth as the class says
    facts   what names stood for when that was found
    asks, reserved  whether laws call functions to which fields refer, and slots for what is located in these
    void    the names of those that are located and stand in code that the laws do not call any more
    """

    located: tuple[Branch, ...] = ()
    unlocated: tuple[Unlocated, ...] = ()
    smooth: tuple[Unlocated, ...] = ()
    facts: tuple[Constant, ...] = ()
    void: frozenset[str] = frozenset()
    asks: bool = False
    reserved: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of all slots of outcomes."""
        return (*(name for branch in self.located for name in branch.slots), *self.reserved)

    def beside(self, before: Branches) -> Branches:
        """The same of objects that have slots for what was located before."""
        void = {one.name for one in before.located} - ({one.name for one in self.located} - self.void)
        return replace(self, located=before.located, reserved=before.reserved, void=frozenset(void))


class Switch(ComponentCondition):
    """A comparison in the law of an object: true where it is not what it was at the start of the step.

    It is in no list of waits, and causes no event: the stepper continues with the new outcome of the comparison.
    """

    __slots__ = ("__weakref__", "branch")
    is_switch = True

    component: Continuous

    def __init__(self, component: Continuous, branch: Branch) -> None:
        super().__init__(component, partial(branch.condition, component), 0.0)
        self.function, self.arguments = branch.condition, (component,)
        self.branch = branch

    @property
    def name(self) -> str:
        """Where it stands in whose law."""
        return f"`{self.branch.text}` in {self.component.name}.{self.branch.law}"

    @property
    def slot(self) -> int:
        """Of its outcome."""
        return self.component._layout.slot(self.component, self.branch.name)

    @property
    def whole(self) -> int:
        """The slot of the whole number that it is about; -1 if it is about none."""
        return self.component._layout.slot(self.component, self.branch.whole) if self.branch.whole else -1
