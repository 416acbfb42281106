"""Segments of processes as kernels: handlers that return the wait point at which the process waits then.

What they find in plain objects may change without notice: it is compared, by identity, each time that a segment begins.
Where it has changed the segment is Python's.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, ClassVar, Final

from eventide.engine.codes import ASKS, DONE
from eventide.lowering.names.paths import ITEMS, Step
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.calls import length_of
from eventide.lowering.translation.handlers import (
    HandlerDialect,
    Snapshot,
    call_or_append,
    call_python,
    list_named,
    pointer,
)
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.values import AppendTarget, Builtin, Item, Nothing, Number

if TYPE_CHECKING:
    from eventide.lowering.translation.context import Context
    from eventide.native.ir import Block

PLAIN: Final = object.__getattribute__


class SegmentDialect(HandlerDialect):
    """How segments of processes are lowered.

    first       the block where what is found in plain objects is compared, before all else
    """

    kinds: ClassVar[tuple[str, ...]] = ("segment", "handler", "")

    def begin(self, context: Context) -> Block:
        """Open the block for the comparisons, and the one behind them; returns the latter."""
        builder = context.builder
        self.first, entry = builder.block(), builder.block()
        builder.enter(self.first)
        builder.current = None
        builder.enter(entry)
        return entry

    # --- what is found in plain objects ---------------------------------------------------------------------------

    def _check_references(self, context: Context, node: ast.stmt, kept: Snapshot) -> None:
        before = kept.books[-1][1]["steps"]
        for path, step in context.names.steps.items():
            if path not in before and _is_untold(step) and not _is_comparable(context, step):
                raise context.refusal(
                    node, f"changes of {'.'.join(path)} are not announced: keep it as a field of a Continuous"
                )

    def compare(self, context: Context, entry: Block) -> None:
        """Write the comparisons, and what follows where one fails."""
        builder, slots = context.builder, context.slots
        builder.resume(self.first)
        otherwise = builder.block()
        for path, step in context.names.steps.items():
            if not _is_untold(step):
                continue
            holder, name = slots.object(path[:-1]), slots.literal(step.selector)
            expected = slots.object(path)
            given = ("ptr", pointer(context, holder)), ("ptr", pointer(context, name))
            found = call_python(context, "ptr", "PyObject_GenericGetAttr", *given)
            known, missing, same = builder.block(), builder.block(), builder.block()
            builder.branch(builder.value("icmp eq", "ptr", found, "null"), missing, known)
            builder.enter(missing)
            call_python(context, "void", "PyErr_Clear")
            builder.jump(otherwise)
            builder.enter(known)
            is_same = builder.value("icmp eq", "ptr", found, pointer(context, expected))
            call_python(context, "void", "Py_DecRef", ("ptr", found))
            builder.branch(is_same, same, otherwise)
            builder.enter(same)
        builder.jump(entry)
        builder.enter(otherwise)
        builder.finish("i64", str(ASKS))

    # --- the end --------------------------------------------------------------------------------------------------

    def finish(self, context: Context, wait_point: Item) -> None:
        """Write what comes last; where all is done it returns the wait point that has been reached."""
        assert isinstance(wait_point, Number)
        self._wait_point = wait_point.text
        self.close(context)

    def answer(self, context: Context) -> str:
        """What is returned where all is done."""
        return context.builder.value("add", "i64", self._wait_point, DONE)

    def length_of_list(self, context: Context, target: AppendTarget) -> Number:
        """How many items a list has, with what the segment has put there so far."""
        builder, address = context.builder, context.slots.object(target.path)
        length = call_python(context, "i64", "PyList_Size", ("ptr", pointer(context, address)))
        for entry in self._entries:
            is_put = builder.get("i1", entry.mark)
            is_there = builder.value("icmp eq", "i64", address, entry.address)
            more = builder.value("and", "i1", is_put, is_there)
            length = builder.value("add", "i64", length, builder.convert("zext", "i1", more, "i64"))
        return Number(length, "int")


def _dialect(context: Context) -> SegmentDialect:
    assert isinstance(context.dialect, SegmentDialect)
    return context.dialect


@lowers(ast.Call, kind="segment")
def _call(context: Context, node: ast.Call) -> Item:
    if isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
        function = context.evaluate(node.func)
        if isinstance(function, Builtin) and _is_append(function.function) and function.path is not None:
            if isinstance(node.args[0], ast.Starred):
                raise Unlowerable("arguments are followed one by one, without *")
            target = context.names.bound_list(function.path)
            _dialect(context).append(context, target, context.evaluate(node.args[0]), node.args[0])
            return Nothing()
    return call_or_append(context, node)


@lowers(len, kind="segment")
def _len(context: Context, node: ast.Call) -> Item:
    target = list_named(context, node.args[0]) if len(node.args) == 1 else None
    if target is None:
        return length_of(context, node)
    if context.loops:
        raise Unlowerable("in a loop it is left to Python")
    return _dialect(context).length_of_list(context, target)


@lowers(ast.Raise, kind="segment")
def _raise(context: Context, node: ast.Raise) -> None:
    is_ours = isinstance(node.exc, ast.Constant) and isinstance(node.exc.value, str)
    raise Unlowerable(node.exc.value if is_ours else "native code cannot raise")  # type: ignore[union-attr]  # as seen


def _is_comparable(context: Context, step: Step) -> bool:
    """Whether it can be seen at once whether another object stands there: an attribute of an object."""
    parent = context.names.steps.get(step.path[:-1])
    is_attribute = step.selector.isidentifier() and ITEMS not in step.path
    if not is_attribute or parent is None or step.check != "class" or parent.check != "class":
        return False
    return parent.expected.__getattribute__ is PLAIN


def _is_untold(step: Step) -> bool:
    return step.can_change and not step.is_announced


def _is_append(function: object) -> bool:
    return (
        isinstance(function, BuiltinFunctionType)
        and function.__name__ == "append"
        and type(getattr(function, "__self__", None)) is list
    )
