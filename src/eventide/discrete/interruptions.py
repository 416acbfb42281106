"""Interruptions of processes that are rows, as objects of Python: their causes, and those that are still to come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappush
from typing import TYPE_CHECKING

from eventide.discrete.calendar import ABOVE, BELOW, FIRST, PLAIN
from eventide.discrete.processes.endings import Interruption
from eventide.discrete.resources.preemption import PREEMPTED, Preempting, Preemption
from eventide.discrete.resources.request import PreemptingRequest
from eventide.errors import Interrupt
from eventide.rows.allocation import free_row, reference, row_of
from eventide.rows.codes import INTERRUPTION, LOST, NONE, NOTHING, OBJECTS, PREEMPTED_NOW
from eventide.rows.event_list import displace

if TYPE_CHECKING:
    from eventide.discrete.calendar import Calendar, Entry, Notice, Path
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.request import Request
    from eventide.rows.memory import RowMemory


class Interruptions:
    """What interruptions of rows refer to.

    gone    the processes that have left the rows at the present instant while some were of them or by them
    """

    def __init__(self, memory: RowMemory, processes: Callable[[int], Process | None]) -> None:
        self.gone: dict[int, Process] = {}
        self._memory = memory
        self._processes = processes
        self._causes: list[object] = []
        self._numbers: dict[int, int] = {}
        self._time = -1.0

    def number_of(self, cause: object) -> int:
        """The number of an object that is the cause of interrupts."""
        number = self._numbers.setdefault(id(cause), len(self._causes))
        if number == len(self._causes):
            self._causes.append(cause)
        return OBJECTS + number

    def cause_of(self, by: Process | None, requests: Mapping[int, Request], code: int) -> object:
        """The cause of an interrupt.

        by          the process that has taken units away
        requests    by their rows, the one among them that has lost these
        """
        if code > LOST:
            return code if code < OBJECTS else self._causes[code - OBJECTS]
        request = requests[LOST - code]
        return Preemption(by, request.resource, request, request.since)

    def thrown(self, i: int, by: Process | None, requests: Mapping[int, Request]) -> Interrupt | None:
        """The interrupt that a row does not handle itself; None if there is none."""
        a = self._memory.views
        wait, cause, left = a.activity.wait[i], a.process.cause[i], a.activity.left[i]
        if wait >= NOTHING:
            return None
        code = LOST - cause if wait == PREEMPTED_NOW else cause
        return Interrupt(self.cause_of(by, requests, code), None if left != left else left)

    def forget(self) -> None:
        """No process is a row any longer."""
        self.gone.clear()
        self._causes.clear()
        self._numbers.clear()

    def note(self, process: Process, i: int) -> None:
        """A process leaves its row."""
        a = self._memory.views
        if a.process.named[i] != 0:
            if process.sim.time != self._time:
                self.gone.clear()
            self._time = process.sim.time
            self.gone[reference(a, i)] = process

    def come(self, process: Process, i: int, requests: Mapping[int, Request]) -> None:
        """A process with some requests leaves its row: the interruptions of it that are still to come are Python's."""
        a = self._memory.views
        mine, n = reference(a, i), a.run.front_first
        while n >= 0:
            following = a.activity.next[n]
            if a.activity.kind[n] == INTERRUPTION and a.process.subject[n] == mine:
                event, by = self._as_object(n, process, requests), row_of(a, a.process.by[n])
                if by >= 0:
                    a.process.named[by] -= 1
                key = a.activity.due[n], a.activity.sequence[n], a.activity.serial[n]
                displace(a, n)
                free_row(a, n)
                put_back(process.sim._calendar, event, *key)
            n = following

    def _as_object(self, n: int, process: Process, requests: Mapping[int, Request]) -> Interruption:
        a = self._memory.views
        cause = a.process.cause[n]
        if a.activity.at[n] == 0:
            return Interruption(process, self.cause_of(None, {}, cause))
        is_kept = a.request.loss[cause] == n
        if is_kept:
            request = requests[cause]
            a.request.loss[cause] = NONE
        else:  # it has given its units back before it learned that they were gone
            request = PreemptingRequest()
            request.station, request.since, request.state = None, a.activity.due[n], PREEMPTED
            request._activity = process
        event = Preempting(request, self._processes(a.process.by[n]))
        request._loss = event if is_kept else None
        return event


def put_back(calendar: Calendar, activity: Entry, time: float, sequence: float, serial: int) -> None:
    """Give an activity its notice in the list in which it would stand if it had always been there. 0: none."""
    if sequence == 0.0:
        return
    path: Path = PLAIN if serial == 0 and sequence > 0.0 else FIRST if serial == 0 else (serial, 0)
    activity._notice = notice = (time, sequence, path, activity)
    if sequence > 0.0:
        heappush(calendar.heap, notice)
        return
    front, place = calendar.front, 0
    while place < len(front) and front[place] > notice:
        place += 1
    front.insert(place, notice)
    if sequence != -calendar.latest:
        calendar.below += 1


def serial_of(notice: Notice) -> int:
    """The third part of a key; of what has a priority it does not matter, as no row has such a number.

    What was put after something else (`Calendar.schedule_after`) comes after a row with the number of that.
    """
    path = notice[2]
    return int(path[0]) + (len(path) > 2 and path[1] > 0) if ABOVE != notice[1] != BELOW else 0
