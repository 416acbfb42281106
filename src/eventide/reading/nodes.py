"""Nodes of syntax trees: what an assignment sets to what, and where an expression stands in the text."""

from __future__ import annotations

import ast
from typing import TypeAlias


def pairs_of(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is set to what."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


Extent: TypeAlias = tuple[int | None, int | None, int | None, int | None]
"""The first and last line, and the first and last column, of an instruction."""


def extent(node: ast.expr) -> tuple[int, int, int, int]:
    """The extent of an expression in the text, in the form of an instruction's positions."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0
