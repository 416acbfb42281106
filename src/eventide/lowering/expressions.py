"""Expressions of Python as instructions, and the calls of functions, which are followed where they stand."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from eventide.continuous import Continuous
from eventide.lowering.arithmetic import OPERATIONS
from eventide.lowering.booleans import COMPARISONS
from eventide.lowering.control_flow import Ways
from eventide.lowering.name_resolution import Const, Found, Getter, Outside, Place, Told
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.slots import CLOCK, Slots
from eventide.lowering.values import (
    COUNTABLE,
    Above,
    Builtin,
    Clock,
    Elements,
    Formula,
    Function,
    Item,
    Items,
    Module,
    Nothing,
    Number,
    Ref,
    Slot,
    Stranger,
    Table,
    Target,
    Truth,
    Vector,
    VectorMethod,
    View,
    constant,
)

WORDS: Final[dict[type, str]] = {
    Nothing: "None",
    Items: "a tuple",
    Ref: "an object",
    View: "all rates or last states",
    Slot: "a Variable",
    Clock: "the simulation",
    Elements: "a list",
    Table: "a list of numbers",
    Target: "a list",
    Vector: "a vector",
    Formula: "a vector",
    VectorMethod: "a method of an array",
    Function: "a function",
    Builtin: "a function",
    Module: "a module",
    Above: "super()",
}


class Expressions(Ways):
    """Writes the instructions of expressions."""

    def __init__(self, outside: Outside, *, is_guided: bool, exact_pow: bool) -> None:
        super().__init__(is_guided=is_guided, exact_pow=exact_pow)
        self.outside = outside
        self.slots = Slots(self.builder, is_guided=is_guided)

    # --- any expression -------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Item:
        """What an expression stands for.

        Raises CannotLower, naming the innermost expression that cannot be followed.
        """
        handler: Callable[[Any], Item] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            if handler is None:
                raise Unlowerable(_UNFOLLOWED.get(type(node), "this is not followed"))
            return handler(node)
        except Unlowerable as error:
            raise self.refusal(node, error.why) from None

    def refusal(self, node: ast.AST, why: str) -> CannotLower:
        """The error that names a piece of the function that is being followed."""
        return self.frame.definition.refusal(node, why)

    def number(self, node: ast.expr) -> Number | Truth:
        """The number or truth that an expression gives."""
        return self._as_number(self.evaluate(node), node)

    def _as_number(self, item: Item, node: ast.expr) -> Number | Truth:
        if isinstance(item, Number | Truth):
            return item
        raise self.refusal(node, f"{describe(item)} is no number")

    def truth(self, node: ast.expr) -> Truth:
        """Whether an expression holds."""
        if isinstance(node, ast.BoolOp):
            return self._every(self.truth, node)
        return self._truth_of(self.evaluate(node), node)

    def _truth_of(self, item: Item, node: ast.expr) -> Truth:
        if isinstance(item, Number | Truth):
            return self.truths.of(item)
        if isinstance(item, Elements | Table):
            return self.truths.of(self._length(item))
        known = isinstance(item, Ref) and not hasattr(item.sample, "__len__") and not hasattr(item.sample, "__bool__")
        if known or isinstance(item, Nothing):
            return literal(known)
        raise self.refusal(node, f"{describe(item)} is neither true nor false here")

    # --- names and attributes -------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Item:
        if node.value is None:
            return Nothing()
        return constant(node.value) if isinstance(node.value, int | float) else Stranger(node.value)

    def _name(self, node: ast.Name) -> Item:
        name = node.id
        if name in self.flow.bindings:
            return self.flow.bindings[name]
        frame = self.frame
        code = frame.function.function.__code__
        if name in code.co_varnames or name in code.co_cellvars:
            raise Unlowerable("it may have no value here: give it a number (or one and the same object) on every way")
        if name in code.co_freevars:
            closed = self.outside.root if frame.is_entry else None
            return self.settle(closed(name) if closed else self.outside.closed_over(frame.function, name))
        return self.settle(self.outside.global_name(frame.function.function, name))

    def _attribute(self, node: ast.Attribute) -> Item:
        return self.settle(self.find(node))

    def find(self, node: ast.Attribute) -> Found:
        """What an attribute is, before it is read."""
        base = self.evaluate(node.value)
        if isinstance(base, Ref):
            return self.outside.attribute(base, node.attr)
        if isinstance(base, View):
            return self.outside.view(base, node.attr)
        if isinstance(base, Slot):
            return self.outside.slot(base, node.attr)
        if isinstance(base, Module):
            return self.outside.module_name(base.module, node.attr)
        if isinstance(base, Builtin) and isinstance(base.function, type):
            return self.outside.class_attribute(base.function, node.attr)
        if isinstance(base, Vector | Formula) or (isinstance(base, Table) and base.array_size is not None):
            return self.member(base, node.attr)
        if isinstance(base, Above):
            return self.outside.above(base, node.attr)
        if isinstance(base, Clock):
            if node.attr not in CLOCK:
                raise Unlowerable(f"of the simulation only {', '.join(CLOCK)} are followed")
            return self.slots.tell(node.attr)
        raise Unlowerable(f"{describe(base)} has no attribute that can be followed")

    def settle(self, found: Found) -> Item:
        """Read what has been found."""
        if isinstance(found, Place):
            return self.slots.read(found, self.flow.written)
        if isinstance(found, Const):
            return self.slots.const(found)
        if isinstance(found, Told):
            return self.slots.told(found)
        if isinstance(found, Getter):
            return self.follow(found.function, [], {})
        return found

    def _subscript(self, node: ast.Subscript) -> Item:
        base, key = self.evaluate(node.value), node.slice
        if isinstance(base, Ref) and isinstance(base.sample, Continuous) and isinstance(key, ast.Constant):
            if key.value in base.sample._layout.starts:
                raise Unlowerable("the variable behind a vector is not followed: name the vector itself")
            if key.value not in base.sample._layout.names:
                raise Unlowerable(f"{type(base.sample).__name__} has no variable {key.value!r}")
            return Slot(base, key.value)
        if isinstance(base, Vector | Formula) or (isinstance(base, Table) and isinstance(key, ast.Slice)):
            return self.part(base, key)
        if isinstance(base, Table):
            return self.slots.cell(base, self.arithmetic.counter(self.number(key)))
        index = self.number(key) if isinstance(base, Elements | Items) else None
        if isinstance(base, Items) and isinstance(index, Number) and index.kind == "int" and index.known is not None:
            if -len(base.items) <= index.known < len(base.items):
                return base.items[int(index.known)]
            raise Unlowerable(f"the tuple has {len(base.items)} items")
        if isinstance(base, Elements) and isinstance(index, Number) and index.kind == "int" and index.known is not None:
            return self.settle(self.outside.one_item(base, int(index.known)))
        raise Unlowerable("items of a list of components are followed, in loops or by a number written out")

    def _tuple(self, node: ast.Tuple) -> Item:
        return Items(tuple(self.evaluate(item) for item in node.elts))

    def part(self, vector: Vector | Formula | Table, key: ast.expr) -> Item:
        """An item or a slice of a vector."""
        raise NotImplementedError

    def member(self, vector: Vector | Formula | Table, name: str) -> Item:
        """An attribute of an array."""
        raise NotImplementedError

    def _length(self, item: Elements | Table | Vector | Formula) -> Number:
        if isinstance(item, Vector | Formula):
            return Number(str(item.count), "int", known=item.count)
        if isinstance(item, Table):
            return self.slots.size(item)
        return Number(self.slots.count(self.outside.all_items(item)), "int", span=(0, COUNTABLE[1]))

    def follow(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call of a function gives: its body is written where it is called."""
        raise NotImplementedError

    # --- operators ------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Item:
        return self.operate(node.op, self.number(node.left), self.number(node.right))

    def operate(self, operator: ast.operator, left: Number | Truth, right: Number | Truth) -> Number | Truth:
        """`left <operator> right`."""
        name = type(operator).__name__
        are_truths = isinstance(left, Truth) and isinstance(right, Truth) and (left.is_numpy or right.is_numpy)
        if are_truths and name in ("Add", "Sub", "Mult"):
            raise Unlowerable("numpy does not add up its truths as numbers: write `1.0 if ... else 0.0`")
        if name in OPERATIONS:
            return self.arithmetic.binary(name, left, right)
        if name in ("BitAnd", "BitOr") and isinstance(left, Truth) and isinstance(right, Truth):
            return self.truths.both(left, right) if name == "BitAnd" else self.truths.either(left, right)
        raise Unlowerable("of the operators + - * / // % ** are followed, and & | between truths")

    def _unaryop(self, node: ast.UnaryOp) -> Item:
        if isinstance(node.op, ast.Not):
            return self.truths.opposite(self.truth(node.operand))
        if isinstance(node.op, ast.Invert):
            raise Unlowerable("of the operators + - * / // % ** are followed, and & | between truths")
        operand = self.number(node.operand)
        return self.arithmetic.negative(operand) if isinstance(node.op, ast.USub) else self.arithmetic.number(operand)

    def _boolop(self, node: ast.BoolOp) -> Item:
        return self._every(self._only_truth, node)

    def _only_truth(self, node: ast.expr) -> Truth:
        item = self.evaluate(node)
        if isinstance(item, Truth):
            return item
        raise self.refusal(
            node, "`and` and `or` between other things than truths give one of them: write `a if b else c`"
        )

    def _every(self, judge: Callable[[ast.expr], Truth], node: ast.BoolOp, index: int = 0) -> Truth:
        """The operands from one on, joined; each is judged where Python evaluates it."""
        truth = judge(node.values[index])
        if index + 1 == len(node.values):
            return truth
        return self._and_then(truth, lambda: self._every(judge, node, index + 1), is_and=isinstance(node.op, ast.And))

    def _and_then(self, one: Truth, operand: Callable[[], Truth], *, is_and: bool) -> Truth:
        """`one and operand()`, or `or`; a law evaluates the operand only where Python does."""
        if one.known is not None and one.known != is_and:
            return one
        join = self.truths.both if is_and else self.truths.either
        if self.is_guided:
            # For its guide a condition evaluates both, unless the other might never end where it is not asked for.
            mark, flow, unbounded = self.builder.mark(), self.flow.copy(), self.unbounded
            with self.builder.where(one.text, is_and):
                other = operand()
            if self.unbounded == unbounded:
                return join(one, other)
            self.builder.return_to(mark)
            self.flow = flow

        def rest() -> Truth:
            return join(one, operand()) if self.is_guided else operand()

        def decided() -> Truth:
            return one

        value = self.choose(one, *((rest, decided) if is_and else (decided, rest)))
        assert isinstance(value, Truth)
        return value

    def _compare(self, node: ast.Compare) -> Item:
        return self._chain(node, self.evaluate(node.left), 0)

    def _chain(self, node: ast.Compare, left: Item, index: int) -> Truth:
        """The comparisons from one on; each operand is evaluated once, and where Python does."""
        right = self.evaluate(node.comparators[index])
        truth = self._compare_pair(node, index, left, right)
        if index + 1 == len(node.ops):
            return truth
        return self._and_then(truth, lambda: self._chain(node, right, index + 1), is_and=True)

    def _compare_pair(self, node: ast.Compare, index: int, left: Item, right: Item) -> Truth:
        """One comparison of a chain."""
        name, last = type(node.ops[index]).__name__, node.comparators[index]
        first = node.comparators[index - 1] if index else node.left
        if name in ("Is", "IsNot", "Eq", "NotEq") and (isinstance(left, Nothing) or isinstance(right, Nothing)):
            is_same = isinstance(left, Nothing) and isinstance(right, Nothing)
            return literal(is_same == (name in ("Is", "Eq")))
        if name not in COMPARISONS:
            raise Unlowerable("of the comparisons < <= > >= == != are followed, and `is None`")
        one, other = self._as_number(left, first), self._as_number(right, last)
        if name in ("Eq", "NotEq") and ast.dump(first) != ast.dump(last):
            self.note_equality(node, self.arithmetic.number(one), self.arithmetic.number(other))
        return self.truths.compare(name, one, other)

    def note_equality(self, node: ast.Compare, one: Number, other: Number) -> None:
        """Two numbers, not of the same text, are compared by == or !=."""

    def _ifexp(self, node: ast.IfExp) -> Item:
        value = self.choose(self.truth(node.test), lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse))
        if value is None:
            raise Unlowerable("the two values are of different kinds")
        return value


_UNFOLLOWED: Final[dict[type[ast.expr], str]] = {
    ast.Lambda: "functions made here are not followed: define it outside",
    ast.NamedExpr: "`:=` is not followed: write an assignment of its own",
    ast.JoinedStr: "texts are not followed",
    ast.List: "lists made here are not followed",
    ast.Dict: "dictionaries are not followed",
    ast.Set: "sets are not followed",
    ast.ListComp: "such expressions are followed inside sum, any, all, min and max only",
    ast.GeneratorExp: "such expressions are followed inside sum, any, all, min and max only",
    ast.SetComp: "sets are not followed",
    ast.DictComp: "dictionaries are not followed",
    ast.Yield: "what holds between events does not wait",
    ast.YieldFrom: "what holds between events does not wait",
    ast.Await: "what holds between events does not wait",
    ast.Starred: "`*` is not followed",
}


def literal(value: bool) -> Truth:
    """A truth that is known beforehand."""
    return Truth("true" if value else "false", known=value)


def describe(item: Item) -> str:
    """What an item is, in words."""
    if isinstance(item, Stranger):
        return item.value if isinstance(item.value, str) else f"{item.value!r}"
    if isinstance(item, Ref):
        return f"a {type(item.sample).__name__}"
    if isinstance(item, Builtin):
        return f"{getattr(item.function, '__name__', item.function)}"
    return WORDS.get(type(item), "a number")
