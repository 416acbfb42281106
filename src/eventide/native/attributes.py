"""Instructions for attributes and items of Python objects, which native code reads and sets where Python keeps them.

They are for objects whose classes leave that to Python itself, so no code of Python runs. `ATTRIBUTES` says what is
written in place of a call of these functions, which run as Python in `bodies/attributes.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.native.instructions import Intrinsic, call_python, object_at
from eventide.native.values import Value

if TYPE_CHECKING:
    from eventide.native.expressions import Expressions

Find: TypeAlias = "Callable[[Expressions, list[ast.expr]], str]"
"""What writes a call of Python that gives an object, or NULL."""
TOO_WIDE: Final = 2**62 + 1
"""In place of whole numbers that do not fit."""


def _found(expressions: Expressions, arguments: list[ast.expr]) -> str:
    owner, name = (object_at(expressions, argument) for argument in arguments[:2])
    return call_python(expressions, "ptr", "PyObject_GetAttr", ("ptr", owner), ("ptr", name))


def _item(expressions: Expressions, arguments: list[ast.expr]) -> str:
    owner, index = object_at(expressions, arguments[0]), expressions.number(arguments[1], "i64").text
    return call_python(expressions, "ptr", "PySequence_GetItem", ("ptr", owner), ("i64", index))


def _mapped(expressions: Expressions, arguments: list[ast.expr]) -> str:
    owner, key = (object_at(expressions, argument) for argument in arguments[:2])
    return call_python(expressions, "ptr", "PyObject_GetItem", ("ptr", owner), ("ptr", key))


def _typed(find: Find) -> Intrinsic:
    """A reference to what is found, of a certain type; 0 where it has another one, or there is nothing."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        return _of_type(expressions, object_at(expressions, arguments[2]), find(expressions, arguments))

    return write


def _of_type(expressions: Expressions, kind: str, made: str) -> Value:
    builder = expressions.builder
    given, other, missing, right, done = (builder.block() for _ in range(5))
    builder.branch(builder.value("icmp ne", "ptr", made, "null"), given, missing)
    builder.enter(given)
    found = call_python(expressions, "ptr", "PyObject_Type", ("ptr", made))
    call_python(expressions, "void", "Py_DecRef", ("ptr", found))
    builder.branch(builder.value("icmp eq", "ptr", found, kind), right, other)
    builder.enter(right)
    address = builder.convert("ptrtoint", "ptr", made, "i64")
    builder.jump(done)
    builder.enter(other)
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))
    builder.jump(done)
    builder.enter(missing)
    call_python(expressions, "void", "PyErr_Clear")
    builder.jump(done)
    builder.enter(done)
    return Value(builder.merge(done, "i64", [(address, right), ("0", other), ("0", missing)]), "i64")


def _length(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """How many items a list or a tuple has."""
    return Value(call_python(expressions, "i64", "PyObject_Size", ("ptr", object_at(expressions, arguments[0]))), "i64")


def _kept(expressions: Expressions, arguments: list[ast.expr], find: Find = _found) -> str:
    """An attribute, or an item of a dictionary, which its owner keeps; NULL if there is none."""
    builder, made = expressions.builder, find(expressions, arguments)
    missing, done = builder.block(), builder.block()
    builder.branch(builder.value("icmp eq", "ptr", made, "null"), missing, done)
    builder.enter(missing)
    call_python(expressions, "void", "PyErr_Clear")
    builder.jump(done)
    builder.enter(done)
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))  # nothing is done with NULL
    return made


def _is_attribute(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """1 if an attribute is a certain object."""
    builder = expressions.builder
    known = object_at(expressions, arguments[2])
    made = _kept(expressions, arguments)
    return Value(builder.convert("zext", "i1", builder.value("icmp eq", "ptr", made, known), "i64"), "i64")


def _now(find: Find) -> Intrinsic:
    """The address of what is found, which its owner keeps; 0 if there is none."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        return Value(expressions.builder.convert("ptrtoint", "ptr", _kept(expressions, arguments, find), "i64"), "i64")

    return write


def _is_same_text(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """1 if two strings have the same text."""
    builder = expressions.builder
    one, other = (object_at(expressions, argument) for argument in arguments)
    order = call_python(expressions, "i32", "PyUnicode_Compare", ("ptr", one), ("ptr", other))
    return Value(builder.convert("zext", "i1", builder.value("icmp eq", "i32", order, 0), "i64"), "i64")


def _set_object(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """Set an attribute to an object; 1 if that has raised an error, which is set then."""
    builder = expressions.builder
    owner, name, value = (object_at(expressions, argument) for argument in arguments)
    answer = call_python(expressions, "i32", "PyObject_SetAttr", ("ptr", owner), ("ptr", name), ("ptr", value))
    return Value(builder.convert("zext", "i1", builder.value("icmp ne", "i32", answer, 0), "i64"), "i64")


def _class_of(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """The address of the class of an object itself, whatever that says."""
    found = call_python(expressions, "ptr", "PyObject_Type", ("ptr", object_at(expressions, arguments[0])))
    call_python(expressions, "void", "Py_DecRef", ("ptr", found))
    return Value(expressions.builder.convert("ptrtoint", "ptr", found, "i64"), "i64")


def _is_of_class(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """1 if an object is of a class itself, whatever it says."""
    builder, found = expressions.builder, _class_of(expressions, arguments[:1]).text
    kind = expressions.number(arguments[1], "i64").text
    return Value(builder.convert("zext", "i1", builder.value("icmp eq", "i64", found, kind), "i64"), "i64")


def _taken_real(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """The value of a float to which there is a reference, which ends here."""
    made = object_at(expressions, arguments[0])
    value = call_python(expressions, "double", "PyFloat_AsDouble", ("ptr", made))
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))
    return Value(value, "double")


def _is_minus_zero(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """1 if a float is the zero with a sign."""
    builder = expressions.builder
    bits = builder.convert("bitcast", "double", expressions.number(arguments[0], "double").text, "i64")
    return Value(builder.convert("zext", "i1", builder.value("icmp eq", "i64", bits, -(2**63)), "i64"), "i64")


def _taken_whole(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """The same of a whole number, or of a Boolean."""
    builder = expressions.builder
    made = object_at(expressions, arguments[0])
    value = call_python(expressions, "i64", "PyLong_AsLongLong", ("ptr", made))
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))
    error = call_python(expressions, "ptr", "PyErr_Occurred")
    call_python(expressions, "void", "PyErr_Clear")
    failed = builder.value("icmp ne", "ptr", error, "null")
    return Value(builder.select(failed, "i64", str(TOO_WIDE), value), "i64")


def _dropped(expressions: Expressions, arguments: list[ast.expr]) -> Value:
    """The address of an object to which there is a reference, which ends here: something else has one."""
    made = object_at(expressions, arguments[0])
    call_python(expressions, "void", "Py_DecRef", ("ptr", made))
    return Value(expressions.builder.convert("ptrtoint", "ptr", made, "i64"), "i64")


def _setting(kind: str, function: str) -> Intrinsic:
    """Set an attribute to an object made of a number; 1 if that has raised an error, which is set then."""

    def write(expressions: Expressions, arguments: list[ast.expr]) -> Value:
        builder = expressions.builder
        number = expressions.number(arguments[2], "double" if kind == "double" else "i64").text
        made = call_python(expressions, "ptr", function, (kind, number))
        owner, name = (object_at(expressions, argument) for argument in arguments[:2])
        answer = call_python(expressions, "i32", "PyObject_SetAttr", ("ptr", owner), ("ptr", name), ("ptr", made))
        call_python(expressions, "void", "Py_DecRef", ("ptr", made))
        return Value(builder.convert("zext", "i1", builder.value("icmp ne", "i32", answer, 0), "i64"), "i64")

    return write


ATTRIBUTES: Final[Mapping[str, Intrinsic]] = {
    "attribute": _typed(_found),
    "item": _typed(_item),
    "mapped": _typed(_mapped),
    "kept_for": _now(_mapped),
    "held": _now(_found),
    "class_of": _class_of,
    "is_same_text": _is_same_text,
    "length": _length,
    "is_attribute": _is_attribute,
    "is_of_class": _is_of_class,
    "dropped": _dropped,
    "is_minus_zero": _is_minus_zero,
    "taken_real": _taken_real,
    "taken_whole": _taken_whole,
    "set_real": _setting("double", "PyFloat_FromDouble"),
    "set_whole": _setting("i64", "PyLong_FromLongLong"),
    "set_truth": _setting("i64", "PyBool_FromLong"),
    "set_object": _set_object,
}
