"""Waits of bodies for states: `yield ev.until(lambda: tank.level > 3.0)`.

A row waits by the guard that the stepper has kept of an earlier wait of its process at that place, or by one that a
process has left that has ended (`migration/shared_guards.py`): its number is a column of the row. Where there is none
the wait is Python's, which makes the guard. So the condition has to mean the same at each wait, but for numbers of the
row that it closes over: the guard is told these (`closures.py`).
"""

from __future__ import annotations

import ast
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, NamedTuple

from eventide.bodies.emission import EXIT
from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.bodies.waits.closures import FUNCTION, OWNER, Closure, closure_of, place_of
from eventide.discrete.conditions.until import until

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.frames import Frame


class Awaited(NamedTuple):
    """What is waited for at a place: the condition, and the priority; None for that of the simulation."""

    code: CodeType
    priority: float | None
    closure: Closure

    @property
    def is_lambda(self) -> bool:
        """Whether it is one that the process makes at each wait."""
        return FUNCTION not in self.closure.objects

    def is_like(self, other: Awaited) -> bool:
        """Whether the same guard serves both."""
        return self.code is other.code and self.closure.is_like(other.closure)


def watched(expressions: BodyExpressions, node: ast.expr, frame: Frame, resume: int) -> str:
    """Write a wait for a state; the variable of the kernel with its guard, "" for another command.

    resume  the state of the kernel behind it
    Raises Unknown for one that is left to Python.
    """
    text, is_prior = guard_of(expressions, node, frame)
    if text:
        expressions.emission.emit(f"at = {resume}\ncode = watch_for(a, i, {text}, {is_prior})\nbreak")
    return text


def guard_of(expressions: BodyExpressions, node: ast.expr, frame: Frame) -> tuple[str, bool]:
    """The variable of the kernel with the guard of a wait for a state, by which it can wait; "" for another command.

    And whether it comes before others of its priority. Raises Unknown for one that is left to Python.
    """
    called = expressions.value(node.func) if isinstance(node, ast.Call) and node.args else None
    if not isinstance(node, ast.Call) or not isinstance(called, Thing) or called.value is not until:
        return "", False
    if len(node.args) != 1:
        raise Unknown("it is called in another way than others are", node)
    naming, emission = expressions.naming, expressions.emission
    code, closure = _condition(expressions, node.args[0], frame)
    given = _given(expressions, node)
    world = naming.world
    for name in ("until_prior", "until_priority"):
        if name[6:] not in given:
            naming.note_setting(name)
    priority, is_prior = given.get("priority"), bool(given.get("prior", world.until_prior))
    text = naming.guard(Awaited(code, priority, closure))
    emission.emit_early(EXIT.format("a.run.arrays == 0"))
    emission.emit_early(f"{text} = guard_for(a, i, {text})")
    emission.emit_early(EXIT.format(f"{text} < 0"))
    emission.emit_early(EXIT.format(f"not may_watch(a, {text})"))
    for k, operand in enumerate(closure.numbers.values()):
        emission.emit_early(f"close_over(a, {text}, {place_of(text, k)}, float({operand.text}))")
    return text, is_prior


def _condition(expressions: BodyExpressions, node: ast.expr, frame: Frame) -> tuple[CodeType, Closure]:
    """The code of a condition, and what it closes over. Raises Unknown."""
    if isinstance(node, ast.Lambda):
        code = _code_of(frame, node)
        return code, closure_of(expressions, node, code)
    found = expressions.value(node)
    function: object = found.value if isinstance(found, Thing) else None
    if not isinstance(found, Thing) or not isinstance(function, FunctionType | MethodType):
        raise Unknown("waits are native for a lambda that is written there, for functions and for methods", node)
    objects = {}
    if isinstance(function, MethodType):
        objects[OWNER] = expressions.naming.owner_of(found)
        function = function.__func__
    if not isinstance(function, FunctionType) or function.__code__ in frame.function.__code__.co_consts:
        raise Unknown("it waits for what is created each time", node)
    expressions.naming.note_function(function)
    objects[FUNCTION] = Thing(expressions.naming.captures.function_root(function), (), function)
    return function.__code__, Closure.of_objects(objects)


def _code_of(frame: Frame, node: ast.Lambda) -> CodeType:
    file = frame.twin.definition.file
    codes = [code for code in frame.function.__code__.co_consts if isinstance(code, CodeType)]
    found = [code for code in codes if file.tree_of(code) is node]
    if len(found) != 1:
        raise Unknown("the code of the condition is not to be had", node)
    return found[0]


def _given(expressions: BodyExpressions, node: ast.Call) -> dict[str, float]:
    """What is written as priority and whether it is prior. Raises Unknown for other arguments."""
    given: dict[str, float] = {}
    for keyword in node.keywords:
        found = expressions.value(keyword.value) if keyword.arg in ("priority", "prior") else None
        known = ast.literal_eval(found.text) if isinstance(found, Operand) and _is_written(found) else None
        if isinstance(found, Thing) and not found.root and found.value is None:
            continue
        if keyword.arg is None or type(known) not in ((bool,) if keyword.arg == "prior" else (int, float)):
            raise Unknown("a wait is given a `priority` that is a written number, and `prior=True`", node)
        given[keyword.arg] = float(known or 0.0)
    return given


def _is_written(operand: Operand) -> bool:
    return operand.is_constant or operand.text in ("True", "False")
