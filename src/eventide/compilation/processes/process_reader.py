"""The code of a process between its waits: from each `yield until(...)` the statements up to the next ones.

Such a segment is rewritten as a plain function of the names that it reads; it returns the number of the wait point at
which the process waits then. Where only Python can go on it raises, so that its lowering leaves that path to Python.
"""

from __future__ import annotations

import ast
import builtins
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.discrete.conditions.until import until
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.reading.constants import ABSENT, Constant
from eventide.reading.liveness import Liveness, closures_in
from eventide.reading.source import Definition
from eventide.reading.twins import Twin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.reading.twin_source import Node

LONGEST: Final = 400
"""The most statements of a segment, on all its paths."""
INTROSPECTION: Final = frozenset(["locals", "vars", "dir", "eval", "exec", "globals", "_getframe", "currentframe"])
"""Code that calls these may see names of which nothing is known."""

WORDS: Final = {
    ast.With: "with", ast.For: "for", ast.While: "while", ast.If: "if", ast.Try: "try", ast.TryStar: "try",
    ast.Match: "match",
}  # fmt: skip
"""What statements are called in which native code looks for nobody."""

Compound: TypeAlias = ast.If | ast.While | ast.Try


@dataclass(frozen=True)
class WaitPoint:
    """A yield.

    text        its first line, shortened
    condition   the code of what is waited for there; None if it is no `until` of a lambda, so that Python waits there
    place       at which a twin of its generator stands there
    priority    of the wait; None if it is not written there
    why         native code cannot wait there; empty if it can, or if that is no `until` of a lambda
    """

    line: int
    text: str
    condition: CodeType | None
    place: int
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
    elsewhere   yields at which native code looks for nobody: the line, the text and why
    twin        what makes generators of the function
    facts       by what `until` is found, as that may be exchanged
    definitions of the functions of the segments
    """

    wait_points: tuple[WaitPoint, ...]
    segments: dict[int, Segment]
    twin: Twin
    facts: tuple[Constant, ...]
    definitions: tuple[tuple[CodeType, Definition], ...]
    elsewhere: tuple[tuple[int, str, str], ...]

    @property
    def is_whole(self) -> bool:
        """Whether native code may wait at all of its yields."""
        return not self.elsewhere and all(one.condition is not None for one in self.wait_points)

    @property
    def is_current(self) -> bool:
        """Whether these still stand as they were taken."""
        return all(fact.is_current for fact in self.facts)


@dataclass(eq=False)
class _Block:
    """Some statements, and whose they are.

    owner   the `if`, `while` or `try`; None of the function's own
    part    which of its blocks it is
    place   of the owner among the statements of the block around
    """

    statements: list[ast.stmt]
    owner: Compound | None = None
    part: str = ""
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
        self._yields: list[tuple[ast.stmt, ast.Yield, _Block, int]] = []
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
        twin = Twin(self.definition, self.function)
        wait_points = tuple(
            self._wait_point(statement, command, twin.places[command]) for statement, command, _, _ in self._yields
        )
        bodies = [self._behind(number) for number in range(len(wait_points))]
        self._check_names(wait_points)
        segments, definitions = {}, []
        for number, (wait_point, body) in enumerate(zip(wait_points, bodies, strict=True)):
            if wait_point.condition is not None:
                segment, definition = self._segment(number, body)
                segments[number] = segment
                definitions.append((segment.function.__code__, definition))
        elsewhere = tuple(self._elsewhere(self.tree.body, ""))
        facts = tuple(self.constants.values())
        return ProcessCode(wait_points, segments, twin, facts, tuple(definitions), elsewhere)

    def _refusal(self, node: ast.AST, why: str) -> CannotLower:
        return self.definition.refusal(node, why)

    # --- where it waits -------------------------------------------------------------------------------------------

    def _collect(self, block: _Block) -> None:
        """Number the yields at which native code may find a process; elsewhere Python waits."""
        for place, statement in enumerate(block.statements):
            command = _command_of(statement)
            if command is not None:
                self._numbers[statement] = len(self._yields)
                self._yields.append((statement, command, block, place))
            elif isinstance(statement, ast.If | ast.While) and not any(_yields_in(statement.test)):
                self._collect_in(statement, block, place, "body", "orelse")
            elif isinstance(statement, ast.Try) and (not any(_yields_in(statement)) or self._is_left_alone(statement)):
                self._collect_in(statement, block, place, "body", "orelse", "finalbody")

    def _elsewhere(self, statements: list[ast.stmt], inside: str) -> Iterator[tuple[int, str, str]]:
        """The yields that have no number, but for commands that are no `until`: the line, the text and why.

        inside  the statement around in which native code looks for nobody
        """
        for statement in statements:
            if statement in self._numbers or isinstance(statement, ast.FunctionDef | ast.ClassDef):
                continue
            parts = [getattr(statement, part) for part in ("body", "orelse", "finalbody") if hasattr(statement, part)]
            parts += [part.body for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))]
            is_followed = (statement, "body") in self._blocks
            within = inside if is_followed else inside or WORDS.get(type(statement), "")
            below = {node for part in parts for inner in part for node in _nodes_in(inner)}
            for node in _yields_in(statement):
                why = "" if node in below else self._why_elsewhere(node, inside)
                if why:
                    yield statement.lineno, self.definition.file.excerpt(statement), why
            for part in parts:
                yield from self._elsewhere(part, within)

    def _why_elsewhere(self, node: ast.AST, inside: str) -> str:
        """Why native code waits at no yield like this; empty for one that is known not to be an `until`."""
        if isinstance(node, ast.YieldFrom):
            return "what another generator waits for, reached by `yield from`, is left to Python"
        command = node.value if isinstance(node, ast.Yield) else None
        if not isinstance(command, ast.Call) or self._named(command.func) is not until:
            return ""
        if not (len(command.args) == 1 and isinstance(command.args[0], ast.Lambda)):
            return ""
        return f"it waits inside a `{inside}`" if inside else "its `yield` is part of a longer expression"

    def _collect_in(self, owner: Compound, around: _Block, place: int, *parts: str) -> None:
        for part in parts:
            inner = self._blocks[owner, part] = _Block(getattr(owner, part), owner, part, around, place)
            self._collect(inner)

    def _is_left_alone(self, statement: ast.Try) -> bool:
        """Whether a generator that is given up inside a `try` executes nothing of it."""
        kinds = [handler.type for handler in statement.handlers]
        return not statement.finalbody and all(kind is not None and self._passes(kind) for kind in kinds)

    def _passes(self, kind: ast.expr) -> bool:
        """Whether a handler is known not to handle GeneratorExit."""
        if isinstance(kind, ast.Tuple):
            return all(self._passes(item) for item in kind.elts)
        found = self._named(kind)
        if found is None and isinstance(kind, ast.Name) and kind.id not in self.names:
            found = getattr(builtins, kind.id, None)
        return isinstance(found, type) and issubclass(found, Exception)

    def _wait_point(self, statement: ast.stmt, command: ast.Yield, place: int) -> WaitPoint:
        condition, why = None, ""
        try:
            condition = self._condition(command.value)
        except Unlowerable as refusal:
            why = str(refusal)
        text = self.definition.file.excerpt(statement)
        return WaitPoint(statement.lineno, text, condition, place, _priority(command.value), why)

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

    def _named(self, node: ast.expr) -> object:
        """What a global name, or one of a module, stands for; None if that is not to be had."""
        if isinstance(node, ast.Name) and node.id not in self.names:
            return self._take(self.function.__globals__, node.id)
        if isinstance(node, ast.Attribute):
            module = self._named(node.value)
            if isinstance(module, ModuleType):
                getattr(module, node.attr, None)  # which may load it
                return self._take(vars(module), node.attr)
        return None

    def _take(self, namespace: dict[str, object], name: str) -> object:
        value, where = namespace.get(name, ABSENT), str(namespace.get("__name__"))
        self.constants[where, name] = Constant(where, name, value, namespace)
        return None if value is ABSENT else value

    # --- what comes behind a wait point ---------------------------------------------------------------------------

    def _behind(self, number: int) -> list[ast.stmt]:
        statement, _, block, place = self._yields[number]
        self._size = 0
        found = self._from(block, place + 1, frozenset())
        return [*_answered(statement), *found]

    def _from(self, block: _Block, place: int, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """The statements of a block from one on, and what comes behind it, up to the next wait points.

        passed  the loops at whose heads the way has come by
        """
        found: list[ast.stmt] = []
        for statement in block.statements[place:]:
            self._size += 1
            if self._size > LONGEST:
                raise self._refusal(self.tree, f"a path between two waits has more than {LONGEST} statements")
            if statement in self._numbers:
                return [*found, _located(ast.Return(ast.Constant(self._numbers[statement])), statement)]
            if isinstance(statement, ast.Return):
                return [*found, _leave(statement, "the process ends here")]
            if isinstance(statement, ast.Break | ast.Continue):
                return [*found, *self._leap(statement, block, passed)]
            if isinstance(statement, ast.Try) and (statement, "body") in self._blocks:
                return [*found, *self._from(self._blocks[statement, "body"], 0, passed)]
            if (statement, "body") in self._blocks and self._is_left(statement):
                if isinstance(statement, ast.While):
                    return [*found, *self._head(statement, passed)]
                assert isinstance(statement, ast.If)
                ways = [self._from(self._blocks[statement, name], 0, passed) for name in ("body", "orelse")]
                return [*found, _located(ast.If(statement.test, *ways), statement)]
            if self._is_left(statement):
                return [*found, _leave(statement, "it may leave this statement before its end")]
            found.append(statement)
        return [*found, *self._beyond(block, passed)]

    def _is_left(self, statement: ast.stmt) -> bool:
        """Whether a yield stands in a statement, or a path out of it."""
        return any(_yields_in(statement)) or any(_is_way_out(node, statement) for node in _nodes_in(statement))

    def _beyond(self, block: _Block, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes behind the last statement of a block."""
        if block.owner is None or block.around is None:
            return [_leave(block.statements[-1], "the process ends behind this")]
        if isinstance(block.owner, ast.While) and block.part == "body":
            return self._head(block.owner, passed)
        if isinstance(block.owner, ast.Try) and block.part != "finalbody":
            following = self._blocks[block.owner, "orelse" if block.part == "body" else "finalbody"]
            return self._from(following, 0, passed)
        return self._from(block.around, block.place + 1, passed)

    def _head(self, loop: ast.While, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes at the head of a loop."""
        if loop in passed:
            return [_leave(loop, "a path round this loop has no wait")]
        passed |= {loop}
        inside = self._from(self._blocks[loop, "body"], 0, passed)
        if isinstance(loop.test, ast.Constant) and loop.test.value:
            return inside
        ends = self._from(self._blocks[loop, "orelse"], 0, passed)
        return [_located(ast.If(loop.test, inside, ends), loop)]

    def _leap(self, statement: ast.stmt, block: _Block, passed: frozenset[ast.While]) -> list[ast.stmt]:
        """What comes behind a `break` or `continue`."""
        while not (isinstance(block.owner, ast.While) and block.part == "body"):
            if isinstance(block.owner, ast.Try) and block.owner.finalbody:
                return [_leave(statement, "it leads through a `finally`")]
            assert block.around is not None
            block = block.around
        assert block.around is not None
        if isinstance(statement, ast.Break):
            return self._from(block.around, block.place + 1, passed)
        return self._head(block.owner, passed)

    # --- names ----------------------------------------------------------------------------------------------------

    def _find_changing(self) -> frozenset[str]:
        """The names that are given values, or lose them, behind the first stop."""
        later = False
        found: set[str] = set()
        for statement in self.tree.body:
            later = later or any(_yields_in(statement))
            if later:
                found.update(_stored(statement))
        return frozenset(found)

    def _check_names(self, wait_points: tuple[WaitPoint, ...]) -> None:
        """Refuse to go on by other means where that would show in names that get new values between waits.

        Native code does not tell them to the generator, nor to functions that share them.
        """
        behind = Liveness(self.tree).behind
        for wait_point, (statement, _, _, _) in zip(wait_points, self._yields, strict=True):
            for name in sorted(behind[statement] & self.changing if wait_point.condition else ()):
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


def _command_of(statement: ast.stmt) -> ast.Yield | None:
    """The yield of a statement that is one, or that only keeps what it answers."""
    if not isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign) or not isinstance(statement.value, ast.Yield):
        return None
    inside = statement.value.value
    return None if inside is not None and any(_yields_in(inside)) else statement.value


def _answered(statement: ast.stmt) -> list[ast.stmt]:
    """A statement that keeps what an `until` answers whose condition is true."""
    if isinstance(statement, ast.Expr):
        return []
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]  # type: ignore[attr-defined]
    return [_located(ast.Assign(targets, ast.Constant(value=True)), statement)]


def _priority(command: ast.expr | None) -> float | None:
    """The number that is written as a priority; None if none is."""
    for keyword in command.keywords if isinstance(command, ast.Call) else ():
        with suppress(ValueError, OverflowError):
            value = ast.literal_eval(keyword.value)
            if type(value) in (int, float):
                return float(value)
    return None


def _located(node: Node, where: ast.AST) -> Node:
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
