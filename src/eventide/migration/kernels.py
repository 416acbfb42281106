"""Kernels as Python runs them, from their text."""

from __future__ import annotations

import ast
import linecache
import math
from functools import cache
from itertools import count
from types import FunctionType
from typing import Final

from eventide.native import objects
from eventide.native.locking import locked, parsed
from eventide.rows import activities, codes
from eventide.rows.allocation import has_more, has_room, release_row, row_of, spawn_like
from eventide.rows.composites import (
    branch_asks,
    branch_holds,
    branch_joins,
    branch_watches,
    ends_wait,
    has_rows,
    new_branch,
)
from eventide.rows.inventories import get_item, is_open, put_item, transfer
from eventide.rows.joins import (
    answered,
    can_join,
    is_over,
    join,
    real_answer,
    return_real,
    return_truth,
    return_whole,
    whole_answer,
)
from eventide.rows.mersenne_twister import next_below, next_normal, next_uniform
from eventide.rows.moving import change, close_over, has_broken, look, may_change, may_watch
from eventide.rows.stations import ask, drop, is_ready, leave, new_request
from eventide.rows.statistics import move_level
from eventide.rows.watches import guard_for

_numbers = count(1)
_CODES: Final = (
    "ENDS",
    "EXIT",
    "FAILED",
    "GATHERED",
    "GRANTED",
    "NEW",
    "NOTHING",
    "OTHER",
    "PREEMPTED",
    "PREEMPTED_NOW",
    "ROOM",
    "WAITS",
)

# --- kernels ----------------------------------------------------------------------------------------------------------


@locked
@cache
def plain_kernel(name: str, text: str) -> FunctionType:
    """A kernel as Python runs it, whose text can be found."""
    file = f"<eventide body {next(_numbers)}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    names: dict[str, object] = {
        **{name: getattr(codes, name) for name in _CODES},
        **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log1p", "sin", "cos", "atan", "fmod")},
        **{function.__name__: function for function in objects.FUNCTIONS},
        **{function.__name__: function for function in (activities.hold, activities.hold_until, activities.next_tick)},
        **{function.__name__: function for function in (move_level, next_uniform, next_below, next_normal)},
        **{function.__name__: function for function in (look, may_change, change, has_broken)},
        **{function.__name__: function for function in (may_watch, guard_for, close_over, activities.watch_for)},
        **{function.__name__: function for function in (ask, is_ready, leave, new_request, has_room, spawn_like)},
        **{function.__name__: function for function in (branch_asks, branch_holds, has_rows, drop)},
        **{function.__name__: function for function in (row_of, activities.can_interrupt, activities.interrupt)},
        **{function.__name__: function for function in (join, branch_joins, branch_watches, has_more)},
        **{function.__name__: function for function in (answered, can_join, is_over, real_answer, whole_answer)},
        **{function.__name__: function for function in (release_row, return_real, return_truth, return_whole)},
        **{function.__name__: function for function in (is_open, transfer, put_item, get_item, new_branch, ends_wait)},
        "__name__": "eventide.migration.kernels",
    }
    flags = __import__("__future__").annotations.compiler_flag
    exec(compile(_keeping(text), file, "exec", flags=flags, dont_inherit=True), names)  # noqa: S102  # our own text
    function = names[name]
    assert isinstance(function, FunctionType)
    return function


def _keeping(text: str) -> ast.Module:
    """A kernel that leaves in its row how far it has come also where a call of Python raises, as native code does."""
    tree = parsed(text)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    k = next(k for k, one in enumerate(function.body) if isinstance(one, ast.While))
    loop, *kept, answer = function.body[k:]
    function.body[k:] = [ast.fix_missing_locations(ast.copy_location(ast.Try([loop], [], [], kept), loop)), answer]
    return tree
