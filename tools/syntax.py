"""The syntax of the library, parsed once for all tools and tests that look at it.

In: the text of a file. Out: its tree, or all its nodes. They are kept, so nobody may change them.
"""

from __future__ import annotations

import ast
import gc
from functools import cache


@cache
def tree_of(text: str) -> ast.Module:
    """The tree of a file's text."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        gc.freeze()  # all of a tree stays, and to examine it in each full collection takes longer than to make it
        if is_on:
            gc.enable()


@cache
def nodes_of(text: str) -> tuple[ast.AST, ...]:
    """All nodes of a file's text, in the order of `ast.walk`."""
    return tuple(ast.walk(tree_of(text)))
