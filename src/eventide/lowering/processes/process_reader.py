"""The code of a process between its waits: from each `yield until(...)` the statements up to the next ones.

Such a segment is rewritten as a plain function of the names that it reads; it returns the number of the wait point at
which the process waits then. Where only Python can go on it raises, so that its lowering leaves that path to Python.
"""

from __future__ import annotations

import ast
import dis
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.discrete.conditions.until import until
from eventide.lowering.kernels.lowered import Constant
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.processes.liveness import Liveness, closures_in
from eventide.reading.source import Definition

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 400
"""So many statements a segment has at most, with all its ways."""
INTROSPECTION: Final = frozenset(["locals", "vars", "dir", "eval", "exec", "globals", "_getframe", "currentframe"])
"""Who calls these may see names of which nothing is known."""

Compound: TypeAlias = ast.If | ast.While


@dataclass(frozen=True)
class WaitPoint:
    """A yield.

    text        its first line, shortened
    condition   the code of what is waited for there; None if it is no `until` of a lambda, so that Python waits there
    offset      of the instruction at which a generator stands there
    priority    of the wait; None if it is not written there
    why         native code cannot wait there; empty if it can, or if that is no `until` of a lambda
    """

    line: int
    text: str
    condition: CodeType | None
    offset: int
    priority: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Segment:
    """What comes behind a wait point.

    function    the statements up to the next wait points, whose numbers it returns
    names       of its arguments
    """

    function: FunctionType
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ProcessCode:
    """A generator function, read.

    wait_points in the order of the text; segments: behind those at which native code may wait
    constants   by what `until` is found, as that may be exchanged
    definitions of the functions of the segments
    """

    wait_points: tuple[WaitPoint, ...]
    segments: dict[int, Segment]
    constants: tuple[Constant, ...]
    definitions: tuple[tuple[CodeType, Definition], ...]


@dataclass(eq=False)
class _Block:
    """Some statements, and whose they are.

    owner   the `if` or `while`; None of the function's own
    place   of the owner among the statements of the block around
    """

    statements: list[ast.stmt]
    owner: Compound | None = None
    around: _Block | None = None
    place: int = 0


class Reader:
    """Reads the code of one generator function.

    Raises CannotLower if nothing of it can be native code.
    """

    def __init__(self, definition: Definition, function: FunctionType) -> None:
        assert isinstance(definition.tree, ast.FunctionDef)
        self.definition = definition
        self.tree = definition.tree
        self.function = function
        self.code = function.__code__
        self.names = {*self.code.co_varnames, *self.code.co_cellvars, *self.code.co_freevars}
        self.constants: dict[tuple[str, str], Constant] = {}
        self.changing: frozenset[str] = frozenset()
        self._yields: list[tuple[ast.Expr, _Block, int]] = []
        self._numbers: dict[ast.stmt, int] = {}
        self._blocks: dict[tuple[ast.stmt, str], _Block] = {}
        self._size = 0

    def read(self) -> ProcessCode:
        """Find its wait points and what comes behind each."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                raise self._refusal(node, "names that several functions set are left to Python")
        if INTROSPECTION & {*self.code.co_names}:
            raise self._refusal(self.tree, f"it calls one of {', '.join(sorted(INTROSPECTION))}")
        root = _Block(self.tree.body)
        self._collect(root)
        self.changing = self._find_changing()
        wait_points = tuple(self._wait_point(statement) for statement, _, _ in self._yields)
        bodies = [self._behind(number) for number in range(len(wait_points))]
        self._check_names()
        segments, definitions = {}, []
        for number, (wait_point, body) in enumerate(zip(wait_points, bodies, strict=True)):
            if wait_point.condition is not None:
                segment, definition = self._segment(number, body)
                segments[number] = segment
                definitions.append((segment.function.__code__, definition))
        return ProcessCode(wait_points, segments, tuple(self.constants.values()), tuple(definitions))

    def _refusal(self, node: ast.AST, why: str) -> CannotLower:
        return self.definition.refusal(node, why)

    # --- where it waits -------------------------------------------------------------------------------------------

    def _collect(self, block: _Block) -> None:
        for place, statement in enumerate(block.statements):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
                self._numbers[statement] = len(self._yields)
                self._yields.append((statement, block, place))
                if statement.value.value is not None and any(_yields_in(statement.value.value)):
                    raise self._refusal(statement, "a yield inside another is left to Python")
            elif isinstance(statement, Compound):
                if any(_yields_in(statement.test)):
                    raise self._refusal(statement.test, "the value of a yield is left to Python")
                for name in ("body", "orelse"):
                    inner = _Block(getattr(statement, name), statement, block, place)
                    self._blocks[statement, name] = inner
                    self._collect(inner)
                if isinstance(statement, ast.While) and statement.orelse:
                    raise self._refusal(statement, "`else` of a loop is left to Python")
            elif any(_yields_in(statement)):
                raise self._refusal(
                    statement, "native code continues only after a yield that is a statement, within `if` and `while`"
                )

    def _wait_point(self, statement: ast.Expr) -> WaitPoint:
        assert isinstance(statement.value, ast.Yield)
        command, condition, offset, why = statement.value.value, None, -1, ""
        try:
            condition = self._condition(command)
            offset = self._offset(statement)
        except Unlowerable as refusal:
            condition, why = None, str(refusal)
        return WaitPoint(
            statement.lineno, self.definition.file.excerpt(statement), condition, offset, _priority(command), why
        )

    def _offset(self, statement: ast.Expr) -> int:
        """Where the yield of a statement stands, which is made anew by going to its line.

        Raises Unlowerable if that would execute anything else as well.
        """
        steps = [step for step in dis.get_instructions(self.code) if step.positions is not None]
        # What can never be reached has no instruction; where one stands often nobody knows which it is.
        yields = [step for step in steps if step.opname == "YIELD_VALUE" and _covers(statement, step.positions)]
        if len(yields) != 1:
            raise Unlowerable("its place in the compiled code cannot be determined")
        offset, entry = (
            yields[0].offset,
            next(step.offset for step in steps if step.positions and step.positions.lineno == statement.lineno),
        )
        if any(entry <= step.offset < offset and not _covers(statement, step.positions) for step in steps):
            raise Unlowerable("other code comes before it on its line: give the `yield` a line of its own")
        return offset

    def _condition(self, command: ast.expr | None) -> CodeType | None:
        """The code of the lambda that is waited for; None if the command is another.

        Raises Unlowerable for an `until` of a lambda with which native code cannot wait.
        """
        if not isinstance(command, ast.Call) or len(command.args) != 1 or not isinstance(command.args[0], ast.Lambda):
            return None
        if self._named(command.func) is not until:
            return None
        if any(k.arg != "priority" or _priority(command) is None for k in command.keywords):
            raise Unlowerable("besides its lambda it is given more than a `priority` that is a written number")
        given, lasting = command.args[0].args, {*self.code.co_varnames, *self.code.co_cellvars} - self.changing
        for default in (*given.defaults, *given.kw_defaults):
            is_lasting = isinstance(default, ast.Name) and default.id in lasting
            if not (default is None or isinstance(default, ast.Constant) or is_lasting):
                raise Unlowerable("a default of its lambda is computed at each wait: let a field keep it")
        codes = [code for code in self.code.co_consts if isinstance(code, CodeType)]
        trees = [code for code in codes if self.definition.file.tree_of(code) is command.args[0]]
        return trees[0] if len(trees) == 1 else None

    def _named(self, node: ast.expr) -> Any:
        """What a global name, or one of a module, stands for; None if that is not to be had."""
        if isinstance(node, ast.Name) and node.id not in self.names:
            return self._take(self.function.__globals__, node.id)
        if isinstance(node, ast.Attribute):
            module = self._named(node.value)
            if isinstance(module, ModuleType):
                return self._take(vars(module), node.attr)
        return None

    def _take(self, namespace: dict[str, Any], name: str) -> Any:
        value, where = namespace.get(name), str(namespace.get("__name__"))
        self.constants[where, name] = Constant(where, name, value, namespace)
        return value

    # --- what comes behind a wait point ---------------------------------------------------------------------------

    def _behind(self, number: int) -> list[ast.stmt]:
        _, block, place = self._yields[number]
        self._size = 0
        return self._from(block, place + 1, frozenset())

    def _from(self, block: _Block, place: int, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """The statements of a block from one on, and what comes behind it, up to the next wait points.

        passed  the loops at whose heads the way has come by
        """
        found: list[ast.stmt] = []
        for here, statement in enumerate(block.statements[place:], start=place):
            self._size += 1
            if self._size > LONGEST:
                raise self._refusal(self.tree, f"a path between two waits has more than {LONGEST} statements")
            if statement in self._numbers:
                return [*found, _located(ast.Return(ast.Constant(self._numbers[statement])), statement)]
            if isinstance(statement, ast.Return):
                return [*found, _leave(statement, "the process ends here")]
            if isinstance(statement, ast.Break | ast.Continue):
                return [*found, *self._leap(statement, block, passed)]
            if isinstance(statement, Compound) and self._is_left(statement):
                if isinstance(statement, ast.While):
                    return [*found, *self._head(statement, block, here, passed)]
                ways = [self._from(self._blocks[statement, name], 0, passed) for name in ("body", "orelse")]
                return [*found, _located(ast.If(statement.test, *ways), statement)]
            if self._is_left(statement):
                return [*found, _leave(statement, "it may leave this statement before its end")]
            found.append(statement)
        return [*found, *self._beyond(block, passed)]

    def _is_left(self, statement: ast.stmt) -> bool:
        """Whether a wait point stands in a statement, or a path out of it."""
        return any(node in self._numbers or _is_way_out(node, statement) for node in _nodes_in(statement))

    def _beyond(self, block: _Block, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes behind the last statement of a block."""
        if block.owner is None or block.around is None:
            return [_leave(block.statements[-1], "the process ends behind this")]
        if isinstance(block.owner, ast.While):
            return self._head(block.owner, block.around, block.place, passed)
        return self._from(block.around, block.place + 1, passed)

    def _head(self, loop: ast.While, around: _Block, place: int, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes at the head of a loop."""
        if loop in passed:
            return [_leave(loop, "a path round this loop has no wait")]
        passed |= {loop}
        inside = self._from(self._blocks[loop, "body"], 0, passed)
        if isinstance(loop.test, ast.Constant) and loop.test.value:
            return inside
        return [_located(ast.If(loop.test, inside, self._from(around, place + 1, passed)), loop)]

    def _leap(self, statement: ast.stmt, block: _Block, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes behind a `break` or `continue`."""
        while not isinstance(block.owner, ast.While):
            assert block.around is not None
            block = block.around
        assert block.around is not None
        if isinstance(statement, ast.Break):
            return self._from(block.around, block.place + 1, passed)
        return self._head(block.owner, block.around, block.place, passed)

    # --- names ----------------------------------------------------------------------------------------------------

    def _find_changing(self) -> frozenset[str]:
        """The names that are given values, or lose them, behind the first stop."""
        later = False
        found: set[str] = set()
        for statement in self.tree.body:
            later = later or any(node in self._numbers for node in ast.walk(statement))
            if later:
                found.update(_stored(statement))
        return frozenset(found)

    def _check_names(self) -> None:
        """Refuse to go on by other means where that would show in names that get new values between waits.

        Native code does not tell the generator their values; and one that is made anew has cells of its own, which
        functions made before do not see.
        """
        behind = Liveness(self.tree).behind
        for statement, _, _ in self._yields:
            for name in sorted(behind[statement] & self.changing):
                node = next(n for n in ast.walk(self.tree) if isinstance(n, ast.Name) and n.id == name)
                why = f"{name!r} may change between two waits: keep it as a field, or give it its value first"
                raise self._refusal(node, why)
        for code in closures_in(self.code):
            for name in sorted(self.changing.intersection(code.co_freevars)):
                why = f"{name!r}, which a function made here reads, may change between two waits: keep it as a field"
                raise CannotLower(code.co_filename, code.co_firstlineno, self.tree.name, why)

    def _segment(self, number: int, body: list[ast.stmt]) -> tuple[Segment, Definition]:
        loaded = [node.id for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)]
        names = tuple(name for name in dict.fromkeys(loaded) if name in self.names and name not in self.changing)
        for name in names:
            if name in self.code.co_freevars and self.definition.file.is_rebound(self.tree, name):
                raise self._refusal(self.tree, f"{name!r}, which it closes over, may be given another value")
        given = ast.arguments(
            posonlyargs=[], args=[ast.arg(name) for name in names], kwonlyargs=[], kw_defaults=[], defaults=[]
        )
        tree = ast.FunctionDef(name=self.tree.name, args=given, body=body, decorator_list=[])
        ast.copy_location(tree, self.tree)
        for argument in given.args:
            ast.copy_location(argument, self.tree)
        if hasattr(tree, "type_params") or "type_params" in tree._fields:
            tree.type_params = []  # type: ignore[attr-defined]  # of Python 3.12
        module = compile(ast.Module([tree], []), self.code.co_filename, "exec", dont_inherit=True)
        code = next(code for code in module.co_consts if isinstance(code, CodeType))
        function = FunctionType(code, self.function.__globals__, f"{self.tree.name} behind wait point {number}")
        return Segment(function, names), Definition(self.definition.file, tree)


def _priority(command: ast.expr | None) -> float | None:
    """The number that is written as a priority; None if none is."""
    for keyword in command.keywords if isinstance(command, ast.Call) else ():
        with suppress(ValueError, OverflowError):
            value = ast.literal_eval(keyword.value)
            if type(value) in (int, float):
                return float(value)
    return None


def _located(node: Any, where: ast.AST) -> Any:
    node = ast.copy_location(node, where)
    for child in ast.iter_child_nodes(node):
        if not hasattr(child, "lineno"):
            _located(child, where)
    return node


def _leave(where: ast.stmt, why: str) -> ast.stmt:
    """Where Python goes on; why stands in the place of what is raised."""
    node: ast.stmt = _located(ast.Raise(exc=ast.Constant(why), cause=None), where)
    return node


def _nodes_in(statement: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement, but for those of functions and classes made there."""
    yield statement
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _nodes_in(child)


def _yields_in(node: ast.AST) -> Iterator[ast.AST]:
    return (inner for inner in _nodes_in(node) if isinstance(inner, ast.Yield | ast.YieldFrom | ast.Await))


def _is_way_out(node: ast.AST, statement: ast.stmt) -> bool:
    """Whether a node of a statement leads out of it."""
    if isinstance(node, ast.Return):
        return True
    if not isinstance(node, ast.Break | ast.Continue):
        return False
    loops = [loop for loop in _nodes_in(statement) if isinstance(loop, ast.For | ast.While | ast.AsyncFor)]
    return not any(node in (inner for part in loop.body for inner in _nodes_in(part)) for loop in loops)


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that are given values, or lose them, in a piece of code; those of comprehensions are their own."""
    if isinstance(node, ast.comprehension):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.MatchMapping):
        yield node.rest or ""
    elif isinstance(getattr(node, "name", None), str):
        yield node.name  # type: ignore[attr-defined]  # a function, class, handled exception or pattern
    for inner in ast.iter_child_nodes(node):
        yield from _stored(inner)


def _covers(statement: ast.stmt, positions: Any) -> bool:
    """Whether an instruction comes from a statement."""
    if positions is None or positions.lineno is None or positions.col_offset is None:
        return False
    start, end = (statement.lineno, statement.col_offset), (statement.end_lineno, statement.end_col_offset)
    here = (positions.lineno, positions.col_offset), (positions.end_lineno, positions.end_col_offset)
    return bool(start <= here[0] and here[1] <= end)
