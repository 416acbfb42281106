"""Statements of bodies that make processes: `sim.process(f(...))`, where `f` is a generator function that is known.

The new row is a copy of a prototype, which has what all processes of this statement have in common; then it gets the
arguments that are numbers, whose places in it are those of the function's arguments.
"""

from __future__ import annotations

import ast
from math import prod
from textwrap import indent
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Final, TypeGuard

from eventide.bodies.entities import sample_of
from eventide.bodies.frames import arguments_of, function_called
from eventide.bodies.objects import fields_given, name_given, object_made
from eventide.bodies.operands import Handed, Kind, Operand, Thing, Unknown, as_kept
from eventide.bodies.stations.choosing import MOST
from eventide.bodies.words import is_word
from eventide.discrete.world import World
from eventide.rows.codes import UNMADE

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.bodies.expressions import BodyExpressions, Value

_PROCESS: Final = World.process  # whatever stands in its place later
_NO_CALL: Final = "only processes of functions that yield, which are called there, are made by native code"
_ROOM: Final = """if {0} < 0:
    code = EXIT
    break
if not has_room(a, a.activity.kind[{0}]):
    code = ROOM
    break"""


class Site:
    """A statement that makes a process of a generator function.

    name        that it gives to the process: one text, "" for none, or two with a number between them
    arguments   of the function, or fields of the object: objects of Python, types of numbers, and what is handed over
    kind        the class of the object whose story the function is; None without one
    root        the name under which the function is reached, if each simulation has its own; else ""
    """

    def __init__(
        self,
        function: FunctionType,
        name: tuple[str, ...],
        arguments: dict[str, Thing | Kind | Handed],
        kind: type | None,
        root: str = "",
    ) -> None:
        self.function = function
        self.name = name
        self.arguments = arguments
        self.kind = kind
        self.root = root

    def of(self, function: FunctionType) -> Site:
        """The same statement where another function of the same code is called."""
        return Site(function, self.name, self.arguments, self.kind, self.root)


def is_spawn(node: ast.expr, expressions: BodyExpressions) -> TypeGuard[ast.Call]:
    """Whether an expression is a call of `sim.process`."""
    called = expressions.value(node.func) if isinstance(node, ast.Call) else None
    found = called.value if isinstance(called, Thing) else None
    return type(found) is MethodType and found.__func__ is _PROCESS


def function_of_spawn(
    expressions: BodyExpressions, node: ast.Call
) -> tuple[FunctionType, ast.FunctionDef, dict[str, Value]]:
    """The function of which a call of `sim.process` makes a process, its text, and its arguments. Raises Unknown."""
    story = node.args[0] if len(node.args) == 1 else None
    function, bound, made = function_called(expressions, story, _NO_CALL, node)
    given = arguments_of(expressions, function, bound, made)
    tree = expressions.naming.definition(function, yields=True).tree
    assert isinstance(tree, ast.FunctionDef)
    return function, tree, given


def spawned(expressions: BodyExpressions, node: ast.expr) -> str:
    """Write what makes a process, and return the variable of its row; "" for another kind of expression.

    Raises Unknown for a process that only Python can make.
    """
    naming, emission, kind, root = expressions.naming, expressions.emission, None, ""
    if (of_object := object_made(expressions, node)) is not None:
        kind, function, made = of_object
        (name, tag), values = fields_given(expressions, kind, made)
        order = tuple(values)
        if any(isinstance(one, Operand) and one.kind == "object" and not _is_of_few(one) for one in values.values()):
            raise Unknown("it hands over an object that is another one each time", made)
        naming.note_function(function)
    elif is_spawn(node, expressions):
        called = expressions.value(node.func)
        assert isinstance(called, Thing)
        naming.need_simulation(naming.owner_of(called))
        story = node.args[0] if len(node.args) == 1 else None
        function, bound, made = function_called(expressions, story, _NO_CALL, node)
        name, tag = _name_of(expressions, node)
        given, code = arguments_of(expressions, function, bound, made), function.__code__
        values = {key: as_kept(one) if isinstance(one, Operand) else one for key, one in given.items()}
        order = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        root = naming.captures.function_root(function)
    else:
        return ""

    def write(values: dict[str, Value]) -> str:
        chosen = [(argument, one) for argument, one in values.items() if isinstance(one, Operand) and _is_of_few(one)]
        if prod(len(one.among) for _, one in chosen) > MOST:
            raise Unknown("it hands over one of many objects", made)
        if chosen:
            argument, operand = chosen[0]
            return _for_each(expressions, operand, lambda one: write({**values, argument: one}), made)
        prototype = f"c_spawn{len(naming.spawns)}"
        emission.emit_early(_ROOM.format(prototype))
        arguments, row = _written(expressions, prototype, tag, values, order, made)
        naming.spawns[prototype] = Site(function, name, arguments, kind, root)
        return row

    return write(values)


def _is_of_few(operand: Operand) -> bool:
    """Whether it is one of a few objects that are no words, which are written in a row as they are."""
    return len(operand.among) > 0 and not any(is_word(one.value) for one in operand.among)


def _for_each(expressions: BodyExpressions, chosen: Operand, write: Callable[[Thing], str], node: ast.AST) -> str:
    """Write what is done with each of the objects of which one was chosen; the variable of what that gives."""
    naming, emission = expressions.naming, expressions.emission
    each = {naming.address(one): one for one in chosen.among}
    emission.stop_if(" and ".join(f"{chosen.text} != {address}" for address in each), chosen, node=node)
    found, parts = emission.name(), list[str]()
    for one in each.values():
        expressions.emission = emission.part()
        try:
            expressions.emission.emit(f"{found} = {write(one)}")
            parts.append(indent("\n".join(expressions.emission.lines), "    "))
        finally:
            expressions.emission = emission
    text = ""
    for address, part in zip(reversed(each), reversed(parts), strict=True):  # in another process two may be one object
        rest = f"\nelse:\n{indent(text, '    ')}" if text else ""
        text = f"if {chosen.text} == {address}:\n{part}{rest}"
    emission.begin_effect()
    emission.emit(text)
    return found


def _written(
    expressions: BodyExpressions,
    prototype: str,
    tag: str,
    values: dict[str, Value],
    order: tuple[str, ...],
    made: ast.Call,
) -> tuple[dict[str, Thing | Kind | Handed], str]:
    """Write the new row with those of some values that are numbers; what all rows have of them, and its variable.

    tag     the number in its name; "" for none
    """
    naming, emission = expressions.naming, expressions.emission
    arguments: dict[str, Thing | Kind | Handed] = {}
    for argument, value in values.items():
        if isinstance(value, Operand):
            if value.kind == "object" and not value.among and not value.is_made:
                emission.stop_if(f"{value.text} <= {UNMADE}", value, node=made)
            arguments[argument] = value.kind if value.sample is None else Handed(sample_of(value.sample))
        elif value.path and not (value.root and (value.root, value.path) in naming.things):
            raise Unknown("what it hands over is created each time", made)
        elif value.value is naming.created is not None:
            raise Unknown("it hands over an object that is not made yet", made)
        else:
            arguments[argument] = value._replace(value=None) if value.root else value
    emission.begin_effect()
    emission.prototypes.append(prototype)
    row = emission.keep(f"spawn_like(a, {prototype})", "int").text
    if tag:
        emission.emit(f"a.process.tag[{row}] = {tag}")
    places = {"wholes": 0, "reals": 0}
    for argument in order:
        operand = values[argument]
        if isinstance(operand, Operand):
            is_real = operand.kind in ("float", "mixed")
            texts = [("reals", operand.text)] if is_real else [("wholes", f"int({operand.text})")]
            texts += [("wholes", f"int({operand.whole})")] if operand.kind == "mixed" else []
            for table, text in texts:
                emission.emit(f"a.{table}[a.activity.{table}[{row}] + {places[table]}] = {text}")
                places[table] += 1
    return arguments, row


def _name_of(expressions: BodyExpressions, node: ast.Call) -> tuple[tuple[str, ...], str]:
    """The name that a process is given, as `name_given`."""
    for keyword in node.keywords:
        if keyword.arg != "name":
            raise Unknown("it is called in another way than others are", keyword.value)
        return name_given(expressions, keyword.value)
    return ("",), ""
