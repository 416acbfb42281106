"""Why a process waits, in words: for `why_waiting`, for errors, and for inspecting a model that does not advance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.reading.lines import is_ours, line_of

if TYPE_CHECKING:
    from eventide.discrete.calendar import Notice
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
    place = "" if is_ours(process._generator.gi_frame) else f", at {line_of(process._generator)}"
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


def _time(notice: Notice) -> str:
    return f"time {notice[0]!r}"
