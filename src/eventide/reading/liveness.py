"""Which local variables of a generator function its code may read, behind a statement, before it gives them new values.

Backward data flow over the syntax tree. What is not followed in detail (`finally`, `with`, `match`) is taken to give no
value to anything, so the answer may be too large and is never too small.
Source: Aho, Lam, Sethi, Ullman, "Compilers" (2006), section 9.2.5, live-variable analysis
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Names = frozenset[str]
NONE: Final[Names] = frozenset()
COMPREHENSIONS: Final = frozenset(["<listcomp>", "<setcomp>", "<dictcomp>"])
"""The names of code that runs where it stands; since Python 3.12 it is a part of the code around it."""


class Exits(NamedTuple):
    """What is read behind the loop around a statement, if a `break` leads there, at its head, and by handlers."""

    behind: Names = NONE
    head: Names = NONE
    handlers: Names = NONE


class Liveness:
    """Finds what is read behind the statements of a function.

    behind  by statement: the names that may be read, once it has been evaluated, before they are given values
    """

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.behind: dict[ast.stmt, Names] = {}
        self._block(tree.body, NONE, Exits())

    def _block(self, statements: Sequence[ast.stmt], after: Names, exits: Exits) -> Names:
        for statement in reversed(statements):
            # Where it waits an error may come before it gives anything a value.
            behind = (after - _given(statement)) | exits.handlers
            self.behind[statement] = self.behind.get(statement, NONE) | behind
            after = self._before(statement, after, exits) | exits.handlers
        return after

    def _before(self, statement: ast.stmt, after: Names, exits: Exits) -> Names:
        """What is read from a statement on, of which `after` is read behind it."""
        match statement:
            case ast.If(test, body, orelse):
                return _reads(test) | self._block(body, after, exits) | self._block(orelse, after, exits)
            case ast.While(test, body, orelse):
                is_endless = isinstance(test, ast.Constant) and bool(test.value)
                ends = NONE if is_endless else self._block(orelse, after, exits)
                return self._head(body, ends | _reads(test), NONE, after, exits)
            case ast.For(target, items, body, orelse):
                return _reads(items) | self._head(body, self._block(orelse, after, exits), _given(target), after, exits)
            case ast.Break():
                return exits.behind
            case ast.Continue():
                return exits.head
            case ast.Return() | ast.Raise():
                return _reads(statement)
            case ast.Try(body, handlers, orelse, []):
                caught = exits.handlers.union(*(_reads(handler.type) for handler in handlers if handler.type))
                for handler in handlers:
                    caught |= self._block(handler.body, after, exits) - {handler.name or ""}
                ends = self._block(orelse, after, exits)
                return self._block(body, ends, exits._replace(handlers=caught))
            case ast.With() | ast.AsyncWith() | ast.AsyncFor() | ast.Try() | ast.TryStar() | ast.Match():
                return _reads(statement) | after | exits.behind | exits.head
        return _reads(statement) | (after - _given(statement))

    def _head(self, body: list[ast.stmt], head: Names, given: Names, after: Names, exits: Exits) -> Names:
        """What is read from the head of a loop on, of which `given` gets values at each turn."""
        while True:
            found = head | (self._block(body, head, Exits(after, head, exits.handlers)) - given)
            if found == head:
                return head
            head = found


def _reads(node: ast.AST) -> Names:
    """The names that a piece of code reads, or deletes, functions made there included."""
    found = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and not isinstance(name.ctx, ast.Store)}
    changed = [inner.target for inner in ast.walk(node) if isinstance(inner, ast.AugAssign)]
    return frozenset(found | {target.id for target in changed if isinstance(target, ast.Name)})


def _given(node: ast.AST) -> Names:
    """The names that an assignment surely gives values."""
    match node:
        case ast.Assign(targets):
            return NONE.union(*map(_given, targets))
        case ast.AnnAssign(target, _, ast.expr()):
            return _given(target)
        case ast.Name(name, ast.Store()):
            return frozenset([name])
        case ast.Tuple(items) | ast.List(items):
            return NONE.union(*map(_given, items))
        case ast.Starred(item):
            return _given(item)
    return NONE


def closures_in(code: CodeType) -> Iterator[CodeType]:
    """The functions that some code makes, which may be called later than where they stand."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from closures_in(inner) if inner.co_name in COMPREHENSIONS else [inner]
