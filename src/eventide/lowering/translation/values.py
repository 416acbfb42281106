"""What an expression can stand for while it is lowered: a number in the kernel, or something known beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from eventide.lowering.not_compilable import Unlowerable
from eventide.native.ir import real

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType, ModuleType

    from eventide.enclosures.guard_expressions import GuardExpression
    from eventide.enclosures.trees import BooleanTree
    from eventide.lowering.kernels.lowered import Row

Path: TypeAlias = tuple[str, ...]
"""How an object is reached from what is lowered: a name in scope, then attributes; "*" for every item of a list."""

Kind: TypeAlias = Literal["int", "whole", "float"]
"""int: 64 bits; whole: a double that is a whole number, as `int(x)` makes it; float: a double.

An int or a whole is Python's number exactly, or it has been noted that Python is to be asked."""

Span: TypeAlias = tuple[int, int]

LARGEST_INT: Final = 2**63
EXACT: Final[Span] = (1 - 2**53, 2**53 - 1)
"""Whole numbers of which each has a double of its own, that no other is rounded to."""
COUNTABLE: Final[Span] = (-(2**52), 2**52)
"""Where loops count: beyond, none would ever end."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the kernel.

    slope       its derivative by time; None if it does not move within a step, NAN if the derivative is not to be had
    known       its value, if that is known already
    span        of a whole number of 64 bits: the least and the greatest that it can be, if that is known
    is_numpy    whether it is numpy's double: `sum` adds those up without compensation
    form        how it moves, if that can be told; see `guard_expressions.py`
    is_mixed    whether it may be a whole number in Python, although it is a double here
    """

    text: str
    kind: Kind
    slope: str | None = None
    known: float | None = None
    span: Span | None = None
    is_numpy: bool = False
    form: GuardExpression | None = None
    is_mixed: bool = False

    @property
    def extent(self) -> Span | None:
        """The span, also of a number that is known."""
        if self.kind == "int" and self.known is not None:
            return int(self.known), int(self.known)
        return self.span

    @property
    def has_double(self) -> bool:
        """Whether it surely has a double of its own, which `Arithmetic.double` gives."""
        if self.known is not None and self.kind != "float":
            return int(float(self.known)) == self.known
        return self.kind != "int" or is_within(self.span, EXACT)


@dataclass(frozen=True, slots=True)
class Boolean:
    """A Boolean of the kernel.

    guide       a number that is >= 0 where it is true and <= 0 where it is false; None if there is none
    slope       the guide's derivative, as for numbers
    is_numpy    whether it is numpy's, of which two are not added up as numbers
    tree        the comparisons it is joined of; None if they are not known
    """

    text: str
    guide: str | None = None
    slope: str | None = None
    known: bool | None = None
    is_numpy: bool = False
    tree: BooleanTree | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """None."""


@dataclass(frozen=True, slots=True)
class Void:
    """The value of a path that ends in a call of Python: it is not used."""


@dataclass(frozen=True, slots=True)
class Items:
    """A tuple written in the code."""

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """An object that exists while the kernel is made; another of its class may stand in its place later.

    sample      the object
    element     the operand that counts the items, if the path goes through a list
    """

    path: Path
    sample: Any
    element: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ref) and (self.path, self.element) == (other.path, other.element)

    def __hash__(self) -> int:
        return hash((self.path, self.element))


@dataclass(frozen=True, slots=True)
class View:
    """`rate` or `last` of a component."""

    owner: Ref
    row: Literal["rate", "last"]


@dataclass(frozen=True, slots=True)
class Slot:
    """The `Variable` behind one name of a component, or a loose one."""

    owner: Ref
    name: str


@dataclass(frozen=True, slots=True)
class Clock:
    """The simulation: time, dt and last_time."""


@dataclass(frozen=True, slots=True, eq=False)
class ObjectList:
    """A list, tuple or queue of components, which may be longer or shorter later."""

    path: Path
    items: tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A dictionary: its items are found by keys that are written out, and by modes.

    path    where it is found; empty for one that is written in the code, of which the items are known
    """

    path: Path
    items: dict[object, Any]


@dataclass(frozen=True, slots=True)
class AppendTarget:
    """A list into which something is put."""

    path: Path


@dataclass(frozen=True, slots=True)
class Table:
    """A list, tuple or array of numbers.

    kind        of all of them
    array_size  how many numbers an array has, if it can be computed with; None for lists
    """

    path: Path
    kind: type
    array_size: int | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """The slots of a vector of a component.

    offset      of its first item, from the first of the object
    length      of the whole vector
    """

    owner: Ref
    row: Row
    name: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Buffer:
    """Memory of the kernel for the length of a call.

    slopes      where the derivatives of its numbers are kept; None if they do not move
    is_truth    whether it keeps Booleans, as 1.0 and 0.0
    """

    address: str
    slopes: str | None = None
    is_truth: bool = False


@dataclass(frozen=True, slots=True)
class Vector:
    """Numbers in memory, as numpy's views are: item k is number `start + step * k` there."""

    memory: Stored | Buffer | Table
    start: int
    step: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Formula:
    """Numbers that are computed one by one where they are wanted, instead of an array of numpy's for each operation.

    at          writes the instructions for one of them
    sources     what in memory they are computed from
    epoch       how much had been written when the formula was made: after that it would see what it should not
    """

    count: int
    at: Callable[[Number], Number | Boolean]
    sources: tuple[Vector, ...]
    epoch: int


@dataclass(frozen=True, slots=True)
class VectorMethod:
    """A method of an array, not yet called."""

    vector: Vector | Formula
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with a body to follow.

    path    where the function object is found, for what it closes over; None if it is found through a class
    owner   what a method is bound to
    """

    function: FunctionType
    path: Path | None = None
    owner: Ref | None = None


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function of Python's own, of `math` or of `builtins`."""

    function: Callable[..., object]


@dataclass(frozen=True, slots=True)
class Module:
    """A module, for the names in it."""

    module: ModuleType


@dataclass(frozen=True, slots=True)
class SuperRef:
    """`super()`: what the classes above the present one define."""

    owner: Ref
    cls: type


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """Anything else: it may be named, and nothing can be done with it."""

    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A text or a member of an enumeration, found at a path: it may be compared, and does not move within a step.

    value   what it is now; number: the operand with its number, if it is a mode
    """

    kind: type
    path: Path
    value: object = None
    number: str = ""


Item: TypeAlias = (
    Number
    | Boolean
    | Nothing
    | Void
    | Items
    | Ref
    | View
    | Slot
    | Clock
    | ObjectList
    | AppendTarget
    | Mapped
    | Table
    | Vector
    | Formula
    | VectorMethod
    | Function
    | Builtin
    | Module
    | SuperRef
    | Opaque
    | Token
)


def is_within(span: Span | None, limits: Span) -> bool:
    """Whether a number is known to be between two others."""
    return span is not None and limits[0] <= span[0] <= span[1] <= limits[1]


def constant(value: float) -> Number | Boolean:
    """A number that is known beforehand.

    Raises Unlowerable for a whole number that no float can hold.
    """
    if isinstance(value, bool):
        return Boolean("true" if value else "false", known=value)
    if isinstance(value, int):
        if -LARGEST_INT <= value < LARGEST_INT:
            return Number(str(int(value)), "int", known=value)
        try:
            return Number(real(float(value)), "whole", known=value)
        except OverflowError:
            raise Unlowerable("this whole number is larger than any float") from None
    return Number(real(value), "float", known=float(value), is_numpy=type(value).__name__ == "float64")


WORDS: Final[dict[type, str]] = {
    Nothing: "None",
    Items: "a tuple",
    Ref: "an object",
    View: "all rates or last states",
    Slot: "a Variable",
    Clock: "the simulation",
    ObjectList: "a list",
    Table: "a list of numbers",
    AppendTarget: "a list",
    Mapped: "a dictionary",
    Vector: "a vector",
    Formula: "a vector",
    VectorMethod: "a method of an array",
    Function: "a function",
    Builtin: "a function",
    Module: "a module",
    SuperRef: "super()",
}


def literal(value: bool) -> Boolean:
    """A Boolean that is known beforehand."""
    return Boolean("true" if value else "false", known=value)


def describe(item: Item) -> str:
    """What an item is, in words."""
    if isinstance(item, Token):
        return f"a {item.kind.__name__}"
    if isinstance(item, Opaque):
        return item.value if isinstance(item.value, str) else f"{item.value!r}"
    if isinstance(item, Ref):
        return f"a {type(item.sample).__name__}"
    if isinstance(item, Builtin):
        return f"{getattr(item.function, '__name__', item.function)}"
    return WORDS.get(type(item), "a number")


def why_unknown(function: object) -> str:
    """Why a function cannot be called in native code."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    home = getattr(function, "__module__", None) or type(function).__module__
    if home.partition(".")[0] == "numpy":
        return f"numpy's {name} is not followed: use the one of math"
    if isinstance(function, type):
        return f"objects ({name}) are not made between events"
    return f"{name} is not followed: only functions of numbers, and functions with a source"
