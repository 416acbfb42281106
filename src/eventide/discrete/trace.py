"""The trace: time, owner and cause of every event.

A run without a trace pays nothing for it. A tracer replaces the object that acts between events, so that it is called
before each event, and gives the event list methods that record which event placed what.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from eventide.discrete.calendar import AT_END, PLAIN, Calendar
from eventide.discrete.hook import OuterHook
from eventide.discrete.periodic import Timer
from eventide.discrete.processes.composite import Branch
from eventide.discrete.processes.endings import Ending, Interruption
from eventide.discrete.processes.process import Process, owner_of

if TYPE_CHECKING:
    from eventide.discrete.calendar import Entry, Notice
    from eventide.discrete.commands import Wait
    from eventide.discrete.world import World


class Occurrence(NamedTuple):
    """An event that takes place, as a trace tells of it.

    time    when
    who     the name of the process or handler
    why     what made it happen
    """

    time: float
    who: str
    why: str

    def __str__(self) -> str:
        return f"{self.time:>12.6g}  {self.who}: {self.why}"


HOLD_ENDED: Final = "hold ended"
PERIOD_OVER: Final = "period over"
Listener: TypeAlias = Callable[[Occurrence], object]


def print_occurrence(occurrence: Occurrence) -> None:
    """Write an occurrence to standard output."""
    sys.stdout.write(f"{occurrence}\n")


class EventRecorder(Protocol):
    """A listener that also learns what each event did."""

    def begin(self, notice: Notice, occurrence: Occurrence) -> None:
        """An event begins."""
        ...

    def end(self) -> None:
        """The event that began last, if any, has ended."""
        ...

    def note(self, activity: Entry) -> None:
        """The event has given `activity` a place in the event list."""
        ...

    def hand_over(self, process: Process) -> None:
        """The event continues with a process that was activated directly."""
        ...


def tell_of_events(world: World, recorder: EventRecorder) -> None:
    """Tell a recorder of every event from now on."""
    if world._tracer is None:
        world._tracer = Tracer(world, None, recorder)
    else:
        world._tracer.recorder = recorder


class Tracer(OuterHook):
    """Reports every event of a world to a listener and a recorder, until `stop`."""

    def __init__(self, world: World, listener: Listener | None, recorder: EventRecorder | None = None) -> None:
        if world._migration is not None:
            world._migration.leave()
        self.world = world
        self.listener = listener
        self.recorder = recorder
        self.inner = world._hook
        self._reasons: dict[int, tuple[Notice | None, str]] = {}
        world._hook = self
        world._watch = self._watch  # type: ignore[method-assign]  # until `stop`
        calendar = world._calendar
        calendar.__class__ = TracedCalendar
        calendar.tracer = self

    def stop(self) -> None:
        """Leave everything as if there had been no trace."""
        world = self.world
        world._hook = self.inner
        del vars(world)["_watch"]
        world._calendar.__class__ = Calendar
        world._calendar.tracer = None

    def _watch(self) -> None:
        """There is something to do between events: it is done before the tracer looks."""
        world = self.world
        type(world)._watch(world)
        self.inner = world._hook
        world._hook = self

    # --- between events -------------------------------------------------------------------------------------------

    def advance(self, horizon: float) -> object:
        """Let the inner hook advance the model to its next event, and report that event, which is listed then."""
        world = self.world
        calendar = world._calendar
        if self.recorder is not None:
            self.recorder.end()
        if self.inner is not None:
            called = self.inner.advance(horizon)
            if world._hook is None:  # it has nothing to do any more
                self.inner, world._hook = None, self
            if called is AT_END:
                return called
            if called is not None:
                calendar.call_next(world.time, called)
                self.keep_reason(called, "condition true")
        notice = calendar.first()
        if notice is not None and notice[0] < horizon:
            self._tell(notice)
        return None

    # --- what is reported -----------------------------------------------------------------------------------------

    def _tell(self, notice: Notice) -> None:
        activity = notice[3]
        noted, why = self._reasons.pop(id(activity), (None, ""))
        if activity._value is not None and activity._wait is not None:
            why = what_came(activity._wait)
        elif noted is not notice:
            why = self._why_unnoted(notice)
        who = activity
        while isinstance(who, Branch):
            why = f"{who.label} ({who.group.word}): {why}"
            who = who.activity
        occurrence = Occurrence(notice[0], name_of(who), why)
        if self.listener is not None:
            self.listener(occurrence)
        if self.recorder is not None:
            self.recorder.begin(notice, occurrence)

    def _why_unnoted(self, notice: Notice) -> str:
        if isinstance(notice[3], Timer):
            return PERIOD_OVER
        # Only the run loop, which schedules holds without a call, uses this very path.
        return HOLD_ENDED if notice[2] is PLAIN else "scheduled before the trace began"

    def note(self, activity: Entry, asked: float, now: float) -> None:
        """Record why `activity` was just placed, and the requested time."""
        why = self._why(activity)
        self.note_as(activity, f"{why} (asked for {asked!r}, which is past)" if asked < now else why)

    def note_as(self, activity: Entry, why: str) -> None:
        """Keep in mind a reason that is known."""
        self.keep_reason(activity, why)
        self.note_placed(activity)

    def keep_reason(self, activity: Entry, why: str) -> None:
        """Keep in mind why `activity` stands where it has just been placed."""
        self._reasons[id(activity)] = (activity._notice, why)

    def note_placed(self, activity: Entry) -> None:
        """Tell the recorder that the event has placed `activity`."""
        if self.recorder is not None and not self.world.active:
            self.recorder.note(activity)

    def tell_of_handover(self, now: float, activity: Entry, process: Process) -> None:
        """Tell of a direct activation, which is no event of its own."""
        if self.listener is not None:
            self.listener(Occurrence(now, process.name, f"activated at once by {name_of(activity)}"))
        if self.recorder is not None:
            self.recorder.hand_over(process)
        self.note_as(activity, f"goes on after {process.name}")

    def _why(self, activity: object) -> str:
        by = self.world.current
        if isinstance(activity, Timer):
            return PERIOD_OVER
        if hasattr(activity, "reason"):
            return str(activity.reason)
        if isinstance(activity, Ending):
            return f"ended by {name_of(by)}"
        if isinstance(activity, Interruption):
            cause = "" if activity.cause is None else f", cause {activity.cause!r}"
            return f"interrupted by {name_of(by)}{cause}"
        if not isinstance(activity, Process | Branch):
            return what_came(activity)
        if by is not None and owner_of(activity) is owner_of(by):
            return HOLD_ENDED
        return f"activated by {name_of(by)}"


def what_came(wait: Any) -> str:
    """Why the wait is over."""
    return f"got {wait.describe().partition(' since ')[0]}"


def name_of(activity: Entry | None) -> str:
    """The name of an activity: that of the process, also for a branch of its wait."""
    if activity is None:
        return "whoever runs the model"
    return str((owner_of(activity) or activity).name)


class TracedCalendar(Calendar):
    """An event list that reports to its tracer what is placed in it; holds are placed by the run loop itself."""

    __slots__ = ()

    def schedule(self, time: float, now: float, activity: Entry) -> None:
        """As ever."""
        super().schedule(time, now, activity)
        self.tracer.note(activity, time, now)

    def schedule_ranked(self, time: float, now: float, priority: float, activity: Entry) -> None:
        """As ever."""
        super().schedule_ranked(time, now, priority, activity)
        if priority != 0.0:  # else `schedule` has reported it
            self.tracer.note(activity, time, now)

    def schedule_front(self, now: float, activity: Entry) -> None:
        """As ever."""
        super().schedule_front(now, activity)
        self.tracer.note(activity, now, now)

    def schedule_prior(self, time: float, now: float, activity: Entry) -> None:
        """As ever."""
        super().schedule_prior(time, now, activity)
        self.tracer.note(activity, time, now)

    def _insert_beside(self, neighbour: Notice, offset: int, activity: Entry) -> None:
        super()._insert_beside(neighbour, offset, activity)
        self.tracer.note(activity, neighbour[0], neighbour[0])

    def schedule_last(self, now: float, activity: Entry) -> None:
        """As ever; what it waited for tells why."""
        super().schedule_last(now, activity)
        self.tracer.note_placed(activity)

    def answer(self, now: float, activity: Entry, wait: Wait | None) -> None:
        """As ever."""
        super().answer(now, activity, wait)  # which places it by `schedule_last`
        self.tracer.keep_reason(activity, what_came(wait))

    def hand_over(self, now: float, activity: Entry, process: Process) -> None:
        """As ever."""
        super().hand_over(now, activity, process)
        self.tracer.tell_of_handover(now, activity, process)
