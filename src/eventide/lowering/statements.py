"""Statements of Python as instructions, and from them the whole kernel."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from eventide.lowering.calls import Following
from eventide.lowering.name_resolution import Place
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.values import Formula, Item, Items, Nothing, Number, Table, Truth, Vector
from eventide.lowering.vectors import is_vector
from eventide.native.ir import Instruction

_UNFOLLOWED: Final[dict[type[ast.stmt], str]] = {
    ast.Assert: "an assertion cannot raise in native code: let an `@when` handler check it",
    ast.Raise: "native code cannot raise",
    ast.Try: "native code neither raises nor catches",
    ast.With: "`with` is not followed",
    ast.Global: "a law changes nothing outside the table of states",
    ast.Nonlocal: "a law changes nothing outside the table of states",
    ast.Delete: "`del` is not followed",
    ast.Import: "import it at the top of the file",
    ast.ImportFrom: "import it at the top of the file",
    ast.FunctionDef: "functions made here are not followed: define it outside",
    ast.ClassDef: "classes are not followed",
    ast.Match: "`match` is not followed: write if and elif",
}


MOST_TURNS: Final = 2**22
"""So often a loop that might never end is repeated natively, some hundredths of a second: Ctrl-C is not heard there."""


class Statements(Following):
    """Writes the instructions of statements.

    _turns      the memory for how often the loop is repeated that is being written, if it might never end
    """

    _turns: str = ""

    def execute_body(self, tree: ast.FunctionDef | ast.Lambda) -> Item | None:
        """Write the body of a function; its ways out are left in the frame. Answers the value of a lambda."""
        if isinstance(tree, ast.Lambda):
            return self.evaluate(tree.body)
        self._block(tree.body)
        if not self.is_dead:
            self.frame.returns.append(self.arrive(Nothing()))
        return None

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.is_dead:
                return
            self._execute(statement)

    def _execute(self, node: ast.stmt) -> None:
        handler: Callable[[Any], None] | None = getattr(self, f"_do_{type(node).__name__.lower()}", None)
        outer, self.at = self.at, node
        try:
            if handler is None:
                raise Unlowerable(_UNFOLLOWED.get(type(node), "this is not followed"))
            handler(node)
        except Unlowerable as error:
            raise self.refusal(node, error.why) from None
        finally:
            self.at = outer

    # --- assignments ----------------------------------------------------------------------------------------------

    def _do_pass(self, node: ast.Pass) -> None:
        pass

    def _do_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.evaluate(node.value)

    def _do_assign(self, node: ast.Assign) -> None:
        item = self.evaluate(node.value)
        if len(node.targets) > 1 or not isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            item = self.kept_item(item)
        for target in node.targets:
            self._assign(target, item)

    def _do_annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.kept_item(self.evaluate(node.value)))

    def _do_augassign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):
            self._augment_part(target, node)
            return
        if isinstance(target, ast.Name):
            before: Item = self.evaluate(ast.copy_location(ast.Name(target.id, ast.Load()), target))
            place = None
        elif isinstance(target, ast.Attribute):
            place = self._place(target)
            before = place if isinstance(place, Vector) else self.settle(place)
        else:
            raise Unlowerable("items are not assigned")
        if isinstance(before, Vector):
            self._augment(before, node)
            return
        right = self.operand(self.evaluate(node.value), node.value)
        value = self.combine(node.op, self._as_number(before, target), right)
        if not isinstance(value, Number | Truth):
            if place is not None or not isinstance(target, ast.Name):
                raise Unlowerable("this is one number, and what is to be set is a vector")
            self.flow.bindings[target.id] = self.keep(value) if isinstance(value, Formula) else value
        elif place is not None and not isinstance(place, Vector):
            self.write(place, value)
        elif isinstance(target, ast.Name):
            self.flow.bindings[target.id] = value

    def bind(self, target: ast.expr, item: Item) -> None:
        """Give an item to a name, or its parts to several."""
        if not isinstance(target, ast.Name | ast.Tuple):
            raise Unlowerable("loops give their items to names")
        self._assign(target, item)

    def _augment(self, vector: Vector, node: ast.AugAssign) -> None:
        """`vector += value`, in place."""
        right = self.operand(self.evaluate(node.value), node.value)
        self.fill(vector, self.combine(node.op, self.operand(vector, node.target), right))

    def _augment_part(self, target: ast.Subscript, node: ast.AugAssign) -> None:
        vector = self._vector(target)
        if isinstance(target.slice, ast.Slice):
            self._augment(self._slice(vector, target.slice), node)
            return
        self._note_read(vector)
        self.set_item(vector, target.slice, lambda item: self.operate(node.op, item, self.number(node.value)))

    def _vector(self, target: ast.Subscript) -> Vector:
        base = self.evaluate(target.value)
        base = self.outside.as_vector(base) if isinstance(base, Table) and is_vector(base) else base
        if not isinstance(base, Vector):
            raise Unlowerable("of items only those of vectors can be assigned")
        return base

    def _assign_part(self, target: ast.Subscript, item: Item) -> None:
        vector = self._vector(target)
        if isinstance(target.slice, ast.Slice):
            self.fill(self._slice(vector, target.slice), self.operand(item, target))
            return
        value = self._as_number(item, target)
        self.set_item(vector, target.slice, lambda _: value)

    def _assign(self, target: ast.expr, item: Item) -> None:
        if isinstance(target, ast.Name):
            self.flow.bindings[target.id] = item
        elif isinstance(target, ast.Attribute):
            place = self._place(target)
            if isinstance(place, Vector):
                self.fill(place, self.operand(item, target))
            else:
                self.write(place, self._as_number(item, target))
        elif isinstance(target, ast.Subscript):
            self._assign_part(target, item)
        elif isinstance(target, ast.Tuple | ast.List):
            if not isinstance(item, Items) or len(item.items) != len(target.elts):
                raise Unlowerable(f"{len(target.elts)} names need as many values, written out")
            for part, value in zip(target.elts, item.items, strict=True):
                self._assign(part, value)
        else:
            raise Unlowerable("names, attributes and items of vectors can be assigned, and nothing else")

    def _place(self, target: ast.Attribute) -> Place | Vector:
        found = self.find(target)
        if not isinstance(found, Place | Vector):
            raise Unlowerable(
                f"{target.attr!r} stands in no slot: between events only states, rates, computed values and sums change"
            )
        return found

    # --- ways -----------------------------------------------------------------------------------------------------

    def _do_if(self, node: ast.If) -> None:
        def then() -> None:
            self._block(node.body)

        def otherwise() -> None:
            self._block(node.orelse)

        self.choose(self.truth(node.test), then, otherwise)

    def _do_while(self, node: ast.While) -> None:
        if node.orelse:
            raise Unlowerable("`else` of a loop is not followed")
        self.unbounded += 1
        # Behind a loop that is left by `return` alone there is nothing where it could go on.
        turns = self._count_turns() if not isinstance(node.test, ast.Constant) or _is_left(node.body) else ""

        def body(_: str) -> None:
            if turns:
                self._leave_after(turns)
            self._block(node.body)

        outer, self._turns = self._turns, turns
        try:
            self.iterate(_assigned(node.body), lambda _: self.truth(node.test), body)
        finally:
            self._turns = outer

    def _count_turns(self) -> str:
        """The memory for how often a loop that might never end is repeated; "" where Python is not to be asked.

        Loops within it count in the same; where Python will be asked anyway none is repeated.
        """
        builder = self.builder
        if self._turns or not builder.traps:
            return self._turns
        turns = builder.name()
        builder.room.append(Instruction("alloca", "i64", result=turns))
        builder.note_trap("false")
        builder.put("i64", builder.select(builder.has_trapped(), "i64", str(MOST_TURNS), "0"), turns)
        return turns

    def _leave_after(self, turns: str) -> None:
        """Leave a loop that goes on and on, and let Python do it anew, where it can be interrupted."""
        builder, start = self.builder, self.flow
        count = builder.get("i64", turns)
        builder.put("i64", builder.value("add", "i64", count, 1), turns)
        leave, stay = builder.block(), builder.block()
        builder.branch(builder.value("icmp uge", "i64", count, MOST_TURNS), leave, stay)
        builder.enter(leave)
        builder.note_trap("true")
        self.flow = start.copy()
        self.loops[-1].breaks.append(self.arrive())
        builder.enter(stay)
        self.flow = start

    def _do_for(self, node: ast.For) -> None:
        if node.orelse:
            raise Unlowerable("`else` of a loop is not followed")
        self.each(node.target, node.iter, lambda: self._block(node.body), _assigned(node.body))

    def _do_break(self, node: ast.Break) -> None:
        self.loops[-1].breaks.append(self.arrive())

    def _do_continue(self, node: ast.Continue) -> None:
        self.loops[-1].continues.append(self.arrive())

    def _do_return(self, node: ast.Return) -> None:
        value: Item = Nothing() if node.value is None else self.evaluate(node.value)
        value = self.kept_item(value)
        self.frame.returns.append(self.arrive(self._gated(value)))

    def _gated(self, value: Item) -> Item:
        """A literal truth that is answered on one way only changes with the condition of that way."""
        gate = self.flow.gate
        if not self.is_guided or not isinstance(value, Truth) or value.known is None or gate.slope is None:
            return value
        guided = gate if value.known else self.truths.opposite(gate)
        return replace(guided, text=value.text, known=None)


def _is_left(statements: list[ast.stmt]) -> bool:
    """Whether a `break` leaves the loop whose body some statements are."""
    inner = [node for node in statements if not isinstance(node, ast.While | ast.For)]
    parts = [part for node in inner for part in (getattr(node, "body", []), getattr(node, "orelse", []))]
    return any(isinstance(node, ast.Break) for node in inner) or any(_is_left(part) for part in parts)


def _assigned(statements: list[ast.stmt]) -> list[str]:
    """The names to which some statements give values."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
