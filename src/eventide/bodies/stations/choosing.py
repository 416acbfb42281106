"""Choices among resources: `min(self.counters, key=length)`, and requests at what was chosen.

Which of some known objects it is is decided in rows, by their addresses. The list or tuple that has them must stay as
it is.
"""

from __future__ import annotations

import ast
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.bodies.naming import Fact
from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.discrete.resources.resource import PreemptiveResource, Resource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.bodies.expressions import BodyExpressions
    from eventide.discrete.world import World

MOST: Final = 16
"""Of those among which a choice is native."""
_WHAT: Final = "a choice is native among a few resources of a list or a tuple, by one key that can be read"


def chosen(expressions: BodyExpressions, node: ast.Call, sign: str) -> Operand | None:
    """The address of the first for which a key is least or greatest; None for a call that chooses among numbers.

    sign    that of the comparison by which one comes before those so far
    """
    if len(node.args) != 1:
        return None
    key = node.keywords[0].value if len(node.keywords) == 1 and node.keywords[0].arg == "key" else None
    items, emission = resources_in(expressions, node.args[0]), expressions.emission
    if key is None:
        raise Unknown(_WHAT, node)
    values = [_value(expressions, key, item) for item in items]
    if not emission.is_pure or len({value.kind for value in values}) > 1:
        raise Unknown("a key has effects, or several types", key)
    best, which = values[0].text, expressions.naming.address(items[0])
    for value, item in zip(values[1:], items[1:], strict=True):
        is_better = emission.keep(f"({value.text} {sign} {best})", "bool").text
        which = emission.keep(f"({expressions.naming.address(item)} if {is_better} else {which})", "object").text
        best = emission.keep(f"({value.text} if {is_better} else {best})", value.kind).text
    return Operand(which, "object", among=tuple(items))


def picked(expressions: BodyExpressions, node: ast.Subscript) -> Operand:
    """The address of the resource at a place of a list or a tuple. Raises Unknown."""
    items, emission = resources_in(expressions, node.value), expressions.emission
    index, which = expressions.number(node.slice, "int"), expressions.naming.address(items[0])
    emission.stop_if(f"{index.text} < 0 or {index.text} >= {len(items)}", index, node=node)
    for k, item in enumerate(items[1:], 1):
        address = expressions.naming.address(item)
        which = emission.keep(f"({address} if {index.text} == {k} else {which})", "object").text
    return Operand(which, "object", index.is_early, among=tuple(items))


def resources_in(expressions: BodyExpressions, node: ast.expr) -> list[Thing]:
    """What a list or a tuple of resources has, and goes on to have. Raises Unknown."""
    owner, naming = expressions.value(node), expressions.naming
    if not isinstance(owner, Thing) or type(owner.value) not in (list, tuple) or not 0 < len(owner.value) <= MOST:
        raise Unknown(_WHAT, node)
    held = owner.value
    if any(type(item) not in (Resource, PreemptiveResource) for item in held):
        naming.note_state(held)
        raise Unknown(_WHAT, node)
    if owner.root:
        naming.lists[owner.root, owner.path] = len(held)
    else:
        naming.note(held, "items", fact_of(held))
    expressions.emission.emit_early(f"if length({naming.address(owner)}) != {len(held)}:\n    code = EXIT\n    break")
    found = []
    for k, item in enumerate(held):
        path = (*owner.path, k)
        if owner.root:
            naming.things[owner.root, path] = type(item)
        found.append(Thing(owner.root, path, item) if owner.root else Thing("", (), item))
    return found


def all_are_of(held: Iterable[object], kind: type, world: World) -> bool:
    """Whether all of some objects are of a class, and none says that it is of another simulation."""
    return all(type(one) is kind and getattr(one, "sim", world) is world for one in held)


def fact_of(held: Sequence[object]) -> Fact:
    """A list or a tuple has what it has now."""
    return Fact(partial(_are_same, tuple(held)), held, True)  # the answer


def _are_same(known: tuple[object, ...], held: Sequence[object]) -> bool:
    return len(known) == len(held) and all(one is other for one, other in zip(known, held, strict=True))


def _value(expressions: BodyExpressions, key: ast.expr, item: Thing) -> Operand:
    """What a key is of an item."""
    if isinstance(key, ast.Lambda):
        found = expressions.applied(key, item)
    else:
        function = expressions.value(key)
        if not isinstance(function, Thing) or not isinstance(function.value, FunctionType):
            raise Unknown(_WHAT, key)
        call = ast.copy_location(ast.Call(key, [], []), key)
        found = expressions.followed(function.value, item, call)
    if not isinstance(found, Operand) or found.kind not in ("int", "float"):
        raise Unknown("the key is no number", key)
    return found


def station_of(expressions: BodyExpressions, chosen: Operand, node: ast.expr) -> tuple[tuple[str, ...], str]:
    """The variables of the stations among which one was chosen, and the text of its number. Raises Unknown."""
    naming, emission = expressions.naming, expressions.emission
    if not chosen.among:
        raise Unknown("which resource it is is not known", node)
    stations = tuple(naming.station(item) for item in chosen.among)
    text = "-1"
    for station, item in zip(reversed(stations), reversed(chosen.among), strict=True):
        text = f"({station} if {chosen.text} == {naming.address(item)} else {text})"
    number = emission.keep(text, "int")
    emission.stop_if(f"{number.text} < 0", number, node=node)
    return stations, number.text


def resource_of(expressions: BodyExpressions, node: ast.Attribute) -> Operand | None:
    """The resource of the request of a block: `place.resource`; None for other attributes."""
    naming = expressions.naming
    key = naming.key(node.value.id) if isinstance(node.value, ast.Name) else ""
    if node.attr != "resource" or key not in naming.requests:
        return None
    stations = naming.requests[key]
    items = tuple(naming.stations[station] for station in stations)
    text = naming.address(items[-1])
    for station, item in zip(stations[:-1], items[:-1], strict=True):
        text = f"({naming.address(item)} if a.request.station[q_{key}] == {station} else {text})"
    return expressions.emission.keep(text, "object", among=items)
