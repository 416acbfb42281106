"""Where Python can continue a process in the text of a body, and what surrounds that point."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from types import CodeType

    from eventide.bodies.frames import Frame
    from eventide.bodies.operands import Kind, Thing


class Point(NamedTuple):
    """Where Python continues a process.

    place   of the twin
    frame   in whose text it is
    loops   around it there, the outermost first
    blocks  around it there, the outermost first, whose requests end with them
    handlers    of interrupts around it there, the outermost first
    outer   where the generator stands that goes through this one by `yield from`; None for that of the process
    choices     whose outcomes have a variable there
    choice      that it waits for; None in another wait
    gathered    the names of the things for all of which it waits
    got         the variables of the kernel with the stores from one of which it gets an item that has a variable
    told        what expressions of the statement have given
    is_answer   whether it gets what the process has returned for which it waits
    """

    place: int
    frame: Frame
    loops: tuple[Loop, ...]
    blocks: tuple[Block, ...] = ()
    handlers: tuple[Handler, ...] = ()
    outer: Point | None = None
    choices: tuple[Choice, ...] = ()
    choice: Choice | None = None
    gathered: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    is_answer: bool = False

    @property
    def chain(self) -> list[Point]:
        """The points of all generators that stand there, that of the process first."""
        return [self] if self.outer is None else [*self.outer.chain, self]

    @property
    def all_handlers(self) -> list[Handler]:
        """The handlers around it, the outermost first."""
        return [handler for point in self.chain for handler in point.handlers]


class Told(NamedTuple):
    """What an expression of a statement has given before Python executes this: the variable of the kernel with that.

    is_numpy whether it is of a class of numpy's own
    whole   of what is now a whole number, now a float: the variable that says which
    """

    node: ast.expr
    kind: Kind
    is_numpy: bool
    column: str
    whole: str = ""

    def value(self, texts: Mapping[str, float]) -> object:
        """What it was, of its own type."""
        found = texts[self.column]
        if self.is_numpy:
            return np.int64(found) if self.kind == "int" else np.bool_(found)
        if self.kind == "mixed":
            return int(found) if texts[self.whole] else found
        return bool(found) if self.kind == "bool" else found


class PythonCall(NamedTuple):
    """A call that Python makes while the process stays in its row.

    node    in the text
    code    as of `Twin.carrier_of`
    amid    the state in which a generator stands in the middle of it
    behind  that in which native code goes on
    """

    node: ast.Call
    code: CodeType
    amid: int
    behind: int

    def reads_any(self, names: Container[str]) -> bool:
        """Whether it reads one of some variables."""
        return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(self.node))


class Block(NamedTuple):
    """The block of a `with`: what its twin calls by its number, the variable of its request, and where that may be.

    outcome     the variable of the outcome whose value the request is; "" for a request with a variable of its own
    """

    item: ast.withitem
    name: str
    stations: tuple[str, ...]
    outcome: str = ""


class Choice(NamedTuple):
    """A wait for the first of several things.

    number      in the text
    words       the names of these
    name        the variable of its outcome; "" without one
    asked       which of them is a request; -1 for none
    request     the variable of that request, or what stands for one
    is_own      whether the command makes the request, so that only the outcome leads to it
    moves       which of them is a put into a container or a get; -1 for none
    inventories, side   the variables of the kernel with the containers of which it is one, and "puts" or "gets"
    watched     which of them are waits for states, with the variables of their guards
    """

    number: int
    words: tuple[str, ...]
    name: str
    asked: int
    request: str
    is_own: bool
    moves: int = -1
    inventories: tuple[str, ...] = ()
    side: str = ""
    watched: tuple[tuple[int, str], ...] = ()


class Handler(NamedTuple):
    """A handler of interrupts: its `try`, the variable of the exception, "" for none, and its number in the text."""

    statement: ast.Try
    name: str
    number: int


class Loop(NamedTuple):
    """A loop over a range, or over the items of a list or a tuple.

    number      in the text
    step        of the range; 0 for items
    members     the lists, or the only one, of objects that stay as they are; none for numbers
    start       the number of the first item, where `enumerate` counts them
    zipped      where it goes through several at once, the variables of the kernel with these, and what they are
    """

    number: int
    step: int
    statement: ast.For
    members: tuple[Thing, ...] = ()
    start: int | None = None
    zipped: tuple[tuple[str, Thing], ...] = ()
