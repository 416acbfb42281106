"""Expressions of Python as instructions, and the calls of functions, which are followed where they stand."""

from __future__ import annotations

import ast
import builtins
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import Any, Final

from eventide.compiled.arithmetic import OPERATIONS
from eventide.compiled.flow import GATE, OPEN, Flow
from eventide.compiled.ir import NAN
from eventide.compiled.outside import Const, Found, Getter, Outside, Place, Told
from eventide.compiled.refusal import CannotLower, Unlowerable
from eventide.compiled.slots import CLOCK, Slots
from eventide.compiled.truths import COMPARISONS
from eventide.compiled.values import (
    Above,
    Builtin,
    Clock,
    Elements,
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
    Truth,
    View,
    constant,
)
from eventide.compiled.ways import Frame, Ways
from eventide.continuous import Continuous, Variable

LONGEST: Final = 30_000
"""How many values a kernel may have: helpers are followed at each call, so calls in calls in calls may grow beyond."""

WORDS: Final[dict[type, str]] = {
    Nothing: "None",
    Items: "a tuple",
    Ref: "an object",
    View: "all rates or last states",
    Slot: "a Variable",
    Clock: "the simulation",
    Elements: "a list",
    Table: "a list of numbers",
    Function: "a function",
    Builtin: "a function",
    Module: "a module",
    Above: "super()",
}
REDUCTIONS: Final = (sum, any, all, min, max)
ACCUMULATED: Final = "+result"
"""Where bindings keep what a reduction has gathered; no name of the user's looks like that."""
SEEN: Final = "+seen"
LOW: Final = "+low"
HIGH: Final = "+high"


class Expressions(Ways):
    """Writes the instructions of expressions."""

    def __init__(self, outside: Outside, *, is_guided: bool, exact_pow: bool, lanes: int | None = None) -> None:
        super().__init__(is_guided=is_guided, exact_pow=exact_pow)
        self.outside = outside
        self.slots = Slots(self.builder, is_guided=is_guided, lanes=lanes)

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
        raise self.refusal(node, f"{_describe(item)} is no number")

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
            return _literal(known)
        raise self.refusal(node, f"{_describe(item)} is neither true nor false here")

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
        if isinstance(base, Above):
            return _above(base, node.attr)
        if isinstance(base, Clock):
            if node.attr not in CLOCK:
                raise Unlowerable(f"of the simulation only {', '.join(CLOCK)} are followed")
            return self.slots.tell(node.attr)
        raise Unlowerable(f"{_describe(base)} has no attribute that can be followed")

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
            if key.value not in base.sample._layout.names:
                raise Unlowerable(f"{type(base.sample).__name__} has no variable {key.value!r}")
            return Slot(base, key.value)
        if isinstance(base, Table):
            return self.slots.cell(base, self.arithmetic.counter(self.number(key)))
        index = self.number(key) if isinstance(base, Elements) else None
        if isinstance(base, Elements) and isinstance(index, Number) and index.kind == "int" and index.known is not None:
            return self.settle(self.outside.one_item(base, int(index.known)))
        raise Unlowerable("items of a list of components are followed, in loops or by a number written out")

    def _tuple(self, node: ast.Tuple) -> Item:
        return Items(tuple(self.evaluate(item) for item in node.elts))

    # --- operators ------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Item:
        return self.operate(node.op, self.number(node.left), self.number(node.right))

    def operate(self, operator: ast.operator, left: Number | Truth, right: Number | Truth) -> Number | Truth:
        """`left <operator> right`."""
        name = type(operator).__name__
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
        return self._chain(node, self.evaluate(node.left), node.left, 0)

    def _chain(self, node: ast.Compare, left: Item, place: ast.expr, index: int) -> Truth:
        """The comparisons from one on; each operand is evaluated once, and where Python does."""
        last = node.comparators[index]
        right = self.evaluate(last)
        truth = self._compare_pair(node.ops[index], left, right, place, last)
        if index + 1 == len(node.ops):
            return truth
        return self._and_then(truth, lambda: self._chain(node, right, last, index + 1), is_and=True)

    def _compare_pair(self, operator: ast.cmpop, left: Item, right: Item, first: ast.expr, last: ast.expr) -> Truth:
        name = type(operator).__name__
        if name in ("Is", "IsNot", "Eq", "NotEq") and (isinstance(left, Nothing) or isinstance(right, Nothing)):
            is_same = isinstance(left, Nothing) and isinstance(right, Nothing)
            return _literal(is_same == (name in ("Is", "Eq")))
        if name not in COMPARISONS:
            raise Unlowerable("of the comparisons < <= > >= == != are followed, and `is None`")
        return self.truths.compare(name, self._as_number(left, first), self._as_number(right, last))

    def _ifexp(self, node: ast.IfExp) -> Item:
        value = self.choose(self.truth(node.test), lambda: self.evaluate(node.body), lambda: self.evaluate(node.orelse))
        if value is None:
            raise Unlowerable("the two values are of different kinds")
        return value

    # --- calls ----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Item:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "set_rate":
            return self._set_rate(node, node.func)
        function = self.evaluate(node.func)
        if isinstance(function, Function):
            if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
                k.arg is None for k in node.keywords
            ):
                raise Unlowerable("arguments are followed one by one, without * and **")
            arguments = [self.evaluate(argument) for argument in node.args]
            return self.follow(function, arguments, {k.arg or "": self.evaluate(k.value) for k in node.keywords})
        if isinstance(function, Builtin):
            return self._call_builtin(function.function, node)
        if isinstance(function, Stranger) and callable(function.value):
            raise Unlowerable(_why_unknown(function.value))
        raise Unlowerable(f"{_describe(function)} is not called here")

    def _set_rate(self, node: ast.Call, function: ast.Attribute) -> Item:
        owner = self.evaluate(function.value)
        is_loose = isinstance(owner, Ref) and isinstance(owner.sample, Variable)
        if not (is_loose or isinstance(owner, Slot)) or len(node.args) != 1 or node.keywords:
            raise Unlowerable("set_rate is followed for a Variable and one number")
        place = self.outside.attribute(owner, "rate") if isinstance(owner, Ref) else None
        if isinstance(owner, Slot):
            place = self.outside.slot(owner, "rate")
        assert isinstance(place, Place)
        self.write(place, self.number(node.args[0]))
        return Nothing()

    def write(self, place: Place, item: Number | Truth) -> None:
        """Set a slot."""
        if self.is_guided:
            raise Unlowerable("a condition only reads")
        if place.row == "parameter":
            raise Unlowerable(f"{place.name!r} is a parameter, which changes in events only: declare it as ev.Computed")
        if place.row == "last":
            raise Unlowerable("last states are set by the monitor")
        access = self.slots.write(place, self.arithmetic.double(item))
        if place.owner.element is None:
            self.flow.written |= {access}

    def _call_builtin(self, function: Any, node: ast.Call) -> Item:
        if function is builtins.super and not node.args:
            return self._super()
        if function in REDUCTIONS and node.args and isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            return self._reduce(function, node.args[0], node)
        if function in (sum, any, all):
            raise Unlowerable(f"{function.__name__} is followed around `... for ... in ...` only")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise Unlowerable("arguments are followed one by one, without names and *")
        if function is len and len(node.args) == 1:
            return self._len(node.args[0])
        if function in (bisect_left, bisect_right) and len(node.args) == 2:
            return self._bisect(node, is_right=function is bisect_right)
        if not _is_hashable(function) or not self.functions.knows(function):
            raise Unlowerable(_why_unknown(function))
        return self.functions.call(function, [self.number(argument) for argument in node.args])

    def _len(self, node: ast.expr) -> Item:
        item = self.evaluate(node)
        if isinstance(item, Elements | Table):
            return self._length(item)
        raise self.refusal(node, f"{_describe(item)} has no length that can be followed")

    def _length(self, item: Elements | Table) -> Number:
        if isinstance(item, Table):
            return self.slots.size(item)
        return Number(self.slots.count(self.outside.all_items(item)), "int")

    def _bisect(self, node: ast.Call, *, is_right: bool) -> Item:
        """Where a number would have to be put into an ascending table."""
        table, sought = self.evaluate(node.args[0]), self.number(node.args[1])
        if not isinstance(table, Table):
            raise self.refusal(node.args[0], f"{_describe(table)} is no list of numbers")
        outer = self.flow.bindings
        self.flow.bindings = {**outer, LOW: constant(0), HIGH: self._length(table)}

        def limits() -> tuple[Number, Number]:
            low, high = self.flow.bindings[LOW], self.flow.bindings[HIGH]
            assert isinstance(low, Number)
            assert isinstance(high, Number)
            return low, high

        def halve(_: str) -> None:
            low, high = limits()
            middle = self.arithmetic.binary("FloorDiv", self.arithmetic.binary("Add", low, high), constant(2))
            cell = self.slots.cell(table, middle.text)
            is_below = self.truths.compare("Lt", sought, cell) if is_right else self.truths.compare("GtE", cell, sought)
            self.flow.bindings[LOW] = self.arithmetic.select(
                is_below, low, self.arithmetic.binary("Add", middle, constant(1))
            )
            self.flow.bindings[HIGH] = self.arithmetic.select(is_below, middle, high)

        self.iterate([LOW, HIGH], lambda _: self.truths.compare("Lt", *limits()), halve)
        place, _ = limits()
        self.flow.bindings = outer
        moves = self.arithmetic.number(sought).slope
        return Number(place.text, "int", moves and NAN)

    def _super(self) -> Item:
        function = self.frame.function.function
        names = function.__code__.co_freevars
        owner = self.flow.bindings.get(function.__code__.co_varnames[0])
        if "__class__" not in names or not isinstance(owner, Ref):
            raise Unlowerable("super() is followed in methods only")
        cells = function.__closure__ or ()
        return Above(owner, cells[names.index("__class__")].cell_contents)

    def follow(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call of a function gives: its body is written where it is called."""
        definition = self.outside.book.definition(function.function)
        if any(frame.function.function.__code__ is function.function.__code__ for frame in self.frames):
            raise Unlowerable(f"{function.function.__name__} calls itself, and such calls are not followed")
        if self.builder.count > LONGEST:
            raise Unlowerable(f"this would be more than {LONGEST} instructions")
        bindings = self._bind(function, arguments, keywords)
        outer = self.flow
        self.frames.append(Frame(function, definition, is_entry=not self.frames))
        self.flow = Flow({**bindings, GATE: OPEN}, outer.written)
        value = self.execute_body(definition.tree)
        returns = self.frames.pop().returns
        if returns:
            merged = self.merger.merge(returns)
            assert merged is not None
            self.flow, value = merged
        if self.is_dead:
            raise Unlowerable(f"{function.function.__name__} never ends")
        self.flow = Flow(outer.bindings, self.flow.written)
        return Stranger("different things, depending on the way") if value is None else value

    def execute_body(self, tree: ast.FunctionDef | ast.Lambda) -> Item | None:
        """Write the body of a function; answers the value of a lambda."""
        raise NotImplementedError

    def _bind(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> dict[str, Item]:
        code = function.function.__code__
        if code.co_flags & 0x0C:
            raise Unlowerable("functions with *args or **options are not followed")
        given = [*([function.owner] if function.owner else []), *arguments]
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if len(given) > code.co_argcount:
            raise Unlowerable(f"{function.function.__name__} takes {code.co_argcount} arguments, not {len(given)}")
        bindings: dict[str, Item] = dict(zip(names, given, strict=False))
        for name, item in keywords.items():
            if name in bindings or name not in names:
                raise Unlowerable(f"{function.function.__name__} cannot be given {name!r} here")
            bindings[name] = item
        for name in names:
            if name not in bindings:
                found = self.outside.root(name) if not self.frames else self.outside.default(function, name)
                bindings[name] = self.settle(found)
        return bindings

    # --- reductions -----------------------------------------------------------------------------------------------

    def each(self, target: ast.expr, source: ast.expr, body: Callable[[], None], assigned: list[str]) -> None:
        """Execute `body` for each item of a list of components or number of a range."""
        if not isinstance(target, ast.Name):
            raise self.refusal(target, "loops give their items to one name")
        name = target.id
        if isinstance(source, ast.Call) and self._is_range(source.func):
            first, last, step = self._range(source)
            word = "slt" if step > 0 else "sgt"

            def count(counter: str) -> None:
                self.flow.bindings[name] = Number(counter, "int")
                body()

            def goes_on(counter: str) -> Truth:
                return Truth(self.builder.value(f"icmp {word} i64 {counter}, {last}"))

            self.iterate([name, *assigned], goes_on, count, first, step)
            return
        items = self.evaluate(source)
        if not isinstance(items, Elements | Table):
            raise self.refusal(source, "loops go over range(...), a list of components or a list of numbers")
        size, path = self._length(items).text, () if isinstance(items, Table) else self.outside.all_items(items)
        if isinstance(items, Elements) and not items.items:
            return

        def take(counter: str) -> None:
            if isinstance(items, Table):
                self.flow.bindings[name] = self.slots.cell(items, counter)
            else:
                self.flow.bindings[name] = Ref(path, items.items[0], counter)
            body()

        def is_inside(counter: str) -> Truth:
            return Truth(self.builder.value(f"icmp slt i64 {counter}, {size}"))

        self.iterate([name, *assigned], is_inside, take)

    def _is_range(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Name) or node.id in self.flow.bindings:
            return False
        function = self.evaluate(node)
        return isinstance(function, Builtin) and function.function is range

    def _range(self, node: ast.Call) -> tuple[str, str, int]:
        if node.keywords or not 1 <= len(node.args) <= 3:
            raise self.refusal(node, "range takes one to three whole numbers")
        numbers = [self.number(argument) for argument in node.args]
        step = numbers[2].known if len(numbers) == 3 else 1
        if not step or not isinstance(step, int):
            raise self.refusal(node, "the step of range has to be written as a number other than 0")
        limits = [self.arithmetic.counter(number) for number in numbers[:2]]
        return (limits[0] if len(limits) == 2 else "0", limits[-1], int(step))

    def _reduce(self, function: Any, generator: ast.GeneratorExp | ast.ListComp, node: ast.Call) -> Item:
        if len(generator.generators) != 1 or generator.generators[0].is_async:
            raise Unlowerable("one `for` is followed in such an expression")
        clause = generator.generators[0]
        begin, gather = self._reduction(function, node)
        outer = self.flow.bindings
        self.flow.bindings = {**outer, **begin}

        def body() -> None:
            self._if_all(clause.ifs, lambda: gather(self.evaluate(generator.elt), generator.elt))

        self.each(clause.target, clause.iter, body, list(begin))
        result = self.flow.bindings[ACCUMULATED]
        if function is sum and COMPENSATED in self.flow.bindings:
            result = self._with_rest(result)
        self.flow.bindings = {**outer, GATE: outer.get(GATE, OPEN)}
        return result

    def _if_all(self, tests: list[ast.expr], body: Callable[[], None]) -> None:
        if not tests:
            body()
            return

        def go_on() -> None:
            self._if_all(tests[1:], body)

        def leave_out() -> None:
            pass

        self.choose(self.truth(tests[0]), go_on, leave_out)

    def _reduction(self, function: Any, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
        """What a reduction begins with, and how it takes an item."""
        if function is sum:
            begin, take = self._summation(node)
        elif function in (any, all):
            begin, take = self._judgement(function, node)
        else:
            begin, take = self._extreme(function, node)
        return begin, take

    def _summation(self, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
        if node.keywords or len(node.args) > 2:
            raise Unlowerable("sum is followed with a generator and a start")
        start = self.number(node.args[1]) if len(node.args) == 2 else self.arithmetic.number(constant(0))
        begin: dict[str, Item] = {ACCUMULATED: start}
        if sys.version_info >= (3, 12):
            begin[COMPENSATED] = constant(0.0)

        def take(item: Item, place: ast.expr) -> None:
            number = self._as_number(item, place)
            so_far = self.flow.bindings[ACCUMULATED]
            assert isinstance(so_far, Number | Truth)
            total = self.arithmetic.binary("Add", so_far, number)
            self.flow.bindings[ACCUMULATED] = total
            if COMPENSATED in begin and self.arithmetic.number(number).kind == "float":
                self._compensate(so_far, number, total)

        return begin, take

    def _compensate(self, so_far: Number | Truth, item: Number | Truth, total: Number) -> None:
        """Keep what rounding took from a sum, as Python does from 3.12 on. Source: Neumaier, ZAMM 54 (1974)."""
        before, added, after = (self.arithmetic.wire(number) for number in (so_far, item, total))
        lost = (added - after) + before
        is_larger = before.machine("fabs").test("oge", added.machine("fabs"))
        rest = self.flow.bindings[COMPENSATED]
        assert isinstance(rest, Number)
        text = (self.arithmetic.wire(rest) + lost.unless(is_larger, (before - after) + added)).text
        self.flow.bindings[COMPENSATED] = Number(text, "float")

    def _with_rest(self, total: Item) -> Item:
        rest = self.flow.bindings[COMPENSATED]
        assert isinstance(total, Number)
        assert isinstance(rest, Number)
        if total.kind != "float":
            return total
        lost = self.arithmetic.wire(rest)
        is_useless = lost.machine("fabs").test("uge", float("inf"))
        kept = lost.unless(self.builder.value(f"or i1 {is_useless}, {lost.test('oeq', 0.0)}"), -0.0)
        return Number((self.arithmetic.wire(total) + kept).text, "float", total.slope)

    def _judgement(self, function: Any, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
        if node.keywords or len(node.args) > 1:
            raise Unlowerable(f"{function.__name__} is followed with a generator only")
        is_all = function is all

        def take(item: Item, place: ast.expr) -> None:
            truth, so_far = self._truth_of(item, place), self.flow.bindings[ACCUMULATED]
            assert isinstance(so_far, Truth)
            self.flow.bindings[ACCUMULATED] = (self.truths.both if is_all else self.truths.either)(so_far, truth)

        return {ACCUMULATED: _literal(is_all)}, take

    def _extreme(self, function: Any, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
        default: Number | Truth = Number(NAN, "float")
        for keyword in node.keywords:
            if keyword.arg != "default":
                raise Unlowerable(f"{function.__name__} is followed with a generator and `default=`")
            default = self.number(keyword.value)

        def take(item: Item, place: ast.expr) -> None:
            number = self._as_number(item, place)
            best, seen = self.flow.bindings[ACCUMULATED], self.flow.bindings[SEEN]
            assert isinstance(best, Number | Truth)
            assert isinstance(seen, Truth)
            better = self.arithmetic.extreme("lt" if function is min else "gt", [best, number])
            self.flow.bindings[ACCUMULATED] = self.arithmetic.select(seen, better, number)
            self.flow.bindings[SEEN] = Truth("true")

        return {ACCUMULATED: default, SEEN: Truth("false")}, take


COMPENSATED: Final = "+rest"

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


def _literal(value: bool) -> Truth:
    return Truth("true" if value else "false", known=value)


def _describe(item: Item) -> str:
    if isinstance(item, Stranger):
        return item.value if isinstance(item.value, str) else f"{item.value!r}"
    if isinstance(item, Ref):
        return f"a {type(item.sample).__name__}"
    if isinstance(item, Builtin):
        return f"{getattr(item.function, '__name__', item.function)}"
    return WORDS.get(type(item), "a number")


def _above(above: Above, name: str) -> Item:
    classes = type(above.owner.sample).__mro__
    for cls in classes[classes.index(above.cls) + 1 :]:
        member = vars(cls).get(name)
        if member is not None:
            return Function(member, None, above.owner) if hasattr(member, "__code__") else Stranger(member)
    raise Unlowerable(f"no class above {above.cls.__name__} has {name!r}")


def _is_hashable(function: Any) -> bool:
    return getattr(function, "__hash__", None) is not None


def _why_unknown(function: Any) -> str:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    home = getattr(function, "__module__", None) or type(function).__module__
    if home.partition(".")[0] == "numpy":
        return f"numpy's {name} is not followed: use the one of math"
    if isinstance(function, type):
        return f"objects ({name}) are not made between events"
    return f"{name} is not followed: only functions of numbers, and functions with a source"
