"""What names in the user's code mean, as far as that is known before it runs; nothing of the user's is executed."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Final, NamedTuple

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

        self.stores = Counter(
            node.id for node in own_nodes(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        self.origins: dict[str, list[Origin]] = {}
        for node in own_nodes(function):
            for name, origin in _origins(node):
                self.origins.setdefault(name, []).append(origin)
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

    def meanings_of(self, node: ast.expr, seen: frozenset[str] = frozenset()) -> list[object]:
        """What an expression may mean: one object or class of each kind that it may be of; none if that is not known.

        A name that the code assigns itself may mean a new object of a class, for which an `Instance` stands, an item of
        a list, a tuple or a dict, or whatever else it is assigned from.
        """
        if isinstance(node, ast.Attribute):
            return _all_known([attribute_of(owner, node.attr) for owner in self.meanings_of(node.value, seen)])
        if isinstance(node, ast.Subscript):
            return self._items_of(node.value, seen)
        if isinstance(node, ast.Call):
            made = self.meanings_of(node.func, seen)
            return [Instance(kind) for kind in made if isinstance(kind, type)] if all_are(made, type) else []
        if not isinstance(node, ast.Name) or node.id not in self.assigned:
            return _all_known([self.value_of(node)])
        origins = self.origins.get(node.id, [])
        if node.id in seen or self.stores[node.id] != len(origins):
            return []
        inner = seen | {node.id}
        found = [(self._items_of if one.is_item else self.meanings_of)(one.node, inner) for one in origins]
        return [value for values in found for value in values] if all(found) else []

    def _items_of(self, node: ast.expr, seen: frozenset[str]) -> list[object]:
        """The items of what may be a list, a tuple or a dict, one of each kind."""
        items: dict[type, object] = {}
        for owner in self.meanings_of(node, seen):
            if type(owner) not in (list, tuple, dict):
                return []
            for item in owner.values() if isinstance(owner, dict) else owner:  # type: ignore[attr-defined]  # as tested
                items.setdefault(type(item), item)
        return list(items.values())


class Instance:
    """An object that the code will make of a class."""

    def __init__(self, kind: type) -> None:
        self.kind = kind


class Origin(NamedTuple):
    """From which expression a name is assigned, or of which it is an item."""

    node: ast.expr
    is_item: bool


def _origins(node: ast.AST) -> Iterator[tuple[str, Origin]]:
    """The names that a statement assigns, and from what; those of other forms are left out."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, Origin(node.value, is_item=False)
    elif isinstance(node, ast.For):
        target, of = node.target, node.iter
        if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "enumerate" and of.args:
            target, of = target.elts[-1] if isinstance(target, ast.Tuple) else target, of.args[0]
        elif isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute) and of.func.attr in {"values", "items"}:
            is_pair = of.func.attr == "items"
            target = target.elts[-1] if is_pair and isinstance(target, ast.Tuple) else target
            of = of.func.value
        if isinstance(target, ast.Name):
            yield target.id, Origin(of, is_item=True)


def _all_known(values: list[object]) -> list[object]:
    return [] if any(value is UNKNOWN for value in values) else values


def all_are(values: list[object], kind: type) -> bool:
    """Whether all values are of a kind."""
    return all(isinstance(value, kind) for value in values)


def attribute_of(owner: object, name: str) -> object:
    """The attribute of an object, as far as it can be had without executing anything of the user's."""
    if owner is UNKNOWN:
        return UNKNOWN
    if isinstance(owner, Instance):
        return inspect.getattr_static(owner.kind, name, UNKNOWN)
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
