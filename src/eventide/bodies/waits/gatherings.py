"""Waits of bodies for all of several things: `yield ev.all_of(a=sim.process(f()), pause=ev.hold(2.0))`.

These are durations, and ends of processes that the command makes, or that the statements before it make for it alone.
What it returns is left to Python.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.bodies.operands import Thing, Unknown
from eventide.bodies.spawning import spawned
from eventide.bodies.waits.choices import duration_of
from eventide.discrete.processes.composite import all_of
from eventide.reading.nodes import is_composed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventide.bodies.expressions import BodyExpressions

_ROOM: Final = "if not {0}:\n    code = ROOM\n    break"


def is_gathering(command: ast.Yield) -> bool:
    """Whether a command looks like one for all of several others."""
    if not is_composed(command) or not isinstance(command.value, ast.Call):
        return False
    called = command.value.func
    return "all_of" in (getattr(called, "attr", ""), getattr(called, "id", ""))


def all_awaited(
    expressions: BodyExpressions, command: ast.Yield, resume: int, made: Mapping[str, ast.Call]
) -> tuple[str, ...]:
    """Write a wait for all of several things, which ends in a state; their names. Raises Unknown for other commands.

    made    by name, the processes that are made before it
    """
    emission, call = expressions.emission, command.value
    called = expressions.value(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(called, Thing) or called.value is not all_of:
        raise Unknown("it waits for something else", command)
    words = tuple(keyword.arg for keyword in call.keywords if keyword.arg is not None)
    if len(words) != len(call.keywords):
        raise Unknown("its commands are not all written there, by name", command)
    begin: list[str] = []
    rows = {name: spawned(expressions, one) for name, one in made.items()}
    for k, keyword in enumerate(call.keywords):
        name = keyword.value.id if isinstance(keyword.value, ast.Name) else ""
        row = rows.get(name) or spawned(expressions, keyword.value)
        text = row or duration_of(expressions, keyword.value).text
        begin.append(f"branch_{'joins' if row else 'holds'}(a, i, {k}, {text})")
    emission.emit_early(_ROOM.format(f"has_rows(a, {len(words)})"))
    if emission.prototypes:  # each test of `spawned` is for one row
        emission.emit_early(_ROOM.format(f"has_more(a, {len(words) + len(emission.prototypes)})"))
    emission.begin_effect()
    emission.emit("\n".join([*begin, f"a.activity.wait[i] = GATHERED\nat = {resume}\ncode = WAITS\nbreak"]))
    return words
