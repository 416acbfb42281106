"""What takes the place of processes, of the calendar and of the list of processes while processes are rows.

To use one of them returns to Python what could be seen through it; see `row_migration.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from eventide.discrete.calendar import Calendar
from eventide.discrete.inside import generator_of
from eventide.discrete.processes.process_list import ProcessList

if TYPE_CHECKING:
    from eventide.discrete.calendar import Entry, Notice
    from eventide.discrete.processes.process import Process


class Given:
    """Stands for a process in the rest of its event, which has met an error."""

    __slots__ = ("_notice", "_receiver", "_value", "_wait", "activity", "error")

    def __init__(self, process: Process, error: BaseException) -> None:
        self._notice: Notice | None = None
        self._receiver = self._value = self._wait = None
        self.activity = process
        self.error = error

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return str(self.activity.name)

    def _resume(self) -> object:
        process = self.activity
        process.sim.current = process
        return generator_of(process).throw(self.error)


def beyond(error: BaseException, frames: int) -> BaseException:
    """An error whose traceback is without so many frames, the outermost, which it would keep alive."""
    here = error.__traceback__
    for _ in range(frames):
        here = here and here.tb_next
    return error.with_traceback(here)


def rest_of(process: Process, error: BaseException | None) -> Entry:
    """What takes place in Python for a process that has left its row amid its event."""
    return process if error is None else Given(process, error)


class RowCalendar(Calendar):
    """The calendar while processes are away: any other use than to place something returns all to Python."""

    __slots__ = ()


def _asking(name: str) -> Callable[..., object]:
    plain = getattr(Calendar, name)

    def ask(calendar: Calendar, *others: object) -> object:
        if calendar.tracer is not None:  # a signal handler may just have read it
            calendar.tracer.leave()
        return plain(calendar, *others)

    return ask


for _name in ("first", "next_time", "__iter__", "after"):
    setattr(RowCalendar, _name, _asking(_name))


class RowProcessList(ProcessList):
    """The list of processes while some are rows: those made in rows come before one made now."""

    __slots__ = ()

    def enter(self, process: Process) -> None:
        """Let a process that was just made stand last."""
        if self.migration is not None:
            self.migration.materialize_all()
        ProcessList.enter(self, process)

    def __iter__(self) -> Iterator[Process]:
        """The processes that have not left, in order: all return to Python."""
        if self.migration is not None:
            self.migration.leave()
        return ProcessList.__iter__(self)
