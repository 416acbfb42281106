"""What a condition reads where it reads nothing but numbers, words and members of enumerations of plain objects.

In: the text of a condition. Out: chains of attributes, each from a variable on. While such a condition is waited for,
native code may have events that set none of these attributes: its outcome stays as it is. Invariant: whatever may run
code of its own when it is read (properties, slots, operators of classes, objects of the library) is no such chain, nor
is a container, to which native code may append.
"""

from __future__ import annotations

import ast
import builtins
from contextlib import suppress
from enum import Enum, EnumType
from types import CodeType, FunctionType, NoneType, SimpleNamespace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

_VALUES: Final = (int, float, bool, str, NoneType)
_ABSENT: Final = object()
_ACCESS: Final = (object.__getattribute__, SimpleNamespace.__getattribute__)
_EQUAL: Final = (object.__eq__, str.__eq__, int.__eq__)

Use: TypeAlias = Literal["value", "equality", "identity"]
Root: TypeAlias = Literal["cell", "argument", "global"]


class Chain(NamedTuple):
    """A variable, and the attributes that are read on from it.

    first   the variable: a cell or an argument, of which `place` is the number, or a global one
    use     what is asked of what it leads to: its value, what it equals, or no more than which object it is
    """

    root: Root
    place: int
    first: str
    names: tuple[str, ...]
    use: Use

    def end(self, function: FunctionType, arguments: tuple[object, ...]) -> object:
        """What it leads to from a function that is called with these; _ABSENT where code runs when that is read."""
        value: object = _ABSENT
        if self.root == "cell":
            with suppress(ValueError):  # it is empty
                value = (function.__closure__ or ())[self.place].cell_contents
        elif self.root == "global":
            value = function.__globals__.get(self.first, getattr(builtins, self.first, _ABSENT))
        elif self.place < len(arguments):
            value = arguments[self.place]
        for name in self.names:
            value = _attribute_of(value, name)
        return value


class PlainReads(NamedTuple):
    """What one text reads.

    names   of all the attributes
    """

    chains: tuple[Chain, ...]
    names: frozenset[str]

    def are_plain(self, function: FunctionType, arguments: tuple[object, ...]) -> bool:
        """Whether a function of this text, called with these, now reads nothing else."""
        return all(_is_plain(chain.end(function, arguments), chain.use) for chain in self.chains)


def plain_reads(tree: ast.AST, code: CodeType) -> PlainReads | None:
    """What a function reads, from its text; None if it does more than compare what it reads and reckon with it."""
    body = _returned(tree)
    if body is None:
        return None
    try:
        chains = tuple(
            Chain(*_root_in(code, names[0]), names[0], names[1:], use) for names, use in _chains(body, "value")
        )
    except _OtherError:
        return None
    return PlainReads(chains, frozenset(name for chain in chains for name in chain.names))


def _root_in(code: CodeType, name: str) -> tuple[Root, int]:
    """Where code finds a variable, and its number there. Raises _OtherError if that is no argument by its place."""
    if name in code.co_freevars:
        return "cell", code.co_freevars.index(name)
    if name not in code.co_varnames:
        return "global", 0
    place = code.co_varnames.index(name)
    if place >= code.co_argcount:
        raise _OtherError
    return "argument", place


class _OtherError(Exception):
    """The text does something else."""


def _returned(tree: ast.AST) -> ast.expr | None:
    """The only thing that a function does, which is to return it; None for others."""
    if isinstance(tree, ast.Lambda):
        return tree.body
    statements = [one for one in getattr(tree, "body", ()) if not _is_docstring(one)]
    only = statements[0] if len(statements) == 1 else None
    return only.value if isinstance(only, ast.Return) else None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _chains(node: ast.expr, use: Use) -> Iterator[tuple[tuple[str, ...], Use]]:
    """The names of each chain of an expression, of which that is asked. Raises _OtherError."""
    if isinstance(node, ast.Name | ast.Attribute):
        yield _names(node), use
    elif isinstance(node, ast.BoolOp):
        for one in node.values:
            yield from _chains(one, "value")
    elif isinstance(node, ast.UnaryOp):
        yield from _chains(node.operand, "value")
    elif isinstance(node, ast.Compare):
        if any(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
            raise _OtherError
        asked: Use = "value"
        if all(isinstance(one, ast.Is | ast.IsNot) for one in node.ops):
            asked = "identity"
        elif all(isinstance(one, ast.Eq | ast.NotEq) for one in node.ops):
            asked = "equality"
        for one in (node.left, *node.comparators):
            yield from _chains(one, asked)
    elif isinstance(node, ast.BinOp):
        yield from _chains(node.left, "value")
        yield from _chains(node.right, "value")
    elif not isinstance(node, ast.Constant):
        raise _OtherError


def _names(node: ast.expr) -> tuple[str, ...]:
    """The names of a chain. Raises _OtherError."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if not isinstance(node, ast.Attribute):
        raise _OtherError
    return (*_names(node.value), node.attr)


def _attribute_of(owner: object, name: str) -> object:
    """What an object or its class has by a name; _ABSENT if neither has, or code runs where that is read."""
    if isinstance(owner, EnumType):
        return owner.__members__.get(name, _ABSENT)
    kind = type(owner)
    of_class = getattr(kind, name, _ABSENT)
    is_plain = kind.__getattribute__ in _ACCESS and not kind.__module__.startswith("eventide.")
    if not is_plain or hasattr(type(of_class), "__get__") or not hasattr(owner, "__dict__"):
        return _ABSENT
    return owner.__dict__.get(name, of_class)


def _is_plain(value: object, use: Use) -> bool:
    """Whether no code of a class runs where that is asked of a value."""
    if use == "identity":
        return value is not _ABSENT
    kind = type(value)
    return kind in _VALUES or (use == "equality" and isinstance(value, Enum) and kind.__eq__ in _EQUAL)
