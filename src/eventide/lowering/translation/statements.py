"""Rules for statements that are no assignments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.control_flow import choose, iterate
from eventide.lowering.translation.expressions import evaluate_boolean
from eventide.lowering.translation.loops import for_each
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.values import Item, Nothing, Void
from eventide.lowering.translation.vectors import kept_item
from eventide.native.ir import Instruction
from eventide.reading.nodes import REMEDY, as_choices

if TYPE_CHECKING:
    from eventide.lowering.translation.context import Context

MOST_TURNS: Final = 2**22
"""So often a loop that might never end is repeated natively, some hundredths of a second: Ctrl-C is not heard there."""


@lowers(ast.Pass)
def _pass(context: Context, node: ast.Pass) -> None:
    pass


@lowers(ast.Expr)
def _expression(context: Context, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        context.evaluate(node.value)


@lowers(ast.If)
def _branch(context: Context, node: ast.If) -> None:
    def then() -> None:
        context.run(node.body)

    def otherwise() -> None:
        context.run(node.orelse)

    choose(context, evaluate_boolean(context, node.test), then, otherwise)


@lowers(ast.Match)
def _match(context: Context, node: ast.Match) -> None:
    choices = as_choices(node)
    if choices is None:
        raise Unlowerable(REMEDY)
    context.run(choices)


@lowers(ast.While)
def _while(context: Context, node: ast.While) -> None:
    if node.orelse:
        raise Unlowerable("`else` of a loop is not followed")
    context.unbounded += 1
    turns, ends = _count_turns(context), not isinstance(node.test, ast.Constant) or _is_left(node.body)

    def body(_: str) -> None:
        if turns:
            _leave_after(context, turns, ends=ends)
        context.run(node.body)

    outer, context.turns = context.turns, turns
    try:
        iterate(context, _assigned(node.body), lambda _: evaluate_boolean(context, node.test), body)
    finally:
        context.turns = outer


def _count_turns(context: Context) -> str:
    """The memory for how often a loop that might never end is repeated; "" where Python is not to be asked.

    Loops within it count in the same; where Python will be asked anyway none is repeated.
    """
    builder = context.builder
    if context.turns or not builder.traps:
        return context.turns
    turns = builder.name()
    builder.room.append(Instruction("alloca", "i64", result=turns))
    builder.note_trap("false")
    builder.put("i64", builder.select(builder.has_trapped(), "i64", str(MOST_TURNS), "0"), turns)
    return turns


def _leave_after(context: Context, turns: str, *, ends: bool) -> None:
    """Leave a loop that does not end, and let Python repeat it, where it can be interrupted.

    ends    whether there is something behind it; else it is left by `return` alone, as it is here
    """
    builder, start = context.builder, context.scope
    count = builder.get("i64", turns)
    builder.put("i64", builder.value("add", "i64", count, 1), turns)
    leave, stay = builder.block(), builder.block()
    builder.branch(builder.value("icmp uge", "i64", count, MOST_TURNS), leave, stay)
    builder.enter(leave)
    builder.note_trap("true")
    context.scope = start.copy()
    if ends:
        context.loops[-1].breaks.append(context.arrive())
    else:
        context.frame.returns.append(context.arrive(Void()))
    builder.enter(stay)
    context.scope = start


@lowers(ast.For)
def _for(context: Context, node: ast.For) -> None:
    if node.orelse:
        raise Unlowerable("`else` of a loop is not followed")
    for_each(context, node.target, node.iter, lambda: context.run(node.body), _assigned(node.body))


@lowers(ast.Break)
def _break(context: Context, node: ast.Break) -> None:
    context.loops[-1].breaks.append(context.arrive())


@lowers(ast.Continue)
def _continue(context: Context, node: ast.Continue) -> None:
    context.loops[-1].continues.append(context.arrive())


@lowers(ast.Return)
def return_from(context: Context, node: ast.Return) -> None:
    """`return value`."""
    value: Item = Nothing() if node.value is None else context.evaluate(node.value)
    context.frame.returns.append(context.arrive(kept_item(context, value)))


def _is_left(statements: list[ast.stmt]) -> bool:
    """Whether a `break` leaves the loop whose body some statements are."""
    inner = [node for node in statements if not isinstance(node, ast.While | ast.For)]
    parts = [part for node in inner for part in (getattr(node, "body", []), getattr(node, "orelse", []))]
    return any(isinstance(node, ast.Break) for node in inner) or any(_is_left(part) for part in parts)


def _assigned(statements: list[ast.stmt]) -> list[str]:
    """The names to which some statements give values."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
