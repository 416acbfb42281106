"""What the expressions of a body give: operands of its kernel, with what is known of them, and objects of Python."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import inf
from operator import attrgetter, getitem, itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np

from eventide.discrete.world import World
from eventide.reading import common

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable


Path: TypeAlias = "tuple[str | int, ...]"
Step: TypeAlias = "Callable[[Any], object]"
"""What finds something where it has its owner."""
Kind: TypeAlias = Literal[
    "int", "float", "bool", "int64", "object", "none", "mixed", "int?", "float?", "bool?", "mixed?"
]
"""Of a variable of a row; that of an object of Python is its address, and mixed is now a whole number, now a float;
int64 is a whole number of numpy's, which an operand has as an int that is numpy's.

With a question mark it is such a number, or None; "none" is a variable of which nothing but that is known.
"""
OPTIONAL: Final[dict[Kind, Kind]] = {"int": "int?", "float": "float?", "bool": "bool?", "mixed": "mixed?"}
"""By the kind of a number that of one that may be None."""
VARYING: Final[tuple[Kind, ...]] = ("mixed", "none", *OPTIONAL.values())
"""Of variables of several types."""
_SURE: Final = {may: kind for kind, may in OPTIONAL.items()}

KINDS: Final[dict[type, Kind]] = {int: "int", float: "float", bool: "bool"}
"""The types of Python whose values a row keeps as numbers."""


class Handed(NamedTuple):
    """Stands for an object that a process is given by its maker, another one each time; with one like it, or None."""

    sample: object = None


class Either:
    """Stands for a number that a process is given, now a whole one, now a float."""


HANDED: Final = Handed()
EITHER: Final = Either()
SAMPLES: Final[dict[Kind, object]] = {
    "int": 0, "float": 0.0, "bool": False, "mixed": EITHER, "int64": np.int64(0), "object": HANDED,
}  # fmt: skip
"""A value of each, or what stands for one."""
GIVEN: Final[dict[type, Kind]] = {type(value): kind for kind, value in SAMPLES.items()}
"""The other way round."""
NOTHING: Final = 2
"""What a row has for None where it has 1 for a whole number and 0 for another one."""
WIDE: Final = 2**62
"""Whole numbers of a row are smaller, so that the sum of two does not overflow."""
EXACT: Final = common.EXACT
MOST_TURNS: Final = 8
"""Of a loop in what is called."""
LARGEST: Final = 1.7976931348623157e308


class Unknown(Exception):
    """A statement is left to Python; the message says why, and `node` where."""

    def __init__(self, why: str, node: ast.AST | None = None) -> None:
        super().__init__(why)
        self.node = node


class Known(TypedDict, total=False):
    """What is known of a number besides its kind."""

    low: float
    high: float
    is_number: bool
    among: tuple[Thing, ...]


class Operand(NamedTuple):
    """A number that the kernel has, or the address of an object that is not the same for all rows.

    text        a name or a constant
    is_early    whether it is known before the statement has had its first effect
    low, high   between which it lies, these included, if it is a number at all
    is_number   whether it is known to be no NaN
    among       of the address of an object, of which objects it is one; nothing if that is not known
    whole       of what is mixed, which is there as a float: whether it is a whole number, up to `EXACT`
    is_numpy    whether it is of a class of numpy's own: only what takes it as a number knows it
    is_borrowed of the address of an object, whether only an attribute keeps that
    none        whether it is None: "True" for that itself, "" where it is not, or not told
    sample      of the address of an object: one like it, or None
    """

    text: str
    kind: Kind
    is_early: bool = True
    low: float = -inf
    high: float = inf
    is_number: bool = False
    among: tuple[Thing, ...] = ()
    whole: str = ""
    is_numpy: bool = False
    is_borrowed: bool = False
    none: str = ""
    sample: object = None

    @property
    def is_made(self) -> bool:
        """Whether it is the address of an object that surely exists: others may be plain ones to be made later."""
        return self.low > 0.0

    @property
    def is_constant(self) -> bool:
        """Whether it is written in the text of the kernel."""
        return self.is_number and self.low == self.high and not self.text.isidentifier()


STREAM, KEY, ITSELF = ":", "[", "="
"""What the step of a path to a stream of a simulation, or to what a dictionary has at a place in its order, begins
with, before the name or the place, and the step to a method itself, not to what it draws from: no attribute is called
so."""


class Thing(NamedTuple):
    """An object of Python that is the same whenever a row comes here.

    root    the local variable that refers to it, or to what it was reached from; "" if all rows have the same
    path    the attributes from there to it, or places in a list, or names of streams
    value   what it is in the generator that was looked at
    """

    root: str
    path: Path
    value: Any

    def found(self, values: Mapping[str, object]) -> Any:
        """What it is where local variables have some values."""
        return reduce(step, self.path, values[self.root]) if self.root else self.value


def step(owner: object, name: str | int) -> object:
    """What an object has by a name, or a list at a place, or a simulation as a stream, or a dictionary in its order."""
    if name.__class__ is str and name[:1] == STREAM:
        if not isinstance(owner, World):
            raise AttributeError(name)
        return World.stream(owner, name[1:])
    if name.__class__ is str and name[:1] == KEY:
        return [*owner.values()][int(name[1:])]  # type: ignore[attr-defined]  # a dictionary
    if name == ITSELF:
        return owner
    return getitem(owner, name) if isinstance(name, int) else getattr(owner, name)  # type: ignore[call-overload]  # a list


def step_to(name: str | int) -> Step:
    """What makes such a step."""
    if isinstance(name, int):
        return itemgetter(name)
    return attrgetter(name) if name[:1] not in (STREAM, KEY, ITSELF) else lambda owner: step(owner, name)


def sure(kind: Kind | None) -> Kind:
    """The kind of a number that is not None; "object" for a variable of no kind."""
    return _SURE.get(kind, kind) if kind is not None else "object"


def local(key: str, kind: Kind, among: tuple[Thing, ...]) -> Operand:
    """A variable of a row."""
    whole = f"(i_{key} == 1)" if sure(kind) == "mixed" else ""
    none = f"(i_{key} == {NOTHING})" if kind in _SURE else ""
    if kind == "int64":
        return Operand(f"v_{key}", "int", is_numpy=True)
    return Operand(f"v_{key}", kind, among=among, whole=whole, none=none)


def as_kept(operand: Operand, node: ast.AST | None = None) -> Operand:
    """A number as a variable gets it, which keeps its class. Raises Unknown for other numbers of numpy's than whole."""
    if not operand.is_numpy:
        return operand
    if operand.kind != "int":
        raise Unknown("of numpy's own numbers a variable that is native has whole ones", node)
    return operand._replace(kind="int64", is_numpy=False)


def constant(value: float) -> Operand:
    """A number of the text. Raises Unknown for one that rows cannot have."""
    kind = KINDS[type(value)]
    if kind == "int" and not -WIDE < value < WIDE:
        raise Unknown(f"{value} is too large a whole number")
    if value != value or value in (inf, -inf):
        raise Unknown(f"{value} has no text")
    number = float(value)
    return Operand(repr(value), kind, low=number, high=number, is_number=True)
