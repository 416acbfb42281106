"""Constructors that only set attributes of the new object, so that native code may call them.

In: a class. Out: what its objects get, by expressions of its arguments. Python executes the constructor; what is shown
here is that it touches nothing of a simulation: it stores what it is given, and computes with numbers and words.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from dataclasses import MISSING, fields
from enum import Enum
from inspect import Parameter, signature
from itertools import count
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.reading.common import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_ABSENT: Final = object()
FACTORIES: Final = (list, dict, set, deque)
"""What makes an empty container of no arguments."""
_CONVERSIONS: Final = (abs, bool, float, int, max, min, round, str)
_COMPUTED: Final = (
    ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.JoinedStr, ast.FormattedValue,
    ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.Constant, ast.expr_context,
)  # fmt: skip


class NotPlain(Exception):
    """A constructor may do more than set attributes; `why` says what."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.why = f"objects whose constructor may do more than set attributes are made by Python: {what}"


class Constructor:
    """What a constructor does.

    function    itself; parameters: those besides the object
    attributes  by the names of attributes what they are set to first: an expression of the parameters, or the value
    numbers     the parameters with which it computes: they have to be numbers or words
    clocks      those of which it reads the time: they have to be the simulation
    names       what it relies on of its module, by name; of_classes: classes, and what it reads of them
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        _, *self.parameters = signature(function).parameters.values()
        self.attributes: dict[str, object] = {}
        self.numbers: set[str] = set()  # asked for membership only
        self.clocks: set[str] = set()
        self.names: dict[str, object] = {}
        self.of_classes: dict[tuple[type, str], None] = {}
        if any(one.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) for one in self.parameters):
            raise NotPlain("it takes any number of arguments")

    def sample(self, kind: type, given: Mapping[str, object]) -> object:
        """An object as it may be, for samples of the arguments, with those attributes that are numbers, words or None.

        What the objects have is read as it is then: a sample tells which types to expect.
        """
        values = {one.name: given.get(one.name, one.default) for one in self.parameters}
        names: dict[str, object] = {"__builtins__": {}, **self.names, "next": lambda _: 0, **values}
        names |= {"self": _Own(found := {}), **dict.fromkeys(self.clocks, _CLOCK)}
        for name, value in self.attributes.items():
            if isinstance(value, ast.expr):
                text = compile(ast.Expression(value), "<eventide sample>", "eval")
                try:
                    found[name] = eval(text, names)  # noqa: S307  # it computes with numbers and words only
                except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError):
                    found[name] = None
            else:
                found[name] = value
        return like(kind, found)


def like(kind: type, attributes: Mapping[str, object]) -> object:
    """An object of a class with those of some attributes that are numbers, words or None."""
    sample: object = object.__new__(kind)
    for name, value in attributes.items():
        if type(value) in PLAIN or isinstance(value, Enum):
            object.__setattr__(sample, name, value)
    return sample


class _Own:
    """Stands for the object whose attributes are being set."""

    def __init__(self, attributes: dict[str, object]) -> None:
        self.__dict__ = attributes

    def __getattr__(self, name: str) -> None:
        """What the class has is a counter, which goes on with the objects only."""


class _Clock(NamedTuple):
    time: float


_CLOCK: Final = _Clock(0.0)


def constructor_of(kind: type, tree_of: Callable[[FunctionType], ast.AST]) -> Constructor:
    """What the constructor of a class does that has no say in how its attributes are read and set.

    tree_of     gives the text of a function
    Raises NotPlain if it may do more than set attributes.
    """
    news = [vars(base)["__new__"] for base in kind.__mro__ if "__new__" in vars(base)]
    if type(kind) is not type or len(news) > 1 or hasattr(kind, "__del__"):  # that of object alone
        raise NotPlain("its objects are made, or given up, in a way of its own")
    function = getattr(kind, "__init__")  # noqa: B009  # of whatever class it is
    if not isinstance(function, FunctionType):
        raise NotPlain("it has no constructor of its own")
    if _is_generated(kind, function):
        return _of_dataclass(kind, function)
    tree = tree_of(function)
    if not isinstance(tree, ast.FunctionDef) or tree.decorator_list or function.__closure__:
        raise NotPlain("it is no plain function")
    return _Reader(kind, function, tree).made


def _is_generated(kind: type, function: FunctionType) -> bool:
    """Whether a constructor is that of a dataclass: what is written in `python -c` has the same file."""
    is_asked = getattr(vars(kind).get("__dataclass_params__"), "init", False)
    is_its_own = function.__qualname__ == f"{kind.__qualname__}.__init__"
    return is_asked and is_its_own and function.__code__.co_filename == "<string>"


def _of_dataclass(kind: type, function: FunctionType) -> Constructor:
    if hasattr(kind, "__post_init__"):
        raise NotPlain("something follows when its attributes are set")
    made = Constructor(function)
    for field in fields(kind):
        if field.default_factory is not MISSING and field.default_factory not in FACTORIES:
            raise NotPlain(f"its field {field.name} is made in a way of its own")
        _need_plain(kind, field.name)
        is_given = field.init and field.default_factory is MISSING
        made.attributes[field.name] = ast.parse(field.name, mode="eval").body if is_given else field.default
    return made


def _need_plain(kind: type, name: str) -> None:
    """An attribute is set in the object itself. Raises NotPlain."""
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if hasattr(type(found), "__set__") and not isinstance(found, MemberDescriptorType):
        raise NotPlain(f"something else happens where {name} is set")


class _Reader:
    """Reads the text of a constructor.

    made    what it does
    """

    def __init__(self, kind: type, function: FunctionType, tree: ast.FunctionDef) -> None:
        self.made = Constructor(function)
        self._kind = kind
        self._function = function
        self._self = function.__code__.co_varnames[0]
        self._given = {one.name for one in self.made.parameters}
        self._stored: dict[str, set[str]] = {}
        """Of the attributes set so far, the parameters that they may be, or of which they are computed."""
        for statement in tree.body:
            self._run(statement)
        if self._self != "self":
            raise NotPlain("its first argument has another name than self")
        for one in self.made.parameters:
            if one.name in self.made.numbers and one.default is not one.empty and type(one.default) not in PLAIN:
                raise NotPlain(f"it computes with the default of {one.name}")

    def _run(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Pass() | ast.Expr(ast.Constant()):
                pass
            case ast.Assign([ast.Attribute() as target], value) | ast.AnnAssign(ast.Attribute() as target, _, value):
                if value is not None:
                    self._set(target, value)
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
                for part, value in zip(targets, values, strict=True):
                    if not isinstance(part, ast.Attribute) or self._is_read(part.attr, values):
                        raise NotPlain("it sets something else than attributes")
                    self._set(part, value)
            case ast.If(test, body, orelse):
                self._compute(test)
                for one in (*body, *orelse):
                    self._run(one)
            case _:
                raise NotPlain(f"it does more than set attributes: `{ast.unparse(statement).splitlines()[0]}`")

    @staticmethod
    def _is_read(name: str, values: list[ast.expr]) -> bool:
        return any(isinstance(one, ast.Attribute) and one.attr == name for v in values for one in ast.walk(v))

    def _set(self, target: ast.Attribute, value: ast.expr) -> None:
        if not isinstance(target.value, ast.Name) or target.value.id != self._self or target.attr[:2] == "__":
            raise NotPlain(f"it sets `{ast.unparse(target)}`")
        _need_plain(self._kind, target.attr)
        stored = self._store(value)
        self._stored.setdefault(target.attr, set()).update(stored)
        self.made.attributes.setdefault(target.attr, value)

    def _store(self, node: ast.expr) -> set[str]:
        """The parameters that a value may have in it, which is stored and not used."""
        match node:
            case ast.Name(name) if name in self._given:
                return {name}
            case ast.Attribute(ast.Name(self._self), name) if name in self._stored:
                return self._stored[name]
            case ast.Tuple(items) | ast.List(items):
                return set().union(*map(self._store, items))
            case ast.Attribute(ast.Name(name), member) if self._is_word(name, member):
                return set()
            case ast.Dict(keys, values):
                self._compute(*(key for key in keys if key is not None))
                if None in keys:
                    raise NotPlain(f"what it sets is made of others: `{ast.unparse(node)}`")
                return set().union(*map(self._store, values))
            case ast.IfExp(test, one, other):
                self._compute(test)
                return self._store(one) | self._store(other)
        self._compute(node)
        return set()

    def _compute(self, *nodes: ast.expr) -> None:
        """What is computed of numbers and words, or made of nothing."""
        for node in nodes:
            for one in self._parts(node):
                match one:
                    case ast.Name(name) if name in self._given:
                        self.made.numbers.add(name)
                    case ast.Name(name):
                        if type(self._global(name)) not in PLAIN:
                            raise NotPlain(f"it computes with `{name}`")
                    case ast.Attribute(ast.Name(self._self), name) if name in self._stored:
                        self.made.numbers |= self._stored[name]
                    case ast.Attribute(ast.Name(name), "time") if name in self._given:
                        self.made.clocks.add(name)
                    case _:
                        raise NotPlain(f"it does more than set attributes: `{ast.unparse(one)}`")

    def _parts(self, node: ast.AST) -> Iterator[ast.expr]:
        """The names and attributes with which an expression computes, and what is not known to be harmless."""
        if isinstance(node, ast.Call):
            self._call(node)
            if not (isinstance(node.func, ast.Name) and node.func.id == "next"):
                for one in node.args:
                    yield from self._parts(one)
        elif isinstance(node, _COMPUTED):
            for child in ast.iter_child_nodes(node):
                yield from self._parts(child)
        elif isinstance(node, ast.expr):
            yield node

    def _call(self, node: ast.Call) -> None:
        """A call of what makes an empty container, converts a number, or counts. Raises NotPlain for others."""
        function = self._global(node.func.id) if isinstance(node.func, ast.Name) else None
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            function = None
        is_counter = function is next and len(node.args) == 1 and self._counts(node.args[0])
        is_made = function in FACTORIES and not node.args
        if not is_counter and not is_made and not (node.args and function in _CONVERSIONS):
            raise NotPlain(f"it calls `{ast.unparse(node.func)}`")

    def _counts(self, node: ast.expr) -> bool:
        """Whether something is a counter of `itertools`."""
        match node:
            case ast.Name(name) if name not in self._given:
                return type(self._global(name)) is count
            case ast.Attribute(ast.Name(name), attribute):
                owner = self._kind if name == self._self else self._global(name)
                if not isinstance(owner, type) or attribute in self._stored:
                    return False
                self.made.of_classes[owner, attribute] = None
                return type(getattr(owner, attribute, None)) is count
        return False

    def _is_word(self, name: str, member: str) -> bool:
        """Whether it is a member of an enumeration."""
        owner = self._global(name) if name not in self._given and name != self._self else None
        return isinstance(owner, type) and issubclass(owner, Enum) and member in owner.__members__

    def _global(self, name: str) -> object:
        found = self._function.__globals__.get(name, _ABSENT)
        self.made.names[name] = found = vars(builtins).get(name, _ABSENT) if found is _ABSENT else found
        return found
