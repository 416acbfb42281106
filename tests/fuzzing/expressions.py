"""Expressions and conditions of random programs, as plain data."""

from __future__ import annotations

from dataclasses import dataclass

Path = tuple[str, ...]
"""Names with dots between them: ("self", "mate", "x"), ("n0", "x")."""

# --- expressions ------------------------------------------------------------------------------------------------------


@dataclass
class Num:
    value: float


@dataclass
class Read:
    path: Path


@dataclass
class Time:
    pass


@dataclass
class Bin:
    op: str
    left: Expr
    right: Expr


@dataclass
class Call:
    """A function of the standard library: sin, cos, tanh, abs, min, max, sqrt."""

    name: str
    args: list[Expr]


@dataclass
class Whole:
    """A whole number made of an expression, or of its quotient by a number: floor, ceil, round, numpy, //; or %."""

    word: str
    inner: Expr
    divisor: float = 1.0


@dataclass
class Choice:
    """`then if test else other`."""

    test: Test
    then: Expr
    other: Expr


@dataclass
class Apply:
    """A call of the function that stands in a field."""

    path: Path
    argument: Expr


@dataclass
class Gather:
    """A sum over the objects of a list: `sum(member.x * factor for member in self.mates)`."""

    path: Path
    name: str
    factor: float


@dataclass
class Total:
    """The sum of the items of a vector."""

    path: Path
    size: int


@dataclass
class Rate:
    """The rate of a state."""

    path: Path


@dataclass
class Stock:
    """How much there is of what processes share: free units, an amount, a number of things."""

    name: str


@dataclass
class Local:
    """A local name of a process."""

    name: str


@dataclass
class Global:
    """A number of the module."""

    name: str


SEEN = 0.25
"""A condition that only Python can test is tested in the middle and at the end of a step. Programs with such conditions
make steps of at most twice this time, and what one is for less than this time may stay unseen."""


@dataclass
class Opaque:
    """An expression in a form that has no native code."""

    inner: Expr


@dataclass
class Cmp:
    op: str
    left: Expr
    right: Expr


@dataclass
class Both:
    """Two tests joined by `and` or `or`."""

    word: str
    left: Test
    right: Test


@dataclass
class Crosses:
    """A passage through a level: of handlers and waits only. direction: "up", "down", "either"."""

    value: Expr
    level: Expr
    direction: str


Expr = Num | Read | Time | Bin | Call | Whole | Choice | Apply | Gather | Total | Rate | Stock | Local | Global | Opaque
Test = Cmp | Both | Crosses
