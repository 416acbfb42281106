"""Functions in laws that bend or jump, as the comparisons that they make: `abs`, `min`, `floor`, `%` and their like."""

from __future__ import annotations

import ast
import math
from copy import deepcopy
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from eventide.compilation.branches.syntax import as_float, holding, number, placed

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.compilation.branches.branching import Branching
    from eventide.compilation.branches.calls import Known

Rule: TypeAlias = "Callable[[Branching, list[ast.expr], ast.Call, Known], ast.expr | None]"
"""From the arguments of a call to what stands in its place; None if nothing in it moves."""
_ARGUMENTS_OF_CLIP: Final = 3


def _choose(
    law: Branching, test: ast.Compare, first: ast.expr, second: ast.expr, where: ast.expr, known: Known
) -> ast.expr | None:
    """One of two, by a comparison; None if that stands still."""
    located = law.locate(test.left, test.ops[0], test.comparators[0], where, known, is_test=True)
    return located and placed(ast.IfExp(located, first, second), where)


def _size(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    (one,) = args
    return _choose(law, _below_zero(one), ast.UnaryOp(ast.USub(), one), one, call, known)


def _below_zero(one: ast.expr) -> ast.Compare:
    return ast.Compare(one, [ast.Lt()], [number(0.0)])


def _sign(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    (one,) = args
    below = _choose(law, _below_zero(one), number(-1.0), number(0.0), call, known)
    above = ast.Compare(one, [ast.Gt()], [number(0.0)])
    return below and _choose(law, above, number(1.0), below, call, known)


def _extreme(
    law: Branching, op: type[ast.cmpop], args: list[ast.expr], call: ast.Call, known: Known
) -> ast.expr | None:
    """The extreme of numbers, from the first on; where two of them stand still, as they are compared by Python."""
    if len(args) < 2 or not any(law.names.moves(law.resolved(one, known)) for one in args):
        return None
    found = args[0]
    for other in args[1:]:
        made = _choose(law, ast.Compare(other, [op()], [found]), other, found, call, known)
        found = made or placed(ast.IfExp(ast.Compare(other, [op()], [found]), other, found), call)
    return found


def _least(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    return _extreme(law, ast.Lt, args, call, known)


def _greatest(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    return _extreme(law, ast.Gt, args, call, known)


def _clip(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    if len(args) != _ARGUMENTS_OF_CLIP:
        return None
    raised = _extreme(law, ast.Gt, args[:2], call, known) or args[0]
    return _extreme(law, ast.Lt, [raised, args[2]], call, known)


# --- between whole numbers -------------------------------------------------------------------------------------------


def _held_or(held: ast.expr, is_held: ast.expr, free: ast.expr) -> ast.expr:
    return holding(placed(ast.IfExp(is_held, held, free), free), held)


def _as_given(one: ast.expr, call: ast.Call, law: Branching) -> ast.expr:
    """A whole number as the function that is called gives it."""
    if any(law.names.object_of(call.func) is function for function in _OF_PYTHON):
        return ast.Call(ast.Name("int", ast.Load()), [one], [])
    return one


def _floor(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    found = law.locate_whole(args[0], call, known)
    return found and _held_or(_as_given(found[0], call, law), found[1], call)


def _ceiling(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    found = law.locate_whole(placed(ast.UnaryOp(ast.USub(), args[0]), call), call, known)
    return found and _held_or(_as_given(ast.UnaryOp(ast.USub(), found[0]), call, law), found[1], call)


def _towards_zero(law: Branching, args: list[ast.expr], call: ast.Call, known: Known) -> ast.expr | None:
    (one,) = args
    up, down = _ceiling(law, args, deepcopy(call), known), _floor(law, args, deepcopy(call), known)
    return up and down and _choose(law, _below_zero(one), up, down, call, known)


def remainder(law: Branching, node: ast.BinOp, known: Known) -> ast.expr | None:
    """`x % y` or `x // y`, where `y` stands still; None if both do."""
    ratio = placed(ast.BinOp(node.left, ast.Div(), as_float(node.right)), node)
    found = law.locate_whole(ratio, node, known)
    if found is None:
        return None
    # Where nothing is held, too, the quotient decides: Python's own `%` may jump some floats apart from that.
    held, free = found[0], ast.BinOp(ratio, ast.FloorDiv(), number(1.0))
    if isinstance(node.op, ast.Mod):
        held, free = (ast.BinOp(node.left, ast.Sub(), ast.BinOp(node.right, ast.Mult(), part)) for part in (held, free))
    return _held_or(held, found[1], placed(free, node))


_OF_PYTHON: Final = (math.floor, math.ceil, math.trunc, int)
NONSMOOTH: Final[dict[object, Rule]] = {
    abs: _size,
    math.fabs: _size,
    np.absolute: _size,
    np.fabs: _size,
    min: _least,
    np.minimum: _least,
    max: _greatest,
    np.maximum: _greatest,
    np.clip: _clip,
    np.sign: _sign,
    math.floor: _floor,
    np.floor: _floor,
    math.ceil: _ceiling,
    np.ceil: _ceiling,
    math.trunc: _towards_zero,
    np.trunc: _towards_zero,
    int: _towards_zero,
}
"""What can be located."""
JUMPS: Final[dict[object, str]] = {
    **dict.fromkeys((np.rint, np.round, round), "it jumps between whole numbers"),
    **dict.fromkeys((np.where, np.select, np.piecewise, np.heaviside), "it chooses item by item"),
    **dict.fromkeys((np.interp, np.searchsorted, np.digitize), "it looks in a table: see `ev.inputs` for such of time"),
}
"""What cannot, and why."""
