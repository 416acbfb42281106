"""Loops over lists and tuples: of numbers, as they are when their turn comes, of objects of one that keeps them, or of
tuples of such, which are unpacked, as in `for desk, work in route`; and over several at once, `zip(desks, works)`.

Python's loop asks a list for the item at its next place, and ends where there is none; so does a row. Objects are of
one class, and the list must keep them, so that their addresses are theirs. Where `enumerate` counts the items, their
numbers follow from their places.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from eventide.bodies.attributes import is_plain, taken_varying
from eventide.bodies.emission import taken
from eventide.bodies.items import kind_of
from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.bodies.points import Loop
from eventide.bodies.stations.choosing import LISTS, RESOURCES, all_are_of, fact_of, known_in, resources_of
from eventide.bodies.words import is_word, note_class
from eventide.reading.nodes import is_set_once, small_whole

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.expressions import BodyExpressions

_ONLY: Final = (
    "only loops over ranges, and over numbers, resources, objects of one class, tuples, or words of tuples, are native"
)
_MOST_PLACES: Final = 64
"""The most resources, in all lists of which a loop goes through one."""


class Items(NamedTuple):
    """What a loop goes through, a list or a tuple, and its variables: that of a number, if any, and those of an item.

    start   the first of these numbers; None without any
    width   how many variables the item is unpacked to; 0 where it has one variable itself
    zipped  what else it goes through at the same time, each with a variable
    """

    owner: ast.expr
    names: list[ast.Name]
    start: int | None = None
    width: int = 0
    zipped: tuple[ast.expr, ...] = ()


class _Column(NamedTuple):
    """What a variable of a loop gets in turn.

    owners  of which lists or tuples it goes through one
    at      which column of the tuples that are unpacked; None for the items themselves
    text    what takes it, but for the address of its class
    loop    its number
    """

    owners: tuple[Thing, ...]
    at: int | None
    text: str
    loop: int

    @property
    def items(self) -> list[Sequence[object]]:
        """All that there is now, in each list."""
        return [one.value if self.at is None else [row[self.at] for row in one.value] for one in self.owners]


def is_enumerated(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether something calls what has the name of `enumerate`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate"


def is_over_items(node: ast.expr) -> bool:
    """Whether a loop over this may be one over what lists and tuples have: it calls nothing, or what does that."""
    return not isinstance(node, ast.Call) or is_enumerated(node) or _is_zip(node)


def _is_zip(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip"


def items_of(expressions: BodyExpressions, statement: ast.For) -> Items:
    """What a loop goes through that is over no range. Raises Unknown."""
    target, owner, start = statement.target, statement.iter, None
    numbers: list[ast.expr] = []
    if is_enumerated(owner):
        owner, start = _enumerated(expressions, owner)
        parts = getattr(target, "elts", [])
        numbers, target = (parts[:1], parts[1]) if len(parts) == 2 else ([], target)
    unpacked = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    names = [one for one in (*numbers, *(unpacked or [target])) if isinstance(one, ast.Name)]
    count, zipped = (start is not None) + (len(unpacked) or 1), list[ast.expr]()
    if _is_zip(owner):
        called = expressions.value(owner.func)
        is_plain = isinstance(called, Thing) and called.value is zip and not owner.keywords and start is None
        if not is_plain or len(owner.args) < 2:
            raise Unknown("`zip` is native of several lists or tuples, and with nothing else", statement)
        count, unpacked = len(owner.args), []
        owner, *zipped = owner.args
    if len(names) != count or len({one.id for one in names}) != count:
        raise Unknown("only loops whose variables have names, each another one, are native", statement)
    return Items(owner, names, start, len(unpacked), tuple(zipped))


def _enumerated(expressions: BodyExpressions, call: ast.Call) -> tuple[ast.expr, int]:
    """What `enumerate` goes through, and its first number. Raises Unknown."""
    called, starts = expressions.value(call.func), [*call.args[1:], *(one.value for one in call.keywords)]
    is_known = isinstance(called, Thing) and called.value is enumerate and len(call.args) > 0 and len(starts) < 2
    start = small_whole(starts[0]) if starts else 0
    if not is_known or any(one.arg != "start" for one in call.keywords) or start is None:
        raise Unknown("`enumerate` is native with a list or a tuple, and a constant as its start", call)
    return call.args[0], start


def looped(
    expressions: BodyExpressions, statement: ast.For, items: Items, number: int, function: ast.AST
) -> tuple[Loop, list[Operand], list[str]]:
    """A loop over a list or a tuple, what its variables get, and the lines that take that at a place. Raises Unknown.

    function    in whose text it stands
    """
    if items.zipped:
        return _zipped(expressions, statement, items, number, function)
    naming, taking = expressions.naming, expressions.emission.elsewhere()
    owner, owners = _owners(expressions, items, statement)
    given = [] if items.start is None else [Operand(f"(n_{number} + {items.start})", "int")]
    names, columns = items.names[len(given) :], list[int | None]([None])
    text = f"item(s_{number}, n_{number}, {{}})"
    if items.width:
        row = taken(taking, text.format(naming.address(Thing("", (), tuple))), "object").text
        taking.stop_if(f"length({row}) != {items.width}")
        columns, text = [*range(items.width)], f"item({row}, {{}}, {{}})"
    for name, at in zip(names, columns, strict=True):
        column = _Column(owners, at, text if at is None else text.format(at, "{}"), number)
        given.append(_item(expressions, taking, column, name, function))
    keeps = any(item.kind == "object" for item in given)
    members = tuple([one._replace(value=None) if one.root else one for one in owners]) if keeps else ()
    expressions.emission.emit(f"n_{number} = 0\ns_{number} = {owner}")
    return Loop(number, 0, statement, members, items.start), given, taking.lines


def _zipped(
    expressions: BodyExpressions, statement: ast.For, items: Items, number: int, function: ast.AST
) -> tuple[Loop, list[Operand], list[str]]:
    """The same of a loop over several lists and tuples at once, each of which is known."""
    naming, taking, given = expressions.naming, expressions.emission.elsewhere(), list[Operand]()
    things, texts = list[Thing](), list[str]()
    for name, node in zip(items.names, (items.owner, *items.zipped), strict=True):
        text, owners = _owners(expressions, items._replace(owner=node), statement)
        if len(owners) > 1 or not naming.is_lasting(owners[0]):
            raise Unknown(_ONLY, statement)
        column = _Column(owners, None, f"item({text}, n_{number}, {{}})", number)
        given.append(_item(expressions, taking, column, name, function))
        things.append(owners[0]._replace(value=None) if owners[0].root else owners[0])
        texts.append(text)
    expressions.emission.emit(f"n_{number} = 0\ns_{number} = {texts[0]}")
    return Loop(number, 0, statement, (), None, tuple(zip(texts, things, strict=True))), given, taking.lines


def _owners(expressions: BodyExpressions, items: Items, statement: ast.For) -> tuple[str, tuple[Thing, ...]]:
    """The address of what a loop goes through, and of which lists and tuples it is one. Raises Unknown."""
    naming, owner = expressions.naming, expressions.value(items.owner)
    owners = owner.among if isinstance(owner, Operand) else (owner,)
    if not owners or naming.prefix or any(type(one.value) not in LISTS or not one.value for one in owners):
        raise Unknown(_ONLY, statement)
    held = [row for one in owners for row in one.value] if items.width else []
    if any(type(row) is not tuple or len(row) != items.width for row in held):
        naming.note_state(held)
        raise Unknown(_ONLY, statement)
    return owner.text if isinstance(owner, Operand) else naming.address(owner), owners


def _item(
    expressions: BodyExpressions, taking: Emission, column: _Column, name: ast.Name, function: ast.AST
) -> Operand:
    """What one variable of a loop gets."""
    naming, owners, number, each = expressions.naming, column.owners, column.loop, column.items
    kinds: set[type] = {type(one) for held in each for one in held}
    are_kept = column.at is not None or all(type(owner.value) is tuple for owner in owners)
    are_words = are_kept and all(is_word(one) for held in each for one in held)
    if are_words or not kinds.isdisjoint(RESOURCES):
        few = known_in if are_words else resources_of
        if sum(map(len, each)) > _MOST_PLACES:
            raise Unknown(_ONLY, name)
        among, text = list[Thing](), "0"
        for owner in owners:
            is_it = f" and s_{number} == {naming.address(owner)}" if len(owners) > 1 else ""
            for k, one in enumerate(few(expressions, owner, name, column.at)):
                among.append(one)  # those that are away have other classes
                text = f"({naming.address(one)} if n_{number} == {k}{is_it} else {text})"
        for one in among if are_words else ():
            note_class(naming, type(one.value))
        found = taking.keep(text, "object", among=() if are_words else tuple(among))
        taking.stop_if(f"{found.text} == 0")
        return found
    kind = kind_of(kinds)
    if kind is not None:
        return taken_varying(naming, taking, column.text, kind)
    _note_objects(expressions, column, name, function)
    where = column.text.format(naming.address(Thing("", (), next(iter(kinds)))))
    return taking.keep(f"dropped({taken(taking, where, 'object').text})", "object")


def _note_objects(expressions: BodyExpressions, column: _Column, target: ast.Name, function: ast.AST) -> None:
    """Note that a list keeps what it has, which are objects of one class. Raises Unknown."""
    naming, held = expressions.naming, column.items[0]
    kind = type(held[0])
    if column.at is not None or len(column.owners) > 1:
        raise Unknown(_ONLY, target)
    owner = column.owners[0]
    if not is_plain(held[0]) or not all_are_of(held, kind, naming.world):
        naming.note_state(held)
        raise Unknown(_ONLY, target)
    if owner.root:
        naming.lists[owner.root, owner.path] = kind
    else:
        naming.note(held, "items", fact_of(held))
    key = naming.key(target.id)
    naming.samples.setdefault(key, held[0])
    if is_set_once(function, target):
        naming.members.add(key)
