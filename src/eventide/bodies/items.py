"""Items of builtin containers: `counts[kind] += 1`, `late.add(number)`, `waits[kind].append(delay)`, `kind in counts`.

A function that was written for the statement is told the numbers of its keys, and does what Python would have done,
with objects that run no code of the user's. What it finds, or whether it may act, it leaves in a list of one item. All
else is left to Python: a key that is missing, an item of another type, a class that may have a say.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from itertools import islice
from types import NoneType
from typing import TYPE_CHECKING, Final

from eventide.bodies.arithmetic import ARITHMETIC
from eventide.bodies.attributes import note_change, taken_varying
from eventide.bodies.calls import Entry, told
from eventide.bodies.emission import EXIT
from eventide.bodies.naming import Fact
from eventide.bodies.operands import KINDS, OPTIONAL, Kind, Operand, Thing, Unknown
from eventide.bodies.stations.choosing import are_of_one_sort, picked_for, values_of
from eventide.bodies.words import is_word_class, note_class, of_thing
from eventide.native import objects
from eventide.native.objects import LISTS, MAPPINGS, METHODS, MOST, SETS, items_of
from eventide.rows.codes import UNMADE

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

ITEMS: Final = "[]"
"""Stands for the items of all containers among the names of attributes that laws and conditions may read."""
_WHAT: Final = "items of such containers, or of several types, are left to Python"


def item(expressions: BodyExpressions, node: ast.Subscript) -> Operand:
    """A number that a container has. Raises Unknown."""
    kinds = _kinds(expressions, node.value)
    return _mapped(expressions, kinds, node) or _number(expressions, kinds, objects.at, node.value, node.slice)


def _mapped(expressions: BodyExpressions, kinds: set[Kind | None], node: ast.Subscript) -> Operand | None:
    """The number that a dictionary has for a word, or which of its few objects for a word or a whole number; None for
    others.

    Raises Unknown.
    """
    held = None if isinstance(node.value, ast.Subscript) else _sample(expressions, node.value)
    if type(held) is not dict:
        return None
    classes, found = [*dict.fromkeys(map(type, islice(held, MOST)))], _kind_of(kinds)
    is_picked = found is None and are_of_one_sort([*held.values()])
    if found is None:  # what it has may be others in another simulation
        expressions.naming.note_state(held)
    if classes == [int] and is_picked:
        return picked_for(expressions, _owner(expressions, node), expressions.by_value(node.slice, "int"), node)
    known = expressions.tried(node.slice, expressions.word)
    is_early = known.kind == "object" and known.is_early if isinstance(known, Operand) else type(known.value) in classes
    if not is_early or not (is_picked or found) or NoneType in classes or not all(map(is_word_class, classes)):
        return None
    owner = _owner(expressions, node)
    key, emission, naming = expressions.word(node.slice), expressions.emission, expressions.naming
    word = key if isinstance(key, Operand) else of_thing(expressions, key, node)
    for kind in classes:
        note_class(naming, kind)
    if isinstance(key, Operand):
        emission.emit_early(EXIT.format(f"{word.text} <= {UNMADE}"))
        tests = [f"class_of({word.text}) != {naming.address(Thing('', (), kind))}" for kind in classes]
        emission.emit_early(EXIT.format(" and ".join(tests)))
    where = f"{naming.address(owner)}, {word.text}"
    if found is not None:
        return taken_varying(naming, emission, f"mapped({where}, {{}})", found)
    which = emission.keep_early(f"kept_for({where})", "object")
    emission.emit_early(EXIT.format(f"{which.text} == 0"))
    return which._replace(among=values_of(naming, owner))


def _owner(expressions: BodyExpressions, node: ast.Subscript) -> Thing:
    """What has an item, which is known."""
    owner = expressions.value(node.value)
    assert isinstance(owner, Thing)
    return owner


def kind_of(types: set[type]) -> Kind | None:
    """That of numbers of some types, one of which may be that of None; None where rows have no such numbers."""
    known: set[Kind | None] = {KINDS.get(one) for one in types - {NoneType}}
    found = _kind_of(known)
    return found if found is None or NoneType not in types else OPTIONAL[found]


def _kind_of(kinds: set[Kind | None]) -> Kind | None:
    """That of a number of one of some kinds."""
    return "mixed" if kinds == {"int", "float"} else next(iter(kinds)) if len(kinds) == 1 else None


def got(expressions: BodyExpressions, node: ast.Call) -> Operand | None:
    """What `counts.get(kind, 0)` gives; None for other calls. Raises Unknown."""
    is_get = isinstance(node.func, ast.Attribute) and node.func.attr == "get"
    if not is_get or len(node.args) != 2 or node.keywords:
        return None
    owner: ast.expr = node.func.value  # type: ignore[attr-defined]  # as was tested
    if type(_sample(expressions, owner)) not in MAPPINGS:
        return None
    default = expressions.tried(node.args[1])
    kinds = {default.kind if isinstance(default, Operand) else None} | _kinds(expressions, owner)
    return _number(expressions, kinds, objects.get, owner, *node.args)


def is_in(expressions: BodyExpressions, node: ast.Compare) -> Operand:
    """Whether a set or a dictionary has something. Raises Unknown."""
    if len(node.ops) > 1 or type(_sample(expressions, node.comparators[0])) not in SETS:
        raise Unknown(_WHAT, node)
    found = _number(expressions, {"bool"}, objects.has, node.comparators[0], node.left)
    return found if isinstance(node.ops[0], ast.In) else found._replace(text=f"(not {found.text})")


def count(expressions: BodyExpressions, node: ast.expr) -> Operand:
    """How many items a container has. Raises Unknown."""
    if type(_sample(expressions, node)) not in (deque, *LISTS, *SETS):
        raise Unknown("what else has items is counted by Python", node)
    return _number(expressions, {"int"}, objects.count, node)


def set_item(expressions: BodyExpressions, target: ast.expr, value: ast.expr) -> bool:
    """Write that an item of a container is set; whether a target is one. Raises Unknown."""
    if isinstance(target, ast.Subscript):
        _act(expressions, objects.put, target.value, target.slice, value)
    return isinstance(target, ast.Subscript)


def change_item(expressions: BodyExpressions, statement: ast.AugAssign) -> bool:
    """Write that a number of a container is changed, as by `+=`; whether a statement does so. Raises Unknown."""
    target, sign = statement.target, ARITHMETIC.get(type(statement.op))
    if isinstance(target, ast.Subscript) and sign is None:
        raise Unknown(_WHAT, statement)
    if isinstance(target, ast.Subscript):
        _act(expressions, objects.change, target.value, target.slice, ast.Constant(sign), statement.value)
    return isinstance(target, ast.Subscript)


def added(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Write an item that a container gets, or loses; whether a statement is of this kind. Raises Unknown."""
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(func, ast.Attribute) or func.attr not in METHODS:
        return False
    is_plain = len(node.args) == 1 and not node.keywords
    kind = type(_sample(expressions, func.value)) if is_plain else None
    if kind not in METHODS[func.attr] or (kind is list and not isinstance(func.value, ast.Subscript)):
        return False
    _act(expressions, objects.do, func.value, ast.Constant(func.attr), *node.args)
    return True


def _act(expressions: BodyExpressions, function: Callable[..., object], owner: ast.expr, *given: ast.expr) -> None:
    """Write that a function of `native/objects.py` does something, or nothing if only Python can."""
    note_change(expressions.naming, ITEMS, owner)
    _number(expressions, {"bool"}, function, owner, *given)
    expressions.emission.begin_effect()


def _number(
    expressions: BodyExpressions,
    kinds: set[Kind | None],
    function: Callable[..., object],
    owner: ast.expr,
    *keys: ast.expr,
) -> Operand:
    """What a function finds in a container, of some kinds: before the first effect, which may change that."""
    naming, emission, entry = expressions.naming, expressions.emission, Entry(expressions)
    known = _kind_of(kinds)
    if known is None or known == "object":
        raise Unknown(_WHAT, owner)
    call = _call(entry, function, owner, *keys)
    if not emission.is_pure:
        raise Unknown("it may fail after it has had an effect", owner)
    lines, found = told(naming, entry, call, finds=True)
    emission.emit(lines)
    return taken_varying(naming, emission, f"item({found}, 0, {{}})", known)


def _call(entry: Entry, function: Callable[..., object], owner: ast.expr, *given: ast.expr) -> str:
    """The text of a call of a function of `native/objects.py`."""
    entry.objects[function.__name__] = function
    texts = [*map(entry.text, reversed(given)), _text(entry, owner)]  # what an item is set to comes first in Python
    return f"{function.__name__}({', '.join(reversed(texts))})"


def _text(entry: Entry, node: ast.expr) -> str:
    """The text of a container, which may be an item of another one."""
    return _call(entry, objects.at, node.value, node.slice) if isinstance(node, ast.Subscript) else entry.text(node)


def _sample(expressions: BodyExpressions, node: ast.expr) -> object:
    """The container that is there now, or one like it; None where none is known."""
    if isinstance(node, ast.Subscript):
        return next(iter(items_of(_sample(expressions, node.value))), None)
    try:
        found = expressions.tried(node)
    except Unknown:
        return None
    return found.value if isinstance(found, Thing) else None


def _kinds(expressions: BodyExpressions, node: ast.expr) -> set[Kind | None]:
    """The types of the items of a container."""
    owner = _sample(expressions, node)
    items = items_of(owner)
    if not items and type(owner) in (list, *MAPPINGS):  # the statement is read once more when there are some
        expressions.naming.note(owner, "empty", Fact(bool, owner, False))
    return {KINDS.get(type(one)) for one in items}
