"""Names of outcomes that no `first_of` of a process gives: `outcome.name == "serviced"` beside `first_of(served=...)`.

In: a generator function's text, and what its names mean. Out: an error for a comparison of which the result is known
before. Invariant: only variables that nothing but `yield first_of(...)` with written names assigns are looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FunctionType

from eventide.errors import ModelError
from eventide.reading.description import location
from eventide.reading.nodes import is_named
from eventide.reading.scope import Scope, own_nodes


def refuse_unknown_outcomes(function: ast.FunctionDef, scope: Scope, code: CodeType, shift: int) -> None:
    """Raise ModelError, naming the line, for a comparison of an outcome with what it cannot be.

    shift   the lines of its file in front of the text
    """
    names_of = {name: given for name in scope.origins if (given := _names_in(name, scope, code))}
    for node in own_nodes(function) if names_of else ():
        for asked, text, line in _comparisons(node):
            owner = asked.value if isinstance(asked, ast.Attribute) and asked.attr == "name" else asked
            known = names_of.get(owner.id, ()) if isinstance(owner, ast.Name) else ()
            if not known or (owner is not asked and text in known):
                continue
            place = location(code.co_filename, line + shift)
            if owner is asked:
                raise ModelError(
                    f"the outcome {ast.unparse(owner)} is compared with {text!r} at {place}, and it is no text: write "
                    f"`{ast.unparse(owner)}.name == {known[0]!r}`"
                )
            from difflib import get_close_matches  # which few programs need

            near = get_close_matches(text, known, n=1)
            meant = f": did you mean {near[0]!r}?" if near else ""
            raise ModelError(
                f"{ast.unparse(asked)} is compared with {text!r} at {place}, and its first_of gives "
                f"{' or '.join(map(repr, known))}{meant}"
            )


def _names_in(name: str, scope: Scope, code: CodeType) -> tuple[str, ...]:
    """The outcomes that a variable may hold, by their names; none if it may hold something else."""
    origins = scope.origins[name]
    elsewhere = {*scope.shared, *code.co_cellvars, *code.co_varnames[: code.co_argcount]}  # where others may set it
    if scope.stores[name] != len(origins) or name in elsewhere:
        return ()
    found: list[str] = []
    for origin in origins:
        call = origin.node.value if isinstance(origin.node, ast.Yield) and not origin.is_item else None
        if not isinstance(call, ast.Call) or not _is_first_of(scope.value_of(call.func)):
            return ()
        given = [word.arg for word in call.keywords if word.arg is not None]
        if len(given) < len(call.keywords):  # the names of a dictionary
            return ()
        found += given
    return tuple(dict.fromkeys(found))


def _is_first_of(function: object) -> bool:
    is_command = getattr(function, "_makes_command", False) is True
    return is_command and isinstance(function, FunctionType) and function.__name__ == "first_of"


def _comparisons(node: ast.AST) -> Iterator[tuple[ast.expr, str, int]]:
    """What is compared with which texts, and in which line: by ==, !=, `in` and `match`."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right, how = node.left, node.comparators[0], node.ops[0]
        if isinstance(how, ast.Eq | ast.NotEq):
            yield from (
                (one, text, node.lineno) for one, by in ((left, right), (right, left)) for text in _constants_in(by)
            )
        elif isinstance(how, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            yield from ((left, text, node.lineno) for by in right.elts for text in _constants_in(by))
    elif isinstance(node, ast.Match):
        values = [one for case in node.cases for one in ast.walk(case.pattern) if isinstance(one, ast.MatchValue)]
        yield from ((node.subject, text, one.lineno) for one in values for text in _constants_in(one.value))


def _constants_in(node: ast.expr) -> tuple[str, ...]:
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def value_of(statement: ast.stmt) -> str:
    """The variable of an outcome whose value a block gives back; "" for other statements."""
    if not isinstance(statement, ast.With) or len(statement.items) > 1 or statement.items[0].optional_vars is not None:
        return ""
    context = statement.items[0].context_expr
    is_value = isinstance(context, ast.Attribute) and context.attr == "value" and isinstance(context.value, ast.Name)
    return context.value.id if is_value else ""  # type: ignore[attr-defined]  # a name of an attribute, as was tested


def block_in(statement: ast.stmt, name: str, asked_for: str, others: list[str]) -> ast.With | None:
    """The block that a statement is, or that comes where its test says that the request was granted; None."""
    if value_of(statement) == name:
        return statement  # type: ignore[return-value]  # a `with`, as it has a value
    if not isinstance(statement, ast.If) or not isinstance(statement.test, ast.Compare):
        return None
    test = statement.test
    word = test.comparators[0].value if isinstance(test.comparators[0], ast.Constant) else None
    is_name = isinstance(test.left, ast.Attribute) and test.left.attr == "name" and is_named(test.left.value, name)
    if not is_name or len(test.ops) > 1 or not isinstance(test.ops[0], ast.Eq | ast.NotEq):
        return None
    is_then = isinstance(test.ops[0], ast.Eq) == (word == asked_for)
    if word != asked_for and [word] != others:
        return None
    suite = statement.body if is_then else statement.orelse
    found = [one for one in suite if value_of(one) == name]
    return found[0] if len(found) == 1 and isinstance(found[0], ast.With) else None
