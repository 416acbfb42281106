"""Nodes of syntax trees: what an assignment sets to what, where an expression stands, and `match` as choices."""

from __future__ import annotations

import ast
from collections import Counter
from copy import copy
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, TypeVar

Node = TypeVar("Node", bound=ast.AST)


def pairs_of(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is set to what."""
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, ast.Tuple | ast.List):
        return [(target, value)]
    is_by_item = len(target.elts) == len(value.elts) and not any(isinstance(one, ast.Starred) for one in value.elts)
    return list(zip(target.elts, value.elts, strict=True)) if is_by_item else [(target, value)]


Extent: TypeAlias = tuple[int | None, int | None, int | None, int | None]
"""The first and last line, and the first and last column, of an instruction."""


def extent(node: ast.expr) -> tuple[int, int, int, int]:
    """The extent of an expression in the text, in the form of an instruction's positions."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def is_set_once(tree: ast.AST, target: ast.Name) -> bool:
    """Whether a variable gets a value nowhere else in a function, and is not read above that."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == target.id and node is not target:
            is_above = (node.lineno, node.col_offset) < (target.lineno, target.col_offset)
            if is_above or not isinstance(node.ctx, ast.Load):
                return False
        elif target.id in (getattr(node, word, None) for word in ("name", "asname", "rest", "arg")):
            return False
    return True


def small_whole(node: ast.expr) -> int | None:
    """A whole number of less than 32 bits that is written; None for another expression."""
    try:
        value = ast.literal_eval(node)
    except (TypeError, ValueError):
        return None
    return value if type(value) is int and abs(value) < 2**31 else None


class Made(NamedTuple):
    """Statements like `child = call()`, one or several, and the one behind them, a command that waits for these alone.

    calls   by the names, in their order
    """

    calls: dict[str, ast.Call]
    command: ast.Yield


@lru_cache(256)
def awaited_at_once(tree: ast.AST) -> dict[ast.stmt, Made]:
    """Statements that make what the next one waits for, by the first, where their names stand nowhere else.

    That is `yield child`, or `yield all_of(a=one, b=other)`.
    """
    found: dict[ast.stmt, Made] = {}
    uses, others, own = Counter[str](), set[str](), Counter[str]()
    for node in ast.walk(tree):
        uses.update([node.id] if isinstance(node, ast.Name) else [])
        words = () if isinstance(node, ast.keyword) else ("name", "asname", "rest", "arg")
        others.update(str(getattr(node, word, None)) for word in words)
        others.update(node.names if isinstance(node, ast.Global | ast.Nonlocal) else [])
        for block in filter(None, (getattr(node, word, None) for word in ("body", "orelse", "finalbody"))):
            for k, statement in enumerate(block if isinstance(block, list) else []):
                command = getattr(statement, "value", None) if isinstance(statement, ast.Expr) else None
                if isinstance(command, ast.Yield) and (calls := _made_before(command, block[:k])):
                    found[block[k - len(calls)]] = Made(calls, command)
                    own.update([*calls, *calls])
    return {
        first: made
        for first, made in found.items()
        if all(uses[name] == own[name] and name not in others for name in made.calls)
    }


def _made_before(command: ast.Yield, before: list[ast.stmt]) -> dict[str, ast.Call]:
    """The names that a command waits for, with the calls that give them their values just before; {} for others."""
    asked = [command.value] if command.value is not None else []
    if is_composed(command):
        asked = [keyword.value for keyword in getattr(command.value, "keywords", [])]
    names = [one.id for one in asked if isinstance(one, ast.Name)]
    calls: dict[str, ast.Call] = {}
    for one in before[len(before) - len(names) :] if 0 < len(names) <= len(before) else []:
        target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
        if isinstance(target, ast.Name) and isinstance(one.value, ast.Call):  # type: ignore[attr-defined]  # it is an assignment
            calls[target.id] = one.value  # type: ignore[attr-defined]  # as above
    return calls if sorted(calls) == sorted(names) else {}


@lru_cache(256)
def processes_named(tree: ast.AST) -> dict[str, list[ast.Call]]:
    """The variables that nothing but calls gives a value, and that are read as commands alone, as `yield child` does.

    With each these calls.
    """
    uses, others, own, found = Counter[str](), set[str](), Counter[str](), dict[str, list[ast.Call]]()
    for node in ast.walk(tree):
        uses.update([node.id] if isinstance(node, ast.Name) else [])
        words = () if isinstance(node, ast.keyword) else ("name", "asname", "rest", "arg")
        others.update(str(getattr(node, word, None)) for word in words)
        others.update(node.names if isinstance(node, ast.Global | ast.Nonlocal) else [])
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Name):
            own.update([node.value.id])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:  # a second one is as a rule none of these
                if isinstance(target, ast.Name):
                    own.update([target.id])
                    found.setdefault(target.id, []).append(node.value)
    return {name: calls for name, calls in found.items() if uses[name] == own[name] and name not in others}


def steps_of(tree: ast.FunctionDef) -> list[tuple[str | None, ast.expr]]:
    """What a function gives its variables, and what it returns, with None for a name, in the order of the text."""
    found: list[tuple[int, str | None, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            found.append((node.lineno, None, node.value))
        elif isinstance(node, ast.Return):
            found.append((node.lineno, None, ast.copy_location(ast.Constant(None), node)))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.append((node.lineno, node.targets[0].id, node.value))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
            value = ast.copy_location(ast.BinOp(old, node.op, node.value), node)
            found.append((node.lineno, node.target.id, value))
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            found.append((node.lineno, node.target.id, ast.copy_location(ast.Constant(0), node)))
    return [(name, value) for _, name, value in sorted(found, key=lambda one: one[0])]


def ends_by_itself(body: list[ast.stmt]) -> bool:
    """Whether some statements surely do not lead behind them."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends_by_itself(last.body) and ends_by_itself(last.orelse)
    if isinstance(last, ast.With):
        return ends_by_itself(last.body)
    return isinstance(last, ast.Return | ast.Raise | ast.While)


def is_set_in_order(function: ast.FunctionDef, target: ast.Attribute) -> bool:
    """Whether an attribute is first set outside all blocks: then all are set in the order of the text."""
    place = ast.unparse(target)
    for statement in function.body:
        found = (node for node in ast.walk(statement) if isinstance(node, ast.Attribute) and node.attr == target.attr)
        if any(isinstance(node.ctx, ast.Store) and ast.unparse(node) == place for node in found):
            return isinstance(statement, ast.Assign | ast.AnnAssign)
    return False


def names_stored(tree: ast.FunctionDef) -> set[str]:
    """The names that the statements of a function give values, or take them from."""
    nodes = [node for statement in tree.body for node in ast.walk(statement)]
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    others = (getattr(node, "name", None) or getattr(node, "rest", None) for node in nodes)
    return stored | {name for name in others if isinstance(name, str)}


def is_named(node: ast.AST | None, *names: str) -> bool:
    """Whether an expression is one of some variables."""
    return isinstance(node, ast.Name) and node.id in names


def is_composed(command: ast.Yield) -> bool:
    """Whether a command may be one for several others: they are given by name."""
    call = command.value
    is_named = isinstance(call, ast.Call) and bool(call.keywords) and not call.args
    called = getattr(call, "func", None)
    return is_named and getattr(called, "attr", getattr(called, "id", "")) not in ("put", "get", "tick")


def is_written(call: ast.Call) -> bool:
    """Whether a call has nothing but a list or a tuple that is written there."""
    return len(call.args) == 1 and not call.keywords and isinstance(call.args[0], ast.List | ast.Tuple)


def is_request(node: ast.expr) -> bool:
    """Whether an expression looks like a request that is made there."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "request"


def set_inside(tree: ast.AST) -> frozenset[str]:
    """The variables of a function that functions made there may set."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.NamedExpr):
            found.add(node.target.id)
    return frozenset(found)


@lru_cache(256)
def attributes_set(tree: ast.AST) -> frozenset[str]:
    """The attributes that a text sets."""
    nodes = ast.walk(tree)
    return frozenset(one.attr for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))


@lru_cache(256)
def left_empty(tree: ast.AST) -> frozenset[str]:
    """The attributes that a text sets to None, or of which it asks whether they are that."""
    found = set[str]()
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            targets = [node.left] if _is_none(node.comparators[0]) else []
        elif isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in pairs_of(target, node.value)]
            targets = [target for target, value in pairs if _is_none(value)]
        found.update(target.attr for target in targets if isinstance(target, ast.Attribute))
    return frozenset(found)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


SUBJECT: Final = "_eventide_subject"
REMEDY: Final = "of patterns constants, names with a dot, `|` of such and `_` are followed: write if and elif"


def as_choices(statement: ast.stmt) -> list[ast.stmt] | None:
    """The statements that do what a `match` does that compares one value with constants; None for other patterns.

    Its subject is given to a name that is no user's.
    """
    if not isinstance(statement, ast.Match):
        return None
    name = f"{SUBJECT}_{statement.lineno}_{statement.col_offset}"
    tests = tests_of(statement, ast.Name(name, ast.Load()))
    if tests is None:
        return None
    rest: list[ast.stmt] = []
    for case, test in reversed([*zip(statement.cases, tests, strict=True)]):
        is_sure = case.guard is None and _is_any(case.pattern)
        rest = case.body if is_sure else [placed(ast.If(test, case.body, rest), case.pattern)]
    assigned = ast.Assign([ast.Name(name, ast.Store())], statement.subject)
    return [placed(assigned, statement.subject), *rest]


def tests_of(statement: ast.Match, subject: ast.expr) -> list[ast.expr] | None:
    """What is true where each case of a `match` is taken, if none before it is; None for other patterns.

    subject     an expression for what is compared, which is evaluated again and again
    """
    found: list[ast.expr] = []
    for case in statement.cases:
        test = _test(case.pattern, subject)
        if test is None:
            return None
        if case.guard is not None:
            test = case.guard if _is_any(case.pattern) else ast.BoolOp(ast.And(), [test, case.guard])
        found.append(test if case.guard is not None or not _is_any(case.pattern) else ast.Constant(True))
    return found


def placed(node: Node, place: ast.expr | ast.pattern) -> Node:
    """A node with a place, for itself and for those of its parts that have none; an `if` for its test."""
    parts: list[ast.AST] = [node, *ast.walk(node.test if isinstance(node, ast.If) else node)]
    for part in parts:
        if "lineno" in part._attributes and not hasattr(part, "lineno"):
            ast.copy_location(part, place)
    return node


def _is_any(pattern: ast.pattern) -> bool:
    """Whether a pattern is `_`, or has it among others."""
    if isinstance(pattern, ast.MatchOr):
        return any(map(_is_any, pattern.patterns))
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None


def _test(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """What is true where a pattern fits; None if that is not told here."""
    subject = copy(subject)
    match pattern:
        case ast.MatchValue(value):
            return ast.Compare(subject, [ast.Eq()], [value])
        case ast.MatchSingleton(value):
            return ast.Compare(subject, [ast.Is()], [ast.Constant(value)])
        case ast.MatchAs(None, None):
            return ast.Constant(True)
        case ast.MatchOr(patterns):
            tests = [_test(one, subject) for one in patterns]
            return None if None in tests else ast.BoolOp(ast.Or(), [test for test in tests if test is not None])
    return None
