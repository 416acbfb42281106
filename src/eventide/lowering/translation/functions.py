"""The functions of `math` and of `builtins` that numbers may be given to, with their derivatives.

They are those of the mathematical library that Python itself calls, so their bits are Python's. `hypot` is the
exception: Python has a formula of its own, and the last bit may differ. `gamma` and `lgamma` are Python's own as well
and differ more; they are not here.
"""

from __future__ import annotations

import builtins
import inspect
import math
from collections.abc import Callable
from dataclasses import replace
from math import log, pi
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.enclosures import guard_expressions
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.values import Boolean, Number
from eventide.native.ir import NAN, ONE, Wire

if TYPE_CHECKING:
    from eventide.lowering.translation.arithmetic import Arithmetic
    from eventide.lowering.translation.booleans import BooleanOperations

Rule: TypeAlias = Callable[[Wire], Wire]

BY_VALUE: Final[dict[str, Rule]] = {
    "exp": lambda y: y,
    "exp2": lambda y: y * log(2.0),
    "expm1": lambda y: y + 1.0,
    "sqrt": lambda y: 0.5 / y,
    "cbrt": lambda y: 1.0 / (3.0 * y * y),
    "tan": lambda y: 1.0 + y * y,
    "tanh": lambda y: 1.0 - y * y,
}
"""Functions of one number and their derivatives as formulas of the value."""

BY_ARGUMENT: Final[dict[str, Rule]] = {
    "log": lambda x: 1.0 / x,
    "log1p": lambda x: 1.0 / (1.0 + x),
    "log2": lambda x: 1.0 / (x * log(2.0)),
    "log10": lambda x: 1.0 / (x * log(10.0)),
    "sin": lambda x: x.call("cos"),
    "cos": lambda x: -x.call("sin"),
    "asin": lambda x: 1.0 / (1.0 - x * x).machine("sqrt"),
    "acos": lambda x: -1.0 / (1.0 - x * x).machine("sqrt"),
    "atan": lambda x: 1.0 / (1.0 + x * x),
    "sinh": lambda x: x.call("cosh"),
    "cosh": lambda x: x.call("sinh"),
    "asinh": lambda x: 1.0 / (x * x + 1.0).machine("sqrt"),
    "acosh": lambda x: 1.0 / (x * x - 1.0).machine("sqrt"),
    "atanh": lambda x: 1.0 / (1.0 - x * x),
    "erf": lambda x: (2.0 / math.sqrt(pi)) * (-(x * x)).call("exp"),
    "erfc": lambda x: (-2.0 / math.sqrt(pi)) * (-(x * x)).call("exp"),
}
"""Functions of one number and their derivatives as formulas of the argument."""

STEPS: Final = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "int": "trunc", "round": "rint"}
"""What makes a whole number of any number, and the machine's name for it."""


class Functions:
    """Writes instructions for calls of functions of numbers."""

    def __init__(self, arithmetic: Arithmetic, booleans: BooleanOperations) -> None:
        self.arithmetic = arithmetic
        self.booleans = booleans
        self.builder = arithmetic.builder
        self._table: dict[object, Callable[..., Number | Boolean]] = self._functions()

    def _functions(self) -> dict[object, Callable[..., Number | Boolean]]:
        table: dict[object, Callable[..., Number | Boolean]] = {
            abs: self.arithmetic.absolute,
            min: self._minimum,
            max: self._maximum,
            float: self.arithmetic.as_float,
            bool: self.booleans.of,
            math.fabs: lambda x: self.arithmetic.absolute(self.arithmetic.as_float(x)),
            math.isnan: self._is_nan,
            math.isinf: lambda x: self._compared_size(x, "oeq"),
            math.isfinite: lambda x: self._compared_size(x, "olt"),
            math.degrees: lambda x: self._times(x, 180.0 / pi),
            math.radians: lambda x: self._times(x, pi / 180.0),
            math.log: self._logarithm,
            math.pow: self._power,
            math.atan2: self._atan2,
            math.hypot: self._hypot,
            math.fmod: self._fmod,
            math.copysign: self._copysign,
        }
        for name in (*BY_VALUE, *BY_ARGUMENT):
            if hasattr(math, name):
                table.setdefault(getattr(math, name), self._of_one(name))
        for name, machine in STEPS.items():
            function = getattr(math, name, None) or getattr(builtins, name)
            table[function] = self._whole(machine)
        return table

    def knows(self, function: object) -> bool:
        """Whether `call` can be used."""
        return getattr(function, "__hash__", None) is not None and function in self._table

    def call(self, function: Callable[..., object], arguments: list[Number | Boolean]) -> Number | Boolean:
        """What the function gives.

        Raises Unlowerable if it cannot be called like that.
        """
        call = self._table[function]
        try:
            inspect.signature(call).bind(*arguments)
        except TypeError:
            raise Unlowerable(f"{function.__name__} with {len(arguments)} arguments is not followed") from None
        return call(*arguments)

    def root(self, item: Number | Boolean, /) -> Number:
        """The square root as numpy has it, NaN of what is negative."""
        with self.builder.without_traps():
            return self._of_one("sqrt")(item)

    def of_two(self, name: str, one: Number | Boolean, other: Number | Boolean, /) -> Number:
        """`hypot` or `fmod`, as numpy has them from the mathematical library."""
        with self.builder.without_traps():
            return self._hypot(one, other) if name == "hypot" else self._fmod(one, other)

    # --- of one number --------------------------------------------------------------------------------------------

    def _of_one(self, name: str) -> Callable[[Number | Boolean], Number]:
        def call(item: Number | Boolean, /) -> Number:
            number = self.arithmetic.number(item)
            x = self.arithmetic.wire(number)
            value = x.machine("sqrt") if name == "sqrt" else x.call(name)
            if name == "sqrt":
                self.arithmetic.note_negative(number)
            else:
                self.arithmetic.note_error(value.text, replace(number, is_numpy=False))
            slope = number.slope
            if slope is not None and slope != NAN:
                factor = BY_VALUE[name](value) if name in BY_VALUE else BY_ARGUMENT[name](x)
                slope = self.arithmetic.scale_slope(slope, factor.text)
            form = (
                guard_expressions.FUNCTIONS[name](number.form)
                if number.form and name in guard_expressions.FUNCTIONS
                else None
            )
            return Number(value.text, "float", slope, form=form)

        return call

    def _whole(self, machine: str) -> Callable[[Number | Boolean], Number]:
        def call(item: Number | Boolean, /) -> Number:
            number = self.arithmetic.number(item)
            if number.kind != "float":
                return number
            value = self.builder.intrinsic(machine, self.arithmetic.double(number))
            size = self.arithmetic.wire(number).machine("fabs")
            self.builder.note_trap(size.test("uge", math.inf) if self.builder.traps else "")
            # It jumps where its derivative of 0 tells nothing.
            form = guard_expressions.WHOLE[machine](number.form)
            return Number(self.arithmetic.unsigned(value), "whole", number.slope and NAN, form=form)

        return call

    def _times(self, item: Number | Boolean, factor: float) -> Number:
        number = self.arithmetic.as_float(item)
        scale = self.arithmetic.as_float(Number("", "float", known=factor))
        return self.arithmetic.binary("Mult", number, scale)

    def _is_nan(self, item: Number | Boolean) -> Boolean:
        number = self.arithmetic.number(item)
        wire = self.arithmetic.wire(number)
        return Boolean(wire.test("uno", wire), None, number.slope and NAN)

    def _compared_size(self, item: Number | Boolean, comparison: str) -> Boolean:
        """How the absolute value compares with infinity."""
        number = self.arithmetic.number(item)
        size = self.arithmetic.wire(number).machine("fabs")
        return Boolean(size.test(comparison, math.inf), None, number.slope and NAN)

    # --- of two and more ------------------------------------------------------------------------------------------

    def _minimum(self, first: Number | Boolean, second: Number | Boolean, /, *others: Number | Boolean) -> Number:
        return self.arithmetic.extreme("lt", [first, second, *others])

    def _maximum(self, first: Number | Boolean, second: Number | Boolean, /, *others: Number | Boolean) -> Number:
        return self.arithmetic.extreme("gt", [first, second, *others])

    def _logarithm(self, item: Number | Boolean, base: Number | Boolean | None = None, /) -> Number:
        natural = self._of_one("log")
        if base is None:
            return natural(item)
        return self.arithmetic.binary("Div", natural(item), natural(base))

    def _power(self, base: Number | Boolean, exponent: Number | Boolean, /) -> Number:
        return self.arithmetic.binary("Pow", self.arithmetic.as_float(base), self.arithmetic.as_float(exponent))

    def _two(
        self, name: str, one: Number | Boolean, other: Number | Boolean
    ) -> tuple[Number, Number, Wire, Wire, Wire]:
        first, second = self.arithmetic.number(one), self.arithmetic.number(other)
        x, y = self.arithmetic.wire(first), self.arithmetic.wire(second)
        if name == "copysign":
            value = x.machine(name, y)
        else:
            value = Wire(self.builder, self.builder.library(name, x.text, y.text))
            if name != "hypot":
                self.arithmetic.note_error(value.text, replace(first, is_numpy=False), replace(second, is_numpy=False))
        return first, second, x, y, value

    def _weighted(self, one: str | None, factor: Wire, other: str | None, weight: Wire) -> str | None:
        scale = self.arithmetic.scale_slope
        return self.arithmetic.add_slopes(scale(one, factor.text), scale(other, weight.text))

    def _atan2(self, one: Number | Boolean, other: Number | Boolean, /) -> Number:
        first, second, y, x, value = self._two("atan2", one, other)
        slope = None
        if first.slope or second.slope:
            square = x * x + y * y
            slope = self._weighted(first.slope, x / square, second.slope, -y / square)
        return Number(value.text, "float", slope)

    def _hypot(self, one: Number | Boolean, other: Number | Boolean, /) -> Number:
        first, second, x, y, value = self._two("hypot", one, other)
        slope = None
        if first.slope or second.slope:
            slope = self._weighted(first.slope, x / value, second.slope, y / value)
            form = guard_expressions.hypotenuse(self.arithmetic.form(first), self.arithmetic.form(second))
            return Number(value.text, "float", slope, form=form)
        return Number(value.text, "float", slope)

    def _fmod(self, one: Number | Boolean, other: Number | Boolean, /) -> Number:
        first, second, x, y, value = self._two("fmod", one, other)
        slope = first.slope
        if second.slope:
            slope = self._weighted(first.slope, Wire(self.builder, ONE), second.slope, (value - x) / y)
        dividend, divisor = self.arithmetic.form(first), self.arithmetic.form(second)
        whole = guard_expressions.WHOLE["trunc"](guard_expressions.quotient(dividend, divisor))
        form = guard_expressions.difference(dividend, guard_expressions.product(divisor, whole)) if slope else None
        return Number(value.text, "float", slope, form=form)

    def _copysign(self, one: Number | Boolean, other: Number | Boolean, /) -> Number:
        first, second, x, _, value = self._two("copysign", one, other)
        slope = self.arithmetic.choose_slope(value.test("oeq", x), first.slope, self.arithmetic.turn_slope(first.slope))
        slope = slope or (second.slope and NAN)  # it jumps where its derivative of 0 tells nothing
        size = guard_expressions.size(self.arithmetic.form(first))
        form = guard_expressions.choice(self.arithmetic.form(second), size, guard_expressions.negative(size))
        return Number(value.text, "float", slope, form=form if slope else None)
