"""Waits for the next instant of a process's own grid: `yield ev.tick(0.05)`, `yield ev.tick(hz=20)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.bodies.operands import Unknown
from eventide.declare.periods import exact_period
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.operands import Operand

MOST: Final = 2**26
"""Up to here products with half of a float's digits are floats."""


def period_given(call: ast.Call) -> tuple[str, ast.expr]:
    """The argument of a tick: its name, and what is given. Raises Unknown for other arguments."""
    given = [("period", value) for value in call.args] + [(str(one.arg), one.value) for one in call.keywords]
    if len(given) != 1 or given[0][0] not in ("period", "hz"):
        raise Unknown("it is called in another way than others are", call)
    return given[0]


def next_instant(emission: Emission, name: str, operand: Operand, known: object, node: ast.AST) -> str:
    """Write the next instant of a tick, and return the variable of the kernel with it. Raises Unknown.

    operand     its period, or how many there are in a unit of time, as its argument of that name says
    known       that number, if a name of a module has it, which is a fact
    """
    number = ast.literal_eval(operand.text) if operand.is_constant else known
    if not isinstance(number, int | float):
        raise Unknown("its period is computed each time", node)
    try:
        period = exact_period(**{name: number})
    except ModelError:
        raise Unknown("it has no such period", node) from None
    if max(period.numerator, period.denominator) > MOST:
        raise Unknown("its period has too many digits", node)
    due = emission.keep(f"next_tick(a, i, {period.numerator}, {period.denominator})", "float")
    emission.stop_if(f"{due.text} != {due.text}", due, node=node)
    return due.text
