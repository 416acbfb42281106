"""Functions, methods and properties that a law calls: what branches in them is located for each call.

In: a call, and what is known of its arguments. Out: a copy of the function, rewritten like a law, that is told whose
law it is, and the call of this copy; conditions of the law that ask those of the copy, with what it is given there. The
call finds out what it calls as it did before (see `lowering/names/choices.py`): where that is another function
than was copied, or a method of another class, it is called as it stands, and nothing in it is located.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from types import FunctionType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.compilation.branches.clock import Clock
from eventide.compilation.branches.fields import Target
from eventide.compilation.branches.law_names import ABOUT, OUTCOME, About, LawNames
from eventide.compilation.branches.smoothness import is_super
from eventide.compilation.branches.syntax import both, function_of, holding, key_of, placed
from eventide.continuous.components.switches import Unlocated
from eventide.declare import fields_of
from eventide.inputs import Input
from eventide.lowering.names.choices import CHOOSE, CLOSED, FITS, LAW, is_copy, keep_origin
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.constants import PARTS, Constant
from eventide.reading.source import Copies, copy_key

if TYPE_CHECKING:
    from eventide.compilation.branches.branching import Branching
    from eventide.compilation.branches.fields import Fields
    from eventide.continuous import Continuous

Known: TypeAlias = dict[str, ast.expr | None]
"""What local names stand for, as expressions of what is no local name; None where that cannot be said."""
UNREAD: Final = "it is not known whether what is called branches"
NO_TIME: Final = "an input tells where it jumps by sim.time, and is given something else: shift the input itself"
RESERVED: Final = 6
"""So many outcomes in the function of a field are held."""
BY_A_FIELD: Final = "a field refers to the function, which may be another for each object"
TOO_LATE: Final = "it has become so after objects of the class had been made"
DEEPEST: Final = 8
"""Calls in calls in calls are followed so far."""
MOST: Final = 200
"""So many calls of one law are."""
_SITE: Final = f"{OUTCOME}call_"
_GIVEN: Final = "eventide_given_"
_WITH_MORE: Final = 0x04 | 0x08
"""The flags of code that takes `*args` or `**options`."""


class NotLocated(Exception):
    """Why something is not located."""


@dataclass(frozen=True)
class Around:
    """What stands around a function that is gone through: the law that calls it, or is it.

    law     its title: of a function that a law calls, with its name
    owner   what the object whose law it is, which has the outcomes, is called there
    prefix  what the names of its outcomes have in common
    sites   the names of the calls that are written for a copy in any case
    made    the class, if it has objects: it can have no more outcomes
    above   the functions that are gone through on the way to it
    left    of how many calls more a copy may be made
    fields  what is got from fields
    lift    from an expression there to the same in the law itself; None if that cannot be said
    why     why nothing there is located; empty if it is
    pool    the names of the slots that are left, in a function to which a field refers; None elsewhere
    """

    law: str
    owner: str
    prefix: str
    sites: frozenset[str]
    made: type[Continuous] | None
    above: tuple[FunctionType, ...]
    left: Iterator[int]
    fields: Fields
    lift: Callable[[ast.expr], ast.expr | None]
    why: str = ""
    pool: Iterator[str] | None = None


@dataclass(frozen=True)
class _Call:
    """A call of a function, or a property that is read.

    node    as it is in the law, with its arguments rewritten
    what    what tells which function it is: an expression of that; or of the object, and the name of a property
    object  whose method or property it is; None if it is none
    site    the name of its copy
    """

    node: ast.Call | ast.Attribute
    what: list[ast.expr]
    object: ast.expr | None
    site: str

    @property
    def arguments(self) -> tuple[list[ast.expr], list[ast.keyword]]:
        """With what it calls."""
        return (self.node.args, self.node.keywords) if isinstance(self.node, ast.Call) else ([], [])


STILL: Final = About(moves=False, is_scalar=True, is_timed=True, cls=None, is_vector=False)
"""A number that changes at events alone."""


class _Given:
    """What a function that is called is given.

    names       what stands for each of its parameters, and for attributes of these that the law has set
    about       what is known of those that stand for a value of the law
    arguments   what these values are in the law
    """

    def __init__(self, law: Branching, known: Known) -> None:
        self._law = law
        self._known = known
        self.names: Known = {}
        self.about = {LAW: About(moves=True, is_scalar=False, is_timed=False, cls=law.names.cls, is_vector=False)}
        self.arguments: dict[str, ast.expr] = {LAW: ast.Name(law.around.owner, ast.Load())}

    def give(self, name: str, node: ast.expr | None) -> None:
        """Let a name there stand for a value of the law."""
        resolved = node and self._law.resolved_or_none(node, self._known)
        if node is None or resolved is None or isinstance(resolved, ast.Constant):
            self.names[name] = resolved
            return
        own = f"{_GIVEN}{name.replace('.', '_')}"
        self.names[name] = ast.Name(own, ast.Load())
        self.about[own] = self._law.names.about(resolved)
        self.arguments[own] = node

    def find_defaults(self, bound: dict[str, ast.expr | None], call: _Call) -> None:
        """Let names that stand for defaults of a function to which a field refers stand for those that it has then."""
        values, keywords = call.arguments
        passed = {id(one): None for one in (*values, *(one.value for one in keywords))}
        for name in [name for name, node in bound.items() if id(node) not in passed]:
            self.names[name] = ast.Name(name, ast.Load())
            self.about[name] = STILL

    def give_attributes(self, name: str, node: ast.expr | None) -> None:
        """What the law has set of an object is that for what it calls, too."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return
        whole = f"{key_of(node)}."
        for key in [one for one in self._known if one.startswith(whole)]:
            attribute = ast.parse(key, mode="eval").body
            for inner in ast.walk(attribute):
                if hasattr(inner, "lineno"):
                    ast.copy_location(inner, node)
            self.give(f"{name}.{key.removeprefix(whole)}", attribute)


def follow_call(law: Branching, node: ast.Call, known: Known) -> ast.expr:
    """What stands in the place of a call of the user's; what branches there and is not located is named."""
    whose = node.func.value if isinstance(node.func, ast.Attribute) else None
    whose = ast.copy_location(ast.Name(law.names.this, ast.Load()), whose) if whose and is_super(whose) else whose
    call = _Call(node, [node.func], whose, _site(law, node))
    resolved = law.resolved_or_none(node, known)
    plain = resolved if isinstance(resolved, ast.Call) else node
    may_branch = law.smoothness.call_may_branch(plain, law.names)
    function, cls = law.smoothness.callee(plain, law.names)
    if function is None and may_branch:
        path = law.path(node.func, known)
        if path is not None:
            return _follow_field(law, call, path, known)
    try:
        if law.around.pool is not None and _is_closed_over(law, node.func):
            _name_target(law, node, Target(function), known, BY_A_FIELD)
            return node
    except (NotLocated, CannotLower) as error:
        law.note_call(node, known, str(error))
        return node
    try:
        return _follow(law, call, function, cls, known)
    except NotLocated as error:
        if may_branch:
            law.note_call(node, known, str(error))
    return _as_known(law, call)


def name_targets(law: Branching, node: ast.Call, known: Known, why: str) -> bool:
    """Name what branches in the functions that a call gets from a field; whether it is known which these are."""
    path = law.path(node.func, known)
    targets = None if path is None else law.around.fields.targets(path)
    for target in targets or ():
        if target.function is Input:
            plain = law.resolved_or_none(node, known)
            if not law.names.may_be_given_time(plain if isinstance(plain, ast.Call) else node):
                law.note_call(node, known, NO_TIME)
            continue
        if not law.smoothness.may_branch(target.function, law.names.facts, target.cls):
            continue
        try:
            _name_target(law, node, target, known, why)
        except (NotLocated, CannotLower) as error:
            law.note_call(node, known, error.why if isinstance(error, CannotLower) else str(error))
    return targets is not None


def _is_closed_over(law: Branching, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in law.names.function.__code__.co_freevars


def _follow_field(law: Branching, call: _Call, path: ast.expr, known: Known) -> ast.expr:
    """What stands in the place of a call of what a field refers to: of its copy, if it has one when it is called."""
    node, around = call.node, law.around
    assert isinstance(node, ast.Call)
    is_open = not (around.above or around.why) and not any(isinstance(one, ast.Starred) for one in node.args)
    is_open = is_open and all(one.arg is not None for one in node.keywords)
    targets = around.fields.targets(path)
    if is_open:
        names = [f"{OUTCOME}{k}_{call.site.removeprefix(OUTCOME)}" for k in range(RESERVED)]
        law.reserved += names
        law.copies[call.site] = copies = Copies()
        (target,) = targets if around.fields.is_open and targets is not None and len(targets) == 1 else (None,)
        if target is not None and _is_located(law, call, target, path, iter(names), copies, known):
            return _rewritten(law, call)
    if not name_targets(law, node, known, BY_A_FIELD):
        law.note_call(node, known, UNREAD)
    return _rewritten(law, call) if is_open else node


def _is_located(
    law: Branching,
    call: _Call,
    target: Target,
    path: ast.expr,
    pool: Iterator[str],
    copies: Copies,
    known: Known,
) -> bool:
    """Locate what branches in a function to which a field refers; False where it is named instead."""
    function = target.function
    if not isinstance(function, FunctionType) or target.cls is not None or target.first or target.named:
        return False
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    if any(value is None for value in values) or (function.__module__ or "").startswith("eventide."):
        return False
    if not law.smoothness.may_branch(function, law.names.facts):
        return True
    try:
        inner, given = _within(law, call, function, None, known, pool=pool)
    except (NotLocated, CannotLower):
        return False
    body = inner.read(given.names)
    _forget(law, inner, given.arguments, known)
    law.unlocated += inner.unlocated
    if not inner.located:
        return True
    copies[copy_key(function)] = _copy(inner, body, function)
    for k, branch in enumerate(inner.located):
        name = f"{OUTCOME}{k}_held_{inner.around.prefix}"
        law.copies[name] = branch.condition
        code = branch.condition.__code__
        values = [given.arguments[one] for one in code.co_varnames[: code.co_argcount]]
        fits = ast.Call(law.of_owner(FITS), [law.of_owner(call.site), deepcopy(path)], [])
        asked = ast.Call(ast.Call(law.of_owner(CLOSED), [law.of_owner(name), deepcopy(path)], []), values, [])
        law.adopt(branch, law.resolved(both(fits, asked), known), call.node)
    law.copies |= inner.copies
    return True


def _copy(inner: Branching, body: list[ast.stmt], function: FunctionType) -> FunctionType:
    """What is called in the place of a function."""
    tree = inner.tree
    made = ast.FunctionDef(function.__name__, deepcopy(tree.args), body, [])
    made.args.kwonlyargs.append(ast.arg(LAW))
    made.args.kw_defaults.append(None)
    copy = function_of(placed(ast.copy_location(made, tree), tree), function)
    keep_origin(copy, function)
    return copy


def _name_target(law: Branching, node: ast.Call, target: Target, known: Known, why: str) -> None:
    if not isinstance(target.function, FunctionType):
        raise NotLocated(UNREAD)
    made, whose = target.call(node)
    call = _Call(made, [made.func], whose, _site(law, node))
    inner, given = _within(law, call, target.function, target.cls, known, why)
    inner.read(given.names)
    _forget(law, inner, given.arguments, known)
    law.unlocated += inner.unlocated


def follow_property(law: Branching, node: ast.Attribute, known: Known) -> ast.expr:
    """The same of what may be a property."""
    resolved = law.resolved_or_none(node.value, known)
    plain = node if resolved is None else ast.Attribute(resolved, node.attr, ast.Load())
    call = _Call(node, [node.value, ast.Constant(node.attr)], node.value, _site(law, node))
    owner = law.names.class_of(plain.value)
    member = getattr(owner, node.attr, None)
    if not isinstance(member, property) or node.attr in fields_of(owner):
        return node
    may_branch = law.smoothness.property_may_branch(plain, law.names)
    try:
        return _follow(law, call, member.fget, owner, known)
    except NotLocated as error:
        if may_branch:
            law.note(node, known, str(error))
    return _as_known(law, call)


def _site(law: Branching, node: ast.expr) -> str:
    """The name of the copy for a call: by where that ends, which no other does."""
    line = (node.end_lineno or 0) - law.tree.lineno
    return f"{_SITE}{line}_{node.end_col_offset}_{law.around.prefix}"


def sites_of(law: FunctionType) -> frozenset[str]:
    """The names of the copies that a law calls."""
    return frozenset(name for name in law.__code__.co_names if name.startswith(_SITE))


def _as_known(law: Branching, call: _Call) -> ast.expr:
    """A call without a copy."""
    if call.site not in law.around.sites:
        return call.node
    law.copies[call.site] = None
    return _rewritten(law, call)


def _follow(law: Branching, call: _Call, function: object, cls: type | None, known: Known) -> ast.expr:
    """Go through the function that is called. Raises NotLocated."""
    if not isinstance(function, FunctionType) or (function.__module__ or "").startswith("eventide."):
        raise NotLocated(NO_TIME if isinstance(function, Input) else UNREAD)
    try:
        inner, given = _within(law, call, function, cls, known)
    except CannotLower as error:
        raise NotLocated(error.why) from None
    arguments, body = given.arguments, inner.read(given.names)
    _forget(law, inner, arguments, known)
    law.unlocated += inner.unlocated
    is_new = law.around.pool is None and law.around.made is not None
    if is_new and not is_copy(getattr(law.around.made, call.site, None), function):
        law.unlocated += [Unlocated(one.file, one.line, one.text, one.law, TOO_LATE) for one in inner.located]
        inner.located.clear()
    if not inner.located:
        plain = _as_known(law, call)
        if inner.value is not None:
            setattr(plain, ABOUT, inner.names.about(inner.value))
        return plain
    copy = _copy(inner, body, function)
    fits = ast.Call(law.of_owner(FITS), [law.of_owner(call.site), *call.what], [])
    found = {f"{branch.name}_{len(inner.around.above)}": branch for branch in inner.located}
    asked = [both(fits, _ask(law, name, branch.condition, arguments)) for name, branch in found.items()]
    for branch, condition in zip(inner.located, [law.resolved(one, known) for one in asked], strict=True):
        law.adopt(branch, condition, call.node)
    law.copies |= {**inner.copies, call.site: copy, **{name: branch.condition for name, branch in found.items()}}
    return _with_value(law, call, inner, fits, arguments)


def _within(
    law: Branching,
    call: _Call,
    function: FunctionType,
    cls: type | None,
    known: Known,
    why: str = "",
    pool: Iterator[str] | None = None,
) -> tuple[Branching, _Given]:
    """What goes through a function, and what that is given.

    why     why nothing in it is located; empty if it is
    pool    see `Around`
    Raises NotLocated, CannotLower.
    """
    around = law.around
    if function in around.above:
        raise NotLocated("it calls itself")
    definition = law.smoothness.book.definition(function)
    if is_refused(definition.tree):
        raise NotLocated("it has private names of its class, or names of outer functions that it sets")
    if len(around.above) == DEEPEST or next(around.left, None) is None:
        raise NotLocated("there are too many calls in this law")
    bound, given = _bind(function, call, cls), _Given(law, known)
    for name, node in bound.items():
        if cls is not None and node is not None and node is call.object:
            given.arguments[name] = node
        else:
            given.give(name, node)
        given.give_attributes(name, node)
    for part in PARTS:
        what = Constant(function.__qualname__, part, getattr(function, part), function, is_attribute=True)
        law.names.facts[id(function), part] = what
    if pool is not None:
        given.find_defaults(bound, call)
    tag = "" if pool is None else f"_{law.smoothness.number_of(function)}"
    timed = [name for name, node in bound.items() if node is not None and law.clock.reads(node)]
    clock = Clock(cls or object, function, law.smoothness.book, timed, around.above)
    inner = replace(
        around,
        law=f"{around.law} via {function.__name__}",
        owner=LAW,
        prefix=call.site.removeprefix(OUTCOME) + tag,
        pool=pool or around.pool,
        above=(*around.above, function),
        lift=lambda node: _lifted(law, node, given.arguments, known),
        why=around.why or why,
    )
    reader = type(law)(LawNames(cls, function, law.names.facts, given.about), definition, law.smoothness, clock, inner)
    return reader, given


def _lifted(law: Branching, node: ast.expr, arguments: dict[str, ast.expr], known: Known) -> ast.expr | None:
    """An expression in a function that a law calls, in the law itself."""
    if not all(one.id in arguments for one in ast.walk(node) if isinstance(one, ast.Name)):
        return None
    return law.path(_InTheLaw(arguments).visit(deepcopy(node)), known)


class _InTheLaw(ast.NodeTransformer):
    """Puts what a function is given in the place of its names for that."""

    def __init__(self, arguments: dict[str, ast.expr]) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Visit a name."""
        return deepcopy(self._arguments[node.id])


def _bind(function: FunctionType, call: _Call, cls: type | None) -> dict[str, ast.expr | None]:
    """What the parameters of a function are; None where that is no number that is written there. Raises NotLocated."""
    code, (values, keywords) = function.__code__, call.arguments
    if code.co_flags & _WITH_MORE or any(isinstance(one, ast.Starred) for one in values):
        raise NotLocated("arguments are followed one by one, without * and **")
    first = [] if cls is None or call.object is None else [call.object]
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    bound: dict[str, ast.expr | None] = dict(zip(names[: code.co_argcount], [*first, *values], strict=False))
    bound.update({one.arg: one.value for one in keywords if one.arg in names and one.arg not in bound})
    defaults = function.__defaults__ or ()
    rest = dict(zip(names[code.co_argcount - len(defaults) : code.co_argcount], defaults, strict=True))
    for name, value in {**rest, **(function.__kwdefaults__ or {})}.items():
        bound.setdefault(name, ast.Constant(value) if value is None or type(value) in (int, float, bool) else None)
    if len(bound) != len(names) or len(first) + len(values) + len(keywords) > len(names):
        raise NotLocated("its arguments are not those that it takes")
    return bound


def _forget(law: Branching, inner: Branching, arguments: dict[str, ast.expr], known: Known) -> None:
    """What a function that is called has set of objects is read where it stands."""
    for key in inner.sets:
        name, dot, rest = key.partition(".")
        node = arguments.get(name, arguments.get(f"{_GIVEN}{name}"))
        if dot and isinstance(node, ast.Name | ast.Attribute):
            outer = f"{key_of(node)}.{rest}"
            known.pop(outer, None)
            law.sets[outer] = None


def _ask(law: Branching, name: str, function: FunctionType, arguments: dict[str, ast.expr]) -> ast.expr:
    """A call of a function that was made in a function that is called, in the law."""
    code = function.__code__
    given = [arguments[one] for one in code.co_varnames[: code.co_argcount]]
    return ast.Call(law.of_owner(name), given, [])


def _rewritten(law: Branching, call: _Call) -> ast.expr:
    values, keywords = call.arguments
    chosen = ast.Call(law.of_owner(CHOOSE), [law.of_owner(call.site), *call.what], [])
    owner = ast.keyword(LAW, ast.Name(law.around.owner, ast.Load()))
    return placed(ast.copy_location(ast.Call(chosen, values, [*keywords, owner]), call.node), call.node)


def _with_value(
    law: Branching, call: _Call, inner: Branching, fits: ast.expr, arguments: dict[str, ast.expr]
) -> ast.expr:
    """The call of a copy, with its value for the conditions of what comes after it."""
    made, value = _rewritten(law, call), inner.value
    if value is None:
        return made
    name = f"{call.site}_value"
    function = law.copies[name] = inner.function_of(value, inner.tree)
    held = ast.IfExp(deepcopy(fits), _ask(law, name, function, arguments), deepcopy(call.node))
    about = inner.names.about(value)
    for node in (made, held):
        setattr(node, ABOUT, about)
    return holding(made, placed(held, call.node))


def is_refused(tree: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether code does what cannot be kept when it is rewritten: names of its class alone, or outer names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            return True
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name.startswith("__") and not name.endswith("__"):
            return True
    return False
