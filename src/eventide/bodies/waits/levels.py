"""Levels of the user's that bodies read and change: `running.change(-1)`, `running.set(2)`, `running.value`.

A level whose values are whole numbers, of one type, goes away with the processes that may change it, and comes home
when it is looked at. Rows keep it as they keep those of a resource, by the same sums in the same order.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from math import copysign
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import class_by_name
from eventide.bodies.naming import Fact
from eventide.bodies.operands import Kind, Operand, Thing, Unknown
from eventide.discrete.resources.away import LEVEL_AWAY, AwayStation
from eventide.rows.codes import NONE
from eventide.statistics.level import Level, LevelState, set_state, state_of

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.discrete.world import World
    from eventide.rows.memory import RowMemory

MOST: Final = 2048
"""Values from here on are Python's."""
ROOM: Final = 64
"""The values for which there is room at least."""
_NEEDS: Final = f"""if not 0 <= {{1}} < a.level.size[{{0}}]:
    code = EXIT
    if 0 <= {{1}} < {MOST} and 2 * (a.level.value[{{0}}] + 2) >= a.level.size[{{0}}]:
        code = ROOM
    break"""


# --- in the text ------------------------------------------------------------------------------------------------------


def value_of_level(expressions: BodyExpressions, node: ast.Attribute) -> Operand | None:
    """The value of a level; None for what is none."""
    owner = _level(expressions, node, "value")
    if owner is None:
        return None
    text, kind = _known(expressions, owner, node)
    value = f"a.level.value[{text}]"
    return expressions.emission.keep(f"float({value})" if kind == "float" else value, kind, low=0.0, is_number=True)


def level_changed(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Write a change of a level; False for other expressions. Raises Unknown for one that is Python's."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    name = node.func.attr
    owner = _level(expressions, node.func, name) if name in ("change", "set") else None
    if owner is None:
        return False
    if len(node.args) != 1 or node.keywords:
        raise Unknown("it is called in another way than others are", node)
    text, kind = _known(expressions, owner, node)
    given, emission = expressions.number(node.args[0], "int", "float"), expressions.emission
    if given.kind == "float" and (kind == "int" or name == "set"):
        raise Unknown("a level that becomes a float is left to Python", node)
    if kind == "float" and name == "set":
        raise Unknown("a level of floats that becomes a whole number is left to Python", node)
    if not emission.is_pure:
        raise Unknown("it may fail after it has had an effect", node)
    if given.kind == "float":
        emission.stop_if(f"not (-{MOST}.0 < {given.text} < {MOST}.0)", given, node=node)
        whole = emission.keep(f"int({given.text})", "int")
        emission.stop_if(f"float({whole.text}) != {given.text}", given, node=node)
    else:
        whole = given
        emission.stop_if(f"not (-{MOST} < {given.text} < {MOST})", given, node=node)
    before = f"a.level.value[{text}] + " if name == "change" else ""
    value = emission.keep(f"{before}{whole.text}", "int").text
    emission.emit(_NEEDS.format(text, value))
    emission.begin_effect()
    emission.emit(f"move_level(a, {text}, {value})")
    return True


def _level(expressions: BodyExpressions, node: ast.Attribute, name: str) -> Thing | None:
    """The level of which an expression asks something by a name."""
    if node.attr != name or not isinstance(node.value, ast.Name | ast.Attribute):
        return None
    try:
        owner = expressions.tried(node.value)
    except Unknown:
        return None
    if not isinstance(owner, Thing) or type(owner.value) is not Level:
        return None
    ask = class_by_name(Level)
    for known in (name, "set"):
        expressions.naming.facts[id(Level), known] = Fact(ask, known, ask(known))
    found = expressions.value(node.value)
    assert isinstance(found, Thing)
    return found


def _known(expressions: BodyExpressions, owner: Thing, node: ast.AST) -> tuple[str, Kind]:
    """The variable of the kernel with the row of a level, and the type of its values. Raises Unknown."""
    kind = kind_of(owner.value)
    if kind is None:
        raise Unknown("a level that has had other values than small whole numbers of one type is left to Python", node)
    return expressions.naming.level(owner, kind), kind


def kind_of(level: Level) -> Kind | None:
    """The type of the values of a level, if rows can keep them; None if not."""
    state = state_of(level)
    if state is None:
        return None
    values = [state.value, *state.held]
    if all(type(value) is int for value in values):
        kind: Kind = "int"
    elif all(type(value) is float and value.is_integer() and copysign(1.0, value) > 0.0 for value in values):
        kind = "float"
    else:
        return None
    return kind if all(0 <= value < MOST for value in values) else None


def is_of(level: object, kind: Kind, world: World) -> bool:
    """Whether something is a level of a simulation with values of a type."""
    return type(level) is Level and kind_of(level) == kind and object.__getattribute__(level, "_clock") is world


# --- away -------------------------------------------------------------------------------------------------------------


class AwayLevel(AwayStation):
    """A level that is away, or was: as of a resource, but without requests.

    row     its row among the levels
    """

    def __init__(self, level: Level, memory: RowMemory) -> None:
        self.level = level
        self.row, self.station = memory.add_level(ROOM), NONE
        self._memory = memory
        self._type: type[float] = int

    def go(self, _: Mapping[Request, int]) -> dict[Request, int]:
        """Take over the state of the level; it has no requests."""
        state = state_of(self.level)
        assert state is not None
        self._type = type(state.value)
        held = {int(value): lasted for value, lasted in state.held.items()}
        self._memory.fill_level(self.row, int(state.value), state.changed, held)
        self._memory.widen_level(self.row, max(ROOM, 2 * (1 + max(int(state.value), *held, 0))))
        object.__setattr__(self.level, "__class__", LEVEL_AWAY)
        return {}

    def come(self, _: Callable[[int], Process | None]) -> dict[int, Request]:
        """The level has its state again."""
        object.__setattr__(self.level, "__class__", Level)
        known, l = self._type, self.row  # noqa: E741  # l is a level, as in `rows/statistics.py`
        held = {known(value): lasted for value, lasted in self._memory.durations(l).items()}
        value, changed = self._memory.level.value[l], self._memory.level.changed[l]
        set_state(self.level, LevelState(known(value), changed, held))
        return {}
