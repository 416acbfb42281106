"""What is known in advance of numbers of a kernel, from bounds of the operands."""

from __future__ import annotations

import ast
from math import inf
from operator import mul, truediv

from eventide.bodies.operands import EXACT, Known, Operand


def decided(operator: ast.cmpop, left: Operand, right: Operand) -> bool | None:
    """The result of a comparison of two numbers if it is known in advance, else None."""
    if not (left.is_number and right.is_number):
        return None
    if any(operand.kind == "int" and max(abs(operand.low), abs(operand.high)) > EXACT for operand in (left, right)):
        return None
    if isinstance(operator, ast.Gt | ast.LtE):
        is_it = True if left.high <= right.low else False if left.low > right.high else None
    elif isinstance(operator, ast.Lt | ast.GtE):
        is_it = True if left.high < right.low else False if left.low >= right.high else None
    else:
        is_it = False if left.high < right.low or left.low > right.high else None
    return is_it if is_it is None or not isinstance(operator, ast.Gt | ast.GtE | ast.NotEq) else not is_it


def between(operator: ast.operator, left: Operand, right: Operand) -> Known:
    """Bounds of the result of an operation on numbers: rounding keeps the order."""
    if not (left.is_number and right.is_number) or inf in (
        abs(left.low),
        abs(left.high),
        abs(right.low),
        abs(right.high),
    ):
        return {}
    if isinstance(operator, ast.Add):
        low, high = left.low + right.low, left.high + right.high
    elif isinstance(operator, ast.Sub):
        low, high = left.low - right.high, left.high - right.low
    else:
        carry_out = truediv if isinstance(operator, ast.Div) else mul
        corners = [carry_out(one, other) for one in (left.low, left.high) for other in (right.low, right.high)]
        low, high = min(corners), max(corners)
    return {"low": low, "high": high, "is_number": True} if abs(low) < inf and abs(high) < inf else {}
