"""At which line of the user's a generator stands, an error was raised, or eventide was called."""

from __future__ import annotations

import sys
from dis import opmap
from inspect import CO_GENERATOR
from types import FrameType, GeneratorType
from typing import Any, Final

from eventide.reading.description import location
from eventide.reading.twins import inner_of

CACHE: Final = opmap["CACHE"]
POP_TOP: Final = opmap["POP_TOP"]


def line_of(generator: Any) -> str:
    """The line at which a generator stands, innermost of those of the user's that it delegates to: file:line."""
    innermost = generator
    while type(generator := inner_of(generator)) is GeneratorType:
        if not is_ours(generator.gi_frame):
            innermost = generator
    return location(innermost.gi_code.co_filename, innermost.gi_frame.f_lineno)


def line_in(error: BaseException, generator: GeneratorType[object, object, object] | None) -> str:
    """The line of a generator, or of one of the user's that it delegated to, from which an error came; "" if none."""
    found = ""
    traceback = error.__traceback__
    while traceback is not None and generator is not None:
        code = traceback.tb_frame.f_code
        if code is generator.gi_code or (found and code.co_flags & CO_GENERATOR):
            if not (found and is_ours(traceback.tb_frame)):
                found = location(code.co_filename, traceback.tb_lineno)
        elif found:
            break
        traceback = traceback.tb_next
    return found


def is_all_ours(error: BaseException) -> bool:
    """Whether an error has come through lines of eventide only."""
    traceback = error.__traceback__
    while traceback is not None:
        if not is_ours(traceback.tb_frame):
            return False
        traceback = traceback.tb_next
    return True


def is_ours(frame: FrameType | None) -> bool:
    """Whether a frame is one of eventide's code."""
    return frame is not None and str(frame.f_globals.get("__name__", "")).startswith("eventide.")


def level_of_user() -> int:
    """How many calls above the caller the code of the user is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("eventide."):
        frame, level = frame.f_back, level + 1
    return level


def is_result_dropped() -> bool:
    """Whether the user's statement that has called us, maybe some functions of ours deep, is that call and no more."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    if frame is None:
        return False
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while place < len(code) and code[place] == CACHE:
        place += 2
    return place < len(code) and code[place] == POP_TOP
