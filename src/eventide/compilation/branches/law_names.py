"""What names in a law stand for, as far as that is known of a class: what moves, what is one number for certain."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from eventide.compilation.branches.annotations import annotated_kind, kind_of_items
from eventide.continuous.components.layout import KINDS
from eventide.declare import Component, fields_of
from eventide.discrete.world import World
from eventide.reading.constants import ABSENT, Constant

if TYPE_CHECKING:
    from eventide.declare import Field

LAWS: Final = ("contributions", "equations")
OUTCOME: Final = "_branch_"
"""What the names of slots of outcomes begin with."""
_NUMBERS: Final = ("state", "computed", "sum")
_VECTORS: Final = ("vector", "computed vector")
_STILL_CALLS: Final = (len, isinstance, getattr, hasattr, bool, type)
_GIVE_WHOLE_NUMBERS: Final = (int, len, math.floor, math.ceil, math.trunc)
_GIVE_NUMBERS: Final = {
    *(function for name, function in vars(math).items() if callable(function) and name not in ("frexp", "modf")),
    float,
    int,
    len,
    bool,
}
"""Functions that give one number, or raise an error, whatever they are given."""
_KEEP_NUMBERS: Final = {
    *(function for function in vars(np).values() if isinstance(function, np.ufunc)),
    abs,
    min,
    max,
    round,
    np.clip,
}
"""Functions that give one number if they are given numbers."""


Facts: TypeAlias = dict[tuple[int, str], Constant]
"""What names have stood for, by whose they are and by name."""


def note(facts: Facts, where: str, name: str, value: object, holder: object) -> None:
    """Remember what a name stands for; of numbers and objects nothing follows that is not seen anyway."""
    if callable(value) or value is ABSENT or isinstance(value, property | CodeType):
        facts[id(holder), name] = Constant(where, name, value, holder, is_attribute=not isinstance(holder, dict))


@dataclass(frozen=True)
class About:
    """What is known of a value that a function is given, or that a call gives.

    moves, is_scalar, is_timed  see `LawNames`
    cls     of what class it is; None if that is not known
    is_vector   whether it is a vector of a component
    is_time     whether it is the time itself
    """

    moves: bool
    is_scalar: bool
    is_timed: bool
    cls: type | None
    is_vector: bool
    is_time: bool = False


ABOUT: Final = "eventide_about"
"""The attribute of the node of a call that tells what is known of its value."""


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether a function may branch, and what that follows from."""

    may_branch: bool
    by: Facts

    @property
    def facts(self) -> tuple[Constant, ...]:
        """What names stood for."""
        return tuple(self.by.values())

    @property
    def is_current(self) -> bool:
        """Whether they still do."""
        return all(fact.is_current for fact in self.by.values())


class LawNames:
    """The names of one law, or of a function that it calls.

    cls     whose method it is; None of a plain function
    facts   takes up what names that are asked for stand for
    given   what is known of the values of names that stand for what it is called with
    this    what it calls the object whose it is; nothing there
    locals  its other local names
    """

    def __init__(
        self, cls: type | None, function: FunctionType, facts: Facts, given: Mapping[str, About] | None = None
    ) -> None:
        self.cls = cls
        self.facts = facts
        self.function = function
        self.given = given or {}
        code = function.__code__
        self.this = code.co_varnames[0] if cls is not None and code.co_argcount else ""
        self.locals = {*code.co_varnames, *code.co_cellvars} - {self.this}

    def object_of(self, node: ast.expr) -> Any:
        """What a name or an attribute of a module stands for now; None if that is not known, or is an object's."""
        if isinstance(node, ast.Name):
            name = node.id
            if name in self.locals or name in self.given or name == self.this:
                return None
            if name in self.function.__code__.co_freevars:
                cell = (self.function.__closure__ or ())[self.function.__code__.co_freevars.index(name)]
                try:
                    value = cell.cell_contents
                except ValueError:
                    return None
                note(self.facts, self.function.__qualname__, "cell_contents", value, cell)
                return value
            space = self.function.__globals__
            note(self.facts, str(space.get("__name__")), name, space.get(name, ABSENT), space)
            return space.get(name, getattr(builtins, name, None))
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == self.this:
                return self._attribute_of(self.cls, node.attr)
            outer = self.object_of(node.value)
            if isinstance(outer, ModuleType | type):
                return self._attribute_of(outer, node.attr)
        return None

    def above(self, name: str) -> object:
        """What `super().name` is in a method; None if that is not known."""
        free = self.function.__code__.co_freevars
        if self.cls is None or "__class__" not in free:
            return None
        own = (self.function.__closure__ or ())[free.index("__class__")].cell_contents
        classes = self.cls.__mro__[self.cls.__mro__.index(own) + 1 :] if own in self.cls.__mro__ else ()
        home = next((base for base in classes if name in vars(base)), None)
        return self._attribute_of(home, name) if home is not None else None

    def _attribute_of(self, outer: object, name: str) -> object:
        value = getattr(outer, name, None)
        note(self.facts, getattr(outer, "__name__", ""), name, value, outer)
        return value

    def about(self, node: ast.expr) -> About:
        """What is known of the value of an expression."""
        cls = self.class_of(node)
        about = self.moves(node), self.is_scalar(node), self.is_timed(node), cls, self.is_vector(node)
        return About(*about, self._is_time(node))

    def _known_of(self, node: ast.AST) -> About | None:
        """The same of a call that is followed, and of a name for what the function is given; else None."""
        found: About | None = getattr(node, ABOUT, None)
        return self.given.get(node.id) if isinstance(node, ast.Name) else found

    def moves(self, node: ast.AST) -> bool:
        """Whether an expression may change between events."""
        known = self._known_of(node)
        if known is not None:
            return known.moves
        if isinstance(node, ast.Attribute):
            return not self.is_still(node)
        if isinstance(node, ast.Call):
            function = self.object_of(node.func)
            if any(function is still for still in _STILL_CALLS):
                return False
            return not (callable(function) and not isinstance(function, FunctionType) and not node.keywords) or any(
                map(self.moves, node.args)
            )
        if isinstance(node, ast.Name):
            return node.id == self.this
        return any(self.moves(child) for child in ast.iter_child_nodes(node))

    def is_still(self, node: ast.Attribute) -> bool:
        """Whether an attribute is a parameter of the object itself, an outcome, or a name of a module or class."""
        if node.attr.startswith(OUTCOME):
            return True
        if isinstance(node.value, ast.Name) and node.value.id == self.this:
            fields: dict[str, Field] = fields_of(self.cls)
            spec = fields.get(node.attr)
            return spec is not None and is_parameter(spec)
        return isinstance(self.object_of(node.value), ModuleType | type)

    def is_scalar(self, node: ast.expr) -> bool:
        """Whether an expression is one number for certain."""
        known = self._known_of(node)
        if known is not None:
            return known.is_scalar
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float)
        if isinstance(node, ast.Name):
            return isinstance(self.object_of(node), int | float)
        if isinstance(node, ast.Attribute):
            return self.is_scalar_attribute(node)
        if isinstance(node, ast.Call):
            return self._gives_a_number(node)
        if isinstance(node, ast.Subscript):
            return self._is_item_of_a_vector(node)
        if isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp | ast.Compare | ast.BoolOp):
            return all(self.is_scalar(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        return False

    def _gives_a_number(self, node: ast.Call) -> bool:
        function = self.object_of(node.func)
        try:
            if function in _GIVE_NUMBERS:
                return True
            return function in _KEEP_NUMBERS and not node.keywords and all(map(self.is_scalar, node.args))
        except TypeError:  # it has no hash
            return False

    def is_whole(self, node: ast.expr) -> bool:
        """Whether an expression is a whole number, of type `int`, for certain."""
        if isinstance(node, ast.Constant):
            return type(node.value) is int
        if isinstance(node, ast.Name):
            return type(self.object_of(node)) is int
        if isinstance(node, ast.Call):
            function = self.object_of(node.func)
            if any(function is one for one in (min, max, abs)):
                return all(map(self.is_whole, node.args))
            return any(function is one for one in _GIVE_WHOLE_NUMBERS)
        if isinstance(node, ast.BinOp):
            return not isinstance(node.op, ast.Div | ast.Pow) and self.is_whole(node.left) and self.is_whole(node.right)
        if isinstance(node, ast.IfExp):
            return self.is_whole(node.body) and self.is_whole(node.orelse)
        return isinstance(node, ast.UnaryOp) and self.is_whole(node.operand)

    def _is_item_of_a_vector(self, node: ast.Subscript) -> bool:
        index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        spec = self._field_of(index)
        is_whole = type(index.value) is int if isinstance(index, ast.Constant) else spec and spec.annotation is int
        return bool(is_whole) and self.is_vector(node.value)

    def is_scalar_attribute(self, node: ast.Attribute) -> bool:
        """The same of an attribute."""
        if node.attr == "time" or node.attr.startswith(OUTCOME):
            return True
        if self.component_of(node.value) is None:
            return isinstance(self.object_of(node), int | float)
        spec = self._field_of(node)
        return spec is not None and (spec.role in _NUMBERS or is_parameter(spec))

    def is_vector(self, node: ast.expr) -> bool:
        """Whether an expression is a vector of a component."""
        known = self._known_of(node)
        if known is not None:
            return known.is_vector
        spec = self._field_of(node)
        return spec is not None and spec.role in _VECTORS

    def _field_of(self, node: ast.expr) -> Field | None:
        """The field of a component that an expression reads; None if that is not known to be one."""
        if not isinstance(node, ast.Attribute):
            return None
        owner = self.component_of(node.value)
        return None if owner is None else fields_of(owner).get(node.attr)

    def component_of(self, node: ast.expr) -> type[Component] | None:
        """The class of a component that an expression stands for; None if that is not known to be one."""
        found = self.class_of(node)
        return found if found is not None and issubclass(found, Component) else None

    def class_of(self, node: ast.expr) -> type | None:
        """The class of what an expression stands for, by what is written of it; None if that is not known."""
        known = self._known_of(node)
        if known is not None:
            return known.cls
        if isinstance(node, ast.Name) and node.id == self.this:
            return self.cls
        kind, _ = self._kind(node)
        if kind is None:
            value = self.object_of(node)
            return None if value is None else type(value)
        return kind if isinstance(kind, type) else None

    def _kind(self, node: ast.expr) -> tuple[object, type]:
        """What is written of a field, or of the items of one, and of which class; None if nothing is."""
        if isinstance(node, ast.Subscript):
            whole, owner = self._kind(node.value)
            return kind_of_items(whole, owner), owner
        component = self.component_of(node.value) if isinstance(node, ast.Attribute) else None
        spec = fields_of(component).get(node.attr) if isinstance(node, ast.Attribute) else None
        if component is None or spec is None:
            return None, object
        return annotated_kind(spec.annotation, component), component

    def may_be_given_time(self, node: ast.Call) -> bool:
        """Whether a call is given nothing but the time itself, or what the function is given, which may be that."""
        given = [*node.args, *(one.value for one in node.keywords)]
        return all(self._is_time(one) or self._is_argument(one) for one in given)

    def _is_time(self, node: ast.expr) -> bool:
        known = self._known_of(node)
        if known is not None:
            return known.is_time
        if not isinstance(node, ast.Attribute) or node.attr != "time":
            return False
        return last_name(node.value) == "sim" or issubclass(self.class_of(node.value) or object, World)

    def _is_argument(self, node: ast.expr) -> bool:
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        return isinstance(node, ast.Name) and node.id in names and node.id not in self.given

    def is_timed(self, node: ast.AST) -> bool:
        """Whether nothing in an expression moves but the time."""
        known = self._known_of(node)
        if known is not None:
            return known.is_timed
        if isinstance(node, ast.Attribute) and node.attr == "time":
            return True
        if isinstance(node, ast.Attribute | ast.Name):
            return not self.moves(node)
        if isinstance(node, ast.Call) and isinstance(self.object_of(node.func), FunctionType):
            return False
        children = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
        return all(self.is_timed(child) for child in children)


def last_name(node: ast.expr) -> str:
    """What a name or an attribute is called; empty if it is neither."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_parameter(spec: Field) -> bool:
    """Whether a field is a number that only events change."""
    return spec.role == "field" and spec.annotation in KINDS


def operands_of(node: ast.expr) -> Sequence[ast.AST]:
    """What an expression is made of, without the name of what it calls."""
    return [*node.args, *node.keywords] if isinstance(node, ast.Call) else list(ast.iter_child_nodes(node))
