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
"""From which line to which, and from which column to which, an instruction is."""


def extent(node: ast.expr) -> tuple[int, int, int, int]:
    """From where to where in the text an expression stands, as the positions of an instruction tell it."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0
