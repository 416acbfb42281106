"""Loops over lists and tuples: of numbers, as they are when their turn comes, of objects of one that keeps them, or of
tuples of such, which are unpacked, as in `for desk, work in route`.

Python's loop asks a list for the item at its next place, and ends where there is none; so does a row. Objects are of
one class, and the list must keep them, so that their addresses are theirs. Where `enumerate` counts the items, their
numbers follow from their places.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

from eventide.bodies.attributes import is_plain, taken_varying
from eventide.bodies.emission import taken
from eventide.bodies.items import kind_of
from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.bodies.points import Loop
from eventide.bodies.stations.choosing import RESOURCES, all_are_of, fact_of, resources_of
from eventide.reading.nodes import is_set_once, small_whole

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.expressions import BodyExpressions

_ONLY: Final = (
    "only loops over ranges, and lists or tuples of numbers, resources, objects of one class or tuples are native"
)


class Items(NamedTuple):
    """What a loop goes through, a list or a tuple, and its variables: that of a number, if any, and those of an item.

    start   the first of these numbers; None without any
    width   how many variables the item is unpacked to; 0 where it has one variable itself
    """

    owner: ast.expr
    names: list[ast.Name]
    start: int | None = None
    width: int = 0


class _Column(NamedTuple):
    """What a variable of a loop gets in turn.

    at      which column of the tuples that are unpacked; None for the items themselves
    text    what takes it, but for the address of its class
    place   that in the list
    """

    owner: Thing
    at: int | None
    text: str
    place: str

    @property
    def items(self) -> Sequence[Any]:
        """All that there is now."""
        held: Sequence[Any] = self.owner.value
        return held if self.at is None else [one[self.at] for one in held]


def is_enumerated(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether something calls what has the name of `enumerate`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate"


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
    count = (start is not None) + (len(unpacked) or 1)
    if len(names) != count or len({one.id for one in names}) != count:
        raise Unknown("only loops whose variables have names, each another one, are native", statement)
    return Items(owner, names, start, len(unpacked))


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
    naming, taking = expressions.naming, expressions.emission.part()
    owner = expressions.value(items.owner)
    if not isinstance(owner, Thing) or type(owner.value) not in (list, tuple) or not owner.value or naming.prefix:
        raise Unknown(_ONLY, statement)
    given = [] if items.start is None else [Operand(f"(n_{number} + {items.start})", "int")]
    names, columns = items.names[len(given) :], list[int | None]([None])
    text, place = f"item(s_{number}, n_{number}, {{}})", f"n_{number}"
    if items.width:
        if any(type(one) is not tuple or len(one) != items.width for one in owner.value):
            naming.note_state(owner.value)
            raise Unknown(_ONLY, statement)
        row = taken(taking, text.format(naming.address(Thing("", (), tuple))), "object").text
        taking.stop_if(f"length({row}) != {items.width}")
        columns, text = [*range(items.width)], f"item({row}, {{}}, {{}})"
    for name, column in zip(names, columns, strict=True):
        one = _Column(owner, column, text if column is None else text.format(column, "{}"), place)
        given.append(_item(expressions, taking, one, name, function))
    keeps = all(item.kind != "object" for item in given)
    members = None if keeps else owner._replace(value=None) if owner.root else owner
    expressions.emission.emit(f"n_{number} = 0\ns_{number} = {naming.address(owner)}")
    return Loop(number, 0, statement, members, items.start), given, taking.lines


def _item(
    expressions: BodyExpressions, taking: Emission, column: _Column, name: ast.Name, function: ast.AST
) -> Operand:
    """What one variable of a loop gets."""
    naming, owner, at = expressions.naming, column.owner, column.at
    kinds: set[type] = {*map(type, column.items)}
    if not kinds.isdisjoint(RESOURCES):
        among, text = tuple(resources_of(expressions, owner, name, at)), "0"
        for k, one in enumerate(among):  # those that are away have other classes
            text = f"({naming.address(one)} if {column.place} == {k} else {text})"
        found = taking.keep(text, "object", among=among)
        taking.stop_if(f"{found.text} == 0")
        return found
    kind = kind_of(kinds)
    if kind is not None:
        return taken_varying(naming, taking, column.text, kind)
    _note_objects(expressions, column, name, function)
    where = column.text.format(naming.address(Thing("", (), type(column.items[0]))))
    return taking.keep(f"dropped({taken(taking, where, 'object').text})", "object")


def _note_objects(expressions: BodyExpressions, column: _Column, target: ast.Name, function: ast.AST) -> None:
    """Note that a list keeps what it has, which are objects of one class. Raises Unknown."""
    naming, owner, held = expressions.naming, column.owner, column.items
    if column.at is not None:
        raise Unknown(_ONLY, target)
    kind = type(held[0])
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
