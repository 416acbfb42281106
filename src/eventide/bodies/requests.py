"""Requests of bodies for units of resources: `with server.request(priority, units) as unit`, where nothing may fail."""

from __future__ import annotations

import ast
from types import MethodType
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import class_by_name
from eventide.bodies.naming import Fact
from eventide.bodies.operands import Operand, Thing, Unknown, constant
from eventide.bodies.stations.choosing import station_of
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.reading.nodes import is_named
from eventide.statistics.level import Level

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.naming import Naming

_REQUESTS: Final[dict[type, object]] = {Resource: Resource.request, PreemptiveResource: PreemptiveResource.request}
"""Whatever stands in their place later."""
_COUNTS: Final = {
    "available": "a.station.capacity[{0}] - a.station.held[{0}]",
    "capacity": "a.station.capacity[{0}]",
    "in_use.value": "a.level.value[a.station.in_use[{0}]]",
    "queue.value": "a.level.value[a.station.queue[{0}]]",
    "len(waiting)": "a.station.waiting[{0}]",
    "len(users)": "a.station.using[{0}]",
}
"""What is read of a resource as it is now, and where a station has it."""


def asked(expressions: BodyExpressions, node: ast.expr) -> tuple[tuple[str, ...], str]:
    """The variables of stations, and what makes a request for units of one of them. Raises Unknown for other calls."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "request":
        owner = expressions.tried(node.func.value)
        if isinstance(owner, Operand) and owner.among:
            owner = expressions.value(node.func.value)
            assert isinstance(owner, Operand)
            stations, number = station_of(expressions, owner, node)
            return stations, _made(expressions, node, dict(zip(stations, owner.among, strict=True)), number)
    called = expressions.value(node.func) if isinstance(node, ast.Call) else None
    if (
        not isinstance(node, ast.Call)
        or not isinstance(called, Thing)
        or type(called.value) is not MethodType
        or called.value.__func__ is not _REQUESTS.get(type(called.value.__self__))
    ):
        raise Unknown("only the blocks of requests are native", node)
    resource = expressions.naming.owner_of(called)
    station = expressions.naming.station(resource)
    return (station,), _made(expressions, node, {station: resource}, station)


def _made(expressions: BodyExpressions, node: ast.Call, resources: dict[str, Thing], station: str) -> str:
    """The text that makes a request at a station, that of one of these resources."""
    others = [text for text, one in resources.items() if not isinstance(one.value, PreemptiveResource)]
    given, emission = _given(node, is_preemptive=not others), expressions.emission
    emission.emit_early(f"if not is_ready(a, {station}):\n    code = ROOM\n    break")
    operands = {name: expressions.number(value) for name, value in given.items()}
    priority, units = operands.get("priority", constant(0.0)), operands.get("units", constant(1))
    preempts = operands.get("preempt", constant(not others))
    if 0 < len(others) < len(resources):
        test = " and ".join(f"{station} != {text}" for text in others)
        preempts = emission.keep(f"({test})", "bool")
    if units.kind != "int" or priority.kind == "bool" or preempts.kind != "bool":
        raise Unknown("a number of units is whole, a priority a number, and whether it preempts a Boolean", node)
    if not priority.is_number:
        emission.stop_if(f"{priority.text} != {priority.text}", priority, node=node)
    if units != constant(1):
        emission.stop_if(f"{units.text} < 1 or {units.text} > a.station.capacity[{station}]", units, node=node)
    rank = priority.text if priority.kind == "float" else f"float({priority.text})"
    return f"new_request(a, {station}, i, {rank}, {units.text}, {preempts.text})"


def _given(node: ast.Call, *, is_preemptive: bool) -> dict[str, ast.expr]:
    """The arguments of a request, in the order in which they are evaluated. Raises Unknown."""
    known = ("priority", "units", "preempt") if is_preemptive else ("priority", "units")
    given = dict(zip(known[:2], node.args, strict=False))
    for argument in node.keywords:
        if argument.arg is None or argument.arg not in known or argument.arg in given:
            raise Unknown("it is called in another way than others are", node)
        given[argument.arg] = argument.value
    if len(given) != len(node.args) + len(node.keywords):
        raise Unknown("it is called in another way than others are", node)
    return given


def name_of_request(statement: ast.With, tree: ast.AST, naming: Naming, *, is_nested: bool) -> str:
    """The variable of a request, to which only its blocks refer. Raises Unknown.

    is_nested   whether a block around this one has the same
    """
    target = statement.items[0].optional_vars
    if len(statement.items) > 1 or not isinstance(target, ast.Name) or target.id not in naming.own:
        raise Unknown("only the blocks of single requests are native", statement)
    name = target.id
    blocks = [
        node for node in ast.walk(tree) if isinstance(node, ast.With) and is_named(node.items[0].optional_vars, name)
    ]
    inside = {id(node) for block in blocks for node in ast.walk(block)}
    within = (node for block in blocks for part in block.body for node in ast.walk(part))
    is_set = any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in within)
    others = [node for node in ast.walk(tree) if is_named(node, name) and id(node) not in inside]
    is_argument = name in naming.arguments or name in naming.bound
    if others or is_set or is_nested or is_argument or naming.kinds.get(naming.key(name)):
        raise Unknown("the variable of the request is used for something else, too", statement)
    return name


def is_granted(naming: Naming, node: ast.Attribute) -> Operand | None:
    """Whether the request of a block has its units: `place.granted`; None for other attributes."""
    key = naming.key(node.value.id) if isinstance(node.value, ast.Name) else ""
    if node.attr != "granted" or key not in naming.requests:
        return None
    return Operand(f"(a.request.state[q_{key}] == GRANTED)", "bool")


def count_of(expressions: BodyExpressions, node: ast.Attribute, form: str = "{}") -> Operand | None:
    """A number that a resource has by an attribute; None for what is none.

    form    what is asked about the attribute
    """
    path = node.attr
    inner: ast.expr = node.value
    if form.format(path) not in _COUNTS:
        if not isinstance(inner, ast.Attribute):
            return None
        path = f"{inner.attr}.{path}"
        inner = inner.value
    text = _COUNTS.get(form.format(path))
    owner = None if text is None else expressions.tried(inner)
    owners = (owner,) if isinstance(owner, Thing) else () if owner is None else owner.among
    kinds: set[type] = {type(one.value) for one in owners}
    if text is None or not kinds or not kinds <= _REQUESTS.keys():
        return None
    for kind, name in (*((kind, path.partition(".")[0]) for kind in kinds), (Level, "value")):
        ask = class_by_name(kind)
        expressions.naming.facts[id(kind), name] = Fact(ask, name, ask(name))
    owner = expressions.value(inner)
    if isinstance(owner, Operand):
        return expressions.emission.keep(text.format(station_of(expressions, owner, node)[1]), "int")
    return expressions.emission.keep(text.format(expressions.naming.station(owner)), "int")
