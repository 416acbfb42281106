"""Legs as kernels: handlers that answer at which stop a process waits then.

What they find in plain objects, nobody tells when it changes: it is compared, by identity, each time that a leg begins.
Where it has changed the leg is Python's.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, Final

from eventide.engine.codes import ASKS, DONE
from eventide.lowering.handler_writer import Handlers
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.paths import ITEMS
from eventide.lowering.values import Builtin, Item, Nothing, Number

if TYPE_CHECKING:
    from eventide.lowering.handler_writer import Kept
    from eventide.lowering.paths import Step
    from eventide.native.ir import Block

PLAIN: Final = object.__getattribute__


class Legs(Handlers):
    """Writes the instructions of legs.

    first       where what is found in plain objects is compared, before all else
    """

    def begin(self) -> Block:
        """Open the block for the comparisons, and the one behind them; answers the latter."""
        self.first, entry = self.builder.block(), self.builder.block()
        self.builder.enter(self.first)
        self.builder.current = None
        self.builder.enter(entry)
        return entry

    # --- what is found in plain objects ---------------------------------------------------------------------------

    def _check_references(self, node: ast.stmt, kept: Kept) -> None:
        before = kept.books[-1][1]["steps"]
        for path, step in self.outside.steps.items():
            if path not in before and _is_untold(step) and not self._is_comparable(step):
                raise self.refusal(
                    node, f"nobody tells when {'.'.join(path)} changes: keep it as a field of a Continuous"
                )

    def _is_comparable(self, step: Step) -> bool:
        """Whether it can be seen at once whether another object stands there: an attribute of an object."""
        parent = self.outside.steps.get(step.path[:-1])
        is_attribute = step.hop.isidentifier() and ITEMS not in step.path
        if not is_attribute or parent is None or step.check != "class" or parent.check != "class":
            return False
        return parent.expected.__getattribute__ is PLAIN

    def compare(self, entry: Block) -> None:
        """Write the comparisons, and what follows where one fails."""
        builder = self.builder
        builder.resume(self.first)
        otherwise = builder.block()
        for path, step in self.outside.steps.items():
            if not _is_untold(step):
                continue
            holder, name = self.slots.object(path[:-1]), self.slots.literal(step.hop)
            expected = self.slots.object(path)
            found = self._python(
                "ptr", "PyObject_GenericGetAttr", ("ptr", self._pointer(holder)), ("ptr", self._pointer(name))
            )
            known, missing, same = builder.block(), builder.block(), builder.block()
            builder.branch(builder.value("icmp eq", "ptr", found, "null"), missing, known)
            builder.enter(missing)
            self._python("void", "PyErr_Clear")
            builder.jump(otherwise)
            builder.enter(known)
            is_same = builder.value("icmp eq", "ptr", found, self._pointer(expected))
            self._python("void", "Py_DecRef", ("ptr", found))
            builder.branch(is_same, same, otherwise)
            builder.enter(same)
        builder.jump(entry)
        builder.enter(otherwise)
        builder.finish("i64", str(ASKS))

    # --- lists ----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Item:
        if isinstance(node.func, ast.Name) and len(node.args) == 1 and not node.keywords:
            function = self.evaluate(node.func)
            if isinstance(function, Builtin) and _is_append(function.function) and function.path is not None:
                if isinstance(node.args[0], ast.Starred):
                    raise Unlowerable("arguments are followed one by one, without *")
                target = self.outside.bound_list(function.path)
                self._append(target, self.evaluate(node.args[0]), node.args[0])
                return Nothing()
        return super()._call(node)

    def _len(self, node: ast.expr) -> Item:
        target = self._target(node)
        if target is None:
            return super()._len(node)
        if self.loops:
            raise Unlowerable("in a loop it is left to Python")
        address, builder = self.slots.object(target.path), self.builder
        length = self._python("i64", "PyList_Size", ("ptr", self._pointer(address)))
        for entry in self._entries:  # what the leg has put there so far comes at its end
            is_put = builder.get("i1", entry.mark)
            is_there = builder.value("icmp eq", "i64", address, entry.address)
            more = builder.value("and", "i1", is_put, is_there)
            length = builder.value("add", "i64", length, builder.convert("zext", "i1", more, "i64"))
        return Number(length, "int")

    # --- where it ends --------------------------------------------------------------------------------------------

    def _do_return(self, node: ast.Return) -> None:
        """A stop has been reached; where the process cannot wait there by itself Python is asked."""
        if not self.frame.is_entry:
            super()._do_return(node)
            return
        assert isinstance(node.value, ast.Constant)
        is_open = self.builder.value("icmp ne", "i64", self.slots.stop(int(node.value.value)), 0)  # type: ignore[arg-type]  # a number
        go_on, ask = self.builder.block(), self.builder.block()
        self.builder.branch(is_open, go_on, ask)
        self.builder.enter(ask)
        self._leaving.append(self.arrive())
        self.builder.enter(go_on)
        super()._do_return(node)

    # --- the end --------------------------------------------------------------------------------------------------

    def _do_raise(self, node: ast.Raise) -> None:
        is_ours = isinstance(node.exc, ast.Constant) and isinstance(node.exc.value, str)
        raise Unlowerable(node.exc.value if is_ours else "native code cannot raise")  # type: ignore[union-attr]  # as seen

    def finish(self, stop: Item) -> None:
        """Write what comes last; where all is done it answers the stop that has been reached."""
        assert isinstance(stop, Number)
        self._stop = stop.text
        self.close()

    def answer(self) -> str:
        """What is answered where all is done."""
        return self.builder.value("add", "i64", self._stop, DONE)


def _is_untold(step: Step) -> bool:
    return step.can_change and not step.is_told


def _is_append(function: Any) -> bool:
    return (
        isinstance(function, BuiltinFunctionType)
        and function.__name__ == "append"
        and type(getattr(function, "__self__", None)) is list
    )
