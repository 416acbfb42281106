"""The kinds of values in the stepper's source, and conversions between them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from eventide.native.ir import Builder, real

Kind: TypeAlias = Literal["i64", "double", "i1", "ptr", "void", "{ double, double }"]
"""A whole number, a real one, a Boolean, the arrays, nothing, and what `two_sum` returns."""

KINDS: Final[dict[str, Kind]] = {
    "int": "i64",
    "float": "double",
    "bool": "i1",
    "Arrays": "ptr",
    "Rows": "ptr",
    "None": "void",
    "tuple[float, float]": "{ double, double }",
}
"""Annotations and what they mean."""


class Untranslatable(Exception):
    """The stepper's source has something that native code has no words for: an error of this library."""


class Value(NamedTuple):
    """An operand and its kind."""

    text: str
    kind: Kind


def literal(value: float) -> Value:
    """A number that is known."""
    if isinstance(value, bool):
        return Value("true" if value else "false", "i1")
    return Value(str(value), "i64") if isinstance(value, int) else Value(real(value), "double")


def convert(builder: Builder, value: Value, kind: Kind) -> Value:
    """The same value as another kind: a Boolean as 0 or 1, a whole number as a real one, a real one truncated."""
    if value.kind == kind:
        return value
    if value.kind == "i64" and kind == "double":
        known = value.text.lstrip("-").isdigit()
        text = real(float(value.text)) if known else builder.convert("sitofp", "i64", value.text, "double")
    elif value.kind == "i1" and kind in ("i64", "double"):
        whole = builder.convert("zext", "i1", value.text, "i64")
        text = whole if kind == "i64" else builder.convert("sitofp", "i64", whole, "double")
    elif value.kind == "double" and kind == "i64":
        text = builder.convert("fptosi", "double", value.text, "i64")
    elif value.kind == "i64" and kind == "i1":
        text = builder.value("icmp ne", "i64", value.text, 0)
    elif value.kind == "double" and kind == "i1":
        text = builder.value("fcmp une", "double", value.text, real(0.0))
    else:
        raise Untranslatable(f"a {value.kind} where a {kind} is needed")
    return Value(text, kind)


def joined(one: Kind, other: Kind) -> Kind:
    """The kind in which two numbers meet."""
    if one == other:
        return one
    return "double" if "double" in (one, other) else "i64"
