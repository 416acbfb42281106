"""Rules for expressions: names, attributes, operators, comparisons, Boolean operators and conditional expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from eventide.continuous import Continuous
from eventide.continuous.components.reference import number_of
from eventide.lowering.names.paths import is_token
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.booleans import COMPARISONS
from eventide.lowering.translation.control_flow import choose
from eventide.lowering.translation.operators import combine, compare_items, signed
from eventide.lowering.translation.rules import lowers
from eventide.lowering.translation.slots import CLOCK
from eventide.lowering.translation.values import (
    Boolean,
    Builtin,
    Clock,
    Formula,
    Item,
    Items,
    Mapped,
    Module,
    Nothing,
    Number,
    ObjectList,
    Opaque,
    Ref,
    Slot,
    SuperRef,
    Table,
    Token,
    Vector,
    View,
    constant,
    describe,
    literal,
)
from eventide.lowering.translation.vectors import array_attribute, as_operand, is_vector, item_by, kept_item, part_of
from eventide.native.ir import real

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.names.found import Found
    from eventide.lowering.translation.context import Context


def evaluate_boolean(context: Context, node: ast.expr) -> Boolean:
    """Whether an expression holds."""
    if isinstance(node, ast.BoolOp):
        return _every(context, evaluate_boolean, node)
    return context.as_boolean(context.evaluate(node), node)


@lowers(ast.Constant)
def _constant(context: Context, node: ast.Constant) -> Item:
    if node.value is None:
        return Nothing()
    if isinstance(node.value, str):  # the very object that the code has, as modes are set to it
        known = (one for one in context.frame.function.function.__code__.co_consts if type(one) is str)
        return Opaque(next((one for one in known if one == node.value), node.value))
    return constant(node.value) if isinstance(node.value, int | float) else Opaque(node.value)


@lowers(ast.Name)
def _name(context: Context, node: ast.Name) -> Item:
    name = node.id
    if name in context.scope.bindings:
        return context.scope.bindings[name]
    frame = context.frame
    code = frame.function.function.__code__
    if name in code.co_varnames or name in code.co_cellvars:
        raise Unlowerable("it may have no value here: give it a number (or one and the same object) on every path")
    if name in code.co_freevars:
        closed = context.names.root if frame.is_entry else None
        return context.settle(closed(name) if closed else context.names.closed_over(frame.function, name))
    return context.settle(context.names.global_name(frame.function, name))


@lowers(ast.Attribute)
def _attribute(context: Context, node: ast.Attribute) -> Item:
    return context.settle(find_attribute(context, node))


def find_attribute(context: Context, node: ast.Attribute) -> Found:
    """What an attribute is, before it is read."""
    base = context.evaluate(node.value)
    if isinstance(base, Ref):
        return context.names.attribute(base, node.attr)
    if isinstance(base, View):
        return context.names.view(base, node.attr)
    if isinstance(base, Slot):
        return context.names.slot(base, node.attr)
    if isinstance(base, Module):
        return context.names.module_name(base.module, node.attr)
    if isinstance(base, Builtin) and isinstance(base.function, type):
        return context.names.class_attribute(base.function, node.attr)
    if isinstance(base, Vector | Formula) or (isinstance(base, Table) and base.array_size is not None):
        return array_attribute(context, base, node.attr)
    if isinstance(base, SuperRef):
        return context.names.above(base, node.attr)
    if isinstance(base, Clock):
        if node.attr not in CLOCK:
            raise Unlowerable(f"of the simulation only {', '.join(CLOCK)} are followed")
        return context.slots.tell(node.attr)
    raise Unlowerable(f"{describe(base)} has no attribute that can be followed")


@lowers(ast.Subscript)
def _subscript(context: Context, node: ast.Subscript) -> Item:
    base, key = context.evaluate(node.value), node.slice
    if isinstance(base, Ref) and isinstance(base.sample, Continuous) and isinstance(key, ast.Constant):
        if key.value in base.sample._layout.starts:
            raise Unlowerable("the variable behind a vector is not followed: name the vector itself")
        if key.value not in base.sample._layout.names:
            raise Unlowerable(f"{type(base.sample).__name__} has no variable {key.value!r}")
        return Slot(base, key.value)
    if isinstance(base, Mapped):
        return _look_up(context, base, context.evaluate(key))
    if isinstance(base, Vector | Formula) or (isinstance(base, Table) and isinstance(key, ast.Slice)):
        return part_of(context, base, key)
    if isinstance(base, Table):
        place = context.arithmetic.number(context.number(key))
        return item_by(place, context.slots.cell(base, context.arithmetic.counter(place)))
    index = context.number(key) if isinstance(base, ObjectList | Items) else None
    if isinstance(base, Items) and isinstance(index, Number) and index.kind == "int" and index.known is not None:
        if -len(base.items) <= index.known < len(base.items):
            return base.items[int(index.known)]
        raise Unlowerable(f"the tuple has {len(base.items)} items")
    if isinstance(base, ObjectList) and isinstance(index, Number) and index.kind == "int" and index.known is not None:
        return context.settle(context.names.one_item(base, int(index.known)))
    raise Unlowerable("items of a list of components are followed, in loops or by a number written out")


def _look_up(context: Context, mapped: Mapped, key: Item) -> Item:
    """An item of a dictionary: by a text, member or number that is written out, or by a mode, which chooses."""
    if isinstance(key, Number) and key.kind == "int" and key.known is not None:
        return _item_of(context, mapped, key.known)
    if isinstance(key, Opaque) and is_token(key.value):
        return _item_of(context, mapped, key.value)
    context.names.note_keys(mapped)
    known = [one for one in mapped.items if isinstance(key, Token) and type(one) is key.kind]
    if not isinstance(key, Token) or not known:
        raise Unlowerable("items of a dictionary are followed by texts and numbers that are written out, and by modes")
    found, chosen = literal(False), _item_of(context, mapped, known[-1])
    for one in known:
        is_it = _is_token(context, key, one)
        found = context.booleans.either(found, is_it)
        chosen = _one_of(context, is_it, _item_of(context, mapped, one), chosen)
    context.builder.note_trap(context.booleans.opposite(found).text)
    return chosen


def _one_of(context: Context, test: Boolean, one: Item, other: Item) -> Item:
    value = choose(context, test, lambda: one, lambda: other)
    if value is None:
        raise Unlowerable("the items are of different kinds")
    return value


def _item_of(context: Context, mapped: Mapped, key: object) -> Item:
    if mapped.path:
        return context.settle(context.names.item_of_key(mapped, key))
    if key not in mapped.items:
        raise Unlowerable(f"the dictionary has no {key!r}")
    item: Item = mapped.items[key]
    return item


@lowers(ast.Dict)
def _dictionary(context: Context, node: ast.Dict) -> Item:
    items: dict[object, Item] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        found = None if key is None else context.evaluate(key)
        if isinstance(found, Opaque) and is_token(found.value):
            items[found.value] = kept_item(context, context.evaluate(value))
        elif isinstance(found, Number) and found.kind == "int" and found.known is not None:
            items[found.known] = kept_item(context, context.evaluate(value))
        else:
            raise Unlowerable("dictionaries are followed whose keys are texts, members and whole numbers")
    return Mapped((), items)


@lowers(ast.Tuple)
def _tuple(context: Context, node: ast.Tuple) -> Item:
    return Items(tuple(context.evaluate(item) for item in node.elts))


@lowers(ast.UnaryOp)
def _unary_operation(context: Context, node: ast.UnaryOp) -> Item:
    if isinstance(node.op, ast.Not):
        return context.booleans.opposite(evaluate_boolean(context, node.operand))
    if isinstance(node.op, ast.Invert):
        raise Unlowerable("only the operators + - * / // % ** can be compiled, and & | ^ of Booleans")
    item = as_operand(context, context.evaluate(node.operand), node.operand)
    return signed(context, item, is_negative=isinstance(node.op, ast.USub))


@lowers(ast.BoolOp)
def _boolean_operation(context: Context, node: ast.BoolOp) -> Item:
    return _every(context, _only_boolean, node)


def _only_boolean(context: Context, node: ast.expr) -> Boolean:
    item = context.evaluate(node)
    if isinstance(item, Boolean):
        return item
    raise context.refusal(
        node, "`and`/`or` of non-Booleans returns an operand, which cannot be compiled: write `a if b else c`"
    )


def _every(
    context: Context, judge: Callable[[Context, ast.expr], Boolean], node: ast.BoolOp, index: int = 0
) -> Boolean:
    """The operands from one on, joined; each is judged where Python evaluates it."""
    truth = judge(context, node.values[index])
    if index + 1 == len(node.values):
        return truth
    return _and_then(
        context, truth, lambda: _every(context, judge, node, index + 1), is_and=isinstance(node.op, ast.And)
    )


def _and_then(context: Context, one: Boolean, operand: Callable[[], Boolean], *, is_and: bool) -> Boolean:
    """`one and operand()`, or `or`; a law evaluates the operand only where Python does."""
    if one.known is not None and one.known != is_and:
        return one
    join = context.booleans.both if is_and else context.booleans.either
    if context.is_guided:
        # For its guide a condition evaluates both, unless the other might never end where it is not asked for.
        mark, flow, unbounded = context.builder.mark(), context.scope.copy(), context.unbounded
        with context.builder.where(one.text, is_and):
            other = operand()
        if context.unbounded == unbounded:
            return join(one, other)
        context.builder.return_to(mark)
        context.scope = flow

    def rest() -> Boolean:
        return join(one, operand()) if context.is_guided else operand()

    def decided() -> Boolean:
        return one

    value = choose(context, one, *((rest, decided) if is_and else (decided, rest)))
    assert isinstance(value, Boolean)
    return value


@lowers(ast.Compare)
def _comparison(context: Context, node: ast.Compare) -> Item:
    left = context.evaluate(node.left)
    if len(node.ops) > 1:
        return _chain(context, node, left, 0)
    last, name = node.comparators[0], type(node.ops[0]).__name__
    if name in ("In", "NotIn") and isinstance(last, ast.List | ast.Set):
        last = ast.copy_location(ast.Tuple(last.elts, ast.Load()), last)
    right = context.evaluate(last)
    if name in COMPARISONS and (is_vector(left) or is_vector(right)):
        return compare_items(context, name, as_operand(context, left, node.left), as_operand(context, right, last))
    return _compare_pair(context, node, 0, left, right)


def _chain(context: Context, node: ast.Compare, left: Item, index: int) -> Boolean:
    """The comparisons from one on; each operand is evaluated once, and where Python does."""
    right = context.evaluate(node.comparators[index])
    truth = _compare_pair(context, node, index, left, right)
    if index + 1 == len(node.ops):
        return truth
    return _and_then(context, truth, lambda: _chain(context, node, right, index + 1), is_and=True)


def _compare_pair(context: Context, node: ast.Compare, index: int, left: Item, right: Item) -> Boolean:
    """One comparison of a chain."""
    if isinstance(left, Token) or isinstance(right, Token):
        return _compare_tokens(context, node.ops[index], left, right)
    name, last = type(node.ops[index]).__name__, node.comparators[index]
    first = node.comparators[index - 1] if index else node.left
    if name in ("Is", "IsNot", "Eq", "NotEq") and (isinstance(left, Nothing) or isinstance(right, Nothing)):
        is_same = isinstance(left, Nothing) and isinstance(right, Nothing)
        return literal(is_same == (name in ("Is", "Eq")))
    if name not in COMPARISONS:
        raise Unlowerable("of the comparisons < <= > >= == != are followed, and `is None`")
    one, other = context.as_number(left, first), context.as_number(right, last)
    if name in ("Eq", "NotEq") and ast.dump(first) != ast.dump(last):
        context.dialect.note_equality(context, node, context.arithmetic.number(one), context.arithmetic.number(other))
    return context.booleans.compare(name, one, other)


def _compare_tokens(context: Context, operator: ast.cmpop, left: Item, right: Item) -> Boolean:
    """A text or a member of an enumeration, compared with what is written out, or with several."""
    token, other = (left, right) if isinstance(left, Token) else (right, left)
    assert isinstance(token, Token)
    is_several = isinstance(operator, ast.In | ast.NotIn)
    others = other.items if isinstance(other, Items) and is_several and token is left else (other,)
    values = [None if isinstance(one, Nothing) else one.value for one in others if isinstance(one, Opaque | Nothing)]
    if len(values) < len(others) or is_several != isinstance(other, Items) or not all(map(_is_comparable, values)):
        raise Unlowerable(f"{describe(token)} is compared with what is written out, by == or !=, or in a tuple of such")
    is_same = isinstance(operator, ast.Is | ast.IsNot)
    if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE) or (is_same and token.kind is str):
        raise Unlowerable("texts are compared by == and !=")
    is_opposite = isinstance(operator, ast.NotEq | ast.IsNot | ast.NotIn)
    found = literal(False)
    for value in values:
        found = context.booleans.either(found, _is_token(context, token, value))
    return context.booleans.opposite(found) if is_opposite else found


def _is_token(context: Context, token: Token, value: object) -> Boolean:
    """Whether a token is the one that is written out."""
    if not token.number:
        return literal(context.names.equals(token, value))
    if type(value) is not token.kind:
        return literal(False)
    return Boolean(context.builder.value("fcmp oeq", "double", token.number, real(number_of(value))))


def _is_comparable(value: object) -> bool:
    return value is None or is_token(value)


@lowers(ast.IfExp)
def _conditional(context: Context, node: ast.IfExp) -> Item:
    test = evaluate_boolean(context, node.test)
    value = choose(context, test, lambda: context.evaluate(node.body), lambda: context.evaluate(node.orelse))
    if value is None:
        raise Unlowerable("the two values are of different kinds")
    return value


@lowers(ast.BinOp)
def _binary_operation(context: Context, node: ast.BinOp) -> Item:
    if isinstance(node.op, ast.MatMult):
        raise Unlowerable("products of matrices sum in an order of their own: write (a * b).sum(), or a loop")
    left, right = (as_operand(context, context.evaluate(one), one) for one in (node.left, node.right))
    return combine(context, node.op, left, right)
