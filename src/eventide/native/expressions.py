"""Expressions of the stepper's source as LLVM instructions; `a.flow.key[f]` becomes an address and a load."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from inspect import isfunction
from typing import TYPE_CHECKING, Final, TypeGuard

from eventide.native.outside import LIBRARY
from eventide.native.values import KINDS, Kind, Untranslatable, Value, convert, joined, literal

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from eventide.engine.records import Column, Record
    from eventide.native.ir import Builder
    from eventide.native.memory import Memory

_ARITHMETIC: Final[dict[type, tuple[str, str]]] = {
    ast.Add: ("add nsw", "fadd"),
    ast.Sub: ("sub nsw", "fsub"),
    ast.Mult: ("mul nsw", "fmul"),
}
_BITWISE: Final[dict[type, str]] = {ast.BitAnd: "and", ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr"}
_SHIFTS: Final = {str(2**bits): bits for bits in (1, 2, 32)}
"""Whole numbers by which others may be divided, and by how many bits that shifts them."""
_COMPARISONS: Final[dict[type, tuple[str, str]]] = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


def is_of_run(node: ast.expr) -> TypeGuard[ast.Attribute]:
    """Whether an expression is a field of `a.run`."""
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "a.run"


def column_of(node: ast.expr, records: Mapping[str, type[Record]]) -> tuple[str, Column] | None:
    """The record and the column that `a.flow.key` means; None if it means no column. Raises Untranslatable."""
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)):
        return None
    whose, record = node.value.value, records.get(node.value.attr)
    if record is None or not (isinstance(whose, ast.Name) and whose.id == "a"):
        return None
    if node.attr not in record.columns:
        raise Untranslatable(f"{ast.unparse(node)} is no column")
    return node.value.attr, record.columns[node.attr]


def signature(function: FunctionType) -> tuple[list[Kind], Kind]:
    """The kinds of a function's arguments and of its result, from its annotations."""
    notes = dict(function.__annotations__)
    answer = KINDS[str(notes.pop("return"))]
    return [KINDS[str(note)] for note in notes.values()], answer


class Expressions:
    """The expressions of one function.

    local       the address of each local variable, and its kind
    called      functions of the source that are called, by name
    """

    def __init__(
        self,
        builder: Builder,
        memory: Memory,
        names: dict[str, object],
        instructions: dict[str, Callable[..., Value]],
        own: Mapping[str, int] | None = None,
    ) -> None:
        self.builder = builder
        self.memory = memory
        self.names = names
        self.instructions = instructions
        self.own = own or {}
        self.local: dict[str, tuple[str, Kind]] = {}
        self.aliases: dict[str, str] = {}
        self.called: dict[str, FunctionType] = {}

    def value(self, node: ast.expr) -> Value:
        """What an expression gives."""
        visit: Callable[[ast.expr], Value] | None = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if visit is None:
            raise Untranslatable(f"{ast.unparse(node)} is no expression of the stepper's language")
        return visit(node)

    def number(self, node: ast.expr, kind: Kind) -> Value:
        """What an expression gives, as a certain kind."""
        return convert(self.builder, self.value(node), kind)

    def truth(self, node: ast.expr) -> str:
        """Whether an expression holds."""
        return self.number(node, "i1").text

    # --- leaves ---------------------------------------------------------------------------------------------------

    def _on_constant(self, node: ast.Constant) -> Value:
        if not isinstance(node.value, int | float):
            raise Untranslatable(f"{node.value!r} is no number")
        return literal(node.value)

    def _on_name(self, node: ast.Name) -> Value:
        if node.id in self.local:
            slot, kind = self.local[node.id]
            return Value(self.builder.get(kind, slot), kind)
        known = self.names.get(node.id)
        if not isinstance(known, int | float):
            raise Untranslatable(f"{node.id} is neither a variable nor a number")
        return literal(known)

    def array(self, node: ast.expr) -> str | None:
        """The name of the array that an expression means: `a.rows`, `a.method.sizes`, or another name for one."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if not isinstance(node, ast.Attribute):
            return None
        whose = node.value
        inner = isinstance(whose, ast.Attribute) and whose.attr == "method"
        return node.attr if inner or (isinstance(whose, ast.Name) and whose.id == "a") else None

    def _on_attribute(self, node: ast.Attribute) -> Value:
        """`a.rows` by itself: its address; `a.rows.width`: how many columns it has."""
        if node.attr == "width":
            name = self.array(node.value)
            if name is not None:
                return self.memory.width(name)
        if is_of_run(node):
            kind, address = self.memory.field(node.attr)
            return Value(self.builder.get(kind, address), kind)
        name = self.array(node)
        if name is None:
            raise Untranslatable(f"{ast.unparse(node)} is no array")
        return Value(self.memory.base(name), "ptr")

    def place(self, node: ast.Subscript) -> tuple[str, str]:
        """Array and flat index of an item."""
        if (found := column_of(node.value, self.memory.layout.records)) is not None:
            return self._place_in_record(node, *found)
        name = self.array(node.value)
        if name is None:
            raise Untranslatable(f"{ast.unparse(node)} is no item of an array")
        if not isinstance(node.slice, ast.Tuple):
            return name, self.number(node.slice, "i64").text
        row, column = (self.number(item, "i64").text for item in node.slice.elts)
        start = self.builder.value("mul nsw", "i64", row, self.memory.width(name).text)
        return name, self.builder.value("add nsw", "i64", start, column)

    def _place_in_record(self, node: ast.Subscript, record: str, column: Column) -> tuple[str, str]:
        """`a.flow.key[f]`, and `a.guard.still[c, k]` where a name is a block of several columns."""
        name = f"{record}.{column.kind}"
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(items) != (1 if column.width is None else 2):
            raise Untranslatable(f"{ast.unparse(node)} has {len(items)} indices")
        row, *within = (self.number(item, "i64").text for item in items)
        start = self.builder.value("mul nsw", "i64", row, self.memory.width(name).text)
        place = self.builder.value("add nsw", "i64", start, column.first)
        for offset in within:
            if offset.lstrip("-").isdigit() and not 0 <= int(offset) < (column.width or 0):
                raise Untranslatable(f"{ast.unparse(node)} is beyond the {column.width} columns of that name")
            place = self.builder.value("add nsw", "i64", place, offset)
        return name, place

    def _on_subscript(self, node: ast.Subscript) -> Value:
        return self.memory.load(*self.place(node))

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def _on_unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(self.builder.value("xor", "i1", self.truth(node.operand), "true"), "i1")
        operand = self.value(node.operand)
        if not isinstance(node.op, ast.USub) or operand.kind not in ("i64", "double"):
            raise Untranslatable(ast.unparse(node))
        if operand.kind == "double":
            return Value(self.builder.value("fneg", "double", operand.text), "double")
        return Value(self.builder.value("sub nsw", "i64", 0, operand.text), "i64")

    def _on_binop(self, node: ast.BinOp) -> Value:
        return self.compute(node.op, self.value(node.left), self.value(node.right))

    def compute(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """One operation of arithmetic."""
        if isinstance(operator, ast.Div | ast.Pow):
            one, other = (convert(self.builder, operand, "double").text for operand in (left, right))
            if isinstance(operator, ast.Pow):
                return Value(self.builder.library("pow", one, other), "double")
            return Value(self.builder.value("fdiv", "double", one, other), "double")
        kind = joined(left.kind, right.kind)
        one, other = (convert(self.builder, operand, kind).text for operand in (left, right))
        if isinstance(operator, ast.FloorDiv) and kind == "i64" and other in _SHIFTS:
            return Value(self.builder.value("ashr", "i64", one, _SHIFTS[other]), "i64")
        if type(operator) in _BITWISE and kind == "i64":
            return Value(self.builder.value(_BITWISE[type(operator)], "i64", one, other), "i64")
        if type(operator) not in _ARITHMETIC:
            raise Untranslatable(f"{type(operator).__name__} of {left.kind} and {right.kind}")
        whole, floating = _ARITHMETIC[type(operator)]
        return Value(self.builder.value(whole if kind == "i64" else floating, kind, one, other), kind)

    # --- Booleans -------------------------------------------------------------------------------------------------

    def compare(self, operator: ast.cmpop, left: Value, right: Value) -> str:
        """One comparison."""
        if type(operator) not in _COMPARISONS:
            raise Untranslatable(f"{type(operator).__name__} of {left.kind} and {right.kind}")
        kind = joined(left.kind, right.kind)
        one, other = (convert(self.builder, operand, kind).text for operand in (left, right))
        whole, floating = _COMPARISONS[type(operator)]
        test = f"fcmp {floating}" if kind == "double" else f"icmp {whole}"
        return self.builder.value(test, kind, one, other)

    def _is_one_of(self, operator: ast.In | ast.NotIn, left: Value, items: list[ast.expr]) -> Value:
        """Whether a whole number is one of several; of others Python would look for the same object first."""
        found = "false"
        for item in items:
            other = self.value(item)
            if (left.kind, other.kind) != ("i64", "i64"):
                raise Untranslatable(f"{ast.unparse(item)} among others: `in` looks for whole numbers only")
            found = self.builder.value("or", "i1", found, self.compare(ast.Eq(), left, other))
        return Value(found if isinstance(operator, ast.In) else self.builder.value("xor", "i1", found, "true"), "i1")

    def _on_compare(self, node: ast.Compare) -> Value:
        if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(node.comparators[0], ast.Tuple):
            return self._is_one_of(node.ops[0], self.value(node.left), node.comparators[0].elts)
        values = [self.value(operand) for operand in (node.left, *node.comparators)]
        result = ""
        for operator, left, right in zip(node.ops, values, values[1:], strict=False):
            test = self.compare(operator, left, right)
            result = self.builder.value("and", "i1", result, test) if result else test
        return Value(result, "i1")

    def _on_boolop(self, node: ast.BoolOp) -> Value:
        builder, is_and = self.builder, isinstance(node.op, ast.And)
        done, incoming = builder.block(), []
        for operand in node.values[:-1]:
            test, following = self.truth(operand), builder.block()
            assert builder.current is not None
            incoming.append(("false" if is_and else "true", builder.current))
            builder.branch(test, *((following, done) if is_and else (done, following)))
            builder.enter(following)
        last = self.truth(node.values[-1])
        assert builder.current is not None
        incoming.append((last, builder.current))
        builder.jump(done)
        builder.enter(done)
        return Value(builder.merge(done, "i1", incoming), "i1")

    def _on_ifexp(self, node: ast.IfExp) -> Value:
        builder = self.builder
        then, otherwise, done = builder.block(), builder.block(), builder.block()
        builder.branch(self.truth(node.test), then, otherwise)
        sides = []
        for block, side in ((then, node.body), (otherwise, node.orelse)):
            builder.enter(block)
            value = self.value(side)
            assert builder.current is not None
            sides.append((value, builder.current))
        kind, incoming = joined(sides[0][0].kind, sides[1][0].kind), []
        for value, block in sides:
            builder.resume(block)
            incoming.append((convert(builder, value, kind).text, block))
            builder.jump(done)
        builder.enter(done)
        return Value(builder.merge(done, kind, incoming), kind)

    # --- calls ----------------------------------------------------------------------------------------------------

    def _on_call(self, node: ast.Call) -> Value:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise Untranslatable(f"{ast.unparse(node)} is no call of the stepper's language")
        name = node.func.id
        if name in ("min", "max"):
            return self._extreme(name, node)
        if name in ("int", "float", "bool"):
            return self.number(node.args[0], KINDS[name])
        if name == "abs":
            return Value(self.builder.intrinsic("fabs", self.number(node.args[0], "double").text), "double")
        if name == "sqrt" and self.names.get(name) is math.sqrt:
            return Value(self.builder.intrinsic("sqrt", self.number(node.args[0], "double").text), "double")
        if name == "fmod" and self.names.get(name) is math.fmod:
            x, y = (self.number(item, "double").text for item in node.args)
            return Value(self.builder.library("fmod", x, y), "double")
        if name in LIBRARY and self.names.get(name) is getattr(math, name):
            return Value(self.builder.library(name, self.number(node.args[0], "double").text), "double")
        return self._call_function(name, node)

    def _extreme(self, name: str, node: ast.Call) -> Value:
        best = self.value(node.args[0])
        for argument in node.args[1:]:
            other = self.value(argument)
            kind = joined(best.kind, other.kind)
            best, other = convert(self.builder, best, kind), convert(self.builder, other, kind)
            test = self.compare(ast.Lt() if name == "min" else ast.Gt(), other, best)
            best = Value(self.builder.select(test, kind, other.text, best.text), kind)
        return best

    def _call_function(self, name: str, node: ast.Call) -> Value:
        if name in self.instructions:
            return self.instructions[name](self, node.args)
        function = self.names.get(name)
        if not isfunction(function):
            raise Untranslatable(f"{name} is no function of the stepper")
        place = self.own.get(name)
        if place is None:
            self.called[name] = function
            target = f"@{name}"
        else:
            address = self.memory.load("kernels", str(place)).text
            target = self.builder.convert("inttoptr", "i64", address, "ptr")
        kinds, answer = signature(function)
        given = [
            (kind, "%a" if kind == "ptr" else self.number(argument, kind).text)
            for argument, kind in zip(node.args, kinds, strict=True)
        ]
        return Value(self.builder.call(answer, target, *given), answer)
