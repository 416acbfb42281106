"""What rooms above this one ask of a world and its processes, and users do not."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.declare.changes import Changes
    from eventide.discrete.calendar import Calendar, Entry, Notice
    from eventide.discrete.commands import Activity
    from eventide.discrete.hook import Hook
    from eventide.discrete.processes.endings import End
    from eventide.discrete.processes.migration import Migration
    from eventide.discrete.processes.process import Process
    from eventide.discrete.processes.process_list import ProcessList
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.same_time_limit import Instant
    from eventide.discrete.sigint import Keyboard
    from eventide.discrete.world import World
    from eventide.errors import Named
    from eventide.streams.streams import Stream

notice_of: Final[Callable[[Entry], Notice | None]] = attrgetter("_notice")
"""The entry of an activity in the event list; None without one. It is asked for at each event: no call of Python."""


def calendar_of(world: World) -> Calendar:
    """The event list of a world."""
    return world._calendar


def horizon_of(world: World) -> float:
    """The time at which the present run ends at the latest."""
    return world._horizon


def keyboard_of(world: World) -> Keyboard:
    """What handles Ctrl-C in a world."""
    return world._keyboard


def streams_of(world: World) -> dict[str, Stream]:
    """The named streams of a world, in the order in which they were made."""
    return world._streams


def changes_of(world: World) -> Changes:
    """What events have changed besides states and numbers."""
    return world._changes


def is_interrupted(world: World) -> bool:
    """Whether Ctrl-C was pressed in the present run, or a signal handler waits."""
    return world._is_interrupted


def is_stepped(world: World) -> bool:
    """Whether only one event is to take place."""
    return world._is_stepped


def is_running(world: World) -> bool:
    """Whether a run is under way."""
    return world._is_running


def is_without_end(world: World) -> bool:
    """Whether a run has not had an event yet that nothing but its time is to end."""
    return world.main is None and world._goal is None and world.events == world._events_before


def refuse_between_events(
    world: World, call: str, number: int, continuous: Named | None = None, reporter: Named | None = None
) -> None:
    """Raise SimulationError `number`, with the component or reporter that it is of, if this is between events."""
    if world.active:
        world._forbid(number, call, continuous=continuous, reporter=reporter)


def processes_of(world: World) -> ProcessList:
    """The processes of a world that have not ended, in the order of creation."""
    return world._processes


def hook_of(world: World) -> Hook | None:
    """What acts between the events of a world: its monitor, or another; None if nothing does."""
    return world._hook


def set_hook(world: World, hook: Hook | None) -> None:
    """From now on this acts between the events of a world; None: nothing does."""
    world._hook = hook


def migration_of(world: World) -> Migration | None:
    """What knows which processes of a world are native code; None if none has ever been."""
    return world._migration


def is_halted(world: World) -> bool:
    """Whether the present run ends after this event."""
    return world._is_halted


def same_time_limit_of(world: World) -> Instant:
    """What notices processes that act without end at one time."""
    return world._instant


def anchor_of(process: Process) -> float:
    """When the grid of its ticks begins."""
    return process._anchor


def generator_of(process: Process) -> Any:
    """The generator that a process resumes next, or what stands in its place; None if it has ended."""
    return process._generator


def end_waiters_of(process: Process) -> list[End] | None:
    """What waits for the end of a process, in its order; None if nothing has done so."""
    return process._end_waiters


def resume_with(process: Process, generator: object) -> None:
    """Let a process go on with this generator next."""
    process._generator = process._receiver = generator


def wait_of(process: Activity) -> Any:
    """What a process, or a branch of its wait, waits for; None if that is its time, or nothing."""
    return process._wait


def to_python(process: Process) -> None:
    """Return a process to Python if it is a row: whoever asks what it waits for does."""
    wait_of(process)


def finish(process: Process, result: object) -> None:
    """Let a process end, whose generator has, and has returned something."""
    process._finish(result)


def requester_of(request: StationRequest) -> Entry:
    """The process that made a request, or that branch of its wait for which it did."""
    activity: Entry = request._activity
    return activity
