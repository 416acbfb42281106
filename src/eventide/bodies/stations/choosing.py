"""Choices among resources: `min(self.counters, key=length)`, and requests at what was chosen; items that are drawn.

Which of some known objects it is is decided in rows, by their addresses. The list or tuple that has them must stay as
it is.
"""

from __future__ import annotations

import ast
from functools import partial
from operator import is_
from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.bodies.arithmetic import best_among
from eventide.bodies.emission import EXIT, taken
from eventide.bodies.naming import Fact
from eventide.bodies.operands import KEY, KINDS, Operand, Thing, Unknown, step
from eventide.bodies.words import is_word
from eventide.discrete.resources.container import Container
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.discrete.resources.store import Store
from eventide.reading.common import is_common
from eventide.reading.nodes import is_written

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.bodies.expressions import BodyExpressions, Value
    from eventide.bodies.naming import Naming
    from eventide.discrete.world import World

RESOURCES: Final = Resource, PreemptiveResource
LISTS: Final = list, tuple
STORES: Final = (Store,)
CONTAINERS: Final = (Container,)
_SORTS: Final[tuple[tuple[type, ...], ...]] = RESOURCES, LISTS, STORES, CONTAINERS
MOST: Final = 16
"""Of those among which a choice is native."""
_WHAT: Final = "a choice is native among a few resources of a list or a tuple, by one key that can be read"


def chosen(expressions: BodyExpressions, node: ast.Call, sign: str) -> Operand | None:
    """The address of the first for which a key is least or greatest; None for a call that chooses among numbers.

    sign    that of the comparison by which one comes before those so far
    """
    if len(node.args) != 1 or is_written(node):
        return None
    owner = None if node.keywords else expressions.value(node.args[0])
    if isinstance(owner, Thing) and type(owner.value) in (list, tuple) and numbers_in(expressions, owner):
        return best_among(expressions.emission, sign, numbers_now(expressions, owner))
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


def picked(expressions: BodyExpressions, owner: Thing, index: Operand, node: ast.Subscript) -> Operand:
    """The address of the resource or the word at a place of a list or a tuple, or the number there. Raises Unknown."""
    emission, kind, held = expressions.emission, type(owner.value[0]), owner.value
    things: list[Thing] = []
    if {*map(type, held)} == {kind} and kind in KINDS:
        note_length(expressions, owner)
        values = numbers_now(expressions, owner)
    else:
        things = known_in(expressions, owner, node)
        values = [Operand(expressions.naming.address(one), "object") for one in things]
    if not (index.is_number and index.low >= 0.0 and index.high < len(held)):
        emission.stop_if(f"{index.text} < 0 or {index.text} >= {len(held)}", index, node=node)
    which = values[0].text
    for k, value in enumerate(values[1:], 1):
        which = emission.keep(f"({value.text} if {index.text} == {k} else {which})", value.kind).text
    return Operand(which, values[0].kind, index.is_early, among=tuple(things))


def picked_for(expressions: BodyExpressions, owner: Thing, key: Operand, node: ast.AST) -> Operand:
    """The address of what a dictionary has for a whole number that is one of its keys, as it goes on to have it."""
    naming, emission = expressions.naming, expressions.emission
    which, things = "0", values_of(naming, owner, by_key=True)
    for number, one in zip(owner.value, things, strict=True):
        which = emission.keep(f"({naming.address(one)} if {key.text} == {number} else {which})", "object").text
    emission.stop_if(f"{which} == 0", key, node=node)
    return Operand(which, "object", key.is_early, among=things)


def numbers_now(expressions: BodyExpressions, owner: Thing) -> list[Operand]:
    """The numbers of a list or a tuple of which it is known how many it has."""
    kind = type(owner.value[0])
    where = f"item({expressions.naming.address(owner)}, {{}}, {expressions.naming.address(Thing('', (), kind))})"
    return [taken(expressions.emission, where.format(k), KINDS[kind]) for k in range(len(owner.value))]


def resources_in(expressions: BodyExpressions, node: ast.expr) -> list[Thing]:
    """What a list or a tuple of resources has, and goes on to have. Raises Unknown."""
    owner = expressions.value(node)
    if not isinstance(owner, Thing) or type(owner.value) not in (list, tuple):
        raise Unknown(_WHAT, node)
    return resources_of(expressions, owner, node)


def resources_of(expressions: BodyExpressions, owner: Thing, node: ast.expr, column: int | None = None) -> list[Thing]:
    """The same of a list that is known; of one of tuples what these have in a column. Raises Unknown."""
    held = _column(owner.value, column)
    if not 0 < len(held) <= MOST or any(type(item) not in RESOURCES for item in held):
        expressions.naming.note_state(owner.value)
        raise Unknown(_WHAT, node)
    return known_in(expressions, owner, node, column)


def _column(held: Sequence[object], column: int | None) -> Sequence[object]:
    return held if column is None else [step(row, column) for row in held]


def are_few(held: Sequence[object]) -> bool:
    """Whether of what a list or a tuple has one may be picked: resources, stores, containers, words, or lists."""
    return 0 < len(held) <= MOST and (_sort_of(type(held[0])) != () or all(map(is_word, held)))


def are_of_one_sort(held: Sequence[object]) -> bool:
    """Whether there are a few resources, or stores, containers, or lists and tuples, of which one may be chosen."""
    sorts = {*map(_sort_of, map(type, held))}
    return are_few(held) and len(sorts) == 1 and sorts != {()}


def _sort_of(kind: type) -> tuple[type, ...]:
    return next((sorts for sorts in _SORTS if kind in sorts), ())


def numbers_in(expressions: BodyExpressions, owner: Thing) -> int:
    """How many numbers a list or a tuple has that keeps its length; 0 for others."""
    if not 0 < len(owner.value) <= MOST or {*map(type, owner.value)} not in ({int}, {float}):
        return 0
    if not owner.root:
        expressions.naming.note(
            owner.value, "length", Fact(len, owner.value, len(owner.value)), is_of_all=is_common(owner.value)
        )
    note_length(expressions, owner)
    return len(owner.value)


def known_in(expressions: BodyExpressions, owner: Thing, node: ast.AST, column: int | None = None) -> list[Thing]:
    """The few things that a list or a tuple has, and goes on to have; or its tuples in a column. Raises Unknown."""
    naming, held, emission = expressions.naming, _column(owner.value, column), expressions.emission
    sorts = {*map(_sort_of, map(type, held))}
    if not are_few(held) or len(sorts) > 1:
        naming.note_state(owner.value)
        raise Unknown(_WHAT, node)
    note_length(expressions, owner)
    if not owner.root:
        naming.note(owner.value, "items", fact_of(owner.value), is_of_all=is_common(owner.value))
    found = []
    for k, item in enumerate(held):
        path = (*owner.path, k) if column is None else (*owner.path, k, column)
        if owner.root:
            naming.things[owner.root, path] = type(item)
        found.append(Thing(owner.root, path, item) if owner.root else Thing("", (), item))
        if column is None and type(owner.value) is list and is_word(item):  # rows may set it
            kind = naming.address(Thing("", (), type(item)))
            there = emission.keep_early(f"item({naming.address(owner)}, {k}, {kind})", "int").text
            emission.emit_early(EXIT.format(f"{there} == 0"))
            emission.emit_early(EXIT.format(f"dropped({there}) != {naming.address(found[-1])}"))
    return found


def values_of(naming: Naming, owner: Thing, *, by_key: bool = False) -> tuple[Thing, ...]:
    """What a dictionary has, in its order, and goes on to have.

    by_key  whether it has whole numbers for keys, for each of which it has the same in all simulations
    """
    if not owner.root:
        naming.note(owner.value, "items", fact_of(owner.value))
        return tuple([Thing("", (), one) for one in owner.value.values()])
    naming.lists[owner.root, owner.path] = len(owner.value)
    steps = [*owner.value] if by_key else [f"{KEY}{k}" for k in range(len(owner.value))]
    pairs = zip(steps, owner.value.values(), strict=True)
    found = tuple([Thing(owner.root, (*owner.path, *pair[:1]), pair[1]) for pair in pairs])
    naming.things.update({(one.root, one.path): type(one.value) for one in found})
    return found


def note_length(expressions: BodyExpressions, owner: Thing) -> None:
    """A list or a tuple has as many items as now."""
    if owner.root:
        expressions.naming.lists[owner.root, owner.path] = len(owner.value)
    length = f"length({expressions.naming.address(owner)})"
    expressions.emission.emit_early(EXIT.format(f"{length} != {len(owner.value)}"))


def all_are_of(held: Iterable[object], kind: type, world: World) -> bool:
    """Whether all of some objects are of a class, and none says that it is of another simulation."""
    return all(type(one) is kind and getattr(one, "sim", world) is world for one in held)


def fact_of(held: Iterable[object]) -> Fact:
    """A list, a tuple or a dictionary has what it has now."""
    return Fact(partial(_are_same, _items(held)), held, True)  # the answer


def _are_same(known: tuple[object, ...], held: Iterable[object]) -> bool:
    now = _items(held)
    return len(known) == len(now) and all(map(is_, known, now))


def _items(held: Iterable[object]) -> tuple[object, ...]:
    return (*held, *held.values()) if isinstance(held, dict) else (*held,)


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
    if not chosen.among:
        raise Unknown("which resource it is is not known", node)
    stations = tuple(expressions.naming.station(item) for item in chosen.among)
    return stations, number_of(expressions, chosen, stations, node)


def number_of(expressions: BodyExpressions, chosen: Operand, variables: tuple[str, ...], node: ast.AST) -> str:
    """The number of the one that was chosen, by the variables with those of all."""
    naming, emission, text = expressions.naming, expressions.emission, "-1"
    for variable, item in zip(reversed(variables), reversed(chosen.among), strict=True):
        text = f"({variable} if {chosen.text} == {naming.address(item)} else {text})"
    number = emission.keep(text, "int")
    emission.stop_if(f"{number.text} < 0", number, node=node)
    return number.text


def method_of_chosen(
    expressions: BodyExpressions, made: ast.Call, sorts: tuple[type, ...]
) -> tuple[object, Value] | None:
    """The method that all objects have of which one was chosen, and the one; None for other calls.

    sorts   the classes of these objects
    """
    if not isinstance(made.func, ast.Attribute):
        return None
    try:
        owner = expressions.tried(made.func.value)
    except Unknown:
        return None
    if not isinstance(owner, Operand) or not owner.among or any(type(one.value) not in sorts for one in owner.among):
        return None
    methods = [expressions.naming.of_thing(one, made.func) for one in owner.among]
    found = {getattr(one.value, "__func__", None) for one in methods if isinstance(one, Thing)}
    return (found.pop(), expressions.value(made.func.value)) if len(found) == 1 else None


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
