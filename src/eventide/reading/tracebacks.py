"""Tracebacks of errors that leave a run, without the way through eventide.

In: an error on its way up. Out: the same object; of its traceback only the lines of the user are left, from `sim.run()`
to where it was raised. A dozen calls of ours in between say nothing about the model, and a notebook shows ten lines
of text for each. An error that eventide itself has not meant to raise keeps all.
"""

from __future__ import annotations

import os
from dis import opmap
from itertools import pairwise
from types import TracebackType
from typing import Final

WHOLE: Final = "EVENTIDE_WHOLE_TRACEBACKS"
RAISE: Final = opmap["RAISE_VARARGS"]


def shorten(error: BaseException) -> None:
    """Leave our lines out of the traceback of an error, of what caused it, and of what it was met while handling.

    No effect where the environment variable `WHOLE` is set.
    """
    if WHOLE in os.environ:
        return
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        waiting += [one.__cause__, one.__context__]
        one.__traceback__ = _of_user(one, one.__traceback__)


def _of_user(error: BaseException, traceback: TracebackType | None) -> TracebackType | None:
    lines: list[TracebackType] = []
    while traceback is not None:
        lines.append(traceback)
        traceback = traceback.tb_next
    if not lines or (_is_ours(lines[-1]) and not _is_meant(error, lines[-1])):
        return lines[0] if lines else None
    kept = [line for line in lines if not _is_ours(line)]
    for line, following in pairwise(kept):
        line.tb_next = following
    if kept:
        kept[-1].tb_next = None
    return kept[0] if kept else None


def _is_ours(line: TracebackType) -> bool:
    return str(line.tb_frame.f_globals.get("__name__", "")).startswith("eventide.")


def _is_meant(error: BaseException, line: TracebackType) -> bool:
    """Whether an error was raised by a statement of ours, other than an assertion."""
    is_raised = line.tb_frame.f_code.co_code[line.tb_lasti] == RAISE
    return is_raised and not isinstance(error, AssertionError)
