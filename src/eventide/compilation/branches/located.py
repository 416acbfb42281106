"""What branches in laws, read in their text: each comparison that is located gets a slot of its outcome.

A law is rewritten, with `self.slot > BOUND or self.slot >= -BOUND and x < level` in the place of `x < level`: so it
goes by the outcome while that is held, and by the comparison else. Of each such comparison a condition is written that
is true where the comparison is not what the slot says; in it local names stand for what they are made of. `abs`, `min`,
`max`, `clip` and `sign` are written as the comparisons that they make; `floor`, `ceil`, `int`, `//` and `%` hold a
whole number. See `engine/switching.py` for the rest.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Final, Literal

from eventide.compilation.branches.branching import Branching
from eventide.compilation.branches.calls import MOST, Around, is_refused, sites_of
from eventide.compilation.branches.chosen import choose, fits
from eventide.compilation.branches.clock import Clock, may_compare_time, warn_of_clock, warn_of_field
from eventide.compilation.branches.fields import Fields, is_path, targets_at
from eventide.compilation.branches.law_names import LAWS, OUTCOME, Facts, LawNames
from eventide.compilation.branches.syntax import function_of
from eventide.compilation.branches.windows import may_jump_by_time
from eventide.continuous import Continuous
from eventide.continuous.checks import CHECKED
from eventide.continuous.components.component import Law
from eventide.continuous.components.layout import outcome
from eventide.continuous.components.member import branches_in
from eventide.continuous.components.switches import Branch, Branches, Unlocated
from eventide.lowering.names.choices import CHOOSE, CLOSED, FITS
from eventide.lowering.not_compilable import CannotLower
from eventide.native.locking import locked
from eventide.reading.constants import Constant
from eventide.reading.source import Copies, closed, original_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.compilation.branches.smoothness import Smoothness

OURS: Final = "_eventide_"
"""What our own names begin with among the attributes of a function of the user's."""
NO_SITES: Final[frozenset[str]] = frozenset()
_FOUND: Final = f"{OURS}branches"
"""What is found in a law is kept by its function, so that it is found out once."""
_REWRITTEN: Final = f"{OURS}rewritten"
"""So is what was made of it."""


@locked
def branches_of(cls: type[Continuous], smoothness: Smoothness) -> Branches:
    """What branches in the laws of a class; where some of that is located they are rewritten, in their classes."""
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    for base, name in laws:
        _prepare(base, name, smoothness)
    return _together(cls, laws, smoothness)


def renew_branches(cls: type[Continuous], smoothness: Smoothness) -> None:
    """Look again at what branches in the laws of a class, if names that was found by stand for something else.

    The class has objects, with slots of what is located; so nothing else is located.
    """
    known = branches_in(cls)
    if not all(fact.is_current for fact in known.facts):
        _renew(cls, smoothness)


@locked
def _renew(cls: type[Continuous], smoothness: Smoothness) -> None:
    known = branches_in(cls)
    if all(fact.is_current for fact in known.facts):
        return  # another thread has looked meanwhile
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    for base, name in laws:
        function = vars(base)[name]
        found: Branches | None = function.__dict__.get(_FOUND)
        if found is None:
            why = "the law was given to a class that had objects"
            function.__dict__[_FOUND] = _as_whole(base, function, why, smoothness)
        elif not all(fact.is_current for fact in found.facts):
            _read_again(base, name, found, smoothness)
    cls._branches = _together(cls, laws, smoothness).beside(known)


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
        frozenset(name for branches in found for name in branches.void),
        any(branches.asks for branches in found),
        tuple(name for branches in found for name in branches.reserved),
    )


def _of_class(cls: type[Continuous], base: type[Continuous], name: str, smoothness: Smoothness) -> Branches:
    """What branches in a law of a class above, as it is for a class, which may have other methods and fields."""
    function: FunctionType = vars(base)[name]
    found: Branches = function.__dict__[_FOUND]
    if base is cls:
        return found
    law, is_first = original_of(function), "_branches" not in vars(cls)
    reader = _reader(base, name, law, smoothness, cls, sites_of(function), made=None if is_first else cls)
    if isinstance(reader, str):
        return _as_whole(cls, law, reader, smoothness)
    made = _rewritten(reader, law)
    if is_first and not sites_of(made) <= sites_of(function):  # calls of methods in which only here something branches
        _read(base, name, law, smoothness, sites_of(function) | sites_of(made))
        function = vars(base)[name]
    branches, unlocated, reserved = reader.located, tuple(reader.unlocated), tuple(reader.reserved)
    if made.__code__ != function.__code__:
        branches, reserved = [*found.located], found.reserved
        why = f"it is of {base.__name__}, and fields or methods of {cls.__name__} are others"
        unlocated += (_whole(law, why, smoothness),)
    elif is_first:
        _install(cls, reader)
    if not _says_smooth(cls, base):
        warn_of_clock(f"{cls.__name__}.{name}", [one for one in unlocated if one not in found.unlocated])
    asks, facts = bool(reader.around.fields.asked), (*found.facts, *reader.names.facts.values())
    return Branches(tuple(branches), unlocated, facts=facts, asks=asks, reserved=reserved)


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
    written = {name: value for name, value in members.items() if not _is_ours(name)}
    for name in LAWS:
        law = written.get(name)
        if isinstance(law, FunctionType):
            written[name] = _unread(original_of(law))
    return written


def _is_ours(name: str) -> bool:
    """Whether an attribute of a class was made of its laws: also a slot of an outcome, or a copy that a law calls."""
    return name in {"_branches", CHECKED} or name.startswith(OUTCOME)


def _unread(law: FunctionType) -> FunctionType:
    """A copy of a law to which nothing is noted yet."""
    copy = FunctionType(law.__code__, law.__globals__, law.__name__, law.__defaults__, law.__closure__)
    copy.__kwdefaults__, copy.__doc__, copy.__module__ = law.__kwdefaults__, law.__doc__, law.__module__
    copy.__qualname__, copy.__annotations__ = law.__qualname__, law.__annotations__
    copy.__dict__.update({name: value for name, value in vars(law).items() if not name.startswith(OURS)})
    return copy


def unlocated_in(owner: Continuous, smoothness: Smoothness) -> tuple[Unlocated, ...]:
    """What branches, bends or jumps in the laws of a component and is not located."""
    return () if isinstance(owner, Law) and owner.is_smooth else _unlocated_in(owner, "unlocated", smoothness)


def smooth_in(owner: Continuous, smoothness: Smoothness) -> tuple[Unlocated, ...]:
    """What of that is smooth, as is said of it."""
    return () if isinstance(owner, Law) and not owner.is_smooth else _unlocated_in(owner, "smooth", smoothness)


def _unlocated_in(
    owner: Continuous, which: Literal["unlocated", "smooth"], smoothness: Smoothness
) -> tuple[Unlocated, ...]:
    cls = type(owner)
    if cls._laws_are_of_class:
        branches = branches_in(cls)
        variant = variant_of(owner, smoothness) if branches.asks else None
        unlocated: tuple[Unlocated, ...] = getattr(variant or branches, which)
        return unlocated
    laws = [law for law in owner._laws() if isinstance(law, FunctionType) and smoothness.may_branch(law, {})]
    why = "it is no method: write the law as `equations` of a class"
    return tuple(_whole(law, why, smoothness) for law in laws)


@dataclass(frozen=True, eq=False)
class Variant:
    """What branches in the laws of the objects of a class whose fields refer to functions of some code.

    of      what branches in the laws of any of its objects
    located, unlocated, smooth  as there
    facts   what names stood for when that was found
    """

    of: Branches
    located: tuple[Branch, ...]
    unlocated: tuple[Unlocated, ...]
    smooth: tuple[Unlocated, ...]
    facts: tuple[Constant, ...]

    @property
    def is_current(self) -> bool:
        """Whether they still do."""
        return all(fact.is_current for fact in self.facts)


@locked
def variant_of(owner: Continuous, smoothness: Smoothness) -> Variant:
    """What branches in the laws of an object, by the functions to which its fields refer now."""
    cls = type(owner)
    branches, paths = branches_in(cls), smoothness.paths.setdefault(cls, {})
    while True:
        found = {text: targets_at(owner, path, smoothness.stand_ins) for text, path in paths.items()}
        key = cls, *found.values()
        variant = smoothness.variants.get(key)
        if variant is not None and variant.of is branches and variant.is_current:
            return variant
        fields = Fields(found)
        made = _read_variant(cls, fields, smoothness) if variant is None else None
        if made is None:  # objects may have switches for what was located before, and nothing else can be
            fields.is_open = False
            made = _read_variant(cls, fields, smoothness)
            assert made is not None
            made = replace(made, located=(variant or branches).located)
        if paths.keys() >= fields.asked.keys():
            smoothness.variants[key] = made
            return made
        paths |= fields.asked


def _read_variant(cls: type[Continuous], fields: Fields, smoothness: Smoothness) -> Variant | None:
    """Look through the laws of a class by what its fields refer to; None where they would become others by that."""
    laws = [(base, name) for name in LAWS for base in _in_use(cls, name)]
    found: list[Branches] = []
    readers: list[Branching] = []
    for base, name in laws:
        function: FunctionType = vars(base)[name]
        law = original_of(function)
        reader = _reader(base, name, law, smoothness, cls, sites_of(function), cls, fields)
        if isinstance(reader, str):
            found.append(_as_whole(cls, law, reader, smoothness))
            continue
        made = _rewritten(reader, law)
        if fields.is_open and (made.__code__ != function.__code__ or not _can_take(cls, reader)):
            return None
        readers.append(reader)
        found.append(_found_by(reader))
    smooth, unlocated = (_unlocated(cls, laws, found, smooth=is_smooth) for is_smooth in (True, False))
    facts = {(id(fact.holder), fact.name): fact for branches in found for fact in branches.facts}
    located = tuple(branch for branches in found for branch in branches.located)
    for reader in readers if fields.is_open else ():
        _take(cls, reader)
    return Variant(branches_in(cls), located, unlocated, smooth, tuple(facts.values()))


def _can_take(cls: type[Continuous], reader: Branching) -> bool:
    """Whether what a class has by the names of copies is what would be there."""
    pairs = [(getattr(cls, name, copy), copy) for name, copy in reader.copies.items()]
    pairs += [
        (old.get(key, new), new)
        for old, copies in pairs
        if isinstance(old, Copies) and isinstance(copies, Copies)
        for key, new in copies.items()
    ]
    return all(
        old.__code__ == new.__code__
        for old, new in pairs
        if isinstance(old, FunctionType) and isinstance(new, FunctionType)
    )


def _take(cls: type[Continuous], reader: Branching) -> None:
    """Let a class have copies of functions to which fields refer, and what these need."""
    for name, copy in reader.copies.items():
        known = getattr(cls, name, None)
        if isinstance(known, Copies) and isinstance(copy, Copies):
            known.update({key: one for key, one in copy.items() if key not in known})
        elif not hasattr(cls, name):
            _give(cls, name, copy)


@locked
def warn_of_law(owner: Law, unlocated: Iterable[Unlocated], smoothness: Smoothness) -> None:
    """Warn of a comparison of the time in a law that is no method, once of each function."""
    told = [one for one in unlocated if (Law, one) not in smoothness.told]
    smoothness.told |= {(Law, one): None for one in told}
    warn_of_clock(owner.name, told)


@locked
def warn_of_fields(cls: type[Continuous], variant: Variant, smoothness: Smoothness) -> None:
    """Warn of the first comparison of the time in each function to which a field refers, once in each class."""
    for one in variant.unlocated:
        law, _, function = one.law.partition(" via ")
        text = smoothness.book.file(one.file, {})
        start = text.start_of(one.line) if text else one.line  # several lambdas have one name
        key = cls, law, (function.partition(" via ")[0], one.file, start) if function else one
        if one.is_timed and one not in variant.of.unlocated and key not in smoothness.told:
            smoothness.told[key] = None
            warn_of_field(cls.__name__, one)


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


def _read(
    cls: type[Continuous], name: str, function: FunctionType, smoothness: Smoothness, sites: frozenset[str] = NO_SITES
) -> None:
    """Note what branches in a law to its function, which may be another then.

    sites   the calls that are written for a copy in any case, as some class below has one
    """
    reader = _reader(cls, name, function, smoothness, cls, sites)
    if isinstance(reader, str):
        found = function.__dict__[_FOUND] = _as_whole(cls, function, reader, smoothness)
        if cls.locate_branches and not _says_smooth(cls, cls):
            warn_of_clock(f"{cls.__name__}.{name}", found.unlocated)
        return
    made = _rewritten(reader, function)
    if not _says_smooth(cls, cls):
        warn_of_clock(f"{cls.__name__}.{name}", reader.unlocated)
    if made is not function:
        _install(cls, reader)
        setattr(cls, name, made)
        function.__dict__[_REWRITTEN] = made
    made.__dict__[_FOUND] = _found_by(reader)


def _found_by(reader: Branching) -> Branches:
    asks, facts = bool(reader.around.fields.asked), tuple(reader.names.facts.values())
    found = Branches(tuple(reader.located), tuple(reader.unlocated), facts=facts, asks=asks)
    return replace(found, reserved=tuple(reader.reserved))


def _rewritten(reader: Branching, law: FunctionType) -> FunctionType:
    """A law as it has been read; itself if nothing in it is located."""
    tree, body = reader.tree, reader.read({})
    assert isinstance(tree, ast.FunctionDef)
    if not reader.located and not reader.copies:
        return law
    return function_of(ast.copy_location(ast.FunctionDef(tree.name, tree.args, body, []), tree), law)


def _install(cls: type[Continuous], reader: Branching) -> None:
    """Let a class have what its law refers to: slots of outcomes, and copies of what it calls."""
    for slot in Branches(tuple(reader.located), reserved=tuple(reader.reserved)).slots:
        setattr(cls, slot, outcome(slot))
    for name, copy in reader.copies.items():
        _give(cls, name, copy)
    if reader.copies:
        setattr(cls, CHOOSE, staticmethod(choose))
        setattr(cls, FITS, staticmethod(fits))
        setattr(cls, CLOSED, staticmethod(closed))


def _give(cls: type[Continuous], name: str, copy: FunctionType | Copies | None) -> None:
    setattr(cls, name, staticmethod(copy) if isinstance(copy, FunctionType) else copy)


def _reader(
    base: type[Continuous],
    name: str,
    function: FunctionType,
    smoothness: Smoothness,
    cls: type[Continuous],
    sites: frozenset[str],
    made: type[Continuous] | None = None,
    fields: Fields | None = None,
) -> Branching | str:
    """What goes through a law of a class for that class or one below it; or why it is not gone through.

    made    the class, if it has objects
    fields  what is got from fields, as far as it is known
    """
    if not base.locate_branches:
        return f"as `{base.__name__}.locate_branches` says"
    try:
        definition = smoothness.book.definition(function)
    except CannotLower as error:
        return error.why
    tree = definition.tree
    if not isinstance(tree, ast.FunctionDef) or is_refused(tree) or not _is_of_object_alone(tree.args):
        return "the law has private names of its class or names of outer functions, or is no method"
    names, clock = LawNames(cls, function, {}), Clock(cls, function, smoothness.book)
    prefix = f"{base.__name__}_{len(base.__mro__)}_{name}"
    fields = Fields() if fields is None else fields
    around = Around(
        function.__name__, names.this, prefix, sites, made, (), iter(range(MOST)), fields, partial(_path, names.this)
    )
    return Branching(names, definition, smoothness, clock, around)


def _path(this: str, node: ast.expr) -> ast.expr | None:
    return node if is_path(node, this) else None


def _read_again(cls: type[Continuous], name: str, known: Branches, smoothness: Smoothness) -> None:
    """The same of a law that was looked through before, by what names stand for now.

    Where its text would become another one, it goes as it is written: objects have no slots for other outcomes.
    """
    before: FunctionType = vars(cls)[name]
    law = original_of(before)
    rewritten: FunctionType = law.__dict__.get(_REWRITTEN, law)
    reader = _reader(cls, name, law, smoothness, cls, sites_of(rewritten), made=cls)
    if isinstance(reader, str):
        made, found = rewritten, _as_whole(cls, law, reader, smoothness)
    else:
        made, found = _rewritten(reader, law), _found_by(reader)
    is_same = made.__code__ == rewritten.__code__
    if not is_same:
        changed = next(fact for fact in known.facts if not fact.is_current)
        why = f"`{changed.name}` of {changed.where} has become something else, and objects of the class had been made"
        found = _as_whole(cls, law, why, smoothness)
    function = rewritten if is_same else law
    function.__dict__[_FOUND] = found.beside(known)
    if function is not before:
        setattr(cls, name, function)


def _as_whole(cls: type, function: FunctionType, why: str, smoothness: Smoothness) -> Branches:
    """A law that is not looked into: if something branches in it, it is not located."""
    facts: Facts = {}
    unlocated = (_whole(function, why, smoothness),) if smoothness.may_branch(function, facts, cls) else ()
    return Branches((), unlocated, facts=tuple(facts.values()))


def _whole(function: FunctionType, why: str, smoothness: Smoothness) -> Unlocated:
    code, name = function.__code__, function.__name__
    is_timed = may_compare_time(code) or may_jump_by_time(function, smoothness.book)
    return Unlocated(code.co_filename, code.co_firstlineno, name, name, why, is_timed)


def _is_of_object_alone(arguments: ast.arguments) -> bool:
    """Whether a law takes its object, and nothing else."""
    others = arguments.defaults or arguments.vararg or arguments.kwonlyargs or arguments.kwarg
    return len(arguments.args) == 1 and not others
