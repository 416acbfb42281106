"""Python's arithmetic on numbers of a kernel, to Python's bits, and the derivatives beside it.

Slopes are carried where they move: None means that a number stands still within a step, NAN that nothing is known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eventide.enclosures import guard_expressions
from eventide.enclosures.trees import number_of
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.values import (
    COUNTABLE,
    EXACT,
    Boolean,
    Kind,
    Number,
    Span,
    constant,
    is_within,
)
from eventide.native.ir import NAN, ONE, ZERO, Builder, Wire, real

if TYPE_CHECKING:
    from eventide.enclosures.guard_expressions import GuardExpression

OPERATIONS: Final[dict[str, Callable[..., float]]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
}
"""The operators that are followed, by the names of their syntax nodes."""

_FORMS: Final[dict[str, Callable[..., GuardExpression | None]]] = {
    "Add": guard_expressions.total,
    "Sub": guard_expressions.difference,
    "Mult": guard_expressions.product,
    "Div": guard_expressions.quotient,
    "FloorDiv": guard_expressions.whole_below,
    "Mod": guard_expressions.remainder,
}

FAR: Final = 2**62
"""Spans of whole numbers are followed up to here, where nothing wraps around."""
MULTIPLIED_OUT: Final = 16
"""Powers up to this one are products, unless `exact_pow` asks for the bits of the library's `pow`."""


class Arithmetic:
    """Writes instructions for operations on numbers.

    exact_pow   whether `**` keeps Python's last bit; otherwise small whole powers are multiplied out
    """

    def __init__(self, builder: Builder, *, exact_pow: bool) -> None:
        self.builder = builder
        self.exact_pow = exact_pow

    # --- kinds ----------------------------------------------------------------------------------------------------

    def number(self, item: Number | Boolean) -> Number:
        """A Boolean as 0 or 1, a number as it is."""
        if isinstance(item, Number):
            return item
        if item.known is not None:
            return Number(str(int(item.known)), "int", known=int(item.known))
        text, one, zero = (
            self.builder.convert("zext", "i1", item.text, "i64"),
            *map(guard_expressions.literal, (1.0, 0.0)),
        )
        form = guard_expressions.choice(number_of(item.tree), one, zero)
        return Number(text, "int", item.slope and NAN, span=(0, 1), form=form)

    def double(self, item: Number | Boolean) -> str:
        """The operand as a double."""
        number = self.number(item)
        if number.known is not None:
            return real(float(number.known))
        return number.text if number.kind != "int" else self.builder.convert("sitofp", "i64", number.text, "double")

    def exactly(self, number: Number) -> str:
        """The operand as a double that is the same number; Python is asked where a whole number has none.

        Raises Unlowerable if it surely has none.
        """
        if not number.has_double:
            if number.known is not None:
                raise Unlowerable("this whole number is too large for a double to be exact")
            far = self.builder.value("add", "i64", number.text, EXACT[1])
            self.builder.note_trap(self.builder.value("icmp ugt", "i64", far, 2 * EXACT[1]))
        return self.double(number)

    def in_reach(self, number: Number) -> str:
        """The same, if the double has none but whole numbers beside it, so that quotients are right as well."""
        value = self.exactly(number)
        is_near = number.known is not None and abs(number.known) <= EXACT[1]
        if (number.kind == "whole" or number.is_mixed) and not is_near:
            self.builder.note_inexact(value)
        return value

    def countable(self, item: Number | Boolean) -> Span:
        """Between which numbers the end of a range is: Python counts where that would be too far."""
        number = self.number(item)
        if is_within(number.extent, COUNTABLE):
            assert number.extent is not None
            return number.extent
        size = self.wire(number).machine("fabs")
        self.builder.note_trap(size.test("uge", float(COUNTABLE[1])) if self.builder.traps else "")
        return COUNTABLE

    def wire(self, item: Number | Boolean) -> Wire:
        """The operand as a double that can be computed with."""
        return Wire(self.builder, self.double(item))

    def as_float(self, item: Number | Boolean) -> Number:
        """`float(item)`."""
        number = self.number(item)
        known = None if number.known is None else float(number.known)
        return Number(self.double(number), "float", number.slope, known, form=number.form)

    def form(self, item: Number) -> GuardExpression | None:
        """How a number moves; None if that is not known."""
        return guard_expressions.still(self.double(item)) if item.slope is None else item.form

    def counter(self, item: Number | Boolean) -> str:
        """The operand as a whole number of 64 bits, as `range` wants it."""
        number = self.number(item)
        if number.kind == "float":
            raise Unlowerable("range takes whole numbers, and this is a float: write int(...)")
        return number.text if number.kind == "int" else self.builder.truncated(number.text)

    # --- slopes ---------------------------------------------------------------------------------------------------

    def add_slopes(self, one: str | None, other: str | None) -> str | None:
        """The slope of a sum."""
        if one is None or other is None:
            return other if one is None else one
        return NAN if NAN in (one, other) else self.builder.value("fadd", "double", one, other)

    def subtract_slopes(self, one: str | None, other: str | None) -> str | None:
        """The slope of a difference."""
        return self.add_slopes(one, self.turn_slope(other))

    def turn_slope(self, slope: str | None) -> str | None:
        """The slope of the negative."""
        return slope if slope is None or slope == NAN else self.builder.value("fneg", "double", slope)

    def scale_slope(self, slope: str | None, factor: str) -> str | None:
        """A slope times a number."""
        return slope if slope is None or slope == NAN else self.builder.value("fmul", "double", slope, factor)

    def choose_slope(self, test: str, then: str | None, otherwise: str | None) -> str | None:
        """The slope of whichever was chosen."""
        if then is None and otherwise is None:
            return None
        return self.builder.select(test, "double", then or ZERO, otherwise or ZERO)

    # --- operators ------------------------------------------------------------------------------------------------

    def binary(self, name: str, left: Number | Boolean, right: Number | Boolean) -> Number:
        """`left <operator> right`."""
        one, other = self.number(left), self.number(right)
        if one.known is not None and other.known is not None:
            folded = _fold(name, one.known, other.known)
            if folded is not None:
                return replace(folded, is_numpy=one.is_numpy or other.is_numpy)
        if name in ("Div", "FloorDiv", "Mod"):
            self._note_division(one, other)
        result: Number = getattr(self, f"_{name.lower()}")(one, other)
        if result.slope is not None:
            result = replace(result, form=self.form_of(name, one, other))
        if result.kind == "float" and name != "Div" and not (_is_surely_float(one) or _is_surely_float(other)):
            result = replace(result, is_mixed=True)
            self.builder.note_inexact(result.text)
        if one.is_numpy or other.is_numpy:
            if name == "FloorDiv":
                result = self._numpys_quotient(one, other, result)
            return replace(result, is_numpy=True)
        return replace(result, span=result.span or _span(name, one, other)) if result.kind == "int" else result

    def form_of(self, name: str, one: Number, other: Number) -> GuardExpression | None:
        """How the result of an operation moves."""
        first, second = self.form(one), self.form(other)
        if name == "Pow":
            return guard_expressions.power(first, second, other.known, lambda: self.wire(one).call("log").text)
        combine = _FORMS.get(name)
        return combine(first, second) if combine else None

    def _note_division(self, one: Number, other: Number) -> None:
        # Numpy divides by zero.
        if not (one.is_numpy or other.is_numpy or other.known) and self.builder.traps:
            self.builder.note_trap(self.wire(other).test("oeq", 0.0))

    def note_error(self, value: str, *arguments: Number) -> None:
        """Python raises where a function of finite numbers is not finite, or one of numbers is not a number."""
        if not self.builder.traps or any(argument.is_numpy for argument in arguments):
            return
        result = Wire(self.builder, value)
        is_nan = result.test("uno", result)
        is_infinite = result.machine("fabs").test("oeq", float("inf"))
        for argument in arguments:
            wire = self.wire(argument)
            is_number = wire.test("ord", wire)
            is_finite = wire.machine("fabs").test("olt", float("inf"))
            is_nan = self.builder.value("and", "i1", is_nan, is_number)
            is_infinite = self.builder.value("and", "i1", is_infinite, is_finite)
        self.builder.note_trap(self.builder.value("or", "i1", is_nan, is_infinite))

    def note_negative(self, argument: Number) -> None:
        """Python raises for the root of what is negative: one test of that in place of several of the root."""
        if self.builder.traps:
            self.builder.note_trap(self.wire(argument).test("olt", 0.0))

    def _numpys_quotient(self, one: Number, other: Number, quotient: Number) -> Number:
        """Numpy divides by zero: where Python refuses, the quotient is infinite or NaN."""
        dividend, divisor = self.wire(one), self.wire(other)
        value = self.wire(quotient).unless(divisor.test("oeq", 0.0), dividend / divisor)
        return Number(value.text, "float", quotient.slope)

    def negative(self, item: Number | Boolean) -> Number:
        """`-item`."""
        number = self.number(item)
        if number.known is not None:
            return self.number(constant(-number.known))
        if number.kind == "int" and number.span:
            span = -number.span[1], -number.span[0]
            return Number(self.builder.value("sub", "i64", 0, number.text), "int", number.slope, span=span)
        number = self._in_double(number)
        value = self.builder.value("fneg", "double", number.text)
        if number.kind == "whole":
            value = self.unsigned(value)
        slope = self.turn_slope(number.slope)
        form, is_mixed = guard_expressions.negative(number.form), number.is_mixed
        return Number(value, number.kind, slope, is_numpy=number.is_numpy, form=form, is_mixed=is_mixed)

    def absolute(self, item: Number | Boolean) -> Number:
        """`abs(item)`."""
        number = self.number(item)
        if number.kind == "int" and number.known is not None:
            return self.number(constant(abs(number.known)))
        if number.kind == "int" and number.span:
            below = self.builder.value("icmp slt", "i64", number.text, 0)
            opposite = self.builder.value("sub", "i64", 0, number.text)
            span = 0, max(map(abs, number.span))
            size = self.builder.select(below, "i64", opposite, number.text)
            return Number(size, "int", number.slope, span=span)
        number = self._in_double(number)
        value = self.builder.intrinsic("fabs", number.text)
        below = self.wire(number).test("olt", 0.0)
        slope = self.choose_slope(below, self.turn_slope(number.slope), number.slope)
        form, is_mixed = guard_expressions.size(number.form), number.is_mixed
        return Number(value, number.kind, slope, is_numpy=number.is_numpy, form=form, is_mixed=is_mixed)

    def _in_double(self, number: Number) -> Number:
        """A whole number of 64 bits in a double, as its opposite may have no room."""
        return number if number.kind != "int" else Number(self.exactly(number), "whole", number.slope)

    def _simple(self, word: str, one: Number, other: Number, slope: str | None) -> Number:
        if "float" in (one.kind, other.kind):
            value = self.builder.value(f"f{word}", "double", self.double(one), self.double(other))
            return Number(value, "float", slope)
        if (
            one.kind == other.kind == "int"
            and _span({"mul": "Mult"}.get(word, word.capitalize()), one, other) is not None
        ):
            return Number(self.builder.value(word, "i64", one.text, other.text), "int", slope)
        # It might not fit into 64 bits: a double tells when it is too large to be exact.
        value = self.builder.value(f"f{word}", "double", self.exactly(one), self.exactly(other))
        self.builder.note_inexact(value)
        return Number(self.unsigned(value), "whole", slope)

    def _add(self, one: Number, other: Number) -> Number:
        return self._simple("add", one, other, self.add_slopes(one.slope, other.slope))

    def _sub(self, one: Number, other: Number) -> Number:
        return self._simple("sub", one, other, self.subtract_slopes(one.slope, other.slope))

    def _mult(self, one: Number, other: Number) -> Number:
        slope = None
        if one.slope or other.slope:
            first, second = self.double(one), self.double(other)
            slope = self.add_slopes(self.scale_slope(one.slope, second), self.scale_slope(other.slope, first))
        return self._simple("mul", one, other, slope)

    def _div(self, one: Number, other: Number) -> Number:
        dividend, divisor = self.wire(one), self.wire(other)
        if "float" not in (one.kind, other.kind):  # Python rounds the quotient only
            dividend, divisor = (Wire(self.builder, self.exactly(number)) for number in (one, other))
        value = dividend / divisor
        slope = None
        if one.slope or other.slope:
            rest = self.subtract_slopes(one.slope, self.scale_slope(other.slope, value.text))
            slope = self.scale_slope(rest, (1.0 / divisor).text)
        return Number(value.text, "float", slope)

    def _floordiv(self, one: Number, other: Number) -> Number:
        if self._is_divided_by_known(one, other):
            return self._divide_whole(one, int(other.known or 0))[0]
        quotient, _ = self._divide_floats(one, other)
        moves = one.slope or other.slope
        return self._of_kind(quotient.text, one, other, moves and NAN)

    def _mod(self, one: Number, other: Number) -> Number:
        if self._is_divided_by_known(one, other):
            return self._divide_whole(one, int(other.known or 0))[1]
        quotient, remainder = self._divide_floats(one, other)
        slope = self.subtract_slopes(one.slope, self.scale_slope(other.slope, quotient.text))
        return self._of_kind(remainder.text, one, other, slope)

    def _of_kind(self, value: str, one: Number, other: Number, slope: str | None) -> Number:
        if "float" in (one.kind, other.kind):
            return Number(value, "float", slope)
        return Number(self.unsigned(value), "whole", slope)

    def unsigned(self, value: str) -> str:
        """A whole number in a double without the minus of -0.0, which Python's integers do not have."""
        return self.builder.value("fadd", "double", value, ZERO)

    def _is_divided_by_known(self, one: Number, other: Number) -> bool:
        # Any other divisor might be zero, which a double can say and a whole number cannot.
        return one.kind == other.kind == "int" and bool(other.known)

    def _divide_whole(self, one: Number, divisor: int) -> tuple[Number, Number]:
        """Quotient and remainder of whole numbers: towards minus infinity, where the machine goes towards zero."""
        builder = self.builder
        if divisor == -1:  # the machine faults where the quotient has no room
            return self.negative(one), Number("0", "int", known=0)
        quotient = builder.value("sdiv", "i64", one.text, divisor)
        remainder = builder.value("srem", "i64", one.text, divisor)
        is_off = builder.value(f"icmp {'slt' if divisor > 0 else 'sgt'}", "i64", remainder, 0)
        less = builder.value("sub", "i64", quotient, 1)
        more = builder.value("add", "i64", remainder, divisor)
        moves = one.slope and NAN
        return (
            Number(builder.select(is_off, "i64", less, quotient), "int", moves),
            Number(builder.select(is_off, "i64", more, remainder), "int", moves),
        )

    def _divide_floats(self, one: Number, other: Number) -> tuple[Wire, Wire]:
        """Quotient and remainder as Python has them; NaN where Python refuses to divide by zero.

        Source: CPython, Objects/floatobject.c, _float_div_mod and float_rem
        """
        dividend, divisor = self.wire(one), self.wire(other)
        if not (_is_surely_float(one) or _is_surely_float(other)):
            dividend, divisor = (Wire(self.builder, self.in_reach(number)) for number in (one, other))
        rest = Wire(self.builder, self.builder.library("fmod", dividend.text, divisor.text))
        quotient = (dividend - rest) / divisor
        is_exact = rest.test("oeq", 0.0)
        signs = self.builder.value("xor", "i1", divisor.test("olt", 0.0), rest.test("olt", 0.0))
        is_off = self.builder.value("and", "i1", signs, rest.test("une", 0.0))
        remainder = rest.unless(is_off, rest + divisor)
        remainder = remainder.unless(is_exact, Wire(self.builder, ZERO).machine("copysign", divisor))
        quotient = quotient.unless(is_off, quotient - 1.0)
        down = quotient.machine("floor")
        snapped = down.unless((quotient - down).test("ogt", 0.5), down + 1.0)
        zero = Wire(self.builder, ZERO).machine("copysign", dividend / divisor)
        return snapped.unless(quotient.test("oeq", 0.0), zero), remainder

    # --- powers ---------------------------------------------------------------------------------------------------

    def _pow(self, one: Number, other: Number) -> Number:
        return Number(*self._power_value(one, other), self._power_slope(one, other))

    def _power_value(self, one: Number, other: Number) -> tuple[str, Kind]:
        exponent = other.known
        if other.kind == "int" and exponent is not None and exponent >= 0 and one.kind != "float":
            if one.kind == "int" and _span("Pow", one, other) is not None:
                return self._multiply_out("mul", "i64", "1", one.text, int(exponent)), "int"
            power = self._multiply_out("fmul", "double", ONE, self.exactly(one), int(exponent))
            self.builder.note_inexact(power)
            return power, "whole"
        base = self.wire(one)
        if exponent is None or self.exact_pow:
            value = self.builder.library("pow", base.text, self.double(other))
            self.note_error(value, one, other)
            return value, "float"
        if exponent == 0.5:
            # The root of -0.0 would be -0.0, and its power is 0.0.
            root = (base + 0.0).machine("sqrt").text
            self._note_power(root, one)
            return root, "float"
        if exponent == int(exponent) and abs(exponent) <= MULTIPLIED_OUT:
            product = self._multiply_out("fmul", "double", ONE, base.text, abs(int(exponent)))
            if exponent >= 0:
                self._note_power(product, one)
                return product, "float"
            self._note_division(Number(ONE, "float", known=1.0), Number(product, "float", is_numpy=one.is_numpy))
            return (1.0 / Wire(self.builder, product)).text, "float"
        value = self.builder.library("pow", base.text, self.double(other))
        self.note_error(value, one, other)
        return value, "float"

    def _note_power(self, value: str, base: Number) -> None:
        if self.builder.overflows:
            self.note_error(value, base)
        else:
            self.builder.put_off(lambda: self.note_error(value, base))

    def _multiply_out(self, opcode: str, kind: str, unit: str, base: str, exponent: int) -> str:
        """A power by repeated squaring."""
        result, square = "", base
        while exponent:
            if exponent & 1:
                result = self.builder.value(opcode, kind, result, square) if result else square
            exponent >>= 1
            if exponent:
                square = self.builder.value(opcode, kind, square, square)
        return result or unit

    def _power_slope(self, one: Number, other: Number) -> str | None:
        if one.slope is None and other.slope is None:
            return None
        if NAN in (one.slope, other.slope):
            return NAN
        base, exponent = self.wire(one), self.wire(other)
        slope = None
        if one.slope:
            lower = self.binary("Sub", other, Number("1", "int", known=1))
            with self.builder.without_traps():
                factor = exponent * Wire(self.builder, self._power_value(self.as_float(one), lower)[0])
            slope = self.scale_slope(one.slope, factor.text)
        if other.slope:
            value = Wire(self.builder, self.builder.library("pow", base.text, exponent.text))
            slope = self.add_slopes(slope, self.scale_slope(other.slope, (value * base.call("log")).text))
        return slope

    # --- choices --------------------------------------------------------------------------------------------------

    def extreme(self, comparison: str, items: list[Number | Boolean]) -> Number:
        """The least ("lt") or greatest ("gt"), the first of equals, as `min` and `max` have it."""
        numbers = [self.number(item) for item in items]
        best = numbers[0]
        for number in numbers[1:]:
            best = self._better(comparison, best, number)
        kinds = {"truth" if isinstance(item, Boolean) else _is_surely_float(item) for item in items}
        return replace(best, is_mixed=True) if len(kinds) > 1 or any(n.is_mixed for n in numbers) else best

    def select(self, test: Boolean, then: Number | Boolean, otherwise: Number | Boolean) -> Number:
        """One of two numbers, both of which have been computed."""
        one, other = self.number(then), self.number(otherwise)
        moves = test.slope is not None or one.slope is not None or other.slope is not None
        slope = self.choose_slope(test.text, one.slope or ZERO, other.slope or ZERO) if moves else None
        if one.kind == other.kind == "int":
            text = self.builder.select(test.text, "i64", one.text, other.text)
            return Number(text, "int", slope, span=_hull(one, other))
        text = self.builder.select(test.text, "double", self.exactly(one), self.exactly(other))
        kind, is_mixed = _kind_of_either(one, other)
        return Number(text, kind, slope, is_mixed=is_mixed)

    def _better(self, comparison: str, best: Number, number: Number) -> Number:
        if best.kind == number.kind == "int":
            test = self.builder.value(f"icmp s{comparison}", "i64", number.text, best.text)
            span = None
            if number.extent and best.extent:
                choose = min if comparison == "lt" else max
                span = choose(number.extent[0], best.extent[0]), choose(number.extent[1], best.extent[1])
            value = self.builder.select(test, "i64", number.text, best.text)
            return Number(value, "int", self.choose_slope(test, number.slope, best.slope), span=span)
        else:
            sides = [Wire(self.builder, self.exactly(side)) for side in (number, best)]
            test = sides[0].test(f"o{comparison}", sides[1])
            kind: Kind = "float" if "float" in (best.kind, number.kind) else "whole"
            value = self.builder.select(test, "double", sides[0].text, sides[1].text)
        slope = self.choose_slope(test, number.slope, best.slope)
        form = None if slope is None else guard_expressions.extreme(comparison, self.form(number), self.form(best))
        return Number(value, kind, slope, form=form)


def _kind_of_either(one: Number, other: Number) -> tuple[Kind, bool]:
    """The kind of one of two numbers, in a double, and whether it is not known whether that is Python's."""
    if "float" not in (one.kind, other.kind):
        return "whole", False
    return "float", not (_is_surely_float(one) and _is_surely_float(other))


def _hull(one: Number, other: Number) -> Span | None:
    """Between which whole numbers each of two lies."""
    if one.extent is None or other.extent is None:
        return None
    return min(one.extent[0], other.extent[0]), max(one.extent[1], other.extent[1])


def _is_surely_float(number: Number) -> bool:
    return number.kind == "float" and not number.is_mixed


def _span(name: str, one: Number, other: Number) -> Span | None:
    """Between which whole numbers a result lies; None if that is not known, or too far to be of use."""
    span: Span | None = None
    if name == "Mod" and other.known:
        divisor = int(other.known)
        span = (0, divisor - 1) if divisor > 0 else (divisor + 1, 0)
    elif name == "Pow" and one.extent and other.kind == "int" and other.known is not None and 0 <= other.known <= 64:
        ends = [end ** int(other.known) for end in (*one.extent, 0)]
        span = min(ends), max(ends)
    elif name in ("Add", "Sub", "Mult", "FloorDiv") and one.extent and other.extent:
        if name == "FloorDiv" and not other.known:
            return None
        ends = [OPERATIONS[name](a, b) for a in one.extent for b in other.extent]
        span = min(ends), max(ends)
    return span if span and max(abs(span[0]), abs(span[1])) < FAR else None


def _fold(name: str, one: float, other: float) -> Number | None:
    """The operation done beforehand by Python itself; None where Python raises, so that the kernel gets its NaN."""
    if name == "Pow" and isinstance(one, int) and isinstance(other, int) and abs(one) > 1 and other > 1024:
        raise Unlowerable("this whole number is larger than any float")  # and would be computed in full first
    try:
        value = OPERATIONS[name](one, other)
    except ArithmeticError:
        return None
    if isinstance(value, complex):
        raise Unlowerable("this is a complex number")
    folded = constant(value)
    return folded if isinstance(folded, Number) else None
