"""Loops over lists and tuples: of numbers, as they are when their turn comes, or of objects of one that keeps them.

Python's loop asks a list for the item at its next place, and ends where there is none; so does a row. Objects are of
one class, and the list must keep them, so that their addresses are theirs. Where `enumerate` counts the items, their
numbers follow from their places.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple, TypeGuard

from eventide.bodies.attributes import is_plain
from eventide.bodies.operands import KINDS, WIDE, Operand, Thing, Unknown
from eventide.bodies.points import Loop
from eventide.bodies.stations.choosing import RESOURCES, all_are_of, fact_of, resources_in
from eventide.reading.nodes import is_set_once, small_whole

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_ONLY: Final = "only loops over ranges, lists and tuples (of numbers, resources or objects of one class) are native"
_EXIT: Final = "    code = EXIT", "    break"


class Items(NamedTuple):
    """What a loop goes through, a list or a tuple; its variables: that of an item, behind that of its number if any.

    start   the first of these numbers; None without any
    """

    owner: ast.expr
    names: list[ast.Name]
    start: int | None = None


def is_enumerated(node: ast.expr) -> TypeGuard[ast.Call]:
    """Whether something calls what has the name of `enumerate`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate"


def items_of(expressions: BodyExpressions, statement: ast.For) -> Items:
    """What a loop goes through that is over no range. Raises Unknown."""
    target, owner = statement.target, statement.iter
    if isinstance(target, ast.Name) and not is_enumerated(owner):
        return Items(owner, [target])
    names = [one for one in getattr(target, "elts", ()) if isinstance(one, ast.Name)]
    if len({one.id for one in names}) != 2 or len(target.elts) != 2 or not is_enumerated(owner):  # type: ignore[attr-defined]  # as names are in it
        raise Unknown("only loops with one variable, or with two over `enumerate(items)`, are native", statement)
    called, starts = expressions.value(owner.func), [*owner.args[1:], *(one.value for one in owner.keywords)]
    is_known = isinstance(called, Thing) and called.value is enumerate and len(owner.args) > 0 and len(starts) < 2
    start = small_whole(starts[0]) if starts else 0
    if not is_known or any(one.arg != "start" for one in owner.keywords) or start is None:
        raise Unknown("`enumerate` is native with a list or a tuple, and a constant as its start", statement)
    return Items(owner.args[0], names, start)


def looped(
    expressions: BodyExpressions, statement: ast.For, items: Items, number: int, function: ast.AST
) -> tuple[Loop, Operand, list[str]]:
    """A loop over a list or a tuple, what its variable gets, and the lines that take that at a place. Raises Unknown.

    function    in whose text it stands
    """
    naming, emission = expressions.naming, expressions.emission
    owner = expressions.value(items.owner)
    if not isinstance(owner, Thing) or type(owner.value) not in (list, tuple) or not owner.value or naming.prefix:
        raise Unknown(_ONLY, statement)
    kind, variable, found = type(owner.value[0]), f"x_{number}", f"i_{number}"
    members = None if kind in KINDS else owner._replace(value=None) if owner.root else owner
    lines = [f"{found} = item(s_{number}, n_{number}, {naming.address(Thing('', (), kind))})"]
    lines += [f"if {found} == 0:", *_EXIT]
    if kind in RESOURCES:
        among = tuple(resources_in(expressions, items.owner))
        item, text = Operand(variable, "object", among=among), "0"
        for k, one in enumerate(among):  # those that are away have other classes
            text = f"({naming.address(one)} if n_{number} == {k} else {text})"
        lines = [f"{variable} = {text}", f"if {variable} == 0:", *_EXIT]
    elif kind in KINDS:
        item = Operand(variable, KINDS[kind])
        taken = f"taken_{'real' if item.kind == 'float' else 'whole'}({found})"
        lines.append(f"{variable} = {taken}{' != 0' if item.kind == 'bool' else ''}")
        lines += [f"if {variable} > {WIDE} or {variable} < -{WIDE}:", *_EXIT] if item.kind == "int" else []
    else:
        _note_objects(expressions, owner, items.names[-1], function)
        item = Operand(variable, "object")
        lines.append(f"{variable} = dropped({found})")
    emission.emit(f"n_{number} = 0\ns_{number} = {naming.address(owner)}")
    return Loop(number, 0, statement, members, items.start), item, lines


def _note_objects(expressions: BodyExpressions, owner: Thing, target: ast.Name, function: ast.AST) -> None:
    """Note that a list keeps what it has, which are objects of one class. Raises Unknown."""
    naming, held = expressions.naming, owner.value
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
