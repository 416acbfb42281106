"""What rooms above this one ask of a world and its processes, and users do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eventide.discrete.calendar import Calendar, Entry, Notice
    from eventide.discrete.processes.process import Process
    from eventide.discrete.sigint import Keyboard
    from eventide.discrete.world import World


def calendar_of(world: World) -> Calendar:
    """The event list of a world."""
    return world._calendar


def horizon_of(world: World) -> float:
    """The time at which the present run ends at the latest."""
    return world._horizon


def keyboard_of(world: World) -> Keyboard:
    """What handles Ctrl-C in a world."""
    return world._keyboard


def count_new(world: World, kind: object) -> int:
    """Count a new object of a kind; its number makes its default name."""
    return world._register(kind)


def generator_of(process: Process) -> Any:
    """The generator that a process resumes next, or what stands in its place; None if it has ended."""
    return process._generator


def wait_of(process: Process) -> Any:
    """What a process waits for; None if that is its time, or nothing."""
    return process._wait


def notice_of(activity: Entry) -> Notice | None:
    """The entry of an activity in the event list; None without one."""
    return activity._notice
