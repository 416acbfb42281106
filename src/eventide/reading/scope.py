"""What names in the user's code mean, as far as that is known before it runs; nothing of the user's is executed."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Final

UNKNOWN: Final = object()
"""Stands for what is not known before the code runs."""


class Scope:
    """What the names in a function's code mean, as far as that is known before it runs."""

    def __init__(
        self, code: CodeType, variables: Mapping[str, object], names: Mapping[str, object], function: ast.FunctionDef
    ) -> None:
        self.local = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
        self.variables = variables
        self.names = names
        self.shared = {
            name for node in own_nodes(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        }
        self.assigned = {
            node.id for node in own_nodes(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }

        self.read = {
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        }

    def is_unread(self, targets: list[ast.expr]) -> bool:
        """Whether what is assigned to these names is never used, and not by intention, as with `_`."""
        return all(
            isinstance(target, ast.Name) and target.id[0] != "_" and target.id not in self.read | self.shared
            for target in targets
        )

    def value_of(self, node: ast.expr) -> object:
        """The object that a name or a chain of attributes means; nothing of the user's is executed."""
        if isinstance(node, ast.Name):
            if node.id in self.assigned:
                return UNKNOWN
            if node.id in self.local:
                return self.variables.get(node.id, UNKNOWN)
            return self.names.get(node.id, UNKNOWN)
        if isinstance(node, ast.Attribute):
            return attribute_of(self.value_of(node.value), node.attr)
        return UNKNOWN


def attribute_of(owner: object, name: str) -> object:
    """The attribute of an object, as far as it can be had without executing anything of the user's."""
    if owner is UNKNOWN:
        return UNKNOWN
    if isinstance(owner, ModuleType):
        # A module may load its names when they are asked for, as ours does.
        return getattr(owner, name, UNKNOWN)
    found = inspect.getattr_static(owner, name, UNKNOWN)
    if isinstance(found, FunctionType) and not isinstance(owner, type):
        return MethodType(found, owner)
    return found


def closures_of(function: FunctionType) -> dict[str, object]:
    """What a function closes over, as far as it has values."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    values: dict[str, object] = {}
    for name, cell in cells:
        with suppress(ValueError):
            values[name] = cell.cell_contents
    return values


def own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function's body without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(reversed(list(ast.iter_child_nodes(node))))
