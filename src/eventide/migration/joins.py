"""Waits for the end of processes, and for all of several things: what a row has of one, and the objects of Python.

Those that wait in rows have begun before all that wait in Python, and continue before them.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from eventide.bodies.operands import WIDE
from eventide.discrete.inside import calendar_of, end_waiters_of
from eventide.discrete.interruptions import put_back
from eventide.discrete.processes.composite import AllOf
from eventide.discrete.processes.endings import End
from eventide.rows.allocation import free_row, owner_of, release_row
from eventide.rows.codes import ANSWERED, GATHERED, GONE, JOINED, NONE, NOTHING, OVER, REAL, TRUTH, WHOLE
from eventide.rows.composites import has_rows, new_branch
from eventide.rows.event_list import displace
from eventide.rows.joins import enter_joiners, leave_joiners, wake_joiners

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventide.discrete.calendar import Calendar
    from eventide.discrete.commands import Activity
    from eventide.discrete.processes.process import Process
    from eventide.migration.prototypes import RowProcess
    from eventide.rows.memory import RowMemory
    from eventide.rows.records import Rows


def place_wait(memory: RowMemory, i: int, wait: End | AllOf, rows: Mapping[Process, int]) -> None:
    """Let the process in a row wait for an end, or for all of several things, as it has waited in Python.

    rows        of the processes for whose ends it waits
    """
    if isinstance(wait, End):
        wait.withdraw()
        enter_joiners(memory.views, i, rows[wait.process])
        memory.process.wanted[rows[wait.process]] = 1
        return
    standing = wait.standing
    while not has_rows(memory.views, len(standing)):
        memory.grow()
    a = memory.views
    for number, (_, notice, one) in enumerate(standing):
        b = new_branch(a, i, number)
        if isinstance(one, End):
            place_wait(memory, b, one, rows)
        elif notice is not None:
            time, sequence, path, _ = notice
            memory.engine.place(memory.arrays, b, time, float(sequence), int(path[0]))
    a.activity.wait[i] = GATHERED


def value_of(a: Rows, j: int) -> object:
    """What the process in row `j` has returned; for what nobody asks, something."""
    kind, number = a.process.answered[j], a.process.answer[j]
    return {NOTHING: None, WHOLE: number, REAL: a.activity.left[j], TRUTH: bool(number)}.get(kind, ...)


def stand_over(a: Rows, j: int, process: Process) -> None:
    """Let a row that was just given out be that of a process which is not away: it has ended, or is Python's."""
    result = process.result if process.terminated else ...
    a.activity.at[j] = OVER
    if type(result) is float:
        a.process.answered[j], a.activity.left[j] = REAL, result
    elif isinstance(result, int) and type(result) in (int, bool) and abs(result) < WIDE:
        a.process.answered[j], a.process.answer[j] = TRUTH if type(result) is bool else WHOLE, int(result)
    elif result is not None:
        a.activity.at[j] = GONE
    a.run.alive -= 1


def wake_waits(a: Rows, j: int, calendar: Calendar) -> None:
    """A process has ended in row `j`: those that wait for it in rows are placed before others are in Python."""
    wake_joiners(a, j)
    calendar.serial = count(a.run.serial + 1).__next__


class Home(NamedTuple):
    """What returns processes to Python.

    away    those that are rows, by their rows; fetch: gives one a generator in place of its row
    object_of   gives the process in a row that a row holds
    """

    away: dict[int, RowProcess]
    fetch: Callable[[Process], object]
    object_of: Callable[[int], Process]


def take_wait(a: Rows, i: int, home: Home) -> None:
    """A process that waits in its row for an end, or for all of several things, goes on in Python."""
    if a.activity.wait[i] == GATHERED:
        _take_gathering(a, i, home)
    else:
        take_waits(a, a.process.subject[i], home)


def take_waits(a: Rows, j: int, home: Home) -> None:
    """The same of all that wait for the end of the process in row `j`, in their order."""
    a.process.watched[j] = 2
    awaited = home.away[j].process
    before = len(end_waiters_of(awaited) or ())
    while (i := a.process.joiners[j]) >= 0:
        if owner_of(a, i) != i:
            _take_gathering(a, owner_of(a, i), home)
            continue
        process = home.away[i].process
        leave_joiners(a, i)
        a.activity.wait[i] = NOTHING
        home.fetch(process)
        End.begin(awaited, process)
        _stand_before(awaited, before)


def _take_gathering(a: Rows, i: int, home: Home) -> None:
    process, words = home.away[i].process, home.away[i].body.reading.points[a.activity.at[i]].gathered
    waits: list[tuple[str, Process | None, bool]] = []
    keys: list[tuple[float, float, int]] = []
    answers: list[tuple[Process, object] | None] = []
    b = a.process.branches[i]
    for word in words:
        following, sequence, j = a.process.branches[b], a.activity.sequence[b], a.process.subject[b]
        is_joined, is_answered = a.activity.wait[b] == JOINED, a.activity.wait[b] == ANSWERED
        waits.append((word, home.away[j].process if is_joined else None, sequence != 0.0))
        keys.append((a.activity.due[b], sequence, a.activity.serial[b]))
        answers.append((home.object_of(j), value_of(a, j)) if is_answered else None)
        if is_joined:
            a.process.watched[j] = 2
            leave_joiners(a, b)
        elif is_answered:
            release_row(a, j)
        a.activity.wait[b] = NOTHING
        displace(a, b)
        free_row(a, b)
        b = following
    a.activity.wait[i], a.process.branches[i] = NOTHING, NONE
    home.fetch(process)
    for branch, key, answer in zip(AllOf.begun(process, waits), keys, answers, strict=True):
        put_back(calendar_of(process.sim), branch, *key)
        if answer is not None:
            stand_answered(branch, *answer)
    for awaited in (one for _, one, _ in waits if one is not None):
        _stand_before(awaited, len(end_waiters_of(awaited) or ()) - 1)


def stand_answered(activity: Activity, awaited: Process, value: object) -> None:
    """What has left its row waits in Python for its turn, in which it gets what another process has returned."""
    activity._wait, activity._value = End(awaited, activity), value


def _stand_before(awaited: Process, others: int) -> None:
    """Who was last to begin to wait for an end in Python has waited in a row before: it comes before so many others."""
    ends = end_waiters_of(awaited)
    assert ends is not None
    ends.insert(len(ends) - 1 - others, ends.pop())
