"""Waits of bodies for states: `yield ev.until(lambda: tank.level > 3.0)`.

A row waits by the guard that the stepper has kept of an earlier wait of its process at that place: its number is a
column of the row. The first wait at a place is Python's, which makes the guard. So the condition has to mean the same
at each wait: what its lambda shares with the body is never set by native code.
"""

from __future__ import annotations

import ast
from operator import attrgetter
from types import CodeType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.naming import Fact
from eventide.bodies.operands import Thing, Unknown
from eventide.discrete.conditions.until import StateWait, until
from eventide.discrete.processes.composite import FirstOf

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.bodies.body import Body
    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.frames import Frame

_EXIT: Final = "if {0}:\n    code = EXIT\n    break"
_content: Final = attrgetter("cell_contents")


class Awaited(NamedTuple):
    """What is waited for at a place: the code of the condition, and the priority; None for that of the simulation."""

    code: CodeType
    priority: float | None


def watched(expressions: BodyExpressions, node: ast.expr, frame: Frame, resume: int) -> str:
    """Write a wait for a state; the variable of the kernel with its guard, "" for another command.

    resume  the state of the kernel behind it
    Raises Unknown for one that is left to Python.
    """
    if text := guard_of(expressions, node, frame):
        expressions.emission.emit(f"at = {resume}\ncode = watch_for(a, i, {text})\nbreak")
    return text


def guard_of(expressions: BodyExpressions, node: ast.expr, frame: Frame) -> str:
    """The variable of the kernel with the guard of a wait for a state, by which it can wait; "" for another command.

    Raises Unknown for one that is left to Python.
    """
    called = expressions.value(node.func) if isinstance(node, ast.Call) and node.args else None
    if not isinstance(node, ast.Call) or not isinstance(called, Thing) or called.value is not until:
        return ""
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Lambda):
        raise Unknown("waits are native for a lambda that is written there", node)
    naming, emission = expressions.naming, expressions.emission
    if frame.call is not None:
        raise Unknown("a wait for a state in a function that is gone through is left to Python", node)
    code = _code_of(frame, node.args[0])
    _need_lasting(expressions, node.args[0], code)
    world = naming.world
    priority = _priority_of(node)
    for name in ("until_prior", *(() if node.keywords else ("until_priority",))):
        naming.facts[id(world), name] = Fact(attrgetter(name), world, getattr(world, name))
    if world.until_prior:
        raise Unknown("a wait that comes before its equals is left to Python", node)
    text = naming.guard(Awaited(code, priority))
    emission.emit_early(_EXIT.format("a.run.arrays == 0"))
    emission.emit_early(_EXIT.format(f"{text} < 0"))
    emission.emit_early(_EXIT.format(f"not may_watch(a, {text})"))
    return text


def _code_of(frame: Frame, node: ast.Lambda) -> CodeType:
    file = frame.twin.definition.file
    codes = [code for code in frame.function.__code__.co_consts if isinstance(code, CodeType)]
    found = [code for code in codes if file.tree_of(code) is node]
    if len(found) != 1:
        raise Unknown("the code of the condition is not to be had", node)
    return found[0]


def _priority_of(node: ast.Call) -> float | None:
    """The number that is written as a priority; None if none is. Raises Unknown for other arguments."""
    for keyword in node.keywords:
        try:
            value = ast.literal_eval(keyword.value)
        except ValueError:
            value = None
        if keyword.arg != "priority" or len(node.keywords) > 1 or type(value) not in (int, float):
            raise Unknown("besides its lambda a wait is given a `priority` that is a written number", node)
        return float(value)
    return None


def _need_lasting(expressions: BodyExpressions, node: ast.Lambda, code: CodeType) -> None:
    """Raise Unknown unless the condition means the same at each wait of a row."""
    naming, given = expressions.naming, node.args
    for default in (*given.defaults, *given.kw_defaults):
        if default is None or isinstance(default, ast.Constant):
            continue
        found = expressions.value(default) if isinstance(default, ast.Name) else None
        if not isinstance(found, Thing) or found.path:
            raise Unknown("a default of its lambda is computed at each wait: let a field keep it", node)
    for name in code.co_freevars:
        if name in naming.shared:
            raise Unknown("another function may set what the condition reads", node)
        if name in naming.cells:
            cell = naming.cells[name]
            try:
                naming.facts[id(cell), f"cell {name}"] = Fact(_content, cell, _content(cell))
            except ValueError:
                raise Unknown("it has no value", node) from None


def guards_of(
    body: Body, at: int, wait: object, kept: Callable[[Awaited], StateWait | None]
) -> dict[int, StateWait] | None:
    """The guards by which a process in a state will wait, by the places of their numbers among its whole numbers.

    wait        what it waits for
    kept        gives the guard that is kept of what is waited for
    Returns     None where native code does not know that it waits for that
    """
    naming, places, choice = body.naming, body.layout.places, body.reading.points[at].choice
    present = naming.guards.get(body.reading.awaits.get(at, ""))
    if (present is not None and kept(present) is not wait) or (present is None and isinstance(wait, StateWait)):
        return None
    standing = wait.standing if isinstance(wait, FirstOf) else []
    for k, text in () if choice is None or not standing else choice.watched:
        if kept(naming.guards[text]) is not standing[k][2]:
            return None
    found = {places[text]: kept(awaited) for text, awaited in naming.guards.items()}
    return {place: guard for place, guard in found.items() if guard is not None}
