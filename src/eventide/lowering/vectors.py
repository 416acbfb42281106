"""Vectors: views of memory, formulas over them that are computed item by item, and numpy's functions of them.

Where numpy makes an array for each operation, a kernel has one loop around a whole formula. Sizes are known while the
kernel is made, so shapes are compared then, and items that are surely there are reached without a test.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from eventide.lowering.booleans import COMPARISONS
from eventide.lowering.expressions import Expressions, describe
from eventide.lowering.functions import BY_ARGUMENT, BY_VALUE
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.values import (
    Buffer,
    Formula,
    Item,
    Items,
    Number,
    Stored,
    Table,
    Truth,
    Vector,
    VectorMethod,
    constant,
)
from eventide.native.ir import NAN, ZERO
from eventide.native.loops import symbol_of

LARGEST: Final = 32_768
"""How many numbers a kernel may keep for the length of a call."""
BYTES: Final = 8
TOTAL: Final = "+total"
"""Where bindings keep what is gathered from a vector; no name of the user's looks like that."""

Operand = Number | Truth | Vector | Formula


class Vectors(Expressions):
    """Writes the instructions of what concerns vectors.

    epoch   how often something in memory has been written
    kept    how many numbers are kept in buffers
    """

    epoch = 0
    kept = 0

    # --- one item -------------------------------------------------------------------------------------------------

    def read_item(self, vector: Vector, index: Number) -> Number | Truth:
        """An item that is surely there."""
        memory, place = vector.memory, self._place_in(vector, index)
        if isinstance(memory, Stored):
            return self.slots.item(memory, place)
        if isinstance(memory, Table):
            return self.slots.array_item(memory, place)
        value = self.builder.load("double", memory.address, place)
        if memory.is_truth:
            return replace(self.slots.truth(value), is_numpy=True, slope=NAN if memory.slopes else None)
        slope = self.builder.load("double", memory.slopes, place) if memory.slopes else None
        return Number(value, "float", slope, is_numpy=True)

    def _place_in(self, vector: Vector, index: Number) -> str:
        if index.known is not None:
            return str(vector.start + vector.step * int(index.known))
        place = index.text
        if vector.step != 1:
            place = self.builder.value("mul", "i64", place, vector.step)
        return self.builder.value("add", "i64", place, vector.start) if vector.start else place

    def item_at(self, item: Operand, index: Number) -> Number | Truth:
        """One item of an operand; a single number, or the only item of a vector, stands for all."""
        if isinstance(item, Number | Truth):
            return item
        index = index if item.count > 1 else Number("0", "int", known=0)
        return self.read_item(item, index) if isinstance(item, Vector) else replace(item.at(index), is_numpy=True)

    def locate(self, vector: Vector | Formula, node: ast.expr) -> tuple[Number, str | None]:
        """The place of an item as Python counts, and a test whether it is there; None if it surely is."""
        item = self.arithmetic.number(self.number(node))
        if item.kind == "float":
            raise Unlowerable("an item is told by a whole number, and this is a float: write int(...)")
        count, known = vector.count, item.extent
        if known is not None and not -count <= known[0] <= known[1] < count:
            if known[0] >= count or known[1] < -count:
                raise Unlowerable(f"there is no such item: the vector has {count}")
            known = None
        if item.known is not None:
            place = int(item.known) % count
            return Number(str(place), "int", known=place), None
        text = self.arithmetic.counter(item)
        if known is None or known[0] < 0:
            is_from_end = self.builder.value("icmp slt", "i64", text, 0)
            text = self.builder.select(is_from_end, "i64", self.builder.value("add", "i64", text, count), text)
        if known is not None:
            return Number(text, "int"), None
        is_inside = self.builder.value("icmp ult", "i64", text, count)
        return Number(self.builder.select(is_inside, "i64", text, "0"), "int"), is_inside

    def part(self, vector: Vector | Formula | Table, key: ast.expr) -> Item:
        """An item, or a slice, which is a view."""
        if isinstance(vector, Table):
            vector = self._as_vector(vector)
        if isinstance(key, ast.Slice):
            return self._slice(self.keep(vector), key)
        if isinstance(key, ast.Tuple):
            raise Unlowerable("vectors have one dimension")
        if isinstance(vector, Formula):
            vector = self.keep(vector)
        self._note_read(vector)
        place, is_inside = self.locate(vector, key)
        value = self.read_item(vector, place)
        if is_inside is None:
            return value
        # Python raises there; a rate that is not a number lets it do so at the user's line.
        self.builder.note_trap(self.builder.value("xor", "i1", is_inside, "true"))
        number = self.arithmetic.number(value)
        return replace(number, text=self.builder.select(is_inside, "double", number.text, NAN))

    def _slice(self, vector: Vector, key: ast.Slice) -> Vector:
        limits = [None if part is None else self._known_whole(part) for part in (key.lower, key.upper, key.step)]
        try:
            items = range(vector.count)[slice(*limits)]
        except ValueError as error:
            raise Unlowerable(str(error)) from None
        return Vector(vector.memory, vector.start + vector.step * items.start, vector.step * items.step, len(items))

    def _known_whole(self, node: ast.expr) -> int:
        number = self.arithmetic.number(self.number(node))
        if number.kind != "int" or number.known is None:
            raise Unlowerable("a slice goes between places that are known: numbers, fields that tell a size, len(...)")
        return int(number.known)

    def member(self, vector: Vector | Formula | Table, name: str) -> Item:
        """An attribute of an array."""
        vector = self._as_vector(vector) if isinstance(vector, Table) else vector
        if name == "size":
            return constant(vector.count)
        if name == "shape":
            return Items((constant(vector.count),))
        return VectorMethod(vector, name)

    def _as_vector(self, item: Item) -> Vector | Formula:
        if isinstance(item, Vector | Formula):
            return item
        if isinstance(item, Table) and item.array_size is not None:
            return self.outside.as_vector(item)
        raise Unlowerable(f"{describe(item)} is no vector: make it an array")

    # --- formulas -------------------------------------------------------------------------------------------------

    def operand(self, item: Item, node: ast.expr) -> Operand:
        """A number or vector to reckon with."""
        if isinstance(item, Table) and is_vector(item):
            item = self.outside.as_vector(item)
        if isinstance(item, Vector):
            self._note_read(item)
        if isinstance(item, Number | Truth | Vector | Formula):
            return item
        if isinstance(item, Table):
            raise self.refusal(node, "a list of numbers cannot be reckoned with: make it an array, np.array(...)")
        raise self.refusal(node, f"{describe(item)} is no number")

    def _check_epoch(self, formula: Vector | Formula) -> None:
        if isinstance(formula, Formula) and formula.sources and formula.epoch != self.epoch:
            raise Unlowerable("something that it is reckoned from is written meanwhile: give it a name first")

    def _note_read(self, vector: Vector | Formula) -> None:
        if isinstance(vector, Vector) and isinstance(vector.memory, Stored):
            self.slots.note_read(vector.memory, self.flow.written)

    def formula(self, operands: list[Operand], compute: Callable[..., Number | Truth]) -> Formula:
        """What is computed from the items of some operands, one by one.

        Raises Unlowerable if their shapes do not fit.
        """
        vectors = [item for item in operands if isinstance(item, Vector | Formula)]
        for item in vectors:
            self._check_epoch(item)
        count = max(vector.count for vector in vectors) if all(v.count for v in vectors) else 0
        if any(vector.count not in (1, count) for vector in vectors):
            sizes = " and ".join(str(vector.count) for vector in vectors)
            raise Unlowerable(f"vectors of {sizes} items do not fit each other")
        sources = tuple(source for vector in vectors for source in sources_of(vector))
        return Formula(count, lambda k: compute(*(self.item_at(item, k) for item in operands)), sources, self.epoch)

    def keep(self, item: Vector | Formula) -> Vector:
        """A vector in memory: a formula is computed now, as numpy does."""
        if isinstance(item, Vector):
            return item
        self._check_epoch(item)
        buffer: Buffer | None = None

        def store(index: Number) -> None:
            nonlocal buffer
            value = item.at(index)
            if buffer is None:
                buffer = self._buffer(item.count, is_truth=isinstance(value, Truth))
            self._store_in(buffer, index.text, value)

        self.over(item.count, store)
        return Vector(buffer or self._buffer(0), 0, 1, item.count)

    def copied(self, item: Vector | Formula) -> Vector:
        """A vector in memory of its own."""
        return self.keep(self.formula([item], lambda one: one))

    def kept_item(self, item: Item) -> Item:
        """An item as a name can have it."""
        if isinstance(item, Items):
            return Items(tuple(self.kept_item(part) for part in item.items))
        return self.keep(item) if isinstance(item, Formula) else item

    def _buffer(self, count: int, *, is_truth: bool = False, moves: bool | None = None) -> Buffer:
        """Memory for so many numbers, and for their derivatives if they are wanted."""
        moves = self.is_guided if moves is None else moves
        self.kept += count * (2 if moves else 1)
        if self.kept > LARGEST:
            raise Unlowerable(
                f"more than {LARGEST} numbers would have to be kept in between: write fewer named vectors"
            )
        slopes = self.builder.memory("double", count) if moves else None
        return Buffer(self.builder.memory("double", count), slopes, is_truth)

    def _store_in(self, buffer: Buffer, place: str, value: Number | Truth) -> None:
        if isinstance(value, Truth):
            text = self.builder.convert("uitofp", "i1", value.text, "double")
        else:
            text = self.arithmetic.double(value)
        self.builder.store("double", text, buffer.address, place)
        if buffer.slopes is not None:
            slope = NAN if isinstance(value, Truth) else value.slope or ZERO
            self.builder.store("double", slope, buffer.slopes, place)

    def over(
        self, count: int, body: Callable[[Number], None], carried: list[str] | None = None, *, leaves: bool = False
    ) -> None:
        """Write `body` for each of so many items.

        carried     the names that it may give new values
        leaves      whether it may go on to the next one, or past the last, by `continue` or `break`
        """
        if count == 1 and not leaves:
            body(Number("0", "int", known=0))
        elif count:
            self.iterate(
                carried or [],
                lambda counter: Truth(self.builder.value("icmp slt", "i64", counter, count)),
                lambda counter: body(Number(counter, "int", span=(0, count - 1))),
            )

    # --- operators ------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Item:
        if isinstance(node.op, ast.MatMult):
            raise Unlowerable("products of matrices sum in an order of their own: write (a * b).sum(), or a loop")
        left, right = (
            self.operand(self.evaluate(node.left), node.left),
            self.operand(self.evaluate(node.right), node.right),
        )
        return self.combine(node.op, left, right)

    def combine(self, operator: ast.operator, left: Operand, right: Operand) -> Operand:
        """`left <operator> right` of numbers or vectors."""
        if isinstance(left, Number | Truth) and isinstance(right, Number | Truth):
            return self.operate(operator, left, right)
        if isinstance(operator, ast.Pow):
            return self._power(left, right)
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            return self._through(np.floor_divide if isinstance(operator, ast.FloorDiv) else np.remainder, [left, right])
        return self.formula([left, right], lambda a, b: self.operate(operator, a, b))

    def _power(self, base: Operand, exponent: Operand) -> Operand:
        """Powers, of which numpy has some special ones where the exponent is one number."""
        if not isinstance(exponent, Number | Truth):
            return self._through(np.power, [base, exponent])
        number = self.arithmetic.number(exponent)
        if number.known is not None:
            special = self._special_powers().get(float(number.known))
            return self.formula([base], special) if special else self._through(np.power, [base, number])
        wanted = self.arithmetic.as_float(number)
        general = self._through(np.power, [base, wanted])

        def choose(item: Number | Truth, value: Number | Truth) -> Number | Truth:
            for known, compute in self._special_powers().items():
                value = self.arithmetic.select(self.truths.compare("Eq", wanted, constant(known)), compute(item), value)
            return value

        return self.formula([base, general], choose)

    def _special_powers(self) -> dict[float, Callable[[Number | Truth], Number | Truth]]:
        """Source: numpy, `fast_scalar_power`."""
        binary, root = self.arithmetic.binary, self.functions.root
        return {
            2.0: lambda x: binary("Mult", x, x),
            0.5: root,
            -1.0: lambda x: binary("Div", constant(1.0), x),
            1.0: self.arithmetic.as_float,
            0.0: lambda _: constant(1.0),
        }

    def _unaryop(self, node: ast.UnaryOp) -> Item:
        if isinstance(node.op, ast.Not | ast.Invert):
            return super()._unaryop(node)
        item = self.operand(self.evaluate(node.operand), node.operand)
        return self.turned(item, is_negative=isinstance(node.op, ast.USub))

    def turned(self, item: Operand, *, is_negative: bool) -> Operand:
        """`-item`, or `+item`."""

        def turn(one: Number | Truth) -> Number | Truth:
            if isinstance(one, Truth) and one.is_numpy:
                raise Unlowerable("numpy's truths have no sign")
            return self.arithmetic.negative(one) if is_negative else self.arithmetic.number(one)

        return turn(item) if isinstance(item, Number | Truth) else self.formula([item], turn)

    def _compare(self, node: ast.Compare) -> Item:
        if len(node.ops) > 1:
            return super()._compare(node)
        last, name = node.comparators[0], type(node.ops[0]).__name__
        left, right = self.evaluate(node.left), self.evaluate(last)
        if name in COMPARISONS and (is_vector(left) or is_vector(right)):
            return self.compare_items(name, self.operand(left, node.left), self.operand(right, last))
        return self._compare_pair(node, 0, left, right)

    def compare_items(self, name: str, left: Operand, right: Operand) -> Operand:
        """`left <comparison> right`, item by item."""
        return self.formula([left, right], lambda a, b: self.truths.compare(name, a, b))

    # --- numpy's functions ----------------------------------------------------------------------------------------

    def call_numpy(self, function: Any, node: ast.Call) -> Item:
        """A call of a function of numpy.

        Raises Unlowerable if it is not followed, or cannot be called like that.
        """
        if any(isinstance(argument, ast.Starred) for argument in node.args) or node.keywords:
            raise Unlowerable("arguments of numpy's functions are followed one by one, without names and *")
        items = [self.evaluate(argument) for argument in node.args]
        arguments = [self.operand(item, place) for item, place in zip(items, node.args, strict=True)]
        if isinstance(function, np.ufunc):
            if len(arguments) != function.nin or function.nout != 1:
                raise Unlowerable(
                    f"numpy's {function.__name__} is followed with {function.nin} numbers or vectors and one result"
                )
            return self._call_ufunc(function, arguments)
        name = function.__name__
        call: Callable[..., Item] | None = getattr(self, f"_np_{name}", None)
        if call is None:
            raise Unlowerable(f"numpy's {name} is not followed")
        try:
            return call(*arguments)
        except TypeError as error:
            raise Unlowerable(f"numpy's {name} is not followed like that: {error}") from None

    def _call_ufunc(self, function: Any, arguments: list[Operand]) -> Operand:
        operator = _OPERATORS.get(function.__name__)
        if operator is not None:
            arguments = self._as_numpys(arguments, divides=isinstance(operator, ast.Div))
            return (
                self.combine(operator, *arguments) if len(arguments) == 2 else self.turned(*arguments, is_negative=True)
            )
        if function.__name__ in _COMPARISONS:
            return self.compare_items(_COMPARISONS[function.__name__], *self._all_vectors(arguments))
        simple = {"sqrt": self.functions.root, "absolute": self.arithmetic.absolute, "fabs": self.arithmetic.absolute}
        simple["square"] = lambda x: self.arithmetic.binary("Mult", x, x)
        if function.__name__ in simple:
            compute = simple[function.__name__]
            return self._numpy_of(arguments, lambda *items: compute(*map(self.arithmetic.as_float, items)))
        if function.__name__ in ("hypot", "fmod"):
            word = function.__name__
            return self._numpy_of(arguments, lambda a, b: self.functions.of_two(word, a, b))
        return self._through(function, arguments)

    def _as_numpys(self, arguments: list[Operand], *, divides: bool) -> list[Operand]:
        """Arguments of a function of numpy's, which makes numbers of its own of them: these divide by zero."""
        numbers = [self.arithmetic.number(item) for item in arguments if isinstance(item, Number | Truth)]
        if not divides and len(numbers) == len(arguments) and all(number.kind != "float" for number in numbers):
            raise Unlowerable("numpy has whole numbers of its own, which wrap around: write the operator itself")
        return [
            replace(self.arithmetic.as_float(item), is_numpy=True) if isinstance(item, Number | Truth) else item
            for item in arguments
        ]

    def _numpy_of(self, arguments: list[Operand], compute: Callable[..., Number | Truth]) -> Operand:
        scalars = [item for item in arguments if isinstance(item, Number | Truth)]
        if len(scalars) < len(arguments):
            return self.formula(arguments, compute)
        value = self.arithmetic.number(compute(*scalars))
        return replace(value, is_numpy=True)

    def _all_vectors(self, arguments: list[Operand]) -> list[Operand]:
        if all(isinstance(item, Number | Truth) for item in arguments):
            raise Unlowerable("between numbers write the operator itself")
        return arguments

    def _through(self, function: Any, arguments: list[Operand]) -> Operand:
        """Let numpy's own loop do it, over memory."""
        try:
            symbol = symbol_of(function)
        except LookupError:
            raise Unlowerable(f"numpy's {function.__name__} is not followed") from None
        vectors = [item for item in arguments if isinstance(item, Vector | Formula)]
        count = self.formula(arguments, lambda *_: constant(0.0)).count if vectors else 1
        given = [self._in_memory(item) for item in arguments]
        result = self._buffer(count, moves=False)
        sources = [(self._address(v), 0 if v.count == 1 else self._stride(v)) for v in given]
        if count:
            self.builder.loop(symbol, [*sources, (result.address, BYTES)], count)
        value = self._with_slopes(function.__name__, Vector(result, 0, 1, count), given)
        return value if vectors else self.item_at(value, Number("0", "int", known=0))

    def _in_memory(self, item: Operand) -> Vector:
        if isinstance(item, Number | Truth):
            single = self.arithmetic.as_float(item)
            item = Formula(1, lambda _: single, (), self.epoch)
        vector = self.keep(item)
        if isinstance(vector.memory, Buffer) and vector.memory.is_truth:
            raise Unlowerable("numbers are wanted here, and these are truths")
        return vector

    def _address(self, vector: Vector) -> str:
        memory, first = vector.memory, str(vector.start)
        if isinstance(memory, Stored):
            return self.slots.address(memory, first)
        if isinstance(memory, Table):
            return self.slots.array_address(memory, first)
        return self.builder.address("double", memory.address, first)

    def _stride(self, vector: Vector) -> int:
        return BYTES * vector.step

    def _with_slopes(self, name: str, result: Vector, given: list[Vector]) -> Vector | Formula:
        """What a loop has computed, with its derivative where what it was computed from moves."""
        if not self.is_guided:
            return result
        word = _WORDS.get(name, name)

        def at(index: Number) -> Number:
            value = self.read_item(result, index)
            slopes = [self.arithmetic.number(self.item_at(vector, index)) for vector in given]
            assert isinstance(value, Number)
            if all(number.slope is None for number in slopes):
                return value
            if len(slopes) > 1 or slopes[0].slope == NAN or word not in {**BY_VALUE, **BY_ARGUMENT}:
                return replace(value, slope=NAN)
            x, y = self.arithmetic.wire(slopes[0]), self.arithmetic.wire(value)
            factor = BY_VALUE[word](y) if word in BY_VALUE else BY_ARGUMENT[word](x)
            return replace(value, slope=self.arithmetic.scale_slope(slopes[0].slope, factor.text))

        return Formula(result.count, at, (result, *given), self.epoch)

    # --- what is gathered from a vector ---------------------------------------------------------------------------

    def call_method(self, method: VectorMethod, node: ast.Call) -> Item:
        """A call of a method of an array."""
        if node.args or node.keywords:
            raise Unlowerable(f"the method {method.name} is followed without arguments")
        vector = self.operand(method.vector, node)
        assert isinstance(vector, Vector | Formula)
        if method.name in ("any", "all"):
            return self._judge(vector, is_all=method.name == "all")
        call = {"sum": self._np_sum, "min": self._np_min, "max": self._np_max, "mean": self._np_mean}.get(method.name)
        call = self._np_copy if method.name == "copy" else call
        if call is None:
            raise Unlowerable("of an array's methods sum, mean, min, max, any, all and copy are followed")
        return call(vector)

    def _judge(self, vector: Vector | Formula, *, is_all: bool) -> Item:
        outer = self.flow.bindings
        begin: Truth = Truth("true" if is_all else "false", known=is_all)
        self.flow.bindings = {**outer, TOTAL: begin}

        def take(index: Number) -> None:
            so_far = self.flow.bindings[TOTAL]
            assert isinstance(so_far, Truth)
            truth = self.truths.of(self.item_at(vector, index))
            self.flow.bindings[TOTAL] = (self.truths.both if is_all else self.truths.either)(so_far, truth)

        self.over(vector.count, take, [TOTAL])
        return self._gathered(outer)

    def _gathered(self, outer: dict[str, Item]) -> Item:
        result = self.flow.bindings[TOTAL]
        self.flow.bindings = outer
        return replace(result, is_numpy=True) if isinstance(result, Number | Truth) else result

    def _np_sum(self, vector: Vector | Formula, /) -> Item:
        memory = self._reducible(vector)
        if isinstance(memory.memory, Buffer) and memory.memory.is_truth:
            raise Unlowerable("truths are not summed up: write np.where(..., 1.0, 0.0).sum()")
        total = self._buffer(1, moves=False)
        self.builder.store("double", ZERO, total.address, "0")
        return self._reduce(np.add, memory, total, 0, self._sum_of_slopes)

    def _np_mean(self, vector: Vector | Formula, /) -> Item:
        total = self._np_sum(vector)
        assert isinstance(total, Number)
        return self.arithmetic.binary("Div", total, constant(float(vector.count)))

    def _np_min(self, vector: Vector | Formula, /) -> Item:
        return self._extreme_of(np.minimum, vector)

    def _np_max(self, vector: Vector | Formula, /) -> Item:
        return self._extreme_of(np.maximum, vector)

    _np_amin, _np_amax = _np_min, _np_max

    def _extreme_of(self, function: Any, vector: Vector | Formula) -> Item:
        memory = self._reducible(vector)
        if not memory.count:
            raise Unlowerable("a vector without items has neither a least nor a greatest")
        best = self._buffer(1, moves=False)
        first = self.arithmetic.number(self.read_item(memory, Number("0", "int", known=0)))
        self.builder.store("double", first.text, best.address, "0")
        return self._reduce(function, memory, best, 1, self._slope_of_equal)

    def _reducible(self, vector: Vector | Formula) -> Vector:
        self._note_read(vector)
        return self.keep(vector)

    def _reduce(
        self, function: Any, vector: Vector, total: Buffer, first: int, slope: Callable[[Vector, Number], str | None]
    ) -> Number:
        """As numpy reduces: its loop over (total, items, total)."""
        try:
            symbol = symbol_of(function)
        except LookupError:
            raise Unlowerable(f"numpy's {function.__name__} is not followed") from None
        rest = Vector(vector.memory, vector.start + first * vector.step, vector.step, vector.count - first)
        if rest.count:
            items = (self._address(rest), self._stride(rest))
            self.builder.loop(symbol, [(total.address, 0), items, (total.address, 0)], rest.count)
        value = Number(self.builder.load("double", total.address, "0"), "float", is_numpy=True)
        return replace(value, slope=slope(vector, value)) if self.is_guided else value

    def _sum_of_slopes(self, vector: Vector, _: Number) -> str | None:
        def add(so_far: Number, item: Number) -> Number:
            return self.arithmetic.binary("Add", so_far, Number(item.slope or ZERO, "float"))

        return self._gather_slope(vector, add)

    def _slope_of_equal(self, vector: Vector, best: Number) -> str | None:
        def choose(so_far: Number, item: Number) -> Number:
            test = Truth(self.arithmetic.wire(item).test("oeq", self.arithmetic.wire(best)))
            return self.arithmetic.select(test, Number(item.slope or ZERO, "float"), so_far)

        return self._gather_slope(vector, choose)

    def _gather_slope(self, vector: Vector, join: Callable[[Number, Number], Number]) -> str | None:
        sample = vector.memory
        if isinstance(sample, Table) or (isinstance(sample, Buffer) and sample.slopes is None):
            return None
        outer = self.flow.bindings
        self.flow.bindings = {**outer, TOTAL: Number(ZERO, "float")}

        def take(index: Number) -> None:
            so_far = self.flow.bindings[TOTAL]
            assert isinstance(so_far, Number)
            self.flow.bindings[TOTAL] = join(so_far, self.arithmetic.number(self.read_item(vector, index)))

        self.over(vector.count, take, [TOTAL])
        result = self._gathered(outer)
        assert isinstance(result, Number)
        return result.text

    # --- numpy's functions that are no universal ones -------------------------------------------------------------

    def _np_copy(self, vector: Vector | Formula, /) -> Item:
        return self.copied(vector)

    def _np_where(self, test: Operand, then: Operand, otherwise: Operand, /) -> Item:
        def choose(truth: Number | Truth, one: Number | Truth, other: Number | Truth) -> Number | Truth:
            return self.arithmetic.select(self.truths.of(truth), one, other)

        return self._numpy_of([test, then, otherwise], choose)

    def _np_clip(self, item: Operand, low: Operand, high: Operand, /) -> Item:
        """Source: numpy, `_NPY_CLIP`: the greater of it and `low`, the less of that and `high`; NaN stays."""

        def bound(one: Number | Truth, limit: Number | Truth, comparison: str) -> Number:
            x, y = self.arithmetic.wire(one), self.arithmetic.wire(limit)
            stays = self.builder.value("or", "i1", x.test("uno", x), x.test(comparison, y))
            return self.arithmetic.select(Truth(stays), self.arithmetic.as_float(one), self.arithmetic.as_float(limit))

        return self._numpy_of([item, low, high], lambda x, a, b: bound(bound(x, a, "ogt"), b, "olt"))

    def _np_zeros(self, size: Operand, /) -> Item:
        return self._filled(size, constant(0.0))

    def _np_ones(self, size: Operand, /) -> Item:
        return self._filled(size, constant(1.0))

    def _np_full(self, size: Operand, value: Operand, /) -> Item:
        if not isinstance(value, Number | Truth):
            raise Unlowerable("numpy's full is followed with one number")
        return self._filled(size, self.arithmetic.as_float(value))

    def _np_zeros_like(self, vector: Vector | Formula, /) -> Item:
        return self._filled(constant(vector.count), constant(0.0))

    def _np_ones_like(self, vector: Vector | Formula, /) -> Item:
        return self._filled(constant(vector.count), constant(1.0))

    def _filled(self, size: Operand, value: Number | Truth) -> Vector:
        if not isinstance(size, Number) or size.kind != "int" or size.known is None:
            raise Unlowerable("the size has to be known: a number, a field that tells a size, len(...)")
        return self.keep(Formula(int(size.known), lambda _: value, (), self.epoch))

    def _np_dot(self, *_: Operand) -> Item:
        raise Unlowerable("numpy's dot sums in an order of its own: write (a * b).sum()")

    def _np_diff(self, vector: Vector | Formula, /) -> Item:
        kept = self.keep(vector)
        count = max(0, kept.count - 1)
        ahead = Vector(kept.memory, kept.start + kept.step, kept.step, count)
        return self.combine(ast.Sub(), ahead, Vector(kept.memory, kept.start, kept.step, count))

    def _np_roll(self, vector: Vector | Formula, by: Operand, /) -> Item:
        if not isinstance(by, Number) or by.kind != "int" or by.known is None:
            raise Unlowerable("numpy's roll is followed by a number that is known")
        kept = self.keep(vector)
        turn = int(by.known) % kept.count
        result = self._buffer(kept.count)
        for first, count, start in ((0, turn, kept.count - turn), (turn, kept.count - turn, 0)):
            part = Vector(kept.memory, kept.start + kept.step * start, kept.step, count)
            self._copy_to(result, first, part)
        return Vector(result, 0, 1, kept.count)

    def _copy_to(self, buffer: Buffer, first: int, part: Vector) -> None:
        target = Vector(buffer, first, 1, part.count)
        self.over(part.count, lambda k: self._store_in(buffer, self._place_in(target, k), self.read_item(part, k)))


_OPERATORS: Final[dict[str, ast.operator]] = {
    "add": ast.Add(),
    "subtract": ast.Sub(),
    "multiply": ast.Mult(),
    "divide": ast.Div(),
    "true_divide": ast.Div(),
    "negative": ast.Sub(),
}
_COMPARISONS: Final = {
    "less": "Lt",
    "less_equal": "LtE",
    "greater": "Gt",
    "greater_equal": "GtE",
    "equal": "Eq",
    "not_equal": "NotEq",
}
_WORDS: Final = {f"arc{word}": f"a{word}" for word in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
"""numpy's names of functions and those of `math`."""


def is_vector(item: Item) -> bool:
    """Whether something can be reckoned with as numpy reckons with arrays."""
    return isinstance(item, Vector | Formula) or (isinstance(item, Table) and item.array_size is not None)


def sources_of(item: Vector | Formula) -> tuple[Vector, ...]:
    """What in memory a vector is computed from."""
    return (item,) if isinstance(item, Vector) else item.sources
