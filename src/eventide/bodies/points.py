"""Where in the text of a body Python goes on with a process, and what is around it there."""

from __future__ import annotations

import ast
from typing import Literal, NamedTuple


class Point(NamedTuple):
    """Where Python continues a process.

    place   of the twin
    loops   around it, the outermost first
    does    whether it waits at a `yield`, is to execute a statement, or has evaluated what it yields: by itself or as
            the argument of `hold`
    blocks  around it, the outermost first, whose requests end with them
    handlers    of interrupts around it, the outermost first
    """

    place: int
    loops: tuple[ast.For, ...]
    does: Literal["waits", "executes", "yields", "holds"]
    blocks: tuple[Block, ...] = ()
    handlers: tuple[Handler, ...] = ()


class Block(NamedTuple):
    """The block of a `with`: what its twin calls by its number, and the variable and station of its request."""

    item: ast.withitem
    name: str
    station: str


class Handler(NamedTuple):
    """A handler of interrupts: its `try`, the variable of the exception, "" for none, and its number in the text."""

    statement: ast.Try
    name: str
    number: int


class Loop(NamedTuple):
    """A loop over a range: its number in the text, and its step."""

    number: int
    step: int
