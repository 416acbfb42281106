"""Names of outcomes that no `first_of` of a process gives: `outcome.name == "serviced"` beside `first_of(served=...)`.

In: a generator function's text, and what its names mean. Out: an error for a comparison of which the result is known
before. Invariant: only variables that nothing but `yield first_of(...)` with written names assigns are looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType, FunctionType

from eventide.errors import ModelError
from eventide.reading.places import location
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
