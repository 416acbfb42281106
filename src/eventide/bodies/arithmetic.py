"""Arithmetic as Python has it: divisions, and what is known of results in advance, from bounds of the operands.

In: numbers of a kernel. Out: Python's own quotients, those rounded down, `//`, and their remainders, `%`, to the bit;
what Python refuses, or does with numbers of any length, is left to it.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Mapping
from functools import partial, reduce
from math import inf
from operator import mul, truediv
from typing import TYPE_CHECKING, Final

from eventide.bodies.operands import EXACT, LARGEST, OPTIONAL, Kind, Known, Operand, Unknown, sure

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.expressions import BodyExpressions

ARITHMETIC: Final[dict[type, str]] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
CHECKED: Final[Mapping[object, tuple[str, str]]] = {
    math.sqrt: ("sqrt", "not ({0} >= 0.0)"),
    math.exp: ("exp", "not ({0} <= 709.0)"),
    math.log: ("log", "not (0.0 < {0} < 1.7976931348623157e308)"),
    math.log1p: ("log1p", "not (-1.0 < {0} < 1.7976931348623157e308)"),
    math.sin: ("sin", "not (-1.7976931348623157e308 <= {0} <= 1.7976931348623157e308)"),
    math.cos: ("cos", "not (-1.7976931348623157e308 <= {0} <= 1.7976931348623157e308)"),
    math.atan: ("atan", "{0} != {0}"),
}
"""Functions of `math`: their names in the stepper's language, and where Python may raise, or that was not examined."""
_SAFE: Final[Mapping[object, tuple[float, float]]] = {math.log: (5e-324, 1e308), math.log1p: (-1.0 + 2.0**-53, 1e308)}
"""Between these no test is needed."""
_ONE: Final[Mapping[object, float]] = {math.log: 1.0, math.log1p: 0.0}
"""Up to here they are not above zero."""


def real(operand: Operand) -> str:
    """A number as a float."""
    return operand.text if sure(operand.kind) in ("float", "mixed") else f"float({operand.text})"


def mathematical(emission: Emission, function: object, operand: Operand, node: ast.AST) -> Operand:
    """A function of `math`, of one number."""
    text = real(operand)
    name, bad = CHECKED[function]
    low, high = _SAFE.get(function, (inf, -inf))
    if not (operand.is_number and low <= operand.low and operand.high <= high):
        emission.stop_if(bad.format(text), operand, node=node)
    is_below = function in _ONE and operand.is_number and low <= operand.low and operand.high <= _ONE[function]
    known: Known = {"low": -1e4, "high": 0.0, "is_number": True} if is_below else {}
    return emission.keep(f"{name}({text})", "float", **known)


def best_among(emission: Emission, word: str, operands: list[Operand]) -> Operand:
    """The first of some numbers of one type of which none comes before it by a comparison."""
    text, kind = operands[0].text, operands[0].kind
    for other in operands[1:]:
        text = emission.keep(f"({other.text} if {other.text} {word} {text} else {text})", kind).text
    return Operand(text, kind, emission.is_pure)


def total(expressions: BodyExpressions, operands: list[Operand], node: ast.Call) -> Operand:
    """What `sum` makes of numbers of one type. Raises Unknown for others.

    Source    CPython, Python/bltinmodule.c, builtin_sum_impl: from 3.12 on what rounding loses is added in the end
    """
    emission, kinds = expressions.emission, {operand.kind for operand in operands}
    if kinds == {"int"}:
        return reduce(partial(expressions.compute, node, ast.Add()), operands)
    if kinds != {"float"}:
        raise Unknown("sums of several types are left to Python", node)
    found, lost = emission.keep(f"0.0 + {operands[0].text}", "float").text, "0.0"
    for one in operands[1:]:
        before, found = found, emission.keep(f"{found} + {one.text}", "float").text
        ways = f"({before} - {found}) + {one.text}", f"({one.text} - {found}) + {before}"
        if sys.version_info >= (3, 12):
            text = f"{lost} + ({ways[0]} if abs({before}) >= abs({one.text}) else {ways[1]})"
            lost = emission.keep(text, "float").text
    if lost == "0.0":
        return Operand(found, "float", emission.is_pure)
    return emission.keep(f"({found} + {lost} if {lost} != 0.0 and {lost} - {lost} == 0.0 else {found})", "float")


def best_of(function: Callable[..., float], operands: list[Operand]) -> Known:
    """Between which bounds the least or greatest of some numbers lies: those of their own, by the same function."""
    if not all(operand.is_number for operand in operands):
        return {}
    low, high = (function(*bounds) for bounds in zip(*((one.low, one.high) for one in operands), strict=True))
    return {"low": low, "high": high, "is_number": True}


def bounds_of_either(one: Operand, other: Operand) -> Known:
    """Between which bounds a number lies that is one of two."""
    if not (one.is_number and other.is_number):
        return {}
    return {"low": min(one.low, other.low), "high": max(one.high, other.high), "is_number": True}


def without_sign(operand: Operand) -> Known:
    """Between which bounds the size of a number lies."""
    if not operand.is_number:
        return {}
    low, high = max(0.0, operand.low, -operand.high), max(-operand.low, operand.high)
    return {"low": low, "high": high, "is_number": True}


# --- what is now a whole number, now a float --------------------------------------------------------------------------
# Whole numbers up to 2**53 are floats without rounding, and so are their sums if these are as small: then one sum of
# floats is Python's, of whatever types its parts are. Products are not: there is one zero of whole numbers.


def as_mixed(emission: Emission, operand: Operand, node: ast.AST) -> Operand:
    """A number, of whatever type, as one that is mixed."""
    kind, may = sure(operand.kind), operand.kind in OPTIONAL.values()
    if kind not in ("int", "float"):
        return operand
    if kind == "int" and not (operand.is_constant and abs(operand.low) <= EXACT):
        emission.stop_if(f"{operand.text} > {EXACT} or {operand.text} < -{EXACT}", operand, node=node)
    is_whole, text = str(kind == "int"), real(operand)
    mixed: Kind = "mixed?" if may else "mixed"
    return operand._replace(text=text, kind=mixed, whole=is_whole, low=-inf, high=inf, is_number=False)


def kind_for(known: Kind | None, operand: Operand) -> Kind | None:
    """The kind of a variable of some kind that gets another value as well; None if rows have no such variable."""
    one, other = sure(known), sure(operand.kind)
    if known == "none" and other == "object":
        return "object"
    if operand.none == "True" or known in (None, "none"):
        return OPTIONAL.get(other if known == "none" else one)
    if one != other and not {one, other} <= {"int", "float", "mixed"}:
        return None
    found: Kind = one if one == other else "mixed"
    return OPTIONAL[found] if {known, operand.kind} & {*OPTIONAL.values()} else found


def fitted(operand: Operand, kind: Kind | None) -> Operand:
    """A value as a variable takes it that may be None; what is of another type as it is."""
    if kind is None:
        return operand
    if operand.none == "True" and kind in OPTIONAL.values():
        text = {"int?": "0", "bool?": "False"}.get(kind, "0.0")
        return Operand(text, kind, none="True", whole="False" if kind == "mixed?" else "")
    if operand.none == "True" and kind == "none":
        return operand._replace(kind=kind)
    return operand._replace(kind=kind, none="False") if OPTIONAL.get(operand.kind) == kind else operand


def alike(emissions: tuple[Emission, Emission], one: Operand, other: Operand, node: ast.AST) -> list[Operand]:
    """Two numbers, or one and None, as of one kind, by lines of their own. Raises Unknown for other things."""
    first, second = (one, other) if one.none != "True" else (other, one)
    kind = kind_for(first.kind, second) if first.kind != "object" else None
    if kind is None:
        raise Unknown("its two values are of different types", node)
    operands = [*zip(emissions, (one, other), strict=True)]
    if sure(kind) == "mixed":
        operands = [(emission, as_mixed(emission, operand, node)) for emission, operand in operands]
    return [fitted(operand, kind) for _, operand in operands]


def one_of(emission: Emission, test: Operand, one: Operand, other: Operand, node: ast.AST) -> Operand:
    """One of two numbers of different types, or None, where a test holds, else the other one."""
    is_one = emission.keep(test.text, "bool").text
    first, second = alike((emission, emission), one, other, node)
    whole, none = (
        text and emission.keep(f"({text} if {is_one} else {others})", "bool").text
        for text, others in ((first.whole, second.whole), (first.none, second.none))
    )
    found = emission.keep(f"({first.text} if {is_one} else {second.text})", first.kind)
    return found._replace(whole=whole, none=none)


def summed(emission: Emission, node: ast.AST, operator: ast.operator, left: Operand, right: Operand) -> Operand:
    """A sum or a difference of which a part is mixed, and none surely a float. Raises Unknown for other operations."""
    if not isinstance(operator, ast.Add | ast.Sub):
        raise Unknown("of what is now a whole number, now a float, it is left to Python", node)
    one, other = as_mixed(emission, left, node), as_mixed(emission, right, node)
    sign = "+" if isinstance(operator, ast.Add) else "-"
    found = emission.keep(f"{one.text} {sign} {other.text}", "mixed")
    whole = " and ".join(dict.fromkeys(part.whole for part in (one, other) if part.whole != "True"))
    is_whole = emission.keep(f"({whole})", "bool").text
    emission.stop_if(f"{is_whole} and not (-{EXACT}.0 < {found.text} < {EXACT}.0)", found, node=node)
    return found._replace(whole=is_whole)


def kept(emission: Emission, operand: Operand) -> Operand:
    """A number under a name of its own, as what it is made of may be set."""
    found = emission.keep(operand.text, operand.kind, among=operand.among)
    whole, none = (text and emission.keep(text, "bool").text for text in (operand.whole, operand.none))
    return found._replace(whole=whole, none=operand.none if operand.none == "True" else none)


def ordered(emission: Emission, sign: str, left: Operand, right: Operand, node: ast.AST) -> Operand:
    """A comparison; Python compares numbers of different types as they are, without rounding."""
    if left.kind != right.kind and "int" in (left.kind, right.kind):
        whole = left if left.kind == "int" else right
        if not (whole.is_constant and abs(whole.low) <= EXACT):
            emission.stop_if(f"{whole.text} > {EXACT} or {whole.text} < -{EXACT}", whole, node=node)
    return Operand(f"({left.text} {sign} {right.text})", "bool", left.is_early and right.is_early)


# --- numbers of numpy's own classes -----------------------------------------------------------------------------------


def computed_by_numpy(expressions: BodyExpressions, node: ast.BinOp, left: Operand, right: Operand) -> Operand:
    """An operation on numbers of which one at least is of numpy's classes, and so is the result.

    numpy warns where a result is no finite number, and may where it is tiny: both are left to Python. Raises Unknown.
    """
    kinds, emission = {left.kind, right.kind}, expressions.emission
    are_whole, is_division = kinds == {"int"}, isinstance(node.op, ast.Div)
    is_known = type(node.op) in ARITHMETIC or is_division or (are_whole and isinstance(node.op, ast.FloorDiv | ast.Mod))
    if not kinds <= {"int", "float"} or not is_known:
        raise Unknown("of numbers of numpy's own classes it is left to Python", node)
    found = expressions.compute(node, node.op, left._replace(is_numpy=False), right._replace(is_numpy=False))
    if not are_whole and not (found.is_number and found.low >= -LARGEST and found.high <= LARGEST):
        emission.stop_if(f"not (-{LARGEST!r} <= {found.text} <= {LARGEST!r})", found, node=node)
    if not are_whole and isinstance(node.op, ast.Div | ast.Mult):
        tiny = f"abs({found.text}) < {_TINY!r} and {left.text} != {_ZEROS[left.kind]}"
        emission.stop_if(f"{tiny} and {right.text} != {_ZEROS[right.kind]}", found, left, right, node=node)
    return found._replace(is_numpy=True)


_TINY: Final = 1e-300
_ZEROS: Final = {"int": "0", "float": "0.0"}


# --- divisions --------------------------------------------------------------------------------------------------------


def divided_whole(emission: Emission, node: ast.AST, operator: ast.operator, left: Operand, right: Operand) -> Operand:
    """`/`, `//` or `%` of whole numbers."""
    one, other = left.text, right.text
    for operand in (left, right):
        if not operand.is_constant or abs(operand.low) > EXACT:
            emission.stop_if(f"{operand.text} > {EXACT} or {operand.text} < -{EXACT}", operand, node=node)
    if isinstance(operator, ast.Div):
        emission.stop_if(f"{other} == 0", right, node=node)
        return emission.keep(f"float({one}) / float({other})", "float")
    emission.stop_if(f"{other} < 1", right, node=node)
    quotient = emission.keep(f"int(float({one}) / float({other}))", "int").text
    rest = emission.keep(f"{one} - {quotient} * {other}", "int")
    text = rest.text
    emission.emit(f"if {text} < 0:\n    {quotient} = {quotient} - 1\n    {text} = {text} + {other}")
    emission.emit(f"if {text} >= {other}:\n    {quotient} = {quotient} + 1\n    {text} = {text} - {other}")
    return rest if isinstance(operator, ast.Mod) else rest._replace(text=quotient)


def divided_down(emission: Emission, node: ast.AST, operator: ast.operator, left: Operand, right: Operand) -> Operand:
    """`//` or `%` of numbers of which one at least is a float.

    Source: CPython, Objects/floatobject.c, _float_div_mod and float_rem
    """
    for operand in (left, right):
        if operand.kind == "int" and not (operand.is_constant and abs(operand.low) <= EXACT):
            emission.stop_if(f"{operand.text} > {EXACT} or {operand.text} < -{EXACT}", operand, node=node)
        elif not (operand.is_number and operand.low >= -LARGEST and operand.high <= LARGEST):
            emission.stop_if(f"not (-{LARGEST!r} <= {operand.text} <= {LARGEST!r})", operand, node=node)
    if not (right.low > 0.0 or right.high < 0.0):
        emission.stop_if(f"{right.text} == 0", right, node=node)
    x, y = real(left), real(right)
    rest = emission.keep(f"fmod({x}, {y})", "float")
    quotient = emission.keep(f"({x} - {rest.text}) / {y}", "float")
    off = emission.keep(f"({rest.text} < 0.0) != ({y} < 0.0)", "bool")
    q, r = quotient.text, rest.text
    emission.emit(f"if {r} == 0.0:\n    {r} = 0.0 * {y}\nelif {off.text}:\n    {r} = {r} + {y}\n    {q} = {q} - 1.0")
    if isinstance(operator, ast.Mod):
        return rest
    down = emission.keep(q, "float").text
    emission.emit(
        f"if {q} == 0.0:\n    {down} = 0.0 * ({x} / {y})\n"
        f"elif abs({q}) < {EXACT}.0:\n    {down} = float(int({q}))\n"
        f"    if {down} > {q}:\n        {down} = {down} - 1.0\n"
        f"    if {q} - {down} > 0.5:\n        {down} = {down} + 1.0"
    )
    return quotient._replace(text=down)


# --- bounds -----------------------------------------------------------------------------------------------------------


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
