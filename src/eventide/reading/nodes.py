"""Nodes of syntax trees: what an assignment sets to what, and where an expression stands in the text."""

from __future__ import annotations

import ast
from typing import TypeAlias


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
