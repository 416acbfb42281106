"""What branches in laws, read in their text: each comparison that is located gets a slot of its outcome.

A law is rewritten, with `self.slot > BOUND or self.slot >= -BOUND and x < level` in the place of `x < level`: so it
goes by the outcome while that is held, and by the comparison else. Of each such comparison a condition is written that
is true where the comparison is not what the slot says; in it local names stand for what they are made of. `abs`, `min`,
`max`, `clip` and `sign` are written as the comparisons that they make; `floor`, `ceil`, `int`, `//` and `%` hold a
whole number. See `engine/switching.py` for the rest.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal

from eventide.compilation.branches.branching import Branching
from eventide.compilation.branches.clock import warn_of_clock
from eventide.compilation.branches.law_names import LAWS, Facts, found_in
from eventide.compilation.branches.syntax import function_of
from eventide.continuous import Continuous
from eventide.continuous.checks import CHECKED
from eventide.continuous.components.component import Law
from eventide.continuous.components.layout import outcome
from eventide.continuous.components.switches import Branches, Unlocated
from eventide.errors import ModelError
from eventide.lowering.kernels.lowered import Constant
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.source import original_of

if TYPE_CHECKING:
    from eventide.compilation.branches.smoothness import Smoothness
    from eventide.continuous.components.member import Member

OURS: Final = "_eventide_"
"""What our own names begin with among the attributes of a function of the user's."""
_FOUND: Final = f"{OURS}branches"
"""What is found in a law is kept by its function, so that it is found out once."""


def branches_of(cls: type[Continuous], smoothness: Smoothness) -> Branches:
    """What branches in the laws of a class; where some of that is located they are rewritten, in their classes."""
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    for base, name in laws:
        _prepare(base, name, smoothness)
    return _together(cls, laws, smoothness)


def renew_branches(cls: type[Continuous], smoothness: Smoothness) -> None:
    """Look again at what branches in the laws of a class, if names that was found by stand for something else.

    The class has objects, with slots of what is located; so that must stay what it was.
    Raises ModelError if it would be something else, as where `abs` has become a function of the user's.
    """
    known = found_in(cls)
    if all(fact.is_current for fact in known.facts):
        return
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    for base, name in laws:
        function = vars(base)[name]
        found: Branches | None = function.__dict__.get(_FOUND)
        if found is None:
            why = "the law was given to a class that had objects"
            function.__dict__[_FOUND] = _as_whole(base, function, why, smoothness)
        elif not all(fact.is_current for fact in found.facts):
            _read_again(base, name, found, smoothness)
    cls._branches = replace(_together(cls, laws, smoothness), located=known.located)


def _together(cls: type[Continuous], laws: list[tuple[type[Continuous], str]], smoothness: Smoothness) -> Branches:
    """What branches in some laws of a class, which have been looked through."""
    found = [_of_class(cls, base, name, smoothness) for base, name in laws]
    facts = {(id(fact.holder), fact.name): fact for branches in found for fact in branches.facts}
    themselves = [Constant(base.__qualname__, name, vars(base)[name], base, is_attribute=True) for base, name in laws]
    return Branches(
        tuple(branch for branches in found for branch in branches.located),
        _unlocated(cls, laws, found, smooth=False),
        _unlocated(cls, laws, found, smooth=True),
        (*themselves, *facts.values()),
    )


def _of_class(cls: type[Continuous], base: type[Continuous], name: str, smoothness: Smoothness) -> Branches:
    """What branches in a law of a class above, as it is for a class, which may have other methods and fields."""
    function: FunctionType = vars(base)[name]
    found: Branches = function.__dict__[_FOUND]
    if base is cls:
        return found
    law = original_of(function)
    reader = _reader(base, name, law, smoothness, cls)
    if isinstance(reader, str):
        return _as_whole(cls, law, reader, smoothness)
    reader.read()
    unlocated = tuple(reader.unlocated)
    if [branch.condition.__code__ for branch in reader.located] != [one.condition.__code__ for one in found.located]:
        unlocated += (_whole(law, f"it is of {base.__name__}, and fields or methods of {cls.__name__} are others"),)
    if not _says_smooth(cls, base):
        warn_of_clock(f"{cls.__name__}.{name}", [one for one in unlocated if one not in found.unlocated])
    return Branches(found.located, unlocated, facts=(*found.facts, *reader.names.facts.values()))


def _unlocated(
    cls: type[Continuous], laws: list[tuple[type[Continuous], str]], found: list[Branches], *, smooth: bool
) -> tuple[Unlocated, ...]:
    """What is not located in some laws of a class, of those only that are said to be smooth, or of the others."""
    pairs = zip(laws, found, strict=True)
    return tuple(one for (base, _), some in pairs if _says_smooth(cls, base) is smooth for one in some.unlocated)


def _says_smooth(cls: type[Continuous], base: type[Continuous]) -> bool:
    """Whether a class says that the laws of one above, or its own, are smooth: by what is said nearest to it."""
    below = cls.__mro__[: cls.__mro__.index(base) + 1]
    return next((bool(vars(one)["smooth_laws"]) for one in below if "smooth_laws" in vars(one)), False)


def as_written(members: dict[str, object]) -> dict[str, object]:
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


def unlocated_in(owner: Member, smoothness: Smoothness) -> tuple[Unlocated, ...]:
    """What branches, bends or jumps in the laws of a component and is not located."""
    return () if isinstance(owner, Law) and owner.is_smooth else _unlocated_in(owner, "unlocated", smoothness)


def smooth_in(owner: Member, smoothness: Smoothness) -> tuple[Unlocated, ...]:
    """What of that is smooth, as is said of it."""
    return () if isinstance(owner, Law) and not owner.is_smooth else _unlocated_in(owner, "smooth", smoothness)


def _unlocated_in(owner: Any, which: Literal["unlocated", "smooth"], smoothness: Smoothness) -> tuple[Unlocated, ...]:
    cls = type(owner)
    if cls._laws_are_of_class:
        unlocated: tuple[Unlocated, ...] = getattr(found_in(cls), which)
        return unlocated
    laws = [law for law in owner._laws() if isinstance(law, FunctionType) and smoothness.may_branch(law, {})]
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
    """Rewrite a law of a class if something branches in it that can be located."""
    function: FunctionType = vars(cls)[name]
    if _FOUND in function.__dict__:
        return
    _read(cls, name, function, smoothness)


def _read(cls: type[Continuous], name: str, function: FunctionType, smoothness: Smoothness) -> None:
    """Note what branches in a law to its function, which may be another then."""
    reader = _reader(cls, name, function, smoothness, cls)
    if isinstance(reader, str):
        function.__dict__[_FOUND] = _as_whole(cls, function, reader, smoothness)
        return
    tree, body = reader.tree, reader.read()
    branches = Branches(tuple(reader.located), tuple(reader.unlocated), facts=tuple(reader.names.facts.values()))
    if not _says_smooth(cls, cls):
        warn_of_clock(f"{cls.__name__}.{name}", reader.unlocated)
    if reader.located:
        function = function_of(ast.copy_location(ast.FunctionDef(tree.name, tree.args, body, []), tree), function)
        for slot in branches.slots:
            setattr(cls, slot, outcome(slot))
        setattr(cls, name, function)
    function.__dict__[_FOUND] = branches


def _reader(
    base: type[Continuous], name: str, function: FunctionType, smoothness: Smoothness, cls: type[Continuous]
) -> Branching | str:
    """What goes through a law of a class for that class or one below it; or why it is not gone through."""
    if not base.locate_branches:
        return f"as `{base.__name__}.locate_branches` says"
    try:
        definition = smoothness.book.definition(function)
    except CannotLower as error:
        return error.why
    if not isinstance(definition.tree, ast.FunctionDef) or _is_refused(definition.tree):
        return "the law has private names of its class or names of outer functions, or is no method"
    return Branching(cls, function, definition, f"{base.__name__}_{len(base.__mro__)}_{name}", smoothness)


def _read_again(cls: type[Continuous], name: str, known: Branches, smoothness: Smoothness) -> None:
    """The same of a law that was looked through before, by what names stand for now."""
    before: FunctionType = vars(cls)[name]
    _read(cls, name, original_of(before), smoothness)
    made: FunctionType = vars(cls)[name] if vars(cls)[name] is not before else original_of(before)
    found: Branches = made.__dict__[_FOUND]
    setattr(cls, name, before)
    if _codes_of(made, found) != _codes_of(before, known):
        changed = next(fact for fact in known.facts if not fact.is_current)
        raise ModelError(
            f"what is located of {cls.__name__}.{name} was found when `{changed.name}` of {changed.where} was "
            f"{changed.value!r}, and that has become something else: objects of the class have been made already; make "
            "the class anew, or call a function of your own there, which may be exchanged"
        )
    before.__dict__[_FOUND] = replace(found, located=known.located)


def _codes_of(law: FunctionType, branches: Branches) -> list[CodeType]:
    return [law.__code__, *(branch.condition.__code__ for branch in branches.located)]


def _as_whole(cls: type, function: FunctionType, why: str, smoothness: Smoothness) -> Branches:
    """A law that is not looked into: if something branches in it, it is not located."""
    facts: Facts = {}
    unlocated = (_whole(function, why),) if smoothness.may_branch(function, facts, cls) else ()
    return Branches((), unlocated, facts=tuple(facts.values()))


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
