"""Levels of the user's that bodies read and change: `running.change(-1)`, `running.set(2)`, `running.value`.

A level whose values are whole numbers, of one type, goes away with the processes that may change it: see
`bodies/stations/statistics.py`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import class_by_name
from eventide.bodies.naming import Fact
from eventide.bodies.operands import Kind, Operand, Thing, Unknown
from eventide.bodies.stations.statistics import MOST, kind_of
from eventide.statistics.level import Level

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_NEEDS: Final = f"""if not 0 <= {{1}} < a.level.size[{{0}}]:
    code = EXIT
    if 0 <= {{1}} < {MOST} and 2 * (a.level.value[{{0}}] + 2) >= a.level.size[{{0}}]:
        code = ROOM
    break"""


def value_of_level(expressions: BodyExpressions, node: ast.Attribute) -> Operand | None:
    """The value of a level; None for what is none."""
    owner = _level(expressions, node, "value")
    if owner is None:
        return None
    text, kind = _known(expressions, owner, node)
    value = f"a.level.value[{text}]"
    return expressions.emission.keep(f"float({value})" if kind == "float" else value, kind, low=0.0, is_number=True)


def level_changed(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Write a change of a level; False for other expressions. Raises Unknown for one that is Python's."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    owner = _level(expressions, node.func, name) if name in ("change", "set") else None
    if owner is None:
        return False
    if len(node.args) != 1 or node.keywords:
        raise Unknown("it is called in another way than others are", node)
    text, kind = _known(expressions, owner, node)
    given, emission = expressions.number(node.args[0], "int", "float"), expressions.emission
    if given.kind == "float" and kind == "int":
        raise Unknown("a level that becomes a float is left to Python", node)
    if kind == "float" and given.kind == "int" and name == "set":
        raise Unknown("a level of floats that becomes a whole number is left to Python", node)
    if not emission.is_pure:
        raise Unknown("it may fail after it has had an effect", node)
    if given.kind == "float":
        emission.stop_if(f"not (-{MOST}.0 < {given.text} < {MOST}.0)", given, node=node)
        if name == "set":  # the level would keep the sign
            emission.stop_if(f"is_minus_zero({given.text}) != 0", given, node=node)
        whole = emission.keep(f"int({given.text})", "int")
        emission.stop_if(f"float({whole.text}) != {given.text}", given, node=node)
    else:
        whole = given
        emission.stop_if(f"not (-{MOST} < {given.text} < {MOST})", given, node=node)
    before = f"a.level.value[{text}] + " if name == "change" else ""
    value = emission.keep(f"{before}{whole.text}", "int").text
    emission.emit(_NEEDS.format(text, value))
    emission.begin_effect()
    emission.emit(f"move_level(a, {text}, {value})")
    return True


def _level(expressions: BodyExpressions, node: ast.Attribute, name: str) -> Thing | None:
    """The level of which an expression asks something by a name."""
    if node.attr != name or not isinstance(node.value, ast.Name | ast.Attribute):
        return None
    try:
        owner = expressions.tried(node.value)
    except Unknown:
        return None
    if not isinstance(owner, Thing) or type(owner.value) is not Level:
        return None
    ask = class_by_name(Level)
    for known in (name, "set"):
        expressions.naming.facts[id(Level), known] = Fact(ask, known, ask(known))
    found = expressions.value(node.value)
    assert isinstance(found, Thing)
    return found


def _known(expressions: BodyExpressions, owner: Thing, node: ast.AST) -> tuple[str, Kind]:
    """The variable of the kernel with the row of a level, and the type of its values. Raises Unknown."""
    kind = kind_of(owner.value)
    if kind is None:
        expressions.naming.note_state(owner.value)
        raise Unknown("a level that has had other values than small whole numbers of one type is left to Python", node)
    return expressions.naming.level(owner, kind), kind
