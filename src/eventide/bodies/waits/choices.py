"""Waits of bodies for the first of several things: `outcome = yield ev.first_of(served=place, gave_up=ev.hold(2.0))`.

One of these may be a request, that of a block around it or one that the command makes, or a put into a container or a
get, others are durations or waits for states. Of the outcome native code knows the name, and the request that is its
value in the block that gives it back: `with outcome.value`. Whatever else is done with an outcome leaves the whole
command to Python.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.arithmetic import real
from eventide.bodies.operands import LARGEST, Operand, Thing, Unknown, constant
from eventide.bodies.points import Block, Choice
from eventide.bodies.requests import asked
from eventide.bodies.waits.states import guard_of
from eventide.bodies.waits.transfers import transfer_made
from eventide.discrete.processes.composite import first_of
from eventide.reading.nodes import is_composed, is_named, is_request
from eventide.reading.outcomes import block_in, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.frames import Frame
    from eventide.bodies.naming import Naming

_NO_COMMAND: Final = "what a wait returns is native for `ev.first_of` alone"
_OTHER_USE: Final = "its outcome is used for something else than its name, or elsewhere"
_WATCHES: Final = "if not branch_watches(a, i, {0}, {1}, {2}):\n    code = FAILED\n    break"
_NEEDS: Final = "if not {0}:\n    code = ROOM\n    break"


class Written(NamedTuple):
    """A wait for the first of several things, as it is written.

    branches    what begins each; None for the request, and for the put or the get
    made        the text that makes the request, if the command makes one; stations: of that
    moved       the text that yields the put or the get
    """

    choice: Choice
    branches: list[str | None]
    made: str
    stations: tuple[str, ...]
    moved: str

    def begin(self, resume: int) -> str:
        """What begins the wait, which ends in a state."""
        choice, margin = self.choice, ""
        lines = [f"at = {resume}", *([f"q_{choice.request} = {self.made}"] if self.made else [])]
        for number, text in enumerate(self.branches):
            if text is not None:
                lines += [f"{margin}{line}" for line in text.split("\n")]
                continue
            begin = f"branch_asks(a, i, {number}, q_{choice.request})"
            if number == choice.moves:
                lines.append(f"{margin}b = new_branch(a, i, {number})")
                begin = f"ends_wait(a, i, b, {self.moved.format('b')})"
            lines.append(f"{margin}if not {begin}:")
            margin += "    "
        lines += [f"{margin}code = WAITS", f"{margin}break"]
        return "\n".join([*lines, *(["continue"] if margin else [])])

    @property
    def leaves(self) -> str:
        """The lines that give up its own request where something else came first."""
        choice = self.choice
        test = f"if a.activity.wait[i] < 0 or a.process.subject[i] != {choice.asked}:"
        return f"{test}\n    drop(a, q_{choice.request})\n    q_{choice.request} = -1"


def written(
    expressions: BodyExpressions, command: ast.Yield, target: str, blocks: Sequence[Block], number: int, frame: Frame
) -> Written:
    """Write what a wait for the first of several things needs before it begins. Raises Unknown for other commands.

    target      the variable of its outcome; "" without one
    blocks      of requests around it
    number      of the wait in the text
    frame       in whose text it is
    """
    naming, emission, call = expressions.naming, expressions.emission, command.value
    called = expressions.value(call.func) if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(called, Thing) or called.value is not first_of:
        raise Unknown(_NO_COMMAND, command)
    words = [keyword.arg for keyword in call.keywords if keyword.arg is not None]
    if call.args or not words or len(words) != len(call.keywords):
        raise Unknown("its commands are not all written there, by name", command)
    name = naming.key(target) if target else ""
    choice = Choice(number, tuple(words), name, -1, "", False)
    branches: list[str | None] = []
    made = moved = ""
    stations: tuple[str, ...] = ()
    for k, keyword in enumerate(call.keywords):
        key = naming.key(keyword.value.id) if isinstance(keyword.value, ast.Name) else ""
        block = next((one for one in blocks if one.name == key), None)
        transfer = transfer_made(expressions, keyword.value) if block is None else None
        if transfer is not None and choice.moves < 0:
            branches.append(None)
            choice = choice._replace(moves=k, inventories=transfer.inventories, side=transfer.side)
            moved = transfer.text
            continue
        if block is None and not is_request(keyword.value):
            guard, is_prior = guard_of(expressions, keyword.value, frame)
            if guard:
                choice = choice._replace(watched=(*choice.watched, (k, guard)))
                branches.append(_WATCHES.format(k, guard, is_prior))
            else:
                duration = duration_of(expressions, keyword.value).text
                branches.append(f"branch_holds(a, i, {k}, {duration})")
            continue
        if choice.asked >= 0:
            raise Unknown("several requests in one wait are left to Python", keyword.value)
        branches.append(None)
        if block is not None:
            stations, request = block.stations, block.name
            _need_unasked(expressions, block)
        else:
            stations, made = asked(expressions, keyword.value)
            request = naming.key(f"0{number}_{target}")
            if not target:
                raise Unknown("nothing gives back what it requests", keyword.value)
        choice = choice._replace(asked=k, request=request, is_own=block is None)
    emission.emit_early(_NEEDS.format(f"has_rows(a, {len(words)})"))
    if made and moved:
        raise Unknown("a request that the command makes beside a put or a get is left to Python", command)
    return Written(choice, branches, made, stations, moved)


def duration_of(expressions: BodyExpressions, node: ast.expr) -> Operand:
    """How long one of the things holds. Raises Unknown."""
    return _checked(expressions, expressions.number(node, "float"), node)


def held_for(expressions: BodyExpressions, node: ast.expr) -> Operand:
    """The float that `hold` makes of a number. Raises Unknown."""
    given = expressions.by_value(node, "int", "float", "mixed")
    found = given if given.kind == "float" else expressions.emission.keep(real(given), "float")
    return _checked(expressions, found, node)


def _checked(expressions: BodyExpressions, found: Operand, node: ast.expr) -> Operand:
    if not (found.is_number and found.low >= 0.0 and found.high <= LARGEST):
        expressions.emission.stop_if(f"not (0.0 <= {found.text} <= {LARGEST!r})", found, node=node)
    return found


def _need_unasked(expressions: BodyExpressions, block: Block) -> None:
    """A request that is waited for already, or over, is Python's."""
    state, emission = f"a.request.state[q_{block.name}]", expressions.emission
    emission.emit_early(f"if {state} != NEW and {state} != PREEMPTED:\n    code = EXIT\n    break")
    emission.emit_early(_NEEDS.format(f"is_ready(a, a.request.station[q_{block.name}])"))


def name_compared(naming: Naming, node: ast.Compare) -> Operand | None:
    """Whether one of several things came first: `outcome.name == "served"`; None for other comparisons."""
    one, other = node.left, node.comparators[0]
    choice = naming.choice_named(one) if isinstance(one, ast.Attribute) else None
    if choice is None or len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return None
    if not isinstance(other, ast.Constant) or type(other.value) is not str:
        return None
    is_same = isinstance(node.ops[0], ast.Eq)
    if other.value not in choice.words:
        return constant(not is_same)
    return Operand(f"(o_{choice.number} {'==' if is_same else '!='} {choice.words.index(other.value)})", "bool")


def chosen(naming: Naming, statement: ast.With) -> Choice | None:
    """The wait whose outcome has the request that a block gives back; None for other blocks."""
    name = value_of(statement)
    choice = naming.outcomes.get(name) if name else None
    return choice if choice is not None and choice.is_own else None


def unsettled(naming: Naming, blocks: Sequence[Block]) -> list[str]:
    """The tests of requests that were granted as the first of several things: a block gives them back, or Python."""
    names = {choice.request for choice in naming.outcomes.values() if choice.is_own}
    found = sorted(names - {block.name for block in blocks})
    return [f"if q_{name} >= 0:\n    code = EXIT\n    break" for name in found]


# --- what else is done with an outcome --------------------------------------------------------------------------------


def check_uses(tree: ast.FunctionDef, naming: Naming, name: str) -> None:
    """Raise Unknown unless the variable of an outcome is read only behind its wait, and only its name.

    Where the command makes a request the block that gives it back comes next, or is what a test of the name leads to,
    and nothing is read behind it.
    """
    nodes = list(ast.walk(tree))
    allowed: set[int] = set()
    for node in nodes:
        for suite in _suites(node):
            for k, statement in enumerate(suite):
                if _is_choice(statement, name):
                    allowed |= _scope(statement, suite[k + 1 :], name)
    is_other = name in naming.arguments or name in naming.bound or name not in naming.own
    for node in nodes:
        is_other = is_other or (is_named(node, name) and id(node) not in allowed)
        is_other = is_other or name in (getattr(node, "rest", None), getattr(node, "asname", None))
        is_other = is_other or (isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name == name)
        is_other = is_other or (isinstance(node, ast.Global | ast.Nonlocal) and name in node.names)
    if is_other or naming.kinds.get(naming.key(name)):
        raise Unknown(_OTHER_USE, tree)


def _is_choice(statement: ast.stmt, name: str) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and is_named(statement.targets[0], name)
        and isinstance(statement.value, ast.Yield)
        and is_composed(statement.value)
    )


def _suites(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value


def _scope(statement: ast.stmt, rest: list[ast.stmt], name: str) -> set[int]:
    """The names in the text that may mean an outcome, as ids of nodes."""
    assert isinstance(statement, ast.Assign)
    assert isinstance(statement.value, ast.Yield)
    assert isinstance(statement.value.value, ast.Call)
    call = statement.value.value
    asked_for = [k.arg or "" for k in call.keywords if is_request(k.value)]
    others = [k.arg or "" for k in call.keywords if not is_request(k.value)]
    allowed = {id(statement.targets[0])}
    end = None
    if asked_for:
        blocks = [block for one in rest if (block := block_in(one, name, asked_for[0], others)) is not None]
        if len(blocks) != 1:
            raise Unknown("no one block gives back what it requests", statement)
        end = blocks[0].end_lineno or 0, blocks[0].end_col_offset or 0
        allowed |= {id(node) for node in ast.walk(blocks[0].items[0].context_expr)}
    for one in rest:
        for node in ast.walk(one):
            if end is not None and (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) > end:
                continue
            if isinstance(node, ast.Attribute) and node.attr == "name" and is_named(node.value, name):
                allowed.add(id(node.value))
    return allowed
