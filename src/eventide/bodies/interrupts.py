"""Interrupts in bodies: `other.interrupt(cause)` of a process that is a row, too, and what its handler reads."""

from __future__ import annotations

import ast
from types import MethodType
from typing import TYPE_CHECKING, Final

from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.discrete.processes.process import Process
from eventide.discrete.resources.preemption import Preemption
from eventide.rows.codes import LOST, OBJECTS

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_INTERRUPT: Final = Process.interrupt  # whatever stands in its place later
_CAN = """if {0} < 0:
    code = EXIT
    break
if not can_interrupt(a, {0}):
    code = EXIT
    break
if not has_room(a, 0):
    code = ROOM
    break"""


def interrupted(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Write an interrupt of a process; False for other expressions.

    Raises Unknown for one that is left to Python.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "interrupt":
        return False
    called = expressions.value(node.func)
    if not isinstance(called, Thing) or type(called.value) is not MethodType:
        return False
    if called.value.__func__ is not _INTERRUPT:
        return False
    given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "cause")]
    if len(given) != len(node.args) + len(node.keywords) or len(given) > 1:
        raise Unknown("it is called in another way than others are", node)
    naming, emission = expressions.naming, expressions.emission
    process = naming.process(naming.owner_of(called))
    row = emission.keep(f"row_of(a, {process})", "int").text
    emission.emit(_CAN.format(row))
    cause = expressions.value(given[0]) if given else Thing("", (), None)
    if isinstance(cause, Operand) and cause.kind == "bool" and cause.is_constant:
        cause = Thing("", (), cause.text == "True")
    if isinstance(cause, Thing):
        if cause.path or cause.value is naming.created is not None:
            raise Unknown("the cause is created each time", node)
        text = naming.cause(cause)
    elif cause.kind == "int":
        text = cause.text
    else:
        raise Unknown(f"a cause of type {cause.kind} is left to Python", node)
    emission.begin_effect()
    emission.emit(f"interrupt(a, {row}, {text})")
    return True


def is_interrupt(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Whether an expression is the variable of an exception in the handler of interrupts that is around it."""
    return isinstance(node, ast.Name) and node.id in expressions.naming.handled and not expressions.is_inside


def read_of_interrupt(expressions: BodyExpressions, node: ast.Attribute) -> Operand:
    """What an interrupt handler reads: the rest of a hold that was cut short."""
    assert isinstance(node.value, ast.Name)
    if node.attr != "left":
        raise Unknown("of an interrupt only what was left, and tests for a preemption, are native", node)
    left = Operand(f"l_{expressions.naming.handled[node.value.id]}", "float", is_number=True)
    expressions.emission.stop_if(f"{left.text} != {left.text}", left, node=node)
    return left


def is_preemption(expressions: BodyExpressions, node: ast.Call) -> Operand:
    """Whether the cause of an interrupt is a preemption: `isinstance(cut.cause, ev.Preemption)`. Raises Unknown."""
    number = _number_of_cause(expressions, node.args[0]) if len(node.args) == 2 and not node.keywords else None
    kind = expressions.value(node.args[1]) if number is not None else None
    if not isinstance(kind, Thing) or kind.root or kind.value is not Preemption:
        raise Unknown("of what class something is is left to Python", node)
    cause = Operand(f"e_{number}", "int")
    expressions.emission.stop_if(f"f_{number} == 0 or {cause.text} >= {OBJECTS}", cause, node=node)
    return Operand(f"({cause.text} <= {LOST})", "bool")


def is_of_request(expressions: BodyExpressions, node: ast.Compare) -> Operand | None:
    """Whether units of the request of a block were taken away: `cut.cause.request is place`; None for other tests."""
    one, other, naming = node.left, node.comparators[0], expressions.naming
    if not isinstance(one, ast.Attribute) or one.attr != "request" or not isinstance(other, ast.Name):
        return None
    number, key = _number_of_cause(expressions, one.value), naming.key(other.id)
    if number is None or key not in naming.requests or len(node.ops) > 1:
        return None
    cause = Operand(f"e_{number}", "int")
    expressions.emission.stop_if(f"f_{number} == 0 or {cause.text} > {LOST}", cause, node=node)
    return Operand(f"({cause.text} {'==' if isinstance(node.ops[0], ast.Is) else '!='} {LOST} - q_{key})", "bool")


def _number_of_cause(expressions: BodyExpressions, node: ast.expr) -> int | None:
    """The number of the handler whose interrupt's cause an expression is; None for other expressions."""
    if not isinstance(node, ast.Attribute) or node.attr != "cause" or not is_interrupt(expressions, node.value):
        return None
    assert isinstance(node.value, ast.Name)
    return expressions.naming.handled[node.value.id]
