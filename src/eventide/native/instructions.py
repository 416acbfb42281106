# ruff: noqa: ARG001  # a placeholder has the arguments of its instruction
"""Functions that stand for instructions: operations of native code that the stepper's language cannot express.

They are never run. `INSTRUCTIONS` says what is written in place of a call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import nan
from typing import Final

from eventide.native.expressions import Expressions
from eventide.native.ir import Block, Builder, real
from eventide.native.values import Kind, Value


def law(
    address: int, time: float, dt: float, last: float, y: int, r: int, y0: int, ix: int, calls: int, n: int, at: int
) -> int:
    """Call a law's kernel for `n` rows of the chain; returns 0, or RAISES."""
    return 0


def condition(
    address: int, time: float, dt: float, last: float, y: int, r: int, y0: int, ix: int, numbers: int, out: int, at: int
) -> int:
    """Call a condition's kernel; returns 0 or 1, or RAISES."""
    return 0


def fallback(address: int, c: int, f: int, time: float, dt: float) -> int:
    """Test a condition in Python, which returns 0 or 1; without one (-1) execute the laws of a flow."""
    return 0


def fused(
    address: int,
    index: int,
    calls: int,
    lists: int,
    worst: int,
    rows: int,
    width: int,
    low: int,
    start: float,
    rest: float,
    before: float,
    step: float,
    end: float,
) -> float:
    """Call the function that replaces `attempt` or `complete` in a small flow."""
    return 0.0


def combination(address: int, rows: int, width: int, low: int, high: int, factor: float, scale: float) -> None:
    """Call a method's kernel."""


def kernel(address: int, i: int) -> int:
    """Call the kernel of a native process, which gets the same arrays; returns what it does."""
    return 0


def stepper(address: int, arrays: int, *others: float) -> int:
    """Call a function of the stepper, whose arrays are at an address; returns what it does."""
    return 0


def value_of_stepper(address: int, arrays: int, *others: float) -> float:
    """The same of one that returns a float."""
    return 0.0


def order_to_stepper(address: int, arrays: int, *others: float) -> None:
    """The same of one that returns nothing."""


def truth_of_stepper(address: int, arrays: int, *others: float) -> bool:
    """The same of one that returns a truth."""
    return False


def address_of(item: object) -> int:
    """The address of an item of an array."""
    return 0


def call_builtin(address: int, *numbers: float) -> float:
    """What the builtin callable at an address makes of numbers; NaN if it has raised an error, which is then set."""
    return 0.0


def draw_next(address: int) -> float:
    """The next float of the iterator at an address; NaN as above."""
    return 0.0


def tell(address: int, value: float) -> int:
    """Give a float to the builtin callable at an address; 1 if it has raised an error, which is set then."""
    return 0


_CLOCK: Final[tuple[Kind, ...]] = ("double", "double", "double")
_LAW: Final[tuple[Kind, ...]] = (*_CLOCK, "ptr", "ptr", "ptr", "ptr", "ptr", "i64", "ptr")
_CONDITION: Final[tuple[Kind, ...]] = (*_CLOCK, "ptr", "ptr", "ptr", "ptr", "ptr", "ptr", "ptr")
_FUSED: Final[tuple[Kind, ...]] = ("ptr", "ptr", "ptr", "ptr", "ptr", "i64", "i64", *_CLOCK, "double", "double")
_COMBINATION: Final[tuple[Kind, ...]] = ("ptr", "i64", "i64", "i64", "double", "double")

Intrinsic = Callable[[Expressions, list[ast.expr]], Value]


def _call(kinds: tuple[Kind, ...], answer: Kind) -> Intrinsic:
    """A call of the function at the address that comes first."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        builder = expressions.builder
        address = builder.convert("inttoptr", "i64", expressions.number(arguments[0], "i64").text, "ptr")
        given = [(k, expressions.number(a, k).text) for a, k in zip(arguments[1:], kinds, strict=True)]
        return Value(builder.call(answer, address, *given), answer)

    return write


def _kernel(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    builder = expressions.builder
    address, row = (expressions.number(argument, "i64").text for argument in arguments)
    target = builder.convert("inttoptr", "i64", address, "ptr")
    return Value(builder.call("i64", target, ("ptr", "%a"), ("i64", row)), "i64")


def _stepper(answer: Kind) -> Intrinsic:
    """A call of a function of the stepper, which takes numbers as they are."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        builder = expressions.builder
        places = [expressions.number(argument, "i64").text for argument in arguments[:2]]
        target, arrays = (builder.convert("inttoptr", "i64", place, "ptr") for place in places)
        others = [expressions.value(argument) for argument in arguments[2:]]
        given = [(other.kind, other.text) for other in others]
        return Value(builder.call(answer, target, ("ptr", arrays), *given), answer)

    return write


def call_python(expressions: Expressions, kind: str, name: str, *given: tuple[str, str]) -> str:
    """Call a function of Python."""
    kinds = ", ".join(sort for sort, _ in given)
    expressions.builder.calls[name] = f"declare {kind} @{name}({kinds})"
    return expressions.builder.call(kind, f"@{name}", *given)


def object_at(expressions: Expressions, argument: ast.expr) -> str:
    """The object at an address."""
    return expressions.builder.convert("inttoptr", "i64", expressions.number(argument, "i64").text, "ptr")


def _called(function: str) -> Intrinsic:
    """A number from what a function of Python makes of the object at an address, and of a tuple of floats if it is
    given some.
    """

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        builder = expressions.builder
        target, done, ways = object_at(expressions, arguments[0]), builder.block(), list[tuple[str, Block]]()
        if len(arguments) > 1:
            tuple_of = _tuple(expressions, arguments[1:], done, ways)
            made = call_python(expressions, "ptr", "PyObject_CallObject", ("ptr", target), ("ptr", tuple_of))
            call_python(expressions, "void", "Py_DecRef", ("ptr", tuple_of))
        else:
            made = call_python(expressions, "ptr", function, ("ptr", target))
        _unless(builder, builder.value("icmp eq", "ptr", made, "null"), done, ways)
        value = call_python(expressions, "double", "PyFloat_AsDouble", ("ptr", made))
        call_python(expressions, "void", "Py_DecRef", ("ptr", made))
        assert builder.current is not None
        ways.append((value, builder.current))
        builder.jump(done)
        builder.enter(done)
        return Value(builder.merge(done, "double", ways), "double")

    return write


def _tuple(expressions: Expressions, numbers: list[ast.expr], done: Block, ways: list[tuple[str, Block]]) -> str:
    """A tuple of floats; where there is no memory for it, it is done."""
    builder = expressions.builder
    items = [expressions.number(number, "double").text for number in numbers]
    made = call_python(expressions, "ptr", "PyTuple_New", ("i64", str(len(items))))
    _unless(builder, builder.value("icmp eq", "ptr", made, "null"), done, ways)
    for k, item in enumerate(items):
        one = call_python(expressions, "ptr", "PyFloat_FromDouble", ("double", item))
        call_python(expressions, "i32", "PyTuple_SetItem", ("ptr", made), ("i64", str(k)), ("ptr", one))
    error = call_python(expressions, "ptr", "PyErr_Occurred")
    _unless(builder, builder.value("icmp ne", "ptr", error, "null"), done, ways)
    return made


def _unless(builder: Builder, has_failed: str, done: Block, ways: list[tuple[str, Block]]) -> None:
    """Go on if nothing has failed; else it is done, without a number."""
    then = builder.block()
    assert builder.current is not None
    ways.append((real(nan), builder.current))
    builder.branch(has_failed, done, then)
    builder.enter(then)


def _tell(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    builder = expressions.builder
    made = call_python(
        expressions, "ptr", "PyFloat_FromDouble", ("double", expressions.number(arguments[1], "double").text)
    )
    taker = object_at(expressions, arguments[0])
    answer = call_python(expressions, "ptr", "PyObject_CallOneArg", ("ptr", taker), ("ptr", made))
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))
    call_python(expressions, "void", "Py_DecRef", ("ptr", answer))  # nothing is done with NULL
    failed = builder.value("icmp eq", "ptr", answer, "null")
    return Value(builder.convert("zext", "i1", failed, "i64"), "i64")


def _address(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    item = arguments[0]
    assert isinstance(item, ast.Subscript)
    return Value(expressions.memory.address(*expressions.place(item)), "ptr")


def _drawn_by(answer: Kind) -> Intrinsic:
    """A call of the function whose address is the first of two in an object, with the second, and numbers."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        builder, place = expressions.builder, expressions.number(arguments[1], "i64").text
        entry = builder.value("getelementptr", "i8", object_at(expressions, arguments[0]), place)
        function, state = (builder.get("ptr", builder.address("ptr", entry, k)) for k in ("0", "1"))
        numbers = [expressions.value(number) for number in arguments[2:]]
        given = [(number.kind, number.text) for number in numbers]
        return Value(builder.call(answer, function, ("ptr", state), *given), answer)

    return write


def _word(expressions: Expressions, arguments: list[ast.expr]) -> str:
    """The address of a word of 32 bits: those that begin at an address, and which of them."""
    index = expressions.number(arguments[1], "i64").text
    return expressions.builder.value("getelementptr inbounds", "i32", object_at(expressions, arguments[0]), index)


def _word_at(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    word = expressions.builder.get("i32", _word(expressions, arguments))
    return Value(expressions.builder.convert("zext", "i32", word, "i64"), "i64")


def _set_word(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    builder = expressions.builder
    word = builder.convert("trunc", "i64", expressions.number(arguments[2], "i64").text, "i32")
    builder.put("i32", word, _word(expressions, arguments))
    return Value("", "void")


INSTRUCTIONS: Final[dict[str, Intrinsic]] = {
    "law": _call(_LAW, "i64"),
    "condition": _call(_CONDITION, "i64"),
    "fallback": _call(("i64", "i64", "double", "double"), "i64"),
    "fused": _call(_FUSED, "double"),
    "combination": _call(_COMBINATION, "void"),
    "kernel": _kernel,
    "stepper": _stepper("i64"),
    "value_of_stepper": _stepper("double"),
    "truth_of_stepper": _stepper("i1"),
    "order_to_stepper": _stepper("void"),
    "call_builtin": _called("PyObject_CallNoArgs"),
    "draw_next": _called("PyIter_Next"),
    "draw_by": _drawn_by("double"),
    "draw_whole_by": _drawn_by("i64"),
    "tell": _tell,
    "word_at": _word_at,
    "set_word": _set_word,
    "address_of": _address,
}
