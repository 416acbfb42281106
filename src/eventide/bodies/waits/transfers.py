"""Puts into containers and gets from them: `yield tank.get(2.5)`, and what is read of a container.

What such a `yield` returns, the amount, is left to Python.
"""

from __future__ import annotations

import ast
from types import MethodType
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import class_by_name
from eventide.bodies.naming import Fact
from eventide.bodies.operands import EXACT, KINDS, LARGEST, Kind, Operand, Thing, Unknown, constant
from eventide.bodies.stations.statistics import kind_of_amount
from eventide.discrete.resources.container import Container
from eventide.statistics.level import Level

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_SIDES: Final = {Container.put: "puts", Container.get: "gets"}
"""Whatever stands in their place later."""


def transferred(expressions: BodyExpressions, node: ast.expr | None, resume: int) -> bool:
    """Write a put or a get, which ends in a state; False for other commands. Raises Unknown for those of Python."""
    made = transfer_made(expressions, node)
    if made is not None:
        expressions.emission.begin_effect()
        expressions.emission.emit(
            f"at = {resume}\nif not transfer(a, i, {made[2]}):\n    code = WAITS\n    break\ncontinue"
        )
    return made is not None


def transfer_made(expressions: BodyExpressions, node: ast.expr | None) -> tuple[str, str, str] | None:
    """The variable of a container, the side, and the text of what a put or a get is given; None for other commands.

    Raises Unknown for those of Python.
    """
    called = expressions.value(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(called, Thing) or type(called.value) is not MethodType:
        return None
    side = _SIDES.get(called.value.__func__)
    if side is None:
        return None
    emission = expressions.emission
    depot, kind = _known(expressions, expressions.naming.owner_of(called), node)
    emission.emit_early(f"if not is_open(a, {depot}):\n    code = ROOM\n    break")
    given = _given(node)
    operands = {name: expressions.number(value, "int", "float") for name, value in given.items()}
    amount, priority = operands["amount"], operands.get("priority", constant(0.0))
    if amount.kind == "float" and kind == "int":
        raise Unknown("a container whose amount becomes a float is left to Python", node)
    real = f"float({amount.text})" if amount.kind == "int" else amount.text
    most, largest = f"a.depot.capacity[{depot}]", EXACT if amount.kind == "int" else LARGEST
    if amount.is_number and not amount.is_early and amount.low >= 0.0 and amount.high <= largest:
        emission.emit_early(f"if {most} < {amount.high!r}:\n    code = EXIT\n    break")
    else:
        emission.stop_if(f"not (0.0 <= {real} <= {float(largest)!r}) or {real} > {most}", amount, node=node)
    if kind == "int" and side == "puts":
        emission.stop_if(f"a.depot.amount[{depot}] + a.depot.kept[{depot}] + {real} > {EXACT}.0", amount, node=node)
    if not priority.is_number:
        emission.stop_if(f"{priority.text} != {priority.text}", priority, node=node)
    rank = priority.text if priority.kind == "float" else f"float({priority.text})"
    return depot, side, f"a.depot.{side}[{depot}], {rank} + 0.0, {real}, {amount.kind == 'int'}"


def _given(node: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a put or a get, in the order in which they are evaluated. Raises Unknown."""
    given = dict(zip(("amount", "priority"), node.args, strict=False))
    given |= {str(keyword.arg): keyword.value for keyword in node.keywords}
    is_plain = "amount" in given and {"amount", "priority"} >= given.keys()
    if not is_plain or len(given) != len(node.args) + len(node.keywords):
        raise Unknown("it is called in another way than others are", node)
    return given


def amount_of(expressions: BodyExpressions, node: ast.Attribute) -> Operand | None:
    """How much a container holds, or can: `tank.amount`, `tank.level.value`, `tank.capacity`; None for others."""
    is_level = node.attr == "value" and isinstance(node.value, ast.Attribute) and node.value.attr == "level"
    inner = node.value.value if is_level and isinstance(node.value, ast.Attribute) else node.value
    if not (is_level or node.attr in ("amount", "capacity")) or not isinstance(inner, ast.Name | ast.Attribute):
        return None
    try:
        owner = expressions.tried(inner)
    except Unknown:
        return None
    if not isinstance(owner, Thing) or type(owner.value) is not Container:
        return None
    if is_level:
        ask = class_by_name(Level)
        expressions.naming.facts[id(Level), "value"] = Fact(ask, "value", ask("value"))
    found = expressions.value(inner)
    assert isinstance(found, Thing)
    depot, kind = _known(expressions, found, node)
    text = f"a.depot.{'amount' if is_level else node.attr}[{depot}]"
    if node.attr == "capacity":
        kind = KINDS[type(found.value.capacity)]
        expressions.naming.note_type(found, "capacity", type(found.value.capacity))
    if kind == "int" and not is_level:
        return expressions.emission.keep(f"int({text})", "int", low=0.0, is_number=True)
    return expressions.emission.keep(text, "float", low=0.0, is_number=True)


def _known(expressions: BodyExpressions, owner: Thing, node: ast.AST) -> tuple[str, Kind]:
    """The variable of the kernel with the row of a container, and the type of its amount. Raises Unknown."""
    kind = kind_of_amount(owner.value)
    if kind is None:
        raise Unknown("a container of such an amount or capacity is left to Python", node)
    return expressions.naming.level(owner, kind), kind
