"""Objects of classes that begin in rows: `Customer(sim, desk=desk, size=2.0).activate()`.

Such a row has the fields that are numbers, and all rows that one statement makes have the others in common. Its object
is made when it is looked for, as the constructor would have made it; nothing refers to it before it is in Python.
"""

from __future__ import annotations

import ast
from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import ACCESS, class_by_name, is_plain_class
from eventide.bodies.naming import ABSENT, Fact
from eventide.bodies.operands import KINDS, Thing, Unknown, constant
from eventide.declare import Component, fields_of
from eventide.discrete.processes.process import Process

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions, Value

_OWN: Final = ("_attach", "_attach_further", "_begin", "_default_name", "_place", "__new__", "activate", "name")
"""What a class has from `Process` if its objects are made and activated as those are."""
_PLAIN: Final = {
    name: getattr(Component if name == "_attach_further" else Process, name.replace("_further", "")) for name in _OWN
}


def object_made(expressions: BodyExpressions, node: ast.expr) -> tuple[type, FunctionType, ast.Call] | None:
    """The class of an object that a call makes and activates, its `run`, and the call that makes it; None for others.

    Raises Unknown for a class whose objects only Python makes.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "activate":
        return None
    made = node.func.value
    called = expressions.value(made.func) if isinstance(made, ast.Call) else None
    if not isinstance(made, ast.Call) or not isinstance(called, Thing) or not isinstance(called.value, type):
        return None
    kind = called.value
    if called.root or node.args or node.keywords or not issubclass(kind, Process) or not _is_made_plainly(kind):
        raise Unknown("objects of a class with a way of its own to be made or activated are made by Python", node)
    ask = class_by_name(kind)
    for name in (*ACCESS, *_OWN, "__init__", "run", *fields_of(kind)):
        expressions.naming.facts[id(kind), name] = Fact(ask, name, ask(name))
    method = getattr(kind, "run")  # noqa: B009  # of whatever class it is
    assert isinstance(method, FunctionType)
    return kind, method, made


def _is_made_plainly(kind: type) -> bool:
    """Whether the constructor of a class was generated from its fields, and only sets them."""
    if not is_plain_class(kind) or type(kind) is not type or hasattr(kind, "equations"):
        return False
    if any(getattr(kind, name, ABSENT) is not plain for name, plain in _PLAIN.items()):
        return False
    if any(hasattr(type(getattr(kind, name, None)), "__set__") for name in fields_of(kind)):
        return False
    constructor, method = getattr(kind, "__init__", None), getattr(kind, "run", None)
    if not isinstance(constructor, FunctionType) or not isinstance(method, FunctionType):
        return False
    is_ours = constructor.__code__.co_filename.startswith("<eventide ")
    return is_ours and not {"_complete", "_measure"} & {*constructor.__code__.co_names}


def name_given(expressions: BodyExpressions, node: ast.expr) -> tuple[tuple[str, ...], str]:
    """The texts of a name, one, or two with a number between them, and that number, "" for none. Raises Unknown."""
    if isinstance(node, ast.JoinedStr):
        places = [k for k, part in enumerate(node.values) if isinstance(part, ast.FormattedValue)]
        number = node.values[places[0]] if len(places) == 1 else None
        if isinstance(number, ast.FormattedValue) and number.conversion < 0 and number.format_spec is None:
            around = (node.values[: places[0]], node.values[places[0] + 1 :])
            texts = ("".join(str(part.value) for part in parts if isinstance(part, ast.Constant)) for parts in around)
            emission = expressions.emission
            was_pure, lines = emission.is_pure, len(emission.lines)
            found = expressions.number(number.value, "int")
            if emission.is_pure != was_pure or not (was_pure or lines == len(emission.lines)):
                raise Unknown("a name that is drawn is left to Python", node)
            return tuple(texts), found.text
        raise Unknown(
            "of names that are created each time those with one whole number are native, as it is written", node
        )
    value = expressions.value(node)
    if not isinstance(value, Thing) or value.root or type(value.value) is not str:
        raise Unknown("a name that is created each time is left to Python", node)
    return (value.value,), ""


def fields_given(
    expressions: BodyExpressions, kind: type, made: ast.Call
) -> tuple[tuple[tuple[str, ...], str], dict[str, Value]]:
    """The name that an object is given, as `name_given`, and the values of its fields. Raises Unknown."""
    sim = expressions.value(made.args[0]) if len(made.args) == 1 else None
    if not isinstance(sim, Thing):
        raise Unknown("it is made in another way than others are", made)
    expressions.naming.need_simulation(sim)
    name: tuple[tuple[str, ...], str] = ("",), ""
    given: dict[str, Value] = {}
    for keyword in made.keywords:
        if keyword.arg == "name":
            name = name_given(expressions, keyword.value)
        else:
            given[str(keyword.arg)] = expressions.value(keyword.value)
    values: dict[str, Value] = {}
    for field, spec in fields_of(kind).items():
        if field not in given and (spec.is_required or spec.factory is not None):
            raise Unknown(f"its field {field} is created each time, or missing", made)
        default = constant(spec.default) if type(spec.default) in KINDS else Thing("", (), spec.default)
        values[field] = given.pop(field, default)
    if given:
        raise Unknown("its arguments are not those that it takes", made)
    return name, values
