"""Loops over lists: of numbers, as they are when their turn comes, or of objects of a list that stays as it is.

Python's loop asks a list for the item at its next place, and ends where there is none; so does a row. Objects are of
one class, and the list must keep them, so that their addresses are theirs.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import is_plain
from eventide.bodies.operands import KINDS, WIDE, Operand, Thing, Unknown
from eventide.bodies.points import Loop
from eventide.bodies.stations.choosing import all_are_of, fact_of, resources_in
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.reading.nodes import is_set_once

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_ONLY: Final = "only loops over ranges, and over lists of numbers, of resources or of objects of one class, are native"
_EXIT: Final = "    code = EXIT", "    break"
_RESOURCES: Final = Resource, PreemptiveResource


def looped(
    expressions: BodyExpressions, statement: ast.For, number: int, function: ast.AST
) -> tuple[Loop, Operand, list[str]]:
    """A loop over a list, what its variable gets, and the lines that take that at a place. Raises Unknown.

    function    in whose text it stands
    """
    naming, emission = expressions.naming, expressions.emission
    owner = expressions.value(statement.iter)
    if not isinstance(owner, Thing) or type(owner.value) is not list or not owner.value or naming.prefix:
        raise Unknown(_ONLY, statement)
    kind, variable, found = type(owner.value[0]), f"x_{number}", f"i_{number}"
    members = None if kind in KINDS else owner._replace(value=None) if owner.root else owner
    lines = [f"{found} = item(s_{number}, n_{number}, {naming.address(Thing('', (), kind))})"]
    lines += [f"if {found} == 0:", *_EXIT]
    if kind in _RESOURCES:
        among = tuple(resources_in(expressions, statement.iter))
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
        _note_objects(expressions, owner, statement, function)
        item = Operand(variable, "object")
        lines.append(f"{variable} = dropped({found})")
    emission.emit(f"n_{number} = 0\ns_{number} = {naming.address(owner)}")
    return Loop(number, 0, statement, members), item, lines


def _note_objects(expressions: BodyExpressions, owner: Thing, statement: ast.For, function: ast.AST) -> None:
    """Note that a list keeps what it has, which are objects of one class. Raises Unknown."""
    naming, held, target = expressions.naming, owner.value, statement.target
    kind = type(held[0])
    if not is_plain(held[0]) or not all_are_of(held, kind, naming.world) or not isinstance(target, ast.Name):
        naming.note_state(held)
        raise Unknown(_ONLY, statement)
    if owner.root:
        naming.lists[owner.root, owner.path] = kind
    else:
        naming.note(held, "items", fact_of(held))
    key = naming.key(target.id)
    naming.samples.setdefault(key, held[0])
    if is_set_once(function, target):
        naming.members.add(key)
