"""Why a process waits, in words: for `why_waiting`, for errors, and for inspecting a model that does not advance."""

from __future__ import annotations

from inspect import CO_GENERATOR
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any

from eventide.reading.places import location

if TYPE_CHECKING:
    from eventide.discrete.commands import Activity
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World


def why_waiting(process: Process) -> str:
    """A sentence that says what a process waits for, and at which line."""
    name, notice = process.name, process._notice
    if process.terminated:
        return f"{name} has ended"
    if process is process.sim.current:
        return f"{name} is the current process"
    if process._generator is None:
        return f"{name} has not begun: it has not been activated"
    if not process._generator.gi_suspended:
        return f"{name} waits for {_time(notice)} to begin" if notice else f"{name} waits for its activation to begin"
    progress = getattr(process._wait, "progress", None)
    far = progress() if progress is not None else ""
    # That which `run(until=condition)` waits by is ours: its line tells nothing, and its condition names the user's.
    place = "" if _is_ours(process._generator.gi_frame) else f", at {line_of(process._generator)}"
    return f"{name} waits for {what_is_awaited(process)}{place}{far and f' ({far})'}"


def what_is_awaited(activity: Activity) -> str:
    """What a process or a branch waits for: '... waits for <this>'."""
    notice, wait = activity._notice, activity._wait
    if wait is None:
        return _time(notice) if notice else "its activation by another process"
    if notice is None:
        return str(wait.describe())
    if wait.is_state_event:
        return f"{wait.describe()} or {_time(notice)}"
    return f"its turn at {_time(notice)}, after {wait.describe()}"


def what_stands_still(world: World, owed: Process) -> str:
    """Why nothing can happen any more although a process is owed its end: which processes wait, and for what."""
    waiting = [why_waiting(process) for process in world.processes]
    lines = [f"{owed.name} has not ended, and nothing can happen any more.", *waiting]
    idle = world.never_begun
    if idle:
        lines.append(f"made and never activated: {', '.join(process.name for process in idle)}")
    return "\n  ".join(lines)


def what_to_yield(mistaken: Any) -> str:
    """What to write in place of something that was yielded and is no command."""
    if isinstance(mistaken, GeneratorType):
        return "write `yield from` to go through it, or yield sim.process(...) to wait for its end"
    if getattr(mistaken, "_makes_command", False) is True:
        return f"call it, as in `yield {mistaken.__name__}(...)`"
    if isinstance(getattr(mistaken, "_waited_for", None), str):
        return str(mistaken._waited_for)
    if isinstance(mistaken, list | tuple):
        return (
            "yield one command after the other, or several at once as all_of(name=..., ...) or first_of(name=..., ...)"
        )
    if callable(mistaken):
        return "write `yield until(...)` to wait until a condition is true"
    return "yield a number, hold(...), until(...), passivate(), a request, a process or another command"


def line_of(generator: Any) -> str:
    """The line at which a generator stands, innermost of those of the user's that it delegates to: file:line."""
    innermost = generator
    while type(generator := generator.gi_yieldfrom) is GeneratorType:
        if not _is_ours(generator.gi_frame):
            innermost = generator
    return location(innermost.gi_code.co_filename, innermost.gi_frame.f_lineno)


def line_in(error: BaseException, generator: Any) -> str:
    """The line of a generator, or of one of the user's that it delegated to, from which an error came; "" if none."""
    found = ""
    traceback = error.__traceback__
    while traceback is not None and generator is not None:
        code = traceback.tb_frame.f_code
        if code is generator.gi_code or (found and code.co_flags & CO_GENERATOR):
            if not (found and _is_ours(traceback.tb_frame)):
                found = location(code.co_filename, traceback.tb_lineno)
        elif found:
            break
        traceback = traceback.tb_next
    return found


def is_all_ours(error: BaseException) -> bool:
    """Whether an error has come through lines of eventide only."""
    traceback = error.__traceback__
    while traceback is not None:
        if not _is_ours(traceback.tb_frame):
            return False
        traceback = traceback.tb_next
    return True


def _is_ours(frame: FrameType | None) -> bool:
    return frame is not None and str(frame.f_globals.get("__name__", "")).startswith("eventide.")


def _time(notice: Any) -> str:
    return f"time {notice[0]!r}"
