"""What goes over many: loops over lists and ranges, sum, any, all, min and max of them, and the search in a table."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any, Final

from eventide.lowering.dataflow_merge import GATE, OPEN, Arrival, Loop
from eventide.lowering.expressions import describe, literal
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.values import (
    COUNTABLE,
    Builtin,
    Elements,
    Formula,
    Item,
    Items,
    Number,
    Ref,
    Span,
    Table,
    Truth,
    Vector,
    constant,
)
from eventide.lowering.vectors import Vectors
from eventide.native.ir import NAN

ACCUMULATED: Final = "+result"
"""Where bindings keep what a reduction has gathered; no name of the user's looks like that."""
SEEN: Final = "+seen"
LOW: Final = "+low"
HIGH: Final = "+high"
COMPENSATED: Final = "+rest"


class Reductions(Vectors):
    """Writes loops over many, and what gathers from them."""

    def each(self, target: ast.expr, source: ast.expr, body: Callable[[], None], assigned: list[str]) -> None:
        """Execute `body` for each item of a list or queue of components or number of a range."""
        if isinstance(source, ast.Tuple | ast.List):
            self._each_in_turn(target, [self.evaluate(part) for part in source.elts], body)
            return
        if isinstance(source, ast.Call) and self._is_builtin(source.func, enumerate, zip):
            self._each_together(target, source, body, assigned)
            return
        counts = isinstance(source, ast.Call) and self._is_builtin(source.func, range)
        items = None if counts else self.outside.members(self.evaluate(source))
        if isinstance(items, Items):
            self._each_in_turn(target, list(items.items), body)
            return
        if not isinstance(target, ast.Name):
            raise self.refusal(target, "loops give their items to one name")
        names = [target.id, *assigned]
        if isinstance(source, ast.Call) and counts:
            self._each_number(source, names, body)
        elif isinstance(items, Vector | Formula):
            self._each_item(items, source, names, body)
        elif isinstance(items, Elements | Table):
            self._each_element(items, names, body)
        else:
            raise self.refusal(
                source, "loops go over range(...), a vector, a list or queue of components or a list of numbers"
            )

    def _each_number(self, source: ast.Call, names: list[str], body: Callable[[], None]) -> None:
        """A loop over a range: the first name has its numbers, and to the others the body may give values."""
        first, last, step, span = self._range(source)
        word = "slt" if step > 0 else "sgt"

        def take(counter: str) -> None:
            self.flow.bindings[names[0]] = Number(counter, "int", span=span)
            body()

        def is_inside(counter: str) -> Truth:
            return Truth(self.builder.value(f"icmp {word}", "i64", counter, last))

        self.iterate(names, is_inside, take, first, step)

    def _each_element(self, items: Elements | Table, names: list[str], body: Callable[[], None]) -> None:
        """A loop over components or numbers of which the kernel is told how many there are."""
        size, path = self._length(items).text, () if isinstance(items, Table) else self.outside.all_items(items)
        if isinstance(items, Elements) and not items.items:
            return

        def take(counter: str) -> None:
            if isinstance(items, Table):
                self.flow.bindings[names[0]] = self.slots.cell(items, counter)
            else:
                self.flow.bindings[names[0]] = Ref(path, items.items[0], counter)
            body()

        def is_inside(counter: str) -> Truth:
            return Truth(self.builder.value("icmp slt", "i64", counter, size))

        self.iterate(names, is_inside, take)

    def _each_in_turn(self, target: ast.expr, items: list[Item], body: Callable[[], None]) -> None:
        """A loop over things that are known one by one: its body is written once for each."""
        breaks: list[Arrival] = []
        for item in [self.kept_item(item) for item in items]:
            if self.is_dead:
                break
            loop = Loop()
            self.bind(target, item)
            self.loops.append(loop)
            body()
            self.loops.pop()
            breaks += loop.breaks
            self._go_on(loop.continues)
        self._go_on(breaks)

    def _go_on(self, arrivals: list[Arrival]) -> None:
        """Join ways that have ended to the present one."""
        if not arrivals:
            return
        merged = self.merger.merge([*arrivals, *([] if self.is_dead else [self.arrive()])])
        assert merged is not None
        self.flow = merged[0]

    def bind(self, target: ast.expr, item: Item) -> None:
        """Give an item to a name, or its parts to several."""
        raise NotImplementedError

    def _each_item(
        self, vector: Vector | Formula, source: ast.expr, names: list[str], body: Callable[[], None]
    ) -> None:
        """A loop over the items of a vector."""
        kept = self.keep(vector)
        self.operand(kept, source)

        def take(index: Number) -> None:
            self.flow.bindings[names[0]] = self.read_item(kept, index)
            body()

        self.over(kept.count, take, names, leaves=True)

    def _each_together(self, target: ast.expr, source: ast.Call, body: Callable[[], None], assigned: list[str]) -> None:
        """A loop over `enumerate(vector)` or `zip(vector, ...)`."""
        counts = self._is_builtin(source.func, enumerate)
        items = [self.operand(self.evaluate(argument), argument) for argument in source.args]
        vectors = [self.keep(item) for item in items if isinstance(item, Vector | Formula)]
        names = target.elts if isinstance(target, ast.Tuple) else []
        is_strict = self._is_strict(source)
        if is_strict is None or len(vectors) < len(items) or not vectors or len(names) != len(items) + counts:
            raise self.refusal(source, "enumerate(...) and zip(...) are followed around vectors, with a name for each")
        if is_strict and len({vector.count for vector in vectors}) > 1:
            raise self.refusal(source, "the vectors are not of one size")

        def take(index: Number) -> None:
            parts = [self.read_item(vector, index) for vector in vectors]
            self.bind(target, Items((index, *parts) if counts else tuple(parts)))
            body()

        carried = [name.id for name in names if isinstance(name, ast.Name)]
        self.over(min(vector.count for vector in vectors), take, [*carried, *assigned], leaves=True)

    def _is_strict(self, call: ast.Call) -> bool | None:
        """What `strict=` says, by default no; None if there are other names, or it is not written out."""
        told: list[Any] = [keyword.value for keyword in call.keywords if keyword.arg == "strict"]
        if len(told) < len(call.keywords) or not all(isinstance(value, ast.Constant) for value in told):
            return None
        return bool(told[0].value) if told else False

    def _is_builtin(self, node: ast.expr, *functions: Any) -> bool:
        if not isinstance(node, ast.Name) or node.id in self.flow.bindings:
            return False
        function = self.evaluate(node)
        return isinstance(function, Builtin) and function.function in functions

    def _range(self, node: ast.Call) -> tuple[str, str, int, Span]:
        """Where a range begins and ends, its step, and the least and greatest number that may be in it."""
        if node.keywords or not 1 <= len(node.args) <= 3:
            raise self.refusal(node, "range takes one to three whole numbers")
        numbers = [self.number(argument) for argument in node.args]
        step = numbers[2].known if len(numbers) == 3 else 1
        if not step or not isinstance(step, int):
            raise self.refusal(node, "the step of range has to be written as a number other than 0")
        limits = [self.arithmetic.counter(number) for number in numbers[:2]]
        first, last = numbers[0] if len(numbers) > 1 else constant(0), numbers[min(1, len(numbers) - 1)]
        span = _between(self.arithmetic.countable(first), self.arithmetic.countable(last), int(step))
        return (limits[0] if len(limits) == 2 else "0", limits[-1], int(step), span)

    def reduce_all(self, function: Any, source: ast.expr, node: ast.Call) -> Item:
        """`function(numbers)`: as if it were written around `... for ... in ...`."""
        item = ast.Name("+item", ast.Load())
        clause = ast.comprehension(ast.Name("+item", ast.Store()), source, [], 0)
        generator = ast.GeneratorExp(item, [clause])
        for part in (item, clause.target, generator):
            ast.copy_location(part, source)
        return self.reduce(function, generator, node)

    def reduce(self, function: Any, generator: ast.GeneratorExp | ast.ListComp, node: ast.Call) -> Item:
        """`function(... for ... in ...)`."""
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
        seen = self.flow.bindings.get(SEEN)
        if isinstance(seen, Truth) and not node.keywords:
            self.builder.note_trap(self.truths.opposite(seen).text)
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
            added = self.arithmetic.number(number)
            if COMPENSATED in begin and added.kind == "float" and not added.is_numpy:
                # Python takes up compensation with the first float, and does not for the sum so far.
                if self.arithmetic.number(start).kind != "float" and start.known != 0:
                    raise Unlowerable("the sum of floats begins with a whole number: write it as a float")
                if self.arithmetic.number(so_far).kind == "float":
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
        kept = lost.unless(self.builder.value("or", "i1", is_useless, lost.test("oeq", 0.0)), -0.0)
        return Number((self.arithmetic.wire(total) + kept).text, "float", total.slope)

    def _judgement(self, function: Any, node: ast.Call) -> tuple[dict[str, Item], Callable[[Item, ast.expr], None]]:
        if node.keywords or len(node.args) > 1:
            raise Unlowerable(f"{function.__name__} is followed with a generator only")
        is_all = function is all

        def take(item: Item, place: ast.expr) -> None:
            truth, so_far = self._truth_of(item, place), self.flow.bindings[ACCUMULATED]
            assert isinstance(so_far, Truth)
            self.flow.bindings[ACCUMULATED] = (self.truths.both if is_all else self.truths.either)(so_far, truth)

        return {ACCUMULATED: literal(is_all)}, take

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

    def bisect(self, node: ast.Call, *, is_right: bool) -> Item:
        """Where a number would have to be put into an ascending table."""
        table, sought = self.evaluate(node.args[0]), self.number(node.args[1])
        if not isinstance(table, Table):
            raise self.refusal(node.args[0], f"{describe(table)} is no list of numbers")
        outer = self.flow.bindings
        self.flow.bindings = {**outer, LOW: constant(0), HIGH: self._length(table)}

        def limits() -> tuple[Number, Number]:
            low, high = self.flow.bindings[LOW], self.flow.bindings[HIGH]
            assert isinstance(low, Number)
            assert isinstance(high, Number)
            return low, high

        def halve(_: str) -> None:
            low, high = limits()
            both = self.builder.value("add", "i64", low.text, high.text)  # of numbers of items: it has room
            middle = self.builder.value("ashr", "i64", both, 1)
            after = self.builder.value("add", "i64", middle, 1)
            cell = self.slots.cell(table, middle)
            is_below = self.truths.compare("Lt", sought, cell) if is_right else self.truths.compare("GtE", cell, sought)
            self.flow.bindings[LOW] = self.arithmetic.select(is_below, low, Number(after, "int"))
            self.flow.bindings[HIGH] = self.arithmetic.select(is_below, Number(middle, "int"), high)

        self.iterate([LOW, HIGH], lambda _: self.truths.compare("Lt", *limits()), halve)
        place, _ = limits()
        self.flow.bindings = outer
        moves = self.arithmetic.number(sought).slope
        return Number(place.text, "int", moves and NAN, span=(0, COUNTABLE[1]))


def _between(first: Span, last: Span, step: int) -> Span:
    """The least and the greatest number of a range whose ends lie in some spans."""
    return (first[0], max(first[0], last[1] - 1)) if step > 0 else (min(first[1], last[0] + 1), first[1])
