"""What branches in laws, read in their text: each comparison that is located gets a slot of its outcome.

A law is rewritten, with `self.slot > BOUND or self.slot >= -BOUND and x < level` in the place of `x < level`: so it
goes by the outcome while that is held, and by the comparison else. Of each such comparison a condition is written that
is true where the comparison is not what the slot says; in it local names stand for what they are made of. `abs`, `min`,
`max`, `clip` and `sign` are written as the comparisons that they make; `floor`, `ceil`, `int`, `//` and `%` hold a
whole number. See `engine/switching.py` for the rest.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from eventide.continuous import Continuous
from eventide.continuous.checks import CHECKED
from eventide.continuous.components.layout import outcome
from eventide.continuous.components.switches import Branches, Unlocated
from eventide.lowering.branches.branching import Branching
from eventide.lowering.branches.law_names import LAWS
from eventide.lowering.branches.syntax import function_of
from eventide.lowering.names.code_facts import OURS
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.source import original_of

if TYPE_CHECKING:
    from eventide.lowering.branches.smoothness import Smoothness

_FOUND: Final = "_eventide_branches"
"""What is found in a law is kept by its function, so that it is found out once."""


def branches_of(cls: type[Continuous], smoothness: Smoothness) -> Branches:
    """What branches in the laws of a class; where some of that is located they are rewritten, in their classes."""
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    for base, name in laws:
        _prepare(base, name, smoothness)
    found: list[Branches] = [vars(base)[name].__dict__[_FOUND] for base, name in laws]
    return Branches(
        tuple(branch for branches in found for branch in branches.located),
        tuple(other for branches in found for other in branches.unlocated),
    )


def as_written(members: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a class without what was found in its laws, which stand there as their author wrote them."""
    written = {name: value for name, value in members.items() if name not in {"_branches", CHECKED}}
    for name in LAWS:
        law = written.get(name)
        if isinstance(law, FunctionType):
            found: Branches = law.__dict__.get(_FOUND, Branches())
            for slot in found.slots:
                written.pop(slot, None)
            written[name] = _unread(original_of(law))
    return written


def _unread(law: FunctionType) -> FunctionType:
    """A copy of a law to which nothing is noted yet."""
    copy = FunctionType(law.__code__, law.__globals__, law.__name__, law.__defaults__, law.__closure__)
    copy.__kwdefaults__, copy.__doc__, copy.__module__ = law.__kwdefaults__, law.__doc__, law.__module__
    copy.__qualname__, copy.__annotations__ = law.__qualname__, law.__annotations__
    copy.__dict__.update({name: value for name, value in vars(law).items() if not name.startswith(OURS)})
    return copy


def unlocated_in(owner: Any, smoothness: Smoothness) -> tuple[Unlocated, ...]:
    """What branches, bends or jumps in the laws of a component and is not located."""
    cls = type(owner)
    if cls._laws_are_of_class:
        unlocated: tuple[Unlocated, ...] = cls._branches.unlocated
        return unlocated
    laws = [law for law in owner._laws() if isinstance(law, FunctionType) and smoothness.may_branch(law)]
    return tuple(_whole(law, "it is no method: write the law as `equations` of a class") for law in laws)


def _in_use(cls: type[Continuous], name: str) -> list[type[Continuous]]:
    """The classes whose functions of a name the objects of a class execute: the class's own and what that calls."""
    found: list[type[Continuous]] = []
    for base in cls.__mro__:
        function = vars(base).get(name)
        if base.__module__.startswith("eventide."):
            break
        if not issubclass(base, Continuous) or not isinstance(function, FunctionType):
            continue
        found.append(base)
        if "super" not in function.__code__.co_names and name not in function.__code__.co_names:
            break
    return found


def _prepare(cls: type[Continuous], name: str, smoothness: Smoothness) -> None:
    """Write a law of a class anew, if something branches in it that can be located."""
    function: FunctionType = vars(cls)[name]
    if _FOUND in function.__dict__:
        return
    if not cls.locate_branches:
        _note_whole(cls, function, f"as `{cls.__name__}.locate_branches` says", smoothness)
        return
    try:
        definition = smoothness.book.definition(function)
    except CannotLower as error:
        _note_whole(cls, function, error.why, smoothness)
        return
    tree = definition.tree
    if not isinstance(tree, ast.FunctionDef) or _is_refused(tree):
        why = "the law has private names of its class or names of outer functions, or is no method"
        _note_whole(cls, function, why, smoothness)
        return
    reader = Branching(cls, function, definition, f"{cls.__name__}_{len(cls.__mro__)}_{name}", smoothness)
    body = reader.read(tree)
    branches = Branches(tuple(reader.located), tuple(reader.unlocated))
    if reader.located:
        function = function_of(ast.copy_location(ast.FunctionDef(tree.name, tree.args, body, []), tree), function)
        for slot in branches.slots:
            setattr(cls, slot, outcome(slot))
        setattr(cls, name, function)
    function.__dict__[_FOUND] = branches


def _note_whole(cls: type, function: FunctionType, why: str, smoothness: Smoothness) -> None:
    """A law is not looked into: if something branches in it, it is not located."""
    function.__dict__[_FOUND] = Branches((), (_whole(function, why),) if smoothness.may_branch(function, cls) else ())


def _whole(function: FunctionType, why: str) -> Unlocated:
    code = function.__code__
    return Unlocated(code.co_filename, code.co_firstlineno, function.__name__, function.__name__, why)


def _is_refused(tree: ast.FunctionDef) -> bool:
    """Whether a law does what cannot be kept when it is rewritten: names of its class alone, or outer names."""
    arguments = tree.args
    if len(arguments.args) != 1 or arguments.defaults or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
        return True
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return True
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name.startswith("__") and not name.endswith("__"):
            return True
    return False
