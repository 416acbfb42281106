"""What functions of the user assign and name, by their text and code.

In: laws, conditions and handlers. Out: the attributes that they assign, with lines; the states from which they do; what
they change of what was there before; the names in their code. Nothing is found where there is no text.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Collection, Iterator
from types import CodeType, FunctionType
from typing import NamedTuple

from eventide.errors import ModelError
from eventide.reading.description import location
from eventide.reading.source import parse_function


def _method(function: Callable[..., object]) -> tuple[ast.FunctionDef | None, str, int]:
    """The tree of a method, the name of its object in it, and what to add to its line numbers; None without text."""
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        return None, "", 0
    tree, shift = parse_function(code, getattr(inner, "__globals__", {}))
    if tree is None or not tree.args.args:
        return None, "", 0
    return tree, tree.args.args[0].arg, shift


def assigned_attributes(function: Callable[..., object], names: set[str]) -> list[tuple[str, int]]:
    """Those of some attributes that a method assigns to its own object, with their lines."""
    tree, this, shift = _method(function)
    return [
        (node.attr, node.lineno + shift)
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == this
        and node.attr in names
    ]


def refuse_lost_variables(function: Callable[..., object], names: Collection[str], title: str) -> None:
    """Raise ModelError if a method sets a variable that nothing reads and that is called as one of some attributes."""
    tree, this, shift = _method(function)
    if tree is None:
        return
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    read = {node.id for node in found if not isinstance(node.ctx, ast.Store)}
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign)]
    for statement in statements:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for node in (one for one in targets if isinstance(one, ast.Name) and one.id in names and one.id not in read):
            place = location(inspect.unwrap(function).__code__.co_filename, node.lineno + shift)
            raise ModelError(
                f"{title} sets a variable {node.id!r} at {place} that nothing reads: write `{this}.{node.id} = ...` "
                "for the attribute, or give the variable another name"
            )


class Change(NamedTuple):
    """A place in a function that gives something another value that was there before its call.

    text        as it is written there
    path        the names that lead to an attribute, with its own, as ("self", "tank", "area"); none where that is not
                so simple
    is_added    whether the new value is made of the one before, as by `+=`
    """

    text: str
    path: tuple[str, ...]
    is_added: bool
    line: int


def outside_changes(function: FunctionType) -> list[Change]:
    """What a function changes that it has not made itself, in order."""
    code = function.__code__
    tree, shift = parse_function(code, function.__globals__)
    nodes = [] if tree is None else list(ast.walk(tree))
    shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    own = {*code.co_varnames[code.co_argcount + code.co_kwonlyargcount :], *code.co_cellvars} - shared
    added = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    found: list[Change] = []
    for node in nodes:
        if not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            continue
        root: ast.AST = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        name = root.id if isinstance(root, ast.Name) else ""
        if name in shared or (root is not node and name not in own):
            text = ast.unparse(node)
            path = tuple(text.split(".")) if isinstance(node, ast.Attribute) else ()
            found.append(Change(text, path, node in added, node.lineno + shift))  # type: ignore[attr-defined]  # an expression
    return found


def refuse_lost_comparison(node: ast.AST, file: str, shift: int) -> None:
    """Raise ModelError if a statement does nothing but compare by `==`, where `=` was to be written."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Compare):
        return
    if [type(one) for one in node.value.ops] == [ast.Eq]:
        text = ast.unparse(node.value)
        raise ModelError(
            f"{text} at {location(file, node.lineno + shift)} compares, and nothing is done with the answer: write "
            f"`{text.replace(' == ', ' = ', 1)}` to set it, or `if {text}:`"
        )


def refuse_lost_comparisons(function: Callable[..., object]) -> None:
    """Raise ModelError if a method has such a statement."""
    tree, _, shift = _method(function)
    for node in () if tree is None else ast.walk(tree):
        refuse_lost_comparison(node, inspect.unwrap(function).__code__.co_filename, shift)


def names_in(functions: tuple[object, ...], cls: type) -> set[str]:
    """All names in the code of functions, and of what has such names in their modules and class."""
    found: set[str] = set()
    waiting = [getattr(function, "__func__", function) for function in functions]
    while waiting:
        function = waiting.pop()
        names = set(_names_of(getattr(function, "__code__", None))) - found
        found |= names
        around = getattr(function, "__globals__", {})
        for name in sorted(names):
            waiting += [getattr(other, "fget", other) for other in (around.get(name), getattr(cls, name, None))]
    return found


def _names_of(code: object) -> Iterator[str]:
    if isinstance(code, CodeType):
        yield from code.co_names
        for constant in code.co_consts:
            yield from _names_of(constant)


def set_from_states(states: set[str], function: Callable[..., object]) -> Iterator[tuple[str, str]]:
    """What a handler sets from a state of its object: the attribute and the state, in order.

    A state may decide, in a comparison or as a sign: that does not change along a surface.
    """
    tree, this, _ = _method(function)
    known: dict[str, str] = {}
    for node in () if tree is None else ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AugAssign):
            continue
        read = next(_states_in(node.value, this, states, known), None)
        if read is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name):
                known[target.id] = read
            elif isinstance(target, ast.Attribute) and target.attr not in states:
                yield target.attr, read


def _states_in(node: ast.AST, this: str, states: set[str], known: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Compare) or (isinstance(node, ast.Call) and _called(node) in ("copysign", "sign")):
        return
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == this:
        if node.attr in states:
            yield node.attr
    elif isinstance(node, ast.Name) and node.id in known:
        yield known[node.id]
    for child in ast.iter_child_nodes(node):
        yield from _states_in(child, this, states, known)


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
