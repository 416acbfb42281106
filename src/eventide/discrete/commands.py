"""What a process may yield: the protocol of a command and the plain commands.

A command is an object with `_execute(sim, activity)`. It returns the activity that continues at once, as part of the
same event, or None when the activity has been placed somewhere (in the event list, in a queue) and the event is over.
What waits keeps `_wait`, which can be withdrawn. A branch of `first_of` is an activity like a process, so that every
command works inside it. A float is the command to hold that long; the run loop knows it without a call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from inspect import Signature, signature
from math import ulp
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, overload

from eventide.declare import check_same_simulation
from eventide.declare.units import has_unit
from eventide.discrete.calendar import Entry
from eventide.discrete.conditions.condition import check_priority
from eventide.errors import ModelError, to_float

if TYPE_CHECKING:
    import typing_extensions

    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World


class Wait(Protocol):
    """What an activity waits for, other than a time."""

    is_state_event: bool

    def withdraw(self) -> None:
        """Take back what was asked for, granted or not."""
        ...

    def describe(self) -> str:
        """What is waited for, for messages: '<activity> waits for ...'."""
        ...


class Sleep:
    """The base of waits that end when the process is activated, as if it were passive."""

    __slots__ = ()
    is_state_event = False

    def sleeper(self) -> Activity | None:
        """The activity that is scheduled then; None if there is none."""
        raise NotImplementedError

    def withdraw(self) -> None:
        """As for any wait."""
        raise NotImplementedError

    def describe(self) -> str:
        """As for any wait."""
        raise NotImplementedError


class Activity(Entry, Protocol):
    """Whatever can wait: a process or a branch of a composite wait."""

    _value: object
    _wait: Wait | None
    _past: StateWait | None


class Command(Protocol):
    """What a process may yield, besides a float."""

    def _execute(self, sim: World, activity: Activity, /) -> object: ...


if TYPE_CHECKING:
    # A default, so that `ProcessGenerator` alone is a whole type; Python itself knows this from 3.13 on.
    Result = typing_extensions.TypeVar("Result", default=Any)
else:
    Result = TypeVar("Result")

ProcessGenerator: TypeAlias = Generator[Command | float, Any, Result]
"""The type of a process's `run`: yields commands, is sent their results, returns a result (`ProcessGenerator[R]`)."""

Maker = TypeVar("Maker", bound=Callable[..., object])


def command(function: Maker) -> Maker:
    """Mark a function that does nothing but make a command: a call that drops it is then found in the code."""
    function._makes_command = True  # type: ignore[attr-defined]  # our mark
    return function


class RankedHold:
    """The command to hold for what has a unit, or with a priority among the events of the time at which that ends."""

    __slots__ = ("duration", "priority")

    def __init__(self, duration: object, priority: float) -> None:
        self.duration = duration
        self.priority = priority

    def _execute(self, sim: World, activity: Activity, /) -> None:
        sim._hold(activity, self.duration, self.priority)


@overload
def hold(duration: float) -> float: ...


@overload
def hold(duration: float, priority: float) -> Command: ...


@command
def hold(duration: float, priority: Any = float) -> object:
    """Command: wait `duration` time units.

    priority    among the events of the time at which that ends: high first, 0 without one, equal ones in the order in
                which they were scheduled
    A `duration` with a unit, as a `Quantity`, is converted at the `yield` to the `time_unit` of the simulation.
    Raises TypeError if `duration` is no number, ModelError if it is NaN or, at the `yield`, if it is negative: that
    counts as 0 with `Simulation(negative_hold="zero")`, as in SIMULA.
    """
    # Most calls have a float and no priority: one comparison covers both.
    if duration.__class__ is priority and duration == duration:
        return duration
    if priority is not float:
        check_priority("hold", priority)
        given = hold(duration)
        return RankedHold(getattr(given, "duration", given), float(priority))
    if hasattr(duration, "tangent"):
        return duration  # its derivatives are for the sensitivity analysis whose simulation takes the command
    if isinstance(duration, bool) or not hasattr(duration, "__float__") or getattr(duration, "shape", None):
        raise TypeError(f"hold takes a number of time units, and got {duration!r}")
    if duration != duration:
        raise ModelError("hold got NaN: a duration must be a number")
    if has_unit(duration):
        return RankedHold(duration, 0.0)
    return to_float(duration, "hold")


_duration, _priority = signature(hold).parameters.values()
hold.__signature__ = Signature([_duration, _priority.replace(default=0.0)])  # type: ignore[attr-defined]  # for `help`


class Passivate:
    """The command to leave the event list until the process is activated."""

    __slots__ = ()

    def _execute(self, sim: World, activity: Activity, /) -> None:
        activity._notice = None


_PASSIVATE = Passivate()


@command
def passivate() -> Passivate:
    """Command: leave the event list and become idle until another activates this process."""
    return _PASSIVATE


class ActivateNow:
    """The command to pass control to a process at once."""

    __slots__ = ("process",)

    def __init__(self, process: Process) -> None:
        self.process = process

    def _execute(self, sim: World, activity: Activity, /) -> object:
        process = self.process
        check_same_simulation(sim, process)
        target = process._target()
        if target is None or target._notice is not None:
            return activity
        process._wake(target)
        if not process._generator.gi_suspended:
            process._anchor = sim.time
        sim._calendar.hand_over(sim.time, activity, process)
        sim.current = target
        return target


@command
def activate(process: Process) -> ActivateNow:
    """Command: continue `process` at once, as part of this event.

    The current process comes back at this instant, in an event before all that stood there. No effect on a process
    that is scheduled or has ended, as `process.activate()`.
    """
    return ActivateNow(process)


class Pause:
    """The command to bring laws and reporters up to date within an event."""

    __slots__ = ()

    def _execute(self, sim: World, activity: Activity, /) -> object:
        if sim._hook is not None:
            sim._hook.refresh()
        return activity


_PAUSE = Pause()


@command
def pause() -> Pause:
    """Command: evaluate all laws and run all reporters now, then continue before any other event."""
    return _PAUSE


class Handover:
    """Ends the turn of a branch: its process continues."""

    __slots__ = ("activity",)

    def __init__(self, activity: Activity) -> None:
        self.activity = activity

    def _execute(self, sim: World, activity: Activity, /) -> object:
        sim.current = self.activity
        return self.activity


def as_duration(command: object) -> float | None:
    """A yielded number as a duration; None if it is no number."""
    if type(command) is float:
        duration = command
    elif isinstance(command, bool) or not hasattr(command, "__float__"):
        return None
    else:
        duration = to_float(getattr(command, "magnitude", command), "a process that yields its duration")
    if duration != duration:
        raise ModelError("a process yielded NaN: a duration must be a number")
    return duration


ROUNDING: Final = 8
"""A negative hold counts as 0 if rounding explains it: this many units in the last place of the time."""


def refuse_negative(activity: Activity, duration: float, now: float) -> None:
    """Raise ModelError for a negative duration, unless rounding explains it."""
    if -duration > ROUNDING * ulp(now):
        raise ModelError(
            f"{activity.name} cannot hold for {duration!r}: a duration is at least 0. Take max(0.0, ...), or give "
            'Simulation(negative_hold="zero") to count it as 0'
        )


def refuse_past(process: Process, time: float, now: float) -> None:
    """Raise ModelError for a process that is to act in the past, unless rounding explains it."""
    if now - time > ROUNDING * ulp(now):
        raise ModelError(
            f"{process.name} cannot be activated at {time!r}, as the time is {now!r}: `at=` is a time of the clock, "
            '`delay=` at least 0; or give Simulation(negative_hold="zero") to count it as now'
        )


class _Nothing:
    """What a handler's event leaves to do."""

    __slots__ = ()

    def _execute(self, sim: World, activity: Activity, /) -> None:
        return None


NOTHING: Final = _Nothing()
