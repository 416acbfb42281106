"""What is drawn with weights: `rng.choices(KINDS, weights)[0]` of a `random.Random`, one of a few.

Source: CPython, Lib/random.py, Random.choices
"""

from __future__ import annotations

import ast
from random import Random
from typing import TYPE_CHECKING, Final

from eventide.bodies.arithmetic import real
from eventide.bodies.attributes import taken_varying
from eventide.bodies.items import kind_of
from eventide.bodies.operands import Operand, Thing, Unknown, constant
from eventide.bodies.stations.choosing import LISTS, MOST, note_length, picked
from eventide.bodies.words import tuple_written
from eventide.reading.nodes import small_whole

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_CHOICES: Final = Random.choices
_WHAT: Final = "`choices(...)[0]` is native of a list or tuple of up to 16, with numbers as weights"
_LARGEST: Final = 2.0**49
"""The largest weight: the sums of whole ones are exact."""


def weighted(expressions: BodyExpressions, node: ast.Subscript) -> Operand | None:
    """The first item that `choices` draws; None for other expressions. Raises Unknown."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "choices":
        return None
    called = expressions.value(call.func)
    if not isinstance(called, Thing) or getattr(called.value, "__func__", None) is not _CHOICES:
        return None
    given = dict(zip(("population", "weights"), call.args, strict=False))
    given |= {str(word.arg): word.value for word in call.keywords}
    is_plain = len(given) == len(call.args) + len(call.keywords)
    is_first = small_whole(given.pop("k", ast.Constant(1))) == 1 and small_whole(node.slice) == 0
    if not is_first or not is_plain:
        raise Unknown(_WHAT, node)
    owner = _owner(expressions, given.pop("population", node))
    weights = given.pop("weights", None)
    sums = [] if weights is None else _sums(expressions, weights)
    if given or (sums and len(sums) != len(owner.value)):
        raise Unknown(_WHAT, node)
    index = _drawn(expressions, called, sums, len(owner.value), call)
    return picked(expressions, owner, index, node)


def _owner(expressions: BodyExpressions, node: ast.expr) -> Thing:
    """A list or a tuple, which may be written there. Raises Unknown."""
    found = tuple_written(expressions, node) or expressions.value(node)
    if not isinstance(found, Thing) or type(found.value) not in LISTS or not 0 < len(found.value) <= MOST:
        raise Unknown(_WHAT, node)
    return found


def _sums(expressions: BodyExpressions, node: ast.expr) -> list[Operand]:
    """The sums of the weights up to each. Raises Unknown."""
    owner, emission, sums = _owner(expressions, node), expressions.emission, list[Operand]()
    kind = kind_of({*map(type, owner.value)})
    if kind not in ("int", "float", "mixed"):
        raise Unknown(_WHAT, node)
    if isinstance(node, ast.List | ast.Tuple):
        weights = [constant(float(one)) for one in owner.value]
    else:
        note_length(expressions, owner)
        where = f"item({expressions.naming.address(owner)}, {{}}, {{{{}}}})"
        weights = [taken_varying(expressions.naming, emission, where.format(k), kind) for k in range(len(owner.value))]
    for weight in weights:
        if not (weight.is_number and weight.low >= 0.0 and weight.high <= _LARGEST):
            emission.stop_if(f"not (0.0 <= {real(weight)} <= {_LARGEST!r})", weight, node=node)
        text = f"{sums[-1].text} + {real(weight)}" if sums else real(weight)
        sums.append(emission.keep(text, "float"))
    emission.stop_if(f"not ({sums[-1].text} > 0.0)", sums[-1], node=node)
    return sums


def _drawn(expressions: BodyExpressions, called: Thing, sums: list[Operand], count: int, node: ast.Call) -> Operand:
    """The place that is drawn, among some, by a number from 0 to 1 of the generator whose method is called."""
    emission = expressions.emission
    generator, call = expressions.naming.owner_of(called), ast.Call(ast.Attribute(ast.Name("self"), "random"), [], [])
    draw = ast.fix_missing_locations(ast.copy_location(call, node))
    expressions.scopes.append(({"self": generator}, None))  # where Python goes on nobody tells it this number
    try:
        unit = expressions.number(draw, "float")
    finally:
        expressions.scopes.pop()
    if not sums:
        text = f"int({unit.text} * {float(count)!r})"
        return emission.keep(text, "int", low=0.0, high=count - 1.0, is_number=True)
    point, place = emission.keep(f"{unit.text} * {sums[-1].text}", "float").text, "0"
    for k, one in enumerate(sums[:-1], 1):
        place = emission.keep(f"({k} if {one.text} <= {point} else {place})", "int").text
    return Operand(place, "int", emission.is_pure, low=0.0, high=count - 1.0, is_number=True)
